/* Parameters that initial equations give their values.
 *
 * parameter Integer n(fixed = false); initial equation n = f(p): there is nothing to solve, n is
 * computed from other parameters. What holds such an equation is its binding from then on. Whole
 * numbers, Booleans and enumerations only: a Real one is an unknown of the start, which any
 * equations may determine.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"

static bool is_open(const flat_model *m, int v)
{
    const flat_var *x = flat_at(m, v);
    return x->variability == FLAT_PARAMETER && !x->binding && x->attr && x->attr->fixed == 0;
}

/* The parameter that e is, if it is one that waits for a value; -1. */
static int waiting(const flat_model *m, expr e)
{
    const expr_node *n = expr_at(m->pool, e);
    if (n->op != EXPR_VAR || n->type == TYPE_REAL || n->type == TYPE_STRING) return -1;
    int v = n->u.var.index;
    return v < m->vars.n && is_open(m, v) ? v : -1;
}

static void flat_bind(flat_model *m, int v, expr value)
{
    flat_var x = *flat_at(m, v);
    x.binding = value;
    flat_vars_put(&m->vars, m->pool->a, v, x);
}

static bool is_computable(const flat_model *m, expr e, arena *scratch)
{
    int_array nodes = expr_reach(m->pool, &e, 1, scratch);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *n = expr_at(m->pool, nodes.at[i]);
        if (n->op == EXPR_TIME || operator_class((expr_op)n->op) == CLASS_HYBRID) return false;
        if (n->op != EXPR_VAR) continue;
        int v = n->u.var.index;
        if (v >= m->vars.n || flat_at(m, v)->variability > FLAT_PARAMETER || is_open(m, v))
            return false;
    }
    return true;
}

void flat_bind_parameters(flat_model *m, arena *scratch)
{
    flat_equations *list = &m->initial_equations;
    for (bool more = true; more;) {
        more = false;
        int kept = 0;
        for (int i = 0; i < list->n; i++) {
            flat_equation e = list->at[i];
            arena_mark mark = arena_here(scratch);
            int v = waiting(m, e.lhs);
            expr value = e.rhs;
            if (v < 0) v = waiting(m, e.rhs), value = e.lhs;
            bool bound = v >= 0 && is_computable(m, value, scratch);
            arena_release(scratch, mark);
            if (bound) flat_bind(m, v, value);
            else list->at[kept++] = e;
            more |= bound;
        }
        list->n = kept;
    }
}
