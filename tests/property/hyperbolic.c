/* tanh of base/hyperbolic.h against that of the C library in long double, and what needs no reference.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "base/hyperbolic.h"
#include "tape_random.h"

#include <float.h>
#include <math.h>

enum { POINTS = 200000 };
static const double ULPS_MOST = 1.3; // as base/hyperbolic.h says

static double units_missed(double got, long double exact)
{
    double near = fabs((double)exact), unit = nextafter(near, INFINITY) - near;
    return (double)fabsl(got - exact) / unit;
}

/* Of all sizes, around the place where the formula changes, and where it comes close to 1. */
static void near_that_of_the_c_library(void **state)
{
    (void)state;
    rng r = {41};
    for (int i = 0; i < POINTS; i++) {
        double u = rng_unit(&r);
        double x = i % 4 == 0   ? 24 * u
                   : i % 4 == 1 ? u
                   : i % 4 == 2 ? exp(-700 * u)
                                : 0.74 + u / 50;
        double missed = units_missed(hyperbolic_tanh(x), tanhl(x));
        if (!(missed <= ULPS_MOST)) fail_msg("tanh(%a) is off by %g units", x, missed);
        assert_true(hyperbolic_tanh(-x) == -hyperbolic_tanh(x));
        assert_true(hyperbolic_tanh(x) <= 1);
    }
}

/* Where the formula changes it goes on without a step back of more than what rounding may do. */
static void goes_on_where_the_formula_changes(void **state)
{
    (void)state;
    const double places[] = {0.75, 22};
    for (int k = 0; k < 2; k++) {
        double below = hyperbolic_tanh(nextafter(places[k], 0)), at = hyperbolic_tanh(places[k]);
        assert_true(fabs(at - below) <= 3 * DBL_EPSILON / 2);
    }
}

static void zeros_infinities_and_no_number(void **state)
{
    (void)state;
    assert_true(hyperbolic_tanh(0.0) == 0 && !signbit(hyperbolic_tanh(0.0)));
    assert_true(hyperbolic_tanh(-0.0) == 0 && signbit(hyperbolic_tanh(-0.0)));
    assert_true(hyperbolic_tanh(INFINITY) == 1 && hyperbolic_tanh(-INFINITY) == -1);
    assert_true(hyperbolic_tanh(DBL_MAX) == 1 && hyperbolic_tanh(-DBL_MAX) == -1);
    assert_true(hyperbolic_tanh(DBL_TRUE_MIN) == DBL_TRUE_MIN);
    assert_true(isnan(hyperbolic_tanh(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_that_of_the_c_library),
        cmocka_unit_test(goes_on_where_the_formula_changes),
        cmocka_unit_test(zeros_infinities_and_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
