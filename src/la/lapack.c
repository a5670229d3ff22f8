/* Dense LU by LAPACK (dgetrf, zgetrf), rows equilibrated by powers of two.
 *
 * Scaling by the power of two nearest to the largest entry of a row is exact, so the factors are
 * those of the given matrix up to the choice of pivots.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"
#include "la/blas_turn.h"

#include "base/bump.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef struct dense {
    double *a;     // n by n by columns; pairs when complex
    double *scale; // of rows
    double *b;     // scaled right-hand side; pairs when complex
    int *pivot;
    size_t bytes;
} dense;

static size_t lapack_layout(dense *z, size_t n, bool is_complex, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *z);
    z->a = bump_double(&b, (is_complex ? 2 : 1) * n * n);
    z->scale = bump_double(&b, n);
    z->b = bump_double(&b, (is_complex ? 2 : 1) * n);
    z->pivot = bump_int(&b, n);
    return bump_end(&b);
}

static int lapack_open(la_solver *s)
{
    dense probe;
    size_t n = (size_t)s->config.n, bytes = lapack_layout(&probe, n, s->config.is_complex, NULL);
    dense *z = mem_try(s->m, bytes);
    if (!z) return LA_E_MEMORY;
    memset(z, 0, bytes);
    lapack_layout(z, n, s->config.is_complex, z);
    z->bytes = bytes;
    s->state = z;
    return LA_OK;
}

static void lapack_close(la_solver *s)
{
    dense *z = s->state;
    mem_free(s->m, z, z->bytes);
}

static void lapack_load(dense *z, const la_solver *s, const double *a, const double *m, double re,
                        double im)
{
    size_t n = (size_t)s->config.n;
    int pair = s->config.is_complex ? 2 : 1;
    const vinc_pattern *p = s->config.pattern;
    if (p) memset(z->a, 0, (size_t)pair * n * n * sizeof *z->a);
    for (size_t j = 0; j < n; j++) {
        size_t begin = p ? (size_t)p->start[j] : j * n;
        size_t end = p ? (size_t)p->start[j + 1] : (j + 1) * n;
        for (size_t k = begin; k < end; k++) {
            size_t i = p ? (size_t)p->row[k] : k - begin;
            double *to = z->a + (size_t)pair * (i + j * n);
            to[0] = m ? a[k] + re * m[k] : a[k];
            if (pair == 2) to[1] = m ? im * m[k] : 0;
        }
    }
}

static void lapack_equilibrate(dense *z, size_t n, size_t pair)
{
    for (size_t i = 0; i < n; i++) z->scale[i] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < pair; c++)
                z->scale[i] = fmax(z->scale[i], fabs(z->a[pair * (i + j * n) + c]));
    for (size_t i = 0; i < n; i++) z->scale[i] = la_weight(z->scale[i]);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < pair; c++) z->a[pair * (i + j * n) + c] *= z->scale[i];
}

static int lapack_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    dense *z = s->state;
    int n = s->config.n, info = 0;
    size_t pair = s->config.is_complex ? 2 : 1;
    s->defect = -1;
    if (!n) return LA_OK;
    lapack_load(z, s, a, m, re, im);
    lapack_equilibrate(z, (size_t)n, pair);
    bool turn = la_blas_begin();
    if (s->config.is_complex)
        LAPACK_zgetrf(&n, &n, (lapack_complex_double *)(void *)z->a, &n, z->pivot, &info);
    else LAPACK_dgetrf(&n, &n, z->a, &n, z->pivot, &info);
    la_blas_end(turn);
    double smallest = INFINITY, largest = 0;
    for (int k = 0; k < n; k++) {
        const double *d = z->a + pair * ((size_t)k * (size_t)n + (size_t)k);
        double x = fabs(d[0]) + (pair == 2 ? fabs(d[1]) : 0);
        if (!(x > 0 && x < INFINITY)) return s->defect = k, LA_SINGULAR;
        smallest = fmin(smallest, x);
        largest = fmax(largest, x);
    }
    s->pivot_ratio = smallest / largest;
    return LA_OK;
}

static void lapack_solve(la_solver *s, double *b)
{
    dense *z = s->state;
    int n = s->config.n, one = 1, info = 0;
    if (!n) return;
    if (!s->config.is_complex) {
        for (int i = 0; i < n; i++) b[i] *= z->scale[i];
        bool turn = la_blas_begin();
        LAPACK_dgetrs("N", &n, &one, z->a, &n, z->pivot, b, &n, &info);
        la_blas_end(turn);
        return;
    }
    for (int i = 0; i < n; i++) {
        z->b[2 * i] = b[i] * z->scale[i];
        z->b[2 * i + 1] = b[n + i] * z->scale[i];
    }
    bool turn = la_blas_begin();
    LAPACK_zgetrs("N", &n, &one, (lapack_complex_double *)(void *)z->a, &n, z->pivot,
                  (lapack_complex_double *)(void *)z->b, &n, &info);
    la_blas_end(turn);
    for (int i = 0; i < n; i++) {
        b[i] = z->b[2 * i];
        b[n + i] = z->b[2 * i + 1];
    }
}

const la_backend la_backend_lapack = {
    .name = "lapack",
    .summary = "dense LU by LAPACK",
    .dense = true,
    .is_complex = true,
    .open = lapack_open,
    .close = lapack_close,
    .factor = lapack_factor,
    .solve = lapack_solve,
};
