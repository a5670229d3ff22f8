/* The parser's core: tokens, errors, recovery, entry points.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

#include <stdio.h>
#include <string.h>

/* ---- tokens ---------------------------------------------------------------------------------- */

void parse_next(parser *p)
{
    if (p->stuck) return;
    p->prev = p->tok;
    if (p->has_ahead) {
        p->tok = p->ahead;
        p->has_ahead = false;
    } else p->tok = lexer_next(&p->lx);
}

token_kind parse_peek(parser *p)
{
    if (p->stuck) return TOK_NONE;
    if (!p->has_ahead) p->ahead = lexer_next(&p->lx);
    p->has_ahead = true;
    return (token_kind)p->ahead.kind;
}

bool parse_accept(parser *p, token_kind kind)
{
    if (p->tok.kind != kind) return false;
    parse_next(p);
    return true;
}

span parse_span(const parser *p, token t)
{
    return (span){p->lx.base + t.begin, p->lx.base + t.end};
}

span parse_since(const parser *p, uint32_t begin)
{
    uint32_t end = p->prev.end > begin ? p->prev.end : begin;
    return (span){p->lx.base + begin, p->lx.base + end};
}

static bool is_keyword(token t)
{
    return t.kind >= TOK_FIRST_KEYWORD && t.kind <= TOK_LAST_KEYWORD;
}

sym parse_ident(parser *p, span *at, const char *what)
{
    *at = parse_span(p, p->tok);
    if (p->tok.kind == TOK_IDENT) {
        sym name = p->tok.name;
        parse_next(p);
        return name;
    }
    if (!is_keyword(p->tok) || p->tok.first_on_line || p->tok.kind == TOK_ANNOTATION) {
        parse_unexpected(p, what);
        return NULL;
    }
    const char *word = token_text((token_kind)p->tok.kind);
    const char *message = "'%s' is a keyword and cannot be %s; choose another name";
    token_kind next = parse_peek(p);
    if (next == TOK_SEMICOLON || next == TOK_COMMA || next == TOK_EQUALS || next == TOK_LPAREN ||
        next == TOK_LBRACKET || next == TOK_STRING) { // surely meant as a name
        parse_complain(p, "L025", *at, message, word, what);
        parse_next(p);
        return sym_of(p->lx.syms, word);
    }
    parse_error(p, "L025", *at, message, word, what);
    return NULL;
}

// What an error may come from that shows only here: a file that was cut off, and a string of many
// lines before it, whose quote may be that of the next string.
static void parser_suspect(parser *p)
{
    if (p->held.kind == TOK_EOF && p->cls)
        diag_note(p->lx.diags, p->cls->at, "the class '%s' is not ended", p->cls->name);
    if (p->prev.kind != TOK_STRING || !p->prev.many_lines) return;
    diag_note(p->lx.diags, parse_span(p, p->prev),
              "the string before it begins here; is its closing quote missing?");
    p->lx.lost_quote = true;
}

bool parse_expect(parser *p, token_kind kind, const char *where)
{
    if (parse_accept(p, kind)) return true;
    if (p->stuck) return false;
    if (parse_error(p, "L020", parse_span(p, p->tok), "expected '%s' %s, found %s",
                    token_text(kind), where, parse_found(p)))
        parser_suspect(p);
    return false;
}

/* ---- errors ---------------------------------------------------------------------------------- */

const char *parse_found(parser *p)
{
    token t = p->stuck ? p->held : p->tok;
    if (t.kind == TOK_EOF || t.kind == TOK_STRING) return token_text((token_kind)t.kind);
    enum { TOKEN_SHOWN_MAX = 60 };
    uint32_t n = t.end - t.begin;
    char *s = arena_alloc(p->a, TOKEN_SHOWN_MAX + 8);
    s[0] = '\'';
    memcpy(s + 1, p->lx.text + t.begin, n < TOKEN_SHOWN_MAX ? n : TOKEN_SHOWN_MAX);
    strcat(s, n < TOKEN_SHOWN_MAX ? "'" : "...'");
    return s;
}

static bool parser_silent(const parser *p)
{
    return p->stuck || p->quit || p->lx.garbled ||
           (p->tok.kind == TOK_EOF && (p->lx.broken || p->told_end));
}

/* Errors in one file after which the rest of it is not looked at: enough to read, and an end to
 * what a hostile file can cost. */
enum { ERRORS_MAX = 200 };

// Go to the end of the file and report nothing more.
static void parser_give_up(parser *p)
{
    p->quit = true;
    p->lx.at = p->lx.n;
    p->has_ahead = false;
    *(p->stuck ? &p->held : &p->tok) = lexer_next(&p->lx);
}

static void get_stuck(parser *p)
{
    if (p->stuck) return;
    p->held = p->tok;
    p->tok.kind = TOK_NONE;
    p->stuck = true;
}

static void parser_report(parser *p, const char *code, span at, const char *format, va_list args)
{
    if (p->tok.kind == TOK_EOF) p->told_end = true;
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *words = arena_alloc(p->a, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0) vsnprintf(words, (size_t)n + 1, format, again);
    va_end(again);
    diag_error(p->lx.diags, code, at, "%s", words);
}

static void count_errors(parser *p)
{
    if (!p->quit && p->lx.diags->n_errors - p->errors_before > ERRORS_MAX) parser_give_up(p);
}

bool parse_error(parser *p, const char *code, span at, const char *format, ...)
{
    bool told = !parser_silent(p);
    if (told) {
        va_list args;
        va_start(args, format);
        parser_report(p, code, at, format, args);
        va_end(args);
    }
    get_stuck(p);
    count_errors(p);
    return told;
}

bool parse_complain(parser *p, const char *code, span at, const char *format, ...)
{
    bool told = !parser_silent(p);
    if (told) {
        va_list args;
        va_start(args, format);
        parser_report(p, code, at, format, args);
        va_end(args);
    }
    count_errors(p); // also those of the lexer
    return told;
}

bool parse_unexpected(parser *p, const char *what)
{
    if (p->stuck) return false;
    bool told = parse_error(p, "L020", parse_span(p, p->tok), "expected %s, found %s", what,
                            parse_found(p));
    if (told) parser_suspect(p);
    return told;
}

// A token that can begin an element, an equation or a statement, or end a list of them.
static bool starts_something(token t)
{
    return t.kind == TOK_IDENT || t.kind == TOK_EOF || t.kind == TOK_LPAREN ||
           (is_keyword(t) && t.kind != TOK_AND && t.kind != TOK_OR && t.kind != TOK_THEN &&
            t.kind != TOK_LOOP && t.kind != TOK_IN);
}

// ';', after which the text is no longer garbled.
static bool end_statement(parser *p)
{
    if (p->tok.kind != TOK_SEMICOLON) return false;
    p->lx.garbled = false;
    parse_next(p);
    return true;
}

void parse_semicolon(parser *p, const char *what)
{
    bool assume = p->assume_semicolon;
    p->assume_semicolon = false;
    if (end_statement(p) || p->stuck || assume) return;
    bool ends = p->tok.kind == TOK_EOF || p->tok.kind == TOK_END;
    if ((p->tok.first_on_line || ends) && starts_something(p->tok)) {
        uint32_t end = p->lx.base + p->prev.end;
        parse_complain(p, "L021", (span){end, end + 1}, "missing ';' after %s", what);
    } else {
        char where[80];
        snprintf(where, sizeof where, "after %s", what);
        parse_expect(p, TOK_SEMICOLON, where);
    }
}

// Does the current token, in a text that is not understood, begin a new section?
static bool starts_section(parser *p)
{
    switch (p->tok.kind) {
    case TOK_EQUATION:
    case TOK_ALGORITHM:
    case TOK_PUBLIC:
    case TOK_PROTECTED: return true;
    case TOK_INITIAL: return parse_peek(p) == TOK_EQUATION || parse_peek(p) == TOK_ALGORITHM;
    default: return false;
    }
}

void parse_recover(parser *p)
{
    if (!p->stuck) return;
    p->stuck = false;
    p->tok = p->held;
    int brackets = 0; // [ opened since the error: in them ';' and 'end' have other meanings
    for (; p->tok.kind != TOK_EOF; parse_next(p)) {
        if (p->tok.kind == TOK_LBRACKET) brackets++;
        if (p->tok.kind == TOK_RBRACKET && brackets > 0) brackets--;
        bool line = p->tok.first_on_line && is_keyword(p->tok); // then the bracket was the error
        if (brackets > 0 && !line) continue;
        if (p->tok.kind == TOK_END || starts_section(p)) return;
        if (end_statement(p)) return;
    }
}

void parse_recover_at(parser *p, token_kind kind)
{
    if (!p->stuck) return;
    token t = p->held;
    enum { HEAD_TOKENS_MAX = 1000 }; // tokens; a head is not that long
    // Look ahead in a copy of the lexer that reports nothing, before deciding.
    diag_sink nowhere;
    diag_init(&nowhere, p->a);
    nowhere.limit = -1; // counts, keeps nothing
    lexer lx = p->lx;
    lx.diags = &nowhere;
    if (p->has_ahead) lx.at = p->ahead.begin;
    for (int n = 0; n < HEAD_TOKENS_MAX && t.kind != kind; n++, t = lexer_next(&lx))
        if (t.kind == TOK_EOF || t.kind == TOK_SEMICOLON || t.kind == TOK_END) return;
    if (t.kind != kind) return;
    p->stuck = false;
    p->tok = p->held;
    while (p->tok.kind != kind) parse_next(p);
}

void parse_rewind(parser *p, token t)
{
    p->lx.at = t.end;
    p->has_ahead = false;
    p->tok = t;
}

int parse_column(const parser *p, uint32_t at)
{
    enum { INDENT_MAX = 200 }; // beyond that nobody indents
    int column = 0;
    while (at > 0 && p->lx.text[at - 1] != '\n' && column < INDENT_MAX) {
        at--;
        column++;
    }
    return column;
}

bool parse_enter(parser *p)
{
    if (p->depth < LANG_DEPTH) {
        p->depth++;
        return true;
    }
    parse_error(p, "L010", parse_span(p, p->tok),
                "nested more than %d deep; split this into parts with names of their own",
                LANG_DEPTH);
    if (!p->quit) parser_give_up(p);
    return false;
}

void parse_leave(parser *p)
{
    p->depth--;
}

/* ---- lists ----------------------------------------------------------------------------------- */

void parse_push(parser *p, const void *item, size_t size)
{
    if (p->top + size > p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 4096;
        char *grown = arena_alloc(p->a, cap);
        if (p->top) memcpy(grown, p->stack, p->top);
        p->stack = grown;
        p->cap = cap;
    }
    memcpy(p->stack + p->top, item, size);
    p->top += size;
}

void *parse_take(parser *p, size_t mark, size_t size, int *n)
{
    size_t bytes = p->top - mark;
    *n = (int)(bytes / size);
    p->top = mark;
    if (!bytes) return NULL;
    void *list = arena_alloc(p->a, bytes);
    memcpy(list, p->stack + mark, bytes);
    return list;
}

/* ---- entry points ---------------------------------------------------------------------------- */

bool parse_begin(parser *p, const source *src, uint32_t at, arena *a, sym_table *syms,
                 diag_sink *diags)
{
    *p = (parser){.a = a,
                  .der = sym_of(syms, "der"),
                  .initial = sym_of(syms, "initial"),
                  .pure = sym_of(syms, "pure"),
                  .errors_before = diags->n_errors};
    if (!lexer_init(&p->lx, src, syms, diags)) return false;
    if (at) p->lx.at = at;
    p->tok = lexer_next(&p->lx);
    return true;
}

// What stands between two classes of a file and begins none.
static void parser_stray(parser *p)
{
    if (p->tok.kind == TOK_END) {
        parse_complain(p, "L022", parse_span(p, p->tok),
                       "this 'end' has no class to end; is there one 'end' too many above?");
        parse_next(p);
        if (p->tok.kind != TOK_SEMICOLON && !p->tok.first_on_line) parse_next(p);
        parse_accept(p, TOK_SEMICOLON);
        return;
    }
    if (p->tok.kind == TOK_WITHIN)
        parse_error(p, "L027", parse_span(p, p->tok),
                    "'within' must be the first statement of the file, and there is only one");
    else parse_unexpected(p, "a class definition");
    parse_recover(p);
    if (p->tok.kind == TOK_END || p->tok.kind == TOK_EQUATION || p->tok.kind == TOK_ALGORITHM ||
        p->tok.kind == TOK_INITIAL || p->tok.kind == TOK_PUBLIC || p->tok.kind == TOK_PROTECTED)
        parse_next(p);
}

/* stored-definition :
 *    [ within [ name ] ";" ] { [ final ] class-definition ";" } */
static void stored_definition(parser *p)
{
    ast_file *f = p->file;
    if (parse_accept(p, TOK_WITHIN)) {
        f->has_within = true;
        if (p->tok.kind != TOK_SEMICOLON) f->within = parse_name(p, "the name of a package");
        parse_semicolon(p, "the within clause");
        parse_recover(p);
    }
    size_t mark = p->top;
    while (p->tok.kind != TOK_EOF) {
        uint32_t begin_at = p->tok.begin;
        uint16_t flags = parse_prefixes(p);
        if (!parse_starts_class(p)) {
            parser_stray(p);
            continue;
        }
        if (flags & (AST_REDECLARE | AST_INNER | AST_OUTER | AST_REPLACEABLE))
            parse_complain(p, "L027", parse_since(p, begin_at),
                           "a class of a file cannot be redeclare, inner, outer or replaceable");
        ast_class *c = parse_class(p, flags, begin_at, false);
        parse_semicolon(p, "the end of the class");
        parse_recover(p);
        if (c) parse_push(p, &c, sizeof c);
    }
    f->classes = PARSE_TAKE(p, mark, ast_class *, &f->n_classes);
}

static ast_file *parse_file(const source *src, arena *a, sym_table *syms, diag_sink *diags,
                            const ast_rest *rest)
{
    parser p;
    int errors = diags->n_errors;
    ast_file *f = arena_new(a, ast_file);
    f->path = src->path;
    f->span = (span){src->base, src->base + src->n};
    f->rest = rest;
    if (parse_begin(&p, src, 0, a, syms, diags)) {
        p.file = f;
        stored_definition(&p);
    }
    f->n_errors = diags->n_errors - errors;
    return f;
}

ast_file *lang_parse(const source *src, arena *a, sym_table *syms, diag_sink *diags)
{
    return parse_file(src, a, syms, diags, NULL);
}

ast_file *lang_parse_heads(const source *src, arena *a, sym_table *syms, diag_sink *diags)
{
    ast_rest *rest = arena_new(a, ast_rest);
    *rest = (ast_rest){*src, a, syms, diags};
    return parse_file(src, a, syms, diags, rest);
}

ast_expr *lang_parse_expr(const source *src, arena *a, sym_table *syms, diag_sink *diags)
{
    parser p;
    int errors = diags->n_errors;
    if (!parse_begin(&p, src, 0, a, syms, diags)) return NULL;
    ast_expr *e = parse_expression(&p);
    if (p.tok.kind != TOK_EOF) parse_unexpected(&p, "the end of the expression");
    return diags->n_errors == errors ? e : NULL;
}
