/* spatialDistribution() against closed forms: what leaves is what entered, when x says so.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>

static const double *values_of(const trial *r, const char *name)
{
    vinc_column c;
    assert_int_equal(vinc_result_column(r->result, vinc_result_find(r->result, name), &c), VINC_OK);
    return c.values;
}

static trial carried(const char *text, double stop, const char *method)
{
    return trial_of(
        text,
        (vinc_sim_options){
            .method = method, .has_stop = 1, .t_stop = stop, .rel_tol = 1e-9, .intervals = 401});
}

static const char *const methods[] = {"dopri8", "radau5", "bdf"};

/* in0 jumps at t = 1, the initial profile at y = 0.5; at a speed of 0.5 they arrive at t = 3 and 1, and what
 * was at y = 0 at the start at t = 2. Each is an event, with rows on both sides. */
static void a_step_arrives_when_it_must(void **state)
{
    (void)state;
    const char *text = "model M Real x(start = 0, fixed = true), a, b; equation der(x) = 0.5;"
                       "  (a, b) = spatialDistribution(if time > 1 then 2 else 1, 0, x, true,"
                       "    {0, 0.5, 0.5, 1}, {3, 3, 4, 4}); end M;";
    for (int i = 0; i < 3; i++) {
        trial r = carried(text, 5, methods[i]);
        const double *t = values_of(&r, "time"), *b = values_of(&r, "b");
        for (size_t k = 0; k < vinc_result_n_rows(r.result); k++) {
            double near = fmin(fabs(t[k] - 1), fmin(fabs(t[k] - 2), fabs(t[k] - 3)));
            double want = t[k] < 1 ? 4 : t[k] < 2 ? 3 : t[k] < 3 ? 1 : 2;
            if (near > 1e-9 && b[k] != want)
                fail_msg("%s: %.17g at t = %.12g, not %g", methods[i], b[k], t[k], want);
        }
        trial_end(&r);
    }
}

/* x = 0.6 t + 0.3 (1 - cos t): what leaves at t entered at s with x(s) = x(t) - 1. */
static double x_at(double t)
{
    return 0.6 * t + 0.3 * (1 - cos(t));
}

static double entered(double t)
{
    double a = 0, b = t;
    for (int k = 0; k < 200; k++) {
        double m = 0.5 * (a + b);
        if (x_at(m) > x_at(t) - 1) b = m;
        else a = m;
    }
    return a;
}

static void a_wave_keeps_its_form(void **state)
{
    (void)state;
    const char *text = "model M Real x(start = 0, fixed = true), a, b, v = 0.6 + 0.3*sin(time);"
                       "equation der(x) = v;"
                       "  (a, b) = spatialDistribution(sin(5*time), 7, x, v >= 0); end M;";
    for (int i = 0; i < 3; i++) {
        trial r = carried(text, 9, methods[i]);
        const double *t = values_of(&r, "time"), *a = values_of(&r, "a"), *b = values_of(&r, "b");
        for (size_t k = 0; k < vinc_result_n_rows(r.result); k++) {
            double want = x_at(t[k]) > 1 ? sin(5 * entered(t[k])) : 0;
            assert_true(a[k] == elementary_sin(5 * t[k]));
            // x is known to some tens of tolerances, and what is carried changes by 17 with each unit of it.
            if (!(fabs(b[k] - want) < 1e-6))
                fail_msg("%s: %.12g at t = %.12g, not %.12g", methods[i], b[k], t[k], want);
        }
        trial_end(&r);
    }
}

/* x = 0.75 sin t: to and fro. Of the first profile a quarter stays inside. Going back, what entered at 0 at s
 * leaves there at pi - s, then that quarter, then what entered at 1 at s, where x(s) = x(t) + 1. */
static void what_entered_last_leaves_first(void **state)
{
    (void)state;
    const double PI = acos(-1);
    const char *text = "model M Real x(start = 0, fixed = true), a, b, v = 0.75*cos(time);"
                       "equation der(x) = v;"
                       "  (a, b) = spatialDistribution(1 + time, -1 - time, x, v >= 0,"
                       "    {0, 1}, {0, 1}); end M;";
    for (int i = 0; i < 3; i++) {
        trial r = carried(text, 1.5 * PI, methods[i]);
        const double *t = values_of(&r, "time"), *a = values_of(&r, "a"), *b = values_of(&r, "b");
        for (size_t k = 0; k < vinc_result_n_rows(r.result); k++) {
            double x = 0.75 * sin(t[k]), out0, out1;
            double off =
                x < -0.25 ? 1e-4 : 2e-6; // just behind it s changes as the square root of x
            if (fabs(t[k] - PI / 2) < 1e-6 || fabs(t[k] - PI) < 1e-6 || fabs(x + 0.25) < 1e-6 ||
                t[k] > 1.5 * PI - 1e-6)
                continue;
            if (t[k] < PI / 2) out0 = 1 + t[k], out1 = 1 - x;
            else if (t[k] < PI) out0 = 1 + PI - t[k], out1 = -1 - t[k];
            else out0 = x > -0.25 ? -x : -1 - PI + asin((1 + x) / 0.75), out1 = -1 - t[k];
            if (!(fabs(a[k] - out0) < off && fabs(b[k] - out1) < 2e-6))
                fail_msg("%s: %.12g and %.12g at t = %.12g, not %.12g and %.12g", methods[i], a[k],
                         b[k], t[k], out0, out1);
        }
        trial_end(&r);
    }
}

/* What has entered less what has left is what is inside: of a profile that is 1 + y at the start, and of
 * in0 = 2 - cos t after two passages, the integral of in0 by x over the last length. */
static void nothing_is_lost(void **state)
{
    (void)state;
    const char *text = "model M Real x(start = 0, fixed = true), a, b, e(start = 0, fixed = true);"
                       "equation der(x) = 1; (a, b) = spatialDistribution(2 - cos(time), 0, x, "
                       "true, {0, 1}, {1, 2});"
                       "  der(e) = a - b; end M;";
    for (int i = 0; i < 3; i++) {
        trial r = carried(text, 3, methods[i]);
        const double *t = values_of(&r, "time"), *e = values_of(&r, "e");
        size_t last = vinc_result_n_rows(r.result) - 1;
        double inside = 2 - (sin(t[last]) - sin(t[last] - 1));
        if (!(fabs(e[last] - (inside - 1.5)) < 1e-7))
            fail_msg("%s: %.12g has been gained, not %.12g", methods[i], e[last], inside - 1.5);
        trial_end(&r);
    }
}

/* Several quantities at once are the same as one by one; the points may be those of each. */
static void vectors_are_carried_together(void **state)
{
    (void)state;
    const char *text =
        "model M Real x(start = 0, fixed = true), a[2], b[2], c, d; equation der(x) = 1;"
        "  (a, b) = spatialDistribution(in0 = {time, 2*time}, in1 = {0, 0}, x = x,"
        "    positiveVelocity = true, initialPoints = {0, 1}, initialValues = [1, 2; 3, 5]);"
        "  (c, d) = spatialDistribution(2*time, 0, x, true, {0, 1}, {3, 5}); end M;";
    trial r = carried(text, 2.5, "dopri8");
    const double *t = values_of(&r, "time"), *b = values_of(&r, "b[1]");
    const double *two = values_of(&r, "b[2]"), *d = values_of(&r, "d");
    for (size_t k = 0; k < vinc_result_n_rows(r.result); k++) {
        assert_true(two[k] == d[k]);
        if (fabs(t[k] - 1) > 1e-9)
            assert_true(fabs(b[k] - (t[k] < 1 ? 2 - t[k] : t[k] - 1)) < 1e-8);
    }
    trial_end(&r);
}

/* A saved state has what is on its way: the same future, in the run itself, in another one, and as bytes. */
static void a_profile_is_part_of_the_state(void **state)
{
    (void)state;
    const char *text =
        "model M Real x(start = 0, fixed = true), a, b, e(start = 0, fixed = true);"
        "equation der(x) = 1 + 0.5*cos(time); der(e) = b;"
        "  (a, b) = spatialDistribution(if time > 0.4 then sin(4*time) else 3, 0, x, true,"
        "    {0, 1}, {1, 2}); end M;";
    vinc_sim_options o = {.method = "radau5", .has_stop = 1, .t_stop = 2, .rel_tol = 1e-8};
    trial r = trial_ready(NULL, text, &o);
    vinc_sim *other = NULL;
    vinc_state *at = NULL, *read = NULL;
    double ends[3];
    assert_int_equal(r.rc, VINC_OK);
    int e = vinc_sim_find(r.sim, "e");
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_true(vinc_sim_advance(r.sim, 1.5) >= 0);
    assert_int_equal(vinc_sim_save(r.sim, &at), VINC_OK);
    size_t size = vinc_state_size(at);
    void *bytes = malloc(size);
    assert_int_equal(vinc_state_write(at, bytes, size), VINC_OK);
    for (int k = 0; k < 2; k++) {
        assert_true(vinc_sim_advance(r.sim, 2) >= 0);
        assert_int_equal(vinc_sim_values(r.sim, &e, 1, &ends[k]), VINC_OK);
        assert_true(vinc_sim_restore(r.sim, at) >= 0);
    }
    assert_int_equal(vinc_sim_new(r.model, &o, &other), VINC_OK);
    assert_int_equal(vinc_sim_start(other), VINC_OK);
    assert_int_equal(vinc_state_read(other, bytes, size, &read), VINC_OK);
    assert_true(vinc_sim_restore(other, read) >= 0);
    assert_true(vinc_sim_advance(other, 2) >= 0);
    assert_int_equal(vinc_sim_values(other, &e, 1, &ends[2]), VINC_OK);
    assert_true(fabs(ends[1] - ends[0]) < 1e-6); // it began anew in between
    assert_true(ends[2] == ends[1]);
    vinc_state *none = NULL;
    assert_int_not_equal(vinc_state_read(other, bytes, size - 8, &none), VINC_OK);
    free(bytes);
    vinc_state_free(read);
    vinc_state_free(at);
    vinc_sim_free(other);
    trial_end(&r);
}

/* A flow that rests keeps everything, and so does one that is so fast that a step would carry all through. */
static void rest_and_haste(void **state)
{
    (void)state;
    trial r =
        carried("model M Real x(start = 0.2, fixed = true), a, b; equation der(x) = 0;"
                "  (a, b) = spatialDistribution(sin(time), 5, x, false, {0, 1}, {7, 8}); end M;",
                3, "dopri8");
    const double *a = values_of(&r, "a"), *b = values_of(&r, "b");
    for (size_t k = 0; k < vinc_result_n_rows(r.result); k++) assert_true(a[k] == 7 && b[k] == 5);
    trial_end(&r);
    r = carried("model M Real x(start = 0, fixed = true), a, b; equation der(x) = 200;"
                "  (a, b) = spatialDistribution(sin(time), 5, x, true); end M;",
                1, "radau5");
    const double *t = values_of(&r, "time"), *late = values_of(&r, "b");
    for (size_t k = 0; k < vinc_result_n_rows(r.result); k++)
        if (t[k] > 0.006) assert_true(fabs(late[k] - sin(t[k] - 0.005)) < 1e-6);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_arrives_when_it_must),
        cmocka_unit_test(a_wave_keeps_its_form),
        cmocka_unit_test(what_entered_last_leaves_first),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(vectors_are_carried_together),
        cmocka_unit_test(a_profile_is_part_of_the_state),
        cmocka_unit_test(rest_and_haste),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
