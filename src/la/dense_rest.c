/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense_rest.h"

#include "base/larger.h"
#include "la/simd.h"

#include <math.h>

SIMD_INLINE void subtract_complex(double *tr, double *ti, const double *re, const double *im,
                                  double x, double y, int n)
{
    int i = 0;
    simd4 xx = {x, x, x, x}, yy = {y, y, y, y};
    for (; i + 4 <= n; i += 4) {
        simd4 p = *(const simd4 *)(re + i), q = *(const simd4 *)(im + i);
        *(simd4 *)(tr + i) -= p * xx - q * yy;
        *(simd4 *)(ti + i) -= p * yy + q * xx;
    }
    for (; i < n; i++) {
        tr[i] -= re[i] * x - im[i] * y;
        ti[i] -= re[i] * y + im[i] * x;
    }
}

SIMD_INLINE void swap_rows(double *a, int n, int k, int p)
{
    for (int j = 0; j < n; j++) {
        double t = a[k + j * n];
        a[k + j * n] = a[p + j * n];
        a[p + j * n] = t;
    }
}

SIMD_INLINE double rest_size_of(const la_rest *r, int at)
{
    return fabs(r->a[at]) + (r->ai ? fabs(r->ai[at]) : 0);
}

/* The row of the pivot of step k, exchanged with row k. */
SIMD_INLINE bool rest_pivot(const la_rest *r, int k, double *least, double *most)
{
    int n = r->n, p = k;
    double best = rest_size_of(r, k + k * n);
    for (int i = k + 1; i < n; i++) {
        double x = rest_size_of(r, i + k * n);
        if (x > best) best = x, p = i;
    }
    if (!(best > 0 && best < INFINITY)) return false;
    *least = smaller_of(*least, best);
    *most = larger_of(*most, best);
    r->swaps[k] = p;
    if (p != k) swap_rows(r->a, n, k, p);
    if (p != k && r->ai) swap_rows(r->ai, n, k, p);
    return true;
}

SIMD_INLINE void step_real(double *a, int n, int k)
{
    double *col = a + k * n, inv = col[k] = 1 / col[k];
    for (int i = k + 1; i < n; i++) col[i] *= inv;
    for (int j = k + 1; j < n; j++)
        simd_subtract(a + j * n + k + 1, col + k + 1, a[k + j * n], n - k - 1);
}

SIMD_CLONES static void step_complex(double *a, double *b, int n, int k)
{
    double *re = a + k * n, *im = b + k * n, d = 1 / (re[k] * re[k] + im[k] * im[k]);
    double p = re[k] *= d, q = im[k] *= -d;
    for (int i = k + 1; i < n; i++) {
        double x = re[i] * p - im[i] * q;
        im[i] = re[i] * q + im[i] * p;
        re[i] = x;
    }
    for (int j = k + 1; j < n; j++)
        subtract_complex(a + j * n + k + 1, b + j * n + k + 1, re + k + 1, im + k + 1, a[k + j * n],
                         b[k + j * n], n - k - 1);
}

/* All steps in one call: of a handful of unknowns a step is a few operations. */
SIMD_CLONES static bool rest_factor_real(const la_rest *r, double *least, double *most)
{
    for (int k = 0; k < r->n; k++) {
        if (!rest_pivot(r, k, least, most)) return false;
        step_real(r->a, r->n, k);
    }
    return true;
}

bool la_rest_factor(const la_rest *r, double *least, double *most)
{
    if (!r->ai) return rest_factor_real(r, least, most);
    for (int k = 0; k < r->n; k++) {
        if (!rest_pivot(r, k, least, most)) return false;
        step_complex(r->a, r->ai, r->n, k);
    }
    return true;
}

static void rest_permute(const la_rest *r, double *b)
{
    for (int k = 0; k < r->n; k++) {
        double t = b[k];
        b[k] = b[r->swaps[k]];
        b[r->swaps[k]] = t;
    }
}

SIMD_CLONES static void sweep_real(const double *a, int n, double *b)
{
    for (int k = 0; k < n; k++) simd_subtract(b + k + 1, a + k * n + k + 1, b[k], n - k - 1);
    for (int k = n - 1; k >= 0; k--) {
        b[k] *= a[k + k * n];
        simd_subtract(b, a + k * n, b[k], k);
    }
}

SIMD_CLONES static void sweep_complex(const double *a, const double *ai, int n, double *b,
                                      double *bi)
{
    for (int k = 0; k < n; k++)
        subtract_complex(b + k + 1, bi + k + 1, a + k * n + k + 1, ai + k * n + k + 1, b[k], bi[k],
                         n - k - 1);
    for (int k = n - 1; k >= 0; k--) {
        double p = a[k + k * n], q = ai[k + k * n], x = b[k] * p - bi[k] * q;
        bi[k] = b[k] * q + bi[k] * p;
        b[k] = x;
        subtract_complex(b, bi, a + k * n, ai + k * n, b[k], bi[k], k);
    }
}

void la_rest_solve(const la_rest *r, double *b)
{
    rest_permute(r, b);
    sweep_real(r->a, r->n, b);
}

void la_rest_solve_complex(const la_rest *r, double *b, double *bi)
{
    rest_permute(r, b);
    rest_permute(r, bi);
    sweep_complex(r->a, r->ai, r->n, b, bi);
}
