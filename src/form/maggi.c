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
#include "form/build.h"

static int build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    return form_mechanical_build(f, options, scratch, sink, FORM_ALGEBRA_MAGGI,
                                 FORM_PROJECT_DEPENDENT);
}

const form_kind form_maggi = {
    .name = "maggi",
    .summary = "Maggi-Kane equations in independent speeds; dependent coordinates re-solved",
    .applies = "mechanical",
    .cite = "Maggi 1901; Kurdila, Papastavridis & Kamat 1990",
    .drifts = false,
    .explicit = true,
    .build = build,
};
