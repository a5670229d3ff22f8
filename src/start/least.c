/* Constrained least change. The columns that do not count are projected out by a QR factorisation,
 * the rest is a least-norm problem (Å. Björck, Numerical Methods for Least Squares Problems, SIAM
 * 1996, section 5.1: the null space method, with the roles of rows and columns exchanged).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "start/least.h"

#include "base/bump.h"
#include "la/dense.h"
#include "newton/iterate.h"
#include "problem/problem.h"
#include "start/least_sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DISTANCE_ASIDE = 0.1; // of the size of an unknown: where else to begin

typedef struct least {
    mem *mm;
    const least_problem *p;
    int m, n, n_a, n_s; // rows, unknowns, free columns A, counted columns S
    int *a, *s;         // their indices
    double *z0, *z_new, *dz, *r, *r_new, *row_scale;
    double *b, *delta, *alpha, *copy, *room;
    /* The Jacobian: entries by columns, rows ascending; and scaled, so that a change of 1 counts 1. */
    const int *start, *row;
    double *jac, *scaled;
    /* ... scaled, as dense matrices, and room for one more: made when they are first needed. */
    double *ja, *js, *projected;
    size_t dense_bytes;
    la_qr qr;
    double *work;
    int *iwork;
    double *z; // of the iteration under way
    least_report *report;
    int failure; // why it ended
} least;

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t least_layout(least *x, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)x->m, n = (size_t)x->n;
    bool full = !x->p->pattern;
    size_t nnz = full ? m * n : (size_t)x->p->pattern->nnz;
    x->a = bump_int(&b, n);
    x->s = bump_int(&b, n);
    x->z0 = bump_double(&b, n);
    x->z_new = bump_double(&b, n);
    x->dz = bump_double(&b, n);
    x->r = bump_double(&b, m);
    x->r_new = bump_double(&b, m);
    x->row_scale = bump_double(&b, m);
    x->jac = bump_double(&b, nnz);
    x->scaled = bump_double(&b, nnz);
    x->room = bump_double(&b, 2 * m + n);
    x->b = bump_double(&b, m);
    x->copy = bump_double(&b, m);
    x->delta = bump_double(&b, n);
    x->alpha = bump_double(&b, n);
    x->qr.tau = bump_double(&b, m < n ? m : n);
    x->qr.perm = bump_int(&b, n);
    x->qr.work = bump_double(&b, la_qr_work(x->m, x->n));
    x->work = bump_double(&b, la_least_norm_work(x->m, x->n));
    x->iwork = bump_int(&b, n);
    int *start = bump_int(&b, full ? n + 1 : 0), *row = bump_int(&b, full ? nnz : 0);
    x->start = full ? start : x->p->pattern->start;
    x->row = full ? row : x->p->pattern->row;
    for (size_t j = 0; block && full && j <= n; j++) start[j] = (int)(j * m);
    for (size_t e = 0; block && full && e < nnz; e++) row[e] = (int)(e % m);
    return bump_end(&b);
}

static bool dense_open(least *x)
{
    size_t m = (size_t)x->m, n = (size_t)x->n;
    if (x->ja) return true;
    x->dense_bytes = 3 * m * n * sizeof *x->ja + 1;
    x->ja = mem_try(x->mm, x->dense_bytes);
    if (!x->ja) return false;
    x->js = x->ja + m * n;
    x->projected = x->js + m * n;
    return true;
}

static void dense_close(least *x)
{
    if (x->ja) mem_free(x->mm, x->ja, x->dense_bytes);
    x->ja = NULL;
}

/* Rows scaled by what a change of one nominal of any unknown does to them; with z, of the size that
 * it has there. */
static void least_scale_rows(least *x, const double *z)
{
    double *most = x->row_scale;
    for (int i = 0; i < x->m; i++) most[i] = 0;
    for (int j = 0; j < x->n; j++) {
        double size = x->p->nominal[j] + (z ? fabs(z[j]) : 0);
        for (int e = x->start[j]; e < x->start[j + 1]; e++)
            most[x->row[e]] = fmax(most[x->row[e]], problem_term(x->jac[e], size));
    }
    for (int i = 0; i < x->m; i++)
        if (!(most[i] > 0)) most[i] = 1;
}

static double norm_of(const least *x, const double *r)
{
    double sum = 0;
    for (int i = 0; i < x->m; i++) sum += r[i] / x->row_scale[i] * (r[i] / x->row_scale[i]);
    return sqrt(sum);
}

static double least_size(const least *x, const double *r, int *worst)
{
    double most = 0;
    for (int i = 0; i < x->m; i++) {
        double s = fabs(r[i]) / x->row_scale[i];
        if (s > most || isnan(s)) {
            most = isnan(s) ? INFINITY : s;
            if (worst) *worst = i;
        }
    }
    return most;
}

/* Columns for u = L^T delta in place of delta: J L^-T. */
static void to_metric(least *x)
{
    const double *L = x->p->metric;
    int m = x->m, n = x->n_s;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) {
            double sum = x->js[i + k * m];
            for (int q = 0; q < k; q++) sum -= L[k + q * n] * x->js[i + q * m];
            x->js[i + k * m] = sum / L[k + k * n];
        }
}

static void from_metric(least *x)
{
    const double *L = x->p->metric;
    int n = x->n_s;
    for (int k = n - 1; k >= 0; k--) {
        for (int q = k + 1; q < n; q++) x->delta[k] -= L[q + k * n] * x->delta[q];
        x->delta[k] /= L[k + k * n];
    }
}

/* Delta and alpha by projection: what of the rows the free unknowns cannot meet is met by the least
 * delta. */
static int dense_step(least *x, least_report *report)
{
    int m = x->m;
    // Project the free columns out.
    int rank = 0;
    if (x->n_a) {
        x->qr.m = m;
        x->qr.n = x->n_a;
        x->qr.a = x->ja;
        rank = la_qr_factor(&x->qr, 0);
        if (rank < 0) return LEAST_UNDEFINED;
    }
    memcpy(x->copy, x->b, (size_t)m * sizeof *x->b);
    if (x->n_a) la_qr_apply_q(&x->qr, x->copy, true);
    int left = m - rank;
    report->rank = rank;
    memset(x->delta, 0, (size_t)x->n * sizeof *x->delta);
    double *jac = x->projected;
    if (left > 0 && x->n_s) {
        for (int k = 0; k < x->n_s; k++) {
            memcpy(x->r_new, x->js + (size_t)k * (size_t)m, (size_t)m * sizeof *x->r_new);
            if (x->n_a) la_qr_apply_q(&x->qr, x->r_new, true);
            memcpy(jac + (size_t)k * (size_t)left, x->r_new + rank, (size_t)left * sizeof *jac);
        }
        int more = la_least_norm(left, x->n_s, jac, x->copy + rank, x->delta, 0, x->work, x->iwork);
        if (more < 0) return LEAST_UNDEFINED;
        report->rank += more;
    }
    // The free unknowns take up what is left.
    for (int i = 0; i < m; i++) {
        double sum = x->b[i];
        for (int k = 0; k < x->n_s; k++) sum -= x->js[i + k * m] * x->delta[k];
        x->copy[i] = sum;
    }
    if (x->n_a) la_qr_solve(&x->qr, x->copy, x->alpha);
    report->n_undetermined = x->n_a - rank;
    return LEAST_OK;
}

/* Of columns that are scaled in place: as a dense matrix. */
static void take_columns(const least *x, const int *cols, int n, double *a)
{
    size_t m = (size_t)x->m;
    memset(a, 0, m * (size_t)n * sizeof *a);
    for (int k = 0; k < n; k++)
        for (int e = x->start[cols[k]]; e < x->start[cols[k] + 1]; e++)
            a[(size_t)k * m + (size_t)x->row[e]] = x->scaled[e];
}

/* Entries of columns that may move, which are not zero. */
static size_t moving_entries(const least *x)
{
    size_t count = 0;
    for (int j = 0; j < x->n; j++)
        for (int e = x->start[j]; e < x->start[j + 1] && !x->p->fixed[j]; e++)
            count += x->jac[e] != 0;
    return count;
}

/* Delta and alpha. What is large and sparse is not made dense. */
static int solve_linear(least *x, least_report *report)
{
    const least_problem *p = x->p;
    if (!p->metric && least_is_sparse(x->m, x->n_s + x->n_a, moving_entries(x))) {
        least_linear linear = {x->m, x->n_a, x->n_s, x->a, x->s, x->start, x->row, x->scaled, x->b};
        if (least_sparse_step(x->mm, &linear, x->delta, x->alpha)) return LEAST_OK;
        if (least_is_sparse(x->m, x->n_s + x->n_a, SIZE_MAX)) return LEAST_DIVERGED;
    }
    if (!dense_open(x)) return LEAST_MEMORY;
    take_columns(x, x->s, x->n_s, x->js);
    take_columns(x, x->a, x->n_a, x->ja);
    if (p->metric) to_metric(x);
    return dense_step(x, report);
}

/* The step from z: delta to z0 + delta in the counted, alpha in the free unknowns. */
static int step(least *x, const double *z, least_report *report)
{
    const least_problem *p = x->p;
    for (int i = 0; i < x->m; i++) x->b[i] = -x->r[i] / x->row_scale[i];
    for (int j = 0; j < x->n; j++) { // a change of 1 counts 1
        bool counts = p->weight[j] > 0;
        double w = !counts ? p->nominal[j] : p->metric ? 1 : 1 / p->weight[j];
        double back = (z[j] - x->z0[j]) / w;
        if (p->fixed[j]) continue;
        for (int e = x->start[j]; e < x->start[j + 1]; e++) {
            x->scaled[e] = x->jac[e] * w / x->row_scale[x->row[e]];
            if (counts) x->b[x->row[e]] += x->scaled[e] * back;
        }
    }
    int failure = solve_linear(x, report);
    if (failure) return failure;
    memset(x->dz, 0, (size_t)x->n * sizeof *x->dz);
    if (p->metric) from_metric(x);
    for (int k = 0; k < x->n_s; k++) {
        int j = x->s[k];
        x->dz[j] = x->z0[j] + (p->metric ? x->delta[k] : x->delta[k] / p->weight[j]) - z[j];
    }
    for (int k = 0; k < x->n_a; k++) x->dz[x->a[k]] = x->alpha[k] * p->nominal[x->a[k]];
    return LEAST_OK;
}

static double step_size(const least *x, const double *z)
{
    double most = 0;
    for (int j = 0; j < x->n; j++) {
        double d = fabs(x->dz[j]) / (fabs(z[j]) + x->p->nominal[j]);
        if (!(d <= most)) most = d;
    }
    return most;
}

static double least_correction(void *user, bool anew, double *measure)
{
    least *x = user;
    (void)anew;
    least_scale_rows(x, NULL);
    *measure = norm_of(x, x->r);
    x->failure = step(x, x->z, x->report);
    if (x->failure) return -1;
    double size = step_size(x, x->z);
    if (!isfinite(size)) x->failure = LEAST_DIVERGED;
    return fmax(size, DBL_MIN); // where it is 0 the derivatives are still to be evaluated
}

static double least_trial(void *user, double factor)
{
    least *x = user;
    for (int j = 0; j < x->n; j++) x->z_new[j] = x->z[j] + factor * x->dz[j];
    if (x->p->eval(x->p->user, x->z_new, x->r_new, NULL)) return INFINITY;
    return norm_of(x, x->r_new);
}

static bool least_accept(void *user)
{
    least *x = user;
    memcpy(x->z, x->z_new, (size_t)x->n * sizeof *x->z);
    if (x->p->eval(x->p->user, x->z, x->r, x->jac)) x->failure = LEAST_UNDEFINED;
    return !x->failure;
}

static int least_value(void *user, const double *z, double *r)
{
    const least *x = user;
    return x->p->eval(x->p->user, z, r, NULL);
}

/* Is what is left of every row at z below the tolerance, or no more than its rounding? */
static bool least_exhausted(least *x, const double *z)
{
    enum { LOOKS = 4 };
    const double ROUNDINGS_LEFT = 10; // choice
    double *most = x->copy;
    problem_function f = {x->n, x->m, x->p->nominal, x->room, least_value, x};
    for (int i = 0; i < x->m; i++) most[i] = 0;
    for (unsigned k = 1; k <= LOOKS; k++) {
        if (problem_rounding_of(&f, z, k, x->b)) return false;
        for (int i = 0; i < x->m; i++) most[i] = fmax(most[i], fabs(x->b[i]));
    }
    for (int i = 0; i < x->m; i++)
        if (!(fabs(x->r[i]) <= fmax(x->p->tol * x->row_scale[i], ROUNDINGS_LEFT * most[i])))
            return false;
    return true;
}

enum { ROUGH_ITERATIONS = 10 };

static int least_iterate(least *x, double *z, least_report *report)
{
    static const newton_verbs verbs = {
        .correction = least_correction, .trial = least_trial, .accept = least_accept};
    const least_problem *p = x->p;
    newton_policy policy = newton_for_least_change;
    newton_course course;
    policy.vanished = p->tol * 1e-3;
    if (p->rough) policy.iterations = ROUGH_ITERATIONS;
    x->z = z;
    x->report = report;
    x->failure = 0;
    if (p->eval(p->user, z, x->r, x->jac)) return LEAST_UNDEFINED;
    newton_iterate(&verbs, x, &policy, &course);
    report->iterations = course.iterations;
    if (x->failure) return x->failure;
    if (course.stuck) return LEAST_DIVERGED;
    double size = course.size;
    least_scale_rows(x, z); // terms of this size do not cancel to less
    report->residual = least_size(x, x->r, &report->worst);
    bool rests = size < 1e-6;
    if (report->residual <= p->tol || (rests && least_exhausted(x, z))) return LEAST_OK;
    least_scale_rows(x, NULL);
    return rests || p->rough ? LEAST_CONFLICT : LEAST_DIVERGED; // at rest, not on the equations
}

/* At rest off the equations: a contradiction, or a start where gradients vanish although there are
 * solutions at both sides (x^2 + y^2 = 4 with x = 1 held, from y = 0). Begin a little aside; the
 * change is measured from z0 as before. */
static int begin_aside(least *x, double *z, least_report *report)
{
    for (int side = 1; side >= -1; side -= 2) {
        for (int j = 0; j < x->n; j++)
            z[j] =
                x->z0[j] +
                (x->p->fixed[j] ? 0 : side * DISTANCE_ASIDE * (x->p->nominal[j] + fabs(x->z0[j])));
        if (least_iterate(x, z, report) == LEAST_OK) return LEAST_OK;
    }
    memcpy(z, x->z0, (size_t)x->n * sizeof *z);
    *report = (least_report){.worst = -1};
    return least_iterate(x, z, report);
}

/* Damped steps came to rest where the equations are nearly met, or went astray: a mechanism that
 * closes elsewhere. Begin at points around z0, farther and farther; the change is measured from z0 as
 * before. */
static int begin_elsewhere(least *x, double *z, least_report *report)
{
    enum { TRIES = 24 };
    static const double GOLDEN =
        2.399963229728653; // an angle whose multiples fill the circle evenly
    for (int k = 1; k <= TRIES; k++) {
        double far = 0.1 * k;
        for (int j = 0; j < x->n; j++)
            z[j] = x->z0[j] +
                   (x->p->fixed[j] ? 0 : far * sin(GOLDEN * k * (j + 1)) * x->p->nominal[j]);
        *report = (least_report){.worst = -1};
        if (least_iterate(x, z, report) == LEAST_OK) return LEAST_OK;
    }
    memcpy(z, x->z0, (size_t)x->n * sizeof *z);
    *report = (least_report){.worst = -1};
    return least_iterate(x, z, report);
}

int least_solve(mem *mm, const least_problem *p, double *z, double *scaled, least_report *report)
{
    least x = {.mm = mm, .p = p, .m = p->m, .n = p->n};
    *report = (least_report){.worst = -1};
    size_t bytes = least_layout(&x, NULL);
    void *block = mem_try(mm, max_size(bytes, 1));
    if (!block) return LEAST_MEMORY;
    least_layout(&x, block);
    for (int j = 0; j < x.n; j++) {
        if (p->fixed[j]) continue;
        if (p->weight[j] > 0) x.s[x.n_s++] = j;
        else x.a[x.n_a++] = j;
    }
    for (int i = 0; i < x.m; i++) x.row_scale[i] = 1;
    memcpy(x.z0, z, (size_t)x.n * sizeof *z);
    int rc = least_iterate(&x, z, report);
    if (rc == LEAST_CONFLICT && !p->rough) rc = begin_aside(&x, z, report);
    if (rc > 0 && p->scatter) rc = begin_elsewhere(&x, z, report);
    if (rc != LEAST_OK) report->residual = least_size(&x, x.r, &report->worst);
    if (scaled)
        for (int i = 0; i < x.m; i++) scaled[i] = fabs(x.r[i]) / x.row_scale[i];
    dense_close(&x);
    mem_free(mm, block, max_size(bytes, 1));
    return rc;
}
