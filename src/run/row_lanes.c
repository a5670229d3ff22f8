/* Rows of results at several points of a step at once.
 *
 * Where y' = f, and what is recorded, are one kernel each, both are made into one that has y of states
 * alone: a map over points whose values stand side by side in wide registers. Its bits are those of f and of
 * the outputs one after the other (tape/tape.h), so that it does not matter from when on it is used: making it
 * costs as much as some hundred rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/simd.h"
#include "problem/problem.h"
#include "run/run_parts.h"

#include <string.h>

// clang-format off
/*  bound                       quantity                                       source */
enum {
    ROWS_BEFORE      = 150,  // rows of all runs                               making it takes the time that so many save
    INSTRUCTIONS_MAX = 4000, // of f and of the outputs                        choice: what the cache holds
    LANES            = VINC_ROW_LANES
};
// clang-format on

void rows_free(run_state *s)
{
    run_rows *x = &s->rows;
    tape_code_free(x->code);
    mem_free(s->m, x->lanes, x->lanes_bytes);
    mem_free(s->m, x->of, (size_t)x->n * sizeof *x->of);
    *x = (run_rows){.expected = x->expected};
    s->problem.rows = NULL;
}

/* Is what is recorded still what the code was made for? */
static bool rows_are_of(const run_rows *x, const run_recording *recorded, int n)
{
    if (x->n != n || !x->of != !recorded->outputs) return false;
    return !x->of || !memcmp(x->of, recorded->outputs, (size_t)n * sizeof *x->of);
}

/* The one kernel of a program: NULL, there is more, or it calls what may remember something or stores in w. */
static const tape *rows_kernel(const code_fn *f)
{
    const tape_program *p = f->program;
    if (!f->code || !p || p->n_steps != 1 || p->steps[0].kind != TAPE_STEP_KERNEL) return NULL;
    const tape *t = p->steps[0].kernel;
    if (t->n_calls || t->n_ins > INSTRUCTIONS_MAX) return NULL;
    for (int i = 0; i < t->n_ins; i++)
        if (t->ins[i].op == TAPE_STORE && tape_kind_of(t->ins[i].a) != TAPE_OUT) return NULL;
    return t;
}

static bool rows_possible(const run_state *s)
{
    const code_model *m = s->model;
    const vinc_problem *p = &s->problem;
    return p->n_outputs && m->formulation.explicit && !m->formulation.mechanical && !p->project &&
           !p->output_project && !p->violation && !p->energy && !m->inputs.n &&
           !m->events.delays.n_out && !s->crew && rates_as_found(m) &&
           rows_kernel(&m->system.rhs) &&
           (!m->outputs.computed.code || rows_kernel(&m->outputs.computed));
}

typedef struct rows_job {
    run_state *s;
    arena scratch;
    tape_builder *b;
    int n;            // unknowns
    tape_ref *y, *yp; // in b; TAPE_NONE: not known
    tape_ref *out;    // of what is computed
    bool open;        // f needs an unknown that it gives
} rows_job;

/* x[i]: unknown i; x[n]: the time. */
static tape_ref rows_leaf(void *user, tape_ref leaf)
{
    rows_job *j = user;
    tape_ref found = leaf;
    if (tape_kind_of(leaf) == TAPE_T) return tape_x(j->n);
    if (tape_kind_of(leaf) == TAPE_Y) found = j->y[tape_index_of(leaf)];
    if (tape_kind_of(leaf) == TAPE_YP) found = j->yp[tape_index_of(leaf)];
    if (found != TAPE_NONE) return found;
    j->open = true;
    return tape_x(j->n);
}

static void rows_replay(rows_job *j, const tape *t, tape_ref *stored)
{
    replay r;
    replay_init(&r, j->b, t, &j->scratch);
    r.leaf = rows_leaf;
    r.user = j;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (in->op == TAPE_STORE) stored[tape_index_of(in->a)] = replay_ref(&r, in->b);
        else replay_ins(&r, i);
    }
}

static tape_ref rows_output(rows_job *j, tape_ref from)
{
    return tape_kind_of(from) == TAPE_OUT ? j->out[tape_index_of(from)] : rows_leaf(j, from);
}

static const tape_program *rows_program(rows_job *j)
{
    const code_model *m = j->s->model;
    const int *only = j->s->recording.outputs;
    int n = j->n = m->n, n_out = j->s->problem.n_outputs;
    j->b = tape_builder_new(&j->scratch);
    j->y = arena_array(&j->scratch, tape_ref, n + 1);
    j->yp = arena_array(&j->scratch, tape_ref, n + 1);
    j->out = arena_array(&j->scratch, tape_ref, m->outputs.computed.n_out + 1);
    tape_ref *f = arena_array(&j->scratch, tape_ref, n + 1);
    for (int i = 0; i < n; i++) {
        j->y[i] = m->system.differential[i] ? tape_x(i) : TAPE_NONE;
        j->yp[i] = TAPE_NONE;
    }
    rows_replay(j, rows_kernel(&m->system.rhs), f);
    for (int i = 0; i < n; i++) {
        if (!m->system.differential[i]) j->y[i] = f[i];
        j->yp[i] = m->system.differential[i] ? f[i] : tape_const(j->b, 0);
    }
    if (m->outputs.computed.code) rows_replay(j, rows_kernel(&m->outputs.computed), j->out);
    tape_access *access = arena_array(&j->scratch, tape_access, n + 1 + n_out);
    for (int i = 0; i < n; i++) access[i] = (tape_access){TAPE_Y, LANES * i, 1, NULL};
    access[n] = (tape_access){TAPE_YP, 0, 1, NULL};
    for (int i = 0; i < n_out; i++) {
        access[n + 1 + i] = (tape_access){TAPE_OUT, LANES * i, 1, NULL};
        tape_store(j->b, tape_x(n + 1 + i),
                   rows_output(j, code_output_from(&m->outputs, only ? only[i] : i)));
    }
    tape_program_builder *b = tape_program_new(&j->scratch);
    tape_program_map(b, tape_finish(j->b, &j->scratch), LANES, access);
    return j->open ? NULL : tape_program_finish(b);
}

/* What the code has put side by side, one row after the other. All points, as there mostly are, are written without
 * asking how many. False: a value is not finite. */
SIMD_CLONES static bool rows_spread(const double *lanes, int n, int points, double *out)
{
    int i = 0;
    double *row[LANES];
    simd4 strange = {0}, too = {0}; // as of problem_finite
    for (int k = 0; k < LANES; k++) row[k] = out + (k < points ? k : 0) * (n + 1);
    for (; i + 3 < n; i += 4) {
        simd4 x[LANES];
        for (int j = 0; j < LANES; j++) x[j] = *(const simd4 *)(lanes + LANES * (i + j));
        strange += (x[0] - x[0]) + (x[1] - x[1]);
        too += (x[2] - x[2]) + (x[3] - x[3]);
        simd4_turn(x[0], x[1], x[2], x[3], x);
        for (int k = LANES - 1; k >= 0; k--) *(simd4 *)(row[k] + i) = x[k]; // the first one last
    }
    for (; i < n; i++) {
        const double *x = lanes + LANES * i;
        too += *(const simd4 *)x - *(const simd4 *)x;
        for (int k = LANES - 1; k >= 0; k--) row[k][i] = x[k];
    }
    strange += too;
    return strange[0] + strange[1] + (strange[2] + strange[3]) == 0;
}

static int rows_at(void *user, int points, const double *t, const double *y, double *out)
{
    run_state *s = user;
    run_rows *x = &s->rows;
    int n = s->problem.n_outputs;
    if (run_stops(s)) return -1;
    tape_eval(x->code, &(tape_args){.p = s->p,
                                    .y = y,
                                    .yp = t,
                                    .w = s->w,
                                    .out = x->lanes,
                                    .scratch = x->lanes + LANES * n,
                                    .run = s->routines});
    for (int k = 0; k < points; k++) out[k * (n + 1)] = t[k];
    return !rows_spread(x->lanes, n, points, out + 1);
}

static int rows_make(void *job)
{
    rows_job *j = job;
    run_state *s = j->s;
    run_rows *x = &s->rows;
    const tape_program *p = rows_program(j);
    if (!p || tape_compile_program(p, &(tape_options){0}, s->m, &x->code)) return VINC_OK;
    size_t n = LANES * (size_t)x->n + tape_code_scratch(x->code);
    x->lanes_bytes = n * sizeof *x->lanes;
    x->lanes = mem_try(s->m, x->lanes_bytes);
    if (x->lanes) s->problem.rows = rows_at;
    else x->lanes_bytes = 0;
    return VINC_OK;
}

/* Notes what is recorded, for which the code is to be made. */
static bool rows_begin(run_state *s)
{
    run_rows *x = &s->rows;
    const int *recorded = s->recording.outputs;
    size_t bytes = (size_t)s->problem.n_outputs * sizeof *recorded;
    x->tried = true;
    x->n = s->problem.n_outputs;
    if (!recorded) return true;
    x->of = mem_try(s->m, bytes);
    if (x->of) memcpy(x->of, recorded, bytes);
    return x->of != NULL;
}

void run_expect_rows(run_state *s, long rows)
{
    run_rows *x = &s->rows;
    x->expected += rows;
    if (x->tried && !rows_are_of(x, &s->recording, s->problem.n_outputs)) rows_free(s);
    s->problem.rows = x->lanes ? rows_at : NULL;
    if (x->tried || x->expected < ROWS_BEFORE || !rows_begin(s) || !rows_possible(s)) return;
    rows_job j = {.s = s};
    arena_init(&j.scratch, s->m);
    mem_guarded(s->m, rows_make, &j, VINC_E_MEMORY); // without memory rows are made as they were
    arena_done(&j.scratch);
}
