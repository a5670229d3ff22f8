/* Operands numbered without gaps: the values of the instructions first, then the distinct leaves
 * (constants and array elements) in the order they are first used. The interpreters and the
 * register allocator index their tables by these numbers, so that a short kernel at the far end of
 * a long array costs little.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_NODES_H
#define TARGET_NODES_H

#include "tape/tape.h"
#include "target/code_pool.h"

typedef struct tape_nodes {
    int n_values, n_leaves; // node i is value i, node n_values + k is leaf k
    tape_ref *leaf;         // n_leaves
    uint32_t (*operand)[4]; // per instruction; a store has its value first
    uint32_t *arg;          // per call argument
    uint32_t (*region)[2];  // per region: the operands of its condition
} tape_nodes;

/* Fills *n with memory of the pool; false when there is none. */
bool tape_nodes_of(const tape *t, pool *p, tape_nodes *n);

/* Operands of an instruction in `operand`: 0 for calls and results. */
static inline int tape_n_operands(const tape_ins *in)
{
    return in->op == TAPE_STORE ? 1 : tape_op_operands((tape_op)in->op);
}

#endif
