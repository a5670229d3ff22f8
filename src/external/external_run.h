/* Calls of functions in C, and the objects of a run: what a model needs to run, and no more. The writer of
 * FMUs puts these files into sources as they are, so that they are C99 and need mem.h only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_EXTERNAL_RUN_H
#define EXTERNAL_EXTERNAL_RUN_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

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
    /* Of a function that makes objects: the run keeps its steps up to t, at which the object was asked last. NULL:
     * it need not know. */
    void (*passed)(void *object, double t);
    /* Of a library that includes its sources: the function is meant only where the annotation
     * Include of the clause names this file; NULL: everywhere. */
    const char *include;
    bool reads; // files only: though impure, it may be executed when the model is flattened
    /* Of a function in a library of the user: its code, that which ends an object, and whether all
     * arguments are passed by address (Fortran). */
    void *symbol, *destroy;
    bool by_reference;
    void *host, *destroy_host; // vincolo_host() of code that was compiled here; NULL: it was not
    const struct external_wish *wish; // by which it is found again
} external_function;

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

/* ---- runs ------------------------------------------------------------------------------------ */

/* What the routines of one run keep. It belongs to one thread at a time. */
typedef struct external_run external_run;
int external_run_new(mem *m, int n_objects, external_run **out); // VINC_OK, VINC_E_MEMORY
void external_run_free(external_run *run); // every object is released; NULL is fine
/* Whoever has made the run keeps something of its own in it, for routines that are not in C. */
void external_run_lend(external_run *run, void *lent);
void *external_run_lent(const external_run *run); // NULL: nothing, or there is no run
void external_run_begin(external_run *run);       // objects of an earlier run are released
/* How many operations a routine may take: `most`, and ever fewer after routines that did not end within
 * theirs, so that a search among values at which a loop has no end does not last. run: NULL is fine. */
int64_t external_patience(const external_run *run, int64_t most);
void external_endless(external_run *run); // a routine did not end
/* Has it an object that is to know of steps that are kept? And then one is, up to t. */
bool external_run_listens(const external_run *run);
void external_run_passed(external_run *run, double t);
/* Why object k could not be made, or the last call failed (k < 0); NULL: it was not so. */
const char *external_why(const external_run *run, int k);

/* What object k was made by, and from which arguments; NULL: it was not. */
const external_routine *external_made(const external_run *run, int k, const double **in);

double external_code(const char *words); // a text as a scalar of a routine

/* ---- calls ----------------------------------------------------------------------------------- */

/* Calls of a routine, as tapes make them (tape_function.value and partials). */
void external_plain_call(void *routine, void *run, const double *in, double *out);
void external_slopes(void *routine, void *run, const uint8_t *active, const double *in,
                     double *jac);
void external_constructor(void *routine, void *run, const double *in, double *out);

/* Fill scalars and arguments; false: an object that it needs is not there, and why says so. */
bool external_lay_out(const external_routine *r, const external_run *run, const double *in,
                      double *scalars, external_value *args, char *why);
void external_give(const external_routine *r, const double *scalars, double returned, double *out);

#endif
