/* The constraints of each level by y, for projection.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_MANIFOLD_H
#define CODE_MANIFOLD_H

#include "code/functions.h"
#include "image/image_system.h"

/* *x stays NULL where nothing is projected. */
bool code_lower_manifold(lowering *l, const code_manifold **x);

#endif
