/* Initial equations of discrete variables, solved for values of the past.
 *
 * At the start every discrete variable follows from its equation, so what an initial equation can
 * decide is pre(u) of some u. l = e is followed through the definitions of l until a past value is
 * reached:
 *
 *     l = e,  l = not m,  m = pre(n)     gives  pre(n) = not e
 *     true = pre(a) and pre(b)           gives  pre(a) = true, pre(b) = true
 *     pre(a) = pre(b),  a' = pre(a),  a' = true        gives  pre(b) = true, whichever comes first
 *
 * A when-clause leaves v = ... else pre(v): there v = e means pre(v) = e. What cannot be solved
 * decides nothing and must hold by itself: every initial equation is a claim that is checked when
 * the start is found. Modelica Language Specification 3.6, section 8.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

enum { NESTED_MAX = 64 }; // conjunctions inside each other

typedef struct first_solver {
    analysis *w;
    int *by_place; // of an element of w: discrete variable + 1; negative: its past
    expr *defined; // by flat variable: what its equation says, 0: none
    int *decided;  // by flat variable: place in out + 1 of what gives its past, 0: nothing
    structure_equations out;
} first_solver;

/* The discrete variable of a VAR over w, or -1; *past: its pre value. */
static int discrete_of(const first_solver *x, expr e, bool *past)
{
    const structure *s = x->w->s;
    const expr_node *n = expr_at(x->w->p, e);
    int at = n->op == EXPR_VAR ? n->u.var.index - s->n_flat : -1;
    if (at < 0 || at >= s->n_w || !x->by_place[at]) return -1;
    *past = x->by_place[at] < 0;
    return (*past ? -x->by_place[at] : x->by_place[at]) - 1;
}

static bool contains_past(first_solver *x, expr e, int v)
{
    analysis *w = x->w;
    int_array vars = {0};
    dag_vars(&w->d, e, &vars);
    for (int k = 0; k < vars.n; k++) {
        bool past = false;
        if (discrete_of(x, vars.at[k], &past) == v && past) return true;
    }
    return false;
}

static bool decide(first_solver *x, int v, expr value, const structure_equation *q)
{
    const flat_var *f = flat_at(x->w->m, v);
    if (x->decided[v] || (f->attr && f->attr->fixed == 1)) return false;
    structure_equation e = *q;
    e.block = v;
    e.rhs = value;
    array_push(x->w->s->a, &x->out, e);
    x->decided[v] = x->out.n;
    return true;
}

/* The one discrete variable or past value in a number, solved for; 0: there is none, or several. */
static expr number_solved(first_solver *x, expr e, expr value, expr *of)
{
    analysis *w = x->w;
    int_array vars = {0};
    bool past;
    expr found = 0;
    dag_vars(&w->d, e, &vars);
    for (int k = 0; k < vars.n; k++) {
        if (discrete_of(x, vars.at[k], &past) < 0 || vars.at[k] == found) continue;
        if (found) return 0;
        found = vars.at[k];
    }
    *of = found;
    return found ? expr_solve_affine(w->p, e, value, found, w->scratch) : 0;
}

/* e = value at the start: decide past values that make it so. False: nothing was decided. */
static bool first_solve(first_solver *x, expr e, expr value, const structure_equation *q, int depth)
{
    analysis *w = x->w;
    expr_pool *p = w->p;
    if (depth > NESTED_MAX) return false;
    // Each round goes one definition or one operator down; a loop of definitions ends it.
    for (int round = 0; round < 2 * w->s->discrete.n + 64; round++) {
        expr_node n = *expr_at(p, e);
        bool past = false;
        int v = discrete_of(x, e, &past);
        if (v >= 0) {
            if (past || (x->defined[v] && contains_past(x, x->defined[v], v))) {
                if (!x->decided[v]) return decide(x, v, value, q);
                e = x->out.at[x->decided[v] - 1].rhs; // another initial equation gives it
                continue;
            }
            if (!x->defined[v]) return false;
            e = x->defined[v];
        } else if (n.op == EXPR_NOT) {
            e = n.u.arg[0];
            value = expr_1(p, EXPR_NOT, value);
        } else if ((n.op == EXPR_AND && value == p->yes) || (n.op == EXPR_OR && value == p->no)) {
            bool left = first_solve(x, n.u.arg[0], value, q, depth + 1);
            return first_solve(x, n.u.arg[1], value, q, depth + 1) || left;
        } else if (n.type == TYPE_REAL || n.type == TYPE_INTEGER) {
            expr of = 0, solved = number_solved(x, e, value, &of);
            if (!solved || of == e) return false;
            value = solved;
            e = of;
        } else {
            return false;
        }
    }
    return false;
}

void structure_first(analysis *w)
{
    structure *s = w->s;
    first_solver x = {.w = w};
    x.by_place = arena_array(w->scratch, int, s->n_w);
    x.defined = arena_array(w->scratch, expr, s->n_flat);
    x.decided = arena_array(w->scratch, int, s->n_flat);
    for (int v = 0; v < s->n_flat; v++) {
        if (s->vars[v].role != STRUCTURE_DISCRETE) continue;
        x.by_place[s->vars[v].place] = v + 1;
        x.by_place[s->vars[v].place + 1] = -v - 1;
    }
    bool past = false;
    for (int k = 0; k < s->discrete.n; k++) {
        const structure_equation *e = &s->discrete.at[k];
        bool left = discrete_of(&x, e->lhs, &past) == e->block && !past;
        x.defined[e->block] = left ? e->rhs : e->lhs;
    }
    for (int k = 0; k < s->first.n; k++) {
        const structure_equation *q = &s->first.at[k];
        array_push(s->a, &s->claims, *q);
        if (first_solve(&x, q->lhs, q->rhs, q, 0) || first_solve(&x, q->rhs, q->lhs, q, 0))
            continue;
        if (q->block >= 0) decide(&x, q->block, q->rhs, q); // what edge() and change() see
    }
    s->first.at = x.out.at;
    s->first.n = x.out.n;
    s->first.cap = x.out.cap;
}
