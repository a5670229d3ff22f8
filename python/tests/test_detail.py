# SPDX-License-Identifier: BSD-3-Clause
import re

import vincolo

WHEEL = "model Wheel Real a(start = 1, fixed = true), b(start = 0, fixed = true); equation der(a) = -b; der(b) = a; end Wheel;"


def points(path):
    """Of the longest path in a figure: its curve, or a letter."""
    return max(len(re.findall(r"[ML] ", d)) for d in re.findall(r' d="([^"]*)"', path.read_text()))


def test_figures_show_points_inside_steps(tmp_path):
    m = vincolo.loads(WHEEL)
    m.run(stop=6, intervals=4).plot(tmp_path / "rows.svg", "a:b")
    m.run(stop=6, intervals=4, detail=True).plot(tmp_path / "detail.svg", "a:b")
    assert points(tmp_path / "detail.svg") > points(tmp_path / "rows.svg") + 20
