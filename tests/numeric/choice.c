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
        50, "radau")); // its step costs little with one unknown, and half as many will do
}

/* Robertson's reaction is not stiff at its start, where one rate is 0.04, and has a mode of rate 2000 soon
 * after: explicit steps see it in a few steps by themselves (80 of them were made before anybody looked).
 * The end is that of Hairer & Wanner II, section IV.10, at t = 40: y1 = 0.7158. */
static void stiffness_is_seen_at_once(void **state)
{
    (void)state;
    trial r =
        trial_of("model M Real y[3](start = {1, 0, 0}, each fixed = true); equation der(y[1]) = "
                 "-0.04*y[1] + 1e4*y[2]*y[3]; der(y[2]) = 0.04*y[1] - 1e4*y[2]*y[3] - "
                 "3e7*y[2]^2; der(y[3]) = 3e7*y[2]^2; end M;",
                 (vinc_sim_options){.rel_tol = 1e-6, .has_stop = 1, .t_stop = 40});
    vinc_run *run = NULL;
    assert_int_equal(vinc_run_of(r.sim, &run), VINC_OK);
    assert_true(run->n_methods > 1 && !run->n_methods_more);
    assert_string_equal(run->methods[0].method, "dopri8");
    assert_true(run->methods[0].t == 0 && run->methods[0].steps < 40);
    assert_string_equal(run->methods[run->n_methods - 1].method, run->method);
    long steps = 0;
    for (int i = 0; i < run->n_methods; i++) steps += run->methods[i].steps;
    assert_int_equal(steps, run->steps);
    vinc_report_free(run);
    assert_near(vinc_result_at(r.result, "y[1]", 40), 0.7158270688, 1e-5);
    trial_end(&r);
}

/* y' has to be solved for: an evaluation costs so much that twelve of them are more than an implicit step. */
static void work_of_rates_counts(void **state)
{
    (void)state;
    trial r =
        trial_of("model M Real x(start = 1, fixed = true); equation der(x) + 0.5*sin(der(x)) = "
                 "-x; end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_false(ends_with(r.sim, "dopri8"));
    trial_end(&r);
    r = trial_of("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(ends_with(r.sim, "dopri8"));
    trial_end(&r);
}

/* Fields that react and spread, 24 by 24, with explicit steps at the limit of stability: seventy steps of bdf, until its
 * order has risen, would take more than explicit ones to the end. A trial may fall behind by half of those. */
static void a_trial_is_worth_the_rest_of_the_run(void **state)
{
    (void)state;
    const char *text =
        "model M parameter Integer N = 24; Real u[N,N](each start = 1, each fixed = true), "
        "v[N,N](start = {{if abs(i - N/2) < 4 and abs(j - N/2) < 4 then 0.5 else 0 for j in 1:N} "
        "for i in 1:N}, each fixed = true); equation for i in 1:N loop for j in 1:N loop "
        "der(u[i,j]) = 0.08*(u[mod(i, N) + 1,j] + u[mod(i - 2, N) + 1,j] + u[i,mod(j, N) + 1] + "
        "u[i,mod(j - 2, N) + 1] - 4*u[i,j]) - u[i,j]*v[i,j]^2 + 0.035*(1 - u[i,j]); "
        "der(v[i,j]) = 0.04*(v[mod(i, N) + 1,j] + v[mod(i - 2, N) + 1,j] + v[i,mod(j, N) + 1] + "
        "v[i,mod(j - 2, N) + 1] - 4*v[i,j]) + u[i,j]*v[i,j]^2 - 0.095*v[i,j]; "
        "end for; end for; end M;";
    vinc_sim_options o = {.rel_tol = 1e-8, .has_stop = 1, .t_stop = 300, .intervals = 20};
    vinc_sim_stats chosen, explicit;
    trial r = trial_of(text, o);
    vinc_sim_statistics(r.sim, &chosen);
    trial_end(&r);
    o.method = "dopri8";
    r = trial_of(text, o);
    vinc_sim_statistics(r.sim, &explicit);
    trial_end(&r);
    if (!(chosen.work < 1.5 * explicit.work))
        fail_msg("%g of the work of dopri8", chosen.work / explicit.work);
}

static double work_at(double tol)
{
    trial r =
        trial_of("model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation "
                 "der(x) = v; der(v) = 5*(1 - x^2)*v - x; end M;",
                 (vinc_sim_options){.rel_tol = tol, .has_stop = 1, .t_stop = 20});
    vinc_sim_stats s;
    vinc_sim_statistics(r.sim, &s);
    trial_end(&r);
    return s.work;
}

/* No clock: the same to the last digit. */
static void work_is_counted(void **state)
{
    (void)state;
    double loose = work_at(1e-4), tight = work_at(1e-9);
    assert_true(loose > 0 && tight > loose);
    assert_true(loose == work_at(1e-4) && tight == work_at(1e-9));
}

/* A rectifier has an event every few steps. Between them it is smooth, and at a tight tolerance orders begin
 * high: order 5 takes more than twice the steps. */
static void orders_begin_high_after_events(void **state)
{
    (void)state;
    const char *text = "model M Real v(start = 0, fixed = true), s(start = 0), i, u; equation u = "
                       "10*sin(314*time); u - v "
                       "= if s > 0 then 0.1*s else s; i = if s > 0 then s else 1e-5*s; 1e-3*der(v) "
                       "= i - v/50; end M;";
    trial r = trial_of(
        text, (vinc_sim_options){.rel_tol = 1e-9, .has_stop = 1, .t_stop = 0.2, .intervals = 10});
    vinc_sim_stats s, five;
    vinc_sim_statistics(r.sim, &s);
    assert_true(s.events > 15);
    assert_true(ends_with(r.sim, "radau"));
    trial_end(&r);
    r = trial_of(
        text,
        (vinc_sim_options){
            .method = "radau5", .rel_tol = 1e-9, .has_stop = 1, .t_stop = 0.2, .intervals = 10});
    vinc_sim_statistics(r.sim, &five);
    assert_true(s.work < five.work);
    trial_end(&r);
}

/* The servo drive of examples/systems has no singular position; its singular values are small as they
 * stand, as those of long chains are. Order 5 took 1413 steps there. */
static void small_singular_values_are_no_singular_position(void **state)
{
    (void)state;
    vinc_sim_options o = {.rel_tol = 1e-9, .abs_tol = 1e-9, .intervals = 10};
    trial r = trial_start("systems/servo", NULL, &o);
    vinc_run *run = NULL;
    assert_int_equal(r.rc, VINC_OK);
    assert_int_equal(vinc_run_of(r.sim, &run), VINC_OK);
    assert_string_equal(run->method, "radau");
    vinc_report_free(run);
    trial_end(&r);
}

/* A formulation that was chosen says why; one that was asked for does not, nor a model without constraints. */
static void says_why(const char *text, const char *asked, const char *formulation, const char *why)
{
    trial r =
        trial_of(text, (vinc_sim_options){.formulation = asked, .has_stop = 1, .t_stop = 0.1});
    vinc_run *run = NULL;
    assert_int_equal(vinc_run_of(r.sim, &run), VINC_OK);
    assert_string_equal(run->formulation, formulation);
    assert_int_equal(run->formulation_why != NULL, why != NULL);
    if (why) assert_non_null(strstr(run->formulation_why, why));
    vinc_report_free(run);
    trial_end(&r);
}

#define PENDULUM(more)                                                                             \
    "model M Real x(start = 1, fixed = true), y(start = 0), u(start = 0, fixed = true), v, f" more \
    "der(x) = u; der(y) = v; x^2 + y^2 = 1;"

static void formulations_say_why(void **state)
{
    (void)state;
    static const char one[] = PENDULUM("; equation ") "der(u) = -f*x; der(v) = -f*y - 9.81; end M;",
                      twice[] = PENDULUM(", g; equation ") "der(u) = -(f + g)*x; der(v) = -(f + "
                                                           "g)*y - 9.81; 2*x^2 + 2*y^2 = 2; end M;";
    says_why(one, NULL, "dummy", "reactions are held to the tolerance");
    says_why(one, "dummy", "dummy", NULL);
    says_why(one, "direct", "direct", NULL);
    says_why(twice, NULL, "project", "depend on each other");
    says_why("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;", NULL, "none",
             NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_singular_values_are_no_singular_position),
        cmocka_unit_test(without_stiffness),
        cmocka_unit_test(becomes_stiff),
        cmocka_unit_test(no_longer_stiff),
        cmocka_unit_test(stiffness_is_claimed_where_it_is),
        cmocka_unit_test(stiffness_is_seen_at_once),
        cmocka_unit_test(work_of_rates_counts),
        cmocka_unit_test(a_trial_is_worth_the_rest_of_the_run),
        cmocka_unit_test(work_is_counted),
        cmocka_unit_test(orders_begin_high_after_events),
        cmocka_unit_test(formulations_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
