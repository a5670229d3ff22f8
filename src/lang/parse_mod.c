/* Modifications, comments and annotations: Modelica Language Specification 3.6, appendix A.2.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

#include <string.h>

/* ---- comments and annotations ---------------------------------------------------------------- */

static ast_string parse_string_of(const parser *p, token t)
{
    bool closed = t.end > t.begin + 1 && p->lx.text[t.end - 1] == '"';
    return (ast_string){p->lx.text + t.begin + 1, t.end - t.begin - 1 - closed};
}

/* description-string :
 *    [ STRING { "+" STRING } ] */
ast_string parse_comment(parser *p)
{
    ast_string s = {0};
    if (p->tok.kind != TOK_STRING) return s;
    s = parse_string_of(p, p->tok);
    parse_next(p);
    while (p->tok.kind == TOK_PLUS && parse_peek(p) == TOK_STRING) {
        parse_next(p);
        ast_string t = parse_string_of(p, p->tok);
        char *both = arena_alloc(p->a, (size_t)s.n + t.n + 1);
        memcpy(both, s.at, s.n);
        memcpy(both + s.n, t.at, t.n);
        s = (ast_string){both, s.n + t.n};
        parse_next(p);
    }
    return s;
}

/* annotation-clause :
 *    annotation class-modification */
ast_mod *parse_annotation(parser *p)
{
    if (!parse_accept(p, TOK_ANNOTATION)) return NULL;
    if (p->tok.kind != TOK_LPAREN) parse_expect(p, TOK_LPAREN, "after 'annotation'");
    return parse_class_modification(p, false);
}

/* description :
 *    description-string [ annotation-clause ] */
void parse_description(parser *p, ast_string *c, ast_mod **note)
{
    *c = parse_comment(p);
    *note = parse_annotation(p);
}

/* ---- modifications --------------------------------------------------------------------------- */

// The value of a modification: expression, or break.
static void modification_expression(parser *p, ast_mod *m)
{
    if (parse_accept(p, TOK_BREAK)) m->is_break = true;
    else m->value = parse_expression(p);
}

/* modification :
 *    class-modification [ "=" modification-expression ]
 *    | "=" modification-expression
 *    | ":=" modification-expression
 * modification-expression :
 *    expression | break */
ast_mod *parse_modification(parser *p)
{
    uint32_t begin = p->tok.begin;
    ast_mod *m = parse_class_modification(p, false);
    if (p->tok.kind == TOK_EQ) {
        parse_complain(p, "L024", parse_span(p, p->tok),
                       "'==' compares; a value is given with '='");
        p->tok.kind = TOK_EQUALS;
    }
    if (p->tok.kind != TOK_EQUALS && p->tok.kind != TOK_ASSIGN) return m;
    if (m && p->tok.kind == TOK_ASSIGN) return m;
    if (!m) m = arena_new(p->a, ast_mod);
    m->assign = p->tok.kind == TOK_ASSIGN;
    parse_next(p);
    modification_expression(p, m);
    m->span = parse_since(p, begin);
    return m;
}

/* constraining-clause :
 *    constrainedby type-specifier [ class-modification ] description */
ast_constraint *parse_constraint(parser *p)
{
    if (!parse_accept(p, TOK_CONSTRAINEDBY)) return NULL;
    ast_constraint *c = arena_new(p->a, ast_constraint);
    c->type = parse_type(p, "the name of the constraining class");
    c->mod = parse_class_modification(p, false);
    parse_description(p, &c->comment, &c->annotation);
    return c;
}

/* component-clause1 :
 *    type-prefix type-specifier component-declaration1
 * component-declaration1 :
 *    declaration description */
static ast_component *component_clause1(parser *p)
{
    ast_component *c = arena_new(p->a, ast_component);
    parse_prefix prefix = parse_type_prefix(p);
    c->variability = prefix.variability;
    c->causality = prefix.causality;
    c->flow = prefix.flow;
    c->type = parse_type(p, "the type of a component");
    c->name = parse_ident(p, &c->at, "the name of a component");
    c->dims = parse_subscripts(p);
    c->mod = parse_modification(p);
    parse_description(p, &c->comment, &c->annotation);
    return c;
}

/* element-redeclaration :
 *    redeclare [ each ] [ final ]
 *    ( short-class-definition | component-clause1 | element-replaceable )
 * element-replaceable :
 *    replaceable ( short-class-definition | component-clause1 ) [ constraining-clause ]
 *
 * redeclare, each and final are already read. */
static void element_argument(parser *p, ast_arg *arg, uint16_t flags)
{
    uint32_t begin = p->tok.begin;
    if (parse_accept(p, TOK_REPLACEABLE)) flags |= AST_REPLACEABLE;
    if (arg->final) flags |= AST_FINAL;
    ast_element *e = arena_new(p->a, ast_element);
    arg->kind = AST_ARG_ELEMENT;
    arg->element = e;
    if (parse_starts_class(p)) {
        e->kind = AST_CLASS;
        e->class_ = parse_class(p, flags | parse_prefixes(p), begin, true);
        arg->name.n = 0;
    } else {
        e->kind = AST_COMPONENT;
        e->component = component_clause1(p);
    }
    // The grammar has no description here, but libraries do.
    ast_constraint *c = flags & AST_REPLACEABLE ? parse_constraint(p) : NULL;
    if (e->kind == AST_CLASS) e->class_->constraint = c;
    else e->component->constraint = c;
    e->flags = e->kind == AST_CLASS ? e->class_->flags : flags;
    e->span = parse_since(p, begin);
}

/* inheritance-modification :
 *    break ( connect-equation | IDENT ) */
static void inheritance_modification(parser *p, ast_arg *arg)
{
    parse_next(p); // break
    if (p->tok.kind == TOK_CONNECT) {
        arg->kind = AST_ARG_BREAK_CONNECT;
        arg->connect = parse_connect(p);
    } else {
        arg->kind = AST_ARG_BREAK_NAME;
        arg->name = parse_name(p, "the name of an element to leave out");
    }
}

/* argument :
 *    element-modification-or-replaceable | element-redeclaration
 * element-modification-or-replaceable :
 *    [ each ] [ final ] ( element-modification | element-replaceable )
 * element-modification :
 *    name [ modification ] description-string */
static void parse_argument(parser *p, ast_arg *arg, bool inheritance)
{
    uint32_t begin = p->tok.begin;
    if (inheritance && p->tok.kind == TOK_BREAK) {
        inheritance_modification(p, arg);
    } else {
        bool redeclare = parse_accept(p, TOK_REDECLARE);
        arg->each = parse_accept(p, TOK_EACH);
        arg->final = parse_accept(p, TOK_FINAL);
        if (redeclare || p->tok.kind == TOK_REPLACEABLE) {
            element_argument(p, arg, redeclare ? AST_REDECLARE : 0);
        } else {
            arg->name = parse_name(p, "the name of an element to modify");
            if (p->tok.kind == TOK_LBRACKET)
                parse_error(p, "L020", parse_span(p, p->tok),
                            "a modification applies to the whole array '%s'; give all values, as "
                            "in %s = {...}",
                            arg->name.at[0].name, arg->name.at[arg->name.n - 1].name);
            arg->mod = parse_modification(p);
            arg->comment = parse_comment(p);
        }
    }
    arg->span = parse_since(p, begin);
}

/* class-modification :
 *    "(" [ argument-list ] ")"
 * argument-list :
 *    argument { "," argument }
 *
 * NULL without a parenthesis. inheritance: break is allowed (class-or-inheritance-modification). */
ast_mod *parse_class_modification(parser *p, bool inheritance)
{
    if (p->tok.kind != TOK_LPAREN || !parse_enter(p)) return NULL;
    uint32_t begin = p->tok.begin;
    ast_mod *m = arena_new(p->a, ast_mod);
    size_t mark = p->top;
    m->has_args = true;
    parse_next(p); // (
    if (p->tok.kind != TOK_RPAREN) do {
            ast_arg arg = {0};
            parse_argument(p, &arg, inheritance);
            parse_push(p, &arg, sizeof arg);
        } while (parse_accept(p, TOK_COMMA));
    parse_expect(p, TOK_RPAREN, "after the modification");
    m->args.at = PARSE_TAKE(p, mark, ast_arg, &m->args.n);
    m->span = parse_since(p, begin);
    parse_leave(p);
    return m;
}
