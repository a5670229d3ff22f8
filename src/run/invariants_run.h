/* What the motion is said to keep, at a point.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_INVARIANTS_RUN_H
#define RUN_INVARIANTS_RUN_H

#include "base/bump.h"
#include "run/state.h"

typedef struct run_invariants {
    double *slopes; // values of their pattern
} run_invariants;

void invariants_layout(run_invariants *x, const code_model *m, bump *b);
int invariants_values(void *user, double t, const double *y, const double *yp, double *value);
int invariants_slopes(void *user, double t, const double *y, const double *yp, double *slope,
                      double *slope_t);
const char *invariants_name(void *user, int i);

#endif
