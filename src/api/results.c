/* Results behind the public header: reading, values, files, figures.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "plot/plot.h"
#include "result/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct result_job {
    vinc_result *v;
    const char *path, *vars;
    result_fault fault;
    int rc;
} result_job;

typedef struct fault_job {
    vinc_ctx *ctx;
    const result_fault *fault;
} fault_job;

static int tell(void *job)
{
    fault_job *j = job;
    diag_error(&j->ctx->diags, j->fault->code, (span){0}, "%s", j->fault->text);
    return VINC_OK;
}

int api_finish(vinc_ctx *ctx, int rc, const result_fault *fault)
{
    if (rc < 0 && fault->code[0]) api_guarded(ctx, tell, &(fault_job){ctx, fault});
    switch (rc) {
    case RESULT_E_MEMORY: return VINC_E_MEMORY;
    case RESULT_E_WRITE: return VINC_E_WRITE;
    default: return rc < 0 ? VINC_E_OPTION : VINC_OK;
    }
}

static int finish(result_job *j)
{
    return api_finish(j->v->ctx, j->rc, &j->fault);
}

int vinc_result_read(vinc_ctx *ctx, const char *path, vinc_result **out)
{
    *out = NULL;
    if (!ctx) return VINC_E_MEMORY;
    vinc_result *v = mem_try(&ctx->m, sizeof *v);
    if (!v) return VINC_E_MEMORY;
    *v = (vinc_result){.ctx = ctx, .owned = true};
    text_init(&v->out, &ctx->m);
    result_job j = {.v = v, .path = path};
    j.rc = result_read(&ctx->m, path, NULL, &v->r, &j.fault);
    int rc = finish(&j);
    if (rc) vinc_result_free(v);
    else *out = v;
    return rc;
}

void vinc_result_free(vinc_result *v)
{
    if (!v || !v->owned) return;
    mem *m = &v->ctx->m;
    result_free(v->r);
    text_done(&v->out);
    mem_free(m, v, sizeof *v);
}

size_t vinc_result_n_rows(const vinc_result *v)
{
    return v && v->r ? v->r->n_rows : 0;
}

double vinc_result_at(vinc_result *v, const char *name, double t)
{
    double x = NAN;
    if (!v || !v->r) return x;
    int c = result_find(v->r, name);
    if (c < 0) {
        result_job j = {.v = v, .rc = c};
        const char *near[1];
        int n = result_nearest(v->r, name, near, 1);
        memcpy(j.fault.code, "C130", 5);
        snprintf(j.fault.text, sizeof j.fault.text, "there is no variable '%s'%s%s%s", name,
                 n ? "; did you mean '" : "", n ? near[0] : "", n ? "'?" : "");
        finish(&j);
        return x;
    }
    result_at(v->r, c, t, RESULT_RIGHT, &x);
    return x;
}

int vinc_result_write(vinc_result *v, const char *path, const char *vars)
{
    if (!v || !v->r) return VINC_E_MEMORY;
    result_job j = {.v = v};
    result_selection selection = {0};
    if (vars) j.rc = result_select(v->r, vars, &selection, &j.fault);
    if (j.rc >= 0) {
        j.rc = result_write(v->r, vars ? &selection : NULL, path, &j.fault);
        if (vars) result_selection_done(&selection);
    }
    return finish(&j);
}

int vinc_result_write_csv(vinc_result *v, const char *path)
{
    if (!v || !v->r) return VINC_E_MEMORY;
    result_job j = {.v = v};
    j.rc = result_csv.write(v->r, NULL, path, &j.fault);
    return finish(&j);
}

int vinc_result_write_mat(vinc_result *v, const char *path)
{
    if (!v || !v->r) return VINC_E_MEMORY;
    result_job j = {.v = v};
    j.rc = result_mat.write(v->r, NULL, path, &j.fault);
    return finish(&j);
}

int vinc_result_format(int i, vinc_file_format *out)
{
    const result_format *const *f = result_formats;
    for (int k = 0; k < i && *f; k++) f++;
    if (i < 0 || !*f) return VINC_E_OPTION;
    *out = (vinc_file_format){(*f)->ending, (*f)->name, (*f)->summary, 0};
    return VINC_OK;
}

int vinc_figure_format(int i, vinc_file_format *out)
{
    const plot_format *const *f = plot_formats;
    for (int k = 0; k < i && *f; k++) f++;
    if (i < 0 || !*f) return VINC_E_OPTION;
    *out = (vinc_file_format){(*f)->ending, (*f)->name, (*f)->summary, !(*f)->canvas && !(*f)->chart};
    return VINC_OK;
}

/* ---- figures --------------------------------------------------------------------------------- */

typedef struct draw_job {
    result_job to; // the result that keeps the chart, and the outcome
    vinc_result *const *results;
    const char *const *names;
    int n;
    vinc_plot_options o;
} draw_job;

static int draw(void *job)
{
    draw_job *d = job;
    result_job *j = &d->to;
    vinc_ctx *ctx = j->v->ctx;
    const result **results = arena_array(&ctx->scratch, const result *, d->n);
    for (int i = 0; i < d->n; i++) results[i] = d->results[i]->r;
    plot_result_spec spec = {.vars = d->o.vars,
                             .title = d->o.title,
                             .dark = d->o.dark != 0,
                             .log_x = d->o.log_x != 0,
                             .log_y = d->o.log_y != 0,
                             .width = d->o.width};
    plot_figure *f = NULL;
    j->rc = plot_results(&ctx->m, results, d->names, d->n, &spec, &f, &j->fault);
    if (j->rc == RESULT_GAPS)
        diag_warning(&ctx->diags, j->fault.code, (span){0}, "%s", j->fault.text);
    plot_chart chart = {d->o.columns, d->o.colour != 0, &j->v->out};
    if (j->rc >= 0) j->rc = plot_write(f, j->path, &chart, &j->fault);
    plot_free(f);
    return VINC_OK;
}

int vinc_results_plot(vinc_result *const *results, const char *const *names, int n,
                      const char *path, const vinc_plot_options *options, const char **chart)
{
    if (chart) *chart = "";
    for (int i = 0; i < n; i++)
        if (!results[i] || !results[i]->r) return VINC_E_MEMORY;
    if (n < 1) return VINC_E_OPTION;
    if (plot_is_page(path)) {
        if (n == 1) return api_write_page(results[0], names ? names[0] : NULL, path, options);
        result_job j = {.v = results[0]};
        j.rc = result_fail(&j.fault, RESULT_E_SYNTAX, "C131",
                           "a report shows one result; several are drawn as .svg, .png or .pdf");
        return finish(&j);
    }
    draw_job d = {.to = {.v = results[0], .path = path}, .results = results, .names = names};
    d.n = n;
    if (options) d.o = *options;
    text *out = &results[0]->out;
    text_clear(out);
    int rc = api_guarded(results[0]->ctx, draw, &d);
    if (!rc) rc = finish(&d.to);
    if (!rc && chart) *chart = text_str(out);
    return rc;
}

int vinc_result_plot(vinc_result *v, const char *path, const vinc_plot_options *options,
                     const char **chart)
{
    return vinc_results_plot(&v, NULL, 1, path, options, chart);
}
