/* Elimination with constant pivots, sparse: a heap of columns, each with its rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/pivot.h"

#include <math.h>
#include <string.h>

/* ---- candidates ------------------------------------------------------------------------------ */

/* Columns by falling willingness, then by the rows that hold them: a whole number below 2^53. */
static double pivot_key(const pivot_table *t, int col)
{
    return t->count[col] - t->willing[col] * 0x1p32;
}

static void pivot_push(pivot_table *t, int col)
{
    if (t->col_done[col] || !t->willing[col] || !t->count[col]) return;
    heap_set(&t->candidates, t->n - 1 - col, pivot_key(t, col)); // of equals the later one
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const pivot_cell *cell(const pivot_row *r, int col)
{
    int low = 0, high = r->n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (r->at[mid].col < col) low = mid + 1;
        else high = mid;
    }
    return low < r->n && r->at[low].col == col ? &r->at[low] : NULL;
}

/* Keep in the list of a column the rows that are not done and hold it, each once. */
static void tidy(pivot_table *t, int col)
{
    int_array *h = &t->holders[col];
    int n = 0;
    t->stamp++;
    for (int k = 0; k < h->n; k++) {
        int i = h->at[k];
        if (t->row_done[i] || t->mark[i] == t->stamp || !cell(&t->rows[i], col)) continue;
        t->mark[i] = t->stamp;
        h->at[n++] = i;
    }
    h->n = n;
}

/* The row of the largest constant in the column, the first of equal ones; -1: none. */
static int best_row(pivot_table *t, int col, int class)
{
    int at = -1;
    double largest = 0;
    tidy(t, col);
    for (int k = 0; k < t->holders[col].n; k++) {
        int i = t->holders[col].at[k];
        const pivot_cell *x = cell(&t->rows[i], col);
        if (t->class[i] != class || x->varying) continue;
        double size = fabs(x->value);
        if (size < largest || (size == largest && at >= 0 && i > at)) continue;
        largest = size;
        at = i;
    }
    return at;
}

/* y - x/p above: the entry of the lower row after elimination; false: it cancels. */
static bool pivot_combine(const pivot_cell *y, const pivot_cell *above, const pivot_cell *x,
                          const pivot_cell *p, pivot_cell *out)
{
    *out = (pivot_cell){.col = above->col, .varying = true};
    if (x->varying || above->varying || (y && y->varying)) return true;
    double old = y ? y->value : 0, change = x->value / p->value * above->value;
    out->varying = false;
    out->value = old - change;
    return fabs(out->value) > 1e-12 * (fabs(old) + fabs(change));
}

/* Row i without column p->col, by means of row r. */
static void eliminate_from(pivot_table *t, int i, int r, const pivot_cell *p)
{
    const pivot_row *upper = &t->rows[r];
    pivot_row *lower = &t->rows[i];
    const pivot_cell x = *cell(lower, p->col);
    t->merged.n = 0;
    for (int k = 0, m = 0; k < upper->n || m < lower->n;) {
        const pivot_cell *u = k < upper->n ? &upper->at[k] : NULL;
        const pivot_cell *l = m < lower->n ? &lower->at[m] : NULL;
        pivot_cell both;
        if (!u || (l && l->col < u->col)) { // of the lower row alone
            array_push(t->a, &t->merged, *l);
            m++;
            continue;
        }
        bool held = l && l->col == u->col;
        k++;
        m += held;
        bool holds = u->col != p->col && pivot_combine(held ? l : NULL, u, &x, p, &both);
        if (holds) array_push(t->a, &t->merged, both);
        t->count[u->col] += holds - held;
        if (holds && !held) array_push(t->a, &t->holders[u->col], i);
    }
    array_reserve(t->a, lower, t->merged.n);
    if (t->merged.n) memcpy(lower->at, t->merged.at, (size_t)t->merged.n * sizeof *lower->at);
    lower->n = t->merged.n;
}

static void pivot_eliminate(pivot_table *t, int r, int col)
{
    const pivot_cell *p = cell(&t->rows[r], col);
    for (int k = 0; k < t->holders[col].n; k++) { // tidied by best_row
        int i = t->holders[col].at[k];
        if (i != r) eliminate_from(t, i, r, p);
    }
    t->row_done[r] = t->col_done[col] = 1;
    t->pivot[r] = col;
    for (int k = 0; k < t->rows[r].n; k++) {
        t->count[t->rows[r].at[k].col]--;
        pivot_push(t, t->rows[r].at[k].col);
    }
}

void pivot_run(pivot_table *t, int class)
{
    for (int j = 0; j < t->n; j++) pivot_push(t, j);
    while (t->candidates.n) {
        int item = heap_pop(&t->candidates), col = t->n - 1 - item;
        if (t->col_done[col] || t->candidates.key[item] != pivot_key(t, col)) continue;
        int row = best_row(t, col, class);
        if (row >= 0) pivot_eliminate(t, row, col);
    }
}

void pivot_init(pivot_table *t, arena *a, int n, const int *class, const int *willing)
{
    *t = (pivot_table){.a = a, .n = n, .class = class, .willing = willing};
    t->rows = arena_array(a, pivot_row, n);
    t->row_done = arena_array(a, char, n);
    t->col_done = arena_array(a, char, n);
    t->pivot = arena_array(a, int, n);
    t->count = arena_array(a, int, n);
    t->holders = arena_array(a, int_array, n);
    t->mark = arena_array(a, int, n);
    t->candidates.item = arena_array(a, int, n);
    t->candidates.at = arena_array(a, int, n);
    t->candidates.key = arena_array(a, double, n);
    for (int j = 0; j < n; j++) t->candidates.at[j] = -1;
}

void pivot_load(pivot_table *t, const pivot_row *from, const char *row_done, const char *col_done)
{
    memcpy(t->row_done, row_done, (size_t)t->n);
    memcpy(t->col_done, col_done, (size_t)t->n);
    for (int j = 0; j < t->n; j++) t->count[j] = t->holders[j].n = 0;
    for (int i = 0; i < t->n; i++) {
        pivot_row *r = &t->rows[i];
        t->pivot[i] = -1;
        array_reserve(t->a, r, from[i].n);
        r->n = from[i].n;
        if (r->n) memcpy(r->at, from[i].at, (size_t)r->n * sizeof *r->at);
        for (int k = 0; !row_done[i] && k < r->n; k++) {
            t->count[r->at[k].col]++;
            array_push(t->a, &t->holders[r->at[k].col], i);
        }
    }
}
