/* Classes of a library that are parsed when they are first asked for.
 *
 * A file of a library often holds far more than a model uses: the mathematical functions, all
 * units, a user's guide. Of a class inside another the head is parsed, its body only passed over,
 * with an eye for nothing but strings, comments and what opens and ends a class:
 *
 *     end NAME                              ends one, and not: end if, end for, end when, end while
 *     model NAME ..., model extends NAME    opens one, and not: model A = B, function f(x = 1)
 *
 * Inside square brackets 'end' is a number. Where names do not match, or the text ends, nothing is
 * passed over, and the parser finds out what is wrong. Errors in the body of a class are therefore
 * reported if something uses it, like those of files that are never read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

#include <string.h>

/* ---- passing over ---------------------------------------------------------------------------- */

typedef struct word {
    const char *at;
    size_t n;
} word;

enum { OPEN_MAX = 64 }; // classes inside each other; of more the parser takes care

typedef struct passage {
    const char *at, *end; // the rest of the text; *end is 0
    int brackets;         // [ that are open
    int n_open;
    word open[OPEN_MAX]; // names of the open classes
    bool lost;
} passage;

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool goes_on(char c)
{
    return begins_word(c) || (c >= '0' && c <= '9');
}

static bool word_is(word w, const char *name)
{
    return strncmp(w.at, name, w.n) == 0 && !name[w.n];
}

// Behind the string that begins here.
static void pass_string(passage *s)
{
    const char *quote = s->at;
    for (;;) {
        quote = memchr(quote + 1, '"', (size_t)(s->end - quote - 1));
        if (!quote) break;
        size_t escapes = 0;
        while (quote[-1 - (ptrdiff_t)escapes] == '\\') escapes++;
        if (escapes % 2 == 0) {
            s->at = quote + 1;
            return;
        }
    }
    s->lost = true;
}

// Behind the quoted name that begins here.
static void pass_quoted(passage *s)
{
    for (s->at++; *s->at != '\''; s->at++) {
        if (*s->at == '\\' && s->at[1]) s->at++;
        else if (*s->at == '\n' || s->at >= s->end) {
            s->lost = true;
            return;
        }
    }
    s->at++;
}

// Behind the comment that begins here; false if none does.
static bool pass_comment(passage *s)
{
    const char *end = NULL;
    if (s->at[1] == '/') {
        end = memchr(s->at, '\n', (size_t)(s->end - s->at));
        if (!end) end = s->end;
    } else if (s->at[1] == '*') {
        end = strstr(s->at + 2, "*/");
        if (end) end += 2;
        else s->lost = true;
    }
    if (end) s->at = end;
    return end != NULL;
}

static void pass_space(passage *s)
{
    for (;;) {
        while (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r') s->at++;
        if (*s->at != '/' || !pass_comment(s)) return;
    }
}

// The word or quoted name that begins here; n == 0: none.
static word take_word(passage *s)
{
    word w = {s->at, 0};
    if (*s->at == '\'') pass_quoted(s);
    else if (begins_word(*s->at)) do
            s->at++;
        while (goes_on(*s->at));
    w.n = (size_t)(s->at - w.at);
    return w;
}

static bool is_kind(word w)
{
    switch (w.at[0]) {
    case 'b': return word_is(w, "block");
    case 'c': return word_is(w, "class") || word_is(w, "connector");
    case 'f': return word_is(w, "function");
    case 'm': return word_is(w, "model");
    case 'o': return word_is(w, "operator");
    case 'p': return word_is(w, "package");
    case 'r': return word_is(w, "record");
    case 't': return word_is(w, "type");
    default: return false;
    }
}

// After a kind of class: does a class with a body begin?
static void pass_head(passage *s)
{
    pass_space(s);
    const char *here = s->at;
    word name = take_word(s);
    bool extends = word_is(name, "extends");
    if (is_kind(name)) { // operator record, operator function
        s->at = here;
        return;
    }
    pass_space(s);
    if (extends) name = take_word(s);
    else if (*s->at == '=' || *s->at == '(' || *s->at == '.') return;
    if (name.n && s->n_open < OPEN_MAX) s->open[s->n_open++] = name;
    else s->lost = true;
}

static void pass_end(passage *s)
{
    pass_space(s);
    word name = take_word(s);
    if (!name.n || s->brackets > 0 || word_is(name, "if") || word_is(name, "for") ||
        word_is(name, "when") || word_is(name, "while"))
        return;
    word open = s->open[s->n_open - 1];
    if (open.n == name.n && memcmp(open.at, name.at, name.n) == 0) s->n_open--;
    else s->lost = true;
}

// The 'end' of the class whose body begins at s; NULL if it was not found.
static const char *pass_body(passage *s)
{
    while (!s->lost && s->at < s->end) {
        char c = *s->at;
        if (begins_word(c)) {
            word w = take_word(s);
            if (w.n == 3 && memcmp(w.at, "end", 3) == 0) pass_end(s);
            else if (is_kind(w)) pass_head(s);
            if (!s->n_open && !s->lost) return w.at;
        } else if (c >= '0' && c <= '9') {
            while (goes_on(*s->at)) s->at++;
        } else if (c == '"') {
            pass_string(s);
        } else if (c == '\'') {
            pass_quoted(s);
        } else if (c != '/' || !pass_comment(s)) {
            s->brackets += (c == '[') - (c == ']');
            s->at++;
        }
    }
    return NULL;
}

/* ---- now or later ---------------------------------------------------------------------------- */

bool parse_put_off(parser *p, ast_class *c)
{
    if (!p->file->rest || !c->parent || p->stuck || p->quit || p->lx.garbled ||
        p->lx.diags->n_errors != p->errors_before)
        return false;
    const char *first = p->lx.text;
    passage s = {.at = first + p->tok.begin, .end = first + p->lx.n, .n_open = 1};
    s.open[0] = (word){first + (c->at.begin - p->lx.base), c->at.end - c->at.begin};
    const char *end = pass_body(&s);
    if (!end) return false;
    c->later = p->lx.base + p->tok.begin;
    c->put_off = true;
    p->lx.at = (uint32_t)(end - first);
    p->has_ahead = false;
    parse_next(p);
    return true;
}

ast_class *lang_whole(ast_class *c)
{
    if (!c->put_off) return c->broken ? NULL : c;
    c->put_off = false;
    parser p;
    const ast_rest *rest = c->file->rest;
    if (!parse_begin(&p, &rest->text, c->later - rest->text.base, rest->a, rest->syms, rest->diags))
        return NULL;
    p.file = c->file;
    p.cls = c;
    for (const ast_class *k = c; k && k->file == c->file; k = k->parent) p.depth++;
    parse_composition(&p, c);
    c->broken = rest->diags->n_errors > p.errors_before;
    return c->broken ? NULL : c;
}
