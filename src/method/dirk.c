/* Diagonally implicit Runge-Kutta methods for F(t, y, y') = 0: one engine for every tableau.
 *
 * Stage after stage, F(t_i, Y_i, K_i) = 0 with Y_i = y_n + h sum_{j<i} a_ij K_j + h a_ii K_i: the
 * system of one stage at a time, with the matrix dF/dy + 1/(h a_ii) dF/dy'. Equal diagonal entries
 * (SDIRK) share one factorisation, which is kept from step to step while h allows. A first stage
 * that is explicit (ESDIRK) takes y' of the last step; a later one needs the right-hand side.
 *
 * The embedded formula gives the error h sum (b - b^)_i K_i; its stiff components are filtered by
 * one more solution with the matrix of the stages (M. E. Hosea & L. F. Shampine, Appl. Numer.
 * Math. 20 (1996) 21-37). Hermite interpolation. R. Alexander, SIAM J. Numer. Anal. 14 (1977)
 * 1006-1021.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/dirk.h"

#include "method/corrector.h"
#include "method/stages.h"

#include <math.h>
#include <string.h>

typedef struct dirk {
    iteration it;
    method_tableau a;
    bool ends;                       // the last stage is the new point
    double slope[METHOD_STAGES_MAX]; // y' at the end from the stages, where it is none of them
    double *k;                       // stage derivatives
    double *base, *error, *y0, *yp0;
    bool first;
} dirk;

static size_t dirk_layout(void *state, const method_core *c, void *block)
{
    dirk *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    if (!block) core_tableau(c, &s->a);
    iteration_layout(&s->it, &b, n);
    s->k = bump_double(&b, (size_t)s->a.stages * n);
    s->base = bump_double(&b, n);
    s->error = bump_double(&b, n);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    return bump_end(&b);
}

/* The value at 1 of the polynomial through the stages with distinct nodes. */
static void dirk_end_slope(dirk *s)
{
    int n = s->a.stages;
    bool use[METHOD_STAGES_MAX];
    for (int i = 0; i < n; i++) {
        use[i] = true;
        for (int j = i + 1; j < n; j++) use[i] = use[i] && fabs(s->a.c[i] - s->a.c[j]) > 1e-6;
    }
    for (int i = 0; i < n; i++) {
        s->slope[i] = use[i];
        for (int j = 0; j < n; j++)
            if (j != i && use[j] && use[i])
                s->slope[i] *= (1 - s->a.c[j]) / (s->a.c[i] - s->a.c[j]);
    }
}

static int dirk_open(method_core *c)
{
    dirk *s = c->state;
    int n = s->a.stages;
    s->ends = s->a.c[n - 1] == 1 && s->a.a[n - 1][n - 1] != 0;
    for (int j = 0; j < n; j++) s->ends = s->ends && s->a.a[n - 1][j] == s->a.b[j];
    if (!s->ends) dirk_end_slope(s);
    for (int i = 1; i < n; i++)
        if (s->a.a[i][i] == 0 && !c->p->rhs) {
            core_explain(c,
                         "stage %d of this method is explicit and needs y' = f(t, y), which "
                         "this formulation does not give: its iteration matrix would be "
                         "singular. Use radau5 or sdirk4",
                         i + 1);
            return VINC_E_PROBLEM;
        }
    int status = iteration_open(c, &s->it);
    // The result is of higher order than the estimate, and so must be the iteration.
    if (!c->fixed) s->it.tol *= 0.1;
    return status;
}

static void dirk_close(method_core *c)
{
    dirk *s = c->state;
    iteration_close(c, &s->it);
}

static int dirk_start(method_core *c)
{
    dirk *s = c->state;
    if (!c->have_jac) s->it.g.c = 0;
    s->first = true;
    return 0;
}

static int dirk_stage(method_core *c, dirk *s, int i, double t_new, double h)
{
    int n = c->n, status = STEP_OK;
    double *k = s->k + (size_t)i * (size_t)n, a = s->a.a[i][i];
    double t = s->a.c[i] == 1 ? t_new : c->t + s->a.c[i] * h;
    if (i == 0 && a == 0) {
        memcpy(k, c->yp, (size_t)n * sizeof *k);
        return STEP_OK;
    }
    stages_sum(i, s->a.a[i], h, s->k, c->y, s->base, n);
    if (a == 0) {
        core_hold_algebraic(c, s->base);
        return step_status(problem_rhs(c->p, &c->run->stats, t, s->base, k));
    }
    // y' continued along the line from the start of this step, or of the last one.
    const double *from = i ? k - n : s->yp0;
    double at = i ? s->a.c[i - 1] : -c->h_last / h, slope = s->a.c[i] / at;
    if ((!i && s->first) || fabs(at) < 0.1 * fabs(s->a.c[i])) slope = 0, from = i ? from : c->yp;
    for (int m = 0; m < n; m++) {
        double guess = slope == 0 ? from[m] : c->yp[m] + slope * (from[m] - c->yp[m]);
        c->yp_new[m] = guess;
        c->y_new[m] = s->base[m] + h * a * guess;
    }
    status = iteration_solve(c, &s->it, t, 1 / (h * a), h);
    memcpy(k, c->yp_new, (size_t)n * sizeof *k);
    return status;
}

/* The new point, where it is no stage. Algebraic unknowns and y' come from the right-hand side if
 * there is one. */
static int dirk_finish(method_core *c, dirk *s, double t_new, double h)
{
    if (s->ends) return STEP_OK;
    stages_sum(s->a.stages, s->a.b, h, s->k, c->y, c->y_new, c->n);
    stages_sum(s->a.stages, s->slope, 1, s->k, NULL, c->yp_new, c->n);
    return c->p->rhs ? core_complete(c, t_new, s->base) : STEP_OK;
}

static int dirk_estimate(method_core *c, dirk *s, double t_new, double h, step_result *result)
{
    int stages = s->a.stages;
    double e[METHOD_STAGES_MAX];
    for (int j = 0; j < stages; j++) e[j] = s->a.b[j] - s->a.b_embedded[j];
    stages_sum(stages, e, h, s->k, NULL, s->base, c->n);
    matrix_point at = {t_new, c->y_new, c->yp_new, s->it.g.c, h, ESTIMATE_TOL};
    int status = matrix_mass(c, &s->it.g, &at, s->base, s->error);
    if (!status)
        status = matrix_solve_blocks(c, &s->it.g, &at, s->error, 0, c->norm.blocks_counted);
    if (status) return status;
    c->error_vector = s->error;
    result->order = s->a.order_embedded < s->a.order ? s->a.order_embedded : s->a.order;
    result->error = problem_norm_error(&c->norm, s->error, h);
    return STEP_OK;
}

static int dirk_attempt(method_core *c, double t_new, double h, step_result *result)
{
    dirk *s = c->state;
    int status = STEP_OK;
    result->order = s->a.order;
    for (int i = 0; i < s->a.stages && !status; i++) status = dirk_stage(c, s, i, t_new, h);
    if (!status) status = dirk_finish(c, s, t_new, h);
    if (!status && !c->fixed) status = dirk_estimate(c, s, t_new, h, result);
    return status;
}

static int dirk_accept(method_core *c, double t_new, double h)
{
    dirk *s = c->state;
    (void)t_new;
    memcpy(s->y0, c->y, (size_t)c->n * sizeof *s->y0);
    memcpy(s->yp0, c->yp, (size_t)c->n * sizeof *s->yp0);
    if (s->first) core_straight_line(c, h, s->yp0);
    s->first = false;
    return 0;
}

static int dirk_interpolate(method_core *c, double t, double *y, double *yp)
{
    dirk *s = c->state;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, yp);
    return 0;
}

static method_matrix dirk_matrix(const method_core *c)
{
    const dirk *s = c->state;
    return s->it.g;
}

const method_ops dirk_ops = {
    .control = CONTROL_PREDICTIVE,
    .by_products = true,
    .state_bytes = sizeof(dirk),
    .layout = dirk_layout,
    .open = dirk_open,
    .close = dirk_close,
    .start = dirk_start,
    .attempt = dirk_attempt,
    .accept = dirk_accept,
    .interpolate = dirk_interpolate,
    .looks = core_look_at_hermite,
    .matrix = dirk_matrix,
};
