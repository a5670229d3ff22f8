/* Rows as a file for others: CSV, MAT, HDF5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_SWEEP_TABLE_H
#define SWEEP_SWEEP_TABLE_H

#include "sweep/sweep_store.h"

/* A format is one entry of the list in sweep_table.c. */
typedef struct sweep_format {
    const char *ending, *name, *summary;
    int (*write)(mem *m, sweep_store *s, const sweep_heading *h, uint64_t n, const char *path,
                 result_fault *fault);
    int (*ready)(result_fault *fault); // can it be written here? NULL: always
} sweep_format;

/* The format of a path; NULL after a fault. */
const sweep_format *sweep_format_of(const char *path, result_fault *fault);

#endif
