/* A file of a result: written at once, or while its rows are made.
 *
 * A format (result_format) writes what comes before the rows, rows, and what comes after them, by the
 * same functions in both cases, so that both give the same bytes. While rows are made, a piece of them is
 * either there or not: the format counts them (MAT), or the first byte of the piece is 0 until the rest
 * is written (result/whole_file.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RESULT_WRITER_H
#define RESULT_WRITER_H

#include "result/whole_file.h"

typedef struct result_writer {
    const result_format *format;
    const result *r;
    result_file f;
    int n, *list; // columns after the time
    size_t list_bytes;
    void *own; // of the format
    size_t own_bytes;
    size_t n_rows;          // of the file
    double t_first, t_last; // of these
} result_writer;

/* Write what comes before row `end`. */
int result_stream_push(result *r, size_t end);
size_t result_stream_rows(const result *r); // that were written; 0 without a stream
/* Drop what was written from row `most` on, and what is later than t but for `least` rows; the time of the
 * last that is left. */
double result_stream_cut(result *r, double t, size_t least, size_t most);
void result_stream_free(result *r);

#endif
