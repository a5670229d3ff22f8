/* Gaussian elimination by columns (Golub & Van Loan, Matrix Computations, 4th ed., section 3.4).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "browser/plain.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>

static double size_real(double x)
{
    return fabs(x);
}

static double size_complex(double _Complex x) // LAPACK's, which needs no root
{
    return fabs(creal(x)) + fabs(cimag(x));
}

// clang-format off
#define LU(number, size, factor, solve)                                                            \
    void factor(const int *m, const int *n, number *a, const int *lda, int *pivot, int *info)      \
    {                                                                                              \
        size_t ld = (size_t)*lda;                                                                  \
        int k_end = *m < *n ? *m : *n;                                                             \
        *info = 0;                                                                                 \
        for (int k = 0; k < k_end; k++) {                                                          \
            number *c = a + (size_t)k * ld;                                                        \
            int p = k;                                                                             \
            for (int i = k + 1; i < *m; i++)                                                       \
                if (size(c[i]) > size(c[p])) p = i;                                                \
            pivot[k] = p + 1;                                                                      \
            if (c[p] == 0) {                                                                       \
                if (!*info) *info = k + 1;                                                         \
                continue;                                                                          \
            }                                                                                      \
            for (int j = 0; j < *n && p != k; j++) {                                               \
                number *x = a + (size_t)j * ld, t = x[k];                                          \
                x[k] = x[p];                                                                       \
                x[p] = t;                                                                          \
            }                                                                                      \
            for (int i = k + 1; i < *m; i++) c[i] /= c[k];                                         \
            for (int j = k + 1; j < *n; j++) {                                                     \
                number *x = a + (size_t)j * ld;                                                    \
                if (x[k] == 0) continue;                                                           \
                for (int i = k + 1; i < *m; i++) x[i] -= c[i] * x[k];                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void solve(const char *trans, const int *n, const int *nrhs, const number *a, const int *lda,  \
               const int *pivot, number *b, const int *ldb, int *info)                             \
    {                                                                                              \
        size_t ld = (size_t)*lda;                                                                  \
        *info = *trans == 'N' ? 0 : -1;                                                            \
        for (int j = 0; j < *nrhs && !*info; j++) {                                                \
            number *x = b + (size_t)j * (size_t)*ldb;                                              \
            for (int k = 0; k < *n; k++) {                                                         \
                number t = x[k];                                                                   \
                x[k] = x[pivot[k] - 1];                                                            \
                x[pivot[k] - 1] = t;                                                               \
            }                                                                                      \
            for (int k = 0; k < *n; k++)                                                           \
                for (int i = k + 1; i < *n; i++) x[i] -= a[(size_t)k * ld + (size_t)i] * x[k];     \
            for (int k = *n - 1; k >= 0; k--) {                                                    \
                x[k] /= a[(size_t)k * ld + (size_t)k];                                             \
                for (int i = 0; i < k; i++) x[i] -= a[(size_t)k * ld + (size_t)i] * x[k];          \
            }                                                                                      \
        }                                                                                          \
    }
// clang-format on

LU(double, size_real, plain_dgetrf, plain_dgetrs)
LU(double _Complex, size_complex, plain_zgetrf, plain_zgetrs)

void plain_dgesv(const int *n, const int *nrhs, double *a, const int *lda, int *pivot, double *b,
                 const int *ldb, int *info)
{
    plain_dgetrf(n, n, a, lda, pivot, info);
    if (!*info) plain_dgetrs("N", n, nrhs, a, lda, pivot, b, ldb, info);
}

void plain_lower_solve(int m, int n, double alpha, const double *a, int lda, double *b, int ldb)
{
    for (int j = 0; j < n; j++) {
        double *x = b + (size_t)j * (size_t)ldb;
        for (int i = 0; i < m; i++) x[i] *= alpha;
        for (int k = 0; k < m; k++) {
            const double *c = a + (size_t)k * (size_t)lda;
            for (int i = k + 1; i < m; i++) x[i] -= c[i] * x[k];
        }
    }
}

void plain_product(int m, int n, int k, double alpha, const double *a, int lda, const double *b,
                   int ldb, double beta, double *c, int ldc)
{
    for (int j = 0; j < n; j++) {
        double *x = c + (size_t)j * (size_t)ldc;
        for (int i = 0; i < m; i++) x[i] *= beta;
        for (int l = 0; l < k; l++) {
            double t = alpha * b[(size_t)j * (size_t)ldb + (size_t)l];
            const double *y = a + (size_t)l * (size_t)lda;
            for (int i = 0; i < m; i++) x[i] += t * y[i];
        }
    }
}
