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

struct ens_lanes {
    mem *m;
    int n_in, n_constants, n_state, n_out;
    long count;
    tape_code *begin, *body, *last, *end;
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

static int lanes_build(void *user)
{
    lanes_job *j = user;
    ens_lanes *x = j->x;
    const tape *tapes[] = {j->k->begin, j->k->body, j->k->last, j->k->end};
    tape_code **codes[] = {&x->begin, &x->body, &x->last, &x->end};
    size_t most = 0;
    for (int i = 0; i < 4; i++) {
        if (!tapes[i]) continue;
        if (tape_compile_program(lanes_program(tapes[i], &j->a), NULL, x->m, codes[i]))
            return VINC_E_MEMORY;
        if (tape_code_scratch(*codes[i]) > most) most = tape_code_scratch(*codes[i]);
    }
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
                     .count = k->count};
    mem guarded = *m;
    lanes_job j = {.k = k, .x = x};
    arena_init(&j.a, &guarded);
    int rc = mem_guarded(&guarded, lanes_build, &j, VINC_E_MEMORY);
    arena_done(&j.a);
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

/* Looking whether all are done costs a few cycles: not after every step. */
enum { LANES_STEPS_BETWEEN_LOOKS = 4 };

static void lanes_block(ens_lanes *x)
{
    tape_eval(x->begin, &(tape_args){.p = x->p,
                                     .out = x->state[0],
                                     .out2 = x->p + (size_t)x->n_in * LANES_BLOCK,
                                     .scratch = x->scratch});
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
