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
    const double *a; // m rows of la_normal_width(n) numbers, 0 behind n; it stays as it is
    double *l;       // m*m: the triangle and, on the diagonal, inverse pivots
    double *inverse; // of few rows, like a: (A A^T)^-1 A, so that x is one sum over them
    double
        least; // square of the sine of the angle of a row to those before it, at least; 0: 1.5e-8
} la_normal;

/* Numbers of a row: so many groups of four. */
static inline int la_normal_width(int n)
{
    return (n + 3) / 4 * 4;
}

/* Numbers of the inverse of so many rows; 0: there is none, it would take longer than it saves. */
static inline int la_normal_inverse(int m, int n)
{
    enum { ROWS_MOST = 16 }; // as of the explicit inverse (la/inverse.c)
    return m <= ROWS_MOST ? m * la_normal_width(n) : 0;
}

/* False: rows depend on each other, or nearly; or they are not finite. */
bool la_normal_factor(const la_normal *q);
void la_normal_solve(const la_normal *q, double *b, double *x); // b (m) is overwritten

#endif
