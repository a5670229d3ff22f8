/* The systems of examples/systems against numbers from elsewhere: operating points, invariants of
 * motion, rules of thumb of their field, and a second integration written here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "vincolo.h"

#include <stdio.h>

static const double PI = 3.14159265358979324, G = 9.81;

typedef struct system_run {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
} system_run;

static system_run start(const char *name, double tol, const char *set, double value)
{
    system_run x = {.ctx = vinc_ctx_new(NULL)};
    char path[600];
    snprintf(path, sizeof path, VINCOLO_ROOT "/examples/systems/%s/model.mo", name);
    vinc_sim_options o = {.rel_tol = tol};
    vinc_ctx_add_path(x.ctx, VINCOLO_ROOT "/lib");
    int rc = vinc_model_load(x.ctx, path, NULL, &x.model);
    if (!rc) rc = vinc_sim_new(x.model, &o, &x.sim);
    if (!rc && set) rc = vinc_sim_set(x.sim, set, value);
    if (!rc) rc = vinc_sim_run(x.sim);
    if (rc) print_error("%s: %s", name, vinc_ctx_messages(x.ctx));
    assert_int_equal(rc, VINC_OK);
    return x;
}

static void end(system_run *x)
{
    vinc_sim_free(x->sim);
    vinc_model_free(x->model);
    vinc_ctx_free(x->ctx);
}

static double at(const system_run *x, const char *name, double t)
{
    return vinc_result_at(vinc_sim_result(x->sim), name, t);
}

static void near(double got, double want, double error, const char *what)
{
    if (!(fabs(got - want) <= error)) print_error("%s = %.12g, not %.12g\n", what, got, want);
    assert_true(fabs(got - want) <= error);
}

/* The transistor's operating point by bisection, and its exponential in front of Rc || R at the
 * beginning, while the capacitors hold their voltages. */
static void amplifier(void **state)
{
    (void)state;
    const double beta = 200, Is = 1e-15, Vt = 0.02585, Re = 1e3, Rc = 4.7e3, R = 47e3;
    double open = 12 * 8.2 / (47 + 8.2), Rb = 47e3 * 8.2e3 / (47e3 + 8.2e3), low = 0, high = 1e-3;
    for (int k = 0; k < 200; k++) {
        double ib = (low + high) / 2;
        double rest = open - ib * Rb - Vt * log(1 + beta * ib / Is) - (1 + beta) * ib * Re;
        if (rest > 0) low = ib;
        else high = ib;
    }
    double ic = beta * low, t = 1e-5, vin = 0.01 * sin(2 * PI * 1000 * t);
    double want = -(Rc * R / (Rc + R)) * ic * (exp(vin / Vt) - 1);
    system_run x = start("amplifier", 1e-8, NULL, 0);
    near(at(&x, "rc.i", 0), ic, 1e-6 * ic, "collector current at rest");
    near(at(&x, "vout", t), want, 0.005 * -want, "output");
    end(&x);
}

/* At rest at 20 rad/s: torque 0.4 + 0.02 w through a gear of 10, i = T/k, u = R i + k w. The load
 * goes beyond, far more where the integral winds up. */
static void dc_drive(void **state)
{
    (void)state;
    double most[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        system_run x = start("dc-drive", 1e-8, k ? "controller.Tt" : NULL, 1e6);
        if (!k) {
            near(at(&x, "load.w", 2), 20, 1e-3, "speed");
            near(at(&x, "motor.i", 2), 0.8 / 10 / 0.05, 1e-2, "current");
            near(at(&x, "controller.y", 2), 0.5 * 1.6 + 0.05 * 200, 1e-2, "voltage");
        }
        for (int i = 0; i <= 200; i++) most[k] = fmax(most[k], at(&x, "load.w", 0.01 * i));
        end(&x);
    }
    assert_true(most[0] < 21 && most[1] > 29);
}

/* h' = (in - out)/A with the law of the orifices, by the classical Runge-Kutta method. */
static void levels(const double *h, double *rate)
{
    double p[4] = {1000 * G * h[0], 1000 * G * h[1], 1000 * G * h[2], 0}, q[3];
    for (int k = 0; k < 3; k++) {
        double dp = p[k] - p[k + 1];
        q[k] = 0.7 * 5e-5 * sqrt(2 / 1000.0) * dp / pow(dp * dp + 1e4, 0.25);
    }
    rate[0] = -q[0] / 0.02;
    rate[1] = (q[0] - q[1]) / 0.02;
    rate[2] = (q[1] - q[2]) / 0.02;
}

static void three_tank(void **state)
{
    (void)state;
    double h[3] = {1, 0.2, 0}, k[4][3], z[3], dt = 0.01;
    for (int n = 0; n < 40000; n++) {
        static const double part[] = {0, 0.5, 0.5, 1};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 3; i++) z[i] = h[i] + (s ? part[s] * dt * k[s - 1][i] : 0);
            levels(z, k[s]);
        }
        for (int i = 0; i < 3; i++)
            h[i] += dt / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    system_run x = start("three-tank", 1e-8, NULL, 0);
    near(at(&x, "t1.h", 400), h[0], 1e-6, "first level");
    near(at(&x, "t2.h", 400), h[1], 1e-6, "second level");
    near(at(&x, "t3.h", 400), h[2], 1e-6, "third level");
    end(&x);
}

/* A top let go with a horizontal axis: energy and angular momentum about the vertical give the
 * lowest point u = cos(theta), (I3 w)^2 u = -2 I1 m g l (1 - u^2). */
static void gyroscope(void **state)
{
    (void)state;
    double I1 = 0.01 + 0.2 * 0.2, L = 0.02 * 100, mgl = G * 0.2, a = L * L / (2 * I1 * mgl);
    double u = (a - sqrt(a * a + 4)) / 2, least = 0;
    system_run x = start("gyroscope", 1e-8, NULL, 0);
    for (int i = 0; i <= 3000; i++) least = fmin(least, at(&x, "height", 1e-3 * i));
    near(least, 0.2 * u, 1e-6, "lowest point");
    // on the average it goes round at about m g l/(I3 w)
    near(at(&x, "azimuth", 3), 3 * mgl / L, 0.03, "way round");
    end(&x);
}

/* Nothing turns the governor about its axis: its angular momentum stays. */
static void governor(void **state)
{
    (void)state;
    double c = (0.3 * 0.5 + 5) / 5.3, first = 0;
    double Ja = 0.3 / 12 + 0.3 * (c - 0.5) * (c - 0.5) + 5 * (1 - c) * (1 - c), Jx = 0.3 * 1e-4 / 6;
    system_run x = start("governor", 1e-8, NULL, 0);
    for (int i = 0; i <= 10; i++) {
        double s = (1 - at(&x, "arm1.r[3]", i)) / c, C = sqrt(1 - s * s), r = 0.05 + c * C;
        double J = 5e-6 + 5e-3 + 2 * (5.3 * r * r + Jx * s * s + Ja * C * C);
        double L = J * at(&x, "speed", i);
        if (!i) first = L;
        near(L, first, 1e-5 * first, "angular momentum");
    }
    end(&x);
}

/* Kinetic energy of the spin and of the way it rolls, and height. */
static void rolling_disc(void **state)
{
    (void)state;
    double R = 0.5, energy = (R * R / 2 + R * R) * 100 / 2 + G * R * cos(0.2);
    system_run x = start("rolling-disc", 1e-8, NULL, 0);
    near(at(&x, "disc.energy", 5), energy, 1e-4, "energy");
    end(&x);
}

/* The servo is an integrator in a loop: x' = K (reference - x), K = 200 V/m / 20 ohm * 2/A of
 * opening, times C sqrt(p/2)/A of speed; it follows a sine with that lag. */
static void servo(void **state)
{
    (void)state;
    double K = 200 / 20.0 * 2 * 3e-7 * sqrt(7e6 / 2) / 1e-3, w = PI;
    system_run x = start("servo", 1e-6, NULL, 0);
    for (int i = 0; i <= 8; i++) {
        double t = 2 + 0.25 * i;
        double want = 0.1 + 0.03 / sqrt(1 + w * w / K / K) * sin(w * t - atan(w / K));
        near(at(&x, "piston.s", t), want, 5e-4, "position of the piston");
    }
    end(&x);
}

/* The work of the drive is in the bars or was lost in the damper: its rate at any time. */
static void four_bar(void **state)
{
    (void)state;
    static const char *const bars[] = {"crank", "coupler", "rocker"};
    system_run x = start("four-bar", 1e-8, NULL, 0);
    for (int i = 1; i <= 9; i++) {
        double t = 0.2 * i, rate = 0;
        char name[40];
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%s.power", bars[k]);
            rate += at(&x, name, t);
        }
        double lost = 0.02 * pow(at(&x, "rocker.w", t), 2);
        near(rate + lost, 0.5 * at(&x, "crank.w", t), 1e-6 * (1 + fabs(rate)),
             "power of the drive");
    }
    end(&x);
}

/* Two bars in space: energy, and no torque about the vertical through the ball joint. */
static void double_pendulum(void **state)
{
    (void)state;
    system_run x = start("double-pendulum", 1e-8, NULL, 0);
    near(at(&x, "energy", 3), at(&x, "energy", 0), 1e-5, "energy");
    end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amplifier), cmocka_unit_test(dc_drive), cmocka_unit_test(three_tank),
        cmocka_unit_test(gyroscope), cmocka_unit_test(governor), cmocka_unit_test(rolling_disc),
        cmocka_unit_test(servo),     cmocka_unit_test(four_bar), cmocka_unit_test(double_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
