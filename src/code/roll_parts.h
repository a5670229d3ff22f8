/* Re-rolling, its parts: shapes of expressions, for who finds them (roll_shape.c), who knows them from
 * others (roll_kin.c) and who makes kernels of them (roll.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_ROLL_PARTS_H
#define CODE_ROLL_PARTS_H

#include "code/lower.h"

enum {
    ROLL_MIN = 8,       // smaller groups share subexpressions in one kernel instead
    ROLL_NODES = 40000, // larger expressions are not looked at; a row of a heat exchanger has 5,000
    ROLL_LARGE =
        200, // nodes from which on numbers may differ and maps are joined: choice, some microseconds to compile
    ROLL_VARYING_MAX = 8, // numbers of a shape that differ
};

typedef struct roll_shape {
    uint64_t hash;
    int writing, n_writing;     // in words
    int first, last, n_members; // members are linked by next
    int n_slots;
    int nodes, n_nodes;                       // of the first member, in the order of the walk
    int varying[ROLL_VARYING_MAX], n_varying; // of these, numbers that others have others for
    bool mapped;
    bool unfolded; // a variable may be in several slots, and nodes are those of a tree
} roll_shape;

/* A number of a member that is not that of the first. */
typedef struct roll_number {
    int node; // by number of the walk
    double value;
} roll_number;

typedef struct roll_lookup roll_lookup; // private to roll_shape.c

typedef struct roller {
    lowering *l;
    arena *a;              // for all of it
    ARRAY(uint64_t) now;   // writing of the present expression
    ARRAY(tape_ref) slots; // of all members, one after the other
    ARRAY(roll_shape) shapes;
    int *next, *slot_at, *of;   // by root: next member, its first slot, its shape (-1: none)
    int *number_at, *n_numbers; // by root: its numbers in `own`
    ARRAY(roll_number) own;
    int_array nodes; // of the shapes: a node each,
    int_array args;  // ... where the numbers of its arguments begin in `numbers`, or its slot
    int_array numbers;
    int_array bound; // by number of a node: what it is in the present expression; 0: not known yet
    roll_lookup *lookup;
    const lower_origin *origins;
    expr *roots;
    const int *target;
    const span *at;
    int n;
} roller;

/* ---- shapes (roll_shape.c) ------------------------------------------------------------------- */

/* r has l, a, roots and n: no root is of a shape yet. */
void roll_begin(roller *r);

/* The canonical writing of an expression, and its slots behind those of members; false when it is too large. */
bool roll_write_down(roller *r, expr root, int first_slot);

void roll_add_member(roller *r, int shape_at, int i);

/* Is root i of one of the shapes that were met last? limit: larger shapes are not looked at. Of those most is the same,
 * and outlines tell them apart sooner. */
bool roll_match_recent(roller *r, int i, int limit);

/* Root i is written down, and is of the shape of that writing, which may be a new one. */
void roll_classify(roller *r, int i);

/* By root that is of no shape yet: may it be one of a group? Its outline is that of others. */
const bool *roll_candidates(const roller *r, uint32_t *outline);

/* Classify roots that are of no shape yet and may be one of a group. */
void roll_classify_outlines(roller *r);

/* ---- kin (roll_kin.c) ------------------------------------------------------------------------ */

/* Root i is written out, if it is not yet. */
void roll_write(roller *r, int i);

/* Classify roots that are kin of others, of one of the last shapes, or small enough to be written down at once. */
void roll_classify_kin(roller *r);

#endif
