/* SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/point.h"

#include "la/dense.h"
#include "structure/dag.h"

#include <math.h>
#include <string.h>

static double point_value(void *user, int var, int order)
{
    const inspect_point *p = user;
    const structure *s = p->s;
    if (var >= s->n_flat) return run_discrete_values(p->st)[var - s->n_flat + order];
    const structure_var *v = &s->vars[var];
    switch ((structure_role)v->role) {
    case STRUCTURE_PARAMETER: return order ? 0 : run_parameters(p->st)[v->place];
    case STRUCTURE_INPUT: return order <= 1 ? run_discrete_values(p->st)[v->place + order] : 0;
    case STRUCTURE_DISCRETE: return order ? 0 : run_discrete_values(p->st)[v->place];
    case STRUCTURE_KNOWN: {
        double x = 0;
        if (!order && !structure_eval(s, run_parameters(p->st), v->value, p->a, &x)) return NAN;
        return x;
    }
    case STRUCTURE_ALIAS: {
        double x = point_value(user, v->of, v->order + order);
        return v->negated ? -x : x;
    }
    case STRUCTURE_UNKNOWN: {
        const structure_unknown *u = &s->unknowns.at[v->place];
        return order <= u->d + p->extra ? p->value[p->first[v->place] + order] : NAN;
    }
    default: return NAN;
    }
}

static double point_eval(const inspect_point *p, expr e)
{
    double x = NAN;
    const char *why = NULL;
    arena_mark here = arena_here(p->a);
    if (expr_eval(p->s->pool, e, p->t, point_value, (void *)p, p->a, &x, &why)) x = NAN;
    arena_release(p->a, here);
    return x;
}

void point_slopes(const inspect_point *p, expr e, const expr *var, int n, double *slope)
{
    const char *why = NULL;
    arena_mark here = arena_here(p->a);
    expr *d = arena_array(p->a, expr, n);
    expr_gradient(p->s->pool, e, var, n, p->a, d, &why);
    for (int k = 0; k < n; k++) slope[k] = d[k] ? point_eval(p, d[k]) : NAN;
    arena_release(p->a, here);
}

/* Of an equation only what occurs in it is derived by: a block may have a thousand unknowns. */
void point_block(const inspect_point *p, const structure_block *b, double *m)
{
    const structure *s = p->s;
    arena_mark here = arena_here(p->a);
    int *column = arena_array(p->a, int, s->entries.n); // + 1
    double *slope = arena_array(p->a, double, b->n);
    int_array vars = {0}, cols = {0};
    dag d;
    dag_init(&d, s->pool, p->a);
    for (int j = 0; j < b->n; j++) {
        const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(b)[j]];
        column[u->first + u->d] = j + 1;
    }
    memset(m, 0, (size_t)b->n * (size_t)b->n * sizeof *m);
    for (int i = 0; i < b->n; i++) {
        const structure_equation *e = &s->equations.at[b->equations[i]];
        int n = 0;
        vars.n = cols.n = 0;
        dag_vars(&d, e->f[e->c], &vars);
        for (int k = 0; k < vars.n; k++) {
            int entry = structure_entry_of(s, vars.at[k]);
            if (entry < 0 || !column[entry]) continue;
            vars.at[n++] = vars.at[k];
            array_push(p->a, &cols, column[entry] - 1);
        }
        point_slopes(p, e->f[e->c], vars.at, n, slope);
        for (int k = 0; k < n; k++) m[(size_t)i + (size_t)cols.at[k] * (size_t)b->n] = slope[k];
    }
    arena_release(p->a, here);
}

/* ---- higher derivatives ---------------------------------------------------------------------- */

/* x^(d + k) of the unknowns of a block from f^(c + k) = 0, which is linear in them. */
static bool extend_block(inspect_point *p, const structure_block *b, int k, const expr *f)
{
    const structure *s = p->s;
    int n = b->n;
    arena_mark here = arena_here(p->a);
    la_qr qr = {.m = n, .n = n};
    qr.a = arena_array(p->a, double, (size_t)n *(size_t)n);
    qr.tau = arena_array(p->a, double, n);
    qr.perm = arena_array(p->a, int, n);
    qr.work = arena_array(p->a, double, la_qr_work(n, n));
    double *r = arena_array(p->a, double, n), *x = arena_array(p->a, double, n);
    for (int j = 0; j < n; j++) {
        const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(b)[j]];
        p->value[p->first[structure_unknowns_of(b)[j]] + u->d + k] = 0;
    }
    for (int i = 0; i < n; i++) r[i] = -point_eval(p, f[b->equations[i]]);
    point_block(p, b, qr.a);
    bool ok = la_qr_factor(&qr, 0) >= 0;
    if (ok) { // where the matrix is singular, one of many: ranks seldom depend on it
        la_qr_solve(&qr, r, x);
        for (int j = 0; j < n; j++) {
            const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(b)[j]];
            p->value[p->first[structure_unknowns_of(b)[j]] + u->d + k] = x[j];
            ok = ok && isfinite(x[j]);
        }
    }
    arena_release(p->a, here);
    if (!ok) p->why = "the system for the highest derivatives is singular at the initial point";
    return ok;
}

static bool extend(inspect_point *p)
{
    const structure *s = p->s;
    int n = s->equations.n;
    expr *f = arena_array(p->a, expr, n), *next = arena_array(p->a, expr, n);
    for (int i = 0; i < n; i++) f[i] = s->equations.at[i].f[s->equations.at[i].c];
    for (int k = 1; k <= p->extra; k++) {
        const char *why = NULL;
        if (!expr_total_diff(s->pool, f, n, p->a, next, &why)) {
            p->why = "an equation cannot be differentiated as often as needed";
            return false;
        }
        memcpy(f, next, (size_t)n * sizeof *f);
        for (int b = 0; b < s->blocks.n; b++)
            if (!extend_block(p, &s->blocks.at[b], k, f)) return false;
    }
    return true;
}

bool point_init(inspect_point *p, run_state *st, double t, const double *y, const double *yp,
                int extra, arena *a)
{
    const structure *s = run_model(st)->form->s;
    const form_system *f = run_model(st)->form;
    *p = (inspect_point){.st = st, .s = s, .a = a, .t = t, .extra = extra};
    p->first = arena_array(a, int, s->unknowns.n);
    int n = 0;
    for (int u = 0; u < s->unknowns.n; u++) {
        p->first[u] = n;
        n += s->unknowns.at[u].d + extra + 1;
    }
    p->value = arena_array(a, double, n);
    for (int i = 0; i < n; i++) p->value[i] = NAN;
    for (int e = 0; e < s->entries.n; e++) {
        const structure_entry *x = &s->entries.at[e];
        image_place at = f->places[e];
        int order = structure_order_of(s, e);
        if (order > s->unknowns.at[x->unknown].d) continue;
        double *v = &p->value[p->first[x->unknown] + order];
        if (at.where == IMAGE_IN_Y) *v = y[at.at];
        if (at.where == IMAGE_IN_YP) *v = yp[at.at];
    }
    for (int k = 0; k < f->assignments.n; k++) {
        const structure_entry *x = &s->entries.at[f->assignments.at[k].entry];
        int order = structure_order_of(s, f->assignments.at[k].entry);
        if (order > s->unknowns.at[x->unknown].d) continue;
        p->value[p->first[x->unknown] + order] = point_eval(p, f->assignments.at[k].as_solved);
    }
    return extra == 0 || extend(p);
}
