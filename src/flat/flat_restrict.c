/* The part of a flat model that one process needs (flat_part.h), in another arena and pool.
 *
 * Variables keep their order, so that what moved by equal steps in a run does so in its part as a rule; where
 * it does not, members have lists.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_part.h"

#include <string.h>

typedef struct restriction {
    const flat_division *d;
    const flat_model *of;
    flat_model *m;
    arena *a, *scratch;
    uint8_t *marks;
    int n_vars; // here
    int *var;   // by variable of the whole: its number here; -1: it is not here
    expr_bring bring;
} restriction;

/* ---- variables ------------------------------------------------------------------------------- */

static const flat_attributes *restrict_attributes(restriction *r, const flat_attributes *x)
{
    flat_attributes *now = arena_new(r->a, flat_attributes);
    *now = *x;
    now->start = expr_brought(&r->bring, x->start);
    now->min = expr_brought(&r->bring, x->min);
    now->max = expr_brought(&r->bring, x->max);
    now->nominal = expr_brought(&r->bring, x->nominal);
    return now;
}

static const flat_declaration *restrict_declaration(restriction *r, const flat_declaration *x)
{
    flat_declaration *now = arena_new(r->a, flat_declaration);
    *now = *x;
    if (x->comment) now->comment = arena_strndup(r->a, x->comment, strlen(x->comment));
    return now;
}

/* Records that follow each other share them. */
static void restrict_variables(restriction *r)
{
    const flat_attributes *attr = NULL, *attr_now = NULL;
    const flat_declaration *decl = NULL, *decl_now = NULL;
    flat_vars *vars = &r->m->vars;
    flat_vars_pick(vars, r->a, &r->of->vars, r->marks, r->scratch);
    for (int i = 0; i < vars->records.n;
         i++) { // all are there: they are asked for while expressions are brought
        flat_var *x = &vars->records.at[i];
        if (x->attr && x->attr != attr) {
            attr = x->attr;
            attr_now = restrict_attributes(r, attr);
        }
        if (x->decl != decl) {
            decl = x->decl;
            decl_now = restrict_declaration(r, decl);
        }
        if (x->attr) x->attr = attr_now;
        x->decl = decl_now;
        x->binding = expr_brought(&r->bring, x->binding);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run of the whole, as far as it is here. */
typedef struct run_part {
    int now;          // its number here, + 1; 0: none of its members is here
    int n, n_slots;   // members so far
    bool moves;       // ... by slopes
    const int *first; // variables of the first
    const int *slope; // known with the second
} run_part;

static const expr_shape *restrict_shape(restriction *r, const expr_shape *s)
{
    expr_shape *now = arena_new(r->a, expr_shape);
    expr *numbers = arena_array(r->a, expr, s->at_slot);
    uint8_t *types = arena_array(r->a, uint8_t, s->n_slots);
    shape_step *steps = arena_array(r->a, shape_step, s->n_steps);
    for (int k = 0; k < s->at_slot; k++) numbers[k] = expr_brought(&r->bring, s->numbers[k]);
    if (s->n_slots) memcpy(types, s->types, (size_t)s->n_slots * sizeof *types);
    if (s->n_steps) memcpy(steps, s->steps, (size_t)s->n_steps * sizeof *steps);
    *now = *s;
    now->numbers = numbers;
    now->types = types;
    now->steps = steps;
    return now;
}

/* Another member: does it go on as those before? */
static void run_part_count(restriction *r, run_part *x, const flat_slot *slots, int n_slots)
{
    int *slope = (int *)x->slope, *first = (int *)x->first;
    if (!x->n) {
        x->first = first = arena_array(r->scratch, int, n_slots);
        x->slope = slope = arena_array(r->scratch, int, n_slots);
        x->n_slots = n_slots;
        x->moves = true;
    }
    for (int k = 0; k < n_slots && x->moves; k++) {
        int var = r->var[slots[k].var];
        if (!x->n) first[k] = var;
        if (x->n == 1) slope[k] = var - first[k];
        x->moves = var == first[k] + x->n * slope[k];
    }
    x->n++;
}

static void restrict_run(restriction *r, run_part *x, const flat_run *of)
{
    flat_slot *slots = arena_array(r->a, flat_slot, x->n_slots);
    flat_run run = {.sides = restrict_shape(r, of->sides), .slots = slots};
    for (int k = 0; k < x->n_slots; k++)
        slots[k] = (flat_slot){x->first[k], x->moves ? x->slope[k] : 0, of->slots[k].order};
    if (!x->moves) array_reserve(r->a, &run.vars, x->n * x->n_slots);
    array_push(r->a, &r->m->runs, run);
    x->now = r->m->runs.n;
    x->n = 0;
}

/* ---- equations ------------------------------------------------------------------------------- */

static const bool *kept_equations(const restriction *r)
{
    bool *kept = arena_array(r->scratch, bool, r->of->equations.n);
    for (int v = 0; v < r->of->vars.n; v++)
        if (r->marks[v] && r->marks[v] != FLAT_HALO && r->d->equation[v] >= 0)
            kept[r->d->equation[v]] = true;
    return kept;
}

static void restrict_member(restriction *r, run_part *parts, const flat_equation *e,
                            flat_equation *now)
{
    flat_slot slots[SHAPE_SLOTS];
    const flat_run *of = flat_member(r->of, e, slots);
    run_part *x = &parts[e->rhs];
    if (!x->now) restrict_run(r, x, of);
    flat_run *run = &r->m->runs.at[x->now - 1];
    for (int k = 0; k < x->n_slots && !x->moves; k++)
        run->vars.at[run->vars.n++] = r->var[slots[k].var];
    now->rhs = x->now - 1;
    now->set = x->n++;
}

static void restrict_equations(restriction *r)
{
    const flat_model *of = r->of;
    const bool *kept = kept_equations(r);
    run_part *parts = arena_array(r->scratch, run_part, of->runs.n);
    flat_slot slots[SHAPE_SLOTS];
    int count = 0;
    for (int i = 0; i < of->equations.n; i++) {
        const flat_equation *e = &of->equations.at[i];
        count += kept[i];
        if (!kept[i] || flat_is_written(e)) continue;
        const flat_run *run = flat_member(of, e, slots);
        run_part_count(r, &parts[e->rhs], slots, run->sides->n_slots);
    }
    array_reserve(r->a, &r->m->equations, count);
    for (int i = 0; i < of->equations.n; i++) {
        if (!kept[i]) continue;
        flat_equation now = of->equations.at[i];
        if (flat_is_written(&now)) {
            now.lhs = expr_brought(&r->bring, now.lhs);
            now.rhs = expr_brought(&r->bring, now.rhs);
        } else {
            restrict_member(r, parts, &of->equations.at[i], &now);
        }
        array_push(r->a, &r->m->equations, now);
    }
}

static void restrict_initial(restriction *r)
{
    for (int v = 0; v < r->of->vars.n; v++) {
        if (!r->marks[v] || r->d->initial[v] < 0) continue;
        flat_equation now = r->of->initial_equations.at[r->d->initial[v]];
        now.lhs = expr_brought(&r->bring, now.lhs);
        now.rhs = expr_brought(&r->bring, now.rhs);
        array_push(r->a, &r->m->initial_equations, now);
    }
}

/* A state of another process: der(h) = -2 h, a run of them. It is never evaluated while states move, but a model has
 * an equation for each unknown. */
static void hold_places(restriction *r, int n_halo)
{
    expr_pool *p = r->m->pool;
    expr slots[SHAPE_SLOTS], sides[2];
    flat_slot *own = arena_array(r->a, flat_slot, 2);
    flat_run run = {.slots = own};
    if (!n_halo) return;
    array_reserve(r->a, &run.vars, 2 * n_halo);
    array_reserve(r->a, &r->m->equations, r->m->equations.n + n_halo);
    for (int v = 0; v < r->of->vars.n; v++) {
        if (r->marks[v] != FLAT_HALO) continue;
        int h = r->var[v];
        if (!run.sides) {
            sides[0] = expr_var(p, h, 1, TYPE_REAL, 0);
            sides[1] = expr_mul(p, expr_real(p, -2), expr_var(p, h, 0, TYPE_REAL, 0));
            run.sides = shape_of(p, sides, 2, r->a, slots);
            own[0] = (flat_slot){h, 0, 1};
            own[1] = (flat_slot){h, 0, 0};
        }
        flat_equation e = {.rhs = r->m->runs.n,
                           .set = run.vars.n / 2,
                           .origin = FLAT_FROM_EQUATION,
                           .instance = r->of->equations.at[r->d->equation[v]].instance,
                           .at = flat_at(r->of, v)->decl->at};
        array_push(r->a, &r->m->equations, e);
        array_push(r->a, &run.vars, h);
        array_push(r->a, &run.vars, h);
    }
    array_push(r->a, &r->m->runs, run);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void restrict_rest(restriction *r)
{
    const flat_model *of = r->of;
    flat_model *m = r->m;
    m->name = of->name;
    m->comment = of->comment ? arena_strndup(r->a, of->comment, strlen(of->comment)) : NULL;
    m->experiment = of->experiment;
    for (int i = 0; i < of->enums.n; i++) {
        flat_enumeration e = of->enums.at[i];
        sym *literals = arena_array(r->a, sym, e.n);
        if (e.n) memcpy(literals, e.literals, (size_t)e.n * sizeof *literals);
        e.literals = literals;
        array_push(r->a, &m->enums, e);
    }
}

static const int *copied(arena *a, const int *list, int n)
{
    int *now = arena_array(a, int, n);
    if (n) memcpy(now, list, (size_t)n * sizeof *now);
    return now;
}

static void describe(const restriction *r, int rank, const int *also, int n_also, flat_part *out)
{
    const flat_division *d = r->d;
    int first = d->first[rank], n_own = d->first[rank + 1] - first, n_halo = 0, at = 0;
    for (int v = 0; v < r->of->vars.n; v++) n_halo += r->marks[v] == FLAT_HALO;
    int *var = arena_array(r->a, int, n_own + n_halo), *places = arena_array(r->a, int, n_halo);
    for (int k = 0; k < n_own; k++) var[k] = r->var[d->state[first + k]];
    for (int p = 0; p < d->n_states; p++) {
        if (r->marks[d->state[p]] != FLAT_HALO) continue;
        var[n_own + at] = r->var[d->state[p]];
        places[at++] = p;
    }
    *out = (flat_part){.rank = rank,
                       .size = d->size,
                       .n_all = d->n_states,
                       .first = copied(r->a, d->first, d->size + 1),
                       .n_own = n_own,
                       .n_halo = n_halo,
                       .var = var,
                       .place = places,
                       .n_also = n_also,
                       .also = copied(r->a, also, n_also),
                       .n_written = r->of->equations.n};
}

flat_model *flat_restrict(const flat_division *d, int rank, const int *also, int n_also,
                          arena *from, arena *a, arena *scratch, flat_part *part)
{
    restriction r = {.d = d, .of = d->m, .a = a, .scratch = scratch};
    r.m = flat_new(a, d->m->pool->syms);
    r.marks = arena_array(scratch, uint8_t, d->m->vars.n);
    r.var = arena_array(scratch, int, d->m->vars.n);
    flat_mark_part(d, rank, also, n_also, scratch, r.marks);
    expr_bring_init(&r.bring, r.m->pool, d->m->pool, r.var, arena_inner(scratch));
    for (int v = 0; v < d->m->vars.n; v++) r.var[v] = r.marks[v] ? r.n_vars++ : -1;
    describe(&r, rank, also, n_also, part);
    restrict_equations(&r);
    hold_places(&r, part->n_halo);
    flat_equations *spent = &d->m->equations; // as large as all variables
    arena_resize(from, spent->at, (size_t)spent->cap * sizeof *spent->at, 0);
    *spent = (flat_equations){0};
    restrict_variables(&r);
    restrict_initial(&r);
    restrict_rest(&r);
    return r.m;
}
