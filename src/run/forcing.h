/* What equations and relations do as time passes, whatever the unknowns are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_FORCING_H
#define RUN_FORCING_H

#include "run/state.h"

enum { FORCING_MAX = 64 }; // features that are kept

/* A wave sin(c0 + c1 t + c2 t^2), or something that happens around t0, over a few widths. */
typedef struct forcing_feature {
    bool wave;
    double c1, c2;
    double t0, width; // width 0: a kink
} forcing_feature;

typedef struct run_forcing {
    forcing_feature at[FORCING_MAX];
    int n;
} run_forcing;

/* Before a run, with its parameters: look for them. VINC_OK, VINC_E_MEMORY. */
int forcing_find(run_state *s);
double forcing_limit(void *user, double t); // vinc_problem.forcing_limit

#endif
