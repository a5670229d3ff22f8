/* Accelerations on an orthonormal basis of the null space of G, from its singular value
 * decomposition; otherwise as nullspace-qr.
 *
 * N. K. Mani, E. J. Haug and K. E. Atkinson, J. Mech. Transm. Autom. Des. 107 (1985) 82-87.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/algebra.h"
#include "la/dense.h"

static int basis_svd(form_motion *s, int m, int n, double *g, double *z)
{
    double *sigma = s->v1, *vt = s->w4;
    if (la_svd(m, n, g, sigma, NULL, vt, s->work) < 0) return -1;
    int rank = 0, most = m < n ? m : n;
    while (rank < most && sigma[rank] > FORM_RANK * sigma[0]) rank++;
    for (int j = rank; j < n; j++)
        for (int i = 0; i < n; i++) z[i + (j - rank) * n] = vt[j + i * n];
    return rank;
}

static int by_svd(form_motion *s)
{
    return form_by_null_space(s, basis_svd);
}

const form_kind form_nullspace_svd = {
    .name = "nullspace-svd",
    .summary = "accelerations projected on a null-space basis from singular vectors; drifts",
    .applies = "mechanical",
    .cite = "Mani, Haug & Atkinson 1985",
    .drifts = true,
    .explicit = true,
    .algebra = {.accelerate = by_svd, .redundant = true},
    .build = form_mechanical_build,
};
