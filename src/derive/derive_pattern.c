/* SPDX-License-Identifier: BSD-3-Clause */
#include "derive/derive_pattern.h"

#include <stdbool.h>
#include <string.h>

/* Shell's sort with Knuth's gaps (The Art of Computer Programming 3, 5.2.1): in place, and columns are short or nearly
 * in order. */
static void sort_by_row(int *order, int n, const pattern_entry *entry)
{
    int gap = 1;
    while (gap < n / 9) gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (int k = gap; k < n; k++) {
            int e = order[k], at = k;
            for (; at >= gap && entry[order[at - gap]].row > entry[e].row; at -= gap)
                order[at] = order[at - gap];
            order[at] = e;
        }
}

/* The entries ordered by column, then row. start[j]: first of column j in the order. */
static int *sort_entries(const pattern_entry *entry, int n, int n_cols, int *start, arena *scratch)
{
    int *order = arena_array(scratch, int, n);
    for (int e = 0; e < n; e++) start[entry[e].col + 1]++;
    for (int j = 0; j < n_cols; j++) start[j + 1] += start[j];
    for (int e = 0; e < n; e++) order[start[entry[e].col]++] = e;
    memmove(start + 1, start, (size_t)n_cols * sizeof *start); // they had moved to their ends
    start[0] = 0;
    for (int j = 0; j < n_cols; j++) sort_by_row(order + start[j], start[j + 1] - start[j], entry);
    return order;
}

vinc_pattern pattern_of(pattern_entry *entry, int n, int n_rows, int n_cols, arena *scratch,
                        arena *result)
{
    int *start = arena_array(result, int, n_cols + 1), *row = arena_array(result, int, n);
    int *order = sort_entries(entry, n, n_cols, start, scratch);
    for (int k = 0; k < n; k++) {
        row[k] = entry[order[k]].row;
        entry[order[k]].row = k;
    }
    arena_resize(scratch, order, (size_t)n * sizeof *order, 0);
    return (vinc_pattern){n_rows, n_cols, n, start, row};
}

vinc_pattern pattern_of_pairs(pattern_entry *entry, int n, int n_rows, int n_cols, arena *scratch,
                              arena *result)
{
    int *at = arena_array(scratch, int, 2 * (size_t)n_cols + 1), nnz = 0;
    int *order = sort_entries(entry, n, 2 * n_cols, at, scratch);
    int *start = arena_array(result, int, n_cols + 1), *row = arena_array(result, int, n);
    for (int j = 0; j < n_cols; j++) {
        int i = at[j], k = at[n_cols + j], end_i = at[j + 1], end_k = at[n_cols + j + 1];
        for (; i < end_i || k < end_k; nnz++) {
            int row_i = i < end_i ? entry[order[i]].row : n_rows;
            int row_k = k < end_k ? entry[order[k]].row : n_rows;
            row[nnz] = row_i < row_k ? row_i : row_k;
            if (row_i == row[nnz]) entry[order[i++]].row = nnz;
            if (row_k == row[nnz]) entry[order[k++]].row = nnz;
        }
        start[j + 1] = nnz;
    }
    arena_resize(scratch, order, (size_t)n * sizeof *order, 0);
    arena_resize(scratch, at, (2 * (size_t)n_cols + 1) * sizeof *at, 0);
    row = arena_resize_raw(result, row, (size_t)n * sizeof *row, (size_t)nnz * sizeof *row);
    return (vinc_pattern){n_rows, n_cols, nnz, start, row};
}

int_array pattern_gaps(const pattern_entry *entry, int n, int first, int end, int nnz,
                       arena *scratch)
{
    bool *there = arena_array(scratch, bool, nnz);
    int_array gaps = {0};
    for (int e = 0; e < n; e++)
        if (entry[e].col >= first && entry[e].col < end) there[entry[e].row] = true;
    for (int k = 0; k < nnz; k++)
        if (!there[k]) array_push(scratch, &gaps, k);
    arena_resize(scratch, there, (size_t)nnz * sizeof *there, 0);
    return gaps;
}
