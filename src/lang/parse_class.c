/* Classes and elements: Modelica Language Specification 3.6, appendix A.2.2 to A.2.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

#include <string.h>

bool parse_starts_class(const parser *p)
{
    switch (p->tok.kind) {
    case TOK_ENCAPSULATED:
    case TOK_PARTIAL:
    case TOK_CLASS:
    case TOK_MODEL:
    case TOK_RECORD:
    case TOK_BLOCK:
    case TOK_EXPANDABLE:
    case TOK_CONNECTOR:
    case TOK_TYPE:
    case TOK_PACKAGE:
    case TOK_PURE:
    case TOK_IMPURE:
    case TOK_OPERATOR:
    case TOK_FUNCTION: return true;
    default: return false;
    }
}

/* class-prefixes, after partial :
 *    ( class | model | [ operator ] record | block | [ expandable ] connector | type | package
 *      | [ pure | impure ] [ operator ] function | operator ) */
static void class_kind(parser *p, ast_class *c)
{
    static const uint8_t kind_of[TOK_COUNT] = {
        // one more than the kind, so that 0 is none
        [TOK_CLASS] = AST_R_CLASS + 1,         [TOK_MODEL] = AST_R_MODEL + 1,
        [TOK_RECORD] = AST_R_RECORD + 1,       [TOK_BLOCK] = AST_R_BLOCK + 1,
        [TOK_CONNECTOR] = AST_R_CONNECTOR + 1, [TOK_TYPE] = AST_R_TYPE + 1,
        [TOK_PACKAGE] = AST_R_PACKAGE + 1,     [TOK_FUNCTION] = AST_R_FUNCTION + 1,
    };
    if (parse_accept(p, TOK_EXPANDABLE)) c->flags |= AST_EXPANDABLE;
    if (parse_accept(p, TOK_PURE)) c->flags |= AST_PURE;
    else if (parse_accept(p, TOK_IMPURE)) c->flags |= AST_IMPURE;
    if (parse_accept(p, TOK_OPERATOR)) c->flags |= AST_OPERATOR;
    int kind = kind_of[p->tok.kind];
    if (kind) {
        c->restriction = (uint8_t)(kind - 1);
        parse_next(p);
    } else if (c->flags & AST_OPERATOR) {
        c->restriction = AST_R_OPERATOR;
        c->flags &= (uint16_t)~AST_OPERATOR;
    } else {
        parse_unexpected(p, "a kind of class (model, package, function, ...)");
    }
    bool function = c->restriction == AST_R_FUNCTION;
    if ((c->flags & AST_EXPANDABLE && c->restriction != AST_R_CONNECTOR) ||
        (c->flags & (AST_PURE | AST_IMPURE) && !function) ||
        (c->flags & AST_OPERATOR && !function && c->restriction != AST_R_RECORD))
        parse_complain(p, "L029", parse_span(p, p->prev),
                       "only a connector is expandable, only a function pure or impure, only a "
                       "record or function 'operator'");
}

/* ---- the end of a class ---------------------------------------------------------------------- */

#define NO_NAME "?" // of a class whose name was not understood: it may end as it likes

static bool parse_encloses(const ast_class *c, sym name)
{
    for (; c; c = c->parent)
        if (c->name == name) return true;
    return false;
}

bool parse_forgot_end(const parser *p)
{
    return parse_starts_class(p) && p->cls && p->tok.first_on_line &&
           parse_column(p, p->tok.begin) <= parse_column(p, p->cls->span.begin - p->lx.base);
}

// Where the class begins whose end is missing, and the one before which it probably belongs.
static void note_begin(parser *p, const ast_class *c)
{
    diag_note(p->lx.diags, c->at, "the class '%s' begins here", c->name);
    int column = parse_column(p, c->span.begin - p->lx.base);
    for (int i = 0; i < c->n_elements; i++) {
        const ast_element *e = c->elements[i];
        if (e->kind != AST_CLASS || parse_column(p, e->span.begin - p->lx.base) > column) continue;
        diag_note(p->lx.diags, e->class_->at,
                  "'%s' is not indented more than '%s'; is 'end %s;' missing before it?",
                  e->class_->name, c->name, c->name);
        return;
    }
}

/*    end IDENT
 *
 * The name decides what is wrong: that of a class around this one means that this one's end was
 * forgotten, any other is a slip. */
static void end_of_class(parser *p, const ast_class *c)
{
    if (p->stuck) return;
    if (p->tok.kind != TOK_END) {
        if (parse_complain(p, "L022", parse_span(p, p->tok), "missing 'end %s;' before %s", c->name,
                           parse_found(p)))
            note_begin(p, c);
        p->assume_semicolon = true;
        return;
    }
    token_kind what = parse_peek(p);
    sym name = what == TOK_IDENT ? p->ahead.name : NULL;
    if (name == c->name || (name && strcmp(c->name, NO_NAME) == 0)) {
        parse_next(p);
        parse_next(p);
    } else if (name && parse_encloses(c->parent, name)) {
        if (parse_complain(p, "L022", parse_span(p, p->tok), "missing 'end %s;' before 'end %s'",
                           c->name, name))
            note_begin(p, c);
        p->assume_semicolon = true;
    } else if (name) {
        parse_next(p);
        if (parse_complain(p, "L023", parse_span(p, p->tok),
                           "the class is called '%s' but ends as '%s'; write 'end %s'", c->name,
                           name, c->name))
            note_begin(p, c);
        parse_next(p);
    } else {
        parse_next(p);
        if (parse_complain(p, "L022", parse_span(p, p->prev),
                           "a class ends with its name: write 'end %s'", c->name))
            note_begin(p, c);
        if (p->tok.kind != TOK_SEMICOLON) parse_unexpected(p, "the name of the class");
    }
}

/* ---- class bodies ---------------------------------------------------------------------------- */

/*    external [ language-specification ] [ external-function-call ] [ annotation-clause ] ";"
 * external-function-call :
 *    [ component-reference "=" ] IDENT "(" [ expression-list ] ")" */
static ast_external *external_clause(parser *p)
{
    uint32_t begin = p->tok.begin;
    ast_external *x = arena_new(p->a, ast_external);
    parse_next(p); // external
    if (p->tok.kind == TOK_STRING) x->language = parse_comment(p);
    if (p->tok.kind == TOK_IDENT || p->tok.kind == TOK_DOT) {
        uint32_t at = p->tok.begin;
        ast_ref r = parse_reference(p);
        span name_at;
        x->has_call = true;
        if (parse_accept(p, TOK_EQUALS)) {
            x->result = parse_make(p, AST_REF, at);
            x->result->ref = arena_new(p->a, ast_ref);
            *x->result->ref = r;
            x->function = parse_ident(p, &name_at, "the name of the external function");
        } else {
            x->function = r.n ? r.at[0].name : NULL;
            if (r.n != 1 || r.global || r.at[0].subs.n)
                parse_error(p, "L020", r.span, "expected the name of the external function");
        }
        if (parse_expect(p, TOK_LPAREN, "after the name of the external function")) {
            if (p->tok.kind != TOK_RPAREN) x->args = parse_expression_list(p);
            parse_expect(p, TOK_RPAREN, "after the arguments");
        }
    }
    x->annotation = parse_annotation(p);
    x->span = parse_since(p, begin);
    parse_semicolon(p, "the external declaration");
    parse_recover(p);
    return x;
}

// One annotation per class; what older files give in several places is put together.
static void class_annotation(parser *p, ast_class *c)
{
    ast_mod *m = parse_annotation(p);
    parse_semicolon(p, "the annotation");
    parse_recover(p);
    if (!m) return;
    if (!c->annotation) {
        c->annotation = m;
        return;
    }
    ast_args *x = &c->annotation->args, *y = &m->args;
    ast_arg *all = arena_array(p->a, ast_arg, x->n + y->n);
    if (x->n) memcpy(all, x->at, sizeof *all * (size_t)x->n);
    if (y->n) memcpy(all + x->n, y->at, sizeof *all * (size_t)y->n);
    x->at = all;
    x->n += y->n;
}

static void push_section(parser *p, ast_section **sections, int *n, int *cap, ast_section s)
{
    if (*n == *cap) *sections = array_grow(p->a, *sections, cap, *n + 1, sizeof **sections);
    (*sections)[(*n)++] = s;
}

// [ initial ] equation or algorithm, and what follows it.
static ast_section parse_section(parser *p)
{
    uint32_t begin = p->tok.begin;
    ast_section s = {0};
    s.initial = parse_accept(p, TOK_INITIAL);
    if (p->implied_equation) p->implied_equation = false;
    else if (parse_starts_equation(p) && !s.initial)
        parse_complain(p, "L027", parse_span(p, p->tok),
                       "write 'equation' before the first equation");
    else if (parse_accept(p, TOK_ALGORITHM)) s.algorithm = true;
    else parse_expect(p, TOK_EQUATION, "(or 'algorithm') after 'initial'");
    parse_recover(p);
    parse_section_body(p, &s);
    s.span = parse_since(p, begin);
    return s;
}

/* composition :
 *    element-list
 *    { public element-list | protected element-list | equation-section | algorithm-section }
 *    [ external ... ";" ] [ annotation-clause ";" ]
 *
 * Annotations are accepted in between too, as in libraries written before Modelica 3. */
void parse_composition(parser *p, ast_class *c)
{
    uint16_t visibility = 0;
    size_t mark = p->top;
    int cap = 0;
    bool in_section = false; // after equations or statements, where no declaration can stand
    for (;;) {
        switch (p->tok.kind) {
        case TOK_NONE:
        case TOK_EOF:
        case TOK_END: c->elements = PARSE_TAKE(p, mark, ast_element *, &c->n_elements); return;
        case TOK_PUBLIC:
        case TOK_PROTECTED:
            visibility = p->tok.kind == TOK_PROTECTED ? AST_PROTECTED : 0;
            in_section = false;
            parse_next(p);
            break;
        case TOK_EXTERNAL: c->external = external_clause(p); break;
        case TOK_ANNOTATION: class_annotation(p, c); break;
        default:
            if (in_section && parse_forgot_end(p)) {
                c->elements = PARSE_TAKE(p, mark, ast_element *, &c->n_elements);
                return;
            }
            if (p->tok.kind == TOK_EQUATION || p->tok.kind == TOK_ALGORITHM ||
                p->tok.kind == TOK_INITIAL || p->implied_equation || parse_starts_equation(p)) {
                push_section(p, &c->sections, &c->n_sections, &cap, parse_section(p));
                in_section = true;
            } else parse_element_list(p, visibility);
        }
    }
}

/* enum-list :
 *    enumeration-literal { "," enumeration-literal }
 * enumeration-literal :
 *    IDENT description */
static void parse_enumeration(parser *p, ast_class *c)
{
    c->body = AST_ENUM;
    parse_next(p); // enumeration
    if (!parse_expect(p, TOK_LPAREN, "after 'enumeration'")) return;
    size_t mark = p->top;
    c->open_enum = parse_accept(p, TOK_COLON);
    if (!c->open_enum && p->tok.kind != TOK_RPAREN) do {
            ast_literal l = {0};
            l.name = parse_ident(p, &l.at, "the name of an enumeration literal");
            parse_description(p, &l.comment, &l.annotation);
            parse_push(p, &l, sizeof l);
        } while (parse_accept(p, TOK_COMMA));
    c->literals = PARSE_TAKE(p, mark, ast_literal, &c->n_literals);
    parse_expect(p, TOK_RPAREN, "after the enumeration literals");
}

/* der-class-specifier :
 *    IDENT "=" der "(" type-specifier "," IDENT { "," IDENT } ")" description */
static void der_class(parser *p, ast_class *c)
{
    c->body = AST_DER;
    parse_next(p); // der
    if (!parse_expect(p, TOK_LPAREN, "after 'der'")) return;
    c->base = parse_type(p, "the name of a function");
    size_t mark = p->top;
    if (p->tok.kind != TOK_COMMA) parse_expect(p, TOK_COMMA, "and the variables to derive by");
    while (parse_accept(p, TOK_COMMA)) {
        ast_ident id;
        id.name = parse_ident(p, &id.at, "the name of an input");
        parse_push(p, &id, sizeof id);
    }
    c->der_by = PARSE_TAKE(p, mark, ast_ident, &c->n_der_by);
    parse_expect(p, TOK_RPAREN, "after the variables");
}

/* short-class-specifier :
 *    IDENT "=" base-prefix type-specifier [ array-subscripts ] [ class-modification ] description
 *    | IDENT "=" enumeration "(" ( [ enum-list ] | ":" ) ")" description */
static void short_class(parser *p, ast_class *c)
{
    if (p->tok.kind == TOK_ENUMERATION) {
        parse_enumeration(p, c);
    } else if (p->tok.kind == TOK_DER) {
        der_class(p, c);
    } else {
        c->body = AST_SHORT;
        if (parse_accept(p, TOK_INPUT)) c->causality = AST_INPUT;
        else if (parse_accept(p, TOK_OUTPUT)) c->causality = AST_OUTPUT;
        c->base = parse_type(p, "the name of a class");
        c->dims = parse_subscripts(p);
        c->mod = parse_class_modification(p, false);
    }
    parse_description(p, &c->comment, &c->annotation);
}

/* long-class-specifier :
 *    IDENT description-string composition end IDENT
 *    | extends IDENT [ class-modification ] description-string composition end IDENT */
static void long_class(parser *p, ast_class *c)
{
    c->comment = parse_comment(p);
    parse_recover(p);
    if (!parse_put_off(p, c)) parse_composition(p, c);
    end_of_class(p, c);
}

static void set_parent(ast_class *c, parser *p)
{
    c->parent = p->cls;
    c->file = p->file;
    map_init(&c->index, p->a);
}

/* class-definition :
 *    [ encapsulated ] class-prefixes class-specifier
 * class-specifier :
 *    long-class-specifier | short-class-specifier | der-class-specifier
 *
 * flags: the prefixes already read. short_only: inside a modification (short-class-definition). */
ast_class *parse_class(parser *p, uint16_t flags, uint32_t begin, bool short_only)
{
    ast_class *c = arena_new(p->a, ast_class);
    set_parent(c, p);
    c->flags = flags;
    c->span.begin = p->lx.base + begin;
    if (!parse_enter(p)) return c;
    class_kind(p, c);
    if (!short_only && parse_accept(p, TOK_EXTENDS)) c->body = AST_CLASS_EXTENDS;
    c->name = parse_ident(p, &c->at, "the name of the class");
    if (!c->name) c->name = sym_of(p->lx.syms, NO_NAME);
    p->cls = c;
    if (c->body == AST_CLASS_EXTENDS) {
        c->mod = parse_class_modification(p, false);
        long_class(p, c);
    } else if (parse_accept(p, TOK_EQUALS)) {
        short_class(p, c);
    } else if (short_only) {
        parse_expect(p, TOK_EQUALS,
                     "after the name of the class (a modification takes short "
                     "classes only)");
    } else {
        long_class(p, c);
    }
    p->cls = c->parent;
    c->span = parse_since(p, begin);
    parse_leave(p);
    return c;
}
