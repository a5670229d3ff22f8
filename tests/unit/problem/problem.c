/* The waist: norms, differences with colours, the checker.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "fail_mem.h"
#include "problems.h"

#include "problem/problem.h"

static void near(double a, double b, double tol)
{
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}

/* ---- norms ----------------------------------------------------------------------------------- */

static void the_norm_is_the_weighted_mean_square(void **state)
{
    (void)state;
    double abs[4] = {1e-6, 1e-6, 2e-6, 1e-6}, inv[4], y[4] = {1, -1, 0, 10},
           e[4] = {4e-6, 0, 2e-6, 0};
    int8_t level[4] = {0, 0, 1, 2};
    uint8_t counted[4] = {1, 1, 1, 0};
    problem_norm w = {.n = 4,
                      .n_counted = 4,
                      .rel_tol = 1e-6,
                      .abs = abs,
                      .inv = inv,
                      .counted = counted,
                      .time_scale = 1,
                      .all_counted = true};
    problem_weigh(&w, y);
    near(inv[0], 1 / 2e-6, 1e-3);
    near(inv[2], 1 / 2e-6, 1e-3);
    near(problem_norm_newton(&w, e, 0.5), sqrt((4.0 + 1) / 4), 1e-12);
    // Level 1 counts with h = 1/2, but never with more than 1.
    w.level = level;
    near(problem_norm_newton(&w, e, 0.5), sqrt((4 + 0.25) / 4), 1e-12);
    near(problem_norm_newton(&w, e, 100), sqrt(5.0 / 4), 1e-12);
    // Positions that change by their own size in a tenth of a second make T a tenth.
    double rate[4] = {10, 10, 0, 0};
    vinc_problem p = {.n = 4};
    problem_time_scale(&w, &p, y, rate);
    near(w.time_scale, 1, 0); // of index 1, where level 1 is that of rates
    // Error tests may count rates in full; iterations do not.
    w.error_in_full = true;
    near(problem_norm_error(&w, e, 0.5), sqrt(5.0 / 4), 1e-12);
    near(problem_norm_newton(&w, e, 0.5), sqrt((4 + 0.25) / 4), 1e-12);
    near(problem_norm_newton(&w, e, 1e-9), sqrt((4 + 0.09) / 4), 1e-12); // 0.3 at least
    w.error_in_full = false;
    w.high_index = true;
    problem_time_scale(&w, &p, y, rate);
    near(w.time_scale, 0.1, 1e-12);
    near(problem_norm_error(&w, e, 0.05), sqrt((4 + 0.25) / 4), 1e-12);
    w.time_scale = 1;
    // What is not counted changes neither the sum nor the mean.
    w.all_counted = false;
    w.n_counted = 3;
    e[3] = 1e9;
    near(problem_norm_error(&w, e, 0.5), sqrt((4 + 0.25) / 3), 1e-12);
    // In short steps of index 3, level 1 counts with 0.01, or with 100 h where they are shorter still.
    near(problem_norm_error(&w, e, 1e-3), sqrt((4 + 1e-4) / 3), 1e-12);
    near(problem_norm_error(&w, e, 1e-5), sqrt((4 + 1e-6) / 3), 1e-12);
    w.high_index = false;
    near(problem_norm_error(&w, e, 1e-3), sqrt((4 + 1e-6) / 3), 1e-12);
    w.high_index = true;
    assert_int_equal(problem_worst(&w, e, 0.5), 0);
    e[1] = NAN;
    assert_true(isnan(problem_norm_error(&w, e, 0.5)));
    assert_int_equal(problem_worst(&w, e, 0.5), 1);
}

/* Two processes that hold the same numbers: what each of them adds, the other does. */
static void sum_of_two(double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] *= 2;
}

static void most_of_two(double *x, int n)
{
    (void)x;
    (void)n;
}

static void norms_are_those_of_all_processes(void **state)
{
    (void)state;
    const team two = {.sum = sum_of_two, .most = most_of_two};
    const la_shared shared = {.team = &two, .size = 2, .n_all = 6};
    double inv[6] = {2, 3, 5, 2, 3, 5}, e[6] = {1, -2, 0.5, 1, -2, 0.5}, weight[6], part[3];
    int8_t level[6] = {0, 1, 0, 0, 1, 0};
    uint8_t counted[6] = {1, 1, 0, 1, 1, 0};
    problem_norm all = {.n = 6, .n_counted = 4, .inv = inv, .counted = counted, .time_scale = 1};
    problem_norm half = all;
    half.n = 3;
    half.shared = &shared;
    for (int k = 0; k < 2; k++) {
        near(problem_norm_newton(&half, e, 0.5), problem_norm_newton(&all, e, 0.5), 1e-15);
        near(problem_norm_error(&half, e, 0.5), problem_norm_error(&all, e, 0.5), 1e-15);
        near(problem_norm_stages(&half, e, 1, 0.5), problem_norm_stages(&all, e, 1, 0.5), 1e-15);
        problem_norm_weights(&all, 0.5, weight);
        problem_norm_weights(&half, 0.5, part);
        for (int i = 0; i < 3; i++) near(part[i], weight[i], 1e-15);
        all.level = half.level = level;
    }
}

/* Where nobody gave a nominal, an unknown that has stayed small is known to less than the tolerance: down
 * to a hundredth, and no longer once it has been large. */
static void small_unknowns_have_small_tolerances(void **state)
{
    (void)state;
    double abs[4] = {1e-6, 1e-6, 1e-6, 1e-6}, inv[4], seen[4] = {0}, y[4] = {0, 0.3, 5, 0.3};
    const uint8_t unsized[4] = {1, 1, 1, 0};
    problem_norm w = {
        .n = 4, .rel_tol = 1e-6, .abs = abs, .inv = inv, .seen = seen, .unsized = unsized};
    problem_weigh(&w, y);
    near(1 / inv[0], 1e-8, 1e-18);
    near(1 / inv[1], 0.3e-6 + 0.3e-6, 1e-18);
    near(1 / inv[2], 5e-6 + 1e-6, 1e-18);
    near(1 / inv[3], 0.3e-6 + 1e-6, 1e-18);
    y[0] = -0.5;
    y[2] = 0;
    problem_weigh(&w, y);
    near(1 / inv[0], 0.5e-6 + 0.5e-6, 1e-18);
    near(1 / inv[2], 1e-6, 1e-18);
    w.seen = NULL;
    problem_weigh(&w, y);
    near(1 / inv[1], 0.3e-6 + 1e-6, 1e-18);
}

static void finite_means_neither_nan_nor_infinite(void **state)
{
    (void)state;
    double x[9] = {0, 1, -1e308, 1e308, 1e-320, 0, 0, 0, 0};
    for (int n = 0; n <= 9; n++) assert_true(problem_finite(x, n));
    for (int i = 0; i < 9; i++) {
        double keep = x[i];
        x[i] = NAN;
        assert_false(problem_finite(x, 9));
        x[i] = -INFINITY;
        assert_false(problem_finite(x, 9));
        x[i] = keep;
    }
}

/* ---- colours and differences ----------------------------------------------------------------- */

enum { N = 50 };

typedef struct chain {
    int start[N + 1], row[3 * N];
    vinc_pattern p;
    long calls;
} chain;

static void tridiagonal(chain *c)
{
    int k = 0;
    for (int j = 0; j < N; j++) {
        c->start[j] = k;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < N) c->row[k++] = i;
    }
    c->start[N] = k;
    c->p = (vinc_pattern){N, N, k, c->start, c->row};
}

static void colours_share_no_row(void **state)
{
    (void)state;
    chain c;
    int color[N], mark[N];
    tridiagonal(&c);
    assert_int_equal(problem_color(&c.p, color, mark), 3);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N && j <= i + 2; j++) assert_int_not_equal(color[i], color[j]);
}

static int chain_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    chain *c = user;
    c->calls++;
    for (int i = 0; i < N; i++) {
        double left = i ? y[i - 1] : t, right = i < N - 1 ? y[i + 1] : 0;
        r[i] = (1 + y[i] * y[i]) * yp[i] - left * right + 3 * y[i];
    }
    return 0;
}

static void differences_agree_with_derivatives(void **state)
{
    (void)state;
    chain c = {0};
    mem m = mem_std();
    tridiagonal(&c);
    vinc_problem p = {.n = N, .jac = &c.p, .residual = chain_residual, .user = &c};
    problem_jac j;
    vinc_stats s = {0};
    double y[N], yp[N];
    for (int i = 0; i < N; i++) y[i] = sin(i), yp[i] = 100 * cos(i);
    assert_int_equal(problem_jac_init(&j, &m, &p), VINC_OK);
    assert_int_equal(j.n_colors, 3);
    assert_int_equal(problem_jac_eval(&j, &s, 0.5, y, yp, 1e-3), 0);
    assert_int_equal(c.calls, 7); // one base point, three colours twice
    assert_int_equal(s.jacobian_residual_evals, 7);
    for (int col = 0; col < N; col++)
        for (int k = c.start[col]; k < c.start[col + 1]; k++) {
            int i = c.row[k];
            double left = i ? y[i - 1] : 0.5, right = i < N - 1 ? y[i + 1] : 0;
            double dy = i == col ? 2 * y[i] * yp[i] + 3 : i == col + 1 ? -right : -left;
            double dyp = i == col ? 1 + y[i] * y[i] : 0;
            near(j.dy[k], dy, 1e-5 * (1 + fabs(dy)));
            near(j.dyp[k], dyp, 1e-6);
        }
    problem_jac_done(&j);
}

/* ---- the checker ----------------------------------------------------------------------------- */

static int complaints(const vinc_problem *p, const double *y, const double *yp, const char *says)
{
    mem m = mem_std();
    text why;
    text_init(&why, &m);
    int n = problem_check(p, &m, 0, y, yp, &why);
    if (says && !strstr(text_str(&why), says)) fail_msg("'%s' not in: %s", says, text_str(&why));
    text_done(&why);
    return n;
}

static int wrong_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                          double *dyp)
{
    ivp_jacobian(user, t, y, yp, dy, dyp);
    dy[1] *= 1.01;
    return 0;
}

static void the_checker_finds_what_is_wrong(void **state)
{
    (void)state;
    const ivp *all[] = {&ivp_hires, &ivp_rober,    &ivp_orego,
                        &ivp_vdpol, &ivp_chemakzo, &ivp_transamp};
    double y[IVP_N], yp[IVP_N];
    ivp_user u;
    for (int k = 0; k < 6; k++) { // these are right
        vinc_problem p = ivp_problem(all[k], &u, true);
        ivp_start(all[k], y, yp);
        for (int i = 0; i < p.n; i++) y[i] += 0.1; // a general point
        assert_int_equal(complaints(&p, y, yp, NULL), 0);
    }
    vinc_problem p = ivp_problem(&ivp_rober, &u, true);
    ivp_start(&ivp_rober, y, yp);
    p.jacobian = wrong_jacobian;
    assert_int_equal(complaints(&p, y, yp, "dF[1]/dy[0]"), 1);

    p = ivp_problem(&ivp_rober, &u, false);
    uint8_t differential[3] = {1, 0, 1};
    p.differential = differential;
    assert_int_equal(complaints(&p, y, yp, "differential[1] is 0"), 1);

    p = ivp_problem(&ivp_rober, &u, false);
    int start[4] = {0, 2, 4, 7}, row[7] = {0, 1, 0, 1, 0, 1, 2}; // F[2] depends on y[1]
    vinc_pattern jac = {3, 3, 7, start, row};
    p.jac = &jac;
    y[1] = 0.5;
    assert_int_equal(complaints(&p, y, yp, "F[2] depends on y[1]"), 1);
    row[0] = 1, row[1] = 0;
    assert_int_equal(complaints(&p, y, yp, "not ascending"), 1);

    p = ivp_problem(&ivp_rober, &u, false);
    double nominal[3] = {1, 0, 1};
    p.nominal = nominal;
    assert_int_equal(complaints(&p, y, yp, "nominal[1]"), 1);
    p.residual = NULL;
    assert_int_equal(complaints(&p, y, yp, "no residual"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_norm_is_the_weighted_mean_square),
        cmocka_unit_test(norms_are_those_of_all_processes),
        cmocka_unit_test(small_unknowns_have_small_tolerances),
        cmocka_unit_test(finite_means_neither_nan_nor_infinite),
        cmocka_unit_test(colours_share_no_row),
        cmocka_unit_test(differences_agree_with_derivatives),
        cmocka_unit_test(the_checker_finds_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
