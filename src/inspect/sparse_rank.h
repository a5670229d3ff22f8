/* The rank of a sparse matrix, for questions of structure at a point.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSPECT_SPARSE_RANK_H
#define INSPECT_SPARSE_RANK_H

#include "base/arena.h"

typedef struct sparse_row {
    int n;
    int *col;
    double *x;
} sparse_row;

/* Rank of the columns from `first` to n - 1 of m rows, rows and columns scaled to size 1: Gaussian elimination
 * with pivots that cause little fill (H. M. Markowitz, Management Sci. 3 (1957) 255-269), the rest by an
 * orthogonal factorization with pivoting. -1: the rest is too large for that. */
int sparse_rank(arena *a, const sparse_row *rows, int m, int first, int n);

#endif
