/* The derivative of one output at the end of a run by many parameters: the equations of the steps, transposed,
 * from the end to the start.
 *
 * A step of Radau IIA with three stages solves F(t_i, Y_i, Y'_i) = 0, h Y'_i = sum_j b_ij (Y_j - y_n) with
 * b the inverse of its matrix, and ends at Y_3. With lambda the derivative of the goal by that, the numbers
 * mu_i that solve
 *
 *     F_y(j)^T mu_j + 1/h sum_i b_ij F_y'(i)^T mu_i = lambda if j = 3, else 0
 *
 * give its derivative by y_n, 1/h sum_ij b_ij F_y'(i)^T mu_i, and what the parameters add, - F_p(i)^T mu_i
 * (E. Hairer, C. Lubich and G. Wanner, Geometric Numerical Integration, 2nd ed. 2006, section VI.4; A. Sandu,
 * in: ICCS 2006, LNCS 3994, 550-557). The cost is one matrix of 3 n and one solution for each step, whatever the number of parameters.
 *
 * At an event the states and discrete values behind it are linear in small changes of those before it and of
 * the parameters: with what the event changes, and with its time, which moves as well. That matrix is
 * found by taking unit directions across the event (vary.h); it is kept, and its transpose applied on the way
 * back (E. Corner, C. Sandu and A. Sandu, J. Comput. Nonlinear Dyn. 14 (2019) 101007).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ADJOINT_H
#define RUN_ADJOINT_H

#include "run/vary.h"

typedef struct run_adjoint run_adjoint;
enum { ADJOINT_STAGES = 3 };

const char *adjoint_cannot(const run_variation *x); // why not, in words; NULL: it can
/* Before start values are found: where there are events, the variation of the run is made anew, with more
 * directions behind those that are asked for. VINC_OK, VINC_E_MEMORY. */
int adjoint_prepare(run_state *s);
/* Of the first m directions, which are those that are asked for. */
int adjoint_new(run_variation *x, int m, run_adjoint **out); // VINC_OK, VINC_E_MEMORY
void adjoint_free(run_adjoint *a);                           // NULL is fine

/* The problem to be run, in which events are kept; valid until the next call. More than `most` bytes of them:
 * it fails, and adjoint_full says so. */
const vinc_problem *adjoint_problem(run_adjoint *a, size_t most);
bool adjoint_full(const run_adjoint *a);
/* Back over the events that happened after t; all that are left for -INFINITY. To be called before the step
 * that begins at t. */
void adjoint_events(run_adjoint *a, double t);

/* Where in a step its stages lie, in parts of it. */
double adjoint_node(const run_adjoint *a, int i);
/* At the end of the run: of this output of the model. */
void adjoint_begin(run_adjoint *a, int output, double t, const double *y, const double *yp);
/* Back over a step from t to t + h; y, y' at its stages, n numbers each. VINC_OK, VINC_E_SINGULAR, or why not. */
int adjoint_step(run_adjoint *a, double t, double h, const double *y, const double *yp);
/* At the start: the derivatives, by parameter. */
void adjoint_end(const run_adjoint *a, double *slopes);

#endif
