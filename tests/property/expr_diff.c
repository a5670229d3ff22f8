/* Derivatives against two references: the complex step where a tree is analytic (exact to
 * round-off; W. Squire & G. Trapp, SIAM Rev. 40 (1998) 110-112), and extrapolated central
 * differences, which are trusted where two step sizes agree and no branch or step was crossed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr_tree.h"

#include <complex.h>

enum { SAMPLES = 20000 };

// ---- references --------------------------------------------------------------------------------

// Value at the lab's point with variable `var` moved by i*h; l->bad where that is not analytic.
static double complex complex_value(lab *l, const tree *t, int var, double h)
{
    double complex a = 0, b = 0;
    if (t->n > 0) a = complex_value(l, t->arg[0], var, h);
    if (t->n > 1) b = complex_value(l, t->arg[1], var, h);
    switch (t->op) {
    case EXPR_VAR: return t->var == var ? l->x[var] + h * I : l->x[t->var];
    case EXPR_TIME: return l->t;
    case EXPR_REAL:
    case EXPR_INTEGER: return t->number;
    case EXPR_NEG: return -a;
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_DIV: return a / b;
    case EXPR_POW: {
        double k = creal(b);
        if (cimag(b) == 0 && k == trunc(k) && k >= 0 && k < 8) {
            double complex r = 1;
            for (int i = 0; i < (int)k; i++) r *= a;
            return r;
        }
        l->bad = l->bad || creal(a) <= 0;
        return cexp(b * clog(a));
    }
    case EXPR_SIN: return csin(a);
    case EXPR_COS: return ccos(a);
    case EXPR_TAN: return csin(a) / ccos(a);
    case EXPR_ATAN: // arcs by their integrals' rates: first order in h, exact for h^2 -> 0
        return atan(creal(a)) + cimag(a) / (1 + creal(a) * creal(a)) * I;
    case EXPR_SINH: return csinh(a);
    case EXPR_COSH: return ccosh(a);
    case EXPR_TANH: return csinh(a) / ccosh(a);
    case EXPR_EXP: return cexp(a);
    case EXPR_LOG: return clog(a);
    case EXPR_LOG10: return clog(a) / log(10.0);
    case EXPR_SQRT: return csqrt(a);
    default: l->bad = true; return 0;
    }
}

// Value, marked as bad if it went through other branches and steps than *choices (0: not set yet).
static double same_branch(lab *l, const tree *t, uint64_t *choices)
{
    l->choices = 1;
    double r = value(l, t);
    if (*choices && l->choices != *choices) l->bad = true;
    *choices = l->choices;
    return r;
}

// Central differences in `var` (N_VARS: time) at steps h and h/2, extrapolated; *error is how far
// the two disagree.
static double difference(lab *l, const tree *t, int var, double *error)
{
    double *x = var == N_VARS ? &l->t : &l->x[var], at = *x, d[2];
    uint64_t choices = 0;
    for (int k = 0; k < 2; k++) {
        double h = 1e-4 / (1 + k);
        *x = at + h;
        double up = same_branch(l, t, &choices);
        *x = at - h;
        d[k] = (up - same_branch(l, t, &choices)) / (2 * h);
    }
    *x = at;
    *error = fabs(d[1] - d[0]);
    return (4 * d[1] - d[0]) / 3;
}

// ---- partial derivatives -----------------------------------------------------------------------

static void complain(lab *l, const tree *t, expr d, double is, double should)
{
    text out;
    text_init(&out, &l->m);
    expr_print(&l->p, build(l, t), EXPR_MODELICA, 2000, &out);
    print_message("%s\n", text_str(&out));
    text_clear(&out);
    expr_print(&l->p, d, EXPR_MODELICA, 2000, &out);
    print_message("has derivative %s\n", text_str(&out));
    text_done(&out);
    fail_msg("%.15g, not %.15g", is, should);
}

static void partial_derivatives(void **state)
{
    (void)state;
    lab l;
    lab_init(&l, 5000);
    int good = 0, analytic = 0;
    for (int k = 0; k < SAMPLES; k++) {
        tree *t = grow(&l, 1 + k % 5, k % 2);
        int var = below(&l, N_VARS + 1);
        expr e = build(&l, t);
        expr v = var == N_VARS ? l.p.time : expr_var(&l.p, var, 0, TYPE_REAL, 0);
        const char *why = NULL;
        expr d = expr_diff(&l.p, e, v, &l.scratch, &why);
        assert_int_not_equal(d, 0);
        choose_point(&l);
        double f = value(&l, t), error, reference = difference(&l, t, var, &error);
        if (l.bad || error > 1e-3 * (1 + fabs(reference))) continue;
        double r = evaluated(&l, d);
        // Truncation is a fraction of the disagreement; round-off is eps*|terms|/h.
        if (!(fabs(r - reference) <= error + 1e-7 * (1 + fabs(f) + fabs(reference)))) {
            if (!isfinite(r)) continue; // at the edge of a domain: sqrt(0), x^0 ...
            complain(&l, t, d, r, reference);
        }
        good++;
        if (var == N_VARS) continue;
        reference = cimag(complex_value(&l, t, var, 1e-40)) / 1e-40;
        if (l.bad || !isfinite(reference)) continue;
        analytic++;
        if (!(fabs(r - reference) <= 1e-9 * (1 + fabs(f) + fabs(reference))))
            complain(&l, t, d, r, reference);
    }
    assert_true(good > SAMPLES / 2 && analytic > SAMPLES / 8);
    lab_done(&l);
}

// All at once is the same as one by one, node for node.
static void jacobians_agree_with_derivatives(void **state)
{
    (void)state;
    lab l;
    lab_init(&l, 6000);
    enum { ROWS = 5 };
    for (int k = 0; k < 500; k++) {
        expr e[ROWS], var[N_VARS + 1], d[ROWS * (N_VARS + 1)];
        for (int i = 0; i < ROWS; i++) e[i] = build(&l, grow(&l, 5, true));
        e[1] = expr_add(&l.p, e[0], e[2]); // something shared
        for (int j = 0; j < N_VARS; j++) var[j] = expr_var(&l.p, N_VARS - 1 - j, 0, TYPE_REAL, 0);
        var[N_VARS] = l.p.time;
        assert_true(expr_jacobian(&l.p, e, ROWS, var, N_VARS + 1, &l.scratch, d, NULL));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j <= N_VARS; j++)
                assert_int_equal(d[i * (N_VARS + 1) + j],
                                 expr_diff(&l.p, e[i], var[j], &l.scratch, NULL));
    }
    lab_done(&l);
}

// ---- along a trajectory ------------------------------------------------------------------------

// x_k(t) = sin(w_k t + k), differentiated `order` times.
static double motion(void *user, int var, int order)
{
    const lab *l = user;
    double w = 0.5 + 0.25 * var;
    return pow(w, order) * sin(w * l->t + var + order * acos(-1) / 2);
}

static double value_on_the_way(lab *l, const tree *t, double time, uint64_t *choices)
{
    double now = l->t;
    l->t = time;
    for (int k = 0; k < N_VARS; k++) l->x[k] = motion(l, k, 0);
    double r = same_branch(l, t, choices);
    l->t = now;
    return r;
}

static void total_derivatives(void **state)
{
    (void)state;
    lab l;
    lab_init(&l, 7000);
    int good = 0;
    for (int k = 0; k < SAMPLES; k++) {
        tree *t = grow(&l, 1 + k % 5, k % 2);
        expr e = build(&l, t), d, dd;
        assert_true(expr_total_diff(&l.p, &e, 1, &l.scratch, &d, NULL));
        assert_true(expr_total_diff(&l.p, &d, 1, &l.scratch, &dd, NULL));
        choose_point(&l);
        static const double h = 1e-3;
        double f[5]; // at t - 2h ... t + 2h
        uint64_t choices = 0;
        for (int i = 0; i < 5; i++) f[i] = value_on_the_way(&l, t, l.t + (i - 2) * h, &choices);
        // Fourth order and, to judge it, second order.
        double d4 = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h), d2 = (f[3] - f[1]) / (2 * h);
        double dd4 = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h);
        double dd2 = (f[1] - 2 * f[2] + f[3]) / (h * h);
        if (l.bad || fabs(d4 - d2) > 1e-3 * (1 + fabs(d4)) ||
            fabs(dd4 - dd2) > 1e-3 * (1 + fabs(dd4)))
            continue;
        double r = NAN, rr = NAN;
        assert_int_equal(expr_eval(&l.p, d, l.t, motion, &l, &l.scratch, &r, NULL), 0);
        assert_int_equal(expr_eval(&l.p, dd, l.t, motion, &l, &l.scratch, &rr, NULL), 0);
        if (!isfinite(r) || !isfinite(rr)) continue;
        good++;
        double size = 1 + fabs(f[2]);
        if (fabs(r - d4) > fabs(d4 - d2) + 1e-8 * (size + fabs(d4))) complain(&l, t, d, r, d4);
        if (fabs(rr - dd4) > fabs(dd4 - dd2) + 1e-6 * (size + fabs(dd4)))
            complain(&l, t, dd, rr, dd4);
    }
    assert_true(good > SAMPLES / 3);
    lab_done(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partial_derivatives),
        cmocka_unit_test(jacobians_agree_with_derivatives),
        cmocka_unit_test(total_derivatives),
    };
    return cmocka_run_group_tests_name("expr derivatives", tests, NULL, NULL);
}
