/* Wrappers of LAPACK for rank decisions and canonical forms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "la/blas_turn.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static bool dense_finite_all(const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] - a[i]; // NaN as soon as one entry is not finite
    return sum == 0;
}

static double rank_tolerance(int m, int n, double tol)
{
    return tol > 0 ? tol : max_int(m, n) * DBL_EPSILON;
}

/* ---- QR with column pivoting ----------------------------------------------------------------- */

enum { LAPACK_BLOCK = 32 }; // LAPACK's block size for these routines

size_t la_qr_work(int m, int n)
{
    (void)m;
    return (size_t)(2 * n + (n + 1) * LAPACK_BLOCK + max_int(m, 1));
}

int la_qr_factor(la_qr *q, double tol)
{
    int m = q->m, n = q->n, k = min_int(m, n), info = 0, size = (int)la_qr_work(m, n);
    q->rank = 0;
    if (!dense_finite_all(q->a, (size_t)m * (size_t)n)) return -1;
    if (!k) return 0;
    memset(q->perm, 0, (size_t)n * sizeof *q->perm); // every column is free to move
    LAPACK_dgeqp3(&m, &n, q->a, &m, q->perm, q->tau, q->work, &size, &info);
    for (int j = 0; j < n; j++) q->perm[j]--;
    double limit = rank_tolerance(m, n, tol) * fabs(q->a[0]);
    while (q->rank < k) {
        double d = fabs(q->a[q->rank + (size_t)q->rank * (size_t)m]);
        if (d <= limit || d == 0) break;
        q->rank++;
    }
    return q->rank;
}

/* For one vector plain loops: the matrices are small, and so is what LAPACK would gain. */
void la_qr_apply_q(const la_qr *q, double *b, bool transposed)
{
    int m = q->m, k = min_int(q->m, q->n);
    for (int l = 0; l < k; l++) {
        int i = transposed ? l : k - 1 - l;
        const double *v = q->a + (size_t)i * (size_t)m; // the reflector below the diagonal
        double sum = b[i];
        for (int r = i + 1; r < m; r++) sum += v[r] * b[r];
        sum *= q->tau[i];
        b[i] -= sum;
        for (int r = i + 1; r < m; r++) b[r] -= sum * v[r];
    }
}

/* b := R^-1 b with the leading r rows of R. */
static void back_substitute(int r, const double *a, int m, double *b)
{
    for (int j = r - 1; j >= 0; j--) {
        const double *column = a + (size_t)j * (size_t)m;
        b[j] /= column[j];
        for (int i = 0; i < j; i++) b[i] -= column[i] * b[j];
    }
}

void la_qr_solve(const la_qr *q, double *b, double *x)
{
    la_qr_apply_q(q, b, true);
    back_substitute(q->rank, q->a, q->m, b);
    for (int j = 0; j < q->n; j++) x[q->perm[j]] = j < q->rank ? b[j] : 0;
}

/* ---- complete orthogonal factorisation ------------------------------------------------------- */

size_t la_cod_work(int m, int n)
{
    return la_qr_work(m, n) + (size_t)((LAPACK_BLOCK + 1) * max_int(m, n) + n);
}

/* The QR part of a complete factorisation, whose work array begins with that of QR. */
static la_qr qr_of(const la_cod *q)
{
    return (la_qr){q->m, q->n, q->rank, q->a, q->tau, q->perm, q->work};
}

int la_cod_factor(la_cod *q, double tol)
{
    la_qr r = qr_of(q);
    q->rank = la_qr_factor(&r, tol);
    int info = 0, size = (LAPACK_BLOCK + 1) * max_int(q->m, q->n);
    if (q->rank > 0 && q->rank < q->n) {
        bool turn = la_blas_begin();
        LAPACK_dtzrzf(&q->rank, &q->n, q->a, &q->m, q->tau_z, q->work + la_qr_work(q->m, q->n),
                      &size, &info);
        la_blas_end(turn);
    }
    return q->rank;
}

void la_cod_solve(const la_cod *q, double *b, double *x)
{
    la_qr f = qr_of(q);
    int r = q->rank, m = q->m;
    double *y = q->work;
    for (int j = 0; j < q->n; j++) y[j] = x[j] = 0;
    if (r <= 0) return;
    la_qr_apply_q(&f, b, true);
    back_substitute(r, q->a, m, b);
    for (int j = 0; j < r; j++) y[j] = b[j];
    for (int i = 0; i < r && r < q->n; i++) { // Z^T: reflector i is e_i and the rest of row i
        double sum = y[i];
        for (int j = r; j < q->n; j++) sum += q->a[i + (size_t)j * (size_t)m] * y[j];
        sum *= q->tau_z[i];
        y[i] -= sum;
        for (int j = r; j < q->n; j++) y[j] -= sum * q->a[i + (size_t)j * (size_t)m];
    }
    for (int j = 0; j < q->n; j++) x[q->perm[j]] = y[j];
}

/* ---- least norm ------------------------------------------------------------------------------ */

size_t la_least_norm_work(int m, int n)
{
    int k = min_int(m, n);
    size_t lapack = (size_t)(k + 2 * n + LAPACK_BLOCK * (n + 1) + LAPACK_BLOCK * max_int(m, n));
    return lapack + (size_t)max_int(m, n);
}

int la_least_norm(int m, int n, double *a, const double *b, double *x, double tol, double *work,
                  int *iwork)
{
    int one = 1, rank = 0, info = 0, ld = max_int(max_int(m, n), 1);
    double *rhs = work, limit = rank_tolerance(m, n, tol);
    int size = (int)(la_least_norm_work(m, n) - (size_t)ld);
    if (!dense_finite_all(a, (size_t)m * (size_t)n) || !dense_finite_all(b, (size_t)m)) return -1;
    memset(x, 0, (size_t)n * sizeof *x);
    if (!m || !n) return 0;
    memcpy(rhs, b, (size_t)m * sizeof *rhs);
    memset(iwork, 0, (size_t)n * sizeof *iwork);
    bool turn = la_blas_begin();
    LAPACK_dgelsy(&m, &n, &one, a, &m, rhs, &ld, iwork, &limit, &rank, work + ld, &size, &info);
    la_blas_end(turn);
    if (info) return -1;
    memcpy(x, rhs, (size_t)n * sizeof *x);
    return rank;
}

/* ---- singular values, null space ------------------------------------------------------------- */

size_t la_svd_work(int m, int n)
{
    int k = min_int(m, n);
    return (size_t)(max_int(3 * k + max_int(m, n), 5 * k) + LAPACK_BLOCK * (m + n) + 1);
}

int la_svd(int m, int n, double *a, double *sigma, double *u, double *vt, double *work)
{
    int size = (int)la_svd_work(m, n), info = 0, one = 1;
    if (!dense_finite_all(a, (size_t)m * (size_t)n)) return -1;
    if (!m || !n) return 0;
    bool turn = la_blas_begin();
    LAPACK_dgesvd(u ? "A" : "N", vt ? "A" : "N", &m, &n, a, &m, sigma, u, u ? &m : &one, vt,
                  vt ? &n : &one, work, &size, &info);
    la_blas_end(turn);
    return info ? -1 : 0;
}

size_t la_null_work(int m, int n)
{
    return la_svd_work(m, n) + (size_t)n * (size_t)n + (size_t)min_int(m, n) + 1;
}

int la_null(int m, int n, double *a, double *z, double tol, double *work)
{
    double *vt = work, *sigma = vt + (size_t)n * (size_t)n;
    int k = min_int(m, n), rank = 0;
    if (la_svd(m, n, a, sigma, NULL, vt, sigma + k + 1)) return -1;
    if (!k)
        for (int i = 0; i < n * n; i++) vt[i] = i % (n + 1) == 0;
    double limit = k ? rank_tolerance(m, n, tol) * sigma[0] : 0;
    while (rank < k && sigma[rank] > limit) rank++;
    for (int j = rank; j < n; j++)
        for (int i = 0; i < n; i++)
            z[i + (size_t)(j - rank) * (size_t)n] = vt[j + (size_t)i * (size_t)n];
    return rank;
}

/* ---- generalized Schur ----------------------------------------------------------------------- */

size_t la_schur_work(int n)
{
    return (size_t)(8 * n + 16 + LAPACK_BLOCK * n);
}

int la_schur(int n, double *f, double *g, double *alpha_re, double *alpha_im, double *beta,
             double *q, double *z, double *work)
{
    int size = (int)la_schur_work(n), info = 0, none = 0, ld = max_int(n, 1);
    if (!n) return 0;
    if (!dense_finite_all(f, (size_t)n * (size_t)n) || !dense_finite_all(g, (size_t)n * (size_t)n))
        return -1;
    // lambda F + G is singular where G x = (-lambda) F x: eigenvalues of the pair (G, F), negated.
    bool turn = la_blas_begin();
    LAPACK_dgges(q ? "V" : "N", z ? "V" : "N", "N", NULL, &n, g, &ld, f, &ld, &none, alpha_re,
                 alpha_im, beta, q, &ld, z, &ld, work, &size, NULL, &info);
    la_blas_end(turn);
    for (int i = 0; i < n; i++) alpha_re[i] = -alpha_re[i], alpha_im[i] = -alpha_im[i];
    return info ? -1 : 0;
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

size_t la_eigen_work(int n)
{
    return (size_t)(4 * n + 16 + LAPACK_BLOCK * n);
}

int la_eigen(int n, double *a, double *re, double *im, double *vectors, double *work)
{
    int size = (int)la_eigen_work(n), info = 0, ld = max_int(n, 1), one = 1;
    if (!n) return 0;
    if (!dense_finite_all(a, (size_t)n * (size_t)n)) return -1;
    bool turn = la_blas_begin();
    LAPACK_dgeev("N", vectors ? "V" : "N", &n, a, &ld, re, im, NULL, &one, vectors,
                 vectors ? &ld : &one, work, &size, &info);
    la_blas_end(turn);
    return info ? -1 : 0;
}

size_t la_stable_work(int n)
{
    return (size_t)(6 * n + 16 + LAPACK_BLOCK * n); // with eigenvalues, and flags in doubles
}

static lapack_logical decays(const double *re, const double *im)
{
    (void)im;
    return *re < 0;
}

int la_stable(int n, double *a, double *q, int *stable, double *work)
{
    double *re = work, *im = re + n, *flags = im + n, *rest = flags + n;
    int size = (int)la_stable_work(n) - 3 * n, info = 0;
    *stable = 0;
    if (!n) return 0;
    if (!dense_finite_all(a, (size_t)n * (size_t)n)) return -1;
    bool turn = la_blas_begin();
    LAPACK_dgees("V", "S", decays, &n, a, &n, stable, re, im, q, &n, rest, &size,
                 (lapack_logical *)(void *)flags, &info);
    la_blas_end(turn);
    return info ? -1 : 0;
}

/* ---- systems of matrices --------------------------------------------------------------------- */

int la_solve_dense(int n, int m, double *a, double *b, int *pivots)
{
    int info = 0;
    if (!n || !m) return 0;
    bool turn = la_blas_begin();
    LAPACK_dgesv(&n, &m, a, &n, pivots, b, &n, &info);
    la_blas_end(turn);
    return info ? -1 : 0;
}

int la_sylvester_pair(int p, int m, const double *a, const double *d, const double *b,
                      const double *e, int ld, double *r, double *l, int *iwork)
{
    int job = 0, one = 1, info = 0;
    double scale = 1, dif = 0, work = 0;
    if (!p || !m) return 0;
    bool turn = la_blas_begin();
    LAPACK_dtgsyl("N", &job, &p, &m, (double *)a, &ld, (double *)b, &ld, r, &p, (double *)d, &ld,
                  (double *)e, &ld, l, &p, &scale, &dif, &work, &one, iwork, &info);
    la_blas_end(turn);
    if (info || scale == 0) return -1;
    for (size_t i = 0; i < (size_t)p * (size_t)m; i++) r[i] /= scale, l[i] /= scale;
    return 0;
}
