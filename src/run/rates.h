/* y', accelerations and multipliers by the equations, for what is recorded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_RATES_H
#define RUN_RATES_H

#include "base/bump.h"
#include "newton/iterate.h"
#include "run/state.h"

typedef struct run_rates {
    struct la_solver *la; // made when first needed
    bool factored;        // it holds the factors of a point
    newton_seen seen;     // by them
    double *yp, *r, *delta, *matrix, *dy, *dyp;
    bool as_stepped;         // rows show what the method makes
    double *whole, *whole_p; // the point of the formulation of index 1, kept from row to row
    double *mapped, *y;      // it in terms of this one; y there
    bool chosen;             // its states are
    enum {
        RATES_UNASKED,
        RATES_MET,
        RATES_UNMET
    } meets;     // do points that were projected meet all that ties these?
    long missed; // rows at which it could not be had; the first
    double missed_t;
} run_rates;

void rates_layout(run_rates *x, const code_model *m, bump *b);
void rates_free(run_rates *x);
bool rates_as_found(const code_model *m); // rows need nothing of the following
/* Where the formulation keeps a higher index: *y and *yp with what follows from positions and
 * velocities by the equations of index 1; where these cannot be solved, or a row shows the steps of
 * the method, only y' by the rows that hold it. As they are elsewhere, and where these do not determine
 * it. Good until the next call. */
void rates_at(run_state *s, double t, const double **y, const double **yp);

#endif
