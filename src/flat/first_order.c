/* Higher derivatives by velocity variables.
 *
 * Vincolo.lagrange and der() of expressions leave der(der(x)) in equations. Inside, that is one
 * entry of x; Modelica text has der() of variables only, so x gets a variable for its velocity, or
 * uses the one it is declared equal to.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"

typedef struct lowering {
    flat_model *m;
    arena *a;
    int *velocity; // by variable, or -1
} lowering;

static void first_order_velocities(lowering *l)
{
    const flat_model *m = l->m;
    for (int i = 0; i < m->equations.n; i++)
        for (int side = 0; side < 2; side++) {
            const flat_equation *e = &m->equations.at[i];
            const expr_node *x = expr_at(m->pool, side ? e->rhs : e->lhs);
            const expr_node *y = expr_at(m->pool, side ? e->lhs : e->rhs);
            if (x->op != EXPR_VAR || y->op != EXPR_VAR) continue;
            if (x->u.var.order == 1 && y->u.var.order == 0 && l->velocity[x->u.var.index] < 0)
                l->velocity[x->u.var.index] = y->u.var.index;
        }
}

const flat_declaration *flat_declare(arena *a, const char *comment, int enum_id, span at)
{
    flat_declaration *d = arena_new(a, flat_declaration);
    *d = (flat_declaration){.comment = comment, .at = at, .enum_id = enum_id};
    return d;
}

static int velocity_of(lowering *l, int x)
{
    flat_model *m = l->m;
    if (l->velocity[x] >= 0) return l->velocity[x];
    const char *name = names_in(&m->vars.names, x, 1, l->a);
    flat_attributes *attr = arena_new(l->a, flat_attributes);
    *attr = (flat_attributes){.fixed = -1};
    flat_var v = {.type = TYPE_REAL,
                  .variability = FLAT_CONTINUOUS,
                  .causality = FLAT_LOCAL,
                  .attr = attr,
                  .decl = flat_declare(l->a, "", 0, flat_at(m, x)->decl->at)};
    flat_equation e = {.lhs = expr_var(m->pool, x, 1, TYPE_REAL, 0),
                       .rhs = expr_var(m->pool, m->vars.n, 0, TYPE_REAL, 0),
                       .origin = FLAT_FROM_EQUATION,
                       .instance = "",
                       .at = v.decl->at};
    flat_vars_add(&m->vars, l->a, v, name);
    array_push(l->a, &m->equations, e);
    return l->velocity[x] = m->vars.n - 1;
}

static expr own_nodes(const flat_model *m)
{
    return (expr)(m->n_nodes ? m->n_nodes : (int)m->pool->n);
}

static bool has_second(const flat_model *m)
{
    for (expr e = 1; e < own_nodes(m); e++) {
        const expr_node *x = expr_at(m->pool, e);
        if (x->op == EXPR_VAR && x->u.var.order == 2) return true;
    }
    return false;
}

flat_model *flat_borrow(const flat_model *m, arena *a)
{
    flat_model *c = arena_new(a, flat_model);
    *c = *m;
    c->n_nodes = 0;
    c->borrowed = true;
    return c;
}

static flat_equations copy_equations(const flat_equations *of, arena *a)
{
    flat_equations c = {0};
    array_reserve(a, &c, of->n);
    for (int i = 0; i < of->n; i++) array_push(a, &c, of->at[i]);
    return c;
}

void flat_own(flat_model *m, arena *a)
{
    if (!m->borrowed) return;
    m->borrowed = false;
    flat_vars_copy(&m->vars, a);
    m->equations = copy_equations(&m->equations, a);
    m->initial_equations = copy_equations(&m->initial_equations, a);
}

flat_model *flat_copy(const flat_model *m, arena *a)
{
    flat_model *c = flat_borrow(m, a);
    flat_own(c, a);
    flat_write_out(c, a);
    return c;
}

const flat_model *flat_first_order(const flat_model *model, arena *a, arena *scratch)
{
    if (!has_second(model)) return model;
    arena_mark mark = arena_here(scratch);
    flat_model *m = flat_copy(model, a);
    int n = m->vars.n, n_eq = m->equations.n;
    lowering l = {.m = m, .a = a};
    l.velocity = arena_array(scratch, int, n);
    for (int i = 0; i < n; i++) l.velocity[i] = -1;
    first_order_velocities(&l);
    expr_subst s;
    expr_subst_init(&s, m->pool, scratch);
    bool any = false;
    for (expr e = 1, last = own_nodes(model); e < last; e++) {
        const expr_node *x = expr_at(m->pool, e);
        if (x->op != EXPR_VAR || x->u.var.order != 2 || x->u.var.index >= n) continue;
        int v = x->u.var.index;
        expr_subst_set(&s, e, expr_var(m->pool, velocity_of(&l, v), 1, TYPE_REAL, 0));
        expr_subst_set(&s, expr_var(m->pool, v, 1, TYPE_REAL, 0),
                       expr_var(m->pool, l.velocity[v], 0, TYPE_REAL, 0));
        any = true;
    }
    for (int i = 0; any && i < n_eq; i++) {
        flat_equation *e = &m->equations.at[i];
        const expr_node *x = expr_at(m->pool, e->lhs), *y = expr_at(m->pool, e->rhs);
        if (x->op == EXPR_VAR && y->op == EXPR_VAR) continue; // the definition of a velocity
        e->lhs = expr_subst_apply(&s, e->lhs);
        e->rhs = expr_subst_apply(&s, e->rhs);
    }
    arena_release(scratch, mark);
    return m;
}
