/* The laboratory against facts of the literature. Each table below names its source; HW is E.
 * Hairer & G. Wanner, Solving Ordinary Differential Equations II (2nd ed. 1996).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "lab/lab.h"

#include <math.h>

static method_tableau tableau(int s, const double *a, const double *b, const double *c)
{
    method_tableau t = {.stages = s};
    for (int i = 0; i < s; i++) {
        t.b[i] = b[i];
        t.c[i] = c[i];
        for (int j = 0; j < s; j++) t.a[i][j] = a[i * s + j];
    }
    return t;
}

static void assert_poly(const poly *p, int n, const long (*ratio)[2])
{
    assert_int_equal(p->n, n);
    for (int i = 0; i <= n; i++) {
        assert_true(p->c[i].exact);
        assert_true(p->c[i].p == ratio[i][0] && p->c[i].q == ratio[i][1]);
    }
}

static void fractions_are_recognised(void **state)
{
    (void)state;
    number x = number_of(-5103.0 / 18656);
    assert_true(x.exact && x.p == -5103 && x.q == 18656);
    assert_true(number_of(1.0 / 3).q == 3);
    assert_false(number_of(sqrt(2)).exact);
    assert_false(number_of((4 - sqrt(6)) / 10).exact);
    number s = number_add(number_of(1.0 / 3), number_of(1.0 / 6));
    assert_true(s.exact && s.p == 1 && s.q == 2);
}

// The classical method: order 4, R = sum z^k/k!, real limit 2.785293563405282, imaginary limit 2
// sqrt 2 (HW IV.2).
static void classical_runge_kutta(void **state)
{
    (void)state;
    const double a[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                 b[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, c[] = {0, 0.5, 0.5, 1};
    method_tableau t = tableau(4, a, b, c);
    lab_report r;
    lab_runge_kutta(&t, &r);
    assert_int_equal(r.order, 4);
    assert_true(r.exact && r.explicit_);
    assert_poly(&r.numerator, 4, (const long[][2]){{1, 1}, {1, 1}, {1, 2}, {1, 6}, {1, 24}});
    assert_poly(&r.denominator, 0, (const long[][2]){{1, 1}});
    assert_true(r.error_constant.p == 1 && r.error_constant.q == 120);
    assert_true(!r.a_stable && !r.l_stable && isinf(r.rho_inf) && r.alpha_deg == 0);
    assert_near(r.real_limit, 2.785293563405282, 1e-10);
    assert_near(r.imag_limit, 2 * sqrt(2), 1e-10);
    assert_true(!r.algebraically_stable && !r.symmetric && !r.symplectic && !r.stiffly_accurate);
}

// Radau IIA with two stages: order 3, R = (1 + z/3)/(1 - 2z/3 + z^2/6), error 1/72, algebraically
// stable (HW IV.5, IV.12).
static void radau_two_stages(void **state)
{
    (void)state;
    const double a[] = {5. / 12, -1. / 12, 0.75, 0.25}, b[] = {0.75, 0.25}, c[] = {1. / 3, 1};
    method_tableau t = tableau(2, a, b, c);
    lab_report r;
    lab_runge_kutta(&t, &r);
    assert_int_equal(r.order, 3);
    assert_int_equal(r.stage_order, 2);
    assert_poly(&r.numerator, 1, (const long[][2]){{1, 1}, {1, 3}});
    assert_poly(&r.denominator, 2, (const long[][2]){{1, 1}, {-2, 3}, {1, 6}});
    assert_true(r.error_constant.p == 1 && r.error_constant.q == 72);
    assert_true(r.a_stable && r.l_stable && r.stiffly_accurate && r.algebraically_stable &&
                !r.symmetric);
}

// Gauss with two stages: order 4, symmetric and symplectic, |R| = 1 on the axis (HW IV.5, IV.12).
static void gauss_two_stages(void **state)
{
    (void)state;
    double s = sqrt(3) / 6, a[] = {0.25, 0.25 - s, 0.25 + s, 0.25};
    const double b[] = {0.5, 0.5}, c[] = {0.5 - s, 0.5 + s};
    method_tableau t = tableau(2, a, b, c);
    lab_report r;
    lab_runge_kutta(&t, &r);
    assert_int_equal(r.order, 4);
    assert_true(r.a_stable && !r.l_stable && r.symmetric && r.symplectic && r.algebraically_stable);
    assert_near(r.rho_inf, 1, 1e-12);
    assert_near(r.error_constant.x, 1.0 / 720, 1e-12);
}

// Lobatto IIIA, order 4: A is singular, so the last row equal to b does not make it stiffly
// accurate.
static void lobatto_iiia(void **state)
{
    (void)state;
    const double a[] = {0, 0, 0, 5. / 24, 1. / 3, -1. / 24, 1. / 6, 2. / 3, 1. / 6},
                 b[] = {1. / 6, 2. / 3, 1. / 6}, c[] = {0, 0.5, 1};
    method_tableau t = tableau(3, a, b, c);
    lab_report r;
    lab_runge_kutta(&t, &r);
    assert_int_equal(r.order, 4);
    assert_true(r.a_stable && !r.l_stable && !r.stiffly_accurate && r.symmetric &&
                !r.algebraically_stable);
    assert_poly(&r.denominator, 2, (const long[][2]){{1, 1}, {-1, 2}, {1, 12}});
    assert_true(r.error_constant.p == 1 && r.error_constant.q == 720);
}

// SDIRK with gamma: A-stable from 1/4 on, L-stable at 1 - 1/sqrt 2 (HW IV.6, table 6.3 and around).
static void sdirk_family(void **state)
{
    (void)state;
    const struct {
        double gamma;
        bool a, l;
    } cases[] = {
        {0.25, true, false}, {0.24, false, false}, {1 - sqrt(0.5), true, true}, {0.5, true, false}};
    for (size_t k = 0; k < 4; k++) {
        double g = cases[k].gamma, a[] = {g, 0, 1 - 2 * g, g}, b[] = {0.5, 0.5}, c[] = {g, 1 - g};
        method_tableau t = tableau(2, a, b, c);
        lab_report r;
        lab_runge_kutta(&t, &r);
        assert_true(r.single_diagonal && r.order >= 2);
        assert_int_equal(r.a_stable, cases[k].a);
        if (k != 3) assert_int_equal(r.l_stable, cases[k].l);
        assert_int_equal(r.algebraically_stable, g >= 0.25);
    }
}

// BDF: error constant -1/(k+1), angles of A(alpha)-stability (G. Akrivis & E. Katsoprinakis, BIT 60
// (2020) 93-99), order 7 is unstable.
static void bdf_family(void **state)
{
    (void)state;
    static const double alpha[7][7] = {{0},
                                       {1, -1},
                                       {1.5, -2, 0.5},
                                       {11. / 6, -3, 1.5, -1. / 3},
                                       {25. / 12, -4, 3, -4. / 3, 0.25},
                                       {137. / 60, -5, 5, -10. / 3, 1.25, -0.2},
                                       {147. / 60, -6, 7.5, -20. / 3, 3.75, -1.2, 1. / 6}};
    static const double angle[] = {
        0, 90, 90, 86.0323668602, 73.3516704746, 51.8397558360, 17.8397777922};
    for (int k = 1; k <= 6; k++) {
        method_multistep m = {.steps = k, .order = k, .beta = {1}};
        memcpy(m.alpha, alpha[k], sizeof alpha[k]);
        lab_report r;
        lab_multistep(&m, &r);
        assert_int_equal(r.order, k);
        assert_true(r.error_constant.exact && r.error_constant.p == -1 &&
                    r.error_constant.q == k + 1);
        assert_true(r.zero_stable);
        assert_int_equal(r.a_stable, k <= 2);
        assert_int_equal(r.l_stable, k <= 2);
        assert_near(r.alpha_deg, angle[k], 1e-9);
        assert_true(r.rho_inf == 0);
    }
}

// Adams-Bashforth 2: error constant 5/12, real limit 1. Milne-Simpson: order 4 with 2 steps, the
// first barrier.
static void other_multistep(void **state)
{
    (void)state;
    method_multistep ab2 = {.steps = 2, .alpha = {1, -1, 0}, .beta = {0, 1.5, -0.5}};
    lab_report r;
    lab_multistep(&ab2, &r);
    assert_int_equal(r.order, 2);
    assert_true(r.error_constant.p == 5 && r.error_constant.q == 12 && r.explicit_ &&
                r.zero_stable && !r.a_stable);
    assert_near(r.real_limit, 1, 1e-6);

    method_multistep milne = {.steps = 2, .alpha = {1, 0, -1}, .beta = {1. / 3, 4. / 3, 1. / 3}};
    lab_multistep(&milne, &r);
    assert_int_equal(r.order, 4);
    assert_true(r.zero_stable && !r.a_stable && r.symmetric);

    method_multistep unstable = {
        .steps = 2, .alpha = {1, 4, -5}, .beta = {0, 4, 2}}; // order 3, explicit: root -5
    lab_multistep(&unstable, &r);
    assert_int_equal(r.order, 3);
    assert_false(r.zero_stable);
}

// The number of order conditions is right: a method of order 5 fails exactly at 6 (Dormand-Prince
// 5, HW I, II.5).
static void dormand_prince(void **state)
{
    (void)state;
    const double a[49] = {0,
                          0,
                          0,
                          0,
                          0,
                          0,
                          0,
                          0.2,
                          0,
                          0,
                          0,
                          0,
                          0,
                          0,
                          3. / 40,
                          9. / 40,
                          0,
                          0,
                          0,
                          0,
                          0,
                          44. / 45,
                          -56. / 15,
                          32. / 9,
                          0,
                          0,
                          0,
                          0,
                          19372. / 6561,
                          -25360. / 2187,
                          64448. / 6561,
                          -212. / 729,
                          0,
                          0,
                          0,
                          9017. / 3168,
                          -355. / 33,
                          46732. / 5247,
                          49. / 176,
                          -5103. / 18656,
                          0,
                          0,
                          35. / 384,
                          0,
                          500. / 1113,
                          125. / 192,
                          -2187. / 6784,
                          11. / 84,
                          0};
    const double b[] = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0},
                 c[] = {0, 0.2, 0.3, 0.8, 8. / 9, 1, 1};
    method_tableau t = tableau(7, a, b, c);
    lab_report r;
    lab_runge_kutta(&t, &r);
    assert_int_equal(r.order, 5);
}

/* Limits of stability on the negative real and on the imaginary axis. Real: rho(-1)/sigma(-1).
 * Imaginary: sqrt 3 of Milne-Simpson, whose locus is 3 i sin/(2 + cos); AB3 and AB4 by bisection of
 * Re z = 0 on the locus in a separate calculation. */
static void multistep_limits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double real, imag;
    } cases[] = {{"ab2", 1, 0},
                 {"ab3", 6.0 / 11, 0.7236272269866},
                 {"ab4", 0.3, 0.4299870799092},
                 {"am3", 6, 0},
                 {"am4", 3, 0},
                 {"milne-simpson", 0, 1.7320508075689},
                 {"bdf3", INFINITY, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double opt[METHOD_OPTIONS_MAX];
        char why[METHOD_WHY];
        const vinc_method *m = method_find(cases[i].name, opt, why);
        assert_non_null(m);
        method_multistep f = {0};
        m->multistep(opt, &f);
        lab_report r;
        lab_multistep(&f, &r);
        if (isinf(cases[i].real)) assert_true(isinf(r.real_limit));
        else assert_near(r.real_limit, cases[i].real, 1e-12);
        assert_near(r.imag_limit, cases[i].imag, 1e-6);
    }
}

/* Spectral radii at infinity that families are made for: double and triple roots, to 1e-10. */
static void radii_at_infinity(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double rho;
    } given[] = {{"ms2:rho=0.6", 0.6},
                 {"ms2:rho=0.2", 0.2},
                 {"ms2:rho=1", 1},
                 {"genalpha:rho=0.8", 0.8},
                 {"genalpha:rho=0.5", 0.5}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        double opt[METHOD_OPTIONS_MAX];
        char why[METHOD_WHY];
        const vinc_method *m = method_find(given[i].name, opt, why);
        assert_non_null(m);
        method_formula f = {0};
        assert_true(method_formula_of(m, opt, &f));
        lab_report r;
        lab_formula(&f, &r);
        assert_near(r.rho_inf, given[i].rho, 1e-10);
        assert_true(r.a_stable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multistep_limits),
        cmocka_unit_test(radii_at_infinity),
        cmocka_unit_test(fractions_are_recognised),
        cmocka_unit_test(classical_runge_kutta),
        cmocka_unit_test(radau_two_stages),
        cmocka_unit_test(gauss_two_stages),
        cmocka_unit_test(lobatto_iiia),
        cmocka_unit_test(sdirk_family),
        cmocka_unit_test(bdf_family),
        cmocka_unit_test(other_multistep),
        cmocka_unit_test(dormand_prince),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
