/* What la/fronts.c asks of BLAS. There are no names for what plain.h does not do.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_CBLAS_H
#define BROWSER_CBLAS_H

#include "browser/plain.h"

enum { CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit };

static inline void cblas_dtrsm(int layout, int side, int uplo, int trans, int diag, int m, int n,
                               double alpha, const double *a, int lda, double *b, int ldb)
{
    (void)layout, (void)side, (void)uplo, (void)trans, (void)diag;
    plain_lower_solve(m, n, alpha, a, lda, b, ldb);
}

static inline void cblas_dgemm(int layout, int ta, int tb, int m, int n, int k, double alpha,
                               const double *a, int lda, const double *b, int ldb, double beta,
                               double *c, int ldc)
{
    (void)layout, (void)ta, (void)tb;
    plain_product(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

#endif
