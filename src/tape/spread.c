/* Which inputs reach which results, whatever the values: the program is run with sets instead of numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <string.h>

typedef struct spreading {
    const tape_sets *s;
    uint64_t *values; // by instruction of the kernel at hand
    const tape_access *access;
    int instance;
} spreading;

static void spread_copy(uint64_t *to, const uint64_t *from, int words)
{
    for (int k = 0; k < words; k++) to[k] = from ? from[k] : 0;
}

static void unite(uint64_t *to, const uint64_t *from, int words)
{
    for (int k = 0; k < words && from; k++) to[k] |= from[k];
}

/* An element, which may be an operand of a map; NULL: the empty set. */
static uint64_t *set_at(const spreading *x, tape_ref r)
{
    tape_kind kind = tape_kind_of(r);
    size_t k = (size_t)tape_index_of(r), words = (size_t)x->s->words;
    if (kind == TAPE_VALUE) return x->values + k * words;
    if (kind == TAPE_X) {
        const tape_access *at = &x->access[k];
        kind = at->array;
        k = (size_t)tape_element(at, x->instance);
    }
    return x->s->of[kind] ? x->s->of[kind] + k * words : NULL;
}

static void spread_kernel(const spreading *x, const tape *t)
{
    int words = x->s->words;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        uint64_t *to = x->values + (size_t)i * (size_t)words;
        const tape_ref operands[] = {in->a, in->b, in->c, in->d};
        const tape_call *c = in->op == TAPE_CALL ? &t->calls[in->a] : NULL;
        int n = in->op < TAPE_N_OPS ? tape_op_operands((tape_op)in->op) : 0;
        if (in->op == TAPE_RESULT) continue; // set by its call
        spread_copy(to, n > 0 ? set_at(x, operands[0]) : NULL, words);
        for (int k = 1; k < n; k++) unite(to, set_at(x, operands[k]), words);
        for (int r = 0; c && r < c->fn->n_out; r++) {
            to += words;
            spread_copy(to, NULL, words);
            for (int k = 0; k < c->fn->n_in; k++) unite(to, set_at(x, t->args[c->args + k]), words);
        }
    }
    for (int i = 0; i < t->n_ins; i++) { // operands in w are those on entry
        const tape_ins *in = &t->ins[i];
        uint64_t *to = in->op == TAPE_STORE ? set_at(x, in->a) : NULL;
        if (!to) continue;
        spread_copy(to, set_at(x, in->b), words);
    }
}

static void spread_sum(const spreading *x, const tape_step *q)
{
    size_t words = (size_t)x->s->words;
    for (int i = 0; i < q->n; i++) {
        uint64_t *to = x->s->of[q->access->array] + (size_t)tape_element(q->access, i) * words;
        memset(to, 0, words * sizeof *to);
        for (int k = q->start[i]; k < q->start[i + 1]; k++)
            unite(to, x->s->of[TAPE_W] + (size_t)q->index[k] * words, x->s->words);
    }
}

void tape_program_spread(const tape_program *p, const tape_sets *s, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    int most = 0;
    for (int i = 0; i < p->n_steps; i++)
        if (p->steps[i].kernel && p->steps[i].kernel->n_ins > most)
            most = p->steps[i].kernel->n_ins;
    spreading x = {.s = s, .values = arena_array(scratch, uint64_t, most * s->words + 1)};
    for (int i = 0; i < p->n_steps; i++) {
        const tape_step *q = &p->steps[i];
        x.access = q->access;
        if (q->kind == TAPE_STEP_SUM) spread_sum(&x, q);
        else
            for (x.instance = 0; x.instance < q->n; x.instance++) spread_kernel(&x, q->kernel);
    }
    arena_release(scratch, mark);
}
