/* The factorisations behind la.h, one file each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_BACKENDS_H
#define LA_BACKENDS_H

#include "la/la.h"

#include <math.h>

extern const la_backend la_backend_inverse;  // explicit inverse for a handful of unknowns
extern const la_backend la_backend_small;    // hand-written loops for a few unknowns
extern const la_backend la_backend_lapack;   // dgetrf, zgetrf
extern const la_backend la_backend_klu;      // sparse, block triangular form, AMD
extern const la_backend la_backend_fronts;   // sparse, dense blocks along the diagonal
extern const la_backend la_backend_superlu;  // sparse, dense blocks, for much fill
extern const la_backend la_backend_indexed;  // sparse, fixed pivots, lists of indices
extern const la_backend la_backend_compiled; // sparse, fixed pivots, straight-line code

/* The power of two that brings an entry of this size near 1: scaling by it is exact. */
static inline double la_weight(double size)
{
    int e = 0;
    if (size > 0 && size < INFINITY) frexp(size, &e);
    return ldexp(1, -e);
}

/* The choice among those that pivot every time. */
const char *la_choose_general(int n, long nnz);

/* The choice for a large matrix by `work`, multiplications per entry of the factors: chains and
 * circuits take a few, a grid of 100 by 100 takes 29, of 316 by 316 84. */
const char *la_choose_pivoting(double work);

#endif
