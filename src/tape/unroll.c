/* SPDX-License-Identifier: BSD-3-Clause */
#include "tape/unroll.h"

typedef struct unroller {
    const unroll_refs *refs;
    const tape_step *step;
    int instance;
} unroller;

static tape_ref unroll_element(const unroll_refs *r, tape_kind kind, int k)
{
    switch (kind) {
    case TAPE_T: return r->t;
    case TAPE_P: return r->p[k];
    case TAPE_Y: return r->y[k];
    case TAPE_YP: return r->yp[k];
    default: return r->w[k];
    }
}

static tape_ref unroll_leaf(void *user, tape_ref leaf)
{
    const unroller *u = user;
    tape_kind kind = tape_kind_of(leaf);
    int k = tape_index_of(leaf);
    if (kind == TAPE_X) {
        const tape_access *a = &u->step->access[k];
        kind = a->array;
        k = tape_element(a, u->instance);
    }
    return unroll_element(u->refs, kind, k);
}

static void unroll_store(const unroller *u, tape_ref target, tape_ref x)
{
    tape_kind kind = tape_kind_of(target);
    int k = tape_index_of(target);
    if (kind == TAPE_X) {
        const tape_access *a = &u->step->access[k];
        kind = a->array;
        k = tape_element(a, u->instance);
    }
    tape_ref *array = kind == TAPE_W ? u->refs->w : kind == TAPE_OUT ? u->refs->out : u->refs->out2;
    array[k] = x;
}

/* Stores come last: operands of kind w are the values on entry. */
static void unroll_instance(unroller *u, tape_builder *b, arena *scratch)
{
    replay r;
    const tape *t = u->step->kernel;
    replay_init(&r, b, t, scratch);
    r.leaf = unroll_leaf;
    r.user = u;
    tape_ref *stored = arena_array(scratch, tape_ref, t->n_ins);
    for (int i = 0; i < t->n_ins; i++) {
        if (t->ins[i].op == TAPE_STORE) stored[i] = replay_ref(&r, t->ins[i].b);
        else replay_ins(&r, i);
    }
    for (int i = 0; i < t->n_ins; i++)
        if (t->ins[i].op == TAPE_STORE) unroll_store(u, t->ins[i].a, stored[i]);
}

static void unroll_sum(const unroller *u, tape_builder *b)
{
    const tape_step *s = u->step;
    for (int i = 0; i < s->n; i++) {
        tape_ref sum = tape_const(b, 0);
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            tape_ref x = u->refs->w[s->index[k]];
            if (s->coef) x = tape_op2(b, TAPE_MUL, x, tape_const(b, s->coef[k]));
            sum = k == s->start[i] ? x : tape_op2(b, TAPE_ADD, sum, x);
        }
        int at = tape_element(s->access, i);
        unroll_store(u, tape_ref_of(s->access->array, at), sum);
    }
}

bool unroll_program(tape_builder *b, const tape_program *program, const unroll_refs *refs,
                    arena *scratch)
{
    for (int k = 0; k < program->n_steps; k++) {
        const tape_step *s = &program->steps[k];
        unroller u = {refs, s, 0};
        if (s->kind == TAPE_STEP_SUM) {
            unroll_sum(&u, b);
            continue;
        }
        if (s->kernel->n_calls) return false;
        for (u.instance = 0; u.instance < s->n; u.instance++) unroll_instance(&u, b, scratch);
    }
    return true;
}
