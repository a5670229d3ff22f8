/* Can a flat model be divided, and how?
 *
 *     equations ─► who gives what ─► no cycles, start values given ─► arrays of states cut ─► are parts small?
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_part.h"

#include <string.h>

typedef ARRAY(flat_slot) flat_reads;

typedef struct divider {
    const flat_model *m;
    arena *a, *walk; // the second: while an expression is walked
    const char *why;
    int *equation, *initial, *place;
    bool *is_state;
    flat_reads reads;
} divider;

static bool refuse(divider *d, const char *why)
{
    d->why = why;
    return false;
}

/* What an equation has, in a: variables with the orders of their derivatives, each once or more. walk: another
 * arena, for the way. */
static void read_equation(const flat_model *m, const flat_equation *e, arena *a, arena *walk,
                          flat_reads *out)
{
    flat_slot slots[SHAPE_SLOTS];
    const flat_run *run = flat_member(m, e, slots);
    out->n = 0;
    if (run) {
        for (int k = 0; k < run->sides->n_slots; k++) array_push(a, out, slots[k]);
        return;
    }
    arena_mark before = arena_here(walk);
    int_array vars = expr_vars(m->pool, (expr[]){e->lhs, e->rhs}, 2, walk);
    for (int k = 0; k < vars.n; k++) {
        const expr_node *x = expr_at(m->pool, vars.at[k]);
        flat_slot slot = {.var = x->u.var.index, .order = x->u.var.order};
        array_push(a, out, slot);
    }
    arena_release(walk, before);
}

static bool is_fixed_in_time(const flat_model *m, int var)
{
    return flat_at(m, var)->variability <= FLAT_PARAMETER;
}

/* ---- what the model has ---------------------------------------------------------------------- */

static bool has_equations_only(divider *d)
{
    const flat_model *m = d->m;
    if (m->whens.n || m->asserts.n || m->initial_asserts.n || m->algorithms.n)
        return refuse(d, "events, assertions or algorithms");
    if (m->functions.n || m->objects.n || m->n_objects) return refuse(d, "functions");
    if (m->drawings.n || m->visualisers.n || m->invariants.n || m->kinetic || m->potential ||
        m->experiment.storage)
        return refuse(d, "drawings, invariants or energies");
    return true;
}

static bool are_constant(divider *d, expr e)
{
    if (!e || !expr_arity(d->m->pool, e)) {
        const expr_node *x = expr_at(d->m->pool, e);
        return !e || (x->op == EXPR_VAR ? is_fixed_in_time(d->m, x->u.var.index)
                                        : expr_is_literal(d->m->pool, e));
    }
    arena_mark before = arena_here(d->walk);
    int_array vars = expr_vars(d->m->pool, &e, 1, d->walk);
    bool all = true;
    for (int k = 0; k < vars.n && all; k++)
        all = is_fixed_in_time(d->m, expr_at(d->m->pool, vars.at[k])->u.var.index);
    arena_release(d->walk, before);
    return all;
}

static bool knows_variables(divider *d)
{
    const flat_attributes *last = NULL;
    for (int i = 0; i < d->m->vars.n; i++) {
        const flat_var *v = flat_at(d->m, i);
        const flat_attributes *x = v->attr;
        bool constant = v->variability <= FLAT_PARAMETER;
        if (v->causality == FLAT_INPUT || v->flags & FLAT_SIGNAL_IN) return refuse(d, "inputs");
        if (!constant && (v->variability != FLAT_CONTINUOUS || v->type != TYPE_REAL))
            return refuse(d, "discrete variables");
        if (constant && x && x->fixed == 0) return refuse(d, "parameters that are searched for");
        if (!x || x == last || constant) continue;
        if (!are_constant(d, x->start) || !are_constant(d, x->nominal) ||
            !are_constant(d, x->min) || !are_constant(d, x->max))
            return refuse(d, "attributes that vary");
        if (x->state_select == FLAT_SELECT_NEVER) return refuse(d, "stateSelect");
        last = x;
    }
    return true;
}

/* ---- who gives what -------------------------------------------------------------------------- */

/* Smooth: whatever switches is looked at as a whole. */
static bool is_smooth(uint8_t op)
{
    expr_class kind = operator_class((expr_op)op);
    return kind == CLASS_ARITH ||
           (kind == CLASS_MATH && op != EXPR_ABS && op != EXPR_MIN && op != EXPR_MAX);
}

static bool is_written_smooth(divider *d, expr lhs, expr rhs)
{
    arena_mark before = arena_here(d->walk);
    const expr_pool *p = d->m->pool;
    int_array all = expr_reach(p, (expr[]){lhs, rhs}, 2, d->walk);
    bool smooth = true;
    for (int k = 0; k < all.n && smooth; k++) {
        uint8_t op = expr_at(p, all.at[k])->op;
        smooth = operator_class((expr_op)op) == CLASS_LEAF || is_smooth(op);
    }
    arena_release(d->walk, before);
    return smooth;
}

static bool are_runs_smooth(const flat_model *m)
{
    for (int r = 0; r < m->runs.n; r++) {
        const expr_shape *s = m->runs.at[r].sides;
        if (!s->plain) return false;
        for (int k = 0; k < s->n_steps; k++)
            if (!is_smooth(s->steps[k].op)) return false;
    }
    return true;
}

/* The variable of an equation of which the derivative alone occurs; -1: none does; -2: it is another case. */
static int derivative_of(const flat_reads *r)
{
    int of = -1;
    for (int k = 0; k < r->n; k++) {
        if (!r->at[k].order) continue;
        if (r->at[k].order > 1 || (of >= 0 && of != r->at[k].var)) return -2;
        of = r->at[k].var;
    }
    return of;
}

static bool find_states(divider *d)
{
    const flat_model *m = d->m;
    for (int i = 0; i < m->equations.n; i++) {
        const flat_equation *e = &m->equations.at[i];
        if (e->clock) return refuse(d, "clocks");
        if (flat_is_written(e) && !is_written_smooth(d, e->lhs, e->rhs))
            return refuse(d, "equations that may switch");
        read_equation(m, e, d->a, d->walk, &d->reads);
        int v = derivative_of(&d->reads);
        if (v == -1) continue;
        if (v < 0 || is_fixed_in_time(m, v) || d->equation[v] >= 0)
            return refuse(d, "equations of several derivatives");
        d->equation[v] = i;
        d->is_state[v] = true;
    }
    return true;
}

/* Can it be what an assignment gives? */
static bool is_open(const divider *d, int var)
{
    return !is_fixed_in_time(d->m, var) && !d->is_state[var] && d->equation[var] < 0;
}

/* The variable that stands alone on this side of a member; -1: none. */
static int member_side(const divider *d, const flat_run *run, int side)
{
    const expr_shape *s = run->sides;
    int at = s->roots[side];
    if (at < s->at_slot || at >= s->at_step || s->roots[1 - side] == at) return -1;
    for (int k = 0; k < s->n_steps; k++)
        for (int j = 0; j < s->steps[k].n; j++)
            if (s->steps[k].arg[j] == at) return -1;
    return d->reads.at[at - s->at_slot].var;
}

static int written_side(const divider *d, const flat_equation *e, int side)
{
    const expr_node *x = expr_at(d->m->pool, side ? e->rhs : e->lhs);
    return x->op == EXPR_VAR ? x->u.var.index : -1;
}

/* It is not among what the other side reads. */
static bool is_apart(divider *d, const flat_equation *e, int side, int var)
{
    expr other = side ? e->lhs : e->rhs;
    arena_mark before = arena_here(d->walk);
    int_array vars = expr_vars(d->m->pool, &other, 1, d->walk);
    bool apart = true;
    for (int k = 0; k < vars.n && apart; k++)
        apart = expr_at(d->m->pool, vars.at[k])->u.var.index != var;
    arena_release(d->walk, before);
    return apart;
}

static bool find_assignments(divider *d)
{
    const flat_model *m = d->m;
    for (int i = 0; i < m->equations.n; i++) {
        const flat_equation *e = &m->equations.at[i];
        const flat_run *run = flat_is_written(e) ? NULL : &m->runs.at[e->rhs];
        int gives = -1;
        read_equation(m, e, d->a, d->walk, &d->reads);
        if (derivative_of(&d->reads) >= 0) continue;
        for (int side = 0; side < 2 && gives < 0; side++) {
            int v = run ? member_side(d, run, side) : written_side(d, e, side);
            if (v >= 0 && is_open(d, v) && (run || is_apart(d, e, side, v))) gives = v;
        }
        if (gives < 0) return refuse(d, "algebraic equations that are no assignments");
        d->equation[gives] = i;
    }
    for (int v = 0; v < m->vars.n; v++)
        if (!is_fixed_in_time(m, v) && d->equation[v] < 0)
            return refuse(d, "variables without an equation");
    return true;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

typedef struct visit {
    int var, from, to; // what it reads and has not been looked at
} visit;

static bool is_assigned(const divider *d, int var)
{
    return !is_fixed_in_time(d->m, var) && !d->is_state[var];
}

/* Assignments can be made one after the other. */
static bool have_order(divider *d)
{
    enum { NEW, UNDER_WAY, DONE };
    uint8_t *is = arena_array(d->a, uint8_t, d->m->vars.n);
    ARRAY(visit) stack = {0};
    int_array open = {0};
    for (int v = 0; v < d->m->vars.n; v++) {
        if (!is_assigned(d, v) || is[v] == DONE) continue;
        array_push(d->a, &stack, ((visit){v, 0, -1}));
        while (stack.n) {
            visit *top = &stack.at[stack.n - 1];
            if (top->to < 0) {
                is[top->var] = UNDER_WAY;
                read_equation(d->m, &d->m->equations.at[d->equation[top->var]], d->a, d->walk,
                              &d->reads);
                top->from = open.n;
                for (int k = 0; k < d->reads.n; k++) {
                    int w = d->reads.at[k].var;
                    if (w != top->var && is_assigned(d, w)) array_push(d->a, &open, w);
                }
                top->to = open.n;
            }
            if (top->to == top->from) {
                is[top->var] = DONE;
                stack.n--;
                continue;
            }
            int w = open.at[--top->to];
            open.n = top->to;
            if (is[w] == UNDER_WAY)
                return refuse(d, "algebraic equations that depend on each other");
            if (is[w] == NEW) array_push(d->a, &stack, ((visit){w, 0, -1}));
        }
    }
    return true;
}

/* ---- the start ------------------------------------------------------------------------------- */

static bool start_is_given(divider *d)
{
    const flat_model *m = d->m;
    for (int i = 0; i < m->initial_equations.n; i++) {
        const flat_equation *e = &m->initial_equations.at[i];
        int given = -1;
        for (int side = 0; side < 2 && given < 0; side++) {
            const expr_node *x = expr_at(m->pool, side ? e->rhs : e->lhs);
            if (x->op != EXPR_VAR || x->u.var.order || !d->is_state[x->u.var.index]) continue;
            if (are_constant(d, side ? e->lhs : e->rhs)) given = x->u.var.index;
        }
        if (given < 0 || d->initial[given] >= 0)
            return refuse(d, "start values that are searched for");
        d->initial[given] = i;
    }
    for (int v = 0; v < m->vars.n; v++) {
        if (is_fixed_in_time(m, v)) continue;
        bool fixed = flat_at(m, v)->attr && flat_at(m, v)->attr->fixed == 1;
        if (fixed == (d->initial[v] >= 0) && (fixed || d->is_state[v]))
            return refuse(d, "start values that are searched for");
        if (fixed && !d->is_state[v]) return refuse(d, "start values that are searched for");
    }
    return true;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* States of one declaration are cut into pieces; places go process by process. */
static void cut_arrays(divider *d, int size, flat_division *out)
{
    const flat_model *m = d->m;
    int n = m->vars.n, n_states = 0;
    int *array_of = arena_array(d->a, int, n), *first = arena_array(d->a, int, size + 1);
    int *part = arena_array(d->a, int, n);
    int_array count = {0};
    map by_declaration;
    map_init(&by_declaration, d->a);
    for (int v = 0; v < n; v++) {
        if (!d->is_state[v]) continue;
        uint64_t *at = map_put(&by_declaration, map_key(flat_at(m, v)->decl));
        if (!*at) {
            array_push(d->a, &count, 0);
            *at = (uint64_t)count.n;
        }
        array_of[v] = (int)*at - 1;
        part[v] = count.at[array_of[v]]++;
        n_states++;
    }
    for (int v = 0; v < n; v++) {
        if (!d->is_state[v]) continue;
        part[v] = (int)((int64_t)part[v] * size / count.at[array_of[v]]);
        first[part[v] + 1]++;
    }
    for (int q = 0; q < size; q++) first[q + 1] += first[q];
    int *next = arena_array(d->a, int, size), *state = arena_array(d->a, int, n_states);
    for (int q = 0; q < size; q++) next[q] = first[q];
    for (int v = 0; v < n; v++) {
        d->place[v] = d->is_state[v] ? next[part[v]]++ : -1;
        if (d->is_state[v]) state[d->place[v]] = v;
    }
    out->n_states = n_states;
    out->state = state;
    out->first = first;
}

typedef struct marker {
    const flat_division *d;
    int first, end; // places of the process
    arena *a, *walk;
    uint8_t *marks;
    int_array open;
    int n_varying;
} marker;

static void mark(marker *k, int v)
{
    const flat_division *d = k->d;
    if (k->marks[v]) return;
    int at = d->place[v];
    bool own = at >= k->first && at < k->end;
    k->marks[v] = own ? FLAT_OWN : at >= 0 ? FLAT_HALO : FLAT_GIVEN;
    k->n_varying += !is_fixed_in_time(d->m, v);
    array_push(k->a, &k->open, v);
}

static void mark_expression(marker *k, expr e)
{
    const expr_pool *p = k->d->m->pool;
    if (!e || expr_is_literal(p, e)) return;
    arena_mark before = arena_here(k->walk);
    int_array vars = expr_vars(p, &e, 1, k->walk);
    for (int i = 0; i < vars.n; i++) mark(k, expr_at(p, vars.at[i])->u.var.index);
    arena_release(k->walk, before);
}

/* What a variable needs. A state of another process: what its start and its size are. */
static void mark_needs(marker *k, int v, flat_reads *reads)
{
    const flat_division *d = k->d;
    const flat_var *x = flat_at(d->m, v);
    mark_expression(k, x->binding);
    if (x->attr) {
        mark_expression(k, x->attr->start);
        mark_expression(k, x->attr->nominal);
        mark_expression(k, x->attr->min);
        mark_expression(k, x->attr->max);
    }
    if (d->initial[v] >= 0) {
        mark_expression(k, d->m->initial_equations.at[d->initial[v]].lhs);
        mark_expression(k, d->m->initial_equations.at[d->initial[v]].rhs);
    }
    if (d->equation[v] < 0 || k->marks[v] == FLAT_HALO) return;
    read_equation(d->m, &d->m->equations.at[d->equation[v]], k->a, k->walk, reads);
    for (int i = 0; i < reads->n; i++) mark(k, reads->at[i].var);
}

int flat_mark_part(const flat_division *d, int rank, const int *also, int n_also, arena *scratch,
                   uint8_t *marks)
{
    marker k = {.d = d, .first = d->first[rank], .end = d->first[rank + 1], .marks = marks};
    flat_reads reads = {0};
    k.a = arena_inner(scratch);
    k.walk = arena_inner(k.a);
    for (int p = k.first; p < k.end; p++) mark(&k, d->state[p]);
    for (int i = 0; i < n_also; i++) mark(&k, also[i]);
    while (k.open.n) {
        int v = k.open.at[--k.open.n];
        mark_needs(&k, v, &reads);
    }
    arena_done(k.a);
    return k.n_varying;
}

/* At most two shares, and three quarters of the whole: otherwise a cut by the graph of equations does better (choice). */
bool flat_part_is_small(const flat_division *d, int needs)
{
    int64_t n = d->n_varying;
    return (int64_t)needs * d->size <= 2 * n && (int64_t)needs * 4 <= 3 * n;
}

/* Each process has something to do and not much more than its share (choice). */
static bool are_parts_small(divider *d, flat_division *x)
{
    const double OF_MEAN = 1.5;
    int size = x->size;
    for (int v = 0; v < d->m->vars.n; v++) x->n_varying += !is_fixed_in_time(d->m, v);
    for (int q = 0; q < size; q++) {
        int own = x->first[q + 1] - x->first[q];
        if (!own || own > OF_MEAN * x->n_states / size) return refuse(d, "few states in arrays");
    }
    uint8_t *marks = arena_array(d->a, uint8_t, d->m->vars.n);
    for (int q = 0; q < size; q++) {
        memset(marks, 0, (size_t)d->m->vars.n);
        if (!flat_part_is_small(x, flat_mark_part(x, q, NULL, 0, d->a, marks)))
            return refuse(d, "parts that need most of the others");
    }
    return true;
}

static int *none(arena *a, int n)
{
    int *list = arena_array(a, int, n);
    for (int i = 0; i < n; i++) list[i] = -1;
    return list;
}

bool flat_divide(flat_model *m, int size, arena *a, flat_division *out, const char **why)
{
    divider d = {.m = m, .a = a, .walk = arena_inner(a)};
    bool ok = has_equations_only(&d) && knows_variables(&d);
    if (ok && !are_runs_smooth(m)) ok = refuse(&d, "equations that may switch");
    if (ok) {
        d.equation = none(a, m->vars.n);
        d.initial = none(a, m->vars.n);
        d.place = none(a, m->vars.n);
        d.is_state = arena_array(a, bool, m->vars.n);
        ok = find_states(&d) && find_assignments(&d) && have_order(&d) && start_is_given(&d);
    }
    *out = (flat_division){
        .m = m, .size = size, .equation = d.equation, .initial = d.initial, .place = d.place};
    if (ok) {
        cut_arrays(&d, size, out);
        ok = are_parts_small(&d, out);
    }
    *why = d.why;
    return ok;
}
