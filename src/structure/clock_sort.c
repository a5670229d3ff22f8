/* Clocked equations in the order in which a tick computes them.
 *
 * Each is matched to the variable that it gives, and all of a base-partition are sorted together: what
 * reads a variable of another sub-partition comes after it, and at a tick of both sees its new value.
 * Where several must be solved at once they are a step of their own, solved by Newton's method; the
 * rest of a sub-partition that follows one another is one step.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

typedef struct tick_order {
    analysis *w;
    int base;
    int_array rows;         // of w->clocked
    int_array columns;      // flat variables
    int *by_place;          // of an element of w: column + 1
    graph_pattern all, own; // incidences; those that can be solved for
    graph_matching match;
} tick_order;

static bool is_given(const structure *s, int v) // by the tick itself
{
    const structure_sub *u = &s->subs.at[s->vars[v].clock - 1];
    if (v == u->interval_var || v == u->first_var || v == u->on_var) return true;
    for (int k = 0; k < u->samples.n; k++)
        if (s->sampled.at[u->samples.at[k]].var == v) return true;
    return false;
}

/* Rows and columns of all base-partitions, in one pass. */
static tick_order *list_orders(analysis *w)
{
    const structure *s = w->s;
    tick_order *all = arena_array(w->scratch, tick_order, s->bases.n + 1);
    int *by_place = arena_array(w->scratch, int, s->n_w + 1);
    for (int b = 0; b < s->bases.n; b++) all[b] = (tick_order){w, .base = b, .by_place = by_place};
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        if (q->role != STRUCTURE_DISCRETE || !q->clock || is_given(s, v)) continue;
        array_push(w->scratch, &all[s->subs.at[q->clock - 1].base].columns, v);
    }
    for (int i = 0; i < w->clocked.n; i++)
        array_push(w->scratch, &all[s->subs.at[w->clocked.at[i].block].base].rows, i);
    return all;
}

/* by_place is that of the partition at hand: all others share it. */
static void number_places(tick_order *x, bool here)
{
    for (int k = 0; k < x->columns.n; k++)
        x->by_place[x->w->s->vars[x->columns.at[k]].place] = here ? k + 1 : 0;
}

static expr place_var(const analysis *w, int v)
{
    const flat_var *f = flat_at(w->m, v);
    return expr_var(w->p, w->s->n_flat + w->s->vars[v].place, 0, (expr_type)f->type,
                    f->decl->enum_id);
}

/* The rows' columns; an equation can be solved for a Real, for others only where they stand alone. */
static void find_incidence(tick_order *x)
{
    analysis *w = x->w;
    const structure *s = w->s;
    int_array all = {0}, own = {0}, vars = {0};
    int n = x->rows.n, *seen = arena_array(w->scratch, int, x->columns.n + 1);
    x->all = (graph_pattern){.n_rows = n, .n_cols = x->columns.n};
    x->all.start = arena_array(w->scratch, int, n + 1);
    x->own = x->all;
    x->own.start = arena_array(w->scratch, int, n + 1);
    for (int i = 0; i < n; i++) {
        const structure_equation *e = &w->clocked.at[x->rows.at[i]];
        x->all.start[i] = all.n;
        x->own.start[i] = own.n;
        vars.n = 0;
        dag_vars(&w->d, e->lhs, &vars);
        dag_vars(&w->d, e->rhs, &vars);
        for (int k = 0; k < vars.n; k++) {
            int at = expr_at(w->p, vars.at[k])->u.var.index - s->n_flat;
            int j = at < 0 || at >= s->n_w ? 0 : x->by_place[at];
            if (!j || seen[j] == i + 1) continue;
            seen[j] = i + 1;
            array_push(w->scratch, &all, j - 1);
            bool alone = vars.at[k] == e->lhs || vars.at[k] == e->rhs;
            // A clocked variable is given by an equation of its own sub-partition.
            bool here = s->vars[x->columns.at[j - 1]].clock == e->block + 1;
            if (here && (alone || expr_at(w->p, vars.at[k])->type == TYPE_REAL))
                array_push(w->scratch, &own, j - 1);
        }
    }
    x->all.start[n] = all.n;
    x->all.col = all.at;
    x->own.start[n] = own.n;
    x->own.col = own.at;
}

static bool report_unmatched(tick_order *x)
{
    analysis *w = x->w;
    for (int j = 0; j < x->columns.n; j++) {
        if (x->match.row_of[j] >= 0) continue;
        const flat_var *f = flat_at(w->m, x->columns.at[j]);
        diag_error(w->sink, "S178", f->decl->at, "no equation determines the clocked variable '%s'",
                   FLAT_NAME(w->m, x->columns.at[j]));
    }
    for (int i = 0; i < x->rows.n; i++) {
        if (x->match.col_of[i] >= 0) continue;
        const structure_equation *e = &w->clocked.at[x->rows.at[i]];
        diag_error(w->sink, "S178", e->at,
                   "this clocked equation determines no variable: all it contains are determined "
                   "by others, or stand where it cannot be solved for them");
    }
    return false;
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct tick_run { // explicit equations of one sub-partition that follow one another
    int sub;
    int_array vars;
    ARRAY(expr) f;
    ARRAY(span) at;
    dag_rewriter inside; // variables that the step itself computes: their values
} tick_run;

static void push_step(structure *s, int sub, int n, const int *vars, const expr *f, const expr *d,
                      const span *at)
{
    int *own_vars = arena_array(s->a, int, n);
    expr *own_f = arena_array(s->a, expr, n), *own_d = d ? arena_array(s->a, expr, n * n) : NULL;
    span *own_at = arena_array(s->a, span, n);
    for (int i = 0; i < n; i++) {
        own_vars[i] = vars[i];
        own_f[i] = f[i];
        own_at[i] = at[i];
    }
    for (int i = 0; d && i < n * n; i++) own_d[i] = d[i];
    structure_step q = {sub, n, own_vars, own_f, own_d, own_at};
    array_push(s->a, &s->steps, q);
}

static void end_run(tick_order *x, tick_run *r)
{
    if (r->vars.n) push_step(x->w->s, r->sub, r->vars.n, r->vars.at, r->f.at, NULL, r->at.at);
    r->vars.n = r->f.n = r->at.n = 0;
}

static void add_explicit(tick_order *x, tick_run *r, int sub, int v, expr value, span at)
{
    analysis *w = x->w;
    if (r->vars.n && r->sub != sub) end_run(x, r);
    if (!r->vars.n) {
        r->sub = sub;
        dag_rewriter_init_few(&r->inside, &w->d, NULL);
    }
    value = dag_rewrite(&r->inside, value);
    dag_rewriter_set(&r->inside, place_var(w, v), value);
    array_push(w->scratch, &r->vars, v);
    array_push(w->scratch, &r->f, value);
    array_push(w->scratch, &r->at, at);
}

static expr solved(analysis *w, const structure_equation *e, int v)
{
    expr var = place_var(w, v), guard = 0;
    int_array vars = {0};
    for (int side = 0; side < 2; side++) {
        expr l = side ? e->rhs : e->lhs, other = side ? e->lhs : e->rhs;
        if (l != var) continue;
        vars.n = 0;
        dag_vars(&w->d, other, &vars);
        bool inside = false;
        for (int k = 0; k < vars.n; k++) inside = inside || vars.at[k] == var;
        if (!inside) return other;
    }
    if (expr_at(w->p, var)->type != TYPE_REAL) return 0;
    return dag_solve(&w->d, expr_sub(w->p, e->lhs, e->rhs), var, &guard);
}

static bool add_implicit(tick_order *x, const int *rows, int n)
{
    analysis *w = x->w;
    const structure *s = w->s;
    int *vars = arena_array(w->scratch, int, n), sub = w->clocked.at[x->rows.at[rows[0]]].block;
    expr *f = arena_array(w->scratch, expr, n), *d = arena_array(w->scratch, expr, n * n),
         *v = arena_array(w->scratch, expr, n);
    span *at = arena_array(w->scratch, span, n);
    for (int i = 0; i < n; i++) {
        const structure_equation *e = &w->clocked.at[x->rows.at[rows[i]]];
        vars[i] = x->columns.at[x->match.col_of[rows[i]]];
        v[i] = place_var(w, vars[i]);
        at[i] = e->at;
        if (e->block != sub) {
            diag_error(w->sink, "S177", e->at,
                       "equations of different clocks would have to be solved together, here for "
                       "'%s'; break the circle with previous()",
                       FLAT_NAME(w->m, vars[i]));
            return false;
        }
        if (expr_at(w->p, v[i])->type != TYPE_REAL) {
            diag_error(w->sink, "S180", e->at,
                       "'%s' depends on itself at one tick; break the circle with previous()",
                       FLAT_NAME(w->m, vars[i]));
            return false;
        }
        f[i] = expr_sub(w->p, e->lhs, e->rhs);
    }
    const char *why = NULL;
    if (!expr_jacobian(w->p, f, n, v, n, w->scratch, d, &why)) {
        diag_error(w->sink, "S180", at[0], "this clocked equation cannot be solved: %s",
                   why ? why : "it has no derivative");
        return false;
    }
    push_step(w->s, sub, n, vars, f, d, at);
    (void)s;
    return true;
}

static bool make_steps(tick_order *x)
{
    analysis *w = x->w;
    graph_blocks b = graph_blt(&x->all, x->match.row_of, NULL, NULL, w->scratch, w->scratch);
    tick_run run = {0};
    for (int k = 0; k < b.n; k++) {
        const int *rows = &b.item[b.start[k]];
        int n = b.start[k + 1] - b.start[k];
        const structure_equation *e = &w->clocked.at[x->rows.at[rows[0]]];
        int v = x->columns.at[x->match.col_of[rows[0]]];
        expr value = n == 1 ? solved(w, e, v) : 0;
        if (value) {
            add_explicit(x, &run, e->block, v, value, e->at);
            continue;
        }
        end_run(x, &run);
        if (!add_implicit(x, rows, n)) return false;
    }
    end_run(x, &run);
    return true;
}

/* Variables whose value at the last tick is asked for. */
static void find_past(analysis *w)
{
    structure *s = w->s;
    char *asked = arena_array(w->scratch, char, s->n_w + 1);
    int_array vars = {0};
    for (int i = 0; i < s->steps.n; i++)
        for (int k = 0; k < s->steps.at[i].n; k++) {
            vars.n = 0;
            dag_vars(&w->d, s->steps.at[i].f[k], &vars);
            for (int j = 0; j < vars.n; j++) {
                int at = expr_at(w->p, vars.at[j])->u.var.index - s->n_flat;
                if (at >= 0 && at < s->n_w) asked[at] = 1;
            }
        }
    for (int i = 0; i < s->actions.n; i++) {
        const structure_action *a = &s->actions.at[i];
        vars.n = 0;
        if (a->fire) dag_vars(&w->d, a->fire, &vars);
        if (a->value) dag_vars(&w->d, a->value, &vars);
        for (int j = 0; j < vars.n; j++) {
            int at = expr_at(w->p, vars.at[j])->u.var.index - s->n_flat;
            if (at >= 0 && at < s->n_w) asked[at] = 1;
        }
    }
    for (int v = 0; v < s->n_flat; v++) {
        const structure_var *q = &s->vars[v];
        if (q->role == STRUCTURE_DISCRETE && q->clock && asked[q->place + 1])
            array_push(s->a, &s->subs.at[q->clock - 1].past, v);
    }
    for (int b = 0; b < s->bases.n; b++) { // interval() is that before the present tick
        int v = s->bases.at[b].var;
        if (v >= 0 && s->vars[v].clock && !asked[s->vars[v].place + 1])
            array_push(s->a, &s->subs.at[s->vars[v].clock - 1].past, v);
    }
}

bool structure_sort_clocked(analysis *w)
{
    structure *s = w->s;
    tick_order *orders = list_orders(w);
    for (int b = 0; b < s->bases.n; b++) {
        tick_order *x = &orders[b];
        number_places(x, true);
        find_incidence(x);
        number_places(x, false);
        x->match = graph_match(&x->own, NULL, w->scratch, w->scratch);
        if (x->match.n < x->rows.n || x->match.n < x->columns.n) return report_unmatched(x);
        s->bases.at[b].first_step = s->steps.n;
        if (!make_steps(x)) return false;
        s->bases.at[b].n_steps = s->steps.n - s->bases.at[b].first_step;
    }
    find_past(w);
    return true;
}
