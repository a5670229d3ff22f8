/* Events, lowered: the functions of relations, discrete equations, actions and samples.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event_lower.h"

/* New values of discrete variables, in order of evaluation. */
static bool lower_discrete(lowering *l, code_events *x)
{
    const structure *s = l->s;
    int n = s->discrete.n;
    expr *value = arena_array(l->scratch, expr, n), *past = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int k = 0; k < n; k++) {
        const structure_equation *e = &s->discrete.at[k];
        const structure_var *v = &s->vars[e->block]; // the variable it defines
        const flat_var *f = flat_at(s->flat, e->block);
        expr var = expr_var(l->p, s->n_flat + v->place, 0, (expr_type)f->type, f->decl->enum_id);
        at[k] = e->at;
        value[k] = e->lhs == var ? e->rhs : e->lhs;
        past[k] = expr_var(l->p, s->n_flat + v->place + 1, 0, (expr_type)f->type, f->decl->enum_id);
        if (e->lhs == var || e->rhs == var) continue;
        diag_error(l->sink, "S152", e->at,
                   "the discrete variable '%s' must stand alone on one side of its equation",
                   FLAT_NAME(s->flat, e->block));
        return false;
    }
    cell_items items = {.n = n,
                        .value = value,
                        .past = past,
                        .at = at,
                        .follow = true,
                        .what = "this discrete equation"};
    return cell_lower(l, &items, &x->discrete);
}

/* What a side is worth at zero, where its own size says nothing of its rounding: a tenth of its
 * nominal (1 where none is given). */
static expr worth(lowering *l, expr side)
{
    int e = structure_entry_of(l->s, side);
    expr nominal = e < 0 ? 0 : structure_attributes_of(l->s, e)->nominal;
    return expr_mul(l->p, expr_real(l->p, 0.1),
                    nominal ? expr_1(l->p, EXPR_ABS, nominal) : l->p->one);
}

static bool is_fixed(const lowering *l, expr e)
{
    const expr_node *n = expr_at(l->p, e);
    return expr_is_literal(l->p, e) || (n->op == EXPR_VAR && n->u.var.index < l->s->n_flat &&
                                        l->s->vars[n->u.var.index].role == STRUCTURE_PARAMETER);
}

/* By what a side is rounded: the sizes of its terms, which may cancel: of k (u - y) at rest k u and
 * k y, whatever is left of them. Looked into so deep, variables that stand for expressions included. */
static expr terms_size(lowering *l, expr e, int depth)
{
    expr_pool *p = l->p;
    e = lower_resolve(l, e);
    expr_node n = *expr_at(p, e);
    if (depth > 0 && n.op == EXPR_NEG) return terms_size(l, n.u.arg[0], depth);
    if (depth > 0 && (n.op == EXPR_ADD || n.op == EXPR_SUB))
        return expr_add(p, terms_size(l, n.u.arg[0], depth - 1),
                        terms_size(l, n.u.arg[1], depth - 1));
    if (depth > 0 && (n.op == EXPR_MUL || n.op == EXPR_DIV)) {
        expr a = n.u.arg[0], b = n.u.arg[1];
        if (n.op == EXPR_MUL && is_fixed(l, a) && !is_fixed(l, b)) a = n.u.arg[1], b = n.u.arg[0];
        if (is_fixed(l, b))
            return expr_2(p, n.op, terms_size(l, a, depth - 1), expr_1(p, EXPR_ABS, b));
    }
    return expr_1(p, EXPR_ABS, e);
}

static expr relation_size(lowering *l, expr relation)
{
    enum { DEPTH_OF_TERMS = 4 };
    expr_node r = *expr_at(l->p, relation);
    if (r.op == EXPR_FLOOR) return l->p->zero;
    expr sum = expr_add(l->p, terms_size(l, r.u.arg[0], DEPTH_OF_TERMS),
                        terms_size(l, r.u.arg[1], DEPTH_OF_TERMS));
    return expr_add(l->p, sum, worth(l, r.u.arg[0]));
}

static bool lower_timers(lowering *l, code_events *x)
{
    int n = x->n_timers;
    expr *value = arena_array(l->scratch, expr, n), *root = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int i = 0; i < n; i++) {
        const structure_relation *r = &l->s->relations.at[x->timer[i]];
        value[i] = r->relation;
        root[i] = r->root;
        at[i] = r->at;
    }
    cell_items items = {.n = n, .fire = value, .value = root, .at = at, .what = "this relation"};
    return cell_lower(l, &items, &x->timers);
}

/* Roots, then the sizes of the sides that they compare; values; of families the quantity. */
static bool lower_relations(lowering *l, code_events *x)
{
    const structure *s = l->s;
    int all = x->n_relations = s->relations.n;
    expr *quantity = arena_array(l->scratch, expr, all);
    x->sense = arena_array(l->a, int8_t, all);
    x->compares = arena_array(l->a, int, 2 * all);
    for (int k = 0; k < all; k++) {
        expr relation = s->relations.at[k].relation;
        uint8_t op = expr_at(l->p, relation)->op;
        for (int i = 0; i < 2 && i < expr_arity(l->p, relation); i++)
            x->compares[2 * k + i] = expr_args(l->p, relation)[i];
        x->sense[k] = op == EXPR_GT ? 1 : op == EXPR_LT ? -1 : 0;
    }
    if (!code_lower_families(l, x, quantity)) return false;
    int n = x->n_single, n_f = x->n_families;
    expr *roots = arena_array(l->scratch, expr, 2 * n + n_f),
         *values = arena_array(l->scratch, expr, n + n_f);
    span *at = arena_array(l->scratch, span, 2 * n + n_f);
    for (int i = 0; i < n; i++) {
        const structure_relation *r = &s->relations.at[x->single[i]];
        roots[i] = r->root;
        roots[n + i] = relation_size(l, r->relation);
        values[i] = r->relation;
        at[i] = at[n + i] = r->at;
    }
    for (int f = 0; f < n_f; f++) {
        roots[2 * n + f] = values[n + f] = quantity[f];
        at[2 * n + f] = s->relations.at[x->member[x->families[f].first]].at;
    }
    code_listed sides = {"roots", "this relation", CODE_OFTEN, &x->roots},
                relations = {"relations", "this relation", CODE_OFTEN, &x->relations};
    return code_function(l, &sides, roots, at, 2 * n + n_f) &&
           code_function(l, &relations, values, at, n + n_f) && lower_timers(l, x);
}

/* A reinit needs a component of y that is integrated. */
static bool find_state(lowering *l, const uint8_t *role, code_events *x, int k)
{
    const structure *s = l->s;
    const structure_action *a = &s->actions.at[k];
    expr var = a->var;
    x->action_sign[k] = 1;
    if (expr_at(l->p, var)->op == EXPR_NEG) {
        var = expr_at(l->p, var)->u.arg[0];
        x->action_sign[k] = -1;
    }
    int entry = structure_entry_of(s, var);
    image_place at = entry < 0 ? (image_place){0} : l->f->places[entry];
    if (at.where == IMAGE_IN_Y && role[at.at] != CODE_ALGEBRAIC) {
        x->action_y[k] = at.at;
        return true;
    }
    text name;
    text_init(&name, l->scratch->m);
    expr_print(l->p, a->var, EXPR_MODELICA, 60, &name);
    diag_error(l->sink, "S160", a->at,
               "reinit: '%s' is not a state, so it cannot be given a new value; reinit the "
               "variable whose derivative "
               "the model integrates",
               text_str(&name));
    text_done(&name);
    return false;
}

/* a >= b and a <= b hold on their boundary, where rounding alone may break them. */
static bool is_closed(const lowering *l, expr e)
{
    arena_mark here = arena_here(l->scratch);
    int_array nodes = expr_reach(l->p, &e, 1, l->scratch);
    bool closed = true;
    for (int i = 0; i < nodes.n; i++) {
        int op = expr_at(l->p, nodes.at[i])->op;
        closed = closed && (op == EXPR_GE || op == EXPR_LE ||
                            (operator_class((expr_op)op) != CLASS_REL && op != EXPR_NOT));
    }
    arena_release(l->scratch, here);
    return closed;
}

/* Is an assertion the first one of its condition? A function that is called in many places says the same in each,
 * and what stops a run at one of them stops it. Warnings are told each. */
static bool is_first(lowering *l, map *said, const structure_action *a)
{
    if (!a->level) return true;
    uint64_t *seen = map_put(said, (uint64_t)lower_resolve(l, a->value) << 1 | a->initial);
    return (*seen)++ == 0;
}

static bool lower_actions(lowering *l, const uint8_t *role, code_events *x)
{
    const structure *s = l->s;
    int n = s->actions.n, n_acts = 0, n_always = 0;
    expr *fire = arena_array(l->scratch, expr, n), *value = arena_array(l->scratch, expr, n);
    expr *condition = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n), *checked = arena_array(l->scratch, span, n);
    x->acting = arena_array(l->a, int, n);
    x->always = arena_array(l->a, int, n);
    x->closed = arena_array(l->a, uint8_t, n);
    x->action_y = arena_array(l->a, int, n);
    x->action_sign = arena_array(l->a, double, n);
    map said;
    map_init(&said, l->scratch);
    for (int k = 0; k < n; k++) {
        const structure_action *a = &s->actions.at[k];
        x->action_y[k] = -1;
        if (a->kind == FLAT_REINIT && !find_state(l, role, x, k)) return false;
        if (a->fire) {
            fire[n_acts] = a->fire;
            value[n_acts] = a->value ? a->value : l->p->yes;
            at[n_acts] = a->at;
            x->acting[n_acts++] = k;
        } else if (a->kind == FLAT_ASSERT && is_first(l, &said, a)) {
            condition[n_always] = a->value;
            checked[n_always] = a->at;
            x->closed[n_always] = is_closed(l, a->value);
            x->always[n_always++] = k;
        }
    }
    cell_items items = {.n = n_acts,
                        .fire = fire,
                        .value = value,
                        .at = at,
                        .follow = true,
                        .what = "this statement"};
    code_listed assertions = {"assertions", "this statement", CODE_OFTEN, &x->assertions};
    return cell_lower(l, &items, &x->acts) &&
           code_function(l, &assertions, condition, checked, n_always);
}

static bool lower_samples(lowering *l, code_events *x)
{
    const structure *s = l->s;
    int n = s->samples.n;
    expr *roots = arena_array(l->scratch, expr, 2 * n);
    span *at = arena_array(l->scratch, span, 2 * n);
    for (int k = 0; k < n; k++) {
        roots[2 * k] = s->samples.at[k].start;
        roots[2 * k + 1] = s->samples.at[k].interval;
        at[2 * k] = at[2 * k + 1] = s->samples.at[k].at;
    }
    code_listed samples = {"samples", "this sample()", CODE_OFTEN, &x->samples};
    return code_function(l, &samples, roots, at, 2 * n);
}

static bool lower_first(lowering *l, code_events *x)
{
    const structure *s = l->s;
    expr *value = arena_array(l->scratch, expr, s->first.n);
    span *at = arena_array(l->scratch, span, s->first.n);
    for (int k = 0; k < s->first.n; k++) {
        value[k] = s->first.at[k].rhs;
        at[k] = s->first.at[k].at;
    }
    code_listed first = {"first values", "this initial equation", CODE_OFTEN, &x->first};
    return code_function(l, &first, value, at, s->first.n);
}

static bool lower_claims(lowering *l, code_events *x)
{
    const structure *s = l->s;
    int n = s->claims.n;
    expr *side = arena_array(l->scratch, expr, 2 * n);
    span *at = arena_array(l->scratch, span, 2 * n);
    x->claims_real = arena_array(l->a, bool, n);
    for (int k = 0; k < n; k++) {
        x->claims_real[k] = expr_at(l->p, s->claims.at[k].lhs)->type == TYPE_REAL;
        side[2 * k] = s->claims.at[k].lhs;
        side[2 * k + 1] = s->claims.at[k].rhs;
        at[2 * k] = at[2 * k + 1] = s->claims.at[k].at;
    }
    code_listed claims = {"claims", "this initial equation", CODE_SELDOM, &x->claims};
    return code_function(l, &claims, side, at, 2 * n);
}

static bool lower_delays(lowering *l, code_events *x)
{
    const structure *s = l->s;
    int n = s->delays.n;
    expr *roots = arena_array(l->scratch, expr, 3 * n);
    span *at = arena_array(l->scratch, span, 3 * n);
    for (int k = 0; k < n; k++) {
        const structure_delay *d = &s->delays.at[k];
        roots[3 * k] = d->value;
        roots[3 * k + 1] = d->time;
        roots[3 * k + 2] = d->longest;
        at[3 * k] = at[3 * k + 1] = at[3 * k + 2] = d->at;
    }
    code_listed delays = {"delays", "this delay()", CODE_OFTEN, &x->delays};
    return code_function(l, &delays, roots, at, 3 * n);
}

static bool lower_profiles(lowering *l, code_events *x)
{
    const structure *s = l->s;
    int n = 0;
    for (int k = 0; k < s->delays.n; k++) {
        n += 2 * s->delays.at[k].n_profile;
        x->n_transports += s->delays.at[k].profile != NULL;
    }
    expr *roots = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    n = 0;
    for (int k = 0; k < s->delays.n; k++)
        for (int i = 0; i < 2 * s->delays.at[k].n_profile; i++) {
            at[n] = s->delays.at[k].at;
            roots[n++] = s->delays.at[k].profile[i];
        }
    code_listed profiles = {"profiles", "this spatialDistribution()", CODE_SELDOM, &x->profiles};
    return code_function(l, &profiles, roots, at, n);
}

static bool lower_before(lowering *l, code_events *x)
{
    const structure *s = l->s;
    int n = s->before.n;
    expr *value = arena_array(l->scratch, expr, n);
    span *at = arena_array(l->scratch, span, n);
    for (int k = 0; k < n; k++) {
        value[k] = s->before.at[k].value;
        at[k] = s->before.at[k].at;
    }
    code_listed before = {"before", "this pre()", CODE_OFTEN, &x->before};
    return code_function(l, &before, value, at, n);
}

bool code_lower_events(lowering *l, const uint8_t *role, code_events *x)
{
    x->clocks = l->s->bases.n > 0;
    code_list_events(l->s, l->a, &x->list);
    return lower_relations(l, x) && lower_discrete(l, x) && lower_first(l, x) &&
           lower_claims(l, x) && lower_actions(l, role, x) && lower_samples(l, x) &&
           code_lower_messages(l, x) && lower_delays(l, x) && lower_profiles(l, x) &&
           lower_before(l, x);
}

size_t code_event_scratch(const code_events *x)
{
    const code_cells *cells[] = {&x->timers, &x->discrete, &x->acts};
    size_t most = 0;
    for (int k = 0; k < 3; k++)
        if (cell_scratch(cells[k]) > most) most = cell_scratch(cells[k]);
    return most;
}
