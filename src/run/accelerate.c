/* Accelerations and multipliers by the algebra that a formulation names.
 *
 * The rows M a + B lambda + r_d = 0 and G a + r_c = 0 (form/mechanical.c) are evaluated at a = 0
 * and lambda = 0; their Jacobian gives M, B and G. Dense: the formulas are those of the literature,
 * for comparison on systems of moderate size. Matrices are stored by columns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "la/dense.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

typedef struct algebra {
    int n, m;
    double *M, *B, *G, *rd, *rc; // n*n, n*m, m*n, n, m
    double *a, *lambda;
    double *w1, *w2, *w3, *w4; // (n+m)^2 each
    double *v1, *v2, *v3, *v4; // n+m each
    double *work;
    int *perm, *perm2, *perm3;
} algebra;

static size_t layout(algebra *x, int n, int m, void *block)
{
    bump b = bump_begin(block);
    size_t k = (size_t)(n + m), big = k * k;
    x->n = n;
    x->m = m;
    x->M = bump_double(&b, (size_t)n * (size_t)n);
    x->B = bump_double(&b, (size_t)n * (size_t)m);
    x->G = bump_double(&b, (size_t)n * (size_t)m);
    x->rd = bump_double(&b, (size_t)n);
    x->rc = bump_double(&b, (size_t)m);
    x->a = bump_double(&b, (size_t)n);
    x->lambda = bump_double(&b, (size_t)m);
    double **big_ones[] = {&x->w1, &x->w2, &x->w3, &x->w4};
    for (int i = 0; i < 4; i++) *big_ones[i] = bump_double(&b, big);
    double **vectors[] = {&x->v1, &x->v2, &x->v3, &x->v4};
    for (int i = 0; i < 4; i++) *vectors[i] = bump_double(&b, k);
    size_t work = la_least_norm_work(n + m, n + m), svd = la_svd_work(n + m, n + m),
           null_space = la_null_work(n + m, n + m), qr = la_qr_work(n + m, n + m);
    if (svd > work) work = svd;
    if (null_space > work) work = null_space;
    if (qr > work) work = qr;
    x->work = bump_double(&b, work);
    x->perm = bump_int(&b, k);
    x->perm2 = bump_int(&b, k);
    x->perm3 = bump_int(&b, k);
    return bump_end(&b);
}

size_t run_accelerate_work(const code_model *m)
{
    const form_mechanical *q = m->form->mechanical;
    algebra x;
    return q ? layout(&x, q->n, q->m, NULL) : 0;
}

static const double RANK_TOL = 1e-11; // relative to the largest pivot, rows of equal size
static const double PIVOT_TOL = 1e-14;

/* ---- dense helpers --------------------------------------------------------------------------- */

/* c (m by k) := alpha op(a) b, a m by n (or its transpose, stored n by m), b n by k; added to c
 * when `add`. */
static void multiply(int m, int n, int k, double alpha, const double *a, bool transposed,
                     const double *b, bool add, double *c)
{
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += (transposed ? a[l + i * n] : a[i + l * m]) * b[l + j * n];
            c[i + j * m] = (add ? c[i + j * m] : 0) + alpha * sum;
        }
}

static void transpose(int m, int n, const double *a, double *t) // t: n by m
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) t[j + i * n] = a[i + j * m];
}

/* Rows of [a | b] to equal size; a m by n. */
static void equilibrate(int m, int n, double *a, double *b)
{
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(a[i + j * m]));
        if (most == 0) continue;
        for (int j = 0; j < n; j++) a[i + j * m] /= most;
        if (b) b[i] /= most;
    }
}

/* x := least-norm solution of a x = b (m by n; a is overwritten, b scaled). Rank, or -1. */
static int solve(algebra *s, int m, int n, double *a, double *b, double *x)
{
    if (!m || !n) {
        for (int j = 0; j < n; j++) x[j] = 0;
        return 0;
    }
    equilibrate(m, n, a, b);
    return la_least_norm(m, n, a, b, x, RANK_TOL, s->work, s->perm2);
}

/* The multipliers from the rows of motion: B lambda = -r_d - M a, least norm. */
static void find_multipliers(algebra *s)
{
    memcpy(s->w4, s->B, (size_t)s->n * (size_t)s->m * sizeof *s->B);
    for (int i = 0; i < s->n; i++) s->v4[i] = -s->rd[i];
    multiply(s->n, s->n, 1, -1, s->M, false, s->a, true, s->v4);
    // Not scaled: a small row says little about lambda, and must not say it louder.
    if (s->m) la_least_norm(s->n, s->m, s->w4, s->v4, s->lambda, RANK_TOL, s->work, s->perm2);
}

/* ---- null spaces ----------------------------------------------------------------------------- */

/* z (n by n - rank): a basis of the null space of g (m by n; overwritten). Rank, or -1. */
typedef int null_basis(algebra *s, int m, int n, double *g, double *z);

static int basis_qr(algebra *s, int m, int n, double *g, double *z)
{
    return la_null(m, n, g, z, RANK_TOL, s->work);
}

static int basis_svd(algebra *s, int m, int n, double *g, double *z)
{
    double *sigma = s->v1, *vt = s->w4;
    if (la_svd(m, n, g, sigma, NULL, vt, s->work) < 0) return -1;
    int rank = 0, most = m < n ? m : n;
    while (rank < most && sigma[rank] > RANK_TOL * sigma[0]) rank++;
    for (int j = rank; j < n; j++)
        for (int i = 0; i < n; i++) z[i + (j - rank) * n] = vt[j + i * n];
    return rank;
}

/* S = P [-R1^-1 R2; I] from pivoted QR: independent speeds are coordinates. */
static int basis_coordinates(algebra *s, int m, int n, double *g, double *z)
{
    la_qr q = {m, n, 0, g, s->v1, s->perm, s->work};
    int rank = la_qr_factor(&q, RANK_TOL);
    if (rank < 0) return -1;
    memset(z, 0, (size_t)n * (size_t)(n - rank) * sizeof *z);
    for (int j = rank; j < n; j++) {
        double *col = z + (size_t)(j - rank) * (size_t)n;
        col[q.perm[j]] = 1;
        for (int i = rank - 1; i >= 0; i--) {
            double x = -g[i + j * m];
            for (int k = i + 1; k < rank; k++) x -= g[i + k * m] * col[q.perm[k]];
            col[q.perm[i]] = x / g[i + i * m];
        }
    }
    return rank;
}

/* a = G^+ gamma + Z nu,  N^T M Z nu = N^T (-r_d - M G^+ gamma). */
static int by_null_space(algebra *s, null_basis *basis)
{
    int n = s->n, m = s->m;
    size_t g_bytes = (size_t)n * (size_t)m * sizeof *s->G;
    double *Z = s->w1, *N = s->w2, *t = s->w3, *reduced = s->w4;
    int free = n, free_b = n;
    memset(s->a, 0, (size_t)n * sizeof *s->a);
    if (m) {
        memcpy(t, s->G, g_bytes);
        for (int i = 0; i < m; i++) s->v2[i] = -s->rc[i];
        if (solve(s, m, n, t, s->v2, s->a) < 0) return 1;
        memcpy(t, s->G, g_bytes);
        equilibrate(m, n, t, NULL);
        int rank = basis(s, m, n, t, Z);
        transpose(n, m, s->B, t);
        equilibrate(m, n, t, NULL);
        int rank_b = basis(s, m, n, t, N);
        if (rank < 0 || rank_b < 0) return 1;
        free = n - rank;
        free_b = n - rank_b;
    } else {
        for (int i = 0; i < n * n; i++) Z[i] = N[i] = i % (n + 1) == 0;
    }
    if (free && free_b) {
        for (int i = 0; i < n; i++) s->v2[i] = -s->rd[i];
        multiply(n, n, 1, -1, s->M, false, s->a, true, s->v2);
        multiply(free_b, n, 1, 1, N, true, s->v2, false, s->v3);
        multiply(n, n, free, 1, s->M, false, Z, false, t);
        multiply(free_b, n, free, 1, N, true, t, false, reduced);
        int rank = solve(s, free_b, free, reduced, s->v3, s->v2);
        if (rank < free) return 1; // M is singular on the null space of G
        multiply(n, free, 1, 1, Z, false, s->v2, true, s->a);
    }
    find_multipliers(s);
    return 0;
}

/* ---- pseudo-inverses ------------------------------------------------------------------------- */

/* a = [(I - B B^+) M; G]^+ [-(I - B B^+) r_d; gamma]. */
static int by_pseudo_inverse(algebra *s)
{
    int n = s->n, m = s->m, rows = n + m;
    double *A = s->w1, *copy = s->w2, *b = s->v1, *x = s->v2, *rhs = s->v3;
    for (int j = 0; j <= n; j++) { // columns of M, then -r_d, each projected
        for (int i = 0; i < n; i++) rhs[i] = j < n ? s->M[i + j * n] : -s->rd[i];
        memcpy(s->v4, rhs, (size_t)n * sizeof *rhs);
        memcpy(copy, s->B, (size_t)n * (size_t)m * sizeof *copy);
        if (m && la_least_norm(n, m, copy, s->v4, x, RANK_TOL, s->work, s->perm2) < 0) return 1;
        if (m) multiply(n, m, 1, -1, s->B, false, x, true, rhs);
        for (int i = 0; i < n; i++) {
            if (j < n) A[i + j * rows] = rhs[i];
            else b[i] = rhs[i];
        }
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) A[n + i + j * rows] = s->G[i + j * m];
    for (int i = 0; i < m; i++) b[n + i] = -s->rc[i];
    // Rows that vanish in the projection are noise: scale the two halves, not single rows.
    double most[2] = {0, 0};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < rows; i++) most[i >= n] = fmax(most[i >= n], fabs(A[i + j * rows]));
    for (int i = 0; i < rows; i++) {
        double scale = most[i >= n] > 0 ? 1 / most[i >= n] : 1;
        for (int j = 0; j < n; j++) A[i + j * rows] *= scale;
        b[i] *= scale;
    }
    int rank = la_least_norm(rows, n, A, b, s->a, RANK_TOL, s->work, s->perm2);
    if (rank < n) return 1;
    find_multipliers(s);
    return 0;
}

/* ---- Finzi ----------------------------------------------------------------------------------- */

/* x := square^-1 columns (k of them, in place) by pivoted QR. */
static bool solve_square(algebra *s, int n, double *square, int k, double *columns)
{
    la_qr q = {n, n, 0, square, s->v1, s->perm2, s->work};
    if (la_qr_factor(&q, RANK_TOL) < n) return false;
    for (int j = 0; j < k; j++) {
        memcpy(s->v4, columns + (size_t)j * (size_t)n, (size_t)n * sizeof *columns);
        la_qr_solve(&q, s->v4, columns + (size_t)j * (size_t)n);
    }
    return true;
}

/* Columns of g (m by n; transposed: stored n by m) in the order of pivoting; false when the rank is
 * less than m. */
static bool pivots(algebra *s, int m, int n, const double *g, bool transposed, int *perm)
{
    for (int i = 0; i < n; i++) perm[i] = i;
    if (!m) return true;
    if (transposed) transpose(n, m, g, s->w1);
    else memcpy(s->w1, g, (size_t)n * (size_t)m * sizeof *g);
    equilibrate(m, n, s->w1, NULL);
    la_qr q = {m, n, 0, s->w1, s->v1, perm, s->work};
    return la_qr_factor(&q, RANK_TOL) == m;
}

/* Independent rows minus E times dependent ones, dependent accelerations inserted. */
static void reduce(const algebra *s, const int *o, const int *ro, const double *T, const double *E,
                   const double *h, double *matrix, double *f)
{
    int n = s->n, m = s->m, k = n - m;
    const int *a = o + m, *ra = ro + m;
    for (int i = 0; i < k; i++) {
        f[i] = -s->rd[ra[i]];
        for (int l = 0; l < m; l++) f[i] += E[l + i * m] * s->rd[ro[l]];
        for (int j = 0; j < k; j++) {
            double x = s->M[ra[i] + a[j] * n];
            for (int l = 0; l < m; l++) x -= E[l + i * m] * s->M[ro[l] + a[j] * n];
            matrix[i + j * k] = x;
        }
        for (int c = 0; c < m; c++) {
            double x = s->M[ra[i] + o[c] * n];
            for (int l = 0; l < m; l++) x -= E[l + i * m] * s->M[ro[l] + o[c] * n];
            f[i] -= x * h[c];
            for (int j = 0; j < k; j++) matrix[i + j * k] -= x * T[c + j * m];
        }
    }
}

static int by_elimination(algebra *s)
{
    int n = s->n, m = s->m, k = n - m;
    if (k < 0) return 1;
    // Dependent coordinates o and rows ro first, then independent ones a and ra.
    if (!pivots(s, m, n, s->G, false, s->perm) || !pivots(s, m, n, s->B, true, s->perm3)) return 1;
    const int *o = s->perm, *a = o + m, *ro = s->perm3, *ra = ro + m;
    double *T = s->w1, *E = s->w2, *square = s->w3, *h = s->v2;
    // [T h] = G_o^-1 [G_a gamma]
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) square[i + j * m] = s->G[i + o[j] * m];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < k; j++) T[i + j * m] = s->G[i + a[j] * m];
        T[i + k * m] = -s->rc[i];
    }
    if (m && !solve_square(s, m, square, k + 1, T)) return 1;
    for (int i = 0; i < m; i++) h[i] = T[i + k * m];
    // E^T = B_o^-T B_a^T
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) square[i + j * m] = s->B[ro[j] + i * n];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) E[i + j * m] = s->B[ra[j] + i * n];
    if (m && !solve_square(s, m, square, k, E)) return 1;
    reduce(s, o, ro, T, E, h, s->w4, s->v3);
    if (k && !solve_square(s, k, s->w4, 1, s->v3)) return 1;
    for (int j = 0; j < k; j++) s->a[a[j]] = s->v3[j];
    for (int i = 0; i < m; i++) {
        double x = h[i];
        for (int j = 0; j < k; j++) x -= T[i + j * m] * s->v3[j];
        s->a[o[i]] = x;
    }
    // lambda from the dependent rows
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) square[i + j * m] = s->B[ro[i] + j * n];
    for (int i = 0; i < m; i++) {
        s->lambda[i] = -s->rd[ro[i]];
        for (int j = 0; j < n; j++) s->lambda[i] -= s->M[ro[i] + j * n] * s->a[j];
    }
    return !m || solve_square(s, m, square, 1, s->lambda) ? 0 : 1;
}

/* ---- the right-hand side --------------------------------------------------------------------- */

int run_mechanics_at(run_state *s, double t, const double *y, const run_mechanics *x)
{
    const code_model *m = s->model;
    const form_mechanical *q = m->form->mechanical;
    memcpy(s->y_work, y, (size_t)m->n * sizeof *y);
    memset(s->yp_work, 0, (size_t)m->n * sizeof *y);
    for (int j = 0; j < q->m; j++) s->y_work[q->multiplier[j]] = 0;
    for (int j = 0; j < q->n; j++) s->y_work[q->acceleration[j]] = 0;
    int rc = s->problem.residual(s, t, s->y_work, s->yp_work, s->r);
    if (rc) return rc;
    rc = s->problem.jacobian(s, t, s->y_work, s->yp_work, s->dy, s->dyp);
    if (rc) return rc;
    int *at = s->row_at; // dynamic rows by their number, constraints by -1 - number
    for (int i = 0; i < m->n; i++) at[i] = m->n + 1;
    for (int i = 0; i < q->n; i++) at[q->dynamic[i]] = i;
    for (int i = 0; i < q->m; i++) at[q->constraint[i]] = -1 - i;
    for (int i = 0; i < q->n; i++) x->rd[i] = s->r[q->dynamic[i]];
    for (int i = 0; i < q->m; i++) x->rc[i] = s->r[q->constraint[i]];
    memset(x->M, 0, (size_t)(q->n * q->n) * sizeof *x->M);
    memset(x->B, 0, (size_t)(q->n * q->m) * sizeof *x->B);
    memset(x->G, 0, (size_t)(q->n * q->m) * sizeof *x->G);
    for (int j = 0; j < q->n; j++) {
        int col = q->acceleration[j];
        for (int k = m->system.jac.start[col]; k < m->system.jac.start[col + 1]; k++) {
            int i = at[m->system.jac.row[k]];
            if (i < 0) x->G[-1 - i + j * q->m] = s->dy[k];
            else if (i < q->n) x->M[i + j * q->n] = s->dy[k];
        }
    }
    for (int j = 0; j < q->m; j++) {
        int col = q->multiplier[j];
        for (int k = m->system.jac.start[col]; k < m->system.jac.start[col + 1]; k++) {
            int i = at[m->system.jac.row[k]];
            if (i >= 0 && i < q->n) x->B[i + j * q->n] = s->dy[k];
        }
    }
    return 0;
}

/* M, B, G, r_d and r_c at a point. */
static int evaluate(run_state *s, algebra *x, double t, const double *y)
{
    run_mechanics at = {x->n, x->m, x->M, x->B, x->G, x->rd, x->rc};
    return run_mechanics_at(s, t, y, &at);
}

int run_accelerate(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    const code_model *m = s->model;
    const form_mechanical *q = m->form->mechanical;
    if (q->algebra == FORM_ALGEBRA_KKT) return run_solve_dependent(s, t, y, yp);
    if (q->algebra == FORM_ALGEBRA_LEAST) {
        // A pivot that is round-off passes for one: multipliers of any size would solve that.
        int status = run_solve_dependent(s, t, y, yp);
        if (status < 0 || (status == 0 && s->la->pivot_ratio > PIVOT_TOL)) return status;
    }
    algebra x;
    layout(&x, q->n, q->m, s->algebra_work);
    int rc = evaluate(s, &x, t, y);
    if (rc) return rc;
    switch ((form_algebra)q->algebra) {
    case FORM_ALGEBRA_LEAST:
    case FORM_ALGEBRA_UDWADIA: rc = by_pseudo_inverse(&x); break;
    case FORM_ALGEBRA_MAGGI: rc = by_null_space(&x, basis_coordinates); break;
    case FORM_ALGEBRA_NULL_QR: rc = by_null_space(&x, basis_qr); break;
    case FORM_ALGEBRA_NULL_SVD: rc = by_null_space(&x, basis_svd); break;
    default: rc = by_elimination(&x); break;
    }
    if (rc) return rc;
    for (int j = 0; j < q->n; j++) {
        y[q->acceleration[j]] = x.a[j];
        if (!isfinite(x.a[j])) return 1;
    }
    for (int j = 0; j < q->m; j++) y[q->multiplier[j]] = x.lambda[j];
    // What remains are links y' = value: their residual at y' = 0 is minus the value.
    memset(yp, 0, (size_t)m->n * sizeof *yp);
    rc = s->problem.residual(s, t, y, yp, s->r);
    if (rc) return rc;
    for (int i = 0; i < m->n; i++)
        if (m->form->rows.at[i].kind == FORM_ROW_LINK) yp[q->link[i]] = -s->r[i];
    return 0;
}
