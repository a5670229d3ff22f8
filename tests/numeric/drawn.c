/* What figures are drawn from: a few rows, and yet smooth curves with every peak; the rows themselves stay
 * as they are.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "cmocka_all.h"

#include <math.h>
#include <string.h>

static const char *const pendulum =
    "model Pendulum Real phi(start = 1, fixed = true), w(start = 0, fixed = true); equation "
    "der(phi) = w; der(w) = -9.81*sin(phi); end Pendulum;";
static const char *const rod =
    "model Rod Real x(start = 1, fixed = true), y(start = 0), u(start = 0, fixed = true), v, F; "
    "equation der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81; x^2 + y^2 = 1; end Rod;";
static const char *const spark =
    "model Spark Real x(start = 0, fixed = true), twice; equation "
    "der(x) = exp(-((time - 0.5043)/2e-4)^2)*1e4 - 2e3*x; twice = 2*x; end Spark;";
static const char *const ball =
    "model Ball Real h(start = 1, fixed = true), v(start = 0, fixed = true); Integer n(start = 0, "
    "fixed = true); equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -0.8*pre(v)); "
    "n = pre(n) + 1; end when; end Ball;";

typedef struct drawn_run {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    const result *rows, *drawn;
} drawn_run;

static drawn_run run_of(const char *words, double stop, int intervals, bool detail,
                        const char *vars)
{
    drawn_run x = {.ctx = vinc_ctx_new(NULL)};
    vinc_sim_options o = {.has_stop = 1,
                          .t_stop = stop,
                          .intervals = intervals,
                          .detail = detail,
                          .vars = vars,
                          .only_vars = vars != NULL};
    assert_int_equal(vinc_model_load_text(x.ctx, "drawn.mo", words, strlen(words), NULL, &x.model),
                     VINC_OK);
    assert_int_equal(vinc_sim_new(x.model, &o, &x.sim), VINC_OK);
    assert_int_equal(vinc_sim_run(x.sim), VINC_OK);
    x.rows = vinc_sim_result(x.sim)->r;
    x.drawn = api_drawn(vinc_sim_result(x.sim));
    return x;
}

static void end(drawn_run *x)
{
    vinc_sim_free(x->sim);
    vinc_model_free(x->model);
    vinc_ctx_free(x->ctx);
}

static double most_of(const result *r, const char *name)
{
    double most = -INFINITY;
    int c = result_find(r, name);
    assert_true(c > 0);
    for (size_t i = 0; i < r->n_rows; i++) most = fmax(most, result_value(r, c, i));
    return most;
}

/* The middle of every piece of the polygon has the energy of the motion, whose sizes are 9.81 and 1: the
 * middle of a chord misses an arc by the square of its length. */
static void phase_plots_are_smooth(void **state)
{
    (void)state;
    drawn_run x = run_of(pendulum, 20, 10, true, NULL);
    int phi = result_find(x.drawn, "phi"), w = result_find(x.drawn, "w");
    double energy = -9.81 * cos(1), off = 0;
    assert_int_equal(x.rows->n_rows, 11);
    for (size_t i = 1; i < x.drawn->n_rows; i++) {
        double a = (result_value(x.drawn, phi, i) + result_value(x.drawn, phi, i - 1)) / 2;
        double b = (result_value(x.drawn, w, i) + result_value(x.drawn, w, i - 1)) / 2;
        off = fmax(off, fabs(b * b / 2 - 9.81 * cos(a) - energy));
    }
    assert_true(off < 0.01 * 9.81 * (1 - cos(1)));
    end(&x);
}

static void constraints_hold_between_rows(void **state)
{
    (void)state;
    drawn_run r = run_of(rod, 5, 5, true, NULL);
    int x = result_find(r.drawn, "x"), y = result_find(r.drawn, "y");
    assert_true(r.drawn->n_rows > 100);
    for (size_t i = 0; i < r.drawn->n_rows; i++) {
        double a = result_value(r.drawn, x, i), b = result_value(r.drawn, y, i);
        assert_true(fabs(a * a + b * b - 1) < 1e-5);
    }
    end(&r);
}

/* A peak of 0.0004 s between rows that are 0.05 s apart; its height from as many rows as it takes. */
static void peaks_between_rows_are_there(void **state)
{
    (void)state;
    drawn_run few = run_of(spark, 1, 20, true, NULL), all = run_of(spark, 1, 200000, false, NULL);
    double height = most_of(all.rows, "twice");
    assert_true(most_of(few.rows, "twice") < 0.1 * height);
    assert_true(fabs(most_of(few.drawn, "twice") - height) < 0.01 * height);
    assert_ptr_equal(all.rows, all.drawn); // not asked for
    end(&few);
    end(&all);
}

/* Bit by bit, whether figures are drawn or not; both rows of events are among what is drawn. */
static void rows_stay_as_they_are(void **state)
{
    static const char *const models[] = {pendulum, rod, spark, ball};
    (void)state;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        drawn_run a = run_of(models[k], 2, 30, true, NULL),
                  b = run_of(models[k], 2, 30, false, NULL);
        assert_int_equal(a.rows->n_rows, b.rows->n_rows);
        size_t at = 0, bytes = (size_t)a.rows->n_slots * sizeof(double);
        for (size_t i = 0; i < a.rows->n_rows; i++) {
            assert_memory_equal(result_row(a.rows, i), result_row(b.rows, i), bytes);
            for (; memcmp(result_row(a.drawn, at), result_row(a.rows, i), bytes); at++)
                assert_true(result_time(a.drawn, at) < result_time(a.rows, i));
            at++;
        }
        end(&a);
        end(&b);
    }
}

static void what_is_recorded_alone_is_drawn(void **state)
{
    (void)state;
    drawn_run x = run_of(ball, 2, 5, true, "h+1");
    assert_true(fabs(most_of(x.drawn, "h+1") - 2) < 1e-12);
    assert_true(x.drawn->n_rows > 3 * x.rows->n_rows);
    assert_int_equal(most_of(x.drawn, "n"), most_of(x.rows, "n")); // its value at the end
    end(&x);
}

/* 12000 turns, each of which needs some dozens of points: fewer are kept, and the range is still seen. */
static void memory_is_bounded(void **state)
{
    const char *words = "model Wheel Real a(start = 1, fixed = true), b(start = 0, fixed = true); "
                        "equation der(a) = -1000*b; der(b) = 1000*a; end Wheel;";
    (void)state;
    drawn_run x = run_of(words, 75, 10, true, NULL);
    assert_true(x.drawn->n_rows <= 2000000 / 3 + 11);
    assert_true(most_of(x.drawn, "b") > 0.98);
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phase_plots_are_smooth),
        cmocka_unit_test(constraints_hold_between_rows),
        cmocka_unit_test(peaks_between_rows_are_there),
        cmocka_unit_test(rows_stay_as_they_are),
        cmocka_unit_test(what_is_recorded_alone_is_drawn),
        cmocka_unit_test(memory_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
