/* Parts, strong components and the block triangular order.
 *
 * A. L. Dulmage & N. S. Mendelsohn, Canad. J. Math. 10 (1958) 517-534; R. E. Tarjan, SIAM J.
 * Comput. 1 (1972) 146-160, with a stack of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

/* ---- parts ----------------------------------------------------------------------------------- */

void graph_reach(const graph_pattern *g, const graph_matching *m, arena *a, int_array *rows,
                 int_array *cols)
{
    char *seen = arena_array(a, char, g->n_cols);
    for (int q = 0; q < rows->n; q++)
        for (int e = g->start[rows->at[q]]; e < g->start[rows->at[q] + 1]; e++) {
            int j = g->col[e];
            if (seen[j]) continue;
            seen[j] = 1;
            array_push(a, cols, j);
            if (m->row_of[j] >= 0) array_push(a, rows, m->row_of[j]);
        }
}

void graph_over(const graph_pattern *g, const graph_matching *m, arena *a, int_array *rows,
                int_array *cols)
{
    for (int i = 0; i < g->n_rows; i++)
        if (m->col_of[i] < 0) array_push(a, rows, i);
    graph_reach(g, m, a, rows, cols);
}

void graph_under(const graph_pattern *g, const graph_matching *m, arena *a, int_array *rows,
                 int_array *cols)
{
    graph_pattern t = graph_transpose(g, a);
    graph_matching turned = {m->n, m->col_of, m->row_of};
    graph_over(&t, &turned, a, cols, rows);
}

/* ---- strong components ----------------------------------------------------------------------- */

enum { SETTLED = 0x7fffffff }; // low of a vertex whose component is complete

typedef struct tarjan {
    const graph_pattern *g;
    int *index, *low; // index 0: not seen yet
    int *next;        // next arc of a vertex on the path
    int *path, *stack;
    int n_path, n_stack, clock;
    graph_blocks *out;
} tarjan;

static void tarjan_enter(tarjan *s, int v)
{
    s->index[v] = s->low[v] = ++s->clock;
    s->next[v] = s->g->start[v];
    s->path[s->n_path++] = v;
    s->stack[s->n_stack++] = v;
}

/* v is the root of a component: everything above it on the stack. */
static void tarjan_settle(tarjan *s, int v)
{
    graph_blocks *b = s->out;
    int n = b->start[b->n], w;
    do {
        w = s->stack[--s->n_stack];
        s->low[w] = SETTLED;
        b->item[n++] = w;
    } while (w != v);
    b->start[++b->n] = n;
}

static void tarjan_search(tarjan *s, int root)
{
    tarjan_enter(s, root);
    while (s->n_path) {
        int v = s->path[s->n_path - 1];
        if (s->next[v] < s->g->start[v + 1]) {
            int w = s->g->col[s->next[v]++];
            if (!s->index[w]) tarjan_enter(s, w);
            else if (s->low[w] != SETTLED && s->index[w] < s->low[v]) s->low[v] = s->index[w];
            continue;
        }
        s->n_path--;
        int low = s->low[v];
        if (low == s->index[v]) tarjan_settle(s, v);
        if (s->n_path && low < s->low[s->path[s->n_path - 1]]) s->low[s->path[s->n_path - 1]] = low;
    }
}

static graph_blocks blocks_new(int n, arena *a)
{
    return (graph_blocks){0, arena_array(a, int, n + 1), arena_array(a, int, n)};
}

static void tarjan_run(const graph_pattern *g, graph_blocks *out, arena *scratch)
{
    tarjan s = {.g = g, .out = out};
    int **of_vertices[] = {&s.index, &s.low, &s.next, &s.path, &s.stack};
    for (size_t k = 0; k < sizeof of_vertices / sizeof *of_vertices; k++)
        *of_vertices[k] = arena_array(scratch, int, g->n_rows);
    for (int v = 0; v < g->n_rows; v++)
        if (!s.index[v]) tarjan_search(&s, v);
}

graph_blocks graph_components(const graph_pattern *g, arena *a, arena *scratch)
{
    graph_blocks b = blocks_new(g->n_rows, a);
    arena_mark here = arena_here(scratch);
    tarjan_run(g, &b, scratch);
    arena_release(scratch, here);
    return b;
}

graph_blocks graph_blt(const graph_pattern *g, const int *row_of, const int *c, const int *d,
                       arena *a, arena *scratch)
{
    graph_blocks b = blocks_new(g->n_rows, a);
    arena_mark here = arena_here(scratch);
    // An arc from each row to the rows that give its columns.
    graph_pattern arcs = {.n_rows = g->n_rows, .n_cols = g->n_rows};
    arcs.start = arena_array(scratch, int, g->n_rows + 1);
    arcs.col = arena_sparse(scratch, int, g->start[g->n_rows]);
    for (int i = 0, n = 0; i < g->n_rows; arcs.start[++i] = n)
        for (int e = g->start[i]; e < g->start[i + 1]; e++) {
            int j = g->col[e];
            if (row_of[j] != i && (!c || g->order[e] + c[i] == d[j])) arcs.col[n++] = row_of[j];
        }
    tarjan_run(&arcs, &b, scratch);
    arena_release(scratch, here);
    return b;
}
