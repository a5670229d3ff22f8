/* Steps in one piece of code.
 *
 * An explicit or linearly implicit step has no iteration and no decision: all of it, with the norm of the error, is
 * one tape of the model's equations (whole_rosenbrock.c, whole_explicit.c), compiled. What it computes has the bits of
 * the step in pieces, but for the sign of zeros, so that it does not matter from when on it is used: making it takes
 * as long as some dozens of steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/lists.h"
#include "method/erk.h"
#include "method/rosenbrock.h"
#include "problem/problem.h"
#include "run/whole_tape.h"

#include <math.h>
#include <string.h>

// clang-format off
/*  bound                       quantity                                             source */
enum { INSTRUCTIONS_MAX = 4000,    // of the step                                    choice: what the cache holds
       BY_LISTS_MAX = 6000,        // ... by lists                                   choice: pollution has 5100, in 0.6 of the time
       EXPLICIT_UNKNOWNS_MAX = 16 };
static const double
    MAKING = 1500,                 // of the machine, to make one instruction        measured: 1400 to 1600
    STAGE_ROSENBROCK = 1060,       // ... of a stage in pieces                       measured: 1000 to 1200
    ENTRY_OF_LISTS = 13,           // ... for each entry of factors in lists         measured: 12 to 14
    STAGE_EXPLICIT = 430;          // ...                                            measured
// clang-format on

void whole_free(run_state *s)
{
    run_whole *x = &s->whole;
    for (int k = 0; k < x->n; k++) {
        tape_code_free(x->kind[k].code);
        mem_free(s->m, x->kind[k].scratch, x->kind[k].scratch_bytes);
    }
    *x = (run_whole){0};
}

/* ---- what is offered ------------------------------------------------------------------------- */

/* Instructions of a step, roughly. */
static double size_of(const code_fn *f)
{
    double size = 0;
    for (int k = 0; k < f->program->n_steps; k++) {
        const tape_step *x = &f->program->steps[k];
        size += x->kind == TAPE_STEP_SUM ? 2.0 * x->start[x->n] : (double)x->n * x->kernel->n_ins;
    }
    return size;
}

/* Elimination, and solutions by its factors: as in pieces, an inverse or lists. Where there is the choice, lists take fewer
 * instructions, and no less time: a product with an inverse waits for nothing but the right-hand side. */
typedef struct whole_elimination {
    bool by_lists;
    double factor, solve;    // instructions
    double updates, entries; // of lists
} whole_elimination;

static whole_elimination eliminate_by(const code_model *m)
{
    const vinc_pattern *jac = &m->system.jac;
    double n = m->n;
    whole_elimination x = {.factor = n * n * n, .solve = 2 * n * n};
    x.by_lists =
        m->n <= WHOLE_UNKNOWNS_MAX && strcmp(la_choose(m->n, jac->nnz, false), "inverse") != 0;
    if (!x.by_lists) return x;
    la_guess_lists(jac, &x.updates, &x.entries);
    x.factor = 2 * x.updates + 4 * x.entries + jac->nnz + n;
    x.solve = 2 * x.entries + 2 * n;
    return x;
}

static double size_rosenbrock(const code_model *model, const whole_elimination *by, double stages)
{
    const code_system *m = &model->system;
    double stage = size_of(&m->residual) + by->solve + 2 * (stages - 1) * model->n;
    return size_of(&m->jacobian) + by->factor + stages * stage;
}

static double size_explicit(const code_model *model, double stages, double terms)
{
    return stages * size_of(&model->system.rhs) + 2 * terms * model->n;
}

/* Whether there is machine code for it has no say: choices are the same where there is none. */
static bool is_small(const code_fn *f, const code_model *m)
{
    if (!f->program || m->n <= 0 || m->n > WHOLE_UNKNOWNS_MAX) return false;
    for (int k = 0; k < f->program->n_steps; k++)
        if (f->program->steps[k].kind != TAPE_STEP_SUM && f->program->steps[k].kernel->n_calls)
            return false;
    return !m->inputs.n && !m->events.delays.n_out;
}

/* Of dF/dy' that depends on y, dF/dy depends on y'. */
static bool offers_rosenbrock(const code_model *m, const whole_elimination *by)
{
    const code_system *s = &m->system;
    return is_small(&s->residual, m) && is_small(&s->jacobian, m) &&
           !s->jacobian.program->extent[TAPE_YP] &&
           size_rosenbrock(m, by, ROSENBROCK_STAGES_MAX) <=
               (by->by_lists ? BY_LISTS_MAX : INSTRUCTIONS_MAX);
}

static bool offers_explicit(const code_model *m)
{
    const double STAGES = 12, TERMS = 90; // of dopri8
    return is_small(&m->system.rhs, m) && m->n <= EXPLICIT_UNKNOWNS_MAX &&
           m->formulation.explicit && !m->formulation.mechanical && !m->formulation.n_groups &&
           size_explicit(m, STAGES, TERMS) <= INSTRUCTIONS_MAX;
}

/* dF/dy' is made of numbers. */
static bool mass_of_numbers(const tape_program *jacobian)
{
    for (int k = 0; k < jacobian->n_steps; k++) {
        const tape_step *x = &jacobian->steps[k];
        bool sum = x->kind == TAPE_STEP_SUM;
        if (sum && x->access->array == TAPE_OUT2) return false;
        for (int i = 0; !sum && i < x->kernel->n_ins; i++) {
            const tape_ins *in = &x->kernel->ins[i];
            if (in->op != TAPE_STORE) continue;
            tape_kind target = tape_kind_of(in->a);
            if (target == TAPE_X) target = x->access[tape_index_of(in->a)].array;
            if (target == TAPE_OUT2 && tape_kind_of(in->b) != TAPE_CONST) return false;
        }
    }
    return true;
}

void whole_offer(const code_model *m, vinc_problem *p)
{
    whole_elimination by = eliminate_by(m);
    p->whole_kinds = offers_explicit(m) ? VINC_WHOLE_EXPLICIT : 0;
    if (!offers_rosenbrock(m, &by)) return;
    p->whole_kinds |= by.by_lists ? VINC_WHOLE_BY_LISTS : VINC_WHOLE_ROSENBROCK;
    if (mass_of_numbers(m->system.jacobian.program)) p->whole_kinds |= VINC_WHOLE_MASS;
}

/* ---- writing --------------------------------------------------------------------------------- */

tape_ref *whole_refs(whole_writer *x, int n)
{
    tape_ref *refs = arena_array(&x->scratch, tape_ref, n + 1);
    for (int i = 0; i <= n; i++) refs[i] = TAPE_NONE;
    return refs;
}

bool whole_program(whole_writer *x, const tape_program *f, unroll_refs r)
{
    int n_w = x->s->model->n_w;
    r.p = x->p;
    r.w = whole_refs(x, n_w);
    memcpy(r.w, x->w, (size_t)n_w * sizeof *r.w);
    return unroll_program(x->b, f, &r, &x->scratch);
}

tape_ref whole_squares(const whole_writer *x, const tape_ref *e)
{
    tape_ref sum[2] = {TAPE_NONE, TAPE_NONE};
    for (int m = 0; m < x->n; m++)
        sum[m & 1] = whole_plus(x, sum[m & 1], whole_op(x, TAPE_MUL, e[m], e[m]));
    return x->n > 1 ? whole_op(x, TAPE_ADD, sum[0], sum[1]) : sum[0];
}

static const tape *whole_tape(whole_writer *x)
{
    const code_model *m = x->s->model;
    x->b = tape_builder_sized(&x->scratch, x->size);
    x->p = whole_refs(x, m->n_p);
    x->w = whole_refs(x, m->n_w);
    x->y = whole_refs(x, x->n);
    for (int k = 0; k < m->n_p; k++) x->p[k] = tape_p(k);
    for (int k = 0; k < m->n_w; k++) x->w[k] = tape_w(k);
    for (int k = 0; k < x->n; k++) x->y[k] = tape_y(k);
    switch (x->step->of) {
    case WHOLE_ROSENBROCK: return whole_rosenbrock(x);
    case WHOLE_EXPLICIT: return whole_explicit(x);
    default: return whole_dense(x);
    }
}

/* ---- making and using it --------------------------------------------------------------------- */

typedef struct whole_job {
    whole_writer writer;
    whole_kind *kind;
} whole_job;

static int whole_make(void *job)
{
    whole_job *j = job;
    whole_kind *k = j->kind;
    mem *m = j->writer.s->m;
    const tape *t = whole_tape(&j->writer);
    if (!t || tape_compile(t, NULL, m, &k->code)) return VINC_OK;
    k->scratch_bytes = tape_code_scratch(k->code) * sizeof *k->scratch + 1;
    k->scratch = mem_try(m, k->scratch_bytes);
    if (k->scratch && tape_code_target(k->code) != &target_interpreter) return VINC_OK;
    if (!k->scratch) k->scratch_bytes = 0;
    tape_code_free(k->code);
    k->code = NULL;
    return VINC_OK;
}

static void whole_try(run_state *s, const method_whole *step, whole_kind *k)
{
    k->tried = true;
    whole_job j = {.kind = k};
    j.writer = (whole_writer){.s = s, .step = step, .n = s->model->n, .size = k->size};
    j.writer.pattern = &s->model->system.jac;
    arena_init(&j.writer.scratch, s->m);
    mem_guarded(s->m, whole_make, &j, VINC_E_MEMORY); // without memory steps are made in pieces
    arena_done(&j.writer.scratch);
}

/* Which of its results is finite where all are, and which of them says by not being 0 that they do not serve; and when
 * it is worth its code: when as much has been spent on steps in pieces. */
static void whole_describe(const run_state *s, const method_whole *step, whole_kind *k)
{
    const code_model *m = s->model;
    double size, stages, stage = STAGE_EXPLICIT;
    if (step->of == WHOLE_ROSENBROCK) {
        const rosenbrock_table *t = step->table;
        int stride = (m->n + LA_INVERSE_PAD - 1) / LA_INVERSE_PAD * LA_INVERSE_PAD;
        rosenbrock_places at = rosenbrock_place(t, stride, m->system.jac.nnz);
        k->finite = at.finite, k->fails = at.fails;
        whole_elimination by = eliminate_by(m);
        stages = t->stages;
        stage = STAGE_ROSENBROCK + (by.by_lists ? ENTRY_OF_LISTS * (by.entries + m->n) : 0);
        size = size_rosenbrock(m, &by, stages);
    } else {
        const erk_table *t = step->table;
        erk_places at = erk_place(t, m->n);
        bool dense = step->of == WHOLE_DENSE;
        k->finite = at.finite, k->fails = -1;
        stages = dense ? t->more->n_more : t->last;
        size =
            size_explicit(m, stages, dense ? at.norm - at.weights_of_dense : at.weights_of_dense);
    }
    k->size = (int)size;
    k->patience = (long)(MAKING * size / (stage * stages));
}

static whole_kind *whole_find(run_state *s, const method_whole *step)
{
    run_whole *x = &s->whole;
    size_t bytes = (size_t)step->n_pivots * sizeof *step->pivots;
    for (int i = 0; i < x->n; i++) {
        whole_kind *k = &x->kind[i];
        if (k->formula == step->formula && k->of == step->of &&
            (!bytes || !memcmp(k->pivots, step->pivots, bytes)))
            return k;
    }
    if (x->n == WHOLE_KINDS) return NULL;
    whole_kind *k = &x->kind[x->n++];
    *k = (whole_kind){.of = step->of, .formula = step->formula};
    if (bytes) memcpy(k->pivots, step->pivots, bytes);
    whole_describe(s, step, k);
    return k;
}

int whole_step(void *user, const method_whole *step)
{
    run_state *s = user;
    whole_kind *k = step->found ? *step->found : NULL;
    if (!k) k = s->crew ? NULL : whole_find(s, step);
    if (!k) return 1;
    if (step->found) *step->found = k;
    if (!k->tried && ++k->asked > k->patience) whole_try(s, step, k);
    if (!k->code) return 1;
    if (run_stops(s)) return -1;
    tape_eval(k->code, &(tape_args){.t = step->t,
                                    .p = s->p,
                                    .y = step->y,
                                    .yp = step->in,
                                    .w = s->w,
                                    .out = step->out,
                                    .out2 = step->out2,
                                    .scratch = k->scratch,
                                    .run = s->routines});
    double finite = step->out[k->finite];
    return !((k->fails < 0 || step->out[k->fails] == 0) && finite - finite == 0);
}
