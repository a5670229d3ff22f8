/* Integrals of functions that jump at many places: the errors beside each jump do not add up.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "routine/quadrature.h"

#include <math.h>

#define TOL 1e-10

static bool stairs(void *user, const double *s, double *out)
{
    *out = floor(*(const double *)user * *s);
    return true;
}

/* floor(n s) over [0, 1] is (n - 1)/2; a jump between two nodes is off by its height times the
 * tolerance, so that a thousand of equal sign would be off by 1e-7. */
static void a_thousand_jumps(void **state)
{
    (void)state;
    for (double n = 10; n <= 1000; n *= 10) {
        quadrature q = {.dims = 1, .n = 1, .f = stairs, .user = &n, .tol = TOL};
        double value;
        assert_int_equal(quadrature_run(&q, &value, NULL), QUADRATURE_DONE);
        assert_near(value / ((n - 1) / 2), 1, 10 * TOL);
    }
}

static bool teeth(void *user, const double *s, double *out)
{
    double u = 1 / (*s - *(const double *)user);
    *out = u - 2 * floor(u / 2);
    return true;
}

/* Bounded, but with more teeth than can be told apart: refused, with the place. With errors counted
 * tooth by tooth the sum was 1.09861020, where the integral is log 3 = 1.09861229. */
static void jumps_without_end(void **state)
{
    (void)state;
    double a = 0.25;
    quadrature q = {.dims = 1, .n = 1, .f = teeth, .user = &a, .tol = TOL};
    double value;
    assert_int_equal(quadrature_run(&q, &value, NULL), QUADRATURE_DIVERGES);
    assert_near(q.where[0], a, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_jumps),
        cmocka_unit_test(jumps_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
