/* Programs in other numbers, and as bytes.
 *
 * Who evaluates a part of a program needs arrays for what the part uses and for nothing else: its elements are
 * counted anew. As bytes a part goes to another process; functions that it calls stay where they are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <string.h>

/* ---- what is used ---------------------------------------------------------------------------- */

/* The operands of an instruction that are refs: from .. from + n - 1 of a, b, c, d. */
static int refs_of(const tape_ins *in)
{
    if (in->op == TAPE_STORE) return 2;
    return in->op < TAPE_N_OPS ? tape_op_operands((tape_op)in->op) : 0;
}

static void use_ref(uint8_t *const used[TAPE_N_KINDS], tape_ref r)
{
    uint8_t *of = used[tape_kind_of(r)];
    if (of) of[tape_index_of(r)] = 1;
}

static void use_kernel(const tape *t, uint8_t *const used[TAPE_N_KINDS])
{
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ref of[] = {t->ins[i].a, t->ins[i].b, t->ins[i].c, t->ins[i].d};
        for (int k = 0; k < refs_of(&t->ins[i]); k++) use_ref(used, of[k]);
    }
    for (int k = 0; k < t->n_args; k++) use_ref(used, t->args[k]);
}

static void use_access(const tape_access *a, int n, uint8_t *const used[TAPE_N_KINDS])
{
    uint8_t *of = used[a->array];
    for (int i = 0; of && i < n; i++) of[tape_element(a, i)] = 1;
}

void tape_program_uses(const tape_program *p, uint8_t *const used[TAPE_N_KINDS])
{
    for (int q = 0; q < p->n_steps; q++) {
        const tape_step *s = &p->steps[q];
        if (s->kind == TAPE_STEP_SUM) {
            use_access(s->access, s->n, used);
            for (int k = 0; used[TAPE_W] && k < s->start[s->n]; k++) used[TAPE_W][s->index[k]] = 1;
            continue;
        }
        use_kernel(s->kernel, used);
        for (int k = 0; s->kind == TAPE_STEP_MAP && k < s->kernel->extent[TAPE_X]; k++)
            use_access(&s->access[k], s->n, used);
    }
}

bool tape_program_is_bound(const tape_program *p)
{
    for (int q = 0; q < p->n_steps; q++)
        if (p->steps[q].kernel && p->steps[q].kernel->n_calls) return true;
    return false;
}

/* ---- other numbers --------------------------------------------------------------------------- */

static int number_of(const tape_numbers *to, tape_kind kind, int i)
{
    return to->of[kind] ? to->of[kind][i] : i;
}

static tape_ref ref_in(const tape_numbers *to, tape_ref r, int extent[TAPE_N_KINDS])
{
    tape_kind kind = tape_kind_of(r);
    int i = number_of(to, kind, tape_index_of(r));
    if (i >= extent[kind]) extent[kind] = i + 1;
    return tape_ref_of(kind, i);
}

static void *same_in(arena *a, const void *from, int n, size_t size)
{
    void *to = arena_alloc_array(a, (size_t)n, size);
    if (n) memcpy(to, from, (size_t)n * size);
    return to;
}

static const tape *kernel_in(const tape *t, const tape_numbers *to, arena *result)
{
    tape *x = arena_new(result, tape);
    *x = *t;
    tape_ins *ins = same_in(result, t->ins, t->n_ins, sizeof *ins);
    tape_ref *args = same_in(result, t->args, t->n_args, sizeof *args);
    tape_region *regions = same_in(result, t->regions, t->n_regions, sizeof *regions);
    for (int k = TAPE_T; k < TAPE_N_KINDS; k++)
        if (k != TAPE_X) x->extent[k] = 0;
    for (int i = 0; i < t->n_ins; i++) {
        tape_ref *const of[] = {&ins[i].a, &ins[i].b, &ins[i].c, &ins[i].d};
        for (int k = 0; k < refs_of(&ins[i]); k++) *of[k] = ref_in(to, *of[k], x->extent);
    }
    for (int k = 0; k < t->n_args; k++) args[k] = ref_in(to, args[k], x->extent);
    for (int k = 0; k < t->n_regions; k++) {
        regions[k].a = ref_in(to, regions[k].a, x->extent);
        regions[k].b = ref_in(to, regions[k].b, x->extent);
    }
    x->ins = ins;
    x->args = args;
    x->regions = regions;
    x->consts = same_in(result, t->consts, t->n_consts, sizeof *t->consts);
    tape_call *calls = same_in(result, t->calls, t->n_calls, sizeof *calls);
    for (int k = 0; k < t->n_calls; k++) tape_call_look(&calls[k], args);
    x->calls = calls;
    return x;
}

static tape_access access_in(const tape_access *a, int n, const tape_numbers *to, arena *scratch)
{
    int *list = arena_array(scratch, int, n);
    for (int i = 0; i < n; i++) list[i] = number_of(to, a->array, tape_element(a, i));
    return (tape_access){.array = a->array, .list = list};
}

const tape_program *tape_program_renumber(const tape_program *p, const tape_numbers *to,
                                          arena *scratch, arena *result)
{
    tape_program_builder *b = tape_program_new(result);
    for (int q = 0; q < p->n_steps; q++) {
        const tape_step *s = &p->steps[q];
        arena_mark mark = arena_here(scratch);
        if (s->kind == TAPE_STEP_SUM) {
            int *index = arena_array(scratch, int, s->start[s->n]);
            for (int k = 0; k < s->start[s->n]; k++) index[k] = number_of(to, TAPE_W, s->index[k]);
            tape_program_sum(b, s->n, access_in(s->access, s->n, to, scratch), s->start, index,
                             s->coef);
        } else if (s->kind == TAPE_STEP_MAP) {
            int n_x = s->kernel->extent[TAPE_X];
            tape_access *access = arena_array(scratch, tape_access, n_x);
            for (int k = 0; k < n_x; k++) access[k] = access_in(&s->access[k], s->n, to, scratch);
            tape_program_map(b, kernel_in(s->kernel, to, result), s->n, access);
        } else {
            tape_program_kernel(b, kernel_in(s->kernel, to, result));
        }
        arena_release(scratch, mark);
    }
    return tape_program_finish(b);
}

/* ---- as bytes -------------------------------------------------------------------------------- */

static void put(text *out, const void *from, size_t n, size_t size)
{
    text_add_n(out, from, n * size);
}

static void put_access(text *out, const tape_access *a, int n)
{
    put(out, a, 1, sizeof *a); // of its list only whether there is one
    if (a->list) put(out, a->list, (size_t)n, sizeof(int));
}

void tape_program_pack(const tape_program *p, text *out)
{
    put(out, &p->n_steps, 1, sizeof(int));
    for (int q = 0; q < p->n_steps; q++) {
        const tape_step *s = &p->steps[q];
        put(out, s, 1, sizeof *s);
        if (s->kind == TAPE_STEP_SUM) {
            put_access(out, s->access, s->n);
            put(out, s->start, (size_t)s->n + 1, sizeof(int));
            put(out, s->index, (size_t)s->start[s->n], sizeof(int));
            if (s->coef) put(out, s->coef, (size_t)s->start[s->n], sizeof(double));
            continue;
        }
        const tape *t = s->kernel;
        put(out, t, 1, sizeof *t);
        put(out, t->ins, (size_t)t->n_ins, sizeof *t->ins);
        put(out, t->consts, (size_t)t->n_consts, sizeof *t->consts);
        put(out, t->regions, (size_t)t->n_regions, sizeof *t->regions);
        for (int k = 0; s->kind == TAPE_STEP_MAP && k < t->extent[TAPE_X]; k++)
            put_access(out, &s->access[k], s->n);
    }
}

static void *take(const char **at, int n, size_t size, arena *a)
{
    void *to = same_in(a, *at, n, size);
    *at += (size_t)n * size;
    return to;
}

static tape_access take_access(const char **at, int n, arena *a)
{
    tape_access x = *(tape_access *)take(at, 1, sizeof x, a);
    if (x.list) x.list = take(at, n, sizeof(int), a);
    return x;
}

static void take_step(tape_program_builder *b, const char **at, arena *scratch, arena *result)
{
    tape_step s = *(tape_step *)take(at, 1, sizeof s, scratch);
    if (s.kind == TAPE_STEP_SUM) {
        tape_access target = take_access(at, s.n, scratch);
        const int *start = take(at, s.n + 1, sizeof(int), scratch);
        const int *index = take(at, start[s.n], sizeof(int), scratch);
        const double *coef = s.coef ? take(at, start[s.n], sizeof(double), scratch) : NULL;
        tape_program_sum(b, s.n, target, start, index, coef);
        return;
    }
    tape *t = take(at, 1, sizeof *t, result);
    t->ins = take(at, t->n_ins, sizeof *t->ins, result);
    t->consts = take(at, t->n_consts, sizeof *t->consts, result);
    t->regions = take(at, t->n_regions, sizeof *t->regions, result);
    t->calls = NULL;
    t->args = NULL;
    if (s.kind == TAPE_STEP_KERNEL) {
        tape_program_kernel(b, t);
        return;
    }
    int n_x = t->extent[TAPE_X];
    tape_access *access = arena_array(scratch, tape_access, n_x);
    for (int k = 0; k < n_x; k++) access[k] = take_access(at, s.n, scratch);
    tape_program_map(b, t, s.n, access);
}

const tape_program *tape_program_unpack(const char **at, arena *scratch, arena *result)
{
    tape_program_builder *b = tape_program_new(result);
    int n_steps;
    memcpy(&n_steps, *at, sizeof n_steps);
    *at += sizeof n_steps;
    for (int q = 0; q < n_steps; q++) {
        arena_mark mark = arena_here(scratch);
        take_step(b, at, scratch, result);
        arena_release(scratch, mark);
    }
    return tape_program_finish(b);
}
