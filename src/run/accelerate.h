/* Accelerations and multipliers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ACCELERATE_H
#define RUN_ACCELERATE_H

#include "base/bump.h"
#include "run/state.h"

typedef struct run_accelerations {
    double *y, *yp, *r, *dy, *dyp;
    int *row_at;  // by row: which kind it is
    void *motion; // run_motion
} run_accelerations;

void accelerate_layout(run_accelerations *x, const code_model *m, bump *b);
/* y' and the multipliers by the algebra of the formulation. */
int run_accelerate(void *user, double t, double *y, double *yp);

#endif
