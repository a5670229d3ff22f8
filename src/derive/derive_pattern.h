/* From a list of derivatives, in whatever order they were found, to a pattern by columns.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DERIVE_DERIVE_PATTERN_H
#define DERIVE_DERIVE_PATTERN_H

#include "base/array.h"
#include "vincolo_problem.h"

typedef struct pattern_entry {
    int row, col;
} pattern_entry;

/* No two entries are at the same place. Afterwards entry[e].row is the place of entry e in the pattern. */
vinc_pattern pattern_of(pattern_entry *entry, int n, int n_rows, int n_cols, arena *scratch,
                        arena *result);

/* The same; columns j and n_cols + j (of y and of y') share column j of the pattern. */
vinc_pattern pattern_of_pairs(pattern_entry *entry, int n, int n_rows, int n_cols, arena *scratch,
                              arena *result);

/* Places of such a pattern that no entry of columns first ... end - 1 has. */
int_array pattern_gaps(const pattern_entry *entry, int n, int first, int end, int nnz,
                       arena *scratch);

#endif
