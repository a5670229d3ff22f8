/* Moving an interpolated point onto the equations that its unknowns must satisfy.
 *
 * Between the ends of a step the interpolant keeps algebraic equations and constraints only to its
 * own accuracy, and its derivative is less accurate still. Rows of results, and the signs by which
 * events are found, are taken from the point that satisfies the equations, y' included.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_CONSISTENT_H
#define SIM_CONSISTENT_H

#include "method/method.h"

#include <stddef.h>

/* How far the rows of a step were moved. The interpolant is a polynomial, what is wrong with it is smooth,
 * and where rows are close to each other the next one is moved by what these foretell. */
enum { CONSISTENT_ROWS = 3 };
typedef struct sim_moved {
    double t_old, t_new;                             // the step
    int n;                                           // of the last rows in it, the latest at 0
    double t[CONSISTENT_ROWS], *by[CONSISTENT_ROWS]; // y, then y'
} sim_moved;

typedef struct sim_consistent {
    const vinc_problem *p;
    int (*move)(void *user, double t, double *y, double *yp); // NULL: nothing to satisfy
    double *y, *yp;                                           // the point before
    sim_moved moved;
} sim_consistent;

size_t sim_consistent_layout(sim_consistent *c, const vinc_problem *p, void *block); // base/bump.h

void sim_consistent_use(sim_consistent *c, const vinc_problem *p); // another one of the same size

/* To this part of |y| + nominal; 0: as well as can be. Where it fails, which the status says, the
 * point stays as it is. */
int sim_consistent_make(sim_consistent *c, double t, double *y, double *yp, double within);

/* The point at t inside the last step, made so. Negative: there is none; positive: it is the
 * interpolant's own. */
int sim_consistent_at(sim_consistent *c, method_run *run, double t, double *y, double *yp,
                      double within);
/* Does the run give points that satisfy the equations by itself, as explicit methods do? */
bool sim_consistent_already(const sim_consistent *c, const method_run *run);

#endif
