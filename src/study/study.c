/* The list of analyses, and what they share.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/study.h"

#include <math.h>
#include <string.h>

const told_kind *const study_kinds[] = {&study_check,
                                        &study_mechanics,
                                        &study_region,
                                        &study_run,
                                        &study_comparison,
                                        &study_convergence,
                                        &study_contractivity,
                                        &study_stabilisation,
                                        &study_linear,
                                        &study_mode_steps,
                                        &study_locus,
                                        &study_control,
                                        &study_passivity,
                                        &study_positive_real,
                                        &study_pencil,
                                        &study_method_set,
                                        &study_examples,
                                        &study_difference,
                                        &study_fit,
                                        &study_gradient,
                                        &study_optimum,
                                        &study_fmu_contents,
                                        &study_fmu_run,
                                        &sweep_told,
                                        &study_failure,
                                        NULL};

/* ---- the list from outside ------------------------------------------------------------------- */

static const told_kind *kind_at(int i)
{
    for (int k = 0; study_kinds[k]; k++)
        if (k == i) return study_kinds[k];
    return NULL;
}

const char *vinc_report_name(int i)
{
    const told_kind *k = kind_at(i);
    return k ? k->name : NULL;
}

const char *vinc_report_command(int i)
{
    const told_kind *k = kind_at(i);
    return k ? k->command : NULL;
}

const char *vinc_report_summary(int i)
{
    const told_kind *k = kind_at(i);
    return k ? k->summary : NULL;
}

int vinc_report_key(int i, int k, char *key, size_t room)
{
    const told_kind *kind = kind_at(i);
    return kind && room && told_key(kind, k, key, room);
}

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct say_job {
    text *into;
    const void *told;
    vinc_format format;
} say_job;

static int hand_out_text(void *job)
{
    say_job *j = job;
    const char *words = vinc_report_text(j->told, j->format);
    text_clear(j->into);
    text_add(j->into, words);
    return *words ? VINC_OK : VINC_E_MEMORY;
}

static int say_report(vinc_ctx *ctx, text *into, int rc, void *told, vinc_format format,
                      const char **out)
{
    if (out) *out = "";
    int stopped =
        rc && ctx ? api_heed(ctx) : VINC_OK; // a run inside that was stopped has not said it
    if (stopped) rc = stopped;
    if (rc == VINC_E_MEMORY && ctx) rc = api_end_work(ctx, &ctx->watch, rc);
    if (!rc && !out) rc = api_lacks(ctx, "a place for the text");
    if (!rc) rc = api_said(ctx, hand_out_text, &(say_job){into, told, format});
    if (!rc) *out = text_str(into);
    vinc_report_free(told);
    return rc;
}

int study_say(vinc_model *model, int rc, void *told, vinc_format format, const char **out)
{
    return say_report(model ? model->ctx : NULL, model ? &model->out : NULL, rc, told, format, out);
}

int study_say_sim(vinc_sim *s, int rc, void *told, vinc_format format, const char **out)
{
    return say_report(s ? s->model->ctx : NULL, s ? &s->out : NULL, rc, told, format, out);
}

int study_say_ctx(vinc_ctx *ctx, int rc, void *told, vinc_format format, const char **out)
{
    return say_report(ctx, ctx ? &ctx->out : NULL, rc, told, format, out);
}

void study_print_matrix(text *o, const char *name, int rows, int cols, const double *x)
{
    double size = 0;
    for (int i = 0; i < rows * cols; i++) size = fmax(size, fabs(x[i]));
    for (int i = 0; i < rows; i++) {
        text_printf(o, "  %-5s", i == 0 ? name : "");
        for (int j = 0; j < cols; j++) {
            double v = x[i + (size_t)j * (size_t)rows];
            text_printf(o, " %11.6g", fabs(v) <= 1e-15 * size ? 0 : v);
        }
        text_char(o, '\n');
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static int selected_columns(vinc_sim *s, const char *vars, int *list)
{
    result_selection selection = {0};
    result_fault fault = {0};
    int rc = result_select(s->result.r, vars, &selection, &fault);
    if (rc < 0) {
        diag_error(&s->model->ctx->diags, fault.code, (span){0}, "%s", fault.text);
        return rc == RESULT_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
    }
    int n = result_selected(s->result.r, &selection, false, list);
    result_selection_done(&selection);
    return n;
}

int study_columns(vinc_sim *s, const char *vars, arena *a, int **list)
{
    const result *r = s->result.r;
    const vinc_problem *p = run_problem(s->state);
    *list = arena_array(a, int, 2 * r->n_columns + 2);
    if (vars) return selected_columns(s, vars, *list);
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        int c = p->differential[i] ? result_find(r, p->unknown_name(p->user, i)) : -1;
        if (c > 0) (*list)[n++] = c;
    }
    return n;
}

int study_write_figure(vinc_ctx *ctx, const char *path, plot_figure *f, text *room,
                       const char **chart)
{
    result_fault fault = {0};
    if (!f) return VINC_E_MEMORY;
    bool here = strcmp(path, "-") == 0;
    text_clear(room);
    int rc = plot_write(f, path, &(plot_chart){.colour = ctx->colour, .out = room}, &fault);
    plot_free(f);
    if (rc >= 0 && here) *chart = text_str(room);
    if (rc >= 0) return VINC_OK;
    if (fault.code[0]) diag_error(&ctx->diags, fault.code, (span){0}, "%s", fault.text);
    return rc == RESULT_E_MEMORY ? VINC_E_MEMORY : VINC_E_WRITE;
}
