/* The step of least change of large systems, by sparse factors.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef START_LEAST_SPARSE_H
#define START_LEAST_SPARSE_H

#include "base/mem.h"

#include <stdbool.h>

/* a alpha + s delta = b with the least delta; matrices by columns, m rows each. */
typedef struct least_linear {
    int m, n_a, n_s;
    const double *a, *s, *b;
} least_linear;

/* False: it is small or not sparse, or there is no solution, or no memory. */
bool least_sparse_step(mem *m, const least_linear *p, double *delta, double *alpha);

#endif
