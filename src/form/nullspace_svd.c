/* Accelerations on an orthonormal basis of the null space of G, from its singular value
 * decomposition; otherwise as nullspace-qr.
 *
 * N. K. Mani, E. J. Haug and K. E. Atkinson, J. Mech. Transm. Autom. Des. 107 (1985) 82-87.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

static int build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    return form_mechanical_build(f, options, scratch, sink, FORM_ALGEBRA_NULL_SVD,
                                 FORM_PROJECT_NONE);
}

const form_kind form_nullspace_svd = {
    .name = "nullspace-svd",
    .summary = "accelerations projected on a null-space basis from singular vectors; drifts",
    .applies = "mechanical",
    .cite = "Mani, Haug & Atkinson 1985",
    .drifts = true,
    .explicit = true,
    .build = build,
};
