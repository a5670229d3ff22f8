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
    code->steps = pool_array(&code->keep, code_step, p->n_steps);
    bool ok = code->steps != NULL;
    if (ok && code->target->emit) ok = code->target->emit(code, p, options && options->vector_math);
    if (ok) ok = interpret_rest(code, p);
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

void tape_eval_step(const tape_code *code, int k, const tape_args *args)
{
    const code_step *s = &code->steps[k];
    if (s->fn) s->fn(args);
    else if (s->kernel) interp_run(s->kernel, args);
    else if (s->map) batch_run(s->map, args);
    else if (s->sum) tape_run_sum(s->sum, args);
}

void tape_eval(const tape_code *code, const tape_args *args)
{
    for (int k = 0; k < code->n_steps; k++) tape_eval_step(code, k, args);
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
