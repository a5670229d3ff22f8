/* Programs written out: every kernel and every instance of every map, into one tape.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_UNROLL_H
#define TAPE_UNROLL_H

#include "tape/tape.h"

/* What the operands of a program stand for in the tape that is built, and what its results become.
 * Arrays as long as the extents of the program. w is changed where the program stores to it. */
typedef struct unroll_refs {
    tape_ref t;
    const tape_ref *p, *y, *yp;
    tape_ref *w;
    tape_ref *out, *out2;
} unroll_refs;

/* Copy the program to the builder. False: it calls routines, which are left to who evaluates it. */
bool unroll_program(tape_builder *b, const tape_program *program, const unroll_refs *refs,
                    arena *scratch);

#endif
