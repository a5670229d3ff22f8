/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

graph_pattern graph_transpose(const graph_pattern *g, arena *a)
{
    int nnz = g->start[g->n_rows];
    int *start = arena_array(a, int, g->n_cols + 2), *row = arena_array(a, int, nnz);
    for (int p = 0; p < nnz; p++) start[g->col[p] + 2]++;
    for (int j = 0; j < g->n_cols; j++) start[j + 2] += start[j + 1];
    for (int i = 0; i < g->n_rows; i++)
        for (int p = g->start[i]; p < g->start[i + 1]; p++) row[start[g->col[p] + 1]++] = i;
    return (graph_pattern){g->n_cols, g->n_rows, start, row};
}

graph_pattern graph_select(const graph_pattern *g, const int *rows, int n_rows, const int *cols,
                           int n_cols, const int **entry, arena *a, arena *scratch)
{
    if (!rows) n_rows = g->n_rows;
    if (!cols) n_cols = g->n_cols;
    int nnz = 0;
    for (int i = 0; i < n_rows; i++) {
        int r = rows ? rows[i] : i;
        nnz += g->start[r + 1] - g->start[r];
    }
    int *start = arena_array(a, int, n_rows + 1), *col = arena_array(a, int, nnz);
    int *from = entry ? arena_array(a, int, nnz) : NULL;
    arena_mark mark = arena_here(scratch);
    int *place = cols ? arena_array(scratch, int, g->n_cols) : NULL; // + 1
    for (int j = 0; cols && j < n_cols; j++) place[cols[j]] = j + 1;
    int n = 0;
    for (int i = 0; i < n_rows; i++) {
        int r = rows ? rows[i] : i;
        for (int p = g->start[r]; p < g->start[r + 1]; p++) {
            int j = cols ? place[g->col[p]] - 1 : g->col[p];
            if (j < 0) continue;
            if (from) from[n] = p;
            col[n++] = j;
        }
        start[i + 1] = n;
    }
    arena_release(scratch, mark);
    if (entry) *entry = from;
    return (graph_pattern){n_rows, n_cols, start, col};
}
