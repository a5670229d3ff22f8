/* Building programs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include "base/array.h"

#include <string.h>

struct tape_program_builder {
    arena *a;
    ARRAY(tape_step) steps;
    tape_program *program;
};

tape_program_builder *tape_program_new(arena *result)
{
    tape_program_builder *b = arena_new(result, tape_program_builder);
    b->a = result;
    b->program = arena_new(result, tape_program);
    return b;
}

static void *program_copy(arena *a, const void *from, int n, size_t size)
{
    void *to = arena_alloc_array(a, (size_t)n, size);
    if (n) memcpy(to, from, (size_t)n * size);
    return to;
}

static void program_widen(tape_program *p, tape_kind kind, int extent)
{
    if (extent > p->extent[kind]) p->extent[kind] = extent;
}

/* The same elements but for a number that is added: neighbours on a grid. */
static bool same_but_for_base(const tape_access *x, const tape_access *y, int n)
{
    int i = 1, by = x->list[0] - y->list[0];
    while (i < n && x->list[i] - y->list[i] == by) i++;
    return i == n;
}

/* The access in the arena, as an affine one where it is; lists are shared with the n_before before it. */
static tape_access program_settle(tape_program_builder *b, tape_access x, int n,
                                  const tape_access *before, int n_before)
{
    if (x.list) {
        int stride = n > 1 ? x.list[1] - x.list[0] : 0, i = 1, k = 0;
        while (i < n && x.list[i] - x.list[i - 1] == stride) i++;
        x.stride = 0;
        if (i >= n) {
            x.base += n ? x.list[0] : 0;
            x.stride = stride;
            x.list = NULL;
        } else {
            while (k < n_before && !(before[k].list && same_but_for_base(&x, &before[k], n))) k++;
            if (k < n_before) x.base += x.list[0] - before[k].list[0];
            x.list = k < n_before ? before[k].list : program_copy(b->a, x.list, n, sizeof(int));
        }
    }
    int most = 0;
    for (int i = 0; x.list && i < n; i++) most = x.list[i] > most ? x.list[i] : most;
    if (!x.list && n && x.stride > 0) most = (n - 1) * x.stride;
    if (n) program_widen(b->program, x.array, x.base + most + 1);
    return x;
}

static void program_widen_kernel(tape_program_builder *b, const tape *kernel)
{
    for (int k = TAPE_T; k < TAPE_N_KINDS; k++)
        if (k != TAPE_X) program_widen(b->program, (tape_kind)k, kernel->extent[k]);
}

void tape_program_kernel(tape_program_builder *b, const tape *kernel)
{
    array_push(b->a, &b->steps, ((tape_step){.kind = TAPE_STEP_KERNEL, .kernel = kernel, .n = 1}));
    program_widen_kernel(b, kernel);
}

void tape_program_map(tape_program_builder *b, const tape *kernel, int n, const tape_access *access)
{
    int n_x = kernel->extent[TAPE_X];
    tape_access *own = arena_array(b->a, tape_access, n_x);
    for (int k = 0; k < n_x; k++) own[k] = program_settle(b, access[k], n, own, k);
    program_widen_kernel(b, kernel);
    array_push(b->a, &b->steps,
               ((tape_step){.kind = TAPE_STEP_MAP, .kernel = kernel, .n = n, .access = own}));
}

void tape_program_sum(tape_program_builder *b, int n, tape_access target, const int *start,
                      const int *index, const double *coef)
{
    tape_access *own = arena_new(b->a, tape_access);
    *own = program_settle(b, target, n, NULL, 0);
    for (int k = 0; k < start[n]; k++) program_widen(b->program, TAPE_W, index[k] + 1);
    tape_step s = {.kind = TAPE_STEP_SUM,
                   .n = n,
                   .access = own,
                   .start = program_copy(b->a, start, n + 1, sizeof(int)),
                   .index = program_copy(b->a, index, start[n], sizeof(int)),
                   .coef = coef ? program_copy(b->a, coef, start[n], sizeof(double)) : NULL};
    array_push(b->a, &b->steps, s);
}

void tape_program_again(tape_program_builder *b, const tape_program *p, const tape *const *kernel)
{
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        if (s->kind == TAPE_STEP_KERNEL) tape_program_kernel(b, kernel[k]);
        else if (s->kind == TAPE_STEP_MAP) tape_program_map(b, kernel[k], s->n, s->access);
        else tape_program_sum(b, s->n, *s->access, s->start, s->index, s->coef);
    }
}

const tape_program *tape_program_finish(tape_program_builder *b)
{
    b->program->n_steps = b->steps.n;
    b->program->steps = b->steps.at;
    return b->program;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* What operations are counted as: divisions and roots, functions of the library, ours by itself or in a group as it comes and
 * a register of them in a map, routines; others are 1. */
typedef struct work_weights {
    double division, libm, ours, ours_in_lanes, routine;
} work_weights;
// As processors have them: choice; of ours tests/property/elementary.c with clocks, an addition being 0.5 ns.
static const work_weights WORK_TIME = {4, 15, 5, 15, 100};
enum { WORK_LANES = 4 };
static const double WORK_GATHERED = 0.5; // a dozen instructions for four

static bool is_ours(uint32_t op)
{
    return op < TAPE_N_OPS && tape_op_flags((tape_op)op) & TAPE_OURS;
}

/* One by one in maps, too. */
static bool is_called(uint32_t op)
{
    return op == TAPE_CALL ||
           (op < TAPE_N_OPS && tape_op_flags((tape_op)op) & TAPE_CALLS && !is_ours(op));
}

static double op_weight(uint32_t op, const work_weights *w)
{
    if (op == TAPE_RESULT) return 0;
    if (op == TAPE_CALL) return w->routine;
    if (op == TAPE_DIV || op == TAPE_SQRT) return w->division;
    return is_ours(op) ? w->ours : is_called(op) ? w->libm : 1;
}

double tape_op_work(uint32_t op)
{
    return op_weight(op, &WORK_TIME);
}

static double map_weight(uint32_t op, const work_weights *w, int lanes)
{
    return lanes > 1 && is_ours(op) ? w->ours_in_lanes : op_weight(op, w);
}

/* Of a kernel and of the instances of a map: arithmetic is done for `lanes` of them at once, what is left over, calls and
 * what is gathered by a list one by one. */
static double kernel_work(const tape_step *s, const work_weights *w, int lanes)
{
    const tape *t = s->kernel;
    bool map = s->kind == TAPE_STEP_MAP;
    double work = 0, calls = 0;
    for (int i = 0; i < t->n_ins; i++) {
        uint32_t op = t->ins[i].op;
        if (is_called(op)) calls += op_weight(op, w);
        else work += map ? map_weight(op, w, lanes) : op_weight(op, w);
    }
    if (!map) return work + calls;
    for (int k = 0; lanes > 1 && k < t->extent[TAPE_X]; k++)
        if (s->access[k].list) calls += WORK_GATHERED;
    return calls * s->n + work * (s->n / lanes + s->n % lanes);
}

static double program_work(const tape_program *p, const work_weights *w, int lanes)
{
    double work = 0;
    for (int i = 0; i < p->n_steps; i++) {
        const tape_step *s = &p->steps[i];
        if (s->kind == TAPE_STEP_SUM) work += s->start[s->n];
        else work += kernel_work(s, w, lanes);
    }
    return work;
}

double tape_program_work(const tape_program *p)
{
    return program_work(p, &WORK_TIME, WORK_LANES);
}

double tape_program_calls(const tape_program *p)
{
    double calls = 0;
    for (int i = 0; i < p->n_steps; i++) {
        const tape_step *s = &p->steps[i];
        for (int k = 0; s->kind == TAPE_STEP_MAP && k < s->kernel->n_ins; k++) {
            uint32_t op = s->kernel->ins[k].op;
            if (is_ours(op)) calls += s->n * WORK_TIME.ours_in_lanes / WORK_LANES;
            if (is_called(op)) calls += s->n * tape_op_work(op);
        }
    }
    return calls;
}

double tape_program_instructions(const tape_program *p, int lanes)
{
    const work_weights COUNT = {1, 50, 40, 50, 500};
    // With what an operation loads, stores and spills; counted on a Brusselator.
    const double LOADS = 2;
    return LOADS * program_work(p, &COUNT, lanes);
}
