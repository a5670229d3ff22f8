/* The course of an iteration, in one unknown, and continuation.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "newton/iterate.h"
#include "newton/newton.h"

#include <math.h>

static void near(double a, double b, double tol)
{
    if (!(fabs(a - b) <= tol)) fail_msg("%.17g is not %.17g to %g", a, b, tol);
}

/* f(x) = 0 with the derivative of where the factors were made. */
typedef struct scalar {
    double (*f)(double x), (*slope)(double x);
    double x, trial, step, factor_of;
    int factored, trials, accepted, stop_after;
} scalar;

static double scalar_correction(void *user, bool anew, double *measure)
{
    scalar *s = user;
    if (anew) s->factor_of = s->slope(s->x), s->factored++;
    *measure = fabs(s->f(s->x));
    s->step = -s->f(s->x) / s->factor_of;
    return fabs(s->step);
}

static double scalar_trial(void *user, double factor)
{
    scalar *s = user;
    s->trials++;
    s->trial = s->x + factor * s->step;
    double f = s->f(s->trial);
    return isfinite(f) ? fabs(f) : INFINITY;
}

static bool scalar_accept(void *user)
{
    scalar *s = user;
    s->x = s->trial;
    return ++s->accepted != s->stop_after;
}

static const newton_verbs verbs = {
    .correction = scalar_correction, .trial = scalar_trial, .accept = scalar_accept};

static double arc(double x)
{
    return atan(x);
}

static double arc_slope(double x)
{
    return 1 / (1 + x * x);
}

static double above(double x) // no root
{
    return x * x + 1;
}

static double twice(double x)
{
    return 2 * x;
}

static double root_of(double x)
{
    return sqrt(x) - 1;
}

static double root_slope(double x)
{
    return 0.5 / sqrt(x);
}

/* Full steps diverge from beyond 1.3917 (the root of 2x = (1 + x^2) atan x); damped ones do not. */
static void damping(void **state)
{
    (void)state;
    newton_policy p = {.iterations = 50, .decrease = -INFINITY, .solved = 1e-12};
    newton_course c;
    scalar s = {.f = arc, .slope = arc_slope, .x = 1.5};
    assert_int_not_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    s = (scalar){.f = arc, .slope = arc_slope, .x = 1.3};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    near(s.x, 0, 1e-12);
    p.decrease = 0.1, p.halvings = 20;
    s = (scalar){.f = arc, .slope = arc_slope, .x = 1.5};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    near(s.x, 0, 1e-12);
    assert_true(s.trials > s.accepted);
    assert_int_equal(s.factored, c.iterations);
}

static void where_there_is_no_solution(void **state)
{
    (void)state;
    newton_policy p = {.iterations = 50, .halvings = 10, .decrease = 0.1, .solved = 1e-12};
    newton_course c;
    scalar s = {.f = above, .slope = twice, .x = 0.01};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_E_DIVERGED);
    assert_true(c.stuck);
    p.compromise = true; // the last halving is taken: it goes on to the end
    s = (scalar){.f = above, .slope = twice, .x = 0.01};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_E_DIVERGED);
    assert_false(c.stuck);
    assert_int_equal(c.iterations, 50);
    s = (scalar){.f = above, .slope = twice, .x = 0}; // no correction
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_E_SINGULAR);
    s = (scalar){.f = arc, .slope = arc_slope, .x = 1, .stop_after = 2};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_E_STOPPED);
    assert_int_equal(c.iterations, 2);
}

/* A first step to -1, where there is no square root, is halved; one that is cut stays inside. */
static void steps_are_cut(void **state)
{
    (void)state;
    newton_policy p = {.iterations = 50, .halvings = 10, .solved = 1e-12};
    newton_course c;
    scalar s = {.f = root_of, .slope = root_slope, .x = 9};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    near(s.x, 1, 1e-12);
    assert_true(s.trials > s.accepted);
    p.longest = 1;
    s = (scalar){.f = root_of, .slope = root_slope, .x = 9};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    assert_int_equal(s.trials, s.accepted);
    assert_true(c.iterations >= 8);
}

static double
blurred(double x) // the slope of 2x as rounding may leave it of a nearly singular matrix
{
    (void)x;
    return 2 / 0.6;
}

/* New factors that leave 0.4 of each correction are not those of the equations: below 1e-9 that is
 * round-off. The sizes are 0.6 * 0.4^k, and 0.6 * 0.4^23 is the first below. */
static void factors_that_rounding_made(void **state)
{
    (void)state;
    newton_policy p = {.iterations = 50, .decrease = -INFINITY, .solved = 1e-13, .round_off = 1e-9};
    newton_course c;
    scalar s = {.f = twice, .slope = blurred, .x = 1};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    assert_int_equal(c.iterations, 24);
    assert_int_equal(s.factored, 24);
    assert_true(fabs(s.x) < 1e-9);
}

static void old_factors_serve_nearby(void **state)
{
    (void)state;
    newton_policy p = {.iterations = 50, .decrease = -INFINITY, .near = 0.1, .product = 1e-17};
    newton_course c;
    scalar s = {.f = root_of, .slope = root_slope, .x = 1.05};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    near(s.x, 1, 1e-14);
    assert_int_equal(s.factored, 1);
    assert_true(c.iterations > 3);
    p.near = 0;
    s = (scalar){.f = root_of, .slope = root_slope, .x = 1.05};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    assert_int_equal(s.factored, c.iterations);
}

/* Values that cannot get better: corrections that do not shrink are round-off. */
static double rough(double x)
{
    return x + 1e-9 * (x > 0 ? 1 : -1);
}

static double one(double x)
{
    (void)x;
    return 1;
}

static void round_off_ends_it(void **state)
{
    (void)state;
    newton_policy p = {.iterations = 30, .decrease = -INFINITY, .solved = 1e-12, .round_off = 1e-8};
    newton_course c;
    scalar s = {.f = rough, .slope = one, .x = 1};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    assert_true(c.iterations < 5);
    p.round_off = 0;
    s = (scalar){.f = rough, .slope = one, .x = 1};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_E_DIVERGED);
    p.patient = 1e-8, p.patience = 10;
    s = (scalar){.f = rough, .slope = one, .x = 1};
    assert_int_equal(newton_iterate(&verbs, &s, &p, &c), NEWTON_OK);
    assert_int_equal(c.iterations, 12);
}

/* ---- following with old factors -------------------------------------------------------------- */

static double follow_correction(void *user)
{
    double unused;
    return scalar_correction(user, false, &unused);
}

static bool follow_take(void *user, bool last)
{
    scalar *s = user;
    (void)last;
    s->x += s->step;
    return true;
}

static void factors_of_before(void **state)
{
    (void)state;
    const newton_reuse p = {.near = 1e-3, .contraction = 0.1, .enough = 1e-15, .most = INFINITY};
    newton_seen seen = {0};
    scalar s = {.f = root_of, .slope = root_slope, .x = 1.0005, .factor_of = 0.5 * 1.001};
    assert_true(newton_follow(&s, follow_correction, follow_take, &p, &seen));
    near(s.x, 1, 1e-14);
    s = (scalar){.f = root_of, .slope = root_slope, .x = 1.0005, .factor_of = 0.6};
    assert_false(
        newton_follow(&s, follow_correction, follow_take, &p, &seen)); // contracts too little
    s = (scalar){.f = root_of, .slope = root_slope, .x = 1.1, .factor_of = 0.5};
    assert_false(newton_follow(&s, follow_correction, follow_take, &p, &seen)); // too far away
    near(s.x, 1.1, 0);
}

/* The slope is off by a part of 0.04, so each correction leaves that part of the distance: 2e-5 of
 * 5e-4 after one, 3.2e-8 after three. */
static void as_many_corrections_as_needed(void **state)
{
    (void)state;
    newton_reuse p = {.near = 1e-3, .contraction = 0.1, .enough = 1e-6, .most = INFINITY};
    newton_seen seen = {0};
    scalar s = {.f = root_of, .slope = root_slope, .x = 1.0005, .factor_of = 0.52};
    assert_true(newton_follow(&s, follow_correction, follow_take, &p, &seen));
    near(s.x, 1, 1e-6);
    near(seen.contraction, 0.04, 0.01);
    s = (scalar){.f = root_of, .slope = root_slope, .x = 1.00001, .factor_of = 0.52};
    double before = seen.contraction; // it is known what one correction leaves
    assert_true(newton_follow(&s, follow_correction, follow_take, &p, &seen));
    near(s.x, 1, 1e-6);
    assert_true(fabs(s.x - 1) > 1e-7);
    near(seen.contraction, 2 * before, 1e-15);
    p.enough = 1e-15, p.most = 2; // eight more would be needed
    s = (scalar){.f = root_of, .slope = root_slope, .x = 1.0005, .factor_of = 0.52};
    assert_false(newton_follow(&s, follow_correction, follow_take, &p, &seen));
}

/* sqrt(x) - 1 with its slope at 1: a correction leaves a part of itself that goes with its size,
 * 1/8 of the distance. What one of 1e-8 has shown does not hold for one of 5e-4, which would leave
 * 3e-8 in one go. */
static void small_corrections_say_little_about_large_ones(void **state)
{
    (void)state;
    newton_reuse p = {.near = 1e-3, .contraction = 0.1, .enough = 1e-10, .most = INFINITY};
    newton_seen seen = {.contraction = 1e-9, .size = 1e-8};
    scalar s = {.f = root_of, .slope = root_slope, .x = 1.0005, .factor_of = 0.5};
    assert_true(newton_follow(&s, follow_correction, follow_take, &p, &seen));
    near(s.x, 1, 1e-10);
}

static int new_corrections;

static double count_correction(void *user)
{
    new_corrections++;
    return follow_correction(user);
}

/* sqrt(x) - 1 with its slope at the point: 1 + d becomes 1 - d^2/4 or so. A correction of 1e-6 leaves less than ten times
 * its square, 1e-11, and is not looked at; one of 1e-4 is, and so is one where more was seen to be left. */
static void new_factors_leave_the_square(void **state)
{
    (void)state;
    newton_reuse p = {.near = 1e-3, .contraction = 0.1, .enough = 1e-10};
    const struct {
        double from, curvature, seen;
        int corrections;
    } cases[] = {
        {1e-6, 0, 0, 1}, {1e-4, 0, 0.25, 2}, {1e-6, 1e4, 1e4, 2}, {1e-11, INFINITY, INFINITY, 1}};
    for (int k = 0; k < 4; k++) {
        double x = 1 + cases[k].from, curvature = cases[k].curvature;
        scalar s = {.f = root_of, .slope = root_slope, .x = x, .factor_of = root_slope(x)};
        new_corrections = 0;
        assert_true(newton_follow_new(&s, count_correction, follow_take, &p, &curvature));
        assert_int_equal(new_corrections, cases[k].corrections);
        near(s.x, 1, 1e-10);
        if (isfinite(curvature)) near(curvature, cases[k].seen, 1e-3);
    }
    double curvature = 0;
    scalar far = {.f = root_of, .slope = root_slope, .x = 1.1, .factor_of = root_slope(1.1)};
    assert_false(newton_follow_new(&far, count_correction, follow_take, &p, &curvature));
    near(far.x, 1.1, 0);
}

/* ---- continuation ---------------------------------------------------------------------------- */

/* g(x) = x^3 - 2x - 5 has its only root at 2.0945514815423265 (Wallis' example) and a local maximum
 * below zero at -sqrt(2/3), where an iteration from the left is caught. */
typedef struct cubic {
    double lambda, x[1], kept;
    double fold; // beyond this there is no solution
} cubic;

static int simplified(void *user, const double *x, double *r)
{
    double l = ((cubic *)user)->lambda;
    r[0] = l * (x[0] * x[0] * x[0] - 2 * x[0] - 5) + (1 - l) * (x[0] - 1);
    return 0;
}

static int cubic_solve(void *user, double lambda)
{
    cubic *c = user;
    mem m = mem_std();
    newton_problem p = {.m = 1, .n = 1, .residual = simplified, .user = c};
    newton_report r;
    c->lambda = lambda;
    if (lambda > c->fold) return NEWTON_E_DIVERGED;
    newton *s = newton_new(&m, &p, NULL);
    int status = newton_solve(s, c->x, &r);
    newton_free(s);
    return status;
}

static void cubic_keep(void *user)
{
    cubic *c = user;
    c->kept = c->x[0];
}

static void cubic_back(void *user)
{
    cubic *c = user;
    c->x[0] = c->kept;
}

static void continuation_goes_round_a_trap(void **state)
{
    (void)state;
    static const newton_path_verbs path = {cubic_solve, cubic_keep, cubic_back};
    cubic c = {.x = {-0.82}, .fold = 2};
    double reached;
    int attempts = 0;
    assert_int_equal(cubic_solve(&c, 0), 0);
    assert_int_equal(newton_continue(&path, &c, &newton_path_of_start, &reached, &attempts), 0);
    near(c.x[0], 2.0945514815423265, 1e-12);
    near(reached, 1, 0);
    assert_in_range(attempts, 2, 20);
    c = (cubic){.x = {-0.82}, .fold = 0.7}; // it ends before the fold, and says so
    attempts = 0;
    assert_int_equal(cubic_solve(&c, 0), 0);
    assert_int_equal(newton_continue(&path, &c, &newton_path_of_start, &reached, &attempts),
                     NEWTON_E_DIVERGED);
    near(reached, 0.7, 1e-4);
    assert_true(reached <= 0.7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damping),
        cmocka_unit_test(where_there_is_no_solution),
        cmocka_unit_test(steps_are_cut),
        cmocka_unit_test(factors_that_rounding_made),
        cmocka_unit_test(old_factors_serve_nearby),
        cmocka_unit_test(round_off_ends_it),
        cmocka_unit_test(factors_of_before),
        cmocka_unit_test(as_many_corrections_as_needed),
        cmocka_unit_test(small_corrections_say_little_about_large_ones),
        cmocka_unit_test(new_factors_leave_the_square),
        cmocka_unit_test(continuation_goes_round_a_trap),
    };
    return cmocka_run_group_tests_name("newton, iteration", tests, NULL, NULL);
}
