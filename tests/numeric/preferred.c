/* State selection by stateSelect: what is a state in the end, and that the answer does not depend on it.
 * Every model has a closed solution, which its comment gives.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>

static bool is_state(vinc_model *model, const char *name)
{
    vinc_check *c = NULL;
    bool found = false;
    assert_int_equal(vinc_check_of(model, &c), VINC_OK);
    for (int k = 0; k < c->n_states; k++) found = found || !strcmp(c->states[k], name);
    vinc_report_free(c);
    return found;
}

static void expect_states(vinc_model *model, const char *const *yes, const char *const *no)
{
    for (; *yes; yes++)
        if (!is_state(model, *yes)) fail_msg("%s is no state", *yes);
    for (; *no; no++)
        if (is_state(model, *no)) fail_msg("%s is a state", *no);
}

static trial run_to(const char *text, double stop)
{
    return trial_of(text, (vinc_sim_options){.rel_tol = 1e-9, .has_stop = 1, .t_stop = stop});
}

/* An ideal gas with R = 2, cv = 5 in a volume of 3, into which 0.1 flow at a temperature of 400: from p = T =
 * 1000, m = p V/(R T) + 0.1 t = 1.5 + 0.1 t, U = 5*1000*1.5 + 0.1*7*400 t, p = R U/(5*3), T = U/(5 m). */
#define GAS                                                                                        \
    "Real m, U, d, u, h, p(start = 1000, stateSelect = StateSelect.prefer),\n"                     \
    "T(start = 1000, stateSelect = StateSelect.prefer);\n"                                         \
    "equation der(m) = 0.1; der(U) = 0.1*7*400; m = 3*d; U = m*u; d = p/(2*T); u = h - p/d;\n"     \
    "h = 7*T; "

static void expect_gas(trial *r, double t)
{
    double m = 1.5 + 0.1 * t, u = 7500 + 280 * t;
    assert_near(vinc_result_at(r->result, "m", t), m, 1e-7);
    assert_near(vinc_result_at(r->result, "U", t), u, 1e-4);
    assert_near(vinc_result_at(r->result, "p", t), 2 * u / 15, 1e-4);
    assert_near(vinc_result_at(r->result, "T", t), u / (5 * m), 1e-4);
}

static void a_gas_has_its_pressure_and_temperature(void **state)
{
    static const char *const yes[] = {"p", "T", NULL}, *const no[] = {"m", "U", "d", "u", NULL};
    (void)state;
    trial r = run_to("model M " GAS "end M;", 10);
    expect_states(r.model, yes, no);
    expect_gas(&r, 0);
    expect_gas(&r, 10);
    trial_end(&r);
}

/* A start value that is fixed, and one that jumps, belong to what is integrated. At m = 2, that is at t = 5, it
 * jumps to 1.5 with the energy left as it is. */
static void fixed_and_jumping_states_stay(void **state)
{
    static const char *const yes[] = {"m", "U", NULL}, *const no[] = {"p", "T", NULL};
    (void)state;
    trial r = run_to("model M Real m(start = 1.5, fixed = true), U(start = 7500, fixed = true), p("
                     "stateSelect = StateSelect.prefer, start = 100), T(stateSelect = "
                     "StateSelect.prefer, start = 100);\n"
                     "equation der(m) = 0.1; der(U) = 280; m = 1.5*p/T; U = 5*m*T; end M;",
                     10);
    expect_states(r.model, yes, no);
    expect_gas(&r, 10);
    trial_end(&r);
    r = run_to("model M " GAS "when m > 2 then reinit(m, 1.5); end when; end M;", 8);
    assert_near(vinc_result_at(r.result, "m", 8), 1.5 + 0.3, 1e-7);
    assert_near(vinc_result_at(r.result, "p", 8), 2 * (7500 + 280 * 8) / 15.0, 1e-4);
    trial_end(&r);
}

/* m = 2 + t, U = m c T with c = 3, T = 300 at first, inflow at 400: T = (600 + 400 t)/(2 + t). Nothing gives the
 * mass, which stays a state, but the energy follows from it and the temperature. */
static void an_open_tank_keeps_its_mass(void **state)
{
    static const char *const yes[] = {"m", "T", NULL}, *const no[] = {"U", "level", NULL};
    (void)state;
    trial r = run_to("model M Real m(start = 2), U, u, level, T(start = 300, stateSelect = "
                     "StateSelect.prefer);\n"
                     "equation der(m) = 1; der(U) = 3*400; U = m*u; u = 3*T; m = 0.5*level; end M;",
                     5);
    expect_states(r.model, yes, no);
    assert_near(vinc_result_at(r.result, "T", 5), 2600.0 / 7, 1e-5);
    assert_near(vinc_result_at(r.result, "level", 5), 14, 1e-7);
    trial_end(&r);
}

/* Of a liquid of constant density the mass says nothing about the pressure, which the flows give: 3 (10 - p) = p -
 * 2, p = 8. It carries 6, at 400 to begin with 300, c = 2 and m = 12: T = 400 - 100 exp(-t/2). */
static void a_pressure_that_flows_give_is_no_state(void **state)
{
    static const char *const yes[] = {NULL}, *const no[] = {"p", "m", NULL};
    (void)state;
    trial r = run_to("model M Real m, U, a, b, p(start = 5, stateSelect = StateSelect.prefer),\n"
                     "T(start = 300, stateSelect = StateSelect.prefer);\n"
                     "equation der(m) = a - b; a = 3*(10 - p); b = p - 2; m = 12;\n"
                     "der(U) = 2*(a*400 - b*T); U = 2*m*T; end M;",
                     4);
    expect_states(r.model, yes, no);
    assert_near(vinc_result_at(r.result, "p", 4), 8, 1e-9);
    assert_near(vinc_result_at(r.result, "T", 4), 400 - 100 * exp(-2), 1e-5);
    trial_end(&r);
}

/* An initial equation with a derivative that is no longer integrated: U' = 10 - T = 0, so T = 10 for good. */
static void rest_of_what_is_no_state(void **state)
{
    (void)state;
    trial r =
        run_to("model M Real U, T(start = 3, stateSelect = StateSelect.prefer);\n"
               "initial equation der(U) = 0; equation der(U) = 10 - T; U = T + T^3/30; end M;",
               5);
    assert_near(vinc_result_at(r.result, "T", 0), 10, 1e-9);
    assert_near(vinc_result_at(r.result, "U", 5), 10 + 100.0 / 3, 1e-7);
    trial_end(&r);
}

/* x = 2 y, x' = u, y' = 3 - 2 u: u = 6/5. Of two, the one that is wanted more is the state, in either order. */
static void the_stronger_wish_wins(void **state)
{
    static const char *const wish[] = {"never", "avoid", "default", "prefer", "always"};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            if (i == j) continue;
            char text[400];
            snprintf(text, sizeof text,
                     "model M Real x(start = 1, stateSelect = StateSelect.%s), y(start = 0.5,\n"
                     "stateSelect = StateSelect.%s), u;\n"
                     "equation der(x) = u; der(y) = 3 - 2*u; x = 2*y + 0.0*time; end M;",
                     wish[i], wish[j]);
            trial r = run_to(text, 1);
            if (is_state(r.model, "x") != (i > j) || is_state(r.model, "y") != (j > i))
                fail_msg("x: %s, y: %s", wish[i], wish[j]);
            assert_near(vinc_result_at(r.result, "x", 1), 2.2, 1e-9);
            trial_end(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gas_has_its_pressure_and_temperature),
        cmocka_unit_test(fixed_and_jumping_states_stay),
        cmocka_unit_test(an_open_tank_keeps_its_mass),
        cmocka_unit_test(a_pressure_that_flows_give_is_no_state),
        cmocka_unit_test(rest_of_what_is_no_state),
        cmocka_unit_test(the_stronger_wish_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
