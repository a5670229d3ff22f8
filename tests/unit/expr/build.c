/* Building: sharing, types, folding, local rules, walks.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <math.h>

static double as_number(fixture *f, expr e)
{
    double x = NAN;
    assert_true(expr_number(&f->p, e, &x));
    return x;
}

static void equal_expressions_are_one_node(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr a = expr_add(p, f->x, expr_1(p, EXPR_SIN, f->y));
    assert_int_equal(a, expr_add(p, f->x, expr_1(p, EXPR_SIN, f->y)));
    assert_int_equal(a, expr_add(p, expr_1(p, EXPR_SIN, f->y), f->x)); // a+b is b+a
    assert_shown(f, a, "x + sin(y)");                                  // as first written
    assert_int_not_equal(expr_sub(p, f->x, f->y), expr_sub(p, f->y, f->x));
    assert_int_not_equal(expr_real(p, 1), expr_integer(p, 1));
    assert_int_equal(expr_real(p, -0.0), p->zero);
    assert_int_equal(expr_real(p, NAN), expr_real(p, -NAN));
    expr args[] = {f->x, f->y, f->z, f->u, f->v};
    expr c = expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, args, 5);
    assert_int_equal(c, expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, args, 5));
    assert_int_not_equal(c, expr_call(p, F_OPAQUE, 1, TYPE_REAL, 0, args, 5));
    assert_int_not_equal(c, expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, args, 4));
    assert_int_equal(c, expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, expr_args(p, c), 5));
}

static void types_follow_modelica(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr two = expr_integer(p, 2), e;
#define TYPE(expression, t) (e = (expression), assert_int_equal(expr_at(p, e)->type, (t)))
    TYPE(expr_add(p, f->i, two), TYPE_INTEGER);
    TYPE(expr_add(p, f->i, f->x), TYPE_REAL);
    TYPE(expr_mul(p, f->i, p->one), TYPE_REAL); // a Real by its Real factor
    TYPE(expr_div(p, f->i, two), TYPE_REAL);
    TYPE(expr_2(p, EXPR_POW, f->i, two), TYPE_REAL);
    TYPE(expr_2(p, EXPR_LT, f->i, f->x), TYPE_BOOLEAN);
    TYPE(expr_2(p, EXPR_MAX, f->i, two), TYPE_INTEGER);
    TYPE(expr_2(p, EXPR_MAX, f->i, f->x), TYPE_REAL);
    TYPE(expr_3(p, EXPR_IF, f->b, f->i, f->x), TYPE_REAL);
    TYPE(expr_3(p, EXPR_IF, f->b, f->i, two), TYPE_INTEGER);
    TYPE(expr_1(p, EXPR_SIGN, f->x), TYPE_INTEGER);
    TYPE(expr_1(p, EXPR_FLOOR, f->x), TYPE_REAL);
    TYPE(expr_1(p, EXPR_INT, f->x), TYPE_INTEGER);
    TYPE(expr_1(p, EXPR_PRE, f->b), TYPE_BOOLEAN);
    TYPE(expr_2(p, EXPR_SMOOTH, two, expr_add(p, f->x, f->y)), TYPE_REAL);
    TYPE(expr_1(p, EXPR_DER, f->x), TYPE_REAL);
    expr red = expr_enum(p, 3, 1), green = expr_enum(p, 3, 2);
    TYPE(expr_3(p, EXPR_IF, f->b, red, green), TYPE_ENUM);
    assert_int_equal(expr_at(p, e)->enum_id, 3);
    TYPE(expr_2(p, EXPR_LT, red, green), TYPE_BOOLEAN);
    assert_int_equal(e, p->yes);
}

static void literals_fold(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr tenth = expr_real(p, 0.1), fifth = expr_real(p, 0.2);
    assert_true(as_number(f, expr_add(p, tenth, fifth)) == 0.1 + 0.2);
    assert_true(as_number(f, expr_div(p, tenth, expr_real(p, 3))) == 0.1 / 3);
    assert_true(as_number(f, expr_1(p, EXPR_SIN, tenth)) == sin(0.1));
    assert_true(as_number(f, expr_2(p, EXPR_POW, tenth, p->two)) == 0.1 * 0.1);
    assert_int_equal(expr_add(p, expr_integer(p, 2), expr_integer(p, 3)), expr_integer(p, 5));
    assert_int_equal(expr_div(p, expr_integer(p, 1), expr_integer(p, 2)), expr_real(p, 0.5));
    assert_int_equal(expr_2(p, EXPR_LE, expr_integer(p, 2), tenth), p->no);
    assert_int_equal(expr_2(p, EXPR_AND, p->yes, p->no), p->no);

    // Modelica 3.6, 3.7.2: div rounds to zero, mod follows floor, rem follows div.
    static const struct {
        int a, b, div, mod, rem;
    } cases[] = {{7, 3, 2, 1, 1}, {-7, 3, -2, 2, -1}, {7, -3, -2, -2, 1}, {-7, -3, 2, -1, -1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int real = 0; real < 2; real++) {
            expr a = real ? expr_real(p, cases[c].a) : expr_integer(p, cases[c].a);
            expr b = real ? expr_real(p, cases[c].b) : expr_integer(p, cases[c].b);
            assert_true(as_number(f, expr_2(p, EXPR_IDIV, a, b)) == cases[c].div);
            assert_true(as_number(f, expr_2(p, EXPR_MOD, a, b)) == cases[c].mod);
            assert_true(as_number(f, expr_2(p, EXPR_REM, a, b)) == cases[c].rem);
        }
    assert_int_equal(expr_1(p, EXPR_INT, expr_real(p, -1.5)), expr_integer(p, -2));
    assert_int_equal(expr_1(p, EXPR_SIGN, expr_real(p, -1.5)), expr_integer(p, -1));

    expr ab =
        expr_add(p, expr_string(p, sym_of(&f->syms, "a")), expr_string(p, sym_of(&f->syms, "b")));
    assert_int_equal(ab, expr_string(p, sym_of(&f->syms, "ab")));
    assert_int_equal(expr_2(p, EXPR_LT, expr_string(p, sym_of(&f->syms, "a")), ab), p->yes);
}

static void what_is_not_a_number_does_not_fold(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr big = expr_integer(p, INT64_MAX), huge = expr_real(p, 1e300);
    expr cases[] = {expr_div(p, p->one, p->zero),
                    expr_div(p, p->zero, p->zero),
                    expr_add(p, big, expr_integer(p, 1)),
                    expr_mul(p, big, big),
                    expr_neg(p, expr_integer(p, INT64_MIN)),
                    expr_1(p, EXPR_SQRT, p->minus_one),
                    expr_1(p, EXPR_LOG, p->zero),
                    expr_mul(p, huge, huge),
                    expr_mul(p, huge, expr_neg(p, huge)),
                    expr_2(p, EXPR_MOD, expr_integer(p, 1), expr_integer(p, 0))};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        assert_false(expr_is_literal(p, cases[c]));
        expr e = expr_add(p, f->x, cases[c]); // signs of such products are left alone
        expr_sub(p, f->x, expr_neg(p, e));
    }
    // A sign before it is moved once, not round and round.
    const double odd[] = {NAN, INFINITY};
    for (int k = 0; k < 2; k++) {
        expr c = expr_real(p, odd[k]), minus = expr_neg(p, f->x);
        assert_true(expr_mul(p, c, minus) && expr_mul(p, minus, c) && expr_div(p, c, minus));
        assert_true(expr_neg(p, expr_mul(p, c, f->x)) && expr_neg(p, expr_div(p, c, f->x)));
    }
}

static void local_rules(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr x = f->x, y = f->y, xy = expr_mul(p, x, y), zero = p->zero, one = p->one;
    expr m = expr_neg(p, x), n = expr_neg(p, y), three = expr_integer(p, 3);
    assert_int_equal(expr_add(p, x, zero), x);
    assert_int_equal(expr_add(p, zero, x), x);
    assert_int_equal(expr_add(p, expr_integer(p, 0), x), x);
    assert_int_equal(expr_sub(p, x, zero), x);
    assert_int_equal(expr_sub(p, zero, x), m);
    assert_int_equal(expr_sub(p, x, x), zero);
    assert_int_equal(expr_add(p, x, n), expr_sub(p, x, y));
    assert_int_equal(expr_add(p, m, y), expr_sub(p, y, x));
    assert_int_equal(expr_sub(p, x, n), expr_add(p, x, y));
    assert_int_equal(expr_neg(p, expr_sub(p, x, y)), expr_sub(p, y, x));
    assert_int_equal(expr_neg(p, m), x);
    assert_int_equal(expr_add(p, x, x), expr_mul(p, p->two, x));
    assert_int_equal(expr_add(p, f->i, f->i), expr_mul(p, expr_integer(p, 2), f->i));

    assert_int_equal(expr_mul(p, x, one), x);
    assert_int_equal(expr_mul(p, expr_integer(p, 1), x), x);
    assert_int_equal(expr_mul(p, x, zero), zero);
    assert_int_equal(expr_mul(p, expr_integer(p, 0), x), zero);
    assert_int_equal(expr_mul(p, f->i, expr_integer(p, 0)), expr_integer(p, 0));
    assert_int_equal(expr_mul(p, p->minus_one, x), m);
    assert_int_equal(expr_mul(p, m, n), xy);
    assert_int_equal(expr_mul(p, m, y), expr_neg(p, xy));
    assert_int_equal(expr_mul(p, m, three), expr_mul(p, x, expr_real(p, -3)));
    assert_int_equal(expr_neg(p, expr_mul(p, three, x)), expr_mul(p, expr_real(p, -3), x));
    assert_int_equal(expr_add(p, y, expr_mul(p, expr_real(p, -3), x)),
                     expr_sub(p, y, expr_mul(p, three, x)));
    assert_int_equal(expr_mul(p, x, x), expr_2(p, EXPR_POW, x, p->two));
    assert_int_equal(expr_at(p, expr_mul(p, f->i, f->i))->op, EXPR_MUL);

    assert_int_equal(expr_div(p, x, one), x);
    assert_int_equal(expr_div(p, zero, x), zero);
    assert_int_equal(expr_div(p, x, p->minus_one), m);
    assert_int_equal(expr_div(p, m, y), expr_neg(p, expr_div(p, x, y)));
    assert_int_equal(expr_div(p, x, n), expr_neg(p, expr_div(p, x, y)));
    assert_int_equal(expr_2(p, EXPR_POW, x, one), x);
    assert_int_equal(expr_2(p, EXPR_POW, x, zero), one);
    assert_int_equal(expr_2(p, EXPR_POW, m, p->two), expr_mul(p, x, x));

    expr c = expr_2(p, EXPR_LT, x, y);
    assert_int_equal(expr_3(p, EXPR_IF, p->yes, x, y), x);
    assert_int_equal(expr_3(p, EXPR_IF, p->no, x, y), y);
    assert_int_equal(expr_3(p, EXPR_IF, c, x, x), x);
    assert_int_equal(expr_3(p, EXPR_IF, c, p->yes, p->no), c);
    assert_int_equal(expr_1(p, EXPR_NOT, expr_1(p, EXPR_NOT, c)), c);
    assert_int_equal(expr_2(p, EXPR_AND, c, p->yes), c);
    assert_int_equal(expr_2(p, EXPR_AND, p->no, c), p->no);
    assert_int_equal(expr_2(p, EXPR_OR, c, p->no), c);
    assert_int_equal(expr_2(p, EXPR_OR, p->yes, c), p->yes);
    assert_int_equal(expr_2(p, EXPR_LE, xy, xy), p->yes);
    assert_int_equal(expr_2(p, EXPR_NE, xy, xy), p->no);

    assert_int_equal(expr_2(p, EXPR_MIN, xy, xy), xy);
    assert_int_equal(expr_2(p, EXPR_HOMOTOPY, xy, xy), xy);
    assert_int_equal(expr_1(p, EXPR_ABS, m), expr_1(p, EXPR_ABS, x));
    assert_int_equal(expr_1(p, EXPR_NOEVENT, p->two), p->two);
    assert_int_equal(expr_1(p, EXPR_NOEVENT, expr_1(p, EXPR_NOEVENT, c)),
                     expr_1(p, EXPR_NOEVENT, c));
    assert_int_equal(expr_2(p, EXPR_SMOOTH, three, p->two), p->two);
    assert_int_equal(expr_3(p, EXPR_SEMILINEAR, x, y, y), xy);
    assert_int_equal(expr_1(p, EXPR_PRE, f->k), f->k);
    assert_int_equal(expr_1(p, EXPR_PRE, m), expr_neg(p, expr_1(p, EXPR_PRE, x)));
    assert_int_equal(expr_1(p, EXPR_DER, x), expr_var(p, X, 1, TYPE_REAL, 0));
    assert_int_equal(expr_1(p, EXPR_DER, f->k), zero);
    assert_int_equal(expr_1(p, EXPR_DER, p->time), one);
}

static void reach_is_sorted_and_complete(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr a = expr_mul(p, f->x, f->y), b = expr_add(p, a, expr_1(p, EXPR_SIN, a));
    expr roots[] = {b, f->z, 0, a};
    int_array r = expr_reach(p, roots, 4, &f->scratch);
    assert_int_equal(r.n, 6); // x y z x*y sin(x*y) b
    for (int i = 1; i < r.n; i++) assert_true(r.at[i - 1] < r.at[i]);
    assert_int_equal(r.at[5], b);
    int_array v = expr_vars(p, roots, 4, &f->scratch);
    assert_int_equal(v.n, 3);
    assert_int_equal(v.at[0], f->x);
    assert_int_equal(v.at[2], f->z);
    assert_int_equal(expr_reach(p, NULL, 0, &f->scratch).n, 0);
}

// A sparse walk (hash set) and a dense one (bitmap) against marks in an array.
static void reach_agrees_with_marks(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    enum { N = 20000 };
    uint64_t seed = 1;
    static expr e[N];
    for (int i = 0; i < N; i++) {
        int near = i < 50 ? i : 50;
        expr a = i ? e[i - 1 - (int)((seed = hash_u64(seed)) % (uint64_t)near)] : f->x;
        e[i] = expr_add(p, expr_1(p, EXPR_SIN, a), expr_var(p, 100 + i, 0, TYPE_REAL, 0));
    }
    for (int k = 10; k < N; k = k * 5 / 2) {
        char *mark = calloc((size_t)p->n, 1);
        mark[e[k]] = 1;
        int count = 0;
        for (expr j = e[k]; j > 0; j--) {
            if (!mark[j]) continue;
            count++;
            for (int i = 0; i < expr_arity(p, j); i++) mark[expr_args(p, j)[i]] = 1;
        }
        int_array r = expr_reach(p, &e[k], 1, &f->scratch);
        assert_int_equal(r.n, count);
        for (int i = 0; i < r.n; i++) assert_true(mark[r.at[i]] && (!i || r.at[i - 1] < r.at[i]));
        free(mark);
    }
}

static void many_nodes(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    enum { N = 200 * 1000 };
    int before = p->n;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N; i++) {
            expr v = expr_var(p, i, 0, TYPE_REAL, 0);
            expr_add(p, expr_mul(p, v, f->k), expr_real(p, 10 + i));
        }
    assert_int_equal(p->n,
                     before + 4 * N - 7 + 0); // x ... k were there; k*k is one node like others
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit(equal_expressions_are_one_node),
        unit(types_follow_modelica),
        unit(literals_fold),
        unit(what_is_not_a_number_does_not_fold),
        unit(local_rules),
        unit(reach_is_sorted_and_complete),
        unit(reach_agrees_with_marks),
        unit(many_nodes),
    };
    return cmocka_run_group_tests_name("expr build", tests, NULL, NULL);
}
