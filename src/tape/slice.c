/* A slice of a program: the steps, instances and instructions that some of its results depend on.
 *
 * From the last step to the first: what a step that is kept reads of w, those before it have to store.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

typedef struct slicing {
    arena *scratch;
    const bool *wanted; // by element of out
    bool *passed;       // by element of w: a later step reads it
} slicing;

static bool slice_keeps(const slicing *x, tape_kind kind, int k)
{
    return kind == TAPE_OUT ? x->wanted[k] : kind == TAPE_W ? x->passed[k] : kind == TAPE_OUT2;
}

static void slice_reads(slicing *x, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_W) x->passed[tape_index_of(r)] = true;
}

/* By instruction: does a store that is kept, or an impure call, need it? */
static bool *slice_mark(const slicing *x, const tape *t)
{
    bool *need = arena_array(x->scratch, bool, t->n_ins);
    for (int i = t->n_ins - 1; i >= 0; i--) {
        const tape_ins *in = &t->ins[i];
        const tape_ref *of = &in->a;
        int n = in->op < TAPE_N_OPS ? tape_op_operands((tape_op)in->op) : 0;
        if (in->op == TAPE_STORE) {
            need[i] = slice_keeps(x, tape_kind_of(in->a), tape_index_of(in->a));
            of = &in->b;
            n = 1;
        } else if (in->op == TAPE_RESULT) {
            if (need[i]) need[i - 1] = true; // a call is before its first result
            continue;
        } else if (in->op == TAPE_CALL) {
            const tape_call *c = &t->calls[in->a];
            need[i] = need[i] || c->fn->impure;
            of = &t->args[c->args];
            n = c->fn->n_in;
        }
        for (int k = 0; need[i] && k < n; k++)
            if (tape_kind_of(of[k]) == TAPE_VALUE) need[tape_index_of(of[k])] = true;
    }
    return need;
}

/* NULL: nothing of it is left. */
static const tape *slice_kernel(slicing *x, const tape *t, arena *result)
{
    bool *need = slice_mark(x, t), any = false;
    replay r;
    replay_init(&r, tape_builder_new(x->scratch), t, x->scratch);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (!need[i]) continue;
        any = true;
        replay_ins(&r, i);
        if (in->op == TAPE_STORE) tape_store(r.b, in->a, replay_ref(&r, in->b));
    }
    if (!any) return NULL;
    const tape *left = tape_finish(r.b, result);
    for (int i = 0; i < left->n_ins; i++) {
        const tape_ins *in = &left->ins[i];
        const tape_ref of[] = {in->a, in->b, in->c, in->d};
        for (int k = 0; in->op < TAPE_N_OPS && k < tape_op_operands((tape_op)in->op); k++)
            slice_reads(x, of[k]);
        if (in->op == TAPE_STORE) slice_reads(x, in->b);
    }
    for (int k = 0; k < left->n_args; k++) slice_reads(x, left->args[k]);
    return left;
}

static bool instance_stores(const slicing *x, const tape_step *s, int i)
{
    for (int k = 0; k < s->kernel->n_ins; k++) {
        const tape_ins *in = &s->kernel->ins[k];
        tape_ref to = in->op == TAPE_STORE ? in->a : tape_t();
        int at = tape_index_of(to);
        bool mapped = tape_kind_of(to) == TAPE_X;
        if (slice_keeps(x, mapped ? s->access[at].array : tape_kind_of(to),
                        mapped ? tape_element(&s->access[at], i) : at))
            return true;
    }
    return false;
}

/* The instances of a map that store something wanted. */
static tape_step slice_map(slicing *x, const tape_step *s)
{
    tape_step left = *s;
    int n_x = s->kernel->extent[TAPE_X], *kept = arena_array(x->scratch, int, s->n), n = 0;
    for (int i = 0; i < s->n; i++)
        if (instance_stores(x, s, i)) kept[n++] = i;
    tape_access *access = arena_array(x->scratch, tape_access, n_x);
    for (int k = 0; k < n_x; k++) {
        int *list = arena_array(x->scratch, int, n);
        for (int i = 0; i < n; i++) {
            list[i] = tape_element(&s->access[k], kept[i]);
            if (s->access[k].array == TAPE_W) x->passed[list[i]] = true;
        }
        access[k] = (tape_access){.array = s->access[k].array, .list = list};
    }
    for (int i = 0; n && i < s->kernel->n_ins; i++) {
        const tape_ref of[] = {s->kernel->ins[i].a, s->kernel->ins[i].b, s->kernel->ins[i].c,
                               s->kernel->ins[i].d};
        for (int k = 0; s->kernel->ins[i].op < TAPE_N_OPS &&
                        k < tape_op_operands((tape_op)s->kernel->ins[i].op);
             k++)
            slice_reads(x, of[k]);
        if (s->kernel->ins[i].op == TAPE_STORE) slice_reads(x, of[1]);
    }
    for (int k = 0; n && k < s->kernel->n_args; k++) slice_reads(x, s->kernel->args[k]);
    left.n = n;
    if (n < s->n) left.access = access;
    return left;
}

/* The targets of a sum that are wanted. */
static tape_step slice_sum(slicing *x, const tape_step *s)
{
    tape_step left = *s;
    int *kept = arena_array(x->scratch, int, s->n), n = 0, n_terms = 0;
    for (int i = 0; i < s->n; i++) {
        if (!slice_keeps(x, s->access->array, tape_element(s->access, i))) continue;
        kept[n++] = i;
        n_terms += s->start[i + 1] - s->start[i];
    }
    for (int i = 0; i < n; i++)
        for (int k = s->start[kept[i]]; k < s->start[kept[i] + 1]; k++)
            x->passed[s->index[k]] = true;
    left.n = n;
    if (n == s->n || !n) return left;
    int *start = arena_array(x->scratch, int, n + 1), *list = arena_array(x->scratch, int, n);
    int *index = arena_array(x->scratch, int, n_terms), at = 0;
    double *coef = s->coef ? arena_array(x->scratch, double, n_terms) : NULL;
    for (int i = 0; i < n; i++) {
        for (int k = s->start[kept[i]]; k < s->start[kept[i] + 1]; k++, at++) {
            index[at] = s->index[k];
            if (coef) coef[at] = s->coef[k];
        }
        start[i + 1] = at;
        list[i] = tape_element(s->access, kept[i]);
    }
    tape_access *access = arena_new(x->scratch, tape_access);
    *access = (tape_access){.array = s->access->array, .list = list};
    left.access = access;
    left.start = start;
    left.index = index;
    left.coef = coef;
    return left;
}

const tape_program *tape_program_slice(const tape_program *p, const bool *wanted, arena *scratch,
                                       arena *result)
{
    slicing x = {scratch, wanted, arena_array(scratch, bool, p->extent[TAPE_W])};
    tape_step *left = arena_array(scratch, tape_step, p->n_steps);
    for (int k = p->n_steps - 1; k >= 0; k--) {
        const tape_step *s = &p->steps[k];
        left[k] = *s;
        if (s->kind == TAPE_STEP_KERNEL) left[k].kernel = slice_kernel(&x, s->kernel, result);
        else left[k] = s->kind == TAPE_STEP_MAP ? slice_map(&x, s) : slice_sum(&x, s);
    }
    tape_program_builder *b = tape_program_new(result);
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &left[k];
        if (s->kind == TAPE_STEP_KERNEL && s->kernel) tape_program_kernel(b, s->kernel);
        if (s->kind == TAPE_STEP_MAP && s->n) tape_program_map(b, s->kernel, s->n, s->access);
        if (s->kind == TAPE_STEP_SUM && s->n)
            tape_program_sum(b, s->n, *s->access, s->start, s->index, s->coef);
    }
    return tape_program_finish(b);
}
