/* Expressions of one pool, made in another.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

void expr_bring_init(expr_bring *b, expr_pool *to, const expr_pool *from, const int *var,
                     arena *scratch)
{
    *b = (expr_bring){.to = to, .from = from, .var = var, .scratch = scratch};
    b->made = arena_sparse(scratch, expr, from->n);
}

/* Its arguments are there. */
static expr bring_node(expr_bring *b, expr e)
{
    expr_node key = b->from->node[e];
    int n = expr_arity(b->from, e);
    const expr *old = expr_args(b->from, e);
    if (key.op == EXPR_VAR) key.u.var.index = b->var[key.u.var.index];
    if (operator_arities[key.op] >= 0) {
        for (int i = 0; i < n; i++) key.u.arg[i] = b->made[old[i]];
        return expr_intern(b->to, &key, NULL);
    }
    arena_mark mark = arena_here(b->scratch);
    expr *args = arena_array(b->scratch, expr, n);
    for (int i = 0; i < n; i++) args[i] = b->made[old[i]];
    expr made = expr_intern(b->to, &key, args);
    arena_release(b->scratch, mark);
    return made;
}

expr expr_brought(expr_bring *b, expr e)
{
    if (!e || b->made[e]) return b->made[e];
    if (!expr_arity(b->from, e)) return b->made[e] = bring_node(b, e);
    arena_mark mark = arena_here(b->scratch);
    int_array all = expr_reach(b->from, &e, 1, b->scratch);
    for (int i = 0; i < all.n; i++)
        if (!b->made[all.at[i]]) b->made[all.at[i]] = bring_node(b, all.at[i]);
    arena_release(b->scratch, mark);
    return b->made[e];
}
