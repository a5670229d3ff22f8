/* Followers and laws: from all rows of a mechanical system to the equations of motion.
 *
 *     M a + M_f a_f + B lambda + B_l lambda_l + r_d = 0   motion
 *     L a           + F lambda + F_l lambda_l + r_l = 0   laws, as t e = -d w of a hinge with axis e
 *     G a + G_f a_f                           + r_c = 0   constraints, with multipliers
 *     D a + D_f a_f                           + r_k = 0   kinematic equations, without
 *
 * Bodies in space have the angular velocity w and the quaternion p, w = 2 G(p) p', |p| = 1: w' has
 * inertia, p'' follows, M_f = 0. Then a_f = -D_f^-1 (D a + r_k) leaves the gradients of the
 * constraints by the velocities, Phi_q N with q' = N(q) v, and the laws leave the multipliers that do
 * no work (P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall 1988, ch.
 * 6). Where w is but a name, one p'' follows from |p| = 1. Which constraints give the followers is
 * decided by pivoting: every choice that is regular gives the same motion. Likewise which multipliers
 * the laws give.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "run/motion.h"

#include <math.h>
#include <string.h>

static const double WEIGHT_OTHER = 1e-3; // of constraints that are not kinematic, in pivoting

/* Columns of a (m by n; overwritten) in the order: those that pivoting leaves, ascending, then the
 * first m pivots. False: the rank is less than m. */
static bool order_columns(run_motion *s, int m, int n, double *a, int *order)
{
    la_qr q = {m, n, 0, a, s->v1, s->perm, s->work};
    if (la_qr_factor(&q, MOTION_RANK) < m) return false;
    for (int j = 0; j < n; j++) s->perm2[j] = 0;
    for (int j = 0; j < m; j++) {
        order[n - m + j] = s->perm[j];
        s->perm2[s->perm[j]] = 1;
    }
    for (int j = 0, at = 0; j < n; j++)
        if (!s->perm2[j]) order[at++] = j;
    return true;
}

/* ---- followers ------------------------------------------------------------------------------- */

/* Constraints, in rows of equal size; kinematic ones first. */
static void weigh(const run_motion *s, double *a)
{
    const motion_whole *w = &s->whole;
    int c = w->constraints;
    for (int i = 0; i < c; i++) {
        double most = 0, weight = s->kinematic[i] ? 1 : WEIGHT_OTHER;
        for (int j = 0; j < w->n; j++) most = fmax(most, fabs(w->G[i + j * c]));
        for (int j = 0; j < w->n; j++)
            a[i + j * c] = most > 0 ? weight * w->G[i + j * c] / most : 0;
    }
}

/* So many pivots in these columns, row and column marked; those of a are eliminated. */
static bool pivot(double *a, int rows, int n, int first, int end, int count, int *row_done,
                  int *col_done)
{
    double largest = 0;
    for (int k = 0; k < count; k++) {
        double most = 0;
        int row = -1, col = -1;
        for (int j = first; j < end; j++)
            for (int i = 0; i < rows && !col_done[j]; i++)
                if (!row_done[i] && fabs(a[i + j * rows]) > most)
                    most = fabs(a[(row = i) + (col = j) * rows]);
        largest = fmax(largest, most);
        if (row < 0 || most < MOTION_RANK * largest) return false;
        row_done[row] = col_done[col] = 1;
        for (int i = 0; i < rows; i++) {
            double f = row_done[i] ? 0 : a[i + col * rows] / a[row + col * rows];
            for (int j = 0; f != 0 && j < n; j++) a[i + j * rows] -= f * a[row + j * rows];
        }
    }
    return true;
}

/* What is not marked, then what is, both ascending. */
static void order_marked(const int *done, int n, int *order)
{
    int at = 0;
    for (int mark = 0; mark < 2; mark++)
        for (int i = 0; i < n; i++)
            if (done[i] == mark) order[at++] = i;
}

/* T = D_f^-1 [D r_k], with the constraints that give the followers. */
static bool solve_followers(run_motion *s)
{
    const motion_whole *w = &s->whole;
    int n = s->n, f = s->followers, c = w->constraints, inertial = w->n - s->massless;
    double *a = s->w1, *square = s->w2;
    int *row_done = s->perm, *col_done = s->perm2;
    for (int i = 0; i < c; i++) row_done[i] = 0;
    for (int j = 0; j < w->n; j++) col_done[j] = 0;
    weigh(s, a);
    if (!pivot(a, c, w->n, inertial, w->n, s->massless, row_done, col_done) ||
        !pivot(a, c, w->n, 0, inertial, f - s->massless, row_done, col_done))
        return false;
    order_marked(row_done, c, s->constraint);
    order_marked(col_done, w->n, s->acceleration);
    const int *own = s->constraint + s->m, *by = s->acceleration;
    for (int i = 0; i < f; i++) {
        for (int j = 0; j < f; j++) square[i + j * f] = w->G[own[i] + by[n + j] * c];
        for (int j = 0; j < n; j++) s->T[i + j * f] = w->G[own[i] + by[j] * c];
        s->T[i + n * f] = w->rc[own[i]];
    }
    return motion_solve_square(s, f, square, n + 1, s->T);
}

/* Column j of a row of motion, law or constraint, followers inserted; j = n: the rest. */
static double inserted(const run_motion *s, const double *a, double rest, int rows, int j)
{
    double x = j < s->n ? a[s->acceleration[j] * rows] : rest;
    for (int l = 0; l < s->followers; l++)
        x -= a[s->acceleration[s->n + l] * rows] * s->T[l + j * s->followers];
    return x;
}

/* ---- laws ------------------------------------------------------------------------------------ */

/* S = F_l^-1 [L F r_l], with the multipliers that the laws give. */
static bool solve_laws(run_motion *s)
{
    const motion_whole *w = &s->whole;
    int n = s->n, m = s->m, k = s->laws;
    double *a = s->w1, *square = s->w2;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < w->m; j++) a[i + j * k] = w->B[n + i + j * w->rows];
    motion_equilibrate(k, w->m, a, NULL);
    if (!order_columns(s, k, w->m, a, s->multiplier)) return false;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++)
            square[i + j * k] = w->B[n + i + s->multiplier[m + j] * w->rows];
        for (int j = 0; j < n; j++) s->S[i + j * k] = inserted(s, w->M + n + i, 0, w->rows, j);
        for (int j = 0; j < m; j++)
            s->S[i + (n + j) * k] = w->B[n + i + s->multiplier[j] * w->rows];
        s->S[i + (n + m) * k] = inserted(s, w->M + n + i, w->rd[n + i], w->rows, n);
    }
    return motion_solve_square(s, k, square, n + m + 1, s->S);
}

/* ---- both ------------------------------------------------------------------------------------ */

int motion_reduce(run_motion *s)
{
    const motion_whole *w = &s->whole;
    int n = s->n, m = s->m, k = s->laws, rows = w->rows;
    for (int j = 0; j < w->n; j++) s->acceleration[j] = j;
    for (int i = 0; i < w->constraints; i++) s->constraint[i] = i;
    for (int j = 0; j < w->m; j++) s->multiplier[j] = j;
    if (!s->followers && !k) return 0;
    if ((s->followers && !solve_followers(s)) || (k && !solve_laws(s))) return 1;
    for (int i = 0; i < m; i++) {
        int row = s->constraint[i];
        for (int j = 0; j < n; j++) s->G[i + j * m] = inserted(s, w->G + row, 0, w->constraints, j);
        s->rc[i] = inserted(s, w->G + row, w->rc[row], w->constraints, n);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n + m; j++) {
            double x = j < n       ? inserted(s, w->M + i, 0, rows, j)
                       : j < n + m ? w->B[i + s->multiplier[j - n] * rows]
                                   : inserted(s, w->M + i, w->rd[i], rows, n);
            for (int l = 0; l < k; l++)
                x -= w->B[i + s->multiplier[m + l] * rows] * s->S[l + j * k];
            if (j < n) s->M[i + j * n] = x;
            else if (j < n + m) s->B[i + (j - n) * n] = x;
            else s->rd[i] = x;
        }
    return 0;
}

/* Accelerations in the order of all. */
static void restore_accelerations(run_motion *s)
{
    int n = s->n, f = s->followers;
    for (int j = 0; j < n; j++) s->v1[s->acceleration[j]] = s->a[j];
    for (int l = 0; l < f; l++) {
        double x = s->T[l + n * f];
        for (int j = 0; j < n; j++) x += s->T[l + j * f] * s->a[j];
        s->v1[s->acceleration[n + l]] = -x;
    }
    memcpy(s->a, s->v1, (size_t)s->whole.n * sizeof *s->a);
}

void motion_restore(run_motion *s)
{
    const motion_whole *w = &s->whole;
    int rows = w->rows;
    if (s->followers) restore_accelerations(s);
    if (!s->laws) return;
    // All rows at once: of multipliers that are not unique those of least norm, laws included.
    memcpy(s->w4, w->B, (size_t)rows * (size_t)w->m * sizeof *w->B);
    for (int i = 0; i < rows; i++) {
        s->v4[i] = -w->rd[i];
        for (int j = 0; j < w->n; j++) s->v4[i] -= w->M[i + j * rows] * s->a[j];
    }
    la_least_norm(rows, w->m, s->w4, s->v4, s->lambda, MOTION_RANK, s->work, s->perm2);
}
