/* Method facts of the lecture notes; formulas given as text; the registry against the laboratory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "lab/lab.h"
#include "lab/lab_figure.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "facts.h"

static method_formula formula(const char *source)
{
    method_formula f;
    char why[METHOD_WHY] = "";
    if (method_formula_read(source, strlen(source), "test", &f, why)) fail_msg("%s", why);
    return f;
}

// Oscillator numbers carry 12 digits; the rest is compared to 1e-10 of the coefficients' size.
static void lecture_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const fact *w = &facts[i];
        method_formula f = formula(w->text);
        lab_report r;
        lab_formula(&f, &r);
        if (r.order != w->order || r.a_stable != w->a_stable || r.l_stable != w->l_stable ||
            r.stiffly_accurate != w->stiffly_accurate ||
            r.algebraically_stable != w->algebraically_stable)
            fail_msg("%s: order %d, A %d, L %d, stiffly accurate %d, algebraically stable %d",
                     w->name, r.order, r.a_stable, r.l_stable, r.stiffly_accurate,
                     r.algebraically_stable);
        if (fabs(r.error_constant.x - w->error_constant) > 1e-12)
            fail_msg("%s: error constant %.15g", w->name, r.error_constant.x);
        if (!(r.rho_inf == w->rho_inf || fabs(r.rho_inf - w->rho_inf) < 1e-7)) // double roots
            fail_msg("%s: radius %.15g at infinity", w->name, r.rho_inf);
        if (w->alpha_deg >= 0) assert_near(r.alpha_deg, w->alpha_deg, 2e-10);
        if (w->n_numerator >= 0) {
            if (r.numerator.n != w->n_numerator || r.denominator.n != w->n_denominator)
                fail_msg("%s: R of degrees %d, %d", w->name, r.numerator.n, r.denominator.n);
            for (int k = 0; k <= r.numerator.n; k++)
                assert_near(r.numerator.c[k].x, w->numerator[k], 1e-10);
            for (int k = 0; k <= r.denominator.n; k++)
                assert_near(r.denominator.c[k].x, w->denominator[k], 1e-10);
        }
        double h[4];
        lab_oscillator o[4];
        for (int k = 0; k < w->n_oscillator; k++) h[k] = w->oscillator[k][0];
        lab_oscillate(&r, w->n_oscillator, h, o);
        for (int k = 0; k < w->n_oscillator; k++) {
            const double *want = w->oscillator[k];
            if (fabs(hypot(o[k].root.re, o[k].root.im) - want[1]) > 2e-11 ||
                fabs(o[k].damping - want[2]) > 2e-11 || fabs(o[k].period - want[3]) > 2e-11)
                fail_msg("%s at h/T = %g: |root| %.13g, damping %.13g, period %.13g", w->name, h[k],
                         hypot(o[k].root.re, o[k].root.im), o[k].damping, o[k].period);
        }
    }
}

// x_{k+1} - 2 x_k + x_{k-1} = h^2 x''_k: limit omega h = 2, phase 2 asin(omega h / 2), no damping.
// With x''_{k+1}: order 1, roots 1/(1 -+ i omega h), those of the implicit Euler method.
static void second_order_formulas(void **state)
{
    (void)state;
    lab_report r;
    lab_oscillator o;
    method_formula f = formula("kind second-order\nalpha 1 -2 1\nbeta 0 1 0\n");
    lab_formula(&f, &r);
    assert_true(r.order == 2 && r.error_constant.p == 1 && r.error_constant.q == 12);
    assert_true(r.zero_stable && r.explicit_ && r.symmetric);
    assert_near(r.imag_limit, 2, 1e-4); // the double root -1 beyond it grows from 1e-9 on
    double h = 0.2;
    lab_oscillate(&r, 1, &h, &o);
    assert_near(o.damping, 0, 1e-14);
    assert_near(o.phase, 2 * asin(0.2 * M_PI), 1e-13);

    f = formula("kind second-order\nalpha 1 -2 1\nbeta 1 0 0\n");
    lab_formula(&f, &r);
    assert_true(r.order == 1 && isinf(r.imag_limit));
    lab_oscillate(&r, 1, &h, &o);
    double omega = 0.4 * M_PI;
    assert_near(hypot(o.root.re, o.root.im), 1 / sqrt(1 + omega * omega), 1e-13);
    assert_near(o.phase, atan(omega), 1e-13);
}

// The two-step family: order 2 for every (beta, delta), error constant -(1 + b + 12 d)/(12 (1 +
// b)), A-stable for d >= 0, -1 < b <= 1; zero-stable in the same range of b.
static void two_step_family(void **state)
{
    (void)state;
    static const double b[] = {-0.9, -0.5, 0, 0.25, 0.5, 0.75}, d[] = {-0.125, 0, 0.0625, 0.5};
    for (size_t i = 0; i < sizeof b / sizeof *b; i++)
        for (size_t k = 0; k < sizeof d / sizeof *d; k++) {
            method_multistep m = {.steps = 2};
            m.alpha[0] = 1, m.alpha[1] = b[i] - 1, m.alpha[2] = -b[i];
            m.beta[0] = 0.5 + d[k], m.beta[1] = 0.5 + b[i] / 2 - 2 * d[k];
            m.beta[2] = b[i] / 2 + d[k];
            lab_report r;
            lab_multistep(&m, &r);
            assert_int_equal(r.order, fabs(12 * d[k] + 1 + b[i]) < 1e-12 ? 3 : 2);
            assert_true(r.zero_stable);
            if (r.a_stable != (d[k] >= 0)) fail_msg("beta %g delta %g", b[i], d[k]);
            if (r.order == 2)
                assert_near(r.error_constant.x, -(1 + b[i] + 12 * d[k]) / (12 * (1 + b[i])), 1e-12);
        }
}

// Collocation at 0, c, 1: R = (1 + (2-c)/3 z + (1-c)/6 z^2) / (1 - (1+c)/3 z + c/6 z^2), A-stable
// for c >= 1/2, limit (1-c)/c, order 4 at 1/2 and 3 elsewhere.
static void moved_node(void **state)
{
    (void)state;
    static const double nodes[] = {0.4, 0.5, 0.625, 0.75, 0.9};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        double c = nodes[i];
        method_tableau t = {.stages = 3, .c = {0, c, 1}};
        double a[3] = {c * (3 - c) / 6, c * (3 - 2 * c) / (6 * (1 - c)),
                       -c * c * c / (6 * (1 - c))};
        double b[3] = {(3 * c - 1) / (6 * c), 1 / (6 * c * (1 - c)), (2 - 3 * c) / (6 * (1 - c))};
        for (int j = 0; j < 3; j++) t.a[1][j] = a[j], t.a[2][j] = t.b[j] = b[j];
        lab_report r;
        lab_runge_kutta(&t, &r);
        assert_int_equal(r.order, c == 0.5 ? 4 : 3);
        assert_int_equal(r.a_stable, c >= 0.5);
        assert_near(r.rho_inf, (1 - c) / c, 1e-12);
        assert_near(r.numerator.c[1].x, (2 - c) / 3, 1e-13);
        assert_near(r.numerator.c[2].x, (1 - c) / 6, 1e-13);
        assert_near(r.denominator.c[1].x, -(1 + c) / 3, 1e-13);
        assert_near(r.denominator.c[2].x, c / 6, 1e-13);
        if (c != 0.5) assert_near(fabs(r.error_constant.x), fabs(2 * c - 1) / 72, 1e-13);
    }
}

static method_formula design(const char *spec)
{
    method_formula f;
    char why[METHOD_WHY] = "";
    if (lab_design(spec, &f, why)) fail_msg("%s: %s", spec, why);
    return f;
}

static void assert_same(const method_formula *f, const method_formula *g, double tolerance)
{
    int s = f->tableau.stages;
    assert_int_equal(s, g->tableau.stages);
    for (int i = 0; i < s; i++) {
        assert_near(f->tableau.b[i], g->tableau.b[i], tolerance);
        assert_near(f->tableau.c[i], g->tableau.c[i], tolerance);
        for (int j = 0; j < s; j++) assert_near(f->tableau.a[i][j], g->tableau.a[i][j], tolerance);
    }
}

// Known methods come out of the synthesis: tableaus as in HW II, IV.5; orders 2s, 2s-1, 2s-2;
// discontinuous Galerkin is Radau IIA, continuous Galerkin is Gauss.
static void designs(void **state)
{
    (void)state;
    lab_report r;
    method_formula lobatto = formula("A\n0 0 0\n5/24 1/3 -1/24\n1/6 2/3 1/6\nb 1/6 2/3 1/6\n"),
                   radau = formula("A\n5/12 -1/12\n3/4 1/4\nb 3/4 1/4\n"),
                   gauss = formula("A\n1/4 1/4-sqrt(3)/6\n1/4+sqrt(3)/6 1/4\nb 1/2 1/2\n"), f;
    f = design("collocation:0,1/2,1"), assert_same(&f, &lobatto, 1e-15);
    f = design("lobatto:3"), assert_same(&f, &lobatto, 1e-15);
    f = design("radau:2"), assert_same(&f, &radau, 1e-15);
    f = design("gauss:2"), assert_same(&f, &gauss, 1e-15);
    for (int s = 1; s <= 5; s++) {
        char spec[20];
        snprintf(spec, sizeof spec, "gauss:%d", s);
        method_formula collocation = design(spec);
        lab_formula(&collocation, &r);
        assert_int_equal(r.order, 2 * s);
        snprintf(spec, sizeof spec, "galerkin:%d", s);
        f = design(spec), assert_same(&f, &collocation, 1e-10);
        snprintf(spec, sizeof spec, "radau:%d", s);
        collocation = design(spec);
        lab_formula(&collocation, &r);
        assert_int_equal(r.order, 2 * s - 1);
        assert_true(r.l_stable && r.stiffly_accurate);
        snprintf(spec, sizeof spec, "dg:%d", s - 1);
        f = design(spec), assert_same(&f, &collocation, 1e-10);
        snprintf(spec, sizeof spec, "lobatto:%d", s + 1);
        f = design(spec);
        lab_formula(&f, &r);
        assert_int_equal(r.order, 2 * s);
    }
}

static void multistep_designs(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *same;
        int order;
    } cases[] = {
        {"multistep:1,2;0", "alpha 1 -4/3 1/3\nbeta 2/3 0 0\n", 2},
        {"multistep:1,2,3,4;0", "alpha 1 -48/25 36/25 -16/25 3/25\nbeta 12/25 0 0 0 0\n", 4},
        {"multistep:1;1,2", "alpha 1 -1 0\nbeta 0 3/2 -1/2\n", 2},
        {"multistep:1;0,1", "alpha 1 -1\nbeta 1/2 1/2\n", 2},
        {"multistep:2;0,1,2", "alpha 1 0 -1\nbeta 1/3 4/3 1/3\n", 4}, // Milne-Simpson
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        method_formula f = design(cases[i].spec), g = formula(cases[i].same);
        lab_report r;
        lab_formula(&f, &r);
        assert_int_equal(r.order, cases[i].order);
        for (int k = 0; k <= f.multistep.steps; k++) {
            assert_near(f.multistep.alpha[k], g.multistep.alpha[k], 1e-15);
            assert_near(f.multistep.beta[k], g.multistep.beta[k], 1e-15);
        }
    }
    static const char *const wrong[] = {"",
                                        "radau",
                                        "radau:0",
                                        "radau:99",
                                        "dg:x",
                                        "collocation:",
                                        "collocation:0,0",
                                        "gauss:2,3",
                                        "multistep:1",
                                        "multistep:;0",
                                        "multistep:0;1",
                                        "multistep:1,1;0",
                                        "multistep:1.5;0",
                                        "multistep:13;0",
                                        "collocation:0,i,1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        method_formula f;
        char why[METHOD_WHY] = "";
        if (!lab_design(wrong[i], &f, why)) fail_msg("'%s' was accepted", wrong[i]);
        assert_true(strlen(why) > 20);
    }
}

// What a method says about its order is what its coefficients give.
static void registered_orders(void **state)
{
    (void)state;
    int checked = 0;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        double opt[METHOD_OPTIONS_MAX];
        char why[METHOD_WHY];
        method_formula f;
        lab_report r;
        assert_non_null(method_find((*m)->name, opt, why));
        if (!method_formula_of(*m, opt, &f)) continue;
        lab_formula(&f, &r);
        if (r.order < (*m)->order_min || r.order > (*m)->order_max)
            fail_msg("%s: order %d by its coefficients, %d to %d as registered", (*m)->name,
                     r.order, (*m)->order_min, (*m)->order_max);
        assert_true(r.zero_stable);
        assert_int_equal(r.explicit_, ((*m)->traits & METHOD_EXPLICIT) != 0);
        checked++;
    }
    assert_true(checked >= 45);
}

/* Slopes inside the step. With one step back it is collocation: 1, 1/3 are the nodes of Radau IIA.
 * With two, the stages and the new value are found here from the polynomial of degree 3 itself, by
 * elimination, for y' = z y: p(-1) = y1, p(-2) = y2, p'(0) = z p(0), p'(-1/2) = z p(-1/2). */
static void multistep_collocation(void **state)
{
    (void)state;
    method_formula f;
    char why[METHOD_WHY];
    lab_report r, radau;
    assert_int_equal(lab_design("radau:2", &f, why), 0);
    lab_formula(&f, &radau);
    assert_int_equal(lab_design("multistep:1;0,2/3", &f, why), 0);
    lab_formula(&f, &r);
    assert_true(r.order == 3 && r.l_stable && r.stiffly_accurate && r.zero_stable);
    assert_near(r.error_constant.x, radau.error_constant.x, 1e-15);
    for (int k = 1; k < 20; k++) {
        point z = {-0.3 * k, 0.7 * k}, p, q, a = lab_amplification(&r, z, &p),
              b = lab_amplification(&radau, z, &q);
        assert_near(hypot(a.re - b.re, a.im - b.im), 0, 1e-14);
    }

    assert_int_equal(lab_design("multistep:1,2;0,1/2", &f, why), 0);
    lab_formula(&f, &r);
    assert_true(r.order == 3 && r.zero_stable && r.exact);
    for (int k = 0; k < 12; k++) {
        double complex z = -0.4 * k + 0.9 * I * (k - 4), m[4][5] = {{0}};
        for (int j = 0; j < 4;
             j++) { // columns: coefficients of t^j; the last: a root zeta of 1, 1/zeta
            m[0][j] = pow(-1, j), m[1][j] = pow(-2, j);
            m[2][j] = (j == 1) - z * (j == 0);
            m[3][j] = (j ? j * pow(-0.5, j - 1) : 0) - z * pow(-0.5, j);
        }
        point roots[POLY_MAX];
        assert_int_equal(lab_roots(&r, (point){creal(z), cimag(z)}, roots), 2);
        for (int which = 0; which < 2; which++) {
            double complex zeta = roots[which].re + roots[which].im * I, e[4][5];
            memcpy(e, m, sizeof e);
            e[0][4] = zeta, e[1][4] = 1;
            for (int i = 0; i < 4; i++) { // Gauss-Jordan, the largest pivot
                int best = i;
                for (int j = i + 1; j < 4; j++)
                    if (cabs(e[j][i]) > cabs(e[best][i])) best = j;
                for (int c = 0; c < 5; c++) {
                    double complex t = e[i][c];
                    e[i][c] = e[best][c], e[best][c] = t;
                }
                for (int j = 0; j < 4; j++) {
                    if (j == i) continue;
                    double complex factor = e[j][i] / e[i][i];
                    for (int c = 0; c < 5; c++) e[j][c] -= factor * e[i][c];
                }
            }
            double complex new = e[0][4] / e[0][0]; // p(0)
            assert_near(cabs(new - zeta *zeta), 0, 1e-12);
        }
    }
    assert_int_equal(lab_design("multistep:1,2;0,1/2,1/2", &f, why), -1);
    assert_int_equal(lab_design("multistep:1,2;0,-1/2", &f, why), -1);
}

static void wrong_texts(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "'b'"},
        {"A\n1/4 0\nb 1/2 1/2\n", "A has 1 row but b has 2"},
        {"b 1\n", "rows of A are missing"},
        {"A\n1/4 0\n1/2\nb 1/2 1/2\n", "row 2 of A has 1 entries"},
        {"A\n1/4 0\n1/2 1/4\nb 1/2 1/2\nc 1/4 1/2\n", "row 2 of A sums to 0.75"},
        {"A\n1/4 0\n1/2 1/4\nb 1/2 1/2\nc 1/4\n", "c has 1 values"},
        {"A\n1+2i\nb 1\n", "test:2: '1+2i' is not a number"},
        {"A\n1/0\nb 1\n", "not a number"},
        {"A\nsqrt(-1)\nb 1\n", "not a number"},
        {"A\n((((((((((((((((((((((1))))))))))))))))))))))\nb 1\n", "not a number"},
        {"A 1\nb 1\n", "next line"},
        {"kind magic\n", "kind must be"},
        {"gamma 1\n", "'gamma' is not known"},
        {"kind multistep\nalpha 1 -1\n", "'beta' is missing"},
        {"alpha 1 -1\nbeta 1\n", "equally many"},
        {"alpha 0 1 -1\nbeta 1 0 0\n", "must not be zero"},
        {"alpha 1\nbeta 1\n", "at least two"},
        {"kind one-leg\nalpha 1 -1\nbeta 1 1\n", "must sum to 1"},
        {"alpha 1 1 1 1 1 1 1 1 1 1 1 1 1 1\nbeta 1\n", "more than 13"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        method_formula f;
        char why[METHOD_WHY] = "";
        if (!method_formula_read(cases[i][0], strlen(cases[i][0]), "test", &f, why))
            fail_msg("accepted: %s", cases[i][0]);
        if (!strstr(why, cases[i][1])) fail_msg("'%s' without '%s'", why, cases[i][1]);
    }
}

/* What is known of formulas. A, L: stable so; B: algebraically stable; S: symplectic; Y: symmetric; 0:
 * zero-stable. E. Hairer, S. P. Norsett & G. Wanner I, sections II.1, III.1-3; E. Hairer & G. Wanner II,
 * tables IV.5.1-13, IV.6.5, sections IV.12, V.1-2, V.6; of the angles table V.2.1, that of BDF. Simpson's 3/8 rule: its largest root at z = -1
 * is 1.117. SDIRK of order 2 with b = (1/2, 1/2), c = (g, 1 - g): A-stable from g = 1/4 on. */
static void published_facts(void **state)
{
    (void)state;
    // clang-format off
    static const struct {
        const char *name, *text;
        int order; // -1: not given
        const char *is;
        double alpha; // degrees; -1: not given
    } known[] = {
        {"Kutta 3/8", "A\n0 0 0 0\n1/3 0 0 0\n-1/3 1 0 0\n1 -1 1 0\nb 1/8 3/8 3/8 1/8\nc 0 1/3 2/3 1\n", 4, "0", -1},
        {"Merson", "A\n0 0 0 0 0\n1/3 0 0 0 0\n1/6 1/6 0 0 0\n1/8 0 3/8 0 0\n1/2 0 -3/2 2 0\nb 1/6 0 0 2/3 1/6\nc 0 1/3 1/3 1/2 1\n", 4, "0", -1},
        {"Hammer-Hollingsworth", "A\n0 0\n1/3 1/3\nb 1/4 3/4\nc 0 2/3\n", 3, "0", -1},
        {"Gauss 2", "A\n1/4 1/4-sqrt(3)/6\n1/4+sqrt(3)/6 1/4\nb 1/2 1/2\nc 1/2-sqrt(3)/6 1/2+sqrt(3)/6\n", 4, "0ABSY", 90},
        {"Gauss 3", "A\n5/36 2/9-sqrt(15)/15 5/36-sqrt(15)/30\n5/36+sqrt(15)/24 2/9 5/36-sqrt(15)/24\n5/36+sqrt(15)/30 2/9+sqrt(15)/15 5/36\nb 5/18 4/9 5/18\nc 1/2-sqrt(15)/10 1/2 1/2+sqrt(15)/10\n", 6, "0ABSY", 90},
        {"Radau IA 2", "A\n1/4 -1/4\n1/4 5/12\nb 1/4 3/4\nc 0 2/3\n", 3, "0ALB", 90},
        {"Radau IIA 2", "A\n5/12 -1/12\n3/4 1/4\nb 3/4 1/4\nc 1/3 1\n", 3, "0ALB", 90},
        {"Radau IIA 3", "A\n11/45-7*sqrt(6)/360 37/225-169*sqrt(6)/1800 -2/225+sqrt(6)/75\n37/225+169*sqrt(6)/1800 11/45+7*sqrt(6)/360 -2/225-sqrt(6)/75\n4/9-sqrt(6)/36 4/9+sqrt(6)/36 1/9\nb 4/9-sqrt(6)/36 4/9+sqrt(6)/36 1/9\nc 2/5-sqrt(6)/10 2/5+sqrt(6)/10 1\n", 5, "0ALB", 90},
        {"Lobatto IIIA 3", "A\n0 0 0\n5/24 1/3 -1/24\n1/6 2/3 1/6\nb 1/6 2/3 1/6\nc 0 1/2 1\n", 4, "0AY", 90},
        {"Lobatto IIIB 3", "A\n1/6 -1/6 0\n1/6 1/3 0\n1/6 5/6 0\nb 1/6 2/3 1/6\nc 0 1/2 1\n", 4, "0AY", 90},
        {"Lobatto IIIC 2", "A\n1/2 -1/2\n1/2 1/2\nb 1/2 1/2\nc 0 1\n", 2, "0ALB", 90},
        {"Lobatto IIIC 3", "A\n1/6 -1/3 1/6\n1/6 5/12 -1/12\n1/6 2/3 1/6\nb 1/6 2/3 1/6\nc 0 1/2 1\n", 4, "0ALB", 90},
        {"Butcher's Lobatto", "A\n0 0 0\n1/4 1/4 0\n0 1 0\nb 1/6 2/3 1/6\nc 0 1/2 1\n", 4, "0", -1},
        {"Lobatto IIIS 3", "A\n1/12 -1/6 1/12\n5/24 1/3 -1/24\n1/12 5/6 1/12\nb 1/6 2/3 1/6\nc 0 1/2 1\n", 4, "0ABSY", 90},
        {"Crouzeix 2", "A\n1/2+sqrt(3)/6 0\n-sqrt(3)/3 1/2+sqrt(3)/6\nb 1/2 1/2\nc 1/2+sqrt(3)/6 1/2-sqrt(3)/6\n", 3, "0AB", 90},
        {"its other root", "A\n1/2-sqrt(3)/6 0\nsqrt(3)/3 1/2-sqrt(3)/6\nb 1/2 1/2\nc 1/2-sqrt(3)/6 1/2+sqrt(3)/6\n", 3, "0", 0},
        {"SDIRK 5 stages", "A\n1/4 0 0 0 0\n1/2 1/4 0 0 0\n17/50 -1/25 1/4 0 0\n371/1360 -137/2720 15/544 1/4 0\n25/24 -49/48 125/16 -85/12 1/4\nb 25/24 -49/48 125/16 -85/12 1/4\nc 1/4 3/4 11/20 1/2 1\n", 4, "0AL", 90},
        {"SDIRK gamma 1/4", "A\n1/4 0\n1/2 1/4\nb 1/2 1/2\nc 1/4 3/4\n", 2, "0ABSY", 90},
        {"SDIRK gamma 249/1000", "A\n249/1000 0\n502/1000 249/1000\nb 1/2 1/2\nc 249/1000 751/1000\n", 2, "0", -1},
        {"Simpson 3/8", "kind multistep\nalpha 1 0 0 -1\nbeta 3/8 9/8 9/8 3/8\n", 4, "0Y", 0},
        {"Milne", "kind multistep\nalpha 1 0 -1\nbeta 1/3 4/3 1/3\n", 4, "0Y", 0},
        {"Milne predictor", "kind multistep\nalpha 1 0 0 0 -1\nbeta 0 8/3 -4/3 8/3 0\n", 4, "0Y", 0},
        {"Nystroem 2", "kind multistep\nalpha 1 0 -1\nbeta 0 2 0\n", 2, "0Y", 0},
        {"trapezoid", "kind multistep\nalpha 1 -1\nbeta 1/2 1/2\n", 2, "0AY", 90},
        {"trapezoid times zeta + 1", "kind multistep\nalpha 1 0 -1\nbeta 1/2 1 1/2\n", 2, "0AY", 90},
        {"Adams-Bashforth 3", "kind multistep\nalpha 1 -1 0 0\nbeta 0 23/12 -16/12 5/12\n", 3, "0", 0},
        {"Adams-Moulton 2", "kind multistep\nalpha 1 -1 0\nbeta 5/12 8/12 -1/12\n", 3, "0", 0},
        {"Adams-Moulton 3", "kind multistep\nalpha 1 -1 0 0\nbeta 9/24 19/24 -5/24 1/24\n", 4, "0", 0},
        {"its one-leg twin", "kind one-leg\nalpha 1 -1 0 0\nbeta 9/24 19/24 -5/24 1/24\n", 2, "0", 0},
        {"one-leg Adams-Moulton 2", "kind one-leg\nalpha 1 -1 0\nbeta 5/12 8/12 -1/12\n", 2, "0", 0},
        {"one-leg BDF 3", "kind one-leg\nalpha 11/6 -3 3/2 -1/3\nbeta 1 0 0 0\n", 3, "0", 86.0324},
        {"BDF 1", "kind multistep\nalpha 1 -1\nbeta 1 0\n", 1, "0AL", 90},
        {"BDF 2", "kind multistep\nalpha 3/2 -2 1/2\nbeta 1 0 0\n", 2, "0AL", 90},
        {"BDF 3", "kind multistep\nalpha 11/6 -3 3/2 -1/3\nbeta 1 0 0 0\n", 3, "0", 86.0324},
        {"BDF 4", "kind multistep\nalpha 25/12 -4 3 -4/3 1/4\nbeta 1 0 0 0 0\n", 4, "0", 73.3517},
        {"BDF 5", "kind multistep\nalpha 137/60 -5 5 -10/3 5/4 -1/5\nbeta 1 0 0 0 0 0\n", 5, "0", 51.8398},
        {"BDF 6", "kind multistep\nalpha 147/60 -6 15/2 -20/3 15/4 -6/5 1/6\nbeta 1 0 0 0 0 0 0\n", 6, "0", 17.8398},
        {"BDF 7", "kind multistep\nalpha 363/140 -7 21/2 -35/3 35/4 -21/5 7/6 -1/7\nbeta 1 0 0 0 0 0 0 0\n", 7, "", 0},
        {"explicit, order 3", "kind multistep\nalpha 1 4 -5\nbeta 0 4 2\n", 3, "", 0},
        {"weakly unstable", "kind multistep\nalpha 1 -2 1\nbeta 1/2 0 -1/2\n", -1, "", 0},
    };
    // clang-format on
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        method_formula f = formula(known[i].text);
        lab_report r;
        lab_formula(&f, &r);
        bool multistep = f.kind != FORMULA_RUNGE_KUTTA;
        char is[8];
        snprintf(is, sizeof is, "%s%s%s%s%s%s", r.zero_stable ? "0" : "", r.a_stable ? "A" : "",
                 r.l_stable ? "L" : "", r.algebraically_stable && !multistep ? "B" : "",
                 r.symplectic ? "S" : "", r.symmetric && r.zero_stable ? "Y" : "");
        if (strcmp(is, known[i].is) || (known[i].order >= 0 && r.order != known[i].order))
            fail_msg("%s: order %d, %s", known[i].name, r.order, is);
        if (known[i].alpha >= 0 && fabs(r.alpha_deg - known[i].alpha) > 1e-4)
            fail_msg("%s: A(%.8g)", known[i].name, r.alpha_deg);
        point at;
        bool grows = !r.a_stable && !r.explicit_ && r.zero_stable;
        if (grows && (lab_growth(&r, &at) <= 1 || at.re > 0)) fail_msg("%s", known[i].name);
    }
}

/* (x - 1/3)^2 - e is negative somewhere for each e > 0, though by less than any sample tells. */
static void signs_are_exact(void **state)
{
    (void)state;
    poly root = poly_zero(), touches, less, cubed;
    root.n = 1;
    root.c[0] = number_ratio(-1, 3);
    root.c[1] = number_ratio(1, 1);
    touches = poly_mul(&root, &root);
    cubed = poly_mul(&touches, &root);
    less = touches;
    less.c[0] = number_sub(less.c[0], number_ratio(1, 1000000000000000));
    assert_true(poly_not_negative(&touches, -1, 1));
    assert_true(poly_not_negative(&touches, 0, INFINITY));
    assert_false(poly_not_negative(&less, -1, 1));
    assert_false(poly_not_negative(&less, 0, INFINITY));
    assert_true(poly_not_negative(&less, -1, 0));
    assert_false(poly_not_negative(&cubed, 0, 1));
    root.c[0] = number_ratio(0, 1); // x, from its root on
    assert_true(poly_not_negative(&root, 0, INFINITY));
    assert_false(poly_not_negative(&root, -1, 1));
}

static void texts(void **state)
{
    (void)state;
    method_formula f = formula("# a comment\nmethod  My method  # name\r\nkind runge-kutta\nA\n"
                               " 0, 0\n sqrt(4)/2-(1/2) 0.5e0\nb 1/2 1/2\n");
    assert_int_equal(f.tableau.stages, 2);
    assert_near(f.tableau.a[1][0], 0.5, 0);
    assert_near(f.tableau.c[1], 1, 0);
    f = formula("kind one-leg\nalpha 1 -1\nbeta 1/2 1/2\n");
    lab_report r;
    lab_formula(&f, &r);
    assert_true(r.one_leg && r.algebraically_stable && r.order == 2); // the implicit midpoint rule
}

static void figures(void **state)
{
    (void)state;
    mem m = mem_std();
    lab_report r[2];
    method_formula f = formula("alpha 1 -4/3 1/3\nbeta 2/3 0 0\n"), g = formula("A\n0\nb 1\n");
    lab_formula(&f, &r[0]);
    lab_formula(&g, &r[1]);
    const lab_report *reports[] = {&r[0], &r[1]};
    const char *names[] = {"bdf2", "euler"};
    plot_figure *figure = NULL;
    text o;
    text_init(&o, &m);
    assert_int_equal(
        lab_figure(&m, reports, names, 2, LAB_ALL | LAB_CONVERGENCE | LAB_STAR, &figure), 0);
    assert_int_equal(plot_terminal(figure, 0, false, &o, NULL), 0);
    assert_non_null(strstr(text_str(&o), "euler")); // the curves have their names
    plot_free(figure);
    text_done(&o);
}

/* What is promised on higher index is no more than what was measured (tests/numeric/order.c holds
 * the runs to the same table). */
static void orders_on_daes(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int index2[2], index3[3];
    } measured[] = {
        {"implicit-euler", {1, 1}, {1, 1, 1}}, {"bdf1", {1, 1}, {1, 1, 1}},
        {"bdf3", {3, 3}, {3, 3, 3}},           {"ms2:rho=0.6", {2, 2}, {2, 2, 2}},
        {"ms2:rho=1", {2, 1}, {2, 1, 0}},      {"radau3", {3, 2}, {3, 2, 1}},
        {"radau5", {5, 3}, {5, 3, 2}},         {"trapezoid", {2, 2}, {2, 2, 0}},
        {"lobatto3a-4", {4, 2}, {2, 2, 0}},    {"lobatto3c-2", {2, 1}, {2, 1, 0}},
        {"lobatto3c-4", {4, 2}, {4, 2, 1}},    {"sdirk4", {2, 1}, {1, 1, 0}},
        {"trbdf2", {2, 2}, {2, 2, 1}},         {"midpoint", {2, 0}, {2, 0, 0}},
        {"gauss4", {2, 0}, {2, 0, 0}},         {"newmark", {2, 2}, {2, 2, 0}},
        {"genalpha", {2, 2}, {2, 2, 2}},       {"rodas4", {2, 1}, {1, 1, 0}},
    };
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        double opt[METHOD_OPTIONS_MAX];
        method_formula f;
        lab_report r;
        assert_true(method_formula_of(method_find(measured[i].spec, opt, NULL), opt, &f));
        lab_formula(&f, &r);
        lab_dae_orders o = lab_dae(&r);
        for (int k = 0; k < 2; k++) assert_true(o.index2[k] <= measured[i].index2[k]);
        for (int k = 0; k < 3; k++) assert_true(o.index3[k] <= measured[i].index3[k]);
        // Convergence of multipliers is never denied.
        assert_int_equal(o.index3[2] > 0, measured[i].index3[2] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lecture_facts),
        cmocka_unit_test(second_order_formulas),
        cmocka_unit_test(two_step_family),
        cmocka_unit_test(moved_node),
        cmocka_unit_test(registered_orders),
        cmocka_unit_test(orders_on_daes),
        cmocka_unit_test(multistep_collocation),
        cmocka_unit_test(wrong_texts),
        cmocka_unit_test(texts),
        cmocka_unit_test(published_facts),
        cmocka_unit_test(signs_are_exact),
        cmocka_unit_test(figures),
        cmocka_unit_test(designs),
        cmocka_unit_test(multistep_designs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
