/* Central differences for x'' = f, in the form that carries velocities.
 *
 * q_1 = q_0 + h v_0 + h^2/2 a_0, v_1 = v_0 + h/2 (a_0 + a_1): the q are those of x_{n+1} - 2 x_n +
 * x_{n-1} = h^2 f_n, the v those of (x_{n+1} - x_{n-1})/(2 h). Forces that depend on velocities see
 * v_0 + h a_0; unknowns of first order advance in the same way. Stable for omega h <= 2.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/methods.h"
#include "method/step.h"

#include <string.h>

typedef struct central {
    double *y0, *yp0, *y, *yp;
} central;

static size_t central_layout(void *state, const method_core *c, void *block)
{
    central *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    s->y = bump_double(&b, n);
    s->yp = bump_double(&b, n);
    return bump_end(&b);
}

static int central_start(method_core *c)
{
    return problem_rhs(c->p, &c->run->stats, c->t, c->y, c->yp);
}

static int central_attempt(method_core *c, double t_new, double h, step_result *result)
{
    for (int i = 0; i < c->n; i++) {
        int v = c->p->velocity[i];
        c->y_new[i] = c->y[i] + h * c->yp[i] + (v >= 0 ? 0.5 * h * h * c->yp[v] : 0);
    }
    core_hold_algebraic(c, c->y_new);
    int status = problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
    for (int i = 0; i < c->n; i++)
        if (c->p->velocity[i] < 0 && problem_differential(c->p, i))
            c->y_new[i] = c->y[i] + 0.5 * h * (c->yp[i] + c->yp_new[i]);
    for (int i = 0; i < c->n; i++) // q' = v with the corrected v
        if (c->p->velocity[i] >= 0) c->yp_new[i] = c->y_new[c->p->velocity[i]];
    result->order = 2;
    return !status ? STEP_OK : status < 0 ? STEP_STOP : STEP_UNDEFINED;
}

static int central_accept(method_core *c, double t_new, double h)
{
    central *s = c->state;
    (void)h;
    memcpy(s->y0, c->y, (size_t)c->n * sizeof *s->y0);
    memcpy(s->yp0, c->yp, (size_t)c->n * sizeof *s->yp0);
    return c->projected ? problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new) : 0;
}

static int central_interpolate(method_core *c, double t, double *y, double *yp)
{
    central *s = c->state;
    if (!y) y = s->y;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, NULL);
    return problem_rhs(c->p, &c->run->stats, t, y, yp ? yp : s->yp);
}

static const method_ops central_ops = {
    .control = CONTROL_PI,
    .state_bytes = sizeof(central),
    .layout = central_layout,
    .start = central_start,
    .attempt = central_attempt,
    .accept = central_accept,
    .interpolate = central_interpolate,
};

static void formula(const double *opt, method_multistep *out)
{
    (void)opt;
    *out = (method_multistep){.steps = 2, .order = 2, .alpha = {1, -2, 1}, .beta = {0, 1, 0}};
}

const vinc_method vinc_method_central = {
    .name = "central",
    .summary = "central differences for x'' = f",
    .cite = "Stormer 1907; Hairer, Norsett & Wanner I, section III.10",
    .order_min = 2,
    .order_max = 2,
    .traits = METHOD_EXPLICIT | METHOD_ONESTEP | METHOD_SECOND_ORDER,
    .ops = &central_ops,
    .multistep = formula,
    .kind = FORMULA_SECOND_ORDER,
};
