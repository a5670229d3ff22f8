/* In which branches of selects a value is needed.
 *
 * That is found backwards: by every use, the branches it stands in, from the outermost to the innermost; by
 * several uses, what these have in common.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_BRANCHES_H
#define TAPE_BRANCHES_H

#include "base/map.h"
#include "tape/builder.h"

enum { BRANCH_NO_USE = -1, BRANCH_ALWAYS = 0, BRANCHES_SHARED = TAPE_GUARDS_MAX };

/* A branch: a condition and whether it holds, in the branch around it. Selects with the same
 * condition have the same branches. */
typedef struct tape_branch {
    int around, depth;
    uint32_t op; // of the selects, and their operands
    tape_ref a, b;
    bool yes;
    int next; // with the same key
} tape_branch;

typedef struct branch_search {
    const tape_builder *b;
    int *where; // by instruction: the innermost branch that all its uses are in, or BRANCH_NO_USE
    ARRAY(tape_branch) branches;
    map known; // by key: the first branch
} branch_search;

branch_search branches_find(const tape_builder *b);

#endif
