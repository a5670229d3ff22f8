/* LAPACK's names for plain.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_LAPACKE_H
#define BROWSER_LAPACKE_H

#include "browser/plain.h"

typedef int lapack_int, lapack_logical;
typedef double _Complex lapack_complex_double;

#define LAPACK_dgetrf plain_dgetrf
#define LAPACK_dgetrs plain_dgetrs
#define LAPACK_dgesv  plain_dgesv
#define LAPACK_zgetrf plain_zgetrf
#define LAPACK_zgetrs plain_zgetrs
#define LAPACK_dgeqp3 plain_dgeqp3
#define LAPACK_dtzrzf plain_dtzrzf
#define LAPACK_dgelsy plain_dgelsy
#define LAPACK_dgesvd plain_dgesvd

void LAPACK_dgeev(const char *job_left, const char *job_right, const int *n, double *a,
                  const int *lda, double *re, double *im, double *left, const int *ld_left,
                  double *right, const int *ld_right, double *work, const int *size, int *info);
/* Not there: what needs them is not linked. */
void LAPACK_dgges();
void LAPACK_dgees();
void LAPACK_dtgsyl();

#endif
