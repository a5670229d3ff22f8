/* Partial derivatives of single operations and of called functions.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DERIVE_PARTIALS_H
#define DERIVE_PARTIALS_H

#include "tape/tape.h"

/* v = op(x, y), all in the builder, and the adjoint of v. */
typedef struct partial_site {
    tape_op op;
    tape_ref x, y, v, adjoint;
} partial_site;

/* adjoint * dv/dx and adjoint * dv/dy, for every operation but min, max and the selects. */
tape_ref partial_x(tape_builder *b, const partial_site *s);
tape_ref partial_y(tape_builder *b, const partial_site *s);

/* user of such a function. */
typedef struct partials_of {
    const tape_function *fn;
    const uint8_t *active; // by argument
} partials_of;

/* The function whose result i*n_in + j is d out[i] / d in[j] of fn, for active arguments j; further
 * results are no use. */
const tape_function *partial_function(const tape_function *fn, const uint8_t *active,
                                      arena *result);

#endif
