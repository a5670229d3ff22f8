/* The list of preconditioners, and those that look at the diagonal or at blocks along it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/precond.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Below this part of its row a pivot is rounding. */
static const double PIVOT_OF_ROW_MIN = 1e3 * DBL_EPSILON;

bool la_precond_is_pivot(const la_precond *p, int j, double x)
{
    return fabs(x) > PIVOT_OF_ROW_MIN * fabs(p->size[j]) && fabs(x) < INFINITY;
}

/* ---- equations and unknowns ------------------------------------------------------------------ */

/* Augmenting paths (I. S. Duff, ACM Trans. Math. Softw. 7 (1981) 315-330): from an unknown to an equation
 * that is free, equations on the way change hands. */
typedef struct precond_match {
    const vinc_pattern *a;
    int *row_of, *unknown_of;
    int *seen;       // by row: the unknown for which it was last looked at
    int *stack, *at; // unknowns on the way, and the entry by which each goes on
} precond_match;

static bool match_augment(const precond_match *m, int unknown)
{
    int depth = 0;
    m->stack[0] = unknown;
    m->at[0] = m->a->start[unknown];
    while (depth >= 0) {
        int j = m->stack[depth], k = m->at[depth];
        while (k < m->a->start[j + 1] && m->seen[m->a->row[k]] == unknown) k++;
        m->at[depth] = k;
        if (k == m->a->start[j + 1]) {
            depth--;
            continue;
        }
        int row = m->a->row[k], next = m->unknown_of[row];
        m->seen[row] = unknown;
        if (next >= 0) {
            depth++;
            m->stack[depth] = next;
            m->at[depth] = m->a->start[next];
            continue;
        }
        for (; depth >= 0; depth--) {
            row = m->a->row[m->at[depth]];
            m->row_of[m->stack[depth]] = row;
            m->unknown_of[row] = m->stack[depth];
        }
        return true;
    }
    return false;
}

int la_precond_match(const vinc_pattern *a, int *row_of, int *unknown_of, int *work)
{
    int n = a->n_cols;
    precond_match m = {a, row_of, unknown_of, work, work + n, work + 2 * n};
    for (int i = 0; i < n; i++) row_of[i] = unknown_of[i] = m.seen[i] = -1;
    for (int j = 0; j < n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            if (a->row[k] == j) row_of[j] = unknown_of[j] = j;
    for (int j = 0; j < n; j++)
        if (row_of[j] < 0 && !match_augment(&m, j)) return j;
    return -1;
}

/* ---- none: rows are scaled, nothing else ----------------------------------------------------- */

static void none_apply(const la_precond *p, double *x)
{
    for (int i = 0; i < p->n; i++) x[i] /= p->size[i];
}

static const la_precond_kind la_precond_none = {
    .name = "none",
    .summary = "equations are scaled, nothing else",
    .stores = "n numbers: the size of each equation",
    .apply = none_apply,
};

/* ---- jacobi: the diagonal -------------------------------------------------------------------- */

static void jacobi_layout(la_precond *p, bump *b)
{
    p->values = bump_double(b, (size_t)p->n);
}

static void jacobi_column(la_precond *p, int j, const double *a)
{
    p->values[j] = a[p->row_of[j]];
}

static int jacobi_finish(la_precond *p)
{
    int replaced = 0;
    for (int j = 0; j < p->n; j++) {
        bool good = la_precond_is_pivot(p, j, p->values[j]);
        p->values[j] = 1 / (good ? p->values[j] : p->size[j]);
        replaced += !good;
    }
    return replaced;
}

static void jacobi_apply(const la_precond *p, double *x)
{
    for (int i = 0; i < p->n; i++) x[i] *= p->values[i];
}

static const la_precond_kind la_precond_jacobi = {
    .name = "jacobi",
    .summary = "the diagonal",
    .stores = "n numbers",
    .structured = true,
    .layout = jacobi_layout,
    .column = jacobi_column,
    .finish = jacobi_finish,
    .apply = jacobi_apply,
};

/* ---- block-jacobi: blocks of unknowns that follow each other --------------------------------- */

/* Block k holds the unknowns from k * block on, by columns. */
static double *block_of(const la_precond *p, int j)
{
    size_t size = (size_t)p->block * (size_t)p->block;
    return p->values + (size_t)(j / p->block) * size;
}

static int block_size(const la_precond *p, int first)
{
    return p->n - first < p->block ? p->n - first : p->block;
}

static void block_layout(la_precond *p, bump *b)
{
    size_t block = (size_t)p->block, blocks = ((size_t)p->n + block - 1) / block;
    p->values = bump_double(b, blocks * block * block);
    p->pivot = bump_int(b, (size_t)p->n);
}

static void block_column(la_precond *p, int j, const double *a)
{
    int first = j / p->block * p->block, n = block_size(p, first);
    double *column = block_of(p, j) + (j - first) * n;
    memset(column, 0, (size_t)n * sizeof *column);
    for (int k = p->pattern->start[j]; k < p->pattern->start[j + 1]; k++) {
        int at = p->unknown_of[p->pattern->row[k]] - first;
        if (at >= 0 && at < n) column[at] = a[p->pattern->row[k]];
    }
}

/* LU with exchanged rows, in place. Units of rows differ: pivots are compared in those of `size`. */
static int block_factor(const la_precond *p, int first, double *a, int *pivot)
{
    int n = block_size(p, first), replaced = 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i + k * n] / p->size[first + i]) >
                fabs(a[best + k * n] / p->size[first + best]))
                best = i;
        pivot[k] = best;
        for (int j = 0; j < n && best != k; j++) {
            double x = a[k + j * n];
            a[k + j * n] = a[best + j * n];
            a[best + j * n] = x;
        }
        if (!la_precond_is_pivot(p, first + best, a[k + k * n])) {
            a[k + k * n] = p->size[first + best];
            replaced++;
        }
        for (int i = k + 1; i < n; i++) {
            double x = a[i + k * n] /= a[k + k * n];
            for (int j = k + 1; j < n && x != 0; j++) a[i + j * n] -= x * a[k + j * n];
        }
    }
    return replaced;
}

static int block_finish(la_precond *p)
{
    int replaced = 0;
    for (int first = 0; first < p->n; first += p->block)
        replaced += block_factor(p, first, block_of(p, first), p->pivot + first);
    return replaced;
}

static void block_apply(const la_precond *p, double *x)
{
    for (int first = 0; first < p->n; first += p->block) {
        int n = block_size(p, first);
        const double *a = block_of(p, first);
        double *b = x + first;
        for (int k = 0; k < n; k++) {
            int best = p->pivot[first + k];
            double y = b[best];
            b[best] = b[k];
            b[k] = y;
            for (int i = k + 1; i < n; i++) b[i] -= a[i + k * n] * y;
        }
        for (int k = n - 1; k >= 0; k--) {
            double y = b[k] /= a[k + k * n];
            for (int i = 0; i < k; i++) b[i] -= a[i + k * n] * y;
        }
    }
}

static const la_precond_kind la_precond_block_jacobi = {
    .name = "block-jacobi",
    .summary = "blocks of unknowns that follow each other, factored",
    .stores = "n times block numbers",
    .structured = true,
    .layout = block_layout,
    .column = block_column,
    .finish = block_finish,
    .apply = block_apply,
};

/* ---- the list -------------------------------------------------------------------------------- */

const la_precond_kind *const la_preconds[] = {
    &la_precond_ilu, &la_precond_block_jacobi, &la_precond_jacobi, &la_precond_none, NULL,
};
