/* Sparse matrices with more columns than rows: steps of least norm, and how far from dependent the
 * rows are.
 *
 * With G of m rows and n columns the symmetric matrix
 *
 *     [ 1   G^T ]
 *     [ G  -d^2 ]
 *
 * is factored as any other (la/la.h). Its solution for the right-hand side (0, r) is x = G^T (G G^T
 * + d^2)^-1 r: the least of the x with G x = r, to within d^2 over the square of the smallest
 * singular value that is not zero. Because of d rows may depend on each other; as a step of
 * Newton's method x converges like one of a chord method whatever that quotient below 1 is (A.
 * Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996, sections 2.5 and 2.7).
 *
 * Rows should have entries of about 1: the caller scales them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_WIDE_H
#define LA_WIDE_H

#include "la/la.h"

typedef struct la_wide la_wide;

/* The pattern by columns, each entry once; it is copied. LA_OK or LA_E_MEMORY. */
int la_wide_new(mem *m, const vinc_pattern *pattern, la_wide **out);
void la_wide_free(la_wide *w); // NULL is fine

int la_wide_factor(la_wide *w, const double *values); // in the order of the pattern
void la_wide_solve(la_wide *w, const double *r, double *x);

/* Smallest and largest singular value of the matrix that was factored last, as many as rows: by
 * inverse iteration with the factors and by iteration with the matrix. Estimates from the inside,
 * to a few parts in a thousand where the value stands alone. */
double la_wide_least(la_wide *w);
double la_wide_most(la_wide *w);

#endif
