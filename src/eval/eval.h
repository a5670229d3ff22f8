/* The evaluator: an expression of the syntax tree, evaluated in a scope, gives a value.
 *
 *   eval_expr.c      expressions: operators, references, subscripts, choices, ranges
 *   eval_call.c      who is called, arguments, comprehensions and reductions
 *   builtin*.c       built-in functions and operators with function syntax (builtin.h)
 *   eval_string.c    conversions: String(...), Integer(e), E(i)
 *   eval_walk.c      visiting references
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "eval/scope.h"

/* ---- for the rooms above: false after one message -------------------------------------------- */

/* The value of an expression. */
bool eval_expr(const scope *s, const ast_expr *e, value *out);
/* The same with parameters replaced, for sizes, conditions and ranges. */
bool eval_structural(const scope *s, const ast_expr *e, value *out);
/* A literal Integer or Boolean is needed; `what` names the purpose in the message, such as "the
 * size of 'x'". */
bool eval_integer(const scope *s, const ast_expr *e, const char *what, int64_t *out);
bool eval_boolean(const scope *s, const ast_expr *e, const char *what, bool *out);

/* A call with all its outputs, as the right side of (a, b) = f(x): a VALUE_TUPLE unless the
 * function has exactly one. Only for AST_CALL. */
bool eval_outputs(const scope *s, const ast_expr *e, value *out);
/* The vector that an iterator runs through. Without a range it is deduced from the subscripts the
 * iterator is used in, in the expression or in the statements (either may be NULL). */
bool eval_iterator(const scope *s, const ast_iterator *it, const ast_expr *in,
                   const ast_stmts *body, value *out);

/* One subscript for a dimension of the given size (Boolean and enumeration subscripts included);
 * `what` is the array's name for messages. s->end is set inside. */
bool eval_subscript(const scope *s, const ast_expr *e, int size, const char *what, subscript *out);

/* To s->b->checks, under s->b->guard: those of n subscripts that are known only during the run. */
void eval_check_subscripts(const scope *s, const char *array, const subscript *subs,
                           const int *dims, int n, span at);
void eval_add_check(flat_builder *b, scope_check c);
void eval_guard(flat_builder *b, expr c); // what follows counts only where c holds, too

/* ---- inside, and for functions: an error value means that the reason has been reported -------- */

/* Expressions under evaluation, one inside the other: what the stack must hold. */
enum { EVAL_NESTING = 2000 };

static inline const value_env *eval_env(const scope *s)
{
    return &s->b->env;
}

value eval_value(const scope *s, const ast_expr *e);
/* Parameters replaced by their values where the plain value is not a literal. */
value eval_literal(const scope *s, const ast_expr *e);
/* A call with all its outputs: VALUE_TUPLE if there are several or none. */
value eval_call(const scope *s, const ast_expr *e);
/* { e for iterators } when reduce is NULL, else sum, product, min, max. */
value eval_reduction(const scope *s, const char *reduce, const ast_expr *e,
                     const ast_iterators *iters, span at);
/* Subscripts applied to a value that is already there. */
value eval_index(const scope *s, value v, const ast_exprs *subs, const char *name, span at);
const value *eval_local(const scope *s, sym name); // among s->names, or NULL

/* A built-in function (eval/builtin.h); NULL when there is none of this name. */
typedef struct eval_builtin eval_builtin;
const eval_builtin *eval_find_builtin(const char *name);
value eval_call_builtin(const scope *s, const eval_builtin *f, const ast_call *call, span at);
/* All names of built-in functions in order, for "did you mean". */
int eval_builtin_names(arena *a, const char *const **names);

/* Visit every component reference, those in subscripts included; names of functions are not
 * visited. */
typedef void eval_visit(void *user, const ast_ref *r);
void eval_each_ref(const ast_expr *e, eval_visit *visit, void *user);
void eval_each_ref_in(const ast_stmts *body, eval_visit *visit, void *user);

/* String(v, options): see eval_string.c for the order of the arguments. */
value eval_to_string(const scope *s, const ast_call *call, span at);
/* Integer(e), and the inverse E(i). */
value eval_to_integer(const scope *s, value v, span at);
value eval_to_enum(const scope *s, int enum_id, value v, span at);

/* Raise b->work and b->depth; false after a message when a limit is reached. */
bool eval_work(const scope *s, int64_t amount, span at);
bool eval_enter(const scope *s, span at); // pair with eval_leave when true
static inline void eval_leave(const scope *s)
{
    s->b->depth--;
}

/* Take back what was reported since the mark. */
void eval_forget(const scope *s, const diag_sink *mark);

/* "... depends on 'x', which is not a constant or parameter". */
value eval_not_literal(const scope *s, const char *what, const value *v, span at);

#endif
