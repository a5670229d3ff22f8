"""What a user of the package holds: models, results, reports.

numpy is imported when the first array is asked for, so that importing the package costs little.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
from collections import namedtuple
from collections.abc import Mapping

from . import _core

Diagnostic = namedtuple("Diagnostic", "severity code file line column text")
Diagnostic.__doc__ = "A message: severity 'note', 'warning' or 'error', a stable code, the place (file may be None), the text."
Variable = namedtuple("Variable", "name unit comment type variability")


def _diagnostics(self):
    """Every message with its place, the first error among them."""
    return [Diagnostic(*d) for d in getattr(self, "_diagnostics", ())]


_core.Error.diagnostics = property(_diagnostics)


def _array(column):
    import numpy
    return numpy.asarray(column)


def _paths(path):
    """Folders in which classes are looked for: those given, MODELICAPATH, the library that comes along."""
    given = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    environment = [p for p in os.environ.get("MODELICAPATH", "").split(os.pathsep) if p]
    here = os.path.dirname(os.path.abspath(__file__))
    return [os.fspath(p) for p in given] + environment + [os.path.join(here, "lib")]


def _modelica(value):
    """A Python value as Modelica text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if hasattr(value, "__iter__"):
        return "{" + ", ".join(_modelica(v) for v in value) + "}"
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


def load(source, class_name=None, values=None, *, path=(), allow_external=False, **more):
    """Load a model: a file ending in .mo, a package folder, or a class name that is looked up in path,
    MODELICAPATH and the library that comes along.

    values and further words are parameters (structural ones, too) and start values, as by -p on the command
    line; a str is Modelica text. Raises ModelError, with the places of what is wrong."""
    settings = [(k, _modelica(v)) for k, v in {**(values or {}), **more}.items()]
    return Model(_core.load(source, class_name, _paths(path), settings, allow_external, None))


def loads(text, class_name=None, *, path=(), name="text.mo", allow_external=False):
    """Load a model from a text."""
    return Model(_core.load(name, class_name, _paths(path), [], allow_external, text))


def read(path):
    """Read a result, .csv or .mat."""
    return Result(_core.read(path), None)


class Report(Mapping):
    """What an analysis found: a mapping, with its keys as attributes and its text by str()."""

    def __init__(self, data, text):
        self._data, self._text = data, text

    def __getitem__(self, key):
        return self._data[key]

    def __iter__(self):
        return iter(self._data)

    def __len__(self):
        return len(self._data)

    def __getattr__(self, key):
        try:
            return self.__dict__["_data"][key]
        except KeyError:
            raise AttributeError(f"the report has no '{key}'; it has {', '.join(self.__dict__.get('_data', ()))}") from None

    def __str__(self):
        return self._text

    __repr__ = __str__

    def _repr_html_(self):
        return _pre(self._text)


class Linear(Report):
    """x' = A x + B u, y = C x + D u as numpy arrays; tuple(linear) is (A, B, C, D), as scipy.signal and
    python-control take it: scipy.signal.StateSpace(*linear), control.ss(*linear)."""

    def __init__(self, data, text):
        super().__init__(data, text)
        import numpy
        n, m, k = len(data["states"]), len(data["inputs"]), len(data["outputs"])
        for key, shape in (("A", (n, n)), ("B", (n, m)), ("C", (k, n)), ("D", (k, m))):
            setattr(self, key, numpy.array(data[key], float).reshape(shape))
        self.eigenvalues = numpy.array([complex(*x["eigenvalue"]) for x in data["modes"]])

    def __iter__(self):
        return iter((self.A, self.B, self.C, self.D))

    def keys(self):
        return self._data.keys()


class Model:
    """A model that was loaded. Runs of it may be made in several threads at a time."""

    def __init__(self, core):
        self._core = core

    @property
    def name(self):
        return self._core.name()

    @property
    def flat(self):
        """The flat model, as Modelica."""
        return self._core.flat()

    @property
    def variables(self):
        """All variables: name, unit, comment, type, variability."""
        return [Variable(*v) for v in self._core.variables()]

    @property
    def messages(self):
        return self._core.messages()

    def run(self, values=None, /, **words):
        """Simulate. Words are options of a run,

            start, stop, tol, abs_tol, method, formulation, linear, step, intervals, times, max_steps, max_time,
            input, vars, verify, as_given, equilibrium, keep_end, resume, progress,

        and all others parameters and start values, numbers or sequences of them: run(stop=10, L=2). Names with
        dots, and such that are options, go into the dict: run({"arm.m": 2}, stop=10).

        progress(part, t, steps) is called some times a second; what is true stops the run, which keeps its rows.
        Raises RunError where the run does not reach its end, OptionError where it is not as it should be."""
        return Result(self._core.run(values, **words) if values else self._core.run(**words), self)

    def check(self):
        """What the system is: index, constraints, freedom, states."""
        return Report(json.loads(self._core.report("check")), self._core.report("check", text=True))

    def linearize(self, at="start", outputs=None, **words):
        """A, B, C, D at the start, the end of a run ("stop") or the point of rest ("equilibrium")."""
        points = {"start": 0, "stop": 1, "equilibrium": 2}
        if at not in points:
            raise ValueError(f"at is start, stop or equilibrium, not {at!r}")
        words.update(point=points[at], outputs=outputs)
        return Linear(json.loads(self._core.report("linear", **words)), self._core.report("linear", text=True, **words))

    def sweep(self, vary, collect, **words):
        """Many runs in all processors: vary is a dict of names with sequences of numbers, or texts as on the
        command line ("0.5:2:0.01", "~normal(9.81,0.1)"), collect what is kept of each run: "max(x); final(E)".

        Options of a run, and samples, seed, design, jobs, device, indices."""
        axes = []
        for name, values in vary.items():
            if isinstance(values, str):
                axes.append(name + values if values.startswith("~") else f"{name}={values}")
            else:
                axes.append(f"{name}=" + ",".join(repr(float(v)) for v in values))
        rows, told = self._core.sweep(axes, collect, len(axes), **words)
        return Sweep(rows, json.loads(told), list(vary))

    def interrupt(self):
        """From another thread: what is under way with this model ends soon."""
        self._core.interrupt()

    def __repr__(self):
        return f"<vincolo.Model {self.name}>"

    def _repr_html_(self):
        return _pre(str(self.check()))


class Sweep:
    """What a sweep gave: one array per parameter and per collected value, by name, a run in each row."""

    def __init__(self, rows, told, parameters):
        self.rows = _array(rows)
        self.report = told
        self.parameters = parameters
        self.values = [v["name"] for v in told["values"]]
        self._names = {n: i for i, n in enumerate(self.parameters + self.values)}
        self.status = self.rows[:, -1].astype(int)

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(_unknown(name, list(self._names)))
        return self.rows[:, self._names[name]]

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self._names)

    def keys(self):
        return self._names.keys()

    def __repr__(self):
        return f"<vincolo.Sweep of {len(self)} runs: {', '.join(self._names)}>"

    def _repr_html_(self):
        head = "".join(f"<th>{_escaped(n)}</th>" for n in self._names)
        body = "".join("<tr>" + "".join(f"<td>{x:.6g}</td>" for x in row[:-1]) + "</tr>" for row in self.rows[:20])
        more = f"<p>{len(self) - 20} more runs</p>" if len(self) > 20 else ""
        return f"<table><tr>{head}</tr>{body}</table>{more}"


class Result:
    """Trajectories: result["x"] is a read-only numpy array that shares their memory, and keeps it."""

    def __init__(self, core, model):
        self._core, self.model = core, model

    def __getitem__(self, name):
        try:
            return _array(self._core.column(name))
        except KeyError:
            raise KeyError(_unknown(name, self._core.names())) from None

    def __contains__(self, name):
        return name in self._core.names()

    def __iter__(self):
        return iter(self._core.names())

    def __len__(self):
        return len(self.time)

    def keys(self):
        return self._core.names()

    @property
    def time(self):
        return _array(self._core.column(0))

    def at(self, name, t):
        """The value at a time: linear between rows, the one after an event."""
        try:
            return self._core.at(name, t)
        except KeyError:
            raise KeyError(_unknown(name, self._core.names())) from None

    def unit(self, name):
        return self._core.about(name)[1]

    def comment(self, name):
        return self._core.about(name)[2]

    def shown(self, name):
        """The values in the display unit, and that unit."""
        about = self._core.about(name)
        return self[name] * about[5] + about[6], about[4]

    def literals(self, name):
        """Names of the values 1, 2, ... of an enumeration."""
        return self._core.about(name)[7]

    @property
    def report(self):
        """What the run did: steps, events, constraints, energy, time."""
        text = self._core.report(True)
        return Report(json.loads(text) if text else {}, self._core.report(False))

    @property
    def messages(self):
        """Warnings of the run, as text."""
        return self._core.messages()

    @property
    def diagnostics(self):
        return [Diagnostic(*d) for d in self._core.diagnostics()]

    def write(self, path, vars=None):
        """Write a .csv or .mat file."""
        self._core.write(path, vars)

    def plot(self, path=None, vars=None, **look):
        """A figure, .svg, .png or .pdf, or a report, .html. Without a path one for notebooks.

        look: title, dark, log_x, log_y, width."""
        if path is not None:
            return self._core.plot(path, vars, **look) or None
        return _Figure(self._svg(vars, **look))

    def _svg(self, vars=None, **look):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "figure.svg")
            self._core.plot(file, vars, **look)
            with open(file, encoding="utf-8") as f:
                text = f.read()
        return text[text.index("<svg"):]

    def __repr__(self):
        return f"<vincolo.Result of {len(self)} rows, {len(self.keys()) - 1} variables, t = {self.time[0]:g} ... {self.time[-1]:g}>"

    def _repr_html_(self):
        text = self._core.report(False)
        return _unique(self._svg()) + (_pre(text + self.messages) if text else "")


class _Figure:
    def __init__(self, svg):
        self.svg = svg

    def _repr_html_(self):
        return _unique(self.svg)


_figures = [0]


def _unique(svg):
    """Names in an SVG are global in a page that holds several."""
    _figures[0] += 1
    for mark in ("glyph", "clip", "surface", "image", "mask", "source"):
        svg = svg.replace(f'id="{mark}', f'id="v{_figures[0]}{mark}').replace(f"#{mark}", f"#v{_figures[0]}{mark}")
    return svg


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _pre(text):
    return f'<pre style="line-height:1.25">{_escaped(text)}</pre>'


def _unknown(name, names):
    import difflib
    near = difflib.get_close_matches(str(name), names, 1)
    return f"there is no variable '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
