/* Initial equations of discrete variables. The values follow by hand from the equations: at the
 * start pre() values are the unknowns (Modelica Language Specification 3.6, section 8.6).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

static double at(trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

/* A step that is active at the start and resets itself, as in state graphs: active is two
 * definitions away from the value of the past that decides it. */
static void steps_begin_active(void **state)
{
    (void)state;
    trial r = trial_of("model Steps\n"
                       "  model Step parameter Boolean first = false; Boolean active, go, leave;\n"
                       "    Boolean now, next;\n"
                       "  initial equation active = first;\n"
                       "  equation active = now; now = pre(next); next = go or now and not leave;\n"
                       "  end Step;\n"
                       "  Step a(first = true), b; Boolean fire;\n"
                       "equation\n"
                       "  fire = a.active and time > 0.5;\n"
                       "  a.leave = fire; b.go = fire; a.go = false; b.leave = false;\n"
                       "end Steps;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(at(&r, "a.active", 0.3) == 1 && at(&r, "b.active", 0.3) == 0);
    assert_true(at(&r, "a.active", 0.8) == 0 && at(&r, "b.active", 0.8) == 1);
    trial_end(&r);
}

/* The same where another initial equation has decided that value by a further one, pre(next) = pre(now),
 * in a row of steps that are too many to try. */
static void values_of_the_past_follow_one_another(void **state)
{
    (void)state;
    trial r = trial_of("model Row parameter Integer n = 20;\n"
                       "  model Step Boolean now, next, go, leave;\n"
                       "  initial equation pre(next) = pre(now);\n"
                       "  equation now = pre(next); next = go or now and not leave; end Step;\n"
                       "  model First extends Step; Boolean active;\n"
                       "  initial equation active = true; equation active = now; end First;\n"
                       "  First a; Step s[n];\n"
                       "equation a.go = false; a.leave = time > 0.5; s[1].go = a.now and a.leave;\n"
                       "  for i in 2:n loop s[i].go = false; end for;\n"
                       "  for i in 1:n loop s[i].leave = false; end for;\n"
                       "end Row;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(at(&r, "a.active", 0.3) == 1 && at(&r, "s[1].now", 0.3) == 0);
    assert_true(at(&r, "a.active", 0.8) == 0 && at(&r, "s[1].now", 0.8) == 1);
    assert_true(at(&r, "s[2].now", 0.8) == 0);
    trial_end(&r);
}

/* not, and, or, integers and reals on the way; when-clauses keep what they are given. */
static void operators_are_inverted(void **state)
{
    (void)state;
    trial r = trial_of("model Operators\n"
                       "  Boolean both, none, b, c, d, e; Integer n(start = 7), k;\n"
                       "  discrete Real r(start = 1); Real s, x(start = 3, fixed = true);\n"
                       "initial equation\n"
                       "  not both = false; none = false; k = 12; r = 2.5; 2*s + 1 = 4;\n"
                       "equation\n"
                       "  both = pre(b) and not pre(c); none = pre(d) or not pre(e);\n"
                       "  b = pre(b); c = pre(c); d = pre(d); e = pre(e);\n"
                       "  k = 2*pre(n); s = pre(r) - 1; der(x) = r;\n"
                       "  when time > 0.5 then n = pre(n) + 1; r = pre(r) + 1; end when;\n"
                       "end Operators;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(at(&r, "b", 0) == 1 && at(&r, "c", 0) == 0 && at(&r, "d", 0) == 0);
    assert_true(at(&r, "e", 0) == 1 && at(&r, "n", 0) == 6 && at(&r, "r", 0) == 2.5);
    assert_true(at(&r, "k", 1) == 14 && at(&r, "s", 1) == 2.5);
    assert_true(fabs(at(&r, "x", 1) - (3 + 0.5 * 2.5 + 0.5 * 3.5)) < 1e-9);
    trial_end(&r);
}

static void broken_ones_are_named(void **state)
{
    (void)state;
    static const char *const texts[] = {
        // a fixed start value decides
        "model M Boolean l, n(start = false, fixed = true);\n"
        "initial equation l = true;\n"
        "equation l = pre(n); n = l and time < 0.5; end M;",
        // the states decide
        "model M Boolean l; Real x(start = 1, fixed = true);\n"
        "initial equation l = true;\n"
        "equation l = x > 2; der(x) = -1; end M;",
        // another initial equation decides
        "model M Boolean l, n, k;\n"
        "initial equation l = true; k = false;\n"
        "equation l = pre(n); k = pre(n); n = l; end M;",
        // nothing does it
        "model M Boolean a, b; Real x(start = 0, fixed = true);\n"
        "initial equation (a and not a or b and not b) = true;\n"
        "equation der(x) = 1; when x > 9 then a = pre(b); b = pre(a); end when; end M;",
        // no integer does it
        "model M Integer n(start = 1), l;\n"
        "initial equation l = 3;\n"
        "equation l = 2*pre(n); when time > 1 then n = 2; end when; end M;",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        trial r = trial_start(NULL, texts[i], &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
        assert_int_not_equal(r.rc, VINC_OK);
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), "m.mo:2:"));
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), "[R215]"));
        trial_end(&r);
    }
}

/* No definition leads from these to a past value; the values that meet them are found by trying. One
 * lamp of three, not red and not green: amber; then x runs at 2 until it is 0.5, at 1 after that. Of
 * gears, one pair fits at t = 0. */
static void few_values_are_searched(void **state)
{
    (void)state;
    trial r =
        trial_of("model Lamps Boolean red(start = true), amber, green, one;\n"
                 "  Real x(start = 0, fixed = true);\n"
                 "initial equation one = true; (red or green) = false;\n"
                 "equation one = (red and not amber and not green) or (amber and not red and not "
                 "green) or (green and not red and not amber);\n"
                 "  der(x) = if amber then 2 else 1;\n"
                 "  when x > 0.5 then red = pre(amber); amber = pre(green); green = pre(red); end "
                 "when; end Lamps;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(at(&r, "amber", 0.1) == 1 && at(&r, "red", 0.1) == 0 && at(&r, "green", 0.1) == 0);
    assert_true(at(&r, "red", 0.9) == 1 && at(&r, "amber", 0.9) == 0);
    assert_true(fabs(at(&r, "x", 1) - 1.25) < 1e-9);
    assert_int_equal(vinc_sim_n_diagnostics(r.sim), 0);
    trial_end(&r);
    r = trial_of("model Gears type Gear = enumeration(low, mid, high); Gear g, h; Boolean fits;\n"
                 "  Real x(start = 0, fixed = true);\n"
                 "initial equation fits = true;\n"
                 "equation fits = g == Gear.high and h == Gear.mid or g == h and time > 1;\n"
                 "  der(x) = 1; when x > 5 then g = pre(h); h = pre(g); end when; end Gears;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 0.5});
    assert_true(at(&r, "g", 0.1) == 3 && at(&r, "h", 0.1) == 2);
    trial_end(&r);
}

/* Where several meet them, the fewest changes of start values count, and a tie is said. */
static void a_choice_is_said(void **state)
{
    (void)state;
    static const char words[] =
        "model Either Boolean a(start = %s), b; Real x(start = 0, fixed = true);\n"
        "initial equation (a <> b) = true;\n"
        "equation der(x) = 1; when x > 5 then a = false; b = false; end when; end Either;";
    char text[400];
    snprintf(text, sizeof text, words, "true");
    trial r = trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(at(&r, "a", 0.1) == 1 && at(&r, "b", 0.1) == 0);
    assert_int_equal(vinc_sim_n_diagnostics(r.sim), 0);
    trial_end(&r);
    snprintf(text, sizeof text, words, "false");
    r = trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(at(&r, "a", 0.1) + at(&r, "b", 0.1) == 1);
    assert_int_equal(vinc_sim_n_diagnostics(r.sim), 1);
    assert_string_equal(vinc_sim_diagnostic(r.sim, 0).code, "R216");
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_begin_active),
        cmocka_unit_test(operators_are_inverted),
        cmocka_unit_test(broken_ones_are_named),
        cmocka_unit_test(few_values_are_searched),
        cmocka_unit_test(a_choice_is_said),
        cmocka_unit_test(values_of_the_past_follow_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
