/* Many relations of one quantity, and what an event need not evaluate again, against closed forms.
 *
 * x = sin(t) until 4 pi + 1: it passes c upwards at asin(c) + 2 pi m and downwards at
 * pi - asin(c) + 2 pi m.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

static trial run(const char *text, double t_stop, const char *vars)
{
    return trial_of(text, (vinc_sim_options){.rel_tol = 1e-9,
                                             .has_stop = 1,
                                             .t_stop = t_stop,
                                             .intervals = 100,
                                             .vars = vars,
                                             .only_vars = vars != NULL});
}

static double value(const trial *r, const char *name, int k, double t)
{
    char full[40];
    snprintf(full, sizeof full, "%s[%d]", name, k + 1);
    return vinc_result_at(r->result, full, t);
}

static const char stairs[] = "model M\n"
                             "  parameter Real c[4] = {0.6, -0.2, -0.6, 0.2};\n"
                             "  Real x(start = 0, fixed = true), v(start = 1, fixed = true);\n"
                             "  Integer up[4](each start = 0, each fixed = true);\n"
                             "  Integer down[4](each start = 0, each fixed = true);\n"
                             "  discrete Real at[4](each start = -9, each fixed = true);\n"
                             "  discrete Real seen[4](each start = -9, each fixed = true);\n"
                             "equation\n"
                             "  der(x) = v; der(v) = -x;\n"
                             "  for k in 1:4 loop\n"
                             "    when c[k] < x then\n"
                             "      up[k] = pre(up[k]) + 1; at[k] = time; seen[k] = x;\n"
                             "    end when;\n"
                             "    when x < c[k] then down[k] = pre(down[k]) + 1; end when;\n"
                             "  end for;\n"
                             "end M;";
static const double pi = 3.14159265358979323846, c[4] = {0.6, -0.2, -0.6, 0.2};

static void passes_all(void **state)
{
    (void)state;
    double end = 4 * pi + 1;
    trial r = run(stairs, end, NULL);
    for (int k = 0; k < 4; k++) {
        assert_near(value(&r, "up", k, end), c[k] > 0 ? 3 : 2, 0);
        assert_near(value(&r, "down", k, end), 2, 0);
        assert_near(value(&r, "at", k, end), asin(c[k]) + 4 * pi, 1e-7);
        assert_near(value(&r, "seen", k, end), c[k], 1e-7);
        double before = asin(c[k]) + 2 * pi; // the passage of one period earlier
        assert_near(value(&r, "at", k, 10), before, 1e-7);
    }
    trial_end(&r);
}

/* The last values of what is not recorded are known. */
static void records_selection(void **state)
{
    (void)state;
    double end = 4 * pi + 1;
    trial r = run(stairs, end, "x,up[1]");
    assert_near(vinc_result_at(r.result, "x", 2), sin(2), 0.0024); // linear between rows: h^2/8
    assert_near(value(&r, "up", 0, 2), 1, 0);
    assert_near(value(&r, "up", 1, end), 2, 0);
    assert_near(vinc_result_at(r.result, "v", end), cos(end), 1e-7);
    trial_end(&r);
}

/* Thresholds of time, two of them equal; a jump over several thresholds at once, and back. */
static void passes_several(void **state)
{
    (void)state;
    trial r = run("model M\n"
                  "  parameter Real T[4] = {1, 2.5, 2.5, 7};\n"
                  "  Real x(start = 0, fixed = true); Boolean above[5]; Integer n;\n"
                  "  Integer edges[5](each start = 0, each fixed = true);\n"
                  "  Integer rung[4](each start = 0, each fixed = true);\n"
                  "equation\n"
                  "  der(x) = 0;\n"
                  "  when time > T[1] then reinit(x, 3.5);\n"
                  "  elsewhen time > 5 then reinit(x, 1); end when;\n"
                  "  for k in 1:5 loop\n"
                  "    above[k] = x > k;\n"
                  "    when above[k] then edges[k] = pre(edges[k]) + 1; end when;\n"
                  "  end for;\n"
                  "  for k in 1:4 loop\n"
                  "    when time > T[k] then rung[k] = pre(rung[k]) + 1; end when;\n"
                  "  end for;\n"
                  "  n = sum(if above[k] then 1 else 0 for k in 1:5);\n"
                  "end M;",
                  6, NULL);
    assert_near(vinc_result_at(r.result, "n", 0.5), 0, 0);
    assert_near(vinc_result_at(r.result, "n", 1.5), 3, 0);
    assert_near(vinc_result_at(r.result, "n", 6), 0, 0); // 1 > 1 does not hold
    for (int k = 0; k < 5; k++) assert_near(value(&r, "edges", k, 6), k < 3 ? 1 : 0, 0);
    for (int k = 0; k < 4; k++) assert_near(value(&r, "rung", k, 6), k < 3 ? 1 : 0, 0);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_all),
                                       cmocka_unit_test(records_selection),
                                       cmocka_unit_test(passes_several)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
