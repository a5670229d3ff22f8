/* Compiled code: every step of a program prepared for the fastest backend there is.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/compile.h"

#include "target/batch.h"
#include "target/jit.h"

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

static bool interpret(tape_code *code, code_step *to, const tape_step *s, pool *temp)
{
    if (s->kind == TAPE_STEP_KERNEL) {
        if (!(to->kernel = interp_new(s->kernel, &code->keep, temp))) return false;
        need_scratch(code, interp_scratch(to->kernel));
    } else {
        if (!(to->map = batch_new(s, &code->keep, temp))) return false;
        need_scratch(code, batch_scratch(to->map));
    }
    return true;
}

static bool is_empty(const tape_step *s)
{
    return s->n == 0 || (s->kind != TAPE_STEP_SUM && s->kernel->n_ins == 0);
}

static bool interpret_all(tape_code *code, const tape_program *p)
{
    bool ok = true;
    for (int k = 0; ok && k < p->n_steps; k++) {
        const tape_step *s = &p->steps[k];
        pool temp = {.m = code->keep.m};
        if (is_empty(s)) continue;
        if (s->kind == TAPE_STEP_SUM) ok = (code->steps[k].sum = copy_sum(s, &code->keep)) != NULL;
        else if (!code->steps[k].fn) ok = interpret(code, &code->steps[k], s, &temp);
        pool_done(&temp);
    }
    return ok;
}

/* Machine code for all kernels and maps in one block. Where there is too much of it or the system
 * gives no executable memory the steps stay without a function and are interpreted. False: no
 * memory. */
static bool emit_all(tape_code *code, const tape_program *p, bool vector_math)
{
    mem *m = code->keep.m;
    pool temp = {.m = m};
    jit j = {.backend = code->backend,
             .vector_math = vector_math,
             .out = {.m = m},
             .keep = &code->keep,
             .temp = &temp};
    size_t *entry = mem_try(m, (size_t)p->n_steps * sizeof *entry);
    bool ok = entry != NULL;
    jit_begin(&j);
    for (int k = 0; ok && k < p->n_steps; k++) {
        entry[k] = 0;
        if (p->steps[k].kind == TAPE_STEP_SUM || is_empty(&p->steps[k])) continue;
        ok = jit_step(&j, &p->steps[k], &entry[k]);
        pool_done(&temp);
    }
    pool_done(&temp);
    if (j.out.too_large) ok = true; // then it is interpreted
    if (ok && !j.out.failed) code->exec = exec_map(j.out.at, j.out.n);
    if (code->exec) {
        code->exec_bytes = j.out.n;
        for (int k = 0; k < p->n_steps; k++) {
            union {
                const void *p;
                code_fn *f;
            } at = {.p = (const char *)code->exec + entry[k]};
            if (entry[k]) code->steps[k].fn = at.f;
        }
        need_scratch(code, j.scratch);
    } else {
        code->backend = TAPE_INTERPRET;
    }
    if (entry) mem_free(m, entry, (size_t)p->n_steps * sizeof *entry);
    code_done(&j.out);
    return ok;
}

int tape_compile_program(const tape_program *p, const tape_options *options, mem *m,
                         tape_code **out)
{
    *out = NULL;
    tape_code *code = mem_try(m, sizeof *code);
    if (!code) return TAPE_E_MEMORY;
    *code = (tape_code){.keep = {.m = m},
                        .backend = jit_choose(options ? options->backend : TAPE_AUTO),
                        .n_steps = p->n_steps};
    code->steps = pool_array(&code->keep, code_step, p->n_steps);
    bool ok = code->steps != NULL;
    if (ok && code->backend != TAPE_INTERPRET)
        ok = emit_all(code, p, options && options->vector_math);
    if (ok) ok = interpret_all(code, p);
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

void tape_eval(const tape_code *code, const tape_args *args)
{
    for (int k = 0; k < code->n_steps; k++) {
        const code_step *s = &code->steps[k];
        if (s->fn) s->fn(args);
        else if (s->kernel) interp_run(s->kernel, args);
        else if (s->map) batch_run(s->map, args);
        else if (s->sum) tape_run_sum(s->sum, args);
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
    return code->exec_bytes;
}
