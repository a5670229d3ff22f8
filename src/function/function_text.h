/* How functions are printed: declarations and calls. Private to this room.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUNCTION_FUNCTION_TEXT_H
#define FUNCTION_FUNCTION_TEXT_H

#include "function/function_def.h"

/* The declaration of a function or record; made when first asked. */
flat_text *function_text_of(flat_builder *b, function_def *f);
/* A copy of the class with names from outside replaced, in a; NULL when that is not possible. */
const ast_class *function_clone(flat_builder *b, function_def *f, flat_text *t, arena *a);

/* A class as text, for the flat model; NULL for NULL. */
const char *function_printed(flat_builder *b, const ast_class *cls);

/* A function with the same inputs and only output o, for calls that need a further output: the
 * language can name only the first one in an expression. */
const ast_class *function_clone_output(flat_builder *b, function_def *f, flat_text *t, int o,
                                       arena *a);

/* How calls of a kept function are printed. */
const flat_pieces *function_pieces_of(flat_builder *b, function_def *f, const function_version *v);

/* ---- function_operators.c -------------------------------------------------------------------- */

/* The class of the record that an expression of f is a value of, or an array of; NULL: it is something else. */
inst_class *function_operand(const scope *s, const function_def *f, const ast_expr *e);
/* Does this call of a record's name go to a constructor that it declares, and not field by field? */
bool function_calls_constructor(const scope *s, inst_class *cls, const ast_call *c);
/* From now on the record is printed with its operators; false: they cannot be written down. */
bool function_print_operators(flat_builder *b, inst_class *cls);

#endif
