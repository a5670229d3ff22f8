/* SPDX-License-Identifier: BSD-3-Clause */
#include "derive/derive_pattern.h"

#include <stdbool.h>
#include <string.h>

/* The entries ordered by column, then row: two counting sorts, rows first. start[j]: first of
 * column j in the order. */
static int *sort_entries(const pattern_entry *entry, int n, int n_rows, int n_cols, int *start,
                         arena *scratch)
{
    int *at = arena_array(scratch, int, n_rows + 1), *next = arena_array(scratch, int, n_cols + 1);
    int *by_row = arena_array(scratch, int, n), *order = arena_array(scratch, int, n);
    for (int e = 0; e < n; e++) at[entry[e].row + 1]++, start[entry[e].col + 1]++;
    for (int i = 0; i < n_rows; i++) at[i + 1] += at[i];
    for (int j = 0; j < n_cols; j++) start[j + 1] += start[j];
    for (int e = 0; e < n; e++) by_row[at[entry[e].row]++] = e;
    memcpy(next, start, ((size_t)n_cols + 1) * sizeof *next);
    for (int k = 0; k < n; k++) order[next[entry[by_row[k]].col]++] = by_row[k];
    arena_resize(scratch, by_row, (size_t)n * sizeof *by_row, 0);
    arena_resize(scratch, next, ((size_t)n_cols + 1) * sizeof *next, 0);
    arena_resize(scratch, at, ((size_t)n_rows + 1) * sizeof *at, 0);
    return order;
}

vinc_pattern pattern_of(pattern_entry *entry, int n, int n_rows, int n_cols, arena *scratch,
                        arena *result)
{
    int *start = arena_array(result, int, n_cols + 1), *row = arena_array(result, int, n);
    int *order = sort_entries(entry, n, n_rows, n_cols, start, scratch);
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
    int *order = sort_entries(entry, n, n_rows, 2 * n_cols, at, scratch);
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
