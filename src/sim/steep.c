/* Do steps meet the equations?
 *
 * The iterations of a step end where corrections are lost in the tolerance. At a slope without bound, as that of a
 * root at 0, they are so from the first, wherever the solution is: sqrt(x) = time stays at x = 0, and so does an
 * empty tank, der(x) = 1 - sqrt(x). So while the matrix has slopes of that kind the residual is looked at, too. What
 * is left of a row must be no more than what a tolerance of its unknowns, or rounding, makes of it.
 *
 * Where it is more, and the slope is that of a state, the step is made again from a point a tolerance aside, where
 * slopes are those of numbers. Algebraic unknowns are found by the search that leaves such points
 * (run/dependents.c), and the run goes on from there; a step in which they move by more than the tolerance is made
 * again, shorter.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/driver.h"

#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// clang-format off
/*  bound                         quantity                                       source */
static const double
    STEEP                = 10, // slope, times the root of the tolerance         an iteration leaves a tenth of the tolerance w, so s w/10 of the row, and the square of that under a root: w
    STEEP_STATE          = 1e40, // slope of a state                             choice: fast rates reach 1e13 (vdpol), a root below 1e-80 has more
    TOLERANCES_LEFT      = 5,  // of the unknowns, in what is left of a row      choice: steps leave less than one
    ROUNDINGS_LEFT       = 10, // ...                                            choice
    SHORTER              = 0.1, // a step that is made again                     choice
    RESOLUTIONS_MIN      = 1e4; // of time, in a step that is made shorter       choice
enum { LEFT_MOST         = 8 }; // times, at one point                           choice
// clang-format on

/* Slopes from which on each unknown has a steep one, found once, and the least of them. */
double driver_steep_least(driver *d)
{
    if (d->steep_least > 0) return d->steep_least;
    d->steep_least = INFINITY;
    for (int j = 0; j < d->p->n; j++) {
        double by = problem_differential(d->p, j) ? STEEP_STATE : STEEP / sqrt(d->o->rel_tol);
        d->steep_from[j] = by / problem_nominal(d->p, j);
        d->steep_least = fmin(d->steep_least, d->steep_from[j]);
    }
    return d->steep_least;
}

static bool is_steep(const driver *d, int column, double slope)
{
    return fabs(slope) > d->steep_from[column];
}

static bool column_is_steep(const driver *d, int j)
{
    const vinc_pattern *a;
    const double *dy = method_slopes(d->run, &a);
    double from = d->steep_from[j];
    if (!dy || j >= a->n_cols) return false; // the matrix is that of the first block
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
        if (fabs(dy[k]) > from) return true;
    return false;
}

/* Nearly all matrices have no slope as large as that, and are looked at in one go. */
static bool matrix_is_steep(driver *d)
{
    const vinc_pattern *a;
    const double *dy = method_slopes(d->run, &a);
    bool steep = false;
    d->steep_state = false;
    if (!dy || !a->n_cols) return false;
    if (problem_largest(dy, a->start[a->n_cols]) <= driver_steep_least(d)) return false;
    for (int j = 0; j < d->p->n; j++) {
        bool is = column_is_steep(d, j);
        steep = steep || is;
        d->steep_state = d->steep_state || (is && problem_differential(d->p, j));
    }
    return steep;
}

/* ---- what is left ---------------------------------------------------------------------------- */

/* A tolerance of each unknown; not the same part for all, or differences would cancel. */
static double breadth(const driver *d, int i)
{
    return d->o->rel_tol * (1 + 0.5 * (i % 7)) * (fabs(d->run->y[i]) + problem_nominal(d->p, i));
}

/* r: residual at the end of the step; moved: at a point a tolerance away. False: they have no values. A step of
 * nearly no time makes a derivative of a tolerance that covers all: that of a state with such a slope stays. */
static bool look_beside(driver *d, double *r, double *moved)
{
    const method_run *run = d->run;
    vinc_stats uncounted = {0};
    double h = run->t - run->t_old;
    if (problem_residual(d->p, &uncounted, run->t, run->y, run->yp, r)) return false;
    for (int side = 1; side >= -1; side -= 2) {
        for (int i = 0; i < d->p->n; i++) {
            double aside = side * breadth(d, i);
            bool stays = d->steep_state && problem_differential(d->p, i) && column_is_steep(d, i);
            d->y[i] = run->y[i] + aside;
            d->yp[i] = run->yp[i] + (stays ? 0 : aside / h);
        }
        if (!problem_residual(d->p, &uncounted, run->t, d->y, d->yp, moved)) return true;
    }
    return false;
}

/* Rows of which something is left: d->work holds the residual, and 0 for the other rows. */
static bool rows_are_left(driver *d)
{
    enum { LOOKS = 4 };
    int n = d->p->n, left = 0;
    double *r = d->work, *moved = d->work + n, *most = d->work + 2 * n;
    if (!look_beside(d, r, moved)) return false;
    for (int i = 0; i < n; i++) {
        most[i] = TOLERANCES_LEFT * fabs(moved[i] - r[i]);
        left += fabs(r[i]) > most[i];
    }
    size_t bytes = (1 + PROBLEM_NEAR_WORK) * (size_t)n * sizeof(double);
    double *rounding = left ? mem_try(d->m, bytes) : NULL;
    vinc_stats uncounted = {0};
    for (unsigned k = 1; k <= LOOKS && rounding; k++) {
        problem_near here = {d->p, &uncounted, d->run->t, d->run->y, d->run->yp, rounding + n};
        if (problem_rounding(&here, k, rounding)) break;
        for (int i = 0; i < n; i++) most[i] = fmax(most[i], ROUNDINGS_LEFT * fabs(rounding[i]));
    }
    left = 0;
    for (int i = 0; i < n; i++) {
        if (fabs(r[i]) > most[i]) left++;
        else r[i] = 0;
    }
    if (rounding) mem_free(d->m, rounding, bytes);
    return left && rounding;
}

/* ---- what is done about it ------------------------------------------------------------------- */

/* The beginning of the step, a tolerance aside in the states whose slopes are without bound; on the side to which
 * corrections point. False: there are none. */
static bool leave_states(driver *d)
{
    const vinc_pattern *a;
    const double *dy = method_slopes(d->run, &a), *r = d->work;
    bool left = false;
    for (int j = 0; dy && j < a->n_cols; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (!problem_differential(d->p, j) || !is_steep(d, j, dy[k]) || r[a->row[k]] == 0)
                continue;
            d->y_begin[j] -= copysign(breadth(d, j), r[a->row[k]] * dy[k]);
            left = true;
            break;
        }
    return left;
}

/* The end of the step on the equations, in d->y and d->yp, and how far that is, in tolerances. */
static int find_end(driver *d, double *far)
{
    const method_run *run = d->run;
    size_t bytes = (size_t)d->p->n * sizeof *d->y;
    memcpy(d->y, run->y, bytes);
    memcpy(d->yp, run->yp, bytes);
    int rc = sim_consistent_make(&d->roots.onto, run->t, d->y, d->yp, 0);
    *far = 0;
    for (int i = 0; i < d->p->n; i++) *far = fmax(*far, fabs(d->y[i] - run->y[i]) / breadth(d, i));
    return rc;
}

static int again(driver *d, double h)
{
    method_run *run = d->run;
    if (d->n_steep && d->t_steep == d->t_begin && d->n_steep >= LEFT_MOST) {
        text_printf(
            &d->done->message,
            "at t = %.10g an equation has a slope without bound, as that of a root at 0, and "
            "no step leads away from there; a start value that is not 0 may",
            d->t_begin);
        d->done->worst = method_worst(run);
        return VINC_E_NEWTON;
    }
    d->n_steep = d->t_steep == d->t_begin ? d->n_steep + 1 : 1;
    d->t_steep = d->t_begin;
    int rc = method_restart(run, d->t_begin, d->y_begin, d->yp_begin, true, h);
    return rc ? rc : 1;
}

int driver_hold_equations(driver *d, bool new_matrix, bool *off)
{
    method_run *run = d->run;
    double h = run->t - d->t_begin, far;
    *off = false;
    if (d->p->shared || d->o->step > 0) return VINC_OK;
    if (new_matrix) d->steep = matrix_is_steep(d);
    if (!d->steep || method_solves(run) || !rows_are_left(d)) return VINC_OK;
    driver_keep_begin(d);
    if (leave_states(d)) return again(d, 0);
    if (!d->roots.onto.move || find_end(d, &far)) return VINC_OK; // no better point is known
    *off = true;
    if (far <= 1 || h < RESOLUTIONS_MIN * method_h_min(run->t, 0)) return VINC_OK;
    return again(d, SHORTER * h);
}

int driver_go_on_from_equations(driver *d)
{
    double far;
    return find_end(d, &far) ? VINC_OK : driver_restart(d, d->run->t, 0);
}
