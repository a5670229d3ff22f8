/* Nonlinear systems: square, under-determined, contradictory, hard to reach.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "fail_mem.h"

#include "newton/newton.h"

#include <math.h>

static void near(double a, double b, double tol)
{
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}

static int solve(const newton_problem *p, const newton_options *o, double *x, newton_report *r)
{
    mem m = mem_std();
    newton *s = newton_new(&m, p, o);
    assert_non_null(s);
    int status = newton_solve(s, x, r);
    newton_free(s);
    assert_int_equal(status, r->status);
    return status;
}

/* ---- square ---------------------------------------------------------------------------------- */

static int rosenbrock(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
    return 0;
}

static int rosenbrock_jacobian(void *user, const double *x, double *v)
{
    (void)user;
    v[0] = -20 * x[0], v[1] = -1;
    v[2] = 10, v[3] = 0;
    return 0;
}

static void a_square_system_with_and_without_jacobian(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        newton_problem p = {.m = 2, .n = 2, .residual = rosenbrock};
        if (k) p.jacobian = rosenbrock_jacobian;
        double x[2] = {-1.2, 1};
        newton_report r;
        assert_int_equal(solve(&p, NULL, x, &r), NEWTON_OK);
        near(x[0], 1, 1e-14);
        near(x[1], 1, 1e-14);
        assert_true(r.iterations < 20 && r.residual < 1e-12 && r.rank == 2);
    }
}

static int arctangent(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = atan(x[0]);
    return 0;
}

/* Plain Newton diverges from |x| > 1.392 (the solution of 2x = (1 + x^2) atan x). */
static void damping_reaches_where_plain_newton_diverges(void **state)
{
    (void)state;
    newton_problem p = {.m = 1, .n = 1, .residual = arctangent};
    double x[1] = {50};
    newton_report r;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_OK);
    near(x[0], 0, 1e-12);
}

static int logarithm(void *user, const double *x, double *r)
{
    (void)user;
    if (x[0] <= 0) return 1;
    r[0] = log(x[0]) + 3;
    return 0;
}

static void steps_out_of_the_domain_are_shortened(void **state)
{
    (void)state;
    newton_problem p = {.m = 1, .n = 1, .residual = logarithm};
    double x[1] = {100};
    newton_report r;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_OK);
    near(x[0], exp(-3), 1e-12);
    x[0] = -1;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_E_UNDEFINED);
}

static int stop(void *user, const double *x, double *r)
{
    (void)user, (void)x, (void)r;
    return -1;
}

static int not_a_number(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = sqrt(x[0]); // NaN for x < 0: to be treated as "not defined"
    return 0;
}

static void stops_and_nans(void **state)
{
    (void)state;
    newton_problem p = {.m = 1, .n = 1, .residual = stop};
    double x[1] = {1};
    newton_report r;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_E_STOPPED);
    p.residual = not_a_number;
    x[0] = -1;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_E_UNDEFINED);
}

static int powell(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = x[0] + 10 * x[1];
    r[1] = sqrt(5) * (x[2] - x[3]);
    r[2] = (x[1] - 2 * x[2]) * (x[1] - 2 * x[2]);
    r[3] = sqrt(10) * (x[0] - x[3]) * (x[0] - x[3]);
    return 0;
}

/* Powell's singular function: the Jacobian has rank 2 at the solution 0, convergence is linear. */
static void a_singular_solution_is_approached(void **state)
{
    (void)state;
    newton_problem p = {.m = 4, .n = 4, .residual = powell};
    double x[4] = {3, -1, 0, 1};
    newton_report r;
    solve(&p, NULL, x, &r);
    for (int i = 0; i < 4; i++) near(x[i], 0, 1e-3);
    assert_true(r.residual < 1e-6);
}

/* ---- freedom --------------------------------------------------------------------------------- */

static int plane(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = x[0] + x[1] + x[2] - 6;
    return 0;
}

/* Directions come from differences, good to 1e-8. */
static void freedom_moves_as_little_as_possible(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        newton_options o = {.sparse = sparse};
        newton_problem p = {.m = 1, .n = 3, .residual = plane};
        double x[3] = {0, 0, 0};
        newton_report r;
        assert_int_equal(solve(&p, &o, x, &r), NEWTON_OK);
        for (int i = 0; i < 3; i++) near(x[i], 2, 1e-7);
        // A heavy unknown moves less: weights 1, 1, 2 give 6 (4, 4, 1)/9.
        double weight[3] = {1, 1, 2}, y[3] = {0, 0, 0};
        p.weight = weight;
        assert_int_equal(solve(&p, &o, y, &r), NEWTON_OK);
        near(y[0], 24.0 / 9, 1e-7);
        near(y[2], 6.0 / 9, 1e-7);
        // A fixed one does not move at all.
        uint8_t fixed[3] = {0, 1, 0};
        double z[3] = {0, 1, 0};
        p.weight = NULL;
        p.fixed = fixed;
        assert_int_equal(solve(&p, &o, z, &r), NEWTON_OK);
        near(z[1], 1, 0);
        near(z[0], 2.5, 1e-7);
        assert_int_equal(r.n_moved, 2);
    }
}

static int circle(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = x[0] * x[0] + x[1] * x[1] - 1;
    return 0;
}

/* The point of the unit circle nearest to (3, 4) is (0.6, 0.8), though steps bend on the way. */
static void the_nearest_solution_is_found_on_a_curve(void **state)
{
    (void)state;
    newton_problem p = {.m = 1, .n = 2, .residual = circle};
    double x[2] = {3, 4};
    newton_report r;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_OK);
    near(x[0], 0.6, 1e-7);
    near(x[1], 0.8, 1e-7);
    near(x[0] * x[0] + x[1] * x[1], 1, 1e-13);
    // From the side, weights not equal: minimise 4 (x-1)^2 + (y-1)^2 on the circle. The stationary
    // point has 4 (x-1) y = (y-1) x; checked by that equation itself.
    double weight[2] = {2, 1}, y[2] = {1, 1};
    p.weight = weight;
    assert_int_equal(solve(&p, NULL, y, &r), NEWTON_OK);
    near(4 * (y[0] - 1) * y[1], (y[1] - 1) * y[0], 1e-6);
}

/* ---- contradiction --------------------------------------------------------------------------- */

static int twice(void *user, const double *x, double *r)
{
    double second = *(double *)user;
    r[0] = x[0] + x[1] - 2;
    r[1] = 2 * x[0] + 2 * x[1] - second;
    r[2] = x[0] - x[1] + x[2];
    return 0;
}

static void repeated_equations_are_accepted_and_contradictions_named(void **state)
{
    (void)state;
    double second = 4;
    newton_problem p = {.m = 3, .n = 3, .residual = twice, .user = &second};
    double x[3] = {0, 0, 0};
    newton_report r;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_OK);
    assert_int_equal(r.rank, 2);
    near(x[0] + x[1], 2, 1e-12);
    second = 5;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_E_INCONSISTENT);
    assert_true(r.n_residuals >= 2);
    int named = (1 << r.worst_residual[0]) | (1 << r.worst_residual[1]);
    assert_int_equal(named, 3); // equations 0 and 1
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static int parabola(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = x[0] * x[0] - 4;
    return 0;
}

static void bounds_are_kept(void **state)
{
    (void)state;
    double min[1] = {0.5}, max[1] = {10};
    newton_problem p = {.m = 1, .n = 1, .residual = parabola, .min = min, .max = max};
    double x[1] = {0.6};
    newton_report r;
    assert_int_equal(solve(&p, NULL, x, &r), NEWTON_OK);
    near(x[0], 2, 1e-12);
}

/* ---- large and sparse ------------------------------------------------------------------------ */

enum { LARGE = 2000 };

static int bratu(void *user, const double *x, double *r)
{
    (void)user;
    double h = 1.0 / (LARGE + 1);
    for (int i = 0; i < LARGE; i++) {
        double left = i ? x[i - 1] : 0, right = i < LARGE - 1 ? x[i + 1] : 0;
        r[i] = (left - 2 * x[i] + right) / (h * h) + exp(x[i]);
    }
    return 0;
}

/* Bratu's problem u'' + e^u = 0, u(0) = u(1) = 0, by central differences (error of order h^2). */
static void a_large_sparse_system(void **state)
{
    (void)state;
    static int start[LARGE + 1], row[3 * LARGE];
    int k = 0;
    for (int j = 0; j < LARGE; j++) {
        start[j] = k;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < LARGE) row[k++] = i;
    }
    start[LARGE] = k;
    vinc_pattern jac = {LARGE, LARGE, k, start, row};
    newton_problem p = {.m = LARGE, .n = LARGE, .jac = &jac, .residual = bratu};
    newton_options o = {.sparse = true, .tol = 1e-9};
    static double x[LARGE];
    newton_report r;
    memset(x, 0, sizeof x);
    assert_int_equal(solve(&p, &o, x, &r), NEWTON_OK);
    // u(x) = -2 ln(cosh((x - 1/2) th/2)/cosh(th/4)) with th = sqrt(2) cosh(th/4).
    double th = 1.5;
    for (int i = 0; i < 100; i++) th = sqrt(2) * cosh(th / 4);
    near(x[LARGE / 2], 2 * log(cosh(th / 4)), 1e-6);
    assert_true(r.residual_evals < 40); // three colours, few iterations
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int m = 1; m <= 2; m++)
            for (long k = 1;; k++) {
                fail_mem f;
                fail_mem_init(&f, k);
                newton_problem p = {.m = m, .n = 2, .residual = rosenbrock};
                newton_options o = {.sparse = sparse};
                newton *s = newton_new(&f.m, &p, &o);
                newton_free(s);
                assert_int_equal(f.live, 0);
                if (s) break;
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_square_system_with_and_without_jacobian),
        cmocka_unit_test(damping_reaches_where_plain_newton_diverges),
        cmocka_unit_test(steps_out_of_the_domain_are_shortened),
        cmocka_unit_test(stops_and_nans),
        cmocka_unit_test(a_singular_solution_is_approached),
        cmocka_unit_test(freedom_moves_as_little_as_possible),
        cmocka_unit_test(the_nearest_solution_is_found_on_a_curve),
        cmocka_unit_test(repeated_equations_are_accepted_and_contradictions_named),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(a_large_sparse_system),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
