/* Dense output: the interpolant of every method has the order of the method, or its own.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "smooth.h"

#include <float.h>

/* Largest error of y and of y' at ten points inside every step over [0, 1]; of unknowns that are
 * integrated, as the driver moves the others onto their equations. */
static void inner_errors(const char *spec, const smooth *s, int steps, double *e, double *ep)
{
    mem m = mem_std();
    method_config config = {.fixed_step = 1.0 / steps};
    method_run *r;
    double y[5], yp[5], x[5], xp[5];
    char why[METHOD_WHY];
    if (method_new(&m, &s->p, spec, &config, why, &r)) fail_msg("%s", why);
    s->exact(0, y, yp);
    assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
    *e = *ep = 0;
    while (r->t < 1) {
        assert_int_equal(method_step(r, 1), VINC_OK);
        // Radau's polynomials are bent by the slope in which the step before ended; the same part of the
        // way is looked at for every number of steps.
        if (r->t_old < 0.24 && !strncmp(spec, "radau", 5)) continue;
        for (int k = 1; k <= 10; k++) {
            double t = r->t_old + k / 10.0 * (r->t - r->t_old);
            assert_int_equal(method_interpolate(r, t, x, xp), VINC_OK);
            s->exact(t, y, yp);
            for (int i = 0; i < s->p.n; i++) {
                if (s->p.differential && !s->p.differential[i]) continue;
                *e = fmax(*e, fabs(x[i] - y[i]));
                *ep = fmax(*ep, fabs(xp[i] - yp[i]));
            }
        }
    }
    method_free(r);
}

/* Order of uniform convergence. Hermite interpolation is of order 4 where y' is; dopri5 and dopri8
 * bring interpolants of order 4 and 7, one more in a single step; the collocation polynomial of s
 * stages has order s, one more in a single step, and one more again by y' at its start. */
static double dense_order(const vinc_method *m)
{
    if (!strcmp(m->name, "dopri5")) return 5;
    if (!strcmp(m->name, "dopri8")) return 8;
    if (!strncmp(m->name, "radau", 5)) return fmin(m->order_max, (m->order_max + 1) / 2 + 2);
    return m->order_max < 4 ? m->order_max : 4;
}

/* Steps short enough for the order to show and long enough for it to be seen above rounding. */
static int first_steps(const vinc_method *m)
{
    return m->order_max > 9 ? 4 : m->order_max > 5 ? 10 : 100;
}

static void interpolants_keep_the_order(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        const smooth *s = &smooth_problems[p];
        for (const vinc_method *const *m = vinc_methods; *m; m++) {
            if (((*m)->traits & METHOD_SECOND_ORDER) && !s->p.velocity) continue;
            if ((*m)->order_min < (*m)->order_max) continue; // bdf: as bdf1 ... bdf5
            double e1, e2, d1, d2;
            inner_errors((*m)->name, s, first_steps(*m), &e1, &d1);
            inner_errors((*m)->name, s, 2 * first_steps(*m), &e2, &d2);
            double order = log2(e1 / e2), slope = log2(d1 / d2), want = dense_order(*m);
            double less = want > 8 ? 0.5 : 0.3; // steps are long where they are seen above rounding
            if (e2 > 1000 * DBL_EPSILON && !(order >= want - less))
                fail_msg("%s on %s: order %.2f inside steps", (*m)->name, s->name, order);
            if (d2 > 1e-9 && !(slope >= fmax(want - 1, 1) - 0.3))
                fail_msg("%s on %s: order %.2f of y'", (*m)->name, s->name, slope);
        }
    }
}

/* Both ends of a step are met exactly, and times between are not extrapolated. */
static void ends_are_met(void **state)
{
    (void)state;
    for (const vinc_method *const *m = vinc_methods; *m; m++) {
        const smooth *s = &smooth_problems[0];
        mem mm = mem_std();
        method_config config = {.fixed_step = 0.1};
        method_run *r;
        double y[5], yp[5], x[5], before[5];
        assert_int_equal(method_new(&mm, &s->p, (*m)->name, &config, NULL, &r), VINC_OK);
        s->exact(0, y, yp);
        assert_int_equal(method_start(r, 0, y, yp, 1), VINC_OK);
        for (int k = 0; k < 8; k++) {
            memcpy(before, r->y, 4 * sizeof *before);
            assert_int_equal(method_step(r, 1), VINC_OK);
            assert_int_equal(method_interpolate(r, r->t, x, NULL), VINC_OK);
            for (int i = 0; i < 4; i++) assert_true(x[i] == r->y[i]);
            assert_int_equal(method_interpolate(r, r->t_old, x, NULL), VINC_OK);
            for (int i = 0; i < 4; i++)
                if (!(fabs(x[i] - before[i]) < 1e-13))
                    fail_msg("%s: %g at the start of step %d", (*m)->name, x[i] - before[i], k);
        }
        method_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolants_keep_the_order),
        cmocka_unit_test(ends_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
