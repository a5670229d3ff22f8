/* The numbers of `vincolo method --at` against runs: every registered method of one formula takes
 * fixed steps on the undamped oscillator, and the polynomial with the roots that the laboratory
 * finds must annihilate what the run computed. Of one-step methods the root itself is read off.
 *
 * With u = x - i v/omega the oscillator is u' = i omega u. Parameters of the methods are varied.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "lab/lab.h"

#include <complex.h>
#include <math.h>

enum { STEPS = 40 };

typedef struct orbit {
    double omega;
} orbit;

static int orbit_rhs(void *user, double t, double *y, double *yp)
{
    const orbit *o = user;
    (void)t;
    yp[0] = y[1], yp[1] = -o->omega * o->omega * y[0];
    return 0;
}

static int orbit_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    const orbit *o = user;
    (void)t;
    r[0] = yp[0] - y[1], r[1] = yp[1] + o->omega * o->omega * y[0];
    return 0;
}

static int orbit_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                          double *dyp)
{
    const orbit *o = user;
    (void)t, (void)y, (void)yp;
    dy[0] = 0, dy[1] = o->omega * o->omega, dy[2] = -1, dy[3] = 0;
    dyp[0] = dyp[3] = 1, dyp[1] = dyp[2] = 0;
    return 0;
}

// Largest value of the polynomial with these roots on consecutive points of the run.
static double left_over(const point *roots, int n, const double complex *u, int first)
{
    double complex c[POLY_MAX + 1] = {1};
    for (int k = 0; k < n; k++) { // highest power first
        double complex root = roots[k].re + roots[k].im * I;
        for (int i = k + 1; i > 0; i--) c[i] -= root * c[i - 1];
    }
    double worst = 0;
    for (int j = first; j + n <= STEPS; j++) {
        double complex sum = 0;
        for (int i = 0; i <= n; i++) sum += c[i] * u[j + n - i];
        worst = fmax(worst, cabs(sum));
    }
    return worst;
}

static void compare_with_run(const char *spec, const method_formula *f, double h_over_t)
{
    enum { LONGEST_START = 6 }; // steps that a starter of another formula may take
    orbit o = {.omega = 3};
    int velocity[] = {1, -1};
    vinc_problem p = {.n = 2,
                      .user = &o,
                      .autonomous = 1,
                      .rhs = orbit_rhs,
                      .residual = orbit_residual,
                      .jacobian = orbit_jacobian,
                      .velocity = velocity};
    lab_report r;
    lab_formula(f, &r);
    point roots[POLY_MAX];
    int n = lab_roots(&r, (point){0, 2 * M_PI * h_over_t}, roots);

    mem m = mem_std();
    method_run *run;
    char why[METHOD_WHY];
    double h = h_over_t * 2 * M_PI / o.omega, y[2] = {1, 0}, yp[2] = {0, -o.omega * o.omega};
    method_config config = {.fixed_step = h};
    if (method_new(&m, &p, spec, &config, why, &run)) fail_msg("%s: %s", spec, why);
    assert_int_equal(method_start(run, 0, y, yp, STEPS * h), VINC_OK);
    double complex u[STEPS + 1] = {1};
    double size = 1;
    for (int k = 1; k <= STEPS; k++) {
        if (method_step(run, STEPS * h)) fail_msg("%s: %s", spec, run->message);
        u[k] = r.second_order ? run->y[0] : run->y[0] - I * run->y[1] / o.omega;
        size = fmax(size, cabs(u[k]));
    }
    method_free(run);
    double rest = left_over(roots, n, u, r.multistep ? LONGEST_START : 0) / size;
    if (rest > 1e-10)
        fail_msg("%s at h/T = %g: %.3g is left of its recursion", spec, h_over_t, rest);
    lab_oscillator at;
    lab_oscillate(&r, 1, &h_over_t, &at);
    if (!r.multistep && hypot(creal(u[1]) - at.root.re, cimag(u[1]) - at.root.im) > 1e-12)
        fail_msg("%s at h/T = %g: root %.15g %.15g", spec, h_over_t, at.root.re, at.root.im);
    double decay = log(hypot(at.root.re, at.root.im));
    assert_near(at.damping, -decay / hypot(decay, at.phase), 1e-14);
    assert_near(at.period, 2 * M_PI * h_over_t / at.phase - 1, 1e-13);
}

static void every_method_of_one_formula(void **state)
{
    (void)state;
    static const double steps[] = {0.02, 0.05, 0.11};
    static const char *const with_parameters[] = {
        "ms2:rho=1/4",     "bdf:order=4",      "dirk-exam:gamma=1/3", "newmark:beta=1/6",
        "hht:alpha=-1/10", "genalpha:rho=1/2", "radau:order=9"};
    int checked = 0;
    char why[METHOD_WHY];
    for (int i = 0;; i++) {
        int extra = (int)(sizeof with_parameters / sizeof *with_parameters);
        const char *spec = i < extra                 ? with_parameters[i]
                           : vinc_methods[i - extra] ? vinc_methods[i - extra]->name
                                                     : NULL;
        if (!spec) break;
        double opt[METHOD_OPTIONS_MAX];
        method_formula f;
        const vinc_method *m = method_find(spec, opt, why);
        if (!m) fail_msg("%s: %s", spec, why);
        if (!method_formula_of(m, opt, &f)) continue;
        if ((m->traits & METHOD_VARIABLE_ORDER) && !strstr(spec, "order=")) continue;
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
            compare_with_run(spec, &f, steps[k]);
        checked++;
    }
    assert_true(checked >= 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_of_one_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
