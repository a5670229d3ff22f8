/* Accelerations on a basis of the null space of G.
 *
 *     a = G^+ gamma + Z nu,   N^T M Z nu = N^T (-r_d - M G^+ gamma),   G Z = 0,  B^T N = 0
 *
 * with Z and N orthonormal, from a QR factorisation of G^T (S. S. Kim and M. J. Vanderploeg, J. Mech.
 * Transm. Autom. Des. 108 (1986) 183-188) or its singular value decomposition (N. K. Mani, E. J. Haug
 * and K. E. Atkinson, J. Mech. Transm. Autom. Des. 107 (1985) 82-87), or, as in Maggi's equations, in
 * independent speeds found by pivoting (A. J. Kurdila, J. G. Papastavridis and M. P. Kamat, J. Guid.
 * Control Dyn. 13 (1990) 113-120).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "run/motion.h"

#include <string.h>

/* z (n by n - rank): a basis of the null space of g (m by n; overwritten). Rank, or -1. */
typedef int null_basis(run_motion *s, int m, int n, double *g, double *z);

/* x := least-norm solution of a x = b (m by n; a is overwritten, b scaled). Rank, or -1. */
static int solve_least_norm(run_motion *s, int m, int n, double *a, double *b, double *x)
{
    if (!m || !n) {
        for (int j = 0; j < n; j++) x[j] = 0;
        return 0;
    }
    motion_equilibrate(m, n, a, b);
    return la_least_norm(m, n, a, b, x, MOTION_RANK, s->work, s->perm2);
}

/* S = P [-R1^-1 R2; I] from pivoted QR: independent speeds are coordinates. */
static int basis_coordinates(run_motion *s, int m, int n, double *g, double *z)
{
    la_qr q = {m, n, 0, g, s->v1, s->perm, s->work};
    int rank = la_qr_factor(&q, MOTION_RANK);
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

static int basis_qr(run_motion *s, int m, int n, double *g, double *z)
{
    return la_null(m, n, g, z, MOTION_RANK, s->work);
}

static int basis_svd(run_motion *s, int m, int n, double *g, double *z)
{
    double *sigma = s->v1, *vt = s->w4;
    if (la_svd(m, n, g, sigma, NULL, vt, s->work) < 0) return -1;
    int rank = 0, most = m < n ? m : n;
    while (rank < most && sigma[rank] > MOTION_RANK * sigma[0]) rank++;
    for (int j = rank; j < n; j++)
        for (int i = 0; i < n; i++) z[i + (j - rank) * n] = vt[j + i * n];
    return rank;
}

int motion_by_null_space(run_motion *s, uint8_t by)
{
    static null_basis *const bases[] = {[IMAGE_MOTION_COORDINATES] = basis_coordinates,
                                        [IMAGE_MOTION_QR] = basis_qr,
                                        [IMAGE_MOTION_SVD] = basis_svd};
    null_basis *basis = bases[by];
    int n = s->n, m = s->m;
    size_t g_bytes = (size_t)n * (size_t)m * sizeof *s->G;
    double *Z = s->w1, *N = s->w2, *t = s->w3, *reduced = s->w4;
    int free = n, free_b = n;
    memset(s->a, 0, (size_t)n * sizeof *s->a);
    if (m) {
        memcpy(t, s->G, g_bytes);
        for (int i = 0; i < m; i++) s->v2[i] = -s->rc[i];
        if (solve_least_norm(s, m, n, t, s->v2, s->a) < 0) return 1;
        memcpy(t, s->G, g_bytes);
        motion_equilibrate(m, n, t, NULL);
        int rank = basis(s, m, n, t, Z);
        motion_transpose(n, m, s->B, t);
        motion_equilibrate(m, n, t, NULL);
        int rank_b = basis(s, m, n, t, N);
        if (rank < 0 || rank_b < 0) return 1;
        free = n - rank;
        free_b = n - rank_b;
    } else {
        for (int i = 0; i < n * n; i++) Z[i] = N[i] = i % (n + 1) == 0;
    }
    if (free && free_b) {
        for (int i = 0; i < n; i++) s->v2[i] = -s->rd[i];
        motion_multiply(n, n, 1, -1, s->M, false, s->a, true, s->v2);
        motion_multiply(free_b, n, 1, 1, N, true, s->v2, false, s->v3);
        motion_multiply(n, n, free, 1, s->M, false, Z, false, t);
        motion_multiply(free_b, n, free, 1, N, true, t, false, reduced);
        int rank = solve_least_norm(s, free_b, free, reduced, s->v3, s->v2);
        if (rank < free) return 1; // M is singular on the null space of G
        motion_multiply(n, free, 1, 1, Z, false, s->v2, true, s->a);
    }
    motion_find_multipliers(s);
    return 0;
}
