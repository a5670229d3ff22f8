/* SPDX-License-Identifier: BSD-3-Clause */
#include "newton/linear.h"

#include "base/bump.h"
#include "problem/problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* LU is believed while its pivots, after row equilibration, differ by less than this. */
static const double PIVOT_RATIO = 1e-10;
/* In the augmented system, minus this on the diagonal of each equation: contradictory or repeated
 * equations then cost accuracy instead of a zero pivot. */
static const double REGULARIZATION = 1e-12;

static bool any_fixed(const newton_problem *p)
{
    for (int j = 0; p->fixed && j < p->n; j++)
        if (p->fixed[j]) return true;
    return false;
}

static double nominal_of(const newton_problem *p, int j)
{
    return p->nominal ? p->nominal[j] : 1;
}

static size_t linear_layout(linear *l, bool dense, void *block)
{
    const newton_problem *p = l->p;
    size_t m = (size_t)p->m, n = (size_t)p->n;
    size_t nnz = p->jac ? (size_t)p->jac->nnz : m * n;
    size_t k = m < n ? m : n;
    bump b = bump_begin(block);
    l->values = bump_double(&b, nnz);
    l->row_scale = bump_double(&b, m);
    l->weight = bump_double(&b, n);
    l->b = bump_double(&b, m + n);
    l->own_pattern = p->jac ? NULL : bump_int(&b, n + 1 + nnz);
    if (dense) {
        l->cod.a = bump_double(&b, m * n);
        l->cod.tau = bump_double(&b, k);
        l->cod.tau_z = bump_double(&b, k);
        l->cod.perm = bump_int(&b, n);
        l->cod.work = bump_double(&b, la_cod_work(p->m, p->n));
    }
    return bump_end(&b);
}

static size_t augmented_layout(linear *l, void *block)
{
    size_t m = (size_t)l->p->m, n = (size_t)l->p->n, nnz = (size_t)l->pattern.nnz;
    bump b = bump_begin(block);
    l->augmented_rows = bump_int(&b, m + n + 1 + 2 * nnz + m + n);
    l->augmented_entry = bump_int(&b, 2 * nnz);
    l->augmented_values = bump_double(&b, 2 * nnz + m + n);
    return bump_end(&b);
}

static void full_pattern(linear *l)
{
    int m = l->p->m, n = l->p->n, *start = l->own_pattern, *row = start + n + 1;
    for (int j = 0; j <= n; j++) start[j] = j * m;
    for (int k = 0; k < m * n; k++) row[k] = k % m;
    l->pattern = (vinc_pattern){m, n, m * n, start, row};
}

/* [D J^T; J -e I] by columns: column j < n holds D_jj and column j of J below; column n + i holds
 * row i of J above -e. */
static void augment_pattern(linear *l)
{
    int m = l->p->m, n = l->p->n, nnz = l->pattern.nnz, size = m + n, k = 0;
    int *start = l->augmented_rows, *row = start + size + 1, *fill = start + n + 1;
    for (int j = 0; j < n; j++) {
        start[j] = k;
        row[k++] = j;
        for (int q = l->pattern.start[j]; q < l->pattern.start[j + 1]; q++) {
            l->augmented_entry[2 * q] = k;
            row[k++] = n + l->pattern.row[q];
        }
    }
    start[n] = k;
    for (int i = 0; i < m; i++) fill[i] = 1; // the diagonal
    for (int q = 0; q < nnz; q++) fill[l->pattern.row[q]]++;
    for (int i = 0; i < m; i++) fill[i] += start[n + i];
    // fill[i] is start[n + i + 1]; entries go in by ascending column of J.
    for (int i = m - 1; i > 0; i--) fill[i] = fill[i - 1];
    fill[0] = start[n];
    for (int j = 0; j < n; j++)
        for (int q = l->pattern.start[j]; q < l->pattern.start[j + 1]; q++) {
            int i = l->pattern.row[q];
            l->augmented_entry[2 * q + 1] = fill[i];
            row[fill[i]++] = j;
        }
    for (int i = 0; i < m; i++) row[fill[i]++] = n + i;
    l->augmented_pattern = (vinc_pattern){size, size, start[size], start, row};
}

/* Of a square system when first a matrix of it is singular. */
static int linear_augment(linear *l)
{
    l->augmented_bytes = augmented_layout(l, NULL);
    l->augmented_block = mem_try(l->m, l->augmented_bytes);
    if (!l->augmented_block) return VINC_E_MEMORY;
    augmented_layout(l, l->augmented_block);
    augment_pattern(l);
    la_config config = {.n = l->p->m + l->p->n, .pattern = &l->augmented_pattern};
    return la_new(l->m, &config, &l->augmented) ? VINC_E_MEMORY : VINC_OK;
}

int linear_init(linear *l, mem *m, const newton_problem *p, const newton_options *o)
{
    *l = (linear){.p = p, .m = m, .square = p->m == p->n && !any_fixed(p)};
    l->rank_tol = o->rank_tol;
    l->cod.m = p->m;
    l->cod.n = p->n;
    l->bytes = linear_layout(l, !o->sparse, NULL) + 1;
    l->block = mem_try(m, l->bytes);
    if (!l->block) return VINC_E_MEMORY;
    linear_layout(l, !o->sparse, l->block);
    for (int j = 0; j < p->n; j++)
        l->weight[j] = p->weight && p->weight[j] > 0 ? p->weight[j] : 1 / nominal_of(p, j);
    if (p->jac) l->pattern = *p->jac;
    else full_pattern(l);
    if (l->square) {
        la_config config = {.n = p->n, .pattern = &l->pattern};
        return la_new(m, &config, &l->lu) ? VINC_E_MEMORY : VINC_OK;
    }
    return o->sparse ? linear_augment(l) : VINC_OK;
}

void linear_done(linear *l)
{
    la_free(l->lu);
    la_free(l->augmented);
    if (l->augmented_block) mem_free(l->m, l->augmented_block, l->augmented_bytes);
    if (l->block) mem_free(l->m, l->block, l->bytes);
}

/* The size of the terms of each equation: what its residual is compared with. */
static void scale_rows(linear *l)
{
    const newton_problem *p = l->p;
    for (int i = 0; i < p->m; i++) l->row_scale[i] = 0;
    for (int j = 0; j < p->n; j++)
        for (int q = l->pattern.start[j]; q < l->pattern.start[j + 1]; q++) {
            double x = problem_term(l->values[q], nominal_of(p, j));
            int i = l->pattern.row[q];
            if (x > l->row_scale[i]) l->row_scale[i] = x;
        }
    for (int i = 0; i < p->m; i++) {
        if (p->equation_nominal && p->equation_nominal[i] > 0)
            l->row_scale[i] = p->equation_nominal[i];
        if (!(l->row_scale[i] > 0)) l->row_scale[i] = 1;
    }
}

static bool held(const newton_problem *p, int j)
{
    return p->fixed && p->fixed[j];
}

static int factor_dense(linear *l)
{
    const newton_problem *p = l->p;
    size_t m = (size_t)p->m;
    memset(l->cod.a, 0, m * (size_t)p->n * sizeof(double));
    for (int j = 0; j < p->n; j++)
        for (int q = l->pattern.start[j]; q < l->pattern.start[j + 1] && !held(p, j); q++) {
            int i = l->pattern.row[q];
            l->cod.a[(size_t)i + (size_t)j * m] = l->values[q] / (l->row_scale[i] * l->weight[j]);
        }
    l->mode = LINEAR_COD;
    l->rank = la_cod_factor(&l->cod, l->rank_tol);
    return l->rank < 0 ? VINC_E_SINGULAR : VINC_OK;
}

static int factor_augmented(linear *l)
{
    const newton_problem *p = l->p;
    double *v = l->augmented_values;
    memset(v, 0, (size_t)l->augmented_pattern.nnz * sizeof *v);
    for (int j = 0; j < p->n; j++) {
        v[l->augmented_pattern.start[j]] = 1; // unknowns are scaled by their weights
        for (int q = l->pattern.start[j]; q < l->pattern.start[j + 1] && !held(p, j); q++) {
            double x = l->values[q] / (l->row_scale[l->pattern.row[q]] * l->weight[j]);
            v[l->augmented_entry[2 * q]] = v[l->augmented_entry[2 * q + 1]] = x;
        }
    }
    for (int i = 0; i < p->m; i++)
        v[l->augmented_pattern.start[p->n + i + 1] - 1] = -REGULARIZATION;
    l->mode = LINEAR_AUGMENTED;
    l->rank = p->m;
    return la_factor(l->augmented, v, NULL, 0, 0) ? VINC_E_SINGULAR : VINC_OK;
}

int linear_factor(linear *l)
{
    scale_rows(l);
    if (l->square) {
        int status = la_factor(l->lu, l->values, NULL, 0, 0);
        l->mode = LINEAR_LU;
        l->rank = l->p->m;
        bool good = !status && l->lu->pivot_ratio > PIVOT_RATIO;
        if (good || (!l->cod.a && !status)) return VINC_OK;
        if (!l->cod.a && !l->augmented && linear_augment(l)) return VINC_E_SINGULAR;
    }
    return l->cod.a ? factor_dense(l) : factor_augmented(l);
}

void linear_step(linear *l, const double *r, double *dx)
{
    int m = l->p->m, n = l->p->n;
    if (l->mode == LINEAR_LU) {
        for (int i = 0; i < n; i++) dx[i] = -r[i];
        la_solve(l->lu, dx);
        return;
    }
    if (l->mode == LINEAR_COD) {
        for (int i = 0; i < m; i++) l->b[i] = -r[i] / l->row_scale[i];
        la_cod_solve(&l->cod, l->b, dx);
    } else {
        for (int j = 0; j < n; j++) l->b[j] = 0;
        for (int i = 0; i < m; i++) l->b[n + i] = -r[i] / l->row_scale[i];
        la_solve(l->augmented, l->b);
        memcpy(dx, l->b, (size_t)n * sizeof *dx);
    }
    for (int j = 0; j < n; j++) dx[j] = held(l->p, j) ? 0 : dx[j] / l->weight[j];
}
