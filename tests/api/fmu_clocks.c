/* Clocks of FMUs of FMI 3: an importer is told when they tick, and reads what a tick computed before discrete
 * states are updated.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // mkdtemp
#include "fmu_master.h"

/* n counts ticks every 0.1 s, z is every third of them; i sums up 0.1 times the input. */
static const char counting[] =
    "model Counting\n  output Clock fast = Clock(1, 10);\n  Clock same = fast;\n"
    "  Clock slow = subSample(fast, 3);\n  input Real u(start = 2);\n  Real n(start = 0), i(start "
    "= 0);\n"
    "  Real z;\n  output Real y = hold(z);\n  Real x(start = 0, fixed = true);\nequation\n"
    "  when fast then\n    n = previous(n) + 1;\n    i = previous(i) + sample(u)*interval();\n"
    "  end when;\n  when slow then\n    z = subSample(n, 3);\n  end when;\n  der(x) = 1;\n"
    "end Counting;\n";

static bool ticks(instance x, reference r)
{
    bool yes = false;
    if (fmi3GetClock(x, &r, 1, &yes)) fail_msg("%s", said);
    return yes;
}

static void described(const fmu *u)
{
    char key[80];
    snprintf(key, sizeof key, "valueReference=\"%u\" causality=\"output\"", variable(u, "fast"));
    assert_non_null(strstr(u->description, key));
    assert_non_null(
        strstr(u->description, "intervalVariability=\"triggered\"><Alias name=\"same\"/></Clock>"));
    static const char *const clocked[][2] = {{"n", "fast"}, {"i", "fast"}, {"z", "slow"}};
    for (int k = 0; k < 3; k++) {
        snprintf(key, sizeof key, " name=\"%s\" ", clocked[k][0]);
        const char *p = strstr(u->description, key);
        assert_non_null(p);
        snprintf(key, sizeof key, "variability=\"discrete\" clocks=\"%u\"",
                 variable(u, clocked[k][1]));
        assert_non_null(p = strstr(p, "variability="));
        assert_memory_equal(p, key, strlen(key));
    }
    snprintf(key, sizeof key, "<InitialUnknown valueReference=\"%u\"", variable(u, "fast"));
    assert_null(strstr(u->description, key));
}

static double update(instance x)
{
    bool again, terminate, nominals, values, has_next;
    double next;
    int status =
        fmi3UpdateDiscreteStates(x, &again, &terminate, &nominals, &values, &has_next, &next);
    if (status) fail_msg("%s", said);
    return has_next ? next : INFINITY;
}

static void an_importer_is_told_of_ticks(void **state)
{
    (void)state;
    fmu u = export(counting);
    described(&u);
    instance x = exchange3(&u);
    begin3(x, 1e-8);
    reference fast = variable(&u, "fast"), slow = variable(&u, "slow");
    assert_true(ticks(x, fast) && ticks(x, slow)); // the first tick is at the start
    double next = update(x), t, sum = 0.1 * 2;
    assert_false(ticks(x, fast));
    for (int k = 1; k <= 7; k++) {
        assert_int_equal(fmi3EnterContinuousTimeMode(x), 0);
        bool yes;
        assert_int_equal(fmi3GetClock(x, &fast, 1, &yes), 3); // not in this mode
        t = next;
        assert_true(fabs(t - 0.1 * k) < 1e-15);
        assert_int_equal(fmi3SetTime(x, t), 0);
        assert_int_equal(fmi3SetContinuousStates(x, &t, 1), 0); // x = t
        assert_int_equal(fmi3EnterEventMode(x), 0);
        assert_true(ticks(x, fast));
        assert_int_equal(ticks(x, slow), k % 3 == 0);
        assert_true(get3(x, variable(&u, "n")) == k + 1);
        double held = k > 1 ? k - 1 : 2;
        assert_true(fabs(get3(x, variable(&u, "i")) - sum - 0.1 * held) < 1e-14);
        set3(x, variable(&u, "u"), k); // after the question: the event is handled anew, once
        assert_true(ticks(x, fast));
        assert_true(get3(x, variable(&u, "n")) == k + 1);
        sum += 0.1 * k;
        assert_true(fabs(get3(x, variable(&u, "i")) - sum) < 1e-14);
        next = update(x);
        assert_true(get3(x, variable(&u, "n")) == k + 1);
        assert_true(get3(x, variable(&u, "y")) == k / 3 * 3 + 1);
        assert_false(ticks(x, fast));
    }
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

/* In co-simulation steps end where clocks tick, if the importer wants to know. */
static void steps_end_at_ticks(void **state)
{
    (void)state;
    fmu u = export(counting);
    instance x = steps3(&u, true, true, NULL);
    begin3(x, 1e-8);
    reference fast = variable(&u, "fast");
    assert_true(ticks(x, fast));
    update(x);
    assert_int_equal(fmi3EnterStepMode(x), 0);
    double t = 0;
    for (int k = 1; k <= 3; k++) {
        t = step3(x, t, 1);
        assert_true(fabs(t - 0.1 * k) < 1e-15);
        assert_int_equal(fmi3EnterEventMode(x), 0);
        assert_true(ticks(x, fast));
        assert_true(get3(x, variable(&u, "n")) == k + 1);
        update(x);
        assert_false(ticks(x, fast));
        assert_int_equal(fmi3EnterStepMode(x), 0);
    }
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static void clocks_cannot_be_driven(void **state)
{
    (void)state;
    fmu u = export(counting);
    instance x = exchange3(&u);
    begin3(x, 1e-8);
    reference fast = variable(&u, "fast"), wrong = variable(&u, "x");
    bool yes = true;
    double interval;
    int qualifier;
    assert_int_equal(fmi3SetClock(x, &fast, 1, &yes), 3);
    assert_non_null(strstr(said, "tick by themselves"));
    assert_int_equal(fmi3GetIntervalDecimal(x, &fast, 1, &interval, &qualifier), 3);
    assert_int_equal(fmi3GetShiftDecimal(x, &fast, 1, &interval), 3);
    assert_int_equal(fmi3GetClock(x, &wrong, 1, &yes), 3);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_importer_is_told_of_ticks),
        cmocka_unit_test(steps_end_at_ticks),
        cmocka_unit_test(clocks_cannot_be_driven),
    };
    return cmocka_run_group_tests(tests, open_library, NULL);
}
