/* Differential equations in clocked partitions, solved by one step of a method from tick to tick.
 *
 * der(x) is a variable of its own, dx; the method says how x follows from it and from what was at the
 * last tick. h is the interval, and at the first tick x is its start value:
 *
 *     ExplicitEuler       x = previous(x) + h previous(dx)
 *     ImplicitEuler       x = previous(x) + h dx
 *     ImplicitTrapezoid   x = previous(x) + h/2 (previous(dx) + dx)
 *     ExplicitMidPoint2   x = previous(x) + h dx2, dx2 from the equations at the middle
 *     ExplicitRungeKutta4 x = previous(x) + h/6 (previous(dx) + 2 dx2 + 2 dx3 + dx4)
 *
 * For stages the equations of the partition are written once more each, with inputs in between.
 * Modelica Language Specification 3.6, section 16.8.2.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/clocks.h"

#include <string.h>

typedef struct solver_method {
    const char *name;
    double before, now; // weights of previous(dx) and of dx
    int n_stages;
    struct {
        double node, weight; // of a stage: where it is, as a part of h; its weight in the sum
    } stage[3];
} solver_method;

static const solver_method methods[] = {
    {"ExplicitEuler", 1, 0, 0, {{0, 0}}},
    {"ImplicitEuler", 0, 1, 0, {{0, 0}}},
    {"External", 0, 1, 0, {{0, 0}}}, // nobody gives one from outside: as ImplicitEuler
    {"ImplicitTrapezoid", 0.5, 0.5, 0, {{0, 0}}},
    {"ExplicitMidPoint2", 0, 0, 1, {{0.5, 1}}},
    {"ExplicitRungeKutta4", 1.0 / 6, 0, 3, {{0.5, 1.0 / 3}, {0.5, 1.0 / 3}, {1, 1.0 / 6}}},
};

static const solver_method *method_named(const char *name)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (!strcmp(methods[k].name, name)) return &methods[k];
    return NULL;
}

/* ---- which method ---------------------------------------------------------------------------- */

static int sub_at(clock_parts *x, int node)
{
    return x->sub_of[graph_root(x->up.at, node)] - 1;
}

static bool methods_differ(clock_parts *x, span at, const char *a, const char *b)
{
    diag_error(x->w->sink, "S176", at,
               "the solver methods \"%s\" and \"%s\" are both given to these equations; give one",
               a, b);
    return false;
}

static bool given_methods(clock_parts *x)
{
    for (int i = 0; i < x->solvers.n; i++) {
        const clock_solver *q = &x->solvers.at[i];
        int sub = sub_at(x, q->node);
        if (!method_named(q->name)) {
            diag_error(x->w->sink, "S176", q->at,
                       "there is no solver method \"%s\"; there are ExplicitEuler, ImplicitEuler, "
                       "ImplicitTrapezoid, ExplicitMidPoint2 and ExplicitRungeKutta4",
                       q->name);
            return false;
        }
        if (x->method[sub] && strcmp(x->method[sub], q->name))
            return methods_differ(x, q->at, x->method[sub], q->name);
        x->method[sub] = q->name;
    }
    return true;
}

/* From neighbours through sub-partitions that have none: *found is its method, NULL if there is
 * none. */
static bool inferred_method(clock_parts *x, int sub, span at, sym *found)
{
    const structure *s = x->w->s;
    char *seen = arena_array(x->w->scratch, char, s->subs.n);
    int_array list = {0};
    array_push(x->w->scratch, &list, sub);
    seen[sub] = 1;
    *found = x->method[sub];
    for (int k = 0; k < list.n && !x->method[sub]; k++)
        for (int i = 0; i < x->edges.n; i++) {
            const clock_edge *e = &x->edges.at[i];
            int a = sub_at(x, e->from), b = sub_at(x, e->to), here = list.at[k];
            if (e->op == EXPR_CLOCK || (a != here && b != here)) continue;
            int other = a == here ? b : a;
            if (seen[other]) continue;
            seen[other] = 1;
            if (!x->method[other]) array_push(x->w->scratch, &list, other);
            else if (*found && strcmp(*found, x->method[other]))
                return methods_differ(x, at, *found, x->method[other]);
            else *found = x->method[other];
        }
    return true;
}

/* ---- stages ---------------------------------------------------------------------------------- */

typedef struct stage_copy {
    clock_parts *x;
    dag_rewriter r;
    int sub;
    double node;
    int *copy; // by flat variable: its copy, + 1
    int n_vars;
    span at;
} stage_copy;

static expr real(clock_parts *x, double a)
{
    return expr_real(x->w->p, a);
}

static bool is_sampled(const clock_parts *x, int v)
{
    const structure *s = x->w->s;
    for (int i = 0; i < s->sampled.n; i++)
        if (s->sampled.at[i].var == v) return true;
    return false;
}

/* An input at a stage: in the middle the mean of both ends, as the specification has it. */
static expr input_between(stage_copy *c, int v)
{
    clock_parts *x = c->x;
    expr_pool *p = x->w->p;
    expr now = clock_var(x, v);
    if (c->node == 1 || expr_at(p, now)->type != TYPE_REAL) return now;
    if (!is_sampled(x, v)) { // of another sub-partition: its value at the last tick of this one
        int own = clock_set_sub(x, clock_hidden(x, 'u', TYPE_REAL, 0, c->at), c->sub);
        clock_add(x, clock_var(x, own), now, c->sub, c->at);
        now = clock_var(x, own);
    }
    return expr_mul(p, real(x, 0.5), expr_add(p, expr_1(p, EXPR_PREVIOUS, now), now));
}

static expr at_stage(void *user, expr e)
{
    stage_copy *c = user;
    clock_parts *x = c->x;
    expr_pool *p = x->w->p;
    const structure *s = x->w->s;
    expr_node n = *expr_at(p, e);
    if (n.op == EXPR_PREVIOUS || n.op == EXPR_PRE) return e;
    if (n.op == EXPR_TIME) {
        expr h = clock_interval(x, c->sub);
        return expr_sub(p, e, expr_mul(p, real(x, 1 - c->node), h));
    }
    if (n.op != EXPR_VAR || flat_at(x->w->m, n.u.var.index)->variability <= FLAT_PARAMETER)
        return 0;
    int v = n.u.var.index;
    const structure_sub *u = &s->subs.at[c->sub];
    if (v == u->interval_var || v == u->first_var || v == u->on_var) return e;
    if (v >= c->n_vars) return e; // made for a stage
    if (x->w->clock_of.at[v] != c->sub + 1 || is_sampled(x, v)) return input_between(c, v);
    if (!c->copy[v]) {
        int q = clock_hidden(x, 'r', (expr_type)n.type, n.enum_id, c->at);
        c->copy[v] = clock_set_sub(x, q, c->sub) + 1;
    }
    return clock_var(x, c->copy[v] - 1);
}

/* The equations of the partition once more, at a stage; x there is given. slope[i]: dx of state i at
 * the stage before, and then at this one. */
static void add_stage(clock_parts *x, int sub, int n_equations, int n_vars, double node,
                      expr *slope)
{
    analysis *w = x->w;
    expr_pool *p = w->p;
    stage_copy c = {.x = x, .sub = sub, .node = node, .n_vars = n_vars};
    c.copy = arena_array(w->scratch, int, n_vars);
    dag_rewriter_init_few(&c.r, &w->d, &c);
    c.r.before = at_stage;
    expr h = clock_interval(x, sub);
    for (int i = 0; i < n_equations; i++) {
        structure_equation e = w->clocked.at[i];
        if (e.block != sub) continue;
        c.at = e.at;
        expr lhs = dag_rewrite(&c.r, e.lhs);
        clock_add(x, lhs, dag_rewrite(&c.r, e.rhs), sub, e.at);
    }
    for (int i = 0; i < x->states.n; i++) {
        clock_state q = x->states.at[i];
        if (q.given || w->clock_of.at[q.var] != sub + 1) continue;
        expr before = expr_1(p, EXPR_PREVIOUS, clock_var(x, q.var));
        expr there = expr_add(p, before, expr_mul(p, expr_mul(p, real(x, node), h), slope[i]));
        span at = flat_at(w->m, q.var)->decl->at;
        clock_add(x, dag_rewrite(&c.r, clock_var(x, q.var)), there, sub, at);
        slope[i] = dag_rewrite(&c.r, clock_var(x, q.der));
    }
}

/* ---- equations of the method ----------------------------------------------------------------- */

static void discretize(clock_parts *x, int sub, const solver_method *m)
{
    analysis *w = x->w;
    expr_pool *p = w->p;
    expr h = clock_interval(x, sub), first = clock_first(x, sub);
    int n = x->states.n, n_equations = w->clocked.n, n_vars = w->m->vars.n;
    expr *sum = arena_array(w->scratch, expr, n), *slope = arena_array(w->scratch, expr, n);
    for (int i = 0; i < n; i++) {
        expr now = clock_var(x, x->states.at[i].der);
        slope[i] = expr_1(p, EXPR_PREVIOUS, now);
        sum[i] = expr_add(p, expr_mul(p, real(x, m->before), slope[i]),
                          expr_mul(p, real(x, m->now), now));
    }
    while (w->clock_of.n < n_vars) array_push(w->scratch, &w->clock_of, 0);
    for (int k = 0; k < m->n_stages; k++) {
        add_stage(x, sub, n_equations, n_vars, m->stage[k].node, slope);
        for (int i = 0; i < n; i++)
            sum[i] = expr_add(p, sum[i], expr_mul(p, real(x, m->stage[k].weight), slope[i]));
    }
    for (int i = 0; i < n; i++) {
        clock_state q = x->states.at[i];
        if (q.given || w->clock_of.at[q.var] != sub + 1) continue;
        expr now = clock_var(x, q.var), before = expr_1(p, EXPR_PREVIOUS, now);
        expr next = expr_add(p, before, expr_mul(p, h, sum[i]));
        span at = flat_at(w->m, q.var)->decl->at;
        const structure_equation *e = q.first ? &x->initial.at[q.first - 1] : NULL;
        if (!e || e->lhs == now || e->rhs == now) {
            expr start = !e ? before : e->lhs == now ? e->rhs : e->lhs;
            clock_add(x, now, expr_3(p, EXPR_IF, first, start, next), sub, at);
        } else {
            expr start = expr_sub(p, e->lhs, e->rhs), step = expr_sub(p, now, next);
            clock_add(x, expr_3(p, EXPR_IF, first, start, step), p->zero, sub, at);
        }
    }
}

/* Each initial equation takes the place of one start value: that of the state that it names, or of
 * one that is not fixed. */
static bool pair_initial(clock_parts *x)
{
    analysis *w = x->w;
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < x->initial.n; i++) {
            const structure_equation *e = &x->initial.at[i];
            bool done = false;
            for (int k = 0; k < x->states.n; k++) done = done || x->states.at[k].first == i + 1;
            for (int k = 0; k < x->states.n && !done; k++) {
                clock_state *q = &x->states.at[k];
                const flat_attributes *a = flat_at(w->m, q->var)->attr;
                expr v = clock_var(x, q->var);
                if (q->first || q->given || w->clock_of.at[q->var] != e->block + 1) continue;
                if (pass == 0 && e->lhs != v && e->rhs != v) continue;
                if (pass == 1 && a && a->fixed == 1) continue;
                q->first = i + 1;
                done = true;
            }
            if (done || pass < 2) continue;
            diag_error(
                w->sink, "S179", e->at,
                "this initial equation is one too many: clocked variables have start values, "
                "which previous() gives at the first tick, and only variables that are "
                "differentiated can have initial equations, one each");
            return false;
        }
    return true;
}

bool clock_discretize(clock_parts *x)
{
    analysis *w = x->w;
    if (!given_methods(x)) return false;
    for (int sub = 0; sub < w->s->subs.n; sub++)
        if (!clock_reduce(x, sub)) return false;
    if (!pair_initial(x)) return false;
    for (int sub = 0; sub < w->s->subs.n; sub++) {
        int state = -1;
        for (int i = 0; i < x->states.n && state < 0; i++)
            if (w->clock_of.at[x->states.at[i].var] == sub + 1) state = x->states.at[i].var;
        if (state < 0) continue;
        const flat_var *f = flat_at(w->m, state);
        sym name;
        if (!inferred_method(x, sub, f->decl->at, &name)) return false;
        if (!name) {
            diag_error(w->sink, "S176", f->decl->at,
                       "'%s' is differentiated in a clocked partition, which needs a solver "
                       "method: Clock(c, solverMethod = \"ImplicitEuler\") as its clock",
                       FLAT_NAME(w->m, state));
            return false;
        }
        discretize(x, sub, method_named(name));
    }
    return true;
}
