/* Index 1, moved onto all levels of the constraints after every step (run/project.c).
 *
 * Accelerations and multipliers come from the rows as they stand; where those are singular because
 * constraints are redundant, the multipliers are those of least norm.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/algebra.h"

const form_kind form_project = {
    .name = "project",
    .summary = "index 1, moved onto all constraint levels after every step",
    .applies = "every solvable model",
    .cite = "Eich 1993",
    .explicit = true,
    .algebra = {.accelerate = form_by_pseudo_inverse,
                .sparse = true,
                .redundant = true,
                .project = FORM_PROJECT_LEAST},
    .build = form_mechanical_build,
};
