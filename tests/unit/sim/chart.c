/* The chart of steps: one row per accepted step, with what is known at its end. The problem is an
 * oscillator, x' = v, v' = -x, with energy (x^2 + v^2)/2 and x^2 + v^2 - 1 as its constraint.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "sim/sim.h"

static int residual(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t;
    r[0] = yp[0] - y[1];
    r[1] = yp[1] + y[0];
    return 0;
}

static int rhs(void *user, double t, double *y, double *yp)
{
    (void)user, (void)t;
    yp[0] = y[1];
    yp[1] = -y[0];
    return 0;
}

static int violation(void *user, double t, const double *y, const double *yp, double v[3])
{
    (void)user, (void)t, (void)yp;
    v[0] = fabs(y[0] * y[0] + y[1] * y[1] - 1);
    v[1] = v[2] = -1;
    return 0;
}

static int energy(void *user, double t, const double *y, const double *yp, double *e)
{
    (void)user, (void)t, (void)yp;
    *e = (y[0] * y[0] + y[1] * y[1]) / 2;
    return 0;
}

static void run(const char *method, double step, result *steps, sim_outcome *done)
{
    mem m = mem_std();
    const uint8_t differential[] = {1, 1};
    vinc_problem p = {.n = 2,
                      .residual = residual,
                      .rhs = rhs,
                      .differential = differential,
                      .violation = violation,
                      .energy = energy};
    double y[] = {1, 0}, yp[] = {0, -1};
    sim_options o = {.method = method,
                     .t_stop = 10,
                     .rel_tol = 1e-6,
                     .step = step,
                     .intervals = 7,
                     .steps = steps};
    result *into;
    result_new(&m, &into);
    result_add(into, "x", "", "", RESULT_REAL);
    result_add(into, "v", "", "", RESULT_REAL);
    assert_int_equal(sim_chart_columns(&p, steps), 0);
    assert_int_equal(sim_run(&m, &p, y, yp, &o, into, done), 0);
    result_free(into);
}

static double at(const result *r, const char *name, size_t row)
{
    int c = result_find(r, name);
    assert_true(c > 0);
    return result_value(r, c, row);
}

static void every_step_has_a_row(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    sim_outcome done;
    result_new(&m, &r);
    run("dopri5", 0, r, &done);
    assert_int_equal(r->n_rows, done.stats.steps);
    double sum = 0, most = 0;
    for (size_t i = 0; i < r->n_rows; i++) {
        sum += at(r, "step", i);
        assert_near(sum, result_time(r, i), 1e-12); // steps follow each other from 0
        assert_near(at(r, "order", i), 4.5, 0.5); // a pair of orders 5 and 4
        // violation is twice the change of energy, by their formulas
        assert_near(at(r, "position", i), fabs(2 * at(r, "energy", i) - 1), 1e-15);
        assert_true(isnan(at(r, "velocity", i))); // there is no such constraint
        most = fmax(most, at(r, "position", i));
    }
    assert_near(sum, 10, 1e-12);
    assert_true(most > 0 && most <= done.violation[0]); // which output points count in, too
    text_done(&done.message);
    result_free(r);
}

static void fixed_steps_are_seen(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    sim_outcome done;
    result_new(&m, &r);
    run("rk4", 0.25, r, &done);
    assert_int_equal(r->n_rows, 40);
    for (size_t i = 0; i < r->n_rows; i++) assert_near(at(r, "step", i), 0.25, 1e-14);
    text_done(&done.message);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_a_row),
        cmocka_unit_test(fixed_steps_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
