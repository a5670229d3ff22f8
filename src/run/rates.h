/* y' by the equations, for what is recorded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_RATES_H
#define RUN_RATES_H

#include "base/bump.h"
#include "run/state.h"

typedef struct run_rates {
    struct la_solver *la; // made when first needed
    bool factored;        // it holds the factors of a point
    double seen;          // contraction by them; 0: not yet
    double *yp, *r, *delta, *matrix, *dy, *dyp;
} run_rates;

void rates_layout(run_rates *x, const code_model *m, bump *b);
void rates_free(run_rates *x);
/* y' from y by the rows that hold it, where the formulation keeps a higher index; yp itself elsewhere,
 * and where they do not determine it. Good until the next call. */
const double *rates_at(run_state *s, double t, const double *y, const double *yp);

#endif
