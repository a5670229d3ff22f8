/* Matching and offsets of differentiation.
 *
 * The matching is found by depth-first augmenting paths with lookahead, in phases that share their
 * marks (A. Pothen and C.-J. Fan, ACM Trans. Math. Softw. 16 (1990) 303-324). The offsets follow
 * C. C. Pantelides (SIAM J. Sci. Stat. Comput. 9 (1988) 213-231) in the notation of J. D. Pryce
 * (BIT 41 (2001) 364-394): an entry is active when order_ij + c_i = d_j; a row that no active path
 * connects to a free column is differentiated together with all rows met on the way, as often as it
 * takes to make one more entry active. That is the primal-dual method for the assignment problem
 * (H. W. Kuhn, Naval Res. Logist. Quart. 2 (1955) 83-97), started from the smallest offsets.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

#include "base/watch.h"

#include <limits.h>
#include <string.h>

typedef struct matcher {
    const graph_pattern *g;
    graph_matching *m;
    int *c, *d; // only active entries count; NULL: all do
    int *look;  // by row: next entry to look at for a free column
    int *next;  // by row: next entry to follow
    int *mark;  // by column: phase of the last visit
    int phase;
    int *path;      // rows on the present path
    int_array seen; // columns visited in this phase
    arena *scratch;
} matcher;

static graph_matching matching_new(const graph_pattern *g, arena *a)
{
    graph_matching m = {0, arena_array(a, int, g->n_cols), arena_array(a, int, g->n_rows)};
    for (int j = 0; j < g->n_cols; j++) m.row_of[j] = -1;
    for (int i = 0; i < g->n_rows; i++) m.col_of[i] = -1;
    return m;
}

static matcher matcher_new(const graph_pattern *g, graph_matching *m, arena *scratch)
{
    matcher k = {.g = g, .m = m, .scratch = scratch};
    k.look = arena_array(scratch, int, g->n_rows);
    k.next = arena_array(scratch, int, g->n_rows);
    k.mark = arena_array(scratch, int, g->n_cols);
    k.path = arena_array(scratch, int, g->n_rows);
    memcpy(k.look, g->start, (size_t)g->n_rows * sizeof *k.look);
    return k;
}

static void matcher_begin_phase(matcher *k)
{
    k->phase++;
    k->seen.n = 0;
}

/* How many differentiations of the row the entry is away from being active. */
static int slack(const matcher *k, int row, int e)
{
    return k->c ? k->d[k->g->col[e]] - k->c[row] - k->g->order[e] : 0;
}

/* A free column in the row, or -1. Columns never become free again: the search goes on where it
 * ended, until offsets change. */
static int free_column(matcher *k, int row)
{
    for (int e = k->look[row]; e < k->g->start[row + 1]; e++)
        if (slack(k, row, e) == 0 && k->m->row_of[k->g->col[e]] < 0) {
            k->look[row] = e;
            return k->g->col[e];
        }
    k->look[row] = k->g->start[row + 1];
    return -1;
}

/* Match the free row `root` along an alternating path through columns not marked in this phase. */
static bool match_row(matcher *k, int root)
{
    const graph_pattern *g = k->g;
    graph_matching *m = k->m;
    int depth = 0;
    mem_tick(k->scratch->m, 10);
    k->path[0] = root;
    k->next[root] = g->start[root];
    while (depth >= 0) {
        int row = k->path[depth], col = free_column(k, row);
        if (col >= 0) { // flip the path: every row takes the column it was entered for
            while (depth >= 0) {
                int r = k->path[depth--], old = m->col_of[r];
                m->col_of[r] = col;
                m->row_of[col] = r;
                col = old;
            }
            m->n++;
            return true;
        }
        int e = k->next[row];
        for (; e < g->start[row + 1]; e++)
            if (slack(k, row, e) == 0 && k->mark[g->col[e]] != k->phase) break;
        k->next[row] = e + 1;
        if (e == g->start[row + 1]) {
            depth--;
            continue;
        }
        int c = g->col[e], down = m->row_of[c];
        k->mark[c] = k->phase;
        array_push(k->scratch, &k->seen, c);
        k->path[++depth] = down;
        k->next[down] = g->start[down];
    }
    return false;
}

/* Phases until none finds a path; only rows of this rank where there are ranks. */
static void match_rows(matcher *k, const int *rank, int only)
{
    for (bool found = true; found;) {
        found = false;
        matcher_begin_phase(k);
        for (int i = 0; i < k->g->n_rows && k->m->n < k->g->n_cols; i++)
            if (k->m->col_of[i] < 0 && (!rank || rank[i] == only) && match_row(k, i)) found = true;
    }
}

graph_matching graph_match(const graph_pattern *g, const int *rank, arena *a, arena *scratch)
{
    graph_matching m = matching_new(g, a);
    arena_mark here = arena_here(scratch);
    matcher k = matcher_new(g, &m, scratch);
    int last = 0;
    for (int i = 0; rank && i < g->n_rows; i++)
        if (rank[i] > last) last = rank[i];
    for (int r = 0; r <= last; r++) match_rows(&k, rank, r);
    arena_release(scratch, here);
    return m;
}

/* ---- offsets --------------------------------------------------------------------------------- */

/* d_j the highest order of each column, and what can be matched without differentiation. */
static matcher offsets_begin(const graph_pattern *g, graph_offsets *out, arena *scratch)
{
    for (int e = 0; e < g->start[g->n_rows]; e++)
        if (g->order[e] > out->d[g->col[e]]) out->d[g->col[e]] = g->order[e];
    matcher k = matcher_new(g, &out->match, scratch);
    k.c = out->c;
    k.d = out->d;
    match_rows(&k, NULL, 0);
    return k;
}

static graph_offsets offsets_new(const graph_pattern *g, arena *a)
{
    return (graph_offsets){matching_new(g, a), arena_array(a, int, g->n_rows),
                           arena_array(a, int, g->n_cols)};
}

static void differentiate_row(matcher *k, int row, int times)
{
    k->c[row] += times;
    k->look[row] = k->g->start[row];
}

/* The columns met and the rows matched to them. */
static void differentiate_seen(matcher *k, int times)
{
    for (int q = 0; q < k->seen.n; q++) {
        k->d[k->seen.at[q]] += times;
        differentiate_row(k, k->m->row_of[k->seen.at[q]], times);
    }
}

/* The smallest slack of the row towards columns that were not met; no more than least. */
static int least_slack(const matcher *k, int row, int least)
{
    for (int e = k->g->start[row]; e < k->g->start[row + 1]; e++)
        if (k->mark[k->g->col[e]] != k->phase && slack(k, row, e) < least) least = slack(k, row, e);
    return least;
}

bool graph_differentiate_none(const graph_pattern *g, arena *a, arena *scratch, graph_offsets *out)
{
    if (g->n_rows != g->n_cols) return false;
    *out = offsets_new(g, a);
    arena_mark here = arena_here(scratch);
    bool complete = offsets_begin(g, out, scratch).m->n == g->n_rows;
    arena_release(scratch, here);
    return complete;
}

bool graph_differentiate(const graph_pattern *g, int limit, arena *a, arena *scratch,
                         graph_offsets *out)
{
    *out = offsets_new(g, a);
    arena_mark here = arena_here(scratch);
    matcher k = offsets_begin(g, out, scratch);
    bool ok = true;
    for (int i = 0; i < g->n_rows && ok; i++) {
        while (out->match.col_of[i] < 0 && ok) {
            matcher_begin_phase(&k);
            if (match_row(&k, i)) break;
            // Every row met: i and the partners of the columns met. Differentiate them all.
            int times = least_slack(&k, i, INT_MAX), deepest = out->c[i];
            for (int q = 0; q < k.seen.n; q++) {
                int row = out->match.row_of[k.seen.at[q]];
                times = least_slack(&k, row, times);
                if (out->c[row] > deepest) deepest = out->c[row];
            }
            ok = times <= limit - deepest;
            if (!ok) break;
            differentiate_row(&k, i, times);
            differentiate_seen(&k, times);
        }
    }
    arena_release(scratch, here);
    return ok;
}

bool graph_raise(const graph_pattern *g, int j, int to, int limit, arena *scratch, graph_offsets *s)
{
    arena_mark here = arena_here(scratch);
    int_array raised = {0};
    bool ok = true;
    if (s->d[j] < to) {
        s->d[j] = to;
        array_push(scratch, &raised, j);
    }
    while (raised.n && ok) {
        int col = raised.at[--raised.n], row = s->match.row_of[col], own = g->start[row];
        while (g->col[own] != col) own++;
        s->c[row] = s->d[col] - g->order[own];
        ok = s->c[row] <= limit;
        for (int e = g->start[row]; e < g->start[row + 1]; e++) {
            if (s->d[g->col[e]] >= s->c[row] + g->order[e]) continue;
            s->d[g->col[e]] = s->c[row] + g->order[e];
            array_push(scratch, &raised, g->col[e]);
        }
    }
    arena_release(scratch, here);
    return ok;
}

static int deepest(const graph_pattern *g, const int *c)
{
    int most = 0;
    for (int i = 0; i < g->n_rows; i++)
        if (c[i] > most) most = c[i];
    return most;
}

int graph_index_of(const graph_pattern *g, int limit, arena *scratch)
{
    arena_mark here = arena_here(scratch);
    graph_offsets s = offsets_new(g, scratch);
    matcher k = offsets_begin(g, &s, scratch);
    bool ok = true;
    while (s.match.n < g->n_rows && ok) {
        // No set of rows that was met can be matched to fewer columns: all need it.
        for (int i = 0; i < g->n_rows; i++) {
            if (s.match.col_of[i] >= 0) continue;
            differentiate_row(&k, i, 1);
            ok = ok && s.c[i] <= limit;
        }
        differentiate_seen(&k, 1);
        match_rows(&k, NULL, 0);
    }
    int index = ok && deepest(g, s.c) <= limit ? graph_index(g, &s) : -1;
    arena_release(scratch, here);
    return index;
}

int graph_index(const graph_pattern *g, const graph_offsets *s)
{
    int algebraic = 0;
    for (int j = 0; j < g->n_cols; j++)
        if (s->d[j] == 0) algebraic = 1;
    return deepest(g, s->c) + algebraic;
}
