/* Text: what is printed, read by a parser of Modelica's expression grammar (3.6, appendix A.2.7),
 * is the same node again.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr_tree.h"

#include <ctype.h>

typedef struct reader {
    expr_pool *p;
    const char *s;
} reader;

static expr read_expression(reader *r);

static void space(reader *r)
{
    while (*r->s == ' ') r->s++;
}

static bool accept(reader *r, const char *word)
{
    space(r);
    size_t n = strlen(word);
    if (strncmp(r->s, word, n) != 0) return false;
    if (isalpha((unsigned char)word[0]) && isalnum((unsigned char)r->s[n])) return false;
    r->s += n;
    return true;
}

static void expect(reader *r, const char *word)
{
    if (!accept(r, word)) fail_msg("'%s' expected at '%.40s'", word, r->s);
}

static expr read_number(reader *r)
{
    size_t n = strspn(r->s, "0123456789");
    if (r->s[n] != '.' && r->s[n] != 'e') {
        expr e = expr_integer(r->p, strtoll(r->s, NULL, 10));
        r->s += n;
        return e;
    }
    char *end;
    double x = strtod(r->s, &end);
    r->s = end;
    return expr_real(r->p, x);
}

static expr read_call(reader *r, expr_op op)
{
    expr args[MAX_ARGS];
    int n = 0;
    expect(r, "(");
    do {
        assert_true(n < MAX_ARGS);
        args[n++] = read_expression(r);
    } while (accept(r, ","));
    expect(r, ")");
    return expr_make(r->p, op, args, n);
}

static expr read_primary(reader *r)
{
    space(r);
    if (isdigit((unsigned char)*r->s)) return read_number(r);
    if (accept(r, "(")) {
        expr e = read_expression(r);
        expect(r, ")");
        return e;
    }
    if (accept(r, "true")) return r->p->yes;
    if (accept(r, "false")) return r->p->no;
    if (accept(r, "time")) return r->p->time;
    for (int v = 0; v < N_VARS; v++)
        if (accept(r, lab_name(NULL, v, NULL))) return expr_var(r->p, v, 0, TYPE_REAL, 0);
    for (int op = EXPR_SIN; op < EXPR_CALL; op++)
        if (operator_arity((expr_op)op) > 0 && accept(r, operator_name((expr_op)op)))
            return read_call(r, (expr_op)op);
    fail_msg("primary expected at '%.40s'", r->s);
    return 0;
}

static expr read_factor(reader *r) // primary [^ primary]
{
    expr e = read_primary(r);
    return accept(r, "^") ? expr_2(r->p, EXPR_POW, e, read_primary(r)) : e;
}

static expr read_term(reader *r) // factor {mul-op factor}
{
    expr e = read_factor(r);
    for (;;)
        if (accept(r, "*")) e = expr_mul(r->p, e, read_factor(r));
        else if (accept(r, "/")) e = expr_div(r->p, e, read_factor(r));
        else return e;
}

static expr read_sum(reader *r) // [add-op] term {add-op term}
{
    bool minus = accept(r, "-");
    expr e = read_term(r);
    if (minus) e = expr_neg(r->p, e);
    for (;;)
        if (accept(r, "+")) e = expr_add(r->p, e, read_term(r));
        else if (accept(r, "-")) e = expr_sub(r->p, e, read_term(r));
        else return e;
}

static expr read_relation(reader *r) // sum [rel-op sum]
{
    expr e = read_sum(r);
    if (accept(r, "<=")) return expr_2(r->p, EXPR_LE, e, read_sum(r));
    if (accept(r, ">=")) return expr_2(r->p, EXPR_GE, e, read_sum(r));
    if (accept(r, "==")) return expr_2(r->p, EXPR_EQ, e, read_sum(r));
    if (accept(r, "<>")) return expr_2(r->p, EXPR_NE, e, read_sum(r));
    if (accept(r, "<")) return expr_2(r->p, EXPR_LT, e, read_sum(r));
    if (accept(r, ">")) return expr_2(r->p, EXPR_GT, e, read_sum(r));
    return e;
}

static expr read_not(reader *r)
{
    return accept(r, "not") ? expr_1(r->p, EXPR_NOT, read_relation(r)) : read_relation(r);
}

static expr read_and(reader *r)
{
    expr e = read_not(r);
    while (accept(r, "and")) e = expr_2(r->p, EXPR_AND, e, read_not(r));
    return e;
}

static expr read_or(reader *r)
{
    expr e = read_and(r);
    while (accept(r, "or")) e = expr_2(r->p, EXPR_OR, e, read_and(r));
    return e;
}

static expr read_rest_of_if(reader *r)
{
    expr c = read_expression(r);
    expect(r, "then");
    expr a = read_expression(r), b;
    if (accept(r, "elseif")) b = read_rest_of_if(r);
    else {
        expect(r, "else");
        b = read_expression(r);
    }
    return expr_3(r->p, EXPR_IF, c, a, b);
}

static expr read_expression(reader *r)
{
    return accept(r, "if") ? read_rest_of_if(r) : read_or(r);
}

static void printed_text_reads_back(void **state)
{
    (void)state;
    lab l;
    lab_init(&l, 8000);
    l.p.context.var_name = lab_name;
    text out;
    text_init(&out, &l.m);
    for (int k = 0; k < 20000; k++) {
        expr e = build(&l, k % 10 ? grow(&l, 1 + k % 7, true) : condition(&l, 3));
        if (expr_is_literal(&l.p, e)) continue; // alone, 2.0 is written 2: its place says Real
        text_clear(&out);
        expr_print(&l.p, e, EXPR_MODELICA, 0, &out);
        reader r = {&l.p, text_str(&out)};
        expr again = read_expression(&r);
        space(&r);
        if (*r.s || again != e) {
            print_message("%s\n", text_str(&out));
            text_clear(&out);
            expr_print(&l.p, again, EXPR_MODELICA, 0, &out);
            print_message("%s\n", text_str(&out));
            fail_msg("sample %d: is not itself", k);
        }
    }
    text_done(&out);
    lab_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(printed_text_reads_back)};
    return cmocka_run_group_tests_name("expr text", tests, NULL, NULL);
}
