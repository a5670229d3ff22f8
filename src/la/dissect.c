/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/dissect.h"

#include "base/bump.h"
#include "base/plugin.h"

#include <limits.h>
#include <string.h>

typedef struct dissect_graph {
    int *begin, *neighbour;
    int *work; // n
} dissect_graph;

static size_t dissect_layout(dissect_graph *g, size_t n, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    g->begin = bump_int(&b, n + 2);
    g->neighbour = bump_int(&b, 2 * nnz);
    g->work = bump_int(&b, n);
    return bump_end(&b);
}

/* Both directions of every entry, then each neighbour once. */
static void dissect_fill(dissect_graph *g, const vinc_pattern *a)
{
    int n = a->n_cols, *begin = g->begin + 1, kept = 0, *mark = g->work;
    memset(g->begin, 0, ((size_t)n + 2) * sizeof *g->begin);
    for (int fill = 0; fill < 2; fill++) {
        for (int j = 0; j < n; j++)
            for (int k = a->start[j]; k < a->start[j + 1]; k++) {
                int i = a->row[k];
                if (i == j) continue;
                if (fill) {
                    g->neighbour[begin[j]++] = i;
                    g->neighbour[begin[i]++] = j;
                } else {
                    begin[j + 1]++;
                    begin[i + 1]++;
                }
            }
        for (int j = 0; j < n && !fill; j++) begin[j + 1] += begin[j];
    }
    for (int j = 0; j < n; j++) mark[j] = -1;
    for (int j = 0, e = 0; j < n; j++) {
        int end = g->begin[j + 1];
        g->begin[j] = kept;
        for (; e < end; e++) {
            int i = g->neighbour[e];
            if (mark[i] == j) continue;
            mark[i] = j;
            g->neighbour[kept++] = i;
        }
    }
    g->begin[n] = kept;
}

int la_dissect(mem *m, const vinc_pattern *a, int *order)
{
    static const plugin_kind kind = {"metis", "orders by nested dissection", "libmetis-dev",
                                     LA_DISSECTOR_VERSION};
    char why[600];
    if (a->nnz > INT_MAX / 2) return LA_E_BACKEND;
    const la_dissector *d = plugin_open(&kind, why, sizeof why);
    if (!d) return LA_E_BACKEND;
    dissect_graph g;
    size_t bytes = dissect_layout(&g, (size_t)a->n_cols, (size_t)a->nnz, NULL);
    void *block = mem_try(m, bytes);
    if (!block) return LA_E_MEMORY;
    dissect_layout(&g, (size_t)a->n_cols, (size_t)a->nnz, block);
    dissect_fill(&g, a);
    int failed = d->order(a->n_cols, g.begin, g.neighbour, order, g.work);
    mem_free(m, block, bytes);
    return failed ? LA_E_BACKEND : LA_OK;
}
