/* Ensembles on the processor against closed forms and against ordinary runs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "ensemble/lanes.h"
#include "open_ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 37 }; // more than a block, and not a multiple of the lanes

/* A cooling body: T = Ta + (T0 - Ta) exp(-k t), k = a/b a parameter that follows from others. */
static const char cooling[] = "model Cooling\n"
                              "  parameter Real a = 2, b = 4, Ta = 20;\n"
                              "  parameter Real k = a/b;\n"
                              "  Real T(start = 10*b, fixed = true), q;\n"
                              "equation\n"
                              "  q = k*(T - Ta);\n"
                              "  der(T) = -q;\n"
                              "end Cooling;\n";
static const char *const vary_ab[] = {"a", "b"}, *const columns_cooling[] = {"T", "q", NULL};

static void run_lanes(open_ensemble *x, const double *in, double *out, size_t n)
{
    ens_lanes *lanes;
    assert_int_equal(ens_lanes_new(&x->m, &x->e->lanes, &lanes), 0);
    ens_lanes_run(lanes, in, out, n, 0, n);
    ens_lanes_free(lanes);
}

static void check_cooling(const char *method, double step, double tol, double allowed)
{
    ensemble_options o = {.method = method,
                          .t1 = 3,
                          .step = step,
                          .rel_tol = tol,
                          .abs_tol = tol,
                          .max_steps = 100000,
                          .vary = vary_ab,
                          .n_vary = 2};
    open_ensemble x;
    double in[2 * RUNS], out[4 * RUNS];
    ensemble_open(&x, cooling, o, columns_cooling);
    assert_string_equal(x.why, "");
    assert_false(x.e->given);
    for (int i = 0; i < RUNS; i++) in[i] = 1 + 0.1 * i, in[RUNS + i] = 3 + 0.05 * i;
    run_lanes(&x, in, out, RUNS);
    for (int i = 0; i < RUNS; i++) {
        double k = in[i] / in[RUNS + i], T = 20 + (10 * in[RUNS + i] - 20) * exp(-3 * k);
        if (out[i] != ENS_DONE || !(fabs(out[RUNS + i] - T) <= allowed * 40) ||
            !(fabs(out[2 * RUNS + i] - k * (T - 20)) <= allowed * 40))
            fail_msg("%s, run %d: status %g, T %.12g, not %.12g", method, i, out[i], out[RUNS + i],
                     T);
    }
    ensemble_close(&x);
}

static void methods_follow_a_closed_form(void **state)
{
    (void)state;
    // Fixed steps of h: the error is of the order of h^p; adaptive ones: a few tolerances.
    check_cooling("euler", 1e-3, 0, 2e-3);
    check_cooling("heun", 0.01, 0, 1e-4);
    check_cooling("rk4", 0.07, 0, 1e-5); // 3/0.07 is no integer: a shorter step comes last
    check_cooling("dopri5", 0, 1e-8, 1e-7);
    check_cooling("rodas3", 0, 1e-6, 1e-5);
    check_cooling("rodas4", 0, 1e-7, 1e-6);
    check_cooling("rodas5p", 0, 1e-8, 1e-7);
}

/* x' = -1000 (x - cos t) - sin t, x(0) = 1 + d: x = cos t + d exp(-1000 t). Stiff, and of time. */
static void stiff_equations_that_read_the_time(void **state)
{
    (void)state;
    static const char text_[] = "model Stiff\n  Real x(start = 1, fixed = true);\nequation\n"
                                "  der(x) = -1000*(x - cos(time)) - sin(time);\nend Stiff;\n";
    static const char *const vary[] = {"x"}, *const columns[] = {"x", "der(x)", NULL},
                             *const methods[] = {"rodas3", "rodas4", "rodas5p"};
    for (int m = 0; m < 3; m++) {
        ensemble_options o = {.method = methods[m],
                              .t1 = 2,
                              .rel_tol = 1e-7,
                              .abs_tol = 1e-7,
                              .max_steps = 100000,
                              .vary = vary,
                              .n_vary = 1};
        open_ensemble x;
        double in[RUNS], out[4 * RUNS];
        ensemble_open(&x, text_, o, columns);
        assert_string_equal(x.why, "");
        for (int i = 0; i < RUNS; i++) in[i] = 1 + 0.05 * i;
        run_lanes(&x, in, out, RUNS);
        for (int i = 0; i < RUNS; i++) {
            assert_true(out[i] == ENS_DONE);
            assert_true(fabs(out[RUNS + i] - cos(2)) < 2e-6);
            // 1000 times the error of x, in a derivative that is a difference of large numbers
            assert_true(fabs(out[2 * RUNS + i] + sin(2)) < 2e-3);
        }
        ensemble_close(&x);
    }
}

/* Fixed steps are those of an ordinary run. Lorenz' equations, 1000 steps of rk4: rounding is
 * magnified by no more than exp(0.9 t), their largest exponent. */
static void fixed_steps_are_those_of_a_run(void **state)
{
    (void)state;
    static const char text_[] =
        "model Lorenz\n  parameter Real rho = 28;\n  Real x(start = 1, fixed = true), "
        "y(start = 0, fixed = true), z(start = 0, fixed = true);\nequation\n"
        "  der(x) = 10*(y - x);\n  der(y) = rho*x - y - x*z;\n  der(z) = x*y - 8/3*z;\nend "
        "Lorenz;\n";
    static const char *const vary[] = {"rho"}, *const columns[] = {"x", "y", "z", NULL};
    ensemble_options o = {.method = "rk4", .t1 = 1, .step = 1e-3, .vary = vary, .n_vary = 1};
    open_ensemble x;
    double in[3] = {5, 15, 28}, out[15];
    ensemble_open(&x, text_, o, columns);
    assert_string_equal(x.why, "");
    run_lanes(&x, in, out, 3);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double expect = ensemble_reference(text_, &o, &in[i], columns[k], "rk4", 0);
            if (!(fabs(out[(k + 1) * 3 + i] - expect) <= 1e-11 * (1 + fabs(expect))))
                fail_msg("%s at rho %g: %.15g, not %.15g", columns[k], in[i], out[(k + 1) * 3 + i],
                         expect);
        }
    ensemble_close(&x);
}

/* A run that explodes has a status of its own and leaves the others alone: x' = x^2, x(0) = a ends at
 * t = 1/a; otherwise x(1) = a/(1 - a). */
static void a_run_that_fails_is_one_row(void **state)
{
    (void)state;
    static const char text_[] = "model Explosion\n  Real x(start = 0.5, fixed = true);\nequation\n"
                                "  der(x) = x^2;\nend Explosion;\n";
    static const char *const vary[] = {"x"}, *const columns[] = {"x", NULL},
                             *const methods[] = {"dopri5", "rodas4"};
    for (int m = 0; m < 2; m++) {
        ensemble_options o = {.method = methods[m],
                              .t1 = 1,
                              .rel_tol = 1e-7,
                              .abs_tol = 1e-7,
                              .max_steps = 20000,
                              .vary = vary,
                              .n_vary = 1};
        open_ensemble x;
        double in[4] = {0.5, 2, 0.25, 1.5}, out[12];
        ensemble_open(&x, text_, o, columns);
        run_lanes(&x, in, out, 4);
        assert_true(out[0] == ENS_DONE && fabs(out[4] - 1) < 1e-5);
        assert_true(out[2] == ENS_DONE && fabs(out[6] - 1.0 / 3) < 1e-5);
        assert_true(out[1] == ENS_STEP_TOO_SMALL || out[1] == ENS_NOT_FINITE);
        assert_true(out[3] == ENS_STEP_TOO_SMALL || out[3] == ENS_NOT_FINITE);
        ensemble_close(&x);
    }
}

static void what_cannot_be_done_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *vary, *column, *method, *why;
    } cases[] = {
        {cooling, "k2", "T", "dopri5", "there is no variable or parameter 'k2'; did you mean 'k'?"},
        {cooling, "a", "a", "dopri5", "'a' is a constant: it has no end value of its own"},
        {cooling, "a", "T", "bdf",
         "this model cannot be run as an ensemble: of the methods euler, heun, rk4, dopri5, "
         "dopri8, rodas3, "
         "rodas4 and rodas5p one is needed"},
        {cooling, "a", "T", "rk4",
         "this model cannot be run as an ensemble: the method has fixed steps only: give --step"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *vary[] = {cases[k].vary}, *columns[] = {cases[k].column, NULL};
        ensemble_options o = {.method = cases[k].method,
                              .t1 = 1,
                              .rel_tol = 1e-6,
                              .abs_tol = 1e-6,
                              .max_steps = 1000,
                              .vary = vary,
                              .n_vary = 1};
        open_ensemble x;
        ensemble_open(&x, cases[k].text, o, columns);
        assert_string_equal(x.why, cases[k].why);
        assert_null(x.e);
        ensemble_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_follow_a_closed_form),
        cmocka_unit_test(stiff_equations_that_read_the_time),
        cmocka_unit_test(fixed_steps_are_those_of_a_run),
        cmocka_unit_test(a_run_that_fails_is_one_row),
        cmocka_unit_test(what_cannot_be_done_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
