/* Families of equations.
 *
 * An equation is held against the families that begin as it does. There are at most an eighth as many
 * as members, and some, so that a model in which every equation is different loses little time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <string.h>

enum { FAMILIES_FREE = 64, MEMBERS_EACH = 8, TRIES = 8 };

static families *families_new(expr_pool *p, arena *a, int equations)
{
    families *x = arena_new(a, families);
    *x = (families){.p = p, .a = a, .kept = 1};
    array_push(a, &x->of, (family){0});
    array_push(a, &x->members, 0);
    array_reserve(a, &x->at, equations);
    return x;
}

/* Operators of the first two levels of a side. */
static uint32_t family_beginning(const expr_pool *p, expr e)
{
    const expr_node *x = expr_at(p, e);
    uint32_t h = x->op;
    for (int k = 0, n = operator_arities[x->op]; k < n; k++)
        h = h * 37 + expr_at(p, x->u.arg[k])->op;
    return h;
}

static int family_enter(families *x, int number, const expr *slots)
{
    int at = x->members.n, n = x->of.at[number].sides->n_slots;
    array_reserve(x->a, &x->members, at + n + 1);
    x->members.at[at] = number;
    if (n) memcpy(x->members.at + at + 1, slots, (size_t)n * sizeof *slots);
    x->members.n += n + 1;
    return at;
}

static int *family_head(families *x, const expr *sides)
{
    uint32_t h = family_beginning(x->p, sides[0]) * 31 + family_beginning(x->p, sides[1]);
    return &x->heads[(h * 0x9e3779b1u) >> 24];
}

static int family_find(families *x, const expr *sides)
{
    expr slots[SHAPE_SLOTS];
    int *head = family_head(x, sides), before = 0, tries = 0;
    for (int k = *head; k && tries < TRIES; before = k, k = x->of.at[k].next, tries++) {
        if (!shape_match(x->p, x->of.at[k].sides, sides, slots)) continue;
        if (before) { // the next equation is of it, too
            x->of.at[before].next = x->of.at[k].next;
            x->of.at[k].next = *head;
            *head = k;
        }
        return family_enter(x, k, slots);
    }
    if (x->tried++ > FAMILIES_FREE + x->at.n / MEMBERS_EACH) return 0;
    family q = {.sides = shape_of(x->p, sides, 2, x->a, slots), .next = *head};
    if (!q.sides) return 0;
    *head = x->of.n;
    array_push(x->a, &x->of, q);
    return family_enter(x, *head, slots);
}

void families_move(families *x, int equation, int now)
{
    int from = x->at.at[equation];
    x->at.at[now] = from;
    if (from <= 0) return;
    int n = 1 + x->of.at[x->members.at[from]].sides->n_slots;
    memmove(x->members.at + x->kept, x->members.at + from, (size_t)n * sizeof *x->members.at);
    x->at.at[now] = x->kept;
    x->kept += n;
}

void families_left(families *x, int n)
{
    x->at.n = n;
    x->members.n = x->kept;
}

void family_changed(families *x, int equation)
{
    if (x) x->at.at[equation] = -1;
}

/* ---- members that are not written out -------------------------------------------------------- */

/* The VAR node of a Real variable. */
static expr member_var(analysis *w, int var, int order)
{
    enum { ORDERS = 2 };
    if (order >= ORDERS || var >= w->n_var_nodes) return expr_var(w->p, var, order, TYPE_REAL, 0);
    expr *known = &w->var_nodes[order * w->n_var_nodes + var];
    if (!*known) *known = expr_var(w->p, var, order, TYPE_REAL, 0);
    return *known;
}

/* The family of a run, one of whose members has these slots. */
static int family_of_run(families *x, int run, const expr_shape *sides, const expr *slots)
{
    while (x->of_run.n <= run) array_push(x->a, &x->of_run, 0);
    int *of = &x->of_run.at[run];
    for (int k = 1; k < x->of.n && !*of; k++)
        if (x->of.at[k].sides == sides) *of = k;
    if (*of) return *of;
    expr like[2];
    shape_make(x->p, sides, slots, like);
    int *head = family_head(x, like);
    *of = x->of.n;
    array_push(x->a, &x->of, ((family){.sides = sides, .next = *head}));
    return *head = *of;
}

static int family_enter_member(analysis *w, families *x, const structure_equation *e)
{
    flat_slot slots[SHAPE_SLOTS];
    expr vars[SHAPE_SLOTS];
    const flat_equation *f = &w->m->equations.at[e->flat];
    const expr_shape *sides = flat_member(w->m, f, slots)->sides;
    for (int k = 0; k < sides->n_slots; k++) vars[k] = member_var(w, slots[k].var, slots[k].order);
    return family_enter(x, family_of_run(x, f->rhs, sides, vars), vars);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* What shapes of answers are over: the slots of an equation and its sides. */
typedef struct family_given {
    int n;
    expr at[SHAPE_SLOTS + 2];
} family_given;

static void family_give(family_given *g, const family *q, const expr *slots, expr lhs, expr rhs)
{
    int n = q->sides->n_slots;
    for (int k = 0; k < n; k++) g->at[k] = slots[k];
    g->at[n] = lhs;
    g->at[n + 1] = rhs;
    g->n = n + 2;
}

/* The slots that occur in e, in the order of a walk. */
static int family_walk(dag *d, expr e, const expr *slots, int n_slots, uint8_t *out)
{
    int_array vars = {0};
    dag_vars(d, e, &vars);
    for (int i = 0; i < vars.n; i++)
        for (int k = 0; k < n_slots; k++)
            if (slots[k] == vars.at[i]) out[i] = (uint8_t)k;
    return vars.n;
}

/* Ask for the residual of a family, by one of its members. */
static void family_ask(families *x, dag *d, family *q, const expr *slots, const expr *sides, expr f)
{
    family_given g;
    family_give(&g, q, slots, sides[0], sides[1]);
    q->residual = shape_over(x->p, &f, 1, g.at, g.n, x->a);
    q->asked = true;
    q->n_order = family_walk(d, f, slots, q->sides->n_slots, q->order);
}

expr family_residual(families *x, dag *d, int equation, expr lhs, expr rhs)
{
    const expr *slots = NULL;
    family *q = family_of(x, equation, &slots);
    if (!lhs) {
        expr sides[2];
        if (q->asked) return 0;
        shape_make(x->p, q->sides, slots, sides);
        family_ask(x, d, q, slots, sides, expr_sub(x->p, sides[0], sides[1]));
        return 0;
    }
    if (!q || (q->asked && !q->residual)) return expr_sub(x->p, lhs, rhs);
    expr f;
    family_given g;
    family_give(&g, q, slots, lhs, rhs);
    if (q->asked) {
        if (!shape_make(x->p, q->residual, g.at, &f)) x->at.at[equation] = 0; // of another shape
        return f;
    }
    const expr sides[] = {lhs, rhs};
    f = expr_sub(x->p, lhs, rhs);
    family_ask(x, d, q, slots, sides, f);
    return f;
}

family_question family_written(const family_question *x)
{
    family_question w = *x;
    const expr *slots = NULL;
    if (w.f) return w;
    expr sides[2];
    const family *q = family_of(x->of, x->equation, &slots);
    shape_make(x->of->p, q->sides, slots, sides);
    w.lhs = sides[0];
    w.rhs = sides[1];
    w.f = expr_sub(x->of->p, w.lhs, w.rhs);
    return w;
}

/* The family of an equation whose residual is asked about; NULL: it has none of use. */
static family *family_asked(const family_question *x, const expr **slots)
{
    family *q = family_of(x->of, x->equation, slots);
    return q && q->residual ? q : NULL;
}

void family_vars(const family_question *x, int_array *out)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    if (!q) {
        dag_vars(x->d, family_written(x).f, out);
        return;
    }
    array_reserve(x->d->a, out, out->n + q->n_order);
    for (int k = 0; k < q->n_order; k++) out->at[out->n++] = slots[q->order[k]];
}

static int family_slot(const family *q, const expr *slots, expr var)
{
    for (int k = 0; k < q->sides->n_slots; k++)
        if (slots[k] == var) return k;
    return -1;
}

/* Solve f for var, and keep how. */
static expr solve_first(const family_question *unwritten, family *q, const expr *slots, int slot,
                        expr *guard)
{
    const family_question w = family_written(unwritten), *x = &w;
    families *of = x->of;
    expr both[2] = {dag_solve(x->d, x->f, slots[slot], guard)};
    family_solution *made = arena_new(of->a, family_solution);
    if (!q->solutions) q->solutions = arena_array(of->a, const family_solution *, SHAPE_SLOTS);
    both[1] = *guard;
    if (both[0]) {
        family_given g;
        family_give(&g, q, slots, x->lhs, x->rhs);
        made->guarded = *guard != 0;
        made->made = shape_over(of->p, both, 1 + made->guarded, g.at, g.n, of->a);
        made->n = family_walk(x->d, both[0], slots, q->sides->n_slots, made->slots);
        if (!made->made) return both[0]; // solved each by itself
    }
    q->solutions[slot] = made;
    return both[0];
}

expr family_solve(const family_question *x, expr var, expr *guard)
{
    const expr *slots;
    family *q = family_asked(x, &slots);
    int slot = q ? family_slot(q, slots, var) : -1;
    if (slot < 0) return dag_solve(x->d, family_written(x).f, var, guard);
    const family_solution *known = q->solutions ? q->solutions[slot] : NULL;
    if (!known) return solve_first(x, q, slots, slot, guard);
    *guard = 0;
    if (!known->made) return 0;
    family_given g;
    expr both[2] = {0};
    expr sides[2] = {x->lhs, x->rhs};
    if (!x->f) shape_make(x->of->p, q->sides, slots, sides);
    family_give(&g, q, slots, sides[0], sides[1]);
    shape_make(x->of->p, known->made, g.at, both);
    *guard = both[1];
    return both[0];
}

bool family_solvable(const family_question *x, expr var)
{
    const expr *slots;
    expr guard;
    family *q = family_asked(x, &slots);
    int slot = q ? family_slot(q, slots, var) : -1;
    if (slot < 0 || !q->solutions || !q->solutions[slot]) return family_solve(x, var, &guard) != 0;
    return q->solutions[slot]->made != NULL;
}

int family_solved_slot(const family_question *x, expr var)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    int slot = q && q->solutions ? family_slot(q, slots, var) : -1;
    return slot >= 0 && q->solutions[slot] && q->solutions[slot]->made ? slot : -1;
}

void family_solution_vars(const family_question *x, expr var, expr value, int_array *out)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    int slot = family_solved_slot(x, var);
    if (slot < 0) {
        dag_vars(x->d, value, out);
        return;
    }
    const family_solution *known = q->solutions[slot];
    array_reserve(x->d->a, out, out->n + known->n);
    for (int k = 0; k < known->n; k++) out->at[out->n++] = slots[known->slots[k]];
}

/* Is a root of an answer no operation, but a slot of the family or a number? That, then, or 0. */
static expr answer_leaf(const family *q, const expr_shape *made, int root, const expr *slots)
{
    int at = made->roots[root];
    if (at < made->at_slot) return made->numbers[at];
    at -= made->at_slot;
    return at < q->sides->n_slots ? slots[at] : 0;
}

bool family_solution_operates(const family_question *x, int slot)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    const expr_shape *made = q->solutions[slot]->made;
    int side = made->roots[0] - made->at_slot - q->sides->n_slots;
    if (side < 0) return false;
    return side > 1 || q->sides->roots[side] >= q->sides->at_step;
}

int family_solves_unwritten(const family_question *x, expr var, expr *guard)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    *guard = 0;
    if (!q || !family_solvable(x, var)) return -1;
    int slot = family_solved_slot(x, var);
    if (slot < 0) return -1;
    const family_solution *known = q->solutions[slot];
    if (!known->guarded) return slot;
    *guard = answer_leaf(q, known->made, 1, slots);
    return *guard ? slot : -1;
}

bool family_keeps(const family_question *x, const dag_rewriter *r)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    return q && dag_rewriter_keeps(r, slots, q->sides->n_slots);
}

/* An answer about an equation that is not written out, rewritten. */
static expr rewrite_answer(const family_question *x, const family *q, const expr_shape *made,
                           const expr *slots, dag_rewriter *r)
{
    family_given now;
    bool changed[SHAPE_SLOTS + 2], any[2];
    expr both[2];
    int n = q->sides->n_slots;
    for (int k = 0; k < n; k++) {
        now.at[k] = dag_rewrite(r, slots[k]);
        changed[k] = now.at[k] != slots[k];
    }
    shape_rewrite(x->of->p, q->sides, now.at, changed, now.at + n, changed + n);
    shape_rewrite(x->of->p, made, now.at, changed, both, any);
    return both[0];
}

expr family_rewrite(const family_question *x, expr e, dag_rewriter *r)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    if (family_keeps(x, r)) return e;
    if (!e && q) return rewrite_answer(x, q, q->residual, slots, r);
    return dag_rewrite(r, e ? e : family_written(x).f);
}

expr family_solve_rewritten(const family_question *x, expr var, dag_rewriter *r)
{
    const expr *slots = NULL;
    const family *q = family_asked(x, &slots);
    expr guard;
    int slot = x->f ? -1 : family_solved_slot(x, var);
    if (slot >= 0) return rewrite_answer(x, q, q->solutions[slot]->made, slots, r);
    return family_rewrite(x, family_solve(x, var, &guard), r);
}

/* ---- of a system ----------------------------------------------------------------------------- */

void structure_find_families(analysis *w)
{
    if (!w->families) w->families = families_new(w->p, arena_inner(w->a), w->eqs.n);
    families *x = w->families;
    for (int i = 0; i < w->eqs.n; i++) {
        const structure_equation *e = &w->eqs.at[i];
        const expr sides[] = {e->lhs, e->rhs};
        if (i == x->at.n) array_push(x->a, &x->at, -1);
        if (x->at.at[i] < 0)
            x->at.at[i] = e->lhs ? family_find(x, sides) : family_enter_member(w, x, e);
    }
    w->s->families = x;
}

structure_equation *structure_write(analysis *w, int i)
{
    structure_equation *e = &w->eqs.at[i];
    const expr *slots;
    const family *q = family_of(w->families, i, &slots);
    expr sides[2];
    if (e->lhs) return e;
    if (!q) flat_sides(w->m, &w->m->equations.at[e->flat], sides);
    else if (!shape_make(w->p, q->sides, slots, sides)) family_changed(w->families, i);
    e->lhs = sides[0];
    e->rhs = sides[1];
    return e;
}

void structure_write_all(analysis *w)
{
    for (int i = 0; i < w->eqs.n; i++) structure_write(w, i);
}

/* Another variable takes the place of this one, where it does not stay; false: something else does. */
static bool slot_replaced(const structure *s, flat_slot *slot)
{
    if (slot->var >= s->n_flat) return true;
    const structure_var *v = &s->vars[slot->var];
    switch ((structure_role)v->role) {
    case STRUCTURE_UNKNOWN: return true;
    case STRUCTURE_PARAMETER: return !(flat_at(s->flat, slot->var)->flags & FLAT_STRUCTURAL);
    case STRUCTURE_ALIAS:
        slot->order += v->order;
        slot->var = v->of;
        return !v->negated;
    case STRUCTURE_INPUT: slot->var = s->n_flat + v->place; return true;
    case STRUCTURE_DISCRETE: slot->var = s->n_flat + v->place; return !slot->order;
    default: return false;
    }
}

const expr_shape *structure_slots(const structure *s, int equation, flat_slot *slots)
{
    const structure_equation *e = &s->equations.at[equation];
    if (e->lhs) return NULL;
    const flat_run *run = flat_member(s->flat, &s->flat->equations.at[e->flat], slots);
    for (int k = 0; k < run->sides->n_slots; k++) slot_replaced(s, &slots[k]);
    return run->sides;
}

bool structure_replace_slots(analysis *w, int i)
{
    flat_slot slots[SHAPE_SLOTS];
    const structure_equation *e = &w->eqs.at[i];
    int at = w->families ? w->families->at.at[i] : 0;
    if (e->lhs || at <= 0) return false;
    const flat_run *run = flat_member(w->m, &w->m->equations.at[e->flat], slots);
    int n = run->sides->n_slots;
    for (int k = 0; k < n; k++) {
        if (!slot_replaced(w->s, &slots[k])) return false;
        for (int j = 0; j < k; j++)
            if (slots[j].var == slots[k].var && slots[j].order == slots[k].order) return false;
    }
    for (int k = 0; k < n; k++)
        w->families->members.at[at + 1 + k] = member_var(w, slots[k].var, slots[k].order);
    return true;
}

/* lhs, rhs and f[0] of an equation that is not written out. */
static structure_equation in_full(structure *s, int i)
{
    structure_equation e = s->equations.at[i];
    flat_slot slots[SHAPE_SLOTS];
    expr vars[SHAPE_SLOTS], sides[2], *f = arena_new(s->a, expr);
    const expr_shape *shape = structure_slots(s, i, slots);
    if (!shape) return e;
    for (int k = 0; k < shape->n_slots; k++)
        vars[k] = expr_var(s->pool, slots[k].var, slots[k].order, TYPE_REAL, 0);
    if (!shape_make(s->pool, shape, vars, sides) && s->families) s->families->at.at[i] = 0;
    e.lhs = sides[0];
    e.rhs = sides[1];
    *f = expr_sub(s->pool, e.lhs, e.rhs);
    e.f = f;
    return e;
}

expr structure_residual(structure *s, int equation)
{
    const structure_equation *e = &s->equations.at[equation];
    return e->lhs ? e->f[0] : *in_full(s, equation).f;
}

static bool structure_is_written(const structure *s)
{
    bool all = true;
    for (int i = 0; i < s->equations.n && all; i++) all = s->equations.at[i].lhs != 0;
    return all;
}

void structure_write_out(structure *s)
{
    if (structure_is_written(s)) return;
    structure_equations now = {0};
    if (s->pool->shared) { // runs read the list as it is, by a pool that ends before these nodes
        array_reserve(s->a, &now, s->equations.n);
        for (int i = 0; i < s->equations.n; i++) array_push(s->a, &now, s->equations.at[i]);
        s->equations.at = now.at;
        s->equations.cap = now.cap;
    }
    for (int i = 0; i < s->equations.n; i++) s->equations.at[i] = in_full(s, i);
}

const structure *structure_in_full(const structure *s, arena *a)
{
    if (structure_is_written(s)) return s;
    structure *full = arena_new(a, structure);
    *full = *s;
    full->a = a;
    full->families = NULL;
    full->pool = arena_new(a, expr_pool);
    *full->pool = expr_copy(s->pool, a);
    full->pool->shared = true; // the list is that of s, still
    structure_write_out(full);
    full->pool->shared = false;
    return full;
}

void structure_drop_families(structure *s)
{
    if (s->families) arena_done(s->families->a);
    s->families = NULL;
}

void structure_forget_families(analysis *w)
{
    if (w->families) arena_done(w->families->a);
    w->families = w->s->families = NULL;
}
