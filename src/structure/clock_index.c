/* Constraints between the states of a clocked partition, as an inverse model has them.
 *
 * Equations are differentiated as often as the Sigma method says (structure.h has the sources), and of
 * the variables that are differentiated as many are not integrated as there are equations below the
 * highest derivative: those equations give them (dummy derivatives: S. E. Mattsson and G. Soderlind,
 * SIAM J. Sci. Comput. 14 (1993) 677-692). Which ones is chosen once, by stateSelect and fixed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/clocks.h"

typedef struct clock_reducer {
    clock_parts *x;
    int sub;
    int *base, *order; // by flat variable: it is the order-th derivative of base
    int *column;       // by flat variable: + 1
    int_array rows, columns;
    expr *f; // by row: lhs - rhs over VAR(v, k)
    graph_pattern sig;
} clock_reducer;

static bool is_unknown(const clock_reducer *r, int v)
{
    const structure *s = r->x->w->s;
    const structure_sub *u = &s->subs.at[r->sub];
    if (r->x->w->clock_of.at[v] != r->sub + 1) return false;
    if (v == u->interval_var || v == u->first_var || v == u->on_var) return false;
    for (int k = 0; k < u->samples.n; k++)
        if (s->sampled.at[u->samples.at[k]].var == v) return false;
    return true;
}

/* A variable that is a derivative, as what it is the derivative of. */
static expr as_derivative(void *user, expr e)
{
    const clock_reducer *r = user;
    expr_pool *p = r->x->w->p;
    expr_node n = *expr_at(p, e);
    if (n.op == EXPR_PREVIOUS || n.op == EXPR_PRE) return e;
    if (n.op != EXPR_VAR || !r->order[n.u.var.index]) return 0;
    return expr_var(p, r->base[n.u.var.index], r->order[n.u.var.index], TYPE_REAL, 0);
}

static expr as_variable(void *user, expr e)
{
    const clock_reducer *r = user;
    expr_node n = *expr_at(r->x->w->p, e);
    if (n.op == EXPR_PREVIOUS || n.op == EXPR_PRE) return e;
    if (n.op != EXPR_VAR || !n.u.var.order) return 0;
    return clock_derivative(r->x, r->sub, n.u.var.index, n.u.var.order);
}

static void find_signature(clock_reducer *r)
{
    analysis *w = r->x->w;
    int n_vars = w->m->vars.n;
    dag_rewriter forth;
    dag_rewriter_init_few(&forth, &w->d, r);
    forth.before = as_derivative;
    while (w->clock_of.n < n_vars) array_push(w->scratch, &w->clock_of, 0);
    r->base = arena_array(w->scratch, int, n_vars);
    r->order = arena_array(w->scratch, int, n_vars);
    r->column = arena_array(w->scratch, int, n_vars);
    for (int v = 0; v < n_vars; v++) r->base[v] = v;
    for (int k = 0; k < r->x->states.n; k++) { // a derivative comes after what it is of
        clock_state q = r->x->states.at[k];
        r->base[q.der] = r->base[q.var];
        r->order[q.der] = r->order[q.var] + 1;
    }
    for (int v = 0; v < n_vars; v++) {
        if (r->order[v] || flat_at(w->m, v)->type == TYPE_CLOCK || !is_unknown(r, v)) continue;
        array_push(w->scratch, &r->columns, v);
        r->column[v] = r->columns.n;
    }
    structure_equations own = {0};
    for (int i = 0; i < w->clocked.n; i++) {
        structure_equation e = w->clocked.at[i];
        if (e.block != r->sub) continue;
        e.lhs = dag_rewrite(&forth, e.lhs);
        e.rhs = dag_rewrite(&forth, e.rhs);
        array_push(w->scratch, &r->rows, i);
        array_push(w->scratch, &own, e);
    }
    r->f = arena_array(w->scratch, expr, own.n + 1);
    for (int i = 0; i < own.n; i++)
        if (expr_at(w->p, own.at[i].lhs)->type == TYPE_REAL)
            r->f[i] = expr_sub(w->p, own.at[i].lhs, own.at[i].rhs);
    int *column = arena_array(w->scratch, int, n_vars);
    for (int v = 0; v < n_vars; v++) column[v] = r->column[v] - 1;
    w->s->n_flat = n_vars; // what structure_signature counts
    structure_signature(w, &own, column, r->columns.n, &r->sig);
}

/* Does e hold the k-th derivative of a variable? */
static bool has_entry(clock_reducer *r, expr e, int v, int k)
{
    analysis *w = r->x->w;
    int_array vars = {0};
    dag_vars(&w->d, e, &vars);
    for (int i = 0; i < vars.n; i++) {
        const expr_node *n = expr_at(w->p, vars.at[i]);
        if (n->u.var.index == v && n->u.var.order == k) return true;
    }
    return false;
}

static bool not_smooth(clock_reducer *r, int row, const char *why)
{
    analysis *w = r->x->w;
    diag_error(w->sink, "S182", w->clocked.at[r->rows.at[row]].at,
               "this clocked equation must be differentiated, as it ties variables that are "
               "differentiated, but %s; put a filter of higher order before it",
               why);
    return false;
}

/* f and its derivatives up to the c-th, all but f itself new equations. */
static bool differentiate(clock_reducer *r, int row, int c, dag_rewriter *back, expr *f)
{
    analysis *w = r->x->w;
    f[0] = r->f[row];
    for (int l = 1; l <= c; l++) {
        const char *why = NULL;
        if (!f[0]) return not_smooth(r, row, "it is not an equation of Reals");
        if (!expr_total_diff(w->p, &f[l - 1], 1, w->scratch, &f[l], &why))
            return not_smooth(r, row, why ? why : "it has no derivative");
        int_array vars = {0};
        dag_vars(&w->d, f[l], &vars);
        for (int i = 0; i < vars.n; i++) {
            const expr_node *n = expr_at(w->p, vars.at[i]);
            if (n->u.var.order && !r->column[n->u.var.index])
                return not_smooth(r, row, "it holds a value that is only sampled");
        }
        clock_add(r->x, dag_rewrite(back, f[l]), w->p->zero, r->sub,
                  w->clocked.at[r->rows.at[row]].at);
    }
    return true;
}

/* How little a variable deserves to be integrated comes first. */
static int wish(const flat_var *f)
{
    static const int by_select[] = {[FLAT_SELECT_NEVER] = 0,
                                    [FLAT_SELECT_AVOID] = 1,
                                    [FLAT_SELECT_DEFAULT] = 2,
                                    [FLAT_SELECT_PREFER] = 3,
                                    [FLAT_SELECT_ALWAYS] = 4};
    const flat_attributes *a = f->attr;
    return a ? 2 * by_select[a->state_select] + (a->fixed == 1) : 4;
}

/* Equations below their highest derivative give as many variables below theirs. */
static bool choose_given(clock_reducer *r, const graph_offsets *off, expr *const *f)
{
    clock_parts *x = r->x;
    analysis *w = x->w;
    int_array low_row = {0}, low_level = {0}, start = {0}, col = {0}, rank = {0}, which = {0};
    for (int i = 0; i < r->rows.n; i++)
        for (int l = 0; l < off->c[i]; l++) {
            array_push(w->scratch, &low_row, i);
            array_push(w->scratch, &low_level, l);
        }
    for (int k = 0; k < x->states.n; k++) {
        int v = x->states.at[k].var, base = v, order = 0;
        if (w->clock_of.at[v] != r->sub + 1) continue;
        for (int q = k - 1; q >= 0; q--) // its own chain, from the top down
            if (x->states.at[q].der == base) base = x->states.at[q].var, order++;
        int j = r->column[base] - 1;
        array_push(w->scratch, &start, col.n);
        array_push(w->scratch, &which, k);
        array_push(w->scratch, &rank, wish(flat_at(w->m, v)));
        for (int e = 0; e < low_row.n && j >= 0; e++) {
            int i = low_row.at[e], l = low_level.at[e];
            if (order == off->d[j] - off->c[i] + l && has_entry(r, f[i][l], base, order))
                array_push(w->scratch, &col, e);
        }
    }
    array_push(w->scratch, &start, col.n);
    graph_pattern g = {which.n, low_row.n, start.at, col.at, NULL};
    graph_matching m = graph_match(&g, rank.at, w->scratch, w->scratch);
    for (int k = 0; k < which.n; k++)
        if (m.col_of[k] >= 0) x->states.at[which.at[k]].given = true;
    return m.n == low_row.n || not_smooth(r, low_row.at[0], "no choice of states is possible");
}

bool clock_reduce(clock_parts *x, int sub)
{
    analysis *w = x->w;
    bool any = false;
    for (int i = 0; i < x->states.n && !any; i++)
        any = w->clock_of.at[x->states.at[i].var] == sub + 1;
    if (!any) return true;
    clock_reducer r = {.x = x, .sub = sub};
    graph_offsets off;
    find_signature(&r);
    graph_matching m = graph_match(&r.sig, NULL, w->scratch, w->scratch);
    if (m.n < r.sig.n_rows || m.n < r.sig.n_cols) return true; // reported when it is sorted
    if (!graph_differentiate(&r.sig, STRUCTURE_DIFFERENTIATIONS_MAX, w->scratch, w->scratch, &off))
        return not_smooth(&r, 0, "there is no end to it");
    int most = 0;
    for (int i = 0; i < r.rows.n; i++)
        if (off.c[i] > most) most = off.c[i];
    if (!most) return true;
    dag_rewriter back;
    dag_rewriter_init_few(&back, &w->d, &r);
    back.before = as_variable;
    expr **f = arena_array(w->scratch, expr *, r.rows.n);
    for (int i = 0; i < r.rows.n; i++) {
        f[i] = arena_array(w->scratch, expr, off.c[i] + 1);
        if (!differentiate(&r, i, off.c[i], &back, f[i])) return false;
    }
    return choose_given(&r, &off, f);
}
