/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/equilibrium.h"

#include "base/bump.h"
#include "la/dense.h"
#include "newton/iterate.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { RELAXATIONS_MAX = 600, POINTS = 4 };
#define RANK_TOL   1e-10
#define KEPT_TOL   1e-9  // of a combination of equations in which no unknown is left
#define PROBE      0.1   // points where that is tried: unknowns moved by this part of their size
#define FIRST_RATE 100.0 // of the pseudo-transient, per unit of time
#define GROWTH     1.15
#define STRIDE     0.2  // of a relaxation, in nominals or sizes: it must not leap to another branch
#define STANDS     1e-6 // ... below, it has come to rest
#define SHORTEST   1e12 // rate beyond which no step is short enough
#define SETTLED    1e-8 // of the residual that is left, relative to the terms of its row

typedef struct search {
    const vinc_problem *p;
    double t;
    double *y, *yp, *r, *trial, *step, *dense, *work, *weight, *given, *relaxed;
    double *kept; // n_kept by n: combinations of y (in nominals) that keep their start values
    double *all, *u, *sigma, *svd_work;
    int n_kept;
    int *pivots;
    problem_jac jac;
    vinc_stats stats;
} search;

static size_t equilibrium_layout(search *s, int n, void *block)
{
    bump b = bump_begin(block);
    size_t k = (size_t)n;
    s->r = bump_double(&b, 2 * k);
    s->trial = bump_double(&b, k);
    s->step = bump_double(&b, k);
    s->weight = bump_double(&b, k);
    s->given = bump_double(&b, k);
    s->relaxed = bump_double(&b, k);
    s->dense = bump_double(&b, 2 * k * k);
    s->kept = bump_double(&b, k * k);
    s->all = bump_double(&b, POINTS * k * k);
    s->u = bump_double(&b, k * k);
    s->sigma = bump_double(&b, k);
    s->svd_work = bump_double(&b, la_svd_work(n, POINTS * n));
    s->work = bump_double(&b, la_least_norm_work(2 * n, n));
    s->pivots = bump_int(&b, k);
    return bump_end(&b);
}

/* By how much a combination differs from its start value. */
static double equilibrium_excess(const search *s, int i, const double *y)
{
    double sum = 0;
    for (int j = 0; j < s->p->n; j++)
        sum += s->kept[i + (size_t)j * (size_t)s->n_kept] * (y[j] - s->given[j]) /
               problem_nominal(s->p, j);
    return sum;
}

// Rows scaled so that each is of size 1: the size of the residual, infinite where it has none.
static double equilibrium_residual(search *s, const double *y)
{
    int n = s->p->n;
    double sum = 0;
    if (problem_residual(s->p, &s->stats, s->t, y, s->yp, s->r)) return INFINITY;
    for (int i = 0; i < n; i++) sum = hypot(sum, s->r[i] * s->weight[i]);
    for (int i = 0; i < s->n_kept; i++) sum = hypot(sum, s->r[n + i] = equilibrium_excess(s, i, y));
    return isfinite(sum) ? sum : INFINITY;
}

/* The Jacobian dy_factor dF/dy + rate dF/dy' in units of the nominals, by rows of the given height. */
static int equilibrium_fill(search *s, const double *y, double dy_factor, double rate, double *to,
                            int height)
{
    int n = s->p->n;
    if (problem_jac_eval(&s->jac, &s->stats, s->t, y, s->yp, 0)) return -1;
    for (int j = 0; j < n; j++) {
        double *column = to + (size_t)j * (size_t)height;
        memset(column, 0, (size_t)n * sizeof *column);
        for (int k = s->jac.pattern.start[j]; k < s->jac.pattern.start[j + 1]; k++)
            column[s->jac.pattern.row[k]] =
                (dy_factor * s->jac.dy[k] + rate * s->jac.dyp[k]) * problem_nominal(s->p, j);
    }
    return 0;
}

/* ... rows scaled to 1, and below them the combinations that are kept. */
static int equilibrium_jacobian(search *s, double rate)
{
    int n = s->p->n, height = n + s->n_kept;
    if (equilibrium_fill(s, s->y, 1, rate, s->dense, height)) return -1;
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(s->dense[i + (size_t)j * (size_t)height]));
        s->weight[i] = most > 0 && isfinite(most) ? 1 / most : 1;
        for (int j = 0; j < n; j++) s->dense[i + (size_t)j * (size_t)height] *= s->weight[i];
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < s->n_kept; i++)
            s->dense[n + i + (size_t)j * (size_t)height] =
                s->kept[i + (size_t)j * (size_t)s->n_kept];
    return 0;
}

/* The step (dF/dy + rate dF/dy') step = -F; its size in nominals or sizes of the unknowns, negative
 * when there is none. */
static double equilibrium_direction(search *s, double rate, double *before)
{
    int n = s->p->n, height = n + s->n_kept;
    double size = 0;
    if (equilibrium_jacobian(s, rate)) return -1;
    *before = equilibrium_residual(s, s->y);
    for (int i = 0; i < n; i++) s->r[i] *= -s->weight[i];
    for (int i = n; i < height; i++) s->r[i] = -s->r[i];
    if (!isfinite(*before) ||
        la_least_norm(height, n, s->dense, s->r, s->step, RANK_TOL, s->work, s->pivots) < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        double nominal = problem_nominal(s->p, i);
        s->step[i] *= nominal;
        size = fmax(size, fabs(s->step[i]) / fmax(nominal, fabs(s->y[i])));
    }
    return size;
}

/* ---- what is conserved ----------------------------------------------------------------------- */

/* Left null vectors w that dF/dy has at the start and at points around it: in w^T F no unknown is
 * left but in w^T dF/dy' y', so that w^T dF/dy' y keeps its value all along a motion. */
static int common_null_vectors(search *s)
{
    int n = s->p->n;
    size_t nn = (size_t)n * (size_t)n;
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < n; i++)
            s->trial[i] =
                s->y[i] +
                (k ? PROBE * sin(k + 2.4 * i) * fmax(problem_nominal(s->p, i), fabs(s->y[i])) : 0);
        if (equilibrium_fill(s, s->trial, 1, 0, s->all + (size_t)k * nn, n)) return 0;
    }
    for (int i = 0; i < n; i++)
        for (size_t j = 0; j < POINTS * (size_t)n; j++) {
            s->all[(size_t)i + j * (size_t)n] *= s->weight[i];
            if (!isfinite(s->all[(size_t)i + j * (size_t)n])) return 0;
        }
    if (la_svd(n, POINTS * n, s->all, s->sigma, s->u, NULL, s->svd_work)) return 0;
    int rank = 0;
    while (rank < n && s->sigma[rank] > KEPT_TOL * s->sigma[0]) rank++;
    return n - rank;
}

static void find_kept(search *s)
{
    int n = s->p->n, found = 0;
    double before;
    if (equilibrium_direction(s, 0, &before) < 0) return;
    int q = common_null_vectors(s);
    if (!q || equilibrium_fill(s, s->y, 0, 1, s->dense, n)) return;
    // Rows of w^T dF/dy', made independent of each other.
    for (int k = n - q; k < n; k++) {
        double *row = s->kept + (size_t)found * (size_t)n, norm = 0, whole = 0;
        for (int j = 0; j < n; j++) {
            row[j] = 0;
            for (int i = 0; i < n; i++)
                row[j] += s->u[i + (size_t)k * (size_t)n] * s->weight[i] *
                          s->dense[i + (size_t)j * (size_t)n];
            whole = hypot(whole, row[j]);
        }
        for (int other = 0; other < 2 * found; other++) {
            const double *b = s->kept + (size_t)(other % found) * (size_t)n;
            double dot = 0;
            for (int j = 0; j < n; j++) dot += b[j] * row[j];
            for (int j = 0; j < n; j++) row[j] -= dot * b[j];
        }
        for (int j = 0; j < n; j++) norm = hypot(norm, row[j]);
        if (!(norm > KEPT_TOL * fmax(whole, DBL_MIN)) || whole < KEPT_TOL) continue;
        for (int j = 0; j < n; j++) row[j] /= norm;
        found++;
    }
    // By columns, as the Jacobian.
    memcpy(s->u, s->kept, (size_t)found * (size_t)n * sizeof *s->u);
    for (int i = 0; i < found; i++)
        for (int j = 0; j < n; j++)
            s->kept[i + (size_t)j * (size_t)found] = s->u[j + (size_t)i * (size_t)n];
    s->n_kept = found;
}

/* ---- the search ------------------------------------------------------------------------------ */

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
    static const newton_verbs verbs = {.correction = equilibrium_correction,
                                       .trial = equilibrium_trial,
                                       .accept = equilibrium_accept};
    newton_course course;
    int rc = newton_iterate(&verbs, s, &newton_for_equilibrium, &course);
    return (!rc || course.stuck) && equilibrium_residual(s, s->y) < SETTLED;
}

/* How far the step moves what is differentiated; of mechanisms, the positions. */
static double equilibrium_stride(const search *s)
{
    const vinc_problem *p = s->p;
    double most = 0;
    for (int i = 0; i < p->n; i++) {
        bool position = p->differential[i] && (!p->velocity || p->velocity[i] >= 0);
        double size = fmax(problem_nominal(p, i), fabs(s->y[i]));
        if (position) most = fmax(most, fabs(s->step[i]) / size);
    }
    return most;
}

/* Kinetic damping (M. R. Barnes, Comput. Struct. 30 (1988) 685-695): a mechanism that begins to slow
 * down has passed a point of rest, and is stopped there. */
static double equilibrium_stop(search *s, double before)
{
    const vinc_problem *p = s->p;
    double speed = 0;
    if (!p->velocity) return 0;
    for (int i = 0; i < p->n; i++)
        if (p->velocity[i] >= 0) {
            int v = p->velocity[i];
            speed = hypot(speed, s->y[v] / problem_nominal(p, v));
        }
    if (speed >= before) return speed;
    for (int i = 0; i < p->n; i++)
        if (p->velocity[i] >= 0) s->y[p->velocity[i]] = 0;
    return 0;
}

/* Pseudo-transient continuation (C. T. Kelley & D. E. Keyes, SIAM J. Numer. Anal. 35 (1998)
 * 508-523): linearly implicit Euler steps that grow, whose damping leads to a stable equilibrium. They
 * are short enough to follow the motion, which keeps the branch on which a mechanism is assembled. */
static void equilibrium_relax(search *s)
{
    double rate = FIRST_RATE, before, speed = 0;
    for (int k = 0; k < RELAXATIONS_MAX && rate < SHORTEST; k++) {
        double size = equilibrium_direction(s, rate, &before);
        if (size < 0) return;
        if (equilibrium_stride(s) > STRIDE || !isfinite(equilibrium_trial(s, 1))) {
            rate *= 2;
            continue;
        }
        equilibrium_accept(s);
        speed = equilibrium_stop(s, speed);
        rate /= GROWTH;
        if (size < STANDS && rate < 1 / FIRST_RATE) return;
    }
}

static void equilibrium_return(search *s)
{
    memcpy(s->y, s->given, (size_t)s->p->n * sizeof *s->y);
    if (s->p->reselect) s->p->reselect(s->p->user, s->t, s->y, s->yp);
}

static bool equilibrium_search(search *s, bool relaxed)
{
    if (!relaxed && equilibrium_newton(s)) return true;
    equilibrium_return(s);
    equilibrium_relax(s);
    memcpy(s->relaxed, s->y, (size_t)s->p->n * sizeof *s->y);
    return equilibrium_newton(s);
}

/* Where the damped motion led: the unknown that it moved most. */
static void equilibrium_moved(search *s, sim_left *left)
{
    const vinc_problem *p = s->p;
    double most = 0;
    *left = (sim_left){.moved = -1, .residual = equilibrium_residual(s, s->y)};
    for (int i = 0; i < p->n; i++) {
        bool position = p->differential[i] && (!p->velocity || p->velocity[i] >= 0);
        double size = fmax(problem_nominal(p, i), fabs(s->given[i]));
        double far = fabs(s->relaxed[i] - s->given[i]) / size;
        if (!position || !(far > most)) continue;
        most = far;
        left->moved = i;
        left->to = s->relaxed[i];
        left->from = s->given[i];
    }
    left->far = most;
}

static int equilibrium_find(search *s, bool relaxed, bool *kept, sim_left *left)
{
    int n = s->p->n;
    for (int i = 0; i < n; i++) s->weight[i] = 1;
    memcpy(s->given, s->y, (size_t)n * sizeof *s->y);
    find_kept(s);
    *kept = true;
    if (equilibrium_search(s, relaxed)) return VINC_OK;
    if (s->n_kept) {
        *kept = false;
        s->n_kept = 0;
        equilibrium_return(s);
        if (equilibrium_search(s, relaxed)) return VINC_OK;
    }
    equilibrium_moved(s, left);
    return VINC_E_NEWTON;
}

int sim_equilibrium(mem *m, const vinc_problem *p, double t, double *y, double *yp, bool relaxed,
                    bool *kept, sim_left *left)
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
        rc = equilibrium_find(&s, relaxed, kept, left);
        problem_jac_done(&s.jac);
    }
    mem_free(m, block, bytes);
    return rc;
}
