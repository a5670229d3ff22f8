/* Pumps, circuits and drive trains: small models of what runs of whole plants stumbled over, against
 * closed forms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

static double at(const trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

/* ---- a first step where y' is nonlinear ------------------------------------------------------- */

/* A pump at the speed w = der(phi), which its equations divide by, drives a flow V through friction:
 * V + 8 V^2 = 2 w^2 - w V and tau w = (V + 8 V^2) V. At w = 0, where a guess y' = 0 begins, another
 * branch holds. The speed leaps at 1/2, where the run begins anew. */
static void slopes_on_the_branch_of_the_start(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau3", "radau5", "radau", "gauss4", "bdf", "sdirk4"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial r = trial_of(
            "model M Real phi(start = 0, fixed = true), w = der(phi), V(start = 0.1), dp, tau;\n"
            "discrete Real w0(start = 0.5, fixed = true);\n"
            "equation der(phi) = w0 + 0.1*time; when time >= 0.5 then w0 = 0.9; end when;\n"
            "if noEvent(abs(w) < 1e-60) then dp = 0; tau = 0;\n"
            "else dp = -2*sign(w)*w^2*(1 - V/(2*w)); tau*w = -dp*V; end if;\n"
            "-dp = V + 8*V*abs(V); end M;",
            (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-8, .method = methods[k]});
        static const double times[] = {0.25, 1};
        for (int i = 0; i < 2; i++) {
            double t = times[i], w = (i ? 0.9 : 0.5) + 0.1 * t;
            double V = (sqrt((1 + w) * (1 + w) + 64 * w * w) - 1 - w) / 16;
            assert_near(at(&r, "V", t), V, 1e-7);
            assert_near(at(&r, "tau", t), (V + 8 * V * V) * V / w, 1e-7);
        }
        assert_near(at(&r, "phi", 1), 0.75, 1e-7);
        trial_end(&r);
    }
}

/* ---- steeper than time resolves --------------------------------------------------------------- */

/* Two transistors of square law, thresholds of 1 V, and a node that has no capacity. Where both are
 * saturated, only a conductance of 1e-12 of a transistor's decides: the node falls from 3.5 V to 1.5 V
 * while the input rises by 2e-7 V, and its corners are sharper still. Before, the first is saturated:
 * x = 5 - v solves (4 - u) x - x^2/2 = (u - 1)^2/2; after it the other way round. */
static void gain_beyond_resolution(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL, "radau5", "bdf"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial r = trial_of(
            "model M parameter Real C = 0;\n"
            "function channel input Real g; input Real d; output Real i; algorithm\n"
            "i := if g <= 1 then 0 elseif d >= g - 1 then (g - 1)^2/2 else ((g - 1) - d/2)*d;\n"
            "annotation(smoothOrder = 1); end channel; Real u = 5*time, v(start = 5);\n"
            "equation C*der(v) = 1e-5*(channel(5 - u, 5 - v) - channel(u, v)) - 1e-12*v; end M;",
            (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-6, .method = methods[k]});
        assert_near(at(&r, "v", 0.1), 5, 1e-5);
        assert_near(at(&r, "v", 0.496), 3.48 + sqrt(1.52 * 1.52 - 1.48 * 1.48), 1e-5);
        assert_near(at(&r, "v", 0.516), 1.58 - sqrt(1.58 * 1.58 - 1.42 * 1.42), 1e-5);
        assert_near(at(&r, "v", 0.9), 0, 1e-5);
        trial_end(&r);
    }
}

/* ---- resistances of zero ---------------------------------------------------------------------- */

/* A bridge of capacities with conductances of 1.5, each behind a resistance of zero, which makes of its
 * current the derivative of a constraint that structure does not see. Both ends of the load follow
 * 3 v' + 3 v = u' + 1.5 u from v = 0, so it has no current. */
static void currents_behind_no_resistance(void **state)
{
    (void)state;
    trial r =
        trial_of("model M model Branch parameter Real R = 0, C = 1; Real a, b, i, ic, s, id;\n"
                 "equation R*i = a - s; ic = C*(der(s) - der(b)); id = 1.5*(s - b);\n"
                 "0 = id - i + ic; end Branch;\n"
                 "Branch d1(C = 1), d2(C = 2), d3(C = 1), d4(C = 2); Real u = sin(time), io;\n"
                 "initial equation d3.b = 0; d1.a = 0;\n"
                 "equation d3.a = u; d4.a = 0; d1.b = u; d2.b = 0;\n"
                 "d3.b = d4.b; d1.a = d2.a; d3.i + d4.i = io; d1.i + d2.i = io;\n"
                 "io = 10*(d3.b - d1.a); end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-8});
    double v = (5 * sin(1) - cos(1) + exp(-1)) / 12, slope = (5 * cos(1) + sin(1) - exp(-1)) / 12;
    assert_near(at(&r, "d3.b", 1), v, 1e-8);
    assert_near(at(&r, "d3.i", 1), cos(1) - slope + 1.5 * (sin(1) - v), 1e-6);
    assert_near(at(&r, "io", 1), 0, 1e-8);
    trial_end(&r);
}

/* ---- an end beside an event ------------------------------------------------------------------- */

/* A switch at 0.009, followed in pieces of 0.0005: 18 of them end one rounding behind it. x' =
 * 100 (u - x) from 0, with u = 1 until then and 0 after. */
static void pieces_that_end_beside_an_event(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau5", "dopri5", "bdf"};
    static const char text[] =
        "model M Real x(start = 0, fixed = true); Boolean high = x > 0.5;\n"
        "equation der(x) = 100*((if time < 0.009 then 1 else 0) - x); end M;";
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .rel_tol = 1e-8, .method = methods[k]};
        trial r = trial_ready(NULL, text, &o);
        assert_int_equal(r.rc, VINC_OK);
        assert_true(vinc_sim_start(r.sim) >= 0);
        for (int piece = 1; piece <= 24; piece++) {
            int rc = vinc_sim_advance(r.sim, piece * 0.0005);
            if (rc < 0) print_error("%s: %s", methods[k], vinc_sim_messages(r.sim));
            assert_true(rc >= 0);
        }
        double x = (1 - exp(-0.9)) * exp(-0.3), got = 0;
        int column = vinc_sim_find(r.sim, "x");
        assert_true(column >= 0 && vinc_sim_values(r.sim, &column, 1, &got) >= 0);
        assert_near(got, x, 1e-7);
        trial_end(&r);
    }
}

/* ---- a rectifier ------------------------------------------------------------------------------ */

/* A coil of 0.01 and 2 Ohm behind a diode: while that conducts, the current of a coil switched to a
 * sine. It conducts from t = 0 on, where its voltage leaves zero with a slope that rounding decides the
 * sign of: that is no reason to take the crossing for none. When it blocks, its voltage falls within
 * 1e-10 of a time that is resolved to 1e-18: no step of a multistep method is short enough whose
 * prediction leaves algebraic unknowns where they are. */
static void rectifier(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau5", "bdf", "mebdf"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        trial r =
            trial_of("model M constant Real w = 314.1592653589793; Real s(start = 1), vd;\n"
                     "Real i(start = 0, fixed = true); equation\n"
                     "0.01*der(i) = 10*sin(w*time) - 2*i - vd; i = if s > 0 then s else 1e-8*s;\n"
                     "vd = if s > 0 then 1e-5*s else s; end M;",
                     (vinc_sim_options){.has_stop = 1,
                                        .t_stop = 0.045,
                                        .rel_tol = 1e-7,
                                        .intervals = 500,
                                        .method = methods[k]});
        static const double times[] = {0.0054, 0.0099, 0.0252, 0.045};
        double R = 2 + 1e-5, X = 3.141592653589793, w = 100 * X, phi = atan2(X, R);
        for (int i = 0; i < 4; i++) {
            double t = fmod(times[i], 0.02);
            double want = 10 / hypot(R, X) * (sin(w * t - phi) + sin(phi) * exp(-R * t / 0.01));
            assert_near(at(&r, "i", times[i]), want, 1e-5);
        }
        assert_near(at(&r, "i", 0.018), 0, 1e-6);
        trial_end(&r);
    }
}

/* ---- a trigger that flips --------------------------------------------------------------------- */

/* An integrator behind a comparator with feedback and a gain of 15000, limited to 15: it flips where
 * its input has come to a thousandth of zero, at x = (6 - 0.001)/0.6. There two solutions of the loop
 * end, although the motion of x is the same on both: a triangle of that height and of slope 400. */
static void trigger(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M Real x(start = 0, fixed = true), u(start = -6), v;\n"
        "equation u = 0.4*v + 0.6*x; der(x) = -400/15*v;\n"
        "v = smooth(0, if 15000*u > 15 then 15 elseif 15000*u < -15 then -15\n"
        "else 15000*u); end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-7, .intervals = 1000});
    double most = 5.999 / 0.6;
    for (double t = 0.09; t < 1; t += 0.1) {
        double phase = fmod(400 * t + most, 4 * most) - most; // from -most, rising
        assert_near(at(&r, "x", t), phase < most ? phase : 2 * most - phase, 1e-5);
        assert_near(fabs(at(&r, "v", t)), 15, 1e-9);
    }
    trial_end(&r);
}

/* ---- flows ------------------------------------------------------------------------------------ */

/* A volume of which mass, energy and size are differentiated, behind a node of three valves. As long as
 * all are closed nothing says what the pressure in the node is, whatever is differentiated; it keeps its
 * value. From 1/2 on two are open: p - 2 = 3 - p. */
static void pressure_between_closed_valves(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M Real m(start = 1, fixed = true), U, V, T(start = 1, fixed = true), p(start = 2);\n"
        "Real q[3]; parameter Real k3 = 0; Real k = if time > 0.5 then 1 else 0;\n"
        "equation der(m) = q[1]; der(U) = q[1]*T - 0.1*der(V); m = V*(1 + 0.1*T); U = m*T;\n"
        "q[1] = k*(p - 2); q[2] = k*(3 - p); q[3] = k3*(p - 1); q[1] + q[3] = q[2]; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_near(at(&r, "p", 0.25), 2, 1e-6);
    assert_near(at(&r, "p", 1), 2.5, 1e-6);
    assert_near(at(&r, "m", 1), 1.25, 1e-6);
    assert_non_null(strstr(vinc_sim_report(r.sim, VINC_TEXT), "dummy"));
    trial_end(&r);
}

/* Two volumes exchange mass and what it holds through a pump whose flow sin(t) changes
 * its direction at every multiple of pi. It carries what the volume it leaves holds, which is continuous:
 * there is no event. Of what a volume holds, c', nothing changes while mass leaves it. */
static void flows_turn_without_events(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M connector P Real p; flow Real f; stream Real c; end P;\n"
        "model Volume P a; Real m(start = 3, fixed = true), n, c(start = 1, fixed = true);\n"
        "equation der(m) = a.f; der(n) = a.f*actualStream(a.c); n = m*c; a.c = c; a.p = m; end "
        "Volume;\n"
        "model Pump P a, b; equation a.f + b.f = 0; b.f = -sin(time); a.c = inStream(b.c);\n"
        "b.c = inStream(a.c); end Pump;\n"
        "Volume x(c(start = 3)), y; Pump q; equation connect(x.a, q.a); connect(q.b, y.a); end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 10, .rel_tol = 1e-8});
    vinc_sim_stats n;
    vinc_sim_statistics(r.sim, &n);
    assert_int_equal(n.events, 0);
    // y gains 3 per kg until pi, with 3 kg at first and 5 kg at last.
    assert_near(at(&r, "y.c", 3.14159265358979), (3 * 1 + 2 * 3) / 5.0, 1e-6);
    assert_near(at(&r, "x.c", 3), 3, 1e-6);
    // Then y loses, and keeps what a kilogram of it holds.
    assert_near(at(&r, "y.c", 6), 1.8, 1e-6);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trigger),

                                       cmocka_unit_test(rectifier),
                                       cmocka_unit_test(pieces_that_end_beside_an_event),
                                       cmocka_unit_test(slopes_on_the_branch_of_the_start),
                                       cmocka_unit_test(gain_beyond_resolution),
                                       cmocka_unit_test(currents_behind_no_resistance),
                                       cmocka_unit_test(pressure_between_closed_valves),
                                       cmocka_unit_test(flows_turn_without_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
