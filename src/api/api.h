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
#include "code/code.h"
#include "flat/build.h"
#include "lang/library.h"
#include "vincolo.h"

struct vinc_ctx {
    mem m;
    arena front;
    arena scratch; // temporary memory of the compiler; given back when a guarded call ends
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
    arena a;
    const char *source; // what was loaded: the file or class as named by the caller
    span at;            // the text of the class
    flat_model *flat;
    structure *structure;             // made when first needed
    ARRAY(flat_override) overrides;   // settings of parameters and variables
    ARRAY(flat_override) derivatives; // settings of derivatives: der(x)
    api_walls wall;
    text out; // the text last handed out
};

/* Run body(job) with a guard for memory: VINC_E_MEMORY when it runs out. */
int api_guarded(vinc_ctx *ctx, int (*body)(void *job), void *job);

int api_analyze(vinc_model *model);   // inside the guard: fills model->structure
int api_dump_tape(vinc_model *model); // to model->out

bool api_ends_in(const char *s, const char *tail);
double api_clock(void); // seconds; for statistics only, never for decisions

#endif
