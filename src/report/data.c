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

static void write_text(text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\": ", key);
    if (value) text_quoted(out, value);
    else text_add(out, "null");
    text_add(out, ",\n");
}

static void write_object(text *out, const char *key, const char *json)
{
    text_printf(out, "\"%s\": %s,\n", key, json && *json ? json : "null");
}

static void data_describe(text *out, const result *r, int column)
{
    const result_column *c = &r->columns[column];
    text_add(out, "{\"name\": ");
    text_quoted(out, c->name);
    text_add(out, ", \"unit\": ");
    text_quoted(out, c->unit);
    text_add(out, ", \"comment\": ");
    text_quoted(out, c->comment);
    text_printf(out, ", \"kind\": \"%s\"}", kinds[c->kind]);
}

/* ---- panels ---------------------------------------------------------------------------------- */

typedef struct panel {
    int *columns; // each once; columns[0] is the time
    int n;
    size_t curves; // how many
} panel;

static int data_place_of(panel *p, int column)
{
    for (int i = 0; i < p->n; i++)
        if (p->columns[i] == column) return i;
    p->columns[p->n] = column;
    return p->n++;
}

static void data_write_rows(text *out, const result *r, const panel *p, size_t most, arena *scratch)
{
    size_t *rows, n = report_thin(r, p->columns, p->n, most, scratch, &rows);
    text_add(out, "\"columns\": [");
    for (int i = 0; i < p->n; i++) {
        if (i) text_add(out, ", ");
        data_describe(out, r, p->columns[i]);
    }
    text_add(out, "],\n\"data\": ");
    report_columns(out, r, p->columns, p->n, rows, n, scratch);
}

static void write_panel(const report_spec *spec, const result_selection *s, int k, size_t most,
                        arena *scratch, text *out)
{
    arena_mark mark = arena_here(scratch);
    panel p = {.columns = arena_array(scratch, int, 2 * (size_t)s->n_curves + 2)};
    data_place_of(&p, 0); // phase plots show the time too
    text_printf(out, "%s{\"curves\": [", k ? ",\n" : "");
    for (int i = 0; i < s->n_curves; i++) {
        const result_curve *c = &s->curves[i];
        if (c->panel != k) continue;
        int x = data_place_of(&p, c->x), y = data_place_of(&p, c->y);
        text_printf(out, "%s{\"x\": %d, \"y\": %d, \"right\": %s}", p.curves++ ? ", " : "", x, y,
                    plot_goes_right(spec->r, s, c) ? "true" : "false");
    }
    text_add(out, "],\n");
    data_write_rows(out, spec->r, &p, most / (size_t)(p.n ? p.n : 1), scratch);
    text_char(out, '}');
    arena_release(scratch, mark);
}

static void write_steps(const report_spec *spec, arena *scratch, text *out)
{
    const result *r = spec->steps;
    if (!r || !r->n_rows) {
        text_add(out, "null");
        return;
    }
    arena_mark mark = arena_here(scratch);
    panel p = {.columns = arena_array(scratch, int, (size_t)r->n_columns)};
    for (int i = 0; i < r->n_columns; i++) p.columns[p.n++] = i;
    text_char(out, '{');
    data_write_rows(out, r, &p, REPORT_CURVE_VALUES / 4 / (size_t)p.n, scratch);
    text_char(out, '}');
    arena_release(scratch, mark);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void write_events(const result *r, text *out)
{
    int n = 0;
    double last = NAN;
    for (size_t i = 1; i < r->n_rows && n < EVENTS_SHOWN_MAX; i++) {
        double t = result_time(r, i);
        if (t != result_time(r, i - 1) || t == last) continue;
        if (n++) text_add(out, ", ");
        text_real(out, last = t);
    }
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
    text_add(out, "{");
    write_text(out, "title", spec->title);
    write_text(out, "comment", spec->comment);
    write_text(out, "version", spec->version);
    bool show = spec->source && strlen(spec->source) <= SOURCE_BYTES_MAX;
    write_text(out, "source", show ? spec->source : NULL);
    write_object(out, "settings", spec->settings);
    write_object(out, "run", spec->run);
    write_object(out, "check", spec->check);
    text_printf(out, "\"dark\": %s, \"leftOut\": %d,\n", spec->dark ? "true" : "false",
                spec->left_out);
    text_add(out, "\"panels\": [");
    for (int k = 0; k < panels; k++)
        write_panel(spec, s, k, REPORT_CURVE_VALUES / (size_t)panels, scratch, out);
    text_add(out, "],\n\"steps\": ");
    write_steps(spec, scratch, out);
    text_add(out, ",\n\"events\": [");
    write_events(r, out);
    text_add(out, "],\n\"scene\": ");
    report_scene(spec, scratch, out, solid);
    text_add(out, "}\n");
    for (int i = 0; i < s->n_curves; i++)
        if (plot_has_gaps(r, s->curves[i].y, fault)) return RESULT_GAPS;
    return RESULT_OK;
}
