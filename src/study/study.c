/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/study.h"

#include <string.h>

static int selected(vinc_sim *s, const char *vars, int *list)
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

int api_study_columns(vinc_sim *s, const char *vars, arena *a, int **list)
{
    const result *r = s->result.r;
    const vinc_problem *p = run_problem(s->state);
    *list = arena_array(a, int, 2 * r->n_columns + 2);
    if (vars) return selected(s, vars, *list);
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        int c = p->differential[i] ? result_find(r, p->unknown_name(p->user, i)) : -1;
        if (c > 0) (*list)[n++] = c;
    }
    return n;
}

int api_write_figure(vinc_ctx *ctx, const char *path, plot_figure *f, text *out)
{
    result_fault fault = {0};
    if (!f) return VINC_E_MEMORY;
    int rc = plot_write(f, path, &(plot_chart){.colour = ctx->colour, .out = out}, &fault);
    plot_free(f);
    if (rc >= 0) return VINC_OK;
    if (fault.code[0]) diag_error(&ctx->diags, fault.code, (span){0}, "%s", fault.text);
    return rc == RESULT_E_MEMORY ? VINC_E_MEMORY : VINC_E_WRITE;
}
