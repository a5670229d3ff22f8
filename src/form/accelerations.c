/* Formulations whose rows are the equations of index 1: they differ in the algebra that gives accelerations and
 * multipliers while a model runs (run/motion.h), and in what happens after steps (run/project.c).
 *
 *     [M B] [a     ]   [-r_d ]
 *     [G 0] [lambda] = [gamma]
 *
 * is solved as it stands by `kkt`, and by `project`, where singular because constraints are redundant, with
 * multipliers of least norm. Of `maggi` constraints linear in the velocities are rows of G like any other, and after
 * a step the dependent coordinates and speeds are solved for again, so nothing drifts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

const form_kind form_project = {
    .name = "project",
    .summary = "index 1, moved onto all constraint levels after every step",
    .applies = "every solvable model",
    .cite = "Eich 1993",
    .explicit = true,
    .algebra = {.motion = IMAGE_MOTION_PSEUDO_INVERSE,
                .sparse = true,
                .redundant = true,
                .project = IMAGE_PROJECT_LEAST},
    .build = form_mechanical_build,
};

const form_kind form_maggi = {
    .name = "maggi",
    .summary = "Maggi-Kane equations in independent speeds; dependent coordinates re-solved",
    .applies = "mechanical",
    .cite = "Maggi 1901; Kurdila, Papastavridis & Kamat 1990",
    .explicit = true,
    .algebra = {.motion = IMAGE_MOTION_COORDINATES,
                .redundant = true,
                .project = IMAGE_PROJECT_DEPENDENT},
    .build = form_mechanical_build,
};

const form_kind form_kkt = {
    .name = "kkt",
    .summary = "accelerations and multipliers from the augmented matrix [M B; G 0]; drifts",
    .applies = "mechanical",
    .cite = "Hairer & Wanner 1996, VII.1",
    .drifts = true,
    .explicit = true,
    .algebra = {.sparse = true},
    .build = form_mechanical_build,
};

const form_kind form_udwadia = {
    .name = "udwadia",
    .summary = "explicit elimination by pseudo-inverses; also for redundant constraints; drifts",
    .applies = "mechanical",
    .cite = "Udwadia & Phohomsiri 2006",
    .drifts = true,
    .explicit = true,
    .algebra = {.motion = IMAGE_MOTION_PSEUDO_INVERSE, .redundant = true},
    .build = form_mechanical_build,
};

const form_kind form_nullspace_qr = {
    .name = "nullspace-qr",
    .summary = "accelerations projected on an orthogonal null-space basis by QR; drifts",
    .applies = "mechanical",
    .cite = "Kim & Vanderploeg 1986",
    .drifts = true,
    .explicit = true,
    .algebra = {.motion = IMAGE_MOTION_QR, .redundant = true},
    .build = form_mechanical_build,
};

const form_kind form_nullspace_svd = {
    .name = "nullspace-svd",
    .summary = "accelerations projected on a null-space basis from singular vectors; drifts",
    .applies = "mechanical",
    .cite = "Mani, Haug & Atkinson 1985",
    .drifts = true,
    .explicit = true,
    .algebra = {.motion = IMAGE_MOTION_SVD, .redundant = true},
    .build = form_mechanical_build,
};

const form_kind form_finzi = {
    .name = "finzi",
    .summary =
        "simultaneous reduction and elimination: dependent rows give the multipliers; drifts",
    .applies = "mechanical",
    .cite = "Finzi 1946",
    .drifts = true,
    .explicit = true,
    .algebra = {.motion = IMAGE_MOTION_ELIMINATION},
    .build = form_mechanical_build,
};
