/* How far invariants drift, step by step: `vincolo run --drift --plot FILE`.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 400 };                 // of the abscissa
static const double SHOWN_MIN = 1e-17; // no drift at all is drawn there: zero has no logarithm

typedef struct drift_job {
    vinc_sim *s;
    const char *path;
    vinc_plot_options o;
    const char *chart;
} drift_job;

static int refuse_drift(vinc_sim *s, const char *code, const char *words)
{
    diag_error(&s->model->ctx->diags, code, (span){0}, words, s->model->flat->name);
    return VINC_E_OPTION;
}

/* Is there anything to draw? */
static int has_drift(vinc_sim *s)
{
    if (!s->ran)
        return refuse_drift(s, "C115", "the run of %s has not been made: call vinc_sim_run first");
    if (!s->done.n_invariants)
        return refuse_drift(s, "C166",
                            "%s names no invariants, so that there is no drift to draw: "
                            "annotation(__Vincolo(invariant = {E, L}))");
    if (!s->steps || !s->steps->n_rows)
        return refuse_drift(s, "C167", "no steps of the run of %s were kept: set `chart`");
    return VINC_OK;
}

/* The largest |I - start| / size so far, at so many places as can be seen. */
static void draw_drift(plot_figure *f, plot_panel *p, const vinc_sim *s, int k, int column)
{
    const result *r = s->steps;
    const sim_invariant *x = &s->done.invariants[k];
    const vinc_problem *q = run_problem(s->state);
    size_t n = r->n_rows < PLACES ? r->n_rows : PLACES;
    double *t = plot_alloc(f, n * sizeof *t), *y = plot_alloc(f, n * sizeof *y);
    double most = 0;
    if (!t || !y) return;
    for (size_t i = 0; i < n; i++) {
        size_t from = i * r->n_rows / n, to = (i + 1) * r->n_rows / n;
        for (size_t row = from; row < to; row++)
            most = fmax(most, fabs(result_value(r, column, row) - x->start));
        t[i] = result_time(r, to - 1);
        y[i] = fmax(most / fmax(x->size, most), SHOWN_MIN);
    }
    plot_add_curve(
        p, &(plot_curve_spec){
               .label = q->invariant_name(q->user, k), .x = t, .y = y, .n = n, .borrowed = true});
}

static int write_drift(void *job)
{
    drift_job *j = job;
    vinc_sim *s = j->s;
    vinc_ctx *ctx = s->model->ctx;
    char title[300];
    plot_figure *f = NULL;
    int rc = has_drift(s);
    if (rc) return rc;
    snprintf(title, sizeof title, "Drift of invariants: %s by %s", s->model->flat->name,
             s->done.method);
    plot_figure_spec spec = {.title = j->o.title ? j->o.title : title,
                             .width = j->o.width > 0 ? j->o.width : 480,
                             .height = 320,
                             .dark = j->o.dark != 0};
    if (plot_new(&ctx->m, &spec, &f) < 0) return VINC_E_MEMORY;
    plot_panel_spec axes = {
        .x = {.label = "time", .unit = "s", .log = j->o.log_x != 0},
        .left = {.label = "largest |I − I(0)| so far, over its size", .log = true}};
    plot_panel *p = plot_add_panel(f, &axes);
    int first = s->steps->n_columns - s->done.n_invariants;
    for (int k = 0; k < s->done.n_invariants; k++) draw_drift(f, p, s, k, first + k);
    return study_write_figure(ctx, j->path, f, &s->model->out, &j->chart);
}

int vinc_sim_plot_drift(vinc_sim *s, const char *path, const vinc_plot_options *options,
                        const char **chart)
{
    if (chart) *chart = "";
    int rc = api_usable(s);
    if (rc) return rc;
    if (!path || (!strcmp(path, "-") && !chart))
        return api_lacks(s->model->ctx, "a path, or a place for a chart");
    drift_job j = {.s = s, .path = path, .chart = ""};
    if (options) j.o = *options;
    rc = api_delivered(s->model->ctx, write_drift, &j);
    if (!rc && chart) *chart = j.chart;
    return rc;
}
