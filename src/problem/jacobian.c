/* dF/dy and dF/dy' in one storage: from the problem, or by differences of coloured columns.
 *
 * Columns that share no row are moved together, so one evaluation serves a whole colour. A. R.
 * Curtis, M. J. D. Powell, J. K. Reid, J. Inst. Maths Applics 13 (1974) 117-119.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"

#include "base/bump.h"

#include <float.h>
#include <math.h>
#include <string.h>

int problem_residuals_one_by_one(const vinc_problem *p, int points, const double *t, const double *y,
                                 const double *yp, double *r, int stride)
{
    int status = 0;
    for (int k = 0; k < points && !status; k++, y += stride, yp += stride, r += stride)
        status = p->residual(p->user, t[k], y, yp, r);
    return status;
}

int problem_color(const vinc_pattern *a, int *color, int *mark)
{
    int n_colors = 0, left = a->n_cols;
    for (int j = 0; j < a->n_cols; j++) color[j] = -1;
    for (int i = 0; i < a->n_rows; i++) mark[i] = -1;
    while (left) {
        for (int j = 0; j < a->n_cols; j++) {
            if (color[j] >= 0) continue;
            int k = a->start[j];
            while (k < a->start[j + 1] && mark[a->row[k]] != n_colors) k++;
            if (k < a->start[j + 1]) continue;
            for (k = a->start[j]; k < a->start[j + 1]; k++) mark[a->row[k]] = n_colors;
            color[j] = n_colors;
            left--;
        }
        n_colors++;
    }
    return n_colors;
}

static size_t jacobian_layout(problem_jac *j, size_t n, void *block)
{
    bump b = bump_begin(block);
    j->dy = bump_double(&b, (size_t)j->nnz);
    j->dyp = bump_double(&b, (size_t)j->nnz);
    j->start = j->row = NULL;
    if (!j->p->jac) {
        j->start = bump_int(&b, n + 1);
        j->row = bump_int(&b, (size_t)j->nnz);
    }
    if (!j->p->jacobian) {
        j->color_start = bump_int(&b, n + 1);
        j->color_column = bump_int(&b, n);
        j->y = bump_double(&b, n);
        j->yp = bump_double(&b, n);
        j->r = bump_double(&b, n);
        j->r0 = bump_double(&b, n);
        j->delta = bump_double(&b, n);
    }
    return bump_end(&b);
}

static void jacobian_full_pattern(problem_jac *j, int n)
{
    for (int c = 0; c <= n; c++) j->start[c] = c * n;
    for (int k = 0; k < n * n; k++) j->row[k] = k % n;
    j->pattern = (vinc_pattern){n, n, n * n, j->start, j->row};
}

/* Columns sorted by colour: color_column[color_start[c]] ... */
static void color_columns(problem_jac *j, int n)
{
    int *color = (int *)j->y, *mark = (int *)j->yp; // doubles not yet in use
    j->n_colors = problem_color(&j->pattern, color, mark);
    int at = 0;
    for (int c = 0; c < j->n_colors; c++) {
        j->color_start[c] = at;
        for (int k = 0; k < n; k++)
            if (color[k] == c) j->color_column[at++] = k;
    }
    j->color_start[j->n_colors] = at;
}

int problem_jac_init(problem_jac *j, mem *m, const vinc_problem *p)
{
    size_t n = (size_t)p->n;
    *j = (problem_jac){.p = p, .m = m};
    j->nnz = p->jac ? p->jac->nnz : (long)p->n * p->n;
    j->bytes = jacobian_layout(j, n, NULL);
    j->block = mem_try(m, j->bytes + 1);
    if (!j->block) return VINC_E_MEMORY;
    jacobian_layout(j, n, j->block);
    if (p->jac) j->pattern = *p->jac;
    else jacobian_full_pattern(j, p->n);
    if (!p->jacobian) color_columns(j, p->n);
    return VINC_OK;
}

void problem_jac_done(problem_jac *j)
{
    if (j->block) mem_free(j->m, j->block, j->bytes + 1);
    j->block = NULL;
}

/* A difference that is exactly representable. */
static double jacobian_increment(double x, double size)
{
    double d = sqrt(DBL_EPSILON) * fmax(fabs(x), size);
    return (x + d) - x;
}

static int jacobian_evaluate(problem_jac *j, vinc_stats *s, double t, const double *y,
                             const double *yp, double *r)
{
    s->jacobian_residual_evals++;
    int status = problem_residual(j->p, s, t, y, yp, r);
    if (status) return status;
    return problem_finite(r, j->p->n) ? 0 : 1;
}

/* One colour: move x (y or yp, by `moved`) in its columns and read off the values. */
static int jacobian_differences(problem_jac *j, vinc_stats *s, double t, int c, double *moved,
                                const double *x, double *values)
{
    int status = 0;
    for (int k = j->color_start[c]; k < j->color_start[c + 1]; k++)
        moved[j->color_column[k]] += j->delta[j->color_column[k]];
    status = jacobian_evaluate(j, s, t, j->y, j->yp, j->r);
    for (int k = j->color_start[c]; k < j->color_start[c + 1]; k++) {
        int col = j->color_column[k];
        moved[col] = x[col];
        if (status) continue;
        for (int q = j->pattern.start[col]; q < j->pattern.start[col + 1]; q++) {
            int i = j->pattern.row[q];
            values[q] = (j->r[i] - j->r0[i]) / j->delta[col];
        }
    }
    return status;
}

static int by_differences(problem_jac *j, vinc_stats *s, double t, const double *y,
                          const double *yp, double h)
{
    int n = j->p->n, status = jacobian_evaluate(j, s, t, y, yp, j->r0);
    memcpy(j->y, y, (size_t)n * sizeof *y);
    memcpy(j->yp, yp, (size_t)n * sizeof *yp);
    for (int i = 0; i < n; i++)
        j->delta[i] =
            jacobian_increment(y[i], fmax(fabs(h * yp[i]), 1e-3 * problem_nominal(j->p, i)));
    for (int c = 0; c < j->n_colors && !status; c++)
        status = jacobian_differences(j, s, t, c, j->y, y, j->dy);
    for (int i = 0; i < n; i++) {
        double size = fmax(fabs(y[i]), problem_nominal(j->p, i));
        j->delta[i] = jacobian_increment(yp[i], h > 0 ? size / h : size);
    }
    memset(j->dyp, 0, (size_t)j->nnz * sizeof *j->dyp);
    for (int c = 0; c < j->n_colors && !status; c++) {
        bool any = false; // a colour of algebraic unknowns has no dF/dy'
        for (int k = j->color_start[c]; k < j->color_start[c + 1]; k++)
            any |= problem_differential(j->p, j->color_column[k]);
        if (any) status = jacobian_differences(j, s, t, c, j->yp, yp, j->dyp);
    }
    return status;
}

int problem_jac_eval(problem_jac *j, vinc_stats *s, double t, const double *y, const double *yp,
                     double h)
{
    s->jacobian_evals++;
    if (!j->p->jacobian) return by_differences(j, s, t, y, yp, h);
    s->work += j->p->work_jacobian;
    return j->p->jacobian(j->p->user, t, y, yp, j->dy, j->dyp);
}
