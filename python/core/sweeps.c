/* Sweeps of a model: a row for each run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

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
PyObject *core_model_sweep(model_object *m, PyObject *args, PyObject *words)
{
    PyObject *vary, *key, *value, *out = NULL;
    const char *collect, *list[128];
    run_options r = {.progress = NULL};
    texts t = {.n = 0};
    vinc_sweep_options o = {.run = &r.o};
    vinc_sweep *told = NULL;
    rows kept = {0};
    Py_ssize_t at = 0;
    if (!PyArg_ParseTuple(args, "O!si", &PyList_Type, &vary, &collect, &kept.n_parameters))
        return NULL;
    kept.n_values = count_values(collect);
    o.collect = collect;
    o.vary = list;
    o.n_vary = (int)PyList_Size(vary);
    if (o.n_vary > 128) return PyErr_SetString(PyExc_ValueError, "too many axes"), NULL;
    for (int i = 0; i < o.n_vary; i++)
        if (!(list[i] = core_text(&t, PyList_GetItem(vary, i)))) goto done;
    while (words && PyDict_Next(words, &at, &key, &value)) {
        const char *name = core_text(&t, key);
        if (!name) goto done;
        if (!strcmp(name, "samples")) o.samples = PyLong_AsLongLong(value);
        else if (!strcmp(name, "seed")) o.seed = PyLong_AsUnsignedLongLong(value);
        else if (!strcmp(name, "jobs")) o.jobs = (int)PyLong_AsLong(value);
        else if (!strcmp(name, "design")) o.design = value == Py_None ? NULL : core_text(&t, value);
        else if (!strcmp(name, "device")) o.device = value == Py_None ? NULL : core_text(&t, value);
        else if (!strcmp(name, "indices")) o.indices = PyObject_IsTrue(value);
        else if (core_take_option(&r, &t, name, value) == 0)
            PyErr_Format(PyExc_TypeError, "'%s' is no option of a sweep", name);
        if (PyErr_Occurred()) goto done;
    }
    o.row = keep_row;
    o.user = &kept;
    m->calls++;
    call c = core_call_begin(m->ctx);
    int rc = vinc_sweep_of(m->model, &o, &told);
    const char *json = rc ? "" : vinc_report_text(told, VINC_JSON);
    int stopped = core_call_end(c);
    core_model_called(m, rc);
    if (kept.no_memory) {
        PyErr_NoMemory();
    } else if (rc || stopped) {
        core_fail(m->ctx, NULL, rc);
    } else {
        PyObject *numbers = core_column_new(NULL, kept.at, kept.at, (Py_ssize_t)kept.n,
                                            kept.n_parameters + kept.n_values + 1);
        kept.at = NULL;
        out = numbers ? Py_BuildValue("(NN)", numbers, core_words(json)) : NULL;
    }
    vinc_report_free(told);
done:
    free(kept.at);
    free(r.times);
    core_texts_done(&t);
    return out;
}
