/* Random patterns with fixed seeds, and matrices of small ones.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GRAPH_RANDOM_H
#define TESTS_GRAPH_RANDOM_H

#include "base/array.h"
#include "base/map.h"
#include "graph/graph.h"

typedef struct random_source {
    uint64_t state;
} random_source;

static inline int below(random_source *r, int n)
{
    return (int)(hash_u64(r->state++) % (uint64_t)n);
}

// Each entry is there with probability one in `sparsity`; columns of a row in descending order.
static inline graph_pattern random_pattern(random_source *r, int n_rows, int n_cols, int sparsity,
                                           arena *a)
{
    int_array start = {0}, col = {0};
    array_push(a, &start, 0);
    for (int i = 0; i < n_rows; i++) {
        for (int j = n_cols - 1; j >= 0; j--)
            if (below(r, sparsity) == 0) array_push(a, &col, j);
        array_push(a, &start, col.n);
    }
    array_reserve(a, &col, 1);
    return (graph_pattern){.n_rows = n_rows, .n_cols = n_cols, .start = start.at, .col = col.at};
}

static inline bool has(const graph_pattern *g, int i, int j)
{
    for (int p = g->start[i]; p < g->start[i + 1]; p++)
        if (g->col[p] == j) return true;
    return false;
}

#endif
