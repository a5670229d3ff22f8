/* Relations that other relations make idle.
 *
 *     der(x) = if (e >= 0 and x > max) or (e <= 0 and x < min) then 0 else e
 *
 * While x is inside its limits nothing depends on the sign of e: a controller in a grid would make an event
 * of every oscillation. A relation all of whose values go into `and` and `or` with relations that are always
 * watched is idle while these decide: it is not watched and not read, and keeps its old value, until one of
 * them changes, which is an event at which it is read. Of two relations that could make each other idle the
 * one that is found first is, the other is always watched.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event_lower.h"

#include "code/functions.h"

#include <stdlib.h>

/* A relation or its opposite. */
typedef struct literal {
    int relation; // -1: something else
    bool opposite;
} literal;

typedef struct mask_use {
    int single;
    expr by; // the other side of `and`, `or`
    bool is; // the value of it that decides
} mask_use;

typedef struct masker {
    const lowering *l;
    int *single;   // by relation: which single one it is, + 1
    int *relation; // by element of w: the relation whose value it is, + 1
    uint8_t *fate; // by single one
    ARRAY(mask_use) uses;
} masker;

enum { FATE_OPEN, FATE_WATCHED, FATE_IDLE };

static literal literal_of(const masker *x, expr e)
{
    const structure *s = x->l->s;
    const expr_node *n = expr_at(x->l->p, e);
    bool opposite = n->op == EXPR_NOT;
    if (opposite) n = expr_at(x->l->p, n->u.arg[0]);
    int at = n->op == EXPR_VAR ? n->u.var.index - s->n_flat : -1;
    return (literal){at >= 0 && at < s->n_w ? x->relation[at] - 1 : -1, opposite};
}

static bool joins(expr_op op)
{
    return op == EXPR_AND || op == EXPR_OR;
}

/* What has a relation as an argument, which must be `and` or `or`; the opposite of one counts as the relation. */
static void find_uses(masker *x, bool inside)
{
    const expr_pool *p = x->l->p;
    for (expr e = 1; e < p->n; e++) {
        expr_op op = (expr_op)expr_at(p, e)->op;
        if (joins(op) != inside || op == EXPR_NOT) continue;
        for (int k = 0; k < expr_arity(p, e); k++) {
            literal r = literal_of(x, expr_args(p, e)[k]);
            int i = r.relation >= 0 ? x->single[r.relation] - 1 : -1;
            if (i < 0) continue;
            if (!inside) x->fate[i] = FATE_WATCHED;
            mask_use use = {i, expr_args(p, e)[1 - (k & 1)], op == EXPR_OR};
            if (inside) array_push(x->l->scratch, &x->uses, use);
        }
    }
}

/* The literals of which one decides that e is `is`: those that `and`, or `or`, joins there. */
static void find_deciders(const masker *x, expr e, bool is, int single, code_deciders *out)
{
    const expr_pool *p = x->l->p;
    int_array stack = {0};
    array_push(x->l->scratch, &stack, e);
    while (stack.n) {
        expr at = stack.at[--stack.n];
        literal r = literal_of(x, at);
        int i = r.relation >= 0 ? x->single[r.relation] - 1 : -1;
        if (r.relation >= 0 && i != single && (i < 0 || x->fate[i] != FATE_IDLE)) {
            code_decider d = {r.relation, is != r.opposite};
            array_push(x->l->a, out, d);
        }
        if (expr_at(p, at)->op != (is ? EXPR_OR : EXPR_AND)) continue;
        for (int k = 0; k < 2; k++) array_push(x->l->scratch, &stack, expr_args(p, at)[k]);
    }
}

/* Uses of one relation follow each other. */
static int by_single(const void *a, const void *b)
{
    const mask_use *x = a, *y = b;
    if (x->single != y->single) return x->single < y->single ? -1 : 1;
    return x->by != y->by ? (x->by < y->by ? -1 : 1) : (int)x->is - (int)y->is;
}

/* All its uses can be decided: what decides is watched from now on. */
static void make_idle(masker *x, const mask_use *first, int n, code_events *v)
{
    code_mask m = {.single = first->single};
    for (int k = 0; k < n; k++) {
        code_deciders d = {0};
        find_deciders(x, first[k].by, first[k].is, first->single, &d);
        if (!d.n) return;
        array_push(x->l->a, &m.uses, d);
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < m.uses.at[k].n; j++) {
            int i = x->single[m.uses.at[k].at[j].relation] - 1;
            if (i >= 0) x->fate[i] = FATE_WATCHED;
        }
    x->fate[first->single] = FATE_IDLE;
    array_push(x->l->a, &v->masks, m);
    v->mask_of[first->single] = v->masks.n - 1;
}

/* What is looked at while all that can be idle is. */
static void slice_watched(lowering *l, code_events *v)
{
    int n = v->n_single;
    bool *wanted = arena_array(l->scratch, bool, v->roots.n_out);
    for (int k = 0; k < v->roots.n_out; k++) wanted[k] = k >= 2 * n || v->mask_of[k % n] < 0;
    code_listed watched = {"watched", "this relation", CODE_OFTEN, &v->watched};
    code_slice(l, &watched, &v->roots, wanted);
}

static void watch_value(masker *x, expr value) // by another name
{
    literal r = literal_of(x, value);
    int i = r.relation >= 0 ? x->single[r.relation] - 1 : -1;
    if (i >= 0) x->fate[i] = FATE_WATCHED;
}

void code_find_masks(lowering *l, code_events *v)
{
    const structure *s = l->s;
    masker x = {.l = l};
    v->mask_of = arena_array(l->a, int, v->n_single);
    for (int i = 0; i < v->n_single; i++) v->mask_of[i] = -1;
    if (!v->n_single) return;
    x.single = arena_array(l->scratch, int, s->relations.n);
    x.relation = arena_array(l->scratch, int, s->n_w + 1);
    x.fate = arena_array(l->scratch, uint8_t, v->n_single);
    for (int k = 0; k < s->relations.n; k++)
        if (v->sense[k]) x.relation[s->relations.at[k].place] = k + 1;
    for (int i = 0; i < v->n_single; i++) {
        const structure_relation *r = &s->relations.at[v->single[i]];
        x.single[v->single[i]] = i + 1;
        bool taken = l->list->taken && l->list->taken[r->place];
        // What discrete variables decide need not be watched itself.
        if (taken || r->of_time || !v->sense[v->single[i]] || v->need_of[i] >= 0)
            x.fate[i] = FATE_WATCHED;
        if (v->need_of[i] >= 0) x.relation[r->place] = 0;
    }
    for (int k = 0; k < l->f->assignments.n; k++) watch_value(&x, l->f->assignments.at[k].value);
    find_uses(&x, true);
    if (!x.uses.n) return;
    find_uses(&x, false);
    qsort(x.uses.at, (size_t)x.uses.n, sizeof *x.uses.at, by_single);
    for (int k = 0, n; k < x.uses.n; k += n) {
        const mask_use *first = &x.uses.at[k];
        for (n = 1; k + n < x.uses.n && first[n].single == first->single;) n++;
        if (x.fate[first->single] == FATE_OPEN) make_idle(&x, first, n, v);
    }
    if (v->masks.n) slice_watched(l, v);
}
