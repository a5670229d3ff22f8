/* Modelica text to syntax tree and back.
 *
 *     source text ──lang_parse──► ast_file ──lang_print──► text
 *
 * Loading of classes from files and directories is in lang/library.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_LANG_H
#define LANG_LANG_H

#include "base/diag.h"
#include "lang/ast.h"

enum {
    LANG_DEPTH = 200, // nested brackets, clauses and classes; more is an error (L010)
};

/* Parse one stored definition. The tree lives in a, names in syms; the text of src must outlive it.
 * Never NULL: errors are reported to diags and counted in n_errors, and what could be understood is
 * in the tree. Do not go on to flatten a tree with errors. */
ast_file *lang_parse(const source *src, arena *a, sym_table *syms, diag_sink *diags);

/* The same for a file of a library: bodies of classes inside classes are put off until lang_whole
 * asks for them, and so are the errors in them. */
ast_file *lang_parse_heads(const source *src, arena *a, sym_table *syms, diag_sink *diags);

/* The class with its body, which is parsed now if it was put off; NULL if that has errors, which are
 * reported once. Classes that are handed out by lang_child (lang/library.h) are whole. */
ast_class *lang_whole(ast_class *c);

/* Parse a text that is one expression; NULL after an error. */
ast_expr *lang_parse_expr(const source *src, arena *a, sym_table *syms, diag_sink *diags);

/* One token per line: line:column, kind, spelling. */
void lang_print_tokens(const source *src, sym_table *syms, diag_sink *diags, text *out);

/* Modelica text that parses to an equal tree. */
void lang_print_file(const ast_file *f, text *out);
void lang_print_class(const ast_class *c, int indent, text *out);
void lang_print_expr(const ast_expr *e, text *out);
void lang_print_ref(const ast_ref *r, text *out);
void lang_print_mod(const ast_mod *m, text *out);
void lang_print_stmt(const ast_stmt *s, int indent, text *out);
const char *lang_op_text(ast_op op);
const char *lang_restriction_text(ast_restriction r);

/* The text with its lines indented by the depth of classes and statements; nothing else is changed (indent.c).
 * False: its brackets or blocks do not end where they should, and what is in out is of no use. */
bool lang_indent(const source *src, sym_table *syms, diag_sink *diags, text *out);

/* The decoded text of a string literal or comment (escapes, CR LF to LF), NUL-terminated in a;
 * "" when there is no string. */
const char *lang_string(arena *a, ast_string s);

/* The component or class declared in c itself (not inherited, not imported) under this name, or
 * NULL. O(1) for large classes. The first of several declarations of one name wins, so an element e
 * is a duplicate if lang_element(c, its name) != e. Classes of a package that lie in other files
 * are found by lang_child (lang/library.h). */
ast_element *lang_element(ast_class *c, sym name);
sym lang_element_name(const ast_element *e); // NULL for import and extends

/* The name that n letters of a text mean: in a quoted one \? and \" are the same as ? and ". */
sym lang_name(sym_table *syms, const char *s, size_t n);

/* "A.B.C" in a. */
const char *lang_class_path(const ast_class *c, arena *a);

/* annotation(a(b = value)): the value at this path of names, or NULL. path ends with NULL. */
ast_expr *lang_annotation_value(const ast_mod *annotation, const char *const *path);
/* annotation(a(b(...))) or annotation(a(b = value)): is there anything at this path? */
bool lang_annotation_has(const ast_mod *annotation, const char *const *path);

#endif
