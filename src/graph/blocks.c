/* Parts, strong components and the block triangular order.
 *
 * A. L. Dulmage & N. S. Mendelsohn, Canad. J. Math. 10 (1958) 517-534; A. Pothen & C.-J. Fan, ACM
 * TOMS 16 (1990) 303-324; R. Tarjan, SIAM J. Comput. 1 (1972) 146-160, with a stack of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

// Mark what alternating paths reach from unmatched rows of g, by way of the matching `back` (of
// each column the row).
static void spread(const graph_pattern *g, const int *match, const int *back, uint8_t part,
                   uint8_t *row_part, uint8_t *col_part, int *queue)
{
    int head = 0, tail = 0;
    for (int i = 0; i < g->n_rows; i++)
        if (match[i] < 0) {
            row_part[i] = part;
            queue[tail++] = i;
        }
    while (head < tail) {
        int i = queue[head++];
        for (int p = g->start[i]; p < g->start[i + 1]; p++) {
            int j = g->col[p], next = back[j];
            if (col_part[j] == part) continue;
            col_part[j] = part;
            if (next < 0 || row_part[next] == part) continue; // the matching is maximum: next >= 0
            row_part[next] = part;
            queue[tail++] = next;
        }
    }
}

void graph_parts(const graph_pattern *g, const graph_matching *m, uint8_t *row_part,
                 uint8_t *col_part, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    int *queue = arena_array(scratch, int, g->n_rows + g->n_cols);
    for (int i = 0; i < g->n_rows; i++) row_part[i] = GRAPH_WELL;
    for (int j = 0; j < g->n_cols; j++) col_part[j] = GRAPH_WELL;
    graph_pattern t = graph_transpose(g, scratch);
    spread(g, m->col, m->row, GRAPH_OVER, row_part, col_part, queue);
    spread(&t, m->row, m->col, GRAPH_UNDER, col_part, row_part, queue);
    arena_release(scratch, mark);
}

// ---- strong components -------------------------------------------------------------------------

typedef struct tarjan {
    const graph_pattern *g;
    int *index, *low; // index 0: not seen yet; low is INT_MAX once the component is out
    int *at;          // next arc of a vertex on the path
    int *path, *stack;
    int n_path, n_stack, clock;
    graph_blocks *out;
} tarjan;

enum { OUT = 0x7fffffff };

static void enter(tarjan *s, int v)
{
    s->index[v] = s->low[v] = ++s->clock;
    s->at[v] = s->g->start[v];
    s->path[s->n_path++] = v;
    s->stack[s->n_stack++] = v;
}

// v is the root of a component: everything above it on the stack.
static void emit(tarjan *s, int v)
{
    graph_blocks *b = s->out;
    int n = b->start[b->n], w;
    do {
        w = s->stack[--s->n_stack];
        s->low[w] = OUT;
        b->item[n++] = w;
    } while (w != v);
    b->start[++b->n] = n;
}

static void search(tarjan *s, int root)
{
    enter(s, root);
    while (s->n_path) {
        int v = s->path[s->n_path - 1];
        if (s->at[v] < s->g->start[v + 1]) {
            int w = s->g->col[s->at[v]++];
            if (!s->index[w]) enter(s, w);
            else if (s->low[w] != OUT && s->index[w] < s->low[v]) s->low[v] = s->index[w];
            continue;
        }
        s->n_path--;
        int low = s->low[v];
        if (low == s->index[v]) emit(s, v);
        if (s->n_path && low < s->low[s->path[s->n_path - 1]]) s->low[s->path[s->n_path - 1]] = low;
    }
}

// Ascending inside each block, all at once: scatter the items in ascending order.
static void sort_inside(graph_blocks *b, int n_items, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    int *block = arena_array(scratch, int, n_items), *next = arena_array(scratch, int, b->n);
    for (int k = 0; k < b->n; k++) {
        next[k] = b->start[k];
        for (int p = b->start[k]; p < b->start[k + 1]; p++) block[b->item[p]] = k;
    }
    for (int v = 0; v < n_items; v++) b->item[next[block[v]]++] = v;
    arena_release(scratch, mark);
}

graph_blocks graph_components(const graph_pattern *g, arena *a, arena *scratch)
{
    int n = g->n_rows;
    graph_blocks b = {0, arena_array(a, int, n + 1), arena_array(a, int, n)};
    arena_mark mark = arena_here(scratch);
    tarjan s = {.g = g, .out = &b};
    s.index = arena_array(scratch, int, n);
    s.low = arena_array(scratch, int, n);
    s.at = arena_array(scratch, int, n);
    s.path = arena_array(scratch, int, n);
    s.stack = arena_array(scratch, int, n);
    for (int v = 0; v < n; v++)
        if (!s.index[v]) search(&s, v);
    arena_release(scratch, mark);
    sort_inside(&b, n, scratch);
    return b;
}

graph_blocks graph_blt(const graph_pattern *g, const graph_matching *m, arena *a, arena *scratch)
{
    graph_blocks b = {0, arena_array(a, int, m->n + 1), arena_array(a, int, m->n)};
    arena_mark mark = arena_here(scratch);
    // Matched rows, numbered; an arc to the row that gives each column.
    int *row = arena_array(scratch, int, m->n), *number = arena_array(scratch, int, g->n_rows);
    int *start = arena_array(scratch, int, m->n + 1);
    int *arc = arena_array(scratch, int, g->start[g->n_rows]);
    int n = 0, n_arcs = 0;
    for (int i = 0; i < g->n_rows; i++)
        if (m->col[i] >= 0) {
            number[i] = n;
            row[n++] = i;
        }
    for (int k = 0; k < n; k++) {
        for (int p = g->start[row[k]]; p < g->start[row[k] + 1]; p++) {
            int giver = m->row[g->col[p]];
            if (giver >= 0 && giver != row[k]) arc[n_arcs++] = number[giver];
        }
        start[k + 1] = n_arcs;
    }
    graph_pattern d = {n, n, start, arc};
    graph_blocks c = graph_components(&d, scratch, scratch);
    b.n = c.n;
    for (int k = 0; k <= c.n; k++) b.start[k] = c.start[k];
    for (int k = 0; k < n; k++) b.item[k] = row[c.item[k]];
    arena_release(scratch, mark);
    return b;
}
