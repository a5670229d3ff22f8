/* Methods that are text files (docs/methods.md).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef API_FORMULA_FILE_H
#define API_FORMULA_FILE_H

#include "api/api.h"
#include "lab/lab.h"

/* Does this name a text file of a method? */
bool api_is_formula_file(const char *spec);
/* Read it, with its order as the laboratory finds it. False after a diagnostic; within a guard. */
bool api_read_formula(vinc_ctx *ctx, const char *path, method_formula *f, lab_report *r);

#endif
