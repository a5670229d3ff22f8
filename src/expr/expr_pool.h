/* What the files of this folder share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXPR_POOL_H
#define EXPR_POOL_H

#include "expr/expr.h"

enum { // Calls written out inside one another before a function counts as endlessly recursive.
    EXPR_CALL_DEPTH = 200,
    EXPR_CALL_FREE_DEPTH = 8,      // calls this shallow are not counted ...
    EXPR_CALL_BUDGET = 100 * 1000, // ... deeper ones are, per operation
    EXPR_MAX_ORDER = 1000          // of differentiation
};

static inline expr_op expr_op_of(const expr_pool *p, expr e)
{
    return (expr_op)p->node[e].op;
}

static inline expr_type expr_type_of(const expr_pool *p, expr e)
{
    return (expr_type)p->node[e].type;
}

/* Give back temporary memory; not when it was taken from the pool's own arena, where nodes lie on
 * top of it. */
static inline void expr_release(const expr_pool *p, arena *scratch, arena_mark mark)
{
    if (scratch != p->a) arena_release(scratch, mark);
}

/* The node with this content, found or made; `args` holds the arguments of a node of variable
 * arity. No simplification. */
expr expr_intern(expr_pool *p, const expr_node *key, const expr *args);

/* Literal of the given type; numbers are rounded to Integer where the type asks for it. */
expr expr_literal(expr_pool *p, expr_type type, int enum_id, double x);

/* The literal that an operator makes of literals; 0 when it must stay (not finite, Integer
 * overflow, no value at compile time). */
expr expr_fold(expr_pool *p, expr_op op, expr_type type, int enum_id, const expr *args, int n);

/* The same operator with other arguments. */
expr expr_rebuild(expr_pool *p, expr e, const expr *args);

/* Derivative of node e along one direction, given those of its arguments (p->zero where there is
 * none). Not for leaves, DER, DELAY and CALL. */
expr expr_diff_rule(expr_pool *p, expr e, const expr *dargs);

/* A map from nodes to ints (small, in an arena): the memory of one walk. */
typedef struct idmap {
    arena *a;
    struct idmap_slot {
        int key, value; // key 0: free
    } * slots;
    uint32_t cap, n;
} idmap;

void idmap_init(idmap *m, arena *a);
const int *idmap_find(const idmap *m, int key); // NULL if absent
void idmap_put(idmap *m, int key, int value);

void expr_sort(int *x, int n); // ascending, in place

/* Is a literal number equal to x? */
static inline bool expr_is_number(const expr_pool *p, expr e, double x)
{
    const expr_node *n = &p->node[e];
    return (n->op == EXPR_REAL && n->u.real == x) ||
           (n->op == EXPR_INTEGER && (double)n->u.integer == x);
}

#endif
