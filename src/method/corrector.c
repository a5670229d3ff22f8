/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/corrector.h"

#include "la/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS_MAX = 4 };
enum { SUMS_OF_CORRECTION = 20 }; // with prediction and differences, which a step needs once
/* Corrections must shrink by this much, or the matrix is too old. */
static const double RATE_MAX = 0.9;
/* Nothing is known about the rate with new factors: a first correction is believed only when tiny. */
static const double RATIO_UNKNOWN = 20;
/* Systems that are not solved exactly are solved to this part of what the iteration converges to. */
static const double PART_OF_LINEAR_SYSTEM = 0.1;
/* ... where each process has a preconditioner of its own part: their number must not show. */
static const double PART_OF_SHARED_SYSTEM = 0.01;
/* Where factors of a large system are full, a solve costs more than the rest of a step: no more of
 * them than the error test notices. */
enum { UNKNOWNS_LARGE = 2000 };
static const double NEWTON_TOL_DEAR = 0.05;
/* Blocks that follow the first: solutions beyond one that each of them takes with its factors (counted on a
 * Brusselator and a rod: 0.5 to 1, but factoring takes twice the instructions of an operation); how often
 * that is tried in a step, and how much corrections must shrink. Of bdf, where error tests do not
 * count them, errors of steps are some tolerances; a looser iteration than this showed in a rod's derivatives. */
static const double SOLUTIONS_MORE = 0.45, RATE_FOLLOWING_MAX = 0.3, TOL_FOLLOWING = 0.1;
enum { FOLLOWING_OLD_MAX = 3 };

void iteration_layout(iteration *it, bump *b, size_t n)
{
    it->r = bump_double(b, n);
    it->sum = bump_double(b, n);
    it->y_predicted = bump_double(b, n);
    it->yp_predicted = bump_double(b, n);
}

int iteration_open(method_core *c, iteration *it)
{
    int status = matrix_open(c, &it->g);
    it->n = it->residual ? c->n : c->n_lead;
    it->tol = it->g.dear && shared_size(c->p->shared, c->n) > UNKNOWNS_LARGE && !c->fixed
                  ? NEWTON_TOL_DEAR
                  : c->newton_tol;
    return status;
}

void iteration_close(method_core *c, iteration *it)
{
    matrix_close(c, &it->g);
}

/* What the iteration converges to: no less than rounding. */
static double iterate_tol(const method_core *c, const iteration *it)
{
    return fmax(it->tol, 10 * DBL_EPSILON / c->norm.rel_tol);
}

static matrix_point iterate_point(const method_core *c, const iteration *it, double t,
                                  double coefficient, double h)
{
    double part = c->p->shared ? PART_OF_SHARED_SYSTEM : PART_OF_LINEAR_SYSTEM;
    double tol = part * iterate_tol(c, it);
    return (matrix_point){t, c->y_new, c->yp_new, coefficient, h, tol};
}

static int iterate_factor(method_core *c, iteration *it, double t, double coefficient, double h)
{
    matrix_point at = iterate_point(c, it, t, coefficient, h);
    it->ratio = it->ratio_following = RATIO_UNKNOWN;
    return matrix_factor(c, &it->g, &at);
}

/* What a correction changes. */
typedef struct correcting {
    const method_core *c;
    const iteration *it;
    double coefficient, h;
    bool first, of_one_block;
} correcting;

SIMD_CLONES static void correct_range(void *job, int from, int to, double sums[])
{
    const correcting *q = job;
    double *restrict d = q->it->r, *restrict sum = q->it->sum;
    double *restrict y = q->c->y_new, *restrict yp = q->c->yp_new;
    double scale = -matrix_scale(&q->it->g, q->coefficient);
    if (q->first)
        for (int i = from; i < to; i++) {
            d[i] *= scale;
            sum[i] = 0.0 + d[i]; // never -0, as a sum is not
            y[i] += d[i];
        }
    else
        for (int i = from; i < to; i++) {
            d[i] *= scale;
            sum[i] += d[i];
            y[i] += d[i];
        }
    if (q->it->g.factor)
        for (int i = from; i < to; i++) yp[i] += q->coefficient * q->it->g.factor[i] * d[i];
    else
        for (int i = from; i < to; i++) yp[i] += q->coefficient * d[i];
    sums[0] = q->of_one_block ? problem_squares_newton(&q->c->norm, d, from, to, q->h) : 0;
}

/* One correction into y_new and yp_new; its norm, which is not finite when something else was not. */
static int iterate_correct(method_core *c, iteration *it, double t, double coefficient, double h,
                           double *norm)
{
    int n = it->n;
    bool leads = n < c->n;
    double *d = it->r, squares;
    int status = it->residual ? it->residual(c, t, d)
                 : leads      ? problem_lead(c->p, &c->run->stats, t, c->y_new, c->yp_new, d)
                              : problem_residual(c->p, &c->run->stats, t, c->y_new, c->yp_new, d);
    if (status) return step_status(status);
    matrix_point at = iterate_point(c, it, t, coefficient, h);
    status = leads ? matrix_solve_blocks(c, &it->g, &at, d, 0, 1) : matrix_solve(c, &it->g, &at, d);
    if (status) return status;
    c->run->stats.newton_iterations++;
    core_count_sums(c, SUMS_OF_CORRECTION);
    correcting q = {c, it, coefficient, h, !it->used++, c->norm.blocks <= 1};
    crew_sum(c->norm.crew, correct_range, &q, n, 1, &squares);
    c->error_vector = d;
    if (leads) {
        problem_norm lead = problem_norm_block(&c->norm, 0);
        *norm = problem_norm_newton(&lead, d, h);
    } else {
        *norm = q.of_one_block ? problem_of_squares_newton(&c->norm, squares)
                               : problem_norm_newton(&c->norm, d, h);
    }
    double unsolved = matrix_unsolved(&it->g);
    if (unsolved > *norm) *norm = unsolved;
    return *norm < INFINITY ? STEP_OK : STEP_UNDEFINED;
}

static void to_predicted(method_core *c, iteration *it)
{
    size_t bytes = (size_t)c->n * sizeof(double);
    it->used = 0;
    if (it->predict) {
        it->predict(c);
        return;
    }
    memcpy(c->y_new, it->y_predicted, bytes);
    memcpy(c->yp_new, it->yp_predicted, bytes);
}

static int iterate_converge(method_core *c, iteration *it, double t, double coefficient, double h,
                            bool current)
{
    double first = 0, norm = INFINITY, tol = iterate_tol(c, it);
    double round_off = current ? CORRECTION_ROUND_OFF : 0;
    for (int m = 0; m < ITERATIONS_MAX; m++) {
        int status = iterate_correct(c, it, t, coefficient, h, &norm);
        if (status) return status;
        if (m == 0) {
            first = norm;
            if (norm <= 1e-4 * tol) return STEP_OK;
        } else {
            double rate = m == 1 ? norm / first : pow(norm / first, 1.0 / m);
            // Nothing was left to solve: the products are those of this point, so that is the error.
            if (rate > RATE_MAX && matrix_unsolved(&it->g) > 0) return STEP_OK;
            if (rate > RATE_MAX) return norm <= round_off ? STEP_OK : STEP_NEWTON;
            it->ratio = rate / (1 - rate);
        }
        if (it->ratio * norm <= tol || matrix_unsolved(&it->g) > 0) return STEP_OK;
    }
    return norm <= round_off ? STEP_OK : STEP_NEWTON;
}

/* Until corrections are round-off. New factors whenever they shrink slowly. */
static int iterate_converge_exactly(method_core *c, iteration *it, double t, double coefficient,
                                    double h)
{
    double before = INFINITY, norm;
    bool fresh = false;
    for (int m = 0; m < ITERATIONS_EXACT_MAX; m++) {
        int status = iterate_correct(c, it, t, coefficient, h, &norm);
        if (status) return status;
        if (norm <= it->tol) return STEP_OK;
        bool slow = norm > RATE_STAGNANT * before;
        if (slow && fresh && norm <= CORRECTION_STAGNANT_MAX) return STEP_OK;
        before = norm;
        fresh = false;
        if (!slow) continue;
        status = matrix_differentiate(c, &it->g, t, h);
        if (!status) status = iterate_factor(c, it, t, coefficient, h);
        if (status) return status;
        fresh = true;
    }
    return STEP_NEWTON;
}

/* A correction d of the linear blocks, which have been corrected before or not. */
SIMD_CLONES static void take_correction(const method_core *c, const iteration *it,
                                        double coefficient, double scale, bool first)
{
    double *restrict d = it->r, *restrict sum = it->sum;
    double *restrict y = c->y_new, *restrict yp = c->yp_new;
    const double *factor = it->g.factor;
    int n = c->n;
    if (first) memset(sum + it->n, 0, (size_t)(n - it->n) * sizeof *sum);
    for (int i = it->n; i < n; i++) {
        d[i] *= -scale;
        sum[i] += d[i];
        y[i] += d[i];
    }
    if (factor)
        for (int i = it->n; i < n; i++) yp[i] += coefficient * factor[i] * d[i];
    else
        for (int i = it->n; i < n; i++) yp[i] += coefficient * d[i];
}

/* One correction of the blocks behind the first, with the factors that there are. */
static int follow_once(method_core *c, iteration *it, const matrix_point *at, bool first)
{
    const vinc_problem *p = c->p;
    int status = p->vary_residual(p->user, 0, c->y_new, c->yp_new, it->r);
    if (status) return step_status(status);
    status = matrix_solve_blocks(c, &it->g, at, it->r, 1, c->norm.blocks - 1);
    if (!status) take_correction(c, it, at->c, matrix_scale(&it->g, at->c), first);
    return status;
}

/* Are a few solutions more of each block less work than a matrix of this step? */
static bool may_follow_old(const method_core *c, const iteration *it)
{
    const la_solver *lu = it->g.lu;
    bool known = !c->norm.level || c->norm.n_weighed == c->n; // what corrections amount to
    if (c->fixed || !lu || !known || c->config.no_reuse) return false;
    double solution = lu->work_solve + c->jac.pattern.nnz;
    return SOLUTIONS_MORE * (c->norm.blocks - 1) * solution < lu->work_factor + c->jac.pattern.nnz;
}

/* With the factors of the first block, whose corrections have shrunk as these will. STEP_NEWTON: slowly. */
static int follow_old(method_core *c, iteration *it, const matrix_point *at)
{
    double norm, before = 0;
    double tol = c->norm.n_weighed == c->n ? iterate_tol(c, it) : TOL_FOLLOWING;
    double apart = fabs(at->c - it->g.c) / (at->c + it->g.c);
    double ratio = fmax(it->ratio_following, apart / (1 - apart));
    for (int m = 0; m < FOLLOWING_OLD_MAX; m++) {
        int status = follow_once(c, it, at, !m);
        if (status) return status;
        norm = problem_norm_followers(&c->norm, it->r, 1, at->h);
        if (!(norm < INFINITY)) return STEP_UNDEFINED;
        double rate = m ? norm / before : 0;
        if (rate > RATE_FOLLOWING_MAX) return STEP_NEWTON;
        if (m) it->ratio_following = ratio = rate / (1 - rate);
        if (ratio * norm <= tol) return STEP_OK;
        before = norm;
    }
    return STEP_NEWTON;
}

/* The blocks behind the first are linear in themselves: with the matrix of the point that it has come to,
 * one solution is exact, and the next step begins with that matrix. Of few blocks that costs more than
 * corrections with the factors of the first one. */
static int iterate_follow(method_core *c, iteration *it, double t, double coefficient, double h)
{
    const vinc_problem *p = c->p;
    double ratio = it->ratio;
    int status = p->vary(p->user, 0, t, c->y_new, c->yp_new);
    if (status) return step_status(status);
    matrix_point at = iterate_point(c, it, t, coefficient, h);
    bool old = may_follow_old(c, it);
    if (old) status = follow_old(c, it, &at);
    if (old && status != STEP_NEWTON) return status;
    status = matrix_take_kept(c, &it->g, 0, t, h);
    if (!status) status = iterate_factor(c, it, t, coefficient, h);
    if (status) return status;
    it->ratio = ratio;
    status = follow_once(c, it, &at, !old);
    if (status) return status;
    return problem_finite(it->r + it->n, c->n - it->n) ? STEP_OK : STEP_UNDEFINED;
}

static int iterate_lead(method_core *c, iteration *it, double t, double coefficient, double h)
{
    int status = STEP_OK;
    if (!it->predict) {
        memcpy(it->y_predicted, c->y_new, (size_t)c->n * sizeof(double));
        memcpy(it->yp_predicted, c->yp_new, (size_t)c->n * sizeof(double));
    }
    it->used = 0;

    bool change = it->g.c == 0 || matrix_is_far(&it->g, coefficient) || c->config.no_reuse;
    bool derive = !c->have_jac || (change && c->p->jacobian) || c->config.no_reuse;
    bool current = false;
    if (derive) {
        status = matrix_differentiate(c, &it->g, t, h);
        if (status) return status;
        current = change = true;
    }
    if (change) status = iterate_factor(c, it, t, coefficient, h);
    if (status) return status;
    // What was seen of the rate at another c says nothing about this one; and derivatives that accompany
    // a solution lag behind it by an iteration, so that their rate is another one in every step.
    // Of several processes it is not carried on at all: of equal steps c differs by rounding, and rounding is
    // another for another number of processes.
    if (c->p->shared || coefficient != it->c_old || (c->norm.blocks > 1 && it->n == c->n))
        it->ratio = RATIO_UNKNOWN;
    it->c_old = coefficient;

    if (c->fixed) return iterate_converge_exactly(c, it, t, coefficient, h);
    status = iterate_converge(c, it, t, coefficient, h, current);
    if (status == STEP_OK || status == STEP_STOP || current) return status;

    // The matrix was old: try again with a new one before the step is cut.
    to_predicted(c, it);
    status = matrix_differentiate(c, &it->g, t, h);
    if (!status) status = iterate_factor(c, it, t, coefficient, h);
    if (!status) status = iterate_converge(c, it, t, coefficient, h, true);
    return status;
}

int iteration_solve(method_core *c, iteration *it, double t, double coefficient, double h)
{
    int status = iterate_lead(c, it, t, coefficient, h);
    return status || it->n == c->n ? status : iterate_follow(c, it, t, coefficient, h);
}
