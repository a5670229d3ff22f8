/* What the implementation of the public headers shares.
 *
 * Memory: a context owns the front arena (texts, syntax trees, symbols, messages), a model its own
 * arena. Compiler code takes memory that is never refused; running out of it jumps to the guard of
 * api_guarded, the only one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef API_API_H
#define API_API_H

#include "base/diag.h"
#include "flat/flat.h"
#include "lang/library.h"
#include "vincolo.h"

struct vinc_ctx {
    mem m;
    arena front;
    sym_table syms;
    diag_sink diags;
    lang_library library;
    text out; // the text last handed out
    bool colour;
};

typedef struct api_walls {
    double parse, flatten, structure, compile, init, integrate;
} api_walls;

struct vinc_model {
    vinc_ctx *ctx;
    mem m;
    arena a;
    flat_model *flat;
    api_walls wall;
    text out;
};

/* Run body(job) with a guard for memory: VINC_E_MEMORY when it runs out. */
int api_guarded(vinc_ctx *ctx, int (*body)(void *job), void *job);

double api_clock(void); // seconds; for statistics only, never for decisions

#endif
