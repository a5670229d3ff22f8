/* Rows of a sweep: in memory, or in a journal beside the file that they will become.
 *
 * The journal is appended to in chunks, each with a checksum, in the order of runs. A process that is
 * killed leaves a last chunk that is not whole: opening the journal again drops it, and what is before
 * it is the beginning of the sweep, without gaps. It is named after the output, with ".runs" at its end.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_SWEEP_STORE_H
#define SWEEP_SWEEP_STORE_H

#include "base/arena.h"
#include "result/result.h"

#include <stdint.h>

/* Rows of consecutive runs. A row: parameters, collected values. */
typedef struct sweep_rows {
    uint64_t first;
    int n;
    int width;           // parameters and values
    double *values;      // n * width
    int *status;         // by run
    const char **reason; // by run; "" where there is none
} sweep_rows;

/* What the rows are; the journal begins with it, and --resume and --merge compare it. */
typedef struct sweep_heading {
    const char *identity; // everything that the numbers depend on, as text
    const char *class_name;
    const char *const *parameters, *const *values; // names
    int n_parameters, n_values;
    uint64_t total, first, last; // runs of the sweep; those of this file
    uint64_t samples,
        per_sample;  // how runs belong together: samples of a combination; runs of a sample
    int n_random;    // how many of the axes are random; they have Sobol' indices
    int axis;        // the only grid, or the first of two, as an axis; -1: none
    int second_axis; // ... the second
    uint64_t grid, second_grid; // how many values they have
} sweep_heading;

typedef struct sweep_store sweep_store;

/* A store in memory (path NULL) or a journal. resume: 1 to go on with one that is there. *done receives
 * how many runs it has, failed ones among them. A status of result.h and a fault. */
int sweep_store_open(mem *m, const char *path, const sweep_heading *h, bool resume,
                     sweep_store **out, uint64_t *done, result_fault *fault);
/* A journal that is there, to be read; its heading lies in the store. */
int sweep_store_read(mem *m, const char *path, sweep_store **out, const sweep_heading **h,
                     uint64_t *done, result_fault *fault);
int sweep_store_append(sweep_store *s, const sweep_rows *rows, result_fault *fault);
int sweep_store_flush(sweep_store *s, result_fault *fault); // what was appended reaches the disk
/* All rows in order, a chunk at a time, as they are on the disk. see: non-zero stops. */
int sweep_store_each(sweep_store *s, int (*see)(void *user, const sweep_rows *rows), void *user,
                     result_fault *fault);
void sweep_store_close(sweep_store *s,
                       bool remove); // remove: the journal has become a file. NULL is fine

#endif
