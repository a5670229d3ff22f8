/* Figures of results: which curve goes to which panel and axis.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/field_figure.h"
#include "plot/result_band.h"
#include "plot/ticks.h"

#include "result/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PANELS_MAX = 40,
    AUTO_PANELS = 4, // of a figure for which nothing was selected
    AUTO_CURVES = 8,
    EVENTS_MAX = 25,    // more marks would hide the curves
    LITERALS_SHOWN = 12 // of an enumeration: more do not fit beside an axis
};

/* What is drawn of one result. */
typedef struct source {
    const result *r;
    const char *name;
    result_selection select;
    double *time;
} source;

typedef struct builder {
    mem *m;
    const plot_result_spec *spec;
    source *sources;
    int n;
    plot_figure *f;
    result_fault *fault;
    bool gaps; // some curve has values that cannot be drawn
} builder;

/* ---- choosing -------------------------------------------------------------------------------- */

static const char *column_unit(const result *r, int column)
{
    return result_shown_unit(r, column);
}

static bool worth_showing(const result *r, int c)
{
    const result_column *k = &r->columns[c];
    return !k->constant && k->alias_of < 0 && strncmp(k->name, "der(", 4) != 0;
}

/* The largest finite size of a column, looked at in a thousand rows. */
static double column_size(const result *r, int c)
{
    double most = 0;
    size_t stride = r->n_rows / 1000 + 1;
    for (size_t i = 0; i < r->n_rows; i += stride) {
        double x = fabs(result_shown(r, c, i));
        if (isfinite(x) && x > most) most = x;
    }
    return most;
}

/* A panel under construction: variables of one unit; where there are no units, of one size. */
typedef struct group {
    const char *unit;
    const char *const *names; // of values: those of one enumeration are by themselves
    double size;
    int n;
} group;

static bool belongs_to_panel(const group *g, const char *unit, const result_column *c, double size)
{
    enum { FLATTENING_RATIO = 12 }; // a curve so much lower than its neighbours is a line
    bool same = (!g->names && !c->look->names) ||
                (g->names && c->look->names && !strcmp(g->names[0], c->look->names[0]));
    if (strcmp(g->unit, unit) != 0 || !same) return false;
    return *unit || g->size == 0 || size == 0 ||
           (size < FLATTENING_RATIO * g->size && g->size < FLATTENING_RATIO * size);
}

/* Does it have one value all the time? */
static bool stands_still(const result *r, int c)
{
    double first = result_value(r, c, 0);
    for (size_t i = 1; i < r->n_rows; i++)
        if (result_value(r, c, i) != first) return false;
    return true;
}

/* Who comes first: what is differentiated, before what is not; of the model itself, before of its
 * components. What never changes comes last of all. */
enum { RANK_TOP_STATE, RANK_TOP, RANK_STATE, RANK_OTHER, RANK_STILL, RANKS };

static int rank_of(const result *r, int c)
{
    const char *name = r->columns[c].name;
    char derivative[300];
    snprintf(derivative, sizeof derivative, "der(%.280s)", name);
    bool top = !strchr(name, '.'), state = result_find(r, derivative) >= 0;
    if (stands_still(r, c)) return RANK_STILL;
    return top ? (state ? RANK_TOP_STATE : RANK_TOP) : state ? RANK_STATE : RANK_OTHER;
}

/* The elements of an array, which stand one after the other. */
typedef struct run_of_columns {
    int first, n;
} run_of_columns;

static run_of_columns array_from(const result *r, int c)
{
    const char *name = r->columns[c].name, *open = strrchr(name, '[');
    size_t base = open ? (size_t)(open - name) + 1 : 0;
    run_of_columns a = {c, 1};
    while (open && c + a.n < r->n_columns && !strncmp(r->columns[c + a.n].name, name, base)) a.n++;
    return a;
}

/* Of an array with more elements than a panel has curves, those at equal distances. */
static bool is_among_even(const run_of_columns *a, int c)
{
    const int most = AUTO_CURVES - 1;
    int place = c - a->first, last = a->n - 1;
    if (a->n <= AUTO_CURVES) return true;
    int k = (place * most + last / 2) / last; // the nearest of the even places
    return (k * last + most / 2) / most == place;
}

/* By rank, in each in the order of the model. */
static int sort_curves(const result *r, result_selection *s)
{
    size_t bytes = ((size_t)s->n_curves + 1) * sizeof *s->curves;
    result_curve *sorted = mem_try(s->m, bytes);
    unsigned char *rank = mem_try(s->m, (size_t)s->n_curves + 1);
    int n = 0, left_out = 0;
    run_of_columns array = {0, 0};
    for (int i = 0; sorted && rank && i < s->n_curves; i++) {
        int c = s->curves[i].y;
        if (c >= array.first + array.n) array = array_from(r, c);
        rank[i] = !worth_showing(r, c)        ? RANKS + 1
                  : !is_among_even(&array, c) ? RANKS
                                              : (unsigned char)rank_of(r, c);
        left_out += rank[i] == RANKS;
    }
    bool moves = false;
    for (int k = 0; sorted && rank && k < RANKS && (k < RANK_STILL || !moves); k++)
        for (int i = 0; i < s->n_curves; i++)
            if (rank[i] == k) sorted[n++] = s->curves[i], moves = true;
    int rc = sorted && rank ? left_out : RESULT_E_MEMORY;
    for (int i = 0; rc >= 0 && i < n; i++) s->curves[i] = sorted[i];
    if (rank) mem_free(s->m, rank, (size_t)s->n_curves + 1);
    if (sorted) mem_free(s->m, sorted, bytes);
    s->n_curves = n;
    return rc;
}

/* Do two columns lie on each other, or mirror each other, wherever one looks? */
static bool is_repeated(const result *r, int a, int b, double size)
{
    const double SEEN = 1e-6; // of the size: by equations that are solved to a tolerance
    bool same = true, opposite = true;
    for (size_t i = 0; i < r->n_rows && (same || opposite); i++) {
        double x = result_shown(r, a, i), y = result_shown(r, b, i);
        same = same && fabs(x - y) <= SEEN * size;
        opposite = opposite && fabs(x + y) <= SEEN * size;
    }
    return same || opposite;
}

static bool is_drawn(const result *r, const result_selection *s, int n, int panel, int c,
                     double size)
{
    for (int i = 0; i < n; i++)
        if (s->curves[i].panel == panel && is_repeated(r, s->curves[i].y, c, size)) return true;
    return false;
}

/* Without a selection: variables by rank, those of one unit in one panel. Returns how many were left
 * out, or a status. */
static int choose_curves(const result *r, result_selection *out, result_fault *fault)
{
    group groups[AUTO_PANELS];
    int n_panels = 0, n = 0;
    int rc = result_select(r, "", out, fault);
    if (rc) return rc;
    int left_out = sort_curves(r, out);
    if (left_out < 0) {
        result_selection_done(out);
        return result_fail(fault, left_out, "C609", "out of memory");
    }
    for (int i = 0; i < out->n_curves; i++) {
        result_curve c = out->curves[i];
        const char *unit = column_unit(r, c.y);
        double size = column_size(r, c.y);
        int k = 0;
        const result_column *column = &r->columns[c.y];
        while (k < n_panels && !belongs_to_panel(&groups[k], unit, column, size)) k++;
        if (k == n_panels && n_panels < AUTO_PANELS)
            groups[n_panels++] = (group){unit, column->look->names, size, 0};
        if (k == n_panels || groups[k].n == AUTO_CURVES || is_drawn(r, out, n, k, c.y, size)) {
            left_out++;
            continue;
        }
        groups[k].n++;
        if (size > groups[k].size) groups[k].size = size;
        c.panel = k;
        out->curves[n++] = c;
    }
    out->n_curves = n;
    out->n_panels = n_panels > 0 ? n_panels : 1;
    return left_out;
}

int plot_select(const result *r, const char *vars, result_selection *out, result_fault *fault)
{
    return vars && vars[0] ? result_select(r, vars, out, fault) : choose_curves(r, out, fault);
}

bool plot_has_gaps(const result *r, int column, result_fault *fault)
{
    size_t first = 0, n = 0;
    for (size_t i = r->n_rows; i-- > 0;)
        if (!isfinite(result_value(r, column, i))) n++, first = i;
    if (n)
        result_fail(fault, RESULT_GAPS, "C614",
                    "%.120s is not finite at %zu of %zu points, first at t = %.10g; gaps are left "
                    "there",
                    r->columns[column].name, n, r->n_rows, result_time(r, first));
    return n > 0;
}

/* ---- panels ---------------------------------------------------------------------------------- */

/* The curves of a panel: units on the left and right, whether it is over the time, its labels. */
typedef struct summary {
    int n_left, n_right;        // curves of the first result
    int x;                      // the common abscissa
    bool one_x;                 // there is one
    bool one_x_unit;            // all abscissas have the unit of the first
    char left[160], right[160]; // names joined by commas, "" when too many
    const char *left_unit, *right_unit;
    bool left_mixed, right_mixed;
    bool reals, numbers;           // there is a real; there is something that is not Boolean
    const result_column *named[2]; // left and right: all are of the enumeration that this one is of
} summary;

static void join_name(char *list, const char *name, int count)
{
    size_t used = strlen(list);
    if (count > 3 || used + strlen(name) + 3 > 60) list[0] = 0;
    else if (count == 1 || used > 0)
        snprintf(list + used, 160 - used, "%s%s", used ? ", " : "", name);
}

bool plot_goes_right(const result *r, const result_selection *select, const result_curve *c)
{
    const char *first = NULL, *second = NULL;
    for (int i = 0; i < select->n_curves; i++) {
        const result_curve *k = &select->curves[i];
        if (k->panel != c->panel) continue;
        if (k->right) return c->right; // it is said
        const char *unit = column_unit(r, k->y);
        if (!first) first = unit;
        else if (strcmp(unit, first) != 0 && !second) second = unit;
        else if (strcmp(unit, first) != 0 && strcmp(unit, second) != 0) return false; // three
    }
    return second && strcmp(column_unit(r, c->y), second) == 0;
}

static bool same_names(const result_column *a, const result_column *b)
{
    bool same = a->look->n_names == b->look->n_names;
    for (int i = 0; i < a->look->n_names && same; i++)
        same = !strcmp(a->look->names[i], b->look->names[i]);
    return same;
}

static summary panel_summary(const source *s, int panel)
{
    summary m = {.x = -1, .one_x = true, .one_x_unit = true};
    for (int i = 0; i < s->select.n_curves; i++) {
        const result_curve *c = &s->select.curves[i];
        if (c->panel != panel) continue;
        if (m.x >= 0 && m.x != c->x) m.one_x = false;
        if (m.x >= 0 && strcmp(column_unit(s->r, m.x), column_unit(s->r, c->x)) != 0)
            m.one_x_unit = false;
        if (m.x < 0) m.x = c->x;
        m.reals |= s->r->columns[c->y].kind == RESULT_REAL;
        m.numbers |= s->r->columns[c->y].kind != RESULT_BOOL;
        bool right = plot_goes_right(s->r, &s->select, c);
        const result_column *k = &s->r->columns[c->y], **named = &m.named[right];
        bool first = !(right ? m.n_right : m.n_left);
        if (first) *named = k->look->n_names ? k : NULL;
        else if (*named && !same_names(*named, k)) *named = NULL;
        const char **unit = right ? &m.right_unit : &m.left_unit;
        bool *mixed = right ? &m.right_mixed : &m.left_mixed;
        if (*unit && strcmp(*unit, column_unit(s->r, c->y)) != 0) *mixed = true;
        if (!*unit) *unit = column_unit(s->r, c->y);
        if (right) join_name(m.right, s->r->columns[c->y].name, ++m.n_right);
        else join_name(m.left, s->r->columns[c->y].name, ++m.n_left);
    }
    if (m.left_mixed) m.left_unit = "";
    if (m.right_mixed) m.right_unit = "";
    if (m.x < 0) m.x = 0;
    return m;
}

static plot_panel *result_panel(builder *b, const summary *m)
{
    const result *r = b->sources[0].r;
    bool phase = m->x != 0 || !m->one_x;
    plot_panel_spec p = {
        .x = {.label = m->one_x ? r->columns[m->x].name : NULL,
              .unit = m->one_x_unit ? column_unit(r, m->x) : NULL,
              .log = b->spec->log_x},
        .left = {.label = m->left,
                 .unit = m->left_unit,
                 .log = b->spec->log_y && m->reals,
                 .integers = !m->reals},
        .right = {.label = m->right,
                  .unit = m->right_unit,
                  .log = b->spec->log_y && m->reals,
                  .integers = !m->reals},
        .weight = m->numbers ? 1 : 0.5,
    };
    plot_axis *sides[] = {&p.left, &p.right};
    for (int i = 0; i < 2; i++) {
        const result_column *c = m->named[i];
        if (!c || c->look->n_names > LITERALS_SHOWN) continue;
        sides[i]->names = c->look->names;
        sides[i]->n_names = c->look->n_names;
        sides[i]->fixed = true;
        sides[i]->lo = 0.7;
        sides[i]->hi = c->look->n_names + 0.3;
    }
    p.equal = phase && m->one_x_unit && m->left_unit && strcmp(p.x.unit, m->left_unit) == 0 &&
              m->n_right == 0 && !b->spec->log_x && !b->spec->log_y;
    return plot_add_panel(b->f, &p);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static double *values_of(builder *b, source *s, int column)
{
    if (column == 0 && s->time) return s->time;
    double *v = plot_alloc(b->f, s->r->n_rows * sizeof *v);
    for (size_t i = 0; v && i < s->r->n_rows; i++) v[i] = result_shown(s->r, column, i);
    if (column == 0) s->time = v;
    return v;
}

static void add_curves(builder *b, plot_panel *p, int panel, const summary *m)
{
    int per_result = m->n_left + m->n_right;
    for (int k = 0; k < b->n; k++) {
        source *s = &b->sources[k];
        int index = 0;
        for (int i = 0; i < s->select.n_curves; i++) {
            const result_curve *c = &s->select.curves[i];
            if (c->panel != panel) continue;
            char label[300];
            const char *name = s->r->columns[c->y].name;
            bool mixed = plot_goes_right(s->r, &s->select, c) ? m->right_mixed : m->left_mixed;
            char unit[60] = "";
            if (mixed) plot_unit(column_unit(s->r, c->y), unit, sizeof unit);
            if (b->n == 1 && unit[0]) snprintf(label, sizeof label, "%.200s (%s)", name, unit);
            else if (b->n == 1) snprintf(label, sizeof label, "%s", name);
            else if (per_result == 1) snprintf(label, sizeof label, "%s", s->name);
            else snprintf(label, sizeof label, "%.140s (%.140s)", name, s->name);
            // one variable of several results differs by colour, several by line
            plot_curve_spec curve = {
                .label = label,
                .x = values_of(b, s, c->x),
                .y = values_of(b, s, c->y),
                .n = s->r->n_rows,
                .style = s->r->columns[c->y].kind == RESULT_REAL ? PLOT_LINE : PLOT_STAIRS,
                .colour = (per_result == 1 ? k : index) % PLOT_COLOURS + 1,
                .dash = per_result == 1 ? (plot_dash)(k / PLOT_COLOURS % 4)
                                        : (plot_dash)((k + index / PLOT_COLOURS) % 4),
                .right = plot_goes_right(s->r, &s->select, c),
                .borrowed = true,
            };
            if (b->n == 1 && c->x == 0) band_add(b->f, p, s->r, c->y, curve.x, &curve);
            plot_add_curve(p, &curve);
            if (!b->gaps) b->gaps = plot_has_gaps(s->r, c->y, b->fault);
            index++;
        }
    }
}

/* Times with several rows, marked in panels over the time when they are few. */
static void add_events(builder *b, plot_panel *p)
{
    double when[EVENTS_MAX];
    int n = 0;
    for (int k = 0; k < b->n; k++) {
        const result *r = b->sources[k].r;
        for (size_t i = 1; i < r->n_rows; i++) {
            double t = result_time(r, i);
            if (t != result_time(r, i - 1) || (n > 0 && when[n - 1] == t)) continue;
            if (n == EVENTS_MAX) return;
            when[n++] = t;
        }
    }
    for (int i = 0; i < n; i++) plot_add_event(p, when[i]);
}

static bool has_bands(const builder *b)
{
    const source *s = &b->sources[0];
    for (int i = 0; i < s->select.n_curves && b->n == 1; i++)
        if (!s->select.curves[i].x && band_is_known(s->r, s->select.curves[i].y)) return true;
    return false;
}

/* ---- the figure ------------------------------------------------------------------------------ */

static int result_figure_build(builder *b, int left_out)
{
    int panels = b->sources[0].select.n_panels;
    bool all_phase = true;
    if (panels > PANELS_MAX)
        return result_fail(b->fault, RESULT_E_SYNTAX, "C608",
                           "%d panels do not fit into one figure; "
                           "the most is %d",
                           panels, PANELS_MAX);
    for (int i = 0; i < panels; i++) {
        summary m = panel_summary(&b->sources[0], i);
        all_phase &= m.x != 0 || !m.one_x;
    }
    char note[160] = "";
    if (left_out > 0)
        snprintf(note, sizeof note, "%d more variables are not shown; choose with --vars",
                 left_out);
    else if (has_bands(b))
        snprintf(note, sizeof note, "bands: one percent of each parameter, in the worst direction");
    plot_figure_spec f = {.title = b->spec->title,
                          .note = note,
                          .width = b->spec->width,
                          .height = b->spec->height,
                          .dark = b->spec->dark,
                          .font = b->spec->font,
                          .columns = all_phase && panels > 1 ? (panels > 4 ? 3 : 2) : 1};
    int rc = plot_new(b->m, &f, &b->f);
    if (rc) return result_fail(b->fault, rc, "C609", "out of memory");
    for (int i = 0; i < panels; i++) {
        const source *first = &b->sources[0];
        if (field_panel(&first->select, i)) {
            rc = field_add(b->f, first->r, &first->select, i, b->fault);
            if (rc) return rc;
            continue;
        }
        summary m = panel_summary(&b->sources[0], i);
        plot_panel *p = result_panel(b, &m);
        add_curves(b, p, i, &m);
        if (m.one_x && m.x == 0 && !b->spec->no_events) add_events(b, p);
    }
    return RESULT_OK;
}

int plot_results(mem *m, const result *const *results, const char *const *names, int n,
                 const plot_result_spec *spec, plot_figure **out, result_fault *fault)
{
    static const plot_result_spec none = {0};
    *out = NULL;
    if (n < 1) return result_fail(fault, RESULT_E_EMPTY, "C613", "there is no result to draw");
    size_t bytes = (size_t)n * sizeof(source);
    builder b = {.m = m, .spec = spec ? spec : &none, .n = n, .fault = fault};
    b.sources = mem_try(m, bytes);
    if (!b.sources) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    memset(b.sources, 0, bytes);
    int rc = RESULT_OK, left_out = 0;
    for (int k = 0; k < n && rc == RESULT_OK; k++) {
        source *s = &b.sources[k];
        *s = (source){.r = results[k], .name = names && names[k] ? names[k] : ""};
        if (s->r->n_rows == 0) {
            rc = result_fail(fault, RESULT_E_EMPTY, "C613",
                             "there is nothing to draw: the result%s%.100s has no rows",
                             s->name[0] ? " " : "", s->name);
        } else {
            left_out = plot_select(s->r, b.spec->vars, &s->select, fault);
            if (left_out < 0) rc = left_out;
        }
    }
    if (rc == RESULT_OK) rc = result_figure_build(&b, left_out);
    for (int k = 0; k < n; k++) result_selection_done(&b.sources[k].select);
    mem_free(m, b.sources, bytes);
    *out = b.f;
    return rc == RESULT_OK && b.gaps ? RESULT_GAPS : rc;
}
