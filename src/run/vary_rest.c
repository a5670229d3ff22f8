/* The derivatives of a state of rest, by the equations that hold there alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/vary_parts.h"

#include <math.h>
#include <string.h>

enum { CORRECTIONS_MAX = 6 };
/* Pivots below this part of the largest are none: what then decides is where the run began. */
static const double RANK_TOL = 1e-10;
/* A run that has come to rest leaves no more than this to correct, of the unknown and of the largest one. */
static const double CORRECTION_MOST = 1e-4, BESIDE_LARGEST = 1e-3;

/* The largest correction, in parts of what is corrected. */
static double size_of_correction(const vinc_problem *p, const double *y, const double *d)
{
    double largest = 0, size = 0;
    for (int i = 0; i < p->n; i++) largest = fmax(largest, fabs(y[i]) / problem_nominal(p, i));
    for (int i = 0; i < p->n; i++) {
        double of = fabs(y[i]) + BESIDE_LARGEST * largest * problem_nominal(p, i);
        if (d[i] != 0) size = fmax(size, fabs(d[i]) / of);
        if (!isfinite(d[i])) return INFINITY;
    }
    return size;
}

/* dF/dy at a point, factored; 1: it has not full rank. */
static int factor_at(run_variation *x, const vinc_problem *p, double t, const double *y,
                     const double *yp, double *values, la_cod *q, double **b)
{
    int status = p->jacobian(p->user, t, y, yp, values, values + p->jac->nnz);
    if (status) return 1;
    status = vary_least_factor(x, values, RANK_TOL, q, b);
    return status ? status : q->rank < p->n;
}

/* Newton's iteration until corrections are rounding. room: n. */
static int correct(run_variation *x, const vinc_problem *p, double t, double *y, const double *yp,
                   double *values, la_cod *q, double *room)
{
    double before = CORRECTION_MOST, *b;
    for (int i = 0; i < CORRECTIONS_MAX; i++) {
        int status = factor_at(x, p, t, y, yp, values, q, &b);
        if (status) return status;
        if (p->residual(p->user, t, y, yp, b)) return 1;
        la_cod_solve(q, b, room);
        double size = size_of_correction(p, y, room);
        if (!(size <= before)) return i && before < 1e-10 ? VINC_OK : 1;
        for (int k = 0; k < p->n; k++) y[k] -= room[k];
        if (size < 1e-15) return VINC_OK;
        before = size;
    }
    return before < 1e-10 ? VINC_OK : 1;
}

static int differentiate_rest(run_variation *x, const vinc_problem *p, double t, int m, double *y,
                              const double *yp, double *dy, double *values, double *room)
{
    const code_varied *residual = &x->code->of[CODE_V_RESIDUAL];
    la_cod q;
    double *b;
    int n = p->n, status = correct(x, p, t, y, yp, values, &q, room);
    if (!status) status = factor_at(x, p, t, y, yp, values, &q, &b);
    if (status) return status;
    vary_at(x, residual, t, y, yp);
    for (int k = 0; k < m; k++) {
        vary_direction d = {.w = vary_discrete(x, k), .p = vary_parameters(x, k)};
        double *v = dy + (size_t)k * (size_t)n;
        vary_times(x, residual, &d, n, b);
        la_cod_solve(&q, b, v);
        for (int i = 0; i < n; i++) v[i] = -v[i];
        if (!problem_finite(v, n)) return 1;
    }
    return VINC_OK;
}

int vary_rest(run_variation *x, double t, int m, double *y, double *yp, double *dy, double *dyp)
{
    const vinc_problem *p = run_problem(x->s);
    size_t n = (size_t)p->n, bytes = (2 * n + 2 * (size_t)p->jac->nnz + 1) * sizeof(double);
    if (!p->jacobian || x->s->model->formulation.n_groups) return 1;
    double *room = mem_try(x->s->m, bytes), *found = room + n, *values = found + n;
    if (!room) return VINC_E_MEMORY;
    memcpy(found, y, n * sizeof *y);
    memset(yp, 0, n * sizeof *yp);
    int status = differentiate_rest(x, p, t, m, found, yp, dy, values, room);
    if (!status) {
        memcpy(y, found, n * sizeof *y);
        memset(dyp, 0, (size_t)m * n * sizeof *dyp);
    }
    mem_free(x->s->m, room, bytes);
    return status;
}
