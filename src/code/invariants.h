/* What the motion is said to keep, and its derivatives.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_INVARIANTS_H
#define CODE_INVARIANTS_H

#include "code/functions.h"
#include "image/image_system.h"

/* role: by component of y (code_role). */
bool code_lower_invariants(lowering *l, const uint8_t *role, code_invariants *x);

#endif
