/* Vincolo.lagrange through variables: energies, constraints and points of attack that other
 * equations of the model define by q.
 *
 * Numbers are from an integration of the equations of motion written by hand in minimal coordinates
 * (classical Runge-Kutta, 8000 and 16000 steps, extrapolated; both agree to 3e-12).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct end_value {
    const char *name;
    double value;
} end_value;

typedef struct lagrange_case {
    const char *text;
    end_value end[4]; // at t = 3
} lagrange_case;

#define PENDULUM_END                                                                               \
    {                                                                                              \
        {"a", -0.8238338396411576},                                                                \
        {                                                                                          \
            "w", -1.6520756247653114                                                               \
        }                                                                                          \
    }
#define COORDINATE "Real a(start = 1, fixed = true), w(start = 0, fixed = true);\n"

static const lagrange_case cases[] = {
    {"model Height " COORDINATE "Real y = -cos(a);\n"
     "equation der(a) = w; Vincolo.lagrange(q = {a}, T = w^2/2, V = 9.81*y); end Height;",
     PENDULUM_END},
    // solved for y, two levels down, the velocity under another name
    {"model Levels " COORDINATE "Real y, z, s, v;\n"
     "equation der(a) = w; y + z = 3; 2*z - 6 = 2*cos(a); s = 2*a; der(s) = v;\n"
     "Vincolo.lagrange(q = {a}, T = v^2/8, V = 9.81*y); end Levels;",
     PENDULUM_END},
    {"function height input Real a; input Real L; output Real y; protected Real c;\n"
     "algorithm c := cos(a); y := -L*c; end height;\n"
     "model Called " COORDINATE "Real h = height(a, 1);\n"
     "equation der(a) = w; Vincolo.lagrange(q = {a}, T = w^2/2, V = 9.81*h); end Called;",
     PENDULUM_END},
    {"connector C Real phi; flow Real tau; end C;\n"
     "model Arm C c; end Arm; model Tip C c; Real p[2], v[2];\n"
     "equation p = {sin(c.phi), -cos(c.phi)}; v = der(p); c.tau = 0; end Tip;\n"
     "model Component " COORDINATE "Arm arm; Tip tip;\n"
     "equation connect(arm.c, tip.c); arm.c.phi = a; der(a) = w;\n"
     "Vincolo.lagrange(q = {a}, T = tip.v*tip.v/2, V = 9.81*tip.p[2]); end Component;",
     PENDULUM_END},
    {"model Constraint Real x(start = sin(1), fixed = true), y(start = -cos(1)), r2 = x^2 + y^2;\n"
     "Real u(start = 0, fixed = true), lam, a = atan2(x, -y), w = der(a);\n"
     "equation der(x) = u;\n"
     "Vincolo.lagrange(q = {x, y}, T = (u^2 + der(y)^2)/2, V = 9.81*y, Phi = {r2 - 1},\n"
     "lambda = {lam}); end Constraint;",
     {{"a", -0.8238338396411576}}},
    // the lectures' form: T = sum of m |p'|^2 / 2 over points p(q)
    {"model Points parameter Real l1 = 1, l2 = 0.5, m1 = 1, m2 = 2, g = 9.81;\n"
     "Real a(start = 0.5, fixed = true), b(start = -0.3, fixed = true);\n"
     "Real da(start = 1.2, fixed = true), db(start = -0.7, fixed = true);\n"
     "Real p1[2] = {l1*sin(a), -l1*cos(a)}, p2[2] = p1 + {l2*sin(b), -l2*cos(b)};\n"
     "equation der(a) = da; der(b) = db;\n"
     "Vincolo.lagrange(q = {a, b}, T = m1/2*(der(p1)*der(p1)) + m2/2*(der(p2)*der(p2)),\n"
     "V = g*(m1*p1[2] + m2*p2[2])); end Points;",
     {{"a", 0.3689310764910},
      {"b", -0.3206857468530},
      {"da", -1.7825904080738},
      {"db", 1.5132998505650}}},
    {"model Spring Real a(start = atan2(0.6, 0.9), fixed = true);\n"
     "Real r(start = sqrt(0.6^2 + 0.9^2), fixed = true), p[2] = r*{sin(a), -cos(a)};\n"
     "Real l = sqrt(p*p), e = l - 1, w(start = 0, fixed = true), u(start = 0, fixed = true);\n"
     "equation der(a) = w; der(r) = u;\n"
     "Vincolo.lagrange(q = {a, r}, T = der(p)*der(p)/2, V = 9.81*p[2] + 20*e^2); end Spring;",
     {{"p[1]", 0.18954299981273}, {"p[2]", -1.3680619161985}}},
    // closed form of the generalised force: 5 L cos(a) + L sin(a) F[2]
    {"model Force parameter Real L = 2, m = 3; Real a(start = 1, fixed = true);\n"
     "Real w(start = 0, fixed = true), p[2] = {L*sin(a), -L*cos(a)};\n"
     "equation der(a) = w; Vincolo.lagrange(q = {a}, T = m/2*(der(p)*der(p)), p = p,\n"
     "F = {5, -m*9.81 - 0.3*der(p[2])}); end Force;",
     {{"a", 0.9724608030742518}, {"w", -0.2133060882352205}}},
    // the same force half by Q and half at each of two points
    {"model Shared parameter Real L = 2, m = 3; Real a(start = 1, fixed = true);\n"
     "Real w(start = 0, fixed = true), p[2] = {L*sin(a), -L*cos(a)}, F[2];\n"
     "equation der(a) = w; F = {5, -m*9.81 - 0.3*der(p[2])}/4;\n"
     "Vincolo.lagrange(q = {a}, T = m/2*(der(p)*der(p)), p = [p[1], p[2]; p[1] + 1, p[2]],\n"
     "F = [F[1], F[2]; F[1], F[2]], Q = {2*L*(cos(a)*F[1] + sin(a)*F[2])}); end Shared;",
     {{"a", 0.9724608030742518}, {"w", -0.2133060882352205}}},
    // c is a state of its own, s is none: its rate is a function of der(x)
    {"model States Real x(start = 0, fixed = true), s(start = 0, fixed = true);\n"
     "Real c(start = 1, fixed = true), e = x - c;\n"
     "equation der(c) = -c + x; der(s) = 2*der(x);\n"
     "Vincolo.lagrange(q = {x}, T = der(x)^2/2 + der(s)^2/2, V = e^2/2); end States;",
     {{"x", 0.3643861542714807}, {"c", 0.2792634583136497}}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void energies_follow_definitions(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        trial r = trial_of(cases[i].text,
                           (vinc_sim_options){.has_stop = 1, .t_stop = 3, .rel_tol = 1e-10});
        for (int k = 0; k < 4 && cases[i].end[k].name; k++) {
            const end_value *e = &cases[i].end[k];
            double got = vinc_result_at(r.result, e->name, 3);
            if (fabs(got - e->value) > 1e-7)
                print_error("%.30s: %s = %.12g, not %.12g\n", cases[i].text, e->name, got,
                            e->value);
            assert_true(fabs(got - e->value) <= 1e-7);
        }
        trial_end(&r);
    }
}

/* T + V of a double pendulum through points, from the recorded points and rates. */
static void energy_through_points_is_kept(void **state)
{
    (void)state;
    trial r = trial_of("model Points Real a(start = 2, fixed = true), b(start = 1, fixed = true);\n"
                       "Real da(start = 0, fixed = true), db(start = 0, fixed = true);\n"
                       "Real p[2] = {sin(a), -cos(a)}, r[2] = p + {sin(b), -cos(b)};\n"
                       "Real E = (der(p)*der(p) + der(r)*der(r))/2 + 9.81*(p[2] + r[2]);\n"
                       "equation der(a) = da; der(b) = db;\n"
                       "Vincolo.lagrange(q = {a, b}, T = (der(p)*der(p) + der(r)*der(r))/2,\n"
                       "V = 9.81*(p[2] + r[2])); end Points;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 5, .rel_tol = 1e-10});
    double start = -9.81 * (2 * cos(2.0) + cos(1.0));
    for (int k = 0; k <= 50; k++)
        assert_true(fabs(vinc_result_at(r.result, "E", 0.1 * k) - start) < 1e-6);
    trial_end(&r);
}

typedef struct refusal {
    const char *text, *words;
} refusal;

static void what_cannot_be_followed_is_named(void **state)
{
    (void)state;
    static const refusal refused[] = {
        {"model Implicit " COORDINATE "Real z(start = 1);\n"
         "equation der(a) = w; z^3 + sin(z) = a;\n"
         "Vincolo.lagrange(q = {a}, T = w^2/2, V = 9.81*z); end Implicit;",
         "'V' contains 'z'"},
        {"model Algorithm " COORDINATE "Real z;\n"
         "algorithm z := cos(a);\n"
         "equation der(a) = w; Vincolo.lagrange(q = {a}, T = w^2/2, V = -9.81*z); end Algorithm;",
         "computed in an algorithm section"},
        {"model Loop " COORDINATE "Real z, y;\n"
         "equation der(a) = w; z + y = cos(a); z - y = sin(z);\n"
         "Vincolo.lagrange(q = {a}, T = w^2/2, V = -z); end Loop;",
         "'V' contains 'z'"},
        // differentiated, but no state: an equation ties it to a
        {"model Tied " COORDINATE "Real z(start = 1), s;\n"
         "equation der(a) = w; z^3 + sin(z) = a; s = der(z);\n"
         "Vincolo.lagrange(q = {a}, T = w^2/2, V = z); end Tied;",
         "'V' contains 'z'"},
        {"model Place " COORDINATE "Real p = a + w;\n"
         "equation der(a) = w; Vincolo.lagrange(q = {a}, T = w^2/2, p = {p}, F = {1}); end Place;",
         "'p' contains the velocity der(a)"},
        {"model Alone " COORDINATE
         "equation der(a) = w; Vincolo.lagrange(q = {a}, T = w^2/2, F = {1}); end Alone;",
         "give both"},
        {"model Shape " COORDINATE "equation der(a) = w;\n"
         "Vincolo.lagrange(q = {a}, T = w^2/2, p = {a, 0}, F = {1}); end Shape;",
         "'F' has 1 elements and 'p' has 2"},
        {"model Twice " COORDINATE "equation der(a) = w;\n"
         "Vincolo.lagrange(q = {a, a}, T = w^2/2); end Twice;",
         "coordinate 2 of 'q' is there twice"},
        // many of them: no coordinate is held against every other one, which would take minutes
        {"model Many Real q[400000], l;\n"
         "equation Vincolo.lagrange(q = q, T = q*der(q)/l, Phi = {q[1]^2 + q[2]^2 - 16},\n"
         "lambda = {2}); end Many;",
         "'T' contains 'l'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        trial r =
            trial_start(NULL, refused[i].text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
        assert_int_equal(r.rc, VINC_E_MODEL);
        if (!strstr(vinc_ctx_messages(r.ctx), refused[i].words))
            print_error("%s\n", vinc_ctx_messages(r.ctx));
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), refused[i].words));
        trial_end(&r);
    }
}

/* Not a function of q, though no single equation says so: it is left as it is. */
static void what_is_independent_of_q_stays(void **state)
{
    (void)state;
    trial r = trial_of("model Driven Real x(start = 0, fixed = true), v(start = 0, fixed = true);\n"
                       "Real z(start = 1), y, u; discrete Real k(start = 1, fixed = true);\n"
                       "equation der(x) = v; z^3 + y = 2 + 0*sin(time); z = y; u = z*x;\n"
                       "when time > 100 then k = 2; end when;\n"
                       "Vincolo.lagrange(q = {x}, T = k*v^2/2, V = z*x^2/2 - u); end Driven;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 2, .rel_tol = 1e-10});
    // z = y = 1: x'' = 1 - x
    assert_true(fabs(vinc_result_at(r.result, "x", 2) - (1 - cos(2.0))) < 1e-7);
    trial_end(&r);
}

typedef struct energy_case {
    const char *text, *method;
    double step;
    bool warned;
} energy_case;

/* T + V is kept by the first four models. Explicit Euler multiplies the energy of an oscillator of unit
 * rate by 1 + h^2 in a step: e^(h t) - 1 = 2 % for h = 0.002, t = 10 is said. Where forces, time or
 * velocities at rest change T + V, nothing is said. */
static void lost_energy_is_told(void **state)
{
    (void)state;
#define OSCILLATOR(rest)                                                                           \
    "model M Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; "   \
    "Vincolo.lagrange(q = {x}, " rest "); end M;"
    static const energy_case list[] = {
        {OSCILLATOR("T = v^2/2, V = x^2/2"), "euler", 0.002, true},
        {OSCILLATOR("T = v^2/2, V = x^2/2"), NULL, 0, false},
        {OSCILLATOR("T = v^2/2, V = x^2/2, Q = {0}"), "rk4", 0.01, false},
        {OSCILLATOR("T = v^2/2, V = x^2/2, Q = {0}"), "euler", 0.002, true},
        {OSCILLATOR("T = v^2/2, V = x^2/2, Q = {-0.1*v}"), NULL, 0, false},
        {OSCILLATOR("T = v^2/2, V = x^2/2, p = {x}, F = {-0.1*v}"), NULL, 0, false},
        {OSCILLATOR("T = v^2/2, V = x^2/2 - x*sin(time)"), NULL, 0, false},
        {OSCILLATOR("T = (v + 0.1*x)^2/2 + x^2/8, V = x^4/4"), NULL, 0, false},
    };
#undef OSCILLATOR
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trial r = trial_of(list[i].text, (vinc_sim_options){.has_stop = 1,
                                                            .t_stop = 10,
                                                            .method = list[i].method,
                                                            .step = list[i].step});
        bool said = strstr(vinc_sim_messages(r.sim), "[R124]") != NULL;
        if (said != list[i].warned) print_error("%s\n%s", list[i].text, vinc_sim_messages(r.sim));
        assert_int_equal(said, list[i].warned);
        trial_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_follow_definitions),
        cmocka_unit_test(energy_through_points_is_kept),
        cmocka_unit_test(what_cannot_be_followed_is_named),
        cmocka_unit_test(what_is_independent_of_q_stays),
        cmocka_unit_test(lost_energy_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
