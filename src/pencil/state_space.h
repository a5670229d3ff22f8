/* Linear systems in state-space form: how a linear DAE of index 1 becomes one, and what is known of
 * its modes.
 *
 * A linearization E y' + G y + H u + K u' = 0 with outputs o = Cy y + Cp y' + Cu u + Cv u' is
 * given; asked for is x' = A x + B u, o = C x + D u with independent components x of y. With the
 * singular value decomposition E = U S L^T and W, N the left and right null spaces of E, y = L p +
 * N q: the rows W^T determine q where W^T G N is regular (that is index 1), the others give p'. A
 * term u' in p' is absorbed by p - (...) u; the coordinates p are then exchanged for components of
 * y chosen by pivoting. R. März, Acta Numerica 1992, 141-198, for the projections.
 *
 * Matrices by columns; everything is allocated from an arena.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_STATE_SPACE_H
#define PENCIL_STATE_SPACE_H

#include "base/arena.h"

#include <stdbool.h>

enum { LINEAR_WHY = 300 };

typedef struct linear_dae {
    int n, n_u, n_o;
    double *e, *g;         // n by n
    double *h, *k;         // n by n_u
    double *cy, *cp;       // n_o by n
    double *cu, *cv;       // n_o by n_u
    const double *nominal; // sizes of y; NULL: 1
    const bool *may;       // by component of y: may be a state; NULL: all
    bool constant;         // the matrices hold at every point and time: no variable occurs in them
} linear_dae;

typedef struct linear_system {
    int n, n_u, n_o;
    double *a, *b, *c, *d; // n by n, n by n_u, n_o by n, n_o by n_u
    int *state;            // which components of y the states are
    bool *shifted;         // by state: it is that component less a multiple of the inputs
    double *d1;            // n_o by n_u: o = C x + D u + D1 u'
    double improper;       // largest entry of D1, and of what u'' would need; 0: none
    bool beyond;           // the outputs need u''
    double condition;      // of W^T G N
} linear_system;

/* 0; -1 and a sentence in why where the system is not of index 1 or a number is not finite. */
int linear_reduce(arena *a, const linear_dae *dae, linear_system *out, char *why);

/* The part that the inputs reach and the outputs show (R. E. Kalman): `out` has its own matrices
 * and no state names. tol relative. */
int linear_minimal(arena *a, const linear_system *in, double tol, linear_system *out);

typedef struct linear_modes {
    int n;
    double *re, *im;  // eigenvalues: by distance from the origin; pairs together, im > 0 first
    double *vectors;  // n by n: real parts, imaginary parts in the next column for pairs; the
                      // largest component of each is 1
    int *fold;        // length of the chain that the eigenvalue belongs to; 1 if not told apart
    double condition; // of the matrix of eigenvectors: infinite for a defective A
} linear_modes;

int linear_eigen(arena *a, int n, const double *matrix, linear_modes *out);

/* Eigenvalues of chains become what they are without round-off, where ranks show it. */
void linear_multiple(arena *a, const double *matrix, linear_modes *m);

#endif
