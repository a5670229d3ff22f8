/* Start values of groups: the constraints that tie them, level by level.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/start.h"

#include <math.h>
#include <string.h>

static int eval_group(void *user, const double *z, double *r, double *j)
{
    start *a = user;
    const form_group *q = a->group;
    for (int k = 0; k < q->n_columns; k++) a->y[q->columns[k]] = z[k];
    code_eval(a->s, &a->m->residual, a->t, a->y, a->yp, a->full, NULL);
    for (int i = 0; i < q->n_constraints; i++) {
        r[i] = a->full[q->constraints[i]];
        if (!isfinite(r[i])) return 1;
    }
    if (!j) return 0;
    const vinc_pattern *p = &a->m->group_pattern;
    code_eval(a->s, &a->m->group_jac, a->t, a->y, a->yp, a->s->small, a->s->small2);
    memset(j, 0, (size_t)q->n_constraints * (size_t)q->n_columns * sizeof *j);
    for (int k = 0; k < q->n_columns; k++)
        for (int e = p->start[q->columns[k]]; e < p->start[q->columns[k] + 1]; e++) {
            int i = p->row[e] - a->group_row;
            if (i >= 0 && i < q->n_constraints) j[i + k * q->n_constraints] = a->s->small[e];
        }
    return 0;
}

static int solve_group(start *a, const form_group *q, int row0)
{
    a->group = q;
    a->group_row = row0;
    for (int k = 0; k < q->n_columns; k++) {
        int i = q->columns[k];
        a->z[k] = a->y[i];
        a->nominal[k] = a->s->nominal[i];
        a->weight[k] = 1 / a->s->nominal[i];
        a->fixed[k] = a->s->fixed[start_entry(a, i)];
    }
    least_problem p = {.m = q->n_constraints,
                       .n = q->n_columns,
                       .eval = eval_group,
                       .user = a,
                       .nominal = a->nominal,
                       .weight = a->weight,
                       .fixed = a->fixed,
                       .tol = a->tol};
    size_t n = (size_t)q->n_columns, bytes = n * n * sizeof(double);
    double *metric = mem_try(a->s->m, bytes);
    if (!metric) return VINC_E_MEMORY;
    if (start_metric(a, q, metric)) p.metric = metric;
    least_report report;
    int rc = least_solve(a->s->m, &p, a->z, a->scaled, &report);
    mem_free(a->s->m, metric, bytes);
    a->report->iterations += report.iterations;
    for (int k = 0; k < q->n_columns; k++) a->y[q->columns[k]] = a->z[k];
    if (rc == LEAST_MEMORY) return VINC_E_MEMORY;
    if (rc == LEAST_OK) return VINC_OK;
    start_explain_group(a, q);
    return VINC_E_NEWTON;
}

/* Positions first, then velocities. */
int start_groups(start *a)
{
    const form_system *f = a->m->form;
    int deepest = 0;
    for (int g = 0; g < f->groups.n; g++)
        if (f->groups.at[g].level > deepest) deepest = f->groups.at[g].level;
    for (int level = deepest; level >= 1; level--)
        for (int g = 0, row0 = 0; g < f->groups.n; row0 += f->groups.at[g++].n_constraints) {
            if (f->groups.at[g].level != level) continue;
            int rc = solve_group(a, &f->groups.at[g], row0);
            if (rc) return rc;
        }
    return VINC_OK;
}
