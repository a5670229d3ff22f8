/* The same A and M with several c, side by side.
 *
 * An implicit Runge-Kutta step factors A + c M for a real c and one or more complex ones, and solves with all of them
 * in every iteration. By one plan of elimination that is one sweep over its lists: a number of each matrix is a pair
 * of lanes of a wide register, its real and its imaginary part. Indices and loops are shared, products are two for two
 * numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_ABREAST_H
#define LA_ABREAST_H

#include "la/la.h"

typedef struct la_abreast la_abreast;

/* By the plan of the first solver, which keeps what is needed. True: they all have their factors there, until one of
 * them is factored by itself. False: they are to be factored one by one. */
bool la_abreast_factor(la_solver *const *s, int count, const double *a, const double *m,
                       const la_number *c);
void la_abreast_solve(la_solver *const *s, int count, const la_vector *x);
void la_abreast_free(mem *m, la_abreast *z);

#endif
