/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/equilibrium.h"

#include "base/bump.h"
#include "la/dense.h"
#include "newton/iterate.h"
#include "problem/problem.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { RELAXATIONS_MAX = 200 };
#define RANK_TOL   1e-10
#define FIRST_RATE 100.0 // of the pseudo-transient, per unit of time
#define GROWTH     1.15
#define SETTLED    1e-8 // of the residual that is left, relative to the terms of its row

typedef struct search {
    const vinc_problem *p;
    double t;
    double *y, *yp, *r, *trial, *step, *dense, *work, *weight, *given;
    int *pivots;
    problem_jac jac;
    vinc_stats stats;
} search;

static size_t equilibrium_layout(search *s, int n, void *block)
{
    bump b = bump_begin(block);
    size_t k = (size_t)n;
    s->r = bump_double(&b, k);
    s->trial = bump_double(&b, k);
    s->step = bump_double(&b, k);
    s->weight = bump_double(&b, k);
    s->given = bump_double(&b, k);
    s->dense = bump_double(&b, k * k);
    s->work = bump_double(&b, la_least_norm_work(n, n));
    s->pivots = bump_int(&b, k);
    return bump_end(&b);
}

// Rows scaled so that each is of size 1: the size of the residual, infinite where it has none.
static double equilibrium_residual(search *s, const double *y)
{
    double sum = 0;
    if (problem_residual(s->p, &s->stats, s->t, y, s->yp, s->r)) return INFINITY;
    for (int i = 0; i < s->p->n; i++) sum = hypot(sum, s->r[i] * s->weight[i]);
    return isfinite(sum) ? sum : INFINITY;
}

/* The Jacobian dF/dy + rate dF/dy' in units of the nominals, rows scaled to 1. */
static int equilibrium_jacobian(search *s, double rate)
{
    int n = s->p->n;
    if (problem_jac_eval(&s->jac, &s->stats, s->t, s->y, s->yp, 0)) return -1;
    memset(s->dense, 0, (size_t)n * (size_t)n * sizeof *s->dense);
    for (int j = 0; j < n; j++)
        for (int k = s->jac.pattern.start[j]; k < s->jac.pattern.start[j + 1]; k++)
            s->dense[s->jac.pattern.row[k] + (size_t)j * (size_t)n] =
                (s->jac.dy[k] + rate * s->jac.dyp[k]) * problem_nominal(s->p, j);
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(s->dense[i + (size_t)j * (size_t)n]));
        s->weight[i] = most > 0 && isfinite(most) ? 1 / most : 1;
        for (int j = 0; j < n; j++) s->dense[i + (size_t)j * (size_t)n] *= s->weight[i];
    }
    return 0;
}

/* The step (dF/dy + rate dF/dy') step = -F; its size in nominals or sizes of the unknowns, negative
 * when there is none. */
static double equilibrium_direction(search *s, double rate, double *before)
{
    int n = s->p->n;
    double size = 0;
    if (equilibrium_jacobian(s, rate)) return -1;
    *before = equilibrium_residual(s, s->y);
    for (int i = 0; i < n; i++) s->r[i] *= -s->weight[i];
    if (!isfinite(*before) ||
        la_least_norm(n, n, s->dense, s->r, s->step, RANK_TOL, s->work, s->pivots) < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        double nominal = problem_nominal(s->p, i);
        s->step[i] *= nominal;
        size = fmax(size, fabs(s->step[i]) / fmax(nominal, fabs(s->y[i])));
    }
    return size;
}

static double equilibrium_correction(void *user, bool anew, double *measure)
{
    (void)anew;
    return equilibrium_direction(user, 0, measure);
}

static double equilibrium_trial(void *user, double factor)
{
    search *s = user;
    for (int i = 0; i < s->p->n; i++) s->trial[i] = s->y[i] + factor * s->step[i];
    return equilibrium_residual(s, s->trial);
}

static bool equilibrium_accept(void *user)
{
    search *s = user;
    memcpy(s->y, s->trial, (size_t)s->p->n * sizeof *s->y);
    if (s->p->reselect) s->p->reselect(s->p->user, s->t, s->y, s->yp);
    return true;
}

static bool equilibrium_newton(search *s)
{
    static const newton_verbs verbs = {equilibrium_correction, equilibrium_trial,
                                       equilibrium_accept};
    newton_course course;
    int rc = newton_iterate(&verbs, s, &newton_for_equilibrium, &course);
    return (!rc || course.stuck) && equilibrium_residual(s, s->y) < SETTLED;
}

/* Pseudo-transient continuation (C. T. Kelley & D. E. Keyes, SIAM J. Numer. Anal. 35 (1998)
 * 508-523): linearly implicit Euler steps that grow, whose damping leads to a stable equilibrium. */
static void equilibrium_relax(search *s)
{
    double rate = FIRST_RATE, before;
    for (int k = 0; k < RELAXATIONS_MAX; k++, rate /= GROWTH) {
        if (equilibrium_direction(s, rate, &before) < 0) return;
        if (!isfinite(equilibrium_trial(s, 1))) return;
        equilibrium_accept(s);
    }
}

static int equilibrium_find(search *s, char *why, size_t size)
{
    int n = s->p->n;
    for (int i = 0; i < n; i++) s->weight[i] = 1;
    memcpy(s->given, s->y, (size_t)n * sizeof *s->y);
    if (equilibrium_newton(s)) return VINC_OK;
    memcpy(s->y, s->given, (size_t)n * sizeof *s->y);
    if (s->p->reselect) s->p->reselect(s->p->user, s->t, s->y, s->yp);
    equilibrium_relax(s);
    if (equilibrium_newton(s)) return VINC_OK;
    snprintf(why, size,
             "no equilibrium was found from the start values: F(t, y, 0) = 0 is left with a "
             "residual of %.2g",
             equilibrium_residual(s, s->y));
    return VINC_E_NEWTON;
}

int sim_equilibrium(mem *m, const vinc_problem *p, double t, double *y, double *yp, char *why,
                    size_t size)
{
    search s = {.p = p, .t = t, .y = y, .yp = yp};
    size_t bytes = equilibrium_layout(&s, p->n, NULL);
    void *block = mem_try(m, bytes);
    if (!block) return VINC_E_MEMORY;
    memset(block, 0, bytes);
    equilibrium_layout(&s, p->n, block);
    memset(yp, 0, (size_t)p->n * sizeof *yp);
    int rc = problem_jac_init(&s.jac, m, p);
    if (!rc) {
        rc = equilibrium_find(&s, why, size);
        problem_jac_done(&s.jac);
    }
    mem_free(m, block, bytes);
    return rc;
}
