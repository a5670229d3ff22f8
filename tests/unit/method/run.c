/* Runs of methods: refusals, failures, limits, restarts, callbacks, memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "fail_mem.h"
#include "method/control.h"
#include "problem/problem.h"
#include "problems.h"
#include "smooth.h"

#include <math.h>
#include <string.h>

static method_run *make(const vinc_problem *p, const char *method, method_config config)
{
    static mem m;
    method_run *r;
    char why[METHOD_WHY];
    m = mem_std();
    if (method_new(&m, p, method, &config, why, &r)) fail_msg("%s: %s", method, why);
    return r;
}

static bool adaptive(const vinc_method *m)
{
    return m->traits & METHOD_ADAPTIVE;
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void what_cannot_work_is_refused_with_a_reason(void **state)
{
    (void)state;
    mem m = mem_std();
    method_run *r;
    char why[METHOD_WHY];
    method_config config = {0}, fixed = {.fixed_step = 0.1};
    const vinc_problem *index3 = &smooth_problems[3].p, *ode = &smooth_problems[0].p;
    assert_int_equal(method_new(&m, index3, "dopri5", &config, why, &r), VINC_E_PROBLEM);
    assert_null(r);
    assert_non_null(strstr(why, "explicit"));
    assert_int_equal(method_new(&m, ode, "rk4", &config, why, &r), VINC_E_OPTION);
    assert_non_null(strstr(why, "step size"));
    assert_int_equal(method_new(&m, &smooth_problems[1].p, "taylor2", &fixed, why, &r),
                     VINC_E_PROBLEM);
    assert_int_equal(method_new(&m, ode, "nosuch", &config, why, &r), VINC_E_OPTION);
    config.rel_tol = -1;
    assert_int_equal(method_new(&m, ode, "bdf", &config, why, &r), VINC_E_OPTION);
    config.rel_tol = NAN;
    assert_int_equal(method_new(&m, ode, "bdf", &config, why, &r), VINC_E_OPTION);
    config = (method_config){.la = "nosuch"};
    assert_int_equal(method_new(&m, ode, "bdf", &config, why, &r), VINC_E_OPTION);
    assert_non_null(strstr(why, "linear solver"));
    vinc_problem empty = {.n = 2, .rhs = smooth_ode_rhs};
    config = (method_config){0};
    assert_int_equal(method_new(&m, &empty, "bdf", &config, why, &r), VINC_E_PROBLEM);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* x' = z and z = -k (x - cos t) - sin t: x = cos t, and an error of x is k times as large in z. */
static int rate_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user;
    r[0] = yp[0] - y[1];
    r[1] = y[1] + 1e4 * (y[0] - cos(t)) + sin(t);
    return 0;
}

static void errors_of_rates_count_as_what_they_make_in_a_step(void **state)
{
    (void)state;
    static const uint8_t differential[2] = {1, 0}, rate[2] = {0, 1};
    static const char *const methods[] = {"radau5", "radau", "bdf"};
    vinc_problem p = {.n = 2, .differential = differential, .residual = rate_residual};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        long steps[2];
        for (int told = 0; told < 2; told++) {
            double y[2] = {1, 0}, yp[2] = {0, 0};
            p.rate = told ? rate : NULL;
            method_run *r = make(&p, methods[k], (method_config){.rel_tol = 1e-7});
            assert_int_equal(method_start(r, 0, y, yp, 10), VINC_OK);
            while (r->t < 10) {
                assert_true(method_step(r, 10) >= 0);
                // An error at the end of a step is that of z over k, and z is tested times h.
                if (!(fabs(r->y[0] - cos(r->t)) <= 1e-6))
                    fail_msg("%s: %g at %g", methods[k], r->y[0] - cos(r->t), r->t);
            }
            steps[told] = r->stats.steps;
            method_free(r);
        }
        if (steps[1] > steps[0]) fail_msg("%s: %ld steps, and %ld", methods[k], steps[0], steps[1]);
        if (!k) assert_true(steps[1] < 0.7 * steps[0]);
    }
}

/* ---- sizes that the iteration bounds --------------------------------------------------------- */

/* Rows that turn with y[2]: R(y[2]) x' = u. A matrix from the start of a step is wrong by the angle that
 * is turned in it, and the iteration fails before the error is large. The last unknown is algebraic. */
static int turning_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    double c = cos(y[2]), s = sin(y[2]);
    (void)user, (void)t;
    r[0] = c * yp[0] - s * yp[1] - 300;
    r[1] = s * yp[0] + c * yp[1];
    r[2] = yp[2] - 300;
    r[3] = y[3] - y[0] * y[1];
    return 0;
}

static void sizes_stay_below_those_that_failed(void **state)
{
    (void)state;
    static const uint8_t differential[4] = {1, 1, 1, 0};
    vinc_problem p = {.n = 4, .differential = differential, .residual = turning_residual};
    double y[4] = {0, 1, 0, 0}, yp[4] = {300, 0, 300, 300};
    method_run *r = make(&p, "radau", (method_config){.rel_tol = 1e-11});
    assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
    while (r->t < 1) assert_true(method_step(r, 1) >= 0);
    // x = (sin, cos) of 300 t. Steps that grow at once fail so often that the order falls: 4266 of them.
    assert_true(fabs(r->y[0] - sin(300.0)) < 1e-5 && fabs(r->y[1] - cos(300.0)) < 1e-5);
    if (r->stats.steps > 2500) fail_msg("%ld steps", r->stats.steps);
    method_free(r);
}

/* ---- trouble from the equations -------------------------------------------------------------- */

/* y = sqrt(1 - t): y' = -1/(2 y) ends at t = 1; beyond it there is nothing but NaN. The last of n
 * unknowns, the others decay: kernels take unknowns in groups of four and two. */
static int ending_rhs(void *user, double t, double *y, double *yp)
{
    int n = *(const int *)user;
    (void)t;
    for (int i = 0; i < n - 1; i++) yp[i] = -y[i];
    yp[n - 1] = -0.5 / sqrt(y[n - 1]) / sqrt(y[n - 1]);
    return 0;
}

enum { ENDING = 7 };

static int ending(void *user, double t, const double *y, const double *yp, double *r)
{
    double x[ENDING], f[ENDING];
    int n = *(const int *)user;
    memcpy(x, y, (size_t)n * sizeof *x);
    ending_rhs(user, t, x, f);
    for (int i = 0; i < n; i++) r[i] = yp[i] - f[i];
    return 0;
}

static void run_to_the_end(const vinc_method *m, int n, double tol)
{
    vinc_problem p = {.n = n, .residual = ending, .rhs = ending_rhs, .user = &n};
    method_config config = {.rel_tol = tol, .abs_tol = 1e-10, .fixed_step = adaptive(m) ? 0 : 0.01};
    method_run *r = make(&p, m->name, config);
    double y[ENDING], yp[ENDING];
    for (int i = 0; i < n; i++) y[i] = 1;
    ending_rhs(&n, 0, y, yp);
    int status = method_start(r, 0, y, yp, 2);
    long steps = 0;
    while (!status && r->t < 2 && steps++ < 100000) {
        status = method_step(r, 2);
        assert_true(problem_finite(r->y, n) && problem_finite(r->yp, n) && isfinite(r->t));
    }
    if (!status) fail_msg("%s went on beyond the end of the solution", m->name);
    assert_true(r->message[0]);
    // Without error control a step may land beyond the end by chance, one or two of them.
    if (adaptive(m)) assert_true(r->t < 1.01 && r->t > 0.9);
    method_free(r);
}

static void nan_is_never_accepted(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if ((*m)->traits & METHOD_SECOND_ORDER) continue;
        run_to_the_end(*m, 1, 1e-4);
        run_to_the_end(*m, ENDING, 1e-4);
        // Variable order begins higher where tolerances are tight.
        if (adaptive(*m) && (*m)->order_max >= 5) run_to_the_end(*m, ENDING, 1e-9);
    }
}

typedef struct moody {
    long calls, every;
    double stop_at, t_max;
} moody;

/* y' = -y that cannot be evaluated at every so many-th call, and stops at a given time. */
static int moody_rhs(void *user, double t, double *y, double *yp)
{
    moody *u = user;
    u->t_max = fmax(u->t_max, t);
    if (t > u->stop_at) return -1;
    if (u->every && ++u->calls % u->every == 0) return 1;
    yp[0] = -y[0];
    return 0;
}

static int moody_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    double x[1] = {y[0]}, f[1];
    int status = moody_rhs(user, t, x, f);
    if (!status) r[0] = yp[0] - f[0];
    return status;
}

static void evaluation_failures_cost_steps_not_the_run(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if ((*m)->traits & METHOD_SECOND_ORDER) continue;
        if (!adaptive(*m)) continue;
        moody u = {.every = 37, .stop_at = INFINITY};
        vinc_problem p = {.n = 1, .residual = moody_residual, .rhs = moody_rhs, .user = &u};
        method_run *r = make(&p, (*m)->name, (method_config){.rel_tol = 1e-5});
        double y[1] = {1}, yp[1] = {-1};
        assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
        while (r->t < 1)
            if (method_step(r, 1)) fail_msg("%s: %s", (*m)->name, r->message);
        assert_true(fabs(r->y[0] - exp(-1)) < 1e-2);
        method_free(r);
    }
}

static void a_callback_may_stop_the_run(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if ((*m)->traits & METHOD_SECOND_ORDER) continue;
        moody u = {.stop_at = 0.5};
        vinc_problem p = {.n = 1, .residual = moody_residual, .rhs = moody_rhs, .user = &u};
        method_run *r = make(&p, (*m)->name, (method_config){.fixed_step = adaptive(*m) ? 0 : 0.1});
        double y[1] = {1}, yp[1] = {-1};
        int status = method_start(r, 0, y, yp, 1);
        while (!status && r->t < 1) status = method_step(r, 1);
        assert_int_equal(status, VINC_E_STOPPED);
        assert_true(r->t <= 0.5);
        method_free(r);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void nothing_is_evaluated_beyond_the_limit(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if ((*m)->traits & METHOD_SECOND_ORDER) continue;
        moody u = {.stop_at = INFINITY};
        vinc_problem p = {.n = 1, .residual = moody_residual, .rhs = moody_rhs, .user = &u};
        method_config config = {.rel_tol = 1e-4, .fixed_step = adaptive(*m) ? 0 : 0.3};
        method_run *r = make(&p, (*m)->name, config);
        double y[1] = {1}, yp[1] = {-1};
        assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
        while (r->t < 1) assert_int_equal(method_step(r, 1), VINC_OK);
        assert_true(u.t_max <= 1 && r->t == 1);
        method_free(r);
    }
}

static void h_max_is_kept(void **state)
{
    (void)state;
    moody u = {.stop_at = INFINITY};
    vinc_problem p = {.n = 1, .residual = moody_residual, .rhs = moody_rhs, .user = &u};
    method_run *r = make(&p, "radau5", (method_config){.rel_tol = 1e-2, .h_max = 0.013});
    double y[1] = {1}, yp[1] = {-1};
    assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
    while (r->t < 1) {
        assert_int_equal(method_step(r, 1), VINC_OK);
        assert_true(r->t - r->t_old <= 0.0130001);
    }
    assert_true(r->stats.steps >= 77);
    method_free(r);
}

/* 10 steps of 0.1 reach 1; 0.3 needs a last one of 0.1. */
static void fixed_steps_end_where_they_should(void **state)
{
    (void)state;
    static const double h[] = {0.1, 0.3, 1.0 / 3, 0.7, 5};
    static const int steps[] = {10, 4, 3, 2, 1};
    for (int k = 0; k < 5; k++) {
        moody u = {.stop_at = INFINITY};
        vinc_problem p = {.n = 1, .residual = moody_residual, .rhs = moody_rhs, .user = &u};
        method_run *r = make(&p, "heun", (method_config){.fixed_step = h[k]});
        double y[1] = {1}, yp[1] = {-1};
        assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
        while (r->t < 1) {
            assert_int_equal(method_step(r, 1), VINC_OK);
            if (r->t < 1) assert_true(r->t == (double)r->stats.steps * h[k]);
        }
        assert_int_equal(r->stats.steps, steps[k]);
        method_free(r);
    }
}

/* A tolerance below rounding is served as well as the arithmetic allows. */
static void impossible_tolerances_do_not_hang(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "radau5", "bdf"};
    for (int k = 0; k < 3; k++) {
        const smooth *s = &smooth_problems[0];
        method_run *r =
            make(&s->p, methods[k], (method_config){.rel_tol = 1e-30, .abs_tol = 1e-30});
        double y[5], yp[5];
        s->exact(0, y, yp);
        int status = method_start(r, 0, y, yp, 0.1);
        long steps = 0;
        while (!status && r->t < 0.1 && steps++ < 20000) status = method_step(r, 0.1);
        if (!status && r->t >= 0.1) {
            s->exact(0.1, y, yp);
            for (int i = 0; i < 4; i++) assert_true(fabs(r->y[i] - y[i]) < 1e-12);
        } else if (status) {
            assert_true(r->message[0]);
        }
        method_free(r);
    }
}

/* ---- singular -------------------------------------------------------------------------------- */

static int undetermined(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t;
    r[0] = yp[0] + y[0] - y[1];
    r[1] = 0; // says nothing about y[1]
    return 0;
}

static const char *name(void *user, int i)
{
    (void)user;
    return i ? "valve.flow" : "tank.level";
}

static void a_singular_matrix_names_the_unknown(void **state)
{
    (void)state;
    static const char *const methods[] = {"bdf", "radau5", "trapezoid"};
    uint8_t differential[2] = {1, 0};
    vinc_problem p = {
        .n = 2, .residual = undetermined, .differential = differential, .unknown_name = name};
    for (int k = 0; k < 3; k++) {
        method_run *r = make(&p, methods[k], (method_config){0});
        double y[2] = {1, 0}, yp[2] = {-1, 0};
        int status = method_start(r, 0, y, yp, 1);
        if (!status) status = method_step(r, 1);
        assert_int_equal(status, VINC_E_SINGULAR);
        assert_non_null(strstr(r->message, "valve.flow"));
        method_free(r);
    }
}

/* ---- restarts -------------------------------------------------------------------------------- */

static void after_a_jump_the_run_goes_on(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if ((*m)->traits & METHOD_SECOND_ORDER) continue;
        moody u = {.stop_at = INFINITY};
        vinc_problem p = {.n = 1, .residual = moody_residual, .rhs = moody_rhs, .user = &u};
        bool fixed = !adaptive(*m);
        method_config config = {.rel_tol = 1e-6, .fixed_step = fixed ? 0.01 : 0};
        method_run *r = make(&p, (*m)->name, config);
        double y[1] = {1}, yp[1] = {-1};
        assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
        while (r->t < 0.5) assert_int_equal(method_step(r, 0.5), VINC_OK);
        long jacobians = r->stats.jacobian_evals;
        y[0] = r->y[0] + 1, yp[0] = -y[0];
        assert_int_equal(method_restart(r, 0.5, y, yp, false, 0), VINC_OK);
        while (r->t < 1)
            if (method_step(r, 1)) fail_msg("%s: %s", (*m)->name, r->message);
        double exact = (exp(-0.5) + 1) * exp(-0.5);
        assert_true(fabs(r->y[0] - exact) < ((*m)->order_max == 1 ? 1e-2 : 1e-4));
        assert_int_equal(r->stats.restarts, 1);
        if (!strcmp((*m)->name,
                    "radau5")) // linear: one Jacobian serves, unless rates say otherwise
            assert_true(r->stats.jacobian_evals - jacobians <= 2);
        method_free(r);
    }
}

/* ---- projection and re-selection ------------------------------------------------------------- */

static int circle_rhs(void *user, double t, double *y, double *yp)
{
    (void)user, (void)t;
    yp[0] = y[1], yp[1] = -y[0];
    return 0;
}

static int circle(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t;
    r[0] = yp[0] - y[1], r[1] = yp[1] + y[0];
    return 0;
}

static int to_circle(void *user, double t, double *y, double *yp)
{
    (void)t;
    ++*(long *)user;
    double r = hypot(y[0], y[1]);
    y[0] /= r, y[1] /= r;
    yp[0] = y[1], yp[1] = -y[0];
    return 0;
}

static void projection_holds_and_keeps_the_accuracy(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if ((*m)->traits & METHOD_SECOND_ORDER) continue;
        long calls = 0;
        vinc_problem p = {
            .n = 2, .residual = circle, .rhs = circle_rhs, .project = to_circle, .user = &calls};
        method_config config = {.rel_tol = 1e-7, .fixed_step = adaptive(*m) ? 0 : 0.01};
        if ((*m)->order_max == 1 && adaptive(*m)) config.rel_tol = 1e-5;
        method_run *r = make(&p, (*m)->name, config);
        double y[2] = {0, 1}, yp[2] = {1, 0};
        assert_int_equal(method_start(r, 0, y, yp, 10), VINC_OK);
        while (r->t < 10) {
            if (method_step(r, 10)) fail_msg("%s: %s", (*m)->name, r->message);
            assert_true(fabs(hypot(r->y[0], r->y[1]) - 1) < 1e-15 * 4);
        }
        assert_int_equal(calls, r->stats.projections);
        assert_true(calls >= r->stats.steps);
        double e = hypot(r->y[0] - sin(10), r->y[1] - cos(10));
        if (!(e < ((*m)->order_max <= 2 ? 0.02 : 1e-4))) fail_msg("%s: %g", (*m)->name, e);
        method_free(r);
    }
}

static int every_fifth(void *user, double t, const double *y, const double *yp)
{
    (void)t, (void)y, (void)yp;
    return ++*(long *)user % 5 == 0;
}

static void re_selection_makes_the_jacobian_new(void **state)
{
    (void)state;
    static const char *const methods[] = {"bdf", "radau5"};
    for (int k = 0; k < 2; k++) {
        long calls = 0;
        vinc_problem p = {.n = 2, .residual = circle, .reselect = every_fifth, .user = &calls};
        method_run *r = make(&p, methods[k], (method_config){.rel_tol = 1e-8});
        double y[2] = {0, 1}, yp[2] = {1, 0};
        assert_int_equal(method_start(r, 0, y, yp, 10), VINC_OK);
        while (r->t < 10) assert_int_equal(method_step(r, 10), VINC_OK);
        assert_int_equal(r->stats.reselections, r->stats.steps / 5);
        assert_true(r->stats.jacobian_evals >= r->stats.reselections);
        assert_true(hypot(r->y[0] - sin(10), r->y[1] - cos(10)) < 1e-5);
        method_free(r);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void steps_allocate_nothing(void **state)
{
    (void)state;
    const smooth *s = &smooth_problems[0];
    for (const vinc_method *const *m = vinc_methods; *m; m++)
        for (int fixed = 0; fixed < 2; fixed++)
            for (int la = 0; la < 2; la++) {
                if (!fixed && !adaptive(*m)) continue;
                fail_mem f;
                fail_mem_init(&f, 0);
                method_config config = {
                    .rel_tol = 1e-5, .fixed_step = fixed ? 0.05 : 0, .la = la ? "lapack" : "small"};
                method_run *r;
                double y[5], yp[5];
                assert_int_equal(method_new(&f.m, &s->p, (*m)->name, &config, NULL, &r), VINC_OK);
                long calls = f.calls;
                s->exact(0, y, yp);
                assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
                while (r->t < 1) {
                    assert_int_equal(method_step(r, 1), VINC_OK);
                    assert_int_equal(method_interpolate(r, 0.5 * (r->t + r->t_old), y, yp),
                                     VINC_OK);
                }
                memcpy(y, r->y, 4 * sizeof *y);
                memcpy(yp, r->yp, 4 * sizeof *yp);
                assert_int_equal(method_restart(r, r->t, y, yp, true, 0), VINC_OK);
                assert_int_equal(method_step(r, 2), VINC_OK);
                assert_int_equal(f.calls, calls);
                method_free(r);
                assert_int_equal(f.live, 0);
            }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const smooth *s = &smooth_problems[0];
    for (const vinc_method *const *m = vinc_methods; *m; m++)
        for (long k = 1;; k++) {
            fail_mem f;
            fail_mem_init(&f, k);
            method_config config = {.fixed_step = 0.05};
            method_run *r;
            int status = method_new(&f.m, &s->p, (*m)->name, &config, NULL, &r);
            if (status) {
                assert_int_equal(status, VINC_E_MEMORY);
                assert_null(r);
            }
            method_free(r);
            assert_int_equal(f.live, 0);
            if (!status) break;
        }
}

/* Near t = 0 numbers lie closer together than a step may be short: matrices contain 1/h, and of an
 * event as near as that a step would make infinities. */
static void least_step_has_an_inverse(void **state)
{
    (void)state;
    assert_true(method_h_min(0, 0) > 0);
    assert_true(isfinite(1 / (0.01 * method_h_min(0, 0))));
    assert_true(method_h_min(0, 0) < 1e-280);
    assert_true(method_h_min(1, 0) > 1e-16 && method_h_min(1, 0) < 1e-14);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* So many accepted steps of order 5, each of this part of the size before. */
static bool suspects_stability(int steps, double part)
{
    control c;
    control_start(&c, CONTROL_MULTISTEP, 1, 5);
    c.ramp = false;
    double h = 1;
    for (int k = 0; k < steps; k++, h *= part) {
        step_result r = {.error = 0.4,
                         .error_here = 0.4,
                         .order = 5,
                         .error_lower = -1,
                         .error_higher = -1,
                         .error_second = -1};
        control_accept(&c, h, &r);
    }
    return control_suspects(&c, 5);
}

/* Where sizes go on falling, the solution becomes faster; where they stay, stability may hold them. */
static void stability_is_suspected_of_sizes_that_settle(void **state)
{
    (void)state;
    assert_true(suspects_stability(20, 1));
    assert_true(suspects_stability(20, 0.99));
    assert_false(suspects_stability(20, 0.9));
    assert_false(suspects_stability(60, 0.9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stability_is_suspected_of_sizes_that_settle),
        cmocka_unit_test(least_step_has_an_inverse),
        cmocka_unit_test(what_cannot_work_is_refused_with_a_reason),
        cmocka_unit_test(errors_of_rates_count_as_what_they_make_in_a_step),
        cmocka_unit_test(sizes_stay_below_those_that_failed),
        cmocka_unit_test(nan_is_never_accepted),
        cmocka_unit_test(evaluation_failures_cost_steps_not_the_run),
        cmocka_unit_test(a_callback_may_stop_the_run),
        cmocka_unit_test(nothing_is_evaluated_beyond_the_limit),
        cmocka_unit_test(h_max_is_kept),
        cmocka_unit_test(fixed_steps_end_where_they_should),
        cmocka_unit_test(impossible_tolerances_do_not_hang),
        cmocka_unit_test(a_singular_matrix_names_the_unknown),
        cmocka_unit_test(after_a_jump_the_run_goes_on),
        cmocka_unit_test(projection_holds_and_keeps_the_accuracy),
        cmocka_unit_test(re_selection_makes_the_jacobian_new),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
