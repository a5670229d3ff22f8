/* Unknowns that follow from the independent ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_DEPENDENTS_H
#define RUN_DEPENDENTS_H

#include "base/bump.h"
#include "la/la.h"
#include "newton/iterate.h"
#include "run/state.h"

typedef struct run_dependents {
    la_solver *la;    // made when first needed
    bool factored;    // la holds the factors of of_factors
    bool near;        // ... which is the matrix of a point before, by the same equations
    bool steep;       // ... where slopes are so large that small corrections say little
    newton_seen seen; // by them
    double curvature; // seen by factors of the point itself, at rows
    int missed;       // rows in succession for which old ones did not serve
    int skip;         // rows for which they are not tried
    double *dy, *dyp, *matrix;
    double *of_factors; // the matrix that the factors are of
    double *noise;      // by unknown: corrections at rows that were rounding, since the last event
    bool noisy;         // there were some
    int learn_in, learn_after; // rows until rounding is looked at again, and then
    double *r, *delta, *trial, *y, *yp;
    double *held;     // y as it was: the independent combinations keep their values
    double *next;     // derivatives of what is chosen
    double *rounding; // of residuals, where corrections no longer shrink
} run_dependents;

void dependent_layout(run_dependents *x, const code_model *m, bump *b);
void dependent_free(run_dependents *x);
void dependent_free_aside(run_state *s);

/* Of the last solution; 1 where nothing depends on anything. */
static inline double dependent_pivot_ratio(const run_dependents *x)
{
    return x->la ? x->la->pivot_ratio : 1;
}

#endif
