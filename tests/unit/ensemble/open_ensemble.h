/* An ensemble from the text of a model, for tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_OPEN_ENSEMBLE_H
#define TESTS_OPEN_ENSEMBLE_H

#include "api/run.h"
#include "ensemble/ensemble.h"
#include "run/verbs.h"

enum { OPEN_MAX = 8 };

typedef struct open_ensemble {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    ensemble *e;
    mem m;
    char why[400]; // "" where all went well
} open_ensemble;

/* columns: names, ending with NULL. */
void ensemble_open(open_ensemble *x, const char *text, ensemble_options o,
                   const char *const *columns);
void ensemble_close(open_ensemble *x);

/* Inputs of run i of n: those that vary, and where the start is given, the start. */
void ensemble_put(open_ensemble *x, const ensemble_options *o, const double *values, double *in,
                  size_t n, size_t i);
/* The value of a column at the end of an ordinary run with these values; tol: of that run. */
double ensemble_reference(const char *text, const ensemble_options *o, const double *values,
                          const char *column, const char *method, double tol);

#endif
