/* The functions of the standard library that are written here, by family; each list ends with a row
 * without a name.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_EXTERNAL_LIST_H
#define EXTERNAL_EXTERNAL_LIST_H

#include "external/external_run.h"
#include "external/table.h"

extern const external_function external_tables_1d[];
extern const external_function external_tables_2d[];
extern const external_function external_strings[];
extern const external_function external_random[];
extern const external_function external_files[];
extern const external_function external_lapack[];
extern const external_function external_fourier[];
extern const external_function external_fmus[];

/* The matrix that the first five arguments of a table's constructor mean: file, name, table, rows,
 * columns. False after a reason. */
bool table_argument(external_call *c, table_matrix *x);

#endif
