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
#include "form/build.h"

static int build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    return form_mechanical_build(f, options, scratch, sink, FORM_ALGEBRA_FINZI, FORM_PROJECT_NONE);
}

const form_kind form_finzi = {
    .name = "finzi",
    .summary =
        "simultaneous reduction and elimination: dependent rows give the multipliers; drifts",
    .applies = "mechanical",
    .cite = "Finzi 1946",
    .drifts = true,
    .explicit = true,
    .build = build,
};
