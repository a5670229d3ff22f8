/* Models as somebody would write them who does not know this program: components, arrays, functions and
 * names of their own. Every row is held to a closed form, to equations derived by hand, or to a refusal
 * that names the place.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

static const double TOL = 1e-8, G = 9.81;

static trial run_to(const char *words, double stop)
{
    return trial_of(
        words, (vinc_sim_options){.has_stop = 1, .t_stop = stop, .rel_tol = TOL, .intervals = 50});
}

static const double *column(trial *r, const char *name)
{
    vinc_column c;
    if (vinc_result_column(r->result, vinc_result_find(r->result, name), &c))
        fail_msg("%s is not recorded", name);
    return c.values;
}

/* A column against f(t), at every row. */
static void follows(trial *r, const char *name, double (*f)(double t), double within)
{
    size_t n = vinc_result_n_rows(r->result);
    const double *t = column(r, "time");
    const double *x = column(r, name);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - f(t[i])) <= within))
            fail_msg("%s(%.17g) = %.17g, not %.17g", name, t[i], x[i], f(t[i]));
}

static void stays(trial *r, const char *name, double value, double within)
{
    size_t n = vinc_result_n_rows(r->result);
    const double *x = column(r, name);
    for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - value) <= within);
}

static void same(trial *a, const char *x, trial *b, const char *y, double within)
{
    size_t n = vinc_result_n_rows(a->result);
    const double *p = column(a, x), *q = column(b, y);
    assert_int_equal(n, vinc_result_n_rows(b->result));
    for (size_t i = 0; i < n; i++) assert_true(fabs(p[i] - q[i]) <= within);
}

/* ---- mechanics by energies ------------------------------------------------------------------- */

/* Points in a matrix, energies in a function with a loop; beside it the equations by hand. */
static void energies_in_functions(void **state)
{
    (void)state;
    trial a = run_to(
        "model Chain\n"
        "  function kin input Real m[:]; input Real v[size(m, 1), 2]; output Real T = 0;\n"
        "  algorithm for i in 1:size(m, 1) loop T := T + m[i]*(v[i, 1]^2 + v[i, 2]^2)/2; end "
        "for; end kin;\n"
        "  parameter Real m[2] = {1, 2}, L[2] = {1, 0.5};\n"
        "  Real th[2](start = {1, -0.5}), r[2, 2];\n"
        "equation\n"
        "  r[1, :] = {L[1]*sin(th[1]), -L[1]*cos(th[1])};\n"
        "  r[2, :] = r[1, :] + {L[2]*sin(th[2]), -L[2]*cos(th[2])};\n"
        "  Vincolo.lagrange(q = th, T = kin(m, der(r)), V = 9.81*(m[1]*r[1, 2] + m[2]*r[2, "
        "2]));\n"
        "end Chain;",
        2);
    trial b =
        run_to("model Hand parameter Real m1 = 1, m2 = 2, a = 1, b = 0.5, g = 9.81;\n"
               "  Real t1(start = 1), t2(start = -0.5), w1, w2;\n"
               "equation der(t1) = w1; der(t2) = w2;\n"
               "  (m1 + m2)*a*der(w1) + m2*b*der(w2)*cos(t1 - t2) + m2*b*w2^2*sin(t1 - t2) + (m1 + "
               "m2)*g*sin(t1) = 0;\n"
               "  b*der(w2) + a*der(w1)*cos(t1 - t2) - a*w1^2*sin(t1 - t2) + g*sin(t2) = 0;\n"
               "end Hand;",
               2);
    same(&a, "th[1]", &b, "t1", 100 * TOL);
    same(&a, "th[2]", &b, "t2", 100 * TOL);
    same(&a, "der(der(th[2]))", &b, "der(w2)", 1e4 * TOL);
    trial_end(&a);
    trial_end(&b);
}

/* Energies of components, summed over an array: three masses on one rod are a pendulum with q'' = -g
 * (1 + 4 + 9)/(1 + 8 + 27) sin q. */
static void energies_in_components(void **state)
{
    (void)state;
    trial a = run_to("model Rod\n"
                     "  model Body parameter Real m = 1; Real p[2], T, V;\n"
                     "  equation T = m/2*(der(p)*der(p)); V = 9.81*m*p[2]; end Body;\n"
                     "  Body b[3](m = {1, 2, 3}); Real q(start = 0.3);\n"
                     "equation\n"
                     "  for i in 1:3 loop b[i].p = {i*sin(q), -i*cos(q)}; end for;\n"
                     "  Vincolo.lagrange(q = {q}, T = sum(b.T), V = sum(b.V));\n"
                     "end Rod;",
                     3);
    trial b = run_to("model One Real a(start = 0.3), w; equation der(a) = w; der(w) = "
                     "-9.81*14/36*sin(a); end One;",
                     3);
    same(&a, "q", &b, "a", 100 * TOL);
    trial_end(&a);
    trial_end(&b);
}

/* A point that moves with time: on a hoop turned at w, u'^2/2 - w^2 sin(u)^2/2 - g cos(u) is kept. */
static void energies_that_know_the_time(void **state)
{
    (void)state;
    trial r = run_to("model Hoop parameter Real w = 6; Real u(start = 1.2), p[3], H;\n"
                     "equation p = {sin(u)*cos(w*time), sin(u)*sin(w*time), -cos(u)};\n"
                     "  Vincolo.lagrange(q = {u}, T = 0.5*(der(p)*der(p)), V = 9.81*p[3]);\n"
                     "  H = der(u)^2/2 - w^2*sin(u)^2/2 - 9.81*cos(u);\n"
                     "end Hoop;",
                     2);
    stays(&r, "H", -18 * sin(1.2) * sin(1.2) - G * cos(1.2), 1000 * TOL);
    trial_end(&r);
}

/* A force at a point of a rod: at rest tan a = F/(m g). */
static void forces_at_points(void **state)
{
    (void)state;
    trial r =
        trial_of("model Push Real a(start = 0.1), tip[2];\n"
                 "equation tip = {2*sin(a), -2*cos(a)};\n"
                 "  Vincolo.lagrange(q = {a}, T = 1.5*(der(tip)*der(tip)), V = 3*9.81*tip[2], F = "
                 "{12, 0}, p = tip, Q = {-der(a)});\n"
                 "end Push;",
                 (vinc_sim_options){.equilibrium = 1});
    assert_true(fabs(vinc_result_at(r.result, "a", 0) - atan2(12, 3 * G)) < 1e-9);
    trial_end(&r);
}

/* ---- the past -------------------------------------------------------------------------------- */

// x' = -x(t - 1), x = 1 before 0; by steps (R. Bellman and K. L. Cooke 1963, section 3.4)
static double one_late(double t)
{
    return t < 1 ? 1 - t : 1 - t + (t - 1) * (t - 1) / 2;
}

static double half_late(double t)
{
    double a = t - 0.5, b = t - 1;
    return 1 - t + (a > 0 ? a * a / 2 : 0) - (b > 0 ? b * b * b / 6 : 0);
}

static double product_late(double t)
{
    double s = fmax(t - 0.4, 0);
    return sin(3 * s) * exp(-s);
}

static void the_past_of_components(void **state)
{
    (void)state;
    trial r =
        run_to("model Late model Cell parameter Real tau; Real x(start = 1, fixed = true), y;\n"
               "  equation der(x) = -y; y = delay(x, tau); end Cell;\n"
               "  Cell c[2](tau = {1, 0.5}); Real a[2], y;\n"
               "equation a = {sin(3*time), exp(-time)}; y = delay(a[1]*a[2], 0.4); end Late;",
               1.5);
    follows(&r, "c[1].x", one_late, 10 * TOL);
    follows(&r, "c[2].x", half_late, 10 * TOL);
    follows(&r, "y", product_late, 100 * TOL);
    trial_end(&r);
}

/* ---- between steps --------------------------------------------------------------------------- */

static double root_of_fall(double t)
{
    return t < sqrt(2) ? sqrt(2) - t : 0;
}

static void stiff_followers_and_roots(void **state)
{
    (void)state;
    trial r =
        run_to("model Follow parameter Real k[3] = {1e2, 1e4, 1e7}; Real z[3](each start = 1);\n"
               "equation for i in 1:3 loop der(z[i]) = -k[i]*(z[i] - cos(time)) - sin(time); end "
               "for; end Follow;",
               5);
    for (int i = 0; i < 3; i++)
        follows(&r, (const char *[]){"z[1]", "z[2]", "z[3]"}[i], cos, 100 * TOL);
    trial_end(&r);
    // d = h1 - h2 falls by 2 sqrt(d): its root falls by 1
    r = run_to(
        "model Tanks Real h[2](start = {2, 0}), q; equation der(h) = {-q, q}; q = if h[1] > h[2] "
        "then sqrt(h[1] - h[2]) else -sqrt(h[2] - h[1]); end Tanks;",
        1.3);
    follows(&r, "q", root_of_fall, 100 * TOL);
    trial_end(&r);
}

/* Blocks of area 1 and a bell of area 1, all far narrower than a step without them; crossings of a
 * wave, one in each of the 64 periods whose crest lies before 10. */
static void pulses_in_arrays(void **state)
{
    (void)state;
    trial r = run_to(
        "model Blips parameter Real at[3] = {0.31, 5.2, 8.77}, w[3] = {1e-3, 1e-4, 1e-2};\n"
        "  Real E[3](each start = 0, each fixed = true), B(start = 0, fixed = true);\n"
        "  Integer n(start = 0, fixed = true);\n"
        "equation for i in 1:3 loop der(E[i]) = if time > at[i] and time < at[i] + w[i] then "
        "1/w[i] else 0; end for;\n"
        "  der(B) = exp(-((time - 6.3)/0.002)^2)/(0.002*sqrt(3.141592653589793));\n"
        "  when sin(40*time) > 0.99999 then n = pre(n) + 1; end when; end Blips;",
        10);
    static const char *const areas[] = {"E[1]", "E[2]", "E[3]", "B"};
    for (int i = 0; i < 4; i++)
        assert_true(fabs(vinc_result_at(r.result, areas[i], 10) - 1) < 100 * TOL);
    assert_true(vinc_result_at(r.result, "n", 10) == 64);
    trial_end(&r);
}

// A load pulled by a force t: held up to 1, then dragging 0.9 of it behind. 4 v = (t - 0.9)^2/2 from 1 on.
static double dragged(double t)
{
    return t < 1 ? 0 : ((t - 0.9) * (t - 0.9) - 0.01) / 8;
}

/* When it breaks loose, sa drops below the limit that it broke: with the past as it was nothing agrees,
 * with slip = true before it does. */
static void a_load_breaks_loose(void **state)
{
    (void)state;
    trial r =
        run_to("model Drag Real v(start = 0, fixed = true), a, f, sa; Boolean slip(start = false, "
               "fixed = true), stuck(start = true, fixed = true), locked;\n"
               "equation der(v) = a; 4*a = time - f; f = if locked then sa else 0.9;\n"
               "  slip = pre(stuck) and (sa > 1 or pre(slip) and sa > 0.9);\n"
               "  locked = pre(stuck) and not slip; stuck = locked or v <= 0;\n"
               "  a = if locked then 0 else sa - 0.9; end Drag;",
               2);
    follows(&r, "v", dragged, 100 * TOL);
    trial_end(&r);
}

/* ---- choices and types ----------------------------------------------------------------------- */

/* A bead that starts at the end of an ellipse: there `along` decides nothing. */
static void a_singular_choice_is_named(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau5", "bdf", "dopri5", "rodas4", "gauss4"};
    for (int i = 0; i < 5; i++) {
        vinc_sim_options o = {.formulation = "partition:independent=along",
                              .method = methods[i],
                              .has_stop = 1,
                              .t_stop = 1,
                              .max_steps = 1000};
        trial r =
            trial_start(NULL,
                        "model Ellipse Real along(start = 2, fixed = true), up, va, vu, pull;\n"
                        "equation der(along) = va; der(up) = vu; der(va) = -pull*along/2; der(vu) "
                        "= -9.81 - pull*2*up; along^2/4 + up^2 = 1; end Ellipse;",
                        &o);
        assert_true(r.rc < 0);
        size_t rows = r.result ? vinc_result_n_rows(r.result) : 0; // at once: a step of nothing
        vinc_column time = {0};
        if (rows) assert_int_equal(vinc_result_column(r.result, 0, &time), VINC_OK);
        if (rows) assert_true(time.values[rows - 1] < 1e-6);
        trial_end(&r);
    }
}

static void types_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"model A Real x(start = 0.4); Integer n[2]; equation der(x) = 0; n = {2, x}; end A;",
         "n[2]"},
        {"model B Real x(start = 0.4); Integer n; equation der(x) = 0; n = if x > 0 then x else 0; "
         "end "
         "B;",
         "'n'"},
        {"model C Real x(start = 0.4); Boolean b; equation der(x) = 0; b = x; end C;", "Boolean"},
        {"model D model P Integer k; end P; Real x(start = 0.4); P p; equation der(x) = 0; p.k = "
         "2*x; "
         "end D;",
         "p.k"},
    };
    for (int i = 0; i < 4; i++) {
        trial r = trial_start(NULL, wrong[i][0], NULL);
        assert_int_not_equal(r.rc, VINC_OK);
        if (!strstr(vinc_ctx_messages(r.ctx), wrong[i][1]))
            fail_msg("%s\n%s", wrong[i][0], vinc_ctx_messages(r.ctx));
        trial_end(&r);
    }
}

/* A chain of reactions keeps its sum: 2 a = b, 3 b = 4 c and a + b + c = 1.5. */
static void sums_are_kept_at_rest(void **state)
{
    (void)state;
    trial r =
        trial_of("model Three Real c[3](start = {1, 0.5, 0}); equation der(c[1]) = c[2] - 2*c[1]; "
                 "der(c[2]) = 2*c[1] - 4*c[2] + 4*c[3]; der(c[3]) = 3*c[2] - 4*c[3]; end Three;",
                 (vinc_sim_options){.equilibrium = 1});
    assert_true(fabs(vinc_result_at(r.result, "c[1]", 0) - 1.0 / 3) < 1e-9);
    assert_true(fabs(vinc_result_at(r.result, "c[2]", 0) - 2.0 / 3) < 1e-9);
    assert_true(fabs(vinc_result_at(r.result, "c[3]", 0) - 0.5) < 1e-9);
    trial_end(&r);
}

/* ---- records given to functions -------------------------------------------------------------- */

/* A vector in a turning frame is R.T v, but the function is given R.w, too, which its derivative needs:
 * the position does not depend on the rate. A pendulum that is let go at rest from the side has the
 * tension m (g cos(phi) + L w^2) = 3 m g cos(phi), and hangs after K(sin 45 degrees) sqrt(L/g), where
 * K = 1.8540746773013719 (Abramowitz & Stegun, table 17.1), at the speed sqrt(2 g L). */
static void a_frame_is_more_than_its_matrix(void **state)
{
    (void)state;
    const double K = 1.8540746773013719, m = 2, L = 0.5;
    trial r = run_to(
        "record Frame Real T[2, 2]; Real w; end Frame;\n"
        "function resolve input Frame R; input Real v[2]; output Real u[2];\n"
        "algorithm u := R.T*v;\n"
        "  annotation(Inline = false, derivative(noDerivative = R) = resolve_der); end resolve;\n"
        "function resolve_der input Frame R; input Real v[2]; input Real v_der[2];\n"
        "  output Real u_der[2];\n"
        "algorithm u_der := R.T*(v_der + R.w*{-v[2], v[1]}); end resolve_der;\n"
        "model Turning parameter Real g = 9.81, L = 0.5, m = 2; constant Real pi = 2*acos(0);\n"
        "  Frame R; Real phi(start = pi/2, fixed = true), w(start = 0, fixed = true);\n"
        "  Real p[2], v[2], F[2], pull, speed;\n"
        "equation\n"
        "  R.T = {{cos(phi), -sin(phi)}, {sin(phi), cos(phi)}};\n"
        "  R.w = w; der(phi) = w; p = resolve(R, {0, -L}); v = der(p);\n"
        "  m*der(v) = F + {0, -m*g}; p[1]*F[2] - p[2]*F[1] = 0;\n"
        "  pull = -F*p/L - 3*m*g*cos(phi); speed = v*v - 2*g*L*cos(phi);\n"
        "end Turning;",
        K * sqrt(L / G));
    size_t last = vinc_result_n_rows(r.result) - 1;
    stays(&r, "pull", 0, 100 * TOL * m * G);
    stays(&r, "speed", 0, 100 * TOL);
    assert_true(fabs(column(&r, "phi")[last]) < 10 * TOL);
    assert_true(fabs(column(&r, "v[1]")[last] + sqrt(2 * G * L)) < 10 * TOL);
    trial_end(&r);
}

/* ---- small models of many trades ------------------------------------------------------------- */

/* A -> B -> C with rates 2 and 1/2. */
static double amount_b(double t)
{
    return 4.0 / 3 * (exp(-t / 2) - exp(-2 * t));
}

/* A tank of 2 m^2 with a hole of 0.05 m^2: sqrt(h) falls linearly. */
static double level(double t)
{
    double root = sqrt(3) - 0.05 * sqrt(2 * G) / 4 * t;
    return root * root;
}

/* x' = -x(t - 1) from 1: the method of steps, sum (-1)^k (t - k + 1)^k / k!. */
static double echo(double t)
{
    double sum = 1;
    for (int k = 1; k <= (int)floor(t) + 1; k++)
        sum += (k % 2 ? -1 : 1) * pow(t - (k - 1), k) / tgamma(k + 1);
    return sum;
}

/* Tsiolkovsky: 100 kg, 10 kg/s at 250 m/s for 8 s, straight up. */
static double rocket(double t)
{
    return -250 * log(1 - fmin(t, 8) / 10) - G * t;
}

/* 1e-5 y' = sin 3t - y. */
static double follower(double t)
{
    return (sin(3 * t) - 3e-5 * cos(3 * t) + 3e-5 * exp(-t / 1e-5)) / (1 + 9e-10);
}

static double braked(double t)
{
    return t < 5.0 / 3 ? 5 * t - 1.5 * t * t : 25.0 / 6;
}

/* The charge that a rectifier lets through: 1/3 in each half period of pi/6. */
static double charge(double t)
{
    const double period = acos(-1) / 3;
    double n = floor(t / period), x = 6 * (t - n * period);
    return n / 3 + (x < acos(-1) ? (1 - cos(x)) / 6 : 1.0 / 3);
}

/* Through 1 in the first 0.3 s of every 2 s: x' = u - x. */
static double pulsed(double t)
{
    double x = 0;
    for (; t >= 2; t -= 2) x = (1 + (x - 1) * exp(-0.3)) * exp(-1.7);
    return t < 0.3 ? 1 + (x - 1) * exp(-t) : (1 + (x - 1) * exp(-0.3)) * exp(0.3 - t);
}

static double cubic(double t)
{
    return t - t * t + t * t * t / 6 + 0.025 * t * t * t * t;
}

/* Bounces from 2 m, 0.8 of the speed left at each. */
static double bounces(double t)
{
    double y = 2, v = 0, from = 0;
    for (;;) {
        double d = (v + sqrt(v * v + 2 * G * y)) / G, s = t - from;
        if (d >= s) return y + v * s - G * s * s / 2;
        v = 0.8 * (G * d - v);
        y = 0;
        from += d;
    }
}

static const struct {
    const char *text, *name;
    double stop;
    double (*f)(double t);
} small[] = {
    {"model Abc \"A -> B -> C\" parameter Real k1 = 2, k2 = 0.5;"
     "  Real a(start = 1, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);"
     "equation der(a) = -k1*a; der(b) = k1*a - k2*b; der(c) = k2*b; end Abc;",
     "b", 6, amount_b},
    {"model Tank parameter Real A = 2, a = 0.05, g = 9.81; Real h(start = 3, fixed = true), q;"
     "equation q = a*sqrt(2*g*max(h, 0)); A*der(h) = -q; end Tank;",
     "h", 20, level},
    {"model Echo Real x(start = 1, fixed = true), past;"
     "equation past = if time < 1 then 1 else delay(x, 1); der(x) = -past; end Echo;",
     "x", 5, echo},
    {"model Rocket Real m(start = 100, fixed = true), v(start = 0, fixed = true), mdot;"
     "equation mdot = if time < 8 then 10 else 0; der(m) = -mdot;"
     "  m*der(v) = 250*mdot - m*9.81; end Rocket;",
     "v", 12, rocket},
    {"model Follow parameter Real tau = 1e-5; Real u = sin(3*time), y(start = 0, fixed = true);"
     "equation tau*der(y) = u - y; end Follow;",
     "y", 4, follower},
    {"model Brake Real s(start = 0, fixed = true), v(start = 5, fixed = true);"
     "  Boolean moving(start = true, fixed = true);"
     "equation der(s) = v; der(v) = if moving then -3 else 0;"
     "  when v <= 0 then moving = false; reinit(v, 0); end when; end Brake;",
     "s", 3, braked},
    {"model Half Real u = sin(6*time), i, s, q(start = 0, fixed = true); Boolean off;"
     "equation off = s < 0; u = (if off then s else 0) + i; i = if off then 0 else s;"
     "  der(q) = i; end Half;",
     "q", 5, charge},
    {"model Pulses Real x(start = 0, fixed = true), u;"
     "equation u = if mod(time, 2) < 0.3 then 1 else 0; der(x) = u - x; end Pulses;",
     "x", 9, pulsed},
    {"model Horner function p input Real c[:]; input Real x; output Real y; algorithm y := 0;"
     "    for i in size(c, 1):-1:1 loop y := y*x + c[i]; end for; end p;"
     "  Real x(start = 0, fixed = true);"
     "equation der(x) = p({1, -2, 0.5, 0.1}, time); end Horner;",
     "x", 4, cubic},
    {"model Ball Real y(start = 2, fixed = true), v(start = 0, fixed = true);"
     "equation der(y) = v; der(v) = -9.81;"
     "  when y <= 0 then reinit(v, -0.8*pre(v)); end when; end Ball;",
     "y", 4, bounces},
};

static void small_models_of_many_trades(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        trial r = run_to(small[k].text, small[k].stop);
        double size = 1;
        for (double t = 0; t <= small[k].stop; t += small[k].stop / 50)
            size = fmax(size, fabs(small[k].f(t)));
        follows(&r, small[k].name, small[k].f, 10 * TOL * size);
        trial_end(&r);
    }
}

/* ---- large data ------------------------------------------------------------------------------ */

/* A table of 4200 numbers in a function that looks it up, at 4093 events of a model without a state. */
static void long_tables(void **state)
{
    (void)state;
    trial r =
        run_to("model LongTable\n"
               "  function row input Real table[:, 2]; input Real x; input Integer from; output "
               "Integer k;\n"
               "  algorithm k := from;\n"
               "    while k < size(table, 1) and x >= table[k, 1] loop k := k + 1; end while;\n"
               "  end row;\n"
               "  parameter Integer n = 2100;\n"
               "  parameter Real table[n, 2] = [linspace(0, 1, n), linspace(0, 1, n).^2];\n"
               "  discrete Real next(start = 0, fixed = true), base(start = 0, fixed = true);\n"
               "  Integer k(start = 1, fixed = true);\n"
               "  Real y;\n"
               "algorithm\n"
               "  when {time >= pre(next), initial()} then\n"
               "    k := row(table, time*(1 + 1e-12) - base, pre(k));\n"
               "    next := base + table[k, 1];\n"
               "    if k == n then k := 1; base := base + 1; end if;\n"
               "  end when;\n"
               "equation\n"
               "  y = table[k, 2];\n"
               "end LongTable;\n",
               1.95);
    size_t last = vinc_result_n_rows(r.result) - 1;
    assert_true(fabs(column(&r, "y")[last] - pow(ceil(0.95 * 2099) / 2099, 2)) <= 1e-12);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_tables),
        cmocka_unit_test(energies_in_functions),
        cmocka_unit_test(energies_in_components),
        cmocka_unit_test(energies_that_know_the_time),
        cmocka_unit_test(forces_at_points),
        cmocka_unit_test(the_past_of_components),
        cmocka_unit_test(stiff_followers_and_roots),
        cmocka_unit_test(pulses_in_arrays),
        cmocka_unit_test(a_load_breaks_loose),
        cmocka_unit_test(a_frame_is_more_than_its_matrix),
        cmocka_unit_test(a_singular_choice_is_named),
        cmocka_unit_test(types_are_checked),
        cmocka_unit_test(sums_are_kept_at_rest),
        cmocka_unit_test(small_models_of_many_trades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
