/* The state of a run at a time, kept to come back to, in memory or as bytes.
 *
 * All arrays of a run lie in one block (state.c), so a copy of the block is a copy of the arrays.
 * What is not saved is what only speeds a run up: factors, which belong to other points afterwards,
 * and the last values of scratch.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"

#include <stdint.h>
#include <string.h>

struct run_saved {
    mem m;
    const code_model *model;
    run_events events; // its numbers; the arrays are in the block
    run_ticks ticks;
    int rank_seen;
    double wide_most;
    run_past *past;
    run_slide slide;
    void *slide_block; // NULL: nothing slid
    size_t bytes;
    void *block;
    uintptr_t base; // where the block was of which it is a copy; 0: it was read
};

void run_saved_free(run_saved *x)
{
    if (!x) return;
    mem m = x->m;
    history_drop(&m, x->past);
    if (x->slide_block) mem_free(&m, x->slide_block, x->slide.bytes);
    if (x->block) mem_free(&m, x->block, x->bytes);
    mem_free(&m, x, sizeof *x);
}

int run_save(const run_state *s, run_saved **out)
{
    run_saved *x = *out = mem_try(s->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (run_saved){.m = *s->m,
                     .model = s->model,
                     .events = s->events,
                     .ticks = s->ticks,
                     .rank_seen = s->regular.seen,
                     .wide_most = s->regular.wide_most,
                     .slide = s->slide,
                     .bytes = s->block_bytes,
                     .base = (uintptr_t)s->block};
    x->block = mem_try(&x->m, x->bytes);
    if (x->block) memcpy(x->block, s->block, x->bytes);
    if (x->block && s->past) x->past = history_copy(&x->m, s->past);
    if (x->block && s->slide.n) x->slide_block = slide_keep(s, &x->m);
    bool slides = x->slide_block || !s->slide.n;
    if (x->block && (x->past || !s->past) && slides) return VINC_OK;
    run_saved_free(x);
    *out = NULL;
    return VINC_E_MEMORY;
}

int run_restore(run_state *s, const run_saved *x)
{
    if (x->model != s->model) return VINC_E_OPTION;
    run_past *past = x->past ? history_copy(s->m, x->past) : NULL;
    if (x->past && !past) return VINC_E_MEMORY;
    if (!slide_take(s, &x->slide, x->slide_block)) {
        history_drop(s->m, past);
        return VINC_E_MEMORY;
    }
    history_drop(s->m, s->past);
    s->past = past;
    memcpy(s->block, x->block, s->block_bytes);
    run_actions told = s->events.actions;
    s->events = x->events;
    s->ticks = x->ticks;
    s->events.actions.warn = told.warn;
    s->events.actions.warn_user = told.warn_user;
    s->regular.seen = x->rank_seen;
    s->regular.wide_most = x->wide_most;
    run_lay_out(s);
    run_forget_factors(s);
    s->fault.any = false;
    return VINC_OK;
}

/* ---- as bytes -------------------------------------------------------------------------------- */

/* For the same program and the same model: the caller sees to that. Addresses in the structs are laid
 * out anew when the state is restored. */
typedef struct saved_head {
    run_events events;
    run_ticks ticks;
    run_slide slide;
    int rank_seen;
    double wide_most;
    size_t bytes, slide_bytes, past_bytes;
} saved_head;

/* The same state gives the same bytes: no address is among them. */
static void saved_forget_addresses(const run_saved *x, saved_head *h)
{
    bump measure = bump_begin(NULL);
    event_layout(&h->events, x->model, &measure);
    tick_layout(&h->ticks, x->model, &measure);
    h->events.timers.front.n_ran = h->events.discrete.front.n_ran = h->events.actions.front.n_ran =
        0;
    h->events.actions.warn = NULL;
    h->events.actions.warn_user = NULL;
    slide_forget_addresses(&h->slide, x->model);
}

/* Nor in the block: those that point into it are laid out anew or written before they are used. */
static void saved_clear_addresses(const run_saved *x, unsigned char *block)
{
    for (size_t at = 0; x->base && at + sizeof(uintptr_t) <= x->bytes; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, block + at, sizeof word);
        if (word >= x->base && word < x->base + x->bytes) memset(block + at, 0, sizeof word);
    }
}

static size_t saved_slide_bytes(const run_saved *x)
{
    return x->slide_block ? x->slide.bytes : 0;
}

size_t run_saved_size(const run_saved *x)
{
    return sizeof(saved_head) + x->bytes + saved_slide_bytes(x) + history_size(x->past);
}

void run_saved_write(const run_saved *x, unsigned char *out)
{
    saved_head h;
    memset(&h, 0, sizeof h);
    h.events = x->events;
    h.ticks = x->ticks;
    h.slide = x->slide;
    h.rank_seen = x->rank_seen;
    h.wide_most = x->wide_most;
    h.bytes = x->bytes;
    h.slide_bytes = saved_slide_bytes(x);
    h.past_bytes = history_size(x->past);
    saved_forget_addresses(x, &h);
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    memcpy(out, x->block, x->bytes);
    saved_clear_addresses(x, out);
    if (h.slide_bytes) memcpy(out + x->bytes, x->slide_block, h.slide_bytes);
    if (x->past) history_write(x->past, out + x->bytes + h.slide_bytes);
}

int run_saved_read(const run_state *s, const unsigned char *from, size_t n, run_saved **out)
{
    saved_head h;
    *out = NULL;
    if (n < sizeof h) return VINC_E_OPTION;
    memcpy(&h, from, sizeof h);
    size_t rest = n - sizeof h;
    if (h.bytes != s->block_bytes || rest < h.bytes || rest - h.bytes < h.slide_bytes ||
        rest - h.bytes - h.slide_bytes != h.past_bytes || !h.past_bytes != !s->past)
        return VINC_E_OPTION;
    run_saved *x = mem_try(s->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (run_saved){.m = *s->m,
                     .model = s->model,
                     .events = h.events,
                     .ticks = h.ticks,
                     .rank_seen = h.rank_seen,
                     .wide_most = h.wide_most,
                     .slide = h.slide,
                     .bytes = h.bytes};
    x->slide.bytes = h.slide_bytes;
    x->block = mem_try(&x->m, x->bytes);
    if (h.slide_bytes) x->slide_block = mem_try(&x->m, h.slide_bytes);
    if (s->past) x->past = history_copy(&x->m, s->past);
    if (!x->block || (h.slide_bytes && !x->slide_block) || (s->past && !x->past)) {
        run_saved_free(x);
        return VINC_E_MEMORY;
    }
    const unsigned char *past = from + sizeof h + h.bytes + h.slide_bytes;
    if (s->past && !history_read_bytes(&x->m, x->past, past, h.past_bytes)) {
        run_saved_free(x);
        return VINC_E_OPTION;
    }
    memcpy(x->block, from + sizeof h, h.bytes);
    if (h.slide_bytes) memcpy(x->slide_block, from + sizeof h + h.bytes, h.slide_bytes);
    *out = x;
    return VINC_OK;
}
