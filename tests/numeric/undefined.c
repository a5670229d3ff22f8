/* What has no value stops a run and is named: the operation, its line, the values in it. No row with
 * a number that is none is ever kept. The times at which domains are left follow by hand.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdio.h>

typedef struct fault {
    const char *text;  // a model M; its equation is on line 3
    const char *words; // of the message
    const char *values;
    double left; // when the domain is left; the result is kept up to there. < 0: at the start
} fault;

static void rows_are_numbers(vinc_result *r)
{
    vinc_column x;
    for (int c = 0; c < vinc_result_n_columns(r); c++) {
        assert_int_equal(vinc_result_column(r, c, &x), VINC_OK);
        for (size_t i = 0; i < x.n; i++) assert_true(isfinite(x.values[i]));
    }
}

static void expect_fault(const fault *f, const char *method)
{
    vinc_sim_options o = {.has_stop = 1, .t_stop = 2, .method = method};
    trial r = trial_start(NULL, f->text, &o);
    const char *said = r.ctx ? vinc_ctx_messages(r.ctx) : "";
    if (r.rc == VINC_OK || !strstr(said, "m.mo:3:") || !strstr(said, f->words) ||
        !strstr(said, f->values))
        print_error("%s (%s)\n'%s'\ninstead of '%s', '%s'\n", f->text, method ? method : "", said,
                    f->words, f->values);
    assert_true(r.rc < 0 && strstr(said, "m.mo:3:") && strstr(said, f->words));
    assert_non_null(strstr(said, f->values));
    size_t n = vinc_result_n_rows(r.result);
    rows_are_numbers(r.result);
    if (f->left < 0) assert_true(n == 0);
    else {
        vinc_column time;
        assert_int_equal(vinc_result_column(r.result, 0, &time), VINC_OK);
        double last = time.values[n - 1];
        if (!(fabs(last - f->left) < 1e-6))
            print_error("%s: last row at %.17g instead of %g\n", f->text, last, f->left);
        assert_true(fabs(last - f->left) < 1e-6);
    }
    trial_end(&r);
}

static void domains_are_left(void **state)
{
    (void)state;
    static const fault list[] = {
        {"model M Real x(start = 0.7, fixed = true), y; equation\nder(x) = -1;\ny = sqrt(x); end "
         "M;",
         "sqrt(x) is not a number at t = 0.7", "x = -", 0.7},
        {"model M Real x(start = 0, fixed = true), y, z; equation\nder(x) = -1; z = 2*y;\n"
         "y = 1 + acos(x/1.5); end M;",
         "the arc cosine of -1.0000000", "x = -1.5", 1.5},
        {"model M Real x(start = 1, fixed = true), y; equation\nder(x) = -1;\n"
         "y = (x - 0.5)^0.3; end M;",
         "a power of a negative number, -", "x = 0.5", 0.5},
        // (-1000 t)^103 is 1.8e308 at t = 10^(308.2547/103 - 3) = 0.983477...
        {"model M Real x(start = 0, fixed = true), y; equation\nder(x) = -1000;\n"
         "y = x^103; end M;",
         "its value is beyond the largest number", "x = -98", 0.983477047},
        {"model M Real x(start = 0, fixed = true), y; equation\nder(x) = 1000;\ny = exp(x); end M;",
         "exp(x) is infinite at t = 0.7097", "x = 709.78", 0.709782712893384},
        // in a function that is written out, and in one that is executed
        {"model M function f input Real u; output Real y; algorithm y := u + log(u - 0.25);\n"
         "end f; Real x(start = 1, fixed = true), y; equation der(x) = -1;\ny = f(x); end M;",
         "the logarithm of", "x = 0.25", 0.75},
        {"model M function f input Real u; output Real y; algorithm y := u; while y > 0.5 loop\n"
         "y := y - 0.5; end while; y := sqrt(y); end f; Real x(start = 1, fixed = true), y; "
         "equation "
         "der(x) = -1;\ny = f(x); end M;",
         "in the function f, the square root of a negative number", "x = -", 1},
        // in an algorithm; the section is the place that is known
        {"model M Real x(start = 1, fixed = true), y, z; equation der(x) = -1;\n\nalgorithm z := "
         "2*x;"
         " y := sqrt(z - 1); end M;",
         "the square root of a negative number", "x = 0.5", 0.5},
        // where it is needed to go on
        {"model M Real x(start = 0.25, fixed = true); equation\n\nder(x) = -sqrt(x) - 0.1; end M;",
         "sqrt(x) is not a number", "x = -", 0.641648},
        {"model M Real x(start = 1, fixed = true), y; equation\nder(x) = -1;\n"
         "y = log(x); end M;",
         "log(x) is", "x = ", 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) expect_fault(&list[i], NULL);
    // by implicit methods, too
    expect_fault(&list[0], "radau5");
    expect_fault(&list[1], "bdf");
}

static void starts_without_values(void **state)
{
    (void)state;
    static const fault list[] = {
        {"model M Real x(start = 0, fixed = true), y; equation\nder(x) = 1;\ny = 1/x; end M;",
         "1/x is infinite at t = 0: a division of 1 by zero", "x = 0", -1},
        {"model M parameter Real p = 0; Real x(start = 2, fixed = true), y; equation\nder(x) = 1;\n"
         "y*p = x + sin(x); end M;",
         "p", "y", -1},
        {"model M Real x; initial equation\n\nx = log(time - 2); equation der(x) = 1; end M;",
         "log(time - 2) is not a number", "the logarithm of a negative number, -2", -1},
        {"model M Real x(start = -1, fixed = true), y; equation\nder(x) = 1;\nder(y) = sqrt(x); "
         "end M;",
         "sqrt(x) is not a number at t = 0", "x = -1", -1},
        {"model M Real x(start = -1, fixed = true); parameter Real a = 3; parameter Real b =\n"
         "1 - a; parameter\nReal c = sqrt(b); equation der(x) = 1; end M;",
         "sqrt(b) is not a number: the square root of a negative number, -2", "b = -2", -1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) expect_fault(&list[i], NULL);
}

static void events_without_values(void **state)
{
    (void)state;
    static const fault list[] = {
        {"model M Real x(start = 1, fixed = true); discrete Real f(start = 0, fixed = true); "
         "equation\n"
         "der(x) = -1;\nwhen sample(0.25, 0.5) then f = sqrt(x - 0.5); end when; end M;",
         "sqrt(x - 0.5) is not a number at t = 0.75", "x = 0.25", 0.75},
        {"model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = "
         "v;\n"
         "der(v) = -2;\nwhen x < 0 then reinit(v, -v + log(v)); end when; end M;",
         "the logarithm of a negative number, -2 [", "= -2", 1},
        {"model M Real x(start = 1, fixed = true), u, y; equation\nder(x) = -1; u = sample(x, "
         "Clock(0.25));\ny = sqrt(u - 0.3); end M;",
         "sqrt(sample(x) - 0.3) is not a number at t = 0.75", "sample(x) = 0.25", 0.75},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) expect_fault(&list[i], NULL);
}

/* A branch that ends where its condition does has a limit there, and the run goes on: the area below
 * sqrt(x) from 0 to 1 is 2/3. */
static void guarded_branches_go_on(void **state)
{
    (void)state;
    trial r = trial_of("model M Real x(start = 1, fixed = true), y, a(start = 0, fixed = true);\n"
                       "equation der(x) = -1; der(a) = y;\n"
                       "y = if x > 0 then sqrt(x) else 0; end M;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 2, .rel_tol = 1e-8});
    rows_are_numbers(r.result);
    assert_true(fabs(vinc_result_at(r.result, "a", 2) - 2.0 / 3) < 1e-6);
    assert_true(vinc_result_at(r.result, "y", 1.5) == 0);
    trial_end(&r);
    r = trial_of("model M Real y, x(start = 0, fixed = true); equation der(x) = 1;\n"
                 "y = if time < 1 then sqrt(1 - time) else 0; end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 2});
    rows_are_numbers(r.result);
    trial_end(&r);
}

/* y^2 = 1 - t has no solution after t = 1: the equation is named, and why. */
static void folds_are_named(void **state)
{
    (void)state;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 2};
    trial r = trial_start(NULL,
                          "model M Real y(start = 1), x(start = 1, fixed = true); equation\n"
                          "der(x) = -1;\ny^2 = x; end M;",
                          &o);
    const char *said = vinc_ctx_messages(r.ctx);
    assert_true(r.rc < 0);
    assert_non_null(strstr(said, "m.mo:3:1: note: 'y' is found by 'y^2 = x'"));
    assert_non_null(strstr(said, "a fold"));
    rows_are_numbers(r.result);
    trial_end(&r);
}

/* 2^(-4000 x) is 0 near x = 1, and q^0.3 has an infinite slope there: x' = -x has none by the chain rule,
 * and exp(-t) for a solution all the same. */
static void slopes_without_values(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau5", "bdf", "rodas4"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial r = trial_of("model M parameter Real k = 2; Real x(start = 1, fixed = true), q; "
                           "equation q = k^(-4000*x); der(x) = -x + q^0.3; end M;",
                           (vinc_sim_options){.has_stop = 1, .t_stop = 0.6, .method = methods[k]});
        double x = vinc_result_at(r.result, "x", 0.6);
        if (!(fabs(x - exp(-0.6)) < 1e-5)) fail_msg("%s: %.10g", methods[k], x);
        trial_end(&r);
    }
}

/* log(p) = l is solved for p as it stands: nothing is left to an iteration, which would have to reach
 * p = 31 from 4e-8. */
static void logarithms_are_undone(void **state)
{
    (void)state;
    trial r = trial_of("model M Real p, l = log(p); equation "
                       "l*3.5 = if time < 0.3 then -60 else 12; end M;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 0.6});
    vinc_sim_stats done;
    assert_int_equal(vinc_sim_statistics(r.sim, &done), VINC_OK);
    assert_int_equal(done.jacobian_evals, 0);
    double before = vinc_result_at(r.result, "p", 0.2), after = vinc_result_at(r.result, "p", 0.6);
    assert_true(fabs(before - exp(-60 / 3.5)) < 1e-14 * before);
    assert_true(fabs(after - exp(12 / 3.5)) < 1e-14 * after);
    trial_end(&r);
}

static void expect_words(const char *text, const char *words)
{
    vinc_sim_options o = {.has_stop = 1, .t_stop = 2};
    trial r = trial_start(NULL, text, &o);
    const char *said = vinc_ctx_messages(r.ctx);
    if (r.rc == VINC_OK || !strstr(said, words)) print_error("%s\ninstead of '%s'\n", said, words);
    assert_true(r.rc < 0 && strstr(said, words));
    trial_end(&r);
}

/* A component that is declared with whatever medium its owner has says which one that is. The pressure
 * falls below zero at t = 1. */
static void media_are_named(void **state)
{
    (void)state;
    expect_words("package Any replaceable partial model Properties Real p, d; end Properties; end "
                 "Any;\n"
                 "package Water extends Any; redeclare model Properties Real p, d; equation d = "
                 "3*sqrt(p); end Properties; end Water;\n"
                 "package Brine extends Water; end Brine;\n"
                 "model Tank replaceable package Medium = Any; Medium.Properties medium; equation "
                 "medium.p = 1 - time; end Tank;\n"
                 "model M Tank tank(redeclare package Medium = Brine); end M;",
                 "; tank.medium is of Brine");
}

/* m = V p/T and U = m T say nothing about p and T where V is 0. */
static void volumes_of_nothing(void **state)
{
    (void)state;
    expect_words("model M parameter Real V = 0; Real p(start = 1), T(start = 2), m, U; equation\n"
                 "der(m) = 1; der(U) = 3; m = V*p/T; U = 5*V*p; end M;",
                 "where V = 0");
}

/* What functions assert is checked where the run calls them: in those that are written out, by their own call
 * and by one inside another, in those that are executed, and for parameters that are given anew. Where a branch is
 * not taken, or a when-clause does not fire, they are not called. x = 1 - time. */
#define POSITIVE                                                                                   \
    "function g input Real x; output Real y; algorithm assert(x > 0.25, \"x must be above a "      \
    "quarter, not \" + String(x)); y := sqrt(x); end g;\n"
#define FALLING "Real x(start = 1, fixed = true); equation der(x) = -1; "
static void functions_assert(void **state)
{
    (void)state;
    expect_words(POSITIVE "model M Real y = g(x); " FALLING "end M;",
                 "assertion failed at t = 0.75: x must be above a quarter, not 0.25");
    expect_words(POSITIVE "function h input Real x; output Real y; algorithm y := 2*g(x/2); end h; "
                          "model M Real y = h(x); " FALLING "end M;",
                 "assertion failed at t = 0.5");
    expect_words("function g input Real x; output Real y; algorithm if x < 0.25 then assert(false, "
                 "\"small\"); end if; y := x; end g; model M Real y = g(x); " FALLING "end M;",
                 "assertion failed at t = 0.75: small");
    expect_words(
        "function g input Real x[:]; input Integer n; output Real y; algorithm y := 0; "
        "for i in 1:n loop assert(x[i] > 0.25, \"x is small\"); y := y + x[i]; end for; "
        "end g; model M Integer n = if time > 0.1 then 2 else 1; Real y = g({2, x}, n); " FALLING
        "end M;",
        "is not a number at t = 0.75: in the function g, \"x is small\"");
    expect_words("function g input Real x[:]; input Integer n; output Real y; algorithm y := "
                 "x[1:n]*x[1:n + 1]; end g; model M Integer n = if time > 0.1 then 2 else 1; "
                 "Real y = g({1, 2, time}, n); end M;",
                 "the slices of an operation have different lengths");
    static const char *const fine[] = {
        POSITIVE "model M Real y = if x > 0.5 then g(x) else 0; " FALLING "end M;",
        POSITIVE "model M Real y; " FALLING "if x > 0.5 then y = g(x); else y = 0; end if; end M;",
        POSITIVE "model M discrete Real y(start = 0, fixed = true); " FALLING
                 "when time > 0.5 then y = g(x); end when; end M;",
        POSITIVE "model M Real y; " FALLING
                 "algorithm if x > 0.5 then y := g(x); else y := 0; end if; end M;",
        POSITIVE "model M Real y = noEvent(if x > 0.5 then g(x) else 0); " FALLING "end M;",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        trial r = trial_of(fine[i], (vinc_sim_options){.has_stop = 1, .t_stop = 1});
        trial_end(&r);
    }
}

/* One condition that is asserted many times is looked at once: the first of them stops the run, and warnings of it
 * are told each. */
static void assertions_of_one_condition(void **state)
{
    (void)state;
    expect_words("model M " FALLING
                 "assert(x > 0.5, \"first\"); assert(x > 0.5, \"second\"); end M;",
                 "assertion failed at t = 0.5: first");
    expect_words(POSITIVE "model M Real y = g(x) + 1, z = 2*g(x), w = g(x)*z; " FALLING "end M;",
                 "assertion failed at t = 0.75: x must be above");
    trial r = trial_of("model M " FALLING "assert(x > 0.5, \"first\", AssertionLevel.warning); "
                       "assert(x > 0.5, \"second\", AssertionLevel.warning); end M;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    int told = 0;
    for (int i = 0; i < vinc_sim_n_diagnostics(r.sim); i++) {
        const char *words = vinc_sim_diagnostic(r.sim, i).text;
        told += (strstr(words, "first") != NULL) + (strstr(words, "second") != NULL);
    }
    assert_int_equal(told, 2);
    trial_end(&r);
}

/* The slope of a root at 0 is without bound, and corrections of an iteration vanish wherever the solution is: all of
 * these stayed at 0. Closed forms: x = t^2; z = tanh t, x = z^2; sqrt(x) = (sqrt(1 + 4 t) - 1)/2;
 * 2 (-s - log(1 - s)) = t with s = sqrt(x). */
static double form_square(double t)
{
    return t * t;
}
static double form_tanh(double t)
{
    return tanh(t) * tanh(t);
}
static double form_golden(double t)
{
    double s = (sqrt(1 + 4 * t) - 1) / 2;
    return s * s;
}
static double form_tank(double t)
{
    double s = 0.5;
    for (int k = 0; k < 60; k++) s -= (2 * (-s - log1p(-s)) - t) * (1 - s) / (2 * s);
    return s * s;
}
static void roots_at_zero(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double (*form)(double t);
    } list[] = {
        {"model M Real x; equation sqrt(x) = time; end M;", form_square},
        {"model M Real x, z(start = 0, fixed = true); equation sqrt(x) = z; der(z) = 1 - x; end M;",
         form_tanh},
        {"model M Real x, z(start = 0, fixed = true); equation sqrt(x) + x = z; der(z) = 1; end M;",
         form_golden},
        {"model M Real x(start = 0, fixed = true); equation der(x) = 1 - sqrt(x); end M;",
         form_tank},
    };
    static const char *const methods[] = {NULL, "bdf", "radau", "rodas4", "dopri5"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            trial r = trial_of(
                list[i].text, (vinc_sim_options){.has_stop = 1, .t_stop = 1, .method = methods[k]});
            for (int j = 1; j <= 10; j++) {
                double x = vinc_result_at(r.result, "x", 0.1 * j), exact = list[i].form(0.1 * j);
                if (!(fabs(x - exact) < 1e-5))
                    print_error("%s (%s): %.12g instead of %.12g\n", list[i].text,
                                methods[k] ? methods[k] : "", x, exact);
                assert_true(fabs(x - exact) < 1e-5); // ten tolerances
            }
            trial_end(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(media_are_named),       cmocka_unit_test(volumes_of_nothing),
        cmocka_unit_test(domains_are_left),      cmocka_unit_test(starts_without_values),
        cmocka_unit_test(events_without_values), cmocka_unit_test(guarded_branches_go_on),
        cmocka_unit_test(folds_are_named),       cmocka_unit_test(slopes_without_values),
        cmocka_unit_test(logarithms_are_undone), cmocka_unit_test(functions_assert),
        cmocka_unit_test(roots_at_zero),         cmocka_unit_test(assertions_of_one_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
