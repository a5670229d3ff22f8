/* Steps of least norm where the rows of a small dense matrix are clearly independent.
 *
 * x = A^T u with A A^T u = b is the least of the x with A x = b. A A^T has the square of the condition of
 * A, and takes a tenth of an orthogonal factorisation. Whatever u is, x is a combination of the rows of
 * A: rounding of u makes it meet the equations less well, which the next step of an iteration mends, and
 * never longer than it has to be in another direction (A. Bjorck, Numerical Methods for Least Squares
 * Problems, SIAM 1996, section 2.2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_NORMAL_H
#define LA_NORMAL_H

#include <stdbool.h>

typedef struct la_normal {
    int m, n;        // m <= n
    const double *a; // m by n, by columns; it stays as it is
    double *l;       // m*m: the triangle and, on the diagonal, inverse pivots
    double
        least; // square of the sine of the angle of a row to those before it, at least; 0: 1.5e-8
} la_normal;

/* False: rows depend on each other, or nearly; or they are not finite. */
bool la_normal_factor(const la_normal *q);
void la_normal_solve(const la_normal *q, double *b, double *x); // b (m) is overwritten

#endif
