/* Tables: grids, how to interpolate between their points and beyond, and matrices in files.
 *
 * The kinds are those of Modelica.Blocks.Types; their numbers are the ones that a model passes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_TABLE_H
#define EXTERNAL_TABLE_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum table_smoothness {
    TABLE_LINEAR = 1,
    TABLE_AKIMA,
    TABLE_CONSTANT, // the value of the point before
    TABLE_FRITSCH_BUTLAND,
    TABLE_STEFFEN,
    TABLE_MODIFIED_AKIMA
} table_smoothness;

typedef enum table_extrapolation {
    TABLE_HOLD = 1,
    TABLE_LAST_TWO, // along the derivative at the end
    TABLE_PERIODIC,
    TABLE_NONE
} table_extrapolation;

static inline bool table_is_smooth(int smoothness)
{
    return smoothness != TABLE_LINEAR && smoothness != TABLE_CONSTANT;
}

/* ---- one direction (table_axis.c) ------------------------------------------------------------ */

typedef struct table_axis {
    const double *x; // n abscissas that do not fall
    int n;
    int smoothness, extrapolation;
    int last; // where it was found last
} table_axis;

/* A value is the sum of what the two points of a piece say, their values and their slopes, each
 * with its weight; w[k] are that of order k of the derivative by u: value and slope at the left,
 * value and slope at the right. */
typedef struct table_weights {
    int i; // the piece: points i and i + 1 (or i alone, if there is but one)
    double w[3][4];
} table_weights;

/* 1 within the table, 0 where there is no value outside of it. */
bool table_weigh(table_axis *a, double u, table_weights *out);
/* In piece i, wherever u is. */
void table_weigh_piece(const table_axis *a, int i, double u, table_weights *out);
int table_piece(const table_axis *a, double u);   // the last one that begins at or before u
bool table_begins_with_jump(const table_axis *a); // two rows at its first point

/* Slopes of the curve through n points by a smooth kind; y and slope have the same stride. */
void table_slopes(int smoothness, const double *x, const double *y, int n, int stride,
                  double *slope);

/* How much the chords left and right of point i count for its slope, by Akima's kinds. */
void table_chord_weights(int smoothness, const double *x, const double *y, int n, int stride, int i,
                         double w[2]);

/* ---- matrices (table_file.c) ----------------------------------------------------------------- */

bool table_is_file(const char *name); // or a name that stands for none

typedef struct table_matrix {
    double *at; // by rows, from mem
    int rows, cols;
} table_matrix;

enum { TABLE_WHY = 400 };

/* The matrix of this name in a file, text or MAT. False: `why` (TABLE_WHY bytes) names the file, and
 * of a text the line. */
bool table_read(mem *m, const char *file, const char *name, table_matrix *out, char *why);
void table_matrix_free(mem *m, table_matrix *x);

/* For table_file.c: a MAT-file in memory (table_mat.c). */
bool table_is_mat(const unsigned char *bytes, size_t n);
bool table_read_mat(mem *m, const unsigned char *bytes, size_t n, const char *name,
                    table_matrix *out, char *why);
/* Uncompress a zlib stream (RFC 1950, 1951); NULL: it is broken, or there is no memory
 * (table_inflate.c). */
unsigned char *table_inflate(mem *m, const unsigned char *bytes, size_t n, size_t *n_out,
                             size_t *capacity);

#endif
