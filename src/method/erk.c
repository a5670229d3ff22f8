/* Explicit Runge-Kutta: one engine for every tableau.
 *
 * y' at the end of a step is evaluated once and serves as the first stage of the next one, as the
 * derivative reported and as an end of the Hermite interpolant; a tableau whose last stage is that
 * evaluation (first same as last) shares it. The embedded formula gives the error estimate; the
 * step advances with the formula of higher order (local extrapolation).
 *
 * E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, sections
 * II.1-II.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/erk.h"

#include <math.h>
#include <string.h>

typedef struct erk {
    method_tableau a;
    double
        e[METHOD_STAGES_MAX + 1]; // b - b_embedded; entry s weighs the derivative at the new point
    bool fsal;                    // the last stage is the new point
    double *k;                    // stage derivatives, stages + 1 of them
    double *error, *y_stage;
    double *y0, *yp0; // the point before the last accepted step
    double *dense;    // 5 n: the interpolant of DOPRI5 over that step
} erk;

static size_t erk_layout(void *state, const method_core *c, void *block)
{
    erk *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    if (!block) c->method->tableau(c->opt, &s->a);
    s->k = bump_double(&b, (size_t)(s->a.stages + 1) * n);
    s->error = bump_double(&b, n);
    s->y_stage = bump_double(&b, n);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    s->dense = bump_double(&b, c->method->ops == &erk_dopri5_ops ? 5 * n : 0);
    return bump_end(&b);
}

static int erk_open(method_core *c)
{
    erk *s = c->state;
    int n = s->a.stages;
    s->fsal = s->a.c[n - 1] == 1;
    for (int j = 0; j < n; j++) {
        s->fsal = s->fsal && s->a.a[n - 1][j] == s->a.b[j];
        s->e[j] = s->a.b[j] - s->a.b_embedded[j];
    }
    return VINC_OK;
}

/* The derivative at the start also fills the dependent unknowns. */
static int erk_start(method_core *c)
{
    return problem_rhs(c->p, &c->run->stats, c->t, c->y, c->yp);
}

/* out := y + h sum_j w_j k_j over the first m stages, absent ones skipped. */
static void combine(const method_core *c, const erk *s, const double *w, int m, double h,
                    const double *y, double *restrict out)
{
    int n = c->n;
    if (y) memcpy(out, y, (size_t)n * sizeof *out);
    else memset(out, 0, (size_t)n * sizeof *out);
    for (int j = 0; j < m; j++) {
        if (w[j] == 0) continue;
        const double *restrict k = s->k + (size_t)j * (size_t)n;
        double hw = h * w[j];
        for (int i = 0; i < n; i++) out[i] += hw * k[i];
    }
}

static int evaluate(method_core *c, double t, double *y, double *k)
{
    int status = problem_rhs(c->p, &c->run->stats, t, y, k);
    return !status ? STEP_OK : status < 0 ? STEP_STOP : STEP_UNDEFINED;
}

static int erk_attempt(method_core *c, double t_new, double h, step_result *result)
{
    erk *s = c->state;
    size_t n = (size_t)c->n;
    int stages = s->a.stages, last = s->fsal ? stages - 1 : stages;
    memcpy(s->k, c->yp, n * sizeof *s->k);
    for (int i = 1; i < last; i++) {
        combine(c, s, s->a.a[i], i, h, c->y, s->y_stage);
        core_hold_algebraic(c, s->y_stage);
        int status = evaluate(c, c->t + s->a.c[i] * h, s->y_stage, s->k + (size_t)i * n);
        if (status) return status;
    }
    combine(c, s, s->a.b, last, h, c->y, c->y_new);
    core_hold_algebraic(c, c->y_new);
    int status = evaluate(c, t_new, c->y_new, c->yp_new);
    if (status) return status;
    memcpy(s->k + (size_t)last * n, c->yp_new, n * sizeof *s->k);

    result->order = s->a.order;
    if (c->fixed || !s->a.order_embedded) return STEP_OK;
    combine(c, s, s->e, stages, h, NULL, s->error);
    c->error_vector = s->error;
    result->order = s->a.order_embedded;
    result->error = problem_norm_error(&c->norm, s->error, h);
    return STEP_OK;
}

static int erk_accept(method_core *c, double t_new, double h)
{
    erk *s = c->state;
    (void)h;
    memcpy(s->y0, c->y, (size_t)c->n * sizeof *s->y0);
    memcpy(s->yp0, c->yp, (size_t)c->n * sizeof *s->yp0);
    if (!c->projected) return 0;
    return problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
}

/* Dependent unknowns at the interpolated point, and y' there, come from the right-hand side. */
static int finish(method_core *c, double t, double *y, double *yp)
{
    erk *s = c->state;
    if (!yp && c->all_differential) return 0;
    if (!c->all_differential)
        for (int i = 0; i < c->n; i++)
            if (!c->p->differential[i]) y[i] = s->y0[i];
    return problem_rhs(c->p, &c->run->stats, t, y, yp ? yp : s->error);
}

static int erk_interpolate(method_core *c, double t, double *y, double *yp)
{
    erk *s = c->state;
    if (!y) y = s->y_stage;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, NULL);
    return finish(c, t, y, yp);
}

const method_ops erk_ops = {
    .control = CONTROL_PI,
    .state_bytes = sizeof(erk),
    .layout = erk_layout,
    .open = erk_open,
    .start = erk_start,
    .attempt = erk_attempt,
    .accept = erk_accept,
    .interpolate = erk_interpolate,
};

/* ---- the interpolant of DOPRI5, order 4 ------------------------------------------------------ */

/* Hairer, Norsett & Wanner I, section II.6, after Shampine. */
static const double dopri5_d[7] = {-12715105075.0 / 11282082432.0,  0,
                                   87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                   701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                   69997945.0 / 29380423.0};

static int dopri5_accept(method_core *c, double t_new, double h)
{
    erk *s = c->state;
    size_t n = (size_t)c->n;
    int status = erk_accept(c, t_new, h);
    double *d = s->dense;
    combine(c, s, dopri5_d, 7, h, NULL, d + 4 * n);
    for (size_t i = 0; i < n; i++) {
        double diff = c->y_new[i] - c->y[i], slope = h * s->k[i] - diff;
        d[i] = c->y[i];
        d[n + i] = diff;
        d[2 * n + i] = slope;
        d[3 * n + i] = diff - h * c->yp_new[i] - slope;
    }
    return status;
}

static int dopri5_interpolate(method_core *c, double t, double *y, double *yp)
{
    erk *s = c->state;
    size_t n = (size_t)c->n;
    const double *d = s->dense;
    double u = (t - (c->t - c->h_last)) / c->h_last, v = 1 - u;
    if (!y) y = s->y_stage;
    for (size_t i = 0; i < n; i++)
        y[i] = d[i] + u * (d[n + i] + v * (d[2 * n + i] + u * (d[3 * n + i] + v * d[4 * n + i])));
    return finish(c, t, y, yp);
}

const method_ops erk_dopri5_ops = {
    .control = CONTROL_PI,
    .state_bytes = sizeof(erk),
    .layout = erk_layout,
    .open = erk_open,
    .start = erk_start,
    .attempt = erk_attempt,
    .accept = dopri5_accept,
    .interpolate = dopri5_interpolate,
};
