/* Model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

static void model_dealloc(model_object *m)
{
    PyTypeObject *type = Py_TYPE((PyObject *)m);
    vinc_model_free(m->model);
    vinc_ctx_free(m->ctx);
    PyObject_Free(m);
    Py_DECREF(type);
}

/* After a call: what interrupted it is not to interrupt the next one. */
void core_model_called(model_object *m, int rc)
{
    m->calls--;
    if (!m->calls && (rc == VINC_STOPPED || rc == VINC_E_INTERRUPTED || rc == VINC_E_LIMIT))
        vinc_ctx_limit(m->ctx, NULL);
}

/* A value of a parameter or a start value: a number, or numbers for an array. */
static int set_value(vinc_sim *sim, PyObject *key, PyObject *value)
{
    texts t = {.n = 0};
    const char *name = core_text(&t, key);
    int rc = VINC_E_OPTION;
    if (name && (PyFloat_Check(value) || PyLong_Check(value) || !PySequence_Check(value))) {
        double x = PyFloat_AsDouble(value);
        if (x != -1 || !PyErr_Occurred()) rc = vinc_sim_set(sim, name, x);
    } else if (name) {
        int n = 0;
        double *x = core_numbers(value, &n);
        if (x) rc = vinc_sim_set_array(sim, name, x, n);
        free(x);
    }
    core_texts_done(&t);
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
        const char *name = core_text(&t, key);
        int taken = name ? core_take_option(&r, &t, name, value) : -1;
        if (taken < 0) goto done;
        if (k >= 256) {
            PyErr_SetString(PyExc_ValueError, "too many values; give them as one dict");
            goto done;
        }
        if (taken) is_option[k / 64] |= (uint64_t)1 << k % 64;
    }
    if (r.progress) {
        clock_gettime(CLOCK_MONOTONIC, &r.told);
        r.o.progress = core_tell_progress;
        r.o.user = &r;
    }
    r.o.only_vars = r.o.vars && !r.o.verify && !r.o.equilibrium;
    m->calls++;
    call c = core_call_begin(m->ctx);
    int rc = vinc_sim_new(m->model, &r.o, &sim);
    int stopped = core_call_end(c);
    at = 0;
    for (int k = 0; !rc && !stopped && words && PyDict_Next(words, &at, &key, &value); k++)
        if (!(is_option[k / 64] >> k % 64 & 1)) rc = set_value(sim, key, value);
    at = 0;
    while (!rc && !stopped && values && PyDict_Next(values, &at, &key, &value))
        rc = set_value(sim, key, value);
    if (!rc && !stopped) {
        c = core_call_begin(m->ctx);
        rc = vinc_sim_run(sim);
        stopped = core_call_end(c);
    }
    core_model_called(m, rc);
    if (stopped || PyErr_Occurred() ||
        (rc && rc != VINC_TERMINATED && !(rc == VINC_STOPPED && r.stopped)))
        core_fail(m->ctx, rc < 0 ? sim : NULL, rc);
    else out = (PyObject *)core_run_new((PyObject *)m, NULL, sim, vinc_sim_result(sim));
    if (!out) vinc_sim_free(sim);
done:
    free(r.times);
    core_texts_done(&t);
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
        const char *name = core_text(&t, key);
        if (!name) goto done;
        if (!strcmp(name, "point")) point = (int)PyLong_AsLong(value);
        else if (!strcmp(name, "text")) text = PyObject_IsTrue(value);
        else if (!strcmp(name, "outputs")) vars = value == Py_None ? NULL : core_text(&t, value);
        else if (core_take_option(&r, &t, name, value) == 0)
            PyErr_Format(PyExc_TypeError, "'%s' is no option here", name);
        if (PyErr_Occurred()) goto done;
    }
    vinc_linear_options linear = {.run = &r.o, .at = (vinc_point)point, .vars = vars};
    m->calls++;
    call c = core_call_begin(m->ctx);
    if (!strcmp(kind, "check")) rc = vinc_check_of(m->model, (vinc_check **)&told);
    else rc = vinc_linear_of(m->model, &linear, (vinc_linear **)&told);
    const char *json = rc ? "" : vinc_report_text(told, text ? VINC_TEXT : VINC_JSON);
    int stopped = core_call_end(c);
    core_model_called(m, rc);
    out = rc || stopped ? core_fail(m->ctx, NULL, rc) : core_words(json);
    vinc_report_free(told);
done:
    free(r.times);
    core_texts_done(&t);
    return out;
}

static PyObject *model_name(model_object *m, PyObject *none)
{
    (void)none;
    return core_words(vinc_model_name(m->model));
}

static PyObject *model_flat(model_object *m, PyObject *none)
{
    (void)none;
    return core_words(vinc_model_flat(m->model));
}

static PyObject *model_messages(model_object *m, PyObject *none)
{
    (void)none;
    return core_words(vinc_ctx_messages(m->ctx));
}

static PyObject *model_interrupt(model_object *m, PyObject *none)
{
    (void)none;
    vinc_ctx_interrupt(m->ctx);
    Py_RETURN_NONE;
}

static PyObject *model_variables(model_object *m, PyObject *none)
{
    static const char *const types[] = {"Real",        "Integer", "Boolean", "String",
                                        "enumeration", "Clock",   "object"};
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
    {"sweep", (PyCFunction)(void (*)(void))core_model_sweep, METH_VARARGS | METH_KEYWORDS, NULL},
    {"name", (PyCFunction)model_name, METH_NOARGS, NULL},
    {"flat", (PyCFunction)model_flat, METH_NOARGS, NULL},
    {"messages", (PyCFunction)model_messages, METH_NOARGS, NULL},
    {"interrupt", (PyCFunction)model_interrupt, METH_NOARGS, NULL},
    {"variables", (PyCFunction)model_variables, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot model_slots[] = {
    {Py_tp_dealloc, model_dealloc}, {Py_tp_methods, model_methods}, {0, NULL}};
PyType_Spec core_model_spec = {"vincolo._core.Model", sizeof(model_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, model_slots};
