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

const external_function external_lapack[] = {
    {.name = "dgeev", .types = "vssiRiRRRiRiRii", .value = eigenvalues},
    {.name = "dgesv", .types = "viiRiIRii", .value = solve},
    {.name = "dgetrf", .types = "viiRiIi", .value = factor},
    {.name = "dgetri", .types = "viRiIRii", .value = invert_factored},
    {.name = "dgetrs", .types = "vsiiRiIRii", .value = solve_factored},
    {0}};
