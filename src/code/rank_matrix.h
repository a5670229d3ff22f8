/* The matrix of constraints by unknowns, for questions of rank.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_RANK_MATRIX_H
#define CODE_RANK_MATRIX_H

#include "code/functions.h"
#include "image/image_system.h"

/* *x stays NULL where nothing can lose rank. */
bool code_lower_rank(lowering *l, const code_rank **x);

#endif
