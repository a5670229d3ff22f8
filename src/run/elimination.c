/* Simultaneous reduction and elimination.
 *
 * With coordinates split by pivoting into dependent (o) and independent (a) ones,
 *
 *     q_o'' = h - T q_a'',  T = G_o^-1 G_a,   lambda = B_o^-1 (f_o - M_oo q_o'' - M_oa q_a'')
 *
 * inserted in the independent rows leaves (M_aa - M_ao T - E (M_oa - M_oo T)) q_a'' =
 * f_a - E f_o - (M_ao - E M_oo) h,  E = B_a B_o^-1 (B. Finzi, Meccanica razionale, 1946).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "run/motion.h"

#include <string.h>

/* Columns of g (m by n; transposed: stored n by m) in the order of pivoting; false when the rank is
 * less than m. */
static bool pivots(run_motion *s, int m, int n, const double *g, bool transposed, int *perm)
{
    for (int i = 0; i < n; i++) perm[i] = i;
    if (!m) return true;
    if (transposed) motion_transpose(n, m, g, s->w1);
    else memcpy(s->w1, g, (size_t)n * (size_t)m * sizeof *g);
    motion_equilibrate(m, n, s->w1, NULL);
    la_qr q = {m, n, 0, s->w1, s->v1, perm, s->work};
    return la_qr_factor(&q, MOTION_RANK) == m;
}

/* Independent rows minus E times dependent ones, dependent accelerations inserted. */
static void reduce(const run_motion *s, const int *o, const int *ro, const double *T,
                   const double *E, const double *h, double *matrix, double *f)
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

int motion_by_elimination(run_motion *s)
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
    if (m && !motion_solve_square(s, m, square, k + 1, T)) return 1;
    for (int i = 0; i < m; i++) h[i] = T[i + k * m];
    // E^T = B_o^-T B_a^T
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) square[i + j * m] = s->B[ro[j] + i * n];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) E[i + j * m] = s->B[ra[j] + i * n];
    if (m && !motion_solve_square(s, m, square, k, E)) return 1;
    reduce(s, o, ro, T, E, h, s->w4, s->v3);
    if (k && !motion_solve_square(s, k, s->w4, 1, s->v3)) return 1;
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
    return !m || motion_solve_square(s, m, square, 1, s->lambda) ? 0 : 1;
}
