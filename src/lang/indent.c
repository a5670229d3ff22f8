/* Lines moved to where the nesting of classes and statements puts them.
 *
 * Nothing but blanks at the beginnings and ends of lines is changed, so that comments stay where they are
 * and the text means what it meant. A line on which a statement begins is indented by the depth of its
 * block; the lines that go on with it move along, so that what its author has aligned stays aligned. Inside
 * strings and comments of many lines nothing moves. A text that was indented once stays as it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang.h"
#include "lang/lexer.h"

#include <string.h>

enum { WIDTH = 2, TAB = 8, BLOCKS_MOST = 200 };

typedef enum naming { NO_NAME, NAME_COMES, NAME_IS_HERE } naming; // of a class that may begin

typedef struct indenter {
    const char *s;
    text *out;
    int depth;      // of blocks
    int nest;       // of brackets
    int expression; // `then` that belong to expressions
    bool fresh;     // a statement begins with the next token
    bool head;      // after the name of a class: its comment may follow
    naming naming;
    long shift; // of the statement's first line
    int failed; // blocks that end and did not begin, or are too deep
} indenter;

/* ---- what a token does to the depth ----------------------------------------------------------- */

static bool begins_class(token_kind k)
{
    static const uint8_t kinds[] = {TOK_MODEL,     TOK_BLOCK, TOK_PACKAGE,  TOK_CLASS,   TOK_RECORD,
                                    TOK_CONNECTOR, TOK_TYPE,  TOK_FUNCTION, TOK_OPERATOR};
    return memchr(kinds, k, sizeof kinds) != NULL;
}

static bool is_section(token_kind k)
{
    static const uint8_t kinds[] = {TOK_EQUATION, TOK_ALGORITHM, TOK_PUBLIC, TOK_PROTECTED,
                                    TOK_INITIAL};
    return memchr(kinds, k, sizeof kinds) != NULL;
}

static bool is_between(token_kind k) // the branches of a statement
{
    return k == TOK_ELSE || k == TOK_ELSEIF || k == TOK_ELSEWHEN;
}

static void indent_deeper(indenter *x)
{
    x->failed += x->depth == BLOCKS_MOST;
    x->depth++;
}

/* Before a token: does a statement begin with it? */
static void indent_before(indenter *x, token_kind k)
{
    if (x->nest) return;
    if (x->naming == NAME_IS_HERE) {
        x->naming = NO_NAME;
        if (k != TOK_EQUALS) x->head = true, indent_deeper(x);
    }
    if (x->head && k != TOK_STRING && k != TOK_PLUS && k != TOK_LPAREN) {
        x->head = false;
        x->fresh = true;
    }
}

/* A token with which a statement begins. */
static void indent_begin(indenter *x, token_kind k)
{
    x->fresh = is_section(k) || k == TOK_ELSE;
    if (k == TOK_IF || k == TOK_FOR || k == TOK_WHEN || k == TOK_WHILE) indent_deeper(x);
    if (k != TOK_END) return;
    x->failed += x->depth == 0;
    x->depth -= x->depth > 0;
}

static void indent_after(indenter *x, token_kind k, bool began)
{
    bool opens = k == TOK_LPAREN || k == TOK_LBRACKET || k == TOK_LBRACE;
    bool closes = k == TOK_RPAREN || k == TOK_RBRACKET || k == TOK_RBRACE;
    if (opens) x->nest++;
    if (closes && x->nest) x->nest--;
    if (x->nest || closes) return;
    if (began) indent_begin(x, k);
    else if (k == TOK_IF || k == TOK_ELSEIF) x->expression++;
    if (k == TOK_LOOP) x->fresh = true;
    if (k == TOK_THEN) x->fresh = x->expression == 0, x->expression -= x->expression > 0;
    if (k == TOK_SEMICOLON) x->fresh = true, x->expression = 0;
    if (begins_class(k)) x->naming = NAME_COMES;
    else if (k == TOK_IDENT && x->naming == NAME_COMES) x->naming = NAME_IS_HERE;
}

/* ---- lines ------------------------------------------------------------------------------------ */

static long column_of(const char *from, const char *to)
{
    long column = 0;
    for (; from < to; from++) column = *from == '\t' ? (column / TAB + 1) * TAB : column + 1;
    return column;
}

static void write_blanks(indenter *x, long n)
{
    for (long i = 0; i < n; i++) text_char(x->out, ' ');
}

/* The beginning of a line that is `column` wide now. next: the token that stands first in it; a comment
 * stands where the next statement of its block would. */
static void indent_line(indenter *x, long column, token_kind next)
{
    long level = x->depth;
    if (x->fresh && !x->nest) {
        if (level && (next == TOK_END || is_section(next) || is_between(next))) level--;
        x->shift = level * WIDTH - column;
    }
    write_blanks(x, column + x->shift > 0 ? column + x->shift : 0);
}

/* The end of a comment that begins at s. */
static const char *comment_end(const char *s, const char *end)
{
    if (s[1] == '/') {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        return stop ? stop : end;
    }
    const char *at = s + 2;
    while (at + 1 < end && !(at[0] == '*' && at[1] == '/')) at++;
    return at + 2 < end ? at + 2 : end;
}

static void write_comment(indenter *x, const char *s, const char *end)
{
    while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    text_add_n(x->out, s, (size_t)(end - s));
}

/* Blanks, line ends and comments between two tokens. first: the first line of the text begins here. */
static void indent_gap(indenter *x, const char *s, const char *end, token_kind next, bool first)
{
    const char *line = first ? s : NULL; // where a line begins of which only blanks were seen
    while (s < end) {
        const char *blank = s;
        while (s < end && (*s == ' ' || *s == '\t' || *s == '\r')) s++;
        if (s < end && *s == '\n') {
            text_char(x->out, *s++);
            line = s;
            continue;
        }
        if (s == end && next == TOK_EOF) return;
        if (line) indent_line(x, column_of(line, s), s < end ? TOK_NONE : next);
        else text_add_n(x->out, blank, (size_t)(s - blank));
        line = NULL;
        if (s == end) return;
        const char *stop = comment_end(s, end);
        write_comment(x, s, stop);
        s = stop;
    }
    if (line && next != TOK_EOF) indent_line(x, 0, next);
}

bool lang_indent(const source *src, sym_table *syms, diag_sink *diags, text *out)
{
    lexer lx;
    indenter x = {.s = src->text, .out = out, .fresh = true};
    uint32_t at = 0;
    if (!lexer_init(&lx, src, syms, diags)) return false;
    for (;;) {
        token t = lexer_next(&lx);
        if (lx.broken || lx.garbled || x.failed) return false;
        indent_before(&x, t.kind);
        indent_gap(&x, src->text + at, src->text + t.begin, t.kind, !at);
        if (t.kind == TOK_EOF) break;
        text_add_n(out, src->text + t.begin, t.end - t.begin);
        at = t.end;
        bool began = x.fresh && !x.nest;
        if (began) x.fresh = false;
        indent_after(&x, t.kind, began);
    }
    return x.depth == 0 && x.nest == 0;
}
