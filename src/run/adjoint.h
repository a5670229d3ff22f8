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
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ADJOINT_H
#define RUN_ADJOINT_H

#include "run/vary.h"

typedef struct run_adjoint run_adjoint;
enum { ADJOINT_STAGES = 3 };

const char *adjoint_cannot(const run_variation *x);   // why not, in words; NULL: it can
int adjoint_new(run_variation *x, run_adjoint **out); // VINC_OK, VINC_E_MEMORY
void adjoint_free(run_adjoint *a);                    // NULL is fine

/* Where in a step its stages lie, in parts of it. */
double adjoint_node(const run_adjoint *a, int i);
/* At the end of the run: of this output of the model. */
void adjoint_begin(run_adjoint *a, int output, double t, const double *y, const double *yp);
/* Back over a step from t to t + h; y, y' at its stages, n numbers each. VINC_OK, VINC_E_SINGULAR, or why not. */
int adjoint_step(run_adjoint *a, double t, double h, const double *y, const double *yp);
/* At the start: the derivatives, by parameter. */
void adjoint_end(const run_adjoint *a, double *slopes);

#endif
