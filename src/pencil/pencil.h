/* Linear differential-algebraic equations F x' + G x = h(t) with constant square F and G.
 *
 * The pencil lambda F + G is regular when its determinant is not zero for every lambda. Then there
 * are regular U and V with
 *
 *     U F V = diag(I, N),    U G V = diag(C, I),    N nilpotent,
 *
 * and with x = V (u; v), U h = (a; b) the system falls apart into u' + C u = a and N v' + v = b:
 * u(0) is free, v = sum (-1)^k N^k b^(k) is not. The degree of nilpotency of N is the (Kronecker)
 * index; without N it is 0. L. Kronecker 1890; F. R. Gantmacher, The Theory of Matrices II, ch.
 * XII.
 *
 * Found by orthogonal transformations as far as they go (pencil.c), so that ranks are decided by
 * singular values. Matrices are stored by columns. Everything is allocated from an arena.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_PENCIL_H
#define PENCIL_PENCIL_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct pencil {
    int n;
    bool regular;

    /* Regular pencils. */
    int index, n_finite, n_infinite;
    int n_blocks, *blocks;   // sizes of the nilpotent Jordan blocks, largest first
    double *eig_re, *eig_im; // n_finite lambdas with det(lambda F + G) = 0, ascending
    double *u, *v;           // n by n; finite part first
    double *c, *nil;         // n_finite and n_infinite squared
    bool jordan;             // nil is made of Jordan blocks (ones above the diagonal)
    /* Of C, after pencil_finite_jordan: blocks with lambda = re +- i im, im >= 0. */
    int n_finite_blocks, *finite_blocks;
    double *finite_re, *finite_im;
    bool finite_jordan;      // C is made of them, real: [a b; -b a] for a pair
    double finite_condition; // of the transformation to them
    double residual;         // of U F V and U G V, the larger; relative to |U| |F| |V|
    double kept, dropped;    // rank decisions: smallest singular value kept, largest dropped,
                             // relative; kept 1 and dropped 0 where nothing was near

    /* Singular pencils. */
    int rank;   // of lambda F + G for almost every lambda: n - rank functions are arbitrary
    int degree; // lowest degree in lambda of x(lambda) with (lambda F + G) x(lambda) = 0
    int free_columns, void_rows; // dimensions of F x = G x = 0 and of w F = w G = 0
} pencil;

/* 0, or -1 when an entry is not finite or an iteration of LAPACK failed. */
int pencil_analyse(arena *a, int n, const double *f, const double *g, pencil *out);

/* The Jordan form of the finite part, where its eigenvalues and ranks can be told apart: blocks,
 * and C brought to them if the residual stays small. Eigenvalues nearer than tol |C| count as one
 * where the ranks agree; tol 0: 10 (1e-14)^(1/m) for m of them, as far as round-off scatters them. */
void pencil_finite_jordan(arena *a, pencil *p, const double *f, const double *g, double tol);

/* Of a regular pencil: eig_re and eig_im with multiple lambdas as often as they occur, by distance from
 * the origin, pairs together; as they are where they cannot be told apart. */
void pencil_roots(arena *a, pencil *p, const double *f, const double *g);

#endif
