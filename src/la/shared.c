/* The linear solvers of a plug-in, for matrices of which each process holds some rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/shared.h"

#include "la/backends.h"

#include <math.h>
#include <string.h>

/* Corrections are right to this part of themselves: far below what rounding of an iteration leaves, so
 * that the number of processes does not show. */
static const double RESIDUAL_LEFT = 1e-9;

typedef struct shared_state {
    team_matrix *matrix;
    double *values, *weight; // nnz; n: by which rows are multiplied
    size_t bytes;
} shared_state;

static void shared_close(la_solver *s)
{
    shared_state *z = s->state;
    if (z->matrix) s->config.shared->team->matrix_free(z->matrix);
    if (z->values) mem_free(s->m, z->values, z->bytes);
    mem_free(s->m, z, sizeof *z);
    s->state = NULL;
}

static int shared_open(la_solver *s)
{
    const la_config *c = &s->config;
    const la_shared *x = c->shared;
    const vinc_pattern *a = c->pattern;
    shared_state *z = mem_try(s->m, sizeof *z);
    if (!z) return LA_E_MEMORY;
    *z = (shared_state){.bytes = ((size_t)a->nnz + (size_t)c->n + 1) * sizeof(double)};
    s->state = z;
    z->values = mem_try(s->m, z->bytes);
    if (!z->values) return LA_E_MEMORY;
    z->weight = z->values + a->nnz;
    team_rows rows = {.n = c->n,
                      .first = x->first,
                      .n_all = x->n_all,
                      .n_cols = a->n_cols,
                      .start = a->start,
                      .row = a->row,
                      .column = x->column,
                      .solver = (team_solver)c->solver,
                      .tol = RESIDUAL_LEFT,
                      .restart = c->restart,
                      .iterations = c->iterations};
    z->matrix = x->team->matrix_new(&rows);
    return z->matrix ? LA_OK : LA_E_MEMORY;
}

/* Rows are equilibrated: each is here with all of its entries. */
static void shared_weigh(la_solver *s, shared_state *z)
{
    const vinc_pattern *a = s->config.pattern;
    memset(z->weight, 0, (size_t)s->config.n * sizeof *z->weight);
    for (int k = 0; k < a->nnz; k++)
        z->weight[a->row[k]] = fmax(z->weight[a->row[k]], fabs(z->values[k]));
    for (int i = 0; i < s->config.n; i++) z->weight[i] = la_weight(z->weight[i]);
    for (int k = 0; k < a->nnz; k++) z->values[k] *= z->weight[a->row[k]];
}

static int shared_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    shared_state *z = s->state;
    (void)im;
    bool finite = true;
    for (int k = 0; k < s->config.pattern->nnz; k++) {
        z->values[k] = m ? a[k] + re * m[k] : a[k];
        finite = finite && isfinite(z->values[k]);
    }
    s->defect = -1;
    if (shared_any(s->config.shared, !finite)) return LA_SINGULAR;
    shared_weigh(s, z);
    int status = s->config.shared->team->factor(z->matrix, z->values);
    status = -(int)shared_most(s->config.shared, status > 0 ? 1 : status ? 2 : 0); // all alike
    return !status ? LA_OK : status == -1 ? LA_SINGULAR : LA_E_MEMORY;
}

static void shared_solve(la_solver *s, double *b)
{
    shared_state *z = s->state;
    for (int i = 0; i < s->config.n; i++) b[i] *= z->weight[i];
    int iterations = s->config.shared->team->solve(z->matrix, b);
    s->unsolved = iterations < 0;
    s->iterations = iterations < 0 ? -iterations : iterations;
}

const la_backend la_backend_shared = {
    .name = "shared",
    .summary = "of several processes, by a plug-in",
    .plans = true,
    .open = shared_open,
    .close = shared_close,
    .factor = shared_factor,
    .solve = shared_solve,
};
