/* Nonlinear systems r(x) = 0 of m equations in n unknowns, m <= n.
 *
 * Damped Newton, scaled by the nominals of unknowns and equations, with the natural monotonicity
 * test for the damping (P. Deuflhard, Newton Methods for Nonlinear Problems, Springer 2004, ch. 3).
 * Where there are more unknowns than equations, or the Jacobian loses rank, the step is the one of
 * least weighted norm, so that start values change as little as possible.
 *
 * Used for consistent start values, algebraic loops and the state after an event: not inside
 * integration steps, which have their own simplified iteration.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEWTON_NEWTON_H
#define NEWTON_NEWTON_H

#include "base/mem.h"
#include "vincolo_problem.h"

#include <stdbool.h>

typedef struct newton_problem {
    int m, n;
    const vinc_pattern *jac; // m by n; NULL: full, by columns
    /* Callback status as in the waist: 0 fine, > 0 not defined here, < 0 stop. */
    int (*residual)(void *user, const double *x, double *r);
    int (*jacobian)(void *user, const double *x, double *values); // NULL: differences by columns
    void *user;
    const double *nominal;          // of unknowns; NULL: 1
    const double *equation_nominal; // of equations; NULL: from the Jacobian's rows
    const double *min, *max;        // bounds on unknowns, kept along the way; NULL: none
    const double *weight; // least-norm steps minimise sum (weight_i dx_i)^2; NULL: 1/nominal
    const uint8_t *fixed; // 1: the unknown is not moved; NULL: all free
} newton_problem;

typedef struct newton_options {
    double tol;   // on the scaled step and residual; 0: 1e-12
    int max_iter; // 0: 100
    bool sparse; // factor with la_solver (needs m == n, none fixed); default: dense, rank-revealing
    double rank_tol; // relative size of a negligible pivot; 0: n eps
} newton_options;

enum {
    NEWTON_OK = 0,
    NEWTON_E_DIVERGED = -1,  // damping below the limit or too many iterations
    NEWTON_E_SINGULAR = -2,  // converged to a point where the residual cannot be reduced
    NEWTON_E_UNDEFINED = -3, // the residual cannot be evaluated at the start
    NEWTON_E_STOPPED = -4,   // a callback said so
    NEWTON_E_INCONSISTENT =
        -5, // rank-deficient rows with a residual: equations contradict each other
    NEWTON_E_MEMORY = -6,
};

enum { NEWTON_NAMED = 5 }; // how many culprits a report names

typedef struct newton_report {
    int status, iterations, residual_evals, jacobian_evals, factorizations;
    int rank;                                  // of the last Jacobian (dense); m when sparse
    double residual;                           // largest scaled residual
    int n_residuals, n_moved;                  // entries used below
    int worst_residual[NEWTON_NAMED];          // equations, the largest scaled residual first
    double worst_residual_value[NEWTON_NAMED]; // unscaled
    int moved_most[NEWTON_NAMED]; // unknowns, by |x - x_start| / nominal, largest first
    double moved_from[NEWTON_NAMED], moved_to[NEWTON_NAMED];
} newton_report;

typedef struct newton newton;

newton *newton_new(mem *m, const newton_problem *p, const newton_options *o); // NULL: no memory
void newton_free(newton *s);

/* Solve from x; on failure x is the best point met. report may not be NULL. */
int newton_solve(newton *s, double *x, newton_report *report);

const char *newton_status_text(int status);

#endif
