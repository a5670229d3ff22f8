/* The parser's state and what its files share. Internal to lang.
 *
 * Recursive descent, one function per production, one token of lookahead (two at "initial" and
 * "end"). After an error the parser is *stuck*: the current token becomes TOK_NONE, which matches
 * nothing, so that every production returns without consuming or reporting anything more; the
 * nearest list of elements, equations or statements then calls parse_recover, which skips to the
 * next ';' or 'end'. What is understood for certain (a missing ';', '=' for ':=') is complained
 * about without getting stuck.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include "lang/lang.h"
#include "lang/lexer.h"

typedef struct parser {
    lexer lx;
    arena *a;
    token tok, prev;             // current token, last consumed token
    token ahead;                 // the one after tok, if has_ahead
    token held;                  // the real current token while stuck
    bool has_ahead, stuck, quit; // quit: report nothing more
    bool told_end;               // an error at the end of the file was reported: one is enough
    bool implied_equation;       // equations follow, though 'equation' was forgotten
    bool assume_semicolon;       // a forgotten "end if" stands for its ';' too
    int errors_before;           // in the sink, from other files
    int depth;                   // of nesting
    int in_subscripts;           // > 0: "end" is an expression
    char *stack;                 // lists under construction, innermost on top
    size_t top, cap;
    ast_file *file;
    ast_class *cls;         // innermost open class
    sym der, initial, pure; // names of the built-in callees
} parser;

/* A parser at this place of a text; false, with a diagnostic, when it is no text. */
bool parse_begin(parser *p, const source *src, uint32_t at, arena *a, sym_table *syms,
                 diag_sink *diags);

/* ---- tokens ---------------------------------------------------------------------------------- */

void parse_next(parser *p);
token_kind parse_peek(parser *p); // kind of the token after the current one
bool parse_accept(parser *p, token_kind kind);
/* Consume this token or report that it is missing: "expected ')' after WHERE, found ...". */
bool parse_expect(parser *p, token_kind kind, const char *where);
span parse_span(const parser *p, token t);
span parse_since(const parser *p, uint32_t begin); // from there to the last consumed token

/* IDENT; NULL after an error. what: "the name of the class". */
sym parse_ident(parser *p, span *at, const char *what);

/* ---- errors ---------------------------------------------------------------------------------- */

/* Report and get stuck; false when nothing was reported because of an earlier error, so that notes
 * are attached only to their own message. */
bool parse_error(parser *p, const char *code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "expected WHAT, found TOKEN" at the current token. */
bool parse_unexpected(parser *p, const char *what);
/* Report and go on. */
bool parse_complain(parser *p, const char *code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The ';' at the end of WHAT; a missing one at the end of a line is assumed. */
void parse_semicolon(parser *p, const char *what);
void parse_recover(parser *p);
/* After an error in a clause head: go on at this token if it comes before the next ';'. */
void parse_recover_at(parser *p, token_kind kind);
/* Go back to a token that was the current one. */
void parse_rewind(parser *p, token t);
/* How far a place is indented, to guess what belongs together. */
int parse_column(const parser *p, uint32_t at);
/* Enter a level of nesting; false, with an error, when there are too many. */
bool parse_enter(parser *p);
void parse_leave(parser *p);
/* The current token in words, for messages. */
const char *parse_found(parser *p);

/* ---- lists: push items on a stack, then take what was pushed since a mark into the arena ----- */

void parse_push(parser *p, const void *item, size_t size);
void *parse_take(parser *p, size_t mark, size_t size, int *n);

#define PARSE_TAKE(p, mark, T, n) ((T *)parse_take((p), (mark), sizeof(T), (n)))

/* ---- productions used by more than one file -------------------------------------------------- */

ast_expr *parse_expression(parser *p);
ast_expr *parse_simple_expression(parser *p);
ast_expr *parse_primary(parser *p);
ast_ref parse_name(parser *p, const char *what);                     // name
ast_ref parse_type(parser *p, const char *what);                     // type-specifier
ast_ref parse_reference(parser *p);                                  // component-reference
ast_exprs parse_subscripts(parser *p);                               // [ array-subscripts ]
ast_exprs parse_expression_list(parser *p);                          // expression-list
ast_iterators parse_for_indices(parser *p);                          // for-indices
ast_expr *parse_make(parser *p, ast_expr_kind kind, uint32_t begin); // a new expression

ast_mod *parse_modification(parser *p);                           // [ modification ]
ast_mod *parse_class_modification(parser *p, bool inheritance);   // [ class-modification ]
ast_string parse_comment(parser *p);                              // description-string
void parse_description(parser *p, ast_string *c, ast_mod **note); // description
ast_mod *parse_annotation(parser *p);                             // [ annotation-clause ]
ast_constraint *parse_constraint(parser *p);                      // [ constraining-clause ]

ast_stmt *parse_connect(parser *p);
void parse_section_body(parser *p, ast_section *s); // { equation ; } or { statement ; }

typedef struct parse_prefix { // type-prefix
    uint8_t variability, causality, flow;
} parse_prefix;
parse_prefix parse_type_prefix(parser *p);
void parse_element_list(parser *p, uint16_t visibility); // element-list
bool parse_starts_equation(const parser *p);             // a word that begins no element
bool parse_starts_class(const parser *p);                // class-prefixes come next
uint16_t parse_prefixes(parser *p);                      // redeclare ... partial
ast_class *parse_class(parser *p, uint16_t flags, uint32_t begin, bool short_only);
/* A class begins here that stands no deeper than the one that is open: its end was forgotten. */
bool parse_forgot_end(const parser *p);
void parse_composition(parser *p, ast_class *c);
/* Pass over the body of a class, up to its 'end', to be parsed by lang_whole; false: parse it. */
bool parse_put_off(parser *p, ast_class *c);

#endif
