/* Greedy colouring of the columns at distance two, in their order (A. R. Curtis, M. J. D. Powell &
 * J. K. Reid, IMA J. Appl. Math. 13 (1974) 117-119): optimal for banded patterns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

int graph_colour(const graph_pattern *g, int *colour, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    graph_pattern t = graph_transpose(g, scratch);
    int *taken =
        arena_array(scratch, int, g->n_cols + 1); // colour k is taken for column taken[k] - 1
    int n = 0;
    for (int j = 0; j < g->n_cols; j++) colour[j] = -1;
    for (int j = 0; j < g->n_cols; j++) {
        for (int q = t.start[j]; q < t.start[j + 1]; q++)
            for (int p = g->start[t.col[q]]; p < g->start[t.col[q] + 1]; p++)
                if (colour[g->col[p]] >= 0) taken[colour[g->col[p]]] = j + 1;
        int k = 0;
        while (taken[k] == j + 1) k++;
        colour[j] = k;
        if (k == n) n++;
    }
    arena_release(scratch, mark);
    return n;
}
