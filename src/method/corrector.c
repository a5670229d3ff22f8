/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/corrector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS_MAX = 4 };
/* Corrections must shrink by this much, or the matrix is too old. */
static const double RATE_MAX = 0.9;
/* Nothing is known about the rate with new factors: a first correction is believed only when tiny. */
static const double RATIO_UNKNOWN = 20;
/* The factors serve while c is within this range of theirs: relative to theirs, or where a
 * factorisation takes the time of many solves, as on grids, |c - c_lu| / (c + c_lu), by which
 * corrections scaled as in `correct` shrink at least. */
static const double C_CHANGE_MAX = 0.25, C_CHANGE_DEAR_MAX = 0.4, WORK_DEAR_MIN = 10;
/* Where factors of a large system are full, a solve costs more than the rest of a step: no more of
 * them than the error test notices. */
enum { UNKNOWNS_LARGE = 2000 };
static const double NEWTON_TOL_DEAR = 0.1;

void iteration_layout(iteration *it, bump *b, size_t n)
{
    it->r = bump_double(b, n);
    it->sum = bump_double(b, n);
    it->y_predicted = bump_double(b, n);
    it->yp_predicted = bump_double(b, n);
}

int iteration_open(method_core *c, iteration *it)
{
    la_config config = {
        .n = c->n, .pattern = &c->jac.pattern, .backend = c->config.la, .forgiving = c->p->event};
    it->c_scale = 1;
    int status = la_new(c->m, &config, &it->lu);
    it->dear = !status && it->lu->work > WORK_DEAR_MIN;
    it->tol = it->dear && c->n > UNKNOWNS_LARGE && !c->fixed ? NEWTON_TOL_DEAR : c->newton_tol;
    return !status ? VINC_OK : status == LA_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
}

void iteration_close(iteration *it)
{
    la_free(it->lu);
    it->lu = NULL;
}

/* New derivatives at the present iterate, unless those there are of it already. */
static int iterate_differentiate(method_core *c, iteration *it, double t, double h)
{
    int status = problem_jac_eval(&c->jac, &c->run->stats, t, c->y_new, c->yp_new, h);
    if (status) {
        c->have_jac = false;
        return step_status(status);
    }
    c->have_jac = c->jac_current = true;
    it->c_lu = 0;
    const vinc_pattern *a = &c->jac.pattern;
    for (int j = 0; j < c->n && it->factor; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) c->jac.dyp[k] *= it->factor[j];
    return STEP_OK;
}

static int iterate_factor(method_core *c, iteration *it, double coefficient)
{
    int status = la_factor(it->lu, c->jac.dy, c->jac.dyp, coefficient * it->c_scale, 0);
    core_watch(c, it->lu);
    c->run->stats.factorizations++;
    it->c_lu = 0;
    if (status == LA_SINGULAR) {
        c->defect = it->lu->defect;
        return STEP_SINGULAR;
    }
    if (status) return STEP_UNDEFINED; // memory inside a foreign library
    it->c_lu = coefficient;
    it->ratio = RATIO_UNKNOWN;
    return STEP_OK;
}

/* One correction into y_new and yp_new; its norm, which is not finite when something else was not. */
static int iterate_correct(method_core *c, iteration *it, double t, double coefficient, double h,
                           double *norm)
{
    int n = c->n;
    double *restrict d = it->r, *restrict y = c->y_new, *restrict yp = c->yp_new;
    double *restrict sum = it->sum;
    int status =
        it->residual ? it->residual(c, t, d) : problem_residual(c->p, &c->run->stats, t, y, yp, d);
    if (status) return step_status(status);
    la_solve(it->lu, d);
    c->run->stats.solves++;
    c->run->stats.newton_iterations++;
    if (!it->used++) memset(sum, 0, (size_t)n * sizeof *sum);
    // The factors belong to another c: the best single factor for a spectrum from 0 to infinity.
    double scale = -2 / (1 + coefficient / it->c_lu);
    for (int i = 0; i < n; i++) {
        d[i] *= scale;
        sum[i] += d[i];
        y[i] += d[i];
    }
    if (it->factor)
        for (int i = 0; i < n; i++) yp[i] += coefficient * it->factor[i] * d[i];
    else
        for (int i = 0; i < n; i++) yp[i] += coefficient * d[i];
    c->error_vector = d;
    *norm = problem_norm_newton(&c->norm, d, h);
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

static int iterate_converge(method_core *c, iteration *it, double t, double coefficient, double h)
{
    double first = 0, norm = INFINITY, tol = fmax(it->tol, 10 * DBL_EPSILON / c->norm.rel_tol);
    for (int m = 0; m < ITERATIONS_MAX; m++) {
        int status = iterate_correct(c, it, t, coefficient, h, &norm);
        if (status) return status;
        if (m == 0) {
            first = norm;
            if (norm <= 1e-4 * tol) return STEP_OK;
        } else {
            double rate = m == 1 ? norm / first : pow(norm / first, 1.0 / m);
            if (rate > RATE_MAX) return norm <= CORRECTION_ROUND_OFF ? STEP_OK : STEP_NEWTON;
            it->ratio = rate / (1 - rate);
        }
        if (it->ratio * norm <= tol) return STEP_OK;
    }
    return norm <= CORRECTION_ROUND_OFF ? STEP_OK : STEP_NEWTON;
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
        status = iterate_differentiate(c, it, t, h);
        if (!status) status = iterate_factor(c, it, coefficient);
        if (status) return status;
        fresh = true;
    }
    return STEP_NEWTON;
}

int iteration_solve(method_core *c, iteration *it, double t, double coefficient, double h)
{
    int status = STEP_OK;
    if (!it->predict) {
        memcpy(it->y_predicted, c->y_new, (size_t)c->n * sizeof(double));
        memcpy(it->yp_predicted, c->yp_new, (size_t)c->n * sizeof(double));
    }
    it->used = 0;

    double apart = fabs(coefficient - it->c_lu);
    bool far = it->dear ? apart > C_CHANGE_DEAR_MAX * (coefficient + it->c_lu)
                        : fabs(coefficient / it->c_lu - 1) > C_CHANGE_MAX;
    bool change = it->c_lu == 0 || far || c->config.no_reuse;
    bool derive = !c->have_jac || (change && c->p->jacobian) || c->config.no_reuse;
    bool current = false;
    if (derive) {
        status = iterate_differentiate(c, it, t, h);
        if (status) return status;
        current = change = true;
    }
    if (change) status = iterate_factor(c, it, coefficient);
    if (status) return status;
    // What was seen of the rate at another c says nothing about this one.
    if (coefficient != it->c_old) it->ratio = RATIO_UNKNOWN;
    it->c_old = coefficient;

    if (c->fixed) return iterate_converge_exactly(c, it, t, coefficient, h);
    status = iterate_converge(c, it, t, coefficient, h);
    if (status == STEP_OK || status == STEP_STOP || current) return status;

    // The matrix was old: try again with a new one before the step is cut.
    to_predicted(c, it);
    status = iterate_differentiate(c, it, t, h);
    if (!status) status = iterate_factor(c, it, coefficient);
    if (!status) status = iterate_converge(c, it, t, coefficient, h);
    return status;
}
