/* Solving with sparse factors as straight-line code.
 *
 * For a fixed plan of elimination a solution is a list of multiplications without a single index or
 * branch. Written to a tape and compiled it takes half the time of the loops over lists in
 * indexed.c, of which most are two or three entries long; a factorisation, whose loops are longer,
 * does not gain. Operations and their order are those of the loops, so are the bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_COMPILED_H
#define LA_COMPILED_H

#include "la/lists.h"

typedef struct la_code la_code;

/* NULL where there is no memory, no machine code for this processor, or too much of it. */
la_code *la_code_new(mem *m, const la_lists *f);
void la_code_free(la_code *c); // NULL is fine

/* x := L^-1 of the weighed b, in the order of the steps; then b := U^-1 x. Between the two belongs
 * the solution with what is dense. v, vi: the factors, vi NULL for real ones; complex vectors are n
 * real parts, then n imaginary ones. */
void la_code_down(const la_code *c, const double *v, double *vi, const double *b, double *x);
void la_code_up(const la_code *c, const double *v, double *vi, const double *x, double *b);

#endif
