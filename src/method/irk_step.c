/* One step of a fully implicit Runge-Kutta method.
 *
 * One simplified Newton iteration for all stages, in the basis in which it falls apart (see
 * method/scheme.h): stopping criterion and starting values as in E. Hairer & G. Wanner, Solving
 * Ordinary Differential Equations II, section IV.8. The error estimate is in irk_error.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/irk.h"
#include "method/irk_course.h"
#include "method/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A Jacobian is kept while the iteration contracts by this much or more. */
static const double THETA_KEEP = 1e-2;
/* ... where many blocks follow the first, for each of them pays in iterations for an old one. Measured on
 * the estimation problem of Bachmann and others (2011) with some hundred blocks: 12 percent fewer. */
static const double THETA_KEEP_MANY = 1e-5;
/* ... where factors are due anyway, and a Jacobian takes less than F at all stages, as exact ones in compiled
 * code are as a rule: 0.98 of the work over 35 problems of bench/auto. Not of a handful of unknowns, where what is
 * around an evaluation counts as much as the evaluation, nor of a higher index: the squeezer as written, whose
 * iteration ends in rounding at 1e-12, no longer ran. */
static const double THETA_KEEP_CHEAP = 1e-4;
enum { BLOCKS_MANY = 16 };
static const double THETA_OF_ONE_ITERATION = 1e-3; // what one iteration that suffices says
/* What one iteration may at best be trusted to leave of its correction. Less would accept, step
 * after step, what an old matrix makes of rows that are nonlinear in y': its error is divided by h. */
static const double ETA_LEAST = 1e-3;
/* Accelerations are algebraic unknowns of index-1 forms, and badly predicted: their first
 * correction is no smaller than the second, though the third is tiny. A ratio between these two
 * says nothing yet about the convergence. */
static const double THETA_UNTOLD_MIN = 0.3, THETA_UNTOLD_MAX = 5;
/* Where time occurs in the equations, steps that grow by more could, out of a quiet stretch, leap
 * over a pulse as long as that stretch, with no stage in it. A start comes from small sizes and
 * has to grow faster. */
static const double GROWTH_IN_TIME_MAX = 3;
enum { STEPS_OF_START = 20, ITERATIONS_FOLLOWING_MAX = 20 };
/* After an iteration has failed: so many steps, of at most this part of its size. */
enum { STEPS_HELD = 10 };
static const double PART_OF_FAILED_MAX = 0.85;
/* Sizes that differ by less, as those of steps from row to row by rounding, have the same factors. */
static const double H_SAME = 1e-9;

/* ---- matrices -------------------------------------------------------------------------------- */

static int irk_differentiate(method_core *c, irk *s, double t, const double *y, const double *yp,
                             double h)
{
    int status = problem_jac_eval(&c->jac, &c->run->stats, t, y, yp, h);
    c->have_jac = c->jac_current = !status;
    s->h_lu = 0;
    s->mass_known = false;
    return step_status(status);
}

static void irk_find_small(irk *s)
{
    s->plain_norm = false;
    s->is_small = s->small.stages == s->schemes[s->now].s;
    for (int i = 0; i < s->n_solvers; i++) s->is_small = s->is_small && !s->solver[i]->is_deficient;
}

/* A^-1 / h, and the slope at the start. */
static void irk_set_rate(irk *s, double h)
{
    const scheme *k = &s->schemes[s->now];
    double inverse = 1 / h;
    for (int i = 0; i < k->s; i++)
        for (int j = 0; j < k->s; j++) s->rate[i][j] = k->ai[i][j] * inverse;
    for (int j = 0; j < k->s; j++) s->rate[k->s][j] = k->begin[j] * inverse;
    s->h_rate = h;
}

static inline void irk_find_rate(irk *s, double h)
{
    if (!s->is_small && s->h_rate != h) irk_set_rate(s, h);
}

static int irk_factor(method_core *c, irk *s, double h)
{
    la_number at[IRK_SOLVERS];
    int tried;
    s->h_lu = 0;
    for (int i = 0; i < s->n_solvers; i++)
        at[i] = (la_number){s->number[i].re / h, s->number[i].im / h};
    if (s->real[0]) s->c_real = at[0].re;
    int status = la_factor_several(s->solver, s->n_solvers, c->jac.dy, c->jac.dyp, at, &tried);
    c->run->stats.factorizations += tried;
    for (int i = 0; i < tried; i++) core_watch(c, s->solver[i]);
    if (tried) c->defect = s->solver[tried - 1]->defect;
    if (status) return status == LA_SINGULAR ? STEP_SINGULAR : STEP_UNDEFINED;
    s->h_lu = h;
    irk_find_small(s);
    irk_find_rate(s, h);
    return STEP_OK;
}

/* The polynomial is continued from a good step to the next where nothing is algebraic or states are
 * chosen while running (fields that turn with a rotor), and where masses turn from any step. Elsewhere
 * what is extrapolated after a failure may be anything, and so may what is extrapolated across a
 * position where constraints lose rank. */
static bool looks_ahead(const method_core *c, const irk *s)
{
    if (s->first || !s->schemes[s->past].collocation) return false;
    return irk_masses_turn(c) ||
           (!c->fixed && !s->failed && (c->all_differential || c->p->reselect));
}

/* The Jacobian for the step to come: from the middle of it, as the last step continues. Only half
 * of its change over the step, of the turn of masses say, is then left to the iteration, which
 * contracts twice as fast. */
static int irk_renew(method_core *c, irk *s, double h)
{
    const scheme *k = &s->schemes[s->past];
    double value[SCHEME_STAGES], slope[SCHEME_STAGES], *y = s->f, *yp = s->d;
    s->ahead = 0;
    if (!looks_ahead(c, s)) return irk_differentiate(c, s, c->t, c->y, c->yp, h);
    s->ahead = 0.5 * h;
    const small_polynomial *u = irk_newton(s);
    if (u) {
        small_value(u, 1 + s->ahead / s->h_old, c->y, 1 / s->h_old, y, yp);
        return irk_differentiate(c, s, c->t + s->ahead, y, yp, h);
    }
    scheme_basis(k, 1 + s->ahead / s->h_old, value, slope);
    for (int j = 0; j < k->s; j++) value[j] -= k->end[j];
    stages_sum_part(k->s, value, 1, s->z_old, s->stride, c->y, y, c->n);
    stages_sum_part(k->s, slope, 1 / s->h_old, s->z_old, s->stride, NULL, yp, c->n);
    return irk_differentiate(c, s, c->t + s->ahead, y, yp, h);
}

/* The contraction up to which a Jacobian is kept. */
static double irk_theta_keep(const method_core *c, const irk *s, bool factors_due)
{
    const vinc_problem *p = c->p;
    bool many = s->n < c->n && problem_blocks(p) > BLOCKS_MANY;
    bool fits = !small_fits(s->rows, s->n) && !c->norm.high_index && p->work_jacobian > 0;
    bool cheap = fits && p->work_jacobian < s->schemes[s->now].s * p->work_residual;
    return many ? THETA_KEEP_MANY : cheap && factors_due ? THETA_KEEP_CHEAP : THETA_KEEP;
}

static int irk_prepare(method_core *c, irk *s, double h)
{
    int status = STEP_OK;
    bool due = !(fabs(s->h_lu - h) <= H_SAME * h);
    bool old = !c->jac_current && s->theta > irk_theta_keep(c, s, due);
    bool beyond = c->jac_current && s->ahead > h; // the step has been cut since
    bool wrong = c->jac_current && s->ahead > 0 && !looks_ahead(c, s);
    if (!c->have_jac || old || beyond || wrong || c->config.no_reuse) status = irk_renew(c, s, h);
    if (!status && !(fabs(s->h_lu - h) <= H_SAME * h)) status = irk_factor(c, s, h);
    if (!status) irk_find_rate(s, h);
    return status;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* This attempt. */
static void irk_aim(const method_core *c, irk *s, double t_new, double h)
{
    const scheme *k = &s->schemes[s->now];
    small_stages *q = &s->small;
    for (int i = 0; i < k->s; i++) s->times[i] = c->t + k->c[i] * h;
    if (k->ends) s->times[k->s - 1] = t_new;
    s->whole = s->n == c->n && c->norm.blocks <= 1;
    s->weigher = c->norm.level ? s->weight : c->norm.inv;
    if (c->norm.level && s->whole) problem_norm_weights(&c->norm, h, s->weight);
    if (!s->is_small) return;
    q->y = c->y;
    q->z = s->z;
    q->inverse_h = 1 / h;
    q->weight = s->weigher;
    s->plain_norm = !c->norm.level && c->norm.all_counted;
}

/* Norms of corrections are in units of what the estimate is compared with, which is far more than the
 * tolerance at high orders: what is taken for rounding is no more than the tolerance itself. */
static double irk_round_off(const irk *s)
{
    return fmin(CORRECTION_ROUND_OFF, s->scale);
}

/* Of a first step. Stages are taken to be the start, which says y' = 0: of stiff unknowns that is the
 * better guess of y, but where y' occurs nonlinearly it may lie on another branch of F, and does so
 * however short the step is. After such a failure along the slope, which the start is consistent with. */
static void predict_first(const method_core *c, irk *s, double h)
{
    const scheme *k = &s->schemes[s->now];
    memset(s->z, 0, (size_t)(k->s * s->stride) * sizeof *s->z);
    for (int i = 0; i < k->s && s->failed; i++)
        for (int m = 0; m < c->n; m++)
            if (problem_differential(c->p, m)) s->z[i * s->stride + m] = k->c[i] * h * c->yp[m];
    stages_mix(k->s, k->ti, s->z, s->w, s->stride);
}

/* z_i by continuing the last step: its polynomial where it has one, Hermite's otherwise. */
static void predict_any(const method_core *c, irk *s, double h)
{
    const scheme *k = &s->schemes[s->now], *old = &s->schemes[s->past];
    int n = c->n;
    double ratio = h / s->h_old;
    if (s->first) {
        predict_first(c, s, h);
        return;
    }
    // Weights of the last continuation serve again while sizes stay equal.
    bool same = ratio == s->ratio && k == old;
    for (int i = 0; i < k->s && old->collocation && !same; i++) {
        scheme_basis(old, 1 + ratio * k->c[i], s->onward[i], NULL);
        for (int j = 0; j < old->s; j++) s->onward[i][j] -= old->end[j];
    }
    s->ratio = k == old ? ratio : 0;
    for (int i = 0; i < k->s && k != old; i++)
        stages_sum_part(old->s, s->onward[i], 1, s->z_old, s->stride, NULL, s->z + i * s->stride,
                        n);
    if (k == old && k->collocation) stages_mix(k->s, s->onward, s->z_old, s->z, s->stride);
    for (int i = 0; i < k->s && !k->collocation; i++) {
        double *z = s->z + i * s->stride;
        core_hermite(c, c->t + h * k->c[i], s->h_old, s->y0, s->yp0, z, NULL);
        for (int j = 0; j < n; j++) z[j] -= c->y[j];
    }
    stages_mix(k->s, k->ti, s->z, s->w, s->stride);
}

static void irk_predict(const method_core *c, irk *s, double h)
{
    bool continues = s->is_small && s->now == s->past && !s->first;
    const small_polynomial *u = continues ? irk_newton(s) : NULL;
    if (u) small_continue(&s->small, u, h / s->h_old);
    else predict_any(c, s, h);
}

/* Which unknowns an iteration is about: all, or the first of several blocks, or those behind it. */
typedef struct irk_part {
    int from, n, block, blocks;
} irk_part;

static irk_part irk_first(const method_core *c, const irk *s)
{
    return (irk_part){0, s->n, 0, s->n < c->n ? 1 : c->norm.blocks};
}

/* F at the stages. Those behind the first part have matrices of their own at each stage. */
static int irk_residuals(method_core *c, irk *s, const irk_part *p)
{
    const scheme *k = &s->schemes[s->now];
    int from = p->from, end = from + p->n, at = s->stride, status = 0;
    const double *t = s->times;
    stages_points(
        k->s, (const stage_row *)s->rate,
        &(stage_points){p->n, at, c->y + from, s->z + from, s->points + from, s->d + from});
    for (int i = 0; i < k->s && k->starts; i++) {
        double *d = s->d + i * at;
        for (int m = from; m < end; m++) d[m] += k->ai_start[i] * c->yp[m];
    }
    if (!from && end == c->n) {
        vinc_stats *stats = &c->run->stats;
        return step_status(problem_residuals(c->p, stats, k->s, t, s->points, s->d, s->f, at));
    }
    for (int i = 0; i < k->s && !status; i++) {
        double *d = s->d + i * at, *y = s->points + i * at, *f = s->f + i * at;
        status = from ? c->p->vary_residual(c->p->user, i, y, d, f)
                      : problem_lead(c->p, &c->run->stats, t[i], y, d, f);
    }
    return step_status(status);
}

/* A complex vector whose parts are `stride` apart. */
static void irk_solve_pair(irk *s, int i, double *x, const irk_part *p, int n)
{
    size_t bytes = (size_t)n * sizeof *x;
    if (s->stride == n) {
        la_solve_blocks(s->pair[i], x, p->block, p->blocks);
        return;
    }
    memcpy(s->pair_part, x, bytes);
    memcpy(s->pair_part + n, x + s->stride, bytes);
    la_solve(s->pair[i], s->pair_part);
    memcpy(x, s->pair_part, bytes);
    memcpy(x + s->stride, s->pair_part + n, bytes);
}

/* With all matrices of the scheme. */
static void irk_solve(irk *s, double *x, const irk_part *p, int n)
{
    const scheme *k = &s->schemes[s->now];
    la_vector all[IRK_SOLVERS];
    for (int i = 0; i < k->n_real; i++) all[i] = (la_vector){x + i * s->stride, NULL};
    for (int i = 0; i < k->n_pairs; i++) {
        double *re = x + (k->n_real + 2 * i) * s->stride;
        all[k->n_real + i] = (la_vector){re, re + s->stride};
    }
    if (k->n_real + k->n_pairs == s->n_solvers && la_solve_several(s->solver, s->n_solvers, all))
        return;
    for (int i = 0; i < k->n_real; i++) la_solve_blocks(s->real[i], all[i].re, p->block, p->blocks);
    for (int i = 0; i < k->n_pairs; i++) irk_solve_pair(s, i, all[k->n_real + i].re, p, n);
}

/* One correction of w and z; its weighted norm over all parts. */
static int irk_correct(method_core *c, irk *s, const irk_part *p, double h, double *norm)
{
    const scheme *k = &s->schemes[s->now];
    int n = c->n, at = s->stride, status = irk_residuals(c, s, p);
    if (status) return status;
    double *delta = s->d; // the derivatives have been used
    stages_mix_part(k->s, k->ti, s->f + p->from, delta + p->from, p->n, at);
    irk_solve(s, delta, p, n);
    if (s->whole) {
        stage_move move = {n, at, delta, s->weigher, s->w, s->z};
        *norm = problem_of_squares_stages(&c->norm, stages_move(k->s, k->t, &move), k->s);
        return STEP_OK;
    }
    stages_subtract(k->s, delta + p->from, s->w + p->from, p->n, at);
    stages_mix_part(k->s, k->t, s->w + p->from, s->z + p->from, p->n, at);
    problem_norm one = p->from + p->n < n ? problem_norm_block(&c->norm, 0) : c->norm;
    one.stride = at;
    *norm = p->from ? problem_norm_followers(&c->norm, delta, k->s, h)
                    : problem_norm_stages(&one, delta, k->s, h);
    return STEP_OK;
}

/* Some F was not finite: the problem is told where. */
static int irk_undefined(method_core *c, irk *s)
{
    const scheme *k = &s->schemes[s->now];
    int at = s->stride;
    if (s->is_small) irk_set_rate(s, 1 / s->small.inverse_h);
    for (int i = 0; i < k->s; i++)
        for (int m = 0; m < c->n; m++) s->z[i * at + m] = s->points[i * at + m] - c->y[m];
    stages_mix(k->s, (const stage_row *)s->rate, s->z, s->d, at);
    if (c->p->residuals)
        problem_residuals_one_by_one(c->p, k->s, s->times, s->points, s->d, s->f, at);
    return STEP_UNDEFINED;
}

/* One iteration; the square of its norm, in units of what the estimate is compared with. */
static int iterate_any(method_core *c, irk *s, const irk_part *p, double h, double *square)
{
    const scheme *k = &s->schemes[s->now];
    double norm;
    int status = irk_correct(c, s, p, h, &norm);
    if (status) return status;
    c->run->stats.solves += k->n_real + k->n_pairs;
    c->run->stats.newton_iterations++;
    core_count_sums(c, k->s * (3 * k->s + 6));
    norm *= s->scale;
    *square = norm * norm;
    c->error_vector = s->d;
    return norm < INFINITY ? STEP_OK : irk_undefined(c, s);
}

/* ... of few unknowns, in two pieces around F. */
static inline __attribute__((always_inline)) int iterate_small(method_core *c, irk *s,
                                                               double *square)
{
    vinc_stats *stats = &c->run->stats;
    int stages = s->small.stages;
    small_points(&s->small);
    int status = problem_residuals(c->p, stats, stages, s->times, s->points, s->d, s->f, s->stride);
    if (status) return step_status(status);
    stats->work += s->work_iteration;
    stats->solves += s->n_solvers;
    stats->newton_iterations++;
    *square = s->square_scale * small_correct(&s->small);
    c->error_vector = s->d;
    return *square < INFINITY ? STEP_OK : irk_undefined(c, s);
}

static int irk_iterate(method_core *c, irk *s, const irk_part *p, double h, double *norm)
{
    int status = s->is_small ? iterate_small(c, s, norm) : iterate_any(c, s, p, h, norm);
    if (!status) *norm = sqrt(*norm);
    return status;
}

static int irk_follow_on(method_core *c, irk *s, const irk_part *part, double h)
{
    double norm, before = 0, theta = fmin(s->theta, 0.5);
    for (int m = 1; m <= ITERATIONS_FOLLOWING_MAX; m++) {
        int status = irk_iterate(c, s, part, h, &norm);
        if (status) return status;
        if (m > 1) theta = norm / before;
        if (m > 1 && norm <= irk_round_off(s) && theta > 0.5) return STEP_OK;
        if (m > 2 && !(theta < 0.99)) return STEP_NEWTON;
        if (theta < 0.99 && norm * theta / (1 - theta) <= s->tol) return STEP_OK;
        before = fmax(norm, DBL_MIN);
    }
    return STEP_NEWTON;
}

/* The blocks behind the first, which has converged: linear in themselves, with the matrices of each stage.
 * Their corrections shrink as the last ones of the first block did. */
static int irk_follow(method_core *c, irk *s, double t_new, double h, step_result *result)
{
    const scheme *k = &s->schemes[s->now];
    const vinc_problem *p = c->p;
    irk_part part = {s->n, c->n - s->n, 1, c->norm.blocks - 1};
    int n = s->n, status = 0;
    stages_mix_part(k->s, (const stage_row *)s->rate, s->z, s->d, n, c->n);
    for (int i = 0; i < k->s && !status; i++) {
        const double *restrict z = s->z + (size_t)i * (size_t)c->n;
        double *restrict d = s->d + (size_t)i * (size_t)c->n;
        for (int m = 0; m < n; m++) c->y_new[m] = c->y[m] + z[m];
        if (k->starts)
            for (int m = 0; m < n; m++) d[m] += k->ai_start[i] * c->yp[m];
        double t = k->c[i] == 1 ? t_new : c->t + k->c[i] * h;
        status = p->vary(p->user, i, t, c->y_new, d);
    }
    if (status) return step_status(status);
    status = irk_follow_on(c, s, &part, h);
    if (status != STEP_NEWTON) return status;
    // Slowly: the matrix of the end of the step.
    for (int m = 0; m < n; m++) c->y_new[m] = c->y[m] + s->z[(k->s - 1) * s->stride + m];
    stages_sum_part(k->s, s->rate[k->s - 1], 1, s->z, s->stride, NULL, s->u, c->n);
    for (int m = 0; m < n && k->starts; m++) s->u[m] += k->ai_start[k->s - 1] * c->yp[m];
    status = irk_differentiate(c, s, t_new, c->y_new, s->u, h);
    s->ahead = h;
    if (!status) status = irk_factor(c, s, h);
    if (!status) status = irk_follow_on(c, s, &part, h);
    if (status == STEP_NEWTON) result->h_factor = 0.5;
    return status;
}

static int irk_converge(method_core *c, irk *s, double h, step_result *result)
{
    irk_course q = {0};
    double round_off = c->jac_current ? irk_round_off(s) : 0;
    irk_part part = irk_first(c, s);
    bool guessed = true; // the first correction may be of the prediction alone
    s->eta = sqrt(s->eta) * sqrt(sqrt(s->eta)); // what was known grows old: to the power 3/4
    if (s->eta < ETA_LEAST) s->eta = ETA_LEAST;
    s->theta = THETA_OF_ONE_ITERATION;
    for (int m = 1; m <= s->most; m++) {
        int status =
            s->is_small ? iterate_small(c, s, &q.square) : iterate_any(c, s, &part, h, &q.square);
        if (status) return s->theta = 1, status;
        s->iterations = m;
        bool suffices = m == 1 && s->eta * s->eta * q.square <= s->tol * s->tol;
        if (m > 1) {
            bool as_far = q.square <= round_off * round_off; // as the arithmetic goes
            q.two = !guessed;
            if (as_far && course_between(&q, 0.5, INFINITY)) {
                s->theta = course_theta(&q);
                break;
            }
            if (guessed && m == 2 && course_between(&q, THETA_UNTOLD_MIN, THETA_UNTOLD_MAX)) {
                s->theta = course_theta(&q);
                course_go_on(&q);
                if (irk_refuses_early(c, s, h, result)) return STEP_OK;
                continue;
            }
            guessed = false;
            suffices = course_suffices(&q, s->tol);
            s->theta = course_theta(&q);
            if (!suffices && !(s->theta < THETA_MAX)) return result->h_factor = 0.5, STEP_NEWTON;
            s->eta = s->theta / (1 - s->theta);
        }
        if (suffices) {
            result->newton_cost = (double)m / s->most;
            return STEP_OK;
        }
        if (m > 1) {
            double left = s->eta * sqrt(q.square) / s->tol;
            if (m < s->most && (left = course_left(left, s->theta, s->most - 1 - m)) >= 1) {
                double part_of = fmin(20, fmax(1e-4, left));
                result->h_factor = 0.8 * pow(part_of, -1.0 / (4 + s->most - 1 - m));
                return STEP_NEWTON;
            }
            if (m == LOOK_AT_ITERATION && irk_refuses_early(c, s, h, result)) return STEP_OK;
        }
        course_go_on(&q);
    }
    if (q.square <= round_off * round_off) return STEP_OK;
    result->h_factor = 0.5;
    return STEP_NEWTON;
}

/* Fixed steps: until corrections are round-off; new matrices whenever they shrink slowly. */
static int irk_converge_exactly(method_core *c, irk *s, double t_new, double h)
{
    double before = INFINITY, norm;
    irk_part part = irk_first(c, s);
    bool fresh = false;
    for (int m = 0; m < ITERATIONS_EXACT_MAX; m++) {
        int status = irk_iterate(c, s, &part, h, &norm);
        if (status) return status;
        if (norm <= s->tol) return STEP_OK;
        bool slow = norm > RATE_STAGNANT * before;
        if (slow && fresh && norm <= CORRECTION_STAGNANT_MAX) return STEP_OK;
        before = norm;
        fresh = false;
        if (!slow) continue;
        const scheme *k = &s->schemes[s->now];
        for (int i = 0; i < c->n; i++) c->y_new[i] = c->y[i] + s->z[(k->s - 1) * s->stride + i];
        stages_sum_part(k->s, k->ai[k->s - 1], 1 / h, s->z, s->stride, NULL, s->u, c->n);
        status = irk_differentiate(c, s, t_new, c->y_new, s->u, h);
        c->jac_current = false;
        if (!status) status = irk_factor(c, s, h);
        if (status) return status;
        irk_aim(c, s, t_new, h);
        fresh = true;
    }
    return STEP_NEWTON;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* The new point. Where it is no stage, algebraic unknowns and y' come from the right-hand side if
 * there is one: algebraic equations then hold at the end of the step too. */
static int finish_any(method_core *c, irk *s, double t_new, double h)
{
    const scheme *k = &s->schemes[s->now];
    int n = c->n, last = k->s - 1;
    const double *slope = k->ends ? k->ai[last] : k->slope;
    double start = k->ends ? k->ai_start[last] : k->slope_start;
    stages_sum_part(k->s, k->end, 1, s->z, s->stride, c->y, c->y_new, n);
    stages_sum_part(k->s, slope, 1 / h, s->z, s->stride, NULL, c->yp_new, n);
    if (k->starts)
        for (int i = 0; i < n; i++) {
            c->y_new[i] += k->end_start * h * c->yp[i];
            c->yp_new[i] += start * c->yp[i];
        }
    if (k->ends || !c->p->rhs) return STEP_OK;
    return core_complete(c, t_new, s->u);
}

static int irk_finish(method_core *c, irk *s, double t_new, double h)
{
    if (!s->is_small || !s->schemes[s->now].ends) return finish_any(c, s, t_new, h);
    small_end(&s->small, c->y_new, c->yp_new, s->u);
    return STEP_OK;
}

/* Where the iteration and not the error bounds the size, steps that grow at once after a failure meet
 * the next one: for a while they stay below. */
static void irk_hold_size(const irk *s, double h, step_result *result)
{
    if (!s->now || !(s->h_failed > 0) || s->steps - s->steps_failed > STEPS_HELD) return;
    double most = fmax(1, PART_OF_FAILED_MAX * s->h_failed / h);
    if (!(result->grow_most > 0) || most < result->grow_most) result->grow_most = most;
}

static int irk_attempt_once(method_core *c, irk *s, double t_new, double h, step_result *result)
{
    result->order = s->schemes[s->now].order;
    if (!c->p->autonomous && s->steps > STEPS_OF_START) result->grow_most = GROWTH_IN_TIME_MAX;
    irk_hold_size(s, h, result);
    int status = irk_prepare(c, s, h);
    if (status) return status;
    irk_aim(c, s, t_new, h);
    irk_predict(c, s, h);
    bool current = c->jac_current;
    if (c->fixed) {
        status = irk_converge_exactly(c, s, t_new, h);
        return status ? status : irk_finish(c, s, t_new, h);
    }
    status = irk_converge(c, s, h, result);
    if (status > 0 && !current) { // the Jacobian was old: a new one before the step is cut
        status = irk_renew(c, s, h);
        if (!status) status = irk_factor(c, s, h);
        if (status) return status;
        irk_aim(c, s, t_new, h);
        irk_predict(c, s, h);
        s->eta = 1;
        status = irk_converge(c, s, h, result);
    }
    if (s->refused_early) return status;
    if (!status && s->n < c->n) status = irk_follow(c, s, t_new, h, result);
    s->trouble = s->trouble || status;
    if (status == STEP_NEWTON) s->h_failed = h, s->steps_failed = s->steps;
    if (!status) status = irk_finish(c, s, t_new, h);
    return status ? status : irk_estimate(c, s, t_new, h, result);
}

int irk_attempt(method_core *c, double t_new, double h, step_result *result)
{
    irk *s = c->state;
    s->refused_early = false;
    int status = irk_attempt_once(c, s, t_new, h, result);
    irk_note_attempt(s, status || result->error > 1);
    // An old matrix that is in doubt for the second time may be why.
    if (status || (s->refused_early && s->again && !c->jac_current)) s->theta = 1;
    s->failed = status;
    s->again = !status && result->error > 1;
    return status;
}
