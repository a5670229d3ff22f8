/* Discrete variables that depend on each other: y = w + 1 and w = -y in a when-clause, or y = 2 x + 1 in one where
 * the equations of continuous time give x by y.
 *
 * Equations of discrete variables are evaluated one after the other at an event, which solves no system of
 * equations. A Real variable v of a loop therefore gets a continuous copy v~, and the loop is solved by whatever
 * solves the equations of continuous time:
 *
 *     v = if f then g(v, w) else pre(v)     becomes     v~ = if f then g(v~, w~) else pre(v)
 *                                                       v  = if f then g(v~, w~) else pre(v)
 *
 * Equations of continuous time read v~ for v. Between events f is false, and v~ is what v is. The model is then
 * analysed once more. A Boolean or an Integer cannot be solved for: one whose equation reads it is refused here; a
 * loop of several of them is iterated at the event, and refused there if it does not come to rest.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <math.h>

typedef struct loop_finder {
    analysis *w;
    int n_discrete, n; // nodes: discrete equations, then blocks
    int *by_place;     // of an element of w: the equation of its variable + 1
    int_array from, to;
    int_array blocks; // those that are reached
    char *reached;    // by block
} loop_finder;

typedef struct loop_members {
    int_array real, other; // of s->discrete
    int n_blocks;
} loop_members;

/* ---- who depends on whom --------------------------------------------------------------------- */

static void add_arc(loop_finder *x, int node, int var, int order)
{
    const structure *s = x->w->s;
    int to = -1, at = var - s->n_flat;
    if (at >= 0) to = at < s->n_w ? x->by_place[at] - 1 : -1;
    int entry = at < 0 ? structure_entry_at(s, var, order) : -1;
    if (entry >= 0) {
        const structure_unknown *u = &s->unknowns.at[s->entries.at[entry].unknown];
        if (structure_order_of(s, entry) != u->d) return; // a state
        to = x->n_discrete + u->block;
        if (!x->reached[u->block]) array_push(x->w->scratch, &x->blocks, u->block);
        x->reached[u->block] = 1;
    }
    if (to < 0) return;
    array_push(x->w->scratch, &x->from, node);
    array_push(x->w->scratch, &x->to, to);
}

static void add_arcs(loop_finder *x, int node, const expr *e, int n)
{
    int_array vars = {0};
    for (int k = 0; k < n; k++)
        if (e[k]) dag_vars(&x->w->d, e[k], &vars);
    for (int k = 0; k < vars.n; k++) {
        const expr_node *v = expr_at(x->w->p, vars.at[k]);
        add_arc(x, node, v->u.var.index, v->u.var.order);
    }
}

static void add_block(loop_finder *x, int block)
{
    const structure *s = x->w->s;
    const structure_block *b = &s->blocks.at[block];
    for (int i = 0; i < b->n; i++) {
        const structure_equation *e = &s->equations.at[b->equations[i]];
        flat_slot slots[SHAPE_SLOTS];
        const expr_shape *shape = structure_slots(s, b->equations[i], slots);
        for (int k = 0; shape && k < shape->n_slots; k++)
            add_arc(x, x->n_discrete + block, slots[k].var, slots[k].order);
        if (!shape) add_arcs(x, x->n_discrete + block, &e->f[e->c], 1);
    }
}

static graph_pattern loop_pattern(loop_finder *x)
{
    arena *a = x->w->scratch;
    graph_pattern g = {.n_rows = x->n, .n_cols = x->n};
    g.start = arena_array(a, int, x->n + 2);
    g.col = arena_array(a, int, x->from.n + 1);
    for (int i = 0; i < x->from.n; i++) g.start[x->from.at[i] + 2]++;
    for (int k = 0; k <= x->n; k++) g.start[k + 1] += g.start[k];
    for (int i = 0; i < x->from.n; i++) g.col[g.start[x->from.at[i] + 1]++] = x->to.at[i];
    return g;
}

static graph_pattern find_arcs(loop_finder *x)
{
    analysis *w = x->w;
    const structure *s = w->s;
    x->by_place = arena_array(w->scratch, int, s->n_w + 1);
    x->reached = arena_array(w->scratch, char, s->blocks.n + 1);
    for (int i = 0; i < x->n_discrete; i++)
        x->by_place[s->vars[s->discrete.at[i].block].place] = i + 1;
    for (int i = 0; i < x->n_discrete; i++) {
        const structure_equation *e = &s->discrete.at[i];
        int self = s->n_flat + s->vars[e->block].place;
        // The variable itself, alone on its side, is no dependence.
        for (int side = 0; side < 2; side++) {
            expr it = side ? e->rhs : e->lhs, other = side ? e->lhs : e->rhs;
            const expr_node *v = expr_at(w->p, it);
            if (v->op == EXPR_VAR && v->u.var.index == self) {
                add_arcs(x, i, &other, 1);
                break;
            }
        }
    }
    for (int k = 0; k < x->blocks.n; k++) add_block(x, x->blocks.at[k]); // the list grows
    return loop_pattern(x);
}

/* ---- loops without a solution ---------------------------------------------------------------- */

/* What equation e, as when-clauses became equations, gives its variable. */
static expr value_given(const analysis *w, const structure_equation *e)
{
    if (e->flat < 0) return 0;
    const flat_equation *q = &w->m->equations.at[e->flat];
    const expr_node *left = expr_at(w->p, q->lhs), *right = expr_at(w->p, q->rhs);
    if (left->op == EXPR_VAR && left->u.var.index == e->block) return q->rhs;
    return right->op == EXPR_VAR && right->u.var.index == e->block ? q->lhs : 0;
}

/* The value that its first when-clause gives it, and when; itself and 0 where it stands in none. */
static expr first_given(const analysis *w, const structure_equation *e, expr *when)
{
    expr value = value_given(w, e);
    *when = 0;
    if (!value || e->flat < w->n_as_written) return value;
    const expr_node *n = expr_at(w->p, value);
    if (n->op != EXPR_IF) return value;
    *when = n->u.arg[0];
    return n->u.arg[1];
}

static expr flat_variable(const analysis *w, int v)
{
    const flat_var *f = flat_at(w->m, v);
    return expr_var(w->p, v, 0, (expr_type)f->type, f->decl->enum_id);
}

static bool reads(analysis *w, expr e, expr var)
{
    int_array vars = {0};
    if (e) dag_vars(&w->d, e, &vars);
    for (int k = 0; k < vars.n; k++)
        if (vars.at[k] == var) return true;
    return false;
}

static void report_itself(analysis *w, const structure_equation *e)
{
    expr when, value = first_given(w, e, &when), var = flat_variable(w, e->block);
    if (!reads(w, value, var)) value = value_given(w, e);
    expr_subst past;
    expr_subst_init(&past, w->p, w->scratch);
    expr_subst_set(&past, var, expr_1(w->p, EXPR_PRE, var));
    text meant = structure_text(w);
    expr_print(w->p, expr_subst_apply(&past, value), EXPR_MODELICA, 60, &meant);
    const char *name = FLAT_NAME(w->m, e->block);
    diag_error(w->sink, "S155", e->at,
               "'%s' is defined by itself%s: no value satisfies its equation, or many do; did you "
               "mean %s = %s, with "
               "the value of '%s' before the event?",
               name, when ? " in a when-clause" : "", name, text_str(&meant), name);
}

/* Is a matrix of numbers singular? Elimination with the largest pivots; what is left of numbers that cancel is
 * rounding. */
static bool is_singular(double *a, int n)
{
    const double ROUNDING = 1e-12;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        double size = 0;
        for (int i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        for (int i = 0; i < n * n; i++) size = fmax(size, fabs(a[i]));
        if (fabs(a[pivot * n + k]) <= ROUNDING * size) return true;
        for (int j = 0; j < n; j++) {
            double kept = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = kept;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return false;
}

/* Are the equations of one when-clause, linear with numbers for coefficients, dependent? */
static bool is_dependent(analysis *w, const int_array *real)
{
    enum { EQUATIONS_MAX = 100 };
    const structure *s = w->s;
    int n = real->n;
    expr when = 0;
    const char *why = NULL;
    if (n > EQUATIONS_MAX) return false;
    expr *f = arena_array(w->scratch, expr, n), *var = arena_array(w->scratch, expr, n),
         *d = arena_array(w->scratch, expr, n * n);
    double *a = arena_array(w->scratch, double, n *n);
    for (int i = 0; i < n; i++) {
        const structure_equation *e = &s->discrete.at[real->at[i]];
        expr now, value = first_given(w, e, &now);
        if (i && now != when) return false;
        when = now;
        var[i] = flat_variable(w, e->block);
        f[i] = expr_sub(w->p, var[i], value);
    }
    if (!expr_jacobian(w->p, f, n, var, n, w->scratch, d, &why)) return false;
    for (int i = 0; i < n * n; i++)
        if (!expr_number(w->p, d[i], &a[i])) return false;
    return is_singular(a, n);
}

static void report_dependent(analysis *w, const int_array *real)
{
    const structure *s = w->s;
    const structure_equation *e = &s->discrete.at[real->at[0]];
    if (real->n == 1) {
        report_itself(w, e);
        return;
    }
    int *vars = arena_array(w->scratch, int, real->n);
    for (int i = 0; i < real->n; i++) vars[i] = s->discrete.at[real->at[i]].block;
    text names = structure_text(w);
    structure_list_vars(w, vars, real->n, 4, &names);
    diag_error(w->sink, "S156", e->at,
               "the equations that give %s their values depend on each other and have no solution, "
               "or many; write "
               "pre() where the value before the event is meant",
               text_str(&names));
    for (int i = 0; i < real->n && i < 4; i++) {
        expr when, value = first_given(w, &s->discrete.at[real->at[i]], &when);
        text t = structure_text(w);
        expr_print_equation(w->p, flat_variable(w, vars[i]), value, 80, &t);
        diag_note(w->sink, s->discrete.at[real->at[i]].at, "%s", text_str(&t));
    }
}

/* ---- copies ---------------------------------------------------------------------------------- */

static int add_copy(analysis *w, int v)
{
    flat_var copy = *flat_at(w->m, v);
    copy.variability = FLAT_CONTINUOUS;
    copy.causality = 0;
    copy.flags = FLAT_PROTECTED;
    if (copy.attr) {
        flat_attributes *attr = arena_new(w->a, flat_attributes);
        *attr = *copy.attr;
        attr->fixed = -1;
        copy.attr = attr;
    }
    text name = structure_text(w);
    text_printf(&name, "$%s", FLAT_NAME(w->m, v));
    return flat_vars_add(&w->m->vars, w->a, copy, arena_strndup(w->a, text_str(&name), name.n));
}

/* Nothing below pre(), edge() and change() moves with the copies. */
static expr with_copies(analysis *w, expr_subst *s, expr e)
{
    int_array nodes = expr_reach(w->p, &e, 1, w->scratch);
    for (int i = 0; i < nodes.n; i++) {
        uint8_t op = expr_at(w->p, nodes.at[i])->op;
        if (op == EXPR_PRE || op == EXPR_EDGE || op == EXPR_CHANGE)
            expr_subst_set(s, nodes.at[i], nodes.at[i]);
    }
    return expr_subst_apply(s, e);
}

static void add_copies(analysis *w, const int_array *real, bool continuous)
{
    const structure *s = w->s;
    flat_model *m = w->m;
    int n = real->n;
    expr *copy = arena_array(w->scratch, expr, n);
    expr_subst to;
    expr_subst_init(&to, w->p, w->scratch);
    flat_own(m, w->a);
    if (continuous) flat_write_out(m, w->a);
    for (int i = 0; i < n; i++) {
        int v = s->discrete.at[real->at[i]].block;
        copy[i] = flat_variable(w, add_copy(w, v));
        expr_subst_set(&to, flat_variable(w, v), copy[i]);
    }
    for (int i = 0; i < n; i++) {
        const structure_equation *e = &s->discrete.at[real->at[i]];
        flat_equation *q = &m->equations.at[e->flat], more = *q;
        more.lhs = copy[i];
        more.rhs = with_copies(w, &to, value_given(w, e));
        if (e->flat >= w->n_as_written) {
            q->lhs = flat_variable(w, e->block);
            q->rhs = more.rhs;
        }
        array_push(w->a, &m->equations, more);
    }
    for (int i = 0; continuous && i < s->written.n; i++) {
        flat_equation *q = &m->equations.at[s->written.at[i]];
        if (!flat_is_written(q)) continue;
        q->lhs = with_copies(w, &to, q->lhs);
        q->rhs = with_copies(w, &to, q->rhs);
    }
}

static loop_members members_of(loop_finder *x, const int *nodes, int n)
{
    const structure *s = x->w->s;
    loop_members m = {0};
    for (int k = 0; k < n; k++) {
        bool discrete = nodes[k] < x->n_discrete;
        if (!discrete) m.n_blocks++;
        else if (flat_at(x->w->m, s->discrete.at[nodes[k]].block)->type == TYPE_REAL)
            array_push(x->w->scratch, &m.real, nodes[k]);
        else array_push(x->w->scratch, &m.other, nodes[k]);
    }
    return m;
}

static bool has_arc(const graph_pattern *g, int from, int to)
{
    for (int k = g->start[from]; k < g->start[from + 1]; k++)
        if (g->col[k] == to) return true;
    return false;
}

bool structure_copy_loops(analysis *w, bool *again)
{
    const structure *s = w->s;
    loop_finder x = {.w = w, .n_discrete = s->discrete.n, .n = s->discrete.n + s->blocks.n};
    bool ok = true;
    *again = false;
    if (!x.n_discrete) return true;
    graph_pattern g = find_arcs(&x);
    graph_blocks b = graph_components(&g, w->scratch, w->scratch);
    for (int k = 0; k < b.n; k++) {
        const int *nodes = &b.item[b.start[k]];
        int n = b.start[k + 1] - b.start[k];
        if (n == 1 && (nodes[0] >= x.n_discrete || !has_arc(&g, nodes[0], nodes[0]))) continue;
        loop_members m = members_of(&x, nodes, n);
        bool solvable = m.real.n > 0;
        for (int i = 0; i < m.real.n; i++)
            solvable = solvable && value_given(w, &s->discrete.at[m.real.at[i]]);
        if (n == 1 && m.other.n && value_given(w, &s->discrete.at[nodes[0]])) {
            report_itself(w, &s->discrete.at[nodes[0]]);
            ok = false;
        } else if (solvable && !m.n_blocks && !m.other.n && is_dependent(w, &m.real)) {
            report_dependent(w, &m.real);
            ok = false;
        } else if (solvable) {
            add_copies(w, &m.real, m.n_blocks > 0);
            *again = true;
        }
    }
    return ok;
}
