/* Runs whose steps succeed and lead nowhere stop with their reason (src/sim/progress.c); those that merely need many steps
 * go on.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

/* It stops, says `how`, and names x as the unknown that limits the steps. */
static void assert_stops(const char *model, vinc_sim_options o, const char *how, const char *x)
{
    char limit[40];
    o.has_stop = 1, o.t_stop = 1;
    trial r = trial_start(NULL, model, &o);
    const char *words = vinc_ctx_messages(r.ctx);
    assert_int_equal(r.rc, VINC_E_PROGRESS);
    snprintf(limit, sizeof limit, "that limits it is %s", x);
    if (!strstr(words, how) || !strstr(words, limit) || !strstr(words, "R115"))
        fail_msg("'%s' and '%s' are not in %s", how, limit, words);
    assert_true(vinc_result_n_rows(r.result) > 0);
    trial_end(&r);
}

/* An explicit method on x' = -1e10 (x - cos t) makes steps of 3.3e-10, in which x hardly moves: 3e9 of them. */
static void a_stiff_equation_by_an_explicit_method(void **state)
{
    static const char model[] =
        "model M Real x(start = 1, fixed = true); equation der(x) = -1e10*(x - cos(time)); end M;";
    (void)state;
    assert_stops(model, (vinc_sim_options){.method = "dopri5"}, "less than the tolerance", "x");
    trial r =
        trial_start(NULL, model, &(vinc_sim_options){.method = "dopri5", .max_steps = 120000});
    assert_int_equal(r.rc, VINC_E_LIMIT); // the limit of the caller counts in place of it
    trial_end(&r);
}

/* y is noise: any two times that differ have another one. */
static void noise_in_an_equation(void **state)
{
    (void)state;
    assert_stops("model M Real x(start = 0, fixed = true), y(start = 0);\n"
                 "equation der(x) = 1; y^3 + y = 1e3*sin(1e14*x); end M;",
                 (vinc_sim_options){.method = "bdf"}, "less than the tolerance", "y");
}

/* y jumps 3e8 times, without an event. */
static void rescues_without_end(void **state)
{
    (void)state;
    assert_stops("model M Real x(start = 0, fixed = true), y(start = 1); equation der(x) = 1;\n"
                 "y^3 + y = 1e3*noEvent(if sin(1e9*x) > 0 then 1 else -1); end M;",
                 (vinc_sim_options){.method = "rodas5p"}, "rescues alone lead on", "y");
}

/* 1.6e14 periods: which of x and v limits a step depends on the phase. */
static void an_oscillation_without_end(void **state)
{
    (void)state;
    assert_stops("model M Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                 "equation der(x) = 1e15*v; der(v) = -1e15*x; end M;",
                 (vinc_sim_options){.method = "dopri5", .rel_tol = 1e-3}, "too short", "");
}

/* 1.5e5 steps of one size, in which x moves by less than the tolerance: it has an end. */
static void many_steps_are_made(void **state)
{
    (void)state;
    trial r = trial_of("model M Real x(start = 1, fixed = true);\n"
                       "equation der(x) = -5e5*(x - cos(time)); end M;",
                       (vinc_sim_options){.method = "dopri5", .has_stop = 1, .t_stop = 1});
    assert_near(vinc_result_at(r.result, "x", 1), cos(1), 1e-5);
    vinc_sim_stats stats;
    assert_int_equal(vinc_sim_statistics(r.sim, &stats), VINC_OK);
    assert_true(stats.steps > 100000);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_equation_by_an_explicit_method),
        cmocka_unit_test(noise_in_an_equation),
        cmocka_unit_test(rescues_without_end),
        cmocka_unit_test(an_oscillation_without_end),
        cmocka_unit_test(many_steps_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
