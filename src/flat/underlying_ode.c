/* The ordinary differential equation under a DAE.
 *
 * From the semi-explicit form x' = f(x, z), 0 = g(x, z): a constraint that is free of z is replaced
 * by its derivative along the solutions, until it holds z; one more derivative of each gives g_z z' +
 * g_x f = 0, which is solved for z'. On the way the constraints that have been found shorten what
 * comes after: for the pendulum r^2 mu' = 3 g v remains (E. Hairer and G. Wanner, Solving Ordinary
 * Differential Equations II, Springer 1996, ch. VII.1).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"

#include <string.h>

enum { DERIVATIVES_MOST = 6 };

typedef struct underlying {
    flat_model *m;
    arena *a, *scratch;
    expr_subst along; // der(x) by f
    bool *algebraic;  // by variable
    ARRAY(expr) kept; // constraints free of z, of all levels
    ARRAY(expr) last; // those that hold z
    const char *why;
} underlying;

static bool holds_algebraic(const underlying *u, expr e)
{
    int_array vars = expr_vars(u->m->pool, &e, 1, u->scratch);
    for (int k = 0; k < vars.n; k++)
        if (u->algebraic[expr_at(u->m->pool, vars.at[k])->u.var.index]) return true;
    return false;
}

static bool along_solutions(underlying *u, expr e, expr *out)
{
    if (!expr_total_diff(u->m->pool, &e, 1, u->scratch, out, &u->why)) return false;
    *out = expr_reduce(u->m->pool, expr_subst_apply(&u->along, *out), u->kept.at, u->kept.n, true,
                       u->scratch);
    return true;
}

static void mark_algebraic(underlying *u)
{
    const flat_model *m = u->m;
    for (int i = 0; i < m->vars.n; i++)
        u->algebraic[i] = flat_at(m, i)->type == TYPE_REAL &&
                          flat_at(m, i)->variability == FLAT_CONTINUOUS &&
                          flat_at(m, i)->causality != FLAT_INPUT;
    expr_subst_init(&u->along, m->pool, u->scratch);
    for (int i = 0; i < m->vars.n; i++) // what changes at events only
        if (flat_at(m, i)->type == TYPE_REAL && flat_at(m, i)->variability < FLAT_CONTINUOUS)
            expr_subst_set(&u->along, expr_var(m->pool, i, 1, TYPE_REAL, 0), m->pool->zero);
    for (int i = 0; i < m->equations.n; i++) {
        const flat_equation *q = &m->equations.at[i];
        const expr_node *x = expr_at(m->pool, q->lhs);
        if (x->op != EXPR_VAR || x->u.var.order != 1) continue;
        u->algebraic[x->u.var.index] = false;
        expr_subst_set(&u->along, q->lhs, q->rhs);
    }
}

static bool is_differential(const flat_model *m, const flat_equation *q)
{
    const expr_node *x = expr_at(m->pool, q->lhs);
    return x->op == EXPR_VAR && x->u.var.order == 1;
}

/* Constraints are differentiated until each holds z. */
static bool find_hidden(underlying *u, expr *g, int n)
{
    for (int level = 0; level <= DERIVATIVES_MOST; level++) {
        int open = 0;
        for (int i = 0; i < n; i++) { // those of one level first: they shorten the next
            if (!g[i] || holds_algebraic(u, g[i])) continue;
            array_push(u->a, &u->kept, g[i]);
        }
        for (int i = 0; i < n; i++) {
            if (!g[i] || holds_algebraic(u, g[i])) continue;
            open++;
            if (!along_solutions(u, g[i], &g[i])) return false;
            double x;
            if (expr_number(u->m->pool, g[i], &x)) {
                u->why = "a constraint follows from the others, or contradicts them";
                return false;
            }
        }
        if (!open) return true;
    }
    u->why = "constraints stay free of algebraic variables after six derivatives";
    return false;
}

static int count_fixed(const flat_model *m, const bool *algebraic, int *states)
{
    int fixed = 0;
    *states = 0;
    for (int i = 0; i < m->vars.n; i++) {
        const flat_var *v = flat_at(m, i);
        if (v->type != TYPE_REAL || v->variability != FLAT_CONTINUOUS || v->causality == FLAT_INPUT)
            continue;
        ++*states;
        fixed += !algebraic[i] && v->attr && v->attr->fixed == 1;
    }
    return fixed;
}

static void initial_equation(underlying *u, expr e)
{
    flat_equation q = {.lhs = u->m->pool->zero, .rhs = e, .instance = ""};
    array_push(u->a, &u->m->initial_equations, q);
}

/* The start of the DAE is that of the ODE: constraints hold there, and then always. */
static void keep_start(underlying *u)
{
    int states, fixed = count_fixed(u->m, u->algebraic, &states);
    flat_equations own = {0}; // the copy shares those of the model
    for (int i = 0; i < u->m->initial_equations.n; i++)
        array_push(u->a, &own, u->m->initial_equations.at[i]);
    u->m->initial_equations = own;
    bool room = fixed + u->m->initial_equations.n + u->kept.n + u->last.n <= states;
    for (int i = 0; i < u->kept.n && room; i++) initial_equation(u, u->kept.at[i]);
    for (int i = 0; i < u->last.n; i++) initial_equation(u, u->last.at[i]);
}

const flat_model *flat_underlying_ode(const flat_model *model, arena *a, arena *scratch,
                                      const expr **kept, int *n_kept, const char **why)
{
    underlying u = {.a = a, .scratch = scratch};
    u.m = flat_copy(flat_semi_explicit(model, a, scratch), a);
    flat_model *m = u.m;
    u.algebraic = arena_array(scratch, bool, m->vars.n + 1);
    mark_algebraic(&u);
    int n_eq = m->equations.n, n = 0, n_z = 0;
    expr *g = arena_array(scratch, expr, n_eq + 1);
    for (int i = 0; i < n_eq; i++)
        if (!is_differential(m, &m->equations.at[i])) {
            g[i] = m->equations.at[i].rhs;
            n++;
        }
    for (int i = 0; i < m->vars.n; i++) n_z += u.algebraic[i];
    if (n != n_z) u.why = "there are not as many equations without derivatives as unknowns in them";
    bool fine = n == n_z && find_hidden(&u, g, n_eq);
    for (int i = 0; i < n_eq && fine; i++) {
        if (!g[i]) continue;
        array_push(a, &u.last, g[i]);
        fine = along_solutions(&u, g[i], &m->equations.at[i].rhs);
    }
    *why = fine ? NULL : u.why ? u.why : "an equation cannot be differentiated";
    if (!fine) return NULL;
    keep_start(&u);
    *kept = u.kept.at;
    *n_kept = u.kept.n;
    flat_model *ode = flat_copy(flat_semi_explicit(m, a, scratch), a);
    for (int i = 0; i < ode->equations.n; i++) {
        flat_equation *q = &ode->equations.at[i];
        if (!is_differential(ode, q)) {
            *why = "constraints depend on each other at the start values, or more than six "
                   "derivatives "
                   "of algebraic variables belong together";
            return NULL;
        }
        q->rhs = expr_reduce(ode->pool, q->rhs, u.kept.at, u.kept.n, false, scratch);
    }
    return ode;
}
