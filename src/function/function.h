/* Functions: who they are, how they are called, what a call means.
 *
 * A call is evaluated in one of four ways:
 *
 *   constant arguments     the body is executed and gives literals
 *   trivial or Inline      the body is executed on the argument expressions: the call is gone
 *   built in               external "builtin" y = sin(u): the operator
 *   anything else          EXPR_CALL nodes, one per scalar output, all scalar inputs as arguments
 *
 * Execution is symbolic: a variable holds a value, an assignment replaces it, an if whose condition
 * is not known runs both branches and merges them with if-expressions (function_run.c). A function
 * that is kept is executed once on formal arguments; the pool writes a call out by substitution
 * (inline_call), so the syntax tree is not needed after flattening.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUNCTION_FUNCTION_H
#define FUNCTION_FUNCTION_H

#include "inst/inst.h"

/* ---- verbs of a scope ------------------------------------------------------------------------ */

value function_call(const scope *s, inst_class *cls, const ast_call *c, span at);
/* A record, or an external object. */
value function_construct(const scope *s, inst_class *cls, const ast_call *c, span at);
/* A function that is the value of a variable or argument. */
value function_call_value(const scope *s, const value *f, const ast_call *c, span at);
value function_partial(const scope *s, const ast_expr *e); // function f(a = 1)
/* Operators of records; b is NULL for unary ones. */
value function_overload(const scope *s, ast_op op, const value *a, const value *b, span at);
value function_sum(const scope *s, const value *v, span at); // of an array of records
value function_overload_string(const scope *s, const value *v, const ast_call *c, span at);
/* Vincolo.integral(e for x in a:b, ...), Vincolo.solid({x, y, z, density} for ...). */
value function_integral(const scope *s, const ast_expr *e);

/* ---- for the rooms above --------------------------------------------------------------------- */

/* A call that stands alone, for its effect: *call is a CALL node to be kept, or 0 when there is
 * nothing to do; *message is set instead when the function does no more than report an error, and with
 * it when it prints that text to the screen. */
bool function_effect(const scope *s, const ast_expr *e, expr *call, expr *message);

/* Warn of variables of functions that are read before they have a value. */
void function_tell_unset(flat_builder *b);

/* A loop of an algorithm section that is executed during the run. */
typedef struct function_loop {
    expr condition;
    const flat_statements *body; // assignments, choices, assertions and calls
    int first_own;               // variables from this one on live inside of it only
    span at;
} function_loop;

/* The variables of the model that the loop assigns, and their values after it: calls of a function
 * of those before. False after a message. */
bool function_loop_call(flat_builder *b, const function_loop *l, int_array *vars,
                        int_array *values);

/* The fields of a record class, as values know them; the same pointer for the same class. */
const value_record *function_record(flat_builder *b, inst_class *cls);

#endif
