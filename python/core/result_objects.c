/* Results: Run and Column.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

/* ---- columns --------------------------------------------------------------------------------- */

static void column_dealloc(column_object *c)
{
    PyTypeObject *type = Py_TYPE((PyObject *)c);
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
    Py_INCREF((PyObject *)c);
    return 0;
}

PyObject *core_column_new(PyObject *of, const double *values, double *own, Py_ssize_t rows,
                          Py_ssize_t columns)
{
    column_object *c = PyObject_New(column_object, (PyTypeObject *)core_column_type);
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
    {Py_tp_dealloc, column_dealloc},
    {Py_bf_getbuffer, column_buffer},
    {Py_tp_doc, "Numbers of a result; numpy.asarray makes an array of them without a copy."},
    {0, NULL}};
PyType_Spec core_column_spec = {"vincolo._core.Column", sizeof(column_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                column_slots};

/* ---- runs ------------------------------------------------------------------------------------ */

static vinc_ctx *run_ctx(run_object *r)
{
    return r->model ? ((model_object *)r->model)->ctx : r->ctx;
}

static void run_dealloc(run_object *r)
{
    PyTypeObject *type = Py_TYPE((PyObject *)r);
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
        const char *name = core_text(&t, key);
        i = name ? vinc_result_find(r->result, name) : -1;
        core_texts_done(&t);
        if (!name) return NULL;
        if (i < 0) return PyErr_SetObject(PyExc_KeyError, key), NULL;
    }
    if (PyErr_Occurred()) return NULL;
    int rc = vinc_result_column(r->result, (int)i, &c);
    if (rc) return core_fail(run_ctx(r), NULL, rc);
    return core_column_new((PyObject *)r, c.values, NULL, (Py_ssize_t)c.n, -1);
}

static PyObject *run_names(run_object *r, PyObject *none)
{
    (void)none;
    int n = vinc_result_n_columns(r->result);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        vinc_column c;
        PyObject *name = vinc_result_column(r->result, i, &c) ? NULL : core_words(c.name);
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *
run_about(run_object *r,
          PyObject *key) // (name, unit, comment, type, display, scale, offset, literals)
{
    static const char *const types[] = {"Real", "Integer", "Boolean"};
    texts t = {.n = 0};
    const char *name = core_text(&t, key);
    int i = name ? vinc_result_find(r->result, name) : -1;
    core_texts_done(&t);
    if (!name) return NULL;
    if (i < 0) return PyErr_SetObject(PyExc_KeyError, key), NULL;
    vinc_column c;
    int rc = vinc_result_column(r->result, i, &c);
    if (rc) return core_fail(run_ctx(r), NULL, rc);
    PyObject *literals = PyList_New(0);
    for (int k = 0; literals && k < c.n_literals; k++) {
        PyObject *one = core_words(c.literals[k]);
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
    return core_words(r->sim ? vinc_sim_report(r->sim, json ? VINC_JSON : VINC_TEXT) : "");
}

static PyObject *run_messages(run_object *r, PyObject *none)
{
    (void)none;
    return core_words(r->sim ? vinc_sim_messages(r->sim) : "");
}

static PyObject *run_diagnostics(run_object *r, PyObject *none)
{
    (void)none;
    return r->sim ? core_diagnostics(run_ctx(r), r->sim) : PyList_New(0);
}

static PyObject *run_write(run_object *r, PyObject *args)
{
    PyObject *path, *vars = Py_None;
    texts t = {.n = 0};
    if (!PyArg_ParseTuple(args, "O|O", &path, &vars)) return NULL;
    const char *file = core_text(&t, path),
               *select = vars != Py_None && file ? core_text(&t, vars) : NULL;
    if (PyErr_Occurred()) return core_texts_done(&t), NULL;
    call c = core_call_begin(run_ctx(r));
    int rc = vinc_result_write(r->result, file, select), stopped = core_call_end(c);
    core_texts_done(&t);
    if (rc || stopped) return core_fail(run_ctx(r), NULL, rc);
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
    const char *file = core_text(&t, path), *chart = "";
    if (file && vars != Py_None) o.vars = core_text(&t, vars);
    if (file && title != Py_None) o.title = core_text(&t, title);
    if (PyErr_Occurred()) return core_texts_done(&t), NULL;
    call c = core_call_begin(run_ctx(r));
    int rc = vinc_result_plot(r->result, file, &o, &chart), stopped = core_call_end(c);
    PyObject *out = rc || stopped ? core_fail(run_ctx(r), NULL, rc) : core_words(chart);
    core_texts_done(&t);
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
static PyType_Slot run_slots[] = {
    {Py_tp_dealloc, run_dealloc}, {Py_tp_methods, run_methods}, {0, NULL}};
PyType_Spec core_run_spec = {"vincolo._core.Run", sizeof(run_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, run_slots};

run_object *core_run_new(PyObject *model, vinc_ctx *ctx, vinc_sim *sim, vinc_result *result)
{
    run_object *r = PyObject_New(run_object, (PyTypeObject *)core_run_type);
    if (!r) return NULL;
    Py_XINCREF(model);
    *r = (run_object){
        .ob_base = r->ob_base, .model = model, .ctx = ctx, .sim = sim, .result = result};
    return r;
}
