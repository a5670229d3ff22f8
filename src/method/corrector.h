/* The iteration of implicit formulas whose new derivative is y' = c y + const: backward
 * differentiation, implicit Euler, trapezoid.
 *
 * Simplified Newton on F(t, y, c y + const) = 0 with one factored matrix dF/dy + c dF/dy' kept from
 * step to step. A stale matrix costs iterations, never accuracy: convergence is judged by the rate
 * at which corrections shrink (Brenan, Campbell & Petzold, section 5.2.2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_CORRECTOR_H
#define METHOD_CORRECTOR_H

#include "method/step.h"

typedef struct iteration {
    method_matrix g;
    double c_old; // c of the last call
    double ratio; // estimated error over last correction, rate / (1 - rate), carried between steps
    double ratio_following; // ... of the blocks behind the first
    double *r;              // residual, then correction
    double *sum;            // sum of the corrections: y_new - predicted
    double *y_predicted, *yp_predicted;
    /* Fill y_new and yp_new with the predicted values again. NULL: copies of them are kept. */
    void (*predict)(method_core *c);
    int n;      // unknowns of the iteration: of the first of several blocks, where it goes ahead
    double tol; // weighted norm to which it converges
    int used;   // iterations of the last call
    /* The residual of the formula at (t, y_new, yp_new); NULL: F itself. */
    int (*residual)(method_core *c, double t, double *r);
} iteration;

void iteration_layout(iteration *it, bump *b, size_t n);
int iteration_open(method_core *c, iteration *it);
void iteration_close(method_core *c, iteration *it);

/* Solve for y_new, yp_new, which hold the predicted values on entry, yp_new moving as c y_new. With
 * fixed steps and no tolerance: until nothing changes any more. Returns a STEP_ code; the
 * corrections are summed in it->sum. */
int iteration_solve(method_core *c, iteration *it, double t, double coefficient, double h);

#endif
