/* Calls of one function that are made at once.
 *
 * A call of our own functions takes four numbers in nearly the time of one (base/elementary.h), but in a kernel they stand one
 * by one. So what leads to calls is computed first, round by round, and calls whose operands are there when the first of them
 * is made join it, wherever they stand. Sines and cosines are one function. Values do not change, nor does the order of calls
 * of routines and of stores.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_GROUPS_H
#define TARGET_GROUPS_H

#include "target/nodes.h"

enum { GROUP_MOST = 4, GROUP_TOGETHER = -1 };

typedef struct call_group {
    tape_op op; // TAPE_SIN: sines, or sines and cosines; TAPE_COS: cosines alone
    int n;      // operands
    uint32_t node[GROUP_MOST];
    int value[GROUP_MOST][2]; // their instructions, of a cosine the second; -1: none
    tape_ref second; // the same second operand of all, a constant; TAPE_NONE: there is none
    bool both;       // sines and cosines are asked for
} call_group;

typedef struct call_groups {
    call_group *group;
    int *
        of; // per instruction: the group that it begins, plus one; GROUP_TOGETHER: it belongs to one that began before;
            // 0: none. NULL: there are none
} call_groups;

/* The same tape with what leads to calls in front, in memory of the pool; t itself where that changes nothing. NULL: no
 * memory. */
const tape *groups_order(const tape *t, pool *temp);

/* Groups of up to `most` operands. False: no memory. */
bool groups_find(const tape *t, const tape_nodes *nodes, int most, pool *temp, call_groups *g);

#endif
