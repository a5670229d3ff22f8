/* Results behind the public header: reading, values, files.
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
    if (rc < 0 && fault->code[0]) api_said(ctx, tell, &(fault_job){ctx, fault});
    switch (rc) {
    case RESULT_E_MEMORY: return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
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
    if (out) *out = NULL;
    if (!ctx || !out || !path) return api_lacks(ctx, "a path and a place for the result");
    int stopped = api_heed(ctx);
    if (stopped) return stopped;
    vinc_result *v = mem_try(&ctx->m, sizeof *v);
    if (!v) return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    *v = (vinc_result){.ctx = ctx, .owned = true};
    api_ctx_hold(ctx);
    text_init(&v->out, &ctx->m);
    result_job j = {.v = v, .path = path};
    api_lock(ctx);
    watch_doing(&ctx->watch, "reading", path);
    j.rc = result_read(&ctx->m, path, NULL, &v->r, &j.fault);
    for (int c = 1; j.rc >= 0 && c < v->r->n_columns; c++)
        if (api_show_column(v->r, c, v->r->columns[c].look->display) < 0)
            j.rc = result_fail(&j.fault, RESULT_E_MEMORY, "C609", "out of memory");
    int rc = finish(&j);
    watch_return(&ctx->watch, (watch_work){0});
    api_unlock(ctx);
    if (rc) vinc_result_free(v);
    else *out = v;
    return rc;
}

/* ---- columns --------------------------------------------------------------------------------- */

static mem *memory_of(vinc_result *v)
{
    return v->sim ? &v->sim->m : &v->ctx->m;
}

static size_t column_length(const result *r, int i)
{
    return r->columns[i].constant ? 1 : r->n_rows;
}

void api_clear_result(vinc_result *v)
{
    if (!v->columns) return;
    mem *m = memory_of(v);
    for (int i = 0; i < v->n_columns; i++)
        if (v->columns[i]) mem_free(m, v->columns[i], (v->n_rows + 1) * sizeof **v->columns);
    mem_free(m, v->columns, (size_t)v->n_columns * sizeof *v->columns);
    v->columns = NULL;
}

int vinc_result_n_columns(const vinc_result *v)
{
    return v && v->r ? v->r->n_columns : 0;
}

int vinc_result_find(const vinc_result *v, const char *name)
{
    int c = v && v->r && name ? result_find(v->r, name) : -1;
    return c < 0 ? -1 : c;
}

/* Rows are stored one after the other; the columns that are asked for are gathered once. */
static const double *gather_column(vinc_result *v, int i)
{
    const result *r = v->r;
    mem *m = memory_of(v);
    if (v->columns && v->n_rows != r->n_rows) api_clear_result(v);
    if (v->columns && v->n_columns < r->n_columns) { // some are computed since
        double **more = mem_try(m, (size_t)r->n_columns * sizeof *more);
        if (!more) return NULL;
        for (int k = 0; k < r->n_columns; k++) more[k] = k < v->n_columns ? v->columns[k] : NULL;
        mem_free(m, v->columns, (size_t)v->n_columns * sizeof *more);
        v->columns = more;
        v->n_columns = r->n_columns;
    }
    if (!v->columns) {
        v->columns = mem_try(m, (size_t)r->n_columns * sizeof *v->columns);
        if (!v->columns) return NULL;
        v->n_columns = r->n_columns;
        v->n_rows = r->n_rows;
        for (int k = 0; k < v->n_columns; k++) v->columns[k] = NULL;
    }
    if (!v->columns[i]) {
        double *at = mem_try(m, (r->n_rows + 1) * sizeof *at);
        if (!at) return NULL;
        if (r->columns[i].constant) at[0] = result_value(r, i, 0);
        else result_copy(r, i, 0, r->n_rows, at);
        v->columns[i] = at;
    }
    return v->columns[i];
}

int vinc_result_column(vinc_result *v, int i, vinc_column *out)
{
    static const vinc_type types[] = {VINC_REAL, VINC_INTEGER, VINC_BOOLEAN};
    if (!v || !v->r || !out) return VINC_E_MEMORY;
    if (i < 0 || i >= v->r->n_columns) {
        result_job j = {.v = v};
        j.rc = result_fail(&j.fault, RESULT_E_UNKNOWN, "C132",
                           "there is no column %d: they go from 0 to %d", i, v->r->n_columns - 1);
        return finish(&j);
    }
    int rc = api_all_rows(v);
    if (rc) return rc;
    const result_column *c = &v->r->columns[i];
    const double *values = gather_column(v, i);
    if (!values) return api_end_work(v->ctx, &v->ctx->watch, VINC_E_MEMORY);
    *out = (vinc_column){.name = c->name,
                         .unit = c->look->unit,
                         .comment = c->look->comment,
                         .type = types[c->kind],
                         .values = values,
                         .n = column_length(v->r, i),
                         .display_unit = result_shown_unit(v->r, i),
                         .scale = c->look->scale == 0 ? 1 : c->look->scale,
                         .offset = c->look->offset,
                         .literals = c->look->names,
                         .n_literals = c->look->n_names};
    return VINC_OK;
}

void vinc_result_free(vinc_result *v)
{
    if (!v || !v->owned) return;
    vinc_ctx *ctx = v->ctx;
    api_clear_result(v);
    result_free(v->r);
    text_done(&v->out);
    mem_free(&ctx->m, v, sizeof *v);
    api_ctx_release(ctx);
}

size_t vinc_result_n_rows(const vinc_result *v)
{
    return v && v->r ? v->r->n_rows : 0;
}

size_t vinc_result_first_row(const vinc_result *v)
{
    return v && v->r ? result_first_row(v->r) : 0;
}

int api_all_rows(vinc_result *v)
{
    result_job j = {.v = v};
    if (!result_first_row(v->r)) return VINC_OK;
    j.rc = result_fail(&j.fault, RESULT_E_UNKNOWN, "C615",
                       "rows of this run went to its file and are not in memory: read them there");
    return finish(&j);
}

double vinc_result_at(vinc_result *v, const char *name, double t)
{
    double x = NAN;
    if (!v || !v->r || !name || isnan(t) || api_all_rows(v)) return x;
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
    if (!v || !v->r || !path) return api_lacks(v ? v->ctx : NULL, "a path");
    result_job j = {.v = v};
    result_selection selection = {0};
    if (vars) j.rc = result_add_formulas(v->r, vars, &j.fault);
    if (vars && j.rc >= 0) j.rc = result_select(v->r, vars, &selection, &j.fault);
    if (j.rc >= 0) {
        j.rc = result_write(v->r, vars ? &selection : NULL, path, &j.fault);
        if (vars) result_selection_done(&selection);
    }
    return finish(&j);
}

int vinc_result_write_csv(vinc_result *v, const char *path)
{
    if (!v || !v->r || !path) return api_lacks(v ? v->ctx : NULL, "a path");
    result_job j = {.v = v};
    j.rc = result_write_as(&result_csv, v->r, NULL, path, &j.fault);
    return finish(&j);
}

int vinc_result_write_mat(vinc_result *v, const char *path)
{
    if (!v || !v->r || !path) return api_lacks(v ? v->ctx : NULL, "a path");
    result_job j = {.v = v};
    j.rc = result_write_as(&result_mat, v->r, NULL, path, &j.fault);
    return finish(&j);
}

int vinc_result_format(int i, vinc_file_format *out)
{
    const result_format *const *f = result_formats;
    for (int k = 0; k < i && *f; k++) f++;
    if (i < 0 || !*f || !out) return VINC_E_OPTION;
    *out = (vinc_file_format){(*f)->ending, (*f)->name, (*f)->summary, 0};
    return VINC_OK;
}

int vinc_figure_format(int i, vinc_file_format *out)
{
    const plot_format *const *f = plot_formats;
    for (int k = 0; k < i && *f; k++) f++;
    if (i < 0 || !*f || !out) return VINC_E_OPTION;
    *out =
        (vinc_file_format){(*f)->ending, (*f)->name, (*f)->summary, !(*f)->canvas && !(*f)->chart};
    return VINC_OK;
}
