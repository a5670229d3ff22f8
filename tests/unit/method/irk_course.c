/* The course of an iteration, decided by squares: as by the quotients and roots that define it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/irk_course.h"
#include "cmocka_all.h"

static double number(unsigned *seed) // 1e-8 to 1e2
{
    *seed = *seed * 1664525u + 1013904223u;
    return pow(10, 10.0 * (*seed >> 8) / (1 << 24) - 8);
}

static void decides_as_defined(void **state)
{
    (void)state;
    unsigned seed = 1;
    int n_suffice = 0;
    for (int k = 0; k < 100000; k++) {
        double x = number(&seed), tol = number(&seed);
        irk_course q = {x * x, number(&seed), number(&seed), k % 2};
        double theta = q.two ? sqrt(x / q.earlier) : x / q.before;
        double left = theta / (1 - theta) * x;
        assert_true(fabs(course_theta(&q) - theta) <= 1e-15 * theta);
        bool suffices = theta < THETA_MAX && left <= tol;
        n_suffice += suffices;
        // Rounding decides only where both are the same to the last digits.
        bool close = fabs(left - tol) < 1e-9 * tol || fabs(theta - THETA_MAX) < 1e-9;
        if (!close) assert_true(course_suffices(&q, tol) == suffices);
    }
    assert_true(n_suffice > 1000);
}

static void extremes(void **state)
{
    (void)state;
    irk_course q = {0, DBL_MIN, DBL_MIN, true};
    assert_true(course_suffices(&q, 1e-3)); // all has vanished
    q = (irk_course){0, 1, 1, true};
    assert_true(course_suffices(&q, 1e-3));
    q = (irk_course){1e204, 1e200, 1e200, true}; // squares beyond what can be represented
    assert_false(course_suffices(&q, 1e-3));
    q = (irk_course){NAN, 1, 1, false};
    assert_false(course_suffices(&q, 1e-3));
    assert_true(course_left(1e3, 0.05, 5) < 1);
    assert_true(fabs(course_left(1e6, 0.5, 4) - 1e6 / 16) < 1e-6);
    q = (irk_course){4, 1, 0, false};
    assert_true(course_between(&q, 0.3, 5) && !course_between(&q, 2.5, 5));
    course_go_on(&q);
    assert_true(q.before == 2 && q.earlier == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decides_as_defined),
                                       cmocka_unit_test(extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
