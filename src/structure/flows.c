/* Quantities between two flows.
 *
 * Two components in a row say y = semiLinear(x, a, s) and y = semiLinear(x, s, b): what flows carries a
 * in one direction, b in the other, and s is that of the side it comes from. Solved for y and s as they
 * stand they are singular where nothing flows. By the rule of the Modelica Language Specification,
 * section 3.7.4.4, they stand for
 *
 *     y = semiLinear(x, a, b);  s = if x >= 0 then a else b;
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

/* y = semiLinear(x, up, down), whatever the signs with which it was written. */
typedef struct flow {
    int equation, next; // next: with the same key, -1: none
    expr y, x, up, down;
} flow;

static bool read_flow(const analysis *w, expr y, expr f, flow *out)
{
    const expr_node *n = expr_at(w->p, f);
    bool negated = n->op == EXPR_NEG;
    if (negated) n = expr_at(w->p, n->u.arg[0]);
    if (n->op != EXPR_SEMILINEAR) return false;
    *out = (flow){.x = n->u.arg[0], .up = n->u.arg[1], .down = n->u.arg[2]};
    const expr_node *x = expr_at(w->p, out->x);
    if (x->op == EXPR_NEG) { // semiLinear(-x, a, b) = -semiLinear(x, b, a)
        expr up = out->up;
        out->x = x->u.arg[0];
        out->up = out->down;
        out->down = up;
        negated = !negated;
    }
    out->y = negated ? expr_neg(w->p, y) : y;
    return true;
}

static bool is_variable(const analysis *w, expr e)
{
    const expr_node *n = expr_at(w->p, e);
    return n->op == EXPR_VAR && !n->u.var.order && n->u.var.index < w->s->n_flat &&
           w->s->vars[n->u.var.index].role == STRUCTURE_UNKNOWN;
}

static void write_flow(analysis *w, const flow *f)
{
    structure_equation *e = &w->eqs.at[f->equation];
    e->lhs = f->y;
    e->rhs = expr_3(w->p, EXPR_SEMILINEAR, f->x, f->up, f->down);
}

/* b continues a: the quantity between them is given by itself, and b is gone. */
static bool join_flows(analysis *w, flow *a, const flow *b)
{
    if (a->y != b->y || a->x != b->x || a->down != b->up || !is_variable(w, a->down)) return false;
    if (a->down == a->up || a->down == b->down) return false;
    structure_equation *e = &w->eqs.at[b->equation];
    structure_uncount(w);
    expr out = expr_2(w->p, EXPR_GE, a->x, w->p->zero);
    e->lhs = a->down;
    e->rhs = expr_3(w->p, EXPR_IF, out, a->up, b->down);
    a->down = b->down;
    write_flow(w, a);
    return true;
}

void structure_join_flows(analysis *w)
{
    arena_mark here = arena_here(w->scratch);
    ARRAY(flow) list = {0};
    map first; // by y and x: the last flow + 1
    map_init(&first, w->scratch);
    for (int i = 0; i < w->eqs.n; i++) {
        const structure_equation *e = &w->eqs.at[i];
        flow f;
        if (!e->lhs) continue;
        if (!read_flow(w, e->lhs, e->rhs, &f) && !read_flow(w, e->rhs, e->lhs, &f)) continue;
        f.equation = i;
        uint64_t *slot = map_put(&first, (uint64_t)(uint32_t)f.y << 32 | (uint32_t)f.x);
        f.next = (int)*slot - 1;
        array_push(w->scratch, &list, f);
        *slot = (uint64_t)list.n;
        // Each may continue one before it, or the other way round, and those that are joined further ones.
        for (int k = list.n - 1, q = f.next; q >= 0;) {
            flow *now = &list.at[k], *old = &list.at[q];
            bool after = join_flows(w, old, now);
            if (!after && !join_flows(w, now, old)) {
                q = old->next;
                continue;
            }
            // The one that is gone leaves the chain: `k` stands for both at the head of it.
            if (after) {
                int equation = old->equation;
                expr up = old->up, down = old->down;
                now->equation = equation;
                now->up = up;
                now->down = down;
            }
            for (int *at = &list.at[k].next; *at >= 0; at = &list.at[*at].next)
                if (*at == q) {
                    *at = list.at[q].next;
                    break;
                }
            q = list.at[k].next; // from the first again
        }
    }
    arena_release(w->scratch, here);
}
