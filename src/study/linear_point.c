/* From a model to a linear system: reaching the point, derivatives there, reduction to states.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/linear_model.h"

#include <math.h>
#include <string.h>

enum { MOST_UNKNOWNS = 1000 }; // dense matrices

double study_damping(double re, double im)
{
    double size = hypot(re, im);
    return size > 0 ? -re / size : 0;
}

/* ---- the point ------------------------------------------------------------------------------- */

int study_reach(vinc_sim *s, vinc_point at)
{
    if (at == VINC_AT_STOP) {
        int rc = vinc_sim_run(s);
        return rc == VINC_TERMINATED ? VINC_OK : rc;
    }
    int rc = api_initialize(s);
    return rc || at == VINC_AT_START ? rc : api_rest(s);
}

/* ---- outputs --------------------------------------------------------------------------------- */

// Real outputs of the top level, in the order of their declaration.
static int own_outputs(const vinc_sim *s, int *columns)
{
    const flat_model *f = s->model->flat;
    int n = 0;
    for (int v = 0; v < f->vars.n; v++) {
        const flat_var *x = flat_at(f, v);
        if (x->causality != FLAT_OUTPUT || x->type != TYPE_REAL) continue;
        columns[n] = code_find_column(s->code, FLAT_NAME(f, v));
        n += columns[n] >= 0;
    }
    return n;
}

static int selected_outputs(vinc_sim *s, const char *vars, arena *a, int *columns)
{
    result *r = NULL;
    result_selection selection = {0};
    result_fault fault = {0};
    int n = 0;
    int rc = result_new(&s->m, &r);
    if (rc >= 0) rc = api_declare_columns(s, r);
    if (rc >= 0) rc = result_select(r, vars, &selection, &fault);
    int *list = rc < 0 ? NULL : mem_try(&s->m, 2 * (size_t)r->n_columns * sizeof *list);
    int count = list ? result_selected(r, &selection, false, list) : 0;
    for (int i = 0; i < count; i++) {
        columns[n] = code_find_column(s->code, r->columns[list[i]].name);
        n += columns[n] >= 0;
    }
    (void)a;
    if (list) mem_free(&s->m, list, 2 * (size_t)r->n_columns * sizeof *list);
    if (rc >= 0) result_selection_done(&selection);
    result_free(r);
    if (fault.code[0])
        return diag_error(&s->model->ctx->diags, fault.code, (span){0}, "%s", fault.text), -1;
    return n;
}

/* ---- the system ------------------------------------------------------------------------------ */

int study_linearize(vinc_sim *s, double t, const char *vars, arena *a, linear_point *out)
{
    vinc_ctx *ctx = s->model->ctx;
    const vinc_problem *p = run_problem(s->state);
    *out = (linear_point){.t = t};
    if (p->n > MOST_UNKNOWNS) {
        diag_error(&ctx->diags, "C160", (span){0},
                   "%s has %d unknowns after reduction; the dense analysis ends at %d",
                   s->model->flat->name, p->n, MOST_UNKNOWNS);
        return VINC_E_MODEL;
    }
    int *columns = arena_array(a, int, code_n_columns(s->code) + 1);
    int n_out = vars ? selected_outputs(s, vars, a, columns) : own_outputs(s, columns);
    if (n_out < 0) return VINC_E_OPTION;
    linear_dae dae;
    char why[LINEAR_WHY] = "";
    inspect_linearize(s->state, t, s->y, s->yp, n_out, columns, a, &ctx->scratch, &dae);
    out->constant = dae.constant && !p->n_roots && !p->next_time_event;
    if (linear_reduce(a, &dae, &out->s, why)) {
        diag_error(&ctx->diags, "R161", (span){0}, "%s cannot be linearized at t = %g: %s",
                   s->model->flat->name, t, why);
        return VINC_E_MODEL;
    }
    if (linear_eigen(a, out->s.n, out->s.a, &out->modes)) {
        diag_error(&ctx->diags, "R161", (span){0}, "the eigenvalues of %s were not found",
                   s->model->flat->name);
        return VINC_E_MODEL;
    }
    linear_multiple(a, out->s.a, &out->modes);
    out->states = arena_array(a, const char *, out->s.n + 1);
    out->x = arena_array(a, double, out->s.n + 1);
    for (int i = 0; i < out->s.n; i++) {
        out->states[i] = p->unknown_name(p->user, out->s.state[i]);
        out->x[i] = s->y[out->s.state[i]];
    }
    out->inputs = arena_array(a, const char *, out->s.n_u + 1);
    for (int i = 0; i < out->s.n_u; i++) out->inputs[i] = code_input_name(s->code, i);
    out->outputs = arena_array(a, const char *, n_out + 1);
    for (int i = 0; i < n_out; i++) out->outputs[i] = code_column_name(s->code, columns[i], a);
    return VINC_OK;
}
