/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

graph_pattern graph_transpose(const graph_pattern *g, arena *a)
{
    int nnz = g->start[g->n_rows];
    int *start = arena_array(a, int, g->n_cols + 2), *row = arena_array(a, int, nnz);
    for (int e = 0; e < nnz; e++) start[g->col[e] + 2]++;
    for (int j = 0; j < g->n_cols; j++) start[j + 2] += start[j + 1];
    for (int i = 0; i < g->n_rows; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++) row[start[g->col[e] + 1]++] = i;
    return (graph_pattern){.n_rows = g->n_cols, .n_cols = g->n_rows, .start = start, .col = row};
}
