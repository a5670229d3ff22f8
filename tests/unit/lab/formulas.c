/* Formulas that the lecture notes collect in their appendix, as self-tests of the arithmetic that
 * the analyses rest on: the inverse of a 3 by 3 matrix by cofactors, trigonometric identities, the
 * geometric series; and sampling (Nyquist).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "la/dense.h"
#include "lab/rational.h"

#include <math.h>

// A = [2 1 0; 1 3 1; 0 1 4]: determinant 18, 18 A^-1 = [11 -4 1; -4 8 -2; 1 -2 5].
static void inverse_3_by_3(void **state)
{
    (void)state;
    static const long a[3][3] = {{2, 1, 0}, {1, 3, 1}, {0, 1, 4}},
                      want[3][3] = {{11, -4, 1}, {-4, 8, -2}, {1, -2, 5}};
    long det = 0, cofactor[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
            cofactor[i][j] = a[p][r] * a[q][s] - a[p][s] * a[q][r];
        }
    for (int j = 0; j < 3; j++) det += a[0][j] * cofactor[0][j];
    assert_int_equal(det, 18);
    double m[9], x[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int pivots[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_int_equal(cofactor[j][i], want[i][j]);
            m[i + 3 * j] = (double)a[i][j];
        }
    assert_int_equal(la_solve_dense(3, 3, m, x, pivots), 0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) assert_near(x[i + 3 * j], want[i][j] / 18.0, 1e-15);
}

static void trigonometry(void **state)
{
    (void)state;
    for (int i = -20; i <= 20; i++)
        for (int k = -20; k <= 20; k++) {
            double a = 0.31 * i, b = 0.17 * k, t = 4e-15;
            assert_near(sin(a) * sin(a) + cos(a) * cos(a), 1, t);
            assert_near(sin(a + b), sin(a) * cos(b) + cos(a) * sin(b), t);
            assert_near(cos(a + b), cos(a) * cos(b) - sin(a) * sin(b), t);
            assert_near(sin(2 * a), 2 * sin(a) * cos(a), t);
            assert_near(cos(2 * a), 1 - 2 * sin(a) * sin(a), t);
            assert_near(sin(a) * sin(b), 0.5 * (cos(a - b) - cos(a + b)), t);
            assert_near(sin(a) * cos(b), 0.5 * (sin(a - b) + sin(a + b)), t);
            assert_near(cos(a) * cos(b), 0.5 * (cos(a - b) + cos(a + b)), t);
        }
}

// a (1 - r^n)/(1 - r); a = 3, r = 1/2, n = 10 give 5.994140625 = 3069/512.
static void geometric_series(void **state)
{
    (void)state;
    number sum = number_ratio(0, 1), term = number_ratio(3, 1), half = number_ratio(1, 2);
    for (int k = 0; k < 10; k++) {
        sum = number_add(sum, term);
        term = number_mul(term, half);
    }
    assert_true(sum.exact && sum.p == 3069 && sum.q == 512);
    assert_near(sum.x, 5.994140625, 0);
}

// h = 0.1: frequencies 5 and 5 + 2 pi/h agree at every sample; the limit is pi/h.
static void aliasing(void **state)
{
    (void)state;
    double h = 0.1, low = 5, high = 5 + 2 * M_PI / h;
    assert_near(high, 67.8318530718, 1e-10);
    assert_near(M_PI / h, 31.415926535898, 1e-12);
    for (int k = 0; k <= 100; k++) assert_near(sin(low * h * k), sin(high * h * k), 1e-12);
    assert_near(sin(low * 0.3), 0.997494986604, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_3_by_3), cmocka_unit_test(trigonometry),
        cmocka_unit_test(geometric_series), cmocka_unit_test(aliasing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
