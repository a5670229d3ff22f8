/* Projection on the constraints.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_PROJECT_H
#define RUN_PROJECT_H

#include "base/bump.h"
#include "run/state.h"

/* Sparse factors of a level, at a point that was met. */
typedef struct run_nearest {
    struct la_wide *factors;
    double *unit; // of its rows
    bool known;   // there are factors
} run_nearest;

typedef struct run_projection {
    void *work;
    double *y;            // as it was
    run_nearest *nearest; // by level of the manifold, where that is sparse
} run_projection;

void project_layout(run_projection *x, const code_model *m, bump *b);
void project_free(run_state *s);
int run_project(void *user, double t, double *y, double *yp);

#endif
