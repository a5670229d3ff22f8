/* Matching, offsets and strong components on signature matrices.
 *
 * The matching is found by depth-first augmenting paths with lookahead, in phases that share their
 * marks (A. Pothen and C.-J. Fan, ACM Trans. Math. Softw. 16 (1990) 303-324). The offsets follow
 * C. C. Pantelides (SIAM J. Sci. Stat. Comput. 9 (1988) 213-231) in the notation of J. D. Pryce
 * (BIT 41 (2001) 364-394): an entry is active when order_ij + c_i = d_j; a row that no active path
 * connects to a free column is differentiated together with all rows met on the way.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/sigma.h"

#include <string.h>

typedef struct matcher {
    const signature *m;
    sigma *s;
    bool active_only;
    int *look; // by row: next entry to look at for a free column
    int *next; // by row: next entry to follow
    int *mark; // by column: phase of the last visit
    int phase;
    int *path;      // rows on the present path
    int_array seen; // columns visited in this phase
    arena *scratch;
} matcher;

static void matcher_init(matcher *k, const signature *m, sigma *s, arena *scratch)
{
    *k = (matcher){.m = m, .s = s, .scratch = scratch};
    k->look = arena_array(scratch, int, m->n_rows);
    k->next = arena_array(scratch, int, m->n_rows);
    k->mark = arena_array(scratch, int, m->n_cols);
    k->path = arena_array(scratch, int, m->n_rows);
    memcpy(k->look, m->start, (size_t)m->n_rows * sizeof *k->look);
}

static bool active(const matcher *k, int row, int e)
{
    return !k->active_only || k->m->order[e] + k->s->c[row] == k->s->d[k->m->col[e]];
}

/* A free column in the row, or -1. Columns never become free again: the search goes on where it
 * ended, until offsets change. */
static int free_column(matcher *k, int row)
{
    for (int e = k->look[row]; e < k->m->start[row + 1]; e++)
        if (active(k, row, e) && k->s->row_of[k->m->col[e]] < 0) {
            k->look[row] = e;
            return k->m->col[e];
        }
    k->look[row] = k->m->start[row + 1];
    return -1;
}

/* Match the free row `root` along an alternating path through columns not marked in this phase. */
static bool augment(matcher *k, int root)
{
    const signature *m = k->m;
    int depth = 0;
    k->path[0] = root;
    k->next[root] = m->start[root];
    while (depth >= 0) {
        int row = k->path[depth], col = free_column(k, row);
        if (col >= 0) { // flip the path: every row takes the column it was entered for
            while (depth >= 0) {
                int r = k->path[depth--], old = k->s->col_of[r];
                k->s->col_of[r] = col;
                k->s->row_of[col] = r;
                col = old;
            }
            k->s->n_matched++;
            return true;
        }
        int e = k->next[row];
        for (; e < m->start[row + 1]; e++)
            if (active(k, row, e) && k->mark[m->col[e]] != k->phase) break;
        k->next[row] = e + 1;
        if (e == m->start[row + 1]) {
            depth--;
            continue;
        }
        int c = m->col[e], down = k->s->row_of[c];
        k->mark[c] = k->phase;
        array_push(k->scratch, &k->seen, c);
        k->path[++depth] = down;
        k->next[down] = m->start[down];
    }
    return false;
}

/* Phases of augmentation until none succeeds. */
static void match(matcher *k)
{
    for (int found = 1; found;) {
        found = 0;
        k->phase++;
        k->seen.n = 0;
        for (int i = 0; i < k->m->n_rows; i++)
            if (k->s->col_of[i] < 0 && augment(k, i)) found++;
    }
}

static void sigma_init(const signature *m, arena *a, sigma *s)
{
    s->row_of = arena_array(a, int, m->n_cols);
    s->col_of = arena_array(a, int, m->n_rows);
    s->c = arena_array(a, int, m->n_rows);
    s->d = arena_array(a, int, m->n_cols);
    s->n_matched = 0;
    for (int i = 0; i < m->n_rows; i++) s->col_of[i] = -1;
    for (int j = 0; j < m->n_cols; j++) s->row_of[j] = -1;
}

void sigma_rank(const signature *m, arena *a, arena *scratch, sigma *out)
{
    arena_mark here = arena_here(scratch);
    sigma_init(m, a, out);
    matcher k;
    matcher_init(&k, m, out, scratch);
    match(&k);
    if (scratch != a) arena_release(scratch, here);
}

static void differentiate(matcher *k, int row)
{
    k->s->c[row]++;
    k->look[row] = k->m->start[row];
}

/* The columns met and the rows matched to them. */
static void differentiate_seen(matcher *k)
{
    for (int q = 0; q < k->seen.n; q++) {
        k->s->d[k->seen.at[q]]++;
        differentiate(k, k->s->row_of[k->seen.at[q]]);
    }
}

static void offsets_init(const signature *m, arena *a, arena *scratch, sigma *out, matcher *k)
{
    sigma_init(m, a, out);
    for (int i = 0; i < m->n_rows; i++)
        for (int e = m->start[i]; e < m->start[i + 1]; e++)
            if (m->order[e] > out->d[m->col[e]]) out->d[m->col[e]] = m->order[e];
    matcher_init(k, m, out, scratch);
    k->active_only = true;
    match(k);
}

bool sigma_offsets(const signature *m, int limit, arena *a, arena *scratch, sigma *out)
{
    arena_mark here = arena_here(scratch);
    matcher k;
    offsets_init(m, a, scratch, out, &k);
    bool ok = true;
    for (int i = 0; i < m->n_rows && ok; i++) {
        while (out->col_of[i] < 0 && ok) {
            k.phase++;
            k.seen.n = 0;
            if (augment(&k, i)) break;
            // Every row met: i and the partners of the columns met. Differentiate them all.
            differentiate(&k, i);
            differentiate_seen(&k);
            ok = out->c[i] <= limit;
        }
    }
    if (scratch != a) arena_release(scratch, here);
    return ok;
}

int sigma_index_of(const signature *m, int limit, arena *scratch)
{
    arena_mark here = arena_here(scratch);
    sigma s;
    matcher k;
    offsets_init(m, scratch, scratch, &s, &k);
    bool ok = true;
    while (s.n_matched < m->n_rows && ok) {
        // No set of rows that was met can be matched to fewer columns: all need it.
        for (int i = 0; i < m->n_rows; i++) {
            if (s.col_of[i] >= 0) continue;
            differentiate(&k, i);
            ok = ok && s.c[i] <= limit;
        }
        differentiate_seen(&k);
        match(&k);
    }
    int index = ok ? sigma_index(m, &s) : -1;
    arena_release(scratch, here);
    return index;
}

int sigma_index(const signature *m, const sigma *s)
{
    int index = 0, algebraic = 0;
    for (int i = 0; i < m->n_rows; i++)
        if (s->c[i] > index) index = s->c[i];
    for (int j = 0; j < m->n_cols; j++)
        if (s->d[j] == 0) algebraic = 1;
    return index + algebraic;
}

/* ---- Dulmage-Mendelsohn ---------------------------------------------------------------------- */

void sigma_over(const signature *m, const sigma *s, arena *a, int_array *rows, int_array *cols)
{
    // Alternating paths from free rows: any entry forth, the matching back.
    char *seen = arena_array(a, char, m->n_cols);
    for (int i = 0; i < m->n_rows; i++)
        if (s->col_of[i] < 0) array_push(a, rows, i);
    for (int q = 0; q < rows->n; q++)
        for (int e = m->start[rows->at[q]]; e < m->start[rows->at[q] + 1]; e++) {
            int j = m->col[e];
            if (seen[j]) continue;
            seen[j] = 1;
            array_push(a, cols, j);
            if (s->row_of[j] >= 0) array_push(a, rows, s->row_of[j]);
        }
}

void sigma_under(const signature *m, const sigma *s, arena *a, int_array *rows, int_array *cols)
{
    // The same from free columns; needs the entries by columns.
    int nnz = m->start[m->n_rows];
    int *start = arena_array(a, int, m->n_cols + 2), *row = arena_array(a, int, nnz);
    for (int e = 0; e < nnz; e++) start[m->col[e] + 2]++;
    for (int j = 0; j < m->n_cols; j++) start[j + 2] += start[j + 1];
    for (int i = 0; i < m->n_rows; i++)
        for (int e = m->start[i]; e < m->start[i + 1]; e++) row[start[m->col[e] + 1]++] = i;

    char *seen = arena_array(a, char, m->n_rows);
    for (int j = 0; j < m->n_cols; j++)
        if (s->row_of[j] < 0) array_push(a, cols, j);
    for (int q = 0; q < cols->n; q++)
        for (int e = start[cols->at[q]]; e < start[cols->at[q] + 1]; e++) {
            int i = row[e];
            if (seen[i]) continue;
            seen[i] = 1;
            array_push(a, rows, i);
            if (s->col_of[i] >= 0) array_push(a, cols, s->col_of[i]);
        }
}

/* ---- strong components ----------------------------------------------------------------------- */

typedef struct scc {
    const signature *m;
    const int *row_of, *c, *d;
    int *number, *low, *next, *stack, *path;
    char *on_stack;
    int n_stack, counter;
} scc;

static int successor(const scc *t, int row, int e)
{
    if (t->c && t->m->order[e] + t->c[row] != t->d[t->m->col[e]]) return -1;
    int to = t->row_of[t->m->col[e]];
    return to == row ? -1 : to;
}

int sigma_blocks(const signature *m, const int *row_of, const int *c, const int *d, arena *a,
                 arena *scratch, int **start, int **rows)
{
    int n = m->n_rows, n_blocks = 0, n_out = 0;
    *start = arena_array(a, int, n + 1);
    *rows = arena_array(a, int, n);
    arena_mark here = arena_here(scratch);
    scc t = {.m = m, .row_of = row_of, .c = c, .d = d};
    t.number = arena_array(scratch, int, n); // 0: not visited
    t.low = arena_array(scratch, int, n);
    t.next = arena_array(scratch, int, n);
    t.stack = arena_array(scratch, int, n);
    t.path = arena_array(scratch, int, n);
    t.on_stack = arena_array(scratch, char, n);

    for (int root = 0; root < n; root++) {
        if (t.number[root]) continue;
        int depth = 0;
        t.path[0] = root;
        while (depth >= 0) {
            int v = t.path[depth];
            if (!t.number[v]) { // entered
                t.number[v] = t.low[v] = ++t.counter;
                t.next[v] = m->start[v];
                t.stack[t.n_stack++] = v;
                t.on_stack[v] = 1;
            }
            int down = -1;
            while (t.next[v] < m->start[v + 1] && down < 0) {
                int w = successor(&t, v, t.next[v]++);
                if (w < 0) continue;
                if (!t.number[w]) down = w;
                else if (t.on_stack[w] && t.number[w] < t.low[v]) t.low[v] = t.number[w];
            }
            if (down >= 0) {
                t.path[++depth] = down;
                continue;
            }
            if (t.low[v] == t.number[v]) { // root of a component: its members are on top
                int w;
                (*start)[n_blocks++] = n_out;
                do {
                    w = t.stack[--t.n_stack];
                    t.on_stack[w] = 0;
                    (*rows)[n_out++] = w;
                } while (w != v);
            }
            if (--depth >= 0 && t.low[v] < t.low[t.path[depth]]) t.low[t.path[depth]] = t.low[v];
        }
    }
    (*start)[n_blocks] = n_out;
    if (scratch != a) arena_release(scratch, here);
    return n_blocks;
}
