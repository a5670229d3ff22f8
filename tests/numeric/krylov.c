/* Implicit methods without a stored matrix, against closed forms and against the stored one.
 *
 * On a grid of N points a side with cold edges the five-point formula has the modes
 * sin(k pi x) sin(l pi y), which decay with 4 (N + 1)^2 (sin^2(k pi h / 2) + sin^2(l pi h / 2)).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static double rate(int n, int k)
{
    double s = sin(k * PI / (2 * (n + 1)));
    return 4.0 * (n + 1) * (n + 1) * s * s;
}

static double final_value(const trial *r, const char *name)
{
    return vinc_result_at(r->result, name, INFINITY);
}

/* ---- heat ------------------------------------------------------------------------------------ */

enum { SIDE = 12, EDGE = 6 };

static const char HEAT[] =
    "model Heat parameter Integer N = 12; parameter Real c = (N + 1)^2, pi = "
    "3.14159265358979323846;\n"
    "  Real u[N, N](start = {{sin(pi*i/(N + 1))*sin(2*pi*j/(N + 1)) + 0.5*sin(3*pi*i/(N + 1))*\n"
    "    sin(pi*j/(N + 1)) for j in 1:N} for i in 1:N}, each fixed = true);\n"
    "equation\n"
    "  for i in 1:N, j in 1:N loop\n"
    "    der(u[i, j]) = c*((if i == 1 then 0 else u[i - 1, j]) + (if i == N then 0 else u[i + 1, "
    "j])\n"
    "      + (if j == 1 then 0 else u[i, j - 1]) + (if j == N then 0 else u[i, j + 1]) - 4*u[i, "
    "j]);\n"
    "  end for;\n"
    "end Heat;";

/* Largest error of all points at the end, t = 0.05. */
static double heat_error(const trial *r)
{
    double most = 0, t = 0.05, h = PI / (SIDE + 1);
    double a = exp(-(rate(SIDE, 1) + rate(SIDE, 2)) * t);
    double b = 0.5 * exp(-(rate(SIDE, 3) + rate(SIDE, 1)) * t);
    for (int i = 1; i <= SIDE; i++)
        for (int j = 1; j <= SIDE; j++) {
            char name[32];
            snprintf(name, sizeof name, "u[%d,%d]", i, j);
            double exact = a * sin(h * i) * sin(2 * h * j) + b * sin(3 * h * i) * sin(h * j);
            most = fmax(most, fabs(vinc_result_at(r->result, name, t) - exact));
        }
    return most;
}

/* Every preconditioner: errors of steps add up to some tolerances, with a matrix or without. */
static void modes_of_heat_decay(void **state)
{
    (void)state;
    for (int i = -1; i < 0 || vinc_preconditioner(i); i++) {
        char linear[60] = "direct";
        if (i >= 0) snprintf(linear, sizeof linear, "krylov:precond=%s", vinc_preconditioner(i));
        vinc_sim_options o = {.has_stop = 1, .t_stop = 0.05, .rel_tol = 1e-6, .intervals = 1};
        o.linear = linear;
        o.method = "bdf";
        trial r = trial_of(HEAT, o);
        vinc_sim_stats s;
        vinc_sim_statistics(r.sim, &s);
        double error = heat_error(&r);
        if (error > 3e-6) fail_msg("%s: error %g", linear, error);
        assert_true((i < 0) == (s.factorizations > 0) && (i < 0) == (s.jacobian_evals > 0));
        assert_true((i >= 0) == (s.linear_iterations > 0));
        assert_true(s.products >= s.linear_iterations && (i < 0) == (s.preconditioners == 0));
        trial_end(&r);
    }
}

/* Every method that does with products is as accurate as with a matrix; with fixed steps it is the same, to
 * what round-off and Newton leave. */
static void methods_do_with_products(void **state)
{
    (void)state;
    const char *adaptive[] = {"bdf", "mebdf", "sdirk4", "trbdf2", "implicit-euler", NULL};
    for (int k = 0; adaptive[k]; k++) {
        vinc_sim_options o = {.has_stop = 1, .t_stop = 0.05, .rel_tol = 1e-5, .intervals = 1};
        double error[2];
        for (int stored = 0; stored < 2; stored++) {
            o.method = adaptive[k];
            o.linear = stored ? "direct" : "krylov";
            trial r = trial_of(HEAT, o);
            error[stored] = heat_error(&r);
            trial_end(&r);
        }
        if (error[0] > 1.5 * error[1] + o.rel_tol)
            fail_msg("%s: error %g, with a matrix %g", adaptive[k], error[0], error[1]);
    }
    const char *fixed[] = {"trapezoid", "sdirk2", "implicit-euler", "sdirk3", NULL};
    for (int k = 0; k < 5; k++) { // the last: chosen
        vinc_sim_options o = {.has_stop = 1, .t_stop = 0.05, .step = 0.005, .intervals = 1};
        double value[2];
        for (int stored = 0; stored < 2; stored++) {
            o.linear = stored ? "direct" : "krylov";
            o.method = fixed[k] ? fixed[k] : stored ? "sdirk4" : NULL;
            trial r = trial_of(HEAT, o);
            value[stored] = final_value(&r, "u[5,4]");
            trial_end(&r);
        }
        if (fabs(value[0] - value[1]) > 1e-12)
            fail_msg("method %d: %.17g with products, %.17g with a matrix", k, value[0], value[1]);
    }
}

static const char CUBE[] =
    "model Cube parameter Integer N = 6; parameter Real c = (N + 1)^2, pi = "
    "3.14159265358979323846;\n"
    "  Real u[N, N, N](start = {{{sin(pi*i/(N + 1))*sin(2*pi*j/(N + 1))*sin(pi*k/(N + 1)) +\n"
    "    sin(2*pi*i/(N + 1))*sin(pi*j/(N + 1))*sin(3*pi*k/(N + 1)) for k in 1:N} for j in 1:N}\n"
    "    for i in 1:N}, each fixed = true);\n"
    "equation\n"
    "  for i in 1:N, j in 1:N, k in 1:N loop\n"
    "    der(u[i, j, k]) = c*((if i == 1 then 0 else u[i - 1, j, k]) + (if i == N then 0 else\n"
    "      u[i + 1, j, k]) + (if j == 1 then 0 else u[i, j - 1, k]) + (if j == N then 0 else\n"
    "      u[i, j + 1, k]) + (if k == 1 then 0 else u[i, j, k - 1]) + (if k == N then 0 else\n"
    "      u[i, j, k + 1]) - 6*u[i, j, k]);\n"
    "  end for;\n"
    "  annotation(experiment(StopTime = 0.03, Tolerance = 1e-7), __Vincolo(linear = \"krylov\"));\n"
    "end Cube;";

/* Three dimensions; the model itself asks for it. */
static void modes_of_a_cube_decay(void **state)
{
    (void)state;
    trial r = trial_of(CUBE, (vinc_sim_options){.intervals = 1});
    double most = 0, t = 0.03, h = PI / (EDGE + 1);
    double a = exp(-(2 * rate(EDGE, 1) + rate(EDGE, 2)) * t);
    double b = exp(-(rate(EDGE, 1) + rate(EDGE, 2) + rate(EDGE, 3)) * t);
    for (int i = 1; i <= EDGE; i++)
        for (int j = 1; j <= EDGE; j++)
            for (int k = 1; k <= EDGE; k++) {
                char name[32];
                snprintf(name, sizeof name, "u[%d,%d,%d]", i, j, k);
                double exact = a * sin(h * i) * sin(2 * h * j) * sin(h * k) +
                               b * sin(2 * h * i) * sin(h * j) * sin(3 * h * k);
                most = fmax(most, fabs(vinc_result_at(r.result, name, t) - exact));
            }
    if (most > 3e-7) fail_msg("error %g", most);
    vinc_sim_stats s;
    vinc_sim_statistics(r.sim, &s);
    assert_true(s.factorizations == 0 && s.linear_iterations > 0);
    assert_non_null(strstr(vinc_sim_report(r.sim, VINC_TEXT), "linear       krylov"));
    assert_non_null(strstr(vinc_sim_report(r.sim, VINC_JSON), "\"linear\": \"krylov\""));
    trial_end(&r);
}

/* ---- reaction and diffusion ------------------------------------------------------------------ */

/* Two fields, one fast: stiff by diffusion and by reaction. */
static const char REACTION[] =
    "model Reaction parameter Integer N = 10; parameter Real d = 0.02*(N - 1)^2, fast = 200;\n"
    "  Real a[N, N](start = {{0.2 + 0.1*i/N + 0.3*j/N for j in 1:N} for i in 1:N}, each fixed = "
    "true);\n"
    "  Real b[N, N](start = {{0.1*(i + j)/N for j in 1:N} for i in 1:N}, each fixed = true);\n"
    "equation\n"
    "  for i in 1:N, j in 1:N loop\n"
    "    der(a[i, j]) = a[i, j]*(1 - a[i, j])*(a[i, j] - 0.1) - b[i, j] +\n"
    "      d*(a[max(i - 1, 1), j] + a[min(i + 1, N), j] + a[i, max(j - 1, 1)] + a[i, min(j + 1, "
    "N)]\n"
    "      - 4*a[i, j]);\n"
    "    der(b[i, j]) = fast*(tanh(a[i, j]) - b[i, j] - b[i, j]^3);\n"
    "  end for;\n"
    "end Reaction;";

static double largest_difference(const trial *x, const trial *y)
{
    double most = 0;
    for (int i = 1; i <= 10; i++)
        for (int j = 1; j <= 10; j++)
            for (int f = 0; f < 2; f++) {
                char name[32];
                snprintf(name, sizeof name, "%c[%d,%d]", f ? 'b' : 'a', i, j);
                for (int t = 1; t <= 4; t++)
                    most = fmax(most, fabs(vinc_result_at(x->result, name, 0.5 * t) -
                                           vinc_result_at(y->result, name, 0.5 * t)));
            }
    return most;
}

/* The stored matrix at a hundredth of the tolerance is the reference for both. */
static void reaction_agrees_with_the_stored_matrix(void **state)
{
    (void)state;
    const double tols[] = {1e-4, 1e-7};
    for (int k = 0; k < 2; k++) {
        vinc_sim_options o = {
            .has_stop = 1, .t_stop = 2, .rel_tol = 0.01 * tols[k], .intervals = 4};
        o.method = "bdf";
        trial exact = trial_of(REACTION, o);
        o.rel_tol = tols[k];
        trial stored = trial_of(REACTION, o);
        double with = largest_difference(&stored, &exact);
        for (int i = 0; vinc_preconditioner(i); i++) {
            char linear[60];
            snprintf(linear, sizeof linear, "krylov:precond=%s", vinc_preconditioner(i));
            o.linear = linear;
            trial r = trial_of(REACTION, o);
            double without = largest_difference(&r, &exact);
            if (without > 2 * with + tols[k])
                fail_msg("%s, tolerance %g: error %g, with a stored matrix %g", linear, tols[k],
                         without, with);
            trial_end(&r);
        }
        o.linear = NULL;
        trial_end(&stored);
        trial_end(&exact);
    }
}

/* ---- algebraic equations --------------------------------------------------------------------- */

/* A chain of nonlinear conductors, f(d) = d + d^3, that carries x away: index 1. With sources s_i(t) made
 * for it, its solution is W_i = cos(t) sin(pi i/(n + 1)) and X_i = exp(-t) sin(2 pi i/(n + 1)). With little
 * leakage g its condition is that of Poisson's equation, and no step is so short that it would help. */
static const char CHAIN[] =
    "model Chain parameter Integer n = 120; parameter Real g = 1;\n"
    "  constant Real pi = 3.14159265358979323846;\n"
    "  function f input Real d; output Real q; algorithm q := d + d^3; end f;\n"
    "  Real W[n] = {cos(time)*sin(pi*i/(n + 1)) for i in 1:n};\n"
    "  Real X[n] = {exp(-time)*sin(2*pi*i/(n + 1)) for i in 1:n};\n"
    "  Real x[n](start = {sin(2*pi*i/(n + 1)) for i in 1:n}, each fixed = true);\n"
    "  Real w[n](start = {sin(pi*i/(n + 1)) for i in 1:n});\n"
    "equation\n"
    "  for i in 1:n loop\n"
    "    der(x[i]) = -x[i] - 20*(w[i] - W[i]);\n"
    "    f(w[i] - (if i == 1 then 0 else w[i - 1])) + f(w[i] - (if i == n then 0 else w[i + 1])) "
    "+\n"
    "      g*w[i] - x[i] = f(W[i] - (if i == 1 then 0 else W[i - 1])) + f(W[i] - (if i == n then "
    "0\n"
    "      else W[i + 1])) + g*W[i] - X[i];\n"
    "  end for;\n"
    "end Chain;";

static double chain_error(const trial *r, double t)
{
    double most = 0, h = PI / 121;
    for (int i = 1; i <= 120; i++) {
        char x[32], w[32];
        snprintf(x, sizeof x, "x[%d]", i);
        snprintf(w, sizeof w, "w[%d]", i);
        most = fmax(most, fabs(vinc_result_at(r->result, x, t) - exp(-t) * sin(2 * h * i)));
        most = fmax(most, fabs(vinc_result_at(r->result, w, t) - cos(t) * sin(h * i)));
    }
    return most;
}

static void algebraic_equations_hold(void **state)
{
    (void)state;
    for (int i = 0; vinc_preconditioner(i); i++) {
        char linear[60];
        snprintf(linear, sizeof linear, "krylov:precond=%s", vinc_preconditioner(i));
        vinc_sim_options o = {.has_stop = 1, .t_stop = 0.5, .rel_tol = 1e-7, .intervals = 1};
        o.linear = linear;
        trial r = trial_of(CHAIN, o);
        double error = chain_error(&r, 0.5);
        if (error > 1e-6) fail_msg("%s: error %g", linear, error);
        trial_end(&r);
    }
}

static bool says(const trial *r, const char *words)
{
    const char *all = vinc_ctx_messages(r->ctx);
    if (!strstr(all, words)) print_error("'%s' is not in: %s\n", words, all);
    return strstr(all, words) != NULL;
}

static void stagnation_names_the_way_out(void **state)
{
    (void)state;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 0.5, .rel_tol = 1e-6, .intervals = 1};
    o.linear = "krylov:precond=none,restart=10,iterations=40";
    trial r = trial_ready(NULL, CHAIN, &o);
    if (!r.rc) r.rc = vinc_sim_set(r.sim, "g", 1e-4);
    trial_run(&r);
    assert_int_equal(r.rc, VINC_E_LINEAR);
    assert_true(says(&r, "GMRES stagnates at t = ") && says(&r, "the preconditioner none") &&
                says(&r, "try ilu") && says(&r, "direct") && says(&r, "R114"));
    trial_end(&r);
    o.linear = "krylov";
    r = trial_ready(NULL, CHAIN, &o);
    if (!r.rc) r.rc = vinc_sim_set(r.sim, "g", 1e-4);
    trial_run(&r);
    assert_int_equal(r.rc, VINC_OK);
    assert_true(chain_error(&r, 0.5) < 1e-5);
    trial_end(&r);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* A rod heated at one end until its middle is warm, then not: the product has the discrete part of the
 * model, too. The time of the event and the end agree with the stored matrix to the tolerance. */
static const char ROD[] =
    "model Rod parameter Integer n = 30; Boolean on(start = true, fixed = true);\n"
    "  Real T[n](each start = 0, each fixed = true); discrete Real off(start = 0, fixed = true);\n"
    "equation\n"
    "  for i in 1:n loop\n"
    "    der(T[i]) = 900*((if i == 1 then T[1] else T[i - 1]) + (if i == n then 0 else T[i + 1])\n"
    "      - 2*T[i]) + (if i == 1 and on then 900*exp(-T[1]) else 0);\n"
    "  end for;\n"
    "  when T[15] > 0.3 then on = false; off = time; end when;\n"
    "end Rod;";

static void events_are_where_they_are(void **state)
{
    (void)state;
    double off[2], end[2];
    for (int stored = 0; stored < 2; stored++) {
        vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .rel_tol = 1e-7, .intervals = 10};
        o.method = "bdf";
        o.linear = stored ? "direct" : "krylov:precond=jacobi";
        trial r = trial_of(ROD, o);
        off[stored] = vinc_result_at(r.result, "off", 1);
        end[stored] = vinc_result_at(r.result, "T[15]", 1);
        trial_end(&r);
    }
    assert_true(off[1] > 0.01 && off[1] < 0.9);
    assert_true(fabs(off[0] - off[1]) < 1e-6 && fabs(end[0] - end[1]) < 1e-6);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void mistakes_are_named(void **state)
{
    (void)state;
    const struct {
        const char *linear, *method, *words[3];
        int rc;
    } cases[] = {
        {"krilov",
         NULL,
         {"no linear solver 'krilov'", "direct krylov", "did you mean 'krylov'"},
         -3},
        {"krylov:precond=ilo", NULL, {"no preconditioner 'ilo'", "'ilu'", "block-jacobi"}, -3},
        {"krylov:restart=1", NULL, {"'krylov:restart'", "whole number", "between 2 and 500"}, -3},
        {"krylov:fill=2", NULL, {"has no option 'fill'", "restart", "precond"}, -3},
        {"direct:restart=3", NULL, {"'direct' has no options", "help linear", "C147"}, -3},
        {"krylov", "radau5", {"'radau5'", "bdf", "sdirk4"}, -3},
        {"krylov", "rodas4", {"'rodas4'", "exactly", "leave the choice"}, -3},
        {"krylov", "dopri5", {"'dopri5' is explicit", "no linear systems", "krylov"}, -3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        vinc_sim_options o = {.linear = cases[k].linear, .method = cases[k].method};
        trial r = trial_start(NULL, CHAIN, &o);
        assert_int_equal(r.rc, cases[k].rc);
        for (int i = 0; i < 3; i++) assert_true(says(&r, cases[k].words[i]));
        trial_end(&r);
    }
    vinc_sim_options o = {.linear = "krylov", .method = "bdf2", .step = 0.01};
    trial r = trial_start(NULL, CHAIN, &o);
    assert_int_equal(r.rc, VINC_E_OPTION);
    assert_true(says(&r, "the first steps are those of radau") && says(&r, "sdirk4"));
    trial_end(&r);
}

/* ---- from C ---------------------------------------------------------------------------------- */

enum { POINTS = 50 };

static long allocations, allocations_most; // so far; where they begin to fail, 0: never

static void *counted(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)old_bytes;
    if (new_bytes && ++allocations == allocations_most) return NULL;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

/* u' = u'' with cold ends, each row times 7: a product without any matrix behind it. */
static void row_sums(const double *u, const double *up, double *r)
{
    double c = (POINTS + 1) * (POINTS + 1);
    for (int i = 0; i < POINTS; i++) {
        double left = i ? u[i - 1] : 0, right = i < POINTS - 1 ? u[i + 1] : 0;
        r[i] = 7 * (up[i] - c * (left - 2 * u[i] + right));
    }
}

static int rod_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    (void)user, (void)t;
    row_sums(y, yp, r);
    return 0;
}

static int rod_product(void *user, double t, const double *y, const double *yp, const double *v,
                       const double *vp, double *out)
{
    (void)t, (void)y, (void)yp;
    row_sums(v, vp, out);
    if (user) out[3] *= 2;
    return 0;
}

static void a_problem_in_c(void **state)
{
    (void)state;
    int start[POINTS + 1], row[3 * POINTS], nnz = 0, wrong = 1;
    for (int j = 0; j < POINTS; j++) {
        start[j] = nnz;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < POINTS) row[nnz++] = i;
    }
    start[POINTS] = nnz;
    vinc_pattern pattern = {POINTS, POINTS, nnz, start, row};
    for (int k = 0; k < 2; k++) { // with a pattern; without one
        vinc_problem p = {.n = POINTS, .residual = rod_residual, .product = rod_product};
        if (!k) p.jac = &pattern;
        vinc_solver_options o = {
            .linear = k ? "krylov:precond=none" : "krylov", .rel_tol = 1e-7, .resize = counted};
        double y[POINTS], yp[POINTS] = {0}, zero[POINTS] = {0}, most = 0, t = 0.1;
        char why[200] = "";
        vinc_solver *s;
        for (int i = 0; i < POINTS; i++) y[i] = sin(2 * PI * (i + 1) / (POINTS + 1));
        row_sums(y, zero, yp);
        for (int i = 0; i < POINTS; i++) yp[i] /= -7;
        assert_int_equal(vinc_solver_new(&p, &o, why, sizeof why, &s), VINC_OK);
        assert_int_equal(vinc_solver_start(s, 0, y, yp), VINC_OK);
        long before = allocations;
        assert_int_equal(vinc_solver_run(s, t), VINC_OK);
        assert_int_equal(allocations, before); // no step allocates
        for (int i = 0; i < POINTS; i++)
            most = fmax(most, fabs(vinc_solver_y(s)[i] - y[i] * exp(-rate(POINTS, 2) * t)));
        vinc_stats n = vinc_solver_stats(s);
        assert_true(most < 1e-6 && n.products > 0 && n.jacobian_evals == 0);
        vinc_solver_free(s);
        // A wrong product is found by the checker, a missing one named.
        assert_int_equal(vinc_problem_check(&p, 0, y, yp, why, sizeof why), 0);
        p.user = &wrong;
        assert_true(vinc_problem_check(&p, 0, y, yp, why, sizeof why) > 0);
        assert_non_null(strstr(why, "product: dF[3]"));
        p.product = NULL;
        assert_int_equal(vinc_solver_new(&p, &o, why, sizeof why, &s), VINC_E_PROBLEM);
        assert_non_null(strstr(why, "vinc_problem.product"));
    }
    vinc_problem p = {
        .n = POINTS, .residual = rod_residual, .product = rod_product, .jac = &pattern};
    vinc_solver_options o = {.linear = "krylov", .resize = counted};
    char why[400] = "";
    vinc_solver *s;
    int rc = VINC_E_MEMORY; // every allocation fails once
    for (long k = 1; rc == VINC_E_MEMORY; k++) {
        allocations = 0;
        allocations_most = k;
        rc = vinc_solver_new(&p, &o, why, sizeof why, &s);
        assert_true(rc == (s ? VINC_OK : VINC_E_MEMORY));
    }
    allocations_most = 0;
    vinc_solver_free(s);
    p.jac = NULL;
    assert_int_equal(vinc_solver_new(&p, &o, why, sizeof why, &s), VINC_E_PROBLEM);
    assert_true(strstr(why, "'ilu' needs the pattern") && strstr(why, "precond=none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_of_heat_decay),
        cmocka_unit_test(methods_do_with_products),
        cmocka_unit_test(modes_of_a_cube_decay),
        cmocka_unit_test(reaction_agrees_with_the_stored_matrix),
        cmocka_unit_test(algebraic_equations_hold),
        cmocka_unit_test(stagnation_names_the_way_out),
        cmocka_unit_test(events_are_where_they_are),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_problem_in_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
