/* Workloads written by hand, to be measured beside.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_SWEEP_BY_HAND_H
#define BENCH_SWEEP_BY_HAND_H

#include <stddef.h>

/* Lorenz' equations, rk4, `steps` steps of h, 16 trajectories at once; n: a multiple of 16. */
void lorenz_by_hand(const double *rho, double *x, double *y, double *z, size_t n, int steps,
                    double h);

#endif
