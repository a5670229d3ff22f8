/* Compiled code: every step of a program prepared by its target, or by the interpreter.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/tape_code.h"

#include "target/batch.h"
#include "target/exec.h"

#include <string.h>

static const tape_step *code_copy_sum(const tape_step *s, pool *keep)
{
    tape_step *to = pool_copy(keep, s, 1, sizeof *s);
    tape_access *target = pool_copy(keep, s->access, 1, sizeof *target);
    size_t n = (size_t)s->n, n_terms = (size_t)s->start[s->n];
    if (!to || !target) return NULL;
    if (target->list) target->list = pool_copy(keep, target->list, n, sizeof(int));
    to->access = target;
    to->start = pool_copy(keep, s->start, n + 1, sizeof(int));
    to->index = pool_copy(keep, s->index, n_terms, sizeof(int));
    if (s->coef) to->coef = pool_copy(keep, s->coef, n_terms, sizeof(double));
    return keep->failed ? NULL : to;
}

static bool interpret_step(tape_code *code, code_step *to, const tape_step *s, pool *temp)
{
    if (s->kind == TAPE_STEP_KERNEL) {
        if (!(to->kernel = interp_new(s->kernel, &code->keep, temp))) return false;
        code_needs(code, interp_scratch(to->kernel));
    } else {
        if (!(to->map = batch_new(s, &code->keep, temp))) return false;
        code_needs(code, batch_scratch(to->map));
    }
    return true;
}

/* Sums, and what has no machine code. */
static bool interpret_rest(tape_code *code, const tape_program *p)
{
    bool ok = true;
    for (int k = 0; ok && k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        pool temp = {.m = code->keep.m};
        if (code_is_empty(s)) continue;
        if (s->kind == TAPE_STEP_SUM)
            ok = (code->steps[k].sum = code_copy_sum(s, &code->keep)) != NULL;
        else if (!code->steps[k].fn) ok = interpret_step(code, &code->steps[k], s, &temp);
        pool_done(&temp);
    }
    return ok;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* A long map is compiled as several, which threads share: into as many as occupy a dozen of them, none
 * with fewer instances, nor with fewer operations, which take some microseconds. What is called may
 * remember something, and is called in order. */
enum { PIECES_MAX = 16, INSTANCES_MIN = 1024, OPERATIONS_MIN = 20000 };

static int code_pieces(const tape_step *s)
{
    if (s->kind != TAPE_STEP_MAP || s->n < 2 * INSTANCES_MIN) return 1;
    for (int i = 0; i < s->kernel->n_ins; i++)
        if (s->kernel->ins[i].op == TAPE_CALL) return 1;
    double operations = (double)s->n * s->kernel->n_ins;
    int n = s->n / INSTANCES_MIN < PIECES_MAX ? s->n / INSTANCES_MIN : PIECES_MAX;
    if (operations < (double)n * OPERATIONS_MIN) n = (int)(operations / OPERATIONS_MIN);
    return n > 1 ? n : 1;
}

/* Instances from ... to - 1 of a map. */
static bool code_cut(const tape_step *s, int from, int to, pool *temp, tape_step *out)
{
    int n = s->kernel->extent[TAPE_X];
    tape_access *access = pool_copy(temp, s->access, (size_t)n, sizeof *access);
    if (!access) return false;
    for (int k = 0; k < n; k++) {
        access[k].base += from * access[k].stride;
        if (access[k].list) access[k].list += from;
    }
    *out = *s;
    out->access = access;
    out->n = to - from;
    return true;
}

/* The same program with long maps in pieces; NULL: no memory. */
static const tape_program *code_split(tape_code *code, const tape_program *p, pool *temp)
{
    int *first = pool_array(&code->keep, int, p->n_steps + 1);
    if (!first) return NULL;
    for (int k = 0; k < p->n_steps; k++) first[k + 1] = first[k] + code_pieces(&p->steps[k]);
    code->first = first;
    tape_program *split = pool_copy(temp, p, 1, sizeof *p);
    tape_step *steps = pool_array(temp, tape_step, first[p->n_steps]);
    if (!split || !steps) return NULL;
    for (int k = 0; k < p->n_steps; k++) {
        int n = first[k + 1] - first[k], each = (p->steps[k].n / n + 3) / 4 * 4;
        steps[first[k]] = p->steps[k];
        for (int i = 0; i < n && n > 1; i++) {
            int to = i == n - 1 ? p->steps[k].n : (i + 1) * each;
            if (!code_cut(&p->steps[k], i * each, to, temp, &steps[first[k] + i])) return NULL;
        }
    }
    split->n_steps = code->n_pieces = first[p->n_steps];
    split->steps = steps;
    return split;
}

static const tape_target *code_target(const tape_target *wanted)
{
    if (wanted) return wanted->runs_here && wanted->runs_here() ? wanted : &target_interpreter;
    const tape_target *const *t = tape_targets;
    while (!(*t)->runs_here || !(*t)->runs_here()) t++; // the interpreter does
    return *t;
}

int tape_compile_program(const tape_program *p, const tape_options *options, mem *m,
                         tape_code **out)
{
    *out = NULL;
    tape_code *code = mem_try(m, sizeof *code);
    if (!code) return TAPE_E_MEMORY;
    *code = (tape_code){.keep = {.m = m},
                        .target = code_target(options ? options->target : NULL),
                        .n_steps = p->n_steps};
    pool temp = {.m = m};
    const tape_program *split = code_split(code, p, &temp);
    if (split) code->steps = pool_array(&code->keep, code_step, split->n_steps);
    bool ok = split && code->steps;
    if (ok && code->target->emit)
        ok = code->target->emit(code, split, options && options->vector_math);
    if (ok) ok = interpret_rest(code, split);
    if (ok && code->n_pieces == 1) code->only = code->steps[0].fn;
    pool_done(&temp);
    if (!ok) {
        tape_code_free(code);
        return TAPE_E_MEMORY;
    }
    *out = code;
    return 0;
}

int tape_compile(const tape *t, const tape_options *options, mem *m, tape_code **code)
{
    const tape_step step = {.kind = TAPE_STEP_KERNEL, .kernel = t, .n = 1};
    const tape_program p = {.n_steps = 1, .steps = &step};
    return tape_compile_program(&p, options, m, code);
}

void tape_code_free(tape_code *code)
{
    if (!code) return;
    mem *m = code->keep.m;
    exec_unmap(code->exec, code->exec_bytes);
    pool_done(&code->keep);
    mem_free(m, code, sizeof *code);
}

static inline void eval_piece(const code_step *s, const tape_args *args)
{
    if (s->fn) s->fn(args);
    else if (s->kernel) interp_run(s->kernel, args);
    else if (s->map) batch_run(s->map, args);
    else if (s->sum) tape_run_sum(s->sum, args);
}

typedef struct eval_job {
    const code_step *pieces;
    const tape_args *args;
} eval_job;

static void eval_beside(void *job, int k, int worker)
{
    const eval_job *j = job;
    tape_args args = *j->args;
    if (worker) args.scratch = crew_memory(args.crew, worker);
    eval_piece(&j->pieces[k], &args);
}

void tape_eval_step(const tape_code *code, int k, const tape_args *args)
{
    int begin = code->first[k], end = code->first[k + 1];
    if (args->crew && end - begin > 1 &&
        crew_reserve(args->crew, code->scratch * sizeof(double) + 1)) {
        eval_job job = {code->steps + begin, args};
        crew_run(args->crew, eval_beside, &job, end - begin);
        return;
    }
    for (int i = begin; i < end; i++) eval_piece(&code->steps[i], args);
}

void tape_eval(const tape_code *code, const tape_args *args)
{
    if (!args->crew && code->only) code->only(args);
    else if (!args->crew)
        for (int i = 0; i < code->n_pieces; i++) eval_piece(&code->steps[i], args);
    else
        for (int k = 0; k < code->n_steps; k++) tape_eval_step(code, k, args);
}

void tape_eval_points(const tape_code *code, tape_args *args, const tape_points *points)
{
    step_fn *only = args->crew ? NULL : code->only;
    const double *t = points->t, *end = t + points->n, *y = args->y, *yp = args->yp;
    double *out = args->out;
    size_t stride = (size_t)points->stride;
    for (; t < end; t++, y += stride, yp += stride, out += stride) {
        args->t = *t, args->y = y, args->yp = yp, args->out = out;
        if (only) only(args);
        else tape_eval(code, args);
    }
}

size_t tape_code_scratch(const tape_code *code)
{
    return code->scratch;
}

const tape_target *tape_code_target(const tape_code *code)
{
    return code->target;
}

size_t tape_code_bytes(const tape_code *code)
{
    return code->exec_bytes;
}
