/* Terms that vanish for good.
 *
 * A final parameter that is bound to 0 takes its terms out of the equations, and a variable that is
 * thereby equal to 0 takes out its own: a capacitor without capacitance has no state, a transistor
 * without transit time no stored charge. Left in, such a term would count as a derivative by
 * structure, and the system for it would be singular in numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

static bool is_zero(const analysis *w, expr e)
{
    double x;
    return expr_number(w->p, e, &x) && x == 0;
}

/* Final parameters bound to 0 go to s. */
static bool vanish_begin(analysis *w, expr_subst *s)
{
    bool any = false;
    for (int v = 0; v < w->s->n_flat; v++) {
        const flat_var *f = flat_at(w->m, v);
        bool final = w->s->vars[v].role == STRUCTURE_PARAMETER && f->flags & FLAT_FINAL;
        if (!final || f->type != TYPE_REAL || !f->binding || !is_zero(w, f->binding)) continue;
        expr_subst_set(s, expr_var(w->p, v, 0, TYPE_REAL, 0), w->p->zero);
        any = true;
    }
    return any;
}

/* v = 0 or 0 = v, v an unknown that is not yet among the zeros: its number, or -1. */
static int vanishing(const analysis *w, const structure_equation *e, const char *gone)
{
    if (!e->lhs) return -1; // there is an operation in it
    expr var = is_zero(w, e->rhs) ? e->lhs : is_zero(w, e->lhs) ? e->rhs : 0;
    if (!var) return -1;
    const expr_node *n = expr_at(w->p, var);
    if (n->op != EXPR_VAR || n->u.var.order || w->column[n->u.var.index] < 0) return -1;
    return gone[n->u.var.index] ? -1 : n->u.var.index;
}

static bool is_gone(const analysis *w, expr e, const char *gone)
{
    const expr_node *n = expr_at(w->p, e);
    if (n->op == EXPR_NEG) n = expr_at(w->p, n->u.arg[0]);
    return n->op == EXPR_VAR && !n->u.var.order && gone[n->u.var.index];
}

/* y = semiLinear(x, a, b) with x = 0 and y = 0 says nothing and leaves a or b open: it stands for
 * a = b then (Modelica Language Specification, section 3.7.4.4). */
void structure_no_flow(analysis *w)
{
    arena_mark here = arena_here(w->scratch);
    char *gone = arena_array(w->scratch, char, w->s->n_flat);
    for (int i = 0; i < w->eqs.n; i++) {
        int v = vanishing(w, &w->eqs.at[i], gone);
        if (v >= 0) gone[v] = true;
    }
    for (int i = 0; i < w->eqs.n; i++) {
        structure_equation *e = &w->eqs.at[i];
        if (!e->lhs) continue;
        bool left = expr_at(w->p, e->lhs)->op == EXPR_SEMILINEAR;
        const expr_node *f = expr_at(w->p, left ? e->lhs : e->rhs);
        if (f->op != EXPR_SEMILINEAR || !is_gone(w, f->u.arg[0], gone)) continue;
        if (!is_gone(w, left ? e->rhs : e->lhs, gone)) continue;
        expr a = f->u.arg[1], b = f->u.arg[2];
        e->lhs = a;
        e->rhs = b;
    }
    arena_release(w->scratch, here);
}

void structure_vanish(analysis *w)
{
    enum { PASSES_MAX = 20 }; // each follows the zeros of the last one a step further
    arena_mark here = arena_here(w->scratch);
    char *gone = arena_array(w->scratch, char, w->s->n_flat);
    expr_subst s;
    expr_subst_init(&s, w->p, w->scratch);
    bool more = vanish_begin(w, &s);
    if (more) structure_write_all(w);
    for (int pass = 0; pass < PASSES_MAX && more; pass++) {
        more = false;
        for (int i = 0; i < w->eqs.n; i++) {
            structure_equation *e = &w->eqs.at[i];
            expr lhs = expr_subst_apply(&s, e->lhs), rhs = expr_subst_apply(&s, e->rhs);
            // The equation that says v = 0 stays; one that would say nothing, too.
            if (is_zero(w, lhs) && is_zero(w, rhs)) continue;
            e->lhs = lhs;
            e->rhs = rhs;
        }
        expr_subst_init(&s, w->p, w->scratch);
        for (int i = 0; i < w->eqs.n; i++) {
            int v = vanishing(w, &w->eqs.at[i], gone);
            if (v < 0) continue;
            gone[v] = more = true;
            for (int order = 0; order < 2; order++)
                expr_subst_set(&s, expr_var(w->p, v, order, TYPE_REAL, 0), w->p->zero);
        }
    }
    arena_release(w->scratch, here);
}
