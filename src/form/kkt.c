/* Accelerations and multipliers from the augmented system.
 *
 *     [M B] [a     ]   [-r_d ]
 *     [G 0] [lambda] = [gamma]
 *
 * solved as it stands; regular where G has full rank and M is regular on the null space of G.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

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
