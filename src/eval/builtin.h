/* Built-in functions and operators with function syntax: one entry each.
 *
 * An entry says everything that is special about a function: what it is called with, what it gives,
 * where it may stand and how it is evaluated. Lookup, checks of arguments, messages and lists of
 * names follow from it. To add one, write its entry, with its function if it needs one, in the file
 * of its family; a family is a list sorted by name:
 *
 *   builtin_math.c      functions of numbers, one node per element
 *   builtin_array.c     functions of values alone: sizes, constructors, reductions, algebra
 *   builtin_event.c     derivatives, events, hints for the solver
 *   builtin_clock.c     clocks
 *   builtin_other.c     conversions, connectors, statements
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVAL_BUILTIN_H
#define EVAL_BUILTIN_H

#include "eval/eval.h"

typedef enum eval_result { // the type of the value
    RESULT_NONE,           // it has none: it stands alone
    RESULT_REAL,           // and arguments of functions of numbers are taken as Real
    RESULT_INTEGER,
    RESULT_BOOLEAN,
    RESULT_STRING,
    RESULT_CLOCK,
    RESULT_AS_ARGUMENTS // what arguments of several types have in common
} eval_result;

enum {                       // eval_builtin.flags
    BUILTIN_NAMED = 1,       // arguments may be given by name
    BUILTIN_SYNTAX = 2,      // it binds its arguments itself, from the call as it is written
    BUILTIN_IN_EQUATION = 4, // not in functions: it depends on time or events
    BUILTIN_REDUCES = 8      // sum(e for i in 1:n)
};

struct eval_builtin {
    const char *name;
    /* Names of the arguments in order. [x] may be left out; ... repeats the one before any number
     * of times; # marks one that must be known when the model is flattened (a size, a dimension). */
    const char *args;
    eval_result result;
    int flags;
    const char *section; // of the Modelica Language Specification 3.6
    const char *example; // is true; NULL: its value depends on time or on where it stands

    /* How it is evaluated: by `call` if it is there, else by `values`. */
    expr_op op; // which operator of expressions it becomes, if it is one
    value (*values)(const value_env *env, const value *args, int n, span at); // none is an error
    value (*call)(const scope *s, const eval_builtin *f, const ast_call *call,
                  const ast_expr *const *args, int n, span at);
};

typedef struct eval_family {
    const eval_builtin *at;
    int n;
} eval_family;

extern const eval_family eval_math_functions, eval_array_functions, eval_event_functions,
    eval_clock_functions, eval_other_functions;
const eval_builtin *eval_builtin_at(int i); // of all families; NULL after the last

/* The built-in function that is called, by arguments in their order alone; NULL: it is another call. */
const eval_builtin *eval_called_builtin(const scope *s, const ast_call *c);
/* Is it a function of numbers, called with one or two as it should be? Its value for scalars, then. */
bool eval_is_plain(const eval_builtin *f, int n);
value eval_plain_call(const value_env *env, const eval_builtin *f, value *v, int n, span at);

/* ---- for the files of the families ----------------------------------------------------------- */

/* "f() needs ..., not ..." unless it has been reported; an error value. */
value builtin_wrong(const scope *s, const char *name, const char *wants, const value *got, span at);
/* Apply an operator to every scalar of a value of any type, records included; `before`: its first
 * argument, 0 if it has only one. */
value builtin_map(const scope *s, expr_op op, value v, expr before);
/* sample(v, clock); clock 0: it is inferred. */
value builtin_sampled(const scope *s, value v, expr clock, span at);

#endif
