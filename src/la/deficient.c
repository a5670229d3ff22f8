/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/deficient.h"

#include "base/bump.h"

#include <math.h>

/* Entries of an equilibrated matrix below this are what cancellation has left of zeros. */
static const double ENTRY_ROUND_OFF = 1e-13;

struct la_deficient {
    int n, rank;
    bool real;           // all imaginary parts are 0, and not touched
    double *re, *im;     // the factors by columns
    double *b[2];        // the permuted right-hand side: real and imaginary parts
    double *rows, *cols; // scales
    int *row, *col;      // row[k], col[k]: what stands at place k
    size_t bytes;
};

static size_t deficient_layout(la_deficient *d, size_t n, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *d);
    d->re = bump_double(&b, n * n);
    d->im = bump_double(&b, n * n);
    d->b[0] = bump_double(&b, n);
    d->b[1] = bump_double(&b, n);
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

static bool deficient_load(la_deficient *d, const la_solver *s, const double *a, const double *m,
                           double re, double im)
{
    int n = d->n;
    const vinc_pattern *p = s->config.pattern;
    double sum = 0; // stays 0, or becomes NaN for NaN and infinities
    d->real = im == 0;
    for (int k = 0; k < n * n; k++) d->re[k] = d->im[k] = 0;
    for (int j = 0; j < n; j++)
        for (int k = p ? p->start[j] : j * n; k < (p ? p->start[j + 1] : (j + 1) * n); k++) {
            int at = (p ? p->row[k] : k - j * n) + j * n;
            d->re[at] = m ? a[k] + re * m[k] : a[k];
            d->im[at] = m && im != 0 ? im * m[k] : 0;
            sum += (d->re[at] - d->re[at]) + (d->im[at] - d->im[at]);
        }
    return sum == 0;
}

static double deficient_size(const la_deficient *d, int k)
{
    return fabs(d->re[k]) + fabs(d->im[k]);
}

static void deficient_scale(la_deficient *d, int k, double by)
{
    d->re[k] *= by;
    d->im[k] *= by;
}

/* First rows, then columns, to a largest entry of 1. */
static void deficient_equilibrate(la_deficient *d)
{
    int n = d->n;
    for (int i = 0; i < n; i++) d->rows[i] = d->cols[i] = 0;
    for (int k = 0; k < n * n; k++) d->rows[k % n] = fmax(d->rows[k % n], deficient_size(d, k));
    for (int i = 0; i < n; i++) d->rows[i] = d->rows[i] > 0 ? 1 / d->rows[i] : 1;
    for (int k = 0; k < n * n; k++) {
        deficient_scale(d, k, d->rows[k % n]);
        d->cols[k / n] = fmax(d->cols[k / n], deficient_size(d, k));
    }
    for (int j = 0; j < n; j++) d->cols[j] = d->cols[j] > 0 ? 1 / d->cols[j] : 1;
    for (int k = 0; k < n * n; k++) deficient_scale(d, k, d->cols[k / n]);
}

static void deficient_swap(int *list, int i, int j)
{
    int t = list[i];
    list[i] = list[j];
    list[j] = t;
}

static void deficient_exchange(double *a, int n, int k, int p, int q)
{
    for (int j = 0; j < n; j++) {
        double t = a[k + j * n];
        a[k + j * n] = a[p + j * n];
        a[p + j * n] = t;
    }
    for (int i = 0; i < n; i++) {
        double t = a[i + k * n];
        a[i + k * n] = a[i + q * n];
        a[i + q * n] = t;
    }
}

/* The largest entry that is left goes to place k. Returns its size. */
static double deficient_choose(la_deficient *d, int k)
{
    int n = d->n, p = k, q = k;
    double best = -1;
    for (int j = k; j < n; j++)
        for (int i = k; i < n; i++) {
            double size = d->real ? fabs(d->re[i + j * n]) : deficient_size(d, i + j * n);
            if (size > best) best = size, p = i, q = j;
        }
    deficient_exchange(d->re, n, k, p, q);
    if (!d->real) deficient_exchange(d->im, n, k, p, q);
    deficient_swap(d->row, k, p);
    deficient_swap(d->col, k, q);
    return best;
}

/* (*x + i *y) *= a + i b */
static void deficient_times(double *x, double *y, double a, double b)
{
    double re = *x * a - *y * b;
    *y = *x * b + *y * a;
    *x = re;
}

static void inverse_of_pivot(const la_deficient *d, int k, double *re, double *im)
{
    double a = d->re[k + k * d->n], b = d->im[k + k * d->n], size = a * a + b * b;
    *re = a / size;
    *im = -b / size;
}

static void deficient_eliminate(la_deficient *d, int k)
{
    int n = d->n;
    double re, im, *restrict pr = d->re + k * n, *restrict pi = d->im + k * n;
    inverse_of_pivot(d, k, &re, &im);
    for (int i = k + 1; i < n; i++) deficient_times(&pr[i], &pi[i], re, im);
    for (int j = k + 1; j < n; j++) {
        double *restrict cr = d->re + j * n, *restrict ci = d->im + j * n;
        double tr = cr[k], ti = ci[k];
        if (tr == 0 && ti == 0) continue;
        for (int i = k + 1; i < n; i++) cr[i] -= pr[i] * tr - pi[i] * ti;
        for (int i = k + 1; i < n && !d->real; i++) ci[i] -= pr[i] * ti + pi[i] * tr;
    }
}

int la_deficient_factor(la_deficient *d, const la_solver *s, const double *a, const double *m,
                        double re, double im)
{
    int n = d->n;
    if (!deficient_load(d, s, a, m, re, im)) return -1;
    deficient_equilibrate(d);
    for (int k = 0; k < n; k++) d->row[k] = d->col[k] = k;
    for (d->rank = 0; d->rank < n; d->rank++) {
        if (deficient_choose(d, d->rank) < ENTRY_ROUND_OFF) break;
        deficient_eliminate(d, d->rank);
    }
    return d->rank;
}

int la_deficient_open(const la_deficient *d)
{
    return d->rank < d->n ? d->col[d->rank] : -1;
}

bool la_deficient_left(const la_deficient *d, int i, la_deficient_place *at)
{
    int k = d->rank + i;
    if (k >= d->n) return false;
    int row = d->row[k], col = d->col[k];
    *at = (la_deficient_place){row, col, 1 / (d->rows[row] * d->cols[col])};
    return true;
}

double la_deficient_unit(const la_deficient *d, int col)
{
    return d->cols[col];
}

/* b[from ... to) -= column k times b[k] */
static void subtract_column(la_deficient *d, int k, int from, int to)
{
    const double *restrict pr = d->re + k * d->n, *restrict pi = d->im + k * d->n;
    double *restrict x = d->b[0], *restrict y = d->b[1];
    double tr = x[k], ti = y[k];
    for (int i = from; i < to; i++) x[i] -= pr[i] * tr - pi[i] * ti;
    for (int i = from; i < to; i++) y[i] -= pr[i] * ti + pi[i] * tr;
}

void la_deficient_solve(la_deficient *d, const la_solver *s, double *b)
{
    int n = d->n;
    bool planes = s->config.is_complex;
    double *x = d->b[0], *y = d->b[1], re, im;
    for (int k = 0; k < n; k++) {
        int i = d->row[k];
        x[k] = d->rows[i] * b[i];
        y[k] = planes ? d->rows[i] * b[n + i] : 0;
    }
    for (int k = 0; k < d->rank; k++) subtract_column(d, k, k + 1, n);
    for (int k = n - 1; k >= 0; k--) {
        inverse_of_pivot(d, k, &re, &im);
        if (k < d->rank) deficient_times(&x[k], &y[k], re, im);
        subtract_column(d, k, 0, k < d->rank ? k : d->rank);
    }
    for (int k = 0; k < n; k++) {
        int j = d->col[k];
        b[j] = x[k] * d->cols[j];
        if (planes) b[n + j] = y[k] * d->cols[j];
    }
}
