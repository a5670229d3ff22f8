/* Implicit Euler and the trapezoidal rule on F(t, y, y') = 0.
 *
 * With d = (y_1 - y_0)/h the one solves F(t_1, y_1, d) = 0, the other averages every row of F,
 * F(t_0, y_0, d) + F(t_1, y_1, d) = 0: algebraic rows too, which then hold only on the average if
 * they did not hold at the start. The error is estimated from divided differences of the solution,
 * h^2 [t_1, t_0, t_-1] y and h^3/2 [t_1, t_0, t_-1, t_-2] y; they also give the predictor and the
 * derivative reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/corrector.h"
#include "method/method_list.h"

#include <math.h>
#include <string.h>

typedef struct theta {
    iteration it;
    bool trapezoid;
    int n_past;       // accepted steps since the start, as far as they matter
    double h1, h2;    // sizes of the last two steps
    double *d1, *dd1; // first and second divided differences of the last step
    double *d, *dd;   // ... of the attempt
    double *y0, *yp0; // where the last accepted step began
    double *r0, *error;
} theta;

static size_t theta_layout(void *state, const method_core *c, void *block)
{
    theta *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    iteration_layout(&s->it, &b, n);
    double **arrays[] = {&s->d1, &s->dd1, &s->d, &s->dd, &s->y0, &s->yp0, &s->r0, &s->error};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    return bump_end(&b);
}

/* F(t_0, y_0, d) + F(t_1, y_1, d), with d in yp_new. */
static int both_ends(method_core *c, double t, double *r)
{
    theta *s = c->state;
    int status = problem_residual(c->p, &c->run->stats, c->t, c->y, c->yp_new, s->r0);
    if (!status) status = problem_residual(c->p, &c->run->stats, t, c->y_new, c->yp_new, r);
    for (int i = 0; i < c->n && !status; i++) r[i] += s->r0[i];
    return status;
}

static int theta_open(method_core *c)
{
    theta *s = c->state;
    int status = iteration_open(c, &s->it);
    s->trapezoid = c->method == &vinc_method_trapezoid;
    if (s->trapezoid) {
        s->it.residual = both_ends;
        s->it.g.c_scale = 2;
    }
    return status;
}

static void theta_close(method_core *c)
{
    theta *s = c->state;
    iteration_close(c, &s->it);
}

static int theta_start(method_core *c)
{
    theta *s = c->state;
    if (!c->have_jac) s->it.g.c = 0;
    s->n_past = 0;
    s->h1 = s->h2 = 0;
    return 0;
}

/* Along the last polynomial: the line for Euler, the parabola for the trapezoid. */
static void theta_predict(method_core *c, theta *s, double h)
{
    for (int i = 0; i < c->n; i++) {
        double slope = s->n_past ? s->d1[i] : c->yp[i];
        if (s->trapezoid && s->n_past) slope = c->yp[i];
        if (s->trapezoid && s->n_past > 1) slope += h * s->dd1[i];
        c->y_new[i] = c->y[i] + h * slope;
        c->yp_new[i] = slope;
    }
}

static void theta_differences(method_core *c, theta *s, double h)
{
    for (int i = 0; i < c->n; i++) {
        s->d[i] = (c->y_new[i] - c->y[i]) / h;
        if (s->n_past) s->dd[i] = (s->d[i] - s->d1[i]) / (h + s->h1);
        else // an algebraic unknown has no derivative to start from
            s->dd[i] = problem_differential(c->p, i) ? (s->d[i] - c->yp[i]) / h : 0;
    }
}

static void theta_estimate(method_core *c, theta *s, double h, step_result *result)
{
    bool third = s->trapezoid && s->n_past > 1;
    double span = h + s->h1 + s->h2;
    for (int i = 0; i < c->n; i++)
        s->error[i] = third ? 0.5 * h * h * h * (s->dd[i] - s->dd1[i]) / span : h * h * s->dd[i];
    result->order = third ? 2 : 1;
    result->error = problem_norm_error(&c->norm, s->error, h);
    c->error_vector = s->error;
}

static int theta_attempt(method_core *c, double t_new, double h, step_result *result)
{
    theta *s = c->state;
    theta_predict(c, s, h);
    int status = iteration_solve(c, &s->it, t_new, 1 / h, h);
    if (status) return status;
    theta_differences(c, s, h);
    result->order = c->method->order_max;
    if (!c->fixed) theta_estimate(c, s, h, result);
    if (!s->trapezoid) return STEP_OK;
    // Second order for y' too: the slope of the parabola at its end.
    for (int i = 0; i < c->n; i++) c->yp_new[i] = s->d[i] + h * s->dd[i];
    return STEP_OK;
}

static int theta_accept(method_core *c, double t_new, double h)
{
    theta *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    (void)t_new;
    if (c->projected) theta_differences(c, s, h);
    memcpy(s->y0, c->y, bytes);
    memcpy(s->yp0, c->yp, bytes);
    if (!s->n_past && !c->all_differential)
        for (int i = 0; i < c->n; i++)
            if (!c->p->differential[i]) s->yp0[i] = s->d[i]; // a straight line
    double *d = s->d1, *dd = s->dd1;
    s->d1 = s->d, s->d = d;
    s->dd1 = s->dd, s->dd = dd;
    s->h2 = s->h1;
    s->h1 = h;
    if (s->n_past < 2) s->n_past++;
    return 0;
}

static int theta_interpolate(method_core *c, double t, double *y, double *yp)
{
    theta *s = c->state;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, yp);
    return 0;
}

static method_matrix theta_matrix(const method_core *c)
{
    const theta *s = c->state;
    return s->it.g;
}

static const method_ops theta_ops = {
    .control = CONTROL_PREDICTIVE,
    .by_products = true,
    .state_bytes = sizeof(theta),
    .layout = theta_layout,
    .open = theta_open,
    .close = theta_close,
    .start = theta_start,
    .attempt = theta_attempt,
    .accept = theta_accept,
    .interpolate = theta_interpolate,
    .matrix = theta_matrix,
};

static void implicit_euler(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 1, .order = 1, .a = {{1}}, .b = {1}, .c = {1}};
}

const vinc_method vinc_method_implicit_euler = {
    .name = "implicit-euler",
    .summary = "implicit Euler",
    .cite = "Hairer & Wanner II, section IV.3",
    .order_min = 1,
    .order_max = 1,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_INDEX2 |
              METHOD_INDEX3 | METHOD_STIFF,
    .ops = &theta_ops,
    .tableau = implicit_euler,
};

static void trapezoid(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){
        .stages = 2, .order = 2, .a = {{0}, {0.5, 0.5}}, .b = {0.5, 0.5}, .c = {0, 1}};
}

const vinc_method vinc_method_trapezoid = {
    .name = "trapezoid",
    .summary = "trapezoidal rule (Crank-Nicolson), every row of F averaged",
    .cite = "Crank & Nicolson 1947; Hairer & Wanner II, section IV.3",
    .order_min = 2,
    .order_max = 2,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_INDEX2,
    .ops = &theta_ops,
    .tableau = trapezoid,
};

/* x_{n+1} - 2 x_n + x_{n-1} = h^2 x''_{n+1} with x' = (x_{n+1} - x_n)/h: implicit Euler on (x, x'). */
static void backward2(const double *opt, method_multistep *out)
{
    (void)opt;
    *out = (method_multistep){.steps = 2, .order = 1, .alpha = {1, -2, 1}, .beta = {1, 0, 0}};
}

const vinc_method vinc_method_backward2 = {
    .name = "backward2",
    .summary = "backward differences for x'' = f, which is implicit Euler for x and x'",
    .cite = "the lecture notes on multibody integration",
    .order_min = 1,
    .order_max = 1,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_INDEX2 |
              METHOD_INDEX3 | METHOD_STIFF,
    .ops = &theta_ops,
    .multistep = backward2,
    .kind = FORMULA_SECOND_ORDER,
};
