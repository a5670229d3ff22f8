/* Householder's reflections: QR with column exchanges, the RZ form, least squares of least norm.
 *
 * G. H. Golub & C. F. Van Loan, Matrix Computations, 4th ed., sections 5.1, 5.4, 5.5. The rank of a
 * triangle by incremental condition estimation: C. H. Bischof, SIAM J. Matrix Anal. Appl. 11 (1990)
 * 312-322.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "browser/plain.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Of n numbers, `stride` apart; in their own unit where squares might leave the range. */
static double norm_of(int n, const double *x, size_t stride)
{
    double sum = 0, largest = 0;
    for (int i = 0; i < n; i++) sum += x[(size_t)i * stride] * x[(size_t)i * stride];
    if (sum > 1e-250 && sum < 1e250) return sqrt(sum);
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[(size_t)i * stride]));
    if (largest == 0 || !(largest < INFINITY)) return largest;
    sum = 0;
    for (int i = 0; i < n; i++) {
        double y = x[(size_t)i * stride] / largest;
        sum += y * y;
    }
    return largest * sqrt(sum);
}

/* tau, so that (I - tau v v^T) [alpha; x] = [beta; 0] with v = [1; x as it is afterwards]; *alpha := beta. */
static double reflect(double *alpha, int n, double *x, size_t stride)
{
    double rest = norm_of(n, x, stride);
    if (rest == 0) return 0;
    double beta = -copysign(hypot(*alpha, rest), *alpha), tau = (beta - *alpha) / beta;
    for (int i = 0; i < n; i++) x[(size_t)i * stride] /= *alpha - beta;
    *alpha = beta;
    return tau;
}

/* y := (I - tau v v^T) y with v = [1; x]; y's first number lies apart from the n others. */
static void apply(double tau, int n, const double *x, size_t stride, double *first, double *y,
                  size_t y_stride)
{
    double sum = *first;
    for (int i = 0; i < n; i++) sum += x[(size_t)i * stride] * y[(size_t)i * y_stride];
    sum *= tau;
    *first -= sum;
    for (int i = 0; i < n; i++) y[(size_t)i * y_stride] -= sum * x[(size_t)i * stride];
}

static void swap_columns(int m, double *a, double *b)
{
    for (int i = 0; i < m; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* The rest of a column's norm without its first entry x; from the entries where too little is left to be
 * exact (Z. Drmac & Z. Bujanovic, ACM Trans. Math. Softw. 35 (2008) 12). was: when it was computed last. */
static void shorten(double *norm, double *was, double x, int left, const double *rest)
{
    static const double EXACT = 1.4901161193847656e-08; // the root of the rounding unit
    if (*norm == 0) return;
    double part = fabs(x) / *norm, stays = fmax(0, (1 - part) * (1 + part)), ratio = *norm / *was;
    if (stays * ratio * ratio > EXACT) *norm *= sqrt(stays);
    else *norm = *was = norm_of(left, rest, 1);
}

void plain_dgeqp3(const int *m, const int *n, double *a, const int *lda, int *perm, double *tau,
                  double *work, const int *size, int *info)
{
    size_t ld = (size_t)*lda;
    double *norm = work, *was = norm + *n;
    (void)size;
    *info = 0;
    for (int j = 0; j < *n; j++) {
        perm[j] = j + 1;
        norm[j] = was[j] = norm_of(*m, a + (size_t)j * ld, 1);
    }
    for (int k = 0; k < least(*m, *n); k++) {
        double *c = a + (size_t)k * ld;
        int p = k;
        for (int j = k; j < *n; j++)
            if (norm[j] > norm[p]) p = j;
        if (p != k) {
            int t = perm[k];
            swap_columns(*m, c, a + (size_t)p * ld);
            perm[k] = perm[p];
            perm[p] = t;
            norm[p] = norm[k];
            was[p] = was[k];
        }
        tau[k] = reflect(&c[k], *m - k - 1, c + k + 1, 1);
        for (int j = k + 1; j < *n; j++) {
            double *x = a + (size_t)j * ld;
            apply(tau[k], *m - k - 1, c + k + 1, 1, &x[k], x + k + 1, 1);
            shorten(&norm[j], &was[j], x[k], *m - k - 1, x + k + 1);
        }
    }
}

void plain_dtzrzf(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
                  const int *size, int *info)
{
    size_t ld = (size_t)*lda;
    int more = *n - *m;
    double *right = a + (size_t)*m * ld; // columns that become zero
    (void)work, (void)size;
    *info = 0;
    for (int i = *m - 1; i >= 0; i--) {
        tau[i] = reflect(&a[(size_t)i * ld + (size_t)i], more, right + i, ld);
        for (int r = 0; r < i; r++)
            apply(tau[i], more, right + i, ld, &a[(size_t)i * ld + (size_t)r], right + r, ld);
    }
}

/* ---- the rank of a triangle ------------------------------------------------------------------ */

/* Of [f alpha; 0 gamma] the largest or the smallest singular value, and its left vector (s, c). */
static double singular_of_two(double f, double alpha, double gamma, int largest, double *s,
                              double *c)
{
    double scale = fmax(fabs(f), fmax(fabs(alpha), fabs(gamma)));
    *s = !largest || fabs(f) >= fabs(gamma), *c = 1 - *s;
    if (scale == 0) return 0;
    f /= scale, alpha /= scale, gamma /= scale;
    double most = (hypot(f + fabs(gamma), alpha) + hypot(f - fabs(gamma), alpha)) / 2;
    double sigma = largest ? most : fabs(f * gamma) / most, lambda = sigma * sigma;
    double a[2] = {lambda - gamma * gamma, alpha * gamma};
    double b[2] = {alpha * gamma, lambda - f * f - alpha * alpha};
    double size_a = hypot(a[0], a[1]), size_b = hypot(b[0], b[1]);
    const double *v = size_a >= size_b ? a : b;
    double size = fmax(size_a, size_b);
    if (size > 0) *s = v[0] / size, *c = v[1] / size;
    return sigma * scale;
}

static double next_estimate(double sigma, double *x, const double *column, int k, int largest)
{
    double alpha = 0, s, c;
    for (int i = 0; i < k; i++) alpha += x[i] * column[i];
    sigma = singular_of_two(sigma, alpha, column[k], largest, &s, &c);
    for (int i = 0; i < k; i++) x[i] *= s;
    x[k] = c;
    return sigma;
}

/* The leading rows of R whose condition is estimated below 1 / rcond; work: 4 k. */
static int rank_of(int k, const double *a, size_t ld, double rcond, double *work)
{
    double *high = work, *low = high + k, most = fabs(a[0]), smallest = most;
    int rank = most > 0;
    high[0] = low[0] = 1;
    for (; rank > 0 && rank < k; rank++) {
        const double *column = a + (size_t)rank * ld;
        most = next_estimate(most, high, column, rank, 1);
        smallest = next_estimate(smallest, low, column, rank, 0);
        if (most * rcond > smallest) break;
    }
    return rank;
}

void plain_dgelsy(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
                  const int *ldb, int *perm, const double *rcond, int *rank, double *work,
                  const int *size, int *info)
{
    size_t ld = (size_t)*lda;
    int k = least(*m, *n);
    double *tau = work, *tau_z = tau + k, *rest = tau_z + k;
    *info = 0;
    *rank = 0;
    if (k) plain_dgeqp3(m, n, a, lda, perm, tau, rest, size, info);
    if (k) *rank = rank_of(k, a, ld, *rcond, rest);
    int r = *rank;
    if (r > 0 && r < *n) plain_dtzrzf(&r, n, a, lda, tau_z, rest, size, info);
    for (int j = 0; j < *nrhs; j++) {
        double *x = b + (size_t)j * (size_t)*ldb;
        for (int i = 0; i < k; i++) {
            const double *c = a + (size_t)i * ld;
            if (i < r || r == *n) apply(tau[i], *m - i - 1, c + i + 1, 1, &x[i], x + i + 1, 1);
        }
        for (int i = r - 1; i >= 0; i--) {
            const double *c = a + (size_t)i * ld;
            x[i] /= c[i];
            for (int l = 0; l < i; l++) x[l] -= c[l] * x[i];
        }
        for (int i = r; i < *n; i++) x[i] = 0;
        for (int i = 0; i < r && r < *n; i++)
            apply(tau_z[i], *n - r, a + (size_t)r * ld + i, ld, &x[i], x + r, 1);
        for (int i = 0; i < *n; i++) rest[perm[i] - 1] = x[i];
        memcpy(x, rest, (size_t)*n * sizeof *x);
    }
}
