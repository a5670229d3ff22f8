/* Starts that a modeller writes: initial equations, steady states, inverse problems. Every number
 * follows by hand from the model beside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

static double at(trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

static trial begun(const char *text)
{
    return trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-10});
}

/* ---- derivatives of what is no state --------------------------------------------------------- */

/* U is integrated, U = 4 T + T^3, and T is to rest: 10 - T = 0. */
static void rest_of_a_dependent_variable(void **state)
{
    (void)state;
    trial r = begun("model M Real U(stateSelect = StateSelect.prefer), T(start = 1), p;\n"
                    "initial equation der(T) = 0;\n"
                    "equation U = 4*T + T^3; p = 2*T; der(U) = 10 - T; end M;");
    assert_near(at(&r, "T", 0), 10, 1e-9);
    assert_near(at(&r, "U", 1), 1040, 1e-9);
    assert_near(at(&r, "p", 1), 20, 1e-9);
    trial_end(&r);
}

/* y^3 + y = x is a loop without an explicit solution; y' = -x/(3 y^2 + 1) = -1 where
 * y^3 - 3 y^2 + y - 1 = 0, of which the real root is 2.769292354238631. */
static void slope_of_a_loop(void **state)
{
    (void)state;
    trial r = begun("model M Real x(start = 20), y(start = 3);\n"
                    "initial equation der(y) = -1;\n"
                    "equation der(x) = -x; y^3 + y = x; end M;");
    const double y = 2.769292354238631;
    assert_near(at(&r, "y", 0), y, 1e-9);
    assert_near(at(&r, "x", 0), y * y * y + y, 1e-9);
    trial_end(&r);
}

/* The rate of a force: a = F - x - 2 v, F = 3 sin t, so a' = 3 cos t - v - 2 a = 0 at x = 1 gives
 * v = -5/3, a = 7/3. */
static void rate_of_an_acceleration(void **state)
{
    (void)state;
    trial r = begun("model M Real x(start = 1, fixed = true), v, a;\n"
                    "initial equation der(a) = 0;\n"
                    "equation der(x) = v; der(v) = a; a = 3*sin(time) - x - 2*v; end M;");
    assert_near(at(&r, "v", 0), -5.0 / 3, 1e-9);
    assert_near(at(&r, "a", 0), 7.0 / 3, 1e-9);
    trial_end(&r);
}

/* The same where rows are made for families of equations: a loop of five or more. k w = 2 + t + t^2 and w' = 1/2 at t = 0
 * give k = 2, w = 1 + t/2 + t^2/2, and T = exp(-integral of w) = exp(-17/12) at t = 1. */
static void slope_beside_a_loop_of_equations(void **state)
{
    (void)state;
    trial r = begun("model M Real T[5](each start = 1, each fixed = true), w(start = 1);\n"
                    "parameter Real k(fixed = false, start = 1);\n"
                    "equation k*w = 2 + time + time^2;\n"
                    "for i in 1:5 loop der(T[i]) = -w*T[i]; end for;\n"
                    "initial equation der(w) = 0.5; end M;");
    assert_near(at(&r, "k", 0), 2, 1e-9);
    assert_near(at(&r, "T[5]", 1), exp(-17.0 / 12), 1e-8);
    trial_end(&r);
}

/* The second derivative of the energy that a spring holds, which nothing in the run needs. E = x^2/2, E'' = v^2 + x a = v^2 - x^2 = 0 with x = 2 fixed gives v = 2. */
static void second_derivative_of_an_output(void **state)
{
    (void)state;
    trial r = begun("model M Real x(start = 2, fixed = true), v(start = 1), E, P;\n"
                    "initial equation der(P) = 0;\n"
                    "equation der(x) = v; der(v) = -x; E = x^2/2; P = der(E); end M;");
    assert_near(at(&r, "v", 0), 2, 1e-9);
    assert_near(at(&r, "E", 0.5), pow(2 * cos(0.5) + 2 * sin(0.5), 2) / 2, 1e-7);
    trial_end(&r);
}

static double cubic_root(double x) // y^3 + y = x
{
    double y = 1.6;
    for (int k = 0; k < 50; k++) y -= (y * y * y + y - x) / (3 * y * y + 1);
    return y;
}

/* Conditions and when-clauses ask for such derivatives, too: y' = -x/(3 y^2 + 1) with x = 10 exp(-t)
 * passes -0.6 where y^3 - 1.8 y^2 + y - 0.6 = 0. */
static void slope_in_events(void **state)
{
    (void)state;
    trial r = begun("model M Real x(start = 10, fixed = true), y(start = 2); discrete Real z, s;\n"
                    "equation der(x) = -x; y^3 + y = x;\n"
                    "  when time > 0.5 then z = der(y); end when;\n"
                    "  when der(y) > -0.6 then s = time; end when; end M;");
    double x = 10 * exp(-0.5), y = cubic_root(x), q = 1.4;
    assert_near(at(&r, "z", 1), -x / (3 * y * y + 1), 1e-8);
    for (int k = 0; k < 50; k++)
        q -= (q * q * q - 1.8 * q * q + q - 0.6) / (3 * q * q - 3.6 * q + 1);
    assert_near(at(&r, "s", 1), log(10 / (q * q * q + q)), 1e-8);
    trial_end(&r);
}

/* No derivative, and it is said why. */
static void no_derivative_is_named(void **state)
{
    (void)state;
    trial r = trial_start(NULL,
                          "model M function f input Real x; output Real y;\n"
                          "  external \"C\" y = nobody_knows(x); end f; Real x(start = 1), y;\n"
                          "initial equation der(y) = 0;\n"
                          "equation der(x) = -x; y = f(x);\n"
                          "end M;",
                          &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_int_not_equal(r.rc, VINC_OK);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "m.mo:4:"));
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "[S132]"));
    trial_end(&r);
}

/* ---- in order -------------------------------------------------------------------------------- */

/* sqrt has no slope at x = 0, where the search would begin if x = 1 did not come first: x = (1 - t/2)^2. */
static void slope_only_at_the_solution(void **state)
{
    (void)state;
    trial r = begun("model M Real x; initial equation x = 1;\n"
                    "equation der(x) = -sqrt(x); end M;");
    assert_near(at(&r, "x", 0), 1, 1e-12);
    assert_near(at(&r, "x", 1), 0.25, 1e-7);
    trial_end(&r);
}

/* Nothing but y has a value at the start values, and each equation needs the one before: y = 2,
 * z = 1/(y - 1) = 1, w = z/log(y), v = 1/w = log(2), exp(u) = 1/(v w) = 1. */
static void chain_of_divisions(void **state)
{
    (void)state;
    trial r = begun("model M Real x, y(start = 1), z, w, v, u(start = 1);\n"
                    "initial equation v = 1/w; x = y;\n"
                    "equation y^2 = 4; z = 1/(y - 1); w*log(y) = z; der(v) = z/w - v;\n"
                    "  der(x) = -sqrt(x); exp(u)*w = 1/v; end M;");
    assert_near(at(&r, "x", 0), 2, 1e-9);
    assert_near(at(&r, "v", 0), log(2), 1e-9);
    assert_near(at(&r, "v", 1), log(2), 1e-9);
    assert_near(at(&r, "u", 0), 0, 1e-9);
    trial_end(&r);
}

/* The same, 500 long: each block of one row is a level of its own, which has values only when the one before
 * is solved. The solution of x^3 + x = b is that of Cardano: sinh. Blocks of a system this large are evaluated by themselves
 * (start/start_piece.c). */
static void long_chain_of_logarithms(void **state)
{
    (void)state;
    enum { N = 500 };
    trial r =
        begun("model M Real x[500](each start = 1);\n"
              "initial equation x[1] = 2;\n"
              "  for i in 2:500 loop x[i]^3 + x[i] = 10 + log(x[i - 1] - 1)*sin(i); end for;\n"
              "equation for i in 1:500 loop der(x[i]) = -x[i]; end for; end M;");
    double x = 2;
    for (int i = 2; i <= N; i++) {
        double b = 10 + log(x - 1) * sin(i);
        x = 2 / sqrt(3) * sinh(asinh(b * 3 * sqrt(3) / 2) / 3);
    }
    assert_near(at(&r, "x[500]", 0), x, 1e-9);
    assert_near(at(&r, "x[500]", 1), x * exp(-1), 1e-6);
    trial_end(&r);
}

/* A loop of two, then a division by what it gives: a b = 6, a - b = 1 with a > 0 is a = 3, b = 2. */
static void loop_before_division(void **state)
{
    (void)state;
    trial r =
        begun("model M Real a(start = 1), b(start = 1), p, q;\n"
              "initial equation p = 1/(a - 1); der(q) = 0;\n"
              "equation a*b = 6; a - b = 1; der(p) = -p/b; der(q) = a - q*log(p + b); end M;");
    assert_near(at(&r, "p", 0), 0.5, 1e-9);
    assert_near(at(&r, "q", 0), 3 / log(2.5), 1e-9);
    assert_near(at(&r, "p", 1), 0.5 * exp(-0.5), 1e-7);
    trial_end(&r);
}

/* A reaction at rest, far from where Newton's method would come to a halt: 1 = 2 a b + a/10 and
 * 1/2 + c = 2 a b + b, c = exp(-a)/(b + 1). By bisection in b: b = 0.042857526042791. */
static void rest_of_a_reaction(void **state)
{
    (void)state;
    trial r = begun("model M Real a, b, c(start = 0.1); initial equation der(a) = 0; der(b) = 0;\n"
                    "equation der(a) = 1 - 2*a*b - 0.1*a; der(b) = 0.5 - 2*a*b + c - b;\n"
                    "  c = exp(-a)/(b + 1); end M;");
    double low = 0.01, high = 0.5;
    for (int k = 0; k < 60; k++) {
        double b = (low + high) / 2, a = 1 / (2 * b + 0.1);
        *(0.5 - 2 * a * b + exp(-a) / (b + 1) - b > 0 ? &low : &high) = b;
    }
    assert_near(at(&r, "b", 0), low, 1e-9);
    assert_near(at(&r, "a", 0), 1 / (2 * low + 0.1), 1e-7);
    trial_end(&r);
}

static void first_block_is_named(void **state)
{
    (void)state;
    trial r = trial_start(NULL,
                          "model M Real x, y(start = 1), z, w;\n"
                          "initial equation w = 1/z;\n"
                          "equation der(x) = -x + z; der(w) = z - w; z = 1/y;\n"
                          "  y^2 + exp(y) = -1; end M;",
                          &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_int_not_equal(r.rc, VINC_OK);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "m.mo:4:"));
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "in order, the first that was not solved is "
                                                     "y^2 + exp(y) = -1, for 'y'"));
    trial_end(&r);
}

/* Of thousands of equations the texts are not kept: a message names the line, and the unknowns that are in it. */
static void equation_among_thousands_is_named_by_its_unknowns(void **state)
{
    (void)state;
    trial r = trial_start(NULL,
                          "model M Real x[2100](each start = 1), z(start = 2), q(start = 1);\n"
                          "equation for i in 1:2100 loop der(x[i]) = -x[i]; end for;\n"
                          "  z*z + q*q + 1 = x[1];\n"
                          "  z - q^3 = x[2]; end M;",
                          &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_int_not_equal(r.rc, VINC_OK);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx),
                           "m.mo:3:3: note: residual 1 of this equation of "
                           "'x[1]', 'x[2]', 'q'"));
    trial_end(&r);
}

/* ---- parameters that the start decides ------------------------------------------------------- */

/* A tank that is to rest at h = 2: the valve follows, k = 3/sqrt(2). */
static void parameter_from_rest(void **state)
{
    (void)state;
    trial r = begun(
        "model M parameter Real k(fixed = false, start = 1); Real h(start = 2, fixed = true);\n"
        "initial equation der(h) = 0;\n"
        "equation der(h) = 3 - k*sqrt(h); end M;");
    assert_near(at(&r, "k", 1), 3 / sqrt(2), 1e-9);
    assert_near(at(&r, "h", 1), 2, 1e-9);
    trial_end(&r);
}

/* Start values given by such a parameter, and by one that is bound to it: 5 - 2 x - y = 0 at the start
 * with x = x0, y = 3 x0 gives x0 = 1. A guess of z by it is its value once that is found, not its own
 * guess -4: of the roots of z^2 = x0 the one at 1 is taken; n starts from x0. */
static void start_from_such_a_parameter(void **state)
{
    (void)state;
    trial r =
        begun("model M parameter Real x0(fixed = false, start = -4), y0 = 3*x0;\n"
              "  Real x(start = x0, fixed = true), y(start = y0, fixed = true), z(start = x0);\n"
              "  discrete Real n(start = x0);\n"
              "initial equation der(x) = 0;\n"
              "equation der(x) = 5 - 2*x - y; der(y) = 0; z^2 = x;\n"
              "  when time > 0.5 then n = pre(n) + 1; end when; end M;");
    assert_near(at(&r, "x", 0), 1, 1e-9);
    assert_near(at(&r, "y", 1), 3, 1e-9);
    assert_near(at(&r, "z", 0), 1, 1e-9);
    assert_near(at(&r, "n", 0.2), 1, 1e-9);
    assert_near(at(&r, "n", 1), 2, 1e-9);
    trial_end(&r);
}

/* The branch of a quadratic equation that is nearest to a guess, from start values: s^2 - 6 s + 5 = 0 has
 * the roots 1 and 5; counts and choices follow from states. */
static void choices_of_the_start(void **state)
{
    (void)state;
    static const char text[] =
        "model M parameter Boolean above(fixed = false); parameter Real guess = 4.5;\n"
        "  parameter Integer n(fixed = false, start = 7), twice = 2*n;\n"
        "  type E = enumeration(low, high); parameter E e(fixed = false);\n"
        "  Real x(start = 3, fixed = true), s, y;\n"
        "initial equation above = abs(x + sqrt(x^2 - 5) - guess) <= abs(x - sqrt(x^2 - 5) - "
        "guess);\n"
        "  n = integer(x + 0.5); e = if x > 2 then E.high else E.low;\n"
        "equation s = if above then x + sqrt(x^2 - 5) else x - sqrt(x^2 - 5);\n"
        "  der(x) = 1; y = twice*time + (if e == E.high then 10 else 20); end M;";
    trial r = begun(text);
    assert_near(at(&r, "s", 0), 5, 1e-12);
    assert_near(at(&r, "s", 1), 4 + sqrt(11), 1e-9);
    assert_near(at(&r, "n", 1), 3, 0);
    assert_near(at(&r, "y", 1), 16, 1e-9);
    trial_end(&r);
    r = trial_ready(NULL, text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_int_equal(vinc_sim_set(r.sim, "guess", 1.5), VINC_OK);
    trial_run(&r);
    assert_near(at(&r, "s", 0), 1, 1e-12);
    assert_near(at(&r, "s", 1), 4 - sqrt(11), 1e-9);
    trial_end(&r);
}

/* Which spring, which length: two measurements, c (s1 - l) = 30 and c (s2 - l) = 50 at s1 = 0.4 and
 * s2 = 0.5 give c = 200, l = 0.25; then a mass of 2 kg rests where c (s - l) = 2 g. */
static void inverse_problem(void **state)
{
    (void)state;
    trial r = begun("model M parameter Real c(fixed = false, start = 10), l(fixed = false);\n"
                    "  parameter Real m = 2, g = 9.81; final parameter Real w2 = c/m; Real s, v;\n"
                    "initial equation c*(0.4 - l) = 30; c*(0.5 - l) = 50; der(s) = 0; der(v) = 0;\n"
                    "equation der(s) = v; der(v) = g - w2*(s - l); end M;");
    assert_near(at(&r, "c", 0), 200, 1e-7);
    assert_near(at(&r, "l", 0), 0.25, 1e-9);
    assert_near(at(&r, "s", 1), 0.25 + 2 * 9.81 / 200, 1e-9);
    trial_end(&r);
}

/* ---- constraints that hold where their derivatives vanish ------------------------------------ */

/* cos(phi) = 1 holds phi at 0, beside x = cos t + sin(t)/2. */
static void constraint_at_an_extremum(void **state)
{
    (void)state;
    trial r =
        begun("model M Real x(start = 1, fixed = true), v(start = 0.5, fixed = true), phi, w, f;\n"
              "equation der(x) = v; der(v) = -x; der(phi) = w; 2*der(w) = 0.5 - f*sin(phi);\n"
              "  cos(phi) = 1; end M;");
    assert_non_null(strstr(vinc_sim_messages(r.sim), "[R217]"));
    assert_near(at(&r, "x", 1), cos(1) + sin(1) / 2, 1e-7);
    assert_near(at(&r, "phi", 1), 0, 1e-4);
    assert_near(at(&r, "f", 1) * sin(at(&r, "phi", 1)), 0.5, 1e-6);
    trial_end(&r);
}

/* ---- constraints through sums ---------------------------------------------------------------- */

/* s v[1] = 3 with v[1] = 1 fixed and s the sum of 80 speeds: least change gives each of the others 2/79.
 * A sum of so many, used so often, is not substituted as a rule. */
static void constraint_through_a_sum(void **state)
{
    (void)state;
    trial r = begun("model M parameter Integer n = 80; Real s, f;\n"
                    "  Real v[n](start = cat(1, {1}, zeros(n - 1)), fixed = cat(1, {true}, "
                    "fill(false, n - 1)));\n"
                    "equation s = sum(v); s*v[1] = 3;\n"
                    "  for i in 1:n loop der(v[i]) = f*v[1] - 0.1*s*v[i]; end for; end M;");
    assert_near(at(&r, "v[1]", 0), 1, 1e-12);
    assert_near(at(&r, "v[2]", 0), 2.0 / 79, 1e-12);
    assert_near(at(&r, "v[80]", 0), 2.0 / 79, 1e-12);
    assert_near(at(&r, "s", 1) * at(&r, "v[1]", 1), 3, 1e-8);
    trial_end(&r);
}

/* Four volumes of gas in a row, at rest, each heated by 1 kW: 0.5 kg/s flow through all of them, so that
 * T rises by 1000/(0.5*1005) K in each. Pressures follow from (p[i - 1] - p[i]) d = 0.25/1e-5, of whose two
 * roots at the inlet the start values of p mean the larger one. Masses and energies, which are
 * integrated, have none of their own, and that of the type of d is far off. */
static void start_values_of_other_variables(void **state)
{
    (void)state;
    trial r =
        begun("model M type Density = Real(start = 1, min = 0); parameter Integer n = 4;\n"
              "Real p[n](start = {4.5e5, 3.8e5, 2.9e5, 1.8e5}), T[n](each start = 330);\n"
              "Density d[n]; Real u[n], m[n], U[n], w[n + 1], H[n + 1];\n"
              "equation for i in 1:n loop m[i] = 0.1*d[i]; U[i] = m[i]*u[i]; u[i] = 718*T[i];\n"
              "p[i] = 287*d[i]*T[i]; der(m[i]) = w[i] - w[i + 1];\n"
              "der(U[i]) = H[i] - H[i + 1] + 1000; H[i + 1] = w[i + 1]*1005*T[i]; end for;\n"
              "H[1] = w[1]*1005*300; w[1]^2 = 1e-5*(5e5 - p[1])*d[1]; w[n + 1] = 0.5;\n"
              "for i in 2:n loop w[i]^2 = 1e-5*(p[i - 1] - p[i])*d[i - 1]; end for;\n"
              "initial equation for i in 1:n loop der(p[i]) = 0; der(T[i]) = 0; end for;\n"
              "end M;");
    double p = 0;
    for (int i = 1; i <= 4; i++) {
        char name[20];
        double rise = 1000 / (0.5 * 1005), before = 300 + (i - 1) * rise, T = 300 + i * rise;
        if (i == 1) p = 2.5e5 + sqrt(2.5e5 * 2.5e5 - 25000 * 287 * T);
        else p -= 25000 * 287 * before / p;
        sprintf(name, "T[%d]", i);
        assert_near(at(&r, name, 0), T, 1e-6);
        sprintf(name, "p[%d]", i);
        assert_near(at(&r, name, 0), p, 1e-3);
    }
    trial_end(&r);
}

/* What lies between components in a row is that of the side from which it flows, by the rule of the
 * specification that of the first where nothing flows, as here at the start. Written in any order and with
 * any sign. */
static void nothing_flows_at_the_start(void **state)
{
    (void)state;
    trial r = begun("model M Real x = sin(4*time), y, s1, s2, s3; equation\n"
                    "y = semiLinear(x, s1, s2); -y = semiLinear(-x, 20, s3);\n"
                    "y = semiLinear(x, 10 + time, s1); y = semiLinear(x, s2, s3); end M;");
    static const char *const between[] = {"s1", "s2", "s3"};
    for (int k = 0; k < 3; k++) {
        assert_near(at(&r, between[k], 0), 10, 1e-12);
        assert_near(at(&r, between[k], 0.5), 10.5, 1e-12);
        assert_near(at(&r, between[k], 1), 20, 1e-12);
    }
    assert_near(at(&r, "y", 0.5), 10.5 * sin(2), 1e-12);
    assert_near(at(&r, "y", 1), 20 * sin(4), 1e-12);
    trial_end(&r);
}

/* A tank of which level and temperature have start values, and mass and energy, which are integrated, have none:
 * nothing but the start values says how full it is. */
static void states_without_start_values(void **state)
{
    (void)state;
    trial r = begun("model M Real m, U, level(start = 0.8), T(start = 293.15);\n"
                    "parameter Real k(fixed = false); initial equation k = 2;\n"
                    "equation m = 1000*(level + 0.1); U = 4184*m*(T - 273.15);\n"
                    "der(m) = -k; der(U) = -k*4184*(T - 273.15); end M;");
    assert_near(at(&r, "level", 0), 0.8, 1e-9);
    assert_near(at(&r, "T", 0), 293.15, 1e-9);
    assert_near(at(&r, "m", 1), 898, 1e-6);
    trial_end(&r);
}

/* ---- the motion to a steady state ------------------------------------------------------------- */

/* A gas in a volume of 5 with nothing but start values: mass and energy are the states and have none,
 * pressure and temperature are preferred, and the enthalpy, which follows from them, has another one, which
 * is a guess. d = 2/3, u = 2.5*3 - 0.02 = 7.48. */
static void volumes_begin_at_preferred_states(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M Real m, U, d, u, h(start = 100), p(start = 2, stateSelect = StateSelect.prefer),\n"
        "T(start = 3, stateSelect = StateSelect.prefer);\n"
        "equation der(m) = 0; der(U) = 1; m = 5*d; U = m*u; d = p/T; u = 2.5*T - 0.01*p;\n"
        "h = u + p/d; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_near(vinc_result_at(r.result, "p", 0), 2, 1e-9);
    assert_near(vinc_result_at(r.result, "T", 0), 3, 1e-9);
    assert_near(vinc_result_at(r.result, "m", 0), 10.0 / 3, 1e-9);
    assert_near(vinc_result_at(r.result, "U", 1), 7.48 * 10 / 3 + 1, 1e-6);
    trial_end(&r);
}

/* A body that turns freely in a joint whose angle is always to be a state, and fixed: the motion is that of the
 * body, from which the angle follows, so that the body must move. phi = 0.3 - 2.5 t. */
static void what_fixed_angles_follow_from_moves(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M parameter Real p0 = 0;\n"
        "Real phi(start = 0.3, fixed = true, stateSelect = StateSelect.always), z, bz, tau,\n"
        "w(start = -2.5, fixed = true, stateSelect = StateSelect.always), bphi(start = 0), "
        "bw(start = 0);\n"
        "equation w = der(phi); z = der(w); bw = der(bphi); bz = der(bw); p0 + phi = bphi;\n"
        "0.1*bz = tau; tau = 0; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_near(vinc_result_at(r.result, "bphi", 0), 0.3, 1e-12);
    assert_near(vinc_result_at(r.result, "phi", 1), -2.2, 1e-9);
    assert_near(vinc_result_at(r.result, "bw", 1), -2.5, 1e-9);
    trial_end(&r);
}

/* To the right of u = 0 the size of tanh(u + 3) + 1.5/(1 + u^2) falls to 1 and never below, and damped steps go
 * that way; the motion leads to the zero, u = -3.139089443728798 (by bisection). With and without x as a state. */
static void rest_the_other_way(void **state)
{
    static const char *const energy[] = {"E = 2*x", "E = 2*x + sin(x)/4"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char model[400];
        snprintf(
            model, sizeof model,
            "model M Real x(start = 160), u, E(start = 320, stateSelect = StateSelect.prefer);\n"
            "initial equation der(x) = 0;\n"
            "equation u = (x - 100)/20; %s;\n"
            "  der(E) = -(tanh(u + 3) + 1.5/(1 + u^2)); end M;",
            energy[k]);
        trial r = begun(model);
        assert_near(at(&r, "u", 0), -3.139089443728798, 1e-9);
        assert_near(at(&r, "x", 1), 100 - 20 * 3.139089443728798, 1e-9);
        trial_end(&r);
    }
}

#define RELAYS(jump)                                                                               \
    "model M Real s[20](each start = 0.7), x(start = 0, fixed = true);\n"                          \
    "equation for i in 1:20 loop\n"                                                                \
    "  s[i] = cos(s[i]) + (if s[i] > 0.7390851332151607 then -" jump " else " jump ");\n"          \
    "end for; der(x) = s[1]; end M;"

/* Twenty relays on their limit, the fixed point of the cosine: each moves its own input across it. By 1e-11, which no
 * tolerance sees, and they begin as they are; by 1e-3, and nothing agrees. */
static void relays_at_rest_on_their_limits(void **state)
{
    (void)state;
    trial r = begun(RELAYS("1e-11"));
    assert_near(at(&r, "s[1]", 0), 0.7390851332151607, 2e-11);
    assert_near(at(&r, "x", 1), 0.7390851332151607, 1e-10);
    trial_end(&r);
    r = trial_start(NULL, RELAYS("1e-3"), &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_int_not_equal(r.rc, VINC_OK);
    assert_non_null(strstr(vinc_sim_messages(r.sim), "[R214]"));
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_of_a_dependent_variable),
        cmocka_unit_test(slope_of_a_loop),
        cmocka_unit_test(rate_of_an_acceleration),
        cmocka_unit_test(second_derivative_of_an_output),
        cmocka_unit_test(slope_in_events),
        cmocka_unit_test(no_derivative_is_named),
        cmocka_unit_test(slope_only_at_the_solution),
        cmocka_unit_test(chain_of_divisions),
        cmocka_unit_test(long_chain_of_logarithms),
        cmocka_unit_test(loop_before_division),
        cmocka_unit_test(rest_of_a_reaction),
        cmocka_unit_test(first_block_is_named),
        cmocka_unit_test(equation_among_thousands_is_named_by_its_unknowns),
        cmocka_unit_test(parameter_from_rest),
        cmocka_unit_test(start_from_such_a_parameter),
        cmocka_unit_test(choices_of_the_start),
        cmocka_unit_test(inverse_problem),
        cmocka_unit_test(constraint_at_an_extremum),
        cmocka_unit_test(constraint_through_a_sum),
        cmocka_unit_test(start_values_of_other_variables),
        cmocka_unit_test(nothing_flows_at_the_start),
        cmocka_unit_test(slope_beside_a_loop_of_equations),
        cmocka_unit_test(states_without_start_values),
        cmocka_unit_test(rest_the_other_way),
        cmocka_unit_test(relays_at_rest_on_their_limits),
        cmocka_unit_test(volumes_begin_at_preferred_states),
        cmocka_unit_test(what_fixed_angles_follow_from_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
