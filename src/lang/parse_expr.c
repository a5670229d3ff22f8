/* Expressions: Modelica Language Specification 3.6, appendix A.2.7.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

#include <string.h>

ast_expr *parse_make(parser *p, ast_expr_kind kind, uint32_t begin)
{
    ast_expr *e = arena_new(p->a, ast_expr);
    e->kind = (uint8_t)kind;
    e->span = parse_since(p, begin);
    return e;
}

static uint32_t begin_of(const parser *p, const ast_expr *e)
{
    return e->span.begin - p->lx.base;
}

/* ---- operators ------------------------------------------------------------------------------- */

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_RELATION, LEVEL_ADD, LEVEL_MUL, LEVEL_POW };

// The operator that the current token stands for, if it is of this precedence level, or -1.
static int operator_at(const parser *p, int level)
{
    static const uint8_t op_of[TOK_COUNT] = {
        // one more than the operator, so that 0 is none
        [TOK_OR] = AST_OR + 1,           [TOK_AND] = AST_AND + 1,
        [TOK_LT] = AST_LT + 1,           [TOK_LE] = AST_LE + 1,
        [TOK_GT] = AST_GT + 1,           [TOK_GE] = AST_GE + 1,
        [TOK_EQ] = AST_EQ + 1,           [TOK_NE] = AST_NE + 1,
        [TOK_PLUS] = AST_ADD + 1,        [TOK_MINUS] = AST_SUB + 1,
        [TOK_DOT_PLUS] = AST_ADD_EW + 1, [TOK_DOT_MINUS] = AST_SUB_EW + 1,
        [TOK_STAR] = AST_MUL + 1,        [TOK_SLASH] = AST_DIV + 1,
        [TOK_DOT_STAR] = AST_MUL_EW + 1, [TOK_DOT_SLASH] = AST_DIV_EW + 1,
        [TOK_CARET] = AST_POW + 1,       [TOK_DOT_CARET] = AST_POW_EW + 1,
    };
    static const uint8_t level_of[] = {0,
#define X(name, text, precedence) precedence,
                                       AST_OPS(X)
#undef X
    };
    int op = op_of[p->tok.kind];
    return level_of[op] == level ? op - 1 : -1;
}

typedef struct link { // of a chain: an operand and the operator before it
    ast_expr *e;
    uint64_t op;
} link;

// first { operator operand }, all operators of one precedence level.
static ast_expr *parse_chain(parser *p, int level, ast_expr *first, ast_expr *(*operand)(parser *))
{
    int op = operator_at(p, level), n;
    if (op < 0) return first;
    size_t mark = p->top;
    parse_push(p, &(link){first, 0}, sizeof(link));
    for (; (op = operator_at(p, level)) >= 0;) {
        parse_next(p);
        ast_expr *e = operand(p);
        parse_push(p, &(link){e, (uint64_t)op}, sizeof(link));
    }
    const link *links = (const void *)(p->stack + mark); // still there after the stack is cut
    n = (int)((p->top - mark) / sizeof(link));
    p->top = mark;
    ast_expr *e = parse_make(p, AST_CHAIN, begin_of(p, first));
    e->chain.n = n;
    e->chain.at = arena_array(p->a, ast_expr *, n);
    e->chain.ops = arena_array(p->a, uint8_t, n - 1);
    for (int i = 0; i < n; i++) {
        e->chain.at[i] = links[i].e;
        if (i) e->chain.ops[i - 1] = (uint8_t)links[i].op;
    }
    return e;
}

static ast_expr *parse_binary(parser *p, int op, ast_expr *x, ast_expr *y)
{
    ast_expr *e = parse_make(p, AST_CHAIN, begin_of(p, x));
    e->chain.n = 2;
    e->chain.at = arena_array(p->a, ast_expr *, 2);
    e->chain.ops = arena_array(p->a, uint8_t, 1);
    e->chain.at[0] = x;
    e->chain.at[1] = y;
    e->chain.ops[0] = (uint8_t)op;
    return e;
}

static ast_expr *parse_unary(parser *p, int op, uint32_t begin, ast_expr *x)
{
    ast_expr *e = parse_make(p, AST_UNARY, begin);
    e->op = (uint8_t)op;
    e->arg = x;
    return e;
}

// An operand of '*', '/' or '^': a sign is not allowed here, but clearly meant.
static ast_expr *unsigned_operand(parser *p, ast_expr *(*operand)(parser *), const char *after)
{
    int sign = operator_at(p, LEVEL_ADD);
    if (sign < 0) return operand(p);
    uint32_t begin = p->tok.begin;
    parse_next(p);
    ast_expr *x = operand(p);
    parse_complain(p, "L026", parse_since(p, begin), "a sign after %s needs parentheses: '(%.*s)'",
                   after, (int)(p->prev.end - begin < 40 ? p->prev.end - begin : 40),
                   p->lx.text + begin);
    return parse_unary(p, sign, begin, x);
}

static ast_expr *power_operand(parser *p)
{
    return unsigned_operand(p, parse_primary, "a power operator");
}

/* factor :
 *    primary [ ("^" | ".^") primary ] */
static ast_expr *parse_factor(parser *p)
{
    ast_expr *x = parse_primary(p);
    int op = operator_at(p, LEVEL_POW);
    if (op < 0) return x;
    parse_next(p);
    ast_expr *y = power_operand(p);
    if (operator_at(p, LEVEL_POW) >= 0)
        parse_error(p, "L026", parse_span(p, p->tok),
                    "two powers in a row need parentheses: '(a^b)^c' or 'a^(b^c)'");
    return parse_binary(p, op, x, y);
}

static ast_expr *factor_after_operator(parser *p)
{
    return unsigned_operand(p, parse_factor, "'*' or '/'");
}

/* term :
 *    factor { mul-operator factor } */
static ast_expr *parse_term(parser *p)
{
    ast_expr *x = parse_factor(p);
    return parse_chain(p, LEVEL_MUL, x, factor_after_operator);
}

static ast_expr *term_after_operator(parser *p)
{
    return unsigned_operand(p, parse_term, "'+' or '-'");
}

/* arithmetic-expression :
 *    [ add-operator ] term { add-operator term } */
static ast_expr *arithmetic_expression(parser *p)
{
    uint32_t begin = p->tok.begin;
    int sign = operator_at(p, LEVEL_ADD);
    ast_expr *x;
    if (sign >= 0) {
        parse_next(p);
        x = parse_unary(p, sign, begin, NULL);
        x->arg = term_after_operator(p);
        x->span = parse_since(p, begin);
    } else x = parse_term(p);
    return parse_chain(p, LEVEL_ADD, x, term_after_operator);
}

/* relation :
 *    arithmetic-expression [ relational-operator arithmetic-expression ] */
static ast_expr *parse_relation(parser *p)
{
    ast_expr *x = arithmetic_expression(p);
    int op = operator_at(p, LEVEL_RELATION);
    if (op < 0) return x;
    parse_next(p);
    ast_expr *y = arithmetic_expression(p);
    if (operator_at(p, LEVEL_RELATION) >= 0)
        parse_error(p, "L026", parse_span(p, p->tok),
                    "relations do not chain; write 'a < b and b < c'");
    return parse_binary(p, op, x, y);
}

/* logical-factor :
 *    [ not ] relation */
static ast_expr *logical_factor(parser *p)
{
    uint32_t begin = p->tok.begin;
    if (!parse_accept(p, TOK_NOT)) return parse_relation(p);
    if (p->tok.kind == TOK_NOT)
        parse_error(p, "L026", parse_span(p, p->tok),
                    "'not not a' needs parentheses: "
                    "'not (not a)'");
    ast_expr *x = parse_relation(p);
    return parse_unary(p, AST_NOT, begin, x);
}

/* logical-term :
 *    logical-factor { and logical-factor } */
static ast_expr *logical_term(parser *p)
{
    ast_expr *x = logical_factor(p);
    return parse_chain(p, LEVEL_AND, x, logical_factor);
}

/* logical-expression :
 *    logical-term { or logical-term } */
static ast_expr *logical_expression(parser *p)
{
    ast_expr *x = logical_term(p);
    return parse_chain(p, LEVEL_OR, x, logical_term);
}

/* simple-expression :
 *    logical-expression [ ":" logical-expression [ ":" logical-expression ] ] */
ast_expr *parse_simple_expression(parser *p)
{
    ast_expr *x = logical_expression(p);
    if (p->tok.kind != TOK_COLON) return x;
    parse_next(p);
    ast_expr *y = logical_expression(p), *z = NULL;
    if (parse_accept(p, TOK_COLON)) z = logical_expression(p);
    ast_expr *e = parse_make(p, AST_RANGE, begin_of(p, x));
    e->range.first = x;
    e->range.step = z ? y : NULL;
    e->range.last = z ? z : y;
    return e;
}

/*    if expression then expression { elseif expression then expression } else expression
 *
 * "else if" continues the list: it means the same as "elseif". */
static ast_expr *if_expression(parser *p)
{
    uint32_t begin = p->tok.begin;
    size_t mark = p->top;
    ast_expr *otherwise;
    parse_next(p);
    for (;;) {
        ast_expr *pair[2];
        pair[0] = parse_expression(p);
        parse_expect(p, TOK_THEN, "after the condition");
        pair[1] = parse_expression(p);
        parse_push(p, pair, sizeof pair);
        if (parse_accept(p, TOK_ELSEIF)) continue;
        if (p->tok.kind != TOK_ELSE && !p->stuck)
            parse_error(p, "L020", parse_span(p, p->tok),
                        "expected 'else', found %s; an if-expression has a value in every case",
                        parse_found(p));
        parse_accept(p, TOK_ELSE);
        if (parse_accept(p, TOK_IF)) continue;
        otherwise = parse_expression(p);
        break;
    }
    int n = (int)((p->top - mark) / sizeof(ast_expr *[2]));
    ast_expr *const *pairs = (const void *)(p->stack + mark);
    p->top = mark;
    ast_expr *e = parse_make(p, AST_IF, begin);
    e->cond.n = n;
    e->cond.tests = arena_array(p->a, ast_expr *, n);
    e->cond.values = arena_array(p->a, ast_expr *, n + 1);
    for (int i = 0; i < n; i++) {
        e->cond.tests[i] = pairs[2 * i];
        e->cond.values[i] = pairs[2 * i + 1];
    }
    e->cond.values[n] = otherwise;
    return e;
}

/* expression :
 *    simple-expression | if ... */
ast_expr *parse_expression(parser *p)
{
    if (!parse_enter(p)) return parse_make(p, AST_COLON, p->tok.begin);
    ast_expr *e = p->tok.kind == TOK_IF ? if_expression(p) : parse_simple_expression(p);
    parse_leave(p);
    return e;
}
