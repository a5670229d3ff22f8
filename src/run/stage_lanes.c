/* F at the stages of a step, four points at a time.
 *
 * A step of radau asks for F at three to seven points at once. Where F is one kernel, it becomes a map over points, whose
 * values stand side by side in wide registers, with the same bits (tape/tape.h), so that it does not matter from when on it is
 * used. What is left over of four is computed once more with those before it. Three points are a map of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/run_parts.h"

// clang-format off
/*  bound                       quantity                                       source */
enum {
    POINTS_BEFORE    = 2000, // at which F was computed                        making an instruction takes as long as 1500 of them
    INSTRUCTIONS_MAX = 4000, // of F                                           as of rows (row_lanes.c): what the cache holds
    LANES            = 4
};
// clang-format on

static void forget_code(run_state *s, stage_code *x)
{
    tape_code_free(x->code);
    mem_free(s->m, x->scratch, x->scratch_bytes);
    *x = (stage_code){0};
}

void stages_forget(run_state *s)
{
    forget_code(s, &s->stages.three);
    forget_code(s, &s->stages.four);
}

/* The one kernel of F. NULL: there is more, or it calls what may remember something or stores in w. */
static const tape *stage_kernel(const code_fn *f)
{
    const tape_program *p = f->program;
    if (!p || p->n_steps != 1 || p->steps[0].kind != TAPE_STEP_KERNEL) return NULL;
    const tape *t = p->steps[0].kernel;
    if (t->n_calls || t->n_ins > INSTRUCTIONS_MAX) return NULL;
    for (int i = 0; i < t->n_ins; i++)
        if (t->ins[i].op == TAPE_STORE && tape_kind_of(t->ins[i].a) != TAPE_OUT) return NULL;
    return t;
}

/* Whether there is code yet does not matter, nor whether the machine has wide registers: counts are the same. */
double stages_work(const code_fn *f)
{
    const double GATHERED = 1.5; // four numbers: five instructions
    const tape *t = stage_kernel(f);
    if (!t) return 0;
    tape_step four = {.kind = TAPE_STEP_MAP, .kernel = t, .n = LANES};
    tape_program p = {.n_steps = 1, .steps = &four};
    return tape_program_work(&p) +
           GATHERED * (t->extent[TAPE_Y] + t->extent[TAPE_YP] + t->extent[TAPE_OUT]);
}

typedef struct stages_job {
    run_state *s;
    const code_fn *f;
    stage_code *x;
    arena scratch;
    int points, n; // n: unknowns
} stages_job;

/* Places of the map: unknowns, derivatives, the time, results. */
static tape_ref stage_leaf(void *user, tape_ref leaf)
{
    const stages_job *j = user;
    switch (tape_kind_of(leaf)) {
    case TAPE_Y: return tape_x(tape_index_of(leaf));
    case TAPE_YP: return tape_x(j->n + tape_index_of(leaf));
    case TAPE_T: return tape_x(2 * j->n);
    default: return leaf; // the same for all points
    }
}

static const tape_program *stages_program(stages_job *j)
{
    arena *a = &j->scratch;
    const tape *t = stage_kernel(j->f);
    tape_builder *b = tape_builder_sized(a, t->n_ins);
    replay r;
    replay_init(&r, b, t, a);
    r.leaf = stage_leaf;
    r.user = j;
    int n_out = t->extent[TAPE_OUT], n = j->n;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (in->op == TAPE_STORE)
            tape_store(b, tape_x(2 * n + 1 + tape_index_of(in->a)), replay_ref(&r, in->b));
        else replay_ins(&r, i);
    }
    tape_access *access = arena_array(a, tape_access, 2 * n + 1 + n_out);
    for (int i = 0; i < n; i++) {
        access[i] = (tape_access){TAPE_Y, i, j->x->stride, NULL};
        access[n + i] = (tape_access){TAPE_YP, i, j->x->stride, NULL};
    }
    access[2 * n] = (tape_access){TAPE_OUT2, 0, 1, NULL};
    for (int i = 0; i < n_out; i++)
        access[2 * n + 1 + i] = (tape_access){TAPE_OUT, i, j->x->stride, NULL};
    tape_program_builder *p = tape_program_new(a);
    tape_program_map(p, tape_finish(b, a), j->points, access);
    return tape_program_finish(p);
}

static int stages_make(void *job)
{
    stages_job *j = job;
    run_state *s = j->s;
    stage_code *x = j->x;
    if (tape_compile_program(stages_program(j), &(tape_options){0}, s->m, &x->code)) x->code = NULL;
    if (x->code && tape_code_target(x->code)->lanes < LANES) { // the scalar code is there already
        tape_code_free(x->code);
        x->code = NULL;
    }
    if (!x->code) return VINC_OK;
    x->scratch_bytes = tape_code_scratch(x->code) * sizeof *x->scratch;
    x->scratch = mem_try(s->m, x->scratch_bytes);
    if (!x->scratch) forget_code(s, x);
    return VINC_OK;
}

/* The code, if there is some: made when F has been computed often enough. */
static const stage_code *stages_code(run_state *s, const code_fn *f, int points, int stride)
{
    stage_code *x = points == 3 ? &s->stages.three : &s->stages.four;
    if (points < 3 || !f->code) return NULL;
    if (x->of != f->code || x->stride != stride) {
        forget_code(s, x);
        *x = (stage_code){.of = f->code, .stride = stride};
    }
    if (x->code) return x;
    if (x->refused || (x->evaluated += points) < POINTS_BEFORE) return NULL;
    x->refused = true;
    if (!stage_kernel(f)) return NULL;
    stages_job j = {.s = s, .f = f, .x = x, .points = points == 3 ? 3 : LANES, .n = s->model->n};
    arena_init(&j.scratch, s->m);
    mem_guarded(s->m, stages_make, &j,
                VINC_E_MEMORY); // without memory stages are computed as they were
    arena_done(&j.scratch);
    return x->code ? x : NULL;
}

bool stages_at_once(run_state *s, const code_fn *f, int points, const double *t, const double *y,
                    const double *yp, double *r, int stride)
{
    const stage_code *x = stages_code(s, f, points, stride);
    if (!x) return false;
    union {
        const double *read;
        double *write;
    } times = {.read = t}; // which the map reads only
    tape_args args = {.p = s->p, .w = s->w, .scratch = x->scratch, .run = s->routines};
    for (int next = 0; next < points; next += LANES) {
        int k = points == 3 || next + LANES <= points ? next : points - LANES;
        size_t at = (size_t)k * (size_t)stride;
        args.y = y + at, args.yp = yp + at, args.out = r + at, args.out2 = times.write + k;
        tape_eval(x->code, &args);
    }
    return true;
}
