/* Finding positions and constraints. SPDX-License-Identifier: BSD-3-Clause */
#include "structure/loops.h"

enum { DEFINITIONS_MAX = 4000 };

/* ---- positions ------------------------------------------------------------------------------- */

expr loops_var(const loops *x, int j)
{
    return expr_var(x->w->p, x->w->columns.at[j], 0, TYPE_REAL, 0);
}

partials loops_partials(loops *x, expr f)
{
    analysis *w = x->w;
    partials out = {0};
    int_array vars = {0};
    const char *why = NULL;
    int n = 0;
    dag_vars(&w->d, f, &vars);
    for (int k = 0; k < vars.n; k++) {
        int v = expr_at(w->p, vars.at[k])->u.var.index;
        if (v < w->s->n_flat && w->column[v] >= 0) vars.at[n++] = vars.at[k];
    }
    expr *d = arena_array(w->scratch, expr, n);
    expr_gradient(w->p, f, vars.at, n, w->scratch, d, &why);
    for (int k = 0; k < n; k++) {
        partial q = {w->column[expr_at(w->p, vars.at[k])->u.var.index], d[k]};
        if (q.d) array_push(w->scratch, &out, q);
    }
    return out;
}

bool loops_from_connection(const analysis *w, int row)
{
    int flat = w->eqs.at[row].flat;
    if (flat < 0 || flat >= w->m->equations.n) return false;
    flat_origin o = (flat_origin)w->m->equations.at[flat].origin;
    return o == FLAT_FROM_POTENTIAL || o == FLAT_FROM_FLOW;
}

/* Row i defines its one unknown that is no position, if it can be solved for it. */
static int define(loops *x, int i)
{
    analysis *w = x->w;
    const graph_pattern *m = &w->sig;
    int j = -1;
    for (int e = m->start[i]; e < m->start[i + 1]; e++)
        if (!x->position[m->col[e]]) j = m->col[e];
    const structure_equation *q0 = structure_write(w, i);
    expr guard, f = expr_sub(w->p, q0->lhs, q0->rhs);
    expr value = dag_solve(&w->d, f, loops_var(x, j), &guard);
    if (!value || guard) return -1;
    definition q = {.column = j, .value = value};
    x->defined[j] = x->definitions.n;
    x->spent[i] = 1;
    array_push(w->scratch, &x->definitions, q);
    return j;
}

/* Connections first: what a joint says of two known frames shall be a constraint, not they. */
static void find_positions(loops *x)
{
    analysis *w = x->w;
    const graph_pattern *m = &w->sig;
    arena *a = w->scratch;
    int *count = arena_array(a, int, m->n_cols + 1), *rows;
    for (int e = 0; e < m->start[m->n_rows]; e++) {
        count[m->col[e] + 1]++;
        if (m->order[e] > 0) x->position[m->col[e]] = 1;
    }
    for (int j = 0; j < m->n_cols; j++) count[j + 1] += count[j];
    rows = arena_array(a, int, m->start[m->n_rows]);
    int *fill = arena_array(a, int, m->n_cols);
    int_array queue[2] = {{0}, {0}};
    int next[2] = {0, 0};
    for (int i = 0; i < m->n_rows; i++) {
        bool fixed = m->start[i] < m->start[i + 1];
        for (int e = m->start[i]; e < m->start[i + 1]; e++) {
            rows[count[m->col[e]] + fill[m->col[e]]++] = i;
            fixed &= m->order[e] == 0;
            x->open[i] += !x->position[m->col[e]];
        }
        if (!fixed) x->open[i] = -1;
        if (x->open[i] == 1) array_push(a, &queue[!loops_from_connection(w, i)], i);
    }
    while (next[0] < queue[0].n || next[1] < queue[1].n) {
        int k = next[0] == queue[0].n, i = queue[k].at[next[k]++];
        int j = x->open[i] == 1 && x->definitions.n < DEFINITIONS_MAX ? define(x, i) : -1;
        if (j < 0) continue;
        x->position[j] = 1;
        for (int e = count[j]; e < count[j + 1]; e++)
            if (x->open[rows[e]] > 0 && --x->open[rows[e]] == 1)
                array_push(a, &queue[!loops_from_connection(w, rows[e])], rows[e]);
    }
}

/* ---- sets of constraints --------------------------------------------------------------------- */

static void tie(loops *x, int j, const partials *by)
{
    for (int k = 0; k < by->n; k++)
        x->parent[graph_root(x->parent, by->at[k].column)] = graph_root(x->parent, j);
}

static bool is_equality(const analysis *w, const structure_equation *e)
{
    expr_op l = (expr_op)expr_at(w->p, e->lhs)->op, r = (expr_op)expr_at(w->p, e->rhs)->op;
    double number;
    return (l == EXPR_VAR || expr_number(w->p, e->lhs, &number)) &&
           (r == EXPR_VAR || expr_number(w->p, e->rhs, &number));
}

/* Constraints, and the definitions they need, each differentiated and tied to its set. */
static void find_constraints(loops *x)
{
    analysis *w = x->w;
    int_array needed = {0};
    char *seen = arena_array(w->scratch, char, w->sig.n_cols);
    for (int i = 0; i < w->sig.n_rows; i++) {
        if (x->open[i] != 0 || x->spent[i]) continue;
        constraint q = {.row = i, .equality = is_equality(w, structure_write(w, i))};
        q.f = expr_sub(w->p, w->eqs.at[i].lhs, w->eqs.at[i].rhs);
        q.by = loops_partials(x, q.f);
        if (!q.by.n) continue;
        tie(x, q.by.at[0].column, &q.by);
        for (int k = 0; k < q.by.n; k++) array_push(w->scratch, &needed, q.by.at[k].column);
        array_push(w->scratch, &x->constraints, q);
    }
    while (needed.n) {
        int j = needed.at[--needed.n], d = x->defined[j];
        if (seen[j]) continue;
        seen[j] = 1;
        if (d < 0) continue;
        x->definitions.at[d].needed = true;
        x->definitions.at[d].by = loops_partials(x, x->definitions.at[d].value);
        tie(x, j, &x->definitions.at[d].by);
        for (int k = 0; k < x->definitions.at[d].by.n; k++)
            array_push(w->scratch, &needed, x->definitions.at[d].by.at[k].column);
    }
    for (int j = 0; j < w->sig.n_cols; j++) x->position[j] = seen[j];
}

int loops_set(loops *x, int column)
{
    return graph_root(x->parent, column);
}

static members no_members(const loops *x, int n)
{
    arena *a = x->w->scratch;
    int n_sets = x->w->sig.n_cols;
    members m = {arena_array(a, int, n_sets), arena_array(a, int, n)};
    for (int j = 0; j < n_sets; j++) m.first[j] = -1;
    return m;
}

static void add_member(loops *x, members *m, int i, int column)
{
    int set = loops_set(x, column);
    m->next[i] = m->first[set];
    m->first[set] = i;
}

/* Who belongs to which set: a set looks at its own members only, for there may be as many sets as
 * components. */
static void list_members(loops *x)
{
    int n = x->w->sig.n_cols;
    x->coordinates_of = no_members(x, n);
    x->definitions_of = no_members(x, x->definitions.n);
    x->constraints_of = no_members(x, x->constraints.n);
    for (int j = n - 1; j >= 0; j--)
        if (x->position[j] && x->defined[j] < 0) add_member(x, &x->coordinates_of, j, j);
    for (int d = x->definitions.n - 1; d >= 0; d--)
        if (x->definitions.at[d].needed)
            add_member(x, &x->definitions_of, d, x->definitions.at[d].column);
    for (int i = x->constraints.n - 1; i >= 0; i--)
        add_member(x, &x->constraints_of, i, x->constraints.at[i].by.at[0].column);
}

/* Has each row a derivative? */
static bool all_move(const graph_pattern *m)
{
    bool moves = true;
    for (int i = 0; i < m->n_rows && moves; i++) {
        moves = false;
        for (int e = m->start[i]; e < m->start[i + 1] && !moves; e++) moves = m->order[e] > 0;
    }
    return moves;
}

static bool has_candidates(const loops *x)
{
    for (int i = 0; i < x->w->sig.n_rows; i++)
        if (x->open[i] == 0 && !x->spent[i]) return true;
    return false;
}

loops loops_find(analysis *w)
{
    arena *a = w->scratch;
    int n = w->sig.n_cols;
    loops x = {.w = w};
    if (all_move(&w->sig)) return x;
    x.position = arena_array(a, char, n);
    x.open = arena_array(a, int, w->sig.n_rows);
    x.spent = arena_array(a, char, w->sig.n_rows);
    x.defined = arena_array(a, int, n);
    for (int j = 0; j < n; j++) x.defined[j] = -1;
    find_positions(&x);
    if (!has_candidates(&x)) return x;
    x.parent = arena_array(a, int, n);
    x.at = arena_array(a, int, n);
    x.seen = arena_array(a, int, n);
    x.value = arena_array(a, double, n);
    for (int j = 0; j < n; j++) {
        x.parent[j] = j;
        x.at[j] = -1;
    }
    find_constraints(&x);
    if (x.constraints.n) list_members(&x);
    return x;
}
