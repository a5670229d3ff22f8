/* Damped Newton with the natural monotonicity test.
 *
 * A trial point is good when the correction that the old matrix would make there is shorter than
 * the step itself: a test that does not depend on how equations are scaled or combined. The damping
 * factor is predicted from the curvature seen so far. P. Deuflhard, Newton Methods for Nonlinear
 * Problems, Springer 2004, algorithm NLEQ-ERR (section 3.3.3) and its Gauss-Newton relative (4.4).
 *
 * With more unknowns than equations the end point is then moved along the solutions to the one
 * nearest to the start.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "newton/newton.h"

#include "base/bump.h"
#include "newton/iterate.h"
#include "newton/linear.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct newton {
    mem *m;
    newton_problem p;
    newton_options o;
    linear l;
    double *start, *x_try, *dx, *dx_bar, *found, *r, *r_try;
    /* Differences: columns of one colour together. */
    int n_colors, *color, *mark;
    void *block;
    size_t bytes;
};

static size_t newton_layout(newton *s, void *block)
{
    size_t m = (size_t)s->p.m, n = (size_t)s->p.n;
    bump b = bump_begin(block);
    double **of_n[] = {&s->start, &s->x_try, &s->dx, &s->dx_bar, &s->found};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) *of_n[i] = bump_double(&b, n);
    s->r = bump_double(&b, m);
    s->r_try = bump_double(&b, m);
    s->color = bump_int(&b, n);
    s->mark = bump_int(&b, m);
    return bump_end(&b);
}

newton *newton_new(mem *m, const newton_problem *p, const newton_options *o)
{
    newton *s = mem_try(m, sizeof *s);
    if (!s) return NULL;
    *s = (newton){.m = m, .p = *p};
    if (o) s->o = *o;
    if (!(s->o.tol > 0)) s->o.tol = 1e-12;
    if (s->o.max_iter <= 0) s->o.max_iter = newton_for_systems.iterations;
    s->bytes = newton_layout(s, NULL) + 1;
    s->block = mem_try(m, s->bytes);
    if (!s->block || linear_init(&s->l, m, &s->p, &s->o)) {
        newton_free(s);
        return NULL;
    }
    newton_layout(s, s->block);
    if (!p->jacobian) s->n_colors = problem_color(&s->l.pattern, s->color, s->mark);
    return s;
}

void newton_free(newton *s)
{
    if (!s) return;
    linear_done(&s->l);
    if (s->block) mem_free(s->m, s->block, s->bytes);
    mem_free(s->m, s, sizeof *s);
}

const char *newton_status_text(int status)
{
    switch (status) {
    case NEWTON_OK: return "solved";
    case NEWTON_E_DIVERGED: return "the iteration does not converge";
    case NEWTON_E_SINGULAR: return "the iteration is stuck where the matrix is singular";
    case NEWTON_E_UNDEFINED: return "the equations cannot be evaluated at the start";
    case NEWTON_E_STOPPED: return "stopped by the model";
    case NEWTON_E_INCONSISTENT: return "the equations contradict each other";
    case NEWTON_E_MEMORY: return "not enough memory";
    default: return "unknown status";
    }
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static int newton_residual(newton *s, const double *x, double *r, newton_report *rep)
{
    rep->residual_evals++;
    int status = s->p.residual(s->p.user, x, r);
    if (status) return status;
    return problem_finite(r, s->p.m) ? 0 : 1;
}

static double size_of(const newton *s, const double *x, int j)
{
    return fmax(fabs(x[j]), s->p.nominal ? s->p.nominal[j] : 1);
}

static int newton_differences(newton *s, double *x, newton_report *rep)
{
    const vinc_pattern *a = &s->l.pattern;
    for (int c = 0; c < s->n_colors; c++) {
        memcpy(s->x_try, x, (size_t)s->p.n * sizeof *x);
        for (int j = 0; j < s->p.n; j++) {
            if (s->color[j] != c) continue;
            double d = sqrt(DBL_EPSILON) * size_of(s, x, j);
            if (s->p.max && x[j] + d > s->p.max[j]) d = -d; // stay inside
            s->x_try[j] = x[j] + d;
        }
        int status = newton_residual(s, s->x_try, s->r_try, rep);
        if (status) return status;
        for (int j = 0; j < s->p.n; j++)
            for (int q = a->start[j]; q < a->start[j + 1] && s->color[j] == c; q++)
                s->l.values[q] = (s->r_try[a->row[q]] - s->r[a->row[q]]) / (s->x_try[j] - x[j]);
    }
    return 0;
}

/* Derivatives at x, where the residual is s->r, and their factors. */
static int newton_linearize(newton *s, double *x, newton_report *rep)
{
    rep->jacobian_evals++;
    int status =
        s->p.jacobian ? s->p.jacobian(s->p.user, x, s->l.values) : newton_differences(s, x, rep);
    if (status) return status < 0 ? NEWTON_E_STOPPED : NEWTON_E_UNDEFINED;
    rep->factorizations++;
    if (linear_factor(&s->l)) return NEWTON_E_SINGULAR;
    rep->rank = s->l.rank;
    return NEWTON_OK;
}

/* ---- norms ----------------------------------------------------------------------------------- */

static double step_norm(const newton *s, const double *x, const double *d)
{
    double largest = 0;
    for (int j = 0; j < s->p.n; j++) {
        double e = fabs(d[j]) / size_of(s, x, j);
        if (!(e <= largest)) largest = e;
        if (isnan(e)) return INFINITY;
    }
    return largest;
}

static double residual_norm(const newton *s, const double *r)
{
    double largest = 0;
    for (int i = 0; i < s->p.m; i++) largest = fmax(largest, fabs(r[i]) / s->l.row_scale[i]);
    return largest;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* The few largest positive values among n, largest first; equal ones in their order. */
static int pick(int n, double (*value)(const void *, int), const void *of, int *out)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        double v = value(of, i);
        if (!(v > 0)) continue;
        int at = found;
        while (at > 0 && value(of, out[at - 1]) < v) at--;
        if (at >= NEWTON_NAMED) continue;
        if (found < NEWTON_NAMED) found++;
        for (int k = found - 1; k > at; k--) out[k] = out[k - 1];
        out[at] = i;
    }
    return found;
}

static double scaled_residual(const void *of, int i)
{
    const newton *s = of;
    return fabs(s->r[i]) / s->l.row_scale[i];
}

static double movement(const void *of, int j)
{
    const newton *s = of;
    return fabs(s->x_try[j] - s->start[j]) / (s->p.nominal ? s->p.nominal[j] : 1);
}

static int newton_conclude(newton *s, double *x, int status, newton_report *rep)
{
    rep->status = status;
    for (int k = 0; k < NEWTON_NAMED; k++) rep->worst_residual[k] = rep->moved_most[k] = -1;
    if (!rep->factorizations)
        for (int i = 0; i < s->p.m; i++) s->l.row_scale[i] = 1;
    rep->residual = residual_norm(s, s->r);
    rep->n_residuals = pick(s->p.m, scaled_residual, s, rep->worst_residual);
    for (int k = 0; k < rep->n_residuals; k++)
        rep->worst_residual_value[k] = s->r[rep->worst_residual[k]];
    memcpy(s->x_try, x, (size_t)s->p.n * sizeof *x);
    rep->n_moved = pick(s->p.n, movement, s, rep->moved_most);
    for (int k = 0; k < rep->n_moved; k++) {
        rep->moved_from[k] = s->start[rep->moved_most[k]];
        rep->moved_to[k] = x[rep->moved_most[k]];
    }
    return status;
}

/* ---- the iteration --------------------------------------------------------------------------- */

static void newton_move(const newton *s, const double *x, double damping, double *to)
{
    for (int j = 0; j < s->p.n; j++) {
        double v = x[j] + damping * s->dx[j];
        if (s->p.min && v < s->p.min[j]) v = fmin(s->p.min[j], x[j]);
        if (s->p.max && v > s->p.max[j]) v = fmax(s->p.max[j], x[j]);
        to[j] = v;
    }
}

/* Corrections are small: a solution, unless the residual says otherwise. */
static int newton_judge(newton *s, newton_report *rep)
{
    if (residual_norm(s, s->r) <= newton_for_systems.residual) return NEWTON_OK;
    return rep->rank < s->p.m ? NEWTON_E_INCONSISTENT : NEWTON_E_SINGULAR;
}

/* One damped step from x, whose residual, matrix and step are there. On success x and s->r are
 * those of the new point and *bar is the norm of the simplified correction there. */
static int damped_step(newton *s, double *x, double norm, double *damping, double *bar,
                       newton_report *rep)
{
    for (;;) {
        if (*damping < newton_for_systems.damping) return NEWTON_E_DIVERGED;
        newton_move(s, x, *damping, s->x_try);
        int status = newton_residual(s, s->x_try, s->r_try, rep);
        if (status < 0) return NEWTON_E_STOPPED;
        if (status > 0) { // not defined there: half the way
            *damping *= 0.5;
            continue;
        }
        linear_step(&s->l, s->r_try, s->dx_bar);
        *bar = step_norm(s, x, s->dx_bar);
        double rest = 0; // |dx_bar - (1 - damping) dx|: curvature along the step
        for (int j = 0; j < s->p.n; j++)
            rest = fmax(rest, fabs(s->dx_bar[j] - (1 - *damping) * s->dx[j]) / size_of(s, x, j));
        double best = rest > 0 ? 0.5 * norm * *damping * *damping / rest : 1;
        if (*bar <= (1 - *damping / 4) * norm || *bar <= s->o.tol ||
            (*damping == 1 && norm <= newton_for_systems.round_off)) {
            memcpy(x, s->x_try, (size_t)s->p.n * sizeof *x);
            memcpy(s->r, s->r_try, (size_t)s->p.m * sizeof *s->r);
            return NEWTON_OK;
        }
        *damping = fmin(best, 0.5 * *damping);
    }
}

static int newton_search(newton *s, double *x, newton_report *rep)
{
    double damping = 1, norm_old = 0, bar = 0;
    for (int k = 0; k < s->o.max_iter; k++) {
        int status = newton_linearize(s, x, rep);
        if (status) return k && status == NEWTON_E_UNDEFINED ? NEWTON_E_DIVERGED : status;
        linear_step(&s->l, s->r, s->dx);
        double norm = step_norm(s, x, s->dx);
        if (!(norm < INFINITY)) return NEWTON_E_SINGULAR;
        rep->iterations++;
        if (norm <= s->o.tol) return newton_judge(s, rep);
        if (k) {
            double change = 0;
            for (int j = 0; j < s->p.n; j++)
                change = fmax(change, fabs(s->dx_bar[j] - s->dx[j]) / size_of(s, x, j));
            // At rounding corrections stop shrinking: that is all there is to gain.
            if (damping == 1 && norm <= newton_for_systems.round_off && norm > 0.3 * norm_old)
                return newton_judge(s, rep);
            damping = change > 0 ? fmin(1, norm_old * bar / (change * norm) * damping) : 1;
        }
        norm_old = norm;
        status = damped_step(s, x, norm, &damping, &bar, rep);
        if (status) return status;
        if (damping == 1 && bar <= s->o.tol) return newton_judge(s, rep);
    }
    return NEWTON_E_DIVERGED;
}

/* Among the solutions near x the one nearest to the start: x := start - J^+ (r - J (x - start)). */
static void newton_nearest(newton *s, double *x, newton_report *rep)
{
    const vinc_pattern *a = &s->l.pattern;
    double before = INFINITY;
    for (int k = 0; k < newton_for_systems.nearest; k++) {
        if (newton_linearize(s, x, rep)) return;
        for (int i = 0; i < s->p.m; i++) s->r_try[i] = s->r[i];
        for (int j = 0; j < s->p.n; j++)
            for (int q = a->start[j]; q < a->start[j + 1]; q++)
                s->r_try[a->row[q]] -= s->l.values[q] * (x[j] - s->start[j]);
        linear_step(&s->l, s->r_try, s->dx);
        for (int j = 0; j < s->p.n; j++) s->dx[j] += s->start[j] - x[j];
        double norm = step_norm(s, x, s->dx);
        if (norm <= s->o.tol || !(norm < 0.9 * before)) return;
        before = norm;
        newton_move(s, x, 1, s->x_try);
        if (newton_residual(s, s->x_try, s->r_try, rep)) return;
        if (residual_norm(s, s->r_try) > 0.1) return; // too curved for a full step
        memcpy(x, s->x_try, (size_t)s->p.n * sizeof *x);
        memcpy(s->r, s->r_try, (size_t)s->p.m * sizeof *s->r);
    }
}

static int solve_from(newton *s, double *x, newton_report *rep)
{
    int status = newton_residual(s, x, s->r, rep);
    if (status) {
        for (int i = 0; i < s->p.m; i++) s->r[i] = 0;
        return status < 0 ? NEWTON_E_STOPPED : NEWTON_E_UNDEFINED;
    }
    status = newton_search(s, x, rep);
    if (status || s->l.mode == LINEAR_LU) return status;
    // Move towards the start, then make sure that it is still a solution.
    memcpy(s->found, x, (size_t)s->p.n * sizeof *x);
    newton_nearest(s, x, rep);
    status = newton_search(s, x, rep);
    if (!status) return NEWTON_OK;
    memcpy(x, s->found, (size_t)s->p.n * sizeof *x);
    return newton_residual(s, x, s->r, rep) ? NEWTON_E_DIVERGED : NEWTON_OK;
}

int newton_solve(newton *s, double *x, newton_report *report)
{
    *report = (newton_report){0};
    memcpy(s->start, x, (size_t)s->p.n * sizeof *x);
    return newton_conclude(s, x, solve_from(s, x, report), report);
}
