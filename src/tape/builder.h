/* The inside of the builder, shared by builder.c, finish.c, branches.c, guard.c and skip.c.
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
    /* Instructions by what they compute, see shared() in builder.c: hash in the upper half (so that a
     * wrong one is seldom looked at), index plus one in the lower; 0 is free. */
    uint64_t *slots;
    uint32_t cap, n_hashed;
    uint32_t *const_slots, const_cap; // constants by their bits: index plus one
};

/* Before it is finished: calls that are needed in one branch of a select only look whether they are. */
void tape_guard_calls(tape_builder *b, arena *result);

/* An order of the instructions that are needed in which those of a branch stand together, and where it can be
 * jumped over: places in the order, operands as the builder has them. No regions: any order does. */
typedef struct tape_order {
    int_array order;
    ARRAY(tape_region) regions;
} tape_order;
tape_order tape_place(const tape_builder *b);

#endif
