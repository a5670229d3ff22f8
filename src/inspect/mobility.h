/* Locking and lability: what a singular position, or a motion without inertia, means for components.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSPECT_MOBILITY_H
#define INSPECT_MOBILITY_H

#include "inspect/point.h"

typedef struct inspect_mobility {
    const char *locked; // constraints that depend on each other: whose, and which reactions
    int surplus;        // constraints that follow from others also at positions nearby
    const char *labile; // what may move without resistance; NULL: nothing
} inspect_mobility;

/* At a point of a run. near: the position is known to be singular or nearly so; what comes nearest to
 * vanishing counts. p: the same point where positions nearby shall meet the constraints; NULL: they need not.
 * Texts live in a. */
void inspect_mobility_at(run_state *s, double t, const double *y, const double *yp, bool near,
                         const inspect_point *p, arena *a, inspect_mobility *out);

#endif
