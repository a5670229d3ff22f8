/* How near constraints are to depending on each other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_RANK_H
#define RUN_RANK_H

#include "base/bump.h"
#include "run/state.h"

typedef struct run_regular {
    double *scale;        // by constraint: largest entry of its row so far
    int seen;             // largest rank so far
    struct la_wide *wide; // the matrix, where it is large
    double wide_most;     // its largest singular value, at first
} run_regular;

void rank_layout(run_regular *x, const code_model *m, bump *b);
void rank_begin(run_regular *x, const code_model *m); // of a run
void rank_free(run_regular *x);
int run_regularity(void *user, double t, const double *y, const double *yp, double *sigma);

#endif
