/* The step of least change by one sparse system.
 *
 * delta least, A alpha + S delta = b, with multipliers lambda (Å. Björck, Numerical Methods for Least
 * Squares Problems, SIAM 1996, section 5.1.1, of which the rows and columns are exchanged here):
 *
 *     ( 1  0  S^T ) (delta )   (0)
 *     ( 0  e  A^T ) (alpha ) = (0)
 *     ( S  A  -e  ) (lambda)   (b)
 *
 * with e = 0; where that is singular, as rows depend on each other or leave unknowns open, with a small
 * e, which gives what is next to a solution.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "start/least_sparse.h"

#include "base/bump.h"
#include "la/la.h"

#include <math.h>
#include <string.h>

enum { ROWS_MIN = 200 }; // rows: fewer are solved densely in milliseconds
/* Of the entries: with more, dense steps are as fast and tell the rank. */
static const double PART_MAX = 0.02;
static const double NEXT_TO_SINGULAR = 1e-14; // e, where columns and rows have entries of size 1

typedef struct augmented {
    int *start, *row;
    double *values, *x;
    double *unit; // of alpha: columns have entries of size 1
} augmented;

static size_t augmented_layout(augmented *q, int n, int n_a, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    q->values = bump_double(&b, nnz);
    q->x = bump_double(&b, (size_t)n);
    q->unit = bump_double(&b, (size_t)n_a);
    q->start = bump_int(&b, (size_t)n + 1);
    q->row = bump_int(&b, nnz);
    return bump_end(&b);
}

static size_t count_entries(const double *a, size_t n)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++) count += a[k] != 0;
    return count;
}

static void find_units(augmented *q, const least_linear *p)
{
    for (int k = 0; k < p->n_a; k++) {
        const double *a = p->a + (size_t)k * (size_t)p->m;
        double most = 0;
        for (int i = 0; i < p->m; i++) most = fmax(most, fabs(a[i]));
        q->unit[k] = most > 0 && isfinite(1 / most) ? 1 / most : 1;
    }
}

static void add(augmented *q, int *n, int row, double value)
{
    q->row[*n] = row;
    q->values[(*n)++] = value;
}

/* Columns of delta and alpha, then of lambda: those of the transposes, by rows of S and A. */
static int fill(augmented *q, const least_linear *p)
{
    int m = p->m, below = p->n_s + p->n_a, n = 0, col = 0, first;
    for (int k = 0; k < below; k++) {
        bool counts = k < p->n_s;
        const double *a =
            counts ? p->s + (size_t)k * (size_t)m : p->a + (size_t)(k - p->n_s) * (size_t)m;
        double unit = counts ? 1 : q->unit[k - p->n_s];
        q->start[col++] = n;
        add(q, &n, k, counts);
        for (int i = 0; i < m; i++)
            if (a[i] != 0) add(q, &n, below + i, unit * a[i]);
    }
    first = n;
    for (int i = 0; i < m; i++) { // counted, then filled
        int in_row = 0;
        for (int k = 0; k < p->n_s; k++) in_row += p->s[i + (size_t)k * (size_t)m] != 0;
        for (int k = 0; k < p->n_a; k++) in_row += p->a[i + (size_t)k * (size_t)m] != 0;
        q->start[col++] = n;
        n += in_row + 1;
    }
    q->start[col] = n;
    int *at = q->start + below; // moved on while columns are filled, and back
    for (int k = 0; k < below; k++) {
        bool counts = k < p->n_s;
        const double *a =
            counts ? p->s + (size_t)k * (size_t)m : p->a + (size_t)(k - p->n_s) * (size_t)m;
        double unit = counts ? 1 : q->unit[k - p->n_s];
        for (int i = 0; i < m; i++)
            if (a[i] != 0) add(q, &at[i], k, unit * a[i]);
    }
    for (int i = 0; i < m; i++) add(q, &at[i], below + i, 0);
    for (int i = m; i > 0; i--) at[i] = at[i - 1];
    at[0] = first;
    return n;
}

/* The diagonal of alpha is e, that of lambda -e. */
static void disturb(augmented *q, const least_linear *p, double e)
{
    int below = p->n_s + p->n_a, n = below + p->m;
    for (int k = p->n_s; k < n; k++)
        for (int i = q->start[k]; i < q->start[k + 1]; i++)
            if (q->row[i] == k) q->values[i] = k < below ? e : -e;
}

static int solve(mem *mm, augmented *q, const least_linear *p, int nnz)
{
    int below = p->n_s + p->n_a, n = below + p->m;
    vinc_pattern pattern = {n, n, nnz, q->start, q->row};
    la_solver *la = NULL;
    la_config config = {.n = n, .pattern = &pattern, .backend = "klu"};
    int status = la_new(mm, &config, &la);
    if (!status) status = la_factor(la, q->values, NULL, 0, 0);
    if (status == LA_SINGULAR) {
        disturb(q, p, NEXT_TO_SINGULAR);
        status = la_factor(la, q->values, NULL, 0, 0);
    }
    if (!status) {
        memset(q->x, 0, (size_t)n * sizeof *q->x);
        memcpy(q->x + below, p->b, (size_t)p->m * sizeof *q->x);
        la_solve(la, q->x);
        for (int k = 0; k < n && !status; k++)
            if (!isfinite(q->x[k])) status = LA_SINGULAR;
    }
    la_free(la);
    return status;
}

bool least_sparse_step(mem *mm, const least_linear *p, double *delta, double *alpha)
{
    size_t m = (size_t)p->m, cols = (size_t)p->n_s + (size_t)p->n_a;
    if (p->m < ROWS_MIN) return false;
    size_t entries =
        count_entries(p->s, m * (size_t)p->n_s) + count_entries(p->a, m * (size_t)p->n_a);
    if ((double)entries > PART_MAX * (double)(m * cols)) return false;
    size_t nnz = 2 * entries + cols + m;
    augmented q;
    size_t bytes = augmented_layout(&q, (int)(cols + m), p->n_a, nnz, NULL);
    void *block = mem_try(mm, bytes);
    if (!block) return false;
    augmented_layout(&q, (int)(cols + m), p->n_a, nnz, block);
    find_units(&q, p);
    bool done = !solve(mm, &q, p, fill(&q, p));
    if (done) {
        memcpy(delta, q.x, (size_t)p->n_s * sizeof *delta);
        for (int k = 0; k < p->n_a; k++) alpha[k] = q.unit[k] * q.x[p->n_s + k];
    }
    mem_free(mm, block, bytes);
    return done;
}
