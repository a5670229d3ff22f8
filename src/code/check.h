/* The parts of the report of `vincolo check` that need numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_CHECK_H
#define CODE_CHECK_H

#include "code/point.h"

/* -1 and a reason when it cannot be had. */
int code_numerical_index(const code_point *p, arena *a, const char **reason);

/* form, form_reason and form_condition of the report. */
void code_classify(const code_point *p, arena *a, code_check *out);

#endif
