/* Events inside kernels: closed forms, and ordinary runs of the same models.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "ensemble/ens_ptx.h"
#include "ensemble/lanes.h"
#include "open_ensemble.h"
#include "support/ptx_machine.h"
#include "target/ptx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 2 };

typedef struct batch {
    open_ensemble x;
    ensemble_options o;
    double *in, *out;
} batch;

/* RUNS runs, what is varied spread between low and high; by lanes, and bit by bit the same from PTX. */
static void batch_run(batch *q, const char *model, ensemble_options o, const char *const *columns,
                      const double *low, const double *high)
{
    q->o = o;
    ensemble_open(&q->x, model, o, columns);
    assert_string_equal(q->x.why, "");
    size_t n_in = (size_t)q->x.e->n_in, n_out = (size_t)q->x.e->n_out;
    q->in = calloc(n_in * RUNS, 8), q->out = calloc(n_out * RUNS, 8);
    double *other = calloc(n_out * RUNS, 8);
    for (size_t i = 0; i < RUNS; i++) {
        double values[OPEN_MAX];
        for (int k = 0; k < o.n_vary; k++)
            values[k] = low[k] + (high[k] - low[k]) * (double)((i + (size_t)k) % RUNS) / (RUNS - 1);
        ensemble_put(&q->x, &o, values, q->in, RUNS, i);
    }
    ens_lanes *lanes;
    assert_int_equal(ens_lanes_new(&q->x.m, &q->x.e->lanes, &lanes), 0);
    ens_lanes_run(lanes, q->in, q->out, RUNS, 0, RUNS);
    ens_lanes_free(lanes);
    for (int refill = 0; refill < 2; refill++) {
        text ptx;
        text_init(&ptx, &q->x.m);
        if (ens_ptx_print(&q->x.e->alone, &(ens_ptx_options){.refill = refill}, &ptx)) {
            char why[200] = "";
            ptx_machine *m = ptx_machine_new(text_str(&ptx), why);
            if (!m) fail_msg("%s", why);
            uint64_t arguments[] = {(uint64_t)(uintptr_t)q->in, (uint64_t)(uintptr_t)other, RUNS};
            if (ptx_machine_launch(m, "vinc_ensemble", 1, refill ? 2 : RUNS + 3, arguments, 3, why))
                fail_msg("%s", why);
            ptx_machine_free(m);
            bool exact = !ptx_needs(q->x.e->alone.body);
            for (size_t k = 0; k < n_out * RUNS; k++) {
                double room = exact ? 0 : 1e-6 * (1 + fabs(q->out[k]));
                if (!(fabs(other[k] - q->out[k]) <= room))
                    fail_msg("output %zu of run %zu: %.17g, not %.17g", k / RUNS, k % RUNS,
                             other[k], q->out[k]);
            }
        }
        text_done(&ptx);
    }
    free(other);
}

static void batch_close(batch *q)
{
    free(q->in), free(q->out);
    ensemble_close(&q->x);
}

/* Every value as in an ordinary run of tolerance 1e-10 by another method. */
static void like_ordinary_runs(const char *model, ensemble_options o, const char *const *columns,
                               const double *low, const double *high, const char *method,
                               double room)
{
    batch q;
    batch_run(&q, model, o, columns, low, high);
    for (size_t i = 0; i < RUNS; i++) {
        double values[OPEN_MAX];
        for (int k = 0; k < o.n_vary; k++) values[k] = q.in[(size_t)k * RUNS + i];
        if (q.out[i] != ENS_DONE) fail_msg("run %zu: status %g", i, q.out[i]);
        for (size_t k = 0; columns[k]; k++) {
            double expect = ensemble_reference(model, &o, values, columns[k], method, 1e-10);
            if (!(fabs(q.out[(k + 1) * RUNS + i] - expect) <= room * (1 + fabs(expect))))
                fail_msg("%s of run %zu (%g, %g): %.12g, not %.12g", columns[k], i, values[0],
                         values[1], q.out[(k + 1) * RUNS + i], expect);
        }
    }
    batch_close(&q);
}

static const char ball[] =
    "model Ball\n  parameter Real e = 0.7;\n  Real h(start = 1, fixed = true), v(start = 0, fixed "
    "= true);\n"
    "  Integer n(start = 0, fixed = true);\nequation\n  der(h) = v;\n  der(v) = -9.81;\n"
    "  when h < 0 then\n    reinit(v, -e*pre(v));\n    n = pre(n) + 1;\n  end when;\nend Ball;\n";

/* Height and velocity after k bounces: it meets the ground with v0 = sqrt(2 g), leaves it with e^k v0,
 * and flies for 2 e^k v0/g. */
static void ball_at(double e, double t, double *h, double *v, int *n)
{
    double g = 9.81, v0 = sqrt(2 * g), from = v0 / g, up = e * v0;
    *n = 0;
    if (t < from) {
        *h = 1 - g * t * t / 2;
        *v = -g * t;
        return;
    }
    for (*n = 1; t > from + 2 * up / g; ++*n) from += 2 * up / g, up *= e;
    *h = up * (t - from) - g * (t - from) * (t - from) / 2;
    *v = up - g * (t - from);
}

static const char *const columns_ball[] = {"h", "v", "n", NULL}, *const vary_e[] = {"e"};

static void impacts_follow_a_closed_form(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "dopri8",  "rodas4",
                                          "rodas3", "rodas5p", "dopri5"};
    for (int m = 0; m < 6; m++) {
        double t0 =
            m == 5 ? 1e6 : 0; // late, impacts are as far apart as roundings of the time allow
        ensemble_options o = {.method = methods[m],
                              .t0 = t0,
                              .t1 = t0 + 2,
                              .rel_tol = 1e-8,
                              .abs_tol = 1e-8,
                              .max_steps = 100000,
                              .vary = vary_e,
                              .n_vary = 1};
        batch q;
        batch_run(&q, ball, o, columns_ball, (double[]){0.75}, (double[]){0.95});
        for (int i = 0; i < RUNS; i++) {
            double h, v;
            int n;
            ball_at(q.in[i], 2, &h, &v, &n);
            if (q.out[i] != ENS_DONE || !(fabs(q.out[RUNS + i] - h) < 1e-6) ||
                !(fabs(q.out[2 * RUNS + i] - v) < 1e-6) || q.out[3 * RUNS + i] != n)
                fail_msg("%s, e = %g: status %g, h %.10g, not %.10g, n %g, not %d", methods[m],
                         q.in[i], q.out[i], q.out[RUNS + i], h, q.out[3 * RUNS + i], n);
        }
        batch_close(&q);
    }
}

/* x' = 1e6 (sin t - x) is sin t but for 1e-6, and smooth steps would be long: it is above `level` for a
 * short while around pi/2 + 2 pi k, from asin(level) + 2 pi k on. */
static void short_pulses_of_stiff_unknowns_are_seen(void **state)
{
    (void)state;
    static const char pulses[] =
        "model Pulses\n  parameter Real level = 0.999;\n  Real x(start = 0, fixed = true);\n"
        "  Integer n(start = 0, fixed = true);\n  discrete Real last(start = 0, fixed = true);\n"
        "equation\n  der(x) = 1e6*(sin(time) - x);\n"
        "  when x > level then n = pre(n) + 1; last = time; end when;\nend Pulses;\n";
    static const char *const vary[] = {"level"}, *const columns[] = {"n", "last", NULL};
    ensemble_options o = {.t1 = 34, // the sixth pulse is at 32.99
                          .rel_tol = 1e-7,
                          .abs_tol = 1e-7,
                          .max_steps = 100000,
                          .vary = vary,
                          .n_vary = 1};
    for (int m = 0; m < 2; m++) {
        o.method = m ? "rodas3" : "rodas4";
        batch q;
        batch_run(&q, pulses, o, columns, (double[]){0.9995}, (double[]){0.9999});
        for (int i = 0; i < RUNS; i++) {
            double last = asin(q.in[i]) + 10 * acos(-1), slope = sqrt(1 - q.in[i] * q.in[i]);
            if (q.out[i] != ENS_DONE || q.out[RUNS + i] != 6 ||
                !(fabs(q.out[2 * RUNS + i] - last) < 2e-5 / slope))
                fail_msg("%s, level %g: status %g, %g pulses, the last at %.10g, not %.10g",
                         o.method, q.in[i], q.out[i], q.out[RUNS + i], q.out[2 * RUNS + i], last);
        }
        batch_close(&q);
    }
}

/* Infinitely many bounces until t = sqrt(2/g) (1 + e)/(1 - e), 1.4 and less here: only an ordinary run
 * can say so. */
static void events_without_end_are_handed_back(void **state)
{
    (void)state;
    ensemble_options o = {.method = "dopri5",
                          .t1 = 3,
                          .rel_tol = 1e-8,
                          .abs_tol = 1e-8,
                          .max_steps = 100000,
                          .vary = vary_e,
                          .n_vary = 1};
    batch q;
    batch_run(&q, ball, o, columns_ball, (double[]){0.3}, (double[]){0.5});
    for (int i = 0; i < RUNS; i++)
        if (q.out[i] != ENS_HAND_BACK) fail_msg("e = %g: status %g", q.in[i], q.out[i]);
    batch_close(&q);
}

/* A heater with hysteresis, switched by its own Boolean; times of switching are sums of logarithms. */
static void modes_are_those_of_a_run(void **state)
{
    (void)state;
    static const char heater[] =
        "model Heater\n  parameter Real P = 40, width = 1;\n  Real T(start = 10, fixed = true), "
        "E(start = 0, fixed = true);\n  Boolean on(start = true, fixed = true);\n  Integer "
        "switched(start = 0, fixed = true);\nequation\n"
        "  on = T < 20 - width or pre(on) and T < 20 + width;\n"
        "  der(T) = (if on then P else 0) - 0.8*T;\n  der(E) = if on then P else 0;\n"
        "  when change(on) then switched = pre(switched) + 1; end when;\nend Heater;\n";
    static const char *const vary[] = {"P", "width"}, *const columns[] = {"T", "E", "switched",
                                                                          NULL};
    ensemble_options o = {
        .t1 = 10, .rel_tol = 1e-8, .abs_tol = 1e-8, .max_steps = 100000, .vary = vary, .n_vary = 2};
    o.method = "dopri5";
    like_ordinary_runs(heater, o, columns, (double[]){30, 0.5}, (double[]){60, 2}, "dopri8", 1e-6);
    o.method = "rodas4";
    like_ordinary_runs(heater, o, columns, (double[]){30, 0.5}, (double[]){60, 2}, "dopri8", 1e-5);
}

/* x' = 1 before a, -k x after it: x(2) = a exp(-k (2 - a)); a second relation of time adds 1 at a/2,
 * and the run ends when x falls below 0.4. */
static void times_and_ends(void **state)
{
    (void)state;
    static const char text_[] = "model Times\n  parameter Real a = 1, k = 1;\n  Real x(start = 0, "
                                "fixed = true);\n  Real t = "
                                "time;\n"
                                "  discrete Real top(start = 0, fixed = true);\nequation\n"
                                "  der(x) = if time < a then 1 else -k*x;\n"
                                "  when time > a/2 then reinit(x, pre(x) + 1); end when;\n"
                                "  when x < pre(top)/3 then terminate(\"low\"); end when;\n"
                                "  when time >= a then top = x; end when;\nend Times;\n";
    static const char *const vary[] = {"a", "k"}, *const columns[] = {"x", "t", "top", NULL};
    ensemble_options o = {.method = "dopri5",
                          .t1 = 2,
                          .rel_tol = 1e-9,
                          .abs_tol = 1e-9,
                          .max_steps = 100000,
                          .vary = vary,
                          .n_vary = 2};
    batch q;
    batch_run(&q, text_, o, columns, (double[]){0.5, 0.5}, (double[]){1.5, 2.5});
    for (int i = 0; i < RUNS; i++) {
        double a = q.in[i], k = q.in[RUNS + i], end = fmin(2, a + log(3) / k);
        double x = (a + 1) * exp(-k * (end - a));
        if (q.out[i] != ENS_DONE || !(fabs(q.out[RUNS + i] - x) < 1e-7) ||
            !(fabs(q.out[2 * RUNS + i] - end) < 1e-7) ||
            !(fabs(q.out[3 * RUNS + i] - a - 1) < 1e-7))
            fail_msg("a %g, k %g: status %g, x %.10g, not %.10g, t %.10g, not %.10g", a, k,
                     q.out[i], q.out[RUNS + i], x, q.out[2 * RUNS + i], end);
    }
    batch_close(&q);
}

/* A rectifier: an ideal diode between a source and a capacitor with its load. */
static void diodes_switch(void **state)
{
    (void)state;
    static const char rectifier[] =
        "model Rectifier\n  parameter Real R = 10, C = 0.05;\n  Real u(start = 0, fixed = true), "
        "i, v, s;\n  Boolean off(start = true);\nequation\n  off = s < 0;\n"
        "  v = s*(if off then 1 else 1e-3);\n  i = s*(if off then 1e-6 else 1);\n"
        "  v + 0.5*i + u = sin(6*time);\n  C*der(u) = i - u/R;\nend Rectifier;\n";
    static const char *const vary[] = {"R", "C"}, *const columns[] = {"u", "i", NULL};
    ensemble_options o = {.method = "rodas4",
                          .t1 = 4,
                          .rel_tol = 1e-7,
                          .abs_tol = 1e-7,
                          .max_steps = 100000,
                          .vary = vary,
                          .n_vary = 2};
    like_ordinary_runs(rectifier, o, columns, (double[]){5, 0.02}, (double[]){20, 0.2}, "radau5",
                       1e-5);
}

/* The pendulum in Cartesian coordinates goes over its top: its states are chosen again and again. */
static void constraints_turn(void **state)
{
    (void)state;
    static const char pendulum[] =
        "model Pendulum\n  parameter Real L = 1, w = 1;\n  Real x(start = L), y, vx, vy(start = "
        "w), "
        "F;\ninitial equation\n  x = L;\n  vy = w;\nequation\n"
        "  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -F*x/L;\n  der(vy) = -F*y/L - 9.81;\n"
        "  x^2 + y^2 = L^2;\nend Pendulum;\n";
    static const char *const vary[] = {"L", "w"}, *const columns[] = {"x", "y", "vx", NULL};
    ensemble_options o = {.method = "rodas4",
                          .t1 = 3,
                          .rel_tol = 1e-8,
                          .abs_tol = 1e-8,
                          .max_steps = 100000,
                          .vary = vary,
                          .n_vary = 2};
    like_ordinary_runs(pendulum, o, columns, (double[]){0.7, -8}, (double[]){1.2, 8}, "radau5",
                       1e-5);
}

static void what_events_cannot_be_done_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *equation, *method, *why;
    } cases[] = {
        {"when sample(0, 0.1) then n = pre(n) + 1; end when;", "dopri5",
         "this model cannot be run as an ensemble: it has sample()"},
        {"when x > delay(x, 0.1) then n = pre(n) + 1; end when;", "dopri5",
         "this model cannot be run as an ensemble: it has delay()"},
        {"when terminal() then n = pre(n) + 1; end when;", "dopri5",
         "this model cannot be run as an ensemble: it has terminal()"},
        {"when x > 1 then n = pre(n) + 1; end when;", "heun",
         "this model cannot be run as an ensemble: the method has fixed steps only: give --step"},
    };
    static const char *const vary[] = {"a"}, *const columns[] = {"x", NULL};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char model[600];
        snprintf(model, sizeof model,
                 "model M\n  parameter Real a = 1;\n  Real x(start = 0, fixed = true);\n  Integer "
                 "n(start = 0, fixed = true);\nequation\n  der(x) = a;\n  %s\nend M;\n",
                 cases[k].equation);
        ensemble_options o = {.method = cases[k].method,
                              .t1 = 1,
                              .rel_tol = 1e-6,
                              .abs_tol = 1e-6,
                              .max_steps = 1000,
                              .vary = vary,
                              .n_vary = 1};
        open_ensemble x;
        ensemble_open(&x, model, o, columns);
        assert_string_equal(x.why, cases[k].why);
        ensemble_close(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_follow_a_closed_form),
        cmocka_unit_test(short_pulses_of_stiff_unknowns_are_seen),
        cmocka_unit_test(events_without_end_are_handed_back),
        cmocka_unit_test(modes_are_those_of_a_run),
        cmocka_unit_test(times_and_ends),
        cmocka_unit_test(diodes_switch),
        cmocka_unit_test(constraints_turn),
        cmocka_unit_test(what_events_cannot_be_done_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
