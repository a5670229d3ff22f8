/* Columns that are computed from others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESULT_COMPUTED_H
#define RESULT_COMPUTED_H

#include "result/result.h"

typedef struct result_formula result_formula;

enum { COMPUTED_UNIT_BYTES = 40 };
/* Read an expression over the columns of r. *out is NULL, and the status RESULT_OK, where it has no
 * operator: it is a name then. unit receives its unit, "" where that is not known. */
int computed_read(const result *r, const char *s, size_t n, result_formula **out,
                  char unit[COMPUTED_UNIT_BYTES], result_fault *fault);
double computed_value(const result *r, const result_formula *f, size_t row);
int computed_operand(const result_formula *f,
                     int k); // the k-th column that it uses; -1 after the last
void computed_free(mem *m, result_formula *f);
/* A column of it, which the result owns from then on; its number, or a status < 0. */
int result_add_formula(result *r, const char *name, const char *unit, result_formula *f);

#endif
