/* What the files of this folder share.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_KRONECKER_H
#define PENCIL_KRONECKER_H

#include "pencil/pencil.h"

typedef struct matrix { // square, by columns
    int n;
    double *x;
} matrix;

#define AT(m, i, j) ((m)->x[(i) + (size_t)(j) * (size_t)(m)->n])

typedef struct work {
    arena *a;
    int n;
    matrix f, g, q, z;    // Q (balanced F) Z = f, and likewise g
    double *left, *right; // of the balancing
    double time;
    double size_f, size_g; // norms after balancing
    double *scratch;       // n
    int *steps;            // dimensions found by the staircase
} work;

matrix matrix_copy(arena *a, int n, const double *x);
matrix matrix_identity(arena *a, int n);
double matrix_norm(const matrix *m); // Frobenius

/* How well U F V and U G V are what they should be, relative to |U| |F| |V|. */
double pencil_residual(arena *a, const pencil *o, const double *f, const double *g);

/* T with N T = T J, J of blocks with ones above the diagonal; false if chains were not found. */
bool pencil_chain_basis(work *w, const pencil *o, double *t);

/* Of the infinite part alone: its blocks, and chains F V = G V J in v (n by n_infinite). -1: the
 * pencil is singular, or they were not found. */
int pencil_chains(arena *a, int n, const double *f, const double *g, pencil *out);

/* Bring N to Jordan blocks, largest first, if the residual stays small; sets out->residual. f and
 * g are the pencil as given. */
void pencil_jordan(work *w, pencil *out, const double *f, const double *g);

#endif
