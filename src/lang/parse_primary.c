/* Operands of expressions: references, calls, brackets and literals. Modelica Language
 * Specification 3.6, appendix A.2.7.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

/* ---- references ------------------------------------------------------------------------------ */

/* subscript :
 *    ":" | expression */
static ast_expr *parse_subscript(parser *p)
{
    uint32_t begin = p->tok.begin;
    if (parse_accept(p, TOK_COLON)) return parse_make(p, AST_COLON, begin);
    return parse_expression(p);
}

/* array-subscripts :
 *    "[" subscript { "," subscript } "]" */
ast_exprs parse_subscripts(parser *p)
{
    ast_exprs list = {0};
    if (!parse_accept(p, TOK_LBRACKET)) return list;
    size_t mark = p->top;
    p->in_subscripts++;
    do {
        ast_expr *e = parse_subscript(p);
        parse_push(p, &e, sizeof e);
    } while (parse_accept(p, TOK_COMMA));
    p->in_subscripts--;
    parse_expect(p, TOK_RBRACKET, "after the subscripts");
    list.at = PARSE_TAKE(p, mark, ast_expr *, &list.n);
    return list;
}

static ast_ref parse_dotted(parser *p, const char *what, bool subscripts)
{
    ast_ref r = {0};
    uint32_t begin = p->tok.begin;
    size_t mark = p->top;
    r.global = parse_accept(p, TOK_DOT);
    do {
        ast_part part = {0};
        part.name = parse_ident(p, &part.at, what);
        if (subscripts && p->tok.kind == TOK_LBRACKET) part.subs = parse_subscripts(p);
        parse_push(p, &part, sizeof part);
        what = "a name after '.'";
        if (p->tok.kind != TOK_DOT) break;
        if (!subscripts && parse_peek(p) != TOK_IDENT) break; // import A.{B, C}
    } while (parse_accept(p, TOK_DOT));
    r.at = PARSE_TAKE(p, mark, ast_part, &r.n);
    r.span = parse_since(p, begin);
    return r;
}

/* name :
 *    IDENT { "." IDENT } */
ast_ref parse_name(parser *p, const char *what)
{
    if (p->tok.kind == TOK_DOT)
        parse_error(p, "L020", parse_span(p, p->tok),
                    "expected %s; it is written here without a "
                    "leading dot",
                    what);
    return parse_dotted(p, what, false);
}

/* type-specifier :
 *    ["."] name */
ast_ref parse_type(parser *p, const char *what)
{
    return parse_dotted(p, what, false);
}

/* component-reference :
 *    [ "." ] IDENT [ array-subscripts ] { "." IDENT [ array-subscripts ] } */
ast_ref parse_reference(parser *p)
{
    return parse_dotted(p, "the name of a component", true);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* for-indices :
 *    for-index { "," for-index }
 * for-index :
 *    IDENT [ in expression ] */
ast_iterators parse_for_indices(parser *p)
{
    ast_iterators list = {0};
    size_t mark = p->top;
    do {
        ast_iterator it = {0};
        it.name = parse_ident(p, &it.at, "the name of a loop variable");
        if (p->tok.kind == TOK_EQUALS || p->tok.kind == TOK_ASSIGN) {
            parse_complain(p, "L024", parse_span(p, p->tok),
                           "the range of a loop variable is given with 'in': 'for i in 1:n'");
            p->tok.kind = TOK_IN;
        }
        if (parse_accept(p, TOK_IN)) it.range = parse_expression(p);
        parse_push(p, &it, sizeof it);
    } while (parse_accept(p, TOK_COMMA));
    list.at = PARSE_TAKE(p, mark, ast_iterator, &list.n);
    return list;
}

static ast_expr *partial_application(parser *p);

/* function-argument :
 *    function-partial-application | expression */
static ast_expr *parse_function_argument(parser *p)
{
    return p->tok.kind == TOK_FUNCTION ? partial_application(p) : parse_expression(p);
}

// Is this argument the name in "name = value"?
static bool is_argument_name(const parser *p, const ast_expr *e)
{
    return p->tok.kind == TOK_EQUALS && e->kind == AST_REF && e->ref->n == 1 && !e->ref->global &&
           e->ref->at[0].subs.n == 0;
}

/* named-arguments :
 *    named-argument [ "," named-arguments ]
 * named-argument :
 *    IDENT "=" function-argument
 *
 * The first name is already read. */
static void named_arguments(parser *p, ast_call *c, ast_named first)
{
    size_t mark = p->top;
    for (;;) {
        parse_next(p); // =
        first.value = parse_function_argument(p);
        parse_push(p, &first, sizeof first);
        if (!parse_accept(p, TOK_COMMA)) break;
        if (p->tok.kind != TOK_IDENT || parse_peek(p) != TOK_EQUALS) {
            parse_error(p, "L020", parse_span(p, p->tok),
                        "after an argument given by name, all others are given by name too");
            break;
        }
        first.name = parse_ident(p, &first.at, "the name of an argument");
    }
    c->named = PARSE_TAKE(p, mark, ast_named, &c->n_named);
}

/* function-call-args :
 *    "(" [ function-arguments ] ")"
 * function-arguments :
 *    expression [ "," function-arguments-non-first | for for-indices ]
 *    | function-partial-application [ "," function-arguments-non-first ]
 *    | named-arguments
 * function-arguments-non-first :
 *    function-argument [ "," function-arguments-non-first ] | named-arguments */
static ast_call *call_args(parser *p)
{
    ast_call *c = arena_new(p->a, ast_call);
    size_t mark = p->top;
    parse_next(p); // (
    if (p->tok.kind != TOK_RPAREN) do {
            ast_expr *e = parse_function_argument(p);
            if (is_argument_name(p, e)) {
                c->args.at = PARSE_TAKE(p, mark, ast_expr *, &c->args.n);
                named_arguments(p, c, (ast_named){e->ref->at[0].name, e->ref->at[0].at, NULL});
                parse_expect(p, TOK_RPAREN, "after the arguments");
                return c;
            }
            parse_push(p, &e, sizeof e);
            if (p->tok.kind == TOK_FOR && p->top - mark == sizeof e) {
                parse_next(p);
                c->iters = parse_for_indices(p);
                break;
            }
        } while (parse_accept(p, TOK_COMMA));
    c->args.at = PARSE_TAKE(p, mark, ast_expr *, &c->args.n);
    parse_expect(p, TOK_RPAREN, "after the arguments");
    return c;
}

/* function-partial-application :
 *    function type-specifier "(" [ named-arguments ] ")" */
static ast_expr *partial_application(parser *p)
{
    uint32_t begin = p->tok.begin;
    if (!parse_enter(p)) return parse_make(p, AST_COLON, begin);
    parse_next(p); // function
    ast_call *c = arena_new(p->a, ast_call);
    c->f = parse_type(p, "the name of a function");
    if (parse_expect(p, TOK_LPAREN, "after the name of the function") &&
        p->tok.kind != TOK_RPAREN) {
        ast_named first = {0};
        first.name = parse_ident(p, &first.at, "the name of an argument");
        if (p->tok.kind == TOK_EQUALS) named_arguments(p, c, first);
        else parse_unexpected(p, "'=' (a function given as argument takes arguments by name)");
    }
    parse_expect(p, TOK_RPAREN, "after the arguments");
    ast_expr *e = parse_make(p, AST_PARTIAL, begin);
    e->call = c;
    parse_leave(p);
    return e;
}

static ast_expr *parse_call(parser *p, ast_ref f, uint32_t begin)
{
    ast_call *c = call_args(p);
    c->f = f;
    ast_expr *e = parse_make(p, AST_CALL, begin);
    e->call = c;
    return e;
}

// der, initial or pure, which must be called.
static ast_expr *keyword_call(parser *p, sym name)
{
    token t = p->tok;
    ast_part *part = arena_new(p->a, ast_part);
    *part = (ast_part){.name = name, .at = parse_span(p, t)};
    parse_next(p);
    if (p->tok.kind != TOK_LPAREN) {
        parse_unexpected(p, name == p->der       ? "'(' after der"
                            : name == p->initial ? "'(' after initial"
                                                 : "'(' after pure");
        return parse_make(p, AST_COLON, t.begin);
    }
    return parse_call(p, (ast_ref){.at = part, .n = 1, .span = part->at}, t.begin);
}

static ast_expr *reference_or_call(parser *p)
{
    uint32_t begin = p->tok.begin;
    ast_ref r = parse_reference(p);
    if (p->tok.kind == TOK_LPAREN) return parse_call(p, r, begin);
    ast_expr *e = parse_make(p, AST_REF, begin);
    e->ref = arena_new(p->a, ast_ref);
    *e->ref = r;
    return e;
}

/* ---- brackets -------------------------------------------------------------------------------- */

/* expression-list :
 *    expression { "," expression } */
ast_exprs parse_expression_list(parser *p)
{
    ast_exprs list;
    size_t mark = p->top;
    do {
        ast_expr *e = parse_expression(p);
        parse_push(p, &e, sizeof e);
    } while (parse_accept(p, TOK_COMMA));
    list.at = PARSE_TAKE(p, mark, ast_expr *, &list.n);
    return list;
}

/* array-arguments :
 *    expression [ "," array-arguments-non-first | for for-indices ] */
static ast_expr *parse_array(parser *p)
{
    uint32_t begin = p->tok.begin;
    parse_next(p); // {
    if (p->tok.kind == TOK_RBRACE)
        parse_error(p, "L020", parse_span(p, p->tok),
                    "an array constructor has at least one element; an empty array is written "
                    "fill(0, 0)");
    ast_exprs list = parse_expression_list(p);
    ast_expr *e = parse_make(p, AST_ARRAY, begin);
    e->list = list;
    if (list.n == 1 && parse_accept(p, TOK_FOR)) {
        ast_call *c = arena_new(p->a, ast_call);
        c->args = list;
        c->iters = parse_for_indices(p);
        e->kind = AST_COMPREHENSION;
        e->call = c;
    }
    parse_expect(p, TOK_RBRACE, "after the elements");
    e->span = parse_since(p, begin);
    return e;
}

/*    "[" expression-list { ";" expression-list } "]" */
static ast_expr *parse_matrix(parser *p)
{
    uint32_t begin = p->tok.begin;
    size_t mark = p->top;
    parse_next(p); // [
    do {
        ast_exprs row = parse_expression_list(p);
        parse_push(p, &row, sizeof row);
    } while (parse_accept(p, TOK_SEMICOLON));
    parse_expect(p, TOK_RBRACKET, "after the rows of the matrix");
    ast_expr *e = parse_make(p, AST_MATRIX, begin);
    e->rows.at = PARSE_TAKE(p, mark, ast_exprs, &e->rows.n);
    return e;
}

// (a)[1] and (a).b, as in Modelica 3.7.
static ast_expr *parse_selection(parser *p, ast_expr *base, uint32_t begin)
{
    if (p->tok.kind != TOK_LBRACKET && p->tok.kind != TOK_DOT) return base;
    span at;
    ast_expr *e = parse_make(p, AST_SELECT, begin);
    e->select.base = base;
    if (parse_accept(p, TOK_DOT)) e->select.field = parse_ident(p, &at, "a name after '.'");
    else e->select.subs = parse_subscripts(p);
    e->span = parse_since(p, begin);
    return e;
}

/*    "(" output-expression-list ")" [ array-subscripts | "." IDENT ]
 * output-expression-list :
 *    [ expression ] { "," [ expression ] } */
static ast_expr *parse_parentheses(parser *p)
{
    uint32_t begin = p->tok.begin;
    size_t mark = p->top;
    parse_next(p); // (
    bool more = p->tok.kind != TOK_RPAREN;
    while (more) {
        ast_expr *e = NULL;
        if (p->tok.kind != TOK_COMMA && p->tok.kind != TOK_RPAREN) e = parse_expression(p);
        parse_push(p, &e, sizeof e);
        more = parse_accept(p, TOK_COMMA);
    }
    ast_exprs list;
    list.at = PARSE_TAKE(p, mark, ast_expr *, &list.n);
    parse_expect(p, TOK_RPAREN, "to close the parenthesis");
    ast_expr *e;
    if (list.n == 1) {
        e = list.at[0];
        e->span = parse_since(p, begin);
    } else {
        e = parse_make(p, AST_TUPLE, begin);
        e->list = list;
    }
    return parse_selection(p, e, begin);
}

/* ---- primary --------------------------------------------------------------------------------- */

static ast_expr *parse_literal(parser *p)
{
    token t = p->tok;
    parse_next(p);
    ast_expr *e = parse_make(p, AST_INTEGER, t.begin);
    switch (t.kind) {
    case TOK_INTEGER: e->integer = t.integer; break;
    case TOK_REAL:
        e->kind = AST_REAL;
        e->real = t.real;
        break;
    case TOK_STRING: {
        bool closed = t.end > t.begin + 1 && p->lx.text[t.end - 1] == '"';
        e->kind = AST_STRING;
        e->string = (ast_string){p->lx.text + t.begin + 1, t.end - t.begin - 1 - closed};
        break;
    }
    default:
        e->kind = AST_BOOLEAN;
        e->boolean = t.kind == TOK_TRUE;
        break;
    }
    return e;
}

// Nothing that begins an expression: say what is there instead.
static ast_expr *no_expression(parser *p)
{
    ast_expr *e = parse_make(p, AST_COLON, p->tok.begin);
    if (p->stuck) return e;
    switch (p->tok.kind) {
    case TOK_IF:
        parse_error(p, "L026", parse_span(p, p->tok),
                    "an if-expression inside another expression needs parentheses: "
                    "'(if a then b else c)'");
        break;
    case TOK_NOT:
        parse_error(p, "L026", parse_span(p, p->tok),
                    "'not' binds weaker than this operator; put it in parentheses: '(not a)'");
        break;
    case TOK_EQUALS:
        if (p->prev.kind == TOK_EQUALS || p->prev.kind == TOK_LT || p->prev.kind == TOK_GT) {
            parse_unexpected(p, "an expression (operators are written without a space inside)");
            break;
        } // fall through
    default: parse_unexpected(p, "an expression"); break;
    }
    return e;
}

/* primary :
 *    UNSIGNED-NUMBER | STRING | false | true
 *    | ( component-reference | der | initial | pure ) function-call-args
 *    | component-reference
 *    | "(" output-expression-list ")"
 *    | "[" expression-list { ";" expression-list } "]"
 *    | "{" array-arguments "}"
 *    | end */
ast_expr *parse_primary(parser *p)
{
    uint32_t begin = p->tok.begin;
    switch (p->tok.kind) {
    case TOK_INTEGER:
    case TOK_REAL:
    case TOK_STRING:
    case TOK_FALSE:
    case TOK_TRUE: return parse_literal(p);
    case TOK_IDENT:
    case TOK_DOT: return reference_or_call(p);
    case TOK_DER: return keyword_call(p, p->der);
    case TOK_INITIAL: return keyword_call(p, p->initial);
    case TOK_PURE: return keyword_call(p, p->pure);
    case TOK_LPAREN: return parse_parentheses(p);
    case TOK_LBRACKET: return parse_matrix(p);
    case TOK_LBRACE: return parse_array(p);
    case TOK_END:
        if (!p->in_subscripts) return no_expression(p);
        parse_next(p);
        return parse_make(p, AST_END, begin);
    default: return no_expression(p);
    }
}
