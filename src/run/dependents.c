/* Everything from the independent components: solve F(t, y, y') = 0 for y' of the states, the
 * algebraic components and those that constraints make dependent.
 *
 * Damped Newton on one sparse system with the pattern of the Jacobian: the column of a state holds
 * dF/dy', that of any other component dF/dy. A row P (y' - v) = 0 is replaced by P (y - y0) = 0:
 * the independent combinations keep their values. So the same matrix serves for consistent y', for
 * explicit methods and after events.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "newton/iterate.h"
#include "problem/problem.h"
#include "run/event.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    UNKNOWNS_LARGE = 600, // unknowns from which on factors are kept while they serve at all
    MISSED_MOST = 4       // rows in succession that count: eight are then passed
};
/* Times what a row may be off, a ten-thousandth of the tolerance: a correction that small, and no smaller
 * than the last one, is rounding that ill-conditioned equations magnify. A tenth of the tolerance. */
static const double ROW_ROUND_OFF = 1e3;
/* Slopes, for unknowns of their nominal size, from which on the residual is looked at, too: what a correction of
 * 1e-13 leaves is then 1e-5 and more, and the square of that is what a root is off. */
static const double STEEP = 1e8;
// Rounding may be so much larger at one row than at others before: choice.
static const double NOISE_LARGER = 4;

void dependent_layout(run_dependents *x, const code_model *m, bump *b)
{
    size_t n = (size_t)m->n, nnz = (size_t)m->system.jac.nnz;
    double **values[] = {&x->dy, &x->dyp, &x->matrix, &x->of_factors};
    for (int k = 0; k < 4; k++) *values[k] = bump_double(b, nnz);
    double **vectors[] = {&x->r, &x->delta, &x->trial, &x->y, &x->yp, &x->held, &x->noise};
    for (int k = 0; k < 7; k++) *vectors[k] = bump_double(b, n);
    x->next = bump_double(b, (size_t)m->choice.next.n_out);
    x->rounding = bump_double(b, (1 + PROBLEM_NEAR_WORK) * n);
}

void dependent_free(run_dependents *x)
{
    la_free(x->la);
}

static run_dependents *dependent_aside(run_state *s)
{
    bump measured = bump_begin(NULL);
    run_dependents unused;
    dependent_layout(&unused, s->model, &measured);
    size_t own = (sizeof unused + 63) / 64 * 64;
    s->aside_bytes = own + bump_end(&measured);
    run_dependents *x = mem_try(s->m, s->aside_bytes);
    if (!x) return NULL;
    *x = (run_dependents){0};
    bump b = bump_begin((char *)x + own);
    dependent_layout(x, s->model, &b);
    return x;
}

int run_look(run_state *s)
{
    if (!s->aside) s->aside = dependent_aside(s);
    if (!s->aside) return VINC_E_MEMORY;
    run_dependents own = s->dependents;
    s->dependents = *s->aside;
    *s->aside = own;
    s->layers.aside = !s->layers.aside;
    return VINC_OK;
}

void dependent_free_aside(run_state *s)
{
    if (!s->aside) return;
    dependent_free(s->aside);
    mem_free(s->m, s->aside, s->aside_bytes);
}

static int dependent_prepare(run_state *s)
{
    run_dependents *d = &s->dependents;
    if (d->la) return 0;
    la_config config = {.n = s->model->n,
                        .pattern = &s->model->system.jac,
                        .work = &s->beside,
                        .forgiving = code_has_events(&s->model->events)};
    return la_new(s->m, &config, &d->la) ? VINC_E_MEMORY : 0;
}

/* y - y0 + G^T mu for the rows of a group that is tied, where they have y' - v + G^T mu. */
static void tied_rows(run_state *s, double t, const double *y, const double *yp, double *r)
{
    run_dependents *d = &s->dependents;
    const image_formulation *f = &s->model->formulation;
    run_eval(s, &s->model->choice.next, t, y, yp, d->next, NULL);
    for (int g = 0, k = 0; g < f->n_groups; k += f->groups[g++].n_columns) {
        const image_group *q = &f->groups[g];
        for (int j = 0; q->tied && j < q->n_columns; j++) {
            int c = q->columns[j];
            r[q->rows[j]] += y[c] - d->held[c] - (yp[c] - d->next[k + j]);
        }
    }
}

/* r := residual of the system above. */
static int dependent_evaluate(run_state *s, double t, const double *y, const double *yp, double *r)
{
    run_dependents *d = &s->dependents;
    const code_model *m = s->model;
    int rc = s->problem.residual(s, t, y, yp, r);
    s->beside += s->problem.work_residual;
    const image_formulation *f = &m->formulation;
    bool tied = false;
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
        tied = tied || q->tied;
        for (int i = 0; !q->tied && i < q->n_columns - q->n_constraints; i++) {
            double sum = 0;
            for (int j = 0; j < q->n_columns; j++)
                sum +=
                    s->w[q->w + i * q->n_columns + j] * (y[q->columns[j]] - d->held[q->columns[j]]);
            r[q->rows[i]] = sum;
        }
    }
    if (tied) tied_rows(s, t, y, yp, r);
    return rc;
}

static int matrix_at(run_state *s, double t, const double *y, const double *yp)
{
    run_dependents *d = &s->dependents;
    const code_system *m = &s->model->system;
    int rc = s->problem.jacobian(s, t, y, yp, d->dy, d->dyp);
    s->beside += s->problem.work_jacobian;
    if (rc) return rc;
    const int *row = m->jac.row;
    const double *dy = d->dy, *dyp = d->dyp;
    double *matrix = d->matrix;
    for (int j = 0; j < s->model->n; j++) {
        int role = m->role[j];
        const double *own = role == CODE_STATE ? dyp : dy;
        const double *selected = role == CODE_SELECTED ? dyp : role == CODE_TIE ? dy : NULL;
        for (int k = m->jac.start[j], end = m->jac.start[j + 1]; k < end; k++)
            matrix[k] = !m->selecting[row[k]] ? own[k] : selected ? selected[k] : 0;
    }
    return 0;
}

const double *run_dependent_matrix(run_state *s, double t, const double *y, const double *yp)
{
    run_dependents *d = &s->dependents;
    return matrix_at(s, t, y, yp) ? NULL : d->matrix;
}

/* Of the matrix: has the column of an algebraic unknown a slope as large as that? */
static inline bool entry_is_steep(const run_state *s, int column, int entry)
{
    return s->model->system.role[column] == CODE_ALGEBRAIC &&
           fabs(s->dependents.matrix[entry]) * s->nominal[column] > STEEP;
}

static bool is_steep(const run_state *s, int column)
{
    const vinc_pattern *a = &s->model->system.jac;
    if (s->model->system.role[column] != CODE_ALGEBRAIC) return false;
    for (int k = a->start[column]; k < a->start[column + 1]; k++)
        if (entry_is_steep(s, column, k)) return true;
    return false;
}

static int assemble(run_state *s, double t, const double *y, const double *yp)
{
    run_dependents *d = &s->dependents;
    size_t bytes = (size_t)s->model->system.jac.nnz * sizeof *d->matrix;
    int rc = matrix_at(s, t, y, yp);
    if (rc) return rc;
    // Linear equations have the same matrix until an event, and often after it.
    bool same = d->factored && memcmp(d->matrix, d->of_factors, bytes) == 0;
    if (!same || !d->near) d->seen.contraction = 0;
    if (!d->near) d->curvature = 0;
    d->near = true;
    if (same) return 0;
    d->factored = la_factor(d->la, d->matrix, NULL, 0, 0) == LA_OK;
    d->steep = false;
    for (int j = 0; j < s->model->n && !d->steep; j++) d->steep = is_steep(s, j);
    memcpy(d->of_factors, d->matrix, bytes);
    return d->factored ? 0 : 1;
}

/* At rows, a correction that is no more than others that were rounding there is none: a derivative of
 * 1e-3 that is the difference of flows of 1e6 has few digits, and others would be looked for in vain at
 * each of a thousand rows. */
static double scaled_size(const run_state *s, const double *dx, const double *y, const double *yp)
{
    const run_dependents *d = &s->dependents;
    bool noisy = d->noisy && s->within > 0;
    double most = 0;
    for (int i = 0; i < s->model->n; i++) {
        if (noisy && fabs(dx[i]) <= NOISE_LARGER * d->noise[i]) continue;
        double x = s->model->system.role[i] == CODE_STATE ? yp[i] : y[i];
        double size = fabs(dx[i]) / (fabs(x) + s->nominal[i]);
        if (!(size <= most)) most = size; // NaN counts as large
    }
    return most;
}

static void dependent_move(const run_state *s, double factor, const double *dx, const double *y,
                           const double *yp, double *y_new, double *yp_new)
{
    for (int i = 0; i < s->model->n; i++) {
        bool state = s->model->system.role[i] == CODE_STATE;
        y_new[i] = y[i] - (state ? 0 : factor * dx[i]);
        yp_new[i] = yp[i] - (state ? factor * dx[i] : 0);
    }
}

/* One search, from y and y'. The residual at the point is d->r. */
typedef struct search {
    run_state *s;
    run_dependents *d;
    double t, *y, *yp;
    double *delta, *trial; // the present correction, the next one with the same matrix
    double next;           // the size of that
    int rc;                // of what failed
    bool stale;            // d->r is not the residual at the point
    bool doubtful;         // content with what rounding may have made of the unknowns
    int by_old;            // corrections by old factors
} search;

static double search_correction(void *user, bool anew, double *measure)
{
    search *x = user;
    run_dependents *d = x->d;
    if (!anew) { // it has been found with the trial
        double *next = x->trial;
        x->trial = x->delta;
        x->delta = next;
        return x->next;
    }
    if (x->stale) dependent_evaluate(x->s, x->t, x->y, x->yp, d->r);
    x->stale = false;
    x->rc = assemble(x->s, x->t, x->y, x->yp);
    if (x->rc) return -1;
    memcpy(x->delta, d->r, (size_t)x->s->model->n * sizeof *d->r);
    la_solve(d->la, x->delta);
    return *measure = scaled_size(x->s, x->delta, x->y, x->yp);
}

/* Natural monotonicity: the next correction with the same matrix must be smaller. */
static double search_trial(void *user, double factor)
{
    search *x = user;
    run_dependents *d = x->d;
    dependent_move(x->s, factor, x->delta, x->y, x->yp, d->y, d->yp);
    int rc = dependent_evaluate(x->s, x->t, d->y, d->yp, d->r);
    x->stale = rc != 0;
    if (rc < 0) x->rc = rc;
    if (rc) return rc < 0 ? NAN : INFINITY;
    memcpy(x->trial, d->r, (size_t)x->s->model->n * sizeof *d->r);
    la_solve(d->la, x->trial);
    x->next = scaled_size(x->s, x->trial, d->y, d->yp);
    return isfinite(x->next) ? x->next : DBL_MAX; // defined, but no good
}

static bool search_accept(void *user)
{
    search *x = user;
    size_t bytes = (size_t)x->s->model->n * sizeof *x->y;
    memcpy(x->y, x->d->y, bytes);
    memcpy(x->yp, x->d->yp, bytes);
    return true;
}

/* Is the point as good as rounding lets it be? Its residual is then that of a matrix that differs by
 * roundings, element by element (W. Oettli and W. Prager, Numer. Math. 6 (1964) 405-409). A derivative
 * that passes through zero is known only to the rounding of what it is the difference of, and no
 * correction gets smaller than that. */
static bool residual_is_rounding(search *x)
{
    const double ROUNDINGS = 64 * DBL_EPSILON; // of the sums in a row
    run_state *s = x->s;
    run_dependents *d = x->d;
    const code_system *m = &s->model->system;
    double *size = d->rounding;
    if (dependent_evaluate(s, x->t, x->y, x->yp, d->r) || matrix_at(s, x->t, x->y, x->yp))
        return false;
    memset(size, 0, (size_t)s->model->n * sizeof *size);
    for (int j = 0; j < s->model->n; j++)
        for (int k = m->jac.start[j]; k < m->jac.start[j + 1]; k++)
            size[m->jac.row[k]] += fabs(d->dy[k] * x->y[j]) + fabs(d->dyp[k] * x->yp[j]);
    for (int i = 0; i < s->model->n; i++)
        if (!(fabs(d->r[i]) <= ROUNDINGS * size[i])) return false;
    return true;
}

/* What rounding may make of the unknowns, by the factors that there are; NULL: not to be had. */
static const double *rounding_sample(search *x, unsigned k)
{
    run_state *s = x->s;
    vinc_stats uncounted = {0};
    double *r = x->d->rounding;
    problem_near here = {&s->problem, &uncounted, x->t, x->y, x->yp, r + s->model->n};
    if (problem_rounding(&here, k, r)) return NULL;
    for (int i = 0; i < s->model->n; i++)
        if (s->model->system.selecting[i]) r[i] = 0;
    la_solve(x->d->la, r);
    return r;
}

/* Is the last correction no more than that? */
static bool correction_is_rounding(search *x)
{
    enum { LOOKS = 32 };
    const double ROUNDINGS_LEFT = 10; // choice
    double size = scaled_size(x->s, x->delta, x->y, x->yp);
    for (unsigned k = 1; k <= LOOKS; k++) {
        const double *r = rounding_sample(x, k);
        if (!r) return false;
        if (size <= ROUNDINGS_LEFT * scaled_size(x->s, r, x->y, x->yp)) return true;
    }
    return false;
}

static void note_noise(search *x, const double *of)
{
    run_dependents *d = x->d;
    for (int i = 0; i < x->s->model->n; i++)
        d->noise[i] = fmax(d->noisy ? d->noise[i] : 0, fabs(of[i]));
    d->noisy = true;
}

/* Corrections at a row that shrank and do so no longer: where some unknowns are as good as rounding lets
 * them be, others are still to be found. A dozen evaluations, so at fewer and fewer rows. */
static bool learn_noise(search *x)
{
    enum { SAMPLES = 2, ROWS_MOST = 256 };
    run_dependents *d = x->d;
    if (d->learn_in > 0) return false;
    d->learn_after = d->learn_after ? 2 * d->learn_after : 1;
    if (d->learn_after > ROWS_MOST) d->learn_after = ROWS_MOST;
    d->learn_in = d->learn_after;
    for (unsigned k = 1; k <= SAMPLES; k++) {
        const double *r = rounding_sample(x, k);
        if (!r || !problem_finite(r, x->s->model->n)) return false;
        note_noise(x, r);
    }
    return true;
}

static bool search_is_rounding(search *x)
{
    bool rounding = residual_is_rounding(x);
    if (rounding && x->s->within > 0) note_noise(x, x->delta);
    return rounding;
}

/* Corrections do not shrink: can they? */
static bool search_exhausted(void *user)
{
    search *x = user;
    return search_is_rounding(x) || (x->doubtful && correction_is_rounding(x));
}

static double search_old_correction(void *user)
{
    search *x = user;
    x->by_old++;
    memcpy(x->delta, x->d->r, (size_t)x->s->model->n * sizeof *x->d->r);
    la_solve(x->d->la, x->delta);
    return scaled_size(x->s, x->delta, x->y, x->yp);
}

static bool search_old_take(void *user, bool last)
{
    search *x = user;
    dependent_move(x->s, 1, x->delta, x->y, x->yp, x->d->y, x->d->yp);
    x->stale = !last && dependent_evaluate(x->s, x->t, x->d->y, x->d->yp, x->d->r);
    return !x->stale && search_accept(x);
}

/* What old factors, or those of the point itself, have to show. */
static newton_reuse search_reuse(const search *x)
{
    newton_reuse reuse = newton_old_for_dependents;
    reuse.enough = fmax(reuse.enough, x->s->within);
    // Polynomials of slopes, far from those in size, are good enough.
    if (x->s->within > 0) reuse.near = INFINITY;
    return reuse;
}

/* By the factors of a point that was near: rows of results and stages follow each other closely. Where
 * rows are so far apart that they did not serve again and again, they are tried at fewer and fewer. */
static bool search_by_old(search *x)
{
    newton_reuse old = search_reuse(x);
    run_dependents *d = x->d;
    newton_seen unseen = {0}; // near singular positions it is another one at every point
    bool row = x->s->within > 0;
    if (!d->factored || !d->near) return false;
    if (row && d->skip > 0) {
        d->skip--;
        return false;
    }
    if (x->s->model->n >= UNKNOWNS_LARGE) old.most = INFINITY;
    newton_seen *seen = row ? &d->seen : &unseen;
    bool served = newton_follow(x, search_old_correction, search_old_take, &old, seen);
    if (!row) return served;
    if (d->learn_in > 0) d->learn_in--;
    if (!served && !x->stale && x->by_old > 2 && learn_noise(x))
        served = newton_follow(x, search_old_correction, search_old_take, &old, seen);
    d->missed = served ? 0 : d->missed < MISSED_MOST ? d->missed + 1 : MISSED_MOST;
    d->skip = d->missed > 1 ? 1 << (d->missed - 1) : 0;
    return served;
}

/* By factors of the point itself, which is near: one correction or two. Rows only: at events a point may look near that
 * is on its way to another solution (RobotR3.FullRobot of the standard library, at its start). */
static bool search_by_new(search *x)
{
    newton_reuse fresh = search_reuse(x);
    if (x->stale && dependent_evaluate(x->s, x->t, x->y, x->yp, x->d->r)) return false;
    x->stale = false;
    if (assemble(x->s, x->t, x->y, x->yp)) return false;
    return newton_follow_new(x, search_old_correction, search_old_take, &fresh, &x->d->curvature);
}

/* ---- slopes without bound -------------------------------------------------------------------- */

/* Where a slope is without bound (a root at 0) corrections vanish, wherever the solution is. What is left of a row
 * must be no more than what a hair's breadth of its unknowns, or rounding, makes of it: the first row of which
 * more is left, or -1. */
static int row_left(search *x)
{
    const double HAIR = 1e-13, TIMES = 10; // as exact as corrections are; choice
    run_state *s = x->s;
    run_dependents *d = x->d;
    double *r = d->trial, *moved = d->delta;
    int n = s->model->n, row = -1, rc = 1;
    if (dependent_evaluate(s, x->t, x->y, x->yp, r)) return -1;
    for (int side = 1; side >= -1 && rc; side -= 2) { // it may have a value at one side alone
        for (int j = 0; j < n; j++) {
            bool state = s->model->system.role[j] == CODE_STATE;
            double part = HAIR * side * (1 + 0.5 * (j % 7)); // not the same for all
            d->y[j] = x->y[j] + (state ? 0 : part * (fabs(x->y[j]) + s->nominal[j]));
            d->yp[j] = x->yp[j] + (state ? part * (fabs(x->yp[j]) + s->nominal[j]) : 0);
        }
        rc = dependent_evaluate(s, x->t, d->y, d->yp, moved);
    }
    for (int i = 0; i < n && !rc && row < 0; i++)
        if (fabs(r[i]) > TIMES * fabs(moved[i] - r[i])) row = i;
    return row >= 0 && residual_is_rounding(x) ? -1 : row;
}

/* To where the slopes of the row are those of numbers, on the side to which corrections point. */
static bool leave_steep_point(search *x, int row)
{
    const double ASIDE = 1e-6; // of the nominal: choice
    run_state *s = x->s;
    const vinc_pattern *a = &s->model->system.jac;
    bool left = false;
    if (dependent_evaluate(s, x->t, x->y, x->yp, x->d->r) || matrix_at(s, x->t, x->y, x->yp))
        return false;
    for (int j = 0; j < s->model->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (a->row[k] != row || !entry_is_steep(s, j, k)) continue;
            x->y[j] -= copysign(ASIDE * s->nominal[j], x->d->r[row] * x->d->matrix[k]);
            left = true;
        }
    return left;
}

/* damped: the usual search, with old factors first. Not damped: full steps, which cross the kinks of
 * piecewise linear equations where a damped search gets stuck in front of them. */
static int dependent_search(search *from, bool damped, bool by_old)
{
    static const newton_verbs verbs = {search_correction, search_trial, search_accept,
                                       search_exhausted};
    search x = *from;
    run_state *s = x.s;
    bool doubtful = x.doubtful;
    x.delta = x.d->delta;
    x.trial = x.d->trial;
    newton_policy policy =
        s->problem.regularity ? newton_for_dependents_near_singular : newton_for_dependents;
    newton_course course;
    int rc = dependent_evaluate(s, x.t, x.y, x.yp, x.d->r);
    if (rc) return rc;
    if (by_old && (search_by_old(&x) || (s->within > 0 && search_by_new(&x)))) return 0;
    if (!damped) policy.tiny = INFINITY;
    // A row is looked for from one point alone, which is near: what is rounding there is enough.
    if (!doubtful && !(s->within > 0)) policy.doubtful = 0;
    policy.enough = s->within;
    policy.round_off = fmax(policy.round_off, ROW_ROUND_OFF * s->within);
    if (!newton_iterate(&verbs, &x, &policy, &course)) return 0;
    if (!x.rc && search_is_rounding(&x)) return 0;
    return x.rc ? x.rc : 1;
}

static int dependent_iterate(run_state *s, double t, double *y, double *yp, bool damped,
                             bool doubtful)
{
    enum { STEEP_POINTS = 3 }; // left in one search
    search x = {.s = s, .d = &s->dependents, .t = t, .y = y, .yp = yp, .doubtful = doubtful};
    int rc = dependent_search(&x, damped, damped);
    for (int k = 0; !rc && x.d->steep; k++) {
        int row = row_left(&x);
        if (row < 0) return 0;
        if (k == STEEP_POINTS || !leave_steep_point(&x, row)) return 1;
        rc = dependent_search(&x, true, false);
    }
    return rc;
}

/* Where to look next when a search has failed: from the point given, in full steps; then, because
 * the branch may have ended there (a trigger that flips), from the opposite values of the algebraic
 * unknowns, near and far (where a branch folds, its mirror image may fold as well), from zero, from
 * their start values. Last, from the point given again, content with what rounding may have made of the
 * unknowns: near the end of a branch that says little, and another branch is found before. */
enum { SEARCHES = 7, SEARCHES_NEAR = 2 };

static void begin_at(const run_state *s, int attempt, double *y, double *yp)
{
    const run_dependents *d = &s->dependents;
    const code_model *m = s->model;
    memcpy(y, d->held, (size_t)m->n * sizeof *y);
    for (int i = 0; i < m->n; i++) {
        if (m->system.role[i] != CODE_STATE || !isfinite(yp[i]) || attempt) yp[i] = 0;
        if (m->system.role[i] == CODE_TIE) y[i] = 0;
        if (m->system.role[i] != CODE_ALGEBRAIC || attempt < 2) continue;
        int e = m->formulation.unknowns[i].entry;
        if (attempt <= 3) y[i] *= attempt == 2 ? -1 : -2;
        else y[i] = attempt == 4 || e < 0 ? 0 : s->attributes.start[e];
    }
}

void run_search_near(run_state *s, bool near)
{
    s->near = near;
}

int run_solve_dependent(run_state *s, double t, double *y, double *yp)
{
    run_dependents *d = &s->dependents;
    const code_model *m = s->model;
    if (!m->n) return 0;
    int rc = dependent_prepare(s);
    if (rc) return rc;
    memcpy(d->held, y, (size_t)m->n * sizeof *y);
    int searches = s->within > 0 ? 1 // an interpolated point is near
                   : s->near     ? SEARCHES_NEAR
                                 : SEARCHES;
    for (int k = 0; k < searches; k++) {
        bool last = k == SEARCHES - 1;
        begin_at(s, last ? 0 : k, y, yp);
        rc = dependent_iterate(s, t, y, yp, k == 0 || last, last);
        // Far from where it was there are other solutions, and some that the model says are none.
        if (!rc && k && !last && !event_holds(s, t, y, yp)) rc = 1;
        if (rc <= 0) break;
    }
    if (rc) return rc;
    if (m->choice.next.code) {
        for (int g = 0; g < m->formulation.n_groups; g++) {
            const image_group *q = &m->formulation.groups[g];
            if (q->tied) memset(y + q->multiplier, 0, (size_t)q->n_constraints * sizeof *y);
        }
        run_eval(s, &m->choice.next, t, y, yp, d->next, NULL);
        for (int k = 0; k < m->choice.next.n_out; k++) yp[m->choice.next_of[k]] = d->next[k];
    }
    return 0;
}
