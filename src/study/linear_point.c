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

/* ---- what the linear system does not hold ------------------------------------------------------ */

/* A delay has no finite matrix A: its characteristic equation has infinitely many roots. */
static int refuse_delays(vinc_sim *s)
{
    if (!s->model->structure->delays.n) return VINC_OK;
    diag_error(
        &s->model->ctx->diags, "R161", (span){0},
        "%s cannot be linearized to x' = A x + B u: it contains a delay, whose "
        "characteristic equation has infinitely many roots. Put a rational approximation "
        "in its place: z = delay(u, T) of first order (Pade) is der(z) + der(u) = 2*(u - z)/T",
        s->model->flat->name);
    return VINC_E_MODEL;
}

/* Discrete Reals are constant between events: what samplers feed back is no part of A. */
static const char *held_variables(const vinc_sim *s, arena *a)
{
    enum { SHOWN = 4 };
    const structure *x = s->model->structure;
    text t;
    int n = 0;
    text_init(&t, a->m);
    for (int v = 0; v < x->n_flat; v++) {
        const flat_var *q = flat_at(x->flat, v);
        if (x->vars[v].role != STRUCTURE_DISCRETE || q->type != TYPE_REAL || q->flags & FLAT_HIDDEN)
            continue;
        if (n++ < SHOWN) text_printf(&t, "%s%s", n > 1 ? ", " : "", flat_name_in(x->flat, v, a));
    }
    if (n > SHOWN) text_printf(&t, " and %d more", n - SHOWN);
    const char *words = n ? arena_strndup(a, text_str(&t), t.n) : NULL;
    text_done(&t);
    return words;
}

/* At an equilibrium all states rest. */
static void find_rate(const vinc_sim *s, linear_point *l)
{
    const double AT_REST = 1e-6;
    const vinc_problem *p = run_problem(s->state);
    double fastest = 0;
    for (int i = 0; i < l->modes.n; i++)
        fastest = fmax(fastest, hypot(l->modes.re[i], l->modes.im[i]));
    for (int i = 0; i < l->s.n; i++) {
        int c = l->s.state[i];
        double size = fmax(p->nominal[c], fabs(s->y[c]));
        double rate = fabs(s->yp[c]) / (size * (fastest > 0 ? fastest : 1));
        if (rate > AT_REST && rate > l->rate) {
            l->rate = rate;
            l->rate_of = l->states[i];
            l->rate_value = s->yp[c];
        }
    }
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
    int refused = refuse_delays(s);
    if (refused) return refused;
    int *columns = arena_array(a, int, s->code->outputs.n_columns + 1);
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
    find_rate(s, out);
    out->held = held_variables(s, a);
    out->inputs = arena_array(a, const char *, out->s.n_u + 1);
    for (int i = 0; i < out->s.n_u; i++) out->inputs[i] = s->code->inputs.list[i].name;
    out->outputs = arena_array(a, const char *, n_out + 1);
    for (int i = 0; i < n_out; i++) out->outputs[i] = code_column_name(s->code, columns[i], a);
    return VINC_OK;
}
