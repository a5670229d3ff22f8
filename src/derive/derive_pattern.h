/* From a list of derivatives, in whatever order they were found, to a pattern by columns.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DERIVE_DERIVE_PATTERN_H
#define DERIVE_DERIVE_PATTERN_H

#include "base/array.h"
#include "vincolo_problem.h"

typedef struct pattern_entry {
    int row, col;
} pattern_entry;

/* (*position)[e] is the place of entry e in the pattern. No two entries are at the same place. */
vinc_pattern pattern_of(const pattern_entry *entry, int n, int n_rows, int n_cols, int **position,
                        arena *scratch, arena *result);

/* Columns j and n_cols + j (of y and of y') share column j of the pattern. Places that only one of
 * the two has are listed in zeros[0] (y has nothing there) and zeros[1] (y' has nothing). */
vinc_pattern pattern_of_pairs(const pattern_entry *entry, int n, int n_rows, int n_cols,
                              int **position, int_array zeros[2], arena *scratch, arena *result);

#endif
