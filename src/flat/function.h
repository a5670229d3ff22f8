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
#ifndef FLAT_FUNCTION_H
#define FLAT_FUNCTION_H

#include "flat/scope.h"

/* Variables with this index or above are formal arguments of functions, not variables of the model.
 * They occur only in bodies of functions. */
enum { FUNCTION_FORMAL = 1 << 28 };

/* ---- for the evaluator ----------------------------------------------------------------------- */

value function_call(const scope *s, inst_class *cls, const ast_call *c, span at);
value function_construct(const scope *s, inst_class *cls, const ast_call *c, span at); // a record
/* A function that is the value of a variable or argument. */
value function_call_value(const scope *s, const value *f, const ast_call *c, span at);
value function_partial(const scope *s, const ast_expr *e); // function f(a = 1)
/* Operators of records; b is NULL for unary ones. */
value function_overload(const scope *s, ast_op op, const value *a, const value *b, span at);
value function_sum(const scope *s, const value *v, span at); // of an array of records
value function_overload_string(const scope *s, const value *v, const ast_call *c, span at);

/* ---- for instantiation ----------------------------------------------------------------------- */

/* A call that stands alone, for its effect: *call is a CALL node to be kept, or 0 when there is
 * nothing to do; *message is set instead when the function does no more than report an error. */
bool function_effect(const scope *s, const ast_expr *e, expr *call, expr *message);

/* The fields of a record class, as values know them; the same pointer for the same class. */
const value_record *function_record(flat_builder *b, inst_class *cls);

/* Set the members of the pool's context that concern functions; context.user must be the model. */
void function_attach(flat_model *m);

/* ---- for the printer (function_text.c) ------------------------------------------------------- */

/* Declarations of all functions and record types that calls in the model need, as text that stands
 * in the model. */
void function_print_all(const flat_model *m, text *out);
/* How a call is written: expr_context.call_text. */
const char *function_call_text(const flat_model *m, int function, int output, int k);

#endif
