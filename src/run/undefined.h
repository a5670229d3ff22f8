/* Which operation has no value at a point, and why: for messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_UNDEFINED_H
#define RUN_UNDEFINED_H

#include "routine/routine.h"
#include "run/state.h"

enum { UNDEFINED_NAMED = 8, UNDEFINED_LETTERS = 160 };
typedef char undefined_words[UNDEFINED_LETTERS];

typedef struct run_undefined {
    undefined_words operation; // in Modelica
    uint8_t op;                // expr_op; EXPR_VAR: an unknown that is no number itself
    double x[3], value;        // operands, all finite, and what became of them
    const char *function;      // in which the operation is; NULL: none
    routine_cause cause;       // what the function tells
    const char *why;           // what an external function says; NULL: nothing
    undefined_words
        equation; // that was solved for an unknown to come to the operation; "": it is as written
    undefined_words unknown;  // ... which
    span at;                  // of the equation
    double t;                 // NaN: it does not depend on time
    undefined_words variable; // that the equation gives; "": not known
    int n_named;
    undefined_words named[UNDEFINED_NAMED]; // variables in the operation, or in the equation
    double values[UNDEFINED_NAMED];
} run_undefined;

/* Looked for in all equations at a point; while initial() is true in the initial ones, too. False:
 * everything has a value. */
bool run_find_undefined(const run_state *s, double t, const double *y, const double *yp,
                        arena *scratch, run_undefined *out);
bool undefined_at(const run_state *s, double t, const double *y, const double *yp, const double *w,
                  arena *scratch, run_undefined *out); // with other values of w
/* At the point where the run found last that something has no value, if it is not before t. */
bool run_undefined_last(const run_state *s, double t, arena *scratch, run_undefined *out);
/* In the values of parameters. */
bool run_find_undefined_parameter(const run_state *s, arena *scratch, run_undefined *out);

/* The equation by which a component of y is found, and what its variables are. */
typedef struct run_unsolved {
    run_undefined of; // the equation, the unknown and the variables
    bool fold;        // near here the equation hardly depends on it, and does on others
    double slope;     // how it does
} run_unsolved;
bool run_find_unsolved(const run_state *s, int component, double t, const double *y,
                       const double *yp, arena *scratch, run_unsolved *out);
void unsolved_text(const run_state *s, const run_unsolved *u, text *out);

void undefined_text(const run_undefined *u, text *out); // a sentence
/* As an error at the line of the equation, with the values of the variables in it and a way out. */
void undefined_tell(const run_state *s, const run_undefined *u, const char *code, diag_sink *sink);

#endif
