/* Dense LU for a few unknowns: plain loops over columns that the compiler vectorises.
 *
 * For n below about 30 the call and set-up overhead of a tuned BLAS exceeds its gain. Right-looking
 * elimination with partial pivoting, rows weighed by the reciprocal of their largest entry when
 * pivots are compared (implicit equilibration: no value is scaled). L has its unit diagonal
 * implied; rows are swapped in full, so a right-hand side is permuted once and then swept twice, by
 * columns. Complex matrices keep real and imaginary parts in two planes.
 *
 * G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., sections 3.4 and 3.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"

#include "base/bump.h"
#include "la/dense_rest.h"

#include <math.h>
#include <string.h>

enum { SMALL_N_MAX = 64 };

typedef struct small {
    double *a, *ai;   // n by n, by columns: the factors; imaginary plane of complex ones
    double *inv_diag; // 1 / u_kk, then its imaginary part
    double *weight;   // 1 / largest entry of a row
    double *b, *bi;   // the permuted right-hand side
    int *perm;        // row perm[k] of A is row k of LU
    size_t bytes;
} small;

static size_t small_layout(small *s, size_t n, bool is_complex, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *s);
    s->a = bump_double(&b, n * n);
    s->ai = is_complex ? bump_double(&b, n * n) : NULL;
    s->inv_diag = bump_double(&b, 2 * n);
    s->weight = bump_double(&b, n);
    s->b = bump_double(&b, n);
    s->bi = is_complex ? bump_double(&b, n) : NULL;
    s->perm = bump_int(&b, n);
    return bump_end(&b);
}

static int small_open(la_solver *s)
{
    small probe;
    size_t n = (size_t)s->config.n, bytes = small_layout(&probe, n, s->config.is_complex, NULL);
    small *z = mem_try(s->m, bytes);
    if (!z) return LA_E_MEMORY;
    memset(z, 0, bytes);
    small_layout(z, n, s->config.is_complex, z);
    z->bytes = bytes;
    s->state = z;
    return LA_OK;
}

static void small_close(la_solver *s)
{
    small *z = s->state;
    mem_free(s->m, z, z->bytes);
}

/* The full array of A + c M. */
static void small_load(double *restrict full, const la_solver *s, const double *restrict a,
                       const double *restrict m, double c)
{
    int n = s->config.n;
    const vinc_pattern *p = s->config.pattern;
    if (!p) {
        if (m)
            for (int k = 0; k < n * n; k++) full[k] = a[k] + c * m[k];
        else memcpy(full, a, (size_t)n * (size_t)n * sizeof *full);
        return;
    }
    memset(full, 0, (size_t)n * (size_t)n * sizeof *full);
    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            full[p->row[k] + j * n] = m ? a[k] + c * m[k] : a[k];
}

/* The imaginary plane: im M. */
static void load_imaginary(double *restrict full, const la_solver *s, const double *restrict m,
                           double im)
{
    int n = s->config.n;
    const vinc_pattern *p = s->config.pattern;
    if (m && !p) {
        for (int k = 0; k < n * n; k++) full[k] = im * m[k];
        return;
    }
    memset(full, 0, (size_t)n * (size_t)n * sizeof *full);
    if (!m) return;
    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) full[p->row[k] + j * n] = im * m[k];
}

static void weigh_rows(double *restrict weight, const double *restrict a, int n)
{
    for (int i = 0; i < n; i++) weight[i] = fabs(a[i]);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < n; i++) {
            double x = fabs(a[i + j * n]);
            weight[i] = weight[i] > x ? weight[i] : x;
        }
    for (int i = 0; i < n; i++) weight[i] = weight[i] > 0 ? 1 / weight[i] : 1;
}

static void small_exchange(small *z, int n, int k, int p)
{
    la_swap_rows(z->a, n, k, p);
    if (z->ai) la_swap_rows(z->ai, n, k, p);
    double w = z->weight[k];
    z->weight[k] = z->weight[p];
    z->weight[p] = w;
    int q = z->perm[k];
    z->perm[k] = z->perm[p];
    z->perm[p] = q;
}

static void start_pivots(la_solver *s)
{
    small *z = s->state;
    for (int i = 0; i < s->config.n; i++) z->perm[i] = i;
    s->defect = -1;
}

static int factor_real(la_solver *s)
{
    small *z = s->state;
    int n = s->config.n;
    double smallest = INFINITY, largest = 0;
    weigh_rows(z->weight, z->a, n);
    for (int k = 0; k < n; k++) {
        double *restrict col = z->a + k * n;
        int p = k;
        double best = fabs(col[k]) * z->weight[k];
        for (int i = k + 1; i < n; i++) {
            double x = fabs(col[i]) * z->weight[i];
            if (x > best) best = x, p = i;
        }
        if (!(best > 0 && best < INFINITY)) return s->defect = k, LA_SINGULAR;
        smallest = fmin(smallest, best);
        largest = fmax(largest, best);
        if (p != k) small_exchange(z, n, k, p);
        double inv = z->inv_diag[k] = 1 / col[k];
        for (int i = k + 1; i < n; i++) col[i] *= inv;
        for (int j = k + 1; j < n; j++) {
            double *restrict to = z->a + j * n, x = to[k];
            for (int i = k + 1; i < n; i++) to[i] -= col[i] * x;
        }
    }
    s->pivot_ratio = n ? smallest / largest : 1;
    return LA_OK;
}

/* Sizes of complex entries are compared by |re| + |im|. */
static int factor_complex(la_solver *s)
{
    small *z = s->state;
    int n = s->config.n;
    double smallest = INFINITY, largest = 0;
    weigh_rows(z->weight, z->a, n);
    weigh_rows(z->b, z->ai, n);
    for (int i = 0; i < n; i++) z->weight[i] = fmin(z->weight[i], z->b[i]);
    for (int k = 0; k < n; k++) {
        double *restrict re = z->a + k * n, *restrict im = z->ai + k * n;
        int p = k;
        double best = (fabs(re[k]) + fabs(im[k])) * z->weight[k];
        for (int i = k + 1; i < n; i++) {
            double x = (fabs(re[i]) + fabs(im[i])) * z->weight[i];
            if (x > best) best = x, p = i;
        }
        if (!(best > 0 && best < INFINITY)) return s->defect = k, LA_SINGULAR;
        smallest = fmin(smallest, best);
        largest = fmax(largest, best);
        if (p != k) small_exchange(z, n, k, p);
        double d = re[k] * re[k] + im[k] * im[k], ir = re[k] / d, ii = -im[k] / d;
        z->inv_diag[k] = ir;
        z->inv_diag[n + k] = ii;
        for (int i = k + 1; i < n; i++) {
            double x = re[i] * ir - im[i] * ii;
            im[i] = re[i] * ii + im[i] * ir;
            re[i] = x;
        }
        for (int j = k + 1; j < n; j++) {
            double *restrict tr = z->a + j * n, *restrict ti = z->ai + j * n, x = tr[k], y = ti[k];
            for (int i = k + 1; i < n; i++) {
                tr[i] -= re[i] * x - im[i] * y;
                ti[i] -= re[i] * y + im[i] * x;
            }
        }
    }
    s->pivot_ratio = n ? smallest / largest : 1;
    return LA_OK;
}

static int small_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    small *z = s->state;
    start_pivots(s);
    small_load(z->a, s, a, m, re);
    if (!s->config.is_complex) return factor_real(s);
    load_imaginary(z->ai, s, m, im);
    return factor_complex(s);
}

static void small_solve_real(const small *z, int n, double *restrict out)
{
    double *restrict b = z->b;
    for (int k = 0; k < n; k++) b[k] = out[z->perm[k]];
    for (int k = 0; k < n; k++) {
        const double *restrict col = z->a + k * n;
        double x = b[k];
        for (int i = k + 1; i < n; i++) b[i] -= col[i] * x;
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *restrict col = z->a + k * n;
        double x = out[k] = b[k] * z->inv_diag[k];
        for (int i = 0; i < k; i++) b[i] -= col[i] * x;
    }
}

static void small_solve_complex(const small *z, int n, double *restrict out)
{
    double *restrict br = z->b, *restrict bi = z->bi;
    for (int k = 0; k < n; k++) br[k] = out[z->perm[k]], bi[k] = out[n + z->perm[k]];
    for (int k = 0; k < n; k++) {
        const double *restrict re = z->a + k * n, *restrict im = z->ai + k * n;
        double x = br[k], y = bi[k];
        for (int i = k + 1; i < n; i++) {
            br[i] -= re[i] * x - im[i] * y;
            bi[i] -= re[i] * y + im[i] * x;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *restrict re = z->a + k * n, *restrict im = z->ai + k * n;
        double x = br[k] * z->inv_diag[k] - bi[k] * z->inv_diag[n + k];
        double y = br[k] * z->inv_diag[n + k] + bi[k] * z->inv_diag[k];
        out[k] = x;
        out[n + k] = y;
        for (int i = 0; i < k; i++) {
            br[i] -= re[i] * x - im[i] * y;
            bi[i] -= re[i] * y + im[i] * x;
        }
    }
}

static void small_solve(la_solver *s, double *b)
{
    if (s->config.is_complex) small_solve_complex(s->state, s->config.n, b);
    else small_solve_real(s->state, s->config.n, b);
}

const la_backend la_backend_small = {
    .name = "small",
    .summary = "dense LU in plain loops, for a few unknowns",
    .dense = true,
    .is_complex = true,
    .n_max = SMALL_N_MAX,
    .open = small_open,
    .close = small_close,
    .factor = small_factor,
    .solve = small_solve,
};
