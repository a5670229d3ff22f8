/* Highest-value transversal and smallest offsets.
 *
 * J. D. Pryce, A simple structural analysis method for DAEs, BIT 41 (2001) 364-394. The offsets c,
 * d are the smallest dual solution of the assignment problem; a primal-dual method that starts from
 * c = 0, d_j = max_i sigma_ij and raises no more than the next augmenting path needs ends there
 * (differentiating c_i times is what C. C. Pantelides 1988 does, one step at a time).
 *
 * First all that needs no differentiation is matched at once, on the entries with d_j - c_i =
 * sigma_ij; then one shortest path (Dijkstra, lengths d_j - c_i - sigma_ij) for each row left over
 * (R. Jonker & A. Volgenant, Computing 38 (1987) 325-340). A model without hidden constraints is
 * done after the first part.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

#include "base/array.h"

#include <string.h>

typedef struct entry {
    int length, turn, col;
} entry;

typedef struct search {
    const graph_pattern *g;
    const int *sigma;
    graph_matching *m;
    int *c, *d;
    int *dist, *from;         // of columns seen: length of the path and the row before
    int *stamp;               // of columns: seen in search number ...
    int_array rows;           // reached, with the length of the path to each
    int_array row_dist, cols; // columns with final distance
    uint8_t *final;
    ARRAY(entry) heap;
    int number, turn;
    arena *a;
} search;

// ---- heap of columns, nearest first; ties in the order of arrival, which keeps searches local
// ----

static bool before(entry x, entry y)
{
    return x.length < y.length || (x.length == y.length && x.turn < y.turn);
}

static void push(search *s, entry x)
{
    array_push(s->a, &s->heap, x);
    entry *h = s->heap.at;
    int i = s->heap.n - 1;
    for (; i && before(x, h[(i - 1) / 2]); i = (i - 1) / 2) h[i] = h[(i - 1) / 2];
    h[i] = x;
}

static entry pop(search *s)
{
    entry *h = s->heap.at, top = h[0], x = h[--s->heap.n];
    int i = 0, n = s->heap.n;
    for (int k = 1; k < n; i = k, k = 2 * i + 1) {
        if (k + 1 < n && before(h[k + 1], h[k])) k++;
        if (!before(h[k], x)) break;
        h[i] = h[k];
    }
    h[i] = x;
    return top;
}

// ---- one path ----------------------------------------------------------------------------------

// Look at the columns of row i; a free one at no further distance ends the search.
static int reach_row(search *s, int i, int length)
{
    array_push(s->a, &s->rows, i);
    array_push(s->a, &s->row_dist, length);
    for (int p = s->g->start[i]; p < s->g->start[i + 1]; p++) {
        int j = s->g->col[p], l = length + s->d[j] - s->c[i] - s->sigma[p];
        bool seen = s->stamp[j] == s->number;
        if (seen && (s->final[j] || s->dist[j] <= l)) continue;
        s->stamp[j] = s->number;
        s->final[j] = 0;
        s->dist[j] = l;
        s->from[j] = i;
        if (l == length && s->m->row[j] < 0) return j;
        push(s, (entry){l, s->turn++, j});
    }
    return -1;
}

// Nearest free column from a free row, or -1.
static int nearest(search *s, int root)
{
    s->number++;
    s->heap.n = s->rows.n = s->row_dist.n = s->cols.n = s->turn = 0;
    int j = reach_row(s, root, 0);
    while (j < 0 && s->heap.n) {
        entry x = pop(s);
        if (s->final[x.col] || x.length > s->dist[x.col]) continue; // an older entry
        s->final[x.col] = 1;
        array_push(s->a, &s->cols, x.col);
        if (s->m->row[x.col] < 0) return x.col;
        j = reach_row(s, s->m->row[x.col], x.length);
    }
    return j;
}

static void augment(search *s, int root)
{
    int j = nearest(s, root);
    if (j < 0) return;
    // Raise the offsets of what lies nearer than j, so that the path has length 0.
    int far = s->dist[j];
    for (int k = 0; k < s->rows.n; k++) s->c[s->rows.at[k]] += far - s->row_dist.at[k];
    for (int k = 0; k < s->cols.n; k++) s->d[s->cols.at[k]] += far - s->dist[s->cols.at[k]];
    for (int i = -1; i != root;) {
        i = s->from[j];
        int next = s->m->col[i];
        s->m->col[i] = j;
        s->m->row[j] = i;
        j = next;
    }
    s->m->n++;
}

// ---- all ---------------------------------------------------------------------------------------

// The entries with d_j = sigma_ij, for c = 0.
static graph_pattern tight(const graph_pattern *g, const int *sigma, const int *d, arena *a)
{
    int *start = arena_array(a, int, g->n_rows + 1);
    int *col = arena_array(a, int, g->start[g->n_rows]), n = 0;
    for (int i = 0; i < g->n_rows; i++) {
        for (int p = g->start[i]; p < g->start[i + 1]; p++)
            if (sigma[p] == d[g->col[p]]) col[n++] = g->col[p];
        start[i + 1] = n;
    }
    return (graph_pattern){g->n_rows, g->n_cols, start, col};
}

// Can every row be matched at all? If not, m becomes a maximum matching.
static bool complete(const graph_pattern *g, graph_matching *m, arena *scratch)
{
    if (m->n == g->n_rows) return true;
    arena_mark mark = arena_here(scratch);
    graph_matching full = {m->n, arena_array(scratch, int, g->n_rows),
                           arena_array(scratch, int, g->n_cols)};
    memcpy(full.col, m->col, (size_t)g->n_rows * sizeof *m->col);
    memcpy(full.row, m->row, (size_t)g->n_cols * sizeof *m->row);
    graph_extend(g, NULL, &full, scratch);
    if (full.n < g->n_rows) {
        memcpy(m->col, full.col, (size_t)g->n_rows * sizeof *m->col);
        memcpy(m->row, full.row, (size_t)g->n_cols * sizeof *m->row);
        m->n = full.n;
    }
    arena_release(scratch, mark);
    return full.n == g->n_rows;
}

static void complete_by_paths(const graph_pattern *g, const int *sigma, graph_matching *m, int *c,
                              int *d, arena *scratch)
{
    search s = {.g = g, .sigma = sigma, .m = m, .c = c, .d = d, .a = scratch};
    s.dist = arena_array(scratch, int, g->n_cols);
    s.from = arena_array(scratch, int, g->n_cols);
    s.stamp = arena_array(scratch, int, g->n_cols);
    s.final = arena_array(scratch, uint8_t, g->n_cols);
    for (int i = 0; i < g->n_rows; i++)
        if (m->col[i] < 0) augment(&s, i);
}

int graph_offsets(const graph_pattern *g, const int *sigma, graph_matching *m, int *c, int *d,
                  arena *a, arena *scratch)
{
    for (int i = 0; i < g->n_rows; i++) c[i] = 0;
    for (int j = 0; j < g->n_cols; j++) d[j] = 0;
    for (int p = 0; p < g->start[g->n_rows]; p++)
        if (sigma[p] > d[g->col[p]]) d[g->col[p]] = sigma[p];

    *m = (graph_matching){0, arena_array(a, int, g->n_rows), arena_array(a, int, g->n_cols)};
    for (int i = 0; i < g->n_rows; i++) m->col[i] = -1;
    for (int j = 0; j < g->n_cols; j++) m->row[j] = -1;
    arena_mark mark = arena_here(scratch);
    graph_pattern t = tight(g, sigma, d, scratch);
    graph_extend(&t, NULL, m, scratch);

    if (complete(g, m, scratch)) complete_by_paths(g, sigma, m, c, d, scratch);
    arena_release(scratch, mark);
    return m->n;
}
