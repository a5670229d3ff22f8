/* The equations F(t, y, y', u, p) = 0 are solved, by Newton's method, for what depends on states, inputs
 * and parameters (dependents.c); its matrix M also tells how that changes with them:
 *
 *     M dX = - (dF/dy dx + dF/du du + dF/dp dp),   and P dy = dz in the rows that choose states.
 *
 * Parameters that are computed from others follow first, outputs last.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/respond.h"

#include "run/run_parts.h"

#include <string.h>

struct run_response {
    run_state *s;
    const code_response *code;
    la_solver *la;
    double *w, *scratch, *values[5]; // of the slopes, in the order of slope_at
    double *columns;                 // dy, dy', du, dp
    double *r;                       // of F
    double *computed, *attributes, *bound, *next;
    run_direction direction;
    size_t bytes;
};

static const code_slope *slope_at(const code_response *c, int k)
{
    const code_slope *list[] = {&c->residual, &c->next, &c->computed, &c->bound, &c->attributes};
    return list[k];
}
enum { RESIDUAL, NEXT, COMPUTED, BOUND, ATTRIBUTES, N_SLOPES };

static size_t respond_layout(run_response *x, const code_model *m, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)m->n, n_u = (size_t)m->inputs.n, n_p = (size_t)m->n_p;
    bump_bytes(&b, sizeof *x);
    x->w = bump_double(&b, (size_t)x->code->n_w);
    x->scratch = bump_double(&b, x->code->scratch);
    for (int k = 0; k < N_SLOPES; k++)
        x->values[k] = bump_double(&b, (size_t)slope_at(x->code, k)->pattern.nnz);
    x->columns = bump_double(&b, 2 * n + n_u + n_p);
    x->r = bump_double(&b, n);
    x->computed = bump_double(&b, (size_t)m->outputs.computed.n_out);
    x->attributes = bump_double(&b, (size_t)m->parameters.attributes.n_out);
    x->bound = bump_double(&b, (size_t)m->parameters.bound.n_out);
    x->next = bump_double(&b, (size_t)m->choice.next.n_out);
    x->direction.y = bump_double(&b, n);
    x->direction.row = bump_double(&b, n);
    x->direction.u = bump_double(&b, n_u);
    x->direction.p = bump_double(&b, n_p);
    return bump_end(&b);
}

int respond_new(run_state *s, const code_response *code, run_response **out)
{
    run_response probe = {.s = s, .code = code};
    size_t bytes = respond_layout(&probe, s->model, NULL);
    run_response *x = *out = mem_try(s->m, bytes);
    if (!x) return VINC_E_MEMORY;
    memset(x, 0, bytes);
    *x = probe;
    x->bytes = bytes;
    respond_layout(x, s->model, x);
    la_config config = {.n = s->model->n,
                        .pattern = &s->model->system.jac,
                        .forgiving = code_has_events(&s->model->events)}; // as values are found
    if (!config.n || !la_new(s->m, &config, &x->la)) return VINC_OK;
    respond_free(x);
    *out = NULL;
    return VINC_E_MEMORY;
}

void respond_free(run_response *x)
{
    if (!x) return;
    la_free(x->la);
    mem_free(x->s->m, x, x->bytes);
}

int respond_at(run_response *x, double t, const double *y, const double *yp)
{
    run_state *s = x->s;
    const code_model *m = s->model;
    tape_args args = run_args(s, t, y, yp);
    memset(x->w, 0, (size_t)x->code->n_w * sizeof *x->w);
    memcpy(x->w, s->w, (size_t)m->n_w * sizeof *x->w);
    args.w = x->w;
    args.scratch = x->scratch;
    for (int k = 0; k < N_SLOPES; k++) {
        args.out = x->values[k];
        if (slope_at(x->code, k)->code) tape_eval(slope_at(x->code, k)->code, &args);
    }
    if (!m->n) return VINC_OK;
    const double *matrix = run_dependent_matrix(s, t, y, yp);
    if (!matrix) return VINC_E_EVALUATION;
    return la_factor(x->la, matrix, NULL, 0, 0) == LA_OK ? VINC_OK : VINC_E_SINGULAR;
}

run_direction respond_direction(run_response *x)
{
    const code_model *m = x->s->model;
    if (m->n) memset(x->direction.y, 0, (size_t)m->n * sizeof(double));
    if (m->n) memset(x->direction.row, 0, (size_t)m->n * sizeof(double));
    if (m->inputs.n) memset(x->direction.u, 0, (size_t)m->inputs.n * sizeof(double));
    if (m->n_p) memset(x->direction.p, 0, (size_t)m->n_p * sizeof(double));
    return x->direction;
}

/* out = slope times columns. */
static void slope_times(const run_response *x, int k, int rows, double *out)
{
    const code_slope *q = slope_at(x->code, k);
    if (rows) memset(out, 0, (size_t)rows * sizeof *out);
    for (int j = 0; q->code && j < q->pattern.n_cols; j++) {
        double v = x->columns[j];
        if (v == 0) continue;
        for (int e = q->pattern.start[j]; e < q->pattern.start[j + 1]; e++)
            out[q->pattern.row[e]] += x->values[k][e] * v;
    }
}

/* Parameters that are bound to others follow them. */
static void respond_parameters(run_response *x, double *dp)
{
    const code_model *m = x->s->model;
    if (m->n_p) memcpy(dp, x->direction.p, (size_t)m->n_p * sizeof *dp);
    for (int pass = 0; pass < m->parameters.depth; pass++) {
        slope_times(x, BOUND, m->parameters.bound.n_out, x->bound);
        for (int k = 0; k < m->parameters.bound.n_out; k++) {
            int at = m->parameters.place[k];
            if (!x->s->settings.overridden[at] && x->direction.p[at] == 0) dp[at] = x->bound[k];
        }
    }
    slope_times(x, ATTRIBUTES, m->parameters.attributes.n_out, x->attributes);
}

void respond_along(run_response *x)
{
    const code_model *m = x->s->model;
    const code_system *f = &m->system;
    int n = m->n;
    double *dy = x->columns, *dyp = dy + n, *du = dyp + n, *dp = du + m->inputs.n;
    memset(x->columns, 0, (size_t)x->code->n_columns * sizeof *dy);
    respond_parameters(x, dp);
    for (int j = 0; j < n; j++)
        if (f->role[j] == CODE_STATE) dy[j] = x->direction.y[j];
    if (m->inputs.n) memcpy(du, x->direction.u, (size_t)m->inputs.n * sizeof *du);
    slope_times(x, RESIDUAL, n, x->r);
    for (int i = 0; i < n; i++) x->r[i] = f->selecting[i] ? x->direction.row[i] : -x->r[i];
    if (n) la_solve(x->la, x->r);
    for (int j = 0; j < n; j++) *(f->role[j] == CODE_STATE ? &dyp[j] : &dy[j]) = x->r[j];
    slope_times(x, NEXT, m->choice.next.n_out, x->next);
    for (int k = 0; k < m->choice.next.n_out; k++) dyp[m->choice.next_of[k]] = x->next[k];
    slope_times(x, COMPUTED, m->outputs.computed.n_out, x->computed);
}

const double *respond_yp(const run_response *x)
{
    return x->columns + x->s->model->n;
}

double respond_column(const run_response *x, int column)
{
    const code_model *m = x->s->model;
    const code_column c = code_column_in(&m->outputs, column);
    if (c.alias) return (c.alias < 0 ? -1 : 1) * respond_column(x, c.at);
    if (c.constant) {
        const code_value *v = code_constant(&m->outputs, column);
        if (v->output == CODE_PARAMETER) return x->columns[2 * m->n + m->inputs.n + (int)v->number];
        return v->output < 0 ? 0 : x->attributes[v->output];
    }
    tape_ref from = code_output_from(&m->outputs, code_output_of(c));
    int k = tape_index_of(from);
    switch (tape_kind_of(from)) {
    case TAPE_Y: return x->columns[k];
    case TAPE_YP: return x->columns[m->n + k];
    case TAPE_P: return x->columns[2 * m->n + m->inputs.n + k];
    case TAPE_OUT: return x->computed[k];
    case TAPE_W:
        for (int i = 0; i < m->inputs.n; i++)
            if (m->inputs.list[i].place == k) return x->columns[2 * m->n + i];
        return 0; // it changes at events only
    default: return 0;
    }
}
