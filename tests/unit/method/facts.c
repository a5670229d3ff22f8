/* Coefficients of the registered methods against facts derived for this project: closed forms of
 * the two-step family, of generalized-alpha and of collocation with a moved node (checked
 * symbolically), and the tables of the literature named with each method.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "lab/lab.h"
#include "method/scheme.h"

#include <math.h>
#include <stdio.h>

static lab_report analysed(const char *spec, method_formula *f)
{
    double opt[METHOD_OPTIONS_MAX];
    lab_report r;
    char why[METHOD_WHY];
    const vinc_method *m = method_find(spec, opt, why);
    if (!m) fail_msg("%s", why);
    assert_true(method_formula_of(m, opt, f));
    lab_formula(f, &r);
    return r;
}

/* beta = (3 r - 1)/(3 - r), delta = (1 - r)^2/(2 (3 - r)(1 + r)), b0 = 2/((3 - r)(1 + r)), b1 = 2 r
 * b0, b2 = r^2 b0; error constant -(1 - r + r^2)/(3 (1 + r)^2); both roots at infinity are -r. */
static void two_step_family(void **state)
{
    (void)state;
    for (double r = 0; r <= 1; r += 0.2) {
        char spec[40];
        method_formula f;
        snprintf(spec, sizeof spec, "ms2:rho=%.17g", r);
        lab_report lab = analysed(spec, &f);
        double beta = (3 * r - 1) / (3 - r), b0 = 2 / ((3 - r) * (1 + r));
        assert_near(f.multistep.alpha[1], beta - 1, 1e-14);
        assert_near(f.multistep.alpha[2], -beta, 1e-14);
        assert_near(f.multistep.beta[0], b0, 1e-14);
        assert_near(f.multistep.beta[1], 2 * r * b0, 1e-14);
        assert_near(f.multistep.beta[2], r * r * b0, 1e-14);
        assert_near(lab.error_constant.x, -(1 - r + r * r) / (3 * (1 + r) * (1 + r)), 1e-10);
        assert_near(lab.rho_inf, r, 1e-6); // a double root: half the digits
        assert_int_equal(lab.order, 2);
        assert_true(lab.zero_stable);
    }
    method_formula f, bdf2;
    analysed("ms2:rho=0", &f), analysed("bdf2", &bdf2);
    for (int i = 0; i < 3; i++) // BDF2, scaled
        assert_near(f.multistep.alpha[i] * bdf2.multistep.alpha[0], bdf2.multistep.alpha[i], 1e-14);
    // rho = 0.6: beta = 1/3, delta = 1/48, and the same by these.
    method_formula g;
    analysed("ms2:rho=0.6", &f),
        analysed("ms2:beta=0.3333333333333333,delta=0.020833333333333332", &g);
    for (int i = 0; i < 3; i++) assert_near(f.multistep.beta[i], g.multistep.beta[i], 1e-15);
    // Of order 2 for every beta and delta, 3 where 12 delta = -(1 + beta): not in its range.
    assert_int_equal(analysed("ms2:beta=0,delta=0.1", &f).order, 2);
}

/* alpha_m = (2 r - 1)/(r + 1), alpha_f = r/(r + 1), beta = 1/(1 + r)^2, gamma = (3 - r)/(2 (1 +
 * r)). */
static void generalized_alpha(void **state)
{
    (void)state;
    for (double r = 0; r <= 1; r += 0.25) {
        char spec[40];
        method_formula f;
        snprintf(spec, sizeof spec, "genalpha:rho=%.17g", r);
        lab_report lab = analysed(spec, &f);
        double am = (2 * r - 1) / (r + 1), af = r / (r + 1), beta = 1 / ((1 + r) * (1 + r));
        double gamma = (3 - r) / (2 * (1 + r));
        const double *a = f.multistep.alpha, *b = f.multistep.beta;
        assert_near(a[0], 1 - am, 1e-14);
        assert_near(a[3], am, 1e-14);
        assert_near(b[0], (1 - af) * beta, 1e-14);
        assert_near(b[3], af * (0.5 - gamma + beta), 1e-14);
        assert_int_equal(lab.order, 2);
        assert_near(lab.rho_inf, r, 1e-4); // a triple root: a third of the digits
    }
    // HHT and Newmark with their standard values have order 2; 1/4 and 1/2 is the trapezoid.
    method_formula f;
    assert_int_equal(analysed("hht", &f).order, 2);
    assert_int_equal(analysed("newmark", &f).order, 2);
    assert_int_equal(analysed("newmark:beta=0.3,gamma=0.6", &f).order, 1);
}

/* R = (1 + (2-c)/3 z + (1-c)/6 z^2)/(1 - (1+c)/3 z + c/6 z^2); b1 = 1/2 - 1/(6c),
 * b2 = 1/(6 c (1-c)), b3 = (2 - 3 c)/(6 (1 - c)); R(inf) = (1 - c)/c. */
static void moved_node(void **state)
{
    (void)state;
    static const double nodes[] = {0.5, 0.625, 0.75, 0.9};
    for (size_t i = 0; i < 4; i++) {
        double c = nodes[i];
        char spec[40];
        method_formula f;
        snprintf(spec, sizeof spec, "lobatto3a-d:c=%.17g", c);
        lab_report r = analysed(spec, &f);
        const double p[] = {1, (2 - c) / 3, (1 - c) / 6}, q[] = {1, -(1 + c) / 3, c / 6};
        for (int k = 0; k < 3; k++) {
            assert_near(r.numerator.c[k].x, p[k], 1e-10);
            assert_near(r.denominator.c[k].x, q[k], 1e-10);
        }
        assert_near(f.tableau.b[0], 0.5 - 1 / (6 * c), 1e-14);
        assert_near(f.tableau.b[1], 1 / (6 * c * (1 - c)), 1e-14);
        assert_near(f.tableau.b[2], (2 - 3 * c) / (6 * (1 - c)), 1e-14);
        assert_near(r.rho_inf, (1 - c) / c, 1e-10);
        assert_true(r.a_stable);
        assert_int_equal(r.order, c == 0.5 ? 4 : 3);
        if (c > 0.5) assert_near(r.error_constant.x, (2 * c - 1) / 72, 1e-10);
    }
}

/* Orders, stability and shape as in Hairer & Wanner II, sections IV.5 and IV.6. */
static void families(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int order, stage_order;
        bool l_stable, stiffly_accurate, symplectic, symmetric;
    } known[] = {
        {"radau3", 3, 2, true, true, false, false},
        {"radau5", 5, 3, true, true, false, false},
        {"radau9", 9, 5, true, true, false, false},
        {"radau13", 13, 7, true, true, false, false},
        {"gauss2", 2, 1, false, false, true, true},
        {"gauss4", 4, 2, false, false, true, true},
        {"gauss6", 6, 3, false, false, true, true},
        {"lobatto3a-4", 4, 3, false, false, false, true},
        {"lobatto3c-2", 2, 1, true, true, false, false},
        {"lobatto3c-4", 4, 2, true, true, false, false},
        {"sdirk2", 2, 1, true, true, false, false},
        {"sdirk3", 3, 1, true, true, false, false},
        {"sdirk4", 4, 1, true, true, false, false},
        {"trbdf2", 2, 2, true, false, false, false},
        {"rodas3", 3, 1, true, true, false, false},
        {"rodas4", 4, 1, true, true, false, false},
        {"rodas5p", 5, 1, true, true, false, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        method_formula f;
        lab_report r = analysed(known[i].spec, &f);
        bool good = r.order == known[i].order && r.stage_order == known[i].stage_order &&
                    r.l_stable == known[i].l_stable && r.symmetric == known[i].symmetric &&
                    r.stiffly_accurate == known[i].stiffly_accurate &&
                    r.symplectic == known[i].symplectic && r.a_stable;
        if (!good)
            fail_msg("%s: order %d, stage order %d, A %d L %d, stiffly accurate %d, symplectic %d, "
                     "symmetric %d",
                     known[i].spec, r.order, r.stage_order, r.a_stable, r.l_stable,
                     r.stiffly_accurate, r.symplectic, r.symmetric);
    }
}

/* dirk-exam: order 3 at (3 +- sqrt 3)/6 only, A-stable from 1/4 on, L-stable at 1 +- 1/sqrt 2. */
static void exam(void **state)
{
    (void)state;
    static const struct {
        double gamma;
        int order;
        bool a_stable, l_stable;
    } known[] = {{0.25, 2, true, false},
                 {0.24, 2, false, false},
                 {0.5, 2, true, false},
                 {0.78867513459481287, 3, true, false},
                 {0.21132486540518713, 3, false, false},
                 {0.29289321881345248, 2, true, true},
                 {1.7071067811865475, 2, true, true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char spec[60];
        method_formula f;
        snprintf(spec, sizeof spec, "dirk-exam:gamma=%.17g", known[i].gamma);
        lab_report r = analysed(spec, &f);
        if (r.order != known[i].order || r.a_stable != known[i].a_stable ||
            r.l_stable != known[i].l_stable)
            fail_msg("%s: order %d, A %d, L %d", spec, r.order, r.a_stable, r.l_stable);
    }
    method_formula f;
    lab_report r = analysed("irk-exam", &f);
    assert_int_equal(r.order, 4);
    assert_near(r.real_limit, 5.41995189335339, 1e-10);
    assert_near(r.error_constant.x, -1.0 / 480, 1e-12);
}

/* The basis in which the iteration falls apart: A^-1 T = T Lambda, T^-1 T = 1, and the eigenvalues
 * of radau5 as printed in Hairer & Wanner II, section IV.8. */
static void transformations(void **state)
{
    (void)state;
    static const char *const specs[] = {"radau3",      "radau5",     "radau9", "radau13",
                                        "gauss2",      "gauss4",     "gauss6", "lobatto3a-4",
                                        "lobatto3c-2", "lobatto3c-4"};
    for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
        method_formula f;
        scheme s;
        analysed(specs[m], &f);
        assert_int_equal(scheme_build(&f.tableau, &s, NULL), 0);
        assert_int_equal(s.n_real + 2 * s.n_pairs, s.s);
        for (int i = 0; i < s.s; i++)
            for (int j = 0; j < s.s; j++) {
                double left = 0, unit = 0, right;
                for (int k = 0; k < s.s; k++)
                    left += s.ai[i][k] * s.t[k][j], unit += s.ti[i][k] * s.t[k][j];
                int pair = (j - s.n_real) / 2;
                if (j < s.n_real) right = s.gamma[j] * s.t[i][j];
                else if ((j - s.n_real) % 2 == 0)
                    right = s.alpha[pair] * s.t[i][j] + s.beta[pair] * s.t[i][j + 1];
                else right = s.alpha[pair] * s.t[i][j] - s.beta[pair] * s.t[i][j - 1];
                assert_near(left, right, 1e-12);
                assert_near(unit, i == j, 1e-12);
            }
        if (strcmp(specs[m], "radau5")) continue;
        assert_near(s.gamma[0], 3.6378342527444957322, 1e-14);
        assert_near(s.alpha[0], 2.6810828736277521339, 1e-14);
        assert_near(s.beta[0], 3.0504301992474105694, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_step_family),
        cmocka_unit_test(generalized_alpha),
        cmocka_unit_test(moved_node),
        cmocka_unit_test(families),
        cmocka_unit_test(exam),
        cmocka_unit_test(transformations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
