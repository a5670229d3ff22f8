/* The factorisations behind la.h, one file each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_BACKENDS_H
#define LA_BACKENDS_H

#include "la/la.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

extern const la_backend la_backend_inverse; // explicit inverse for a handful of unknowns
extern const la_backend la_backend_small;   // hand-written loops for a few unknowns
extern const la_backend la_backend_lapack;  // dgetrf, zgetrf
extern const la_backend la_backend_klu;     // sparse, block triangular form, AMD
extern const la_backend la_backend_fronts;  // sparse, dense blocks along the diagonal
extern const la_backend la_backend_superlu; // sparse, dense blocks, for much fill
extern const la_backend la_backend_indexed; // sparse, fixed pivots, lists of indices
extern const la_backend la_backend_shared;  // of several processes (la/shared.h)

// clang-format off
/* Bounds of the choice of a linear solver (la.c), and of what lists of indices hand on (indexed.c).
 *
 * full: time on full matrices. random: on random ones with four entries a column. ivp, chain: the test
 * set of examples/ivp, the chain of bodies in bench/chain. grid: `work` of a grid of 100 by 100 is 29,
 * of 316 by 316 84; chains and circuits take a few. choice: no measurement is known.
 *
 *  bound                              quantity                                                     source */
enum {
    LA_INVERSE_MAX         = 16,    // unknowns: an explicit inverse pays from the third solve on   full, ivp
    LA_DENSE_ANY_MAX       = 8,     // unknowns: dense whatever is absent                           random, ivp
    LA_PIVOTING_DENSE_MAX  = 20,    // ... among those that pivot every time                        random
    LA_SMALL_MAX           = 64,    // unknowns: hand-written loops beat LAPACK                     full
    LA_LISTS_MAX           = 600,   // unknowns: beyond, dense fronts where the diagonal is full    chain
    LA_LISTS_UPDATES_MAX   = 400,   // updates per unknown, beyond that size                        choice
    LA_LISTS_REST_MAX      = 100,   // unknowns left to the dense rest, beyond that size            choice
};
static const double
    LA_LISTS_DENSITY_MAX   = 0.5,   // part of the entries that are there: lists beat an inverse    random, ivp
    LA_SPARSE_DENSITY_MAX  = 0.2,   // ... sparse elimination beats dense, both pivoting            random
    LA_FRONTS_WORK_MIN     = 10,    // multiplications per entry of the factors: not for lists      grid
    LA_BLOCKS_WORK_MIN     = 20;    // ... dense blocks that pivot (SuperLU) beat lists             grid
// clang-format on

/* The power of two that brings an entry of this size near 1: scaling by it is exact. By its exponent, where
 * both are normal numbers: 2^(e - 1) <= size < 2^e has the bits e + 1022, 2^-e the bits 1023 - e. */
static inline double la_weight(double size)
{
    enum { FRACTION = 52, EXPONENT_MAX = 2044 };
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    uint64_t exponent = bits >> FRACTION;
    if (exponent >= 1 && exponent <= EXPONENT_MAX) {
        bits = (EXPONENT_MAX + 1 - exponent) << FRACTION;
        memcpy(&size, &bits, sizeof size);
        return size;
    }
    int e = 0;
    if (size > 0 && size < INFINITY) frexp(size, &e);
    return ldexp(1, -e);
}

/* Of la_backend_inverse, which the first is: how many of several with the same A and M could be factored together, as
 * they have the pivots that they had before. */
int la_inverse_several(la_solver *const *s, int count, const double *a, const double *m,
                       const la_number *c);

/* The choice among those that pivot every time. */
const la_backend *la_choose_general(int n, long nnz);

/* The choice for a large matrix by `work`, multiplications per entry of the factors. */
const la_backend *la_choose_pivoting(double work);

#endif
