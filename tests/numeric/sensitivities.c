/* Derivatives of trajectories by parameters and start values, against closed forms: `sens` of a run.
 *
 * A number may be off by 10 tolerances of its size or 1, whichever is larger.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, TOL = 1e-8;

static trial run(const char *text, double stop, const char *sens, const char *method,
                 const char *formulation)
{
    return trial_of(text, (vinc_sim_options){.has_stop = 1,
                                             .t_stop = stop,
                                             .rel_tol = TOL,
                                             .sens = sens,
                                             .method = method,
                                             .formulation = formulation,
                                             .intervals = 40});
}

static double at(trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

static void near(trial *r, const char *name, double t, double value, double tols)
{
    double x = at(r, name, t);
    if (!(fabs(x - value) <= tols * TOL * fmax(1, fabs(value)))) {
        print_error("%s(%g) = %.14g, not %.14g\n", name, t, x, value);
        fail();
    }
}

/* x' = a x + c, c = 2 b: x = e^(a t) (x0 + c/a) - c/a. */
static void linear_equation(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL,     "bdf",    "radau5", "radau",
                                          "dopri5", "sdirk4", "gauss4", "mebdf"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial r = run("model M parameter Real a = -0.5, b = 2, c = 2*b;\n"
                      "Real x(start = 1.5, fixed = true), y;\n"
                      "equation der(x) = a*x + c; y = b*x^2; end M;",
                      3, "a, b, x", methods[k], NULL);
        for (double t = 0; t <= 3; t += 0.75) {
            double a = -0.5, c = 4, e = exp(a * t), x = e * (1.5 + c / a) - c / a;
            double xa = t * e * (1.5 + c / a) - e * c / (a * a) + c / (a * a), xb = 2 * (e - 1) / a;
            near(&r, "d(x)/d(a)", t, xa, 10);
            near(&r, "d(x)/d(b)", t, xb, 10);
            near(&r, "d(x)/d(x)", t, e, 10);
            near(&r, "d(y)/d(b)", t, x * x + 4 * x * xb, 10);
            near(&r, "d(der(x))/d(a)", t, x + a * xa, 10);
        }
        trial_end(&r);
    }
}

/* What swings under gravity depends on t sqrt(g/L): with positions that begin as multiples of L,
 * x = L f(t sqrt(g/L)), so that dx/dL = x/L - t v/(2L), dx/dg = t v/(2g), and likewise for velocities
 * v = sqrt(g L) f'. */
static void like_a_pendulum(trial *r, double L, double g, double tols)
{
    for (double t = 0; t <= 4; t += 0.5) {
        double x = at(r, "x", t), y = at(r, "y", t), vx = at(r, "vx", t), vy = at(r, "vy", t),
               F = at(r, "F", t);
        near(r, "d(x)/d(L)", t, x / L - t * vx / (2 * L), tols);
        near(r, "d(y)/d(L)", t, y / L - t * vy / (2 * L), tols);
        near(r, "d(x)/d(g)", t, t * vx / (2 * g), tols);
        near(r, "d(vx)/d(g)", t, vx / (2 * g) - t * F * x / (2 * g), tols);
        near(r, "d(vy)/d(L)", t, vy / (2 * L) - t * (-F * y - g) / (2 * L), tols);
    }
}

static const char pendulum[] =
    "model M parameter Real L = 1.3, g = 9.81; Real F;\n"
    "Real x(start = L, fixed = true), y(start = 0), vx(start = 0), vy(start = 0, fixed = true);\n"
    "equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - g;\n"
    "x^2 + y^2 = L^2; end M;";

static void pendulum_of_index_three(void **state)
{
    (void)state;
    for (int k = 0; vinc_formulation(k); k++) {
        // direct and ggl keep the index: velocities are tested as the positions that they make.
        bool keeps = !strcmp(vinc_formulation(k), "direct") || !strcmp(vinc_formulation(k), "ggl");
        trial r = run(pendulum, 4, "L, g", NULL, vinc_formulation(k));
        like_a_pendulum(&r, 1.3, 9.81, keeps ? 1000 : 10);
        trial_end(&r);
    }
    static const char *const methods[] = {"bdf", "radau5", "dopri5"};
    for (int k = 0; k < 3; k++) { // many steps of a multistep method add up
        trial r = run(pendulum, 4, "L, g", methods[k], NULL);
        like_a_pendulum(&r, 1.3, 9.81, k ? 20 : 300);
        trial_end(&r);
    }
}

/* Derivatives that no error test counts leave the run what it is: of Runge-Kutta methods step by step, of a
 * multistep method nearly, whose iteration they give newer matrices. Constraints hold as well, and derivatives
 * are within 200 tolerances: dopri5, with the longest steps, comes to 140. */
static void steps_of_the_plain_run(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "radau5", "radau", "sdirk4", "bdf"};
    static const char *const forms[] = {"dummy", "project"};
    for (int k = 0; k < 10; k++) {
        vinc_sim_options o = {.has_stop = 1,
                              .t_stop = 4,
                              .rel_tol = TOL,
                              .method = methods[k / 2],
                              .formulation = forms[k % 2],
                              .intervals = 40};
        trial plain = trial_of(pendulum, o);
        o.sens = "L, g";
        o.no_sens_control = 1;
        trial r = trial_of(pendulum, o);
        vinc_sim_stats alone, with;
        vinc_sim_statistics(plain.sim, &alone);
        vinc_sim_statistics(r.sim, &with);
        if (labs(with.steps - alone.steps) > (k / 2 < 3 ? 0 : alone.steps / 10))
            fail_msg("%s: %ld steps, not %ld", methods[k / 2], with.steps, alone.steps);
        for (double t = 0.1; t <= 4; t += 0.1) {
            double violation[2];
            for (int q = 0; q < 2; q++) {
                trial *x = q ? &r : &plain;
                violation[q] = fabs(hypot(at(x, "x", t), at(x, "y", t)) - 1.3);
            }
            assert_true(violation[1] <= 10 * violation[0] + 10 * TOL * 1e-3);
        }
        like_a_pendulum(&r, 1.3, 9.81, k / 2 == 4 ? 3000 : 200);
        trial_end(&r);
        trial_end(&plain);
    }
}

/* One of two rods is enough. */
static void redundant_rods(void **state)
{
    (void)state;
    trial r = run("model M parameter Real L = 1.3, g = 9.81; Real F1, F2, F;\n"
                  "Real x(start = L, fixed = true), y(start = 0), vx(start = 0), vy(start = 0, "
                  "fixed = true);\n"
                  "equation der(x) = vx; der(y) = vy; der(vx) = -(F1 + 2*F2)*x;\n"
                  "der(vy) = -(F1 + 2*F2)*y - g; x^2 + y^2 = L^2; 2*x^2 + 2*y^2 = 2*L^2; F = F1 + "
                  "2*F2; end M;",
                  4, "L, g", NULL, NULL);
    like_a_pendulum(&r, 1.3, 9.81, 10);
    trial_end(&r);
}

/* Half a period is sqrt(L/g) 2 K(sin(a/2)), after which the angle is -a whatever a is: there, with a the
 * start value, dphi/da = -1 - w dT/da = -1, since it is at rest. Quarter of a period before, phi = 0 and
 * w = -2 sqrt(g/L) sin(a/2): dphi/da = - w dt/da. */
static void period_by_amplitude(void **state)
{
    (void)state;
    double L = 0.7, g = 9.81, a = 2, k = sin(a / 2), K = 0, dK = 0;
    enum { N = 64 }; // the integrand is periodic: the trapezoidal rule is exact to rounding
    for (int i = 0; i < N; i++) {
        double s = sin(PI * i / N), q = 1 - k * k * s * s;
        K += PI / 2 / N / sqrt(q);
        dK += PI / 2 / N * k * s * s / (q * sqrt(q));
    }
    double quarter = sqrt(L / g) * K, moves = sqrt(L / g) * dK * cos(a / 2) / 2;
    double w = -2 * sqrt(g / L) * k;
    trial r = run("model M parameter Real L = 0.7, g = 9.81, a = 2;\n"
                  "Real phi(start = a, fixed = true), w(start = 0, fixed = true);\n"
                  "equation der(phi) = w; L*der(w) = -g*sin(phi); end M;",
                  quarter, "a", NULL, NULL);
    near(&r, "d(phi)/d(a)", quarter, -w * moves, 10);
    trial_end(&r);
    r = run("model M parameter Real L = 0.7, g = 9.81, a = 2;\n"
            "Real phi(start = a, fixed = true), w(start = 0, fixed = true);\n"
            "equation der(phi) = w; L*der(w) = -g*sin(phi); end M;",
            2 * quarter, "a", NULL, NULL);
    near(&r, "d(phi)/d(a)", 2 * quarter, -1, 10);
    trial_end(&r);
}

/* A ball falls from h0 and keeps e of its speed: v1 = sqrt(2 g h0), the first impact at t1 = v1/g, the
 * n-th at t_n = t1 + 2 t1 (e + ... + e^(n-1)); after it h = e^n v1 s - g s^2/2 with s = t - t_n. */
static void bouncing_ball(void **state)
{
    (void)state;
    static const char *const texts[] = {"-e*pre(v)", "-e*v"};
    static const char *const methods[] = {NULL, "radau5", "bdf"};
    for (int k = 0; k < 6; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "model M parameter Real e = 0.8, g = 9.81, h0 = 1;\n"
            "Real h(start = h0, fixed = true), v(start = 0, fixed = true);\n"
            "equation der(h) = v; der(v) = -g; when h < 0 then reinit(v, %s); end when; end M;",
            texts[k / 3]);
        double e = 0.8, g = 9.81, h0 = 1, t1 = sqrt(2 * h0 / g), v1 = g * t1, tn = t1, dtn = 0;
        int n = 6;
        for (int i = 1; i < n; i++) {
            tn += 2 * t1 * pow(e, i);
            dtn += 2 * t1 * i * pow(e, i - 1);
        }
        double t = tn + 0.2, s = 0.2, en = pow(e, n), v = en * v1 - g * s, v_e = n * en / e * v1;
        trial r = run(text, t, "e, g, h0", methods[k % 3], NULL);
        // tn goes with sqrt(h0/g), v1 with sqrt(h0 g).
        double v_h = en * v1 / (2 * h0), v_g = en * v1 / (2 * g), t_h = tn / (2 * h0);
        double tols = k % 3 == 2 ? 300 : 10;
        near(&r, "h", t, en * v1 * s - g * s * s / 2, tols);
        near(&r, "d(h)/d(e)", t, v_e * s - v * dtn, tols);
        near(&r, "d(v)/d(e)", t, v_e + g * dtn, tols);
        near(&r, "d(h)/d(h0)", t, v_h * s - v * t_h, tols);
        near(&r, "d(v)/d(h0)", t, v_h + g * t_h, tols);
        near(&r, "d(h)/d(g)", t, v_g * s - s * s / 2 + v * tn / (2 * g), tols);
        trial_end(&r);
    }
}

/* A block on a belt of speed u, held by a spring: it sticks until k x = Fs, then swings about Fd/k with
 * w = sqrt(k/m) until it has the speed of the belt again, at x = (2 Fd - Fs)/k, and so on. */
static double block(double t, double k, double u, double Fs, double Fd)
{
    double w = sqrt(k), x = 0, a = (Fs - Fd) / k, slip = (2 * PI - 2 * atan2(a * w, u)) / w;
    for (;;) {
        double stick = (Fs / k - x) / u;
        if (t < stick) return x + u * t;
        t -= stick;
        if (t < slip) return Fd / k + a * cos(w * t) + u / w * sin(w * t);
        t -= slip;
        x = Fd / k - a;
    }
}

static void stick_and_slip(void **state)
{
    (void)state;
    double p[] = {10, 0.5, 6, 3};
    static const char *const names[] = {"d(x)/d(k)", "d(x)/d(u)", "d(x)/d(Fs)", "d(x)/d(Fd)"};
    trial r = run("model M parameter Real k = 10, u = 0.5, Fs = 6, Fd = 3; Boolean stuck(start = "
                  "true, fixed = true);\n"
                  "Real x(start = 0, fixed = true), v(start = u, fixed = true);\n"
                  "equation der(x) = v; der(v) = if stuck then 0 else -k*x + Fd;\n"
                  "when k*x > Fs then stuck = false; elsewhen v > u then stuck = true; end when;\n"
                  "end M;",
                  6, "k, u, Fs, Fd", NULL, NULL);
    for (double t = 1.05; t < 6; t += 0.75)
        for (int i = 0; i < 4; i++) { // of order 6, of the closed form
            static const double c[] = {45, -9, 1};
            double d = 1e-3 * p[i], sum = 0, here = p[i];
            for (int j = 1; j <= 3; j++) {
                p[i] = here + j * d;
                sum += c[j - 1] * block(t, p[0], p[1], p[2], p[3]);
                p[i] = here - j * d;
                sum -= c[j - 1] * block(t, p[0], p[1], p[2], p[3]);
            }
            p[i] = here;
            near(&r, names[i], t, sum / (60 * d), 10);
        }
    trial_end(&r);
}

/* Sampled values, a switch at a time that is a parameter, and what they do afterwards. Between samples
 * x' = u, so that everything is polynomial: u_n = q u_(n-1) + x(n)/4. */
static void sampled_values(void **state)
{
    (void)state;
    trial r = run("model M parameter Real q = 0.5, T = 1.6, c = 2;\n"
                  "Real x(start = 1, fixed = true); discrete Real u(start = q, fixed = true);\n"
                  "equation der(x) = u + (if time > T then c else 0);\n"
                  "when sample(1, 1) then u = q*pre(u) + x/4; end when; end M;",
                  3.5, "q, T, c", NULL, NULL);
    double q = 0.5, T = 1.6, c = 2;
    double x1 = 1 + q, x1q = 1, u1 = q * q + x1 / 4, u1q = 2 * q + x1q / 4;
    double x2 = x1 + u1 + c * (2 - T), x2q = x1q + u1q, u2q = u1 + q * u1q + x2q / 4;
    double x2T = -c, u2T = -c / 4, x2c = 2 - T, u2c = x2c / 4;
    near(&r, "d(x)/d(q)", 1.5, x1q + u1q / 2, 10);
    near(&r, "d(x)/d(q)", 2.5, x2q + u2q / 2, 10);
    near(&r, "d(u)/d(q)", 2.5, u2q, 10);
    near(&r, "d(x)/d(T)", 1.5, 0, 10);
    near(&r, "d(x)/d(T)", 2.5, x2T + u2T / 2, 10);
    near(&r, "d(x)/d(c)", 2.5, x2c + u2c / 2 + 0.5, 10);
    near(&r, "x", 2.5, x2 + (q * u1 + x2 / 4) / 2 + c / 2, 10);
    trial_end(&r);
}

/* Start values that equations give: x^3 + a x = b, and z at rest. */
static void start_by_equations(void **state)
{
    (void)state;
    trial r = run("model M parameter Real a = 2, b = 3; Real x, z, w;\n"
                  "initial equation x^3 + a*x = b; der(z) = 0;\n"
                  "equation der(x) = -x + w; der(z) = b - z*w; w^2 + w = a*x; end M;",
                  1, "a, b", NULL, NULL);
    double xa = -1.0 / 5, xb = 1.0 / 5;            // x = 1: (3 x^2 + a) dx = db - x da
    double wa = (1 + 2 * xa) / 3, wb = 2 * xb / 3; // w = 1: (2 w + 1) dw = a dx + x da
    near(&r, "d(x)/d(a)", 0, xa, 10);
    near(&r, "d(w)/d(a)", 0, wa, 10);
    near(&r, "d(z)/d(a)", 0, -3 * wa, 10); // z = b/w
    near(&r, "d(z)/d(b)", 0, 1 - 3 * wb, 10);
    trial_end(&r);
}

/* x_i' = c - p_i x_i^2 from 1/2 is tanh(z), z = c t + a, a = atanh(1/2), where p_i = c. Then s' = -2 c x s - x^2 for
 * s = dx_i/dp_i, so that (s cosh(z)^2)' = -sinh(z)^2. Eighteen directions go through the matrix as sixteen and two;
 * rows are made of one or three of eighteen unknowns, and the others are not interpolated. */
static void many_directions_in_few_rows(void **state)
{
    (void)state;
    static const char *const methods[] = {"bdf", "radau", "dopri5", "dopri8"};
    static const char *const only[] = {"x[1], x[7], x[18]", "x[18]"};
    for (size_t k = 0; k < 8; k++) {
        bool counted =
            k < 4; // uncounted, they have the steps of x alone: bdf is off by 17 tolerances
        trial r =
            trial_of("model M parameter Real c = 0.7, p[18] = fill(c, 18);\n"
                     "Real x[18](each start = 0.5, each fixed = true);\n"
                     "equation for i in 1:18 loop der(x[i]) = c - p[i]*x[i]^2; end for; end M;",
                     (vinc_sim_options){.has_stop = 1,
                                        .t_stop = 3,
                                        .rel_tol = TOL,
                                        .sens = k % 2 ? "p[18], p[1]"
                                                      : "p[1], p[2], p[3], p[4], p[5], p[6], p[7], "
                                                        "p[8], p[9], p[10], p[11], p[12], p[13], "
                                                        "p[14], p[15], p[16], p[17], p[18]",
                                        .no_sens_control = !counted,
                                        .vars = only[k % 2],
                                        .only_vars = 1,
                                        .method = methods[k % 4],
                                        .intervals = 40});
        for (double t = 0; t <= 3; t += 0.3) {
            double c = 0.7, a = atanh(0.5), z = c * t + a;
            double s =
                -(sinh(2 * z) / 4 - z / 2 - (sinh(2 * a) / 4 - a / 2)) / (c * cosh(z) * cosh(z));
            near(&r, "x[18]", t, tanh(z), 10);
            near(&r, "d(x[18])/d(p[18])", t, s, counted ? 10 : 30);
            near(&r, "d(x[18])/d(p[1])", t, 0, 1e-6);
            if (!(k % 2)) near(&r, "d(x[7])/d(p[7])", t, s, counted ? 10 : 30);
        }
        trial_end(&r);
    }
}

/* Robertson's kinetics as SUNDIALS' example idasRoberts_FSA_dns has it, and the digits that its output
 * shows (version 6, -sensi stg t). */
static const char robertson[] = "model M parameter Real p1 = 0.04, p2 = 1e4, p3 = 3e7;\n"
                                "Real y1(start = 1, fixed = true), y2(start = 0, fixed = true, "
                                "nominal = 1e-6), y3(start = 0);\n"
                                "equation der(y1) = -p1*y1 + p2*y2*y3;\n"
                                "der(y2) = p1*y1 - p2*y2*y3 - p3*y2^2; y1 + y2 + y3 = 1; end M;";

static void robertson_as_idas(void **state)
{
    (void)state;
    static const struct {
        double t, y[3], s[3][3];
        long steps; // of that example so far
    } rows[] = {{0.4,
                 {9.8517e-01, 3.3864e-05, 1.4794e-02},
                 {{-3.5595e-01, 3.9025e-04, 3.5556e-01},
                  {9.5424e-08, -2.1310e-10, -9.5211e-08},
                  {-1.5832e-11, -5.2900e-13, 1.6361e-11}},
                 222},
                {40,
                 {7.1583e-01, 9.1855e-06, 2.8416e-01},
                 {{-4.2476e+00, 4.5912e-05, 4.2475e+00},
                  {1.3731e-05, -2.3572e-10, -1.3731e-05},
                  {-2.2884e-09, -1.1381e-13, 2.2885e-09}},
                 378},
                {4e4,
                 {3.8983e-02, 1.6218e-07, 9.6102e-01},
                 {{-1.5750e+00, -2.7620e-06, 1.5750e+00},
                  {6.2875e-06, 1.1002e-11, -6.2875e-06},
                  {-1.0479e-09, -4.5367e-15, 1.0479e-09}},
                 815}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        trial r = run(robertson, rows[k].t, "p1, p2, p3", "bdf", NULL);
        for (int i = 0; i < 3; i++)
            for (int p = -1; p < 3; p++) {
                char name[40];
                if (p < 0) snprintf(name, sizeof name, "y%d", i + 1);
                else snprintf(name, sizeof name, "d(y%d)/d(p%d)", i + 1, p + 1);
                double x = at(&r, name, rows[k].t), value = p < 0 ? rows[k].y[i] : rows[k].s[p][i];
                // Five digits are shown, with the error of a tolerance of 1e-6 in the last.
                if (!(fabs(x - value) <= 1.5e-4 * fabs(value))) {
                    print_error("%s(%g) = %.6e, not %.4e\n", name, rows[k].t, x, value);
                    fail();
                }
            }
        trial_end(&r);
        // ... in at most its number of steps, whose tolerance of y2 is 1e-4 relative and 1e-14.
        r = trial_of(robertson, (vinc_sim_options){.has_stop = 1,
                                                   .t_stop = rows[k].t,
                                                   .rel_tol = 1e-6,
                                                   .sens = "p1, p2, p3",
                                                   .method = "radau"});
        vinc_sim_stats stats;
        assert_int_equal(vinc_sim_statistics(r.sim, &stats), VINC_OK);
        assert_true(stats.steps <= rows[k].steps);
        double last = at(&r, "d(y2)/d(p3)", rows[k].t), value = rows[k].s[2][1];
        assert_true(fabs(last - value) <= 1.5e-4 * fabs(value));
        trial_end(&r);
    }
}

static void refused(const char *text, const char *sens, const char *why)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.sens = sens};
    assert_int_equal(vinc_model_load_text(ctx, "m.mo", text, strlen(text), NULL, &model), VINC_OK);
    int rc = vinc_sim_new(model, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    assert_true(rc < 0);
    if (!strstr(vinc_ctx_messages(ctx), why))
        print_error("'%s' is not in: %s\n", why, vinc_ctx_messages(ctx));
    assert_non_null(strstr(vinc_ctx_messages(ctx), why));
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

static void what_cannot_be_right(void **state)
{
    (void)state;
    static const char text[] =
        "model M parameter Real a = 1, idle = 2; parameter Integer n = 2;\n"
        "final parameter Real f = 3; Real x(start = 1, fixed = true), z[n];\n"
        "discrete Real d(start = 0);\n"
        "equation der(x) = -a*f*x; z = fill(x, n);\n"
        "when sample(a, 1) then d = x; end when; end M;";
    refused(text, "idle", "derivatives by 'idle': it does nothing in this model");
    refused(text, "b", "there is no variable or parameter 'b'");
    refused(text, "n", "decides the structure");
    refused(text, "f", "is final");
    refused(text, "d", "this is a discrete variable");
    refused(text, "a", "the times of sample() depend on it");
    refused(text, " , ", "no parameter is named");
    refused("model M parameter Real a = 1; Real x(start = 1, fixed = true);\n"
            "equation der(x) = -a*delay(x, 0.1); end M;",
            "a", "delay()");
    refused("model M parameter Real L = 1; Real x(start = 0.6), y(start = 0.8), l;\n"
            "equation der(der(x)) = l*x; der(der(y)) = l*y - 1; x^2 + y^2 = L^2; end M;",
            "L", "chosen by least change");
    refused("model M parameter Real a = 1; Real x(start = 1, fixed = true);\n"
            "equation der(x) = -a*sign(x); annotation(experiment(StopTime = 3)); end M;",
            "a", "begins to slide");
}

/* y = -0.8 only says which of two solutions of x^2 + y^2 = 1 is meant. */
static void guesses_move_nothing(void **state)
{
    (void)state;
    trial r = trial_of("model M Real x(start = 0.6, fixed = true), y(start = -0.8);\n"
                       "equation der(x) = -x; x^2 + y^2 = 1; end M;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1, .sens = "x, y"});
    assert_non_null(strstr(vinc_sim_messages(r.sim), "start value of 'y' are 0"));
    assert_null(strstr(vinc_sim_messages(r.sim), "start value of 'x' are 0"));
    assert_true(vinc_result_at(r.result, "d(x)/d(y)", 1) == 0);
    assert_true(vinc_result_at(r.result, "d(y)/d(y)", 0) == 0);
    assert_true(fabs(vinc_result_at(r.result, "d(y)/d(x)", 0) - 0.75) < 1e-9);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_move_nothing),    cmocka_unit_test(linear_equation),
        cmocka_unit_test(pendulum_of_index_three), cmocka_unit_test(steps_of_the_plain_run),
        cmocka_unit_test(redundant_rods),          cmocka_unit_test(period_by_amplitude),
        cmocka_unit_test(bouncing_ball),           cmocka_unit_test(stick_and_slip),
        cmocka_unit_test(sampled_values),          cmocka_unit_test(start_by_equations),
        cmocka_unit_test(robertson_as_idas),       cmocka_unit_test(many_directions_in_few_rows),
        cmocka_unit_test(what_cannot_be_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
