/* The order in which start values are found.
 *
 * Rows and the unknowns that may move fall into three parts (Dulmage & Mendelsohn): one with more rows
 * than unknowns, which is met first if at all; one with as many, which falls into blocks that are solved
 * one after another; and one with more unknowns than rows, where least change decides, last. No part
 * contains unknowns of a later one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"
#include "start/search.h"

#include <string.h>

/* ---- which unknowns a row contains ----------------------------------------------------------- */

typedef struct reader {
    const start *a;
    arena *scratch;
    tape_picker *rows, *extra; // their programs; NULL: there are no rows of the kind
    int *in_y, *in_yp, row;    // by component: the last row that contains it
    int_array *found;          // components of y; NULL: not asked for
} reader;

static reader reader_of(const start *a, arena *scratch)
{
    reader x = {.a = a, .scratch = scratch};
    x.in_y = arena_array(scratch, int, a->m->n + 1);
    x.in_yp = arena_array(scratch, int, a->m->n + 1);
    return x;
}

static void read_operand(void *user, tape_ref r)
{
    reader *x = user;
    int i = tape_index_of(r);
    if (tape_kind_of(r) == TAPE_YP) {
        x->in_yp[i] = x->row;
        return;
    }
    if (x->found && x->in_y[i] != x->row) array_push(x->scratch, x->found, i);
    x->in_y[i] = x->row;
}

static void read_row(reader *x, int i)
{
    const start *a = x->a;
    int k = i - a->n_rows;
    x->row = i + 1;
    if (k < 0) {
        tape_read(x->rows, a->rows[i], read_operand, x);
        return;
    }
    const start_relax *step = a->relax && a->relax->in_row[k] ? a->relax : NULL;
    for (int p = 0; step && p < step->n; p++)
        if (step->pairs[p].row == k) x->in_y[step->pairs[p].x] = x->row;
    if (!step || step->h != 0) tape_read(x->extra, a->active[k], read_operand, x);
}

static void open_rows(reader *x)
{
    const start *a = x->a;
    if (a->n_rows) x->rows = tape_reader_new(start_residual_fn(a)->program, x->scratch);
    if (a->n_active) x->extra = tape_reader_new(a->x->extra.program, x->scratch);
}

int_array start_row_entries(const start *a, int row, arena *scratch)
{
    int_array entries = {0};
    reader x = reader_of(a, scratch);
    open_rows(&x);
    read_row(&x, row);
    for (int i = 0; i < a->m->n; i++) {
        int e = start_entry(a, i);
        if (e >= 0 && x.in_y[i] == x.row) array_push(scratch, &entries, e);
        if (e >= 0 && x.in_yp[i] == x.row) array_push(scratch, &entries, e + 1);
    }
    return entries;
}

/* The pattern of derivatives is that of dF/dy and dF/dy' together: what does not occur in a row goes,
 * by the programs of the rows, for a coefficient may just happen to vanish here. */
static void drop_absent(start_entries *q, arena *scratch)
{
    arena_mark here = arena_here(scratch);
    const start *a = q->a;
    int n = a->m->n, *by_row = arena_array(scratch, int, q->m + 1);
    int *z_of = arena_array(scratch, int, q->nnz), *e_of = arena_array(scratch, int, q->nnz);
    uint8_t *absent = arena_array(scratch, uint8_t, q->nnz + 1);
    reader x = reader_of(a, scratch);
    open_rows(&x);
    for (int e = 0; e < q->nnz; e++) by_row[q->row[e] + 1]++;
    for (int i = 0; i < q->m; i++) by_row[i + 1] += by_row[i];
    int *fill = arena_array(scratch, int, q->m + 1);
    for (int z = 0; z < q->n_z; z++)
        for (int e = q->begin[z]; e < q->begin[z + 1]; e++) {
            int at = by_row[q->row[e]] + fill[q->row[e]]++;
            z_of[at] = z;
            e_of[at] = e;
        }
    for (int i = 0; i < q->m; i++) {
        read_row(&x, i);
        for (int k = by_row[i]; k < by_row[i + 1]; k++) {
            int z = z_of[k];
            absent[e_of[k]] = z < n ? x.in_y[z] != i + 1 : x.in_yp[a->z_yp[z - n]] != i + 1;
        }
    }
    int kept = 0;
    for (int z = 0, e = 0; z < q->n_z; z++) {
        int end = q->begin[z + 1];
        q->begin[z] = kept;
        for (; e < end; e++) {
            if (absent[e]) continue;
            q->row[kept] = q->row[e];
            q->source[kept] = q->source[e];
            q->where[kept++] = q->where[e];
        }
    }
    q->begin[q->n_z] = q->nnz = kept;
    arena_release(scratch, here);
}

/* What start values that the start finds follow from. */
static void read_guesses(start_order *o, const start *a)
{
    arena *s = o->scratch;
    int *of = arena_array(s, int, a->n_z + 1);
    int_array cols = {0};
    reader x = reader_of(a, s);
    tape_picker *guesses = tape_reader_new(a->x->guess.program, s);
    x.found = &cols;
    for (int k = 0; k < a->x->n_guesses; k++) of[a->x->guess_of[k]] = k + 1;
    o->guesses = (graph_pattern){.n_rows = a->n_z, .n_cols = a->n_z};
    o->guesses.start = arena_array(s, int, a->n_z + 1);
    for (int z = 0; z < a->n_z; o->guesses.start[++z] = cols.n) {
        if (!of[z]) continue;
        x.row = z + 1;
        tape_read(guesses, of[z] - 1, read_operand, &x);
    }
    o->guesses.col = cols.at;
}

void start_order_open(start_order *o, start *a, arena *scratch)
{
    *o = (start_order){.scratch = scratch};
    start_entries_open(&o->q, a, scratch);
    drop_absent(&o->q, scratch);
    o->by_row =
        (graph_pattern){.n_rows = o->q.n_z, .n_cols = o->q.m, .start = o->q.begin, .col = o->q.row};
    o->by_row = graph_transpose(&o->by_row, scratch);
    if (a->x->n_guesses) read_guesses(o, a);
}

/* ---- parts and blocks ------------------------------------------------------------------------ */

/* By rows, without the unknowns that are known. */
static graph_pattern unknown_pattern(const start_entries *q, const uint8_t *known, arena *scratch)
{
    graph_pattern g = {.n_rows = q->m, .n_cols = q->n_z};
    g.start = arena_array(scratch, int, q->m + 2);
    g.col = arena_array(scratch, int, q->nnz + 1);
    for (int z = 0; z < q->n_z; z++)
        for (int e = q->begin[z]; e < q->begin[z + 1] && !known[z]; e++) g.start[q->row[e] + 2]++;
    for (int i = 0; i < q->m; i++) g.start[i + 2] += g.start[i + 1];
    for (int z = 0; z < q->n_z; z++)
        for (int e = q->begin[z]; e < q->begin[z + 1] && !known[z]; e++)
            g.col[g.start[q->row[e] + 1]++] = z;
    return g;
}

static start_block block_of(const int_array *rows, const int_array *cols)
{
    return (start_block){rows->n, cols->n, 0, rows->at, cols->at};
}

/* One more than the level of each row: of a lower one is all that its block needs and, where that does not go
 * round in circles, what the start values of its unknowns follow from. */
static void level_rows(const start_order *o, const graph_pattern *arcs, const graph_blocks *b,
                       const graph_matching *m, const int *rows, const int *at, int *level)
{
    enum { PASSES = 3 }; // a circle lifts its rows by so much, in vain
    const graph_pattern *wish = &o->guesses;
    int *block = arena_array(o->scratch, int, arcs->n_rows + 1);
    for (int k = 0; k < b->n; k++)
        for (int i = b->start[k]; i < b->start[k + 1]; i++) block[b->item[i]] = k;
    for (int pass = 0; pass < (wish->start ? PASSES : 1); pass++)
        for (int k = 0; k < b->n; k++) {
            const int *list = b->item + b->start[k];
            int n = b->start[k + 1] - b->start[k], deepest = 0;
            for (int i = 0; i < n; i++) {
                for (int e = arcs->start[list[i]]; e < arcs->start[list[i] + 1]; e++)
                    if (block[arcs->col[e]] != k && level[arcs->col[e]] > deepest)
                        deepest = level[arcs->col[e]];
                int z = m->col_of[rows[list[i]]];
                for (int e = pass ? wish->start[z] : 0; pass && e < wish->start[z + 1]; e++) {
                    int giver = m->row_of[wish->col[e]];
                    int of = giver >= 0 ? at[giver] : -1;
                    if (of >= 0 && block[of] != k && level[of] > deepest) deepest = level[of];
                }
            }
            for (int i = 0; i < n; i++) level[list[i]] = deepest + 1;
        }
}

/* Level by level, in each as they are. */
static void sort_levels(start_order *o, const start_block *found, int n)
{
    int *next = arena_array(o->scratch, int, o->n_levels + 2);
    o->level_start = arena_array(o->scratch, int, o->n_levels + 2);
    o->square = arena_array(o->scratch, start_block, n + 1);
    o->n_square = n;
    for (int k = 0; k < n; k++) o->level_start[found[k].level + 1]++;
    for (int l = 0; l < o->n_levels; l++) o->level_start[l + 1] += o->level_start[l];
    memcpy(next, o->level_start, ((size_t)o->n_levels + 1) * sizeof *next);
    for (int k = 0; k < n; k++) o->square[next[found[k].level]++] = found[k];
}

/* What is in neither of the other parts, in blocks. */
static void sort_square(start_order *o, const graph_pattern *g, const graph_matching *m,
                        const uint8_t *apart)
{
    arena *s = o->scratch;
    int_array rows = {0};
    int *at = arena_array(s, int, g->n_rows + 1);
    for (int i = 0; i < g->n_rows; i++) {
        at[i] = -1;
        if (m->col_of[i] < 0 || apart[i]) continue;
        at[i] = rows.n;
        array_push(s, &rows, i);
    }
    graph_pattern arcs = {.n_rows = rows.n, .n_cols = rows.n};
    arcs.start = arena_array(s, int, rows.n + 1);
    arcs.col = arena_array(s, int, o->q.nnz + 1);
    for (int k = 0, n = 0; k < rows.n; arcs.start[++k] = n)
        for (int e = g->start[rows.at[k]]; e < g->start[rows.at[k] + 1]; e++) {
            int giver = m->row_of[g->col[e]];
            if (giver >= 0 && at[giver] >= 0) arcs.col[n++] = at[giver];
        }
    graph_blocks b = graph_components(&arcs, s, s);
    int *level = arena_array(s, int, rows.n + 1);
    level_rows(o, &arcs, &b, m, rows.at, at, level);
    start_block *found = arena_array(s, start_block, b.n + 1);
    int *cols = arena_array(s, int, rows.n + 1);
    for (int k = 0; k < b.n; k++) {
        int n = b.start[k + 1] - b.start[k], *list = b.item + b.start[k];
        int deepest = level[list[0]] - 1;
        for (int i = 0; i < n; i++) {
            list[i] = rows.at[list[i]];
            cols[b.start[k] + i] = m->col_of[list[i]];
        }
        found[k] = (start_block){n, n, deepest, list, cols + b.start[k]};
        if (deepest + 1 > o->n_levels) o->n_levels = deepest + 1;
    }
    sort_levels(o, found, b.n);
}

void start_order_find(start_order *o, const uint8_t *known, const int *rank)
{
    arena *s = o->scratch;
    int_array rows = {0}, cols = {0};
    graph_pattern g = unknown_pattern(&o->q, known, s);
    graph_matching m = graph_match(&g, rank, s, s);
    uint8_t *apart = arena_array(s, uint8_t, g.n_rows + 1);
    o->n_square = o->n_levels = 0;
    graph_over(&g, &m, s, &rows, &cols);
    o->over = block_of(&rows, &cols);
    for (int k = 0; k < rows.n && !rank; k++) apart[rows.at[k]] = 1;
    rows = cols = (int_array){0};
    graph_under(&g, &m, s, &rows, &cols);
    int n = 0; // what is known stands alone, as an unknown that no row contains
    for (int k = 0; k < cols.n; k++)
        if (!known[cols.at[k]]) cols.at[n++] = cols.at[k];
    cols.n = n;
    o->under = block_of(&rows, &cols);
    for (int k = 0; k < rows.n; k++) apart[rows.at[k]] = 1;
    sort_square(o, &g, &m, apart);
}
