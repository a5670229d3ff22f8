/* Motions along surfaces where conditions switch back and forth: friction as sign(v), relays, against
 * closed forms. Where both sides push onto g = 0 the motion is the convex combination of both that
 * stays on it (Filippov).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double at(trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

static trial run(const char *text, double stop, const char *method)
{
    // Many rows: values between them are linear.
    return trial_of(
        text,
        (vinc_sim_options){
            .has_stop = 1, .t_stop = stop, .rel_tol = 1e-8, .method = method, .intervals = 20000});
}

static const char *const methods[] = {NULL, "dopri5", "radau5", "bdf", "rodas4", "radau"};
enum { N_METHODS = sizeof methods / sizeof *methods };

#define NEAR(name, t, value, tol)                                                                  \
    do {                                                                                           \
        double x_ = at(&r, name, t);                                                               \
        if (!(fabs(x_ - (value)) < (tol)))                                                         \
            print_error("%s(%g) = %.12g, not %.12g\n", name, (double)(t), x_, (double)(value));    \
        assert_true(fabs(x_ - (value)) < (tol));                                                   \
    } while (0)

/* x' = -sign(x) from 1 is 1 - t, reaches 0 at t = 1 and stays. */
static void relay_comes_to_rest(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "model M Real x(start = 1, fixed = true); equation der(x) = -sign(x); end M;",
        "model M Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 1; end "
        "M;",
        "model M Real x(start = 1, fixed = true), u; Boolean high; equation high = x >= 0;\n"
        "u = if high then -1 else 1; der(x) = u; end M;",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int m = 0; m < N_METHODS; m++) {
            trial r = run(texts[k], 3, methods[m]);
            NEAR("x", 0.5, 0.5, 1e-7);
            NEAR("x", 1.5, 0, 1e-12);
            NEAR("der(x)", 2.5, 0, 1e-9);
            vinc_run *told;
            assert_int_equal(vinc_run_of(r.sim, &told), VINC_OK);
            assert_int_equal(told->n_slides, 1);
            assert_true(fabs(told->slides[0].from - 1) < 1e-6 && told->slides[0].to == 3);
            vinc_report_free(told);
            trial_end(&r);
        }
}

/* m x'' + k x = -F sign(v): half swings about +-F/k, each 2F/k shorter, of pi sqrt(m/k). From x = 1
 * with F/k = 0.075 the turning points are 1, -0.85, 0.7, -0.55, 0.4, -0.25, 0.1, and 0.05, where
 * k x < F: there it stays, and friction balances the spring. */
static void oscillator_sticks(void **state)
{
    (void)state;
    for (int m = 0; m < N_METHODS; m++) {
        trial r = run("model M parameter Real m = 1, k = 4, F = 0.3; Real f;\n"
                      "Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                      "equation der(x) = v; m*der(v) = -k*x - f; f = F*sign(v); end M;",
                      15, methods[m]);
        for (int j = 1; j <= 6; j++) NEAR("x", j * PI / 2, (j % 2 ? -1 : 1) * (1 - 0.15 * j), 1e-4);
        NEAR("x", 12, 0.05, methods[m] ? 1e-5 : 1e-8); // multistep methods: seven starts
        NEAR("x", 15, at(&r, "x", 12), 1e-12);
        NEAR("v", 13, 0, 1e-12);
        NEAR("f", 13, -4 * at(&r, "x", 13), 1e-9);
        NEAR("der(v)", 13, 0, 1e-9);
        trial_end(&r);
    }
}

/* A block on a belt that moves at u, held by a spring: it slides until it has the speed of the belt,
 * x = (F/k)(1 - cos t), v = sin t for m = k = F = 1: v = u = 1/2 at t = pi/6. Then it goes with the
 * belt until k x = F, and slides again: v = u cos(t - t1) about x = 1. */
static void block_on_a_belt(void **state)
{
    (void)state;
    double t0 = PI / 6, x0 = 1 - cos(t0), t1 = t0 + (1 - x0) / 0.5;
    for (int m = 0; m < N_METHODS; m++) {
        trial r =
            run("model M parameter Real u = 0.5; Real f, x(start = 0, fixed = true);\n"
                "Real v(start = 0, fixed = true);\n"
                "equation der(x) = v; der(v) = -x + f; f = if u - v > 0 then 1 else -1; end M;",
                t1 + 2, methods[m]);
        NEAR("v", 0.4, sin(0.4), 1e-6);
        NEAR("v", 1, 0.5, 1e-12);
        NEAR("x", 1, x0 + 0.5 * (1 - t0), 1e-7);
        NEAR("f", 1, x0 + 0.5 * (1 - t0), 1e-7); // what holds it balances the spring
        NEAR("x", t1 + 2, 1 + 0.5 * sin(2), 1e-6);
        NEAR("v", t1 + 2, 0.5 * cos(2), 1e-6);
        vinc_run *told;
        assert_int_equal(vinc_run_of(r.sim, &told), VINC_OK);
        assert_true(told->n_slides >= 1 && fabs(told->slides[0].from - t0) < 1e-6 &&
                    fabs(told->slides[0].to - t1) < 1e-6);
        vinc_report_free(told);
        trial_end(&r);
    }
}

/* x' = 1, y' = x + u with u = -2 above y = 0 and 1 below: both sides push onto y = 0 while -1 < x < 2,
 * where the motion is (1, 0) with u = -x. From (-1, 0.5) it comes there at t = 3 - sqrt(8), leaves at
 * x = 2, t = 3, upwards: y = (t - 3)^2/2. */
static void filippov_in_the_plane(void **state)
{
    (void)state;
    for (int m = 0; m < N_METHODS; m++) {
        trial r = run("model M Real x(start = -1, fixed = true), y(start = 0.5, fixed = true), u;\n"
                      "Real z = 3*u + y; equation der(x) = 1; der(y) = u + x;\n"
                      "u = if y > 0 then -2 else 1; end M;",
                      4, methods[m]);
        NEAR("y", 0.1, 0.5 - 0.3 + 0.005, 1e-7);
        NEAR("y", 1.7, 0, 1e-12);
        NEAR("u", 1.7, -0.7, 1e-7);
        NEAR("z", 1.7, -2.1, 1e-6);
        NEAR("u", 2.9, -1.9, 1e-7);
        NEAR("y", 4, 0.5, 1e-6);
        trial_end(&r);
    }
}

/* Two blocks with a spring between them, each with its own friction: they come to rest one after the
 * other. At rest the frictions balance the spring and each other. The sum x1 + x2 moves by the
 * frictions alone, and no more energy is lost than there was. */
static void two_blocks_stick(void **state)
{
    (void)state;
    trial r = run("model M parameter Real F1 = 0.3, F2 = 0.5, k = 2; Real f1, f2;\n"
                  "Real x1(start = 0, fixed = true), x2(start = 1.5, fixed = true);\n"
                  "Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);\n"
                  "Real lost(start = 0, fixed = true);\n"
                  "equation der(x1) = v1; der(x2) = v2; der(v1) = k*(x2 - x1) - f1;\n"
                  "der(v2) = -k*(x2 - x1) - f2; f1 = F1*sign(v1); f2 = F2*sign(v2);\n"
                  "der(lost) = f1*v1 + f2*v2; end M;",
                  20, NULL);
    double d = at(&r, "x2", 20) - at(&r, "x1", 20);
    NEAR("v1", 20, 0, 1e-12);
    NEAR("v2", 20, 0, 1e-12);
    NEAR("f1", 20, 2 * d, 1e-7);
    NEAR("f2", 20, -2 * d, 1e-7);
    assert_true(fabs(2 * d) < 0.3);
    NEAR("lost", 20, 1.5 * 1.5 - d * d, 1e-6); // k/2 (1.5^2 - d^2)
    trial_end(&r);
}

/* Three blocks in a row, drawn by a spring: they stick and slide in turn, two at the same time. The
 * values are those of tanh(v/eps) in place of sign(v), by bdf at 1e-11, for eps = 1e-5 and 1e-6, carried
 * on to eps = 0: they change with eps and its logarithm, so that 1e-6 is what they are good for. */
static void chain_of_blocks(void **state)
{
    (void)state;
    trial r = run("model M Real x[3](each start = 0, each fixed = true), f[3], p[4];\n"
                  "Real v[3](each start = 0, each fixed = true);\n"
                  "equation p[1] = 2*(sin(0.8*time) - x[1]); p[4] = 0;\n"
                  "for i in 2:3 loop p[i] = 2*(x[i - 1] - x[i]); end for;\n"
                  "for i in 1:3 loop der(x[i]) = v[i]; der(v[i]) = p[i] - p[i + 1] - f[i];\n"
                  "f[i] = 0.2*i*sign(v[i]); end for; end M;",
                  8, NULL);
    static const double at_5[] = {-0.14606876843, -0.27879185689, -0.29098801265},
                        at_6[] = {-0.14605152823, -0.27876636705, -0.29096782697};
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "x[%d]", i + 1);
        NEAR(name, 8, at_6[i] + (at_6[i] - at_5[i]) / 9, 1e-6);
    }
    trial_end(&r);
}

/* A force that grows and falls: A sin t, A = 1.3, against friction 1. It sticks until A sin t0 = 1, then
 * v = -A cos t - t + c until v = 0 at t1, where the force is less than 1; it sticks again until
 * t0 + pi, and goes the other way. */
static void pushed_to_and_fro(void **state)
{
    (void)state;
    const double A = 1.3, t0 = asin(1 / A), c = A * cos(t0) + t0, t2 = PI + t0;
    double t1 = 3;
    for (int k = 0; k < 50; k++) t1 -= (-A * cos(t1) - t1 + c) / (A * sin(t1) - 1);
    assert_true(t1 > 2.9 && t1 < PI);
    for (int m = 0; m < N_METHODS; m++) {
        trial r = run("model M Real v(start = 0, fixed = true), f, F = 1.3*sin(time);\n"
                      "equation der(v) = F - f; f = sign(v); end M;",
                      6, methods[m]);
        NEAR("v", 0.4, 0, 1e-9);
        NEAR("f", 0.4, A * sin(0.4), 1e-6);
        NEAR("v", 2, -A * cos(2) - 2 + c, 1e-6);
        NEAR("v", 3.2, 0, 1e-9);
        NEAR("f", 3.2, A * sin(3.2), 1e-6); // past t = pi it pulls the other way
        NEAR("v", 4.5, -A * cos(4.5) + A * cos(t2) + (4.5 - t2), 1e-6);
        trial_end(&r);
    }
}

/* sign(x)*sqrt(abs(x)) has no jump and makes no events; a state saved while it slides comes back. */
static void continuous_signs_and_saved_states(void **state)
{
    (void)state;
    trial r = run("model M Real x(start = 1, fixed = true);\n"
                  "equation der(x) = -sign(x)*x^2 - sign(x)*abs(x); end M;",
                  2, NULL);
    vinc_sim_stats n;
    vinc_sim_statistics(r.sim, &n);
    assert_int_equal(n.events, 0);
    trial_end(&r);
    vinc_sim_options o = {.has_stop = 1, .t_stop = 3, .intervals = 30};
    r = trial_ready(NULL,
                    "model M Real x(start = 1, fixed = true), y(start = 0, fixed = true), u;\n"
                    "equation der(x) = u; u = if x > 0 then -1 else 2; der(y) = u + 1; end M;",
                    &o);
    vinc_state *kept;
    assert_int_equal(vinc_sim_start(r.sim), VINC_OK);
    assert_true(vinc_sim_advance(r.sim, 2) >= 0);
    assert_int_equal(vinc_sim_save(r.sim, &kept), VINC_OK);
    for (int k = 0; k < 2; k++) {
        assert_true(vinc_sim_advance(r.sim, 3) >= 0);
        r.result = vinc_sim_result(r.sim);
        NEAR("y", 3, 2, 1e-6); // u = 0 from t = 1 on
        assert_int_equal(vinc_sim_restore(r.sim, kept), VINC_OK);
    }
    vinc_state_free(kept);
    trial_end(&r);
}

/* A gust 4 - 8 |t - 1| on a door of J = 2 with a hinge that holds 1.5: it breaks loose at t = 0.6875,
 * where the gust is 1.5, and rests after 1.5 + 0.640625/1.5, where the impulse of what is left of it
 * is spent. What was recorded meanwhile is not held against sign(0) = 0. */
static void a_door_in_a_gust(void **state)
{
    (void)state;
    trial r = trial_of("model Door Real phi(start = 0, fixed = true), w(start = 0, fixed = true);"
                       "Real gust = max(0, 4 - 8*abs(time - 1)); equation der(phi) = w;"
                       "2*der(w) = gust - 1.5*sign(w); end Door;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 5, .verify = 1});
    NEAR("w", 0.6875, 0, 1e-9);
    NEAR("w", 1.5, 0.640625 / 2, 1e-6);
    NEAR("w", 1.92, 0.75 * (1.5 + 0.640625 / 1.5 - 1.92), 1e-6);
    NEAR("w", 1.93, 0, 1e-9);
    assert_null(strstr(vinc_sim_messages(r.sim), "R125"));
    trial_end(&r);
}

/* A pendulum in Cartesian coordinates, with a dry hinge of moment 2. From rest at 30 degrees it swings
 * through to the angle a at which the weight has done the work of the friction, 9.81 (cos(a) - cos(pi/6))
 * = 2 (pi/6 - a), and stays there: 9.81 sin(a) is less than 2. Constraints that are held do not slide,
 * which is said together with what does. */
static void a_constrained_motion(void **state)
{
    (void)state;
    static const char text[] =
        "model Hinge Real x(start = 0.5, fixed = true), y(start = -0.86), lambda, s;\n"
        "  Real vx(start = 0, fixed = true), vy;\n"
        "equation der(x) = vx; der(y) = vy; x^2 + y^2 = 1; s = vy*x - vx*y;\n"
        "  der(vx) = -lambda*x + 2*sign(s)*y; der(vy) = -lambda*y - 2*sign(s)*x - 9.81;\n"
        "end Hinge;";
    vinc_sim_options o = {.has_stop = 1, .t_stop = 3, .rel_tol = 1e-8};
    trial held = trial_start(NULL, text, &o);
    assert_int_equal(held.rc, VINC_E_ZENO);
    assert_non_null(strstr(vinc_ctx_messages(held.ctx), "--formulation index1"));
    trial_end(&held);
    double a = -0.1;
    for (int k = 0; k < 30; k++) // Newton's method
        a -= (9.81 * (cos(a) - cos(PI / 6)) - 2 * (PI / 6 - a)) / (2 - 9.81 * sin(a));
    o.formulation = "index1";
    trial r = trial_of(text, o);
    NEAR("x", 2, sin(a), 1e-6);
    NEAR("x", 3, sin(a), 1e-6);
    NEAR("s", 2.5, 0, 1e-9);
    vinc_run *told;
    assert_int_equal(vinc_run_of(r.sim, &told), VINC_OK);
    assert_int_equal(told->n_slides, 1);
    vinc_report_free(told);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relay_comes_to_rest),
        cmocka_unit_test(oscillator_sticks),
        cmocka_unit_test(block_on_a_belt),
        cmocka_unit_test(filippov_in_the_plane),
        cmocka_unit_test(two_blocks_stick),
        cmocka_unit_test(chain_of_blocks),
        cmocka_unit_test(pushed_to_and_fro),
        cmocka_unit_test(a_door_in_a_gust),
        cmocka_unit_test(continuous_signs_and_saved_states),
        cmocka_unit_test(a_constrained_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
