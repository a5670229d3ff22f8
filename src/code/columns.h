/* What can be recorded: columns and the outputs they show; inputs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_COLUMNS_H
#define CODE_COLUMNS_H

#include "code/model.h"
#include "code/parameters.h"
#include "image/image_columns.h"
#include "image/image_system.h"

bool code_lower_outputs(lowering *l, code_outputs *x);
void code_list_inputs(const structure *s, arena *a, code_inputs *x);

#endif
