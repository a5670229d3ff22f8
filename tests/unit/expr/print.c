/* Printing: parentheses, literals, languages, limits.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

static void sums_and_products(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr x = f->x, y = f->y, z = f->z;
    assert_shown(f, expr_add(p, expr_add(p, x, y), z), "x + y + z");
    assert_shown(f, expr_add(p, x, expr_add(p, y, z)), "x + (y + z)");
    assert_shown(f, expr_sub(p, x, expr_sub(p, y, z)), "x - (y - z)");
    assert_shown(f, expr_mul(p, expr_add(p, x, y), z), "(x + y)*z");
    assert_shown(f, expr_mul(p, expr_mul(p, x, y), z), "x*y*z");
    assert_shown(f, expr_mul(p, x, expr_mul(p, y, z)), "x*(y*z)");
    assert_shown(f, expr_div(p, x, expr_div(p, y, z)), "x/(y/z)");
    assert_shown(f, expr_div(p, expr_mul(p, x, y), z), "x*y/z");
    assert_shown(f, expr_neg(p, expr_add(p, x, y)), "-(x + y)");
    assert_shown(f, expr_neg(p, expr_mul(p, x, y)), "-x*y");
    assert_shown(f, expr_sub(p, expr_neg(p, x), y), "-x - y");
    assert_shown(f, expr_2(p, EXPR_POW, expr_neg(p, x), z), "(-x)^z");
    assert_shown(f, expr_neg(p, expr_2(p, EXPR_POW, x, z)), "-x^z");
    assert_shown(f, expr_2(p, EXPR_POW, expr_2(p, EXPR_POW, x, y), z), "(x^y)^z");
    assert_shown(f, expr_2(p, EXPR_POW, x, expr_2(p, EXPR_POW, y, z)), "x^(y^z)");
    assert_shown(f, expr_2(p, EXPR_POW, x, expr_real(p, -1)), "x^(-1)");
    assert_shown(f, expr_mul(p, expr_1(p, EXPR_SIN, expr_add(p, x, y)), z), "sin(x + y)*z");
}

static void literals(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr x = f->x, i = f->i;
    assert_shown(f, expr_mul(p, p->two, x), "2*x");
    assert_shown(f, expr_mul(p, expr_real(p, -2), x), "-2*x");
    assert_shown(f, expr_mul(p, f->y, expr_mul(p, expr_real(p, -2), x)), "y*(-2*x)");
    assert_shown(f, expr_add(p, x, expr_real(p, -2)), "x - 2");
    assert_shown(f, expr_mul(p, p->two, i), "2.0*i"); // Real, not Integer
    assert_shown(f, expr_mul(p, expr_integer(p, 2), i), "2*i");
    assert_shown(f, expr_real(p, 0.1), "0.1");
    assert_shown(f, expr_real(p, 1e22), "1e+22");
    assert_shown(f, expr_add(p, x, expr_real(p, 0.1 + 0.2)), "x + 0.30000000000000004");
    assert_shown(f, expr_3(p, EXPR_IF, f->b, p->one, p->two), "if b then 1.0 else 2.0");
    assert_shown(f, expr_string(p, sym_of(&f->syms, "a\"b")), "\"a\\\"b\"");
    assert_shown(f, expr_enum(p, 3, 2), "Colour.green");
    assert_shown(f, p->yes, "true");
}

static void logic_and_conditions(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr x = f->x, y = f->y, b = f->b;
    expr lt = expr_2(p, EXPR_LT, x, y), ge = expr_2(p, EXPR_GE, x, p->zero);
    expr both = expr_2(p, EXPR_AND, lt, ge), either = expr_2(p, EXPR_OR, lt, ge);
    assert_shown(f, both, "x < y and x >= 0");
    assert_shown(f, expr_2(p, EXPR_AND, either, b), "(x < y or x >= 0) and b");
    assert_shown(f, expr_2(p, EXPR_OR, both, b), "x < y and x >= 0 or b");
    assert_shown(f, expr_1(p, EXPR_NOT, lt), "not x < y");
    assert_shown(f, expr_1(p, EXPR_NOT, both), "not (x < y and x >= 0)");
    assert_shown(f, expr_2(p, EXPR_AND, b, expr_1(p, EXPR_NOT, lt)), "b and not x < y");
    assert_shown(f, expr_2(p, EXPR_EQ, lt, b), "(x < y) == b");
    expr one = expr_3(p, EXPR_IF, lt, x, y);
    assert_shown(f, one, "if x < y then x else y");
    assert_shown(f, expr_add(p, one, x), "(if x < y then x else y) + x");
    assert_shown(f, expr_3(p, EXPR_IF, ge, f->z, one),
                 "if x >= 0 then z elseif x < y then x else y");
    assert_shown(f, expr_3(p, EXPR_IF, ge, one, f->z),
                 "if x >= 0 then (if x < y then x else y) else z");
    assert_shown(f, expr_1(p, EXPR_NOEVENT, one), "noEvent(if x < y then x else y)");
}

static void functions(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    assert_shown(f, expr_var(p, X, 2, TYPE_REAL, 0), "der(der(x))");
    assert_shown(f, expr_1(p, EXPR_DER, expr_mul(p, f->x, f->y)), "der(x*y)");
    assert_shown(f, expr_make(p, EXPR_INITIAL, NULL, 0), "initial()");
    assert_shown(f, expr_2(p, EXPR_IDIV, f->i, expr_integer(p, 2)), "div(i, 2)");
    assert_shown(f, expr_2(p, EXPR_IDIV, f->x, p->two), "div(x, 2.0)");
    expr args[] = {f->x, p->two, expr_real(p, 3)};
    assert_shown(f, expr_make(p, EXPR_DELAY, args, 3), "delay(x, 2.0, 3.0)");
    assert_shown(f, expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, args, 2), "opaque(x, 2.0)");
    expr colour = expr_var(p, Y, 0, TYPE_ENUM, 3);
    assert_shown(f, expr_1(p, EXPR_INT, colour), "Integer(y)");
}

static void c_is_c(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr lt = expr_2(p, EXPR_LT, f->x, p->one), ne = expr_2(p, EXPR_NE, f->i, f->k);
    expr e = expr_3(p, EXPR_IF, expr_2(p, EXPR_AND, lt, ne), expr_neg(p, f->x),
                    expr_2(p, EXPR_POW, f->x, expr_real(p, 3)));
    text_clear(&f->out);
    expr_print(p, e, EXPR_C, 0, &f->out);
    assert_string_equal(text_str(&f->out), "x < 1.0 && i != k ? -x : pow(x, 3.0)");
    text_clear(&f->out);
    expr_print(p, expr_mul(p, e, expr_var(p, X, 1, TYPE_REAL, 0)), EXPR_C, 0, &f->out);
    assert_string_equal(text_str(&f->out), "(x < 1.0 && i != k ? -x : pow(x, 3.0))*x_d1");
}

static void long_texts_are_cut(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr e = f->x;
    for (int i = 0; i < 100; i++) // 2^100 bytes without sharing
        e = expr_mul(p, e, expr_add(p, e, expr_real(p, i + 1)));
    text_clear(&f->out);
    expr_print(p, e, EXPR_MODELICA, 20, &f->out);
    assert_int_equal(f->out.n, 23);
    assert_string_equal(text_str(&f->out), "x*(x + 1)*(x*(x + 1)...");
    text_clear(&f->out);
    expr_print(p, expr_add(p, f->x, f->y), EXPR_MODELICA, 5, &f->out);
    assert_string_equal(text_str(&f->out), "x + y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit(sums_and_products), unit(literals), unit(logic_and_conditions),
        unit(functions),         unit(c_is_c),   unit(long_texts_are_cut),
    };
    return cmocka_run_group_tests_name("expr print", tests, NULL, NULL);
}
