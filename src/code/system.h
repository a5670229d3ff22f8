/* The system that is integrated: its rows, their derivatives, and what is known of its unknowns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_SYSTEM_H
#define CODE_SYSTEM_H

#include "code/functions.h"
#include "image/image_system.h"

bool code_lower_system(lowering *l, code_system *x);
bool code_lower_choice(lowering *l, code_choice *x);

#endif
