/* The automatic choice in a run: the method is exchanged where stiffness changes, and the solution
 * does not notice. The solution of every model is known.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>

static bool ends_with(vinc_sim *sim, const char *method)
{
    vinc_run *r = NULL;
    bool same = !vinc_run_of(sim, &r) && !strcmp(r->method, method);
    vinc_report_free(r);
    return same;
}

/* x' = k(t) (cos 8t - x) - 8 sin 8t has the solution cos 8t for every k. */
static void check(const char *k, const char *method)
{
    char text[400];
    snprintf(
        text, sizeof text,
        "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation der(x) = "
        "(%s)*(cos(8*time) - x) - 8*sin(8*time); der(y) = 8*cos(8*time); end M;",
        k);
    trial r = trial_of(
        text, (vinc_sim_options){.rel_tol = 1e-8, .has_stop = 1, .t_stop = 50, .intervals = 1});
    vinc_sim_stats s;
    vinc_sim_statistics(r.sim, &s);
    assert_true(ends_with(r.sim, method));
    assert_true(s.steps < 3000); // explicit ones at k = 1e6 would be 5e-6 long
    assert_near(vinc_result_at(r.result, "x", 50), cos(400), 1e-6);
    assert_near(vinc_result_at(r.result, "y", 50), sin(400), 1e-6);
    trial_end(&r);
}

static void without_stiffness(void **state)
{
    (void)state;
    check("1", "dopri8");
}

/* From 1 to 10^6 at t = 25. */
static void becomes_stiff(void **state)
{
    (void)state;
    check("1 + 1e6/(1 + exp(25 - time))", "radau");
}

/* From 10^6 to 1: the run ends explicitly. */
static void no_longer_stiff(void **state)
{
    (void)state;
    check("1 + 1e6/(1 + exp(4*(time - 10)))", "dopri8");
}

static bool is_called_stiff(const char *text, double stop, const char *method)
{
    trial r = trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = stop});
    vinc_run *run = NULL;
    assert_int_equal(vinc_run_of(r.sim, &run), VINC_OK);
    bool stiff = run->method_why && strstr(run->method_why, "became stiff");
    if (method) assert_string_equal(run->method, method);
    vinc_report_free(run);
    trial_end(&r);
    return stiff;
}

/* Nothing decays in a mass on a spring, and its frequency sqrt(k) is what steps have to follow; in x' =
 * k(t) (cos t - x) the rate of decay is k. */
static void stiffness_is_claimed_where_it_is(void **state)
{
    (void)state;
    const double springs[] = {40, 1e3, 1e4, 1e5};
    for (size_t i = 0; i < sizeof springs / sizeof *springs; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model M parameter Real k = %g, g = 9.81; Real r[2](start = {0.6, -0.9}, each "
                 "fixed = true), v[2](each start = 0, each fixed = true), l = sqrt(r*r); equation "
                 "der(r) = v; der(v) = {0, -g} - k*(l - 1)*r/l; end M;",
                 springs[i]);
        assert_false(is_called_stiff(text, 20, springs[i] < 1e4 ? "dopri8" : NULL));
    }
    assert_true(is_called_stiff(
        "model M Real x(start = 1, fixed = true); equation der(x) = (1 + 1e6/(1 + exp(25 - "
        "time)))*(cos(8*time) - x); end M;",
        50, "radau"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_stiffness),
        cmocka_unit_test(becomes_stiff),
        cmocka_unit_test(no_longer_stiff),
        cmocka_unit_test(stiffness_is_claimed_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
