/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"
#include "tape/tape.h"

// clang-format off
/*  bound                              quantity                                         source */
enum {
    INSTRUCTIONS_MIN     = 1000,    // of the residual: of shorter ones calls are dearer   choice
    INSTRUCTIONS_MAX     = 1000000, // ... and of the Jacobian: memory                  choice
};
static const double PART_LEFT_MAX = 0.8; // of the instructions: more are not worth it  choice
// clang-format on

void own_forget(run_state *s)
{
    run_own *x = &s->own;
    if (x->residual.code) stages_forget(s); // which may be made of it
    tape_code_free(x->residual.code);
    tape_code_free(x->jacobian.code);
    if (x->tried) arena_done(&x->kept);
    *x = (run_own){0};
}

static long own_instructions(const tape_program *p)
{
    long n = 0;
    for (int k = 0; k < p->n_steps; k++)
        if (p->steps[k].kind == TAPE_STEP_KERNEL) n += p->steps[k].kernel->n_ins;
    return n;
}

typedef struct own_job {
    run_state *s;
    arena scratch;
} own_job;

/* Where little is gained, or it does not fit, there is none. */
static void own_make(own_job *j, const code_fn *of, code_fn *to)
{
    run_state *s = j->s;
    const tape_program *p = tape_program_bind(of->program, s->p, &j->scratch, &s->own.kept);
    long left = own_instructions(p), all = own_instructions(of->program);
    if ((double)left > PART_LEFT_MAX * (double)all) return;
    if (tape_compile_program(p, &(tape_options){0}, s->m, &to->code)) return;
    to->n_out = of->n_out;
    to->program = p;
    if (tape_code_scratch(to->code) <= s->model->scratch) return;
    tape_code_free(to->code);
    *to = (code_fn){0};
}

static int own_work(void *job)
{
    own_job *j = job;
    own_make(j, &j->s->model->system.residual, &j->s->own.residual);
    own_make(j, &j->s->model->system.jacobian, &j->s->own.jacobian);
    return VINC_OK;
}

/* Without memory the run goes on as it did. */
void own_try(run_state *s)
{
    const code_system *m = &s->model->system;
    s->own.tried = true;
    arena_init(&s->own.kept, s->m);
    if (!m->residual.program) return; // no unknown is left
    long residual = own_instructions(m->residual.program);
    long jacobian = m->jacobian.program ? own_instructions(m->jacobian.program) : 0;
    if (residual < INSTRUCTIONS_MIN || residual + jacobian > INSTRUCTIONS_MAX || !jacobian) return;
    own_job j = {.s = s};
    arena_init(&j.scratch, s->m);
    mem_guarded(s->m, own_work, &j, VINC_E_MEMORY);
    arena_done(&j.scratch);
}

const code_fn *own_jacobian(const run_state *s)
{
    return s->own.jacobian.code ? &s->own.jacobian : &s->model->system.jacobian;
}
