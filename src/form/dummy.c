/* Dummy derivatives: index 1, states chosen before the run where that is safe, while running
 * otherwise.
 *
 * Every constraint and each of its derivatives is an equation of its own. Where the choice of
 * states is settled (select.c), the dependent variables are solved for like any other unknown and
 * disappear. Elsewhere all x_j, ..., x_j^(d_j - 1) stay in y, and instead of a choice among them
 * the rows
 *
 *     P (y' - v) = 0,    y = (x_j^(d_j - k))_j,  v = (x_j^(d_j - k + 1))_j
 *
 * are added for each level k: P has as many rows as there is freedom, is constant while the
 * integrator steps, and may be exchanged after any step because y and y' solve the system for every
 * P for which the matrix of constraints and P stays regular. So the layout of y never changes, and
 * the history of a multistep method survives a new choice.
 *
 * P is dense. A group of many candidates, a chain of bodies say, has instead multipliers mu of its
 * constraints g, which vanish on the solution and keep as many zeros as the model has:
 *
 *     y' - v - (dg/dy)^T mu = 0,    g = 0
 *
 * (C. W. Gear, B. Leimkuhler and G. K. Gupta, J. Comput. Appl. Math. 12-13 (1985) 77-90). There is
 * nothing to choose then: range of (dg/dy)^T and null space of dg/dy complete each other everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <string.h>

/* Candidates of one choice from which on they are tied. Measured on chains of pendulums. */
enum { TIED_MIN = 60 };

typedef struct dummy {
    form_builder b;
    form_selection *selection; // by block, of those with constraints
    bool coordinates;          // every choice is made while running, among the components
    bool beyond;               // with the derivatives that only the start has
    double tied;               // candidates from which on a group is tied
    int *column_of;            // by entry: its column in the group that is tied, + 1
    int n_multipliers;
    char *dependent; // by entry: solved for, not a state
    ARRAY(form_instance) list;
} dummy;

/* Settle what can be settled; mark the dependent entries and list the equations that give them. */
static void dummy_select_states(dummy *x)
{
    structure *s = x->b.s;
    arena *a = x->b.scratch;
    for (int u = 0; u < s->unknowns.n; u++) { // highest derivatives
        const structure_unknown *v = &s->unknowns.at[u];
        form_instance q = {v->equation, s->equations.at[v->equation].c, v->first + v->d};
        array_push(a, &x->list, q);
        for (int k = 1; x->beyond && k <= v->n_beyond; k++) {
            form_instance further = {v->equation, q.derivative + k, structure_beyond(s, u) + k - 1};
            array_push(a, &x->list, further);
        }
    }
    for (int k = 0; k < s->blocks.n; k++) {
        const structure_block *block = &s->blocks.at[k];
        if (!block->levels) continue;
        if (!x->coordinates) {
            form_select_static(&x->b, k, &x->selection[k]);
        } else {
            form_select_none(&x->b, k, &x->selection[k]);
        }
        for (int i = 0; i < block->n; i++) {
            const structure_equation *e = &s->equations.at[block->equations[i]];
            for (int level = 1; level <= e->c; level++) {
                int pair = x->selection[k].pair[level - 1][i];
                if (pair < 0) continue;
                const structure_unknown *v = &s->unknowns.at[structure_unknowns_of(block)[pair]];
                form_instance q = {block->equations[i], e->c - level, v->first + v->d - level};
                x->dependent[q.entry] = 1;
                array_push(a, &x->list, q);
            }
        }
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The groups of one block at one level, with their columns and undecided constraints. */
static void dummy_make_groups(dummy *x, int block, int level)
{
    structure *s = x->b.s;
    const structure_block *q = &s->blocks.at[block];
    const form_grouping *by = &x->selection[block].groups[level - 1];
    int base = x->b.f->groups.n;
    int *n_columns = arena_array(x->b.scratch, int, by->n),
        *n_rows = arena_array(x->b.scratch, int, by->n);
    for (int j = 0; j < q->n; j++) {
        if (by->col[j] >= 0) n_columns[by->col[j]]++;
        if (by->row[j] >= 0) n_rows[by->row[j]]++;
    }
    for (int g = 0; g < by->n; g++) {
        image_group z = {.block = block,
                         .level = level,
                         .coordinates = x->coordinates,
                         .columns = arena_array(x->b.a, int, n_columns[g]),
                         .constraints = arena_array(x->b.a, int, n_rows[g])};
        array_push(x->b.a, &x->b.f->groups, z);
    }
    image_group *groups = x->b.f->groups.at + base;
    for (int j = 0; j < q->n; j++) {
        if (by->row[j] >= 0) {
            image_group *z = &groups[by->row[j]];
            ((int *)z->constraints)[z->n_constraints++] = q->equations[j];
        }
        if (by->col[j] < 0) continue;
        const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(q)[j]];
        int entry = u->first + u->d - level;
        image_group *z = &groups[by->col[j]];
        ((int *)z->columns)[z->n_columns++] = entry; // a component of y when those are known
        x->b.bound[entry] = 1;
    }
}

/* ---- groups that are tied -------------------------------------------------------------------- */

/* link[j] -= d row / d x_j times mu, for every candidate in the row. False: no derivative is to be had. */
static bool tie_links(form_builder *b, const image_group *g, int row, expr mu, const int *column_of,
                      expr *link)
{
    expr_pool *p = b->s->pool;
    expr f = b->f->functions.at[g->constraints[row]];
    int_array vars = {0};
    dag_vars(&b->d, f, &vars);
    for (int k = 0; k < vars.n; k++) {
        int e = structure_entry_of(b->s, vars.at[k]), j = e < 0 ? 0 : column_of[e];
        if (!j) continue;
        const char *why = NULL;
        expr d = expr_diff(p, f, vars.at[k], b->scratch, &why);
        if (!d) return false;
        link[j - 1] = expr_sub(p, link[j - 1], expr_mul(p, d, mu));
    }
    return true;
}

/* The links of a group with multipliers; false: it cannot be. */
static bool tie_group(dummy *x, image_group *g, expr *link)
{
    form_builder *b = &x->b;
    if (!x->column_of) x->column_of = arena_array(b->scratch, int, b->s->entries.n);
    for (int j = 0; j < g->n_columns; j++)
        x->column_of[b->f->unknowns.at[g->columns[j]].entry] = j + 1;
    int first = b->f->unknowns.n;
    bool can = true;
    for (int k = 0; k < g->n_constraints && can; k++)
        can = tie_links(b, g, k, form_y(b, first + k), x->column_of, link);
    for (int j = 0; j < g->n_columns; j++) x->column_of[b->f->unknowns.at[g->columns[j]].entry] = 0;
    if (!can) return false;
    for (int k = 0; k < g->n_constraints; k++)
        form_put_multiplier(b, "dummy", x->n_multipliers++, 0);
    g->tied = true;
    g->multiplier = first;
    int *rows = arena_array(b->a, int, g->n_columns);
    for (int j = 0; j < g->n_columns; j++)
        rows[j] = form_row_add(b, link[j], IMAGE_ROW_SELECT, -1, 0, 0);
    g->rows = rows;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows of a group: its constraints, and P times the links. */
static void group_rows(dummy *x, image_group *g)
{
    form_builder *b = &x->b;
    expr_pool *p = b->s->pool;
    int *columns = (int *)g->columns, *constraints = (int *)g->constraints;
    for (int k = 0; k < g->n_constraints; k++) {
        const structure_equation *e = &b->s->equations.at[constraints[k]];
        constraints[k] = form_row_add(b, e->f[e->c - g->level], IMAGE_ROW_CONSTRAINT,
                                      constraints[k], e->c - g->level, 0);
    }
    expr *link = arena_array(b->scratch, expr, g->n_columns);
    for (int j = 0; j < g->n_columns; j++) {
        int entry = columns[j];
        columns[j] = b->f->places[entry].at;
        link[j] = expr_sub(p, form_yp(b, columns[j]), b->s->entries.at[entry + 1].var);
    }
    if (g->n_columns >= x->tied && !g->coordinates) {
        expr *ties = arena_array(b->scratch, expr, g->n_columns);
        memcpy(ties, link, (size_t)g->n_columns * sizeof *ties);
        if (tie_group(x, g, ties)) return;
    }
    int n_rows = g->n_columns - g->n_constraints;
    int *rows = arena_array(b->a, int, n_rows);
    g->w = b->f->n_w;
    b->f->n_w += n_rows * g->n_columns;
    for (int i = 0; i < n_rows; i++) {
        expr sum = 0;
        for (int j = 0; j < g->n_columns; j++) {
            expr term = expr_mul(p, form_w(b, g->w + i * g->n_columns + j), link[j]);
            sum = sum ? expr_add(p, sum, term) : term;
        }
        rows[i] = form_row_add(b, sum, IMAGE_ROW_SELECT, -1, 0, 0);
    }
    g->rows = rows;
}

/* ---- the formulation ------------------------------------------------------------------------- */

static void dummy_put_states(dummy *x)
{
    structure *s = x->b.s;
    int deepest = 0;
    for (int u = 0; u < s->unknowns.n; u++)
        if (s->unknowns.at[u].d > deepest) deepest = s->unknowns.at[u].d;
    // Positions first, then velocities: components of an array stay side by side.
    for (int k = 0; k < deepest; k++)
        for (int u = 0; u < s->unknowns.n; u++) {
            int entry = s->unknowns.at[u].first + k;
            if (k < s->unknowns.at[u].d && !x->dependent[entry]) form_put(&x->b, entry, true, 0);
        }
}

static int dummy_make(form_system *f, arena *scratch, diag_sink *sink, dummy x)
{
    form_begin(&x.b, f, scratch, sink);
    structure *s = f->s;
    x.selection = arena_sparse(scratch, form_selection, s->blocks.n);
    x.dependent = arena_array(scratch, char, s->entries.n);
    dummy_select_states(&x);

    for (int k = 0; k < s->blocks.n; k++) {
        if (!s->blocks.at[k].levels || !x.selection[k].dynamic) continue;
        for (int level = 1; level <= s->blocks.at[k].levels; level++)
            dummy_make_groups(&x, k, level);
    }
    dummy_put_states(&x);
    form_solve(&x.b, x.list.at, x.list.n);
    for (int g = 0; g < f->groups.n; g++) group_rows(&x, &f->groups.at[g]);
    for (int i = 0; i < f->unknowns.n; i++) { // states whose derivative is a state
        int e = f->unknowns.at[i].entry;
        if (!f->unknowns.at[i].differential || x.b.bound[e]) continue;
        if (f->places[e + 1].where != IMAGE_IN_YP)
            form_row_add(&x.b, expr_sub(s->pool, form_yp(&x.b, i), s->entries.at[e + 1].var),
                         IMAGE_ROW_LINK, -1, 0, 0);
    }
    form_make_rhs(&x.b);
    return 0;
}

int form_dummy_build(form_system *f, arena *scratch, diag_sink *sink, bool coordinates)
{
    return dummy_make(f, scratch, sink, (dummy){.coordinates = coordinates, .tied = TIED_MIN});
}

static int beyond_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    (void)options;
    return dummy_make(f, scratch, sink, (dummy){.beyond = true, .tied = TIED_MIN});
}

static int dummy_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    form_builder b = {.f = f, .a = f->a, .scratch = scratch, .sink = sink};
    double tied = TIED_MIN;
    form_option list[] = {{.name = "tied", .number = &tied}};
    if (!form_options(&b, options, list, 1)) return -1;
    return dummy_make(f, scratch, sink, (dummy){.tied = tied});
}

const form_kind form_dummy = {
    .name = "dummy",
    .summary = "index 1 by dummy derivatives; states selected, and selected anew while running",
    .applies = "every solvable model",
    .cite = "Mattsson & Soderlind 1993",
    .explicit = true,
    .initial = true,
    .build = dummy_build,
};

const form_kind form_beyond = {
    .name = "dummy, with derivatives of the start",
    .summary = "not to be chosen: start values where initial equations ask for further derivatives",
    .applies = "every solvable model",
    .cite = "",
    .explicit = true,
    .initial = true,
    .build = beyond_build,
};
