/* Dense matrices for the questions that need rank decisions: QR with column pivoting, SVD, null
 * spaces, least-norm solutions, the generalized Schur form. Thin wrappers of LAPACK.
 *
 * Matrices are stored by columns: a[i + j*m]. Workspaces are the caller's and measured by the
 * functions named *_work (in doubles), so that solver code allocates once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_DENSE_H
#define LA_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* A P = Q R of an m by n matrix. a holds R above and the reflectors below its diagonal. */
typedef struct la_qr {
    int m, n, rank;
    double *a, *tau; // m*n; min(m, n)
    int *perm;       // column perm[j] of A is column j of A P
    double *work;    // la_qr_work(m, n) doubles
} la_qr;

size_t la_qr_work(int m, int n);
/* Factor q->a in place. A diagonal entry of R below tol times the largest one ends the rank;
 * tol <= 0: max(m, n) eps. Returns the rank, or -1 when a is not finite. */
int la_qr_factor(la_qr *q, double tol);
/* x (n) := a least-squares solution of A x = b (m; overwritten): zero in the columns that the
 * rank decision left out. */
void la_qr_solve(const la_qr *q, double *b, double *x);
void la_qr_apply_q(const la_qr *q, double *b, bool transposed); // b (m) := Q b or Q^T b

/* Complete orthogonal factorisation A P = Q [T 0; 0 0] Z: factored once, it gives the least-norm
 * solution of any right-hand side, also where rank is lost. */
typedef struct la_cod {
    int m, n, rank;
    double *a, *tau, *tau_z; // m*n; min(m, n) each
    int *perm;
    double *work; // la_cod_work(m, n) doubles
} la_cod;

size_t la_cod_work(int m, int n);
int la_cod_factor(la_cod *q, double tol);                 // as la_qr_factor
void la_cod_solve(const la_cod *q, double *b, double *x); // b (m) is overwritten

/* x := the solution of A x = b of least 2-norm, by complete orthogonal factorisation: also for
 * rank-deficient and inconsistent systems (then of least squares). a is overwritten. work:
 * la_least_norm_work doubles, iwork: n. Returns the rank or -1. */
size_t la_least_norm_work(int m, int n);
int la_least_norm(int m, int n, double *a, const double *b, double *x, double tol, double *work,
                  int *iwork);

/* Singular values (descending) and, where wanted, U (m by m) and V^T (n by n); a is overwritten. */
size_t la_svd_work(int m, int n);
int la_svd(int m, int n, double *a, double *sigma, double *u, double *vt, double *work);

/* Orthonormal basis of the null space: z is n by (n - rank). a is overwritten. Returns rank or -1. */
size_t la_null_work(int m, int n);
int la_null(int m, int n, double *a, double *z, double tol, double *work);

/* Generalized Schur form of the pencil lambda F + G, all n by n: Q^T F Z and Q^T G Z triangular by
 * blocks. Eigenvalues as (alpha_re + i alpha_im) / beta, beta 0 for infinite ones. q, z may be
 * NULL. */
size_t la_schur_work(int n);
int la_schur(int n, double *f, double *g, double *alpha_re, double *alpha_im, double *beta,
             double *q, double *z, double *work);

/* Eigenvalues of A (n by n, overwritten) and, where wanted, the right eigenvectors as LAPACK stores
 * them: of a pair re +- i im (im > 0 first) column j is the real, column j + 1 the imaginary part. */
size_t la_eigen_work(int n);
int la_eigen(int n, double *a, double *re, double *im, double *vectors, double *work);

/* The ordered Schur form of A (n by n, overwritten): the first *stable columns of q (n by n) span the
 * invariant subspace of the eigenvalues with negative real part. */
size_t la_stable_work(int n);
int la_stable(int n, double *a, double *q, int *stable, double *work);

/* b (n by m) := A^-1 b; a (n by n) is overwritten by its factors. Returns -1 if A is singular. */
int la_solve_dense(int n, int m, double *a, double *b, int *pivots);

/* R and L (p by m, given as the right-hand sides) of the pair of equations A R - L B = r,
 * D R - L E = l, with A, B upper triangular by blocks of order 1 or 2 and D, E upper triangular,
 * all of leading dimension ld. iwork: p + m + 6. Returns -1 if the pairs (A, D) and (B, E) have an
 * eigenvalue in common. */
int la_sylvester_pair(int p, int m, const double *a, const double *d, const double *b,
                      const double *e, int ld, double *r, double *l, int *iwork);

#endif
