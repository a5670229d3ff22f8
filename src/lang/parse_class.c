/* Classes and elements: Modelica Language Specification 3.6, appendix A.2.2 to A.2.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

#include <string.h>

/* ---- prefixes ---- */

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
    static const prefix_word words[] = {
        {TOK_CLASS, 0, AST_R_CLASS},         {TOK_MODEL, 0, AST_R_MODEL},
        {TOK_RECORD, 0, AST_R_RECORD},       {TOK_BLOCK, 0, AST_R_BLOCK},
        {TOK_CONNECTOR, 0, AST_R_CONNECTOR}, {TOK_TYPE, 0, AST_R_TYPE},
        {TOK_PACKAGE, 0, AST_R_PACKAGE},     {TOK_FUNCTION, 0, AST_R_FUNCTION},
    };
    if (parse_accept(p, TOK_EXPANDABLE)) c->flags |= AST_EXPANDABLE;
    if (parse_accept(p, TOK_PURE)) c->flags |= AST_PURE;
    else if (parse_accept(p, TOK_IMPURE)) c->flags |= AST_IMPURE;
    if (parse_accept(p, TOK_OPERATOR)) c->flags |= AST_OPERATOR;
    const prefix_word *w = find_word(p, words, sizeof words / sizeof *words);
    if (w) {
        c->restriction = (uint8_t)w->value;
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

/* ---- the end of a class ---- */

static bool encloses(const ast_class *c, sym name)
{
    for (; c; c = c->parent)
        if (c->name == name) return true;
    return false;
}

/*    end IDENT
 *
 * The name decides what is wrong: that of a class around this one means that this one's end was
 * forgotten, any other is a slip. */
static void end_of_class(parser *p, const ast_class *c)
{
    diag_sink *d = p->lx.diags;
    if (p->stuck) return;
    if (p->tok.kind != TOK_END) {
        if (parse_error(p, "L022", parse_span(p, p->tok), "expected 'end %s', found %s", c->name,
                        parse_found(p)))
            diag_note(d, c->at, "the class '%s' begins here", c->name);
        return;
    }
    token_kind what = parse_peek(p);
    sym name = what == TOK_IDENT ? p->ahead.name : NULL;
    if (name == c->name) {
        parse_next(p);
        parse_next(p);
    } else if (name && encloses(c->parent, name)) {
        if (parse_complain(p, "L022", parse_span(p, p->tok), "missing 'end %s;' before 'end %s'",
                           c->name, name))
            diag_note(d, c->at, "the class '%s' begins here", c->name);
        p->assume_semicolon = true;
    } else if (name) {
        parse_next(p);
        if (parse_complain(p, "L023", parse_span(p, p->tok),
                           "the class is called '%s' but ends as '%s'; write 'end %s'", c->name,
                           name, c->name))
            diag_note(d, c->at, "the class '%s' begins here", c->name);
        parse_next(p);
    } else if (what == TOK_IF || what == TOK_FOR || what == TOK_WHEN || what == TOK_WHILE) {
        parse_next(p);
        parse_error(p, "L022", parse_span(p, p->tok),
                    "'end %s' without an open '%s'; expected 'end %s'", token_text(what),
                    token_text(what), c->name);
    } else {
        parse_next(p);
        if (parse_complain(p, "L022", parse_span(p, p->prev),
                           "a class ends with its name: write 'end %s'", c->name))
            diag_note(d, c->at, "the class '%s' begins here", c->name);
        if (p->tok.kind != TOK_SEMICOLON) parse_unexpected(p, "the name of the class");
    }
}

/* ---- elements ---- */

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

static ast_exprs join(parser *p, ast_exprs x, ast_exprs y)
{
    if (!x.n) return y;
    if (!y.n) return x;
    ast_exprs list = {arena_array(p->a, ast_expr *, x.n + y.n), x.n + y.n};
    memcpy(list.at, x.at, sizeof *x.at * (size_t)x.n);
    memcpy(list.at + x.n, y.at, sizeof *y.at * (size_t)y.n);
    return list;
}

// After the type of a component there is no name: what was meant?
static void no_component(parser *p, const ast_ref *type)
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
        parse_error(p, "L027", (span){type->span.begin, parse_span(p, p->tok).end},
                    "this looks like an equation; write 'equation' before the first one");
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
    ast_ref type = parse_type(p, "a declaration");
    ast_exprs dims = parse_subscripts(p);
    size_t first = p->top;
    if (p->tok.kind != TOK_IDENT) no_component(p, &type);
    do {
        ast_component *c = arena_new(p->a, ast_component);
        c->type = type;
        c->variability = prefix.variability;
        c->causality = prefix.causality;
        c->flow = prefix.flow;
        c->name = parse_ident(p, &c->at, "the name of a component");
        c->dims = join(p, parse_subscripts(p), dims);
        c->mod = parse_modification(p);
        if (parse_accept(p, TOK_IF)) c->condition = parse_expression(p);
        parse_description(p, &c->comment, &c->annotation);
        push_element(p, AST_COMPONENT, h, c);
        h.begin = p->tok.begin;
        if (p->tok.kind == TOK_COMMA) h.begin = p->tok.end;
    } while (parse_accept(p, TOK_COMMA));
    ast_constraint *constraint = h.flags & AST_REPLACEABLE ? parse_constraint(p, true) : NULL;
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
static void element(parser *p, uint16_t visibility)
{
    element_head h = {visibility, p->tok.begin};
    h.flags |= parse_prefixes(p);
    if (h.flags == visibility && p->tok.kind == TOK_IMPORT) {
        import_clause(p, h);
    } else if (h.flags == visibility && p->tok.kind == TOK_EXTENDS) {
        extends_clause(p, h);
    } else if (parse_starts_class(p) || h.flags & (AST_ENCAPSULATED | AST_IS_PARTIAL)) {
        ast_class *c = parse_class(p, h.flags, h.begin, false);
        if (h.flags & AST_REPLACEABLE) c->constraint = parse_constraint(p, true);
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
static bool is_equation(const parser *p)
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
static void element_list(parser *p, uint16_t visibility)
{
    while (!ends_elements(p) && !is_equation(p)) {
        uint32_t begin = p->tok.begin;
        if (p->tok.kind == TOK_SEMICOLON)
            parse_complain(p, "L028", parse_span(p, p->tok),
                           "there is nothing before this ';'; remove it");
        else element(p, visibility);
        parse_semicolon(p, "the declaration");
        parse_recover(p);
        if (p->tok.begin == begin && !ends_elements(p)) parse_next(p); // always forward
    }
}

/* ---- class bodies ---- */

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
    if (*n == *cap) *sections = array_grow(p->a, *sections, *n, cap, *n + 1, sizeof **sections);
    (*sections)[(*n)++] = s;
}

// [ initial ] equation or algorithm, and what follows it.
static ast_section section(parser *p)
{
    uint32_t begin = p->tok.begin;
    ast_section s = {0};
    s.initial = parse_accept(p, TOK_INITIAL);
    if (is_equation(p) && !s.initial)
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
static void composition(parser *p, ast_class *c)
{
    uint16_t visibility = 0;
    size_t mark = p->top;
    int cap = 0;
    for (;;) {
        switch (p->tok.kind) {
        case TOK_NONE:
        case TOK_EOF:
        case TOK_END: c->elements = PARSE_TAKE(p, mark, ast_element *, &c->n_elements); return;
        case TOK_PUBLIC:
        case TOK_PROTECTED:
            visibility = p->tok.kind == TOK_PROTECTED ? AST_PROTECTED : 0;
            parse_next(p);
            break;
        case TOK_EXTERNAL: c->external = external_clause(p); break;
        case TOK_ANNOTATION: class_annotation(p, c); break;
        default:
            if (p->tok.kind == TOK_EQUATION || p->tok.kind == TOK_ALGORITHM ||
                p->tok.kind == TOK_INITIAL || is_equation(p))
                push_section(p, &c->sections, &c->n_sections, &cap, section(p));
            else element_list(p, visibility);
        }
    }
}

/* enum-list :
 *    enumeration-literal { "," enumeration-literal }
 * enumeration-literal :
 *    IDENT description */
static void enumeration(parser *p, ast_class *c)
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
        enumeration(p, c);
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
    composition(p, c);
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
    if (!parse_enter(p)) return c;
    class_kind(p, c);
    if (!short_only && parse_accept(p, TOK_EXTENDS)) c->body = AST_CLASS_EXTENDS;
    c->name = parse_ident(p, &c->at, "the name of the class");
    if (!c->name) c->name = sym_of(p->lx.syms, "?");
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
