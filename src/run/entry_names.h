/* What entries are called, for messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ENTRY_NAMES_H
#define RUN_ENTRY_NAMES_H

#include "code/model_parts.h"

void run_add_name(const code_model *m, int entry, text *out); // "x", "der(x)"

#endif
