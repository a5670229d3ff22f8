/* Parameters that the start decides: fixed = false, or bound to one that is.
 *
 * A Real one is an unknown that does not move, der(p) = 0. One of whole numbers or conditions is a
 * discrete variable that keeps its value, n = pre(n). An attribute that depends on such a parameter is
 * not known before the start: x(start = p, fixed = true) is an initial equation x = p, and as a guess p
 * counts with its own start value until it is found itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

static bool depends_on_open(analysis *w, expr e)
{
    int_array vars = {0};
    if (e) dag_vars(&w->d, e, &vars);
    for (int k = 0; k < vars.n; k++)
        if (w->open[expr_at(w->p, vars.at[k])->u.var.index]) return true;
    return false;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static expr open_guess(void *user, expr e)
{
    const analysis *w = user;
    const expr_node n = *expr_at(w->p, e);
    if (n.op != EXPR_VAR || !w->open[n.u.var.index]) return 0;
    const flat_var *x = flat_at(w->m, n.u.var.index);
    expr value = x->binding ? x->binding : x->attr ? x->attr->start : 0;
    if (value) return value;
    return n.type == TYPE_BOOLEAN   ? w->p->no
           : n.type == TYPE_INTEGER ? expr_integer(w->p, 0)
           : n.type == TYPE_ENUM    ? 0
                                    : w->p->zero;
}

/* With start values in place of the parameters; of a chain of them one link at a time. */
static expr with_guesses(analysis *w, dag_rewriter *link, expr e)
{
    enum { LINKS_MAX = 50 };
    for (int k = 0; k < LINKS_MAX && depends_on_open(w, e); k++) e = dag_rewrite(link, e);
    return depends_on_open(w, e) ? 0 : e;
}

static void open_attributes(analysis *w, dag_rewriter *link, int v)
{
    const flat_var *x = flat_at(w->m, v);
    const flat_attributes *old = x->attr;
    bool late = depends_on_open(w, old->start);
    if (!late && !depends_on_open(w, old->min) && !depends_on_open(w, old->max) &&
        !depends_on_open(w, old->nominal))
        return;
    flat_attributes *now = arena_new(w->s->a, flat_attributes);
    *now = *old;
    now->start = with_guesses(w, link, old->start);
    now->min = with_guesses(w, link, old->min);
    now->max = with_guesses(w, link, old->max);
    now->nominal = with_guesses(w, link, old->nominal);
    flat_var with = *x;
    with.attr = now;
    flat_vars_put(&w->m->vars, w->a, v, with);
    x = flat_at(w->m, v);
    // A discrete variable starts from its start value, fixed or not.
    bool discrete = x->variability == FLAT_DISCRETE || x->type != TYPE_REAL;
    if (!late || x->variability <= FLAT_PARAMETER) return;
    expr var = expr_var(w->p, v, 0, (expr_type)x->type, x->decl->enum_id);
    structure_equation guess = {.lhs = var, .rhs = old->start, .at = x->decl->at};
    if (!discrete) array_push(w->s->a, &w->s->guesses, guess);
    if (old->fixed != 1 && !discrete) return;
    now->fixed = 0;
    flat_equation e = {.lhs = var, .rhs = old->start, .at = x->decl->at};
    array_push(w->s->a, &w->m->initial_equations, e);
}

/* ---- which they are, and their equations ------------------------------------------------------ */

void structure_find_open(analysis *w)
{
    int n = w->s->n_flat;
    w->open = arena_array(w->scratch, char, n);
    bool any = false;
    for (int v = 0; v < n; v++) {
        const flat_var *x = flat_at(w->m, v);
        bool number = x->type == TYPE_REAL || x->type == TYPE_INTEGER || x->type == TYPE_BOOLEAN ||
                      x->type == TYPE_ENUM;
        if (x->variability != FLAT_PARAMETER || !number || x->binding) continue;
        if (!x->attr || x->attr->fixed != 0 || x->flags & FLAT_STRUCTURAL) continue;
        w->open[v] = any = true;
    }
    for (bool more = any; more;) {
        more = false;
        for (int v = 0; v < n; v++) {
            const flat_var *x = flat_at(w->m, v);
            if (w->open[v] || x->variability != FLAT_PARAMETER || !x->binding) continue;
            if (depends_on_open(w, x->binding)) w->open[v] = more = true;
        }
    }
    if (any) flat_own(w->m, w->a);
    dag_rewriter link; // one for all: its memory is as large as the pool
    dag_rewriter_init(&link, &w->d, w);
    link.before = open_guess;
    for (int v = 0; v < n && any; v++)
        if (flat_at(w->m, v)->attr) open_attributes(w, &link, v);
}

void structure_add_open(analysis *w)
{
    for (int v = 0; v < w->s->n_flat; v++) {
        if (!w->open[v]) continue;
        const flat_var *x = flat_at(w->m, v);
        bool moves = x->type == TYPE_REAL;
        expr var = expr_var(w->p, v, 0, (expr_type)x->type, x->decl->enum_id);
        structure_equation e = {.lhs = var, .rhs = x->binding, .flat = -1, .at = x->decl->at};
        if (!x->binding && moves) {
            e.lhs = expr_var(w->p, v, 1, TYPE_REAL, 0);
            e.rhs = w->p->zero;
            w->s->n_open++;
        } else if (!x->binding) {
            e.rhs = expr_1(w->p, EXPR_PRE, var);
        }
        if (moves) array_push(w->scratch, &w->eqs, e);
        else array_push(w->scratch, &w->discrete, e);
    }
}
