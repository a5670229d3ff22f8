/* Tearing: guess a few unknowns so that the others follow one by one.
 *
 * Smallest tearing sets are NP-hard (E. Carpanzano & C. Maffezzoni, Math. Comput. Simul. 46 (1998)
 * 379-390); this is greedy in the way of F. E. Cellier & E. Kofman, Continuous System Simulation,
 * 2006, section 7.4. A row with one unknown left is solved for it, next in the sequence. A column
 * left in one row is solved from it, last in the sequence. When neither exists a column is torn:
 * the one that turns most rows of two unknowns into rows of one, then the one in most rows. A
 * column no remaining row can be solved for must be torn anyway.
 *
 * Cost: every entry is touched a few times; the choice is kept in a heap.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"

#include "base/array.h"

#include <string.h>

typedef struct choice {
    int points, degree, col;
} choice;

enum { OPEN, SOLVED, TORN }; // of columns; rows are OPEN or SOLVED

typedef struct tearing {
    const graph_pattern *g;
    graph_pattern t;
    int *entry; // of t's entries: number in g
    const uint8_t *solvable;
    const int *bonus;
    uint8_t *row_state, *col_state;
    int *unknowns;      // of a row: open columns
    int *rows_left;     // of a column: open rows
    int *ways;          // of a column: open rows that can be solved for it
    int *points;        // of a column
    int *pair;          // of a row with two open columns: them, else -1
    ARRAY(int) singles; // rows with one unknown, columns (n_rows + j) with one row
    ARRAY(int) forced;
    ARRAY(choice) heap;
    int head, tail; // steps filled from both ends
    graph_tearing *out;
    arena *a;
} tearing;

// ---- heap of choices, best first; entries that are out of date are skipped ----------------------

static bool better(choice x, choice y)
{
    if (x.points != y.points) return x.points > y.points;
    return x.degree != y.degree ? x.degree > y.degree : x.col < y.col;
}

static choice choice_of(const tearing *s, int j)
{
    return (choice){s->points[j] + (s->bonus ? s->bonus[j] : 0), s->rows_left[j], j};
}

static void offer(tearing *s, int j)
{
    if (s->col_state[j] != OPEN) return;
    choice x = choice_of(s, j);
    array_push(s->a, &s->heap, x);
    choice *h = s->heap.at;
    int i = s->heap.n - 1;
    for (; i && better(x, h[(i - 1) / 2]); i = (i - 1) / 2) h[i] = h[(i - 1) / 2];
    h[i] = x;
}

static choice take(tearing *s)
{
    choice *h = s->heap.at, top = h[0], x = h[--s->heap.n];
    int i = 0, n = s->heap.n;
    for (int k = 1; k < n; i = k, k = 2 * i + 1) {
        if (k + 1 < n && better(h[k + 1], h[k])) k++;
        if (!better(h[k], x)) break;
        h[i] = h[k];
    }
    h[i] = x;
    return top;
}

static int best(tearing *s)
{
    while (s->heap.n) {
        choice x = take(s), now = choice_of(s, x.col);
        if (s->col_state[x.col] != OPEN) continue;
        if (x.points == now.points && x.degree == now.degree) return x.col;
        // Offered again whenever it gained; what lost is offered here.
        if (better(x, now)) offer(s, x.col);
    }
    return -1;
}

// ---- bookkeeping -------------------------------------------------------------------------------

// Rows of two unknowns give a point to each column whose tearing makes the other explicit.
static void pair_off(tearing *s, int i, int sign)
{
    int *pair = s->pair + 2 * (size_t)i;
    if (sign > 0) {
        int n = 0;
        for (int p = s->g->start[i]; p < s->g->start[i + 1] && n < 2; p++)
            if (s->col_state[s->g->col[p]] == OPEN) pair[n++] = p;
    }
    if (pair[0] < 0) return;
    for (int k = 0; k < 2; k++) {
        if (!s->solvable[pair[k]]) continue;
        int other = s->g->col[pair[1 - k]];
        s->points[other] += sign;
        if (sign > 0) offer(s, other);
    }
    if (sign < 0) pair[0] = pair[1] = -1;
}

// Column j is known from here on: its open rows have one unknown less.
static void know(tearing *s, int j, int state)
{
    s->col_state[j] = (uint8_t)state;
    for (int q = s->t.start[j]; q < s->t.start[j + 1]; q++) {
        int i = s->t.col[q];
        if (s->row_state[i] != OPEN) continue;
        if (s->unknowns[i] == 2) pair_off(s, i, -1);
        s->unknowns[i]--;
        if (s->unknowns[i] == 2) pair_off(s, i, 1);
        if (s->unknowns[i] == 1) array_push(s->a, &s->singles, i);
    }
}

// Row i is used up: its open columns have one row less.
static void use(tearing *s, int i)
{
    if (s->unknowns[i] == 2) pair_off(s, i, -1);
    s->row_state[i] = SOLVED;
    for (int p = s->g->start[i]; p < s->g->start[i + 1]; p++) {
        int j = s->g->col[p];
        s->rows_left[j]--;
        s->ways[j] -= s->solvable[p] != 0;
        if (s->col_state[j] != OPEN) continue;
        if (s->ways[j] == 0) array_push(s->a, &s->forced, j);
        else if (s->rows_left[j] == 1) array_push(s->a, &s->singles, s->g->n_rows + j);
    }
}

static void step(tearing *s, int i, int j, bool last)
{
    int k = last ? --s->tail : s->head++;
    s->out->row[k] = i;
    s->out->col[k] = j;
}

static void try_row(tearing *s, int i)
{
    if (s->row_state[i] != OPEN || s->unknowns[i] != 1) return;
    for (int p = s->g->start[i]; p < s->g->start[i + 1]; p++) {
        int j = s->g->col[p];
        if (s->col_state[j] != OPEN) continue;
        if (!s->solvable[p]) return; // its unknown has to come from elsewhere
        s->col_state[j] = SOLVED;
        use(s, i);
        know(s, j, SOLVED);
        step(s, i, j, false);
        return;
    }
}

static void try_col(tearing *s, int j)
{
    if (s->col_state[j] != OPEN || s->rows_left[j] != 1) return;
    for (int q = s->t.start[j]; q < s->t.start[j + 1]; q++) {
        int i = s->t.col[q];
        if (s->row_state[i] != OPEN) continue;
        if (!s->solvable[s->entry[q]]) return;
        s->col_state[j] = SOLVED; // in no other open row: nobody else hears of it
        use(s, i);
        step(s, i, j, true);
        return;
    }
}

// ---- the search --------------------------------------------------------------------------------

static void prepare(tearing *s)
{
    const graph_pattern *g = s->g;
    int nnz = g->start[g->n_rows];
    s->t = graph_transpose(g, s->a);
    s->entry = arena_array(s->a, int, nnz);
    int *next = arena_array(s->a, int, g->n_cols);
    for (int j = 0; j < g->n_cols; j++) next[j] = s->t.start[j];
    for (int p = 0; p < nnz; p++) s->entry[next[g->col[p]]++] = p;
    s->row_state = arena_array(s->a, uint8_t, g->n_rows);
    s->col_state = arena_array(s->a, uint8_t, g->n_cols);
    s->unknowns = arena_array(s->a, int, g->n_rows);
    s->rows_left = arena_array(s->a, int, g->n_cols);
    s->ways = arena_array(s->a, int, g->n_cols);
    s->points = arena_array(s->a, int, g->n_cols);
    s->pair = arena_array(s->a, int, 2 * (size_t)g->n_rows);
    memset(s->pair, -1, 2 * (size_t)g->n_rows * sizeof *s->pair);
    for (int i = 0; i < g->n_rows; i++) s->unknowns[i] = g->start[i + 1] - g->start[i];
    for (int p = 0; p < nnz; p++) {
        s->rows_left[g->col[p]]++;
        s->ways[g->col[p]] += s->solvable[p] != 0;
    }
    for (int i = 0; i < g->n_rows; i++) {
        if (s->unknowns[i] == 1) array_push(s->a, &s->singles, i);
        if (s->unknowns[i] == 2) pair_off(s, i, 1);
    }
    for (int j = 0; j < g->n_cols; j++) {
        if (s->ways[j] == 0) array_push(s->a, &s->forced, j);
        else if (s->rows_left[j] == 1) array_push(s->a, &s->singles, g->n_rows + j);
        offer(s, j);
    }
}

static void finish(tearing *s, graph_tearing *r)
{
    int n = s->g->n_rows < s->g->n_cols ? s->g->n_rows : s->g->n_cols, back = n - s->tail;
    memmove(r->row + s->head, r->row + s->tail, (size_t)back * sizeof *r->row);
    memmove(r->col + s->head, r->col + s->tail, (size_t)back * sizeof *r->col);
    r->n_steps = s->head + back;
    for (int j = 0; j < s->g->n_cols; j++)
        if (s->col_state[j] != SOLVED) r->torn[r->n_torn++] = j;
    for (int i = 0; i < s->g->n_rows; i++)
        if (s->row_state[i] == OPEN) r->residual[r->n_residual++] = i;
}

graph_tearing graph_tear(const graph_pattern *g, const uint8_t *solvable, const int *bonus,
                         arena *a, arena *scratch)
{
    graph_tearing r = {0};
    int most = g->n_rows < g->n_cols ? g->n_rows : g->n_cols;
    r.row = arena_array(a, int, most);
    r.col = arena_array(a, int, most);
    r.torn = arena_array(a, int, g->n_cols);
    r.residual = arena_array(a, int, g->n_rows);
    arena_mark mark = arena_here(scratch);
    tearing s = {.g = g, .solvable = solvable, .bonus = bonus, .tail = most, .out = &r};
    s.a = scratch;
    prepare(&s);
    for (;;) {
        if (s.forced.n) {
            int j = s.forced.at[--s.forced.n];
            if (s.col_state[j] == OPEN) know(&s, j, TORN);
        } else if (s.singles.n) {
            int k = s.singles.at[--s.singles.n];
            if (k < g->n_rows) try_row(&s, k);
            else try_col(&s, k - g->n_rows);
        } else {
            int j = best(&s);
            if (j < 0) break;
            know(&s, j, TORN);
        }
    }
    finish(&s, &r);
    arena_release(scratch, mark);
    return r;
}
