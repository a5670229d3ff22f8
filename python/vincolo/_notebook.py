"""%%modelica cells.

    %load_ext vincolo
    %%modelica m
    model Decay Real x(start = 1); equation der(x) = -x; end Decay;

The model is then `m` (without a name, the name of its class), and is shown as `vincolo check` shows it.

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

from . import _core
from ._model import loads


def register(ipython):
    def modelica(line, cell):
        words = line.split()
        try:
            model = loads(cell, words[1] if len(words) > 1 else None, name="cell.mo")
        except _core.Error as error:
            print(error, file=sys.stderr)
            return None
        ipython.push({words[0] if words else model.name.split(".")[-1]: model})
        return model

    ipython.register_magic_function(modelica, "cell", "modelica")
