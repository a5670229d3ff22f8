/* The targets of the tape. Of those that run here, the first is taken.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/target.h"

const tape_target *const tape_targets[] = {
    &target_avx, &target_sse2, &target_a64, &target_interpreter, &target_c, NULL,
};
