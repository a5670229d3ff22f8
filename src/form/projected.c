/* Index 1, moved onto all levels of the constraints after every step (run/project.c).
 *
 * Accelerations and multipliers come from the rows as they stand; where those are singular because
 * constraints are redundant, the multipliers are those of least norm.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/algebra.h"

static int projected_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    return form_mechanical_build(f, options, scratch, sink, FORM_PROJECT_LEAST);
}

const form_kind form_project = {
    .name = "project",
    .summary = "index 1, moved onto all constraint levels after every step",
    .applies = "every solvable model",
    .cite = "Eich 1993",
    .explicit = true,
    .algebra = {.accelerate = form_by_pseudo_inverse, .sparse = true, .redundant = true},
    .build = projected_build,
};
