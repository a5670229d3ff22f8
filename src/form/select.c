/* State selection, the part that can be settled before the run.
 *
 * In a block with constraints, the equations with c_i >= 1 and the matrix G_ij = df_i/dx_j^(d_j -
 * c_i) decide which derivatives are dummies (S. E. Mattsson and G. Soderlind, SIAM J. Sci. Comput.
 * 14 (1993) 677-692): at level k the equations with c_i >= k make as many of the x_j^(d_j - k)
 * dependent, and the columns chosen must be linearly independent. Gaussian elimination on what is
 * known (pivot.h): equations are taken in order of falling c, so that the choice at a higher level
 * never leans on an equation that is not there.
 *
 * Rows for which no constant pivot is left are resolved while running, unless stateSelect leaves
 * exactly as many columns as are needed. What elimination has made of such a row says which
 * unknowns compete in it: rows that share none are groups of their own, so that the quaternions of
 * a thousand bodies make a thousand small choices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"
#include "form/pivot.h"
#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>

typedef struct table {
    form_builder *b;
    const structure_block *block;
    int n;            // size of the block; rows and columns are positions in it
    pivot_row *g;     // the matrix
    int *c, *willing; // by row: how often it is differentiated; by column: see willingness
    char *barred;     // by column: not to be settled before the run
    pivot_table p;
} table;

static const structure_equation *equation(const table *t, int i)
{
    return &t->b->s->equations.at[t->block->equations[i]];
}

static const structure_unknown *unknown(const table *t, int j)
{
    return &t->b->s->unknowns.at[structure_unknowns_of(t->block)[j]];
}

/* The entry with derivative d; false: it is zero. */
static bool make_cell(form_builder *b, expr d, pivot_cell *out)
{
    double x;
    out->varying = false;
    if (expr_number(b->s->pool, d, &x)) {
        out->value = x;
        return x != 0;
    }
    out->varying = true;
    int_array vars = {0};
    dag_vars(&b->d, d, &vars);
    for (int k = 0; k < vars.n; k++) {
        int v = expr_at(b->s->pool, vars.at[k])->u.var.index;
        if (v >= b->s->n_flat || b->s->vars[v].role != STRUCTURE_PARAMETER) return true;
    }
    if (!vars.n) return true; // time, or nothing that could be folded
    if (!structure_eval(b->s, b->s->p_default, d, b->scratch, &x) || !isfinite(x)) return true;
    out->varying = false;
    out->value = x;
    return x != 0;
}

static int select_by_column(const void *x, const void *y)
{
    return ((const pivot_cell *)x)->col - ((const pivot_cell *)y)->col;
}

static void select_fill_row(table *t, int i)
{
    form_builder *b = t->b;
    const structure_equation *e = equation(t, i);
    int_array vars = {0};
    const char *why = NULL;
    int n = 0;
    dag_vars(&b->d, e->f[0], &vars);
    for (int k = 0; k < vars.n; k++) {
        int entry = structure_entry_of(b->s, vars.at[k]);
        if (entry < 0) continue;
        const structure_entry *x = &b->s->entries.at[entry];
        const structure_unknown *u = &b->s->unknowns.at[x->unknown];
        if (u->block != (int)(t->block - b->s->blocks.at) ||
            structure_order_of(b->s, entry) != u->d - e->c)
            continue;
        vars.at[n++] = vars.at[k];
    }
    expr *d = arena_array(b->scratch, expr, n);
    expr_gradient(b->s->pool, e->f[0], vars.at, n, b->scratch, d, &why);
    for (int k = 0; k < n; k++) {
        pivot_cell y = {.varying = true};
        bool there = !d[k] || make_cell(b, d[k], &y);
        y.col = b->position[b->s->entries.at[structure_entry_of(b->s, vars.at[k])].unknown];
        if (there) array_push(b->scratch, &t->g[i], y);
    }
    if (t->g[i].n) qsort(t->g[i].at, (size_t)t->g[i].n, sizeof *t->g[i].at, select_by_column);
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
        const structure_attributes *e = structure_attributes_of(b->s, u->first + k);
        int w = by_select[e->select];
        if (w && e->fixed == 1) w -= 6;
        else if (w && e->start) w -= 3;
        if (w < least) least = w;
    }
    return least;
}

/* ---- matching -------------------------------------------------------------------------------- */

/* Rows and columns that are marked, paired as far as possible. */
static graph_matching match_marked(const table *t, const char *rows, const char *cols)
{
    arena *a = t->b->scratch;
    int_array col = {0};
    graph_pattern g = {.n_rows = t->n, .n_cols = t->n, .start = arena_array(a, int, t->n + 1)};
    for (int i = 0; i < t->n; i++) {
        for (int k = 0; rows[i] && k < t->g[i].n; k++)
            if (cols[t->g[i].at[k].col]) array_push(a, &col, t->g[i].at[k].col);
        g.start[i + 1] = col.n;
    }
    g.col = col.at;
    return graph_match(&g, NULL, a, a);
}

/* When stateSelect names as many states as there is freedom, the others are dependent: trust it. */
static void follow_wishes(table *t)
{
    arena *a = t->b->scratch;
    char *open = arena_array(a, char, t->n), *allowed = arena_array(a, char, t->n);
    int rows = 0, cols = 0, wished = 0;
    for (int i = 0; i < t->n; i++) rows += open[i] = !t->p.row_done[i];
    for (int j = 0; j < t->n; j++) {
        if (t->p.col_done[j] || unknown(t, j)->d == 0) continue;
        allowed[j] = t->willing[j] > 10; // not PREFER, not ALWAYS
        cols += allowed[j];
        wished += !allowed[j];
    }
    if (rows == 0 || cols != rows || wished == 0) return;
    graph_matching m = match_marked(t, open, allowed);
    if (m.n < rows) return;
    for (int j = 0; j < t->n; j++)
        if (m.row_of[j] >= 0 && t->c[m.row_of[j]] > unknown(t, j)->d) return;
    for (int j = 0; j < t->n; j++)
        if (m.row_of[j] >= 0) t->p.pivot[m.row_of[j]] = j;
}

/* The pivots say which unknowns are dependent; which equation gives which must be read off the
 * matrix as it was, level by level. */
static void pair_up(table *t, form_selection *out)
{
    arena *a = t->b->scratch;
    out->pair = arena_array(a, int *, t->block->levels);
    for (int level = 1; level <= t->block->levels; level++) {
        char *rows = arena_array(a, char, t->n), *cols = arena_array(a, char, t->n);
        for (int i = 0; i < t->n; i++)
            if (t->p.pivot[i] >= 0 && t->c[i] >= level) rows[i] = cols[t->p.pivot[i]] = 1;
        out->pair[level - 1] = match_marked(t, rows, cols).col_of;
    }
}

/* Dependent unknowns of one level that are found only together: of each such loop, bar the column
 * that occurs in most equations. Returns the number of loops. */
static int bar_loops(table *t, const int *pair)
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
        for (int k = 0; k < t->g[i].n; k++) {
            int j = t->g[i].at[k].col;
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
        int at = c.item[c.start[k]], worst = pair[at];
        for (int e = c.start[k]; e < c.start[k + 1]; e++) { // of equals the one of the first row
            int i = c.item[e], more = uses[pair[i]] - uses[worst];
            if (more > 0 || (more == 0 && i < at)) worst = pair[at = i];
        }
        t->barred[worst] = 1;
        loops++;
    }
    return loops;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Rows of this level that are undecided, with the columns that compete in them, in connected
 * groups. False: a row has no column, or there are more rows than columns. */
static bool make_groups(const table *t, const char *settled, int level, form_grouping *out)
{
    const pivot_row *rows = t->p.rows;
    arena *a = t->b->scratch;
    int *parent = arena_array(a, int, t->n), *number = arena_array(a, int, t->n);
    *out = (form_grouping){.row = arena_array(a, int, t->n), .col = arena_array(a, int, t->n)};
    for (int j = 0; j < t->n; j++) parent[j] = j;
    for (int i = 0; i < t->n; i++) {
        out->row[i] = out->col[i] = -1;
        if (t->c[i] < level || t->p.pivot[i] >= 0) continue;
        for (int k = 0; k < rows[i].n; k++) {
            int j = rows[i].at[k].col;
            if (settled[j]) continue;
            if (out->row[i] < 0) out->row[i] = j; // for now: a column of it
            parent[graph_root(parent, j)] = graph_root(parent, out->row[i]);
        }
        if (out->row[i] < 0) return false;
    }
    for (int i = 0; i < t->n; i++) {
        if (out->row[i] < 0) continue;
        int root = graph_root(parent, out->row[i]);
        if (!number[root]) number[root] = ++out->n;
        out->row[i] = number[root] - 1;
    }
    int *spare = arena_array(a, int, out->n);
    for (int j = 0; j < t->n; j++) {
        if (!settled[j] && unknown(t, j)->d >= level)
            out->col[j] = number[graph_root(parent, j)] - 1;
        if (out->col[j] >= 0) spare[out->col[j]]++;
        if (out->row[j] >= 0) spare[out->row[j]]--;
    }
    for (int g = 0; g < out->n; g++)
        if (spare[g] < 0) return false;
    return true;
}

/* The groups of one level, all rows with c >= level having been pivots if they can. Where
 * elimination leaves too little of the rows, some repeat others: the run decides over them all. */
static void group(const table *t, int level, form_grouping *out)
{
    char *settled = arena_array(t->b->scratch, char, t->n);
    for (int i = 0; i < t->n; i++)
        if (t->p.pivot[i] >= 0) settled[t->p.pivot[i]] = 1;
    if (make_groups(t, settled, level, out)) return;
    out->n = 1;
    for (int i = 0; i < t->n; i++) {
        out->row[i] = t->c[i] >= level && t->p.pivot[i] < 0 ? 0 : -1;
        out->col[i] = !settled[i] && unknown(t, i)->d >= level ? 0 : -1;
    }
}

/* ---- the selection --------------------------------------------------------------------------- */

/* One choice; unknowns that are barred stay undecided. True when rows are left for the run. */
static bool select_choose(table *t, form_selection *out)
{
    arena *a = t->b->scratch;
    char *row_done = arena_array(a, char, t->n), *col_done = arena_array(a, char, t->n);
    for (int j = 0; j < t->n; j++) {
        row_done[j] = t->c[j] == 0;
        col_done[j] = unknown(t, j)->d == 0 || t->barred[j];
    }
    pivot_load(&t->p, t->g, row_done, col_done);
    for (int level = t->block->levels; level >= 1; level--) {
        pivot_run(&t->p, level);
        group(t, level, &out->groups[level - 1]);
    }
    follow_wishes(t);
    pair_up(t, out);
    for (int i = 0; i < t->n; i++)
        if (t->c[i] > 0 && t->p.pivot[i] < 0) return true;
    return false;
}

static void select_begin(table *t, form_builder *b, int block, form_selection *out)
{
    arena *a = b->scratch;
    *t = (table){.b = b, .block = &b->s->blocks.at[block]};
    t->n = t->block->n;
    t->g = arena_array(a, pivot_row, t->n);
    t->c = arena_array(a, int, t->n);
    t->willing = arena_array(a, int, t->n);
    t->barred = arena_array(a, char, t->n);
    out->groups = arena_array(a, form_grouping, t->block->levels);
    if (!b->position) b->position = arena_array(a, int, b->s->unknowns.n);
    for (int j = 0; j < t->n; j++) {
        b->position[structure_unknowns_of(t->block)[j]] = j;
        t->willing[j] = willingness(b, unknown(t, j));
        t->c[j] = equation(t, j)->c;
    }
    for (int i = 0; i < t->n; i++)
        if (t->c[i]) select_fill_row(t, i);
    pivot_init(&t->p, a, t->n, t->c, t->willing);
}

void form_select_static(form_builder *b, int block, form_selection *out)
{
    table t;
    select_begin(&t, b, block, out);
    // What the run decides must not hang on loops that are solved elsewhere: a constraint that is
    // left for the run depends on the unknowns of its group alone.
    for (int loops = 1; loops;) {
        loops = 0;
        out->dynamic = select_choose(&t, out);
        for (int level = 1; out->dynamic && level <= t.block->levels; level++)
            loops += bar_loops(&t, out->pair[level - 1]);
    }
}

void form_select_none(form_builder *b, int block, form_selection *out)
{
    table t;
    select_begin(&t, b, block, out);
    for (int j = 0; j < t.n; j++) t.barred[j] = 1;
    select_choose(&t, out);
    out->dynamic = true;
}
