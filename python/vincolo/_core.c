/* The Python extension: handles of the C interface as objects, columns as buffers.
 *
 * Only the limited interface of Python 3.11 is used, so that one file serves all later versions, and no
 * header of numpy: a Column has the buffer protocol, of which numpy makes an array without a copy. An
 * object keeps what it was made from: Column its Run, Run its Model.
 *
 * Long calls release the interpreter. Ctrl-C interrupts the contexts that work at the time, and is then
 * handed to the handler that Python has installed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "vincolo.h"
#include "vincolo_sweep.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- state of the module --------------------------------------------------------------------- */

static PyObject *error_base, *error_model, *error_option, *error_run, *error_limit;
static PyObject *model_type, *run_type, *column_type;

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

enum { WORKING_MOST = 64 };
static _Atomic(vinc_ctx *) working[WORKING_MOST]; // contexts in which a call is under way
static int n_working;                             // changed while the interpreter is held
static struct sigaction handler_before;

static void interrupt_working(int number)
{
    for (int i = 0; i < WORKING_MOST; i++) {
        vinc_ctx *ctx = atomic_load(&working[i]);
        if (ctx) vinc_ctx_interrupt(ctx);
    }
    if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN)
        handler_before.sa_handler(number);
}

typedef struct call {
    PyThreadState *thread;
    int place;
} call;

static call call_begin(vinc_ctx *ctx)
{
    call c = {.place = -1};
    if (n_working++ == 0) {
        struct sigaction now = {.sa_handler = interrupt_working};
        sigemptyset(&now.sa_mask);
        sigaction(SIGINT, NULL, &handler_before);
        int ours = handler_before.sa_handler == SIG_IGN || handler_before.sa_handler == SIG_DFL;
        if (!ours && !(handler_before.sa_flags & SA_SIGINFO)) sigaction(SIGINT, &now, NULL);
    }
    for (int i = 0; i < WORKING_MOST && c.place < 0; i++) {
        vinc_ctx *none = NULL;
        if (atomic_compare_exchange_strong(&working[i], &none, ctx)) c.place = i;
    }
    c.thread = PyEval_SaveThread();
    return c;
}

/* -1 where Python has an exception for what was interrupted. */
static int call_end(call c)
{
    PyEval_RestoreThread(c.thread);
    if (c.place >= 0) atomic_store(&working[c.place], NULL);
    if (--n_working == 0) sigaction(SIGINT, &handler_before, NULL);
    return PyErr_CheckSignals();
}

/* ---- objects --------------------------------------------------------------------------------- */

typedef struct model_object {
    PyObject_HEAD
    vinc_ctx *ctx;
    vinc_model *model;
    int calls; // under way
} model_object;

typedef struct run_object {
    PyObject_HEAD
    PyObject *model; // a Model; NULL: of a file
    vinc_ctx *ctx;   // of a file, owned
    vinc_sim *sim;
    vinc_result *result;
} run_object;

typedef struct column_object {
    PyObject_HEAD
    PyObject *of; // a Run; NULL: the numbers are its own
    const double *values;
    double *own;
    Py_ssize_t shape[2], strides[2];
    int dimensions;
} column_object;

/* ---- failures -------------------------------------------------------------------------------- */

static PyObject *diagnostic_tuple(vinc_diagnostic d)
{
    static const char *const severities[] = {"note", "warning", "error"};
    return Py_BuildValue("(sszkks)", severities[d.severity], d.code ? d.code : "", d.file,
                         (unsigned long)d.line, (unsigned long)d.column, d.text ? d.text : "");
}

static PyObject *diagnostics_of(vinc_ctx *ctx, const vinc_sim *sim)
{
    PyObject *list = PyList_New(0);
    int n = sim ? vinc_sim_n_diagnostics(sim) : vinc_ctx_n_diagnostics(ctx);
    for (int i = 0; list && i < n; i++) {
        PyObject *one =
            diagnostic_tuple(sim ? vinc_sim_diagnostic(sim, i) : vinc_ctx_diagnostic(ctx, i));
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* What a status means, as an exception; NULL, for callers to return. */
static PyObject *fail(vinc_ctx *ctx, const vinc_sim *sim, int status)
{
    if (PyErr_Occurred()) return NULL;
    if (status == VINC_STOPPED || status == VINC_E_INTERRUPTED) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return NULL;
    }
    if (status == VINC_E_MEMORY && !vinc_ctx_n_diagnostics(ctx)) return PyErr_NoMemory();
    PyObject *kind = status == VINC_E_MODEL    ? error_model
                     : status == VINC_E_OPTION ? error_option
                     : status == VINC_E_LIMIT  ? error_limit
                                               : error_run;
    const char *words = sim ? vinc_sim_messages((vinc_sim *)sim) : vinc_ctx_messages(ctx);
    PyObject *text = PyUnicode_DecodeUTF8(words, (Py_ssize_t)strlen(words), "replace");
    PyObject *list = diagnostics_of(ctx, sim);
    PyObject *e = text && list ? PyObject_CallFunctionObjArgs(kind, text, NULL) : NULL;
    PyObject *number = PyLong_FromLong(status);
    if (e && number && !PyObject_SetAttrString(e, "_diagnostics", list) &&
        !PyObject_SetAttrString(e, "status", number))
        PyErr_SetObject(kind, e);
    Py_XDECREF(number);
    Py_XDECREF(e);
    Py_XDECREF(list);
    Py_XDECREF(text);
    vinc_ctx_clear(ctx);
    return NULL;
}

static PyObject *words_of(const char *s)
{
    return PyUnicode_DecodeUTF8(s ? s : "", s ? (Py_ssize_t)strlen(s) : 0, "replace");
}

/* ---- texts of Python, held while a call uses them -------------------------------------------- */

enum { TEXTS_MOST = 300 };
typedef struct texts {
    PyObject *held[TEXTS_MOST];
    int n;
} texts;

static void texts_done(texts *t)
{
    while (t->n) Py_DECREF(t->held[--t->n]);
}

static const char *text_of(texts *t, PyObject *o) // NULL, with an exception, where it is none
{
    if (t->n == TEXTS_MOST) return PyErr_SetString(PyExc_ValueError, "too many values"), NULL;
    PyObject *bytes = NULL;
    if (PyUnicode_Check(o)) bytes = PyUnicode_AsUTF8String(o);
    else if (!PyUnicode_FSConverter(o, &bytes)) bytes = NULL; // paths
    if (!bytes) return NULL;
    t->held[t->n++] = bytes;
    return PyBytes_AsString(bytes);
}

/* ---- options of a run ------------------------------------------------------------------------ */

typedef struct run_options {
    vinc_sim_options o;
    PyObject *progress; // borrowed
    double *times;
    struct timespec told;
    int stopped; // by an exception in progress
} run_options;

typedef enum option_kind { OF_NUMBER, OF_INT, OF_FLAG, OF_TEXT, OF_LONG } option_kind;

static const struct {
    const char *name;
    option_kind kind;
    size_t place, has;
} run_table[] = {
#define AT(f) offsetof(vinc_sim_options, f)
    {"start", OF_NUMBER, AT(t_start), AT(has_start)},
    {"stop", OF_NUMBER, AT(t_stop), AT(has_stop)},
    {"tol", OF_NUMBER, AT(rel_tol), 0},
    {"abs_tol", OF_NUMBER, AT(abs_tol), 0},
    {"step", OF_NUMBER, AT(step), 0},
    {"max_time", OF_NUMBER, AT(max_time), 0},
    {"intervals", OF_INT, AT(intervals), 0},
    {"max_steps", OF_LONG, AT(max_steps), 0},
    {"method", OF_TEXT, AT(method), 0},
    {"formulation", OF_TEXT, AT(formulation), 0},
    {"linear", OF_TEXT, AT(linear), 0},
    {"input", OF_TEXT, AT(input_csv), 0},
    {"vars", OF_TEXT, AT(vars), 0},
    {"resume", OF_TEXT, AT(from), 0},
    {"verify", OF_FLAG, AT(verify), 0},
    {"as_given", OF_FLAG, AT(init_as_given), 0},
    {"equilibrium", OF_FLAG, AT(equilibrium), 0},
    {"keep_end", OF_FLAG, AT(keep_end), 0},
    {"chart", OF_FLAG, AT(chart), 0},
#undef AT
};

/* Numbers of anything that can be walked. */
static double *numbers_of(PyObject *o, int *n)
{
    PyObject *list = PySequence_List(o);
    if (!list) return NULL;
    Py_ssize_t size = PyList_Size(list);
    double *x = malloc(((size_t)size + 1) * sizeof *x);
    if (!x) PyErr_NoMemory();
    for (Py_ssize_t i = 0; x && i < size; i++) {
        x[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
        if (x[i] == -1 && PyErr_Occurred()) free(x), x = NULL;
    }
    *n = (int)size;
    Py_DECREF(list);
    return x;
}

/* 1: it was an option; 0: it is none; -1: it is a wrong one. */
static int take_option(run_options *r, texts *t, const char *name, PyObject *value)
{
    char *base = (char *)&r->o;
    if (!strcmp(name, "times")) {
        if (value == Py_None) return 1;
        free(r->times);
        r->times = numbers_of(value, &r->o.n_times);
        r->o.times = r->times;
        return r->times ? 1 : -1;
    }
    if (!strcmp(name, "progress")) return r->progress = value == Py_None ? NULL : value, 1;
    for (size_t i = 0; i < sizeof run_table / sizeof *run_table; i++) {
        if (strcmp(name, run_table[i].name)) continue;
        if (value == Py_None) return 1;
        void *at = base + run_table[i].place;
        switch (run_table[i].kind) {
        case OF_NUMBER: *(double *)at = PyFloat_AsDouble(value); break;
        case OF_INT: *(int *)at = (int)PyLong_AsLong(value); break;
        case OF_LONG: *(long *)at = PyLong_AsLong(value); break;
        case OF_FLAG: *(int *)at = PyObject_IsTrue(value); break;
        case OF_TEXT: *(const char **)at = text_of(t, value); break;
        }
        if (PyErr_Occurred()) return -1;
        if (run_table[i].has) *(int *)(base + run_table[i].has) = 1;
        return 1;
    }
    return 0;
}

static int tell_progress(void *user, const vinc_progress *p)
{
    run_options *r = user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double gone = (double)(now.tv_sec - r->told.tv_sec) + 1e-9 * (double)(now.tv_nsec - r->told.tv_nsec);
    if (gone < 0.1) return 0;
    r->told = now;
    PyGILState_STATE held = PyGILState_Ensure();
    double part = p->t_stop > p->t_start ? (p->t - p->t_start) / (p->t_stop - p->t_start) : 1;
    PyObject *said = PyObject_CallFunction(r->progress, "ddl", part, p->t, p->steps);
    r->stopped = !said || PyObject_IsTrue(said) == 1;
    Py_XDECREF(said);
    PyGILState_Release(held);
    return r->stopped;
}

/* ---- columns --------------------------------------------------------------------------------- */

static void column_dealloc(column_object *c)
{
    PyTypeObject *type = Py_TYPE(c);
    Py_XDECREF(c->of);
    free(c->own);
    PyObject_Free(c);
    Py_DECREF(type);
}

static int column_buffer(column_object *c, Py_buffer *view, int flags)
{
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "results are read only");
        view->obj = NULL;
        return -1;
    }
    Py_ssize_t n = c->shape[0] * (c->dimensions > 1 ? c->shape[1] : 1);
    *view = (Py_buffer){.buf = (void *)c->values,
                        .obj = (PyObject *)c,
                        .len = n * (Py_ssize_t)sizeof(double),
                        .itemsize = sizeof(double),
                        .readonly = 1,
                        .ndim = c->dimensions,
                        .format = "d",
                        .shape = c->shape,
                        .strides = c->strides};
    Py_INCREF(c);
    return 0;
}

static PyObject *column_new(PyObject *of, const double *values, double *own, Py_ssize_t rows,
                            Py_ssize_t columns)
{
    column_object *c = PyObject_New(column_object, (PyTypeObject *)column_type);
    if (!c) return free(own), NULL;
    Py_XINCREF(of);
    c->of = of;
    c->values = values;
    c->own = own;
    c->dimensions = columns < 0 ? 1 : 2;
    c->shape[0] = rows;
    c->shape[1] = columns;
    c->strides[0] = (Py_ssize_t)sizeof(double) * (columns < 0 ? 1 : columns);
    c->strides[1] = sizeof(double);
    return (PyObject *)c;
}

static PyType_Slot column_slots[] = {
    {Py_tp_dealloc, column_dealloc}, {Py_bf_getbuffer, column_buffer},
    {Py_tp_doc, "Numbers of a result; numpy.asarray makes an array of them without a copy."}, {0, NULL}};
static PyType_Spec column_spec = {"vincolo._core.Column", sizeof(column_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, column_slots};

/* ---- runs ------------------------------------------------------------------------------------ */

static vinc_ctx *run_ctx(run_object *r)
{
    return r->model ? ((model_object *)r->model)->ctx : r->ctx;
}

static void run_dealloc(run_object *r)
{
    PyTypeObject *type = Py_TYPE(r);
    if (r->sim) vinc_sim_free(r->sim);
    else vinc_result_free(r->result);
    vinc_ctx_free(r->ctx);
    Py_XDECREF(r->model);
    PyObject_Free(r);
    Py_DECREF(type);
}

static PyObject *run_column(run_object *r, PyObject *key)
{
    vinc_column c;
    long i;
    if (PyLong_Check(key)) {
        i = PyLong_AsLong(key);
    } else {
        texts t = {.n = 0};
        const char *name = text_of(&t, key);
        i = name ? vinc_result_find(r->result, name) : -1;
        texts_done(&t);
        if (!name) return NULL;
        if (i < 0) return PyErr_SetObject(PyExc_KeyError, key), NULL;
    }
    if (PyErr_Occurred()) return NULL;
    int rc = vinc_result_column(r->result, (int)i, &c);
    if (rc) return fail(run_ctx(r), NULL, rc);
    return column_new((PyObject *)r, c.values, NULL, (Py_ssize_t)c.n, -1);
}

static PyObject *run_names(run_object *r, PyObject *none)
{
    (void)none;
    int n = vinc_result_n_columns(r->result);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        vinc_column c;
        PyObject *name = vinc_result_column(r->result, i, &c) ? NULL : words_of(c.name);
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *run_about(run_object *r, PyObject *key) // (name, unit, comment, type, display, scale, offset, literals)
{
    static const char *const types[] = {"Real", "Integer", "Boolean"};
    texts t = {.n = 0};
    const char *name = text_of(&t, key);
    int i = name ? vinc_result_find(r->result, name) : -1;
    texts_done(&t);
    if (!name) return NULL;
    if (i < 0) return PyErr_SetObject(PyExc_KeyError, key), NULL;
    vinc_column c;
    int rc = vinc_result_column(r->result, i, &c);
    if (rc) return fail(run_ctx(r), NULL, rc);
    PyObject *literals = PyList_New(0);
    for (int k = 0; literals && k < c.n_literals; k++) {
        PyObject *one = words_of(c.literals[k]);
        if (!one || PyList_Append(literals, one)) Py_CLEAR(literals);
        Py_XDECREF(one);
    }
    return literals ? Py_BuildValue("(sssssddN)", c.name, c.unit, c.comment, types[c.type],
                                    c.display_unit, c.scale, c.offset, literals)
                    : NULL;
}

static PyObject *run_at(run_object *r, PyObject *args)
{
    const char *name;
    double t;
    if (!PyArg_ParseTuple(args, "sd", &name, &t)) return NULL;
    if (vinc_result_find(r->result, name) < 0) {
        PyErr_Format(PyExc_KeyError, "%s", name);
        return NULL;
    }
    return PyFloat_FromDouble(vinc_result_at(r->result, name, t));
}

static PyObject *run_report(run_object *r, PyObject *args)
{
    int json = 0;
    if (!PyArg_ParseTuple(args, "|p", &json)) return NULL;
    return words_of(r->sim ? vinc_sim_report(r->sim, json ? VINC_JSON : VINC_TEXT) : "");
}

static PyObject *run_messages(run_object *r, PyObject *none)
{
    (void)none;
    return words_of(r->sim ? vinc_sim_messages(r->sim) : "");
}

static PyObject *run_diagnostics(run_object *r, PyObject *none)
{
    (void)none;
    return r->sim ? diagnostics_of(run_ctx(r), r->sim) : PyList_New(0);
}

static PyObject *run_write(run_object *r, PyObject *args)
{
    PyObject *path, *vars = Py_None;
    texts t = {.n = 0};
    if (!PyArg_ParseTuple(args, "O|O", &path, &vars)) return NULL;
    const char *file = text_of(&t, path), *select = vars != Py_None && file ? text_of(&t, vars) : NULL;
    if (PyErr_Occurred()) return texts_done(&t), NULL;
    call c = call_begin(run_ctx(r));
    int rc = vinc_result_write(r->result, file, select), stopped = call_end(c);
    texts_done(&t);
    if (rc || stopped) return fail(run_ctx(r), NULL, rc);
    Py_RETURN_NONE;
}

static PyObject *run_plot(run_object *r, PyObject *args, PyObject *words)
{
    static char *names[] = {"path", "vars", "title", "dark", "log_x", "log_y", "width", NULL};
    PyObject *path, *vars = Py_None, *title = Py_None;
    vinc_plot_options o = {0};
    texts t = {.n = 0};
    if (!PyArg_ParseTupleAndKeywords(args, words, "O|OOpppd", names, &path, &vars, &title, &o.dark,
                                     &o.log_x, &o.log_y, &o.width))
        return NULL;
    const char *file = text_of(&t, path), *chart = "";
    if (file && vars != Py_None) o.vars = text_of(&t, vars);
    if (file && title != Py_None) o.title = text_of(&t, title);
    if (PyErr_Occurred()) return texts_done(&t), NULL;
    call c = call_begin(run_ctx(r));
    int rc = vinc_result_plot(r->result, file, &o, &chart), stopped = call_end(c);
    PyObject *out = rc || stopped ? fail(run_ctx(r), NULL, rc) : words_of(chart);
    texts_done(&t);
    return out;
}

static PyMethodDef run_methods[] = {
    {"column", (PyCFunction)run_column, METH_O, NULL},
    {"names", (PyCFunction)run_names, METH_NOARGS, NULL},
    {"about", (PyCFunction)run_about, METH_O, NULL},
    {"at", (PyCFunction)run_at, METH_VARARGS, NULL},
    {"report", (PyCFunction)run_report, METH_VARARGS, NULL},
    {"messages", (PyCFunction)run_messages, METH_NOARGS, NULL},
    {"diagnostics", (PyCFunction)run_diagnostics, METH_NOARGS, NULL},
    {"write", (PyCFunction)run_write, METH_VARARGS, NULL},
    {"plot", (PyCFunction)(void (*)(void))run_plot, METH_VARARGS | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot run_slots[] = {{Py_tp_dealloc, run_dealloc}, {Py_tp_methods, run_methods}, {0, NULL}};
static PyType_Spec run_spec = {"vincolo._core.Run", sizeof(run_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, run_slots};

static run_object *run_new(PyObject *model, vinc_ctx *ctx, vinc_sim *sim, vinc_result *result)
{
    run_object *r = PyObject_New(run_object, (PyTypeObject *)run_type);
    if (!r) return NULL;
    Py_XINCREF(model);
    *r = (run_object){.ob_base = r->ob_base, .model = model, .ctx = ctx, .sim = sim, .result = result};
    return r;
}

/* ---- models ---------------------------------------------------------------------------------- */

static void model_dealloc(model_object *m)
{
    PyTypeObject *type = Py_TYPE(m);
    vinc_model_free(m->model);
    vinc_ctx_free(m->ctx);
    PyObject_Free(m);
    Py_DECREF(type);
}

/* After a call: what interrupted it is not to interrupt the next one. */
static void model_called(model_object *m, int rc)
{
    m->calls--;
    if (!m->calls && (rc == VINC_STOPPED || rc == VINC_E_INTERRUPTED || rc == VINC_E_LIMIT))
        vinc_ctx_limit(m->ctx, NULL);
}

/* A value of a parameter or a start value: a number, or numbers for an array. */
static int set_value(vinc_sim *sim, PyObject *key, PyObject *value)
{
    texts t = {.n = 0};
    const char *name = text_of(&t, key);
    int rc = VINC_E_OPTION;
    if (name && (PyFloat_Check(value) || PyLong_Check(value) || !PySequence_Check(value))) {
        double x = PyFloat_AsDouble(value);
        if (x != -1 || !PyErr_Occurred()) rc = vinc_sim_set(sim, name, x);
    } else if (name) {
        int n = 0;
        double *x = numbers_of(value, &n);
        if (x) rc = vinc_sim_set_array(sim, name, x, n);
        free(x);
    }
    texts_done(&t);
    return rc;
}

/* run({"body.m": 2}, stop=10, L=2): words that are no options are parameters and start values. */
static PyObject *model_run(model_object *m, PyObject *args, PyObject *words)
{
    PyObject *values = NULL, *key, *value, *out = NULL;
    run_options r = {.progress = NULL};
    texts t = {.n = 0};
    vinc_sim *sim = NULL;
    Py_ssize_t at = 0;
    uint64_t is_option[4] = {0}; // of the words
    if (!PyArg_ParseTuple(args, "|O!", &PyDict_Type, &values)) return NULL;
    for (int k = 0; words && PyDict_Next(words, &at, &key, &value); k++) {
        const char *name = text_of(&t, key);
        int taken = name ? take_option(&r, &t, name, value) : -1;
        if (taken < 0) goto done;
        if (k >= 256) {
            PyErr_SetString(PyExc_ValueError, "too many values; give them as one dict");
            goto done;
        }
        if (taken) is_option[k / 64] |= (uint64_t)1 << k % 64;
    }
    if (r.progress) {
        clock_gettime(CLOCK_MONOTONIC, &r.told);
        r.o.progress = tell_progress;
        r.o.user = &r;
    }
    r.o.only_vars = r.o.vars && !r.o.verify && !r.o.equilibrium;
    m->calls++;
    call c = call_begin(m->ctx);
    int rc = vinc_sim_new(m->model, &r.o, &sim);
    int stopped = call_end(c);
    at = 0;
    for (int k = 0; !rc && !stopped && words && PyDict_Next(words, &at, &key, &value); k++)
        if (!(is_option[k / 64] >> k % 64 & 1)) rc = set_value(sim, key, value);
    at = 0;
    while (!rc && !stopped && values && PyDict_Next(values, &at, &key, &value))
        rc = set_value(sim, key, value);
    if (!rc && !stopped) {
        c = call_begin(m->ctx);
        rc = vinc_sim_run(sim);
        stopped = call_end(c);
    }
    model_called(m, rc);
    if (stopped || PyErr_Occurred() || (rc && rc != VINC_TERMINATED && !(rc == VINC_STOPPED && r.stopped)))
        fail(m->ctx, rc < 0 ? sim : NULL, rc);
    else out = (PyObject *)run_new((PyObject *)m, NULL, sim, vinc_sim_result(sim));
    if (!out) vinc_sim_free(sim);
done:
    free(r.times);
    texts_done(&t);
    return out;
}

/* Reports as JSON, by name; words are options of a run, and `at`, `vars`. */
static PyObject *model_report(model_object *m, PyObject *args, PyObject *words)
{
    const char *kind;
    run_options r = {.progress = NULL};
    texts t = {.n = 0};
    PyObject *key, *value, *out = NULL;
    Py_ssize_t at = 0;
    int point = VINC_AT_START, text = 0, rc;
    const char *vars = NULL;
    void *told = NULL;
    if (!PyArg_ParseTuple(args, "s", &kind)) return NULL;
    while (words && PyDict_Next(words, &at, &key, &value)) {
        const char *name = text_of(&t, key);
        if (!name) goto done;
        if (!strcmp(name, "point")) point = (int)PyLong_AsLong(value);
        else if (!strcmp(name, "text")) text = PyObject_IsTrue(value);
        else if (!strcmp(name, "outputs")) vars = value == Py_None ? NULL : text_of(&t, value);
        else if (take_option(&r, &t, name, value) == 0)
            PyErr_Format(PyExc_TypeError, "'%s' is no option here", name);
        if (PyErr_Occurred()) goto done;
    }
    vinc_linear_options linear = {.run = &r.o, .at = (vinc_point)point, .vars = vars};
    m->calls++;
    call c = call_begin(m->ctx);
    if (!strcmp(kind, "check")) rc = vinc_check_of(m->model, (vinc_check **)&told);
    else rc = vinc_linear_of(m->model, &linear, (vinc_linear **)&told);
    const char *json = rc ? "" : vinc_report_text(told, text ? VINC_TEXT : VINC_JSON);
    int stopped = call_end(c);
    model_called(m, rc);
    out = rc || stopped ? fail(m->ctx, NULL, rc) : words_of(json);
    vinc_report_free(told);
done:
    free(r.times);
    texts_done(&t);
    return out;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

typedef struct rows {
    int n_parameters, n_values; // known with the first row
    double *at;
    size_t n, cap;
    int no_memory;
} rows;

typedef struct sweep_job {
    rows r;
    int n_parameters, n_values;
} sweep_job;

static int count_values(const char *collect)
{
    int n = 0, depth = 0, any = 0;
    for (const char *p = collect; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        any |= *p != ' ' && *p != ';' && *p != '\n';
        if (*p == ';' && !depth) n += any, any = 0;
    }
    return n + any;
}

static int keep_row(void *user, const vinc_sweep_row *row)
{
    rows *r = user;
    size_t width = (size_t)(r->n_parameters + r->n_values) + 1;
    if (r->n == r->cap) {
        size_t cap = r->cap ? 2 * r->cap : 256;
        double *more = realloc(r->at, cap * width * sizeof *more);
        if (!more) return r->no_memory = 1;
        r->at = more;
        r->cap = cap;
    }
    double *to = r->at + r->n++ * width;
    if (r->n_parameters) memcpy(to, row->parameters, (size_t)r->n_parameters * sizeof *to);
    if (r->n_values) memcpy(to + r->n_parameters, row->values, (size_t)r->n_values * sizeof *to);
    to[width - 1] = row->status;
    return 0;
}

/* sweep(vary, collect, n_parameters, **options): (rows, JSON). */
static PyObject *model_sweep(model_object *m, PyObject *args, PyObject *words)
{
    PyObject *vary, *key, *value, *out = NULL;
    const char *collect, *list[128];
    run_options r = {.progress = NULL};
    texts t = {.n = 0};
    vinc_sweep_options o = {.run = &r.o};
    vinc_sweep *told = NULL;
    rows kept = {0};
    Py_ssize_t at = 0;
    if (!PyArg_ParseTuple(args, "O!si", &PyList_Type, &vary, &collect, &kept.n_parameters)) return NULL;
    kept.n_values = count_values(collect);
    o.collect = collect;
    o.vary = list;
    o.n_vary = (int)PyList_Size(vary);
    if (o.n_vary > 128) return PyErr_SetString(PyExc_ValueError, "too many axes"), NULL;
    for (int i = 0; i < o.n_vary; i++)
        if (!(list[i] = text_of(&t, PyList_GetItem(vary, i)))) goto done;
    while (words && PyDict_Next(words, &at, &key, &value)) {
        const char *name = text_of(&t, key);
        if (!name) goto done;
        if (!strcmp(name, "samples")) o.samples = PyLong_AsLongLong(value);
        else if (!strcmp(name, "seed")) o.seed = PyLong_AsUnsignedLongLong(value);
        else if (!strcmp(name, "jobs")) o.jobs = (int)PyLong_AsLong(value);
        else if (!strcmp(name, "design")) o.design = value == Py_None ? NULL : text_of(&t, value);
        else if (!strcmp(name, "device")) o.device = value == Py_None ? NULL : text_of(&t, value);
        else if (!strcmp(name, "indices")) o.indices = PyObject_IsTrue(value);
        else if (take_option(&r, &t, name, value) == 0)
            PyErr_Format(PyExc_TypeError, "'%s' is no option of a sweep", name);
        if (PyErr_Occurred()) goto done;
    }
    o.row = keep_row;
    o.user = &kept;
    m->calls++;
    call c = call_begin(m->ctx);
    int rc = vinc_sweep_of(m->model, &o, &told);
    const char *json = rc ? "" : vinc_report_text(told, VINC_JSON);
    int stopped = call_end(c);
    model_called(m, rc);
    if (kept.no_memory) {
        PyErr_NoMemory();
    } else if (rc || stopped) {
        fail(m->ctx, NULL, rc);
    } else {
        PyObject *numbers = column_new(NULL, kept.at, kept.at, (Py_ssize_t)kept.n,
                                       kept.n_parameters + kept.n_values + 1);
        kept.at = NULL;
        out = numbers ? Py_BuildValue("(NN)", numbers, words_of(json)) : NULL;
    }
    vinc_report_free(told);
done:
    free(kept.at);
    free(r.times);
    texts_done(&t);
    return out;
}

static PyObject *model_name(model_object *m, PyObject *none)
{
    (void)none;
    return words_of(vinc_model_name(m->model));
}

static PyObject *model_flat(model_object *m, PyObject *none)
{
    (void)none;
    return words_of(vinc_model_flat(m->model));
}

static PyObject *model_messages(model_object *m, PyObject *none)
{
    (void)none;
    return words_of(vinc_ctx_messages(m->ctx));
}

static PyObject *model_interrupt(model_object *m, PyObject *none)
{
    (void)none;
    vinc_ctx_interrupt(m->ctx);
    Py_RETURN_NONE;
}

static PyObject *model_variables(model_object *m, PyObject *none)
{
    static const char *const types[] = {"Real", "Integer", "Boolean", "String", "enumeration", "Clock", "object"};
    static const char *const kinds[] = {"constant", "parameter", "discrete", "continuous"};
    (void)none;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < vinc_model_n_variables(m->model); i++) {
        vinc_variable v;
        PyObject *one = vinc_model_variable(m->model, i, &v)
                            ? NULL
                            : Py_BuildValue("(sssss)", v.name, v.unit, v.comment, types[v.type],
                                            kinds[v.variability]);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyMethodDef model_methods[] = {
    {"run", (PyCFunction)(void (*)(void))model_run, METH_VARARGS | METH_KEYWORDS, NULL},
    {"report", (PyCFunction)(void (*)(void))model_report, METH_VARARGS | METH_KEYWORDS, NULL},
    {"sweep", (PyCFunction)(void (*)(void))model_sweep, METH_VARARGS | METH_KEYWORDS, NULL},
    {"name", (PyCFunction)model_name, METH_NOARGS, NULL},
    {"flat", (PyCFunction)model_flat, METH_NOARGS, NULL},
    {"messages", (PyCFunction)model_messages, METH_NOARGS, NULL},
    {"interrupt", (PyCFunction)model_interrupt, METH_NOARGS, NULL},
    {"variables", (PyCFunction)model_variables, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot model_slots[] = {
    {Py_tp_dealloc, model_dealloc}, {Py_tp_methods, model_methods}, {0, NULL}};
static PyType_Spec model_spec = {"vincolo._core.Model", sizeof(model_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, model_slots};

/* ---- functions of the module ----------------------------------------------------------------- */

static vinc_ctx *context_with(PyObject *paths, texts *t)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    if (!ctx) return PyErr_NoMemory(), NULL;
    Py_ssize_t n = PyList_Size(paths);
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *dir = text_of(t, PyList_GetItem(paths, i));
        if (dir) vinc_ctx_add_path(ctx, dir);
    }
    if (!PyErr_Occurred()) return ctx;
    vinc_ctx_free(ctx);
    return NULL;
}

/* load(source, class or None, paths, [(name, value text)], external, text or None) */
static PyObject *core_load(PyObject *module, PyObject *args)
{
    PyObject *source, *class_name, *paths, *settings, *text;
    int external;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!O!pO", &source, &class_name, &PyList_Type, &paths, &PyList_Type,
                          &settings, &external, &text))
        return NULL;
    texts t = {.n = 0};
    vinc_setting set[100];
    int n = (int)PyList_Size(settings), rc = VINC_OK;
    vinc_ctx *ctx = NULL;
    vinc_model *model = NULL;
    PyObject *out = NULL;
    if (n > 100) {
        PyErr_SetString(PyExc_ValueError, "too many settings");
        return NULL;
    }
    const char *file = text_of(&t, source), *cls = NULL, *words = NULL;
    if (file && class_name != Py_None) cls = text_of(&t, class_name);
    if (file && text != Py_None) words = text_of(&t, text);
    for (int i = 0; i < n && !PyErr_Occurred(); i++) {
        PyObject *pair = PyList_GetItem(settings, i);
        const char *name = text_of(&t, PyTuple_GetItem(pair, 0));
        set[i] = (vinc_setting){name, name ? text_of(&t, PyTuple_GetItem(pair, 1)) : NULL};
    }
    if (!PyErr_Occurred()) ctx = context_with(paths, &t);
    if (ctx) {
        vinc_model_options o = {.settings = set, .n_settings = n, .allow_external = external};
        call c = call_begin(ctx);
        rc = words ? vinc_model_load_text(ctx, file, words, strlen(words), cls, &model)
                   : vinc_model_load_with(ctx, file, cls, &o, &model);
        int stopped = call_end(c);
        if (rc || stopped) {
            fail(ctx, NULL, rc);
        } else {
            model_object *m = PyObject_New(model_object, (PyTypeObject *)model_type);
            if (m) {
                m->ctx = ctx;
                m->model = model;
                m->calls = 0;
                out = (PyObject *)m;
            }
        }
        if (!out) {
            vinc_model_free(model);
            vinc_ctx_free(ctx);
        }
    }
    texts_done(&t);
    return out;
}

static PyObject *core_read(PyObject *module, PyObject *path)
{
    texts t = {.n = 0};
    vinc_result *result = NULL;
    (void)module;
    const char *file = text_of(&t, path);
    vinc_ctx *ctx = file ? vinc_ctx_new(NULL) : NULL;
    PyObject *out = NULL;
    if (ctx) {
        call c = call_begin(ctx);
        int rc = vinc_result_read(ctx, file, &result), stopped = call_end(c);
        if (rc || stopped) fail(ctx, NULL, rc);
        else out = (PyObject *)run_new(NULL, ctx, NULL, result);
        if (!out) {
            vinc_result_free(result);
            vinc_ctx_free(ctx);
        }
    } else if (file) {
        PyErr_NoMemory();
    }
    texts_done(&t);
    return out;
}

static PyMethodDef core_functions[] = {{"load", core_load, METH_VARARGS, NULL},
                                       {"read", core_read, METH_O, NULL},
                                       {NULL, NULL, 0, NULL}};
static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT, "vincolo._core", NULL, -1, core_functions, NULL, NULL, NULL, NULL};

static PyObject *new_error(PyObject *m, const char *name, const char *full, PyObject *base)
{
    PyObject *e = PyErr_NewException(full, base, NULL);
    if (!e || PyModule_AddObjectRef(m, name, e)) return NULL;
    return e;
}

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *m = PyModule_Create(&core_module);
    if (!m) return NULL;
    model_type = PyType_FromSpec(&model_spec);
    run_type = PyType_FromSpec(&run_spec);
    column_type = PyType_FromSpec(&column_spec);
    error_base = new_error(m, "Error", "vincolo.Error", PyExc_Exception);
    error_model = new_error(m, "ModelError", "vincolo.ModelError", error_base);
    error_option = new_error(m, "OptionError", "vincolo.OptionError", error_base);
    error_run = new_error(m, "RunError", "vincolo.RunError", error_base);
    error_limit = new_error(m, "LimitError", "vincolo.LimitError", error_base);
    if (!model_type || !run_type || !column_type || !error_limit ||
        PyModule_AddStringConstant(m, "version", vinc_version()) ||
        PyModule_AddObjectRef(m, "Run", run_type) || PyModule_AddObjectRef(m, "Column", column_type)) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
