/* Lowering of the system of start values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/initial.h"

enum {
    SETTABLE_MAX = 500, // up to so many eliminated variables can be given start values at run time
    GUIDES_MAX = 5000   // ... and with the start values that they have say where to begin
};

static bool has_homotopy(const expr_pool *p)
{
    for (int i = 1; i < p->n; i++)
        if (p->node[i].op == EXPR_HOMOTOPY) return true;
    return false;
}

/* What the terms of a sum are divided by, multiplied: 0 where that is a number. */
static expr denominators(const lowering *l, expr e)
{
    const expr_node *n = expr_at(l->p, e);
    if (n->op == EXPR_NEG) return denominators(l, expr_args(l->p, e)[0]);
    if (n->op == EXPR_DIV) {
        expr by = expr_args(l->p, e)[1];
        return expr_is_literal(l->p, by) ? 0 : by;
    }
    if (n->op != EXPR_ADD && n->op != EXPR_SUB) return 0;
    expr a = denominators(l, expr_args(l->p, e)[0]), b = denominators(l, expr_args(l->p, e)[1]);
    return !a || a == b ? b : !b ? a : expr_mul(l->p, a, b);
}

/* a - b/c is multiplied by c, so that an iteration does not see the pole, beyond which the solution
 * may lie: what is left of 2 = 1/c is a straight line. At c = 0 there is still no value. */
static expr initial_residual(const lowering *l, const structure_equation *e)
{
    expr f = expr_sub(l->p, e->lhs, e->rhs), by = denominators(l, f);
    return by ? expr_mul(l->p, f, by) : f;
}

static bool lower_guesses(lowering *l, code_initial *x)
{
    const structure *s = l->s;
    if (!s->guesses.n) return true;
    int *unknown = arena_array(l->scratch, int, s->entries.n + 1);
    for (int i = 0; i < l->f->unknowns.n; i++)
        if (l->f->unknowns.at[i].entry >= 0) unknown[l->f->unknowns.at[i].entry] = i + 1;
    expr *roots = arena_array(l->scratch, expr, s->guesses.n + 1);
    span *at = arena_array(l->scratch, span, s->guesses.n + 1);
    x->guess_of = arena_array(l->a, int, s->guesses.n + 1);
    for (int k = 0; k < s->guesses.n; k++) {
        int entry = structure_entry_of(s, s->guesses.at[k].lhs);
        if (entry < 0 || !unknown[entry]) continue;
        roots[x->n_guesses] = s->guesses.at[k].rhs;
        at[x->n_guesses] = s->guesses.at[k].at;
        x->guess_of[x->n_guesses++] = unknown[entry] - 1;
    }
    code_listed list = {"guesses", "this start value", CODE_SELDOM, &x->guess};
    return !x->n_guesses || code_function(l, &list, roots, at, x->n_guesses);
}

bool code_lower_initial(lowering *l, const vinc_pattern *jac, code_initial *x)
{
    const structure *s = l->s;
    int n = l->f->unknowns.n;
    // Rows beyond those of the formulation.
    int n_assigned = l->f->assignments.n;
    int cap = s->initial.n + s->surplus.n + n_assigned;
    x->rows = arena_array(l->a, code_extra, cap);
    expr *roots = arena_array(l->scratch, expr, cap);
    span *at = arena_array(l->scratch, span, cap);
    for (int k = 0; k < s->initial.n + s->surplus.n; k++) {
        bool surplus = k >= s->initial.n;
        const structure_equation *e =
            surplus ? &s->surplus.at[k - s->initial.n] : &s->initial.at[k];
        at[x->n_extra] = e->at;
        roots[x->n_extra] = initial_residual(l, e);
        x->rows[x->n_extra++] = (code_extra){-1, e->at};
    }
    for (int k = 0; k < n_assigned; k++) {
        int entry = l->f->assignments.at[k].entry;
        const structure_attributes *e = structure_attributes_of(s, entry);
        bool guide = e->start && !structure_order_of(s, entry) && n_assigned <= GUIDES_MAX;
        if (e->fixed != 1 && n_assigned > SETTABLE_MAX && !guide) continue;
        at[x->n_extra] = e->at;
        roots[x->n_extra] = s->entries.at[entry].var;
        x->rows[x->n_extra++] = (code_extra){entry, e->at};
    }
    x->rows = arena_resize(l->a, x->rows, (size_t)cap * sizeof *x->rows,
                           (size_t)x->n_extra * sizeof *x->rows);
    l->continuation = true;
    code_listed extra = {"initial equations", "this initial equation", CODE_OFTEN, &x->extra},
                extra_jac = {"Jacobian of initial equations", extra.what, CODE_OFTEN,
                             &x->extra_jac};
    bool ok = code_function(l, &extra, roots, at, x->n_extra);
    if (ok && x->n_extra)
        code_derivative(l, &extra_jac, x->extra.program, x->n_extra, n, &x->extra_pattern);
    x->jac = *jac;
    x->continuation = has_homotopy(l->p);
    if (ok && x->continuation && n) {
        // The memo holds nodes without blending: a lowering of its own.
        lowering h;
        lower_init(&h, l->f, l->list, l->a, l->scratch, l->sink);
        h.continuation = true;
        expr *f = arena_array(l->scratch, expr, n);
        for (int i = 0; i < n; i++) f[i] = form_function(l->f, i);
        code_listed residual = {"residual with homotopy", "this equation", CODE_OFTEN,
                                &x->residual},
                    jacobian = {"Jacobian with homotopy", "this equation", CODE_OFTEN,
                                &x->jacobian};
        ok = code_function(&h, &residual, f, NULL, n);
        if (ok) code_derivative(&h, &jacobian, x->residual.program, n, n, &x->jac);
    }
    l->continuation = false;
    return ok && lower_guesses(l, x) && code_lower_mass(l, &x->mass);
}

bool code_lower_map(lowering *l, const form_system *to, code_initial *x)
{
    const structure *s = to->s;
    expr *roots = arena_array(l->scratch, expr, 2 * to->unknowns.n);
    x->n_map = to->unknowns.n;
    x->map_y = arena_array(l->a, int, to->unknowns.n);
    x->map_yp = arena_array(l->a, int, to->unknowns.n);
    int n = 0;
    for (int i = 0; i < to->unknowns.n; i++) {
        int entry = to->unknowns.at[i].entry;
        x->map_y[i] = x->map_yp[i] = -1;
        if (entry < 0) continue;
        x->map_y[i] = n;
        roots[n++] = s->entries.at[entry].var;
        if (structure_order_of(s, entry) == s->unknowns.at[s->entries.at[entry].unknown].d)
            continue;
        x->map_yp[i] = n;
        roots[n++] = s->entries.at[entry + 1].var;
    }
    // Where a higher index is kept every row is mapped (run/rates.c).
    code_when when = s->index > 1 && !to->kind->explicit ? CODE_OFTEN : CODE_SELDOM;
    code_listed of = {"formulation that is integrated", "this variable", (uint8_t)when, &x->map};
    return code_function(l, &of, roots, NULL, n);
}
