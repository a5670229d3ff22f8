/* A point of rest: F(t, y, 0) = 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_EQUILIBRIUM_H
#define SIM_EQUILIBRIUM_H

#include "base/mem.h"
#include "vincolo_problem.h"

#include <stdbool.h>
typedef struct sim_left { // where no point of rest was found
    double residual;      // of all equations with y' = 0, relative to their terms
    int moved;            // the unknown that a damped motion moves most; -1: none
    double from, to, far; // far: in nominals or sizes
} sim_left;

/* The equilibrium that damped Newton reaches from y (n of each; y' becomes 0). Steps of least norm,
 * in units of the nominals, so that equilibria which are not isolated are found too. Linear
 * combinations of unknowns that no motion changes keep their values; *kept: false where only a point
 * was found at which they do not. relaxed: by way of a damped motion, which ends at a stable
 * equilibrium more often than not. VINC_OK; VINC_E_NEWTON and what was met on the way where
 * there is none near; VINC_E_MEMORY. */
int sim_equilibrium(mem *m, const vinc_problem *p, double t, double *y, double *yp, bool relaxed,
                    bool *kept, sim_left *left);

#endif
