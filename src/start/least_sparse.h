/* The step of least change of large systems, by sparse factors.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef START_LEAST_SPARSE_H
#define START_LEAST_SPARSE_H

#include "base/mem.h"

#include <stdbool.h>

/* A alpha + S delta = b with the least delta. A and S are columns of one matrix: those in the lists a and s. */
typedef struct least_linear {
    int m, n_a, n_s;
    const int *a, *s;
    const int *start, *row; // entries by columns, rows ascending
    const double *values, *b;
} least_linear;

/* Does it pay to solve a system of so many rows, columns and entries so? */
bool least_is_sparse(int m, int n, size_t entries);
/* False: there is no solution, or no memory. */
bool least_sparse_step(mem *m, const least_linear *p, double *delta, double *alpha);

#endif
