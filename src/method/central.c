/* Two explicit methods for x'' = f that carry velocities: q_1 = q_0 + h v_0 + h^2/2 a_0 in both.
 *
 * central: central differences. q_1 = q_0 + h v_0 + h^2/2 a_0, v_1 = v_0 + h/2 (a_0 + a_1): the q
 * are those of x_{n+1} - 2 x_n + x_{n-1} = h^2 f_n, the v those of (x_{n+1} - x_{n-1})/(2 h).
 * Forces that depend on velocities see v_0 + h a_0; unknowns of first order advance in the same
 * way. Stable for omega h <= 2.
 *
 * taylor2: the update of mechanics courses, v_1 = v_0 + h a_0. Second order in one step of q, first
 * order in v, so first order in the whole. Unknowns of first order advance by explicit Euler.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/method_list.h"
#include "method/step.h"

#include <string.h>

typedef struct explicit2 {
    double *y0, *yp0, *y, *yp;
} explicit2;

static size_t explicit2_layout(void *state, const method_core *c, void *block)
{
    explicit2 *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    s->y = bump_double(&b, n);
    s->yp = bump_double(&b, n);
    return bump_end(&b);
}

static int explicit2_start(method_core *c)
{
    return problem_rhs(c->p, &c->run->stats, c->t, c->y, c->yp);
}

/* q by Taylor's series, everything else by Euler; y' there. */
static int central_predict(method_core *c, double t_new, double h)
{
    for (int i = 0; i < c->n; i++) {
        int v = c->p->velocity[i];
        c->y_new[i] = c->y[i] + h * c->yp[i] + (v >= 0 ? 0.5 * h * h * c->yp[v] : 0);
    }
    core_hold_algebraic(c, c->y_new);
    int status = problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
    return step_status(status);
}

static int taylor2_attempt(method_core *c, double t_new, double h, step_result *result)
{
    result->order = 1;
    return central_predict(c, t_new, h);
}

static int central_attempt(method_core *c, double t_new, double h, step_result *result)
{
    int status = central_predict(c, t_new, h);
    for (int i = 0; i < c->n; i++)
        if (c->p->velocity[i] < 0 && problem_differential(c->p, i))
            c->y_new[i] = c->y[i] + 0.5 * h * (c->yp[i] + c->yp_new[i]);
    for (int i = 0; i < c->n; i++) // q' = v with the corrected v
        if (c->p->velocity[i] >= 0) c->yp_new[i] = c->y_new[c->p->velocity[i]];
    result->order = 2;
    return status;
}

static int explicit2_accept(method_core *c, double t_new, double h)
{
    explicit2 *s = c->state;
    (void)h;
    memcpy(s->y0, c->y, (size_t)c->n * sizeof *s->y0);
    memcpy(s->yp0, c->yp, (size_t)c->n * sizeof *s->yp0);
    return c->projected ? problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new) : 0;
}

static int explicit2_interpolate(method_core *c, double t, double *y, double *yp)
{
    explicit2 *s = c->state;
    if (!y) y = s->y;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, NULL);
    return problem_rhs(c->p, &c->run->stats, t, y, yp ? yp : s->yp);
}

#define EXPLICIT2_OPS(NAME)                                                                        \
    static const method_ops NAME##_ops = {                                                         \
        .control = CONTROL_PI,                                                                     \
        .state_bytes = sizeof(explicit2),                                                          \
        .layout = explicit2_layout,                                                                \
        .start = explicit2_start,                                                                  \
        .attempt = NAME##_attempt,                                                                 \
        .accept = explicit2_accept,                                                                \
        .interpolate = explicit2_interpolate,                                                      \
    }
EXPLICIT2_OPS(central);
EXPLICIT2_OPS(taylor2);

static void central_formula(const double *opt, method_multistep *out)
{
    (void)opt;
    *out = (method_multistep){.steps = 2, .order = 2, .alpha = {1, -2, 1}, .beta = {0, 1, 0}};
}

/* Without v: x_{n+1} - 2 x_n + x_{n-1} = h^2/2 (x''_n + x''_{n-1}). */
static void taylor2_formula(const double *opt, method_multistep *out)
{
    (void)opt;
    *out = (method_multistep){.steps = 2, .order = 1, .alpha = {1, -2, 1}, .beta = {0, 0.5, 0.5}};
}

const vinc_method vinc_method_central = {
    .name = "central",
    .summary = "central differences for x'' = f",
    .cite = "Stormer 1907; Hairer, Norsett & Wanner I, section III.10",
    .order_min = 2,
    .order_max = 2,
    .traits = METHOD_EXPLICIT | METHOD_ONESTEP | METHOD_SECOND_ORDER,
    .ops = &central_ops,
    .multistep = central_formula,
    .kind = FORMULA_SECOND_ORDER,
};

const vinc_method vinc_method_taylor2 = {
    .name = "taylor2",
    .summary = "q by a second-order Taylor step, v by Euler",
    .cite = "the update used in courses on constrained mechanics",
    .order_min = 1,
    .order_max = 1,
    .traits = METHOD_EXPLICIT | METHOD_ONESTEP | METHOD_SECOND_ORDER,
    .ops = &taylor2_ops,
    .multistep = taylor2_formula,
    .kind = FORMULA_SECOND_ORDER,
};
