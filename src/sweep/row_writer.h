/* A file of rows, written by a plug-in (src/plugins/hdf5.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_ROW_WRITER_H
#define SWEEP_ROW_WRITER_H

#include <stddef.h>
#include <stdint.h>

enum { SWEEP_WRITER_VERSION = 1 };

typedef struct sweep_columns {
    const char *const *names; // parameters, then values
    int n_parameters, n_values;
    uint64_t n_rows;
    const char *identity, *class_name;
} sweep_columns;

typedef struct sweep_writer {
    int version; // first
    /* The file is new; NULL, and why, where it cannot be made. */
    void *(*open)(const char *path, const sweep_columns *c, char *why, size_t size);
    /* Rows of consecutive runs, by rows. 0: done. */
    int (*rows)(void *self, uint64_t first, int n, const double *values, const int *status,
                const char *const *reasons);
    int (*close)(void *self, char *why, size_t size); // 0: the file is whole
} sweep_writer;

#endif
