/* Each tape becomes a map over a block of trajectories, laid out so that element k of all of them
 * stands side by side: a loop of packed instructions. The trajectories of a block are independent, so
 * the processor overlaps them; the state of a block stays in its nearest cache.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/lanes.h"

#include "target/target.h"
#include "vincolo.h"

#include <string.h>

/* Trajectories of a block. Lorenz' equations by rk4 take the same time with 16 to 128 of them, 8 % more
 * with 8 and 5 % more with 512 (EPYC 7003). */
enum { LANES_BLOCK = 32 };

/* A tape that is run for some trajectories of a block, and what it stores. */
typedef struct lanes_phase {
    ens_status when;
    tape_code *code;
    int n_stored, *stored;
} lanes_phase;

struct ens_lanes {
    mem *m;
    arena a;
    int n_in, n_constants, n_state, n_out;
    long count;
    int patience;
    tape_code *begin, *body, *last, *end;
    lanes_phase phases[1 + ENS_PHASES_MAX]; // the first one is the body
    int n_phases;                           // 0: the body stores all, and there are none
    double *p, *state[2], *out, *scratch;
    void *block;
    size_t bytes;
};

/* ---- compiling ------------------------------------------------------------------------------- */

/* x[k] stands for the operands that are used, then for the targets. */
typedef struct lanes_map {
    tape_builder *b;
    int n_p, n_y, n_out;
} lanes_map;

static tape_ref lanes_leaf(void *user, tape_ref leaf)
{
    const lanes_map *x = user;
    int k = tape_index_of(leaf);
    return tape_x(tape_kind_of(leaf) == TAPE_P ? k : x->n_p + k);
}

static const tape_program *lanes_program(const tape *t, arena *a)
{
    replay r;
    lanes_map x = {tape_builder_new(a), t->extent[TAPE_P], t->extent[TAPE_Y], t->extent[TAPE_OUT]};
    int first = x.n_p + x.n_y, n = first + x.n_out + t->extent[TAPE_OUT2];
    replay_init(&r, x.b, t, a);
    r.leaf = lanes_leaf;
    r.user = &x;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        if (in->op != TAPE_STORE) {
            replay_ins(&r, i);
            continue;
        }
        int k = first + tape_index_of(in->a) + (tape_kind_of(in->a) == TAPE_OUT2 ? x.n_out : 0);
        tape_store(x.b, tape_x(k), replay_ref(&r, in->b));
    }
    tape_access *access = arena_array(a, tape_access, n);
    for (int k = 0; k < n; k++) {
        tape_kind kind = k < x.n_p             ? TAPE_P
                         : k < first           ? TAPE_Y
                         : k < first + x.n_out ? TAPE_OUT
                                               : TAPE_OUT2;
        int from = k < x.n_p             ? 0
                   : k < first           ? x.n_p
                   : k < first + x.n_out ? first
                                         : first + x.n_out;
        access[k] = (tape_access){kind, (k - from) * LANES_BLOCK, 1, NULL};
    }
    tape_program_builder *b = tape_program_new(a);
    tape_program_map(b, tape_finish(x.b, a), LANES_BLOCK, access);
    return tape_program_finish(b);
}

typedef struct lanes_job {
    const ens_kernel *k;
    ens_lanes *x;
    arena a;
} lanes_job;

static int lanes_compile(lanes_job *j, const tape *t, tape_code **code, size_t *most)
{
    if (!t) return VINC_OK;
    if (tape_compile_program(lanes_program(t, &j->a), NULL, j->x->m, code)) return VINC_E_MEMORY;
    if (tape_code_scratch(*code) > *most) *most = tape_code_scratch(*code);
    return VINC_OK;
}

static int lanes_compile_phase(lanes_job *j, ens_status when, const tape *t, size_t *most)
{
    lanes_phase *x = &j->x->phases[j->x->n_phases++];
    x->when = when;
    x->stored = arena_array(&j->x->a, int, t->n_ins);
    for (int i = 0; i < t->n_ins; i++)
        if (t->ins[i].op == TAPE_STORE) x->stored[x->n_stored++] = tape_index_of(t->ins[i].a);
    return lanes_compile(j, t, &x->code, most);
}

static int lanes_build(void *user)
{
    lanes_job *j = user;
    ens_lanes *x = j->x;
    const ens_kernel *kernel = j->k;
    size_t most = 0;
    int rc = lanes_compile(j, kernel->begin, &x->begin, &most);
    if (!rc) rc = lanes_compile(j, kernel->last, &x->last, &most);
    if (!rc) rc = lanes_compile(j, kernel->end, &x->end, &most);
    if (!rc && kernel->n_phases) rc = lanes_compile_phase(j, ENS_RUNNING, kernel->body, &most);
    else if (!rc) rc = lanes_compile(j, kernel->body, &x->body, &most);
    for (int i = 0; i < kernel->n_phases && !rc; i++)
        rc = lanes_compile_phase(j, kernel->phases[i].when, kernel->phases[i].t, &most);
    if (rc) return rc;
    size_t n_p = (size_t)(x->n_in + x->n_constants), n = (size_t)x->n_state, lanes = LANES_BLOCK;
    x->bytes = ((n_p + 2 * n + (size_t)x->n_out) * lanes + most + 1) * sizeof(double);
    x->block = mem_try(x->m, x->bytes);
    if (!x->block) return VINC_E_MEMORY;
    memset(x->block, 0, x->bytes);
    x->p = x->block;
    x->state[0] = x->p + n_p * lanes;
    x->state[1] = x->state[0] + n * lanes;
    x->out = x->state[1] + n * lanes;
    x->scratch = x->out + (size_t)x->n_out * lanes;
    return VINC_OK;
}

int ens_lanes_new(mem *m, const ens_kernel *k, ens_lanes **out)
{
    ens_lanes *x = mem_try(m, sizeof *x);
    *out = NULL;
    if (!x) return VINC_E_MEMORY;
    *x = (ens_lanes){.m = m,
                     .n_in = k->n_in,
                     .n_constants = k->n_constants,
                     .n_state = k->n_state,
                     .n_out = k->n_out,
                     .count = k->count,
                     .patience = k->patience};
    mem guarded = *m;
    lanes_job j = {.k = k, .x = x};
    arena_init(&j.a, &guarded);
    arena_init(&x->a, &guarded);
    int rc = mem_guarded(&guarded, lanes_build, &j, VINC_E_MEMORY);
    arena_done(&j.a);
    x->a.m = m;
    if (rc) ens_lanes_free(x);
    else *out = x;
    return rc;
}

void ens_lanes_free(ens_lanes *x)
{
    if (!x) return;
    tape_code_free(x->begin);
    tape_code_free(x->body);
    tape_code_free(x->last);
    tape_code_free(x->end);
    for (int i = 0; i < x->n_phases; i++) tape_code_free(x->phases[i].code);
    arena_done(&x->a);
    mem_free(x->m, x->block, x->bytes);
    mem_free(x->m, x, sizeof *x);
}

/* ---- running --------------------------------------------------------------------------------- */

static void lanes_swap(ens_lanes *x)
{
    double *old = x->state[0];
    x->state[0] = x->state[1];
    x->state[1] = old;
}

static void lanes_step(ens_lanes *x, const tape_code *code)
{
    tape_eval(code,
              &(tape_args){.p = x->p, .y = x->state[0], .out = x->state[1], .scratch = x->scratch});
    lanes_swap(x);
}

static bool lanes_running(const ens_lanes *x)
{
    bool any = false;
    for (int i = 0; i < LANES_BLOCK; i++) any = any || x->state[0][i] == ENS_RUNNING;
    return any;
}

/* One tape for those of the block whose status says so; false: there are none. */
static bool lanes_phase_run(ens_lanes *x, const lanes_phase *f)
{
    double *status = x->state[0];
    uint8_t on[LANES_BLOCK];
    bool any = false;
    for (int i = 0; i < LANES_BLOCK; i++) any |= on[i] = status[i] == (double)f->when;
    if (!any) return false;
    tape_eval(f->code,
              &(tape_args){.p = x->p, .y = x->state[0], .out = x->state[1], .scratch = x->scratch});
    for (int k = 0; k < f->n_stored; k++) {
        size_t at = (size_t)f->stored[k] * LANES_BLOCK;
        for (int i = 0; i < LANES_BLOCK; i++)
            if (on[i]) x->state[0][at + (size_t)i] = x->state[1][at + (size_t)i];
    }
    return true;
}

static void lanes_phases(ens_lanes *x)
{
    bool goes_on = true;
    int waited = 0;
    while (goes_on) {
        int running = 0, waiting = 0;
        goes_on = lanes_phase_run(x, &x->phases[0]);
        for (int i = 0; i < LANES_BLOCK; i++) {
            running += x->state[0][i] == ENS_RUNNING;
            waiting += x->state[0][i] >= ENS_FIRST_PHASE;
        }
        waited += waiting;
        if (!waiting || (running && waited < x->patience)) continue;
        waited = 0;
        for (bool any = goes_on = true; any;) {
            any = false;
            for (int k = 1; k < x->n_phases; k++)
                while (lanes_phase_run(x, &x->phases[k])) any = true;
        }
    }
}

/* Looking whether all are done costs a few cycles: not after every step. */
enum { LANES_STEPS_BETWEEN_LOOKS = 4 };

static void lanes_block(ens_lanes *x)
{
    tape_eval(x->begin, &(tape_args){.p = x->p,
                                     .out = x->state[0],
                                     .out2 = x->p + (size_t)x->n_in * LANES_BLOCK,
                                     .scratch = x->scratch});
    if (x->n_phases) lanes_phases(x);
    for (long k = 0; k < x->count; k++) lanes_step(x, x->body);
    while (x->count < 0 && lanes_running(x))
        for (int k = 0; k < LANES_STEPS_BETWEEN_LOOKS; k++) lanes_step(x, x->body);
    if (x->last) lanes_step(x, x->last);
    tape_eval(x->end,
              &(tape_args){.p = x->p, .y = x->state[0], .out = x->out, .scratch = x->scratch});
}

void ens_lanes_run(ens_lanes *x, const double *in, double *out, size_t n_all, size_t first,
                   size_t n)
{
    for (size_t at = first; at < first + n; at += LANES_BLOCK) {
        size_t lanes = first + n - at < LANES_BLOCK ? first + n - at : LANES_BLOCK;
        for (int k = 0; k < x->n_in; k++)
            for (size_t i = 0; i < LANES_BLOCK; i++) // idle lanes repeat the last run
                x->p[(size_t)k * LANES_BLOCK + i] =
                    in[(size_t)k * n_all + at + (i < lanes ? i : lanes - 1)];
        lanes_block(x);
        for (int k = 0; k < x->n_out; k++)
            memcpy(out + (size_t)k * n_all + at, x->out + (size_t)k * LANES_BLOCK,
                   lanes * sizeof(double));
    }
}
