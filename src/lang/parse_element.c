/* Elements and their prefixes: Modelica Language Specification 3.6, appendix A.2.2 to A.2.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

#include <string.h>

/* ---- prefixes -------------------------------------------------------------------------------- */

// Words that come in a fixed order, each at most once; rank gives the order.
typedef struct prefix_word {
    uint8_t tok, rank;
    uint16_t value;
} prefix_word;

static const prefix_word *find_word(const parser *p, const prefix_word *words, int n)
{
    for (int i = 0; i < n; i++)
        if (words[i].tok == p->tok.kind) return &words[i];
    return NULL;
}

static void check_order(parser *p, const prefix_word *w, int last, const char *order)
{
    if (w->rank > last) return;
    parse_complain(p, "L029", parse_span(p, p->tok),
                   w->rank == last ? "'%s' repeats or contradicts the prefix before it; %s"
                                   : "'%s' comes too late; %s",
                   token_text((token_kind)p->tok.kind), order);
}

/*    [ redeclare ] [ final ] [ inner ] [ outer ] [ replaceable ] [ encapsulated ] [ partial ] */
uint16_t parse_prefixes(parser *p)
{
    static const prefix_word words[] = {
        {TOK_REDECLARE, 1, AST_REDECLARE},
        {TOK_FINAL, 2, AST_FINAL},
        {TOK_INNER, 3, AST_INNER},
        {TOK_OUTER, 4, AST_OUTER},
        {TOK_REPLACEABLE, 5, AST_REPLACEABLE},
        {TOK_ENCAPSULATED, 6, AST_ENCAPSULATED},
        {TOK_PARTIAL, 7, AST_IS_PARTIAL},
    };
    uint16_t flags = 0;
    const prefix_word *w;
    for (int last = 0; (w = find_word(p, words, sizeof words / sizeof *words)); last = w->rank) {
        check_order(p, w, last,
                    "the order is redeclare, final, inner, outer, replaceable, encapsulated, "
                    "partial");
        flags |= w->value;
        parse_next(p);
    }
    return flags;
}

/* type-prefix :
 *    [ flow | stream ] [ discrete | parameter | constant ] [ input | output ] */
parse_prefix parse_type_prefix(parser *p)
{
    static const prefix_word words[] = {
        {TOK_FLOW, 1, AST_FLOW},         {TOK_STREAM, 1, AST_STREAM},
        {TOK_DISCRETE, 2, AST_DISCRETE}, {TOK_PARAMETER, 2, AST_PARAMETER},
        {TOK_CONSTANT, 2, AST_CONSTANT}, {TOK_INPUT, 3, AST_INPUT},
        {TOK_OUTPUT, 3, AST_OUTPUT},
    };
    parse_prefix prefix = {0};
    const prefix_word *w;
    for (int last = 0; (w = find_word(p, words, sizeof words / sizeof *words)); last = w->rank) {
        check_order(p, w, last,
                    "the order is flow or stream, then discrete, parameter or constant, then input "
                    "or output");
        uint8_t *field[] = {&prefix.flow, &prefix.variability, &prefix.causality};
        *field[w->rank - 1] = (uint8_t)w->value;
        parse_next(p);
    }
    return prefix;
}

/* ---- elements -------------------------------------------------------------------------------- */

typedef struct element_head {
    uint16_t flags;
    uint32_t begin;
} element_head;

static void push_element(parser *p, ast_element_kind kind, element_head h, void *node)
{
    ast_element *e = arena_new(p->a, ast_element);
    e->kind = (uint8_t)kind;
    e->flags = h.flags;
    e->span = parse_since(p, h.begin);
    e->class_ = node;
    if (kind == AST_CLASS) e->flags = e->class_->flags;
    parse_push(p, &e, sizeof e);
}

/* import-clause :
 *    import ( IDENT "=" name | name [ ".*" | "." ( "*" | "{" import-list "}" ) ] ) description */
static void import_clause(parser *p, element_head h)
{
    ast_import *i = arena_new(p->a, ast_import);
    parse_next(p); // import
    i->name = parse_name(p, "the name of a class to import");
    if (i->name.n == 1 && parse_accept(p, TOK_EQUALS)) {
        i->kind = AST_IMPORT_ALIAS;
        i->alias = (ast_ident){i->name.at[0].name, i->name.at[0].at};
        i->name = parse_name(p, "the name of a class to import");
    } else if (parse_accept(p, TOK_DOT_STAR)) {
        i->kind = AST_IMPORT_ALL;
    } else if (parse_accept(p, TOK_DOT)) {
        if (parse_accept(p, TOK_STAR)) {
            i->kind = AST_IMPORT_ALL;
        } else if (parse_expect(p, TOK_LBRACE, "after '.' (or '*')")) {
            i->kind = AST_IMPORT_LIST;
            size_t mark = p->top;
            do {
                ast_ident id;
                id.name = parse_ident(p, &id.at, "the name of a class to import");
                parse_push(p, &id, sizeof id);
            } while (parse_accept(p, TOK_COMMA));
            i->list = PARSE_TAKE(p, mark, ast_ident, &i->n_list);
            parse_expect(p, TOK_RBRACE, "after the imported names");
        }
    }
    parse_description(p, &i->comment, &i->annotation);
    push_element(p, AST_IMPORT, h, i);
}

/* extends-clause :
 *    extends type-specifier [ class-or-inheritance-modification ] [ annotation-clause ] */
static void extends_clause(parser *p, element_head h)
{
    ast_extends *x = arena_new(p->a, ast_extends);
    parse_next(p); // extends
    x->type = parse_type(p, "the name of the class to extend");
    x->mod = parse_class_modification(p, true);
    x->annotation = parse_annotation(p);
    push_element(p, AST_EXTENDS, h, x);
}

static ast_exprs parse_join(parser *p, ast_exprs x, ast_exprs y)
{
    if (!x.n) return y;
    if (!y.n) return x;
    ast_exprs list = {arena_array(p->a, ast_expr *, x.n + y.n), x.n + y.n};
    memcpy(list.at, x.at, sizeof *x.at * (size_t)x.n);
    memcpy(list.at + x.n, y.at, sizeof *y.at * (size_t)y.n);
    return list;
}

// After the type of a component there is no name: what was meant?
static void no_component(parser *p, const ast_ref *type, token first)
{
    switch (p->tok.kind) {
    case TOK_EQUALS:
    case TOK_ASSIGN:
    case TOK_LPAREN:
    case TOK_PLUS:
    case TOK_MINUS:
    case TOK_STAR:
    case TOK_SLASH:
    case TOK_CARET:
        parse_complain(p, "L027", (span){type->span.begin, parse_span(p, p->tok).end},
                       "this looks like an equation; write 'equation' before the first one");
        parse_rewind(p, first);
        p->implied_equation = true;
        break;
    case TOK_SEMICOLON:
        parse_error(p, "L020", type->span,
                    "expected the name of a component after its type '%s'; or is a word before "
                    "'%s' misspelt?",
                    type->n ? type->at[type->n - 1].name : "", type->n ? type->at[0].name : "");
        break;
    default: break;
    }
}

/* component-clause :
 *    type-prefix type-specifier [ array-subscripts ] component-list
 * component-declaration :
 *    declaration [ condition-attribute ] description
 * declaration :
 *    IDENT [ array-subscripts ] [ modification ] */
static void component_clause(parser *p, element_head h)
{
    parse_prefix prefix = parse_type_prefix(p);
    token first_token = p->tok;
    ast_ref type = parse_type(p, "a declaration");
    ast_exprs dims = parse_subscripts(p);
    size_t first = p->top;
    if (p->tok.kind != TOK_IDENT) no_component(p, &type, first_token);
    if (p->implied_equation) return;
    do {
        ast_component *c = arena_new(p->a, ast_component);
        c->type = type;
        c->variability = prefix.variability;
        c->causality = prefix.causality;
        c->flow = prefix.flow;
        c->name = parse_ident(p, &c->at, "the name of a component");
        c->dims = parse_join(p, parse_subscripts(p), dims);
        c->mod = parse_modification(p);
        if (parse_accept(p, TOK_IF)) c->condition = parse_expression(p);
        parse_description(p, &c->comment, &c->annotation);
        push_element(p, AST_COMPONENT, h, c);
        h.begin = p->tok.begin;
        if (p->tok.kind == TOK_COMMA) h.begin = p->tok.end;
    } while (parse_accept(p, TOK_COMMA));
    ast_constraint *constraint = h.flags & AST_REPLACEABLE ? parse_constraint(p) : NULL;
    if (!constraint) return;
    for (size_t i = first; i < p->top; i += sizeof(ast_element *)) {
        ast_element *e;
        memcpy(&e, p->stack + i, sizeof e);
        e->component->constraint = constraint;
    }
}

/* element :
 *    import-clause | extends-clause
 *    | [ redeclare ] [ final ] [ inner ] [ outer ]
 *      ( class-definition | component-clause
 *        | replaceable ( class-definition | component-clause )
 *          [ constraining-clause description ] ) */
static void parse_element(parser *p, uint16_t visibility)
{
    element_head h = {visibility, p->tok.begin};
    h.flags |= parse_prefixes(p);
    if (h.flags == visibility && p->tok.kind == TOK_IMPORT) {
        import_clause(p, h);
    } else if (h.flags == visibility && p->tok.kind == TOK_EXTENDS) {
        extends_clause(p, h);
    } else if (parse_starts_class(p) || h.flags & (AST_ENCAPSULATED | AST_IS_PARTIAL)) {
        ast_class *c = parse_class(p, h.flags, h.begin, false);
        if (h.flags & AST_REPLACEABLE) c->constraint = parse_constraint(p);
        push_element(p, AST_CLASS, h, c);
    } else {
        component_clause(p, h);
    }
}

static bool ends_elements(const parser *p)
{
    switch (p->tok.kind) {
    case TOK_EOF:
    case TOK_END:
    case TOK_PUBLIC:
    case TOK_PROTECTED:
    case TOK_EQUATION:
    case TOK_ALGORITHM:
    case TOK_INITIAL:
    case TOK_EXTERNAL:
    case TOK_ANNOTATION: return true;
    default: return false;
    }
}

// An equation where elements stand, begun by a word that begins no element.
bool parse_starts_equation(const parser *p)
{
    switch (p->tok.kind) {
    case TOK_DER:
    case TOK_IF:
    case TOK_WHEN:
    case TOK_FOR:
    case TOK_WHILE:
    case TOK_CONNECT:
    case TOK_LPAREN: return true;
    default: return false;
    }
}

/* element-list :
 *    { element ";" } */
void parse_element_list(parser *p, uint16_t visibility)
{
    while (!ends_elements(p) && !parse_starts_equation(p)) {
        uint32_t begin = p->tok.begin;
        if (p->tok.kind == TOK_SEMICOLON)
            parse_complain(p, "L028", parse_span(p, p->tok),
                           "there is nothing before this ';'; remove it");
        else parse_element(p, visibility);
        if (p->implied_equation) return;
        parse_semicolon(p, "the declaration");
        parse_recover(p);
        if (p->tok.begin == begin && !ends_elements(p)) parse_next(p); // always forward
    }
}
