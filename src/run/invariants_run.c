/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

void invariants_layout(run_invariants *x, const code_model *m, bump *b)
{
    x->slopes = bump_double(b, (size_t)m->invariants.slopes.n_out);
}

int invariants_values(void *user, double t, const double *y, const double *yp, double *value)
{
    run_state *s = user;
    const code_invariants *q = &s->model->invariants;
    run_eval(s, &q->f, t, y, yp, value, NULL);
    return problem_finite(value, q->n) ? 0 : 1;
}

int invariants_slopes(void *user, double t, const double *y, const double *yp, double *slope,
                      double *slope_t)
{
    run_state *s = user;
    const code_invariants *q = &s->model->invariants;
    const vinc_pattern *p = &q->pattern;
    int n = s->model->n;
    run_eval(s, &q->slopes, t, y, yp, s->invariants.slopes, NULL);
    memset(slope, 0, (size_t)q->n * (size_t)n * sizeof *slope);
    memset(slope_t, 0, (size_t)q->n * sizeof *slope_t);
    for (int j = 0; j <= n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            int i = p->row[k];
            if (j) slope[(size_t)i * (size_t)n + (size_t)j - 1] = s->invariants.slopes[k];
            else slope_t[i] = s->invariants.slopes[k];
        }
    for (int i = 0; i < q->n; i++)
        if (!q->list[i].direct) slope_t[i] = NAN;
    return 0;
}

const char *invariants_name(void *user, int i)
{
    const run_state *s = user;
    return s->model->invariants.list[i].name;
}
