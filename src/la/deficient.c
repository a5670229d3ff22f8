/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/deficient.h"

#include "base/bump.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex number;

/* Entries of an equilibrated matrix below this are what cancellation has left of zeros. */
static const double ENTRY_ROUND_OFF = 1e-13;

struct la_deficient {
    int n, rank;
    number *a, *b;       // the factors by columns; the permuted right-hand side
    double *rows, *cols; // scales
    int *row, *col;      // row[k], col[k]: what stands at place k
    size_t bytes;
};

static size_t deficient_layout(la_deficient *d, size_t n, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *d);
    d->a = (number *)bump_double(&b, 2 * n * n);
    d->b = (number *)bump_double(&b, 2 * n);
    d->rows = bump_double(&b, n);
    d->cols = bump_double(&b, n);
    d->row = bump_int(&b, n);
    d->col = bump_int(&b, n);
    return bump_end(&b);
}

la_deficient *la_deficient_new(mem *m, int n)
{
    la_deficient probe, *d;
    size_t bytes = deficient_layout(&probe, (size_t)n, NULL);
    d = mem_try(m, bytes);
    if (!d) return NULL;
    deficient_layout(d, (size_t)n, d);
    d->n = n;
    d->bytes = bytes;
    return d;
}

void la_deficient_free(mem *m, la_deficient *d)
{
    if (d) mem_free(m, d, d->bytes);
}

static void deficient_load(la_deficient *d, const la_solver *s, const double *a, const double *m,
                           number c)
{
    int n = d->n;
    const vinc_pattern *p = s->config.pattern;
    for (int k = 0; k < n * n; k++) d->a[k] = 0;
    for (int j = 0; j < n; j++)
        for (int k = p ? p->start[j] : j * n; k < (p ? p->start[j + 1] : (j + 1) * n); k++)
            d->a[(p ? p->row[k] : k - j * n) + j * n] = m ? a[k] + c * m[k] : a[k];
}

/* First rows, then columns, to a largest entry of 1. */
static void deficient_equilibrate(la_deficient *d)
{
    int n = d->n;
    for (int i = 0; i < n; i++) d->rows[i] = d->cols[i] = 0;
    for (int k = 0; k < n * n; k++) d->rows[k % n] = fmax(d->rows[k % n], cabs(d->a[k]));
    for (int i = 0; i < n; i++) d->rows[i] = d->rows[i] > 0 ? 1 / d->rows[i] : 1;
    for (int k = 0; k < n * n; k++) {
        d->a[k] *= d->rows[k % n];
        d->cols[k / n] = fmax(d->cols[k / n], cabs(d->a[k]));
    }
    for (int j = 0; j < n; j++) d->cols[j] = d->cols[j] > 0 ? 1 / d->cols[j] : 1;
    for (int k = 0; k < n * n; k++) d->a[k] *= d->cols[k / n];
}

static void deficient_swap(int *list, int i, int j)
{
    int t = list[i];
    list[i] = list[j];
    list[j] = t;
}

/* The largest entry that is left goes to place k. Returns its size. */
static double deficient_choose(la_deficient *d, int k)
{
    int n = d->n, p = k, q = k;
    double best = -1;
    for (int j = k; j < n; j++)
        for (int i = k; i < n; i++) {
            double size = cabs(d->a[i + j * n]);
            if (size > best) best = size, p = i, q = j;
        }
    for (int j = 0; j < n; j++) {
        number t = d->a[k + j * n];
        d->a[k + j * n] = d->a[p + j * n];
        d->a[p + j * n] = t;
    }
    for (int i = 0; i < n; i++) {
        number t = d->a[i + k * n];
        d->a[i + k * n] = d->a[i + q * n];
        d->a[i + q * n] = t;
    }
    deficient_swap(d->row, k, p);
    deficient_swap(d->col, k, q);
    return best;
}

int la_deficient_factor(la_deficient *d, const la_solver *s, const double *a, const double *m,
                        double re, double im)
{
    int n = d->n;
    deficient_load(d, s, a, m, re + im * I);
    for (int k = 0; k < n * n; k++)
        if (!isfinite(creal(d->a[k])) || !isfinite(cimag(d->a[k]))) return -1;
    deficient_equilibrate(d);
    for (int k = 0; k < n; k++) d->row[k] = d->col[k] = k;
    for (d->rank = 0; d->rank < n; d->rank++) {
        int k = d->rank;
        if (deficient_choose(d, k) < ENTRY_ROUND_OFF) break;
        number *pivots = d->a + k * n;
        for (int i = k + 1; i < n; i++) pivots[i] /= pivots[k];
        for (int j = k + 1; j < n; j++) {
            number *column = d->a + j * n, top = column[k];
            if (top == 0) continue;
            for (int i = k + 1; i < n; i++) column[i] -= pivots[i] * top;
        }
    }
    return d->rank;
}

int la_deficient_open(const la_deficient *d)
{
    return d->rank < d->n ? d->col[d->rank] : -1;
}

void la_deficient_solve(la_deficient *d, const la_solver *s, double *b)
{
    int n = d->n;
    bool planes = s->config.is_complex;
    for (int k = 0; k < n; k++) {
        int i = d->row[k];
        d->b[k] = d->rows[i] * (b[i] + (planes ? b[n + i] : 0) * I);
    }
    for (int k = 0; k < d->rank; k++)
        for (int i = k + 1; i < n; i++) d->b[i] -= d->a[i + k * n] * d->b[k];
    for (int k = n - 1; k >= 0; k--) {
        if (k < d->rank) d->b[k] /= d->a[k + k * n];
        for (int i = 0; i < (k < d->rank ? k : d->rank); i++) d->b[i] -= d->a[i + k * n] * d->b[k];
    }
    for (int k = 0; k < n; k++) {
        int j = d->col[k];
        number x = d->b[k] * d->cols[j];
        b[j] = creal(x);
        if (planes) b[n + j] = cimag(x);
    }
}
