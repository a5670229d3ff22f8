/* The semi-explicit form x' = f(x, z, t), 0 = g(x, z, t) of a model.
 *
 * Derivatives of higher order become velocities (first_order.c). An equation that holds one
 * derivative, linearly with a constant coefficient, is solved for it. Equations of motion M v' = Q
 * are solved for v' in small blocks where M is regular at the start values: v' = M^-1 Q, by
 * elimination. Every other derivative gets a name of its own: der(x) = z, and z stands for it in the
 * equations that hold it. So a fully implicit system F(x', x, t) = 0 becomes x' = z, 0 = F(z, x, t).
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
    int asked;    // values of variables, for an element of M
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

/* ---- blocks M v' = Q ------------------------------------------------------------------------- */

enum { BLOCK_MOST = 6 };                   // beyond, formulas are no longer read
static const double BLOCK_REGULAR = 1e-10; // pivot over the largest element of M

typedef struct block {
    int n;
    int rows[BLOCK_MOST]; // equations
    expr by[BLOCK_MOST];  // derivatives
    expr M[BLOCK_MOST][BLOCK_MOST], Q[BLOCK_MOST];
    double value[BLOCK_MOST][BLOCK_MOST];
} block;

static expr semi_explicit_ratio(expr_pool *p, expr a, expr b)
{
    double fa = 1, fb = 1;
    expr x = expr_without_factor(p, a, &fa), y = expr_without_factor(p, b, &fb),
         f = expr_real(p, fa / fb);
    if (x == y) return f;
    double one = 0;
    if (expr_number(p, y, &one)) return expr_mul(p, expr_real(p, fa / fb / one), x);
    return expr_div(p, expr_mul(p, f, x), y);
}

static double start_value(void *user, int var, int order)
{
    conversion *c = user;
    const flat_var *v = flat_at(c->m, var);
    expr e = v->binding ? v->binding : v->attr ? v->attr->start : 0;
    double x = 0;
    const char *why = "";
    if (order || !e || c->asked++ > 10000) return 0;
    if (expr_eval(c->m->pool, e, 0, start_value, c, c->scratch, &x, &why)) return 0;
    return x;
}

static bool block_numbers(conversion *c, block *b)
{
    const char *why = "";
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) {
            c->asked = 0;
            if (expr_eval(c->m->pool, b->M[i][j], 0, start_value, c, c->scratch, &b->value[i][j],
                          &why) ||
                !isfinite(b->value[i][j]))
                return false;
        }
    return true;
}

/* Rows and columns of the largest element that is left; numbers decide, formulas follow. */
static bool block_pivot(block *b, int k)
{
    double most = 0, all = 0;
    int row = k, col = k;
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) all = fmax(all, fabs(b->value[i][j]));
    for (int i = k; i < b->n; i++)
        for (int j = k; j < b->n; j++)
            if (fabs(b->value[i][j]) > most) most = fabs(b->value[i][j]), row = i, col = j;
    if (!(most > BLOCK_REGULAR * all)) return false;
    for (int j = 0; j < b->n; j++) {
        expr e = b->M[k][j];
        double x = b->value[k][j];
        b->M[k][j] = b->M[row][j], b->value[k][j] = b->value[row][j];
        b->M[row][j] = e, b->value[row][j] = x;
    }
    expr q = b->Q[k], d = b->by[k];
    b->Q[k] = b->Q[row], b->Q[row] = q;
    b->by[k] = b->by[col], b->by[col] = d;
    for (int i = 0; i < b->n; i++) {
        expr e = b->M[i][k];
        double x = b->value[i][k];
        b->M[i][k] = b->M[i][col], b->value[i][k] = b->value[i][col];
        b->M[i][col] = e, b->value[i][col] = x;
    }
    return true;
}

// M v' = Q by Gauss; false where M is singular at the start. Solutions in Q.
static bool block_solve(expr_pool *p, block *b)
{
    for (int k = 0; k < b->n; k++) {
        if (!block_pivot(b, k)) return false;
        for (int i = k + 1; i < b->n; i++) {
            if (b->M[i][k] == p->zero) continue;
            expr f = semi_explicit_ratio(p, b->M[i][k], b->M[k][k]);
            double factor = b->value[i][k] / b->value[k][k];
            for (int j = k; j < b->n; j++) {
                b->M[i][j] = expr_sub(p, b->M[i][j], expr_mul(p, f, b->M[k][j]));
                b->value[i][j] -= factor * b->value[k][j];
            }
            b->Q[i] = expr_sub(p, b->Q[i], expr_mul(p, f, b->Q[k]));
        }
    }
    for (int k = b->n - 1; k >= 0; k--) {
        for (int j = k + 1; j < b->n; j++)
            b->Q[k] = expr_sub(p, b->Q[k], expr_mul(p, b->M[k][j], b->Q[j]));
        b->Q[k] = semi_explicit_ratio(p, b->Q[k], b->M[k][k]);
    }
    return true;
}

/* M and Q of the equations e[rows]; false unless they are linear in the derivatives, and M regular. */
static bool block_make(conversion *c, const expr *e, block *b)
{
    expr_pool *p = c->m->pool;
    const char *why = NULL;
    expr_subst rest;
    expr_subst_init(&rest, p, c->scratch);
    for (int j = 0; j < b->n; j++) expr_subst_set(&rest, b->by[j], p->zero);
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) {
            b->M[i][j] = expr_diff(p, e[b->rows[i]], b->by[j], c->scratch, &why);
            if (!b->M[i][j] || expr_subst_apply(&rest, b->M[i][j]) != b->M[i][j]) return false;
        }
        b->Q[i] = expr_neg(p, expr_subst_apply(&rest, e[b->rows[i]]));
    }
    return block_numbers(c, b) && block_solve(p, b);
}

static int label_root(const int *label, int x)
{
    while (label[x] != x) x = label[x];
    return x;
}

/* Equations that share derivatives belong together. Solved are blocks with as many equations as
 * derivatives. */
static void semi_explicit_blocks(conversion *c, bool *done, int n_eq)
{
    flat_model *m = c->m;
    expr_pool *p = m->pool;
    expr *e = arena_array(c->scratch, expr, n_eq + 1);
    int *label = arena_array(c->scratch, int, m->vars.n + 1),
        *of = arena_array(c->scratch, int, n_eq + 1);
    expr *known = arena_array(c->scratch, expr, m->vars.n + 1);
    for (int i = 0; i < m->vars.n; i++) label[i] = i;
    expr_subst s;
    expr_subst_init(&s, p, c->scratch);
    for (int i = 0; i < n_eq; i++)
        if (done[i]) expr_subst_set(&s, m->equations.at[i].lhs, m->equations.at[i].rhs);
    for (int i = 0; i < n_eq; i++) {
        of[i] = -1;
        if (done[i]) continue;
        e[i] = expr_subst_apply(&s, expr_sub(p, m->equations.at[i].lhs, m->equations.at[i].rhs));
        int_array vars = expr_vars(p, &e[i], 1, c->scratch);
        for (int k = 0; k < vars.n; k++) {
            const expr_node *x = expr_at(p, vars.at[k]);
            if (x->u.var.order != 1) continue;
            known[x->u.var.index] = vars.at[k];
            int root = label_root(label, x->u.var.index);
            if (of[i] >= 0) label[root] = label_root(label, of[i]);
            of[i] = x->u.var.index;
        }
    }
    for (int root = 0; root < m->vars.n; root++) {
        block b = {.n = 0};
        int rows = 0, columns = 0;
        if (label[root] != root || !known[root]) continue;
        for (int v = 0; v < m->vars.n; v++)
            if (known[v] && label_root(label, v) == root && columns++ < BLOCK_MOST)
                b.by[columns - 1] = known[v];
        for (int i = 0; i < n_eq; i++)
            if (of[i] >= 0 && label_root(label, of[i]) == root && rows++ < BLOCK_MOST)
                b.rows[rows - 1] = i;
        b.n = columns;
        if (rows != columns || columns > BLOCK_MOST || !block_make(c, e, &b)) continue;
        for (int k = 0; k < b.n; k++) {
            m->equations.at[b.rows[k]].lhs = b.by[k];
            m->equations.at[b.rows[k]].rhs = b.Q[k];
            c->solved[expr_at(p, b.by[k])->u.var.index] = done[b.rows[k]] = true;
        }
    }
}

/* A variable for der(x), with the equation der(x) = it. */
static expr name_derivative(conversion *c, int x, expr d)
{
    flat_model *m = c->m;
    const char *of = FLAT_NAME(m, x);
    size_t n = strlen(of) + 16;
    char *name = arena_array(c->a, char, n), *comment = arena_array(c->a, char, n);
    snprintf(name, n, "z_%d", x + 1);
    snprintf(comment, n, "der(%s)", of);
    flat_attributes *attr = arena_new(c->a, flat_attributes);
    *attr = (flat_attributes){.fixed = -1};
    flat_var v = {.type = TYPE_REAL,
                  .variability = FLAT_CONTINUOUS,
                  .causality = FLAT_LOCAL,
                  .attr = attr,
                  .decl = flat_declare(c->a, comment, 0, flat_at(m, x)->decl->at)};
    flat_vars_add(&m->vars, c->a, v, name);
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
    semi_explicit_blocks(&c, done, n_eq);

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
