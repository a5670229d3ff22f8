/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/adjoint.h"

#include "la/la.h"
#include "method/irk.h"
#include "run/vary_parts.h"

#include <string.h>

enum { S = ADJOINT_STAGES };

/* An entry of dF/dy and dF/dy' in a row: its column, and where it lies in both; -1: nowhere. */
typedef struct adjoint_item {
    int u, y, yp;
} adjoint_item;

struct run_adjoint {
    run_variation *x;
    double c[S], b[S][S];
    int n, n_given;      // unknowns; columns of discrete values and parameters
    int *first;          // by row: its items
    adjoint_item *items; // by row, then by column
    vinc_pattern pattern;
    int *start, *row;
    double *a;      // values of the matrix
    double *values; // of the derivatives, at each stage
    double *mu, *lambda, *q;
    double *by_yp; // of the goal, by y' at the end; used by the last step
    bool at_end;
    la_solver *la;
    size_t bytes;
};

const char *adjoint_cannot(const run_variation *x)
{
    const vinc_problem *p = &x->s->problem;
    if (code_has_events(&x->s->model->events)) return "the model has events";
    if (p->project || p->reselect || p->regularity || x->s->model->s->index > 1)
        return "the model has constraints of a higher index";
    return p->residual && p->jacobian ? NULL : "its equations are not given as F(t, y, y') = 0";
}

double adjoint_node(const run_adjoint *a, int i)
{
    return a->c[i];
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t adjoint_layout(run_adjoint *a, int n_items, int nnz, void *block)
{
    const code_variation *code = a->x->code;
    size_t n = (size_t)a->n;
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *a);
    a->first = bump_int(&b, n + 1);
    a->items = bump_bytes(&b, (size_t)n_items * sizeof *a->items);
    a->start = bump_int(&b, S * n + 1);
    a->row = bump_int(&b, (size_t)nnz);
    a->a = bump_double(&b, (size_t)nnz);
    a->values = bump_double(&b, S * (size_t)code->of[CODE_V_RESIDUAL].pattern.nnz);
    a->mu = bump_double(&b, S * n);
    a->lambda = bump_double(&b, n);
    a->by_yp = bump_double(&b, n);
    a->q = bump_double(&b, (size_t)a->n_given);
    return bump_end(&b);
}

/* The entries of all rows by column; counted alone where there is no room yet. */
static int list_items(run_adjoint *a, int *n_rates)
{
    const vinc_pattern *p = &a->x->code->of[CODE_V_RESIDUAL].pattern;
    int n = a->n, count = 0;
    *n_rates = p->start[1 + 2 * n] - p->start[1 + n];
    if (!a->items) return p->start[1 + 2 * n] - p->start[1];
    memset(a->first, 0, ((size_t)n + 1) * sizeof *a->first);
    for (int e = p->start[1]; e < p->start[1 + 2 * n]; e++) a->first[p->row[e] + 1]++;
    for (int r = 0; r < n; r++) a->first[r + 1] += a->first[r];
    int *used = a->start; // for a while
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

static void make_pattern(run_adjoint *a)
{
    int n = a->n, k = 0;
    for (int i = 0; i < S; i++)
        for (int r = 0; r < n; r++) {
            a->start[i * n + r] = k;
            for (int j = 0; j < S; j++)
                for (int e = a->first[r]; e < a->first[r + 1]; e++)
                    if (i == j || a->items[e].yp >= 0) a->row[k++] = j * n + a->items[e].u;
        }
    a->start[S * n] = k;
    a->pattern = (vinc_pattern){S * n, S * n, k, a->start, a->row};
}

/* b := the inverse of the matrix of the method. */
static void invert(run_adjoint *a)
{
    method_tableau t = {0};
    radau_iia(S, &t);
    double det = 0;
    for (int i = 0; i < S; i++) {
        a->c[i] = t.c[i];
        for (int j = 0; j < S; j++) {
            int i1 = (i + 1) % S, i2 = (i + 2) % S, j1 = (j + 1) % S, j2 = (j + 2) % S;
            a->b[j][i] = t.a[i1][j1] * t.a[i2][j2] - t.a[i1][j2] * t.a[i2][j1];
        }
    }
    for (int j = 0; j < S; j++) det += t.a[0][j] * a->b[j][0];
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) a->b[i][j] /= det;
}

int adjoint_new(run_variation *x, run_adjoint **out)
{
    run_adjoint probe = {.x = x, .n = x->n, .n_given = x->code->n_w + x->code->n_p};
    int n_rates, n_items = list_items(&probe, &n_rates), nnz = S * n_items + S * (S - 1) * n_rates;
    size_t bytes = adjoint_layout(&probe, n_items, nnz, NULL);
    run_adjoint *a = mem_try(x->s->m, bytes);
    *out = a;
    if (!a) return VINC_E_MEMORY;
    memset(a, 0, bytes);
    *a = probe;
    a->bytes = bytes;
    adjoint_layout(a, n_items, nnz, a);
    invert(a);
    if (!a->n) return VINC_OK;
    list_items(a, &n_rates);
    make_pattern(a);
    la_config config = {.n = S * a->n, .pattern = &a->pattern};
    return la_new(x->s->m, &config, &a->la) ? VINC_E_MEMORY : VINC_OK;
}

void adjoint_free(run_adjoint *a)
{
    if (!a) return;
    la_free(a->la);
    mem_free(a->x->s->m, a, a->bytes);
}

/* ---- from the end to the start --------------------------------------------------------------- */

void adjoint_begin(run_adjoint *a, int output, double t, const double *y, const double *yp)
{
    run_variation *x = a->x;
    const code_varied *f = &x->code->of[CODE_V_COMPUTED];
    tape_ref from = x->s->model->outputs.from[output];
    int n = a->n, at = tape_index_of(from), column;
    memset(a->lambda, 0, (size_t)n * sizeof *a->lambda);
    memset(a->by_yp, 0, (size_t)n * sizeof *a->by_yp);
    if (a->n_given) memset(a->q, 0, (size_t)a->n_given * sizeof *a->q);
    a->at_end = true;
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

static void fill_matrix(run_adjoint *a, double h)
{
    int n = a->n, k = 0, nnz = a->x->code->of[CODE_V_RESIDUAL].pattern.nnz;
    for (int i = 0; i < S; i++) {
        const double *v = a->values + (size_t)i * (size_t)nnz;
        for (int r = 0; r < n; r++)
            for (int j = 0; j < S; j++)
                for (int e = a->first[r]; e < a->first[r + 1]; e++) {
                    const adjoint_item *it = &a->items[e];
                    if (i != j && it->yp < 0) continue;
                    double sum = i == j && it->y >= 0 ? v[it->y] : 0;
                    if (it->yp >= 0) sum += a->b[i][j] / h * v[it->yp];
                    a->a[k++] = sum;
                }
    }
}

int adjoint_step(run_adjoint *a, double t, double h, const double *y, const double *yp)
{
    run_variation *x = a->x;
    const code_varied *f = &x->code->of[CODE_V_RESIDUAL];
    const vinc_pattern *p = &f->pattern;
    int n = a->n;
    if (!n || !f->code) return VINC_OK;
    for (int i = 0; i < S; i++)
        vary_values(x, f, t + a->c[i] * h, y + i * n, yp + i * n,
                    a->values + (size_t)i * (size_t)p->nnz);
    fill_matrix(a, h);
    memset(a->mu, 0, S * (size_t)n * sizeof *a->mu);
    memcpy(a->mu + (S - 1) * n, a->lambda, (size_t)n * sizeof *a->mu);
    for (int j = 0; j < S && a->at_end; j++)
        for (int u = 0; u < n; u++) a->mu[j * n + u] += a->b[S - 1][j] / h * a->by_yp[u];
    int status = la_factor(a->la, a->a, NULL, 0, 0);
    if (status) return status == LA_SINGULAR ? VINC_E_SINGULAR : VINC_E_MEMORY;
    la_solve(a->la, a->mu);
    memset(a->lambda, 0, (size_t)n * sizeof *a->lambda);
    for (int i = 0; i < S; i++) {
        const double *v = a->values + (size_t)i * (size_t)p->nnz, *mu = a->mu + i * n;
        double all = (a->b[i][0] + a->b[i][1] + a->b[i][2]) / h;
        for (int u = 0; u < n; u++) {
            double sum = 0;
            for (int e = p->start[1 + n + u]; e < p->start[2 + n + u]; e++)
                sum += v[e] * mu[p->row[e]];
            a->lambda[u] += all * sum;
            if (a->at_end && i == S - 1) a->lambda[u] -= all * a->by_yp[u];
        }
        for (int j = 0; j < a->n_given; j++)
            for (int e = p->start[1 + 2 * n + j]; e < p->start[2 + 2 * n + j]; e++)
                a->q[j] -= v[e] * mu[p->row[e]];
    }
    a->at_end = false;
    return VINC_OK;
}

void adjoint_end(const run_adjoint *a, double *slopes)
{
    const run_variation *x = a->x;
    const double *dy, *dyp;
    int n = a->n, n_w = x->code->n_w;
    vary_started(x, &dy, &dyp);
    for (int k = 0; k < x->m; k++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += a->lambda[i] * dy[k * n + i];
        for (int i = 0; i < n && a->at_end; i++) sum += a->by_yp[i] * dyp[k * n + i];
        for (int j = 0; j < n_w; j++) sum += a->q[j] * vary_discrete(x, k)[j];
        for (int j = 0; j < x->code->n_p; j++) sum += a->q[n_w + j] * vary_parameters(x, k)[j];
        slopes[k] = sum;
    }
}
