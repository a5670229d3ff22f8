/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/adjoint_parts.h"

#include <string.h>

const char *adjoint_cannot(const run_variation *x)
{
    const vinc_problem *p = &x->s->problem;
    const code_model *m = x->s->model;
    bool reduced = m->formulation.explicit;
    if ((p->project && !p->reselect) || (m->formulation.index > 1 && !reduced))
        return "this formulation keeps constraints of a higher index, or projects onto them "
               "(--formulation dummy does not)";
    if ((p->reselect || p->regularity) && code_has_events(&m->events))
        return "the model has constraints of a higher index, and events";
    return p->residual && p->jacobian ? NULL : "its equations are not given as F(t, y, y') = 0";
}

/* Explicit methods are gone back over by the derivatives of the right-hand side, where that is a program. */
static bool adjoint_has_rhs(const run_variation *x)
{
    const code_model *m = x->s->model;
    return m->system.rhs.code && m->formulation.explicit && !x->s->problem.reselect &&
           x->s->problem.rhs;
}

bool adjoint_takes(const run_variation *x, int output)
{
    const code_varied *f = &x->code->of[CODE_V_COMPUTED];
    tape_ref from = code_output_from(&x->s->model->outputs, output);
    const int *start = f->pattern.start;
    if (!x->s->problem.reselect) return true;
    if (tape_kind_of(from) == TAPE_YP) return false;
    if (tape_kind_of(from) != TAPE_OUT || !f->code) return true;
    for (int e = start[1 + x->n]; e < start[1 + 2 * x->n]; e++)
        if (f->pattern.row[e] == tape_index_of(from)) return false;
    return true;
}

size_t adjoint_n_choice(const run_variation *x)
{
    return x->s->problem.reselect ? (size_t)x->s->model->n_w : 0;
}

void adjoint_choice(const run_adjoint *a, double *out)
{
    memcpy(out, a->x->s->w, adjoint_n_choice(a->x) * sizeof *out);
}

void adjoint_choose(run_adjoint *a, const double *choice)
{
    memcpy(a->x->s->w, choice, adjoint_n_choice(a->x) * sizeof *choice);
}

bool adjoint_knows(const run_variation *x, const vinc_method *method)
{
    unsigned t = method ? method->traits : METHOD_EXPLICIT | METHOD_ONESTEP;
    if (t & METHOD_EXPLICIT)
        return t & METHOD_ONESTEP && adjoint_has_rhs(x) && (!method || method->tableau);
    return !strncmp(method->name, "radau", 5);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t adjoint_layout(run_adjoint *a, int n_items, void *block)
{
    const code_variation *code = a->x->code;
    size_t n = (size_t)a->n, s = SCHEME_STAGES, items = (size_t)n_items;
    size_t values = s * (size_t)code->of[CODE_V_RESIDUAL].pattern.nnz;
    size_t of_rhs = (size_t)code->of[CODE_V_RHS].pattern.nnz;
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *a);
    a->first = bump_int(&b, n + 1);
    a->items = bump_bytes(&b, items * sizeof *a->items);
    a->row = bump_int(&b, items);
    a->values = bump_double(&b, values > of_rhs ? values : of_rhs);
    a->lambda = bump_double(&b, n);
    a->by_yp = bump_double(&b, n);
    a->y_end = bump_double(&b, n);
    a->q = bump_double(&b, (size_t)a->n_given);
    a->states = bump_int(&b, n);
    a->dy_start = bump_double(&b, (size_t)a->m * n);
    a->dyp_start = bump_double(&b, (size_t)a->m * n);
    a->dw_start = bump_double(&b, (size_t)a->m * (size_t)code->n_w);
    a->direct = bump_double(&b, (size_t)a->m);
    a->behind = bump_double(&b, n + (size_t)code->n_w);
    a->mean_y = bump_double(&b, items);
    a->mean_yp = bump_double(&b, items);
    double **implicit[] = {&a->mu, &a->rhs, &a->r, &a->w, &a->part, &a->mixed};
    double **stages[] = {&a->y_stage, &a->k_stage, &a->by_stage};
    for (size_t i = 0; i < sizeof implicit / sizeof *implicit; i++)
        *implicit[i] = bump_double(&b, s * n);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        *stages[i] = bump_double(&b, (ADJOINT_STAGES_MAX + 1) * n);
    a->kappa = bump_double(&b, n);
    if (a->x->m > a->m) {
        a->Y = bump_double(&b, (size_t)(1 + a->x->m) * n);
        a->Yp = bump_double(&b, (size_t)(1 + a->x->m) * n);
    }
    return bump_end(&b);
}

/* The entries of all rows by column; counted alone where there is no room yet. */
static int list_items(run_adjoint *a)
{
    const vinc_pattern *p = &a->x->code->of[CODE_V_RESIDUAL].pattern;
    int n = a->n, count = 0;
    if (!a->items) return p->start[1 + 2 * n] - p->start[1];
    memset(a->first, 0, ((size_t)n + 1) * sizeof *a->first);
    for (int e = p->start[1]; e < p->start[1 + 2 * n]; e++) a->first[p->row[e] + 1]++;
    for (int r = 0; r < n; r++) a->first[r + 1] += a->first[r];
    int *used = a->states; // for a while
    memset(used, 0, (size_t)n * sizeof *used);
    for (int u = 0; u < n; u++)
        for (int rate = 0; rate < 2; rate++) {
            int column = 1 + rate * n + u;
            for (int e = p->start[column]; e < p->start[column + 1]; e++) {
                int r = p->row[e];
                adjoint_item *list = a->items + a->first[r];
                if (!used[r] || list[used[r] - 1].u != u)
                    list[used[r]++] = (adjoint_item){u, -1, -1};
                if (rate) list[used[r] - 1].yp = e;
                else list[used[r] - 1].y = e;
            }
        }
    for (int r = 0; r < n; r++) { // both kinds in one entry: move what follows up
        int from = a->first[r];
        a->first[r] = count;
        for (int i = 0; i < used[r]; i++) a->items[count++] = a->items[from + i];
    }
    a->first[n] = count;
    return count;
}

static bool is_state(const run_variation *x, int i)
{
    const code_system *f = &x->s->model->system;
    return f->role[i] == CODE_STATE && f->differential[i];
}

int adjoint_prepare(run_state *s)
{
    const run_variation *x = s->variation;
    const code_variation *code = x->code;
    int m = x->m, n = m + code->n_w;
    if (!code_has_events(&s->model->events)) return VINC_OK;
    for (int i = 0; i < x->n; i++) n += is_state(x, i);
    size_t bytes = (size_t)n * sizeof(vary_by);
    vary_by *by = mem_try(s->m, bytes);
    if (!by) return VINC_E_MEMORY;
    for (int k = 0; k < n; k++) by[k] = k < m ? x->by[k] : (vary_by){-1, -1, 1, 0, 0};
    int rc = vary_new(s, code, by, n, n);
    mem_free(s->m, by, bytes);
    return rc;
}

int adjoint_new(run_variation *x, int m, double tolerance, run_adjoint **out)
{
    run_adjoint probe = {
        .x = x, .m = m, .tolerance = tolerance, .n = x->n, .n_given = x->code->n_w + x->code->n_p};
    int n_items = list_items(&probe);
    size_t bytes = adjoint_layout(&probe, n_items, NULL);
    run_adjoint *a = mem_try(x->s->m, bytes);
    *out = a;
    if (!a) return VINC_E_MEMORY;
    memset(a, 0, bytes);
    *a = probe;
    a->bytes = bytes;
    adjoint_layout(a, n_items, a);
    int count = list_items(a);
    for (int e = 0; e < count; e++) a->row[e] = a->items[e].u;
    a->pattern = (vinc_pattern){a->n, a->n, count, a->first, a->row}; // transposed
    for (int i = 0; i < x->n; i++)
        if (is_state(x, i)) a->states[a->n_x++] = i;
    a->events.each = 1 + (size_t)x->s->model->n_w + (size_t)x->m * (size_t)(a->n_x + x->code->n_w);
    x->adjoint = a;
    return VINC_OK;
}

void adjoint_free(run_adjoint *a)
{
    if (!a) return;
    a->x->adjoint = NULL;
    mem_free(a->x->s->m, a->events.at, a->events.room * a->events.each * sizeof(double));
    adjoint_free_radau(a);
    mem_free(a->x->s->m, a, a->bytes);
}

/* ---- formulas -------------------------------------------------------------------------------- */

int adjoint_formula_of(run_adjoint *a, const method_run *run)
{
    int s = method_step_stages(run), k = 0;
    while (k < a->n_formulas && (a->formulas[k].method != run->method || a->formulas[k].s != s))
        k++;
    if (k < a->n_formulas) return k;
    if (k == ADJOINT_FORMULAS || !s || !adjoint_knows(a->x, run->method)) return -1;
    adjoint_formula *f = &a->formulas[k];
    method_tableau t = {0};
    method_step_tableau(run, &t);
    *f = (adjoint_formula){
        .method = run->method, .s = s, .explicit = run->method->traits & METHOD_EXPLICIT, .t = t};
    a->n_formulas++;
    return f->explicit || !a->n || !adjoint_formula_radau(a, f, &t) ? k : -1;
}

int adjoint_points(const run_adjoint *a, int formula)
{
    return a->formulas[formula].explicit ? 1 : a->formulas[formula].s;
}

double adjoint_point(const run_adjoint *a, int formula, int i)
{
    return a->formulas[formula].explicit ? 0 : a->formulas[formula].k.c[i];
}

/* ---- from the end to the start --------------------------------------------------------------- */

void adjoint_begin(run_adjoint *a, int output, double t, const double *y, const double *yp)
{
    run_variation *x = a->x;
    const code_varied *f = &x->code->of[CODE_V_COMPUTED];
    tape_ref from = code_output_from(&x->s->model->outputs, output);
    int n = a->n, at = tape_index_of(from), column;
    memset(a->lambda, 0, (size_t)n * sizeof *a->lambda);
    memset(a->by_yp, 0, (size_t)n * sizeof *a->by_yp);
    if (a->n_given) memset(a->q, 0, (size_t)a->n_given * sizeof *a->q);
    a->at_end = true;
    a->t_end = t;
    if (n) memcpy(a->y_end, y, (size_t)n * sizeof *y);
    switch (tape_kind_of(from)) {
    case TAPE_Y: a->lambda[at] = 1; return;
    case TAPE_YP: a->by_yp[at] = 1; return;
    case TAPE_W:
        column = x->code->w_column[at];
        if (column) a->q[column - 1] = 1;
        return;
    case TAPE_P:
        column = x->code->p_column[at];
        if (column) a->q[x->code->n_w + column - 1] = 1;
        return;
    default: break;
    }
    vary_at(x, f, t, y, yp);
    for (int j = 0; f->code && j < 2 * n + a->n_given; j++)
        for (int e = f->pattern.start[1 + j]; e < f->pattern.start[2 + j]; e++) {
            if (f->pattern.row[e] != at) continue;
            if (j < n) a->lambda[j] = x->values[e];
            else if (j < 2 * n) a->by_yp[j - n] = x->values[e];
            else a->q[j - 2 * n] = x->values[e];
        }
}

int adjoint_step(run_adjoint *a, int formula, double t, double h, const double *y, const double *yp)
{
    adjoint_formula *f = &a->formulas[formula];
    if (!a->n) return VINC_OK;
    return f->explicit ? adjoint_step_explicit(a, f, t, h, y, yp)
                       : adjoint_step_radau(a, f, t, h, y, yp);
}

void adjoint_end(const run_adjoint *a, double *slopes)
{
    const run_variation *x = a->x;
    const double *dy = a->dy_start, *dyp = a->dyp_start;
    int n = a->n, n_w = x->code->n_w;
    for (int k = 0; k < a->m; k++) {
        double sum = a->direct[k];
        const double *dw = a->dw_start + (size_t)k * (size_t)n_w;
        for (int i = 0; i < n; i++) sum += a->lambda[i] * dy[k * n + i];
        for (int i = 0; i < n && a->at_end; i++) sum += a->by_yp[i] * dyp[k * n + i];
        for (int j = 0; j < n_w; j++) sum += a->q[j] * dw[j];
        for (int j = 0; j < x->code->n_p; j++) sum += a->q[n_w + j] * vary_parameters(x, k)[j];
        slopes[k] = sum;
    }
}
