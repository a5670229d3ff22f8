/* The Python extension (inside it only): handles of the C interface as objects, columns as buffers.
 *
 * Only the limited interface of Python 3.11 is used, so that one file serves all later versions, and no
 * header of numpy: a Column has the buffer protocol, of which numpy makes an array without a copy. An
 * object keeps what it was made from: Column its Run, Run its Model.
 *
 * Long calls release the interpreter. Ctrl-C interrupts the contexts that work at the time, and is then
 * handed to the handler that Python has installed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "vincolo.h"
#include "vincolo_sweep.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- objects --------------------------------------------------------------------------------- */

typedef struct model_object {
    PyObject_HEAD vinc_ctx *ctx;
    vinc_model *model;
    int calls; // under way
} model_object;

typedef struct run_object {
    PyObject_HEAD PyObject *model; // a Model; NULL: of a file
    vinc_ctx *ctx;                 // of a file, owned
    vinc_sim *sim;
    vinc_result *result;
} run_object;

typedef struct column_object {
    PyObject_HEAD PyObject *of; // a Run; NULL: the numbers are its own
    const double *values;
    double *own;
    Py_ssize_t shape[2], strides[2];
    int dimensions;
} column_object;

extern PyObject *core_model_type, *core_run_type, *core_column_type;
extern PyType_Spec core_model_spec, core_run_spec, core_column_spec;

/* Numbers of a run, or, where own is given, its own, which it frees; columns < 0: one dimension. */
PyObject *core_column_new(PyObject *of, const double *values, double *own, Py_ssize_t rows,
                          Py_ssize_t columns);
run_object *core_run_new(PyObject *model, vinc_ctx *ctx, vinc_sim *sim, vinc_result *result);
/* After a call: what interrupted it is not to interrupt the next one. */
void core_model_called(model_object *m, int rc);
/* sweep(vary, collect, n_parameters, **options): (rows, JSON). */
PyObject *core_model_sweep(model_object *m, PyObject *args, PyObject *words);

/* ---- calls (calls.c) -------------------------------------------------------------------------- */

typedef struct call {
    PyThreadState *thread;
    int place;
} call;

/* The interpreter is free in between, and Ctrl-C ends what is under way. */
call core_call_begin(vinc_ctx *ctx);
int core_call_end(call c); // -1 where Python has an exception for what was interrupted

extern PyObject *core_error_base, *core_error_model, *core_error_option, *core_error_run,
    *core_error_limit;
/* What a status means, as an exception; NULL, for callers to return. */
PyObject *core_fail(vinc_ctx *ctx, const vinc_sim *sim, int status);
PyObject *core_diagnostics(vinc_ctx *ctx, const vinc_sim *sim);
PyObject *core_words(const char *s);

/* Texts of Python, held while a call uses them. */
enum { TEXTS_MOST = 300 };
typedef struct texts {
    PyObject *held[TEXTS_MOST];
    int n;
} texts;
const char *core_text(texts *t, PyObject *o); // NULL, with an exception, where it is none
void core_texts_done(texts *t);

/* ---- options of a run (run_options.c) --------------------------------------------------------- */

typedef struct run_options {
    vinc_sim_options o;
    PyObject *progress; // borrowed
    double *times;
    struct timespec told;
    int stopped; // by an exception in progress
} run_options;

double *core_numbers(PyObject *o, int *n); // of anything that can be walked
/* 1: it was an option; 0: it is none; -1: it is a wrong one. */
int core_take_option(run_options *r, texts *t, const char *name, PyObject *value);
int core_tell_progress(void *user, const vinc_progress *p);

#endif
