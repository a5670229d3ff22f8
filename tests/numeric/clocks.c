/* Clocked models against recursions computed here, and against the ticks that the Modelica Language
 * Specification 3.6, chapter 16, lists for its examples.
 *
 * A recursion of clocked variables is the same arithmetic here and there, so the values are equal,
 * not near. A sampled plant of first order with a held input has the exact solution
 * x(t + T) = a x(t) + (1 - a) u with a = exp(-T).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdlib.h>

static trial until(const char *text, double t_stop)
{
    return trial_of(
        text,
        (vinc_sim_options){.has_stop = 1, .t_stop = t_stop, .rel_tol = 1e-10, .intervals = 1000});
}

static double at(const trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

/* ---- periodic clocks ------------------------------------------------------------------------- */

static void recursion_is_exact(void **state)
{
    (void)state;
    trial r = until("model M Integer k(start = 0); Real x(start = 1), y, s; equation "
                    "when Clock(1, 10) then k = previous(k) + 1; x = 0.9*previous(x) + 1/k; "
                    "y = x^2 - previous(x); s = sample(time); end when; end M;",
                    100);
    double x = 1;
    for (int k = 1; k <= 1000; k++) {
        double before = x, t = (k - 1) / 10.0 + 0.05;
        x = 0.9 * x + 1.0 / k;
        assert_true(at(&r, "k", t) == k);
        assert_true(at(&r, "x", t) == x);
        assert_true(at(&r, "y", t) == x * x - before);
        assert_true(at(&r, "s", t) == (k - 1) / 10.0); // the tick itself: rounded once
    }
    trial_end(&r);
}

/* der(x) = u - x, u held from a PI controller that ticks every T = 1/4 s. */
static void sampled_controller(void **state)
{
    (void)state;
    trial r = until("model M Real x(start = 0, fixed = true), u, yd, e, i(start = 0), ud; equation "
                    "der(x) = u - x; yd = sample(x, Clock(1, 4)); e = 1 - yd; "
                    "i = previous(i) + interval(i)*e; ud = 2*e + 0.5*i; u = hold(ud); end M;",
                    10);
    double x = 0, i = 0, u = 0, a = exp(-0.25);
    for (int k = 0; k < 40; k++) {
        double e = 1 - x;
        i += 0.25 * e;
        u = 2 * e + 0.5 * i;
        assert_near(at(&r, "u", 0.25 * k + 0.1), u, 1e-8);
        double later = exp(-0.1);
        assert_near(at(&r, "x", 0.25 * k + 0.1), later * x + (1 - later) * u, 1e-8);
        x = a * x + (1 - a) * u;
    }
    trial_end(&r);
}

/* examples/hybrid/sampled: between ticks the torque is constant and the motion known. */
static void two_rates(void **state)
{
    (void)state;
    vinc_sim_options o = {.rel_tol = 1e-10, .intervals = 200};
    trial r = trial_start("hybrid/sampled", NULL, &o);
    assert_int_equal(r.rc, VINC_OK);
    const double J = 0.2, d = 0.1, Ti = 0.5, T = 0.02, a = exp(-d / J * T);
    double phi = 0, w = 0, i = 0, wanted = 0;
    for (int k = 0; k < 200; k++) {
        assert_near(at(&r, "phi", k / 50.0), phi, 1e-9);
        assert_near(at(&r, "w", k / 50.0), w, 1e-9);
        if (k % 5 == 0) wanted = 2 * (1 - phi);
        double e = wanted - w;
        i += T / Ti * e;
        double rest = (e + i) / d; // speed that the torque would lead to
        phi += rest * T + (w - rest) * (1 - a) * J / d;
        w = rest + (w - rest) * a;
    }
    trial_end(&r);
}

static void start_need_not_be_zero(void **state)
{
    (void)state;
    vinc_sim_options o = {.has_start = 1, .t_start = 0.3, .has_stop = 1, .t_stop = 2};
    trial r = trial_of("model M Real s; Real d; Boolean f; equation s = sample(time, Clock(0.25)); "
                       "d = interval(s); f = firstTick(s); end M;",
                       o);
    assert_true(at(&r, "s", 0.4) == 0.3);
    assert_true(at(&r, "s", 1.1) == 0.3 + 3 * 0.25);
    assert_true(at(&r, "d", 0.4) == 0.25);
    assert_true(at(&r, "f", 0.4) == 1);
    assert_true(at(&r, "f", 0.6) == 0);
    trial_end(&r);
}

/* sample() is the left limit, hold() shows the start value before the first tick. */
static void limits_on_both_sides(void **state)
{
    (void)state;
    trial r = until("model M Boolean b = time >= 0.5, bs; Real h, u(start = 7), v; Clock c = "
                    "shiftSample(Clock(1, 2), 1); equation bs = sample(b, Clock(1, 2)); "
                    "u = sample(time, c); h = hold(u); v = sample(h, Clock(1, 2)); end M;",
                    2);
    assert_true(at(&r, "bs", 0.6) == 0); // b jumps at the tick
    assert_true(at(&r, "bs", 1.1) == 1);
    assert_true(at(&r, "h", 0.4) == 7);
    assert_true(at(&r, "h", 0.6) == 0.5);
    assert_true(at(&r, "v", 0.6) == 7);
    assert_true(at(&r, "v", 1.1) == 0.5);
    trial_end(&r);
}

/* ---- conversions ----------------------------------------------------------------------------- */

static void values_of_other_rates(void **state)
{
    (void)state;
    trial r = until("model M Integer y = integer(sample(time + 0.5, Clock(1))); "
                    "Integer ySub = subSample(y, 4); Integer ySuper = superSample(ySub, 5); "
                    "Integer yShift(start = 10) = shiftSample(y, 1, 5); "
                    "Integer yShift2 = subSample(shiftSample(superSample(y, 5), 1), 5); "
                    "Integer yBack = backSample(yShift, 1, 5); end M;",
                    12);
    for (int k = 0; k < 12; k++) {
        assert_true(at(&r, "y", k + 0.1) == k);
        assert_true(at(&r, "ySub", k + 0.1) == k / 4 * 4);
        assert_true(at(&r, "ySuper", k + 0.1) == k / 4 * 4);
        assert_true(at(&r, "yShift", k + 0.3) == k);
        assert_true(at(&r, "yShift2", k + 0.3) == k);
        assert_true(at(&r, "yBack", k + 0.1) == (k ? k - 1 : 10));
    }
    assert_true(at(&r, "yShift", 0.1) == 10);
    trial_end(&r);
}

/* Seconds, minutes and milliseconds from one clock of a second. */
static void clockwork(void **state)
{
    (void)state;
    trial r = until("model M Integer second = sample(1, Clock(1)); "
                    "Integer s(start = -1) = mod(previous(s) + second, 60); "
                    "Integer ms(start = -1) = mod(previous(ms) + superSample(second, 1000), 1000); "
                    "Integer m(start = -1) = mod(previous(m) + subSample(second, 60), 60); end M;",
                    130);
    for (int k = 0; k < 130; k += 7) {
        assert_true(at(&r, "s", k + 0.1234) == k % 60);
        assert_true(at(&r, "m", k + 0.1234) == k / 60);
        assert_true(at(&r, "ms", k + 0.1234) == 123);
    }
    trial_end(&r);
}

/* Ticks of clocks of the specification: 3/10 shifted by 1/3 of it, by 3, and back by 2. */
static void shifted_ticks(void **state)
{
    (void)state;
    trial r = until("model M Clock u = Clock(3, 10); Clock y1 = shiftSample(u, 1, 3); "
                    "Clock y2 = shiftSample(u, 3); Clock y3 = backSample(y2, 2); "
                    "Clock y4 = backSample(shiftSample(u, 2, 3), 1, 3); "
                    "Real t1 = sample(time, y1), t2(start = -1) = sample(time, y2); "
                    "Real t3(start = -1) = sample(time, y3), t4 = sample(time, y4); end M;",
                    3);
    assert_true(at(&r, "t1", 0.12) == 0.1);
    assert_true(at(&r, "t1", 0.42) == 0.4);
    assert_true(at(&r, "t2", 0.85) == -1);
    assert_true(at(&r, "t2", 0.95) == 0.9);
    assert_true(at(&r, "t3", 0.25) == -1);
    assert_true(at(&r, "t3", 0.35) == 0.3);
    assert_true(at(&r, "t4", 0.15) == 0.1);
    trial_end(&r);
}

/* noClock(x) is the present value, sample(hold(x)) the one before. */
static void no_clock(void **state)
{
    (void)state;
    trial r = until("model M Clock c1 = Clock(0.1); Clock c2 = subSample(c1, 2); "
                    "Integer x(start = 0), y(start = 0), z(start = 0); equation "
                    "when c1 then x = previous(x) + 1; end when; "
                    "when c2 then y = noClock(x); z = sample(hold(x)); end when; end M;",
                    1);
    assert_true(at(&r, "x", 0.45) == 5);
    assert_true(at(&r, "y", 0.45) == 5);
    assert_true(at(&r, "z", 0.45) == 4);
    trial_end(&r);
}

/* Factors that follow from the clocks on both sides. */
static void inferred_factors(void **state)
{
    (void)state;
    trial r = until("model M Real a = sample(time, Clock(1, 100)); Real b = subSample(a) + c; "
                    "Real c = sample(time, Clock(5, 100)); Real d = superSample(b, 2); end M;",
                    1);
    assert_true(at(&r, "a", 0.123) == 0.12);
    assert_true(at(&r, "b", 0.123) == 0.2);
    assert_true(at(&r, "d", 0.13) == 0.2);
    trial_end(&r);
}

/* What reads another sub-partition comes after it, although the first of the two also reads the second. */
static void order_across_rates(void **state)
{
    (void)state;
    trial r = until("model M Real x = sample(time, Clock(1, 100)); Real y = superSample(x, 2); "
                    "Real z = subSample(y, 2) + x; end M;",
                    0.1);
    assert_true(at(&r, "z", 0.055) == 2 * 0.05);
    trial_end(&r);
}

/* ---- clocks that vary ------------------------------------------------------------------------ */

static void varying_intervals(void **state)
{
    (void)state;
    trial r = until("model M Integer n(start = 2); Real h(start = 0.002), tn, th, dn, dh; equation "
                    "when Clock(n, 1000) then n = previous(n) + 1; tn = sample(time); "
                    "dn = interval(); end when; when Clock(h) then h = previous(h) + 1e-3; "
                    "th = sample(time); dh = interval(); end when; end M;",
                    1);
    static const int ticks[] = {0, 3, 7, 12, 18, 25};
    for (int k = 0; k < 5; k++) {
        double t = (ticks[k] + 0.5) / 1000;
        assert_true(at(&r, "tn", t) == ticks[k] / 1000.0);
        assert_near(at(&r, "th", t), ticks[k] / 1000.0, 1e-17);
        assert_true(at(&r, "dn", t) == (k + 2) / 1000.0);
        assert_near(at(&r, "dh", t), (k + 2) / 1000.0, 1e-17);
    }
    trial_end(&r);
}

/* u ticks at 0, 2, 3, 4 ...: shiftSample(u, 3, 2) at 2.5, 3.5 ... */
static void varying_and_shifted(void **state)
{
    (void)state;
    trial r = until("model M Integer n(start = 2), c(start = 0); Clock u = Clock(n, 1); "
                    "Real s(start = -1) = sample(time, shiftSample(u, 3, 2)), tu; equation "
                    "when u then c = previous(c) + 1; n = if c >= 2 then 1 else previous(n); "
                    "tu = sample(time); end when; end M;",
                    6);
    static const double u[] = {0, 0, 2, 3, 4, 5}, s[] = {-1, -1, -1, 2.5, 3.5, 4.5};
    for (int k = 0; k < 6; k++) {
        assert_true(at(&r, "tu", k + 0.25) == u[k]);
        assert_true(at(&r, "s", k + 0.25) == s[k]);
    }
    trial_end(&r);
}

/* sin(2 pi t) rises through zero at whole times, to the accuracy of a root. */
static void event_clock(void **state)
{
    (void)state;
    trial r = until("model M Real w = sin(6.283185307179586*(time - 0.25)); Clock c = Clock(w > 0, "
                    "0.125); Real t = sample(time, c), d = interval(t); Integer n(start = 0) = "
                    "previous(n) + subSample(firstly, 2); Integer firstly = if firstTick(t) then 1 "
                    "else 1; Real x(start = 0, fixed = true); equation der(x) = hold(t); end M;",
                    4);
    assert_true(at(&r, "d", 0.3) == 0.125);
    for (int k = 0; k < 4; k++) {
        assert_near(at(&r, "t", k + 0.5), k + 0.25, 1e-12);
        if (k) assert_near(at(&r, "d", k + 0.5), 1, 1e-12);
        assert_true(at(&r, "n", k + 0.5) == k / 2 + 1);
    }
    assert_near(at(&r, "x", 4), 0.25 + 1.25 + 2.25 + 0.75 * 3.25, 1e-9);
    trial_end(&r);
}

/* b and the clock made of it are late by the same event iteration; a condition that holds from the
 * start on ticks there. */
static void event_clock_of_a_variable(void **state)
{
    (void)state;
    trial r = until("model M Boolean b = time >= 0.5; Boolean b2 = sample(b, Clock(b)); "
                    "Integer r = integer(time); Integer k(start = 0); Integer j(start = 0); "
                    "equation when Clock(change(r)) then k = previous(k) + 1; end when; "
                    "when Clock(time < 2) then j = previous(j) + 1; end when; end M;",
                    3.5);
    assert_true(at(&r, "b2", 0.4) == 0);
    assert_true(at(&r, "b2", 0.6) == 1);
    assert_true(at(&r, "k", 3.25) == 3);
    assert_true(at(&r, "j", 0.1) == 1);
    assert_true(at(&r, "j", 3.1) == 1);
    trial_end(&r);
}

/* ---- equations that are solved at a tick ----------------------------------------------------- */

/* x + y = s, x - 2 y = previous(x): linear; z^3 + z = s: Newton's method. */
static void systems_at_ticks(void **state)
{
    (void)state;
    trial r =
        until("model M Real s = sample(time, Clock(1, 10)); Real x(start = 1), y, z; equation "
              "x + y = s; x - 2*y = previous(x); z^3 + z = s; end M;",
              2);
    double x = 1;
    for (int k = 0; k < 20; k++) {
        double s = k / 10.0, y = (s - x) / 3, z = 0;
        x = s - y;
        for (int i = 0; i < 60; i++) z -= (z * z * z + z - s) / (3 * z * z + 1);
        assert_near(at(&r, "x", s + 0.05), x, 1e-14);
        assert_near(at(&r, "y", s + 0.05), y, 1e-14);
        assert_near(at(&r, "z", s + 0.05), z, 1e-15);
    }
    trial_end(&r);
}

/* ---- differential equations between ticks ---------------------------------------------------- */

static double slope(double x, double u, double t)
{
    return -2 * x + u + 0.1 * t * x * x;
}

/* x' = -2 x + u + t x^2/10 with a sampled u, one step per tick; formulas of section 16.8.2. */
static void solver_methods(void **state)
{
    (void)state;
    static const char *const names[] = {"ExplicitEuler", "ImplicitEuler", "ImplicitTrapezoid",
                                        "ExplicitMidPoint2", "ExplicitRungeKutta4"};
    for (int m = 0; m < 5; m++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "model M Real u = sample(cos(3*time), Clock(Clock(1, 10), solverMethod = \"%s\")), "
            "a, x(start = 0.75); equation a = 0.1*time*x; der(x) = -2*x + u + a*x; end M;",
            names[m]);
        trial r = until(text, 3);
        double x = 0.75, h = 0.1, u = 1, d = slope(x, u, 0);
        for (int k = 1; k < 30; k++) {
            double t = k / 10.0, before = u, k2, k3, k4, next = x;
            u = cos(3 * t);
            double mid = 0.5 * (before + u);
            switch (m) {
            case 0: next = x + h * d; break;
            case 1:
            case 2: { // a x^2 + b x + c = 0
                double w = m == 1 ? h : h / 2, c = m == 1 ? x : x + w * d;
                for (int i = 0; i < 60; i++)
                    next -= (next - c - w * slope(next, u, t)) / (1 + 2 * w - w * 0.2 * t * next);
                break;
            }
            case 3: next = x + h * slope(x + h / 2 * d, mid, t - h / 2); break;
            default:
                k2 = slope(x + h / 2 * d, mid, t - h / 2);
                k3 = slope(x + h / 2 * k2, mid, t - h / 2);
                k4 = slope(x + h * k3, u, t);
                next = x + h / 6 * (d + 2 * k2 + 2 * k3 + k4);
            }
            x = next;
            d = slope(x, u, t);
            assert_near(at(&r, "x", t + 0.05), x, 1e-14);
        }
        trial_end(&r);
    }
}

/* Initial equations hold at the first tick: x' = u - 2 x at rest is u/2; y = 2 (x + u) = 4 leaves
 * x = 2 - u, from where Euler's method goes on. */
static void first_ticks(void **state)
{
    (void)state;
    trial r = until("model M Real u = sample(3.0, Clock(Clock(1, 10), \"ImplicitEuler\")); "
                    "Real x(start = 9); initial equation der(x) = 0; equation der(x) = u - 2*x; "
                    "end M;",
                    1);
    for (int k = 0; k < 10; k++) assert_near(at(&r, "x", k / 10.0 + 0.05), 1.5, 1e-15);
    trial_end(&r);
    r = until("model M Real u = sample(3.0, Clock(Clock(1, 10), \"ExplicitEuler\")), y; "
              "Real x(start = 9), z(start = 5, fixed = true); initial equation y = 4; equation "
              "der(x) = u - 2*x; der(z) = x; y = 2*(x + u); end M;",
              1);
    double x = -1, z = 5;
    for (int k = 0; k < 10; k++) {
        assert_near(at(&r, "x", k / 10.0 + 0.05), x, 1e-14);
        assert_near(at(&r, "z", k / 10.0 + 0.05), z, 1e-14);
        z += 0.1 * x;
        x += 0.1 * (3 - 2 * x);
    }
    trial_end(&r);
}

/* An inverse model: the plant c' = T - c, T' = u - T is told what c is, by a filter x1' = x2,
 * x2' = r - 3 x2 - 2 x1. Then u = c + 2 c' + c'' = r - x1 - x2 and T = x1 + x2 at every tick. */
static void inverse_model(void **state)
{
    (void)state;
    trial r =
        until("model M Real r = sample(1 + sin(time), Clock(Clock(1, 20), \"ExplicitEuler\")); "
              "Real x1(start = 0.5, stateSelect = StateSelect.prefer); "
              "Real x2(start = 0.25, stateSelect = StateSelect.prefer); Real c, T, u; equation "
              "der(x1) = x2; der(x2) = r - 3*x2 - 2*x1; c = x1; der(c) = T - c; "
              "der(T) = u - T; end M;",
              5);
    double x1 = 0.5, x2 = 0.25, h = 0.05;
    for (int k = 0; k < 100; k++) {
        double t = k / 20.0, ref = 1 + sin(t), next = x1 + h * x2;
        assert_near(at(&r, "u", t + 0.02), ref - x1 - x2, 1e-13);
        assert_near(at(&r, "T", t + 0.02), x1 + x2, 1e-13);
        x2 += h * (ref - 3 * x2 - 2 * x1);
        x1 = next;
    }
    trial_end(&r);
}

/* ---- what cannot be -------------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"Real x(start = 0, fixed = true), y; equation der(x) = y; y = previous(y) + 1;", "S176"},
        {"Real x(start = 0, fixed = true), y; equation der(x) = y + hold(y); y = previous(y) + 1;",
         "S170"},
        {"Real a = sample(time, Clock(1, 10)), b = hold(a) + previous(a); equation ", "S170"},
        {"Clock c = Clock(1, 10), d = subSample(c, 2); equation d = Clock(3, 10);", "S171"},
        {"Real a = sample(time, Clock(1, 10)), b = subSample(a), c = sample(b, Clock(1, 3)); "
         "equation ",
         "S170"},
        {"Real a = sample(time, Clock(2, 10)); Real b = subSample(a) + sample(1, Clock(3, 10)); "
         "equation ",
         "S171"},
        {"Real a = sample(time, Clock(0.1)) + sample(time, Clock(0.2)); equation ", "S172"},
        {"Clock u = Clock(3, 10), y = backSample(shiftSample(u, 3), 4); equation ", "S173"},
        {"Clock u = Clock(time > 1), y = superSample(subSample(u, 4), 5); equation ", "S174"},
        {"Real x(start = 1), u; equation u = sample(time, Clock(1, 10)); der(x) = u;", "S176"},
        {"Real x(start = 1), u; equation u = sample(time, Clock(Clock(1, 10), \"Magic\")); "
         "der(x) = u;",
         "S176"},
        {"Real a, z, y = superSample(a + z, 2); equation a + z = sample(time, Clock(1, 100)); "
         "0 = subSample(y, 2) + a;",
         "S177"},
        {"Real x, y; equation x = sample(time, Clock(1, 10)); x = y + previous(x); y = x;", "S178"},
        {"Real x = sample(time, Clock(1, 10)); initial equation x = 3; equation ", "S179"},
        {"Real x(start = 0), u; equation der(x) = u; "
         "x = sample(time, Clock(Clock(1, 10), \"ImplicitEuler\"));",
         "S182"},
        {"Boolean a, b; Real s = sample(1, Clock(1, 10)); equation a = not b or s > 3; b = a;",
         "S180"},
        {"Real x = sample(time, Clock(-1, 10)); equation ", "M367"},
        {"Real x = sample(time, Clock(0.0)); equation ", "M367"},
        {"Real x = sample(time, Clock(1, 10)), y = subSample(x, 2*x); equation ", "M367"},
        {"Real x = sample(time, Clock(1, 10)), y = previous(2*x); equation ", "M363"},
        {"Boolean b = time > 1; Clock c = if b then Clock(1) else Clock(2); equation ", "M364"},
        {"Real x; equation when Clock(1) then x = 1; elsewhen Clock(2) then x = 2; end when;",
         "M365"},
        {"parameter Clock c = Clock(1); equation ", "M366"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text, "model M %s end M;", cases[i].text);
        trial r = trial_start(NULL, text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
        const char *said = r.ctx ? vinc_ctx_messages(r.ctx) : "";
        if (!r.rc || !strstr(said, cases[i].code))
            fail_msg("%s\n%s expected, not: %s", text, cases[i].code, said);
        trial_end(&r);
    }
}

/* Intervals that the equations give must leave room for time to pass. */
static void intervals_that_vanish(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"h = previous(h)/2", "rounding of time"},
                                           {"h = previous(h) - 0.25", "must be positive"}};
    for (int i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "model M Real h(start = 1); equation when Clock(h) then %s; end when; end M;",
                 cases[i][0]);
        trial r = trial_start(NULL, text, &(vinc_sim_options){.has_stop = 1, .t_stop = 5});
        assert_int_not_equal(r.rc, VINC_OK);
        assert_non_null(strstr(vinc_sim_messages(r.sim), cases[i][1]));
        trial_end(&r);
    }
}

/* Nothing says when: once per second, with a warning. */
static void default_clock(void **state)
{
    (void)state;
    trial r = until("model M Integer k(start = 0) = previous(k) + 1; end M;", 3.5);
    assert_true(at(&r, "k", 3.25) == 4);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "S175"));
    trial_end(&r);
}

/* ---- around clocks --------------------------------------------------------------------------- */

/* Assertions of a clocked partition are held at its ticks. */
static void assertions_at_ticks(void **state)
{
    (void)state;
    const char *text =
        "model M Integer k(start = 0); equation when Clock(1, 10) then "
        "k = previous(k) + 1; assert(k < 5, \"k is \" + String(k)); end when; end M;";
    trial r = trial_start(NULL, text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_int_not_equal(r.rc, VINC_OK);
    assert_non_null(strstr(vinc_sim_messages(r.sim), "k is 5"));
    trial_end(&r);
}

/* A run that is taken back to an earlier time ticks again as it did. */
static void saved_and_restored(void **state)
{
    (void)state;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 10};
    trial r =
        trial_ready(NULL,
                    "model M Integer n(start = 1), k(start = 0); Real s; equation "
                    "when Clock(n, 10) then n = 1 + mod(previous(n), 3); k = previous(k) + 1; "
                    "s = sample(time); end when; end M;",
                    &o);
    vinc_state *kept = NULL;
    assert_int_equal(r.rc, VINC_OK);
    assert_true(vinc_sim_start(r.sim) >= 0);
    assert_true(vinc_sim_advance(r.sim, 3.33) >= 0);
    assert_int_equal(vinc_sim_save(r.sim, &kept), VINC_OK);
    double first[2], again[2];
    int list[2] = {vinc_sim_find(r.sim, "k"), vinc_sim_find(r.sim, "s")};
    for (int pass = 0; pass < 2; pass++) {
        double *to = pass ? again : first;
        assert_true(vinc_sim_advance(r.sim, 8.05) >= 0);
        assert_int_equal(vinc_sim_values(r.sim, list, 2, to), VINC_OK);
        if (!pass) assert_int_equal(vinc_sim_restore(r.sim, kept), VINC_OK);
    }
    assert_true(first[0] == again[0] && first[1] == again[1]);
    assert_true(first[0] == 41); // two seconds hold ten intervals of 2, 3, 1 tenths ...
    vinc_state_free(kept);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursion_is_exact),
        cmocka_unit_test(sampled_controller),
        cmocka_unit_test(two_rates),
        cmocka_unit_test(start_need_not_be_zero),
        cmocka_unit_test(limits_on_both_sides),
        cmocka_unit_test(values_of_other_rates),
        cmocka_unit_test(clockwork),
        cmocka_unit_test(shifted_ticks),
        cmocka_unit_test(no_clock),
        cmocka_unit_test(inferred_factors),
        cmocka_unit_test(order_across_rates),
        cmocka_unit_test(varying_intervals),
        cmocka_unit_test(varying_and_shifted),
        cmocka_unit_test(event_clock),
        cmocka_unit_test(event_clock_of_a_variable),
        cmocka_unit_test(systems_at_ticks),
        cmocka_unit_test(solver_methods),
        cmocka_unit_test(first_ticks),
        cmocka_unit_test(inverse_model),
        cmocka_unit_test(refusals),
        cmocka_unit_test(intervals_that_vanish),
        cmocka_unit_test(default_clock),
        cmocka_unit_test(assertions_at_ticks),
        cmocka_unit_test(saved_and_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
