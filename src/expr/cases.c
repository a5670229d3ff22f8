/* Choices by a whole number: what a subscript that moves makes of an array.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

/* Is it `by == k`? */
static bool is_case(const expr_pool *p, expr condition, expr *by, double *k)
{
    const expr_node *n = expr_at(p, condition);
    while (n->op == EXPR_NOEVENT) n = expr_at(p, n->u.arg[0]);
    if (n->op != EXPR_EQ) return false;
    for (int i = 0; i < 2; i++) {
        *by = n->u.arg[1 - i];
        if (expr_number(p, n->u.arg[i], k)) return true;
    }
    return false;
}

bool expr_find_cases(const expr_pool *p, expr e, int least, arena *a, expr_cases *out)
{
    *out = (expr_cases){.other = e, .literal = expr_at(p, e)->type != TYPE_STRING};
    for (;; out->other = expr_at(p, out->other)->u.arg[2]) {
        const expr_node *n = expr_at(p, out->other);
        expr by;
        double k;
        if (n->op != EXPR_IF || !is_case(p, n->u.arg[0], &by, &k)) break;
        if (k != out->n + 1 || (out->n && by != out->by)) break;
        out->by = by;
        out->n++;
        out->literal = out->literal && expr_is_literal(p, n->u.arg[1]);
    }
    if (out->n < least) return false;
    out->literal = out->literal && expr_is_literal(p, out->other);
    expr *of = arena_array(a, expr, out->n);
    for (int i = 0; i < out->n; i++, e = expr_at(p, e)->u.arg[2]) of[i] = expr_at(p, e)->u.arg[1];
    out->of = of;
    return true;
}
