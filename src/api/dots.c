/* Figures of tables behind the public header.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "plot/plot.h"

typedef struct dots_job {
    vinc_ctx *ctx;
    const vinc_dots *dots;
    const char *path;
    vinc_plot_options o;
} dots_job;

static int draw(void *job)
{
    dots_job *j = job;
    const vinc_dots *d = j->dots;
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

int vinc_dots_plot(vinc_ctx *ctx, const vinc_dots *dots, const char *path,
                   const vinc_plot_options *options)
{
    if (!ctx) return VINC_E_MEMORY;
    dots_job j = {.ctx = ctx, .dots = dots, .path = path};
    if (options) j.o = *options;
    return api_guarded(ctx, draw, &j);
}
