/* How a run at a point responds to small changes of states, inputs and parameters.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_RESPOND_H
#define RUN_RESPOND_H

#include "code/response.h"
#include "run/state.h"

typedef struct run_response run_response;

/* Derivatives at a point. VINC_OK, VINC_E_MEMORY, VINC_E_SINGULAR. The code outlives it. */
int respond_new(run_state *s, const code_response *code, run_response **out);
void respond_free(run_response *x); // NULL is fine
int respond_at(run_response *x, double t, const double *y, const double *yp);

/* A direction: changes of y (its states), of the combinations of groups by row of F, of inputs and
 * parameters; all zero to begin with. Whoever asks fills them, and they are kept. */
typedef struct run_direction {
    double *y, *row, *u, *p;
} run_direction;
run_direction respond_direction(run_response *x);
/* What follows: changes of y, y' and all columns. */
void respond_along(run_response *x);
const double *respond_yp(const run_response *x);
double respond_column(const run_response *x, int column);

#endif
