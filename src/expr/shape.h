/* Shapes: expressions that differ in their variables only, written down once.
 *
 * A shape is a list of operations over slots. Expressions of a shape have a different variable in each
 * of its slots and all else in common, so that what is true of one by the way it is built is true of
 * all: a question is asked once, and its answer told by slots. The order of slots is that of a walk
 * from left to right.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXPR_SHAPE_H
#define EXPR_SHAPE_H

#include "expr/expr.h"

enum {
    SHAPE_SLOTS = 32, // at most
    SHAPE_ROOM = 128, // numbers, slots and operations
    SHAPE_ROOTS = 2
};

typedef struct shape_step {
    uint8_t op, type;
    uint16_t enum_id;
    uint8_t arg[3];   // a number, a slot or an operation, see at_slot and at_step
    uint8_t n, first; // arguments; bit k: argument k is met here first, on the way down
} shape_step;

typedef struct expr_shape {
    int n_slots, n_steps, n_roots;
    int at_slot, at_step;             // before them are the numbers
    const expr *numbers;              // and whatever else is no variable and has no arguments
    const uint8_t *types;             // of slots
    const shape_step *steps;          // arguments before users
    uint8_t roots[SHAPE_ROOTS], down; // down: bit k: root k is met first there
    bool plain;                       // sums, products, powers and smooth functions only
} expr_shape;

/* The shape of some expressions together; NULL: one that is too large, or in which variables may mean
 * something else (pre, calls). slots: SHAPE_SLOTS VAR nodes, filled. */
const expr_shape *shape_of(const expr_pool *p, const expr *roots, int n, arena *a, expr *slots);
/* Expressions that are made of given ones: a shape for shape_make whose slots these are, whatever they
 * are. NULL also where another variable occurs. */
const expr_shape *shape_over(const expr_pool *p, const expr *roots, int n, const expr *given,
                             int n_given, arena *a);
/* Are these of that shape? Their slots are filled then. */
bool shape_match(const expr_pool *p, const expr_shape *s, const expr *roots, expr *slots);
/* Is there an operation in it beside sums, differences and changes of sign? */
bool shape_is_more_than_a_sum(const expr_shape *s);
/* Make the expressions for other slots. They are of the shape but for the order of the arguments of sums
 * and products that are there in another one already: then it answers false. */
bool shape_make(expr_pool *p, const expr_shape *s, const expr *slots, expr *roots);
/* ... in another pool than that of the shape. */
void shape_write(expr_pool *p, const expr_pool *of, const expr_shape *s, const expr *slots,
                 expr *roots);
/* What rewriting makes of them when other expressions take the place of slots that `changed` tells:
 * operations on these are simplified, all others are as they were. root_changed: filled. */
void shape_rewrite(expr_pool *p, const expr_shape *s, const expr *slots, const bool *changed,
                   expr *roots, bool *root_changed);

#endif
