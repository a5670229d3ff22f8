/* Explicit elimination of the multipliers by pseudo-inverses.
 *
 *     a = [(I - B B^+) M; G]^+ [-(I - B B^+) r_d; gamma],   lambda = B^+ (-r_d - M a)
 *
 * Redundant rows of G and, as long as M is regular on the null space of G, a singular M are allowed
 * (F. E. Udwadia and P. Phohomsiri, Proc. R. Soc. A 462 (2006) 2097-2117); for regular M it is the
 * equation of F. E. Udwadia and R. E. Kalaba, Proc. R. Soc. A 439 (1992) 407-410, and the
 * multipliers are those of least norm. With B in place of G^T the constraints need not be ideal.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "run/motion.h"

#include <math.h>
#include <string.h>

int motion_by_pseudo_inverse(run_motion *s)
{
    int n = s->n, m = s->m, rows = n + m;
    double *A = s->w1, *copy = s->w2, *b = s->v1, *x = s->v2, *rhs = s->v3;
    for (int j = 0; j <= n; j++) { // columns of M, then -r_d, each projected
        for (int i = 0; i < n; i++) rhs[i] = j < n ? s->M[i + j * n] : -s->rd[i];
        memcpy(s->v4, rhs, (size_t)n * sizeof *rhs);
        memcpy(copy, s->B, (size_t)n * (size_t)m * sizeof *copy);
        if (m && la_least_norm(n, m, copy, s->v4, x, MOTION_RANK, s->work, s->perm2) < 0) return 1;
        if (m) motion_multiply(n, m, 1, -1, s->B, false, x, true, rhs);
        for (int i = 0; i < n; i++) {
            if (j < n) A[i + j * rows] = rhs[i];
            else b[i] = rhs[i];
        }
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) A[n + i + j * rows] = s->G[i + j * m];
    for (int i = 0; i < m; i++) b[n + i] = -s->rc[i];
    // Rows that vanish in the projection are noise: scale the two halves, not single rows. All of
    // them do where the constraints leave nothing free.
    double most[2] = {0, 0}, mass = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < rows; i++) most[i >= n] = fmax(most[i >= n], fabs(A[i + j * rows]));
    for (int i = 0; i < n * n; i++) mass = fmax(mass, fabs(s->M[i]));
    for (int i = 0; i < rows; i++) {
        double scale = most[i >= n] > 0 ? 1 / most[i >= n] : 1;
        if (i < n && most[0] <= MOTION_RANK * mass) scale = 0;
        for (int j = 0; j < n; j++) A[i + j * rows] *= scale;
        b[i] *= scale;
    }
    int rank = la_least_norm(rows, n, A, b, s->a, MOTION_RANK, s->work, s->perm2);
    if (rank < n) return 1;
    motion_find_multipliers(s);
    return 0;
}
