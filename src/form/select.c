/* State selection, the part that can be settled before the run.
 *
 * In a block with constraints, the equations with c_i >= 1 and the matrix G_ij = df_i/dx_j^(d_j -
 * c_i) decide which derivatives are dummies (S. E. Mattsson and G. Soderlind, SIAM J. Sci. Comput.
 * 14 (1993) 677-692): at level k the equations with c_i >= k make as many of the x_j^(d_j - k)
 * dependent, and the columns chosen must be linearly independent. Gaussian elimination on what is
 * known: a pivot that is a constant other than 0 is good for all times, whatever the other entries
 * do, because the determinant is the product of the pivots. Equations are taken in order of falling
 * c, so that the choice at a higher level never leans on an equation that is not there.
 *
 * Rows for which no constant pivot is left are resolved while running, unless stateSelect leaves
 * exactly as many columns as are needed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"
#include "graph/graph.h"

#include <math.h>
#include <string.h>

typedef enum cell_kind { ZERO, CONSTANT, VARYING } cell_kind;

typedef struct cell {
    uint8_t kind;
    double value;
} cell;

typedef struct table {
    form_builder *b;
    const structure_block *block;
    int n;          // size of the block; rows and columns are positions in it
    cell *g;        // n * n
    int *willing;   // by column: how willingly it becomes dependent; 0 never
    char *row_done; // has a pivot, or c = 0
    char *col_done;
    int *pivot;
} table;

enum { DENSE_LIMIT = 3000 }; // positions; beyond, the whole block is resolved while running

static const structure_equation *equation(const table *t, int i)
{
    return &t->b->s->equations.at[t->block->equations[i]];
}

static const structure_unknown *unknown(const table *t, int j)
{
    return &t->b->s->unknowns.at[t->block->unknowns[j]];
}

static cell make_cell(form_builder *b, expr d)
{
    double x;
    if (d == b->s->pool->zero) return (cell){ZERO, 0};
    if (expr_number(b->s->pool, d, &x)) return (cell){x == 0 ? ZERO : CONSTANT, x};
    int_array vars = {0};
    dag_vars(&b->d, d, &vars);
    for (int k = 0; k < vars.n; k++) {
        int v = expr_at(b->s->pool, vars.at[k])->u.var.index;
        if (v >= b->s->n_flat || b->s->vars[v].role != STRUCTURE_PARAMETER)
            return (cell){VARYING, 0};
    }
    if (!vars.n) return (cell){VARYING, 0}; // time, or nothing that could be folded
    if (!structure_eval(b->s, b->s->p_default, d, b->scratch, &x) || !isfinite(x))
        return (cell){VARYING, 0};
    return (cell){x == 0 ? ZERO : CONSTANT, x};
}

static void fill_row(table *t, int i, const int *position)
{
    form_builder *b = t->b;
    const structure_equation *e = equation(t, i);
    int_array vars = {0};
    dag_vars(&b->d, e->f[0], &vars);
    for (int k = 0; k < vars.n; k++) {
        int entry = structure_entry_of(b->s, vars.at[k]);
        if (entry < 0) continue;
        const structure_entry *x = &b->s->entries.at[entry];
        const structure_unknown *u = &b->s->unknowns.at[x->unknown];
        if (u->block != (int)(t->block - b->s->blocks.at) || x->order != u->d - e->c) continue;
        const char *why = NULL;
        expr d = expr_diff(b->s->pool, e->f[0], x->var, b->scratch, &why);
        t->g[i * t->n + position[x->unknown]] = d ? make_cell(b, d) : (cell){VARYING, 0};
    }
}

/* Wishes of the user and start values decide who stays a state. */
static int willingness(const form_builder *b, const structure_unknown *u)
{
    static const int by_select[] = {[FLAT_SELECT_DEFAULT] = 30,
                                    [FLAT_SELECT_NEVER] = 50,
                                    [FLAT_SELECT_AVOID] = 40,
                                    [FLAT_SELECT_PREFER] = 10,
                                    [FLAT_SELECT_ALWAYS] = 0};
    int least = 100;
    for (int k = 0; k < u->d; k++) {
        const structure_entry *e = &b->s->entries.at[u->first + k];
        int w = by_select[e->select];
        if (w && e->fixed == 1) w -= 6;
        else if (w && e->start) w -= 3;
        if (w < least) least = w;
    }
    return least;
}

/* The best constant pivot among the undecided rows with c = level: the most willing column, then
 * the one in fewest rows, then the later one. */
static bool best_pivot(const table *t, int level, int *row, int *col)
{
    int best = 0, best_count = 0;
    *row = -1;
    for (int j = t->n - 1; j >= 0; j--) {
        if (t->col_done[j] || t->willing[j] == 0 || t->willing[j] < best) continue;
        int count = 0, at = -1;
        double largest = 0;
        for (int i = 0; i < t->n; i++) {
            const cell *x = &t->g[i * t->n + j];
            if (t->row_done[i] || x->kind == ZERO) continue;
            count++;
            if (x->kind == CONSTANT && equation(t, i)->c == level && fabs(x->value) > largest) {
                largest = fabs(x->value);
                at = i;
            }
        }
        if (at < 0 || (t->willing[j] == best && *row >= 0 && count >= best_count)) continue;
        best = t->willing[j];
        best_count = count;
        *row = at;
        *col = j;
    }
    return *row >= 0;
}

static void eliminate(table *t, int r, int c)
{
    int n = t->n;
    const cell *p = &t->g[r * n + c];
    for (int i = 0; i < n; i++) {
        cell *x = &t->g[i * n + c];
        if (i == r || t->row_done[i] || x->kind == ZERO) continue;
        for (int j = 0; j < n; j++) {
            const cell *above = &t->g[r * n + j];
            cell *y = &t->g[i * n + j];
            if (j == c || above->kind == ZERO) continue;
            if (x->kind == VARYING || above->kind == VARYING || y->kind == VARYING) {
                y->kind = VARYING;
                continue;
            }
            double old = y->value, change = x->value / p->value * above->value;
            y->value = old - change;
            bool gone = fabs(y->value) <= 1e-12 * (fabs(old) + fabs(change)); // cancelled
            *y = gone ? (cell){ZERO, 0} : (cell){CONSTANT, y->value};
        }
        *x = (cell){ZERO, 0};
    }
    t->row_done[r] = t->col_done[c] = 1;
    t->pivot[r] = c;
}

/* Match a row to one of the allowed columns (augmenting path by depth-first search). */
static bool match(const table *t, const cell *g, int i, const char *allowed, char *seen,
                  int *row_of, int depth)
{
    if (depth > t->n) return false;
    for (int j = 0; j < t->n; j++) {
        if (!allowed[j] || seen[j] || g[i * t->n + j].kind == ZERO) continue;
        seen[j] = 1;
        if (row_of[j] < 0 || match(t, g, row_of[j], allowed, seen, row_of, depth + 1)) {
            row_of[j] = i;
            return true;
        }
    }
    return false;
}

/* When stateSelect names as many states as there is freedom, the others are dependent: trust it. */
static void follow_wishes(table *t)
{
    arena *a = t->b->scratch;
    char *allowed = arena_array(a, char, t->n);
    int *row_of = arena_array(a, int, t->n);
    int rows = 0, cols = 0, wished = 0;
    for (int i = 0; i < t->n; i++) {
        rows += !t->row_done[i];
        row_of[i] = -1;
    }
    for (int j = 0; j < t->n; j++) {
        if (t->col_done[j] || unknown(t, j)->d == 0) continue;
        allowed[j] = t->willing[j] > 10; // not PREFER, not ALWAYS
        cols += allowed[j];
        wished += !allowed[j];
    }
    if (rows == 0 || cols != rows || wished == 0 || t->n > 400) return;
    for (int i = 0; i < t->n; i++)
        if (!t->row_done[i] && !match(t, t->g, i, allowed, arena_array(a, char, t->n), row_of, 0))
            return;
    for (int j = 0; j < t->n; j++)
        if (row_of[j] >= 0 && equation(t, row_of[j])->c > unknown(t, j)->d) return;
    for (int j = 0; j < t->n; j++)
        if (row_of[j] >= 0) t->pivot[row_of[j]] = j;
}

/* The pivots say which unknowns are dependent; which equation gives which must be read off the
 * matrix as it was, level by level. */
static void pair_up(table *t, const cell *g, form_selection *out)
{
    arena *a = t->b->scratch;
    out->pair = arena_array(a, int *, t->block->levels);
    for (int level = 1; level <= t->block->levels; level++) {
        int *pair = out->pair[level - 1] = arena_array(a, int, t->n);
        char *allowed = arena_array(a, char, t->n);
        int *row_of = arena_array(a, int, t->n);
        for (int i = 0; i < t->n; i++) row_of[i] = pair[i] = -1;
        for (int i = 0; i < t->n; i++)
            if (t->pivot[i] >= 0 && equation(t, i)->c >= level) allowed[t->pivot[i]] = 1;
        for (int i = 0; i < t->n; i++)
            if (t->pivot[i] >= 0 && equation(t, i)->c >= level)
                match(t, g, i, allowed, arena_array(a, char, t->n), row_of, 0);
        for (int j = 0; j < t->n; j++)
            if (row_of[j] >= 0) pair[row_of[j]] = j;
    }
}

/* Dependent unknowns of one level that are found only together: of each such loop, bar the column
 * that occurs in most equations. Returns the number of loops. */
static int bar_loops(const table *t, const cell *g, const int *pair, char *barred)
{
    arena *a = t->b->scratch;
    int *row_of = arena_array(a, int, t->n), *start = arena_array(a, int, t->n + 1);
    int *uses = arena_array(a, int, t->n);
    int_array arcs = {0};
    for (int j = 0; j < t->n; j++) row_of[j] = -1;
    for (int i = 0; i < t->n; i++)
        if (pair[i] >= 0) row_of[pair[i]] = i;
    for (int i = 0; i < t->n; i++) { // an equation needs those that give its other unknowns
        start[i] = arcs.n;
        for (int j = 0; j < t->n; j++) {
            if (g[i * t->n + j].kind == ZERO) continue;
            uses[j]++;
            if (pair[i] >= 0 && row_of[j] >= 0) array_push(a, &arcs, row_of[j]);
        }
    }
    start[t->n] = arcs.n;
    graph_pattern q = {.n_rows = t->n, .n_cols = t->n, .start = start, .col = arcs.at};
    graph_blocks c = graph_components(&q, a, a);
    int loops = 0;
    for (int k = 0; k < c.n; k++) {
        if (c.start[k + 1] - c.start[k] < 2) continue;
        int worst = pair[c.item[c.start[k]]];
        for (int e = c.start[k]; e < c.start[k + 1]; e++)
            if (uses[pair[c.item[e]]] > uses[worst]) worst = pair[c.item[e]];
        barred[worst] = 1;
        loops++;
    }
    return loops;
}

static void reset(table *t, const cell *g)
{
    memcpy(t->g, g, (size_t)t->n * (size_t)t->n * sizeof *g);
    for (int j = 0; j < t->n; j++) {
        t->pivot[j] = -1;
        t->row_done[j] = equation(t, j)->c == 0;
        t->col_done[j] = unknown(t, j)->d == 0;
    }
}

/* One choice; unknowns that are barred stay undecided. True when rows are left for the run. */
static bool choose(table *t, const cell *g, const char *barred, form_selection *out)
{
    int row, col;
    reset(t, g);
    for (int j = 0; j < t->n; j++) t->col_done[j] |= barred[j];
    for (int level = t->block->levels; level >= 1; level--)
        while (best_pivot(t, level, &row, &col)) eliminate(t, row, col);
    follow_wishes(t);
    pair_up(t, g, out);
    for (int i = 0; i < t->n; i++)
        if (equation(t, i)->c > 0 && t->pivot[i] < 0) return true;
    return false;
}

void form_select_static(form_builder *b, int block, form_selection *out)
{
    arena *a = b->scratch;
    table t = {.b = b, .block = &b->s->blocks.at[block]};
    t.n = t.block->n;
    t.pivot = arena_array(a, int, t.n);
    for (int i = 0; i < t.n; i++) t.pivot[i] = -1;
    out->dynamic = true;
    if (t.n > DENSE_LIMIT) {
        pair_up(&t, NULL, out);
        return;
    }
    size_t size = (size_t)t.n * (size_t)t.n;
    t.g = arena_array(a, cell, size);
    t.willing = arena_array(a, int, t.n);
    t.row_done = arena_array(a, char, t.n);
    t.col_done = arena_array(a, char, t.n);
    int *position = arena_array(a, int, b->s->unknowns.n);
    for (int j = 0; j < t.n; j++) {
        position[t.block->unknowns[j]] = j;
        t.willing[j] = willingness(b, unknown(&t, j));
    }
    for (int i = 0; i < t.n; i++)
        if (equation(&t, i)->c) fill_row(&t, i, position);
    cell *as_was = arena_array(a, cell, size);
    memcpy(as_was, t.g, size * sizeof *as_was);

    // What the run decides must not hang on loops that are solved elsewhere: a constraint that is
    // left for the run depends on the unknowns of its group alone.
    char *barred = arena_array(a, char, t.n);
    for (int loops = 1; loops;) {
        loops = 0;
        out->dynamic = choose(&t, as_was, barred, out);
        for (int level = 1; out->dynamic && level <= t.block->levels; level++)
            loops += bar_loops(&t, as_was, out->pair[level - 1], barred);
    }
}

void form_select_none(form_builder *b, int block, form_selection *out)
{
    const structure_block *q = &b->s->blocks.at[block];
    out->pair = arena_array(b->scratch, int *, q->levels);
    for (int level = 0; level < q->levels; level++) {
        out->pair[level] = arena_array(b->scratch, int, q->n);
        for (int i = 0; i < q->n; i++) out->pair[level][i] = -1;
    }
    out->dynamic = true;
}
