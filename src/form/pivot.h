/* Elimination on what is known of a matrix: entries are zero, constant, or varying.
 *
 * A pivot that is a constant other than 0 is good for all times, whatever the other entries do,
 * because the determinant is the product of the pivots. Rows are sparse and sorted by column.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FORM_PIVOT_H
#define FORM_PIVOT_H

#include "base/array.h"
#include "base/heap.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pivot_cell {
    int col;
    bool varying;
    double value; // of a constant, not 0
} pivot_cell;

typedef ARRAY(pivot_cell) pivot_row;

typedef struct pivot_table {
    arena *a;
    int n; // rows and columns
    pivot_row *rows;
    const int *class;   // by row: only rows of the class asked for give pivots
    const int *willing; // by column: the greater, the sooner it is a pivot; 0 never
    char *row_done, *col_done;
    int *pivot;         // by row: its column, or -1
    int *count;         // by column: rows that are not done and hold it
    int_array *holders; // by column: those rows, and perhaps others; each perhaps twice
    int *mark;          // by row
    int stamp;
    heap candidates;  // columns; out of date once their count has changed
    pivot_row merged; // work
} pivot_table;

/* Rows are copied from `from`; none is done, no column barred. */
void pivot_init(pivot_table *t, arena *a, int n, const int *class, const int *willing);
void pivot_load(pivot_table *t, const pivot_row *from, const char *row_done, const char *col_done);

/* Eliminate with constant pivots of the rows of one class while there are any: the most willing
 * column first, then the one in fewest rows, then the later one. */
void pivot_run(pivot_table *t, int class);

#endif
