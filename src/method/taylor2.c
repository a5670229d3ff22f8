/* The second-order Taylor update of mechanics courses.
 *
 *     q_{k+1} = q_k + h v_k + h^2/2 a_k,    v_{k+1} = v_k + h a_k
 *
 * Second order in one step of q, first order in v, so first order in the whole. Unknowns that
 * belong to no pair (q, v) advance by explicit Euler.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/methods.h"
#include "method/step.h"

#include <string.h>

typedef struct taylor2 {
    double *y0, *yp0, *y, *yp;
} taylor2;

static size_t taylor2_layout(void *state, const method_core *c, void *block)
{
    taylor2 *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    s->y = bump_double(&b, n);
    s->yp = bump_double(&b, n);
    return bump_end(&b);
}

static int taylor2_start(method_core *c)
{
    return problem_rhs(c->p, &c->run->stats, c->t, c->y, c->yp);
}

static int taylor2_attempt(method_core *c, double t_new, double h, step_result *result)
{
    for (int i = 0; i < c->n; i++) {
        int v = c->p->velocity[i];
        c->y_new[i] = c->y[i] + h * c->yp[i] + (v >= 0 ? 0.5 * h * h * c->yp[v] : 0);
    }
    core_hold_algebraic(c, c->y_new);
    int status = problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
    result->order = 1;
    return !status ? STEP_OK : status < 0 ? STEP_STOP : STEP_UNDEFINED;
}

static int taylor2_accept(method_core *c, double t_new, double h)
{
    taylor2 *s = c->state;
    (void)h;
    memcpy(s->y0, c->y, (size_t)c->n * sizeof *s->y0);
    memcpy(s->yp0, c->yp, (size_t)c->n * sizeof *s->yp0);
    return c->projected ? problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new) : 0;
}

static int taylor2_interpolate(method_core *c, double t, double *y, double *yp)
{
    taylor2 *s = c->state;
    if (!y) y = s->y;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, NULL);
    return problem_rhs(c->p, &c->run->stats, t, y, yp ? yp : s->yp);
}

static const method_ops taylor2_ops = {
    .control = CONTROL_PI,
    .state_bytes = sizeof(taylor2),
    .layout = taylor2_layout,
    .start = taylor2_start,
    .attempt = taylor2_attempt,
    .accept = taylor2_accept,
    .interpolate = taylor2_interpolate,
};

/* Without v: x_{n+1} - 2 x_n + x_{n-1} = h^2/2 (x''_n + x''_{n-1}). */
static void formula(const double *opt, method_multistep *out)
{
    (void)opt;
    *out = (method_multistep){.steps = 2, .order = 1, .alpha = {1, -2, 1}, .beta = {0, 0.5, 0.5}};
}

const vinc_method vinc_method_taylor2 = {
    .name = "taylor2",
    .summary = "q by a second-order Taylor step, v by Euler",
    .cite = "the update used in courses on constrained mechanics",
    .order_min = 1,
    .order_max = 1,
    .traits = METHOD_EXPLICIT | METHOD_ONESTEP | METHOD_SECOND_ORDER,
    .ops = &taylor2_ops,
    .multistep = formula,
    .kind = FORMULA_SECOND_ORDER,
};
