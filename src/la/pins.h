/* Deficient matrices again and again: with entries that pin what is left open they are regular.
 *
 * The dense factors of a deficient matrix (la/deficient.h) tell rows R and columns C without a pivot.
 * A + c M with an entry added at each (R, C) is regular, and its solution is the one of those
 * factors: with u'A = 0 the pinned unknown is u'b/u_R over the entry, what is left of the right-hand
 * side in its row. So matrices that follow are factored as sparse ones.
 *
 * A matrix of higher rank needs fewer pins, and with all of them its equations do not hold. A right-hand
 * side A x shows it: as long as every pin is needed, no pinned unknown is in the answer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_PINS_H
#define LA_PINS_H

#include "la/deficient.h"

typedef struct la_pins la_pins;

/* For matrices like the one that was factored last; NULL: not to be had. */
la_pins *la_pins_new(la_solver *s, const la_deficient *d);
void la_pins_free(mem *m, la_pins *p); // NULL is fine

/* LA_OK; LA_SINGULAR: these pins do not suit this matrix. */
int la_pins_factor(la_pins *p, const double *a, const double *m, double re, double im);
void la_pins_solve(la_pins *p, double *b);
int la_pins_open(const la_pins *p); // a column that is pinned

#endif
