/* What the page shows, as JSON.
 *
 *     title, comment, version, dark, settings, source      texts
 *     run, check         the objects of the commands
 *     panels             curves: each panel has its own rows, thinned to what can be seen
 *     steps              the chart of steps as one more panel
 *     events             times of events
 *     scene              the moving model
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot.h"
#include "report/parts.h"
#include "result/whole_file.h"

#include <math.h>
#include <string.h>

enum { EVENTS_SHOWN_MAX = 500, PANELS_SHOWN_MAX = 40, SOURCE_BYTES_MAX = 200000 };

static const char *const kinds[] = {
    [RESULT_REAL] = "real", [RESULT_INT] = "integer", [RESULT_BOOL] = "boolean"};

static void write_object(json *j, const char *key, const char *object)
{
    text_add(json_raw(j, key), object && *object ? object : "null");
}

static void describe_column(json *j, const result *r, int column)
{
    const result_column *c = &r->columns[column];
    json_open(j, NULL, '{');
    json_text(j, "name", c->name);
    json_text(j, "unit", result_shown_unit(r, column));
    json_text(j, "comment", c->look->comment);
    json_text(j, "kind", kinds[c->kind]);
    if (c->look->n_names) json_open(j, "literals", '[');
    for (int i = 0; i < c->look->n_names; i++) json_text(j, NULL, c->look->names[i]);
    if (c->look->n_names) json_close(j, ']');
    json_close(j, '}');
}

/* ---- panels ---------------------------------------------------------------------------------- */

typedef struct panel {
    int *columns; // each once; columns[0] is the time
    int n;
} panel;

static int data_place_of(panel *p, int column)
{
    for (int i = 0; i < p->n; i++)
        if (p->columns[i] == column) return i;
    p->columns[p->n] = column;
    return p->n++;
}

static void write_rows(json *j, const result *r, const panel *p, size_t most, arena *scratch)
{
    size_t *rows, n = report_thin(r, p->columns, p->n, most, scratch, &rows);
    json_open(j, "columns", '[');
    for (int i = 0; i < p->n; i++) describe_column(j, r, p->columns[i]);
    json_close(j, ']');
    report_columns(j, "data", r, p->columns, p->n, rows, n, scratch);
}

static void write_panel(const report_spec *spec, const result_selection *s, int k, size_t most,
                        arena *scratch, json *j)
{
    arena_mark mark = arena_here(scratch);
    panel p = {.columns = arena_array(scratch, int, 2 * (size_t)s->n_curves + 2)};
    data_place_of(&p, 0); // phase plots show the time too
    json_open(j, NULL, '{');
    json_open(j, "curves", '[');
    for (int i = 0; i < s->n_curves; i++) {
        const result_curve *c = &s->curves[i];
        if (c->panel != k) continue;
        json_open(j, NULL, '{');
        json_int(j, "x", data_place_of(&p, c->x));
        json_int(j, "y", data_place_of(&p, c->y));
        json_bool(j, "right", plot_goes_right(spec->r, s, c));
        json_close(j, '}');
    }
    json_close(j, ']');
    write_rows(j, spec->r, &p, most / (size_t)(p.n ? p.n : 1), scratch);
    json_close(j, '}');
    arena_release(scratch, mark);
}

static void write_steps(const report_spec *spec, arena *scratch, json *j)
{
    const result *r = spec->steps;
    if (!r || !r->n_rows) {
        json_null(j, "steps");
        return;
    }
    arena_mark mark = arena_here(scratch);
    panel p = {.columns = arena_array(scratch, int, (size_t)r->n_columns)};
    for (int i = 0; i < r->n_columns; i++) p.columns[p.n++] = i;
    json_open(j, "steps", '{');
    write_rows(j, r, &p, REPORT_CURVE_VALUES / 4 / (size_t)p.n, scratch);
    json_close(j, '}');
    arena_release(scratch, mark);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void write_events(const result *r, json *j)
{
    int n = 0;
    double last = NAN;
    json_open(j, "events", '[');
    for (size_t i = 1; i < r->n_rows && n < EVENTS_SHOWN_MAX; i++) {
        double t = result_time(r, i);
        if (t != result_time(r, i - 1) || t == last) continue;
        json_real(j, NULL, last = t);
        n++;
    }
    json_close(j, ']');
}

/* ---- all of it ------------------------------------------------------------------------------- */

int report_data(const report_spec *spec, arena *scratch, text *out, bool *solid,
                result_fault *fault)
{
    const result_selection *s = spec->select;
    const result *r = spec->r;
    *solid = false;
    if (!r->n_rows)
        return result_fail(fault, RESULT_E_EMPTY, "C613",
                           "there is nothing to report: the result has no rows");
    int panels = s->n_panels < PANELS_SHOWN_MAX ? s->n_panels : PANELS_SHOWN_MAX;
    bool show = spec->source && strlen(spec->source) <= SOURCE_BYTES_MAX;
    json j = {out, true};
    json_open(&j, NULL, '{');
    json_text(&j, "title", spec->title);
    json_text(&j, "comment", spec->comment);
    json_text(&j, "version", spec->version);
    json_text(&j, "source", show ? spec->source : NULL);
    write_object(&j, "settings", spec->settings);
    write_object(&j, "run", spec->run);
    write_object(&j, "check", spec->check);
    json_bool(&j, "dark", spec->dark);
    json_int(&j, "leftOut", spec->left_out);
    json_open(&j, "panels", '[');
    for (int k = 0; k < panels; k++)
        write_panel(spec, s, k, REPORT_CURVE_VALUES / (size_t)panels, scratch, &j);
    json_close(&j, ']');
    write_steps(spec, scratch, &j);
    write_events(r, &j);
    report_scene(spec, scratch, &j, solid);
    json_close(&j, '}');
    text_char(out, '\n');
    for (int i = 0; i < s->n_curves; i++)
        if (plot_has_gaps(r, s->curves[i].y, fault)) return RESULT_GAPS;
    return RESULT_OK;
}
