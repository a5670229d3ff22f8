/* Following variables to the coordinates of a mechanical system.
 *
 * An energy may speak of a point p, an elongation or a speed that other equations of the model
 * define by q, der(q) and time. Its derivatives by q need those definitions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EQUATION_FOLLOW_H
#define EQUATION_FOLLOW_H

#include "eval/scope.h"

typedef struct follow follow;

/* What the equations of the model say about its variables, seen from the n coordinates q.
 * independent (by flat variable) marks those that no equation makes a function of q: parameters,
 * coordinates of other systems, what changes at events only. Lives in b->scratch. */
follow *follow_new(flat_builder *b, const expr *q, int n, const bool *independent);

/* e in terms of q, der(q) and what does not depend on them; 0 after an error that names the variable
 * that cannot be followed. `what` is what e is called, `at` where it stands. */
expr follow_to_coordinates(follow *f, expr e, const char *what, span at);

#endif
