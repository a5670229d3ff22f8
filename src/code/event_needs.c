/* When a relation matters.
 *
 *     off = s < 0 or pre(off) and not fire
 *
 * While a thyristor is off and not fired, nothing depends on s < 0: that it changes is no event. The
 * value of a relation that only discrete equations read matters where none of the `and`, `or` and `if`
 * above it is decided by something else. What decides must be known at all times, so it may contain
 * discrete variables and parameters, but no relation: the value of one that does not matter is an old
 * one. At an event all relations are read anew.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event_lower.h"

#include "code/functions.h"

typedef struct needer {
    lowering *l;
    int n_nodes;
    bool *read;     // by element of w: something else than a discrete equation reads it
    bool *unsteady; // by element of w: it moves between events, or is the value of a relation
    bool *seen;     // by node: a discrete equation has it
    bool *steady;   // by node: it is constant between events, and no relation is in it
    expr *need;     // by node: when its value matters
} needer;

/* ---- what reads a relation ------------------------------------------------------------------- */

static void need_ref(needer *x, tape_ref r)
{
    if (r != TAPE_NONE && tape_kind_of(r) == TAPE_W && tape_index_of(r) < x->l->s->n_w)
        x->read[tape_index_of(r)] = true;
}

static void need_tape(needer *x, const tape *t)
{
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ref of[] = {t->ins[i].a, t->ins[i].b, t->ins[i].c, t->ins[i].d};
        for (int k = 0; k < 4; k++) need_ref(x, of[k]);
    }
    for (int i = 0; i < t->n_args; i++) need_ref(x, t->args[i]);
}

static void need_program(needer *x, const tape_program *p)
{
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        if (s->kind == TAPE_STEP_SUM) {
            for (int i = 0; i < s->start[s->n]; i++) need_ref(x, tape_w(s->index[i]));
            continue;
        }
        need_tape(x, s->kernel);
        for (int a = 0; s->kind == TAPE_STEP_MAP && a < s->kernel->extent[TAPE_X]; a++)
            for (int i = 0; s->access[a].array == TAPE_W && i < s->n; i++)
                need_ref(x, tape_w(tape_element(&s->access[a], i)));
    }
}

static void need_cells(needer *x, const code_cells *c)
{
    for (int k = 0; k < c->n; k++) need_tape(x, c->program[k]);
}

/* What an unknown stands for in the tape of a discrete equation matters as it does elsewhere. */
static void need_value(needer *x, expr e)
{
    lowering *l = x->l;
    expr value = lower_resolve(l, e);
    if (value == e) return;
    tape_builder *b = tape_builder_new(l->scratch);
    lower_begin(l);
    tape_store(b, tape_out(0), lower_expr(l, b, value));
    need_tape(x, tape_finish(b, l->scratch));
}

/* ---- when it does ---------------------------------------------------------------------------- */

static void find_unsteady(needer *x)
{
    const structure *s = x->l->s;
    x->unsteady = arena_array(x->l->scratch, bool, s->n_w + 2);
    for (int k = 0; k < s->inputs.n; k++)
        for (int d = 0; d < 2; d++) x->unsteady[s->vars[s->inputs.at[k]].place + d] = true;
    for (int k = 0; k < s->delays.n; k++)
        for (int d = 0; d < structure_delay_size(&s->delays.at[k]); d++)
            x->unsteady[s->delays.at[k].place + d] = true;
    for (int k = 0; k < s->before.n; k++) x->unsteady[s->before.at[k].place] = true;
    for (int k = 0; k < s->relations.n; k++) x->unsteady[s->relations.at[k].place] = true;
}

static bool leaf_steady(const needer *x, const expr_node *n)
{
    const structure *s = x->l->s;
    if (n->op == EXPR_TIME || n->op == EXPR_CALL) return false;
    if (n->op != EXPR_VAR) return true;
    int v = n->u.var.index;
    if (v < s->n_flat) return s->vars[v].role == STRUCTURE_PARAMETER;
    return v - s->n_flat < s->n_w && !x->unsteady[v - s->n_flat];
}

static void find_steady(needer *x)
{
    const expr_pool *p = x->l->p;
    for (expr e = 1; e < x->n_nodes; e++) {
        if (!x->seen[e]) continue;
        x->steady[e] = leaf_steady(x, expr_at(p, e));
        for (int k = 0; k < expr_arity(p, e); k++)
            x->steady[e] = x->steady[e] && x->steady[expr_args(p, e)[k]];
    }
}

static expr need_and(expr_pool *p, expr a, expr b)
{
    if (a == p->yes || b == p->yes) return a == p->yes ? b : a;
    return expr_2(p, EXPR_AND, a, b);
}

// The value of e matters when `when` does, unless `by` has another value than `is`.
static void need_under(needer *x, expr e, expr when, expr by, bool is)
{
    expr_pool *p = x->l->p;
    if (by && x->steady[by]) when = need_and(p, when, is ? by : expr_1(p, EXPR_NOT, by));
    expr before = x->need[e];
    if (!before || before == when) x->need[e] = when;
    else if (before != p->yes)
        x->need[e] = when == p->yes ? when : expr_2(p, EXPR_OR, before, when);
}

static void find_needs(needer *x)
{
    expr_pool *p = x->l->p;
    for (expr e = x->n_nodes - 1; e > 0; e--) {
        if (!x->seen[e] || !x->need[e]) continue;
        expr when = x->need[e];
        expr_node n = *expr_at(p, e);
        if (n.op == EXPR_AND || n.op == EXPR_OR) {
            for (int k = 0; k < 2; k++)
                need_under(x, n.u.arg[k], when, n.u.arg[1 - k], n.op == EXPR_AND);
        } else if (n.op == EXPR_IF) {
            need_under(x, n.u.arg[0], when, 0, true);
            need_under(x, n.u.arg[1], when, n.u.arg[0], true);
            need_under(x, n.u.arg[2], when, n.u.arg[0], false);
        } else {
            for (int k = 0; k < expr_arity(p, e); k++)
                need_under(x, expr_args(p, e)[k], when, 0, true);
        }
    }
}

/* All nodes of discrete equations; what they give matters. */
static void see_discrete(needer *x)
{
    lowering *l = x->l;
    const structure *s = l->s;
    expr *value = arena_array(l->scratch, expr, 2 * s->discrete.n);
    for (int k = 0; k < s->discrete.n; k++) {
        value[2 * k] = s->discrete.at[k].lhs;
        value[2 * k + 1] = s->discrete.at[k].rhs;
    }
    int_array nodes = expr_reach(l->p, value, 2 * s->discrete.n, l->scratch);
    for (int i = 0; i < nodes.n; i++) {
        x->seen[nodes.at[i]] = true;
        const expr_node *n = expr_at(l->p, nodes.at[i]);
        if (n->op == EXPR_VAR && n->u.var.index < s->n_flat) need_value(x, nodes.at[i]);
    }
    for (int k = 0; k < 2 * s->discrete.n; k++) x->need[value[k]] = l->p->yes;
}

// By node of the value of a relation: which single one it is, + 1.
static bool lower_needs(needer *x, code_events *v)
{
    lowering *l = x->l;
    const structure *s = l->s;
    int *single = arena_array(l->scratch, int, s->n_w + 1), n = 0;
    expr *needs = arena_array(l->scratch, expr, v->n_single);
    span *at = arena_array(l->scratch, span, v->n_single);
    for (int i = 0; i < v->n_single; i++) {
        const structure_relation *r = &s->relations.at[v->single[i]];
        if (v->sense[v->single[i]] && !r->of_time && !x->read[r->place]) single[r->place] = i + 1;
    }
    for (expr e = 1; e < x->n_nodes; e++) {
        const expr_node *node = expr_at(l->p, e);
        if (!x->seen[e] || node->op != EXPR_VAR || node->u.var.index < s->n_flat) continue;
        int slot = node->u.var.index - s->n_flat;
        int i = slot < s->n_w ? single[slot] - 1 : -1;
        if (i < 0 || !x->need[e] || x->need[e] == l->p->yes) continue;
        at[n] = s->relations.at[v->single[i]].at;
        needs[n] = x->need[e];
        v->need_of[i] = n++;
    }
    code_listed listed = {"needs", "this relation", CODE_OFTEN, &v->needs};
    return code_function(l, &listed, needs, at, n);
}

bool code_lower_needs(lowering *l, code_events *v)
{
    v->need_of = arena_array(l->a, int, v->n_single);
    for (int i = 0; i < v->n_single; i++) v->need_of[i] = -1;
    if (!v->n_single || !l->s->discrete.n) return true;
    needer x = {.l = l, .n_nodes = l->p->n};
    x.read = arena_array(l->scratch, bool, l->s->n_w + 1);
    x.seen = arena_array(l->scratch, bool, x.n_nodes);
    x.steady = arena_array(l->scratch, bool, x.n_nodes);
    x.need = arena_array(l->scratch, expr, x.n_nodes);
    for (int k = 0; k < l->list->all.n; k++) need_program(&x, l->list->all.at[k].f->program);
    need_cells(&x, &v->acts);
    need_cells(&x, &v->timers);
    see_discrete(&x);
    find_unsteady(&x);
    find_steady(&x);
    find_needs(&x);
    return lower_needs(&x, v) && !l->failed;
}
