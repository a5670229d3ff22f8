/* Runs in the hands of another integrator: here the classical method of Runge and Kutta, and halving of
 * steps where an indicator changes its sign. Held against closed forms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "vincolo.h"

#include <stdbool.h>

enum { STATES_MAX = 16 };

typedef struct rig {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    int n;
    double t, x[STATES_MAX];
    long events;
    double next_time;
    bool terminated;
} rig;

static rig lend(const char *words)
{
    rig r = {.ctx = vinc_ctx_new(NULL), .next_time = INFINITY};
    vinc_sim_options o = {.lend = 1};
    int rc = vinc_model_load_text(r.ctx, "m.mo", words, strlen(words), NULL, &r.model);
    if (!rc) rc = vinc_sim_new(r.model, &o, &r.sim);
    if (!rc) rc = vinc_sim_lend(r.sim);
    if (rc) fail_msg("%s", vinc_ctx_messages(r.ctx));
    r.n = vinc_sim_n_states(r.sim);
    assert_true(r.n <= STATES_MAX);
    assert_int_equal(vinc_sim_states(r.sim, r.x, NULL), VINC_OK);
    return r;
}

static void give_back(rig *r)
{
    vinc_sim_free(r->sim);
    vinc_model_free(r->model);
    vinc_ctx_free(r->ctx);
}

static double value(rig *r, const char *name)
{
    double x = NAN;
    int i = vinc_sim_find(r->sim, name);
    if (i < 0) fail_msg("%s", vinc_sim_messages(r->sim));
    assert_int_equal(vinc_sim_values(r->sim, &i, 1, &x), VINC_OK);
    return x;
}

static void event(rig *r)
{
    vinc_event_report e;
    assert_int_equal(vinc_sim_event(r->sim, &e), VINC_OK);
    assert_int_equal(vinc_sim_states(r->sim, r->x, NULL), VINC_OK);
    r->events++;
    r->next_time = e.next_time;
    r->terminated = e.terminated;
}

static void slope(rig *r, double t, const double *x, double *dx)
{
    assert_int_equal(vinc_sim_place(r->sim, t, x), VINC_OK);
    if (vinc_sim_rates(r->sim, dx)) fail_msg("%s", vinc_sim_messages(r->sim));
}

static void runge_kutta(rig *r, double h, double *to)
{
    double k[4][STATES_MAX], x[STATES_MAX];
    static const double part[] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < r->n; i++) x[i] = r->x[i] + (s ? part[s] * h * k[s - 1][i] : 0);
        slope(r, r->t + part[s] * h, x, k[s]);
    }
    for (int i = 0; i < r->n; i++)
        to[i] = r->x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* To t in steps of h; a step in which an indicator changes its sign is halved until it is tiny, and an
 * event follows. */
static void advance(rig *r, double t, double h)
{
    double g0[STATES_MAX], g1[STATES_MAX], x[STATES_MAX];
    int n_g = vinc_sim_n_indicators(r->sim), wanted = 0;
    assert_true(n_g <= STATES_MAX);
    while (r->t < t - 1e-12) {
        double end = fmin(t, r->next_time), step = fmin(h, end - r->t);
        bool crossed = false;
        vinc_sim_place(r->sim, r->t, r->x);
        assert_int_equal(vinc_sim_indicators(r->sim, g0), VINC_OK);
        for (;; step /= 2) {
            runge_kutta(r, step, x);
            assert_int_equal(vinc_sim_place(r->sim, r->t + step, x), VINC_OK);
            assert_int_equal(vinc_sim_indicators(r->sim, g1), VINC_OK);
            bool now = false;
            for (int i = 0; i < n_g; i++) now = now || (g0[i] > 0) != (g1[i] > 0);
            crossed = now;
            if (!now || step < 1e-12) break;
        }
        memcpy(r->x, x, sizeof x);
        r->t += step;
        assert_int_equal(vinc_sim_accept(r->sim, &wanted), VINC_OK);
        if (crossed || wanted || r->t >= r->next_time) event(r);
    }
}

/* ---- constraints ----------------------------------------------------------------------------- */

static const char pendulum[] =
    "model P\n  parameter Real L = 1, g = 9.81;\n"
    "  Real x(start = 1, fixed = true), y(start = 0), vx(start = 0, fixed = true), vy(start = 0), "
    "F;\n"
    "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -F*x;\n  der(vy) = -F*y - g;\n"
    "  x^2 + y^2 = L^2;\nend P;\n";

/* Released at the height of its pivot, it is back after T = 4 sqrt(L/g) K(1/sqrt 2), with
 * K(1/sqrt 2) = Gamma(1/4)^2 / (4 sqrt pi). On the way all choices of a fixed coordinate become
 * singular. */
static void constraints_hold_whatever_the_integrator_does(void **state)
{
    (void)state;
    rig r = lend(pendulum);
    double K = pow(tgamma(0.25), 2) / (4 * sqrt(M_PI)), T = 4 * K / sqrt(9.81), worst = 0;
    assert_int_equal(r.n, 2);
    assert_int_equal(vinc_sim_state_value(r.sim, 0), -1); // a combination of x and y
    for (int k = 1; k <= 200; k++) {
        advance(&r, T * k / 200, T / 2000);
        double x = value(&r, "x"), y = value(&r, "y");
        worst = fmax(worst, fabs(x * x + y * y - 1));
        worst = fmax(worst, fabs(x * value(&r, "vx") + y * value(&r, "vy")));
        assert_true(fabs(value(&r, "F") + 3 * 9.81 * y) < 1e-7); // v^2 = -2 g y, F = v^2 - g y
    }
    assert_true(worst < 1e-11);
    assert_true(r.events >= 3); // it turned by twice a half turn: the choice was made anew
    assert_true(fabs(value(&r, "x") - 1) < 1e-9);
    assert_true(fabs(value(&r, "vy")) < 1e-7);
    give_back(&r);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* A ball from h = 1: at the ground after sqrt(2/g), then up with 0.8 of its speed. */
static void state_events_are_found_by_indicators(void **state)
{
    (void)state;
    rig r = lend("model B\n  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                 "  discrete Integer n(start = 0, fixed = true);\nequation\n  der(h) = v;\n"
                 "  der(v) = -9.81;\n  when h < 0 then\n    reinit(v, -0.8*pre(v));\n"
                 "    n = pre(n) + 1;\n  end when;\nend B;\n");
    double t = sqrt(2 / 9.81), v = 9.81 * t, later = 0.2;
    assert_int_equal(r.n, 2);
    assert_int_equal(vinc_sim_state_value(r.sim, 0), vinc_sim_find(r.sim, "h"));
    advance(&r, t + later, 0.01);
    assert_true(value(&r, "n") == 1);
    assert_true(fabs(value(&r, "h") - (0.8 * v * later - 9.81 / 2 * later * later)) < 1e-10);
    advance(&r, t * (1 + 2 * 0.8) + later, 0.01);
    assert_true(value(&r, "n") == 2);
    assert_true(fabs(value(&r, "h") - (0.64 * v * later - 9.81 / 2 * later * later)) < 1e-9);
    give_back(&r);
}

static void times_of_events_are_foretold(void **state)
{
    (void)state;
    rig r = lend("model S\n  Real x(start = 0, fixed = true);\n  discrete Real k(start = 0, "
                 "fixed = true);\nequation\n  der(x) = k;\n  when sample(0.1, 0.3) then\n"
                 "    k = pre(k) + 1;\n  end when;\n  when time >= 0.85 then\n"
                 "    terminate(\"enough\");\n  end when;\nend S;\n");
    event(&r);
    assert_true(fabs(r.next_time - 0.1) < 1e-15);
    advance(&r, 0.6, 0.02); // k = 1 from 0.1, 2 from 0.4
    assert_true(fabs(value(&r, "x") - (0.3 + 2 * 0.2)) < 1e-12);
    advance(&r, 0.86, 0.02);
    assert_true(r.terminated || value(&r, "k") == 3);
    give_back(&r);
}

static void inputs_may_change_with_time(void **state)
{
    (void)state;
    rig r =
        lend("model I\n  input Real u(start = 0);\n  output Real y;\n  Real x(start = 0, fixed = "
             "true);\nequation\n  der(x) = u;\n  y = x + 2*u;\nend I;\n");
    int u = vinc_sim_find(r.sim, "u");
    double dx;
    for (int k = 0; k < 100; k++) { // midpoint rule: exact for u = t
        assert_int_equal(vinc_sim_set_input(r.sim, u, 0.01 * (k + 0.5)), VINC_OK);
        slope(&r, 0.01 * (k + 0.5), r.x, &dx);
        r.x[0] += 0.01 * dx;
    }
    assert_int_equal(vinc_sim_set_input(r.sim, u, 1), VINC_OK);
    assert_int_equal(vinc_sim_place(r.sim, 1, r.x), VINC_OK);
    assert_true(fabs(value(&r, "y") - 2.5) < 1e-14);
    give_back(&r);
}

/* y = x, but Newton's method for atan from further than 1.39 away leads nowhere: a point that is tried far
 * ahead is approached from the trajectory in parts. */
static void points_far_ahead_are_approached(void **state)
{
    (void)state;
    rig r = lend("model A\n  Real x(start = 0, fixed = true), y(start = 0);\nequation\n"
                 "  der(x) = 1;\n  atan(y - x) + 0.1*atan(10*(y - x)) = 0;\nend A;\n");
    static const double tried[] = {1, 3, 0.1, -5};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(vinc_sim_place(r.sim, 0.1 * (k + 1), &tried[k]), VINC_OK);
        assert_true(fabs(value(&r, "y") - tried[k]) < 1e-12);
    }
    give_back(&r);
}

/* A trigger without states, 2 y = tanh(20 (y + u)): two solutions for |u| < 0.383, and the one that it has. A row that
 * is asked for after a step that went beyond a jump is that of before. */
static void what_lies_back_is_not_what_came_later(void **state)
{
    (void)state;
    rig r = lend(
        "model T\n  Real u = time - 0.5, y(start = -0.5), x(start = 0, fixed = true);\nequation\n"
        "  2*y = tanh(20*(y + u));\n  der(x) = 1;\nend T;\n");
    int wanted = 0;
    for (int k = 1; k <= 20; k++) {
        double t = 0.05 * k, x = t;
        assert_int_equal(vinc_sim_place(r.sim, t, &x), VINC_OK);
        // tanh' = 1/10 where the lower branch ends: y = -0.474, u = 0.474 - 0.0909 = 0.383
        assert_true((value(&r, "y") > 0) == (t > 0.883));
        double back = t - 0.02;
        assert_int_equal(vinc_sim_place(r.sim, back, &back), VINC_OK);
        assert_true((value(&r, "y") > 0) == (back > 0.883));
        assert_int_equal(vinc_sim_place(r.sim, t, &x), VINC_OK);
        assert_int_equal(vinc_sim_accept(r.sim, &wanted), VINC_OK);
    }
    give_back(&r);
}

/* u^3 - 3 u = x has another solution, above 1, which the model says is none: where the branch below -1 ends, at
 * x = 2, there are no rates, and coming back the branch is the same. At x = 1.5 it is u = -1.2851 (the root of
 * the cubic, -2 cos(acos(0.75)/3 + 4 pi/3 - pi) by Cardano's formula for three real roots). */
static void solutions_that_assertions_rule_out_are_none(void **state)
{
    (void)state;
    rig r =
        lend("model F\n  Real x(start = -2, fixed = true), u(start = -2);\nequation\n  der(x) = "
             "-0.1*u;\n  u^3 - 3*u = x;\n  assert(u < 0.5, \"the lower branch\");\nend F;\n");
    double x = 2.5, rate, u = 2 * cos(acos(0.75) / 3 + 2 * acos(-1) / 3);
    assert_int_equal(vinc_sim_place(r.sim, 1, &x), VINC_OK);
    assert_int_equal(vinc_sim_rates(r.sim, &rate), VINC_E_EVALUATION);
    assert_non_null(strstr(vinc_sim_messages(r.sim), "no rates and algebraic variables"));
    x = 1.5;
    assert_int_equal(vinc_sim_place(r.sim, 1, &x), VINC_OK);
    assert_int_equal(vinc_sim_rates(r.sim, &rate), VINC_OK);
    assert_true(fabs(u * u * u - 3 * u - 1.5) < 1e-12 && u < -1);
    assert_true(fabs(rate + 0.1 * u) < 1e-10);
    give_back(&r);
}

/* The past of delay() is made of the points between steps. */
static void a_model_with_a_past_is_refused(void **state)
{
    (void)state;
    static const char words[] = "model D\n  Real x(start = 1, fixed = true);\nequation\n"
                                "  der(x) = -delay(x, 0.1);\nend D;\n";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model;
    vinc_sim *sim;
    assert_int_equal(vinc_model_load_text(ctx, "d.mo", words, strlen(words), NULL, &model),
                     VINC_OK);
    assert_int_equal(vinc_sim_new(model, &(vinc_sim_options){.lend = 1}, &sim), VINC_OK);
    assert_int_equal(vinc_sim_lend(sim), VINC_E_OPTION);
    assert_non_null(strstr(vinc_sim_messages(sim), "[C125]"));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* ---- states kept ----------------------------------------------------------------------------- */

static void a_state_comes_back_as_it_was(void **state)
{
    (void)state;
    rig r = lend(pendulum), other = lend(pendulum);
    vinc_state *kept, *read;
    double there[5];
    static const char *const names[] = {"x", "y", "vx", "vy", "F"};
    advance(&r, 0.5, 0.01);
    assert_int_equal(vinc_sim_save(r.sim, &kept), VINC_OK);
    rig at = r;
    advance(&r, 1.5, 0.01);
    for (int i = 0; i < 5; i++) there[i] = value(&r, names[i]);

    assert_int_equal(vinc_sim_restore(r.sim, kept), VINC_OK);
    r.t = at.t, memcpy(r.x, at.x, sizeof r.x);
    advance(&r, 1.5, 0.01);
    for (int i = 0; i < 5; i++) assert_true(value(&r, names[i]) == there[i]);

    // As bytes, in a run that has never been there; the choice of states comes along.
    size_t n = vinc_state_size(kept);
    unsigned char *bytes = malloc(n);
    assert_true(n > 0);
    assert_int_equal(vinc_state_write(kept, bytes, n - 1), VINC_E_OPTION);
    assert_int_equal(vinc_state_write(kept, bytes, n), VINC_OK);
    assert_int_equal(vinc_state_read(other.sim, bytes, n, &read), VINC_OK);
    assert_int_equal(vinc_sim_restore(other.sim, read), VINC_OK);
    other.t = at.t, memcpy(other.x, at.x, sizeof other.x);
    advance(&other, 1.5, 0.01);
    for (int i = 0; i < 5; i++) assert_true(value(&other, names[i]) == there[i]);
    vinc_state_free(read);

    bytes[n / 2] ^= 1; // damaged, cut, of another model
    assert_int_equal(vinc_state_read(other.sim, bytes, n, &read), VINC_E_OPTION);
    bytes[n / 2] ^= 1;
    assert_int_equal(vinc_state_read(other.sim, bytes, n - 8, &read), VINC_E_OPTION);
    rig ball =
        lend("model B\n  Real h(start = 1, fixed = true);\nequation\n  der(h) = -h;\nend B;\n");
    assert_int_equal(vinc_state_read(ball.sim, bytes, n, &read), VINC_E_OPTION);
    assert_null(read);
    give_back(&ball);
    free(bytes);
    vinc_state_free(kept);
    give_back(&r);
    give_back(&other);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static double derivative(rig *r, int unknown, int known)
{
    double one = 1, forward = NAN, back = NAN;
    vinc_slopes q = {&unknown, &known, 1, 1, 0};
    if (vinc_sim_slopes(r->sim, &q, &one, &forward)) fail_msg("%s", vinc_sim_messages(r->sim));
    q.transposed = 1;
    assert_int_equal(vinc_sim_slopes(r->sim, &q, &one, &back), VINC_OK);
    assert_true(fabs(forward - back) <= 1e-15 * fabs(forward));
    return forward;
}

/* z is the real root of a z^3 + z = x + u; k2 follows k. By the rule of implicit functions,
 * dz/dx = dz/du = 1/(3 a z^2 + 1) and dz/da = -z^3/(3 a z^2 + 1). */
static void derivatives_go_through_loops_and_parameters(void **state)
{
    (void)state;
    rig r =
        lend("model Z\n  parameter Real a = 0.7, k = 3, k2 = 2*k;\n  input Real u(start = 0.5);\n"
             "  Real x(start = 2, fixed = true), z(start = 1);\n  output Real y = -z*u;\n"
             "equation\n  a*z^3 + z = x + u;\n  der(x) = -k2*z;\nend Z;\n");
    int x = -1, rate = -1, u = vinc_sim_find(r.sim, "u"), a = vinc_sim_find(r.sim, "a"),
        k = vinc_sim_find(r.sim, "k"), z = vinc_sim_find(r.sim, "z"), y = vinc_sim_find(r.sim, "y"),
        k2 = vinc_sim_find(r.sim, "k2"), der = vinc_sim_find(r.sim, "der(x)");
    double at = value(&r, "z"), d = 1 / (3 * 0.7 * at * at + 1);
    assert_true(fabs(0.7 * at * at * at + at - 2.5) < 1e-14);
    const struct {
        int unknown, known;
        double is;
    } table[] = {
        {z, x, d},
        {z, u, d},
        {z, a, -at * at * at * d},
        {rate, x, -6 * d},
        {rate, u, -6 * d},
        {rate, k, -2 * at},
        {rate, k2, -at},
        {der, k, -2 * at},
        {y, u, -at - 0.5 * d},
        {y, x, -0.5 * d},
        {k2, k, 2},
        {u, u, 1},
        {rate, a, 6 * at * at * at * d},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double found = derivative(&r, table[i].unknown, table[i].known);
        if (!(fabs(found - table[i].is) < 1e-12))
            fail_msg("%zu: %.17g, not %.17g", i, found, table[i].is);
    }
    // Along a direction, and back: v^T (J w) = (J^T v)^T w.
    int unknowns[] = {z, rate, y}, knowns[] = {x, u, a, k};
    double w[] = {1, -2, 0.5, 3}, v[] = {0.3, -1, 2}, jw[3], jtv[4], left = 0, right = 0;
    vinc_slopes q = {unknowns, knowns, 3, 4, 0};
    assert_int_equal(vinc_sim_slopes(r.sim, &q, w, jw), VINC_OK);
    q.transposed = 1;
    assert_int_equal(vinc_sim_slopes(r.sim, &q, v, jtv), VINC_OK);
    for (int i = 0; i < 3; i++) left += v[i] * jw[i];
    for (int i = 0; i < 4; i++) right += w[i] * jtv[i];
    assert_true(fabs(left - right) < 1e-12 * fabs(left));
    int wrong = vinc_sim_find(r.sim, "y");
    q = (vinc_slopes){unknowns, &wrong, 1, 1, 0};
    assert_int_equal(vinc_sim_slopes(r.sim, &q, w, jw), VINC_E_OPTION);
    assert_non_null(strstr(vinc_sim_messages(r.sim), "[C124]"));
    give_back(&r);
}

/* F L^2 = vx^2 + vy^2 - g y on the circle; states are combinations: against differences of the rates,
 * of order 4. */
static void derivatives_heed_constraints(void **state)
{
    (void)state;
    rig r = lend(pendulum);
    int F = vinc_sim_find(r.sim, "F"), g = vinc_sim_find(r.sim, "g");
    advance(&r, 0.3, 0.01);
    assert_true(fabs(derivative(&r, F, g) + value(&r, "y")) < 1e-12);
    for (int known = 0; known < 2; known++)
        for (int rate = 0; rate < 2; rate++) {
            double x[2], dx[2], sum = 0, h = 1e-3;
            static const double weight[] = {1, -8, 0, 8, -1};
            for (int k = -2; k <= 2; k++) {
                memcpy(x, r.x, sizeof x);
                x[known] += k * h;
                slope(&r, r.t, x, dx);
                sum += weight[k + 2] * dx[rate] / (12 * h);
            }
            slope(&r, r.t, r.x, dx);
            double found = derivative(&r, -1 - rate, -1 - known);
            if (!(fabs(found - sum) < 1e-8 * (1 + fabs(sum))))
                fail_msg("%.12g, not %.12g", found, sum);
        }
    give_back(&r);
}

/* ---- wrong calls ----------------------------------------------------------------------------- */

static void wrong_calls_are_explained(void **state)
{
    (void)state;
    rig r = lend(pendulum);
    double x[2] = {NAN, 0};
    assert_int_equal(vinc_sim_advance(r.sim, 1), VINC_E_OPTION);
    assert_non_null(strstr(vinc_sim_messages(r.sim), "[C123]"));
    assert_int_equal(vinc_sim_place(r.sim, NAN, NULL), VINC_E_OPTION);
    assert_int_equal(vinc_sim_place(r.sim, 0, x), VINC_E_OPTION);
    // Beyond the rod there is no point: a failed evaluation leaves the run as it was.
    double far[2] = {r.x[0] + 50, r.x[1] + 50}, dx[2];
    assert_int_equal(vinc_sim_place(r.sim, 0, far), VINC_OK);
    assert_int_equal(vinc_sim_rates(r.sim, dx), VINC_E_EVALUATION);
    assert_int_equal(vinc_sim_place(r.sim, 0, r.x), VINC_OK);
    assert_int_equal(vinc_sim_rates(r.sim, dx), VINC_OK);
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK); // taken back
    assert_int_equal(vinc_sim_place(r.sim, 0, r.x), VINC_E_OPTION);
    assert_int_equal(vinc_sim_rates(r.sim, dx), VINC_OK); // can be read all the same
    give_back(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_hold_whatever_the_integrator_does),
        cmocka_unit_test(state_events_are_found_by_indicators),
        cmocka_unit_test(times_of_events_are_foretold),
        cmocka_unit_test(inputs_may_change_with_time),
        cmocka_unit_test(points_far_ahead_are_approached),
        cmocka_unit_test(what_lies_back_is_not_what_came_later),
        cmocka_unit_test(solutions_that_assertions_rule_out_are_none),
        cmocka_unit_test(a_model_with_a_past_is_refused),
        cmocka_unit_test(a_state_comes_back_as_it_was),
        cmocka_unit_test(derivatives_go_through_loops_and_parameters),
        cmocka_unit_test(derivatives_heed_constraints),
        cmocka_unit_test(wrong_calls_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
