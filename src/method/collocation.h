/* Eigenvectors of A^-1 of a collocation method, from its nodes alone.
 *
 * A^-1 maps the values of a polynomial u with u(0) = 0 at the nodes to those of u'. With M the monic polynomial of the
 * nodes, u' - lambda u = M at an eigenvalue lambda; and the row w with w A^-1 = lambda w gives x^k, of values at the nodes,
 * the moment k!/lambda^k, since that of u' is lambda times that of u. Both are a dozen operations where elimination takes
 * hundreds: they are made in every run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_COLLOCATION_H
#define METHOD_COLLOCATION_H

#include "method/scheme.h"

typedef struct collocation {
    int n;
    const double *c;
    long double product[SCHEME_STAGES + 1];            // coefficients of M, lowest power first
    long double without[SCHEME_STAGES][SCHEME_STAGES]; // of M without the factor of node i ...
    long double inverse[SCHEME_STAGES];                // ... and 1 over it at that node
} collocation;

void collocation_begin(collocation *q, int n, const double *c);

/* A column and a row, in real and imaginary parts; their product is 1. */
typedef struct collocation_pair {
    long double re[SCHEME_STAGES], im[SCHEME_STAGES], row[SCHEME_STAGES], row_im[SCHEME_STAGES];
} collocation_pair;
void collocation_vectors(const collocation *q, long double re, long double im,
                         collocation_pair *out);

#endif
