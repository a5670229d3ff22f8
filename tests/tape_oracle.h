/* Programs checked and written out, for tests and measurements: what the library does with loops is
 * compared with what it does with every instance on its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TAPE_ORACLE_H
#define TESTS_TAPE_ORACLE_H

#include "derive/derive.h"

static inline const tape_program *program_of_kernel(const tape *t, arena *a)
{
    tape_program_builder *b = tape_program_new(a);
    tape_program_kernel(b, t);
    return tape_program_finish(b);
}

/* ---- checking -------------------------------------------------------------------------------- */

typedef struct checker {
    const tape_program *p;
    int *stored[TAPE_N_KINDS]; // per element: the step that stored it last, plus one
    const char *wrong;
} checker;

static inline void check_store(checker *c, int step, tape_kind kind, int at)
{
    if (kind != TAPE_W && kind != TAPE_OUT && kind != TAPE_OUT2) {
        c->wrong = "a store to an array that is only read";
    } else if (at < 0) {
        c->wrong = "a negative index";
    } else {
        if (c->stored[kind][at] == step + 1) c->wrong = "a location stored twice in one step";
        c->stored[kind][at] = step + 1;
    }
}

static inline void check_targets(checker *c, int step, const tape_step *s)
{
    if (s->kind == TAPE_STEP_SUM) {
        for (int i = 0; i < s->n; i++)
            check_store(c, step, s->access->array, tape_element(s->access, i));
        return;
    }
    for (int k = 0; k < s->kernel->n_ins; k++) {
        const tape_ins *in = &s->kernel->ins[k];
        if (in->op != TAPE_STORE) continue;
        if (tape_kind_of(in->a) != TAPE_X) {
            if (s->kind == TAPE_STEP_MAP && s->n > 1) c->wrong = "a location all instances store";
            check_store(c, step, tape_kind_of(in->a), tape_index_of(in->a));
            continue;
        }
        if (s->kind == TAPE_STEP_KERNEL) {
            c->wrong = "an operand of kind x outside a map";
            return;
        }
        const tape_access *x = &s->access[tape_index_of(in->a)];
        for (int i = 0; i < s->n; i++) check_store(c, step, x->array, tape_element(x, i));
    }
}

static inline void check_read(checker *c, int step, int at)
{
    if (at < 0) c->wrong = "a negative index";
    else if (c->stored[TAPE_W][at] == step + 1) c->wrong = "a map reads what it stores";
}

/* Reads of w by the instances of a map, through accesses and by index. */
static inline void check_map_sources(checker *c, int step, const tape_step *s)
{
    const tape *t = s->kernel;
    for (int k = 0; k < t->n_ins; k++) {
        const tape_ins *in = &t->ins[k];
        const tape_ref refs[4] = {in->op == TAPE_STORE ? in->b : in->a, in->b, in->c, in->d};
        int n = in->op == TAPE_STORE ? 1 : tape_op_operands(in->op);
        const tape_call *call = in->op == TAPE_CALL ? &t->calls[in->a] : NULL;
        if (call) n = call->fn->n_in;
        for (int j = 0; j < n; j++) {
            tape_ref r = call ? t->args[call->args + j] : refs[j];
            if (tape_kind_of(r) == TAPE_W) check_read(c, step, tape_index_of(r));
            if (tape_kind_of(r) != TAPE_X) continue;
            const tape_access *x = &s->access[tape_index_of(r)];
            if (x->array < TAPE_P || x->array > TAPE_W) c->wrong = "an operand that cannot be read";
            else if (x->array == TAPE_W)
                for (int i = 0; i < s->n; i++) check_read(c, step, tape_element(x, i));
            else
                for (int i = 0; i < s->n; i++)
                    if (tape_element(x, i) < 0) c->wrong = "a negative index";
        }
    }
}

/* NULL, or what is wrong: a bad array, a location stored twice, a map that reads what it stores, a
 * negative index. Linear in the size of the accesses. */
static inline const char *program_check(const tape_program *p, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    checker c = {.p = p};
    for (int k = TAPE_W; k < TAPE_N_KINDS; k++)
        c.stored[k] = arena_array(scratch, int, p->extent[k]);
    for (int i = 0; i < p->n_steps && !c.wrong; i++) {
        check_targets(&c, i, &p->steps[i]);
        if (p->steps[i].kind == TAPE_STEP_MAP && !c.wrong) check_map_sources(&c, i, &p->steps[i]);
    }
    arena_release(scratch, mark);
    return c.wrong;
}

/* ---- unrolling ------------------------------------------------------------------------------- */

typedef struct unroller {
    tape_builder *b;
    tape_ref *w, *w_new; // per element of w: its value now; what the running step stores there
    const tape_step *step;
    int instance;
} unroller;

static inline tape_ref leaf_now(void *user, tape_ref r)
{
    unroller *u = user;
    if (tape_kind_of(r) == TAPE_X) {
        const tape_access *x = &u->step->access[tape_index_of(r)];
        r = tape_ref_of(x->array, tape_element(x, u->instance));
    }
    return tape_kind_of(r) == TAPE_W ? u->w[tape_index_of(r)] : r;
}

static inline void store_now(unroller *u, tape_kind array, int at, tape_ref x)
{
    if (array == TAPE_W) u->w_new[at] = x;
    else tape_store(u->b, tape_ref_of(array, at), x);
}

/* What a step stored in w becomes visible when it has ended. */
static inline void commit_store(unroller *u, tape_kind array, int at)
{
    if (array == TAPE_W) u->w[at] = u->w_new[at];
}

static inline void unroll_instance(unroller *u, replay *r, int i, bool stores)
{
    const tape *t = u->step->kernel;
    u->instance = i;
    for (int k = 0; k < t->n_ins; k++) {
        const tape_ins *in = &t->ins[k];
        if (in->op != TAPE_STORE) {
            if (!stores) replay_ins(r, k);
            continue;
        }
        tape_kind array = tape_kind_of(in->a);
        int at = tape_index_of(in->a);
        if (array == TAPE_X) {
            const tape_access *x = &u->step->access[at];
            array = x->array;
            at = tape_element(x, i);
        }
        if (stores) commit_store(u, array, at);
        else store_now(u, array, at, replay_ref(r, in->b));
    }
}

static inline void unroll_sum(unroller *u, const tape_step *s)
{
    for (int i = 0; i < s->n; i++) {
        tape_ref sum = tape_const(u->b, 0.0);
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            tape_ref x = u->w[s->index[k]];
            if (s->coef) x = tape_op2(u->b, TAPE_MUL, tape_const(u->b, s->coef[k]), x);
            sum = k == s->start[i] ? x : tape_op2(u->b, TAPE_ADD, sum, x);
        }
        store_now(u, s->access->array, tape_element(s->access, i), sum);
    }
    for (int i = 0; i < s->n; i++) commit_store(u, s->access->array, tape_element(s->access, i));
}

/* The same as one tape, every instance written out. Of what is stored in w, only the first keep_w
 * elements are. */
static inline const tape *program_unroll_w(const tape_program *p, int keep_w, arena *scratch,
                                           arena *result)
{
    arena_mark mark = arena_here(scratch);
    int n_w = p->extent[TAPE_W];
    unroller u = {.b = tape_builder_new(scratch)};
    u.w = arena_array(scratch, tape_ref, n_w);
    u.w_new = arena_array(scratch, tape_ref, n_w);
    for (int i = 0; i < n_w; i++) u.w[i] = tape_w(i);
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = u.step = &p->steps[k];
        if (s->kind == TAPE_STEP_SUM) {
            unroll_sum(&u, s);
            continue;
        }
        replay r;
        replay_init(&r, u.b, s->kernel, scratch);
        r.leaf = leaf_now;
        r.user = &u;
        for (int i = 0; i < s->n; i++) unroll_instance(&u, &r, i, false);
        for (int i = 0; i < s->n; i++) unroll_instance(&u, &r, i, true);
    }
    for (int i = 0; i < n_w && i < keep_w; i++)
        if (u.w[i] != tape_w(i)) tape_store(u.b, tape_w(i), u.w[i]);
    const tape *t = tape_finish(u.b, result);
    arena_release(scratch, mark);
    return t;
}

static inline const tape *program_unroll(const tape_program *p, arena *scratch, arena *result)
{
    return program_unroll_w(p, p->extent[TAPE_W], scratch, result);
}

/* ---- derivatives of one kernel --------------------------------------------------------------- */

typedef struct kernel_derivative {
    const tape *code; // stores to out and out2 only
    vinc_pattern pattern;
} kernel_derivative;

static inline kernel_derivative kernel_derive(const tape *f, const tape_ref *wrt, int n_wrt,
                                              arena *scratch, arena *result)
{
    tape_program_derivative d =
        tape_program_derive(program_of_kernel(f, result), wrt, n_wrt, 0, scratch, result);
    return (kernel_derivative){program_unroll_w(d.code, 0, scratch, result), d.pattern};
}

static inline kernel_derivative kernel_jacobian(const tape *f, int n_rows, int n_cols,
                                                arena *scratch, arena *result)
{
    tape_program_derivative d =
        tape_program_jacobian(program_of_kernel(f, result), n_rows, n_cols, 0, scratch, result);
    return (kernel_derivative){program_unroll_w(d.code, 0, scratch, result), d.pattern};
}

#endif
