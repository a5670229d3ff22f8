/* Which operation has no value at a point, and why: for messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_UNDEFINED_H
#define RUN_UNDEFINED_H

#include "flat/flat_function.h"
#include "routine/routine.h"
#include "run/state.h"

enum { UNDEFINED_NAMED = 8 }; // variables that are told with their values

typedef struct run_undefined {
    uint8_t op;                         // expr_op; EXPR_VAR: an unknown that is no number itself
    double x[3], value;                 // operands, all finite, and what became of them
    const structure *in;                // all expressions here are of its pool
    expr e;                             // the operation, or the call of the function in which it is
    const char *function;               // that function; NULL: none
    const routine_subscript *subscript; // x[0] is one of it and out of range; NULL: none is
    const routine_loop *endless;        // a loop of the function, which does not end; NULL: none is
    const char *said;                   // by the function: text of a call of error(); NULL: nothing
    const char *why;                    // what an external function says; NULL: nothing
    routine_cause integral;             // why an integral has no value, if it is one
    expr lhs, rhs;  // of the equation; rhs 0: lhs is an expression that stands alone
    int derivative; // of the equation, in which it is
    int solved_for; // entry for which the equation was solved to come to e; -1: as written
    span at;        // of the equation
    double t;       // NaN: it does not depend on time
    int n_named;
    expr named[UNDEFINED_NAMED]; // variables in the operation, or in the equation
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
    run_undefined of; // the equation and the variables in it
    int entry;        // the unknown
    bool fold;        // near here the equation hardly depends on it, and does on others
    double slope;     // how it does
} run_unsolved;
bool run_find_unsolved(const run_state *s, int component, double t, const double *y,
                       const double *yp, arena *scratch, run_unsolved *out);
void unsolved_text(const run_state *s, const run_unsolved *u, text *out);

void undefined_text(const run_state *s, const run_undefined *u, text *out); // a sentence
/* As an error at the line of the equation, with the values of the variables in it and a way out. */
void undefined_tell(const run_state *s, const run_undefined *u, const char *code, diag_sink *sink);

#endif
