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
/* All entries: with more, dense factors take tens of seconds and hundreds of megabytes. */
static const double DENSE_MAX = 4e6;
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

/* Column k of the system: one of S, then one of A. */
typedef struct column {
    const int *row;
    const double *values;
    int n;
} column;

static column column_of(const least_linear *p, int k)
{
    int j = k < p->n_s ? p->s[k] : p->a[k - p->n_s];
    return (column){p->row + p->start[j], p->values + p->start[j], p->start[j + 1] - p->start[j]};
}

static size_t count_entries(const least_linear *p)
{
    size_t count = 0;
    for (int k = 0; k < p->n_s + p->n_a; k++) {
        column c = column_of(p, k);
        for (int q = 0; q < c.n; q++) count += c.values[q] != 0;
    }
    return count;
}

static void find_units(augmented *q, const least_linear *p)
{
    for (int k = 0; k < p->n_a; k++) {
        column c = column_of(p, p->n_s + k);
        double most = 0;
        for (int i = 0; i < c.n; i++) most = fmax(most, fabs(c.values[i]));
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
    int m = p->m, below = p->n_s + p->n_a, n = 0;
    int *in_row = q->start + below + 1; // entries of the columns of lambda, one place later
    memset(in_row, 0, (size_t)m * sizeof *in_row);
    for (int k = 0; k < below; k++) {
        bool counts = k < p->n_s;
        column c = column_of(p, k);
        double unit = counts ? 1 : q->unit[k - p->n_s];
        q->start[k] = n;
        add(q, &n, k, counts);
        for (int i = 0; i < c.n; i++) {
            if (c.values[i] == 0) continue;
            in_row[c.row[i]]++;
            add(q, &n, below + c.row[i], unit * c.values[i]);
        }
    }
    int *at = q->start + below, first = n; // moved on while columns are filled, and back
    for (int i = 0, next; i < m; i++, n = next) {
        next = n + in_row[i] + 1;
        at[i] = n;
    }
    for (int k = 0; k < below; k++) {
        column c = column_of(p, k);
        double unit = k < p->n_s ? 1 : q->unit[k - p->n_s];
        for (int i = 0; i < c.n; i++)
            if (c.values[i] != 0) add(q, &at[c.row[i]], k, unit * c.values[i]);
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

bool least_is_sparse(int m, int n, size_t entries)
{
    double all = (double)m * (double)n;
    return m >= ROWS_MIN && ((double)entries <= PART_MAX * all || all > DENSE_MAX);
}

bool least_sparse_step(mem *mm, const least_linear *p, double *delta, double *alpha)
{
    size_t m = (size_t)p->m, cols = (size_t)p->n_s + (size_t)p->n_a;
    size_t nnz = 2 * count_entries(p) + cols + m;
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
