/* Some results of a program by themselves, at the cost of what they depend on alone.
 *
 * A slice (slice.c) walks through the whole program. Here an index is made of it once: which instruction,
 * instance of a map or sum stores each element of out and w. From there a walk backwards finds what some
 * results need, and only that is copied, into one tape. Nodes are numbered through all steps, so that
 * ascending numbers are an order in which they can be copied.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <stdlib.h>
#include <string.h>

typedef struct pick_store {
    int step, node;
    int prev;     // an earlier store to the same element, or -1
    tape_ref ref; // its value in the tape that is made now; of kernels it is in moved[]
} pick_store;

typedef struct pick_node {
    int step, node;
} pick_node;

struct tape_picker {
    arena *a;
    const tape_program *p;
    int *base;        // by step: its first node
    int *first_store; // by step that is a map or a sum: its first store
    int *out, *w;     // by element: its last store, or -1
    ARRAY(pick_store) stores;
    replay *replays;       // by step; sums have none
    int *stamp, epoch;     // by node: the last pick that needed it
    ARRAY(pick_node) open; // nodes whose operands are not looked at yet
    int_array nodes;       // of this pick
    int step, instance;    // being copied
    tape_leaf *leaf;
    tape_found *found; // in a reading; otherwise NULL
    void *user;
};

/* ---- the index ------------------------------------------------------------------------------- */

static void pick_note_store(tape_picker *x, tape_kind kind, int at, int step, int node)
{
    int *last = kind == TAPE_OUT ? &x->out[at] : kind == TAPE_W ? &x->w[at] : NULL;
    int prev = last ? *last : -1;
    if (last) *last = x->stores.n;
    array_push(x->a, &x->stores, ((pick_store){step, node, prev, TAPE_NONE}));
}

static void pick_index_instance(tape_picker *x, int k, int i)
{
    const tape_step *s = &x->p->steps[k];
    for (int j = 0; j < s->kernel->n_ins; j++) {
        const tape_ins *in = &s->kernel->ins[j];
        if (in->op != TAPE_STORE) continue;
        tape_kind kind = tape_kind_of(in->a);
        int at = tape_index_of(in->a);
        bool mapped = kind == TAPE_X;
        pick_note_store(x, mapped ? s->access[at].array : kind,
                        mapped ? tape_element(&s->access[at], i) : at, k,
                        x->base[k] + (s->kind == TAPE_STEP_MAP ? i : j));
    }
}

static int pick_size(const tape_step *s) // nodes
{
    return s->kind == TAPE_STEP_KERNEL ? s->kernel->n_ins : s->n;
}

static bool pick_is_pure(const tape_program *p)
{
    for (int k = 0; k < p->n_steps; k++)
        for (int i = 0; p->steps[k].kernel && i < p->steps[k].kernel->n_calls; i++)
            if (p->steps[k].kernel->calls[i].fn->impure) return false;
    return true;
}

tape_picker *tape_picker_new(const tape_program *p, arena *a)
{
    return pick_is_pure(p) ? tape_reader_new(p, a) : NULL;
}

tape_picker *tape_reader_new(const tape_program *p, arena *a)
{
    tape_picker *x = arena_new(a, tape_picker);
    *x = (tape_picker){.a = a, .p = p};
    x->base = arena_array(a, int, p->n_steps + 1);
    x->first_store = arena_array(a, int, p->n_steps + 1);
    x->replays = arena_array(a, replay, p->n_steps + 1);
    x->out = arena_array(a, int, p->extent[TAPE_OUT] + 1);
    x->w = arena_array(a, int, p->extent[TAPE_W] + 1);
    for (int i = 0; i < p->extent[TAPE_OUT]; i++) x->out[i] = -1;
    for (int i = 0; i < p->extent[TAPE_W]; i++) x->w[i] = -1;
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        x->base[k + 1] = x->base[k] + pick_size(s);
        x->first_store[k] = x->stores.n;
        if (s->kind == TAPE_STEP_SUM) {
            for (int i = 0; i < s->n; i++)
                pick_note_store(x, s->access->array, tape_element(s->access, i), k, x->base[k] + i);
            continue;
        }
        replay_init(&x->replays[k], NULL, s->kernel, a);
        for (int i = 0; i < s->n; i++) pick_index_instance(x, k, i);
    }
    x->stamp = arena_array(a, int, x->base[p->n_steps] + 1);
    array_reserve(a, &x->open, x->base[p->n_steps] + 1); // nothing grows while it is used
    array_reserve(a, &x->nodes, x->base[p->n_steps] + 1);
    return x;
}

/* ---- what is needed -------------------------------------------------------------------------- */

static void pick_need(tape_picker *x, int step, int node)
{
    if (x->stamp[node] == x->epoch) return;
    x->stamp[node] = x->epoch;
    array_push(x->a, &x->nodes, node);
    array_push(x->a, &x->open, ((pick_node){step, node}));
}

/* The store that step k reads from: the last one of a step before it; -1: w is what it was before. */
static int pick_store_before(const tape_picker *x, int element, int k)
{
    int s = x->w[element];
    while (s >= 0 && x->stores.at[s].step >= k) s = x->stores.at[s].prev;
    return s;
}

static void pick_need_w(tape_picker *x, int element, int k)
{
    int s = pick_store_before(x, element, k);
    if (s >= 0) pick_need(x, x->stores.at[s].step, x->stores.at[s].node);
}

/* An operand of instance i of step k. */
static void pick_need_operand(tape_picker *x, int k, int i, tape_ref r)
{
    const tape_step *s = &x->p->steps[k];
    if (tape_kind_of(r) == TAPE_X) {
        const tape_access *a = &s->access[tape_index_of(r)];
        r = tape_ref_of(a->array, tape_element(a, i));
    }
    tape_kind kind = tape_kind_of(r);
    int at = tape_index_of(r);
    if (kind == TAPE_W) pick_need_w(x, at, k);
    if (kind == TAPE_VALUE && s->kind == TAPE_STEP_KERNEL) pick_need(x, k, x->base[k] + at);
    if (x->found && (kind == TAPE_Y || kind == TAPE_YP)) x->found(x->user, r);
}

static void pick_need_operands(tape_picker *x, int k, int instance, int j)
{
    const tape_step *s = &x->p->steps[k];
    const tape_ins *in = &s->kernel->ins[j];
    const tape_ref *of = &in->a;
    int n = in->op < TAPE_N_OPS ? tape_op_operands((tape_op)in->op) : 0;
    if (in->op == TAPE_STORE) of = &in->b, n = 1;
    if (in->op == TAPE_CALL) {
        of = &s->kernel->args[s->kernel->calls[in->a].args];
        n = s->kernel->calls[in->a].fn->n_in;
    }
    if (in->op == TAPE_RESULT && s->kind == TAPE_STEP_KERNEL)
        pick_need(x, k, x->base[k] + j - 1); // a call is before its results
    for (int i = 0; i < n; i++) pick_need_operand(x, k, instance, of[i]);
}

static void pick_look(tape_picker *x, pick_node at)
{
    const tape_step *s = &x->p->steps[at.step];
    int i = at.node - x->base[at.step];
    if (s->kind == TAPE_STEP_KERNEL) {
        pick_need_operands(x, at.step, 0, i);
        return;
    }
    if (s->kind == TAPE_STEP_SUM) {
        for (int k = s->start[i]; k < s->start[i + 1]; k++) pick_need_w(x, s->index[k], at.step);
        return;
    }
    for (int j = 0; j < s->kernel->n_ins; j++) pick_need_operands(x, at.step, i, j);
}

/* The last stores to some results, and all that they need. */
static void pick_begin(tape_picker *x, const int *wanted, int n)
{
    x->epoch++;
    x->nodes.n = x->open.n = 0;
    for (int k = 0; k < n; k++) {
        int s = wanted[k] < x->p->extent[TAPE_OUT] ? x->out[wanted[k]] : -1;
        if (s >= 0) pick_need(x, x->stores.at[s].step, x->stores.at[s].node);
    }
    while (x->open.n) pick_look(x, x->open.at[--x->open.n]);
}

void tape_read(tape_picker *x, int wanted, tape_found *found, void *user)
{
    x->found = found;
    x->user = user;
    pick_begin(x, &wanted, 1);
    x->found = NULL;
}

static int pick_ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* ---- copying --------------------------------------------------------------------------------- */

static tape_ref pick_stored(const tape_picker *x, int store)
{
    const pick_store *s = &x->stores.at[store];
    if (x->p->steps[s->step].kind != TAPE_STEP_KERNEL) return s->ref;
    return x->replays[s->step].moved[s->node - x->base[s->step]];
}

static tape_ref pick_leaf(void *user, tape_ref r)
{
    tape_picker *x = user;
    if (tape_kind_of(r) == TAPE_X) {
        const tape_access *a = &x->p->steps[x->step].access[tape_index_of(r)];
        r = tape_ref_of(a->array, tape_element(a, x->instance));
    }
    int s = tape_kind_of(r) == TAPE_W ? pick_store_before(x, tape_index_of(r), x->step) : -1;
    return s >= 0 ? pick_stored(x, s) : x->leaf(x->user, r);
}

static void pick_copy_instance(tape_picker *x, const replay *r)
{
    int n_stores = 0;
    for (int j = 0; j < r->t->n_ins; j++) n_stores += r->t->ins[j].op == TAPE_STORE;
    pick_store *to = &x->stores.at[x->first_store[x->step] + x->instance * n_stores];
    for (int j = 0; j < r->t->n_ins; j++) {
        replay_ins(r, j);
        if (r->t->ins[j].op == TAPE_STORE) to++->ref = replay_ref(r, r->t->ins[j].b);
    }
}

static void pick_copy_sum(tape_picker *x, tape_builder *b)
{
    const tape_step *s = &x->p->steps[x->step];
    int i = x->instance;
    tape_ref sum = TAPE_NONE;
    for (int k = s->start[i]; k < s->start[i + 1]; k++) {
        tape_ref term = pick_leaf(x, tape_w(s->index[k]));
        if (s->coef) term = tape_op2(b, TAPE_MUL, term, tape_const(b, s->coef[k]));
        sum = k == s->start[i] ? term : tape_op2(b, TAPE_ADD, sum, term);
    }
    x->stores.at[x->first_store[x->step] + i].ref = sum == TAPE_NONE ? tape_const(b, 0) : sum;
}

static void pick_copy(tape_picker *x, int node, tape_builder *b)
{
    replay *r = &x->replays[x->step];
    int i = node - x->base[x->step];
    x->instance = i;
    r->b = b;
    r->leaf = pick_leaf;
    r->user = x;
    switch (x->p->steps[x->step].kind) {
    case TAPE_STEP_SUM: pick_copy_sum(x, b); break;
    case TAPE_STEP_MAP: pick_copy_instance(x, r); break;
    case TAPE_STEP_KERNEL:
        x->instance = 0;
        replay_ins(r, i);
        if (r->t->ins[i].op == TAPE_STORE) r->moved[i] = replay_ref(r, r->t->ins[i].b);
    }
}

/* Constants are of one builder: those that were met are forgotten. */
static void pick_forget(const replay *r, int j)
{
    const tape_ins *in = &r->t->ins[j];
    const tape_ref of[] = {in->a, in->b, in->c, in->d};
    if (in->op == TAPE_CALL) {
        const tape_call *c = &r->t->calls[in->a];
        for (int k = 0; k < c->fn->n_in; k++)
            if (tape_kind_of(r->t->args[c->args + k]) == TAPE_CONST)
                r->consts[tape_index_of(r->t->args[c->args + k])] = TAPE_NONE;
        return;
    }
    for (int k = 0; k < 4; k++)
        if (tape_kind_of(of[k]) == TAPE_CONST && tape_index_of(of[k]) < r->t->n_consts)
            r->consts[tape_index_of(of[k])] = TAPE_NONE;
}

int tape_pick(tape_picker *x, const int *wanted, int n, tape_builder *b, tape_leaf *leaf,
              void *user, tape_ref *values)
{
    x->leaf = leaf;
    x->user = user;
    pick_begin(x, wanted, n);
    qsort(x->nodes.at, (size_t)x->nodes.n, sizeof *x->nodes.at, pick_ascending);
    x->step = 0;
    for (int k = 0; k < x->nodes.n; k++) {
        while (x->nodes.at[k] >= x->base[x->step + 1]) x->step++;
        pick_copy(x, x->nodes.at[k], b);
    }
    for (int k = 0; k < n; k++) {
        int s = wanted[k] < x->p->extent[TAPE_OUT] ? x->out[wanted[k]] : -1;
        values[k] = s < 0 ? TAPE_NONE : pick_stored(x, s);
    }
    x->step = 0;
    for (int k = 0; k < x->nodes.n; k++) {
        while (x->nodes.at[k] >= x->base[x->step + 1]) x->step++;
        const tape_step *s = &x->p->steps[x->step];
        int i = x->nodes.at[k] - x->base[x->step];
        if (s->kind == TAPE_STEP_KERNEL) pick_forget(&x->replays[x->step], i);
        for (int j = 0; s->kind == TAPE_STEP_MAP && j < s->kernel->n_ins; j++)
            pick_forget(&x->replays[x->step], j);
    }
    return x->nodes.n;
}
