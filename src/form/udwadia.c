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
#include "form/build.h"

static int build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    return form_mechanical_build(f, options, scratch, sink, FORM_ALGEBRA_UDWADIA,
                                 FORM_PROJECT_NONE);
}

const form_kind form_udwadia = {
    .name = "udwadia",
    .summary = "explicit elimination by pseudo-inverses; also for redundant constraints; drifts",
    .applies = "mechanical",
    .cite = "Udwadia & Phohomsiri 2006",
    .drifts = true,
    .explicit = true,
    .build = build,
};
