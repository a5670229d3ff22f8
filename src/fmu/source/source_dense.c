/* Dense linear algebra of small systems.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pivots are compared in units of the largest element of their row: a DAE has rows of all sizes. The
 * units follow the matrix: pivot has room for n numbers, a for n * n and n more. */
bool source_lu(int n, double *a, int *pivot, double *least)
{
    double *unit = a + (size_t)n * (size_t)n;
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(a[i + j * n]));
        if (!(most > 0) || !isfinite(most)) return false;
        unit[i] = 1 / most;
        for (int j = 0; j < n; j++) a[i + j * n] *= unit[i];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i + k * n]) > fabs(a[best + k * n])) best = i;
        pivot[k] = best;
        if (!(fabs(a[best + k * n]) > DBL_MIN)) return false;
        if (least) *least = fmin(*least, fabs(a[best + k * n]));
        for (int j = 0; best != k && j < n; j++) {
            double x = a[k + j * n];
            a[k + j * n] = a[best + j * n];
            a[best + j * n] = x;
        }
        for (int i = k + 1; i < n; i++) a[i + k * n] /= a[k + k * n];
        for (int j = k + 1; j < n; j++) {
            double x = a[k + j * n];
            if (x == 0) continue;
            for (int i = k + 1; i < n; i++) a[i + j * n] -= a[i + k * n] * x;
        }
    }
    return true;
}

void source_lu_solve(int n, const double *a, const int *pivot, double *b)
{
    const double *unit = a + (size_t)n * (size_t)n;
    for (int i = 0; i < n; i++) b[i] *= unit[i];
    for (int k = 0; k < n; k++) { // whole rows were exchanged
        double x = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = x;
    }
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) b[i] -= a[i + j * n] * b[j];
    for (int j = n - 1; j >= 0; j--) {
        b[j] /= a[j + j * n];
        for (int i = 0; i < j; i++) b[i] -= a[i + j * n] * b[j];
    }
}

static void exchange(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* x := (1 - 2 u u^T / u^T u) x from element k on. */
static void reflect(const double *u, int k, int n, double *x)
{
    double norm = 0, sum = 0;
    for (int i = k; i < n; i++) norm += u[i] * u[i], sum += u[i] * x[i];
    for (int i = k; i < n && norm > 0; i++) x[i] -= 2 * sum / norm * u[i];
}

/* QR with pivoting of G^T: Householder; P. Businger and G. H. Golub, Numer. Math. 7 (1965) 269-276. */
int source_least(int m, int n, const double *g, const double *b, double *x, double *z)
{
    const double RANK = 1e-12; // relative size of a pivot that counts as 0
    size_t cells = (size_t)n * (size_t)m;
    double *q = malloc((2 * cells + (size_t)m + 1) * sizeof *q), *u = q ? q + cells : NULL,
           *rhs = q ? u + cells : NULL, first = 0;
    int rank = 0;
    if (!q) return -1;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) q[j + i * n] = g[i + j * m];
        rhs[i] = b ? b[i] : 0;
    }
    if (!source_finite(q, n * m)) {
        free(q);
        return -1;
    }
    for (; rank < m && rank < n; rank++) {
        int best = rank;
        double most = -1;
        for (int i = rank; i < m; i++) {
            double norm = 0;
            for (int j = rank; j < n; j++) norm += q[j + i * n] * q[j + i * n];
            if (norm > most) most = norm, best = i;
        }
        most = sqrt(most);
        if (!rank) first = most;
        if (!(most > RANK * first)) break;
        exchange(q + (size_t)rank * (size_t)n, q + (size_t)best * (size_t)n, n);
        exchange(&rhs[rank], &rhs[best], best != rank);
        double *h = u + (size_t)rank * (size_t)n, *column = q + (size_t)rank * (size_t)n;
        memcpy(h, column, (size_t)n * sizeof *h);
        h[rank] += h[rank] < 0 ? -most : most;
        for (int i = rank; i < m; i++) reflect(h, rank, n, q + (size_t)i * (size_t)n);
    }
    // R^T c = b, x = Q c
    for (int j = 0; x && j < n; j++) x[j] = 0;
    for (int k = 0; x && k < rank; k++) {
        double sum = rhs[k];
        for (int j = 0; j < k; j++) sum -= q[j + k * n] * x[j];
        x[k] = sum / q[k + k * n];
    }
    for (int k = rank - 1; x && k >= 0; k--) reflect(u + (size_t)k * (size_t)n, k, n, x);
    for (int j = 0; z && j < n; j++) {
        double *column = z + (size_t)j * (size_t)n;
        memset(column, 0, (size_t)n * sizeof *column);
        column[j] = 1;
        for (int k = rank - 1; k >= 0; k--) reflect(u + (size_t)k * (size_t)n, k, n, column);
    }
    free(q);
    return rank;
}

/* One-sided Jacobi: columns are turned until they are orthogonal. M. R. Hestenes, J. SIAM 6 (1958). */
double source_smallest_singular(int n, double *a)
{
    enum { SWEEPS = 30 };
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double alpha = 0, beta = 0, gamma = 0;
                for (int i = 0; i < n; i++) {
                    alpha += a[i + p * n] * a[i + p * n];
                    beta += a[i + q * n] * a[i + q * n];
                    gamma += a[i + p * n] * a[i + q * n];
                }
                if (fabs(gamma) <= 1e-14 * sqrt(alpha * beta)) continue;
                turned = true;
                double zeta = (beta - alpha) / (2 * gamma);
                double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t), sine = c * t;
                for (int i = 0; i < n; i++) {
                    double x = a[i + p * n];
                    a[i + p * n] = c * x - sine * a[i + q * n];
                    a[i + q * n] = sine * x + c * a[i + q * n];
                }
            }
    }
    double least = INFINITY;
    for (int p = 0; p < n; p++) {
        double norm = 0;
        for (int i = 0; i < n; i++) norm += a[i + p * n] * a[i + p * n];
        least = fmin(least, sqrt(norm));
    }
    return least;
}
