/* LAPACK behind Modelica.Math.Matrices.LAPACK.
 *
 * The arguments of a Fortran call are arrays by columns and their sizes; a model may have written
 * them itself, so that sizes are held against the arrays before anything is called. Whole numbers
 * among the scalars of a call are doubles: pivots are copied.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"
#include "la/blas_turn.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>

enum { PIVOTS_MAX = 4096 };

static int size_at(const external_call *c, int k)
{
    double x = c->arg[k].at[0];
    return x >= 0 && x <= PIVOTS_MAX ? (int)x : -1;
}

/* Is argument `a` a matrix of rows by cols with that leading dimension? */
static bool is_matrix(const external_call *c, int a, int rows, int cols, int leading)
{
    return rows >= 0 && cols >= 0 && c->arg[a].n == rows * cols &&
           c->arg[leading].at[0] == (rows > 1 ? rows : 1);
}

static bool refuse(external_call *c)
{
    snprintf(c->why, EXTERNAL_WHY,
             "the sizes that %s is called with do not fit its arrays (at most %d rows)", c->f->name,
             PIVOTS_MAX);
    return false;
}

/* Whole numbers to where LAPACK wants them, each in 1 ... most; and back. */
static bool take_pivots(const external_value *v, int most, lapack_int *p)
{
    for (int k = 0; k < v->n; k++) {
        if (!(v->at[k] >= 1 && v->at[k] <= most)) return false;
        p[k] = (lapack_int)v->at[k];
    }
    return true;
}

static void give_pivots(const external_value *v, const lapack_int *p)
{
    for (int k = 0; k < v->n; k++) v->at[k] = p[k];
}

// n, nrhs, A, lda, ipiv, B, ldb, info
static bool solve(external_call *c)
{
    lapack_int n = size_at(c, 0), m = size_at(c, 1), info = 0, pivots[PIVOTS_MAX];
    if (!is_matrix(c, 2, n, n, 3) || !is_matrix(c, 5, n, m, 6) || c->arg[4].n != n)
        return refuse(c);
    bool turn = la_blas_begin();
    if (n) LAPACK_dgesv(&n, &m, c->arg[2].at, &n, pivots, c->arg[5].at, &n, &info);
    la_blas_end(turn);
    give_pivots(&c->arg[4], pivots);
    c->arg[7].at[0] = info;
    return true;
}

// m, n, A, lda, ipiv, info
static bool factor(external_call *c)
{
    lapack_int m = size_at(c, 0), n = size_at(c, 1), info = 0, pivots[PIVOTS_MAX];
    if (!is_matrix(c, 2, m, n, 3) || c->arg[4].n != (m < n ? m : n)) return refuse(c);
    bool turn = la_blas_begin();
    if (m && n) LAPACK_dgetrf(&m, &n, c->arg[2].at, &m, pivots, &info);
    la_blas_end(turn);
    give_pivots(&c->arg[4], pivots);
    c->arg[5].at[0] = info;
    return true;
}

// trans, n, nrhs, A, lda, ipiv, B, ldb, info
static bool solve_factored(external_call *c)
{
    lapack_int n = size_at(c, 1), m = size_at(c, 2), info = 0, pivots[PIVOTS_MAX];
    char trans = c->arg[0].text[0];
    if (!is_matrix(c, 3, n, n, 4) || !is_matrix(c, 6, n, m, 7) || c->arg[5].n != n || !trans ||
        !strchr("NTC", trans) || !take_pivots(&c->arg[5], n, pivots))
        return refuse(c);
    bool turn = la_blas_begin();
    if (n) LAPACK_dgetrs(&trans, &n, &m, c->arg[3].at, &n, pivots, c->arg[6].at, &n, &info);
    la_blas_end(turn);
    c->arg[8].at[0] = info;
    return true;
}

// n, A, lda, ipiv, work, lwork, info
static bool invert_factored(external_call *c)
{
    lapack_int n = size_at(c, 0), room = c->arg[4].n, info = 0, pivots[PIVOTS_MAX];
    if (!is_matrix(c, 1, n, n, 2) || c->arg[3].n != n || room < n || room < 1 ||
        c->arg[5].at[0] != room || !take_pivots(&c->arg[3], n, pivots))
        return refuse(c);
    bool turn = la_blas_begin();
    if (n) LAPACK_dgetri(&n, c->arg[1].at, &n, pivots, c->arg[4].at, &room, &info);
    la_blas_end(turn);
    c->arg[6].at[0] = info;
    return true;
}

// jobvl, jobvr, n, A, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork, info
static bool eigenvalues(external_call *c)
{
    lapack_int n = size_at(c, 2), one = 1, room = c->arg[11].n, info = 0;
    char left = 'N', right = c->arg[1].text[0];
    bool vectors = right == 'V';
    if (!is_matrix(c, 3, n, n, 4) || c->arg[5].n != n || c->arg[6].n != n || room < 4 * n ||
        room < 1 || c->arg[0].text[0] != 'N' || (!vectors && right != 'N') ||
        (vectors && !is_matrix(c, 9, n, n, 10)))
        return refuse(c);
    double none = 0;
    bool turn = la_blas_begin();
    if (n)
        LAPACK_dgeev(&left, &right, &n, c->arg[3].at, &n, c->arg[5].at, c->arg[6].at, &none, &one,
                     vectors ? c->arg[9].at : &none, vectors ? &n : &one, c->arg[11].at, &room,
                     &info);
    la_blas_end(turn);
    c->arg[13].at[0] = info;
    return true;
}

static int smaller(int x, int y)
{
    return x < y ? x : y;
}

/* Is argument `a` room of at least `least` numbers, and the next one its length? */
static bool is_room(const external_call *c, int a, int least)
{
    return c->arg[a].n >= least && c->arg[a].n >= 1 && c->arg[a + 1].at[0] == c->arg[a].n;
}

// m, n, nrhs, A, lda, B, ldb, jpvt, rcond, rank, work, lwork, info
static bool least_norm(external_call *c)
{
    lapack_int m = size_at(c, 0), n = size_at(c, 1), k = size_at(c, 2), most = m > n ? m : n,
               room = c->arg[10].n, rank = 0, info = 0, free_columns[PIVOTS_MAX];
    int least = smaller(m, n) + 3 * n + 1, other = 2 * smaller(m, n) + k;
    if (!is_matrix(c, 3, m, n, 4) || !is_matrix(c, 5, most, k, 6) || c->arg[7].n != n ||
        !is_room(c, 10, least > other ? least : other))
        return refuse(c);
    for (int i = 0; i < n; i++) free_columns[i] = c->arg[7].at[i] != 0;
    double rcond = c->arg[8].at[0];
    bool turn = la_blas_begin();
    if (m && n && k)
        LAPACK_dgelsy(&m, &n, &k, c->arg[3].at, &m, c->arg[5].at, &most, free_columns, &rcond,
                      &rank, c->arg[10].at, &room, &info);
    la_blas_end(turn);
    give_pivots(&c->arg[7], free_columns);
    c->arg[9].at[0] = rank;
    c->arg[12].at[0] = info;
    return true;
}

// trans, m, n, nrhs, A, lda, B, ldb, work, lwork, info
static bool least_squares(external_call *c)
{
    lapack_int m = size_at(c, 1), n = size_at(c, 2), k = size_at(c, 3), most = m > n ? m : n,
               room = c->arg[8].n, info = 0;
    char trans = c->arg[0].text[0];
    if (!is_matrix(c, 4, m, n, 5) || !is_matrix(c, 6, most, k, 7) || !trans ||
        !strchr("NT", trans) || !is_room(c, 8, smaller(m, n) + (most > k ? most : k)))
        return refuse(c);
    bool turn = la_blas_begin();
    if (m && n && k)
        LAPACK_dgels(&trans, &m, &n, &k, c->arg[4].at, &m, c->arg[6].at, &most, c->arg[8].at, &room,
                     &info);
    la_blas_end(turn);
    c->arg[10].at[0] = info;
    return true;
}

// n, nrhs, below, diagonal, above, B, ldb, info
static bool solve_tridiagonal(external_call *c)
{
    lapack_int n = size_at(c, 0), k = size_at(c, 1), info = 0;
    if (n < 1 || c->arg[2].n != n - 1 || c->arg[3].n != n || c->arg[4].n != n - 1 ||
        !is_matrix(c, 5, n, k, 6))
        return refuse(c);
    bool turn = la_blas_begin();
    LAPACK_dgtsv(&n, &k, c->arg[2].at, c->arg[3].at, c->arg[4].at, c->arg[5].at, &n, &info);
    la_blas_end(turn);
    c->arg[7].at[0] = info;
    return true;
}

// jobu, jobvt, m, n, A, lda, sigma, U, ldu, VT, ldvt, work, lwork, info
static bool singular_values(external_call *c)
{
    lapack_int m = size_at(c, 2), n = size_at(c, 3), room = c->arg[11].n, info = 0;
    char u = c->arg[0].text[0], vt = c->arg[1].text[0];
    int least = smaller(m, n), most = m > n ? m : n;
    bool known = (u == 'A' || u == 'N') && (vt == 'A' || vt == 'N');
    if (!is_matrix(c, 4, m, n, 5) || c->arg[6].n != least || !known || !is_matrix(c, 7, m, m, 8) ||
        !is_matrix(c, 9, n, n, 10) ||
        !is_room(c, 11, 3 * least + most > 5 * least ? 3 * least + most : 5 * least))
        return refuse(c);
    bool turn = la_blas_begin();
    if (m && n)
        LAPACK_dgesvd(&u, &vt, &m, &n, c->arg[4].at, &m, c->arg[6].at, c->arg[7].at, &m,
                      c->arg[9].at, &n, c->arg[11].at, &room, &info);
    la_blas_end(turn);
    c->arg[13].at[0] = info;
    return true;
}

// m, n, A, lda, tau, work, lwork, info
static bool factor_qr(external_call *c)
{
    lapack_int m = size_at(c, 0), n = size_at(c, 1), room = c->arg[5].n, info = 0;
    if (!is_matrix(c, 2, m, n, 3) || c->arg[4].n != smaller(m, n) || !is_room(c, 5, n))
        return refuse(c);
    bool turn = la_blas_begin();
    if (m && n) LAPACK_dgeqrf(&m, &n, c->arg[2].at, &m, c->arg[4].at, c->arg[5].at, &room, &info);
    la_blas_end(turn);
    c->arg[7].at[0] = info;
    return true;
}

// m, n, A, lda, jpvt, tau, work, lwork, info
static bool factor_qr_pivoted(external_call *c)
{
    lapack_int m = size_at(c, 0), n = size_at(c, 1), room = c->arg[6].n, info = 0,
               pivots[PIVOTS_MAX];
    if (!is_matrix(c, 2, m, n, 3) || c->arg[4].n != n || c->arg[5].n != smaller(m, n) ||
        !is_room(c, 6, 3 * n + 1))
        return refuse(c);
    for (int i = 0; i < n; i++) pivots[i] = c->arg[4].at[i] != 0;
    bool turn = la_blas_begin();
    if (m && n)
        LAPACK_dgeqp3(&m, &n, c->arg[2].at, &m, pivots, c->arg[5].at, c->arg[6].at, &room, &info);
    la_blas_end(turn);
    give_pivots(&c->arg[4], pivots);
    c->arg[8].at[0] = info;
    return true;
}

// m, n, k, A, lda, tau, work, lwork, info
static bool orthogonal_of_qr(external_call *c)
{
    lapack_int m = size_at(c, 0), n = size_at(c, 1), k = size_at(c, 2), room = c->arg[6].n,
               info = 0;
    if (!is_matrix(c, 3, m, n, 4) || n > m || k > n || c->arg[5].n != k || !is_room(c, 6, n))
        return refuse(c);
    bool turn = la_blas_begin();
    if (m && n)
        LAPACK_dorgqr(&m, &n, &k, c->arg[3].at, &m, c->arg[5].at, c->arg[6].at, &room, &info);
    la_blas_end(turn);
    c->arg[8].at[0] = info;
    return true;
}

// job, compz, n, ilo, ihi, H, ldh, wr, wi, Z, ldz, work, lwork, info
static bool hessenberg_eigenvalues(external_call *c)
{
    lapack_int n = size_at(c, 2), from = size_at(c, 3), to = size_at(c, 4), room = c->arg[11].n,
               info = 0;
    char job = c->arg[0].text[0], vectors = c->arg[1].text[0];
    if (n < 1 || !is_matrix(c, 5, n, n, 6) || c->arg[7].n != n || c->arg[8].n != n || from < 1 ||
        from > to || to > n || (job != 'E' && job != 'S') || !vectors || !strchr("NIV", vectors) ||
        !is_matrix(c, 9, n, n, 10) || !is_room(c, 11, n))
        return refuse(c);
    bool turn = la_blas_begin();
    LAPACK_dhseqr(&job, &vectors, &n, &from, &to, c->arg[5].at, &n, c->arg[7].at, c->arg[8].at,
                  c->arg[9].at, &n, c->arg[11].at, &room, &info);
    la_blas_end(turn);
    c->arg[13].at[0] = info;
    return true;
}

// uplo, n, A, lda, info
static bool factor_cholesky(external_call *c)
{
    lapack_int n = size_at(c, 1), info = 0;
    char half = c->arg[0].text[0];
    if (!is_matrix(c, 2, n, n, 3) || (half != 'U' && half != 'L')) return refuse(c);
    bool turn = la_blas_begin();
    if (n) LAPACK_dpotrf(&half, &n, c->arg[2].at, &n, &info);
    la_blas_end(turn);
    c->arg[4].at[0] = info;
    return true;
}

const external_function external_lapack[] = {
    {.name = "dgeev", .types = "vssiRiRRRiRiRii", .value = eigenvalues},
    {.name = "dgels", .types = "vsiiiRiRiRii", .value = least_squares},
    {.name = "dgelsy", .types = "viiiRiRiIriRii", .value = least_norm},
    {.name = "dgeqp3", .types = "viiRiIRRii", .value = factor_qr_pivoted},
    {.name = "dgeqrf", .types = "viiRiRRii", .value = factor_qr},
    {.name = "dgesv", .types = "viiRiIRii", .value = solve},
    {.name = "dgesvd", .types = "vssiiRiRRiRiRii", .value = singular_values},
    {.name = "dgetrf", .types = "viiRiIi", .value = factor},
    {.name = "dgetri", .types = "viRiIRii", .value = invert_factored},
    {.name = "dgetrs", .types = "vsiiRiIRii", .value = solve_factored},
    {.name = "dgtsv", .types = "viiRRRRii", .value = solve_tridiagonal},
    {.name = "dhseqr", .types = "vssiiiRiRRRiRii", .value = hessenberg_eigenvalues},
    {.name = "dorgqr", .types = "viiiRiRRii", .value = orthogonal_of_qr},
    {.name = "dpotrf", .types = "vsiRii", .value = factor_cholesky},
    {0}};
