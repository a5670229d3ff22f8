/* Crossings inside one step: y' = 1, so that y is the time and every interpolant is exact; the step
 * is as long as the interval, and the indicators have zeros that can be written down.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/events.h"
#include "base/mem.h"
#include "cmocka_all.h"

#include <stdlib.h>

typedef struct shape {
    int kind;
    double a, b; // of its zeros
} shape;

enum { BUMP, PARABOLA, WAVE };

static int clock_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t, (void)y;
    r[0] = yp[0] - 1;
    return 0;
}
static int clock_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                          double *dyp)
{
    (void)user, (void)t, (void)y, (void)yp;
    dy[0] = 0, dyp[0] = 1;
    return 0;
}
static int clock_rhs(void *user, double t, double *y, double *yp)
{
    (void)user, (void)t, (void)y;
    yp[0] = 1;
    return 0;
}

static int indicator(void *user, double t, const double *y, const double *yp, double *g)
{
    const shape *s = user;
    (void)t, (void)yp;
    double middle = 0.5 * (s->a + s->b), u = 2 * (y[0] - middle) / (s->b - s->a);
    switch (s->kind) {
    case BUMP: g[0] = exp(-log(2) * u * u) - 0.5; break; // flat beside its zeros
    case PARABOLA: g[0] = u * u - 1; break;
    default: g[0] = sin(3.14159265358979323846 * (y[0] - s->a) / (s->b - s->a)); break;
    }
    return 0;
}

/* Zeros found in the step from 0 to 1. */
static int zeros(const char *method, shape *s, double *found, int most)
{
    vinc_problem p = {.n = 1,
                      .n_roots = 1,
                      .residual = clock_residual,
                      .jacobian = clock_jacobian,
                      .rhs = clock_rhs,
                      .roots = indicator,
                      .user = s};
    mem m = mem_std();
    method_config c = {.rel_tol = 1e-3, .h_first = 1};
    method_run *run;
    char why[METHOD_WHY];
    assert_int_equal(method_new(&m, &p, method, &c, why, &run), 0);
    double y = 0, yp = 1, from = 0, when;
    assert_int_equal(method_start(run, 0, &y, &yp, 1), 0);
    assert_int_equal(method_step(run, 1), 0);
    assert_near(run->t, 1, 0); // one step

    sim_roots r;
    void *block = calloc(1, sim_roots_layout(&r, &p, NULL));
    sim_roots_layout(&r, &p, block);
    int n = 0, rc = sim_roots_begin(&r, &p, 0, &y, &yp);
    while (!rc && n < most && sim_roots_search(&r, run, from, &when) == 1) {
        assert_true(when > from && when <= 1);
        // Where the first value behind is zero itself, leaving it is looked at too.
        if (!n || when - found[n - 1] > 1e-12) found[n++] = when;
        from = when;
        double at, slope;
        rc = method_interpolate(run, when, &at, &slope) ||
             sim_roots_begin(&r, &p, when, &at, &slope);
    }
    free(block);
    method_free(run);
    return rc ? -1 : n;
}

static void each_method(int kind, double width, double from, double step)
{
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if (!((*m)->traits & METHOD_ADAPTIVE) || ((*m)->traits & METHOD_SECOND_ORDER)) continue;
        for (double a = from; a + width < 0.99; a += step) {
            shape s = {kind, a, a + width};
            double found[64];
            int n = zeros((*m)->name, &s, found, 64);
            if (n != 2) print_error("%s, kind %d, a = %g: %d zeros\n", (*m)->name, kind, a, n);
            assert_int_equal(n, 2);
            assert_near(found[0], s.a, 1e-12);
            assert_near(found[1], s.b, 1e-12);
        }
    }
}

static void a_sixteenth_apart(void **state)
{
    (void)state;
    each_method(BUMP, 1.001 / 16, 0.003, 0.0071);
    each_method(PARABOLA, 1.001 / 16, 0.003, 0.0071);
}

// Nearer than a sixteenth: the slope tells.
static void two_in_one_piece(void **state)
{
    (void)state;
    each_method(PARABOLA, 1.0 / 100, 0.003, 0.0071);
    each_method(PARABOLA, 1.0 / 3000, 0.003, 0.0071);
}

static void many(void **state)
{
    (void)state;
    const double width = 1.001 / 16, first = 0.02;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        if (!((*m)->traits & METHOD_ADAPTIVE) || ((*m)->traits & METHOD_SECOND_ORDER)) continue;
        shape s = {WAVE, first, first + width};
        double found[64];
        int n = zeros((*m)->name, &s, found, 64);
        assert_int_equal(n, 16);
        for (int k = 0; k < n; k++) assert_near(found[k], first + k * width, 1e-12);
    }
}

static int calls;

static int far_from_zero(void *user, double t, const double *y, const double *yp, double *g)
{
    (void)user, (void)t, (void)y, (void)yp;
    g[0] = 1;
    calls++;
    return 0;
}

/* Sixteen pieces of a step; two of one that is made again for a twentieth of it, sixteen of the next. */
static void pieces_of_a_step_made_again(void **state)
{
    (void)state;
    vinc_problem p = {.n = 1,
                      .n_roots = 1,
                      .residual = clock_residual,
                      .jacobian = clock_jacobian,
                      .rhs = clock_rhs,
                      .roots = far_from_zero};
    mem m = mem_std();
    method_config c = {.rel_tol = 1e-3, .h_first = 1};
    method_run *run;
    char why[METHOD_WHY];
    assert_int_equal(method_new(&m, &p, "dopri5", &c, why, &run), 0);
    sim_roots r;
    void *block = calloc(1, sim_roots_layout(&r, &p, NULL));
    sim_roots_layout(&r, &p, block);
    const struct {
        double from, to;
        bool again;
        int calls;
    } steps[] = {{0, 1, false, 16}, {0, 0.05, true, 2}, {0.05, 1, false, 16}};
    for (int k = 0; k < 3; k++) {
        double y = steps[k].from, yp = 1, when;
        assert_int_equal(method_start(run, steps[k].from, &y, &yp, 1), 0);
        assert_int_equal(method_step(run, steps[k].to), 0);
        assert_near(run->t, steps[k].to, 0);
        if (k == 0) assert_int_equal(sim_roots_begin(&r, &p, 0, &y, &yp), 0);
        if (steps[k].again) sim_roots_again(&r);
        calls = 0;
        assert_int_equal(sim_roots_search(&r, run, steps[k].from, &when), 0);
        assert_int_equal(calls, steps[k].calls);
    }
    free(block);
    method_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sixteenth_apart),
                                       cmocka_unit_test(two_in_one_piece), cmocka_unit_test(many),
                                       cmocka_unit_test(pieces_of_a_step_made_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
