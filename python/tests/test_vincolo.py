"""Tests of the Python package: pytest python/tests (make test-python).

SPDX-License-Identifier: BSD-3-Clause
"""
import gc
import math
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import vincolo

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PENDULUM = os.path.join(ROOT, "examples", "pendulum", "model.mo")
DECAY = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;"
DRIVEN = """model Driven "two masses, one input"
  parameter Real a[2] = {1, 2};
  input Real u; output Real y = x[2];
  Real x[2](start = {1, 0}, each fixed = true);
equation
  der(x[1]) = -a[1]*x[1] + u; der(x[2]) = x[1] - a[2]*x[2];
end Driven;"""


@pytest.fixture(scope="module")
def decay():
    return vincolo.loads(DECAY)


def test_run_gives_arrays_without_a_copy(decay):
    r = decay.run(stop=2, k=0.5, tol=1e-9)
    assert r["x"][-1] == pytest.approx(math.exp(-1), abs=1e-8)  # exp(-k t)
    assert r.time[0] == 0 and r.time[-1] == 2 and len(r) == 501
    assert not r["x"].flags.owndata and not r["x"].flags.writeable
    assert r["x"].ctypes.data == r["x"].ctypes.data  # the same memory each time
    assert r["k"].tolist() == [0.5]
    assert "x" in r and "z" not in r and r.at("x", 1) == pytest.approx(math.exp(-0.5), abs=1e-5)


def test_arrays_outlive_result_and_model():
    x = vincolo.load(PENDULUM).run(stop=1)["x"]
    gc.collect()
    assert abs(x[0] - 1) < 1e-12 and np.isfinite(x).all()


def test_files_and_values(tmp_path):
    m = vincolo.load(PENDULUM, L=2)
    r = m.run(stop=1)
    assert r["x"][-1]**2 + r["y"][-1]**2 == pytest.approx(4, abs=1e-9)
    r.write(tmp_path / "p.csv")
    r.write(tmp_path / "p.mat", "x,y")
    again = vincolo.read(tmp_path / "p.csv")
    assert (again["x"] == r["x"]).all()
    assert set(vincolo.read(tmp_path / "p.mat").keys()) == {"time", "x", "y"}
    assert r.unit("x") == "m"


def test_options_of_a_run(decay):
    r = decay.run(times=[0, 0.5, 2], tol=1e-10)
    assert r.time.tolist() == [0, 0.5, 2]
    assert decay.run(stop=1, method="rk4", step=0.1)["x"][-1] == pytest.approx(math.exp(-1), abs=1e-6)
    assert decay.run({"k": 2, "x": 3}, stop=1)["x"][-1] == pytest.approx(3*math.exp(-2), abs=1e-5)
    assert decay.run(stop=1, vars="x*2").keys().count("x*2") == 1


def test_a_run_goes_on_from_a_file(decay, tmp_path):
    decay.run(stop=1, keep_end=True, tol=1e-9).write(tmp_path / "end.mat")
    r = decay.run(resume=tmp_path / "end.mat", stop=2, tol=1e-9)
    assert r.time[0] == 1 and r["x"][-1] == pytest.approx(math.exp(-2), abs=1e-8)


def test_arrays_of_parameters():
    m = vincolo.loads(DRIVEN)
    assert m.run({"a": [3, 4]}, stop=1)["x[1]"][-1] == pytest.approx(math.exp(-3), abs=1e-5)
    assert m.run(stop=1, a=np.array([3.0, 4.0]))["a[2]"][0] == 4
    with pytest.raises(vincolo.OptionError, match="2 elements"):
        m.run({"a": [1, 2, 3]})


def test_check():
    c = vincolo.load(PENDULUM).check()
    assert c["index"]["structural"] == 3 and c.dof == 1
    assert "hessenberg-3" in str(c) and "<pre" in c._repr_html_()
    with pytest.raises(AttributeError, match="indexx"):
        c.indexx


def test_linearize_as_scipy_takes_it():
    lin = vincolo.loads(DRIVEN).linearize()
    A, B, C, D = lin
    assert A.tolist() == [[-1, 0], [1, -2]] and B.tolist() == [[1], [0]]
    assert C.tolist() == [[0, 1]] and D.tolist() == [[0]]
    assert sorted(lin.eigenvalues.real) == [-2, -1]
    assert lin.inputs == ["u"] and lin.outputs == ["y"]
    with pytest.raises(ValueError, match="start, stop or equilibrium"):
        vincolo.loads(DRIVEN).linearize("end")


def test_sweep(decay):
    k = np.linspace(0.5, 2, 7)
    s = decay.sweep({"k": k}, "final(x); top = max(x)", stop=1, tol=1e-9)
    assert np.allclose(s["k"], k) and np.allclose(s["final(x)"], np.exp(-k), atol=1e-8)
    assert (s["top"] == 1).all() and len(s) == 7 and (s.status == 0).all()
    assert decay.sweep({"k": "~uniform(1,2)"}, "final(x)", samples=5, seed=3)["k"].min() >= 1
    with pytest.raises(KeyError, match="final"):
        s["fina(x)"]
    with pytest.raises(vincolo.OptionError):
        decay.sweep({"q": [1, 2]}, "final(x)")


def test_errors_have_places():
    with pytest.raises(vincolo.ModelError) as e:
        vincolo.loads("model A\n  Real x;\nequation\n  der(x) = -y;\nend A;", name="a.mo")
    d = e.value.diagnostics[0]
    assert (d.severity, d.code, d.file, d.line, d.column) == ("error", "M101", "a.mo", 4, 13)
    assert "a.mo:4:13" in str(e.value)
    with pytest.raises(vincolo.OptionError, match="did you mean 'k'"):
        vincolo.loads(DECAY).run(kk=1)
    with pytest.raises(vincolo.OptionError, match="no file"):
        vincolo.load("nowhere.mo")
    with pytest.raises(KeyError, match="did you mean 'x'"):
        vincolo.loads(DECAY).run()["xx"]
    with pytest.raises(vincolo.OptionError, match="'bfd'"):
        vincolo.loads(DECAY).run(method="bfd")
    with pytest.raises(vincolo.RunError) as e:
        vincolo.loads('model A Real x(start = 1); equation der(x) = 1; assert(x < 2, "too far"); end A;').run(stop=5)
    assert any("too far" in d.text for d in e.value.diagnostics)
    with pytest.raises(TypeError):
        vincolo.loads(DECAY).run(k="two")
    with pytest.raises(vincolo.LimitError):
        vincolo.loads(DECAY).run(stop=1, step=1e-9, method="euler", max_time=0.05)


def test_a_failed_run_leaves_the_model_usable(decay):
    for _ in range(3):
        with pytest.raises(vincolo.Error):
            decay.run(stop=-1)
        assert decay.run(stop=1)["x"][-1] < 0.4


def test_progress_stops_a_run(decay):
    seen = []
    r = decay.run(stop=1, step=1e-8, method="euler", vars="x",
                  progress=lambda part, t, steps: seen.append(part) or len(seen) == 2)
    assert len(seen) == 2 and 0 < r.time[-1] < 1
    with pytest.raises(ZeroDivisionError):
        decay.run(stop=1, step=1e-8, method="euler", vars="x", progress=lambda *a: 1/0)


def test_interrupted_by_ctrl_c():
    program = f"""
import vincolo, os, signal, threading, time
m = vincolo.loads({DECAY!r})
threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    m.run(stop=1, step=1e-9, method="euler", vars="x", intervals=10)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", m.run(stop=1)["x"][-1] < 0.4)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "interrupted True", done.stderr


def test_interrupted_from_another_thread(decay):
    m = vincolo.loads(DECAY)
    threading.Timer(0.2, m.interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        m.run(stop=1, step=1e-9, method="euler", vars="x", intervals=10)
    assert m.run(stop=1)["x"][-1] < 0.4


def test_threads_run_at_the_same_time(decay):
    wrong, ticks = [], []

    def work(k):
        for _ in range(50):
            x = decay.run(stop=1, k=k, tol=1e-9)["x"][-1]
            if abs(x - math.exp(-k)) > 1e-8:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    done = threading.Event()

    def count():  # goes on while a run is under way: the interpreter is free
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.005)

    counter = threading.Thread(target=count)
    counter.start()
    decay.run(stop=1, step=3e-7, method="euler", vars="x", intervals=10)
    done.set()
    counter.join()
    assert len(ticks) >= 3


def memory():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1])


def test_loads_and_runs_do_not_grow():
    def rounds(n):
        for _ in range(n):
            vincolo.loads(DECAY).run(stop=1)["x"]
            with pytest.raises(vincolo.ModelError):
                vincolo.loads("model A Real x; end A")
    rounds(100)
    before = memory()
    rounds(500)
    assert memory() - before < 500  # pages of 4 kB: less than 4 kB a round


def test_shown_in_notebooks(decay):
    r = decay.run(stop=1)
    html = r._repr_html_()
    assert html.startswith("<svg") and "steps" in html
    assert r.plot(vars="x")._repr_html_().startswith("<svg")
    assert "<table>" in decay.sweep({"k": [1, 2]}, "final(x)")._repr_html_()
    assert "Decay" in decay._repr_html_()


def test_display_units():
    m = vincolo.loads('model A Real T(unit = "K", displayUnit = "degC") = 300 + time; '
                      'type E = enumeration(a, b); E e = if time > 0.5 then E.b else E.a; end A;')
    r = m.run(stop=1)
    values, unit = r.shown("T")
    assert unit == "degC" and values[0] == pytest.approx(26.85)
    assert r.literals("e") == ["a", "b"] and r["e"][-1] == 2


def test_modelica_cells():
    IPython = pytest.importorskip("IPython")
    shell = IPython.core.interactiveshell.InteractiveShell.instance()
    shell.run_line_magic("load_ext", "vincolo")
    shell.run_cell_magic("modelica", "m", DECAY)
    assert shell.user_ns["m"].run(stop=1)["x"][-1] < 0.4
    shell.run_cell_magic("modelica", "", DECAY)
    assert "Decay" in shell.user_ns
    shell.run_cell_magic("modelica", "wrong", "model A Real x; equation y = 1; end A;")
    assert "wrong" not in shell.user_ns


def test_versions_agree():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as f:
        assert f"VERSION {vincolo.__version__} " in f.read()
