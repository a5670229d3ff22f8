/* Dense linear algebra where there is no LAPACK: in a browser.
 *
 * Plain loops behind LAPACK's interfaces, as much of them as a run asks for (la/dense.c, la/lapack.c,
 * la/fronts.c): for matrices of tens of unknowns. What is not asked for is not here, and a program that
 * asks for more is not linked.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_PLAIN_H
#define BROWSER_PLAIN_H

#include <stdbool.h>

/* ---- P A = L U; info: the first zero pivot, counted from 1; trans: "N" ------------------------- */

void plain_dgetrf(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void plain_dgetrs(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
                  const int *pivot, double *b, const int *ldb, int *info);
void plain_dgesv(const int *n, const int *nrhs, double *a, const int *lda, int *pivot, double *b,
                 const int *ldb, int *info);
void plain_zgetrf(const int *m, const int *n, double _Complex *a, const int *lda, int *pivot,
                  int *info);
void plain_zgetrs(const char *trans, const int *n, const int *nrhs, const double _Complex *a,
                  const int *lda, const int *pivot, double _Complex *b, const int *ldb, int *info);

/* ---- orthogonal factors ------------------------------------------------------------------------ */

/* A P = Q R; the column of the largest rest comes next, all are free to move. work: 2 n. */
void plain_dgeqp3(const int *m, const int *n, double *a, const int *lda, int *perm, double *tau,
                  double *work, const int *size, int *info);
/* [R 0] Z of an upper trapezoidal matrix with n >= m. */
void plain_dtzrzf(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
                  const int *size, int *info);
/* Least squares of least norm. work: min(m, n) + 2 n, and 2 min(m, n). */
void plain_dgelsy(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
                  const int *ldb, int *perm, const double *rcond, int *rank, double *work,
                  const int *size, int *info);
/* Singular values and, for a job "A", all vectors of that side; else "N". info: 1 without convergence. */
void plain_dgesvd(const char *job_u, const char *job_vt, const int *m, const int *n, double *a,
                  const int *lda, double *sigma, double *u, const int *ldu, double *vt,
                  const int *ldvt, double *work, const int *size, int *info);

/* ---- sparse elimination ------------------------------------------------------------------------ */

/* As BLAS has them, by columns: b := alpha L^-1 b with a unit lower triangle; c := alpha a b + beta c. */
void plain_lower_solve(int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void plain_product(int m, int n, int k, double alpha, const double *a, int lda, const double *b,
                   int ldb, double beta, double *c, int ldc);
/* An order of least degree for A + A^T, given by columns; -1 without memory. */
enum { PLAIN_LNZ, PLAIN_WORK, PLAIN_SYMMETRY, PLAIN_INFO };
int plain_order(int n, const int *start, const int *row, int *order, const double *control,
                double *info);

/* ---- numbers of 128 bits (binary128 of IEEE 754), by their bits --------------------------------- */

__extension__ typedef unsigned __int128 plain_quad;
plain_quad plain_quad_divide(plain_quad x, plain_quad y);

#endif
