/* The inside of the builder, shared by build.c and finish.c.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_BUILDER_H
#define TAPE_BUILDER_H

#include "base/array.h"
#include "tape/tape.h"

struct tape_builder {
    arena *a;
    ARRAY(tape_ins) ins;
    ARRAY(double) consts;
    ARRAY(tape_call) calls;
    ARRAY(tape_ref) args;
    /* Open addressing with linear probing; 0 is free, otherwise an index plus one. */
    uint32_t *slots, cap;             // instructions, by what they compute
    uint32_t *const_slots, const_cap; // constants, by their bits
    uint32_t n_hashed;                // instructions in slots
};

#endif
