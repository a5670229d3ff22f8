/* The functions of base/elementary.h against those of the C library in long double, and what needs no reference.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "base/elementary.h"
#include "tape_random.h"

#include <float.h>
#include <math.h>

enum { POINTS = 200000 };

static double units_missed(double got, long double exact)
{
    if (got == (double)exact) return 0; // infinite, perhaps
    double near = fabs((double)exact), unit = nextafter(near, INFINITY) - near;
    return (double)fabsl(got - exact) / unit;
}

typedef struct tested {
    const char *name;
    double (*is)(double);
    long double (*exact)(long double);
    double units; // as base/elementary.h says
    bool odd;     // f(-x) = -f(x)
    double (*at)(rng *r,
                 int i); // arguments of all sizes and around places where the formula changes
} tested;

static double angle(rng *r, int i)
{
    double u = 2 * rng_unit(r) - 1, quarters = floor(40 * u) * (M_PI / 2);
    switch (i % 5) {
    case 0: return u;
    case 1: return 20 * u;
    case 2: return quarters + ldexp(u, -(i / 5 % 40)); // near its zeros
    case 3: return 6e5 * u;
    default: return u * exp(-700 * rng_unit(r));
    }
}

static double exponent(rng *r, int i)
{
    double u = 2 * rng_unit(r) - 1;
    const double of[] = {720 * u, u, 0.3466 * u, 40 * u, u * exp(-100 * rng_unit(r))};
    return of[i % 5];
}

static double positive(rng *r, int i)
{
    double u = 2 * rng_unit(r) - 1;
    const double of[] = {exp(709 * u), 1 + 0.02 * u, M_SQRT1_2 + 1e-3 * u, 5 + 4.9 * u,
                         1 + u * exp(-35 * rng_unit(r))};
    return of[i % 5];
}

static double of_tanh(rng *r, int i)
{
    double u = rng_unit(r);
    const double of[] = {24 * u, u, exp(-700 * u), 0.74 + u / 50};
    return of[i % 4];
}

static const tested functions[] = {
    {"sin", elementary_sin, sinl, 0.9, true, angle},
    {"cos", elementary_cos, cosl, 0.9, false, angle},
    {"exp", elementary_exp, expl, 0.8, false, exponent},
    {"log", elementary_log, logl, 0.9, false, positive},
    {"log10", elementary_log10, log10l, 0.9, false, positive},
    {"tanh", elementary_tanh, tanhl, 1.2, true, of_tanh},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static void near_those_of_the_c_library(void **state)
{
    (void)state;
    for (int k = 0; k < N_FUNCTIONS; k++) {
        const tested *f = &functions[k];
        rng r = {41};
        for (int i = 0; i < POINTS; i++) {
            double x = f->at(&r, i), missed = units_missed(f->is(x), f->exact(x));
            if (!(missed <= f->units)) fail_msg("%s(%a) is off by %g units", f->name, x, missed);
            if (f->odd) assert_true(f->is(-x) == -f->is(x));
        }
    }
}

static void powers_are_near_those_of_the_c_library(void **state)
{
    (void)state;
    rng r = {43};
    for (int i = 0; i < POINTS; i++) {
        double u = 2 * rng_unit(&r) - 1, y = 4 * (2 * rng_unit(&r) - 1);
        const double of[] = {exp(7 * u), 1 + 1e-3 * u, 1 + u, exp(300 * u)};
        if (i % 4 == 3) y /= 50;
        if (i % 7 == 0) y = 1.0 / 3;
        double x = of[i % 4], missed = units_missed(elementary_pow(x, y), powl(x, y));
        if (!(missed <= 1)) fail_msg("pow(%a, %a) is off by %g units", x, y, missed);
    }
}

/* What is exact, or has no value, is as in the C library. */
static void powers_that_are_known_exactly(void **state)
{
    (void)state;
    const double of[] = {0.0, -0.0,  1,      -1,       2,         -2,  10,
                         0.5, 1e300, 5e-324, INFINITY, -INFINITY, NAN, 3};
    const double to[] = {0.0, -0.0, 1,  -1,    2,        -3,        0.5,
                         0.3, -0.3, 22, 1e300, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
            double got = elementary_pow(of[i], to[k]), is = pow(of[i], to[k]);
            bool whole = to[k] == rint(to[k]) || !isfinite(is) || !isnormal(of[i]);
            if (whole)
                assert_true(isnan(is) ? isnan(got) : got == is && !signbit(got) == !signbit(is));
        }
    assert_true(elementary_pow(8, 1.0 / 3) == 2 && elementary_pow(4, 0.5) == 2);
}

static void sincos_is_sin_and_cos(void **state)
{
    (void)state;
    rng r = {42};
    for (int i = 0; i < POINTS; i++) {
        double x = angle(&r, i), s, c;
        elementary_sincos(x, &s, &c);
        assert_true(s == elementary_sin(x) && c == elementary_cos(x));
    }
}

/* Where the formula of tanh changes it goes on without a step back of more than what rounding may do. */
static void tanh_goes_on_where_the_formula_changes(void **state)
{
    (void)state;
    const double places[] = {0.75, 22};
    for (int k = 0; k < 2; k++) {
        double below = elementary_tanh(nextafter(places[k], 0)), at = elementary_tanh(places[k]);
        assert_true(fabs(at - below) <= 3 * DBL_EPSILON / 2);
    }
}

static bool same_zero(double x, bool negative)
{
    return x == 0 && !signbit(x) == !negative;
}

static void what_is_known_exactly(void **state)
{
    (void)state;
    for (int k = 0; k < N_FUNCTIONS; k++) assert_true(isnan(functions[k].is(NAN)));
    for (int negative = 0; negative < 2; negative++) {
        double zero = negative ? -0.0 : 0.0, most = negative ? -INFINITY : INFINITY;
        assert_true(same_zero(elementary_sin(zero), negative));
        assert_true(same_zero(elementary_tanh(zero), negative));
        assert_true(elementary_cos(zero) == 1 && elementary_exp(zero) == 1);
        assert_true(elementary_log(zero) == -INFINITY && elementary_log10(zero) == -INFINITY);
        assert_true(isnan(elementary_sin(most)) && isnan(elementary_cos(most)));
        assert_true(elementary_tanh(most) == (negative ? -1 : 1));
    }
    assert_true(elementary_exp(INFINITY) == INFINITY &&
                same_zero(elementary_exp(-INFINITY), false));
    assert_true(elementary_exp(710) == INFINITY && elementary_exp(-745) == DBL_TRUE_MIN);
    assert_true(elementary_exp(1) == M_E && elementary_log(M_E) == 1);
    assert_true(same_zero(elementary_log(1), false) && elementary_log(INFINITY) == INFINITY);
    assert_true(isnan(elementary_log(-1)) && isnan(elementary_log10(-1)));
    assert_true(elementary_log(DBL_TRUE_MIN) == log(DBL_TRUE_MIN));
    assert_true(elementary_tanh(DBL_MAX) == 1 && elementary_tanh(DBL_TRUE_MIN) == DBL_TRUE_MIN);
    assert_true(elementary_sin(DBL_TRUE_MIN) == DBL_TRUE_MIN);
    double power = 1; // exact up to 10^22
    for (int n = 0; n <= 22; n++, power *= 10) assert_true(elementary_log10(power) == n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_those_of_the_c_library),
        cmocka_unit_test(powers_are_near_those_of_the_c_library),
        cmocka_unit_test(powers_that_are_known_exactly),
        cmocka_unit_test(sincos_is_sin_and_cos),
        cmocka_unit_test(tanh_goes_on_where_the_formula_changes),
        cmocka_unit_test(what_is_known_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
