/* Linear algebra inside an FMU: what the objects of LAPACK and BLAS call that would otherwise come from
 * libraries an importer may not have.
 *
 * LAPACK and BLAS are Debian's plain ones, linked in; they call two functions of the Fortran runtime,
 * which are here. A wrong argument would be a fault of ours: the routine returns and its caller sees
 * that the system was not solved. There is no SuperLU: Debian has no archive of it; KLU solves what it
 * would, more slowly.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

const la_backend la_backend_superlu = {.name = "superlu (not there)"};

int openblas_get_parallel(void);
int openblas_get_parallel(void)
{
    return 1; // nobody has to wait for a turn
}

void xerbla_(const char *name, const int *info, size_t n);
void xerbla_(const char *name, const int *info, size_t n)
{
    (void)name, (void)info, (void)n;
}

void _gfortran_concat_string(size_t n, char *to, size_t n_a, const char *a, size_t n_b,
                             const char *b);
void _gfortran_concat_string(size_t n, char *to, size_t n_a, const char *a, size_t n_b,
                             const char *b)
{
    if (n_a > n) n_a = n;
    memcpy(to, a, n_a);
    if (n_b > n - n_a) n_b = n - n_a;
    memcpy(to + n_a, b, n_b);
    memset(to + n_a + n_b, ' ', n - n_a - n_b);
}

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t n_ta, size_t n_tb);
void dtrsm_(const char *side, const char *uplo, const char *ta, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b,
            const int *ldb, size_t n_side, size_t n_uplo, size_t n_ta, size_t n_diag);

/* By columns: the order in which we keep matrices. */
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b, int ldb, double beta,
                 double *c, int ldc)
{
    const char *t[] = {ta == CblasNoTrans ? "N" : "T", tb == CblasNoTrans ? "N" : "T"};
    (void)layout;
    dgemm_(t[0], t[1], &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE ta,
                 CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b,
                 int ldb)
{
    (void)layout;
    dtrsm_(side == CblasLeft ? "L" : "R", uplo == CblasLower ? "L" : "U",
           ta == CblasNoTrans ? "N" : "T", diag == CblasUnit ? "U" : "N", &m, &n, &alpha, a, &lda,
           b, &ldb, 1, 1, 1, 1);
}
