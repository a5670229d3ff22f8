/* Recorded values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_OUTPUT_H
#define RUN_OUTPUT_H

#include "base/bump.h"
#include "code/functions.h"
#include "run/state.h"

typedef struct run_recording {
    int *outputs, n; // which; NULL: all
    bool computes;   // one of them is computed
    int *unknowns;   // that those are which are recorded as they are
    double *values;  // outputs that are computed
    code_fn few;     // computes those that are recorded, where they are a small part; no code: all
    arena kept;      // what that code refers to: calls that are made under a condition
} run_recording;

void output_layout(run_recording *x, const code_model *m, bump *b);
int run_outputs(void *user, double t, const double *y, const double *yp, double *out);

#endif
