/* What the lecture notes say about constrained systems, measured: orders of convergence, the
 * accelerations that all formulations agree on, the reaction of a moving constraint, reactions that
 * do work, start values by least change, and when a stabilised run diverges.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static double at(const trial *r, const char *name, double t)
{
    if (r->rc < 0) fail_msg("%s", vinc_ctx_messages(r->ctx));
    return vinc_result_at(r->result, name, t);
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* Errors at t = 1 of positions, velocities and mu, each the larger of two, from the motion by
 * elliptic functions. */
static void errors_of(const char *formulation, const char *method, double h, double e[3])
{
    static const char *const names[] = {"x", "y", "u", "v", "mu"};
    static const double exact[] = {-0.986291751131875, -0.165010853125541, -0.296905515916316,
                                   1.77464364111266, -4.85626940748468};
    vinc_sim_options o = {.formulation = formulation, .method = method, .step = h};
    o.has_stop = 1;
    o.t_stop = 1;
    trial r = trial_start("lectures/pendulum", NULL, &o);
    memset(e, 0, 3 * sizeof *e);
    for (int i = 0; i < 5; i++) e[i / 2] = fmax(e[i / 2], fabs(at(&r, names[i], 1) - exact[i]));
    trial_end(&r);
}

/* Observed orders log2(E(0.01)/E(0.005)) and errors at h = 0.005 of independent programs; 0: not
 * among them. Implicit Euler is of first order for all, multipliers included; BDF2 of second;
 * Radau IIA of third loses one order in velocities and two in the multiplier. The
 * Taylor step is of first order because its velocities are; Crank-Nicolson, stabilised, of second. */
static void orders(void **state)
{
    (void)state;
    static const struct {
        const char *formulation, *method;
        double order[3], error[3], spread;
    } cases[] = {
        {"direct", "implicit-euler", {0.9082, 0.889, 1.013}, {0.0764697, 0.171003, 0.408158}, 1e-3},
        {"index1", "implicit-euler", {1.039, 0.9752, 1.069}, {0.0484849, 0.139112, 0.371178}, 1e-3},
        {"ggl", "implicit-euler", {0.9479, 0.9338, 1.038}, {0.0511293, 0.116652, 0.229146}, 1e-3},
        {"direct", "radau3", {3.006, 1.999, 1.023}, {1.13078e-06, 0.000142975, 0.176948}, 1e-3},
        {"direct", "bdf2", {2.09, 1.938, 2.014}, {0}, 0.2},
        {"ggl", "bdf2", {2.076, 1.945, 2.007}, {0}, 0.2},
        {"index1", "taylor2", {1, 1, 1}, {0}, 0.1},
        {"baumgarte:a=30,b=300,c=1000", "trapezoid", {2, 2, 2}, {0}, 0.05},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double coarse[3], fine[3];
        errors_of(cases[k].formulation, cases[k].method, 0.01, coarse);
        errors_of(cases[k].formulation, cases[k].method, 0.005, fine);
        for (int i = 0; i < 3; i++) {
            double order = log2(coarse[i] / fine[i]), error = cases[k].error[i];
            if (!(fabs(order - cases[k].order[i]) <= cases[k].spread))
                fail_msg("%s by %s: order %g of quantity %d, not %g", cases[k].formulation,
                         cases[k].method, order, i, cases[k].order[i]);
            if (error > 0 && fabs(fine[i] - error) > 5e-6 * error)
                fail_msg("%s by %s: error %g of quantity %d, not %g", cases[k].formulation,
                         cases[k].method, fine[i], i, error);
        }
    }
}

/* ---- accelerations --------------------------------------------------------------------------- */

/* A double pendulum, m = (1, 2), l = (1, 0.5), at angles (0.5, -0.3) with rates (1.2, -0.7):
 * accelerations and multipliers of every algebra, against Lagrange's equations in the angles
 * (30 digits). */
static void accelerations(void **state)
{
    (void)state;
    static const char text[] =
        "model D Real q[4](start = {0.479425538604203, -0.877582561890373, 0.331665435273533, "
        "-1.35525080645318}); Real v[4](start = {1.05309907426845, 0.575310646325044, "
        "0.718731303074485, 0.678742718656512}); Real lambda[2]; equation der(q) = v; "
        "Vincolo.lagrange(q = q, T = (v[1]^2 + v[2]^2)/2 + v[3]^2 + v[4]^2, "
        "V = 9.81*(q[2] + 2*q[4]), Phi = {q[1]^2 + q[2]^2 - 1, (q[3] - q[1])^2 + "
        "(q[4] - q[2])^2 - 0.25}, lambda = lambda); end D;";
    static const struct {
        const char *name;
        double value;
    } want[] = {{"der(v[1])", -9.313952799565}, {"der(v[2])", -3.447364349343},
                {"der(v[3])", 1.055301696933},  {"der(v[4])", -6.39849650416},
                {"lambda[1]", 7.512479859407},  {"lambda[2]", 7.141993495846}};
    static const char *const ways[] = {"dummy",         "project", "partition", "maggi",
                                       "index1",        "kkt",     "udwadia",   "nullspace-qr",
                                       "nullspace-svd", "finzi"};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        vinc_sim_options o = {.formulation = ways[k], .method = "rk4", .step = 1e-3};
        o.has_stop = 1;
        o.t_stop = 1e-3;
        trial r = trial_start(NULL, text, &o);
        for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
            double got = at(&r, want[i].name, 0);
            if (!(fabs(got - want[i].value) <= 1e-11 * fmax(1, fabs(want[i].value))))
                fail_msg("%s: %s = %.14g, not %.14g", ways[k], want[i].name, got, want[i].value);
        }
        trial_end(&r);
    }
}

/* Two uniform rods, components with ends that follow from middle and angle, released horizontally:
 * by Lagrange's equations in the angles they begin with -9/7 g and 3/7 g. The ends have no inertia
 * and are eliminated, so that the model counts as mechanical. */
static void components(void **state)
{
    (void)state;
    static const char text[] = "model Rods "
                               "model Rod \"uniform rod of mass 1 and length 1 with two ends\" "
                               "Real r[2], phi(start = 0), v[2], w, a[2], b[2], fa[2], fb[2]; "
                               "equation "
                               "v = der(r); "
                               "w = der(phi); "
                               "a = r - {cos(phi), sin(phi)}/2; "
                               "b = r + {cos(phi), sin(phi)}/2; "
                               "der(v) = fa + fb + {0, -9.81}; "
                               "der(w)/12 = (a[1] - r[1])*fa[2] - (a[2] - r[2])*fa[1] + (b[1] - "
                               "r[1])*fb[2] - (b[2] - r[2])*fb[1]; "
                               "end Rod; "
                               "Rod p(r(start = {0.5, 0})), q(r(start = {1.5, 0})); "
                               "equation "
                               "p.a = {0, 0}; "
                               "q.a = p.b; "
                               "q.fa = -p.fb; "
                               "q.fb = {0, 0}; "
                               "end Rods; ";
    static const char *const ways[] = {"dummy", "project", "maggi",        "kkt",
                                       "finzi", "udwadia", "nullspace-qr", "nullspace-svd"};
    double end = 0;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        vinc_sim_options o = {.formulation = ways[k], .method = "dopri5", .rel_tol = 1e-9};
        trial r = trial_start(NULL, text, &o);
        assert_true(fabs(at(&r, "der(p.w)", 0) + 9.81 * 9 / 7) < 1e-11);
        assert_true(fabs(at(&r, "der(q.w)", 0) - 9.81 * 3 / 7) < 1e-11);
        if (!k) end = at(&r, "q.phi", 1);
        assert_true(fabs(at(&r, "q.phi", 1) - end) < 1e-6);
        assert_null(strstr(vinc_sim_messages(r.sim), "R122"));
        trial_end(&r);
    }
}

/* Energies inside components, in arrays of them, with multipliers given and not, and in a part of
 * an array: a pendulum by elliptic functions; one of length 2 moves as that of length 1, slower by
 * sqrt(2), and its multiplier is half as large. */
static void energies_in_components(void **state)
{
    (void)state;
    static const char text[] =
        "model A model P parameter Real L = 1; Real q[2](start = {L, 0}), lambda[1]; equation "
        "Vincolo.lagrange(q = q, T = (der(q[1])^2 + der(q[2])^2)/2, V = 9.81*q[2], Phi = {q*q - "
        "L^2}, lambda = lambda); end P; model F parameter Real L = 1; Real x(start = L), y(start = "
        "0); equation Vincolo.lagrange(q = {x, y}, T = (der(x)^2 + der(y)^2)/2, V = 9.81*y, Phi = "
        "{x^2 + y^2 - L^2}); end F; P p[2](L = {1, 2}); F f[2](L = {1, 2}); Real z[4](start = {0, "
        "1, 0, 7}), mu[1]; equation Vincolo.lagrange(q = z[2:3], T = (der(z[2])^2 + "
        "der(z[3])^2)/2, "
        "V = 9.81*z[3], Phi = {z[2]^2 + z[3]^2 - 1}, lambda = mu); z[1] = 1; der(z[4]) = 0; end A;";
    static const struct {
        const char *name;
        double value;
        int length;
    } want[] = {{"p[1].q[1]", -0.986291751131875, 1},
                {"p[1].lambda[1]", 2.42813470374234, 1},
                {"f[1].x", -0.986291751131875, 1},
                {"f[1].lagrange.lambda[1]", 2.42813470374234, 1},
                {"z[2]", -0.986291751131875, 1},
                {"mu[1]", 2.42813470374234, 1},
                {"p[2].q[1]", -2 * 0.986291751131875, 2},
                {"f[2].x", -2 * 0.986291751131875, 2},
                {"f[2].lagrange.lambda[1]", 2.42813470374234 / 2, 2}};
    static const char *const ways[] = {"dummy", "maggi", "udwadia"};
    for (int k = 0; k < 6; k++) {
        vinc_sim_options o = {.formulation = ways[k / 2], .rel_tol = 1e-10, .has_stop = 1};
        o.t_stop = sqrt(1 + k % 2);
        trial r = trial_start(NULL, text, &o);
        for (size_t i = 0; i < sizeof want / sizeof *want; i++)
            if (want[i].length == 1 + k % 2)
                assert_true(fabs(at(&r, want[i].name, o.t_stop) - want[i].value) < 1e-7);
        trial_end(&r);
    }
}

/* m = 2 pulled by -3 along a constraint on velocities that moves, x' = sin t: by hand,
 * m x'' + lambda = -3 gives lambda = -(m cos t + 3). The term of b' with the other sign would give
 * -1.919 at t = 1. */
static void moving_constraint(void **state)
{
    (void)state;
    static const char text[] = "model R Real x(start = 0, fixed = true), lambda[1]; equation "
                               "Vincolo.lagrange(q = {x}, T = der(x)^2, V = 0, Q = {-3}, A = [1], "
                               "b = {-sin(time)}, lambda = lambda); end R;";
    static const char *const ways[] = {"dummy", "index1", "kkt", "udwadia"};
    for (int k = 0; k < 4; k++) {
        vinc_sim_options o = {.formulation = ways[k], .rel_tol = 1e-9};
        trial r = trial_start(NULL, text, &o);
        assert_true(fabs(at(&r, "lambda[1]", 1) + 4.0806046117363) < 1e-8);
        assert_true(fabs(at(&r, "x", 1) - (1 - cos(1))) < 1e-8);
        trial_end(&r);
    }
}

/* A constraint twice, the second time doubled: the multipliers of least norm are in the ratio of
 * the gradients at every output, also where the pivots of a singular matrix happen not to vanish. */
static void least_multipliers(void **state)
{
    (void)state;
    enum { POINTS = 2000 };
    vinc_sim_options o = {.intervals = POINTS};
    trial r = trial_start("redundant", NULL, &o);
    for (int k = 0; k <= POINTS; k++) {
        double t = (double)k / POINTS, first = at(&r, "lambda[1]", t);
        assert_true(fabs(at(&r, "lambda[2]", t) - 2 * first) < 1e-9 && fabs(first) < 3);
    }
    trial_end(&r);
}

/* ---- named independent coordinates ----------------------------------------------------------- */

/* A pendulum let go where the rod is horizontal passes the lowest point at t = 0.5923, where y no
 * longer determines x: K(1/sqrt(2))/sqrt(g), K = 1.8540746773 the quarter period of the elliptic
 * integral, g = 9.8. Every method stops there and names the choice; one without a singular position
 * goes on. */
static void named_coordinates(void **state)
{
    (void)state;
    static const char pendulum[] =
        "model P parameter Real a = 1; Real x(start = sin(a), fixed = true), y(start = -cos(a));\n"
        "Real u(start = 0, fixed = true), lam;\n"
        "equation der(x) = u;\n"
        "Vincolo.lagrange(q = {x, y}, T = (u^2 + der(y)^2)/2, V = 9.8*y, Phi = x^2 + y^2 - 1,\n"
        "lambda = lam); end P;";
    static const char level[] =
        "model P Real x(start = 1), y(start = 0, fixed = true);\n"
        "Real v(start = 0, fixed = true), lam;\n"
        "equation der(y) = v;\n"
        "Vincolo.lagrange(q = {x, y}, T = (der(x)^2 + v^2)/2, V = 9.8*y, Phi = x^2 + y^2 - 1,\n"
        "lambda = lam); end P;";
    static const char *const methods[] = {NULL,     "dopri5", "dopri8", "bdf", "radau",
                                          "radau5", "sdirk4", "rodas4", "bdf2"};
    double lowest = 1.8540746773013719 / sqrt(9.8);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        vinc_sim_options o = {.formulation = "partition:independent=y",
                              .method = methods[k],
                              .has_stop = 1,
                              .t_stop = 3,
                              .rel_tol = 1e-6,
                              .max_steps = 20000};
        trial r = trial_start(NULL, level, &o);
        assert_int_not_equal(r.rc, VINC_OK);
        assert_int_not_equal(r.rc, VINC_E_LIMIT);
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), "the choice of 'y' as independent"));
        assert_true(fabs(vinc_sim_time(r.sim) - lowest) < 0.02);
        trial_end(&r);
    }
    vinc_sim_options o = {
        .formulation = "partition:independent=x", .has_stop = 1, .t_stop = 3, .rel_tol = 1e-9};
    trial r = trial_of(pendulum, o);
    assert_true(fabs(at(&r, "y", 3) + sqrt(1 - pow(at(&r, "x", 3), 2))) < 1e-9);
    assert_true(fabs(at(&r, "u", 3) * at(&r, "u", 3) / pow(at(&r, "y", 3), 2) -
                     2 * 9.8 * (-cos(1.0) - at(&r, "y", 3))) < 1e-6);
    trial_end(&r);
}

/* ---- reactions that do work ------------------------------------------------------------------ */

/* A block on an incline, friction mu N: a = g (sin - mu cos) along it, N = m g cos, by hand. Every
 * formulation takes the reaction as it is written, and those of mechanics say that it does work;
 * none does without friction, also where the equations of two masses are written in two scales. */
static void working_reactions(void **state)
{
    (void)state;
    static const char incline[] =
        "model I parameter Real m = 2, mu = 0.3, alpha = 0.5; Real x(start = 0, fixed = true), y, "
        "u, v, N; equation der(x) = u; der(y) = v; m*der(u) = N*(sin(alpha) - mu*cos(alpha)); "
        "m*der(v) = N*(cos(alpha) + mu*sin(alpha)) - 9.81*m; x*sin(alpha) + y*cos(alpha) = 0; "
        "end I;";
    static const char energies[] =
        "model E parameter Real mu = 0.3; Real q[2](start = {0, 0}), N[1]; equation "
        "Vincolo.lagrange(q = q, T = (der(q[1])^2 + der(q[2])^2)/2, V = 9.81*q[2], Q = {-mu*N[1], "
        "mu*N[1]}, Phi = {2*q[2] + q[1]}, lambda = N); end E;";
    static const char scales[] =
        "model S Real x(start = 1), y, a(start = 2), u, v, w, N; equation der(x) = u; der(y) = v; "
        "der(a) = w; der(u) = -N*x/2; 9.81 + N*y/2 + der(v) = 0; 50*der(w) = -N*a; x^2 + y^2 + a^2 "
        "= 5; end S;";
    static const char *const ways[] = {"dummy", "direct", "ggl",          "partition",
                                       "maggi", "kkt",    "nullspace-qr", "nullspace-svd",
                                       "finzi", "udwadia"};
    double s = 9.81 * (sin(0.5) - 0.3 * cos(0.5)) / 2;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        vinc_sim_options o = {.formulation = ways[k], .rel_tol = 1e-8};
        trial r = trial_start(NULL, incline, &o);
        assert_true(fabs(at(&r, "x", 1) - s * cos(0.5)) < 1e-7);
        assert_true(fabs(at(&r, "N", 1) - 2 * 9.81 * cos(0.5)) < 1e-6);
        bool said = strstr(vinc_sim_messages(r.sim), "[R122]") != NULL;
        assert_int_equal(said, k >= 4);
        if (said) assert_non_null(strstr(vinc_sim_messages(r.sim), "reaction of 'N'"));
        trial_end(&r);
    }
    vinc_sim_options o = {.formulation = "udwadia"};
    trial r = trial_start(NULL, energies, &o);
    assert_non_null(strstr(vinc_sim_messages(r.sim), "[R122]"));
    trial_end(&r);
    r = trial_start(NULL, scales, &o);
    assert_int_equal(r.rc, VINC_OK);
    assert_null(strstr(vinc_sim_messages(r.sim), "R122"));
    trial_end(&r);
}

/* ---- start values ---------------------------------------------------------------------------- */

/* What a start value was changed by. */
static double moved(const trial *r, const char *name, double from)
{
    return at(r, name, 0) - from;
}

/* Start values move onto the constraints by the least change in the metric of the kinetic energy:
 * M dq is along the gradient there, so that a mass of 100 moves 100 times less than one of 1 where
 * the gradients are equal. Positions, then velocities; from T or from the equations. Where the
 * equations do not show masses, both move alike. */
static void start_by_mass(void **state)
{
    (void)state;
    static const char energies[] =
        "model E Real q[2](start = {1, 1.2}), v[2](start = {0.5, 0}), l[1]; equation der(q) = v; "
        "Vincolo.lagrange(q = q, T = v[1]^2/2 + 50*v[2]^2, Phi = {q[1]^2 - q[2]^2}, lambda = l); "
        "end E;";
    static const char masses[] =
        "model W Real q[2](start = {1, 1.2}), v[2](start = {0.5, 0}), l; equation der(q) = v; "
        "-100*der(v[2]) = 2*q[2]*l; 1*der(v[1]) = 2*q[1]*l; q[1]^2 - q[2]^2 = 0; end W;";
    static const char accelerations[] =
        "model A Real q[2](start = {1, 1.2}), v[2](start = {0.5, 0}), l; equation der(q) = v; "
        "der(v[2]) = -2*q[2]*l/100; der(v[1]) = 2*q[1]*l; q[1]^2 - q[2]^2 = 0; end A;";
    static const char coupled[] =
        "model C Real q[3](start = {1, 1.2, 0.3}), l[1]; equation Vincolo.lagrange(q = q, T = "
        "der(q[1])^2/2 + 50*der(q[2])^2 + der(q[1])*der(q[3]) + 3*der(q[3])^2, Phi = {q[1]^2 - "
        "q[2]^2 + q[3]^3}, lambda = l); end C;";
    const char *const texts[] = {energies, masses, accelerations};
    const double ratio[] = {-100, -100, -1};
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1e-3};
    for (int k = 0; k < 3; k++) {
        trial r = trial_start(NULL, texts[k], &o);
        double dq[] = {moved(&r, "q[1]", 1), moved(&r, "q[2]", 1.2)};
        double dv[] = {moved(&r, "v[1]", 0.5), moved(&r, "v[2]", 0)};
        assert_true(fabs(dq[0]) > 0.05 && fabs(dv[0]) > 4e-3);
        assert_true(fabs(dq[0] / dq[1] - ratio[k]) < 1e-6);
        assert_true(fabs(dv[0] / dv[1] - ratio[k]) < 1e-6);
        trial_end(&r);
    }
    trial r = trial_start(NULL, coupled, &o);
    double d[] = {moved(&r, "q[1]", 1), moved(&r, "q[2]", 1.2), moved(&r, "q[3]", 0.3)};
    double p[] = {d[0] + d[2], 100 * d[1], d[0] + 6 * d[2]}; // M d
    double g[] = {2 * (1 + d[0]), -2 * (1.2 + d[1]), 3 * (0.3 + d[2]) * (0.3 + d[2])};
    assert_true(fabs(p[0]) > 0.1);
    assert_true(fabs(p[0] * g[1] - p[1] * g[0]) < 1e-9 && fabs(p[0] * g[2] - p[2] * g[0]) < 1e-9);
    trial_end(&r);
}

/* A coordinate that no constraint holds is moved by the inertia that couples it: no impulse acts on
 * it, (M dq)_3 = 0. Accelerations have names, one of them with the other sign. */
static void start_moves_along(void **state)
{
    (void)state;
    static const char text[] =
        "model B Real q[3](start = {1, 1.2, 0.3}), v[3](start = {0.5, 0, 0}), w[3], l; equation "
        "der(q) = v; der(v[1]) = w[1]; der(v[2]) = w[2]; w[3] = -der(v[3]); "
        "w[1] - w[3] = 2*q[1]*l; 100*w[2] = -2*q[2]*l; w[1] - 6*w[3] = 0; q[1]^2 - q[2]^2 = 0; "
        "end B;";
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1e-3};
    trial r = trial_start(NULL, text, &o);
    double dq[] = {moved(&r, "q[1]", 1), moved(&r, "q[2]", 1.2), moved(&r, "q[3]", 0.3)};
    double dv[] = {moved(&r, "v[1]", 0.5), moved(&r, "v[2]", 0), moved(&r, "v[3]", 0)};
    assert_true(fabs(dq[0]) > 0.05 && fabs(dv[0]) > 4e-3);
    assert_true(fabs(dq[0] + 6 * dq[2]) < 1e-9 && fabs(dv[0] + 6 * dv[2]) < 1e-9);
    // Gradients are equal at q1 = q2; the effective mass of q1 is 1 - 1/6.
    assert_true(fabs(5.0 / 6 * dq[0] + 100 * dq[1]) < 1e-6);
    assert_true(fabs(5.0 / 6 * dv[0] + 100 * dv[1]) < 1e-6);
    trial_end(&r);
}

/* ---- stabilisation --------------------------------------------------------------------------- */

/* A stabilisation that does not damp is said to be one: s^2 + a s + b needs a, b > 0, s^3 + a s^2 +
 * b s + c needs a b > c besides (Routh, Hurwitz). */
static void stable_polynomials(void **state)
{
    (void)state;
    static const struct {
        const char *formulation;
        bool damps;
    } cases[] = {{"baumgarte", true},
                 {"baumgarte:tau=0.1", true},
                 {"baumgarte:zeta=0.1,omega=10", true},
                 {"baumgarte:a=2,b=5", true},
                 {"baumgarte:a=30,b=300,c=1000", true},
                 {"baumgarte:a=1,b=3,c=2", true},
                 {"baumgarte:zeta=-0.1,omega=10", false},
                 {"baumgarte:a=2,b=-1", false},
                 {"baumgarte:a=1,b=1,c=2", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        vinc_sim_options o = {.formulation = cases[k].formulation, .has_stop = 1, .t_stop = 1e-3};
        trial r = trial_start("lectures/pendulum", NULL, &o);
        bool said = strstr(vinc_ctx_messages(r.ctx), "[S202]") != NULL;
        if (r.rc < 0 || said == cases[k].damps)
            fail_msg("%s: %s", cases[k].formulation, vinc_ctx_messages(r.ctx));
        trial_end(&r);
    }
}

/* ---- divergence ------------------------------------------------------------------------------ */

/* Explicit Euler feeds energy until a stabilised pendulum is lost: the step at which the violation
 * passes 10^6 in 30 digits. */
static void stabilised_runs_diverge(void **state)
{
    (void)state;
    static const struct {
        const char *formulation, *method;
        double when;
    } cases[] = {{"baumgarte:zeta=0.1,omega=1", "euler", 18.36},
                 {"baumgarte:zeta=0.1,omega=10", "euler", 6.23},
                 {"baumgarte:zeta=1,omega=1", "euler", 19.93},
                 {"baumgarte:zeta=1,omega=0.5", "euler", 28.15},
                 {"baumgarte:zeta=1,omega=10", "euler", 7.62},
                 {"baumgarte:zeta=0.1,omega=10", "taylor2", 11.32},
                 {"baumgarte:zeta=1,omega=10", "taylor2", 11.41}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        vinc_sim_options o = {
            .formulation = cases[k].formulation, .method = cases[k].method, .step = 0.01};
        o.has_stop = 1;
        o.t_stop = cases[k].when;
        trial r = trial_start("lectures/pendulum", NULL, &o);
        assert_true(fabs(at(&r, "Phi", cases[k].when)) > 1e6);
        assert_true(fabs(at(&r, "Phi", cases[k].when - 0.01)) <= 1e6);
        trial_end(&r);
    }
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* A chain of n links that falls from the horizontal, m l x'' = forces of its links. zig: how far, of a link,
 * the start values of y are off. */
static void chain_text(char *text, size_t room, int n, double zig)
{
    snprintf(text, room,
             "model C parameter Integer n = %d; parameter Real l = 1; Real x[n](start = {i*l for i "
             "in 1:n}), "
             "y[n](start = {%g*l*sin(i) for i in 1:n}), u[n], v[n], f[n];\n"
             "equation for i in 1:n loop der(x[i]) = u[i]; der(y[i]) = v[i];\n"
             "der(u[i]) = -(x[i] - (if i > 1 then x[i - 1] else 0))*f[i] + (if i < n then (x[i + "
             "1] - x[i])*f[i + 1] else 0);\n"
             "der(v[i]) = -9.81 - (y[i] - (if i > 1 then y[i - 1] else 0))*f[i] + (if i < n then "
             "(y[i + 1] - y[i])*f[i + 1] else 0);\n"
             "(x[i] - (if i > 1 then x[i - 1] else 0))^2 + (y[i] - (if i > 1 then y[i - 1] else "
             "0))^2 = l^2;\n"
             "end for; end C;",
             n, zig);
}

/* Many coordinates that compete have multipliers in place of a choice among them: the same motion, and the
 * same derivatives by a parameter, as with a choice. */
static void chains_are_tied(void **state)
{
    (void)state;
    char text[2000];
    chain_text(text, sizeof text, 32, 0);
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .rel_tol = 1e-8, .intervals = 4, .sens = "l"};
    vinc_sim_options chosen = o;
    chosen.formulation = "dummy:tied=1e9";
    trial want = trial_of(text, chosen);
    static const char *const methods[] = {NULL, "bdf", "dopri8"};
    for (int k = 0; k < 3; k++) {
        o.method = methods[k];
        if (k) o.sens = NULL;
        trial r = trial_of(text, o);
        for (int t = 1; t <= 4; t++)
            for (int i = 1; i <= 32; i += 31) {
                char name[40];
                snprintf(name, sizeof name, "y[%d]", i);
                assert_near(at(&r, name, t / 4.), at(&want, name, t / 4.), 1e-6);
                snprintf(name, sizeof name, "d(x[%d])/d(l)", i);
                if (!k) assert_near(at(&r, name, t / 4.), at(&want, name, t / 4.), 1e-5);
            }
        trial_end(&r);
    }
    trial_end(&want);
}

/* Start values off the constraints, of so many that no dense matrix is made: every link has its length. */
static void long_chains_start(void **state)
{
    (void)state;
    char text[2000];
    chain_text(text, sizeof text, 60, 0.3);
    trial r = trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 0.01, .intervals = 1});
    for (int i = 2; i <= 60; i++) {
        char a[20], b[20], c[20], d[20];
        snprintf(a, sizeof a, "x[%d]", i - 1);
        snprintf(b, sizeof b, "x[%d]", i);
        snprintf(c, sizeof c, "y[%d]", i - 1);
        snprintf(d, sizeof d, "y[%d]", i);
        for (int t = 0; t < 2; t++) {
            double when = 0.01 * t;
            assert_near(hypot(at(&r, b, when) - at(&r, a, when), at(&r, d, when) - at(&r, c, when)),
                        1, 1e-10);
        }
    }
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                       cmocka_unit_test(accelerations),
                                       cmocka_unit_test(components),
                                       cmocka_unit_test(energies_in_components),
                                       cmocka_unit_test(stable_polynomials),
                                       cmocka_unit_test(moving_constraint),
                                       cmocka_unit_test(least_multipliers),
                                       cmocka_unit_test(named_coordinates),
                                       cmocka_unit_test(working_reactions),
                                       cmocka_unit_test(start_by_mass),
                                       cmocka_unit_test(start_moves_along),
                                       cmocka_unit_test(stabilised_runs_diverge),
                                       cmocka_unit_test(chains_are_tied),
                                       cmocka_unit_test(long_chains_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
