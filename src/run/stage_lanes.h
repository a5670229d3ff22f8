/* F at the stages of a step, four points at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_STAGE_LANES_H
#define RUN_STAGE_LANES_H

#include "run/state.h"

typedef struct stage_code {
    const tape_code *of; // F at one point, of which it is made; NULL: not looked at
    int stride;          // between points
    long evaluated;      // points, before there was code
    bool refused;        // it cannot be made, or has been
    tape_code *code;     // NULL: none
    double *scratch;
    size_t scratch_bytes;
} stage_code;

typedef struct run_stages {
    stage_code three, four; // three points; four
} run_stages;

/* As `residuals` of the problem. False: nothing is done, as there is no code. */
bool stages_at_once(run_state *s, const code_fn *f, int points, const double *t, const double *y,
                    const double *yp, double *r, int stride);
void stages_forget(run_state *s);
/* Operations of F at four points at once, beside those of the caller; 0: they are computed one by one. */
double stages_work(const code_fn *f);

#endif
