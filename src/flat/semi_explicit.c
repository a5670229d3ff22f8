/* The semi-explicit form x' = f(x, z, t), 0 = g(x, z, t) of a model.
 *
 * Derivatives of higher order become velocities (first_order.c). An equation that holds one
 * derivative, linearly with a constant coefficient, is solved for it. Every other derivative gets a
 * name of its own: der(x) = z, and z stands for it in the equations that hold it. So a fully
 * implicit system F(x', x, t) = 0 becomes x' = z, 0 = F(z, x, t).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct conversion {
    flat_model *m;
    arena *a, *scratch;
    bool *solved; // by variable: an equation gives its derivative
} conversion;

// The one derivative in an equation; 0: none or several.
static expr lone_derivative(conversion *c, expr e)
{
    int_array vars = expr_vars(c->m->pool, &e, 1, c->scratch);
    expr found = 0;
    for (int k = 0; k < vars.n; k++) {
        if (expr_at(c->m->pool, vars.at[k])->u.var.order != 1) continue;
        if (found) return 0;
        found = vars.at[k];
    }
    return found;
}

static bool semi_explicit_solve(conversion *c, flat_equation *q)
{
    expr_pool *p = c->m->pool;
    expr e = expr_sub(p, q->lhs, q->rhs), d = lone_derivative(c, e);
    const char *why = NULL;
    double k;
    if (!d || c->solved[expr_at(p, d)->u.var.index]) return false;
    expr slope = expr_diff(p, e, d, c->scratch, &why);
    if (!slope || !expr_number(p, slope, &k) || k == 0 || !isfinite(k)) return false;
    expr_subst s;
    expr_subst_init(&s, p, c->scratch);
    expr_subst_set(&s, d, p->zero);
    expr rest = expr_subst_apply(&s, e); // k der(x) + rest = 0
    c->solved[expr_at(p, d)->u.var.index] = true;
    q->lhs = d;
    q->rhs = k == -1 ? rest : k == 1 ? expr_neg(p, rest) : expr_div(p, rest, expr_real(p, -k));
    return true;
}

/* A variable for der(x), with the equation der(x) = it. */
static expr name_derivative(conversion *c, int x, expr d)
{
    flat_model *m = c->m;
    size_t n = strlen(m->vars.at[x].name) + 16;
    char *name = arena_array(c->a, char, n), *comment = arena_array(c->a, char, n);
    snprintf(name, n, "z_%d", x + 1);
    snprintf(comment, n, "der(%s)", m->vars.at[x].name);
    flat_attributes *attr = arena_new(c->a, flat_attributes);
    *attr = (flat_attributes){.fixed = -1};
    flat_var v = {.name = name,
                  .type = TYPE_REAL,
                  .variability = FLAT_CONTINUOUS,
                  .causality = FLAT_LOCAL,
                  .attr = attr,
                  .comment = comment,
                  .at = m->vars.at[x].at};
    array_push(c->a, &m->vars, v);
    expr z = expr_var(m->pool, m->vars.n - 1, 0, TYPE_REAL, 0);
    flat_equation q = {.lhs = d, .rhs = z, .origin = FLAT_FROM_EQUATION, .instance = ""};
    array_push(c->a, &m->equations, q);
    return z;
}

const flat_model *flat_semi_explicit(const flat_model *model, arena *a, arena *scratch)
{
    conversion c = {.a = a, .scratch = scratch};
    c.m = flat_copy(flat_first_order(model, a, scratch), a);
    flat_model *m = c.m;
    int n = m->vars.n, n_eq = m->equations.n;
    c.solved = arena_array(scratch, bool, n);
    bool *done = arena_array(scratch, bool, n_eq);
    for (int i = 0; i < n_eq; i++) done[i] = semi_explicit_solve(&c, &m->equations.at[i]);

    expr_subst s;
    expr_subst_init(&s, m->pool, scratch);
    bool *named = arena_array(scratch, bool, n);
    for (int i = 0; i < n_eq; i++) {
        if (done[i]) continue;
        expr e = expr_sub(m->pool, m->equations.at[i].lhs, m->equations.at[i].rhs);
        int_array vars = expr_vars(m->pool, &e, 1, scratch);
        for (int k = 0; k < vars.n; k++) {
            expr_node x = *expr_at(m->pool, vars.at[k]);
            if (x.u.var.order != 1 || named[x.u.var.index]) continue;
            named[x.u.var.index] = true;
            expr z = 0;
            if (!c.solved[x.u.var.index]) z = name_derivative(&c, x.u.var.index, vars.at[k]);
            for (int q = 0; q < n_eq && !z; q++) // solved elsewhere: that value stands for it
                if (done[q] && m->equations.at[q].lhs == vars.at[k]) z = m->equations.at[q].rhs;
            expr_subst_set(&s, vars.at[k], z);
        }
    }
    for (int i = 0; i < n_eq; i++) {
        flat_equation *q = &m->equations.at[i];
        if (done[i]) continue;
        q->rhs = expr_subst_apply(&s, expr_sub(m->pool, q->lhs, q->rhs));
        q->lhs = m->pool->zero;
    }
    return m;
}
