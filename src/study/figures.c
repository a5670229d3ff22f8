/* Figures behind the public header: curves of one or several results, the page of one, tables.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "plot/plot.h"
#include "result/whole_file.h"
#include "study/page.h"

#include <string.h>

typedef struct draw_job {
    vinc_result *const *results; // the first keeps the chart
    const char *const *names;
    int n;
    const char *path;
    vinc_plot_options o;
    result_fault fault;
    int rc;
} draw_job;

static int draw_results(void *job)
{
    draw_job *d = job;
    vinc_ctx *ctx = d->results[0]->ctx;
    watch_doing(&ctx->watch, "drawing", d->path);
    const result **results = arena_array(&ctx->scratch, const result *, d->n);
    for (int i = 0; i < d->n; i++) {
        int gone = api_all_rows(d->results[i]);
        if (gone) return gone;
        result *drawn = api_drawn(d->results[i]);
        results[i] = drawn;
        d->rc = result_add_formulas(drawn, d->o.vars, &d->fault);
        if (d->rc < 0) return VINC_OK;
    }
    plot_result_spec spec = {.vars = d->o.vars,
                             .title = d->o.title,
                             .dark = d->o.dark != 0,
                             .log_x = d->o.log_x != 0,
                             .log_y = d->o.log_y != 0,
                             .width = d->o.width};
    plot_figure *f = NULL;
    d->rc = plot_results(&ctx->m, results, d->names, d->n, &spec, &f, &d->fault);
    if (d->rc == RESULT_GAPS)
        diag_warning(&ctx->diags, d->fault.code, (span){0}, "%s", d->fault.text);
    plot_chart chart = {d->o.columns, d->o.colour != 0, &d->results[0]->out};
    if (d->rc >= 0) d->rc = plot_write(f, d->path, &chart, &d->fault);
    plot_free(f);
    return VINC_OK;
}

/* From a thumbnail to more than the long side of an A0 sheet, 3370 points. */
static const double WIDTH_LEAST = 100, WIDTH_MOST = 4000;

static int refuse_width(vinc_ctx *ctx, double width)
{
    result_fault fault = {0};
    int rc = result_fail(&fault, RESULT_E_SYNTAX, "C133",
                         "a figure cannot be %g points wide; give a width from %g to %g, or 0 for "
                         "the usual one",
                         width, WIDTH_LEAST, WIDTH_MOST);
    return api_finish(ctx, rc, &fault);
}

int vinc_results_plot(vinc_result *const *results, const char *const *names, int n,
                      const char *path, const vinc_plot_options *options, const char **chart)
{
    if (chart) *chart = "";
    if (!results || n < 1 || !results[0] || !results[0]->r) return VINC_E_MEMORY;
    vinc_ctx *ctx = results[0]->ctx;
    for (int i = 1; i < n; i++)
        if (!results[i] || !results[i]->r) return api_lacks(ctx, "results that hold something");
    if (!path || (!strcmp(path, "-") && !chart))
        return api_lacks(ctx, "a path, or a place for a chart");
    double width = options ? options->width : 0;
    if (width != 0 && !(width >= WIDTH_LEAST && width <= WIDTH_MOST))
        return refuse_width(ctx, width);
    if (plot_is_page(path)) {
        if (n == 1) return study_write_page(results[0], names ? names[0] : NULL, path, options);
        result_fault fault = {0};
        int rc = result_fail(&fault, RESULT_E_SYNTAX, "C131",
                             "a report shows one result; several are drawn as .svg, .png or .pdf");
        return api_finish(ctx, rc, &fault);
    }
    draw_job d = {.results = results, .names = names, .n = n, .path = path};
    if (options) d.o = *options;
    text *out = &results[0]->out;
    text_clear(out);
    int rc = api_delivered(ctx, draw_results, &d);
    if (!rc) rc = api_finish(ctx, d.rc, &d.fault);
    if (!rc && chart) *chart = text_str(out);
    return rc;
}

int vinc_result_plot(vinc_result *v, const char *path, const vinc_plot_options *options,
                     const char **chart)
{
    return vinc_results_plot(&v, NULL, 1, path, options, chart);
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct dots_job {
    vinc_ctx *ctx;
    const vinc_dots *dots;
    const char *path;
    vinc_plot_options o;
} dots_job;

static int draw_dots(void *job)
{
    dots_job *j = job;
    const vinc_dots *d = j->dots;
    watch_doing(&j->ctx->watch, "drawing", j->path);
    plot_measure *measures = arena_array(&j->ctx->scratch, plot_measure, d->n_measures);
    for (int i = 0; i < d->n_measures; i++) {
        const vinc_measure *m = &d->measures[i];
        measures[i] = (plot_measure){m->label, m->unit, m->values, m->mark};
    }
    plot_dots_spec spec = {.title = j->o.title,
                           .note = j->o.note,
                           .rows = d->rows,
                           .series = d->series,
                           .measures = measures,
                           .n_rows = d->n_rows,
                           .n_series = d->n_series,
                           .n_measures = d->n_measures,
                           .dark = j->o.dark != 0};
    result_fault fault = {0};
    plot_figure *f = NULL;
    int rc = plot_dots(&j->ctx->m, &spec, &f);
    if (rc >= 0) rc = plot_write(f, j->path, NULL, &fault);
    plot_free(f);
    if (rc >= 0) return VINC_OK;
    if (fault.code[0]) diag_error(&j->ctx->diags, fault.code, (span){0}, "%s", fault.text);
    return rc == RESULT_E_MEMORY ? VINC_E_MEMORY : VINC_E_WRITE;
}

static bool are_dots(const vinc_dots *d)
{
    if (!d || d->n_rows < 1 || d->n_series < 1 || d->n_measures < 1) return false;
    if (!d->rows || !d->series || !d->measures) return false;
    for (int i = 0; i < d->n_measures; i++)
        if (!d->measures[i].label || !d->measures[i].values) return false;
    return true;
}

int vinc_dots_plot(vinc_ctx *ctx, const vinc_dots *dots, const char *path,
                   const vinc_plot_options *options)
{
    if (!ctx || !are_dots(dots)) return api_lacks(ctx, "a table with rows, series and measures");
    if (!path) return api_lacks(ctx, "a path");
    dots_job j = {.ctx = ctx, .dots = dots, .path = path};
    if (options) j.o = *options;
    return api_delivered(ctx, draw_dots, &j);
}
