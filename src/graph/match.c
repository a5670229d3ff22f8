/* Maximum matching.
 *
 * A first matching takes rows and columns with one possibility left before it chooses freely
 * (R. M. Karp & M. Sipser 1981): on chains and trees that is already the answer. Shortest
 * augmenting paths in phases complete it (J. E. Hopcroft & R. M. Karp, SIAM J. Comput. 2 (1973)
 * 225-231). An augmenting path unmatches nobody; so, letting columns in rank by rank gives the most
 * columns of the lower ranks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

typedef struct state {
    const graph_pattern *g;
    graph_matching *m;
    const int *rank;
    int limit; // columns up to this rank take part
    int *level, *at, *queue;
} state;

static bool allowed(const state *s, int j)
{
    return !s->rank || s->rank[j] <= s->limit;
}

static void pair(graph_matching *m, int i, int j)
{
    m->col[i] = j;
    m->row[j] = i;
}

// ---- first matching ----------------------------------------------------------------------------

typedef struct greedy {
    state *s;
    graph_pattern t;
    int *row_left, *col_left; // possibilities of what is not matched
    int *queue, head, tail;   // rows i and columns n_rows + j with one left
} greedy;

static void greedy_pair(greedy *k, int i, int j)
{
    const graph_pattern *g = k->s->g;
    graph_matching *m = k->s->m;
    pair(m, i, j);
    m->n++;
    for (int p = g->start[i]; p < g->start[i + 1]; p++)
        if (--k->col_left[g->col[p]] == 1) k->queue[k->tail++] = g->n_rows + g->col[p];
    for (int p = k->t.start[j]; p < k->t.start[j + 1]; p++)
        if (--k->row_left[k->t.col[p]] == 1) k->queue[k->tail++] = k->t.col[p];
}

// Match row i with its first free column; false if it has none.
static bool match_row(greedy *k, int i)
{
    const state *s = k->s;
    for (int p = s->g->start[i]; p < s->g->start[i + 1]; p++) {
        int j = s->g->col[p];
        if (s->m->row[j] >= 0 || !allowed(s, j)) continue;
        greedy_pair(k, i, j);
        return true;
    }
    return false;
}

static void match_col(greedy *k, int j)
{
    const state *s = k->s;
    if (!allowed(s, j)) return;
    for (int p = k->t.start[j]; p < k->t.start[j + 1]; p++) {
        int i = k->t.col[p];
        if (s->m->col[i] >= 0) continue;
        greedy_pair(k, i, j);
        return;
    }
}

static void drain(greedy *k)
{
    int n = k->s->g->n_rows;
    while (k->head < k->tail) {
        int v = k->queue[k->head++];
        if (v < n && k->s->m->col[v] < 0) match_row(k, v);
        if (v >= n && k->s->m->row[v - n] < 0) match_col(k, v - n);
    }
}

static void match_greedily(state *s, arena *scratch)
{
    const graph_pattern *g = s->g;
    arena_mark mark = arena_here(scratch);
    greedy k = {.s = s, .t = graph_transpose(g, scratch)};
    k.row_left = arena_array(scratch, int, g->n_rows);
    k.col_left = arena_array(scratch, int, g->n_cols);
    k.queue = arena_array(scratch, int, g->n_rows + g->n_cols);
    for (int i = 0; i < g->n_rows; i++)
        for (int p = g->start[i]; p < g->start[i + 1]; p++) {
            if (!allowed(s, g->col[p])) continue;
            k.row_left[i]++;
            k.col_left[g->col[p]]++;
        }
    for (int i = 0; i < g->n_rows; i++)
        if (k.row_left[i] == 1) k.queue[k.tail++] = i;
    for (int j = 0; j < g->n_cols; j++)
        if (k.col_left[j] == 1) k.queue[k.tail++] = g->n_rows + j;
    drain(&k);
    for (int i = 0; i < g->n_rows; i++)
        if (s->m->col[i] < 0 && match_row(&k, i)) drain(&k);
    arena_release(scratch, mark);
}

// ---- augmenting --------------------------------------------------------------------------------

// Distance of each row from a free row along alternating paths; is a free column in reach?
static bool layer(state *s)
{
    const graph_pattern *g = s->g;
    int head = 0, tail = 0, last = -1; // levels beyond `last` are of no use
    for (int i = 0; i < g->n_rows; i++) {
        s->at[i] = g->start[i];
        s->level[i] = s->m->col[i] < 0 && g->start[i] < g->start[i + 1] ? 0 : -1;
        if (s->level[i] == 0) s->queue[tail++] = i;
    }
    while (head < tail) {
        int i = s->queue[head++];
        if (last >= 0 && s->level[i] > last) break;
        for (int p = g->start[i]; p < g->start[i + 1]; p++) {
            int j = g->col[p];
            if (!allowed(s, j)) continue;
            int next = s->m->row[j];
            if (next < 0) last = s->level[i];
            else if (s->level[next] < 0) {
                s->level[next] = s->level[i] + 1;
                s->queue[tail++] = next;
            }
        }
    }
    return last >= 0;
}

// One augmenting path along the layers from a free row; s->queue is the stack.
static bool augment(state *s, int root)
{
    const graph_pattern *g = s->g;
    int *stack = s->queue, n = 0;
    stack[n++] = root;
    while (n) {
        int i = stack[n - 1];
        if (s->at[i] == g->start[i + 1]) {
            s->level[i] = -1; // a dead end
            n--;
            continue;
        }
        int j = g->col[s->at[i]++];
        if (!allowed(s, j)) continue;
        int next = s->m->row[j];
        if (next < 0) {
            while (n) { // each row of the stack takes the column it tried last
                i = stack[--n];
                pair(s->m, i, g->col[s->at[i] - 1]);
            }
            s->m->n++;
            return true;
        }
        if (s->level[next] == s->level[i] + 1) stack[n++] = next;
    }
    return false;
}

void graph_extend(const graph_pattern *g, const int *rank, graph_matching *m, arena *scratch)
{
    arena_mark mark = arena_here(scratch);
    state s = {.g = g, .m = m, .rank = rank};
    s.level = arena_array(scratch, int, g->n_rows);
    s.at = arena_array(scratch, int, g->n_rows);
    s.queue = arena_array(scratch, int, g->n_rows);
    int ranks = 1;
    for (int j = 0; rank && j < g->n_cols; j++)
        if (rank[j] >= ranks) ranks = rank[j] + 1;
    for (; s.limit < ranks; s.limit++) {
        if (!m->n) match_greedily(&s, scratch);
        while (m->n < g->n_rows && layer(&s))
            for (int i = 0; i < g->n_rows; i++)
                if (m->col[i] < 0 && s.level[i] == 0) augment(&s, i);
    }
    arena_release(scratch, mark);
}

graph_matching graph_match(const graph_pattern *g, const int *rank, arena *a, arena *scratch)
{
    graph_matching m = {0, arena_array(a, int, g->n_rows), arena_array(a, int, g->n_cols)};
    for (int i = 0; i < g->n_rows; i++) m.col[i] = -1;
    for (int j = 0; j < g->n_cols; j++) m.row[j] = -1;
    graph_extend(g, rank, &m, scratch);
    return m;
}
