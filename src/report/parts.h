/* Parts of the data of a report (inside report only).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "report/report.h"
#include "told/json.h"

/* Doubles as a JSON string: base64 of their little-endian bytes. */
void report_numbers(text *out, const double *x, size_t n);

/* The rows of a result that carry its shape: for every one of the columns the smallest and largest
 * value of each stretch, its ends, both rows of events, and the borders of gaps; about `most` rows.
 * Fewer rows than that are all kept. Returns how many; *rows is in scratch. */
size_t report_thin(const result *r, const int *columns, int n, size_t most, arena *scratch,
                   size_t **rows);

/* {"rows": ..., "of": ..., "columns": [...]}: these columns of these rows. */
void report_columns(json *j, const char *key, const result *r, const int *columns, int n,
                    const size_t *rows, size_t n_rows, arena *scratch);

/* "scene": the moving model: its drawings, or points guessed from names; null without either. */
void report_scene(const report_spec *spec, arena *scratch, json *j, bool *solid);

#endif
