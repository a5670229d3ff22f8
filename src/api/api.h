/* What the implementation of the public headers shares.
 *
 * Three rooms. A model is what is made once: flat model, structure, and its formulations compiled,
 * each at its first use and immutable from then on (compile.c). A run is what changes: values,
 * workspace, messages of its own (run.h). What is said about either is made last.
 *
 * Memory: a context owns the front arena (texts, symbols, messages), a model its own arena. Syntax
 * trees, instance trees and temporary memory are given back when the call ends that made them.
 * Compiler code takes memory that is never refused; running out of it jumps to the guard of
 * api_guarded. Whatever makes or changes something of a context or a model happens there, under the
 * lock of the context; a run reads the model without it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef API_API_H
#define API_API_H

#include "base/diag.h"
#include "base/pages.h"
#include "base/watch.h"
#include "code/model.h"
#include "flatten/flatten.h"
#include "lang/library.h"
#include "vincolo.h"

#include <pthread.h>

/* What ended the work: an interrupt, a limit, lack of memory. It needs no memory to be said. */
typedef struct api_end {
    char code[8];                // "": nothing did
    char text[WATCH_WORDS];      // the sentence
    char line[WATCH_WORDS + 40]; // ... as it is printed
} api_end;

struct vinc_ctx {
    mem m;       // counted by the limits
    mem lasting; // of reports, which outlive it
    pages pages;
    watch_limits limits;
    watch watch; // of the compiler and of analyses
    api_end end;
    pthread_mutex_t lock; // recursive
    int refs;             // the caller's, and one of each thing made from it
    bool gone;            // the caller has freed it
    arena front;
    arena trees;   // of the library; given back when a guarded call ends
    arena scratch; // temporary memory of the compiler; given back when a guarded call ends
    sym_table syms;
    diag_sink diags;
    lang_library library;
    arena failure;    // of the messages in failed
    diag_sink failed; // a copy of what the run said that failed last
    text out;         // the text last handed out
    bool colour;
    const struct team *team; // the processes that share runs (team.c); NULL: none were joined
    int rank, ranks;
    bool parted;             // of the others: it is told that each makes its own part (own_part.c)
    bool knows;              // this one knows why a run failed, others may not
    bool awaited;            // of process 0: the others wait for what it says (vinc_team_help)
    struct vinc_model *bare; // models that have given back what they were compiled from (origin.c)
    bool keeps_trees;        // of the library, from call to call, for who asks often (lsp)
};

typedef struct api_walls {
    double parse, flatten, structure, compile, init, integrate;
} api_walls;

typedef struct api_varied {
    struct api_varied *next;
    struct code_variation *code;
} api_varied;

/* A formulation of a model, compiled. Immutable; lives as long as the model. */
typedef struct api_compiled {
    struct api_compiled *next;
    const char *spec; // its name with parameters
    form_system *form;
    code_model *code;
    struct code_tangent *tangent;   // made when first needed
    struct code_response *response; // likewise
    struct api_varied *varied;      // derivatives by some parameters, the newest first
    double wall;                    // seconds it took
} api_compiled;

struct vinc_model {
    vinc_ctx *ctx;
    int refs;                     // the caller's, and one of each run
    bool gone;                    // the caller has freed it
    arena a, before;              // before: while it moves to the other one
    const char *source;           // what was loaded: the file or class as named by the caller
    span at;                      // the text of the class
    image_about about;            // its name, and how it wants to run
    flat_model *flat;             // once its structure is known: with clauses written as equations
    const flat_model *as_loaded;  // before that; NULL: it is the same
    structure *structure;         // made when first needed
    const struct flat_part *part; // of a model of which this process has a part; NULL: the whole
    bool refused;                 // its structure was found wrong:
    diag_sink why_refused;        // ... for these reasons
    api_compiled *compiled;       // formulations, the newest first
    const api_compiled *standard; // the one that a run gets that asks for none
    const char *standard_why;     // ... and why that one
    bool exchanged;               // inputs and outputs of the top
    ARRAY(flat_override) overrides;   // settings of parameters and variables
    ARRAY(flat_override) derivatives; // settings of derivatives: der(x)
    api_walls wall;
    text out; // the text last handed out
    struct api_names
        *names; // of variables, once one was asked for that is not kept; NULL: none was

    code_origin origin;           // flat model, structure and formulations: are their lists there?
    struct vinc_model *again;     // whose they are since they were made again; NULL: its own
    struct vinc_model *next_bare; // of the context
    int n_sources;                // texts that were known when it was flattened
    bool allow_external;          // ... as the library had it
    int n_made;                   // nodes of the pool when a stage last ended
    bool touched;                 // ... to which others had been added before
    uint64_t fingerprint;         // of the pool that was given back
};

/* Names from number `first` to n - 1 (written_names.c); NULL: no memory. `write` adds one to a text. */
struct api_names;
typedef void api_name_writer(const void *of, int i, text *out);
struct api_names *api_write_names(mem *m, int first, int n, api_name_writer *write, const void *of);
const char *api_written_name(const struct api_names *x, int i); // of none: NULL
void api_free_names(mem *m, struct api_names *x);               // NULL is fine

/* Run body(job) under the lock, with a guard. VINC_E_MEMORY when memory runs out; VINC_E_INTERRUPTED
 * and VINC_E_LIMIT when it is stopped: at once, if the context was stopped before. */
int api_guarded(vinc_ctx *ctx, int (*body)(void *job), void *job);
/* The same for what hands out results: it can be stopped, but not by what stopped the work before. */
int api_delivered(vinc_ctx *ctx, int (*body)(void *job), void *job);
/* The same for messages: nothing but lack of memory stops it. */
int api_said(vinc_ctx *ctx, int (*body)(void *job), void *job);
/* Is there room for linear algebra? VINC_OK, or VINC_E_MEMORY, said. Before work that needs it. */
int api_needs_blas(vinc_ctx *ctx);
/* For a loop over calls that may fail: VINC_OK, or the status of what has stopped the context. */
int api_heed(vinc_ctx *ctx);
/* Keep what ended the work, for the messages; the status for it. w: whoever worked. */
int api_end_work(vinc_ctx *ctx, const watch *w, int status);
/* A call without an argument that it needs: said, and VINC_E_OPTION; VINC_E_MEMORY without ctx. */
int api_lacks(vinc_ctx *ctx, const char *what);
/* A list that a caller passes has n >= 0 items, and is not NULL if n > 0. */
static inline bool api_is_list(const void *list, int n)
{
    return n >= 0 && (list || !n);
}
/* The same of settings, each with a name and a value. */
bool api_are_settings(const vinc_setting *list, int n);
/* The same as api_guarded for what asks nothing of models that are there: those that are bare stay so. */
int api_aside(vinc_ctx *ctx, int (*body)(void *job), void *job);
/* ... for their stages while they are made again: nothing but lack of memory stops them. */
int api_remade(vinc_ctx *ctx, int (*body)(void *job), void *job);
void api_lock(vinc_ctx *ctx);
void api_unlock(vinc_ctx *ctx);

/* ---- the stages of the compiler (compile.c), inside the guard; each is made once ------------- */

typedef enum api_stage { API_FLAT, API_STRUCTURE, API_TAPES } api_stage;
/* Up to this stage. c: the class, where there is no flat model yet. spec: the formulation, a name
 * with parameters, or NULL for the default of this model; *out receives it, compiled. */
int api_compile(vinc_model *model, ast_class *c, api_stage until, const char *spec,
                const api_compiled **out);
/* Products of its Jacobian, for runs that store no matrix. */
int api_compile_tangent(vinc_model *model, const api_compiled *made,
                        const struct code_tangent **out);
/* How it responds to inputs and parameters. */
int api_compile_response(vinc_model *model, const api_compiled *made,
                         const struct code_response **out);
/* Its derivatives by parameters at these places. */
int api_compile_variation(vinc_model *model, const api_compiled *made, const int *asked, int n,
                          const struct code_variation **out);
void api_free_compiled(vinc_model *model);

/* A model of which another one has a part becomes that part. */
int api_part_again(vinc_model *model, const struct flat_part *like);
flat_override api_setting_copied(arena *a, const flat_override *x);

/* ---- what it was compiled from (origin.c) ---------------------------------------------------- */

/* A large model of which a run is ready gives it back, if nobody else holds the model. */
void api_give_back_origin(vinc_model *model);
/* ... and, for a run that has begun, the tables of its unknowns, where it needs them no more. */
void api_give_back_tables(vinc_model *model, const code_model *of);
/* It is there, made again if need be, and stays. VINC_OK, or why not: VINC_E_MODEL, said, where the texts
 * of the model are no longer those that it was loaded from. */
int api_whole(vinc_model *model);
int api_all_whole(vinc_ctx *ctx);                         // ... of all models of the context
void api_set_origin(vinc_model *model, code_model *code); // it was just compiled
void api_free_origin(vinc_model *model);
void api_forget_bare(vinc_model *model); // it goes

vinc_diagnostic api_diagnostic(const vinc_ctx *ctx, const diag *d); // NULL is fine
/* The context's messages end with those of the run that failed last. */
void api_keep_failure(vinc_ctx *ctx, const diag_sink *from);

/* What was made from a handle keeps it in memory, though no longer in use. */
void api_ctx_hold(vinc_ctx *ctx);
void api_ctx_release(vinc_ctx *ctx);
/* A class in these words that extends a model, with what was set in that. As vinc_model_load_text. */
int api_model_extend(const vinc_model *of, const char *name, const text *words,
                     const char *class_name, vinc_model **out);
void api_model_hold(vinc_model *model);
void api_model_release(vinc_model *model);

double api_clock(void); // seconds; for statistics only, never for decisions

#endif
