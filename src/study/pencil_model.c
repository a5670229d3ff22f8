/* F and G of a linear model: partial derivatives of every flat equation, evaluated at two points
 * that must agree.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/pencil_study.h"

#include <math.h>

enum { MAX_DEPTH = 100, MOST_UNKNOWNS = 2000 };

typedef struct linear_job {
    vinc_ctx *ctx;
    arena *a;
    const flat_model *flat;
    int *column;  // of a flat variable; -1: parameter, constant or input
    double probe; // decides the point
    int depth;
} linear_job;

// Parameters by their bindings; anything for the unknowns.
static double probe_value(void *user, int var, int order)
{
    linear_job *j = user;
    const flat_var *v = flat_at(j->flat, var);
    double x = NAN;
    const char *why = NULL;
    if (v->variability > FLAT_PARAMETER) return j->probe * (1 + 0.17 * var + 0.31 * order);
    expr e = v->binding ? v->binding : v->attr->start;
    if (!e) return 0;
    if (++j->depth < MAX_DEPTH)
        expr_eval(j->flat->pool, e, 0, probe_value, j, &j->ctx->scratch, &x, &why);
    j->depth--;
    return x;
}

static bool evaluate_at(linear_job *j, expr e, double probe, double *x)
{
    const char *why = NULL;
    j->probe = probe;
    return expr_eval(j->flat->pool, e, 0.3 + probe, probe_value, j, &j->ctx->scratch, x, &why) ==
               0 &&
           isfinite(*x);
}

static int not_linear(linear_job *j, const flat_equation *q, const char *name)
{
    diag_error(
        &j->ctx->diags, "C156", q->at,
        "this equation is not linear with constant coefficients in '%s': a pencil needs F x' "
        "+ G x = h(t)",
        name);
    return VINC_E_MODEL;
}

static int fill_row(linear_job *j, int i, pencil_matrices *out)
{
    const flat_equation *q = &j->flat->equations.at[i];
    expr_pool *pool = j->flat->pool;
    expr sides[2];
    flat_sides(j->flat, q, sides);
    expr e = expr_sub(pool, sides[0], sides[1]);
    int_array vars = expr_vars(pool, &e, 1, j->a);
    for (int k = 0; k < vars.n; k++) {
        expr var = vars.at[k];
        int id = pool->node[var].u.var.index, order = pool->node[var].u.var.order;
        const char *why = NULL, *name = FLAT_NAME(j->flat, id);
        double x, y;
        if (j->column[id] < 0) continue;
        expr d = expr_diff(pool, e, var, &j->ctx->scratch, &why);
        if (!d || order > 1 || !evaluate_at(j, d, 0.37, &x) || !evaluate_at(j, d, -1.9, &y) ||
            fabs(x - y) > 1e-12 * fmax(fabs(x), fabs(y)))
            return not_linear(j, q, name);
        double *to = order ? out->f : out->g;
        to[i + (size_t)j->column[id] * (size_t)out->n] += x;
    }
    return VINC_OK;
}

int study_linear_model(vinc_model *model, arena *a, pencil_matrices *out)
{
    vinc_ctx *ctx = model->ctx;
    linear_job j = {.ctx = ctx, .a = a, .flat = flat_first_order(model->flat, a, &ctx->scratch)};
    int n = 0, n_vars = j.flat->vars.n;
    *out = (pencil_matrices){0};
    j.column = arena_array(a, int, n_vars);
    out->names = arena_array(a, const char *, n_vars);
    for (int i = 0; i < n_vars; i++) {
        const flat_var *v = flat_at(j.flat, i);
        bool unknown =
            v->variability == FLAT_CONTINUOUS && v->type == TYPE_REAL && v->causality != FLAT_INPUT;
        if (unknown) out->names[n] = flat_name_in(j.flat, i, a);
        j.column[i] = unknown ? n++ : -1;
    }
    if (j.flat->whens.n || j.flat->algorithms.n) {
        diag_error(&ctx->diags, "C156", (span){0},
                   "%s has when-clauses or algorithms: a pencil needs equations only",
                   j.flat->name);
        return VINC_E_MODEL;
    }
    if (n != j.flat->equations.n || n > MOST_UNKNOWNS) {
        diag_error(&ctx->diags, "C156", (span){0},
                   "%s has %d unknowns and %d equations: a pencil needs equally many (at most %d)",
                   j.flat->name, n, j.flat->equations.n, MOST_UNKNOWNS);
        return VINC_E_MODEL;
    }
    out->n = n;
    out->f = arena_array(a, double, (size_t)n *(size_t)n + 1);
    out->g = arena_array(a, double, (size_t)n *(size_t)n + 1);
    int rc = VINC_OK;
    for (int i = 0; i < n && !rc; i++) rc = fill_row(&j, i, out);
    return rc;
}
