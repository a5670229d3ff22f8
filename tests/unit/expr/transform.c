/* Substitution, derivatives, affine forms, solving, values; and what depth does to all of them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <math.h>

static expr diff(fixture *f, expr e, expr var)
{
    const char *why = NULL;
    expr d = expr_diff(&f->p, e, var, &f->scratch, &why);
    assert_true(d != 0 || why);
    return d;
}

static expr rate(fixture *f, expr e)
{
    expr d = 0;
    assert_true(expr_total_diff(&f->p, &e, 1, &f->scratch, &d, NULL));
    return d;
}

static void substitution(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr_subst s;
    expr_subst_init(&s, p, &f->scratch);
    expr_subst_set(&s, f->x, f->y);
    expr_subst_set(&s, f->y, expr_add(p, f->x, p->one));
    expr e = expr_mul(p, f->x, expr_1(p, EXPR_SIN, f->y));
    assert_shown(f, expr_subst_apply(&s, e), "y*sin(x + 1)"); // both at once
    expr same = expr_1(p, EXPR_COS, f->z);
    assert_int_equal(expr_subst_apply(&s, same), same);
    expr args[] = {f->x, f->z, f->y, f->x, f->z, f->z, f->z, f->z, f->z};
    assert_shown(f, expr_subst_apply(&s, expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, args, 9)),
                 "opaque(y, z, x + 1, y, z, z, z, z, z)");
    expr_subst_init(&s, p, &f->scratch);
    expr_subst_set(&s, f->y, p->zero);
    assert_int_equal(expr_subst_apply(&s, e), p->zero); // simplified again
}

static void derivatives(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr x = f->x, y = f->y, b = f->b;
    assert_shown(f, diff(f, expr_2(p, EXPR_POW, x, expr_real(p, 3)), x), "3*x^2");
    assert_shown(f, diff(f, expr_mul(p, x, y), x), "y");
    assert_shown(f, diff(f, expr_div(p, y, x), y), "1/x");
    assert_shown(f, diff(f, expr_1(p, EXPR_SIN, expr_mul(p, p->two, x)), x), "cos(2*x)*2");
    assert_shown(f, diff(f, expr_1(p, EXPR_ABS, x), x), "if noEvent(x >= 0) then 1.0 else -1.0");
    assert_shown(f, diff(f, expr_2(p, EXPR_MIN, x, y), x), "if noEvent(x <= y) then 1.0 else 0.0");
    expr root =
        expr_3(p, EXPR_IF, expr_2(p, EXPR_GT, x, p->zero), expr_1(p, EXPR_SQRT, x), p->zero);
    assert_shown(f, diff(f, root, x), "if x > 0 then 1/(2*sqrt(x)) else 0.0"); // branch by branch
    assert_int_equal(diff(f, expr_1(p, EXPR_FLOOR, x), x), p->zero);
    assert_int_equal(diff(f, expr_1(p, EXPR_PRE, x), x), p->zero);
    assert_int_equal(diff(f, expr_3(p, EXPR_IF, b, y, p->one), x), p->zero);
    assert_shown(f, diff(f, expr_1(p, EXPR_NOEVENT, expr_mul(p, x, y)), x), "y");
    expr xy = expr_mul(p, expr_mul(p, x, x), y);
    assert_shown(f, diff(f, expr_2(p, EXPR_SMOOTH, expr_integer(p, 2), xy), x), "smooth(1, 2*x*y)");
    assert_shown(f, diff(f, expr_2(p, EXPR_SMOOTH, expr_integer(p, 0), xy), x), "2*x*y");
    assert_shown(f, diff(f, expr_2(p, EXPR_HOMOTOPY, xy, x), x), "homotopy(2*x*y, 1.0)");
    assert_shown(f, diff(f, expr_3(p, EXPR_SEMILINEAR, x, y, f->z), x), "if x >= 0 then y else z");
    expr dx = expr_var(p, X, 1, TYPE_REAL, 0); // der(x) is not x
    assert_int_equal(diff(f, expr_mul(p, x, dx), dx), x);
    expr power = expr_1(p, EXPR_DER, expr_mul(p, x, y)); // contains der(x)
    assert_int_equal(diff(f, power, dx), y);
    assert_int_equal(diff(f, power, x), expr_var(p, Y, 1, TYPE_REAL, 0));
}

static void total_derivatives(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr x = f->x, y = f->y;
    expr e = expr_sub(p, expr_add(p, expr_mul(p, x, x), expr_mul(p, y, y)), f->k);
    assert_shown(f, rate(f, e), "2*x*der(x) + 2*y*der(y)");
    assert_shown(f, rate(f, expr_var(p, X, 1, TYPE_REAL, 0)), "der(der(x))");
    assert_shown(f, rate(f, expr_mul(p, f->k, expr_1(p, EXPR_SIN, p->time))), "k*cos(time)");
    assert_shown(f, rate(f, expr_1(p, EXPR_DER, expr_mul(p, x, y))),
                 "der(der(x))*y + der(x)*der(y) + (der(x)*der(y) + x*der(der(y)))");
    assert_int_equal(rate(f, f->i), p->zero);
    assert_int_equal(rate(f, expr_1(p, EXPR_PRE, x)), p->zero);
    expr fixed[] = {x, p->two}, moving[] = {x, y};
    assert_shown(f, rate(f, expr_make(p, EXPR_DELAY, fixed, 2)), "delay(der(x), 2.0)");
    assert_shown(f, rate(f, expr_make(p, EXPR_DELAY, moving, 2)), "delay(der(x), y)*(1 - der(y))");
    assert_int_equal(diff(f, expr_make(p, EXPR_DELAY, fixed, 2), x), p->zero); // the past
    assert_shown(f, diff(f, expr_make(p, EXPR_DELAY, moving, 2), y), "-delay(der(x), y)");
}

static void calls(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    const char *why = NULL;
    expr x = f->x, xy = expr_mul(p, f->x, f->y);
    assert_shown(f, diff(f, expr_call(p, F_SQUARE, 0, TYPE_REAL, 0, &xy, 1), x), "2*(x*y)*y");
    assert_shown(f, diff(f, expr_call(p, F_SINE, 0, TYPE_REAL, 0, &xy, 1), x), "cos(x*y)*y");
    expr opaque = expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, &x, 1);
    assert_int_equal(expr_diff(p, opaque, x, &f->scratch, &why), 0);
    assert_non_null(strstr(why, "derivative annotation"));
    assert_int_equal(diff(f, opaque, f->y), p->zero); // nothing to differentiate
    expr endless = expr_call(p, F_ENDLESS, 0, TYPE_REAL, 0, &x, 1);
    assert_int_equal(expr_diff(p, endless, x, &f->scratch, &why), 0);
    assert_non_null(strstr(why, "too deep"));
    expr words = expr_string(p, sym_of(&f->syms, "s"));
    assert_int_equal(expr_diff(p, words, x, &f->scratch, &why), 0);
    expr nested = x; // written out without doing the inner calls again and again
    for (int i = 0; i < 60; i++) nested = expr_call(p, F_SQUARE, 0, TYPE_REAL, 0, &nested, 1);
    assert_int_not_equal(diff(f, nested, x), 0);
}

static void jacobians(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr e[] = {expr_mul(p, f->x, f->y), expr_add(p, f->y, f->z), f->u};
    expr var[] = {f->z, f->y, f->x}, d[9];
    assert_true(expr_jacobian(p, e, 3, var, 3, &f->scratch, d, NULL));
    const expr expected[] = {p->zero, f->x,    f->y,    p->one, p->one,
                             p->zero, p->zero, p->zero, p->zero};
    assert_memory_equal(d, expected, sizeof d);
}

// What has no derivative by one variable has those by others.
static void gradients(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    const char *why = NULL;
    expr x = f->x,
         e = expr_add(p, expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, &x, 1), expr_mul(p, f->y, f->z));
    expr var[] = {f->z, x, f->y}, d[3];
    expr_gradient(p, e, var, 3, &f->scratch, d, &why);
    const expr expected[] = {f->y, 0, f->z};
    assert_memory_equal(d, expected, sizeof d);
    assert_non_null(strstr(why, "derivative annotation"));
}

// The gradient of a sum of n squares in linear time and memory, and in the order of the sum.
static void gradient_of_a_long_sum(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    enum { N = 20000 };
    expr e = p->zero, *var = malloc(N * sizeof *var), *d = malloc(N * sizeof *d);
    for (int i = 0; i < N; i++) {
        var[i] = expr_var(p, 100 + i, 0, TYPE_REAL, 0);
        e = expr_add(p, e, expr_mul(p, var[i], var[i]));
        if (i == 7) e = expr_sub(p, e, var[0]);
    }
    assert_true(expr_jacobian(p, &e, 1, var, N, &f->scratch, d, NULL));
    for (int i = 1; i < N; i++) assert_int_equal(d[i], expr_mul(p, p->two, var[i]));
    assert_int_equal(d[0], expr_sub(p, expr_mul(p, p->two, var[0]), p->one));
    free(var);
    free(d);
}

static void affine_forms(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    expr x = f->x, y = f->y, a, b;
    expr e = expr_sub(p, expr_mul(p, y, expr_add(p, x, f->z)), expr_div(p, x, f->k));
    assert_true(expr_affine(p, e, x, &f->scratch, &a, &b));
    assert_shown(f, a, "y - 1/k");
    assert_shown(f, b, "y*z");
    assert_false(expr_affine(p, expr_mul(p, x, expr_add(p, x, y)), x, &f->scratch, &a, &b));
    assert_false(expr_affine(p, expr_1(p, EXPR_SIN, x), x, &f->scratch, &a, &b));
    assert_true(expr_affine(p, expr_1(p, EXPR_SIN, x), y, &f->scratch, &a, &b));
    assert_int_equal(a, p->zero);
    expr c = expr_2(p, EXPR_GT, y, p->zero), cx = expr_2(p, EXPR_GT, x, p->zero);
    assert_true(expr_affine(p, expr_3(p, EXPR_IF, c, x, y), x, &f->scratch, &a, &b));
    assert_shown(f, a, "if y > 0 then 1.0 else 0.0");
    assert_shown(f, b, "if y > 0 then 0.0 else y");
    expr kink = expr_3(p, EXPR_IF, cx, expr_add(p, x, p->one), x); // slope 1, but not affine
    assert_false(expr_affine(p, kink, x, &f->scratch, &a, &b));
    expr xy = expr_mul(p, x, y), dy = expr_var(p, Y, 1, TYPE_REAL, 0);
    assert_true(expr_affine(p, expr_1(p, EXPR_DER, xy), dy, &f->scratch, &a, &b));
    assert_int_equal(a, x);
    assert_true(expr_affine(p, expr_add(p, x, expr_1(p, EXPR_PRE, x)), x, &f->scratch, &a, &b));
    assert_shown(f, b, "pre(x)");
}

static double value_of(void *user, int var, int order)
{
    (void)user;
    return var + 1.5 + 10 * order;
}

static void values(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    double r = NAN;
    const char *why = NULL;
#define VALUE(e) expr_eval(p, (e), 0.25, value_of, NULL, &f->scratch, &r, &why)
    expr xy = expr_mul(p, f->x, f->y); // 1.5 * 2.5
    assert_int_equal(VALUE(expr_add(p, xy, p->time)), 0);
    assert_true(r == 1.5 * 2.5 + 0.25);
    assert_int_equal(VALUE(expr_var(p, Z, 2, TYPE_REAL, 0)), 0);
    assert_true(r == 23.5);
    assert_int_equal(VALUE(expr_1(p, EXPR_DER, xy)), 0); // der(x) = 11.5, der(y) = 12.5
    assert_true(r == 11.5 * 2.5 + 1.5 * 12.5);
    assert_int_equal(VALUE(expr_call(p, F_SQUARE, 0, TYPE_REAL, 0, &xy, 1)), 0);
    assert_true(r == 3.75 * 3.75);
    expr n = expr_1(p, EXPR_INT, expr_mul(p, p->two, xy)); // 7
    assert_int_equal(VALUE(expr_call(p, F_FACTORIAL, 0, TYPE_INTEGER, 0, &n, 1)), 0);
    assert_true(r == 5040);

    expr opaque = expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, &xy, 1);
    assert_int_not_equal(VALUE(opaque), 0);
    assert_non_null(why);
    expr big = expr_2(p, EXPR_GT, xy, p->one);
    assert_int_equal(VALUE(expr_3(p, EXPR_IF, big, xy, opaque)), 0); // not needed
    expr cheap = expr_2(p, EXPR_OR, big, expr_2(p, EXPR_GT, opaque, p->one));
    assert_int_equal(VALUE(cheap), 0);
    assert_true(r == 1);
    assert_int_not_equal(VALUE(expr_1(p, EXPR_PRE, f->x)), 0);
    assert_string_equal(why, "pre");
    assert_int_not_equal(VALUE(expr_call(p, F_ENDLESS, 0, TYPE_REAL, 0, &xy, 1)), 0);
}

// Temporary memory from the pool's own arena: nothing that was made is given back.
static void scratch_may_be_the_pools_arena(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    arena *own = p->a;
    expr args[12], e = f->x, d, a, b;
    for (int i = 0; i < 12; i++) args[i] = expr_add(p, f->x, expr_real(p, i));
    for (int i = 0; i < 500; i++) e = expr_add(p, expr_mul(p, e, f->y), expr_1(p, EXPR_SIN, e));
    assert_true(expr_total_diff(p, &e, 1, own, &d, NULL));
    double r;
    assert_int_equal(expr_eval(p, d, 0, value_of, NULL, own, &r, NULL), 0);
    expr_subst s;
    expr_subst_init(&s, p, own);
    expr_subst_set(&s, f->x, f->z);
    expr c = expr_call(p, F_OPAQUE, 0, TYPE_REAL, 0, args, 12);
    assert_int_not_equal(expr_subst_apply(&s, c), c);
    assert_true(expr_affine(p, expr_mul(p, f->y, f->x), f->x, own, &a, &b));
    assert_int_equal(a, f->y);
    for (int i = 0; i < 1000; i++) expr_var(p, 1000 + i, 0, TYPE_REAL, 0);
    expr again;
    assert_true(expr_total_diff(p, &e, 1, &f->scratch, &again, NULL));
    assert_int_equal(again, d);
}

// A chain of a million operators: every function is a loop.
static void depth_overflows_nothing(void **state)
{
    fixture *f = *state;
    expr_pool *p = &f->p;
    enum { N = 1000 * 1000 };
    expr e = f->x, d, a, b;
    for (int i = 0; i < N; i++) e = i % 2 ? expr_1(p, EXPR_SIN, e) : expr_add(p, e, f->y);
    double r;
    assert_int_equal(expr_eval(p, e, 0, value_of, NULL, &f->scratch, &r, NULL), 0);
    assert_true(fabs(r) <= 1);
    int_array all = expr_reach(p, &e, 1, &f->scratch);
    assert_int_equal(all.n, 2 + N); // x, y, and the operators
    assert_true(expr_total_diff(p, &e, 1, &f->scratch, &d, NULL));
    assert_int_not_equal(expr_diff(p, e, f->x, &f->scratch, NULL), 0);
    assert_false(expr_affine(p, e, f->x, &f->scratch, &a, &b));
    expr_subst s;
    expr_subst_init(&s, p, &f->scratch);
    expr_subst_set(&s, f->x, f->z);
    assert_int_not_equal(expr_subst_apply(&s, e), e);
    text_clear(&f->out);
    expr_print(p, e, EXPR_MODELICA, 0, &f->out);
    assert_int_equal(f->out.n, 1 + N / 2 * 4 + N / 2 * 5); // "x", " + y", "sin()"
    text_clear(&f->out);
    expr_print(p, e, EXPR_C, 0, &f->out);
    expr sum = f->x;
    for (int i = 0; i < N; i++) sum = expr_add(p, sum, i % 2 ? f->y : f->u);
    assert_true(expr_affine(p, sum, f->x, &f->scratch, &a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        unit(substitution),
        unit(derivatives),
        unit(total_derivatives),
        unit(calls),
        unit(jacobians),
        unit(gradients),
        unit(gradient_of_a_long_sum),
        unit(affine_forms),
        unit(values),
        unit(scratch_may_be_the_pools_arena),
        unit(depth_overflows_nothing),
    };
    return cmocka_run_group_tests_name("expr transform", tests, NULL, NULL);
}
