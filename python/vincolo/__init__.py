"""Models of equations and constraints, analysed and simulated.

    import vincolo
    m = vincolo.load("pendulum.mo")
    r = m.run(stop=10, L=2)
    r["x"]                          # a numpy array that shares the memory of the result

SPDX-License-Identifier: BSD-3-Clause
"""
from . import _core
from ._core import Error, LimitError, ModelError, OptionError, RunError
from ._model import Diagnostic, Linear, Model, Report, Result, Sweep, Variable, load, loads, read

__version__ = _core.version
__all__ = ["Diagnostic", "Error", "LimitError", "Linear", "Model", "ModelError", "OptionError", "Report", "Result",
           "RunError", "Sweep", "Variable", "load", "loads", "read"]


def load_ipython_extension(ipython):
    """%load_ext vincolo: cells that begin with %%modelica [name] are models."""
    from ._notebook import register
    register(ipython)
