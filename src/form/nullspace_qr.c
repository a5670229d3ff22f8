/* Accelerations on an orthonormal basis of the null space of G, from a QR factorisation of G^T.
 *
 *     a = G^+ gamma + Z nu,   N^T M Z nu = N^T (-r_d - M G^+ gamma),   G Z = 0,  B^T N = 0
 *
 * S. S. Kim and M. J. Vanderploeg, J. Mech. Transm. Autom. Des. 108 (1986) 183-188.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/algebra.h"
#include "la/dense.h"

static int basis_qr(form_motion *s, int m, int n, double *g, double *z)
{
    return la_null(m, n, g, z, FORM_RANK, s->work);
}

static int by_qr(form_motion *s)
{
    return form_by_null_space(s, basis_qr);
}

const form_kind form_nullspace_qr = {
    .name = "nullspace-qr",
    .summary = "accelerations projected on an orthogonal null-space basis by QR; drifts",
    .applies = "mechanical",
    .cite = "Kim & Vanderploeg 1986",
    .drifts = true,
    .explicit = true,
    .algebra = {.accelerate = by_qr, .redundant = true},
    .build = form_mechanical_build,
};
