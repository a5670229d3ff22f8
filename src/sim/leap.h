/* Across a place where the solution is steeper than time resolves.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_LEAP_H
#define SIM_LEAP_H

#include "base/mem.h"
#include "vincolo_problem.h"

#include <stdbool.h>

typedef struct sim_leap_from {
    double t, dt; // the point, the length of the leap
    const double *y, *yp;
} sim_leap_from;

/* The point at t + dt in y and yp (n each). false: no unknown of the problem has a rate that weighs
 * nothing, or there is no such point. */
bool sim_leap(mem *m, const vinc_problem *p, vinc_stats *stats, const sim_leap_from *from, double *y,
              double *yp);

#endif
