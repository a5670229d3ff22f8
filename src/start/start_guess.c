/* Guesses for the unknowns of loops.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "start/search.h"

#include <math.h>
#include <string.h>

static bool guides(const start *a, const code_extra *e)
{
    return e->entry >= 0 && start_attributes(a, e->entry)->given &&
           !image_highest_of(&a->m->entries, e->entry);
}

static int eval_guides(void *user, const double *z, double *r, double *j)
{
    start *a = user;
    int n = 0;
    memcpy(a->y, z, (size_t)a->m->n * sizeof *z);
    run_eval(a->s, &a->x->extra, a->t, a->y, a->yp, a->extra, NULL);
    int *row_at = a->row_at;
    for (int k = 0; k < a->x->n_extra; k++) {
        const code_extra *e = &a->x->rows[k];
        row_at[k] = -1;
        if (!guides(a, e)) continue;
        r[n] = a->extra[k] - run_start_of(a->s, e->entry);
        if (!isfinite(r[n])) return 1;
        row_at[k] = n++;
    }
    if (!j) return 0;
    memset(j, 0, (size_t)n * (size_t)a->m->n * sizeof *j);
    run_eval(a->s, &a->x->extra_jac, a->t, a->y, a->yp, a->edy, a->edyp);
    const vinc_pattern *p = &a->x->extra_pattern;
    for (int c = 0; c < a->m->n; c++)
        for (int e = p->start[c]; e < p->start[c + 1]; e++)
            if (row_at[p->row[e]] >= 0) j[row_at[p->row[e]] + c * n] = a->edy[e];
    return 0;
}

/* Algebraic variables that were eliminated but have a start value say where the solution is: the
 * unknowns of loops that have none are chosen to match them as well as they can. */
void start_guess(start *a)
{
    const code_model *m = a->m;
    int rows = 0, cols = 0;
    for (int k = 0; k < a->x->n_extra; k++) rows += guides(a, &a->x->rows[k]);
    if (!rows || m->n > START_DENSE_MAX) return;
    for (int i = 0; i < m->n; i++) {
        int e = start_entry(a, i);
        a->fixed[i] = m->system.differential[i] || e < 0 || start_attributes(a, e)->given ||
                      run_is_fixed(a->s, e);
        a->weight[i] = 0;
        a->nominal[i] = run_nominal(a->s)[i];
        cols += !a->fixed[i];
    }
    if (!cols) return;
    memcpy(a->z, a->y, (size_t)m->n * sizeof *a->y);
    memcpy(a->y_kept, a->y, (size_t)m->n * sizeof *a->y);
    least_problem p = {.m = rows,
                       .n = m->n,
                       .eval = eval_guides,
                       .user = a,
                       .nominal = a->nominal,
                       .weight = a->weight,
                       .fixed = a->fixed,
                       .tol = a->tol,
                       .rough = true};
    least_report report;
    int rc = least_solve(run_mem(a->s), &p, a->z, NULL, &report);
    // The rows may contradict each other: then this is the best compromise.
    bool good = rc == LEAST_OK || rc == LEAST_CONFLICT;
    memcpy(a->y, good ? a->z : a->y_kept, (size_t)m->n * sizeof *a->y);
}
