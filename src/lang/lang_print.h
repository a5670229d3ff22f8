/* What the two files of the printer share. Internal to lang.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_PRINT_H
#define LANG_PRINT_H

#include "lang/lang.h"

void print_exprs(ast_exprs list, text *out);      // a, b, c
void print_subscripts(ast_exprs list, text *out); // [a, b], or nothing
void print_iterators(ast_iterators list, text *out);
void print_comment(ast_string s, text *out);        // with a space before it, or nothing
void print_annotation(const ast_mod *m, text *out); // likewise
void print_flags(uint16_t flags, text *out);        // redeclare ... partial, each with a space

/* Without the prefixes that stand before it and without a semicolon. */
void print_component(const ast_component *c, text *out);
void print_class(const ast_class *c, int indent, text *out);

/* Left of '=': anything but a bare if-expression. */
void print_simple_expr(const ast_expr *e, text *out);

#endif
