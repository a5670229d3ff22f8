/* Curves of runs, kept for a figure: at most SWEEP_CURVES_MOST of them, spread evenly.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_job.h"

#include <math.h>
#include <stdio.h>

int sweep_curves_new(sweep_job *j)
{
    kept_curves *c = &j->curves;
    uint64_t runs = j->heading.last - j->heading.first;
    if (!j->o.plot || !j->run.vars) return VINC_OK;
    c->first = j->heading.first;
    c->stride = runs / SWEEP_CURVES_MOST + (runs % SWEEP_CURVES_MOST != 0);
    if (!c->stride) return VINC_OK;
    c->n_runs = (int)((runs + c->stride - 1) / c->stride);
    c->n_points = j->run.intervals < CURVES_POINTS ? j->run.intervals + 1 : CURVES_POINTS;
    for (int i = 0; i < c->n_points; i++)
        c->t[i] = j->t_start + (j->t_stop - j->t_start) * i / (c->n_points - 1);
    size_t n = (size_t)c->n_runs * CURVES_VARS * (size_t)c->n_points;
    c->bytes = n * sizeof *c->values;
    c->values = mem_try(&j->m, c->bytes);
    if (!c->values) return VINC_E_MEMORY;
    for (size_t i = 0; i < n; i++) c->values[i] = NAN;
    pthread_mutex_init(&c->lock, NULL);
    return VINC_OK;
}

void sweep_curves_free(sweep_job *j)
{
    if (!j->curves.values) return;
    pthread_mutex_destroy(&j->curves.lock);
    mem_free(&j->m, j->curves.values, j->curves.bytes);
    j->curves.values = NULL;
}

/* The curves of a run at the times of the figure; from any thread. */
int sweep_curves_keep(void *user, uint64_t run, vinc_result *rows)
{
    sweep_job *j = user;
    kept_curves *c = &j->curves;
    const result *r = rows ? rows->r : NULL;
    uint64_t k = run - c->first;
    if (!c->values || k % c->stride || !r || !r->n_rows) return VINC_OK;
    int list[CURVES_VARS], n = 0;
    for (int i = 1; i < r->n_columns && n < CURVES_VARS; i++)
        if (!r->columns[i].constant && r->columns[i].alias_of < 0) list[n++] = i;
    pthread_mutex_lock(&c->lock);
    for (; c->n_vars < n; c->n_vars++) {
        snprintf(c->names[c->n_vars], CURVES_NAME_BYTES, "%s", r->columns[list[c->n_vars]].name);
        c->name[c->n_vars] = c->names[c->n_vars];
    }
    pthread_mutex_unlock(&c->lock);
    for (int v = 0; v < n; v++)
        for (int i = 0; i < c->n_points; i++) {
            uint64_t begin = (k / c->stride * CURVES_VARS + (uint64_t)v) * (uint64_t)c->n_points;
            double x;
            if (result_at(r, list[v], c->t[i], RESULT_RIGHT, &x) == RESULT_OK)
                c->values[begin + (uint64_t)i] = (float)x;
        }
    return VINC_OK;
}
