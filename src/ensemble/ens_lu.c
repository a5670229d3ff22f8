/* SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_lu.h"

#include "la/plan.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A pivot on the diagonal is preferred to one larger by less than this: the threshold of partial
 * pivoting in sparse matrices (Duff, Erisman & Reid, section 5.2). */
static const double DIAGONAL_SHARE = 0.1;

/* ---- the order of pivots --------------------------------------------------------------------- */

static void lu_eliminate(double *a, int n, int row, int col, const uint8_t *row_done,
                         const uint8_t *col_done)
{
    for (int i = 0; i < n; i++) {
        if (row_done[i] || a[i * n + col] == 0) continue;
        double l = a[i * n + col] / a[row * n + col];
        for (int j = 0; j < n; j++)
            if (!col_done[j] && a[row * n + j] != 0) a[i * n + j] -= l * a[row * n + j];
    }
}

/* The largest entry of what is left, rows being weighed. */
static bool lu_largest(const double *a, int n, const double *weight, const uint8_t *row_done,
                       const uint8_t *col_done, int *row, int *col)
{
    double best = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (row_done[i] || col_done[j]) continue;
            double x = fabs(a[i * n + j]) * weight[i] * (i == j ? 1 / DIAGONAL_SHARE : 1);
            if (x > best) best = x, *row = i, *col = j;
        }
    return best > 0 && isfinite(best);
}

bool ens_lu_plan(ens_lu *f, mem *m, const vinc_pattern *pattern, const double *a,
                 const double *mass, double c, arena *work)
{
    int n = pattern->n_cols, defect, steps = 0;
    *f = (ens_lu){.n = n,
                  .row = arena_array(work, int, n),
                  .col = arena_array(work, int, n),
                  .a = arena_array(work, tape_ref, n * n),
                  .inverse = arena_array(work, tape_ref, n)};
    double *full = arena_array(work, double, n *n), *weight = arena_array(work, double, n);
    uint8_t *row_done = arena_array(work, uint8_t, n), *col_done = arena_array(work, uint8_t, n);
    for (int j = 0; j < n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            full[pattern->row[k] * n + j] = a[k] + c * mass[k];
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(full[i * n + j]));
        weight[i] = most > 0 ? 1 / most : 0;
    }
    la_plan plan;
    la_config config = {.n = n, .pattern = pattern};
    if (la_plan_make(&plan, m, &config, a, mass, c, 0, LONG_MAX, &defect) == LA_OK) {
        steps = plan.steps;
        memcpy(f->row, plan.row, (size_t)steps * sizeof *f->row);
        memcpy(f->col, plan.col, (size_t)steps * sizeof *f->col);
        la_plan_free(&plan);
    }
    for (int k = 0; k < n; k++) {
        if (k >= steps && !lu_largest(full, n, weight, row_done, col_done, &f->row[k], &f->col[k]))
            return false;
        row_done[f->row[k]] = 1;
        lu_eliminate(full, n, f->row[k], f->col[k], row_done, col_done);
        col_done[f->col[k]] = 1;
    }
    return true;
}

/* ---- factors --------------------------------------------------------------------------------- */

static tape_ref lu_minus_product(tape_builder *b, tape_ref x, tape_ref l, tape_ref u)
{
    tape_ref product = tape_op2(b, TAPE_MUL, l, u);
    return x == TAPE_NONE ? tape_op1(b, TAPE_NEG, product) : tape_op2(b, TAPE_SUB, x, product);
}

void ens_lu_factor(ens_lu *f, tape_builder *b, const vinc_pattern *pattern, const tape_ref *values)
{
    int n = f->n;
    for (int i = 0; i < n * n; i++) f->a[i] = TAPE_NONE;
    for (int j = 0; j < n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            f->a[pattern->row[k] * n + j] = values[k];
    for (int k = 0; k < n; k++) {
        const tape_ref *pivot = f->a + f->row[k] * n;
        f->inverse[k] = tape_op2(b, TAPE_DIV, tape_const(b, 1), pivot[f->col[k]]);
        for (int q = k + 1; q < n; q++) {
            tape_ref *row = f->a + f->row[q] * n, *l = &row[f->col[k]];
            if (*l == TAPE_NONE) continue;
            *l = tape_op2(b, TAPE_MUL, *l, f->inverse[k]);
            for (int s = k + 1; s < n; s++) {
                int j = f->col[s];
                if (pivot[j] != TAPE_NONE) row[j] = lu_minus_product(b, row[j], *l, pivot[j]);
            }
        }
    }
}

void ens_lu_solve(const ens_lu *f, tape_builder *b, tape_ref *x, arena *scratch)
{
    int n = f->n;
    tape_ref *z = arena_array(scratch, tape_ref, n);
    for (int k = 0; k < n; k++) {
        const tape_ref *row = f->a + f->row[k] * n;
        z[k] = x[f->row[k]];
        for (int s = 0; s < k; s++)
            if (row[f->col[s]] != TAPE_NONE) z[k] = lu_minus_product(b, z[k], row[f->col[s]], z[s]);
    }
    for (int k = n - 1; k >= 0; k--) {
        const tape_ref *row = f->a + f->row[k] * n;
        for (int s = k + 1; s < n; s++)
            if (row[f->col[s]] != TAPE_NONE)
                z[k] = lu_minus_product(b, z[k], row[f->col[s]], x[f->col[s]]);
        x[f->col[k]] = tape_op2(b, TAPE_MUL, z[k], f->inverse[k]);
    }
}
