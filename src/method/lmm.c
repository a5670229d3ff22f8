/* Linear multistep and one-leg formulas with constant steps on F(t, y, y') = 0.
 *
 *     multistep   sum alpha_i y_{n+1-i} = h sum beta_i y'_{n+1-i},
 *                 F(t_{n+1}, y_{n+1}, y'_{n+1}) = 0
 *     one-leg     F(sum beta_i t_{n+1-i}, sum beta_i y_{n+1-i}, (1/h) sum alpha_i y_{n+1-i}) = 0
 *
 * With beta_0 = 0 the formula is explicit and takes y' from the right-hand side. The first steps,
 * and a last one that is shorter than the others, are made by a one-step method. E. Hairer, S. P.
 * Norsett, G. Wanner I, chapter III; one-leg: G. Dahlquist, BIT 18 (1978) 384-401.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/lmm.h"

#include "method/corrector.h"
#include "method/starter.h"

#include <math.h>
#include <string.h>

typedef struct lmm {
    iteration it;
    starter starter;
    method_multistep f;
    bool one_leg, explicit_;
    int n_past;                       // points before the present one, one step apart
    double *y[METHOD_STEPS_MAX + 1];  // y[i] at t_n - i h; y[0] is a copy
    double *yp[METHOD_STEPS_MAX + 1]; // likewise
    double *known;                    // what the formula knows beforehand
    double *y0, *yp0;                 // where the last step began
    bool by_starter;                  // the last attempt was the starter's
} lmm;

static size_t lmm_layout(void *state, const method_core *c, void *block)
{
    lmm *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    if (!block) core_multistep(c, &s->f);
    iteration_layout(&s->it, &b, n);
    for (int i = 0; i <= s->f.steps; i++) {
        s->y[i] = bump_double(&b, n);
        s->yp[i] = bump_double(&b, n);
    }
    s->known = bump_double(&b, n);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    return bump_end(&b);
}

static int lmm_open(method_core *c)
{
    lmm *s = c->state;
    s->one_leg = (c->formula ? c->formula->kind : c->method->kind) == FORMULA_ONE_LEG;
    s->explicit_ = s->f.beta[0] == 0;
    int status = s->explicit_ ? VINC_OK : iteration_open(c, &s->it);
    return status ? status : starter_open(c, &s->starter);
}

static void lmm_close(method_core *c)
{
    lmm *s = c->state;
    iteration_close(c, &s->it);
    starter_close(&s->starter);
}

static int lmm_start(method_core *c)
{
    lmm *s = c->state;
    if (!c->have_jac) s->it.g.c = 0;
    s->n_past = 0;
    s->starter.going = false;
    return s->explicit_ ? problem_rhs(c->p, &c->run->stats, c->t, c->y, c->yp) : 0;
}

static int lmm_history(method_core *c, int k, double h, const double *const *y,
                       const double *const *yp)
{
    lmm *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    (void)h;
    if (k > s->f.steps) k = s->f.steps;
    for (int i = 1; i <= k; i++) {
        memcpy(s->y[i], y[i - 1], bytes);
        memcpy(s->yp[i], yp[i - 1], bytes);
    }
    s->n_past = k;
    return VINC_OK;
}

/* The slope at the end of the polynomial through the values there are: sum of (1/j) nabla^j y. */
static double lmm_end_slope(const method_core *c, const lmm *s, int i, double h)
{
    double d[METHOD_STEPS_MAX + 2] = {c->y_new[i], c->y[i]}, slope = 0;
    int n = 2 + s->n_past;
    for (int k = 2; k < n; k++) d[k] = s->y[k - 1][i];
    if (n == 2) return 1.5 * (d[0] - d[1]) / h - 0.5 * c->yp[i]; // a parabola with y' at the start
    for (int j = 1; j < n; j++) {
        for (int k = 0; k < n - j; k++) d[k] -= d[k + 1];
        slope += d[0] / j;
    }
    return slope / h;
}

/* sum over i >= 1 of w_i v_{n+1-i}, added to out. */
static void add_past(const method_core *c, const lmm *s, const double *w, double *const *v,
                     double factor, double *restrict out)
{
    for (int i = 1; i <= s->f.steps; i++) {
        const double *restrict x = v[i - 1];
        double f = factor * w[i];
        for (int m = 0; m < c->n && f != 0; m++) out[m] += f * x[m];
    }
}

static int explicit_step(method_core *c, lmm *s, double t_new, double h)
{
    size_t bytes = (size_t)c->n * sizeof(double);
    double a0 = s->f.alpha[0], *y = c->y_new;
    memset(y, 0, bytes);
    if (s->one_leg) {
        double t = t_new;
        for (int i = 1; i <= s->f.steps; i++) t -= s->f.beta[i] * i * h;
        memset(s->known, 0, bytes);
        add_past(c, s, s->f.beta, s->y, 1, s->known);
        core_hold_algebraic(c, s->known);
        int status = problem_rhs(c->p, &c->run->stats, t, s->known, c->yp_new);
        if (status) return step_status(status);
        for (int i = 0; i < c->n; i++) y[i] = h / a0 * c->yp_new[i];
    } else {
        add_past(c, s, s->f.beta, s->yp, h / a0, y);
    }
    add_past(c, s, s->f.alpha, s->y, -1 / a0, y);
    core_hold_algebraic(c, y);
    return step_status(problem_rhs(c->p, &c->run->stats, t_new, y, c->yp_new));
}

/* y' = c (y - known) with known collecting the past. */
static int implicit_step(method_core *c, lmm *s, double t_new, double h)
{
    double a0 = s->f.alpha[0], b0 = s->f.beta[0], coefficient = a0 / (h * b0);
    memset(s->known, 0, (size_t)c->n * sizeof(double));
    add_past(c, s, s->f.alpha, s->y, -1 / a0, s->known);
    add_past(c, s, s->f.beta, s->yp, h / a0, s->known);
    for (int i = 0; i < c->n; i++) {
        double slope = s->n_past ? 1.5 * c->yp[i] - 0.5 * s->yp[1][i] : c->yp[i];
        c->y_new[i] = c->y[i] + h * slope;
        c->yp_new[i] = coefficient * (c->y_new[i] - s->known[i]);
    }
    int status = iteration_solve(c, &s->it, t_new, coefficient, h);
    // F does not see y' of algebraic unknowns, and the recursion of the formula may not be stable.
    for (int i = 0; i < c->n && !c->all_differential; i++)
        if (!c->p->differential[i]) c->yp_new[i] = lmm_end_slope(c, s, i, h);
    return status;
}

/* The iteration is for the leg Y = beta_0 y + past, where y' = alpha_0/(h beta_0) Y + const. */
static int one_leg_step(method_core *c, lmm *s, double t_new, double h)
{
    double a0 = s->f.alpha[0], b0 = s->f.beta[0], coefficient = a0 / (h * b0), t = t_new;
    for (int i = 1; i <= s->f.steps; i++) t -= s->f.beta[i] * i * h;
    memset(s->known, 0, (size_t)c->n * sizeof(double));
    add_past(c, s, s->f.beta, s->y, 1, s->known);
    for (int i = 0; i < c->n; i++) {
        double y = c->y[i] + h * c->yp[i];
        c->y_new[i] = s->known[i] + b0 * y;
        c->yp_new[i] = a0 / h * y;
    }
    add_past(c, s, s->f.alpha, s->y, 1 / h, c->yp_new);
    int status = iteration_solve(c, &s->it, t, coefficient, h);
    if (status) return status;
    for (int i = 0; i < c->n; i++) c->y_new[i] = (c->y_new[i] - s->known[i]) / b0;
    for (int i = 0; i < c->n; i++) c->yp_new[i] = lmm_end_slope(c, s, i, h);
    return c->p->rhs ? core_complete(c, t_new, s->known) : STEP_OK;
}

static int lmm_attempt(method_core *c, double t_new, double h, step_result *result)
{
    lmm *s = c->state;
    double full = c->config.fixed_step;
    result->order = s->f.order;
    s->by_starter = s->n_past < s->f.steps - 1 || fabs(h - full) > 1e-6 * full;
    if (s->by_starter) return starter_step(c, &s->starter, t_new);
    memcpy(s->y[0], c->y, (size_t)c->n * sizeof(double));
    memcpy(s->yp[0], c->yp, (size_t)c->n * sizeof(double));
    if (s->explicit_) return explicit_step(c, s, t_new, h);
    return s->one_leg ? one_leg_step(c, s, t_new, h) : implicit_step(c, s, t_new, h);
}

static int lmm_accept(method_core *c, double t_new, double h)
{
    lmm *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    double full = c->config.fixed_step;
    memcpy(s->y0, c->y, bytes);
    memcpy(s->yp0, c->yp, bytes);
    if (s->n_past == 0) core_straight_line(c, h, s->yp0);
    // The present point becomes the first of the past.
    int last = s->f.steps;
    double *y = s->y[last], *yp = s->yp[last];
    for (int i = last; i > 1; i--) s->y[i] = s->y[i - 1], s->yp[i] = s->yp[i - 1];
    if (last > 0) s->y[last > 1 ? 1 : last] = y, s->yp[last > 1 ? 1 : last] = yp;
    memcpy(y, c->y, bytes);
    memcpy(yp, c->yp, bytes);
    if (s->n_past < last) s->n_past++;
    if (fabs(h - full) > 1e-6 * full) s->n_past = 0; // steps are no longer equal
    s->starter.going = s->starter.going && s->by_starter && !c->projected;
    if (c->projected && s->explicit_)
        return problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
    return 0;
}

static int lmm_interpolate(method_core *c, double t, double *y, double *yp)
{
    lmm *s = c->state;
    if (!s->explicit_) return core_hermite(c, t, c->h_last, s->y0, s->yp0, y, yp), 0;
    if (!y) y = s->known;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, NULL);
    if (!yp && c->all_differential) return 0;
    return problem_rhs(c->p, &c->run->stats, t, y, yp ? yp : s->it.r);
}

const method_ops lmm_ops = {
    .control = CONTROL_PI,
    .by_products = true,
    .state_bytes = sizeof(lmm),
    .layout = lmm_layout,
    .open = lmm_open,
    .close = lmm_close,
    .start = lmm_start,
    .attempt = lmm_attempt,
    .accept = lmm_accept,
    .interpolate = lmm_interpolate,
    .history = lmm_history,
};
