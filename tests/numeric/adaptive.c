/* Adaptive runs: tolerances are met, on stiff, differential-algebraic and oscillating problems.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "problems.h"
#include "smooth.h"

typedef struct outcome {
    double digits;
    vinc_stats stats;
} outcome;

static outcome solve(const ivp *p, const char *method, double tol, bool jacobian)
{
    mem m = mem_std();
    ivp_user u;
    vinc_problem q = ivp_problem(p, &u, jacobian);
    method_config config = {.rel_tol = tol, .abs_tol = tol * p->atol_factor};
    method_run *r;
    double y[IVP_N], yp[IVP_N];
    assert_int_equal(method_new(&m, &q, method, &config, NULL, &r), VINC_OK);
    ivp_start(p, y, yp);
    assert_int_equal(method_start(r, 0, y, yp, p->t_end), VINC_OK);
    while (r->t < p->t_end)
        if (method_step(r, p->t_end)) fail_msg("%s, %s: %s", p->name, method, r->message);
    outcome out = {ivp_digits(p, r->y), r->stats};
    assert_int_equal(u.calls, r->stats.residual_evals + r->stats.rhs_evals);
    method_free(r);
    return out;
}

/* The requested digits minus two, and more of them with a smaller tolerance. */
static void digits_follow_the_tolerance(const char *method, bool jacobian)
{
    const ivp *all[] = {&ivp_hires, &ivp_rober,    &ivp_orego,
                        &ivp_vdpol, &ivp_chemakzo, &ivp_transamp};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        double first = 0;
        for (int e = 4; e <= 8; e += 2) {
            outcome o = solve(all[k], method, pow(10, -e), jacobian);
            if (o.digits < e - 2)
                fail_msg("%s at 1e-%d: %s has %.2f digits", method, e, all[k]->name, o.digits);
            if (e == 4) first = o.digits;
            if (e == 8 && o.digits < first + 1)
                fail_msg("%s on %s: digits do not follow the tolerance", method, all[k]->name);
        }
    }
}

static void bdf_meets_tolerances(void **state)
{
    (void)state;
    digits_follow_the_tolerance("bdf", true);
}

static void radau5_meets_tolerances(void **state)
{
    (void)state;
    digits_follow_the_tolerance("radau5", true);
}

static void differences_serve_as_jacobian(void **state)
{
    (void)state;
    digits_follow_the_tolerance("bdf", false);
    digits_follow_the_tolerance("radau5", false);
}

/* Jacobians and factors are reused: far fewer than steps for bdf, fewer than steps for radau5. */
static void matrices_are_reused(void **state)
{
    (void)state;
    outcome o = solve(&ivp_hires, "bdf", 1e-8, true);
    assert_true(o.stats.factorizations * 4 < o.stats.steps);
    assert_true(o.stats.jacobian_evals <= o.stats.factorizations);
    o = solve(&ivp_hires, "radau5", 1e-8, true);
    assert_true(o.stats.jacobian_evals * 2 < o.stats.steps);
    assert_true(o.stats.factorizations < 2 * o.stats.steps);
}

/* The transistor amplifier once trapped the order at 1: its collector voltages follow a derivative,
 * and every change of the step showed as an error. Order 4 to 5 takes about 10^(1/5) = 1.6 times
 * the steps per decade of tolerance, never ten times. */
static void steps_follow_the_tolerance_smoothly(void **state)
{
    (void)state;
    long before = 0;
    for (int e = 5; e <= 9; e++) {
        long steps = solve(&ivp_transamp, "bdf", pow(10, -e), true).stats.steps;
        if (before && steps > 3 * before)
            fail_msg("%ld steps at 1e-%d, %ld at ten times that", steps, e, before);
        before = steps;
    }
}

/* ---- explicit methods on a smooth problem ---------------------------------------------------- */

static double final_error(const char *method, double tol, vinc_stats *stats)
{
    const smooth *s = &smooth_problems[0];
    mem m = mem_std();
    method_config config = {.rel_tol = tol};
    method_run *r;
    double y[5], yp[5];
    assert_int_equal(method_new(&m, &s->p, method, &config, NULL, &r), VINC_OK);
    s->exact(0, y, yp);
    assert_int_equal(method_start(r, 0, y, yp, 2), VINC_OK);
    while (r->t < 2) assert_int_equal(method_step(r, 2), VINC_OK);
    s->exact(2, y, yp);
    double e = 0;
    for (int i = 0; i < s->p.n; i++) e = fmax(e, fabs(r->y[i] - y[i]));
    *stats = r->stats;
    method_free(r);
    return e;
}

/* With the error of a step kept at the tolerance the global error of order p goes with
 * tol^(p/(p+1)); a factor 0.4 for chance, 0.2 where there are only some ten steps. Methods of order
 * above 2 stay within 1000 tolerances. */
static void every_adaptive_method_follows_a_smooth_orbit(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if (!((*m)->traits & METHOD_ADAPTIVE)) continue;
        vinc_stats stats;
        // At loose tolerances a few steps of order 8 cover the whole way.
        double tol = (*m)->order_min > 6 ? 1e-8 : 1e-4;
        double loose = final_error((*m)->name, tol, &stats);
        double tight = final_error((*m)->name, tol / 100, &stats);
        double p = fmin((*m)->order_max, 4), chance = (*m)->order_min > 6 ? 0.2 : 0.4;
        double gain = chance * pow(100, p / (p + 1));
        if (!(tight * gain <= loose))
            fail_msg("%s: error %g at %g, %g at %g", (*m)->name, loose, tol, tight, tol / 100);
        if ((*m)->order_max > 2 && !(tight <= 1e-3))
            fail_msg("%s: error %g at tolerance 1e-6", (*m)->name, tight);
    }
}

/* ---- the imaginary axis ---------------------------------------------------------------------- */

static int oscillator(void *user, double t, const double *y, const double *yp, double *r)
{
    const double *w = user;
    (void)t;
    r[0] = yp[0] - *w * y[1];
    r[1] = yp[1] + *w * y[0];
    return 0;
}

/* A harmonic oscillator over 1000 periods: BDF of order 3 to 5 is unstable in a strip beside the
 * imaginary axis; the order control must not walk into it. */
static void bdf_survives_a_long_oscillation(void **state)
{
    (void)state;
    mem m = mem_std();
    double w = 1, y[2] = {1, 0}, yp[2] = {0, -1}, t_end = 1000 * 2 * 3.14159265358979324;
    vinc_problem p = {.n = 2, .residual = oscillator, .user = &w};
    method_config config = {.rel_tol = 1e-6};
    method_run *r;
    assert_int_equal(method_new(&m, &p, "bdf", &config, NULL, &r), VINC_OK);
    assert_int_equal(method_start(r, 0, y, yp, t_end), VINC_OK);
    while (r->t < t_end) assert_int_equal(method_step(r, t_end), VINC_OK);
    // One tolerance per step at most, and no growth.
    double amplitude = hypot(r->y[0], r->y[1]);
    assert_true(amplitude < 1.01);
    assert_true(hypot(r->y[0] - 1, r->y[1]) < (double)r->stats.steps * 1e-6);
    assert_true(r->stats.steps < 200 * 1000);
    method_free(r);
}

enum { CELLS = 100, LINE = 2 * CELLS };

/* A line of inductors and capacitors, driven by a step with a rise time of ten cells, closed by
 * three times its impedance: currents first, then voltages. The fastest mode has w = 2000. */
static int lc_line(void *user, double t, const double *y, const double *yp, double *r)
{
    const double *v = y + CELLS, L = 1e-3, C = 1e-3;
    (void)user;
    double source = t < 0.02 ? 0.5 * (1 - cos(3.14159265358979324 * t / 0.02)) : 1;
    for (int k = 0; k < CELLS; k++) {
        double left = k ? v[k - 1] : source - y[0];
        double next = k < CELLS - 1 ? y[k + 1] : v[k] / 3;
        r[k] = L * yp[k] - (left - v[k] - 0.01 * y[k]);
        r[CELLS + k] = C * yp[CELLS + k] - (y[k] - next);
    }
    return 0;
}

static long lc_steps(const char *method)
{
    static int start[LINE + 1], row[3 * LINE];
    int k = 0;
    for (int j = 0; j < LINE; j++) {
        int cell = j % CELLS;
        start[j] = k;
        if (j < CELLS) {
            row[k++] = cell;
            if (cell) row[k++] = CELLS + cell - 1;
            row[k++] = CELLS + cell;
        } else {
            row[k++] = cell;
            if (cell < CELLS - 1) row[k++] = cell + 1;
            row[k++] = j;
        }
    }
    start[LINE] = k;
    vinc_pattern jac = {LINE, LINE, k, start, row};
    vinc_problem p = {.n = LINE, .jac = &jac, .residual = lc_line};
    mem m = mem_std();
    method_config config = {.rel_tol = 1e-3};
    method_run *r;
    double y[LINE] = {0}, yp[LINE] = {0};
    assert_int_equal(method_new(&m, &p, method, &config, NULL, &r), VINC_OK);
    assert_int_equal(method_start(r, 0, y, yp, 2), VINC_OK);
    while (r->t < 2) assert_int_equal(method_step(r, 2), VINC_OK);
    long steps = r->stats.steps;
    method_free(r);
    return steps;
}

/* What order 2 can do in some hundred steps the variable order must not do in thousands. */
static void bdf_does_not_collapse_on_a_lossless_line(void **state)
{
    (void)state;
    assert_true(lc_steps("bdf") < 3 * lc_steps("bdf:order=2"));
}

/* ---- index 2 and 3 directly ------------------------------------------------------------------ */

static void higher_index_directly(const char *method, const smooth *s, double tol,
                                  double allowed[3])
{
    mem m = mem_std();
    method_config config = {.rel_tol = tol};
    method_run *r;
    double y[5], yp[5];
    assert_int_equal(method_new(&m, &s->p, method, &config, NULL, &r), VINC_OK);
    s->exact(0, y, yp);
    assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
    while (r->t < 1)
        if (method_step(r, 1)) fail_msg("%s on %s: %s", method, s->name, r->message);
    s->exact(1, y, yp);
    for (int i = 0; i < s->p.n; i++) {
        double e = fabs(r->y[i] - y[i]) / (1 + fabs(y[i]));
        if (!(e <= allowed[s->group[i]]))
            fail_msg("%s on %s, unknown %d: error %g at tolerance %g", method, s->name, i, e, tol);
    }
    assert_true(r->stats.steps < 2000);
    method_free(r);
}

/* Positions to the tolerance; velocities and multipliers are not controlled as such (they are
 * weighed by h and h^2, multipliers left out), so they lose digits: one power of h, about two
 * decades, each. */
static void bdf_and_radau5_take_index_2_and_3(void **state)
{
    (void)state;
    for (int e = 4; e <= 8; e += 2) {
        double tol = pow(10, -e);
        double two[3] = {100 * tol, 0, 1e4 * tol};
        double three[3] = {100 * tol, 1e4 * tol, 1e6 * tol};
        double three_bdf[3] = {1000 * tol, 1e4 * tol, 1e6 * tol};
        higher_index_directly("bdf", &smooth_problems[2], tol, two);
        higher_index_directly("radau5", &smooth_problems[2], tol, two);
        higher_index_directly("bdf", &smooth_problems[3], tol, three_bdf);
        higher_index_directly("radau5", &smooth_problems[3], tol, three);
    }
}

/* ---- very stiff ------------------------------------------------------------------------------ */

static int very_stiff(void *user, double t, const double *y, const double *yp, double *r)
{
    double mu = *(double *)user;
    (void)t;
    r[0] = yp[0] - y[1];
    r[1] = yp[1] - (mu * (1 - y[0] * y[0]) * y[1] - y[0]);
    return 0;
}

/* Van der Pol with mu = 1e6 in unscaled time over one and a half relaxations (the period is
 * (3 - 2 ln 2) mu + ..., Dorodnitsyn): few steps, no failure, the amplitude stays at 2. */
static void van_der_pol_with_mu_of_a_million(void **state)
{
    (void)state;
    static const char *const methods[] = {"bdf", "radau5"};
    for (int k = 0; k < 2; k++) {
        mem m = mem_std();
        double mu = 1e6, y[2] = {2, 0}, yp[2] = {0, -2}, top = 0;
        vinc_problem p = {.n = 2, .residual = very_stiff, .user = &mu};
        method_config config = {.rel_tol = 1e-6, .abs_tol = 1e-8};
        method_run *r;
        assert_int_equal(method_new(&m, &p, methods[k], &config, NULL, &r), VINC_OK);
        assert_int_equal(method_start(r, 0, y, yp, 2.5e6), VINC_OK);
        while (r->t < 2.5e6) {
            if (method_step(r, 2.5e6)) fail_msg("%s: %s", methods[k], r->message);
            top = fmax(top, fabs(r->y[0]));
        }
        assert_true(top < 2.001 && top > 1.99);
        assert_true(r->stats.steps < 10000);
        method_free(r);
    }
}

/* y' = -y/10 + max(0, sin 2 pi t): a second is half quiet, and nothing there tells of the pulse to
 * come. Every pulse is worth I = exp(-1/10) 2 pi (1 + exp(1/20))/(1/100 + 4 pi^2) at its end, and
 * after ten of them y is the geometric sum; without any one it lacks at least I exp(-9/10) = 0.12. */
static int pulses(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user;
    r[0] = yp[0] + y[0] / 10 - fmax(0, sin(6.28318530717958647693 * t));
    return 0;
}

static void steps_do_not_leap_over_pulses(void **state)
{
    (void)state;
    const double w = 6.28318530717958647693;
    double pulse = exp(-0.1) * w * (1 + exp(0.05)) / (0.01 + w * w);
    double want = pulse * (1 - exp(-1)) / (1 - exp(-0.1));
    static const char *const names[] = {"radau5", "radau9", "radau13", "radau"};
    vinc_problem p = {.n = 1, .residual = pulses};
    mem m = mem_std();
    for (int k = 0; k < 4; k++)
        for (int e = 3; e <= 8; e++) {
            method_config config = {.rel_tol = pow(10, -e)};
            double y[1] = {0}, yp[1] = {0};
            method_run *r;
            assert_int_equal(method_new(&m, &p, names[k], &config, NULL, &r), VINC_OK);
            assert_int_equal(method_start(r, 0, y, yp, 10), VINC_OK);
            while (r->t < 10) assert_int_equal(method_step(r, 10), VINC_OK);
            if (!(fabs(r->y[0] - want) < 0.05))
                fail_msg("%s at 1e-%d: %g, not %g", names[k], e, r->y[0], want);
            method_free(r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bdf_meets_tolerances),
        cmocka_unit_test(radau5_meets_tolerances),
        cmocka_unit_test(differences_serve_as_jacobian),
        cmocka_unit_test(matrices_are_reused),
        cmocka_unit_test(every_adaptive_method_follows_a_smooth_orbit),
        cmocka_unit_test(bdf_survives_a_long_oscillation),
        cmocka_unit_test(bdf_does_not_collapse_on_a_lossless_line),
        cmocka_unit_test(steps_follow_the_tolerance_smoothly),
        cmocka_unit_test(bdf_and_radau5_take_index_2_and_3),
        cmocka_unit_test(van_der_pol_with_mu_of_a_million),
        cmocka_unit_test(steps_do_not_leap_over_pulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
