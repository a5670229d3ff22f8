/* Events against closed forms, for every adaptive method.
 *
 * Impacts of a ball dropped from 1 m with restitution 0.8 and g = 9.81: t1 = sqrt(2/g),
 * t_k = t1 (1 + 2 (e + ... + e^(k-1))), which converges to t1 (1 + e)/(1 - e); height and velocity
 * at t = 3 from the parabola after the sixth impact. Incline, belt, thermostat and friction: the
 * closed forms are in the READMEs of the examples; belt and incline follow from piecewise constant
 * and harmonic motion.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/method.h"
#include "trial.h"

#include <math.h>
#include <stdlib.h>

static trial run(const char *example, const char *set, double value, const char *method, double tol,
                 double t_stop)
{
    char name[100];
    snprintf(name, sizeof name, "hybrid/%s", example);
    vinc_sim_options o = {
        .method = method, .rel_tol = tol, .has_stop = 1, .t_stop = t_stop, .intervals = 30};
    trial b = trial_ready(name, NULL, &o);
    if (!b.rc && set) b.rc = vinc_sim_set(b.sim, set, value);
    trial_run(&b);
    if (b.rc && b.rc != VINC_E_ZENO) print_error("%s: %s", method, vinc_ctx_messages(b.ctx));
    return b;
}

static const char *next_adaptive(int *i)
{
    while (vinc_methods[*i] && !(vinc_methods[*i]->traits & METHOD_ADAPTIVE)) ++*i;
    return vinc_methods[*i] ? vinc_methods[(*i)++]->name : NULL;
}

/* How near the end value of a run comes to the exact one, for a solution of size 1. Errors of tol
 * in each of the tol^(-1/(p+1)) steps add up; from order 5 on that is within ten times the
 * tolerance. */
static double reach(const char *method, double tol)
{
    double opt[METHOD_OPTIONS_MAX];
    int p = method_find(method, opt, NULL)->order_max;
    return 10 * (p >= 5 ? tol : pow(tol, p / (p + 1.0)));
}

static bool second_order(const char *method)
{
    double opt[METHOD_OPTIONS_MAX];
    return method_find(method, opt, NULL)->traits & METHOD_SECOND_ORDER;
}

static const double g = 9.81, e = 0.8;

static void impacts(void **state)
{
    (void)state;
    const double t1 = sqrt(2 / g);
    const char *method;
    for (int i = 0; (method = next_adaptive(&i));) {
        double t = t1, flight = 2 * t1;
        double tol = reach(method, 1e-10) > 1e-6 ? 1e-6 : 1e-10;
        double most = fmax(reach(method, tol), 1e-9);
        for (int k = 1; k <= 5; k++) {
            flight *= e;
            double top = t + 0.5 * flight; // of the next flight
            trial b = run("bouncing-ball", NULL, 0, method, tol, top);
            assert_int_equal(b.rc, VINC_OK);
            double error = vinc_result_at(b.result, "t_impact", top) - t;
            if (!(fabs(error) < most))
                print_error("%s: impact %d is off by %g\n", method, k, error);
            assert_near(vinc_result_at(b.result, "t_impact", top), t, most);
            assert_near(vinc_result_at(b.result, "n", top), k, 0);
            trial_end(&b);
            t += flight;
        }
        trial b = run("bouncing-ball", NULL, 0, method, tol, 3);
        assert_near(vinc_result_at(b.result, "h", 3), 0.06870746096576572, 10 * most);
        assert_near(vinc_result_at(b.result, "v", 3), -0.01535413338474476, 30 * most);
        trial_end(&b);
    }
}

static void accumulation(void **state)
{
    (void)state;
    const double limit = sqrt(2 / g) * (1 + e) / (1 - e); // 4.063712768871578
    const char *method;
    for (int i = 0; (method = next_adaptive(&i));) {
        trial b = run("bouncing-ball", NULL, 0, method, 1e-8, 5);
        assert_int_equal(b.rc, VINC_E_ZENO);
        const char *words = vinc_ctx_messages(b.ctx), *at = strstr(words, "accumulate at t = ");
        assert_non_null(at);
        double found = strtod(at + strlen("accumulate at t = "), NULL);
        // The last flights are no higher than the tolerance: their duration is known to sqrt(tol).
        double most = fmax(20 * reach(method, 1e-8), 1e-4);
        if (!(fabs(found - limit) < most)) print_error("%s: %s", method, words);
        assert_near(found, limit, most);
        if (most < 0.01)
            assert_near(vinc_result_at(b.result, "n", limit - 0.01), 27, 0); // it is kept
        trial_end(&b);
    }
}

typedef struct event_time {
    const char *example, *set;
    double value, t_stop;
    const char *name; // variable that is to have the value `exact` at the end
    double exact;
} event_time;

static const event_time closed_forms[] = {
    {"coulomb-incline", "mu", 0.3, 2, "t_rest", 0.3267582499669696},
    {"coulomb-incline", "mu", 0.3, 2, "x", -0.4987475977670976},
    {"coulomb-incline", "mu", 0.3, 2, "v", -0.9867143796976993},
    {"coulomb-incline", "mu", 0.5, 2, "t_rest", 0.2511171602610271},
    {"coulomb-incline", "mu", 0.5, 2, "x", 0.2511171602610271},
    {"coulomb-incline", "mu", 0.5, 2, "friction", 3.35521760602481},
    {"stick-slip-belt", NULL, 0, 41, "t_slip", 39.24},
    {"stick-slip-belt", NULL, 0, 50, "t_stick", 39.24 + 3.344764464469101},
    {"stick-slip-belt", NULL, 0, 64, "t_slip", 39.24 + 22.9647644644691},
    {"thermostat", NULL, 0, 1500, "t_off", 1284.0297981794365}, // 3600 ln(20/14)
    {"friction", NULL, 0, 8, "t_coulomb", 3.0581039755351678},
    {"friction", NULL, 0, 8, "t_both", 1.8556890482528758},
    {"friction", NULL, 0, 8, "t_breaks", 2.943},
    {"delay", NULL, 0, 3, "x", -1.0 / 6}, // 1 - t + (t - 1)^2/2 - (t - 2)^3/6
    {"delay", NULL, 0, 2.5, "x", 1 - 2.5 + 1.5 * 1.5 / 2 - 0.5 * 0.5 * 0.5 / 6},
    {"delay", "T", 0.5, 1.25, "x", 1 - 1.25 + 0.75 * 0.75 / 2 - 0.25 * 0.25 * 0.25 / 6},
    {"delay", NULL, 0, 8, "step", 2 - 1.0 / 128}, // after 8 jumps
};

static void examples(void **state)
{
    (void)state;
    const char *method;
    for (int i = 0; (method = next_adaptive(&i));)
        for (size_t k = 0; k < sizeof closed_forms / sizeof *closed_forms; k++) {
            const event_time *c = &closed_forms[k];
            if (second_order(method) && !strchr("cs", c->example[0])) continue; // no pairs x, v
            double tol = reach(method, 1e-8) > 1e-5 ? 1e-6 : 1e-8;
            trial b = run(c->example, c->set, c->value, method, tol, c->t_stop);
            assert_int_equal(b.rc, VINC_OK);
            double most = reach(method, tol) * fmax(1, fabs(c->exact));
            double error = vinc_result_at(b.result, c->name, c->t_stop) - c->exact;
            if (!(fabs(error) <= most))
                print_error("%s, %s: %s is off by %g, %g times the tolerance\n", method, c->example,
                            c->name, error, error / tol);
            assert_true(fabs(error) <= most);
            trial_end(&b);
        }
}

/* A point that goes round on a circle without a force is at (cos t, sin t). A sample holds a function
 * of the coordinate that the constraint gives, which is solved for again with every look and comes
 * out with another last bit: no event for that. The last of 539 samples by t = 20 is at
 * 0.0125 + 538 0.0371. */
static void samples_of_a_constrained_point(void **state)
{
    (void)state;
    static const char *const formulations[] = {"dummy", "project"};
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; i++) {
        trial b = trial_of(
            "model M\n"
            "Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), w(start = 1), T;\n"
            "discrete Real h(start = 0, fixed = true); Integer n(start = 0, fixed = true);\n"
            "equation\n"
            "der(x) = u; der(y) = w; der(u) = -T*x; der(w) = -T*y; x^2 + y^2 = 1;\n"
            "when sample(0.0125, 0.0371) then h = sqrt(1 + y^2); n = pre(n) + 1; end when; end M;",
            (vinc_sim_options){
                .has_stop = 1, .t_stop = 20, .rel_tol = 1e-8, .formulation = formulations[i]});
        double y = sin(0.0125 + 538 * 0.0371);
        assert_float_equal(vinc_result_at(b.result, "n", 20), 539, 0);
        assert_float_equal(vinc_result_at(b.result, "h", 20), sqrt(1 + y * y), 1e-6);
        trial_end(&b);
    }
}

/* A rectifier that begins to conduct from rest: the current is t^2 there, far below the tolerance,
 * and its sign must not be that of errors. Switchings in ten periods, and the voltage at the end: by
 * classical Runge-Kutta steps of 2e-6 s with i >= 0 in place of the diode, 17 and 7.414. */
static void conduction_begins_once(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL, "radau5", "bdf", "trbdf2"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        vinc_sim_options o = {.has_stop = 1, .t_stop = 0.2, .method = methods[k]};
        trial r = trial_start(NULL,
                              "model M Real i(start = 0, fixed = true), s, v, u(start = 0, fixed = "
                              "true); Boolean off; equation\n"
                              "0.01*der(i) = 10*sin(314.15926535897932*time) - v - u;\n"
                              "off = s < 0; v = s*(if off then 1 else 1e-5);\n"
                              "i = s*(if off then 1e-5 else 1); 1e-3*der(u) = i - u/50; end M;",
                              &o);
        vinc_sim_stats n;
        assert_int_equal(r.rc, VINC_OK);
        vinc_sim_statistics(r.sim, &n);
        if (n.events != 17) print_error("%s: %ld events\n", methods[k] ? methods[k] : "", n.events);
        assert_int_equal(n.events, 17);
        assert_true(fabs(vinc_result_at(r.result, "u", 0.2) - 7.414) < 0.01);
        trial_end(&r);
    }
}

/* z + 0.7 e^-t > 1.4 with z + z^3/5 = 2 t + 1/2, beside a constraint that the formulation leaves in
 * its equations: along x alone the condition would lead back, along the motion it does not. The time
 * by bisection. */
static void conditions_on_algebraic_unknowns(void **state)
{
    (void)state;
    double early = 0, late = 1;
    for (int k = 0; k < 60; k++) {
        double t = (early + late) / 2, z = 1.4 - 0.7 * exp(-t);
        *(z + 0.2 * z * z * z > 2 * t + 0.5 ? &early : &late) = t;
    }
    trial r = trial_of("model M Real x(start = 1, fixed = true), g, u, z(start = 0.5), "
                       "tau(start = -1, fixed = true); equation der(x) = -x; der(g) = u; "
                       "g = sin(time); z + 0.2*z^3 = 2*time + 0.5; "
                       "when z + 0.7*x > 1.4 then tau = time; end when; end M;",
                       (vinc_sim_options){.formulation = "direct", .has_stop = 1, .t_stop = 1});
    assert_near(vinc_result_at(r.result, "tau", 1), early, 1e-6);
    trial_end(&r);
}

/* A point that is moved along X(t), Y(t) by a constraint of index 3 and what makes them its solution;
 * an event of something else stops the integrator and begins it again, with steps that are short. */
static void restarts_beside_constraints(void **state)
{
    (void)state;
    for (double c = 0.3; c < 0.6; c += 0.1) {
        char model[1200];
        snprintf(
            model, sizeof model,
            "model M Real X = 0.949*exp(-3.391*time) + 3.34, Y = 0.858*exp(-2.672*time) + 0.852, "
            "U = -3.391*0.949*exp(-3.391*time), V = -2.672*0.858*exp(-2.672*time), "
            "L = 0.8*sin(4.633*time + 0.608) + 0.4, x(start = 4.289, fixed = true), "
            "y(start = 1.71), u(start = -3.218059, fixed = true), v(start = -2.2), F(start = 0.8), "
            "s(start = -0.26, fixed = true); Integer n(start = 0, fixed = true); equation "
            "der(x) = u; der(y) = v; der(u) = -3.391*U - 2*(x - X) + F*x - L*X; "
            "der(v) = -2.672*V - 2*(y - Y) + F*y - L*Y; x^2 + y^2 = X^2 + Y^2; "
            "der(s) = 3.8*cos(5.5*time + 1.756) - 1.7*(s - 0.693*sin(5.5*time + 1.756) + 0.942); "
            "when s < -%g then n = pre(n) + 1; end when; end M;",
            c);
        trial r = trial_of(model, (vinc_sim_options){.formulation = "direct",
                                                     .method = "radau",
                                                     .has_stop = 1,
                                                     .t_stop = 1,
                                                     .intervals = 10});
        for (double t = 0.1; t < 1.05; t += 0.1) {
            assert_near(vinc_result_at(r.result, "x", t), 0.949 * exp(-3.391 * t) + 3.34, 2e-5);
            assert_near(vinc_result_at(r.result, "y", t), 0.858 * exp(-2.672 * t) + 0.852, 2e-5);
        }
        trial_end(&r);
    }
}

/* A root on both sides of a crossing, at a tolerance at which the last step before it ends a rounding
 * beyond it: the row of that point is one of numbers. h = A cos(w t). */
static void rows_where_a_branch_ends(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M parameter Real A = 1.687, w = 1.876, c = 0.3016; Real h(start = A, fixed = true), "
        "q, g = A*cos(w*time); equation q = if h > 0 then sqrt(h) else -sqrt(-h); der(h) = -c*(q - "
        "(if g > 0 then sqrt(g) else -sqrt(-g))) - A*w*sin(w*time); end M;",
        (vinc_sim_options){.rel_tol = 1e-10, .has_stop = 1, .t_stop = 10, .intervals = 200});
    vinc_column time, q;
    assert_int_equal(vinc_result_column(r.result, 0, &time), VINC_OK);
    assert_int_equal(vinc_result_column(r.result, vinc_result_find(r.result, "q"), &q), VINC_OK);
    for (size_t k = 0; k < q.n; k++)
        assert_near(q.values[k] * fabs(q.values[k]), 1.687 * cos(1.876 * time.values[k]), 1e-7);
    trial_end(&r);
}

/* A pendulum that is pushed with kinks 1e-9 s apart. A step from one to the other divides what an iteration
 * leaves of the constraint by 3e-10: x was off by 0.02. The reference is the run of index 1 at 1e-9. */
static void kinks_of_time_at_index_three(void **state)
{
    (void)state;
    static const char text[] =
        "model M Real x(start = 1, fixed = true), y(start = 0), v(start = 0, fixed = true),"
        "  w(start = 0), F; equation der(x) = v; der(y) = w; x^2 + y^2 = 1; der(w) = -F*y - 9.81;"
        "  der(v) = -F*x + 0.1*abs(time - 0.3) + 0.1*abs(time - 0.300000001); end M;";
    trial r = trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 0.6, .rel_tol = 1e-9}),
          d = trial_of(text,
                       (vinc_sim_options){
                           .formulation = "direct", .has_stop = 1, .t_stop = 0.6, .rel_tol = 1e-6});
    assert_near(vinc_result_at(d.result, "x", 0.6), vinc_result_at(r.result, "x", 0.6), 1e-5);
    trial_end(&r);
    trial_end(&d);
}

/* y' = 1 + y up to y = 1, which is at ln 2, and 3 y from there: in a function, which makes no event. Exact: y(1) =
 * exp(3 (1 - ln 2)). Steps that jumped over y = 1 were off by 450 tolerances (radau), and 6e6 (sdirk4). */
static void jumps_of_functions(void **state)
{
    (void)state;
    static const char text[] = "model M function f input Real y; output Real r; algorithm"
                               "  r := if y < 1 then 1 + y else 3*y; end f;"
                               "  Real y(start = 0, fixed = true); equation der(y) = f(y); end M;";
    static const char *const methods[] = {"radau", "radau5", "dopri8", "rodas4", "sdirk4"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial r = trial_of(
            text,
            (vinc_sim_options){.method = methods[k], .has_stop = 1, .t_stop = 1, .rel_tol = 1e-10});
        assert_near(vinc_result_at(r.result, "y", 1), exp(3 * (1 - log(2))), 1e-9);
        trial_end(&r);
    }
}

/* A block that sticks: v is led back to 0 from both sides, and the friction of a function makes no event. Where no
 * way leads across, ends of steps must not be looked for again and again. The reference is rest: what moves
 * v is below the friction from the first stop on, so that v stays at 0 to within the tolerance. */
static void sliding_in_functions(void **state)
{
    (void)state;
    static const char text[] =
        "model M function f input Real v; output Real r; algorithm"
        "  r := if v > 0 then 1 else if v < 0 then -1 else 0; end f;"
        "  Real v(start = 0.1, fixed = true); equation der(v) = 0.5*sin(time) - f(v); end M;";
    trial r = trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 2, .rel_tol = 1e-3});
    assert_near(vinc_result_at(r.result, "v", 2), 0, 1e-2);
    trial_end(&r);
}

/* A hundred clocks that run down at 2 - 0.9^i, each once: no two events are of one source, and what looks
 * like a series that never ends is over after them. */
static void sources_that_end(void **state)
{
    (void)state;
    trial b = trial_of("model M parameter Integer n = 100;\n"
                       "  Real x[n](start = {2 - 0.9^i for i in 1:n}, each fixed = true);\n"
                       "  discrete Real at[n](each start = 0, each fixed = true);\n"
                       "equation for i in 1:n loop der(x[i]) = -1;\n"
                       "  when x[i] < 0 then at[i] = time; end when; end for;\n"
                       "end M;\n",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 3, .intervals = 10});
    for (int i = 1; i <= 100; i++) {
        char name[20];
        snprintf(name, sizeof name, "at[%d]", i);
        assert_near(vinc_result_at(b.result, name, 3), 2 - pow(0.9, i), 1e-9);
    }
    trial_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinks_of_time_at_index_three),
                                       cmocka_unit_test(jumps_of_functions),
                                       cmocka_unit_test(sliding_in_functions),
                                       cmocka_unit_test(impacts),
                                       cmocka_unit_test(accumulation),
                                       cmocka_unit_test(examples),
                                       cmocka_unit_test(conduction_begins_once),
                                       cmocka_unit_test(samples_of_a_constrained_point),
                                       cmocka_unit_test(conditions_on_algebraic_unknowns),
                                       cmocka_unit_test(restarts_beside_constraints),
                                       cmocka_unit_test(rows_where_a_branch_ends),
                                       cmocka_unit_test(sources_that_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
