/* Constrained least change: the point next to z0 on which equations hold.
 *
 *     minimise    sum over the unknowns that count of (weight_j (z_j - z0_j))^2
 *     subject to  c(z) = 0
 *
 * The other unknowns are free. Gauss-Newton on the linearised constraints, always measured from z0,
 * so that the limit satisfies the conditions of optimality; damped by the natural monotonicity of
 * the scaled residual. Rows may be dependent when they are consistent.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef START_LEAST_H
#define START_LEAST_H

#include "base/mem.h"
#include "vincolo_problem.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct least_problem {
    int m, n;
    /* r (m) and, where j is not NULL, the Jacobian: the entries of the pattern, or all of them, by columns
     * j[i + k*m]. Status as of a callback. */
    int (*eval)(void *user, const double *z, double *r, double *j);
    void *user;
    const vinc_pattern *pattern; // by columns, rows ascending; NULL: every entry may be there
    const double *nominal;       // n
    const double *weight;        // n; 0: free
    const uint8_t *fixed;        // n
    /* Instead of the weights: L of a metric L L^T among the unknowns that count and are not fixed,
     * in their order; by columns. NULL: the weights. */
    const double *metric;
    double tol;   // on scaled residuals
    bool scatter; // where no point is found from z0, begin elsewhere
    bool rough;   // a compromise after a few steps is enough
} least_problem;

enum {
    LEAST_OK = 0,
    LEAST_DIVERGED = 1,
    LEAST_CONFLICT = 2,  // the equations contradict each other or the fixed values
    LEAST_UNDEFINED = 3, // cannot be evaluated at the start
    LEAST_MEMORY = -1
};

typedef struct least_report {
    int iterations, rank;
    double residual;    // largest scaled residual at the end
    int worst;          // its row
    int n_undetermined; // free unknowns that no row determines
} least_report;

/* z: in the start z0, out the solution or the best point met. scaled (m, may be NULL): scaled
 * residuals at the end. */
int least_solve(mem *m, const least_problem *p, double *z, double *scaled, least_report *report);

#endif
