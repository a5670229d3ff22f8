/* A program in which parameters are numbers: what follows from them is computed once, and what they
 * multiply by zero is gone.
 *
 * A number that a kernel passes on in w is a number for the steps after it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

typedef struct binding {
    const double *parameters;
    tape_builder *b;
    const double *passed; // by element of w: the number there
    const bool *is_number;
} binding;

static tape_ref bind_leaf(void *user, tape_ref leaf)
{
    const binding *x = user;
    int k = tape_index_of(leaf);
    if (tape_kind_of(leaf) == TAPE_P) return tape_const(x->b, x->parameters[k]);
    if (tape_kind_of(leaf) == TAPE_W && x->is_number[k]) return tape_const(x->b, x->passed[k]);
    return leaf;
}

static bool is_zero(const tape_builder *b, tape_ref r)
{
    double x;
    return tape_is_const(b, r, &x) && x == 0;
}

/* What instruction i is, where one of its operands is 0; TAPE_NONE: nothing simpler. The builder keeps
 * every bit, so that 0*x stays, as x may be infinite. Here it is what it stands for in the equations. */
static tape_ref bind_zero(const replay *r, const tape_ins *in)
{
    if (in->op != TAPE_ADD && in->op != TAPE_SUB && in->op != TAPE_MUL) return TAPE_NONE;
    tape_ref x = replay_ref(r, in->a), y = replay_ref(r, in->b);
    bool left = is_zero(r->b, x), right = is_zero(r->b, y);
    if (!left && !right) return TAPE_NONE;
    if (in->op == TAPE_MUL) return tape_const(r->b, 0);
    if (right) return x;
    return in->op == TAPE_ADD ? y : tape_op1(r->b, TAPE_NEG, y);
}

static const tape *bind_kernel(binding *x, const tape *t, double *passed, bool *is_number,
                               arena *scratch, arena *result)
{
    replay r;
    x->b = tape_builder_new(scratch);
    replay_init(&r, x->b, t, scratch);
    r.leaf = bind_leaf;
    r.user = x;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        tape_ref simple = bind_zero(&r, in);
        if (simple != TAPE_NONE) r.moved[i] = simple;
        else replay_ins(&r, i);
        if (in->op == TAPE_STORE) tape_store(r.b, in->a, replay_ref(&r, in->b));
    }
    for (int i = 0; i < t->n_ins; i++) { // only now: operands in w are those on entry
        const tape_ins *in = &t->ins[i];
        if (in->op != TAPE_STORE || tape_kind_of(in->a) != TAPE_W) continue;
        int k = tape_index_of(in->a);
        is_number[k] = tape_is_const(r.b, replay_ref(&r, in->b), &passed[k]);
    }
    return tape_finish(r.b, result);
}

/* What a map or a sum stores in w is no number. */
static void bind_forget(const tape_step *s, bool *is_number)
{
    int n = s->kind == TAPE_STEP_SUM ? 1 : s->kernel->extent[TAPE_X];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < s->n && s->access[k].array == TAPE_W; i++)
            is_number[tape_element(&s->access[k], i)] = false;
    for (int i = 0; s->kernel && i < s->kernel->n_ins; i++) {
        const tape_ins *in = &s->kernel->ins[i];
        if (in->op == TAPE_STORE && tape_kind_of(in->a) == TAPE_W)
            is_number[tape_index_of(in->a)] = false;
    }
}

const tape_program *tape_program_bind(const tape_program *p, const double *parameters,
                                      arena *scratch, arena *result)
{
    int n_w = p->extent[TAPE_W];
    double *passed = arena_array(scratch, double, n_w);
    bool *is_number = arena_array(scratch, bool, n_w);
    binding x = {.parameters = parameters, .passed = passed, .is_number = is_number};
    tape_program_builder *b = tape_program_new(result);
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        if (s->kind == TAPE_STEP_KERNEL) {
            tape_program_kernel(b, bind_kernel(&x, s->kernel, passed, is_number, scratch, result));
            continue;
        }
        bind_forget(s, is_number);
        if (s->kind == TAPE_STEP_MAP) tape_program_map(b, s->kernel, s->n, s->access);
        else tape_program_sum(b, s->n, *s->access, s->start, s->index, s->coef);
    }
    return tape_program_finish(b);
}
