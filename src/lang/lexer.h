/* Modelica text to tokens, one at a time. Internal to lang.
 *
 * Modelica Language Specification 3.6, appendix A.1. Positions are offsets in the file; the base of
 * the file is added when a span is made. Mistakes are reported where they stand and the lexer goes
 * on with the token that was probably meant.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_LEXER_H
#define LANG_LEXER_H

#include "base/diag.h"

/* Keywords: name and spelling, in alphabetical order (the lexer searches by first letter). */
#define LANG_KEYWORDS(X)                                                                           \
    X(ALGORITHM, "algorithm")                                                                      \
    X(AND, "and")                                                                                  \
    X(ANNOTATION, "annotation")                                                                    \
    X(BLOCK, "block")                                                                              \
    X(BREAK, "break")                                                                              \
    X(CLASS, "class")                                                                              \
    X(CONNECT, "connect")                                                                          \
    X(CONNECTOR, "connector")                                                                      \
    X(CONSTANT, "constant")                                                                        \
    X(CONSTRAINEDBY, "constrainedby")                                                              \
    X(DER, "der")                                                                                  \
    X(DISCRETE, "discrete")                                                                        \
    X(EACH, "each")                                                                                \
    X(ELSE, "else")                                                                                \
    X(ELSEIF, "elseif")                                                                            \
    X(ELSEWHEN, "elsewhen")                                                                        \
    X(ENCAPSULATED, "encapsulated")                                                                \
    X(END, "end")                                                                                  \
    X(ENUMERATION, "enumeration")                                                                  \
    X(EQUATION, "equation")                                                                        \
    X(EXPANDABLE, "expandable")                                                                    \
    X(EXTENDS, "extends")                                                                          \
    X(EXTERNAL, "external")                                                                        \
    X(FALSE, "false")                                                                              \
    X(FINAL, "final")                                                                              \
    X(FLOW, "flow")                                                                                \
    X(FOR, "for")                                                                                  \
    X(FUNCTION, "function")                                                                        \
    X(IF, "if")                                                                                    \
    X(IMPORT, "import")                                                                            \
    X(IMPURE, "impure")                                                                            \
    X(IN, "in")                                                                                    \
    X(INITIAL, "initial")                                                                          \
    X(INNER, "inner")                                                                              \
    X(INPUT, "input")                                                                              \
    X(LOOP, "loop")                                                                                \
    X(MODEL, "model")                                                                              \
    X(NOT, "not")                                                                                  \
    X(OPERATOR, "operator")                                                                        \
    X(OR, "or")                                                                                    \
    X(OUTER, "outer")                                                                              \
    X(OUTPUT, "output")                                                                            \
    X(PACKAGE, "package")                                                                          \
    X(PARAMETER, "parameter")                                                                      \
    X(PARTIAL, "partial")                                                                          \
    X(PROTECTED, "protected")                                                                      \
    X(PUBLIC, "public")                                                                            \
    X(PURE, "pure")                                                                                \
    X(RECORD, "record")                                                                            \
    X(REDECLARE, "redeclare")                                                                      \
    X(REPLACEABLE, "replaceable")                                                                  \
    X(RETURN, "return")                                                                            \
    X(STREAM, "stream")                                                                            \
    X(THEN, "then")                                                                                \
    X(TRUE, "true")                                                                                \
    X(TYPE, "type")                                                                                \
    X(WHEN, "when")                                                                                \
    X(WHILE, "while")                                                                              \
    X(WITHIN, "within")

#define LANG_SYMBOLS(X)                                                                            \
    X(LPAREN, "(")                                                                                 \
    X(RPAREN, ")")                                                                                 \
    X(LBRACKET, "[")                                                                               \
    X(RBRACKET, "]")                                                                               \
    X(LBRACE, "{")                                                                                 \
    X(RBRACE, "}")                                                                                 \
    X(COMMA, ",")                                                                                  \
    X(SEMICOLON, ";")                                                                              \
    X(COLON, ":")                                                                                  \
    X(ASSIGN, ":=")                                                                                \
    X(EQUALS, "=")                                                                                 \
    X(DOT, ".")                                                                                    \
    X(PLUS, "+")                                                                                   \
    X(MINUS, "-")                                                                                  \
    X(STAR, "*")                                                                                   \
    X(SLASH, "/")                                                                                  \
    X(CARET, "^")                                                                                  \
    X(DOT_PLUS, ".+")                                                                              \
    X(DOT_MINUS, ".-")                                                                             \
    X(DOT_STAR, ".*")                                                                              \
    X(DOT_SLASH, "./")                                                                             \
    X(DOT_CARET, ".^")                                                                             \
    X(LT, "<")                                                                                     \
    X(LE, "<=")                                                                                    \
    X(GT, ">")                                                                                     \
    X(GE, ">=")                                                                                    \
    X(EQ, "==")                                                                                    \
    X(NE, "<>")

typedef enum token_kind {
    TOK_NONE, // matches nothing: what the parser sees after an error, until it recovers
    TOK_EOF,
    TOK_IDENT,
    TOK_INTEGER,
    TOK_REAL,
    TOK_STRING,
#define X(name, text) TOK_##name,
    LANG_KEYWORDS(X) LANG_SYMBOLS(X)
#undef X
        TOK_COUNT
} token_kind;

enum { TOK_FIRST_KEYWORD = TOK_ALGORITHM, TOK_LAST_KEYWORD = TOK_WITHIN };

typedef struct token {
    uint8_t kind;        // token_kind
    bool first_on_line;  // a line break stands before it
    bool many_lines;     // a string that goes over the end of its line
    uint32_t begin, end; // offsets in the file
    union {
        sym name;        // TOK_IDENT
        int64_t integer; // TOK_INTEGER
        double real;     // TOK_REAL
    };
} token;

typedef struct lexer {
    const char *text; // NUL-terminated, no NUL inside
    uint32_t n, at, base;
    sym_table *syms;
    diag_sink *diags;
    bool told_utf8;          // one message about the encoding per file
    bool broken;             // a string or comment does not end: no sense in asking for more
    bool garbled;            // something was left out or cut: what follows it is not to blame
    bool lost_quote;         // the parser has found a missing quote: the last one has no partner
    uint8_t keyword[26 + 1]; // where the keywords with this first letter begin
} lexer;

/* False, with a diagnostic, when the text is no text at all (NUL bytes, UTF-16). */
bool lexer_init(lexer *lx, const source *src, sym_table *syms, diag_sink *diags);
token lexer_next(lexer *lx);
const char *token_text(token_kind kind); // spelling of keywords and symbols, or a word for the rest

/* The double nearest to the decimal number s (n bytes: digits, point, exponent), whatever the
 * locale; infinity when it is too large. */
double lexer_real(const char *s, size_t n);

#endif
