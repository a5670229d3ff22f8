/* Functions in C that a model calls, and the objects they keep.
 *
 * What `external "C"` names is looked up in one table (external_list.c): the functions of the
 * standard library are there, written here. A call is laid out once, when the model is flattened:
 * where each scalar of its arguments comes from, which of them are results (external_routine). It
 * is then a routine like any other (tape/tape.h), for any number of runs and threads; a run brings
 * an external_run, in which its objects live from the first evaluation of the parameters to the end
 * of the run. An object is a number in a model, that of its constructor call.
 * Modelica Language Specification 3.6, section 12.9.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_EXTERNAL_H
#define EXTERNAL_EXTERNAL_H

#include "base/mem.h"
#include "tape/tape.h"

/* ---- what a function sees -------------------------------------------------------------------- */

typedef enum external_kind {
    EXTERNAL_REAL,
    EXTERNAL_INTEGER, // also Boolean and enumerations
    EXTERNAL_STRING,  // scalars only
    EXTERNAL_OBJECT   // scalars only
} external_kind;

typedef struct external_value {
    uint8_t kind;     // external_kind
    uint8_t n_dims;   // 0: a scalar
    int n;            // scalars
    double *at;       // numbers; arrays by rows (Fortran: by columns)
    const char *text; // EXTERNAL_STRING
    void *object;     // EXTERNAL_OBJECT; NULL: it could not be made
    bool out;         // it is a result
} external_value;

enum { EXTERNAL_WHY = 400, EXTERNAL_ARGS = 32, EXTERNAL_RANDOM = 17 };

typedef struct external_call {
    const struct external_function *f;
    external_value *arg;
    int n_args;
    double *result;   // the number it returns
    const char *text; // or the text; lives as long as the arena
    void *object;     // or the object that it has made
    mem *m;           // of what an object needs
    uint64_t *random; // EXTERNAL_RANDOM words that the run keeps; NULL: there is no run
    struct arena *a;  // of texts that it returns; NULL while a model runs: there are none then
    char *why;        // EXTERNAL_WHY bytes: what went wrong
} external_call;

/* False: it has no value, and *why says so. Results among its arguments are written in place; of a
 * String the member `text`. */
typedef bool external_value_of(external_call *c);

typedef struct external_function {
    const char *name;
    /* Its parameters, first what it returns: v nothing, r Real, i Integer, s String, o object; upper
     * case: an array of them. */
    const char *types;
    external_value_of *value;
    /* d result / d arg[k] to d[k] for every Real scalar argument; NULL: its derivative is not known
     * here. */
    bool (*slopes)(external_call *c, double *d);
    void (*release)(const struct external_function *f, mem *m,
                    void *object); // the end of objects that it makes, or takes
    /* Of a library that includes its sources: the function is meant only where the annotation
     * Include of the clause names this file; NULL: everywhere. */
    const char *include;
    bool reads; // files only: though impure, it may be executed when the model is flattened
    /* Of a function in a library of the user: its code, that which ends an object, and whether all
     * arguments are passed by address (Fortran). */
    void *symbol, *destroy;
    bool by_reference;
    void *host, *destroy_host; // vincolo_host() of code that was compiled here; NULL: it was not
} external_function;

/* The function of this name; NULL: there is none. */
const external_function *external_find(const char *name);

/* A function in a library that the user has. */
typedef struct external_wish {
    const char *name;
    const char *destructor;   // of a constructor; NULL: it is none
    const char *const *files; // where to look, in order; none: in this process
    int n_files;
    void *library, *destroy_library; // ... or in these, which external_build gave
    char returns;                    // as in external_function.types
    bool by_reference;
} external_wish;
/* NULL: why (EXTERNAL_WHY bytes) says what stands in the way. The library stays loaded. */
const external_function *external_load(struct arena *a, const external_wish *w, char *why);

/* Code in C that a model brings along. */
typedef struct external_source {
    const char *text;           // Include
    const char *const *folders; // of what it includes
    int n_folders;
    const char *const *files; // libraries that it needs
    int n_files;
} external_source;
/* The library that the compiler of the system makes of it; NULL: why (EXTERNAL_WHY bytes) says what
 * stands in the way. A file is written and a process started. The library stays loaded. */
void *external_build(struct arena *a, const external_source *s, char *why);

/* ---- routines -------------------------------------------------------------------------------- */

/* A scalar: argument `from` of the routine, or with from < 0 a number or the text. */
typedef struct external_scalar {
    int from;
    double number;
    const char *text;
} external_scalar;

typedef struct external_place {
    uint8_t kind, n_dims;
    bool out;     // a result
    int first, n; // its scalars
} external_place;

enum { EXTERNAL_RETURNED = -1 };

typedef struct external_routine {
    const external_function *f;
    const char *name; // of the function in Modelica
    int n_in, n_out;  // scalars of the function in Modelica
    int n_args;
    const external_place *args;
    int n_scalars; // of all arguments together
    const external_scalar *scalars;
    const int *results; // of each scalar output: its place among the scalars, or EXTERNAL_RETURNED
    /* A constructor: one more argument, the number of its object; it gives that number. */
    bool constructs;
} external_routine;

/* The routine as the tape calls it. r outlives it. */
tape_function external_tape_function(const external_routine *r);
/* Once, without arguments that are not known and without a run: at compile time. Of a String, words
 * has what comes out. False: it has no value, and why (EXTERNAL_WHY bytes) says so. */
bool external_once(const external_routine *r, double *out, const char **words, struct arena *a,
                   char *why);

/* ---- runs ------------------------------------------------------------------------------------ */

/* What the routines of one run keep. It belongs to one thread at a time. */
typedef struct external_run external_run;
int external_run_new(mem *m, int n_objects, external_run **out); // VINC_OK, VINC_E_MEMORY
void external_run_free(external_run *run);  // every object is released; NULL is fine
void external_run_begin(external_run *run); // objects of an earlier run are released
/* Why object k could not be made, or the last call failed (k < 0); NULL: it was not so. */
const char *external_why(const external_run *run, int k);

double external_code(const char *words); // a text as a scalar of a routine

#endif
