/* Options of a run, by name.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

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
    {"detail", OF_FLAG, AT(detail), 0},
#undef AT
};

/* Numbers of anything that can be walked. */
double *core_numbers(PyObject *o, int *n)
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
int core_take_option(run_options *r, texts *t, const char *name, PyObject *value)
{
    char *base = (char *)&r->o;
    if (!strcmp(name, "times")) {
        if (value == Py_None) return 1;
        free(r->times);
        r->times = core_numbers(value, &r->o.n_times);
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
        case OF_TEXT: *(const char **)at = core_text(t, value); break;
        }
        if (PyErr_Occurred()) return -1;
        if (run_table[i].has) *(int *)(base + run_table[i].has) = 1;
        return 1;
    }
    return 0;
}

int core_tell_progress(void *user, const vinc_progress *p)
{
    run_options *r = user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double gone =
        (double)(now.tv_sec - r->told.tv_sec) + 1e-9 * (double)(now.tv_nsec - r->told.tv_nsec);
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
