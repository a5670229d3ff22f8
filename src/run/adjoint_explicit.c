/* Back over a step of an explicit formula (adjoint.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/stages.h"
#include "run/adjoint_parts.h"

#include <string.h>

/* nu := f_y^T kappa, q += what discrete values and parameters add, at a point. */
static void explicit_transposed(run_adjoint *a, double t, const double *y, const double *kappa,
                                double *nu)
{
    run_variation *x = a->x;
    const code_varied *f = &x->code->of[CODE_V_RHS];
    const int *start = f->pattern.start + 1, *row = f->pattern.row;
    const double *v = a->values;
    int n = a->n;
    if (!f->code) {
        memset(nu, 0, (size_t)n * sizeof *nu);
        return;
    }
    vary_values(x, f, t, y, NULL, a->values);
    for (int u = 0; u < n; u++) nu[u] = adjoint_dot(v, row, start[u], start[u + 1], kappa);
    for (int j = 0; j < a->n_given; j++)
        a->q[j] += adjoint_dot(v, row, start[2 * n + j], start[2 * n + j + 1], kappa);
}

/* At the end of the run the goal may be by y' and by algebraic unknowns, which the right-hand side gives. */
static void explicit_end(run_adjoint *a)
{
    const uint8_t *moves = a->x->s->model->system.differential;
    int n = a->n;
    memcpy(a->kappa, a->by_yp, (size_t)n * sizeof *a->kappa);
    for (int i = 0; i < n; i++)
        if (!moves[i]) a->kappa[i] = a->lambda[i], a->lambda[i] = 0;
    explicit_transposed(a, a->t_end, a->y_end, a->kappa, a->by_stage);
    for (int i = 0; i < n; i++)
        if (moves[i]) a->lambda[i] += a->by_stage[i];
}

/* y and y' at the stages up to `last`. */
static int explicit_stages(run_adjoint *a, const adjoint_formula *f, int last, double t, double h,
                           const double *y, const double *yp)
{
    const vinc_problem *p = &a->x->s->problem;
    const uint8_t *moves = a->x->s->model->system.differential;
    bool all = a->x->s->model->system.all_differential;
    size_t n = (size_t)a->n;
    memcpy(a->y_stage, y, n * sizeof *y);
    memcpy(a->k_stage, yp, n * sizeof *y);
    for (int i = 1; i <= last; i++) {
        double *to = a->y_stage + (size_t)i * n;
        stages_sum(i, f->t.a[i], h, a->k_stage, y, to, a->n);
        for (size_t j = 0; j < n && !all; j++)
            if (!moves[j]) to[j] = y[j];
        if (p->rhs(p->user, t + f->t.c[i] * h, to, a->k_stage + (size_t)i * n))
            return VINC_E_EVALUATION;
    }
    return VINC_OK;
}

int adjoint_step_explicit(run_adjoint *a, const adjoint_formula *f, double t, double h,
                          const double *y, const double *yp)
{
    const uint8_t *moves = a->x->s->model->system.differential;
    bool all = a->x->s->model->system.all_differential;
    size_t n = (size_t)a->n;
    int last = f->s - 1;
    while (last > 0 && f->t.b[last] == 0) last--; // a stage of the estimate alone
    int rc = explicit_stages(a, f, last, t, h, y, yp);
    if (rc) return rc;
    if (a->at_end) explicit_end(a);
    memcpy(a->by_stage + (size_t)(last + 1) * n, a->lambda, n * sizeof *a->lambda);
    for (int i = last; i >= 0; i--) {
        double weight[ADJOINT_STAGES_MAX + 1];
        double *nu = a->by_stage + (size_t)i * n;
        for (int j = i + 1; j <= last; j++) weight[j - i - 1] = f->t.a[j][i];
        weight[last - i] = f->t.b[i];
        stages_sum(last - i + 1, weight, h, nu + n, NULL, a->kappa, a->n);
        for (size_t u = 0; u < n && !all; u++)
            if (!moves[u]) a->kappa[u] = 0;
        explicit_transposed(a, t + f->t.c[i] * h, a->y_stage + (size_t)i * n, a->kappa, nu);
    }
    double ones[ADJOINT_STAGES_MAX];
    for (int i = 0; i <= last; i++) ones[i] = 1;
    stages_sum(last + 1, ones, 1, a->by_stage, a->lambda, a->lambda, a->n);
    a->at_end = false;
    return VINC_OK;
}
