/* The picture of a structure (`vincolo check --plot`): which unknown occurs in which equation,
 * before and after sorting.
 *
 * On the left the system after elimination of aliases, in the order of the model; on the right the
 * system for the highest derivatives, differentiated as often as needed and sorted into blocks that
 * can be solved one after the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMED = 16,
    NAMED_BELOW = 8,
    NAME_BELOW_LETTERS = 9,
    NAME_BYTES = 34,
    SIDE = 210
}; // the last: points of a panel

/* Colours of blocks by size. */
static const struct {
    int most, colour;
    const char *label;
} sizes[] = {{1, 6, "block of 1"},
             {5, 3, "block of 2 to 5"},
             {30, 5, "block of 6 to 30"},
             {1 << 30, 2, "larger block"}};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct dots {
    ARRAY(double) x, y;
} dots;

typedef struct picture {
    const structure *s;
    const inspect_report *check;
    arena *a;
    int *row_place, *column_place; // in the sorted system
} picture;

static void add_dot(picture *p, dots *d, int row, int column)
{
    array_push(p->a, &d->x, column + 1);
    array_push(p->a, &d->y, row + 1);
}

static void draw_cells(const picture *p, plot_panel *panel, const dots *d, int colour,
                       const char *label)
{
    double cell = (double)SIDE / (p->s->unknowns.n + 1);
    if (d->x.n)
        plot_add_curve(panel, &(plot_curve_spec){.label = label,
                                                 .x = d->x.at,
                                                 .y = d->y.at,
                                                 .n = (size_t)d->x.n,
                                                 .style = PLOT_POINTS,
                                                 .colour = colour,
                                                 .width = fmin(3.4, fmax(0.5, 0.25 * cell))});
}

/* The unknowns that occur in an expression; `highest`: only those whose highest derivative does. */
static void occurrences(picture *p, expr f, int row, bool highest, dots *plain, dots *derived)
{
    const structure *s = p->s;
    arena_mark mark = arena_here(s->pool->a);
    int_array vars = expr_vars(s->pool, &f, 1, s->pool->a);
    for (int k = 0; k < vars.n; k++) {
        int e = structure_entry_of(s, vars.at[k]);
        if (e < 0) continue;
        const structure_entry *x = &s->entries.at[e];
        int order = structure_order_of(s, e);
        if (highest && order == s->unknowns.at[x->unknown].d)
            add_dot(p, plain, p->row_place[row], p->column_place[x->unknown]);
        else if (!highest) add_dot(p, order ? derived : plain, row, x->unknown);
    }
    arena_release(s->pool->a, mark);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *cut(picture *p, const char *s)
{
    size_t n = strlen(s);
    if (n < NAME_BYTES) return arena_strndup(p->a, s, n);
    size_t at = NAME_BYTES - 4;
    while (at && ((unsigned char)s[at] & 0xc0) == 0x80) at--; // not inside a character
    char *out = arena_strndup(p->a, s, at + 3);
    memcpy(out + at, "...", 3);
    return out;
}

static const char *equation_name(picture *p, int e, bool differentiated)
{
    text t;
    mem m = *p->a->m;
    text_init(&t, &m);
    structure_equation_text(p->s, e, 0, &t);
    const char *name = cut(p, text_str(&t));
    text_done(&t);
    int c = p->s->equations.at[e].c;
    if (!differentiated || !c) return name;
    char *out = arena_alloc(p->a, NAME_BYTES + 20);
    snprintf(out, NAME_BYTES + 20, "%s (%d\u00d7)", name, c);
    return out;
}

/* Names below the columns where all are short enough to stand side by side. */
static bool name_columns(picture *p, const int *at, const char **names)
{
    const structure *s = p->s;
    if (s->unknowns.n > NAMED_BELOW) return false;
    for (int j = 0; j < s->unknowns.n; j++) {
        const char *name = flat_name_in(s->flat, s->unknowns.at[j].var, p->a);
        if (strlen(name) > NAME_BELOW_LETTERS) return false;
        names[at ? at[j] : j] = name;
    }
    return true;
}

static plot_panel *add_panel(picture *p, plot_figure *f, const char *title, const char *under,
                             const char **rows, const int *at)
{
    int n = p->s->unknowns.n;
    plot_panel_spec spec = {.title = title,
                            .x = {.label = under, .fixed = true, .lo = -0.5, .hi = n + 1},
                            .left = {.fixed = true, .lo = -0.5, .hi = n + 1, .reversed = true},
                            .equal = n > NAMED_BELOW, // names below need wide columns
                            .no_grid = true};
    spec.x.integers = spec.left.integers = true;
    if (n <= NAMED) {
        spec.left.names = rows;
        spec.left.n_names = n;
    }
    const char *columns[NAMED_BELOW];
    if (name_columns(p, at, columns)) {
        spec.x.names = columns;
        spec.x.n_names = n;
    }
    return plot_add_panel(f, &spec);
}

/* Of both panels: room for the equations beside them, and for names below their columns. */
static double picture_width(const picture *p)
{
    const double BESIDE = 165, LETTER = 4.3, COLUMN_LEAST = 22;
    size_t longest = 0;
    for (int j = 0; j < p->s->unknowns.n; j++) {
        size_t n = strlen(FLAT_NAME(p->s->flat, p->s->unknowns.at[j].var));
        if (n > longest) longest = n;
    }
    double column = longest <= NAME_BELOW_LETTERS ? LETTER * (double)longest + 6 : 0;
    if (p->s->unknowns.n > NAMED_BELOW) return 860;
    return fmax(860, 2 * (BESIDE + (p->s->unknowns.n + 1.5) * fmax(column, COLUMN_LEAST)));
}

/* ---- the two panels -------------------------------------------------------------------------- */

static void draw_written(picture *p, plot_figure *f)
{
    const structure *s = p->s;
    const char **names = arena_array(p->a, const char *, s->equations.n + 1);
    dots plain = {0}, derived = {0};
    for (int i = 0; i < s->equations.n; i++) {
        if (s->equations.n <= NAMED) names[i] = equation_name(p, i, false);
        occurrences(p, s->equations.at[i].f[0], i, false, &plain, &derived);
    }
    plot_panel *panel = add_panel(p, f, "As written", "unknowns", names, NULL);
    draw_cells(p, panel, &plain, 1, "occurs");
    draw_cells(p, panel, &derived, 2, "differentiated");
}

static bool is_state(const picture *p, const structure_unknown *u)
{
    arena *a = p->s->pool->a;
    arena_mark mark = arena_here(a);
    bool found = false;
    for (int k = 0; k < u->d; k++) {
        const char *name = structure_name_of(p->s, u->first + k, a);
        for (int i = 0; i < p->check->n_states; i++)
            found = found || strcmp(p->check->states[i], name) == 0;
    }
    arena_release(a, mark);
    return found;
}

static void draw_blocks(picture *p, plot_panel *panel)
{
    const structure *s = p->s;
    bool seen[SIZES] = {false};
    int at = 0;
    for (int b = 0; b < s->blocks.n; b++) {
        const structure_block *x = &s->blocks.at[b];
        int k = 0;
        while (x->n > sizes[k].most) k++;
        seen[k] = true;
        plot_add_box(panel, &(plot_box_spec){.x0 = at + 0.5,
                                             .y0 = at + 0.5,
                                             .x1 = at + x->n + 0.5,
                                             .y1 = at + x->n + 0.5,
                                             .colour = sizes[k].colour,
                                             .pale = true});
        at += x->n;
    }
    static const double nowhere = NAN;
    for (int k = 0; k < SIZES; k++)
        if (seen[k])
            plot_add_curve(panel, &(plot_curve_spec){.label = sizes[k].label,
                                                     .x = &nowhere,
                                                     .y = &nowhere,
                                                     .n = 1,
                                                     .style = PLOT_POINTS,
                                                     .colour = sizes[k].colour});
}

static void draw_sorted(picture *p, plot_figure *f)
{
    const structure *s = p->s;
    const char **names = arena_array(p->a, const char *, s->equations.n + 1);
    dots entries = {0}, constraints = {0}, states = {0};
    int at = 0;
    for (int b = 0; b < s->blocks.n; b++)
        for (int k = 0; k < s->blocks.at[b].n; k++, at++) {
            p->row_place[s->blocks.at[b].equations[k]] = at;
            p->column_place[structure_unknowns_of(&s->blocks.at[b])[k]] = at;
        }
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        int row = p->row_place[i];
        if (s->equations.n <= NAMED) names[row] = equation_name(p, i, true);
        occurrences(p, e->f[e->c], i, true, &entries, NULL);
        if (e->c && !e->definition) add_dot(p, &constraints, row, -1);
    }
    for (int j = 0; j < s->unknowns.n; j++)
        if (is_state(p, &s->unknowns.at[j])) add_dot(p, &states, -1, p->column_place[j]);
    plot_panel *panel =
        add_panel(p, f, "Differentiated and sorted", "highest derivatives, in order of solution",
                  names, p->column_place);
    draw_blocks(p, panel);
    draw_cells(p, panel, &entries, 1, "occurs");
    draw_cells(p, panel, &constraints, 7, "constraint (left edge)");
    draw_cells(p, panel, &states, 4, "state (upper edge)");
}

/* ---- the figure ------------------------------------------------------------------------------ */

typedef struct incidence_job {
    vinc_sim *sim;
    const char *path;
    vinc_plot_options o;
    result_fault fault;
    int rc; // of the figure
} incidence_job;

typedef struct panels_job {
    picture *p;
    plot_figure *f;
} panels_job;

static int draw_panels(void *job)
{
    panels_job *j = job;
    draw_written(j->p, j->f);
    draw_sorted(j->p, j->f);
    return VINC_OK;
}

static int draw_incidence(void *job)
{
    incidence_job *j = job;
    vinc_sim *sim = j->sim;
    vinc_ctx *ctx = sim->model->ctx;
    inspect_report check;
    watch_doing(&ctx->watch, "drawing the structure of", sim->model->flat->name);
    int rc = api_begin(sim);
    if (rc) return rc;
    rc = inspect_model(sim->state, sim->options.t_start, &sim->a, &check, &ctx->diags);
    if (rc) return rc;
    structure_write_out(sim->model->structure);
    picture p = {.s = sim->model->structure, .check = &check, .a = &sim->a};
    p.row_place = arena_array(p.a, int, p.s->equations.n + 1);
    p.column_place = arena_array(p.a, int, p.s->unknowns.n + 1);
    char note[200];
    snprintf(note, sizeof note,
             "index %d, %d unknowns, %d after elimination of aliases, %d block%s", p.s->index,
             p.s->n_unknowns_written, p.s->unknowns.n, p.s->blocks.n,
             p.s->blocks.n == 1 ? "" : "s");
    bool named = p.s->unknowns.n <= NAMED;
    plot_figure_spec spec = {.title = j->o.title ? j->o.title : sim->model->flat->name,
                             .note = note,
                             .width = named ? picture_width(&p) : 640,
                             .height = named ? 320 : 0,
                             .columns = 2,
                             .dark = j->o.dark != 0};
    plot_figure *f = NULL;
    j->rc = plot_new(&ctx->m, &spec, &f);
    if (j->rc) return VINC_OK;
    // Within a guard of its own: only here can the figure be given back.
    rc = mem_guarded(&ctx->m, draw_panels, &(panels_job){&p, f}, VINC_E_MEMORY);
    if (!rc) j->rc = plot_write(f, j->path, NULL, &j->fault);
    plot_free(f);
    return rc;
}

int vinc_model_plot(vinc_model *model, const char *path, const vinc_plot_options *options)
{
    if (!model || !path) return api_lacks(model ? model->ctx : NULL, "a path");
    incidence_job j = {.path = path};
    if (options) j.o = *options;
    int rc = api_sim_new(model, NULL, &j.sim);
    if (!rc) rc = api_guarded(model->ctx, draw_incidence, &j);
    if (!rc) rc = api_finish(model->ctx, j.rc, &j.fault);
    vinc_sim_free(j.sim);
    return rc;
}
