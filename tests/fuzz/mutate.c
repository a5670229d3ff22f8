/* SPDX-License-Identifier: BSD-3-Clause */
#include "mutate.h"

#include "base/arena.h"
#include "lang/lang.h"
#include "lang/lexer.h"

#include <stdio.h>
#include <string.h>

/* ---- the pieces of a text -------------------------------------------------------------------- */

typedef enum piece_kind {
    PIECE_EXPR,
    PIECE_OPERATOR,
    PIECE_LITERAL,
    PIECE_REF,
    PIECE_PART, // one name of a reference
    PIECE_STATEMENT,
    PIECE_ELEMENT,
    PIECE_NAME, // a declared one
    PIECE_TYPE,
    PIECE_MODIFIER,
    PIECE_SECTION,
    PIECE_TEST, // of if, when, while
    PIECE_CLASS,
    PIECE_KINDS
} piece_kind;

typedef struct piece {
    uint32_t begin, end; // offsets in the text
} piece;

typedef struct pieces {
    ARRAY(piece) of[PIECE_KINDS];
} pieces;

typedef struct words {
    const char *text;
    size_t n;
    uint32_t base;
    arena *a;
    pieces p;
    ARRAY(piece) tokens;
} words;

static void add_piece(words *w, piece_kind kind, uint32_t begin, uint32_t end)
{
    if (begin < w->base || end < begin || end - w->base > w->n) return;
    piece p = {begin - w->base, end - w->base};
    array_push(w->a, &w->p.of[kind], p);
}

static void add_span(words *w, piece_kind kind, span at)
{
    if (at.end > at.begin) add_piece(w, kind, at.begin, at.end);
}

static void walk_expr(words *w, const ast_expr *e);
static void walk_class(words *w, const ast_class *c);
static void walk_element(words *w, const ast_element *e);
static void walk_stmt(words *w, const ast_stmt *s);

static void walk_exprs(words *w, ast_exprs list)
{
    for (int i = 0; i < list.n; i++) walk_expr(w, list.at[i]);
}

static void walk_ref(words *w, const ast_ref *r)
{
    for (int i = 0; i < r->n; i++) {
        add_span(w, PIECE_PART, r->at[i].at);
        walk_exprs(w, r->at[i].subs);
    }
}

static void walk_iterators(words *w, ast_iterators list)
{
    for (int i = 0; i < list.n; i++) walk_expr(w, list.at[i].range);
}

static void walk_call(words *w, const ast_call *c)
{
    walk_ref(w, &c->f);
    walk_exprs(w, c->args);
    for (int i = 0; i < c->n_named; i++) walk_expr(w, c->named[i].value);
    walk_iterators(w, c->iters);
}

static void walk_expr(words *w, const ast_expr *e)
{
    if (!e) return;
    add_span(w, PIECE_EXPR, e->span);
    switch ((ast_expr_kind)e->kind) {
    case AST_INTEGER:
    case AST_REAL:
    case AST_STRING:
    case AST_BOOLEAN: add_span(w, PIECE_LITERAL, e->span); break;
    case AST_REF:
        add_span(w, PIECE_REF, e->span);
        walk_ref(w, e->ref);
        break;
    case AST_UNARY: walk_expr(w, e->arg); break;
    case AST_CHAIN:
        for (int i = 0; i < e->chain.n; i++) {
            walk_expr(w, e->chain.at[i]);
            if (i)
                add_piece(w, PIECE_OPERATOR, e->chain.at[i - 1]->span.end,
                          e->chain.at[i]->span.begin);
        }
        break;
    case AST_IF:
        for (int i = 0; i <= e->cond.n; i++) {
            if (i < e->cond.n) {
                walk_expr(w, e->cond.tests[i]);
                add_span(w, PIECE_TEST, e->cond.tests[i]->span);
            }
            walk_expr(w, e->cond.values[i]);
        }
        break;
    case AST_RANGE:
        walk_expr(w, e->range.first);
        walk_expr(w, e->range.step);
        walk_expr(w, e->range.last);
        break;
    case AST_ARRAY:
    case AST_TUPLE: walk_exprs(w, e->list); break;
    case AST_MATRIX:
        for (int i = 0; i < e->rows.n; i++) walk_exprs(w, e->rows.at[i]);
        break;
    case AST_COMPREHENSION:
    case AST_CALL:
    case AST_PARTIAL: walk_call(w, e->call); break;
    case AST_SELECT:
        walk_expr(w, e->select.base);
        walk_exprs(w, e->select.subs);
        break;
    case AST_END:
    case AST_COLON: break;
    }
}

static void walk_mod(words *w, const ast_mod *m)
{
    if (!m) return;
    for (int i = 0; i < m->args.n; i++) {
        const ast_arg *a = &m->args.at[i];
        add_span(w, PIECE_MODIFIER, a->span);
        if (a->kind == AST_ARG_MOD) walk_mod(w, a->mod);
        if (a->kind == AST_ARG_ELEMENT) walk_element(w, a->element);
    }
    walk_expr(w, m->value);
}

static void walk_stmts(words *w, ast_stmts list)
{
    for (int i = 0; i < list.n; i++) walk_stmt(w, list.at[i]);
}

static void walk_stmt(words *w, const ast_stmt *s)
{
    add_span(w, PIECE_STATEMENT, s->span);
    switch ((ast_stmt_kind)s->kind) {
    case AST_EQUATION:
    case AST_CONNECT:
    case AST_ASSIGN:
        walk_expr(w, s->pair.left);
        walk_expr(w, s->pair.right);
        break;
    case AST_CALL_STMT: walk_expr(w, s->call); break;
    case AST_IF_STMT:
    case AST_WHEN:
    case AST_WHILE:
        for (int i = 0; i < s->branches.n; i++) {
            const ast_branch *b = &s->branches.at[i];
            walk_expr(w, b->test);
            if (b->test) add_span(w, PIECE_TEST, b->test->span);
            walk_stmts(w, b->body);
        }
        break;
    case AST_FOR:
        walk_iterators(w, s->loop.iters);
        walk_stmts(w, s->loop.body);
        break;
    case AST_BREAK:
    case AST_RETURN: break;
    }
}

static void walk_component(words *w, const ast_component *c)
{
    add_span(w, PIECE_NAME, c->at);
    add_span(w, PIECE_TYPE, c->type.span);
    walk_exprs(w, c->dims);
    walk_mod(w, c->mod);
    walk_expr(w, c->condition);
    walk_mod(w, c->annotation);
}

static void walk_element(words *w, const ast_element *e)
{
    add_span(w, PIECE_ELEMENT, e->span);
    switch ((ast_element_kind)e->kind) {
    case AST_IMPORT: break;
    case AST_EXTENDS:
        add_span(w, PIECE_TYPE, e->extends->type.span);
        walk_mod(w, e->extends->mod);
        break;
    case AST_COMPONENT: walk_component(w, e->component); break;
    case AST_CLASS: walk_class(w, e->class_); break;
    }
}

static void walk_class(words *w, const ast_class *c)
{
    add_span(w, PIECE_CLASS, c->span);
    for (int i = 0; i < c->n_elements; i++) walk_element(w, c->elements[i]);
    for (int i = 0; i < c->n_sections; i++) {
        add_span(w, PIECE_SECTION, c->sections[i].span);
        walk_stmts(w, c->sections[i].body);
    }
    if (c->base.n) add_span(w, PIECE_TYPE, c->base.span);
    walk_mod(w, c->mod);
    walk_exprs(w, c->dims);
    walk_mod(w, c->annotation);
}

/* The pieces of a text; of one that does not parse only its tokens. */
static void take_apart(words *w, const char *of, size_t n, arena *a)
{
    sym_table syms;
    diag_sink diags;
    source_set sources;
    *w = (words){.text = arena_strndup(a, of, n), .n = n, .a = a};
    sym_init(&syms, a);
    diag_init(&diags, a);
    source_init(&sources, a);
    source src = *source_add(&sources, "mutant.mo", w->text, n);
    w->base = src.base;
    lexer lx;
    if (lexer_init(&lx, &src, &syms, &diags))
        for (token t = lexer_next(&lx); t.kind != TOK_EOF; t = lexer_next(&lx)) {
            piece p = {t.begin, t.end};
            array_push(a, &w->tokens, p);
        }
    ast_file *f = lang_parse(&src, a, &syms, &diags);
    if (f->n_errors) return;
    for (int i = 0; i < f->n_classes; i++) walk_class(w, f->classes[i]);
}

/* ---- cutting and pasting --------------------------------------------------------------------- */

typedef struct snippet {
    const char *at;
    size_t n;
} snippet;

typedef struct mutant {
    words *from, *other;
    dice *d;
    char *out;
    size_t n, most;
    bool done;
} mutant;

static snippet text_of(const words *w, piece p)
{
    return (snippet){w->text + p.begin, p.end - p.begin};
}

static snippet literally(const char *s)
{
    return (snippet){s, strlen(s)};
}

/* `before`, `with` and `after` in the place of p. */
static void put_around(mutant *m, piece p, const char *before, snippet with, const char *after)
{
    size_t b = strlen(before), e = strlen(after), rest = m->from->n - p.end;
    if (p.begin + b + with.n + e + rest > m->most) return;
    char *at = m->out;
    memcpy(at, m->from->text, p.begin);
    at += p.begin;
    memcpy(at, before, b);
    at += b;
    memcpy(at, with.at, with.n);
    at += with.n;
    memcpy(at, after, e);
    at += e;
    memcpy(at, m->from->text + p.end, rest);
    at += rest;
    *at = 0;
    m->n = (size_t)(at - m->out);
    m->done = true;
}

static void put(mutant *m, piece p, snippet with)
{
    put_around(m, p, "", with, "");
}

static piece before(piece p)
{
    return (piece){p.begin, p.begin};
}

static piece after(piece p)
{
    return (piece){p.end, p.end};
}

static bool pick(mutant *m, const words *w, piece_kind kind, piece *out)
{
    int n = w->p.of[kind].n;
    if (n) *out = w->p.of[kind].at[dice_below(m->d, n)];
    return n > 0;
}

/* From the same text or from the other one. */
static bool pick_anywhere(mutant *m, piece_kind kind, snippet *out)
{
    piece p;
    const words *w = m->other && dice_below(m->d, 3) == 0 ? m->other : m->from;
    if (!pick(m, w, kind, &p)) return false;
    *out = text_of(w, p);
    return true;
}

#define ONE_OF(m, list) (list)[dice_below((m)->d, (int)(sizeof(list) / sizeof *(list)))]

/* ---- mutations ------------------------------------------------------------------------------- */

static void replace_expr(mutant *m)
{
    piece p;
    snippet s;
    if (pick(m, m->from, PIECE_EXPR, &p) && pick_anywhere(m, PIECE_EXPR, &s)) put(m, p, s);
}

static void exchange(mutant *m, piece_kind kind)
{
    piece a, b;
    if (!pick(m, m->from, kind, &a) || !pick(m, m->from, kind, &b)) return;
    if (b.begin < a.begin) {
        piece c = a;
        a = b;
        b = c;
    }
    if (a.end > b.begin || m->from->n > m->most) return; // one in the other
    const char *t = m->from->text;
    char *at = m->out;
    const piece order[5] = {{0, a.begin}, b, {a.end, b.begin}, a, {b.end, (uint32_t)m->from->n}};
    for (int i = 0; i < 5; i++) {
        memcpy(at, t + order[i].begin, order[i].end - order[i].begin);
        at += order[i].end - order[i].begin;
    }
    *at = 0;
    m->n = (size_t)(at - m->out);
    m->done = true;
}

static void exchange_exprs(mutant *m)
{
    exchange(m, PIECE_EXPR);
}

static void exchange_statements(mutant *m)
{
    exchange(m, dice_below(m->d, 2) ? PIECE_STATEMENT : PIECE_ELEMENT);
}

static void change_operator(mutant *m)
{
    static const char *const list[] = {
        " + ",   " - ",  " * ",  "/",    "^",    " < ",  " <= ", " > ", " >= ", " == ", " <> ",
        " and ", " or ", " .* ", " .+ ", " .^ ", " ./ ", " - ",  " + ", " * ",  "/"};
    piece p;
    if (pick(m, m->from, PIECE_OPERATOR, &p)) put(m, p, literally(ONE_OF(m, list)));
}

static void change_literal(mutant *m)
{
    static const char *const list[] = {"0",          "1",     "-1",    "2",     "3",
                                       "7",          "100",   "0.5",   "0.0",   "1e-9",
                                       "1e-320",     "1e19",  "1e150", "1e308", "-1e308",
                                       "2147483647", "1e-16", "true",  "false", "\"s\"",
                                       "10000",      "-0.0",  "1.5",   "65536", "9007199254740993"};
    piece p;
    if (pick(m, m->from, PIECE_LITERAL, &p)) put(m, p, literally(ONE_OF(m, list)));
}

static void change_reference(mutant *m)
{
    piece_kind kind = dice_below(m->d, 3) ? PIECE_REF : PIECE_PART;
    piece p;
    snippet s;
    if (pick(m, m->from, kind, &p) && pick_anywhere(m, kind, &s)) put(m, p, s);
}

static void reference_to_declared(mutant *m)
{
    piece p;
    snippet s;
    if (pick(m, m->from, PIECE_EXPR, &p) && pick_anywhere(m, PIECE_NAME, &s)) put(m, p, s);
}

/* Ends a statement or an element, as the text does. */
static const char STOP[] = ";\n";

static void delete_statement(mutant *m)
{
    piece p;
    if (!pick(m, m->from, dice_below(m->d, 4) ? PIECE_STATEMENT : PIECE_ELEMENT, &p)) return;
    while (p.end < m->from->n && strchr(" \t\r\n", m->from->text[p.end])) p.end++;
    if (p.end < m->from->n && m->from->text[p.end] == ';') p.end++;
    put(m, p, literally(""));
}

static void add_statement(mutant *m)
{
    piece p;
    snippet s;
    piece_kind kind = dice_below(m->d, 3) ? PIECE_STATEMENT : PIECE_ELEMENT;
    if (pick(m, m->from, kind, &p) && pick_anywhere(m, kind, &s))
        put_around(m, before(p), "", s, STOP);
}

static void replace_statement(mutant *m)
{
    piece p;
    snippet s;
    piece_kind kind = dice_below(m->d, 3) ? PIECE_STATEMENT : PIECE_ELEMENT;
    if (pick(m, m->from, kind, &p) && pick_anywhere(m, kind, &s)) put(m, p, s);
}

static void wrap_statement(mutant *m)
{
    static const char *const list[][2] = {
        {"if time > 0.05 then ", "; end if"},    {"when time > 0.05 then ", "; end when"},
        {"when initial() then ", "; end when"},  {"for i in 1:3 loop ", "; end for"},
        {"while time < 0 loop ", "; end while"}, {"when sample(0, 0.1) then ", "; end when"}};
    piece p, c;
    if (!pick(m, m->from, PIECE_STATEMENT, &p)) return;
    if (dice_below(m->d, 3) == 0 && pick(m, m->from, PIECE_TEST, &c)) {
        char head[200];
        snippet test = text_of(m->from, c);
        bool when = dice_below(m->d, 2);
        if (test.n > 150) return;
        snprintf(head, sizeof head, "%s %.*s then ", when ? "when" : "if", (int)test.n, test.at);
        put_around(m, p, head, text_of(m->from, p), when ? "; end when" : "; end if");
        return;
    }
    const char *const *w = ONE_OF(m, list);
    put_around(m, p, w[0], text_of(m->from, p), w[1]);
}

static void wrap_expr(mutant *m)
{
    static const char *const list[][2] = {{"der(", ")"},
                                          {"pre(", ")"},
                                          {"(", ")^2"},
                                          {"(", ")^0.5"},
                                          {"sqrt(", ")"},
                                          {"log(", ")"},
                                          {"exp(", ")"},
                                          {"sin(", ")"},
                                          {"abs(", ")"},
                                          {"noEvent(", ")"},
                                          {"smooth(1, ", ")"},
                                          {"delay(", ", 0.1)"},
                                          {"edge(", ")"},
                                          {"change(", ")"},
                                          {"not (", ")"},
                                          {"-(", ")"},
                                          {"1/(", ")"},
                                          {"{", "}"},
                                          {"[", "]"},
                                          {"sum(", ")"},
                                          {"max(", ", 0)"},
                                          {"min(", ", time)"},
                                          {"integer(", ")"},
                                          {"floor(", ")"},
                                          {"mod(", ", 2)"},
                                          {"size(", ")"},
                                          {"size(", ", 1)"},
                                          {"homotopy(", ", 1)"},
                                          {"sign(", ")"},
                                          {"atan2(", ", time)"},
                                          {"(if time > 0.05 then ", " else 1)"},
                                          {"(if initial() then 1 else ", ")"},
                                          {"sample(0, ", ")"},
                                          {"fill(", ", 2)"},
                                          {"transpose(", ")"},
                                          {"(", ")[1]"},
                                          {"scalar(", ")"},
                                          {"initial() or (", ")"},
                                          {"reinit(", ", 0)"},
                                          {"cat(1, {1}, ", ")"},
                                          {"ndims(", ")"},
                                          {"String(", ")"},
                                          {"acos(", ")"},
                                          {"product({", ", time})"},
                                          {"identity(", ")"},
                                          {"zeros(", ")"},
                                          {"(", ") * time"},
                                          {"linspace(0, 1, ", ")"},
                                          {"{", " for i in 1:3}"},
                                          {"spatialDistribution(", ", 0, 0.5, true)"},
                                          {"cross({1, 2, 3}, ", ")"},
                                          {"diagonal(", ")"},
                                          {"semiLinear(", ", 1, 2)"},
                                          {"inStream(", ")"},
                                          {"actualStream(", ")"},
                                          {"cardinality(", ")"},
                                          {"vector(", ")"},
                                          {"matrix(", ")"},
                                          {"rem(", ", 0)"},
                                          {"div(", ", 0)"},
                                          {"ceil(", ")"},
                                          {"tan(", ")"}};
    piece p;
    if (!pick(m, m->from, PIECE_EXPR, &p)) return;
    const char *const *w = ONE_OF(m, list);
    put_around(m, p, w[0], text_of(m->from, p), w[1]);
}

static void add_subscript(mutant *m)
{
    static const char *const list[] = {"[1]",    "[2]",   "[i]",      "[:]",   "[end]",
                                       "[0]",    "[1:2]", "[{1, 2}]", "[-1]",  "[integer(time)]",
                                       "[1, 1]", "[3]",   "[1:0]",    "[true]"};
    piece p;
    if (pick(m, m->from, dice_below(m->d, 4) ? PIECE_REF : PIECE_NAME, &p))
        put(m, after(p), literally(ONE_OF(m, list)));
}

static void change_type(mutant *m)
{
    static const char *const list[] = {"Real",    "Integer",    "Boolean",    "String",
                                       "Real[3]", "Real[2, 2]", "Integer[2]", "StateSelect",
                                       "Complex", "Clock",      "Real[0]"};
    piece p;
    snippet s;
    if (!pick(m, m->from, PIECE_TYPE, &p)) return;
    if (dice_below(m->d, 2) && pick_anywhere(m, PIECE_TYPE, &s)) put(m, p, s);
    else put(m, p, literally(ONE_OF(m, list)));
}

static void add_prefix(mutant *m)
{
    static const char *const list[] = {"parameter ",   "constant ",        "discrete ",
                                       "input ",       "output ",          "final ",
                                       "flow ",        "stream ",          "inner ",
                                       "outer ",       "replaceable ",     "redeclare ",
                                       "protected ",   "partial ",         "encapsulated ",
                                       "inner outer ", "final parameter ", "public ",
                                       "each ",        "impure ",          "expandable "};
    piece p;
    if (pick(m, m->from, PIECE_ELEMENT, &p)) put(m, before(p), literally(ONE_OF(m, list)));
}

/* A declaration begins with its prefixes: take the first word away. */
static void drop_prefix(mutant *m)
{
    piece p;
    if (!pick(m, m->from, PIECE_ELEMENT, &p)) return;
    piece word = before(p);
    while (word.end < p.end && m->from->text[word.end] != ' ') word.end++;
    if (word.end < p.end) put(m, word, literally(""));
}

static void add_modifier(mutant *m)
{
    static const char *const list[] = {"(start = 1)",
                                       "(fixed = true)",
                                       "(start = 0, fixed = true)",
                                       "(min = 0)",
                                       "(nominal = 0)",
                                       "(max = -1)",
                                       "(unit = \"m/s\")",
                                       "(nominal = 1e-6)",
                                       "(stateSelect = StateSelect.always)",
                                       "(stateSelect = StateSelect.never)",
                                       "(each start = 1)",
                                       "(start = {1, 2})",
                                       "(quantity = \"q\")",
                                       "(fixed = false)",
                                       "(start = time)",
                                       "(displayUnit = \"deg\")",
                                       " = 1",
                                       " = time",
                                       " if false",
                                       " if true"};
    piece p;
    if (pick(m, m->from, PIECE_NAME, &p)) put(m, after(p), literally(ONE_OF(m, list)));
}

static void change_modifier(mutant *m)
{
    piece p;
    snippet s;
    if (!pick(m, m->from, PIECE_MODIFIER, &p)) return;
    switch (dice_below(m->d, 3)) {
    case 0: put(m, p, literally("")); break;
    case 1:
        if (pick_anywhere(m, PIECE_MODIFIER, &s)) put(m, p, s);
        break;
    default:
        if (pick_anywhere(m, PIECE_MODIFIER, &s)) put_around(m, after(p), ", ", s, "");
        break;
    }
}

static void change_test(mutant *m)
{
    static const char *const list[] = {
        "true",        "false",           "initial()",
        "time > 0.01", "sample(0, 0.01)", "terminal()",
        "time == 0",   "not initial()",   "time < 0.02 or time > 0.05"};
    piece p;
    if (pick(m, m->from, PIECE_TEST, &p)) put(m, p, literally(ONE_OF(m, list)));
}

/* The keyword of a section, of a class, or any other, becomes another one of its kind. */
static void change_keyword(mutant *m)
{
    static const char *const groups[][6] = {
        {"equation", "algorithm", "initial equation", "initial algorithm", "protected", "public"},
        {"model", "block", "function", "record", "connector", "package"},
        {"parameter", "constant", "discrete", "input", "output", "flow"},
        {"if", "when", "for", "while", "if", "when"},
        {"=", ":=", "=", ":=", "==", "="},
        {"true", "false", "true", "false", "true", "false"},
        {"else", "elseif true then", "else", "elsewhen time > 0.1 then", "else", "else"},
        {"extends", "import", "extends", "extends", "redeclare", "constrainedby"}};
    for (int tries = 0; tries < 20 && m->from->tokens.n; tries++) {
        piece p = m->from->tokens.at[dice_below(m->d, m->from->tokens.n)];
        snippet s = text_of(m->from, p);
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            for (int i = 0; i < 6; i++)
                if (s.n == strlen(groups[g][i]) && !memcmp(s.at, groups[g][i], s.n)) {
                    put(m, p, literally(groups[g][dice_below(m->d, 6)]));
                    return;
                }
    }
}

static void disturb_tokens(mutant *m)
{
    int n = m->from->tokens.n;
    if (!n) return;
    piece p = m->from->tokens.at[dice_below(m->d, n)];
    const words *w =
        m->other && m->other->tokens.n && dice_below(m->d, 3) == 0 ? m->other : m->from;
    snippet s = text_of(w, w->tokens.at[dice_below(m->d, w->tokens.n)]);
    switch (dice_below(m->d, 3)) {
    case 0: put(m, p, literally("")); break;
    case 1: put(m, p, s); break;
    default: put_around(m, before(p), " ", s, " "); break;
    }
}

/* The classes of the other text before this one, and a component, a base or an equation of it in
 * this. */
static void splice_texts(mutant *m)
{
    piece p, c;
    if (!m->other || !pick(m, m->from, PIECE_ELEMENT, &p)) return;
    const words *o = m->other;
    if (!pick(m, o, PIECE_CLASS, &c)) return;
    snippet of = text_of(o, c);
    // The second word of a class is its name, mostly.
    const char *name = memchr(of.at, ' ', of.n);
    if (!name) return;
    size_t n = 0, left = of.n - (size_t)(++name - of.at);
    while (n < left && ((name[n] | 32) >= 'a' || (name[n] >= '0' && name[n] <= '9'))) n++;
    if (!n || n > 60 || o->n + m->from->n + 200 > m->most) return;
    char line[120];
    if (dice_below(m->d, 2)) snprintf(line, sizeof line, "extends %.*s;\n", (int)n, name);
    else snprintf(line, sizeof line, "%.*s spliced;\n", (int)n, name);
    put(m, before(p), literally(line));
    memmove(m->out + o->n + 1, m->out, m->n + 1);
    memcpy(m->out, o->text, o->n);
    m->out[o->n] = '\n';
    m->n += o->n + 1;
}

typedef struct mutation {
    void (*make)(mutant *m);
    int weight; // out of the sum of all
} mutation;

static const mutation mutations[] = {
    {replace_expr, 8},          {exchange_exprs, 4},   {exchange_statements, 2},
    {change_operator, 6},       {change_literal, 6},   {change_reference, 8},
    {reference_to_declared, 4}, {delete_statement, 3}, {add_statement, 4},
    {replace_statement, 4},     {wrap_statement, 5},   {wrap_expr, 10},
    {add_subscript, 4},         {change_type, 5},      {add_prefix, 4},
    {drop_prefix, 2},           {add_modifier, 5},     {change_modifier, 3},
    {change_test, 3},           {change_keyword, 4},   {disturb_tokens, 3},
    {splice_texts, 3},
};

static const mutation *choose(dice *d)
{
    int sum = 0;
    for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) sum += mutations[i].weight;
    int k = dice_below(d, sum);
    const mutation *m = mutations;
    while (k >= m->weight) k -= m++->weight;
    return m;
}

size_t mutate(const char *from_text, size_t n, const char *other, size_t n_other, dice *d,
              char *out, size_t most)
{
    static const int rounds[] = {1, 1, 1, 2, 2, 3, 4, 6};
    mem std = mem_std();
    arena a;
    words from, second;
    if (n > most) n = most;
    memcpy(out, from_text, n);
    out[n] = 0;
    arena_init(&a, &std);
    if (other) take_apart(&second, other, n_other, &a);
    int left = rounds[dice_below(d, 8)];
    bool changed = true;
    for (int tries = 0; left > 0 && tries < 30; tries++) {
        if (changed) take_apart(&from, out, n, &a);
        mutant m = {
            .from = &from, .other = other ? &second : NULL, .d = d, .out = out, .most = most};
        choose(d)->make(&m);
        changed = m.done;
        if (!changed) continue;
        n = m.n;
        left--;
    }
    arena_done(&a);
    return n;
}
