/* Compiled code: every step of a program prepared for the fastest backend there is.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/code.h"

#include "tape/access.h"
#include "tape/batch.h"

#include <string.h>

static const tape_step *copy_sum(const tape_step *s, pool *keep)
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

static void need_scratch(tape_code *code, size_t doubles)
{
    if (doubles > code->scratch) code->scratch = doubles;
}

static bool prepare(tape_code *code, code_step *to, const tape_step *s, pool *temp)
{
    switch (s->kind) {
    case TAPE_STEP_KERNEL:
        if (!(to->kernel = interp_new(s->kernel, &code->keep, temp))) return false;
        need_scratch(code, interp_scratch(to->kernel));
        return true;
    case TAPE_STEP_MAP:
        if (!(to->map = batch_new(s, &code->keep, temp))) return false;
        need_scratch(code, batch_scratch(to->map));
        return true;
    case TAPE_STEP_SUM: return (to->sum = copy_sum(s, &code->keep)) != NULL;
    }
    return false;
}

int tape_compile_program(const tape_program *p, const tape_options *options, mem *m,
                         tape_code **out)
{
    (void)options;
    *out = NULL;
    tape_code *code = mem_try(m, sizeof *code);
    if (!code) return TAPE_E_MEMORY;
    *code = (tape_code){.keep = {.m = m}, .backend = TAPE_INTERPRET, .n_steps = p->n_steps};
    code->steps = pool_array(&code->keep, code_step, p->n_steps);
    bool ok = code->steps != NULL;
    for (int k = 0; ok && k < p->n_steps; k++) {
        pool temp = {.m = m};
        ok = prepare(code, &code->steps[k], &p->steps[k], &temp);
        pool_done(&temp);
    }
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
    pool_done(&code->keep);
    mem_free(m, code, sizeof *code);
}

void tape_eval(const tape_code *code, const tape_args *args)
{
    for (int k = 0; k < code->n_steps; k++) {
        const code_step *s = &code->steps[k];
        if (s->fn) s->fn(args);
        else if (s->kernel) interp_run(s->kernel, args);
        else if (s->map) batch_run(s->map, args);
        else tape_run_sum(s->sum, args);
    }
}

size_t tape_code_scratch(const tape_code *code)
{
    return code->scratch;
}

tape_backend tape_code_backend(const tape_code *code)
{
    return code->backend;
}

size_t tape_code_bytes(const tape_code *code)
{
    return code->used_bytes;
}
