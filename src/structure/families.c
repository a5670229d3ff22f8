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
    for (int k = 0, n = expr_arities[x->op]; k < n; k++) h = h * 37 + expr_at(p, x->u.arg[k])->op;
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

static int family_find(families *x, const expr *sides)
{
    expr slots[SHAPE_SLOTS];
    uint32_t h = family_beginning(x->p, sides[0]) * 31 + family_beginning(x->p, sides[1]);
    int *head = &x->heads[(h * 0x9e3779b1u) >> 24], before = 0, tries = 0;
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

expr family_residual(families *x, dag *d, int equation, expr lhs, expr rhs)
{
    const expr *slots;
    family *q = family_of(x, equation, &slots);
    if (!q || (q->asked && !q->residual)) return expr_sub(x->p, lhs, rhs);
    expr f;
    family_given g;
    family_give(&g, q, slots, lhs, rhs);
    if (q->asked) {
        if (!shape_make(x->p, q->residual, g.at, &f)) x->at.at[equation] = 0; // of another shape
        return f;
    }
    f = expr_sub(x->p, lhs, rhs);
    q->residual = shape_over(x->p, &f, 1, g.at, g.n, x->a);
    q->asked = true;
    q->n_order = family_walk(d, f, slots, q->sides->n_slots, q->order);
    return f;
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
        dag_vars(x->d, x->f, out);
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
static expr solve_first(const family_question *x, family *q, const expr *slots, int slot,
                        expr *guard)
{
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
    if (slot < 0) return dag_solve(x->d, x->f, var, guard);
    const family_solution *known = q->solutions ? q->solutions[slot] : NULL;
    if (!known) return solve_first(x, q, slots, slot, guard);
    *guard = 0;
    if (!known->made) return 0;
    family_given g;
    expr both[2] = {0};
    family_give(&g, q, slots, x->lhs, x->rhs);
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

expr family_rewrite(const family_question *x, expr e, dag_rewriter *r)
{
    const expr *slots;
    const family *q = family_asked(x, &slots);
    return q && dag_rewriter_keeps(r, slots, q->sides->n_slots) ? e : dag_rewrite(r, e);
}

/* ---- of a system ----------------------------------------------------------------------------- */

void structure_find_families(analysis *w)
{
    if (!w->families) w->families = families_new(w->p, arena_inner(w->a), w->eqs.n);
    families *x = w->families;
    for (int i = 0; i < w->eqs.n; i++) {
        const expr sides[] = {w->eqs.at[i].lhs, w->eqs.at[i].rhs};
        if (i == x->at.n) array_push(x->a, &x->at, -1);
        if (x->at.at[i] < 0) x->at.at[i] = family_find(x, sides);
    }
    w->s->families = x;
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
