/* The derivative of one output at the end of a run by many parameters: the equations of the steps, transposed,
 * from the end to the start.
 *
 * A step of Radau IIA solves F(t_i, Y_i, Y'_i) = 0, h Y'_i = sum_j b_ij (Y_j - y_n) with b the inverse of its
 * matrix, and ends at the last stage. With lambda the derivative of the goal by that, the numbers mu_i that
 * solve
 *
 *     F_y(j)^T mu_j + 1/h sum_i b_ij F_y'(i)^T mu_i = lambda if j is the last, else 0
 *
 * give its derivative by y_n, 1/h sum_ij b_ij F_y'(i)^T mu_i, and what the parameters add, - F_p(i)^T mu_i
 * (E. Hairer, C. Lubich and G. Wanner, Geometric Numerical Integration, 2nd ed. 2006, section VI.4; A. Sandu,
 * in: ICCS 2006, LNCS 3994, 550-557). With the same matrices at all stages these equations fall apart as those
 * of the step itself do (method/scheme.h): matrices in the mean of the stages, and an iteration for the rest.
 *
 * A step of an explicit formula, Y_i = y_n + h sum_j<i a_ij f(Y_j), is gone through backwards:
 * kappa_i = h (b_i lambda + sum_j>i a_ji nu_j), nu_i = f_y(Y_i)^T kappa_i; then lambda + sum_i nu_i is the
 * derivative by y_n and f_p(Y_i)^T kappa_i what the parameters add. Of the step y_n is kept, the stages are
 * computed again.
 *
 * Of constraints of a higher index, reduced by dummy derivatives, F has the hidden ones too and is of index 1.
 * States that are chosen anew are other rows of F; lambda is the derivative by all of y, whatever the
 * choice, and y lies on the constraints before and after: nothing is to be done but to keep the choice.
 *
 * At an event the states and discrete values behind it are linear in small changes of those before it and of
 * the parameters: with what the event changes, and with its time, which moves as well. That matrix is
 * found by taking unit directions across the event (vary.h); it is kept, and its transpose applied on the way
 * back (E. Corner, C. Sandu and A. Sandu, J. Comput. Nonlinear Dyn. 14 (2019) 101007).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ADJOINT_H
#define RUN_ADJOINT_H

#include "method/method.h"
#include "run/vary.h"

typedef struct run_adjoint run_adjoint;

const char *adjoint_cannot(const run_variation *x); // why not, in words; NULL: it can
/* Can a goal be this output? Of y' that are chosen with the states it cannot. */
bool adjoint_takes(const run_variation *x, int output);
/* Can steps of this method be gone back over? NULL, where it is not known yet: of explicit ones. */
bool adjoint_knows(const run_variation *x, const vinc_method *method);
/* Before start values are found: where there are events, the variation of the run is made anew, with more
 * directions behind those that are asked for. VINC_OK, VINC_E_MEMORY. */
int adjoint_prepare(run_state *s);
/* Of the first m directions, which are those that are asked for; the run has this relative tolerance. */
int adjoint_new(run_variation *x, int m, double tolerance,
                run_adjoint **out); // VINC_OK, VINC_E_MEMORY
void adjoint_free(run_adjoint *a);  // NULL is fine

/* The problem to be run, in which events are kept; valid until the next call. More than `most` bytes of them:
 * it fails, and adjoint_full says so. */
const vinc_problem *adjoint_problem(run_adjoint *a, size_t most);
bool adjoint_full(const run_adjoint *a);
size_t adjoint_n_events(const run_adjoint *a); // that are kept
/* Back over the events that happened after t; all that are left for -INFINITY. To be called before the step
 * that begins at t. */
void adjoint_events(run_adjoint *a, double t);

/* States that are chosen while running: which, in so many numbers, to be kept with each step and place. */
size_t adjoint_n_choice(const run_variation *x);
void adjoint_choice(const run_adjoint *a, double *out);
void adjoint_choose(run_adjoint *a, const double *choice);

/* The formula of the step that was just made; < 0: it is none that can be gone back over, or no memory. At
 * how many points y and y' are to be kept of it, and where these lie, in parts of it. */
int adjoint_formula_of(run_adjoint *a, const method_run *run);
int adjoint_points(const run_adjoint *a, int formula);
double adjoint_point(const run_adjoint *a, int formula, int i);
enum { ADJOINT_POINTS_MAX = 7 };

/* At the end of the run: of this output of the model. */
void adjoint_begin(run_adjoint *a, int output, double t, const double *y, const double *yp);
/* Back over a step from t to t + h; y, y' at its points, n numbers each. VINC_OK, VINC_E_SINGULAR, or why not. */
int adjoint_step(run_adjoint *a, int formula, double t, double h, const double *y,
                 const double *yp);
/* At the start: the derivatives, by parameter. */
void adjoint_end(const run_adjoint *a, double *slopes);

#endif
