/* Maggi's equations in independent speeds.
 *
 *     a = S e' + s,  S = [I; -G_d^-1 G_i] by pivoting,   S^T M S e' = S^T (-r_d - M s)
 *
 * Multipliers drop out and are found afterwards. Constraints linear in the velocities are rows of G
 * like any other. After a step the dependent coordinates and speeds are solved for again, so
 * nothing drifts (A. J. Kurdila, J. G. Papastavridis and M. P. Kamat, J. Guid. Control Dyn. 13
 * (1990) 113-120).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/algebra.h"
#include "la/dense.h"

#include <string.h>

/* S = P [-R1^-1 R2; I] from pivoted QR: independent speeds are coordinates. */
static int basis_coordinates(form_motion *s, int m, int n, double *g, double *z)
{
    la_qr q = {m, n, 0, g, s->v1, s->perm, s->work};
    int rank = la_qr_factor(&q, FORM_RANK);
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

static int by_coordinates(form_motion *s)
{
    return form_by_null_space(s, basis_coordinates);
}

const form_kind form_maggi = {
    .name = "maggi",
    .summary = "Maggi-Kane equations in independent speeds; dependent coordinates re-solved",
    .applies = "mechanical",
    .cite = "Maggi 1901; Kurdila, Papastavridis & Kamat 1990",
    .drifts = false,
    .explicit = true,
    .algebra = {.accelerate = by_coordinates, .redundant = true, .project = FORM_PROJECT_DEPENDENT},
    .build = form_mechanical_build,
};
