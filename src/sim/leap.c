/* Across a place where the solution is steeper than time resolves.
 *
 * Unknowns whose rates weigh nothing, as the voltage of a node without capacity, follow from the others
 * like algebraic ones. Where gain is high they run from one end to the other within the resolution of
 * time, and no step is short enough. One implicit Euler step of a length that nobody notices goes
 * across: what has inertia stays where it is, the rest is found by a damped iteration. A second one
 * says how it goes on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/leap.h"

#include "la/la.h"
#include "newton/newton.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

/* Below this part of dF/dy a rate over the length of a leap weighs nothing. */
static const double WEIGHT_MIN = 1e-3;
/* Above so many unknowns the iteration has sparse factors. */
enum { DENSE_MAX = 100 };
/* Corrections relative to the unknowns: the last one, and such that do not halve any more. */
static const double SOLVED = 1e-12, ROUND_OFF = 1e-8;
enum { ITERATIONS_MAX = 60 };

typedef struct leap {
    const vinc_problem *p;
    vinc_stats *stats;
    problem_jac jac;
    double t, dt;          // where it begins, its length
    const double *y0;      // there
    double *yp, *d, *next; // n each
    la_solver *matrix;
    newton *damped;
} leap;

/* Rates of implicit Euler. */
static const double *leap_rates(leap *l, const double *y)
{
    for (int i = 0; i < l->p->n; i++)
        l->yp[i] = problem_differential(l->p, i) ? (y[i] - l->y0[i]) / l->dt : 0;
    return l->yp;
}

static int leap_residual(void *user, const double *y, double *r)
{
    leap *l = user;
    return problem_residual(l->p, l->stats, l->t + l->dt, y, leap_rates(l, y), r);
}

static int leap_jacobian(void *user, const double *y, double *values)
{
    leap *l = user;
    int status = problem_jac_eval(&l->jac, l->stats, l->t + l->dt, y, leap_rates(l, y), l->dt);
    for (long k = 0; k < l->jac.nnz && !status; k++)
        values[k] = l->jac.dy[k] + l->jac.dyp[k] / l->dt;
    return status;
}

/* Full steps of Newton's method, a new matrix each: where slopes differ by powers of ten on the two sides
 * of a kink, damping would creep along the flat one. */
static bool leap_undamped(leap *l, la_solver *matrix, double *y, double *d)
{
    double before = INFINITY;
    for (int m = 0; m < ITERATIONS_MAX; m++) {
        double size = 0;
        if (leap_residual(l, y, d) || !problem_finite(d, l->p->n)) return false;
        if (problem_jac_eval(&l->jac, l->stats, l->t + l->dt, y, l->yp, l->dt)) return false;
        if (la_factor(matrix, l->jac.dy, l->jac.dyp, 1 / l->dt, 0)) return false;
        la_solve(matrix, d);
        for (int i = 0; i < l->p->n; i++) {
            size = fmax(size, fabs(d[i]) / fmax(fabs(y[i]), problem_nominal(l->p, i)));
            y[i] -= d[i];
        }
        if (!(size < INFINITY)) return false;
        if (size < SOLVED || (size < ROUND_OFF && size > 0.5 * before)) return true;
        before = size;
    }
    return false;
}

/* Is there an unknown with a rate that weighs nothing at this point? */
static bool weightless(leap *l, const double *yp)
{
    const vinc_pattern *a = &l->jac.pattern;
    if (problem_jac_eval(&l->jac, l->stats, l->t, l->y0, yp, l->dt)) return false;
    for (int j = 0; j < l->p->n; j++) {
        double here = 0, rate = 0;
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            here = fmax(here, fabs(l->jac.dy[k]));
            rate = fmax(rate, fabs(l->jac.dyp[k]) / l->dt);
        }
        if (problem_differential(l->p, j) && rate < WEIGHT_MIN * here) return true;
    }
    return false;
}

/* From y0 at t, into y. */
static bool leap_once(leap *l, double *y)
{
    size_t bytes = (size_t)l->p->n * sizeof *y;
    newton_report report;
    memcpy(y, l->y0, bytes);
    if (leap_undamped(l, l->matrix, y, l->d)) return true;
    memcpy(y, l->y0, bytes);
    return newton_solve(l->damped, y, &report) == NEWTON_OK;
}

static bool leap_open(leap *l, mem *m, void **block)
{
    const vinc_problem *p = l->p;
    if (!p->residual || !p->n || p->blocks > 1 || problem_jac_init(&l->jac, m, p)) return false;
    newton_problem system = {.m = p->n,
                             .n = p->n,
                             .jac = &l->jac.pattern,
                             .residual = leap_residual,
                             .jacobian = leap_jacobian,
                             .user = l,
                             .nominal = p->nominal};
    newton_options options = {.sparse = p->n > DENSE_MAX};
    la_config config = {.n = p->n, .pattern = &l->jac.pattern};
    l->damped = newton_new(m, &system, &options);
    *block = mem_try(m, 3 * (size_t)p->n * sizeof(double));
    l->yp = *block;
    if (!l->yp) return false;
    l->d = l->yp + p->n;
    l->next = l->d + p->n;
    return l->damped && !la_new(m, &config, &l->matrix);
}

static void leap_close(leap *l, mem *m, void *block)
{
    if (block) mem_free(m, block, 3 * (size_t)l->p->n * sizeof(double));
    newton_free(l->damped);
    la_free(l->matrix);
    if (l->jac.p) problem_jac_done(&l->jac);
}

bool sim_leap(mem *m, const vinc_problem *p, vinc_stats *stats, const sim_leap_from *from,
              double *y, double *yp)
{
    leap l = {.p = p, .stats = stats, .t = from->t, .dt = from->dt, .y0 = from->y};
    void *block = NULL;
    bool done = leap_open(&l, m, &block) && weightless(&l, from->yp) && leap_once(&l, y);
    if (done) {
        l.t += l.dt;
        l.y0 = y;
        bool known = leap_once(&l, l.next); // else rates are taken for zero
        for (int i = 0; i < p->n; i++)
            yp[i] = known && problem_differential(p, i) ? (l.next[i] - y[i]) / l.dt : 0;
    }
    leap_close(&l, m, block);
    return done;
}
