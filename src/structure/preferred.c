/* Preferred states that no equation differentiates.
 *
 * A volume integrates its mass and energy, der(m) and der(U), and its medium asks for pressure and
 * temperature as states (preferredMediumStates, which is StateSelect.prefer). Left as it is, the model
 * has m and U as states, and p and T are found from them by iteration wherever anything is evaluated.
 * Where m and U follow explicitly from what is preferred, m = V*d(p, T) and U = m*u(p, T), their
 * derivatives are replaced by the total derivatives of that: p and T become the states, m and U are
 * computed, and nothing is iterated.
 *
 *   1. From what is preferred, what follows is found equation by equation. A state that none of these
 *      could give (the mass in an open tank) is kept, and counts as known from then on.
 *   2. Derivatives of what is found are those of its equation, in terms of derivatives of preferred
 *      variables and of states that are kept.
 *   3. States and preferred variables that depend on each other make a group. It changes places where
 *      it has as many of the one as of the other, which can be paired; a pressure that the mass says
 *      nothing about, that of a liquid of constant density, stays what it is, and so does its group.
 *
 * The trajectory is the same. Modelica Language Specification, section 4.9.8.1: variables that do not
 * appear differentiated can be preferred.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

typedef enum preferred_mark {
    PLAIN,     // an algebraic unknown
    WANTED,    // preferred, and not differentiated
    WANTED_IS, // preferred, and differentiated
    STATE,     // differentiated once, and free to give way
    FIRM       // differentiated, and to stay so
} preferred_mark;

/* An equation without derivatives, and its unknowns. */
typedef struct preferred_row {
    int equation, n, first; // unknowns: vars[first] ...
    int open;               // of them not known
    bool used;
} preferred_row;

typedef struct preferring {
    analysis *w;
    uint8_t *mark;       // by flat variable: preferred_mark
    char *known;         // by flat variable
    int *given_by;       // by flat variable: the row that gives it, or -1
    expr *value, *slope; // by flat variable: what it gives, its total derivative (0: none)
    ARRAY(preferred_row) rows;
    int_array vars, found; // of rows; flat variables in the order in which they were found
    int_array *in;         // by flat variable: rows that contain it
    int_array ready;       // rows with one unknown that is not known
} preferring;

/* ---- marks ----------------------------------------------------------------------------------- */

static int preferred_unknown(const analysis *w, expr var, int *order)
{
    const expr_node *x = expr_at(w->p, var);
    if (x->op != EXPR_VAR) return -1; // reinit of what equations make a number
    int v = x->u.var.index;
    *order = x->u.var.order;
    return v < w->s->n_flat && w->s->vars[v].role == STRUCTURE_UNKNOWN ? v : -1;
}

/* The unknown of which a flat variable is another name, or -1. */
static int named_unknown(const structure *s, int v)
{
    const structure_var *x = &s->vars[v];
    if (x->role == STRUCTURE_UNKNOWN) return v;
    return x->role == STRUCTURE_ALIAS && !x->order ? x->of : -1;
}

static bool preferred_any(const analysis *w)
{
    const flat_attributes *last = NULL;
    for (int v = 0; v < w->s->n_flat; v++) {
        const flat_attributes *a = flat_at(w->m, v)->attr;
        if (a && a != last && a->state_select >= FLAT_SELECT_PREFER) return true;
        last = a;
    }
    return false;
}

/* True when something is both wanted and not differentiated. */
static bool preferred_marks(preferring *x)
{
    analysis *w = x->w;
    const structure *s = w->s;
    int_array vars = {0};
    for (int i = 0; i < w->eqs.n; i++) {
        vars.n = 0;
        dag_vars(&w->d, w->eqs.at[i].lhs, &vars);
        dag_vars(&w->d, w->eqs.at[i].rhs, &vars);
        for (int k = 0; k < vars.n; k++) {
            int order, v = preferred_unknown(w, vars.at[k], &order);
            if (v >= 0 && order) x->mark[v] = order > 1 || x->mark[v] == FIRM ? FIRM : STATE;
        }
    }
    bool any = false;
    for (int v = 0; v < s->n_flat; v++) {
        int u = named_unknown(s, v);
        const flat_attributes *a = flat_at(w->m, v)->attr;
        if (u < 0 || !a) continue;
        if (a->state_select >= FLAT_SELECT_PREFER)
            x->mark[u] = x->mark[u] == PLAIN || x->mark[u] == WANTED ? WANTED : WANTED_IS;
        else if (a->fixed == 1 && x->mark[u] == STATE) x->mark[u] = FIRM;
        any = any || x->mark[u] == WANTED;
    }
    for (int k = 0; k < s->actions.n; k++) { // what jumps is integrated
        int order, v = s->actions.at[k].kind == FLAT_REINIT
                           ? preferred_unknown(w, s->actions.at[k].var, &order)
                           : -1;
        if (v >= 0 && x->mark[v] == STATE) x->mark[v] = FIRM;
    }
    return any;
}

/* ---- what follows ---------------------------------------------------------------------------- */

static void preferred_rows(preferring *x)
{
    analysis *w = x->w;
    int_array vars = {0};
    for (int i = 0; i < w->eqs.n; i++) {
        preferred_row r = {.equation = i, .first = x->vars.n};
        bool differential = false;
        vars.n = 0;
        dag_vars(&w->d, w->eqs.at[i].lhs, &vars);
        dag_vars(&w->d, w->eqs.at[i].rhs, &vars);
        for (int k = 0; k < vars.n && !differential; k++) {
            int order, v = preferred_unknown(w, vars.at[k], &order);
            if (v < 0) continue;
            differential = order > 0;
            bool twice = false; // in both sides
            for (int q = r.first; q < x->vars.n; q++) twice = twice || x->vars.at[q] == v;
            if (!twice) array_push(w->scratch, &x->vars, v);
        }
        if (differential) {
            x->vars.n = r.first;
            continue;
        }
        r.n = r.open = x->vars.n - r.first;
        for (int k = 0; k < r.n; k++)
            array_push(w->scratch, &x->in[x->vars.at[r.first + k]], x->rows.n);
        array_push(w->scratch, &x->rows, r);
    }
}

static void preferred_know(preferring *x, int v)
{
    x->known[v] = 1;
    for (int k = 0; k < x->in[v].n; k++) {
        preferred_row *r = &x->rows.at[x->in[v].at[k]];
        if (--r->open == 1) array_push(x->w->scratch, &x->ready, x->in[v].at[k]);
    }
}

/* What the row gives for v by itself, divided by nothing that varies; 0: nothing. */
static expr preferred_solve(preferring *x, const preferred_row *r, int v)
{
    analysis *w = x->w;
    const structure_equation *e = &w->eqs.at[r->equation];
    expr guard, var = expr_var(w->p, v, 0, TYPE_REAL, 0);
    expr is = dag_solve(&w->d, expr_sub(w->p, e->lhs, e->rhs), var, &guard);
    int_array vars = {0};
    if (!is || !guard) return is;
    dag_vars(&w->d, guard, &vars);
    for (int k = 0; k < vars.n; k++) {
        int at = expr_at(w->p, vars.at[k])->u.var.index;
        if (at >= w->s->n_flat || w->s->vars[at].role != STRUCTURE_PARAMETER) return 0;
    }
    return is;
}

static void preferred_follow(preferring *x)
{
    while (x->ready.n) {
        int at = x->ready.at[--x->ready.n], v = -1;
        preferred_row *r = &x->rows.at[at];
        for (int k = 0; k < r->n; k++)
            if (!x->known[x->vars.at[r->first + k]]) v = x->vars.at[r->first + k];
        if (v < 0 || x->mark[v] == FIRM) continue;
        expr value = preferred_solve(x, r, v);
        if (!value) continue;
        r->used = true;
        x->value[v] = value;
        x->given_by[v] = at;
        array_push(x->w->scratch, &x->found, v);
        preferred_know(x, v);
    }
}

/* Could an equation give this state, if other states were known? */
static bool preferred_definable(preferring *x, int v)
{
    for (int k = 0; k < x->in[v].n; k++) {
        const preferred_row *r = &x->rows.at[x->in[v].at[k]];
        bool others = !r->used;
        for (int q = 0; q < r->n && others; q++) {
            int u = x->vars.at[r->first + q];
            others = u == v || x->known[u] || x->mark[u] == STATE;
        }
        if (others && preferred_solve(x, r, v)) return true;
    }
    return false;
}

static void preferred_find(preferring *x)
{
    int n = x->w->s->n_flat;
    for (int v = 0; v < n; v++)
        if (x->mark[v] == WANTED || x->mark[v] == WANTED_IS || x->mark[v] == FIRM)
            preferred_know(x, v);
    preferred_follow(x);
    for (bool again = true; again;) {
        again = false;
        for (int v = 0; v < n; v++) {
            if (x->known[v] || x->mark[v] != STATE || preferred_definable(x, v)) continue;
            x->mark[v] = FIRM;
            preferred_know(x, v);
            again = true;
        }
        preferred_follow(x);
    }
}

/* ---- their derivatives ----------------------------------------------------------------------- */

/* By flat variable: a state that was found needs its value. */
static char *preferred_needs(const preferring *x)
{
    char *needed = arena_array(x->w->scratch, char, x->w->s->n_flat + 1);
    for (int k = x->found.n - 1; k >= 0; k--) {
        int v = x->found.at[k];
        const preferred_row *r = &x->rows.at[x->given_by[v]];
        needed[v] = needed[v] || x->mark[v] == STATE;
        for (int q = 0; q < r->n && needed[v]; q++) needed[x->vars.at[r->first + q]] = 1;
    }
    return needed;
}

static void preferred_slopes(preferring *x)
{
    analysis *w = x->w;
    const char *needed = preferred_needs(x), *why;
    dag_rewriter in;
    dag_rewriter_init(&in, &w->d, w);
    for (int k = 0; k < x->found.n; k++) {
        int v = x->found.at[k];
        const preferred_row *r = &x->rows.at[x->given_by[v]];
        bool can = needed[v];
        for (int q = 0; q < r->n && can; q++) {
            int u = x->vars.at[r->first + q];
            can = u == v || x->given_by[u] < 0 || x->slope[u];
        }
        expr d;
        if (!can || !expr_total_diff(w->p, &x->value[v], 1, w->scratch, &d, &why)) continue;
        x->slope[v] = dag_rewrite(&in, d);
        dag_rewriter_set(&in, expr_var(w->p, v, 1, TYPE_REAL, 0), x->slope[v]);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Rows: states that were found. Columns: the wanted variables in their derivatives. */
typedef struct preferred_pairs {
    graph_pattern g;
    int_array states, wanted; // flat variables
    char *changes;            // by row: it gives way
} preferred_pairs;

static bool preferred_pattern(preferring *x, preferred_pairs *q)
{
    analysis *w = x->w;
    arena *a = w->scratch;
    int *column = arena_array(a, int, w->s->n_flat + 1);
    int_array vars = {0}, col = {0}, start = {0};
    for (int k = 0; k < x->found.n; k++) {
        int v = x->found.at[k];
        if (x->mark[v] != STATE || !x->slope[v]) continue;
        array_push(a, &start, col.n);
        array_push(a, &q->states, v);
        vars.n = 0;
        dag_vars(&w->d, x->slope[v], &vars);
        for (int m = 0; m < vars.n; m++) {
            int order, u = preferred_unknown(w, vars.at[m], &order);
            if (u < 0 || !order || x->mark[u] != WANTED) continue;
            if (!column[u]) {
                array_push(a, &q->wanted, u);
                column[u] = q->wanted.n;
            }
            array_push(a, &col, column[u] - 1);
        }
    }
    array_push(a, &start, col.n);
    q->g = (graph_pattern){q->states.n, q->wanted.n, start.at, col.at, NULL};
    return q->wanted.n > 0;
}

static bool preferred_pair(preferring *x, preferred_pairs *q)
{
    arena *a = x->w->scratch;
    int n = q->states.n, m = q->wanted.n;
    graph_matching pairs = graph_match(&q->g, NULL, a, a);
    int *parent = arena_array(a, int, n + m);
    char *unpaired = arena_array(a, char, n + m); // by root
    q->changes = arena_array(a, char, n);
    bool any = false;
    for (int i = 0; i < n + m; i++) parent[i] = i;
    for (int i = 0; i < n; i++)
        for (int e = q->g.start[i]; e < q->g.start[i + 1]; e++)
            parent[graph_root(parent, n + q->g.col[e])] = graph_root(parent, i);
    for (int i = 0; i < n; i++)
        if (pairs.col_of[i] < 0) unpaired[graph_root(parent, i)] = 1;
    for (int j = 0; j < m; j++)
        if (pairs.row_of[j] < 0) unpaired[graph_root(parent, n + j)] = 1;
    for (int i = 0; i < n; i++) {
        q->changes[i] = !unpaired[graph_root(parent, i)];
        any = any || q->changes[i];
    }
    return any;
}

void structure_prefer(analysis *w)
{
    arena *a = w->scratch;
    int n = w->s->n_flat;
    if (!preferred_any(w)) return;
    structure_uncount(w);
    structure_write_all(w);
    preferring x = {.w = w, .mark = arena_array(a, uint8_t, n + 1)};
    if (!preferred_marks(&x)) return;
    x.known = arena_array(a, char, n + 1);
    x.given_by = arena_array(a, int, n + 1);
    x.value = arena_array(a, expr, n + 1);
    x.slope = arena_array(a, expr, n + 1);
    x.in = arena_array(a, int_array, n + 1);
    for (int v = 0; v < n; v++) x.given_by[v] = -1;
    preferred_rows(&x);
    preferred_find(&x);
    preferred_slopes(&x);
    preferred_pairs q = {0};
    if (!preferred_pattern(&x, &q) || !preferred_pair(&x, &q)) return;
    structure_freedom_before(w);
    dag_rewriter r;
    dag_rewriter_init(&r, &w->d, w);
    for (int i = 0; i < q.states.n; i++)
        if (q.changes[i])
            dag_rewriter_set(&r, expr_var(w->p, q.states.at[i], 1, TYPE_REAL, 0),
                             x.slope[q.states.at[i]]);
    for (int i = 0; i < w->eqs.n; i++) {
        w->eqs.at[i].lhs = dag_rewrite(&r, w->eqs.at[i].lhs);
        w->eqs.at[i].rhs = dag_rewrite(&r, w->eqs.at[i].rhs);
        family_changed(w->families, i);
    }
    for (int i = 0; i < w->s->initial.n; i++) {
        w->s->initial.at[i].lhs = dag_rewrite(&r, w->s->initial.at[i].lhs);
        w->s->initial.at[i].rhs = dag_rewrite(&r, w->s->initial.at[i].rhs);
    }
}
