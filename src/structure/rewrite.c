/* Equations over representatives, with everything that changes only at events read from w.
 *
 * Aliases and known values are replaced, inputs and discrete variables become elements of w, and
 * every relation between continuous quantities outside noEvent gets a number and an element of w:
 * it keeps its value while the integrator steps, so that the equations stay smooth, and its two
 * sides give the function whose zero is the event.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include "base/whole.h"

enum { NAME_BYTES_MAX = 80 };

typedef struct rewriting {
    analysis *w;
    dag_rewriter r;     // events counted
    dag_rewriter quiet; // inside noEvent
    map relations;      // rewritten relation: its VAR node
    map jumps;          // sign(e), as written, where an equation jumps with it
    span at;            // of the equation being rewritten
    bool has_past;      // it belongs to events, not to the start
    bool failed;
} rewriting;

static expr work(analysis *w, int at, expr_type type, int enum_id)
{
    return expr_var(w->p, w->s->n_flat + at, 0, type, enum_id);
}

/* A whole number or condition that decided the structure is that number: rows that differ only by
 * comparing with it become equal. */
static expr structural_value(const analysis *w, int v, expr e)
{
    const flat_var *f = flat_at(w->m, v);
    double x = w->s->p_default[w->s->vars[v].place];
    if (!(f->flags & FLAT_STRUCTURAL) || x != x) return e;
    if (f->type == TYPE_INTEGER) return expr_integer(w->p, whole_number(x));
    return f->type == TYPE_BOOLEAN ? expr_boolean(w->p, x != 0) : e;
}

static expr replace_var(rewriting *x, expr e)
{
    analysis *w = x->w;
    expr_node n = *expr_at(w->p, e);
    if (n.u.var.index >= w->s->n_flat) return e;
    const structure_var *v = &w->s->vars[n.u.var.index];
    switch ((structure_role)v->role) {
    case STRUCTURE_ALIAS: {
        expr to = expr_var(w->p, v->of, v->order + n.u.var.order, (expr_type)n.type, n.enum_id);
        return v->negated ? expr_neg(w->p, to) : to;
    }
    case STRUCTURE_KNOWN: return n.u.var.order ? w->p->zero : v->value;
    case STRUCTURE_INPUT:
        return expr_var(w->p, w->s->n_flat + v->place, n.u.var.order, (expr_type)n.type, n.enum_id);
    case STRUCTURE_DISCRETE:
        if (n.u.var.order) return w->p->zero;
        return work(w, v->place, (expr_type)n.type, n.enum_id);
    case STRUCTURE_PARAMETER: return structural_value(w, n.u.var.index, e);
    default: return e;
    }
}

/* pre(y) of a continuous y: its value when the event began, or after the last round of the event
 * iteration, is kept in w. It may jump at the event: with a discrete variable, or by reinit. */
static expr before_of(rewriting *x, expr now)
{
    analysis *w = x->w;
    structure *s = w->s;
    for (int k = 0; k < s->before.n; k++)
        if (s->before.at[k].value == now) return work(w, s->before.at[k].place, TYPE_REAL, 0);
    structure_before q = {.value = now, .place = s->n_w++, .at = x->at};
    text t = structure_text(w);
    text_add(&t, "pre(");
    expr_print(w->p, now, EXPR_MODELICA, NAME_BYTES_MAX, &t);
    text_add(&t, ")");
    q.name = arena_strndup(s->a, text_str(&t), t.n);
    array_push(s->a, &s->before, q);
    return work(w, q.place, TYPE_REAL, 0);
}

/* pre(v). Of a continuous one at the start there is no past: it is the value. */
static expr pre_of(rewriting *x, expr arg)
{
    const expr_node n = *expr_at(x->w->p, arg);
    if (n.op != EXPR_VAR || n.u.var.index >= x->w->s->n_flat) {
        expr past = expr_1(x->w->p, EXPR_PRE, arg); // of an element a[i]: of each that it may be
        return dag_rewrite(&x->quiet, expr_at(x->w->p, past)->op == EXPR_PRE ? arg : past);
    }
    const structure_var *v = &x->w->s->vars[n.u.var.index];
    if (v->role == STRUCTURE_DISCRETE)
        return work(x->w, v->place + 1, (expr_type)n.type, n.enum_id);
    expr now = replace_var(x, arg);
    return x->has_past && v->role != STRUCTURE_KNOWN ? before_of(x, now) : now;
}

static expr now_of(rewriting *x, expr arg)
{
    const expr_node *n = expr_at(x->w->p, arg);
    return n->op == EXPR_VAR ? replace_var(x, arg) : dag_rewrite(&x->quiet, arg);
}

/* sample(start, interval): one element of w for equal arguments. */
static expr sample_of(rewriting *x, const expr_node *n)
{
    structure *s = x->w->s;
    expr start = dag_rewrite(&x->quiet, n->u.arg[0]),
         interval = dag_rewrite(&x->quiet, n->u.arg[1]);
    int k = 0;
    while (k < s->samples.n &&
           (s->samples.at[k].start != start || s->samples.at[k].interval != interval))
        k++;
    if (k == s->samples.n) {
        structure_sample q = {start, interval, s->n_w++, x->at};
        array_push(s->a, &s->samples, q);
    }
    return work(x->w, s->samples.at[k].place, TYPE_BOOLEAN, 0);
}

/* hold(u): the value of the last tick. */
static expr held(rewriting *x, expr arg)
{
    structure *s = x->w->s;
    int v = expr_at(x->w->p, arg)->u.var.index, k = 0;
    while (k < s->held.n && s->held.at[k] != v) k++;
    if (k == s->held.n) array_push(s->a, &s->held, v);
    return replace_var(x, arg);
}

static expr delay_of(rewriting *x, expr e);
static expr transport_of(rewriting *x, expr e);

/* m > 0 of a flow variable m, as actualStream has it. */
static bool is_direction(const analysis *w, expr e)
{
    const expr_node *n = expr_at(w->p, e);
    if (n->op != EXPR_GT || n->u.arg[1] != w->p->zero) return false;
    const expr_node *m = expr_at(w->p, n->u.arg[0]);
    return m->op == EXPR_VAR && m->u.var.index < w->s->n_flat &&
           flat_at(w->m, m->u.var.index)->flags & FLAT_FLOW;
}

/* smooth(0, e): e is continuous, also where a flow turns that it depends on. Other conditions in it are
 * events still: where they change, the slope of e does. */
static expr without_directions(rewriting *x, expr e)
{
    analysis *w = x->w;
    arena_mark here = arena_here(w->scratch);
    int_array all = expr_reach(w->p, &e, 1, w->scratch);
    expr_subst s;
    bool any = false;
    for (int k = 0; k < all.n; k++) {
        if (!is_direction(w, all.at[k])) continue;
        if (!any) expr_subst_init(&s, w->p, w->scratch);
        any = true;
        expr_subst_set(&s, all.at[k], expr_1(w->p, EXPR_NOEVENT, all.at[k]));
    }
    if (any) e = expr_subst_apply(&s, e);
    arena_release(w->scratch, here);
    return dag_rewrite(&x->r, e);
}

static expr before(rewriting *x, expr e)
{
    expr_pool *p = x->w->p;
    const expr_node *n = expr_at(p, e);
    switch ((expr_op)n->op) {
    case EXPR_VAR: return replace_var(x, e);
    case EXPR_NOEVENT: return dag_rewrite(&x->quiet, n->u.arg[0]);
    case EXPR_SMOOTH: {
        double order;
        expr value = n->u.arg[1];
        if (!expr_number(p, n->u.arg[0], &order) || order < 0) return 0;
        return order >= 1 ? dag_rewrite(&x->quiet, value) : without_directions(x, value);
    }
    case EXPR_HOLD: return held(x, n->u.arg[0]);
    case EXPR_PREVIOUS:
    case EXPR_PRE: return pre_of(x, n->u.arg[0]);
    case EXPR_EDGE: {
        expr arg = n->u.arg[0];
        return expr_2(p, EXPR_AND, now_of(x, arg), expr_1(p, EXPR_NOT, pre_of(x, arg)));
    }
    case EXPR_CHANGE: {
        expr arg = n->u.arg[0];
        return expr_2(p, EXPR_NE, now_of(x, arg), pre_of(x, arg));
    }
    case EXPR_SAMPLE: {
        expr_node copy = *n;
        return sample_of(x, &copy);
    }
    case EXPR_DELAY: return delay_of(x, e);
    case EXPR_TRANSPORT: return transport_of(x, e);
    case EXPR_INITIAL: return work(x->w, IMAGE_W_INITIAL, TYPE_BOOLEAN, 0);
    case EXPR_TERMINAL: return work(x->w, IMAGE_W_TERMINAL, TYPE_BOOLEAN, 0);
    default: return 0;
    }
}

/* m times (if m > 0 then a else b), m a flow variable, which is what m*actualStream(h) stands for: where
 * the condition changes the product is zero, so that it is continuous and is no event. The Modelica
 * Language Specification 3.6, section 15.3, leaves that to the tool; flows that rest at zero would make
 * events of their rounding. 0: e is something else. */
static expr carried(rewriting *x, expr e)
{
    analysis *w = x->w;
    expr_pool *p = w->p;
    const expr_node *n = expr_at(p, e);
    for (int k = 0; k < 2; k++) {
        expr m = n->u.arg[k];
        const expr_node *choice = expr_at(p, n->u.arg[1 - k]);
        if (choice->op != EXPR_IF || !is_direction(w, choice->u.arg[0])) continue;
        expr positive = choice->u.arg[0], a = choice->u.arg[1], b = choice->u.arg[2];
        if (expr_at(p, positive)->u.arg[0] != m) continue;
        return expr_mul(p, m, expr_3(p, EXPR_IF, expr_1(p, EXPR_NOEVENT, positive), a, b));
    }
    return 0;
}

static expr before_loud(void *user, expr e)
{
    rewriting *x = user;
    if (expr_at(x->w->p, e)->op != EXPR_MUL) return before(x, e);
    expr without = carried(x, e);
    return without && without != e ? dag_rewrite(&x->r, without) : 0;
}

/* Inside noEvent, noEvent and smooth are dropped on the way up: no recursion. */
static expr before_quiet(void *user, expr e)
{
    rewriting *x = user;
    expr_op op = (expr_op)expr_at(x->w->p, e)->op;
    return op == EXPR_NOEVENT || op == EXPR_SMOOTH ? 0 : before(user, e);
}

static dag_degree rewrite_classify(void *user, expr var)
{
    // Constant between events: parameters and discrete variables. Inputs move.
    const analysis *w = user;
    int v = expr_at(w->p, var)->u.var.index;
    if (v < w->s->n_flat)
        return w->s->vars[v].role == STRUCTURE_PARAMETER ? DAG_CONSTANT : DAG_FREE;
    for (int k = 0; k < w->s->inputs.n; k++)
        if (w->s->vars[w->s->inputs.at[k]].place == v - w->s->n_flat) return DAG_FREE;
    for (int k = 0; k < w->s->delays.n; k++) {
        int at = v - w->s->n_flat - w->s->delays.at[k].place;
        if (at >= 0 && at < structure_delay_size(&w->s->delays.at[k])) return DAG_FREE;
    }
    return DAG_CONSTANT;
}

static expr before_loud(void *user, expr e);
static expr after_loud(void *user, expr old, expr e);

/* Without any delay it is the value itself, which no past knows. A parameter may be given another
 * value later. */
static expr value_or_past(analysis *w, const structure_delay *q)
{
    expr past = work(w, q->place, TYPE_REAL, 0);
    if (!q->may_vanish) return past;
    return expr_3(w->p, EXPR_IF, expr_2(w->p, EXPR_GT, q->longest, w->p->zero), past, q->value);
}

/* delay(e, T, longest): known from the past, so an element of w. Equal ones share it. */
static expr delay_of(rewriting *x, expr e)
{
    analysis *w = x->w;
    structure *s = w->s;
    int n = expr_arity(w->p, e);
    expr arg[3] = {0};
    for (int k = 0; k < n && k < 3; k++) arg[k] = expr_args(w->p, e)[k];
    // Relations in what is delayed make events.
    for (int k = 0; k < n && k < 3; k++) arg[k] = dag_rewrite(k ? &x->quiet : &x->r, arg[k]);
    structure_delay q = {.value = arg[0], .time = arg[1], .longest = n > 2 ? arg[2] : arg[1]};
    q.at = x->at;
    for (int k = 0; k < s->delays.n; k++) {
        const structure_delay *o = &s->delays.at[k];
        if (!o->profile && o->value == q.value && o->time == q.time && o->longest == q.longest)
            return value_or_past(w, o);
    }
    double longest;
    q.may_vanish = structure_eval(s, s->p_default, q.longest, w->scratch, &longest) && longest == 0;
    if (q.may_vanish && expr_number(w->p, q.longest, &longest)) return q.value;
    q.constant = dag_degree_of(&w->d, q.time, rewrite_classify, w) == DAG_CONSTANT;
    if (dag_degree_of(&w->d, q.longest, rewrite_classify, w) != DAG_CONSTANT) {
        diag_error(
            w->sink, "S161", x->at,
            n > 2 ? "the longest delay, the third argument of delay(), must depend on "
                    "parameters only"
                  : "a delay time that varies needs a bound: delay(expr, delayTime, delayMax)");
        x->failed = true;
    }
    q.place = s->n_w;
    s->n_w += 2;
    text t = structure_text(w);
    text_printf(&t, "delay%d", s->delays.n + 1);
    q.name = arena_strndup(s->a, text_str(&t), t.n);
    array_push(s->a, &s->delays, q);
    return value_or_past(w, &q);
}

/* An output of spatialDistribution(): known from the past as well. Both share what is remembered. */
static expr transport_of(rewriting *x, expr e)
{
    analysis *w = x->w;
    structure *s = w->s;
    int n = expr_arity(w->p, e);
    double side = 0;
    expr *arg = arena_array(s->a, expr, n);
    for (int k = 0; k < n; k++) arg[k] = expr_args(w->p, e)[k];
    expr_number(w->p, arg[0], &side);
    dag_rewriter inner; // as of delays
    dag_rewriter_init(&inner, &w->d, x);
    inner.before = before_loud;
    inner.after = after_loud;
    for (int k = 1; k < n; k++) arg[k] = dag_rewrite(k < 4 ? &inner : &x->quiet, arg[k]);
    structure_delay q = {.value = arg[1], .time = arg[3], .longest = arg[2], .at = x->at};
    q.profile = arg + 4;
    q.n_profile = (n - 4) / 2;
    for (int k = 0; k < s->delays.n; k++) {
        const structure_delay *o = &s->delays.at[k];
        bool same = o->profile && o->n_profile == q.n_profile && o->value == q.value &&
                    o->time == q.time && o->longest == q.longest;
        for (int i = 0; i < n - 4 && same; i++) same = o->profile[i] == q.profile[i];
        if (same) return work(w, o->place + (side != 0 ? 2 : 0), TYPE_REAL, 0);
    }
    q.place = s->n_w;
    s->n_w += structure_delay_size(&q);
    text t = structure_text(w);
    text_printf(&t, "spatialDistribution%d", s->delays.n + 1);
    q.name = arena_strndup(s->a, text_str(&t), t.n);
    array_push(s->a, &s->delays, q);
    return work(w, q.place + (side != 0 ? 2 : 0), TYPE_REAL, 0);
}

/* Affine in time, with coefficients that are constant between events? Then the event can be
 * foretold. */
static bool affine_in_time(rewriting *x, expr e, int depth)
{
    analysis *w = x->w;
    if (depth > 50) return false; // not a sum anybody writes
    if (dag_degree_of(&w->d, e, rewrite_classify, w) == DAG_CONSTANT) return true;
    expr_node n = *expr_at(w->p, e);
    switch ((expr_op)n.op) {
    case EXPR_TIME: return true;
    case EXPR_NEG: return affine_in_time(x, n.u.arg[0], depth + 1);
    case EXPR_ADD:
    case EXPR_SUB:
        return affine_in_time(x, n.u.arg[0], depth + 1) && affine_in_time(x, n.u.arg[1], depth + 1);
    case EXPR_MUL:
        return (dag_degree_of(&w->d, n.u.arg[0], rewrite_classify, w) == DAG_CONSTANT &&
                affine_in_time(x, n.u.arg[1], depth + 1)) ||
               (dag_degree_of(&w->d, n.u.arg[1], rewrite_classify, w) == DAG_CONSTANT &&
                affine_in_time(x, n.u.arg[0], depth + 1));
    case EXPR_DIV:
        return dag_degree_of(&w->d, n.u.arg[1], rewrite_classify, w) == DAG_CONSTANT &&
               affine_in_time(x, n.u.arg[0], depth + 1);
    default: return false;
    }
}

static sym number_relation(analysis *w)
{
    text t = structure_text(w);
    text_printf(&t, "relation%d", w->s->relations.n + 1);
    return arena_strndup(w->s->a, text_str(&t), t.n);
}

static expr freeze(rewriting *x, expr relation)
{
    analysis *w = x->w;
    uint64_t *slot = map_find(&x->relations, (uint64_t)relation);
    if (slot) return (expr)*slot;
    if (dag_degree_of(&w->d, relation, rewrite_classify, w) == DAG_CONSTANT) {
        *map_put(&x->relations, (uint64_t)relation) = (uint64_t)relation;
        return relation;
    }
    const expr_node *n = expr_at(w->p, relation);
    expr a = n->u.arg[0], b = n->u.arg[1];
    structure_relation r = {.relation = relation, .place = w->s->n_w++, .at = x->at};
    r.root = expr_sub(w->p, a, b);
    r.of_time = affine_in_time(x, a, 0) && affine_in_time(x, b, 0);
    r.name = number_relation(w);
    array_push(w->s->a, &w->s->relations, r);
    expr value = work(w, r.place, TYPE_BOOLEAN, 0);
    *map_put(&x->relations, (uint64_t)relation) = (uint64_t)value;
    return value;
}

/* floor(e) keeps its value k while k <= e < k + 1: (e - k) (k + 1 - e) changes its sign at both
 * ends. Of time alone: e itself, from which the next change is foretold. */
static expr frozen_floor(rewriting *x, expr e)
{
    analysis *w = x->w;
    expr_pool *p = w->p;
    expr jump = expr_1(p, EXPR_FLOOR, e);
    if (dag_degree_of(&w->d, e, rewrite_classify, w) == DAG_CONSTANT) return jump;
    uint64_t *slot = map_find(&x->relations, (uint64_t)jump);
    if (slot) return (expr)*slot;
    structure_relation r = {.relation = jump, .place = w->s->n_w++, .at = x->at};
    expr k = work(w, r.place, TYPE_REAL, 0);
    r.of_time = affine_in_time(x, e, 0);
    r.root = r.of_time ? e : expr_mul(p, expr_sub(p, e, k), expr_sub(p, expr_add(p, k, p->one), e));
    r.name = number_relation(w);
    array_push(w->s->a, &w->s->relations, r);
    *map_put(&x->relations, (uint64_t)jump) = (uint64_t)k;
    return k;
}

static expr frozen_sign(rewriting *x, expr e)
{
    expr_pool *p = x->w->p;
    expr up = freeze(x, expr_2(p, EXPR_GT, e, p->zero)),
         down = freeze(x, expr_2(p, EXPR_LT, e, p->zero));
    return expr_3(p, EXPR_IF, up, p->one, expr_3(p, EXPR_IF, down, p->minus_one, p->zero));
}

/* div(a, b): the quotient towards zero. */
static expr frozen_quotient(rewriting *x, expr a, expr b, bool towards_zero)
{
    expr_pool *p = x->w->p;
    expr q = expr_div(p, a, b), low = frozen_floor(x, q);
    if (!towards_zero) return low;
    expr positive = freeze(x, expr_2(p, EXPR_GT, q, p->zero));
    expr up = expr_neg(p, frozen_floor(x, expr_neg(p, q)));
    return expr_3(p, EXPR_IF, positive, low, up);
}

static expr frozen_jump(rewriting *x, expr_op op, expr a, expr b)
{
    expr_pool *p = x->w->p;
    switch (op) {
    case EXPR_FLOOR:
    case EXPR_INT: return frozen_floor(x, a);
    case EXPR_CEIL: return expr_neg(p, frozen_floor(x, expr_neg(p, a)));
    case EXPR_IDIV: return frozen_quotient(x, a, b, true);
    case EXPR_MOD: return expr_sub(p, a, expr_mul(p, frozen_quotient(x, a, b, false), b));
    default: return expr_sub(p, a, expr_mul(p, frozen_quotient(x, a, b, true), b)); // rem
    }
}

static expr after_loud(void *user, expr old, expr e)
{
    rewriting *x = user;
    expr_pool *p = x->w->p;
    expr_node n = *expr_at(p, e);
    switch ((expr_op)n.op) {
    case EXPR_LT:
    case EXPR_GT: return freeze(x, e);
    // a >= b is not (a < b): one relation, one event
    case EXPR_GE: return expr_1(p, EXPR_NOT, freeze(x, expr_2(p, EXPR_LT, n.u.arg[0], n.u.arg[1])));
    case EXPR_LE: return expr_1(p, EXPR_NOT, freeze(x, expr_2(p, EXPR_GT, n.u.arg[0], n.u.arg[1])));
    case EXPR_SMOOTH: return n.u.arg[1];
    case EXPR_SIGN:
        if (!map_find(&x->jumps, (uint64_t)old)) return e;
        return frozen_sign(x, n.u.arg[0]);
    case EXPR_FLOOR:
    case EXPR_INT:
    case EXPR_CEIL: return frozen_jump(x, (expr_op)n.op, n.u.arg[0], 0);
    case EXPR_IDIV:
    case EXPR_MOD:
    case EXPR_REM: return frozen_jump(x, (expr_op)n.op, n.u.arg[0], n.u.arg[1]);
    default: return e;
    }
}

static expr after_quiet(void *user, expr old, expr e)
{
    rewriting *x = user;
    (void)old;
    const expr_node *n = expr_at(x->w->p, e);
    if (n->op == EXPR_NOEVENT) return n->u.arg[0];
    return n->op == EXPR_SMOOTH ? n->u.arg[1] : e;
}

/* With sign(e) = 1 and with -1, where e is 0: is that the same? */
static bool jumps_with(analysis *w, expr side, expr sign)
{
    expr e = expr_at(w->p, sign)->u.arg[0], at[2];
    for (int k = 0; k < 2; k++) {
        expr_subst s;
        expr_subst_init(&s, w->p, w->scratch);
        expr_subst_set(&s, sign, k ? w->p->minus_one : w->p->one);
        expr_subst_set(&s, e, w->p->zero);
        at[k] = expr_subst_apply(&s, side);
    }
    return at[0] != at[1];
}

static void find_jumps_in(rewriting *x, expr side)
{
    analysis *w = x->w;
    arena_mark here = arena_here(w->scratch);
    int_array all = expr_reach(w->p, &side, 1, w->scratch), found = {0};
    for (int k = 0; k < all.n; k++)
        if (expr_at(w->p, all.at[k])->op == EXPR_SIGN && jumps_with(w, side, all.at[k]))
            array_push(w->s->a, &found, all.at[k]);
    arena_release(w->scratch, here);
    for (int k = 0; k < found.n; k++) *map_put(&x->jumps, (uint64_t)found.at[k]) = 1;
}

/* sign(e)*sqrt(abs(e)) is continuous and needs no event, friction F*sign(v) jumps, and the run has to
 * know where. */
static void find_jumps(rewriting *x)
{
    analysis *w = x->w;
    bool any = false;
    for (int e = 1; e < w->p->n && !any; e++) any = expr_at(w->p, e)->op == EXPR_SIGN;
    for (int i = 0; i < w->eqs.n && any; i++) {
        if (!w->eqs.at[i].lhs) continue; // plain
        find_jumps_in(x, w->eqs.at[i].lhs);
        find_jumps_in(x, w->eqs.at[i].rhs);
    }
    for (int i = 0; i < w->discrete.n && any; i++) {
        find_jumps_in(x, w->discrete.at[i].lhs);
        find_jumps_in(x, w->discrete.at[i].rhs);
    }
}

/* Would replace_var leave the variable as it is? */
static bool stays(const analysis *w, expr e)
{
    int v = expr_at(w->p, e)->u.var.index;
    if (v >= w->s->n_flat) return true;
    uint8_t role = w->s->vars[v].role;
    return role == STRUCTURE_UNKNOWN ||
           (role == STRUCTURE_PARAMETER && !(flat_at(w->m, v)->flags & FLAT_STRUCTURAL));
}

/* Sums, products and smooth functions of variables that are not replaced: nothing is to be done. */
static bool stays_as_it_is(const analysis *w, int equation)
{
    const expr *slots;
    const family *q = family_of(w->families, equation, &slots);
    bool same = q && q->sides->plain;
    for (int k = 0; same && k < q->sides->n_slots; k++) same = stays(w, slots[k]);
    return same;
}

static void rewrite(rewriting *x, structure_equation *e)
{
    x->at = e->at;
    e->lhs = dag_rewrite(&x->r, e->lhs);
    e->rhs = dag_rewrite(&x->r, e->rhs);
}

static bool is_fixed(const analysis *w, int v)
{
    const flat_attributes *attr = flat_at(w->m, v)->attr;
    return attr && attr->fixed == 1;
}

/* v = e or pre(v) = e with v discrete: the value from which v starts. The variable, or -1; e
 * becomes the right side. Where that value is fixed already, the equation is about what is in e. */
static int first_value_of(analysis *w, structure_equation *q)
{
    for (int side = 0; side < 2; side++) {
        const expr_node *n = expr_at(w->p, q->lhs);
        if (n->op == EXPR_PRE) n = expr_at(w->p, n->u.arg[0]);
        if (n->op == EXPR_VAR && w->s->vars[n->u.var.index].role == STRUCTURE_DISCRETE &&
            !is_fixed(w, n->u.var.index))
            return n->u.var.index;
        expr other = q->lhs;
        q->lhs = q->rhs;
        q->rhs = other;
    }
    return -1;
}

/* No Real equation of continuous unknowns: nothing for the search for start values. */
static bool is_discrete_only(analysis *w, const structure_equation *q)
{
    int_array vars = {0};
    bool any = false, only = true;
    dag_vars(&w->d, q->lhs, &vars);
    dag_vars(&w->d, q->rhs, &vars);
    for (int k = 0; k < vars.n; k++) {
        uint8_t role = w->s->vars[expr_at(w->p, vars.at[k])->u.var.index].role;
        only = only && (role == STRUCTURE_DISCRETE || role == STRUCTURE_PARAMETER);
        any = any || role == STRUCTURE_DISCRETE;
    }
    return any && (only || expr_at(w->p, q->lhs)->type != TYPE_REAL);
}

/* The variables of a condition under the names that the user gave them. */
static void name_variables(rewriting *x, structure_action *a)
{
    analysis *w = x->w;
    int_array vars = {0};
    dag_vars(&w->d, a->value, &vars);
    expr *named = arena_array(w->s->a, expr, vars.n), *values = arena_array(w->s->a, expr, vars.n);
    for (int k = 0; k < vars.n; k++) {
        named[k] = vars.at[k];
        values[k] = dag_rewrite(&x->quiet, vars.at[k]);
    }
    a->n_named = vars.n;
    a->named = named;
    a->values = values;
}

static void rewriting_begin(rewriting *x)
{
    dag_rewriter_init(&x->r, &x->w->d, x);
    dag_rewriter_init(&x->quiet, &x->w->d, x);
    x->r.before = before_loud;
    x->quiet.before = before_quiet;
    x->r.after = after_loud;
    x->quiet.after = after_quiet;
}

static void rewrite_initial(rewriting *x)
{
    analysis *w = x->w;
    structure *s = w->s;
    x->has_past = false;
    if (s->before.n) rewriting_begin(x); // what it remembers has a past
    for (int i = 0; i < w->m->initial_equations.n; i++) {
        const flat_equation *e = &w->m->initial_equations.at[i];
        structure_equation q = {.lhs = e->lhs, .rhs = e->rhs, .flat = i, .at = e->at};
        q.block = first_value_of(w, &q);
        bool discrete = q.block >= 0 || is_discrete_only(w, &q);
        rewrite(x, &q);
        if (discrete) array_push(s->a, &s->first, q);
        else array_push(s->a, &s->initial, q);
    }
}

static void rewrite_guesses(rewriting *x)
{
    structure *s = x->w->s;
    for (int i = 0; i < s->guesses.n; i++) {
        structure_equation *q = &s->guesses.at[i];
        q->lhs = dag_rewrite(&x->quiet, q->lhs);
        q->rhs = dag_rewrite(&x->quiet, q->rhs);
    }
}

static void rewrite_actions(rewriting *x)
{
    structure *s = x->w->s;
    for (int i = 0; i < s->actions.n; i++) {
        structure_action *a = &s->actions.at[i];
        x->at = a->at;
        if (a->kind == FLAT_ASSERT) name_variables(x, a);
        if (a->message) a->message = dag_rewrite(&x->quiet, a->message);
        if (a->fire) a->fire = dag_rewrite(&x->quiet, a->fire);
        if (a->value)
            a->value =
                dag_rewrite(a->kind == FLAT_ASSERT && !a->fire ? &x->quiet : &x->r, a->value);
        if (a->var) a->var = dag_rewrite(&x->quiet, a->var);
    }
}

/* A String changes at events only, as what is discrete does: conditions in it make some. */
static void rewrite_strings(rewriting *x)
{
    structure *s = x->w->s;
    for (int i = 0; i < s->strings.n; i++) {
        structure_string *q = &s->strings.at[i];
        const flat_var *f = flat_at(x->w->m, q->var);
        x->at = f->decl->at;
        q->value = dag_rewrite(f->variability <= FLAT_PARAMETER ? &x->quiet : &x->r, q->value);
    }
}

/* What is computed at ticks makes no events; what is sampled there does. */
static void rewrite_ticks(rewriting *x)
{
    analysis *w = x->w;
    structure *s = w->s;
    for (int i = 0; i < w->clocked.n; i++) {
        structure_equation *e = &w->clocked.at[i];
        e->lhs = dag_rewrite(&x->quiet, e->lhs);
        e->rhs = dag_rewrite(&x->quiet, e->rhs);
    }
    for (int i = 0; i < s->sampled.n; i++) {
        x->at = s->sampled.at[i].at;
        s->sampled.at[i].value = dag_rewrite(&x->r, s->sampled.at[i].value);
    }
    for (int i = 0; i < s->bases.n; i++)
        if (s->bases.at[i].interval)
            s->bases.at[i].interval = dag_rewrite(&x->quiet, s->bases.at[i].interval);
}

bool structure_rewrite(analysis *w)
{
    structure *s = w->s;
    rewriting x = {.w = w, .has_past = true};
    rewriting_begin(&x);
    map_init(&x.relations, w->scratch);
    map_init(&x.jumps, w->s->a);
    find_jumps(&x);

    if (w->m->kinetic) {
        s->energy = dag_rewrite(&x.quiet, expr_add(w->p, w->m->kinetic, w->m->potential));
        s->kinetic = dag_rewrite(&x.quiet, w->m->kinetic);
    }
    s->invariants = arena_array(s->a, expr, w->m->invariants.n);
    for (int i = 0; i < w->m->invariants.n; i++)
        s->invariants[i] = dag_rewrite(&x.quiet, w->m->invariants.at[i].e);
    int n = 0;
    for (int i = 0; i < w->eqs.n; i++) {
        bool stays = !w->consumed[i] && stays_as_it_is(w, i);
        if (!stays) structure_uncount(w);
        if (w->consumed[i]) continue;
        if (!stays && !structure_replace_slots(w, i)) {
            rewrite(&x, structure_write(w, i));
            family_changed(w->families, i);
        }
        if (w->families) families_move(w->families, i, n);
        w->eqs.at[n++] = w->eqs.at[i];
    }
    w->eqs.n = n;
    if (w->families) families_left(w->families, n);
    for (int i = 0; i < w->discrete.n; i++) rewrite(&x, &w->discrete.at[i]);
    rewrite_ticks(&x);
    rewrite_actions(&x);
    rewrite_strings(&x);
    rewrite_initial(&x);
    rewrite_guesses(&x);
    dag_rewriter_done(&x.r);
    dag_rewriter_done(&x.quiet);
    return !x.failed;
}
