/* The generalized-alpha family for second-order equations: Newmark, HHT, Chung-Hulbert.
 *
 * With q' = v given by the problem's roles (vinc_problem.velocity) and an algorithmic acceleration
 * a:
 *
 *     q_1 = q_0 + h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1)
 *     v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1)
 *     (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) v'_1 + alpha_f v'_0
 *     F(t_1, y_1, y'_1) = 0
 *
 * F sees q'_1 as the combination that makes q' = v hold, so that the equations stay as they are,
 * constraints and multipliers included: M. Arnold & O. Bruls, Multibody Syst. Dyn. 18 (2007)
 * 185-202. In terms of y_1, q' = c_q q + ... with c_q = gamma/(beta h) and v' = c_v v + ... with
 * c_v = (1 - alpha_m)/((1 - alpha_f) gamma h); the columns of dF/dy' are scaled accordingly.
 * Unknowns of first order are treated like velocities.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/corrector.h"
#include "method/method_list.h"

#include <math.h>
#include <string.h>

typedef struct parameters {
    double alpha_m, alpha_f, beta, gamma;
} parameters;

typedef struct newmark {
    iteration it;
    parameters k;
    uint8_t *position; // the unknown is a q: its derivative is an unknown
    bool first;
    double *a, *a_new; // algorithmic accelerations, at the place of velocities
    double *known;     // y' = c (y - known)
    double *y0, *yp0;
} newmark;

static parameters parameters_of(const vinc_method *m, const double *opt);

static size_t newmark_layout(void *state, const method_core *c, void *block)
{
    newmark *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    iteration_layout(&s->it, &b, n);
    double **arrays[] = {&s->a, &s->a_new, &s->known, &s->y0, &s->yp0};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    s->it.g.factor = bump_double(&b, n);
    s->position = bump_bytes(&b, n);
    return bump_end(&b);
}

static int newmark_open(method_core *c)
{
    newmark *s = c->state;
    s->k = parameters_of(c->method, c->opt);
    for (int i = 0; i < c->n; i++) {
        s->position[i] = c->p->velocity[i] >= 0;
        // Relative to c_v, the coefficient of the iteration.
        double cq = s->k.gamma / s->k.beta;
        double cv = (1 - s->k.alpha_m) / ((1 - s->k.alpha_f) * s->k.gamma);
        s->it.g.factor[i] = s->position[i] ? cq / cv : 1;
    }
    return iteration_open(c, &s->it);
}

static void newmark_close(method_core *c)
{
    newmark *s = c->state;
    iteration_close(c, &s->it);
}

static int newmark_start(method_core *c)
{
    newmark *s = c->state;
    if (!c->have_jac) s->it.g.c = 0;
    s->first = true;
    memcpy(s->a, c->yp, (size_t)c->n * sizeof(double));
    return 0;
}

/* What y' would be if y did not move, over c: y' = c (y - known). The guess keeps a. */
static void newmark_predict(method_core *c, newmark *s, double h, double cv)
{
    const parameters *k = &s->k;
    double mass = (1 - k->alpha_m) / (1 - k->alpha_f);
    for (int i = 0; i < c->n; i++) {
        int v = c->p->velocity[i];
        double a = s->a[v >= 0 ? v : i], known, guess;
        if (v >= 0) {
            double cq = k->gamma / (k->beta * h);
            double q = c->y[i] + h * c->y[v] + h * h * (0.5 - k->beta) * a; // at a_1 = 0
            double slope = c->y[v] + h * (1 - k->gamma) * a;
            known = q - slope / cq;
            guess = q + h * h * k->beta * a;
            c->y_new[i] = guess;
            c->yp_new[i] = cq * (guess - known);
        } else {
            double x = c->y[i] + h * (1 - k->gamma) * a;
            double slope = (k->alpha_m * a - k->alpha_f * c->yp[i]) / (1 - k->alpha_f);
            known = x - slope / cv;
            guess = x + h * k->gamma * a;
            c->y_new[i] = guess;
            c->yp_new[i] = mass * a + slope;
        }
        s->known[i] = known;
    }
}

static int newmark_attempt(method_core *c, double t_new, double h, step_result *result)
{
    newmark *s = c->state;
    const parameters *k = &s->k;
    double cv = (1 - k->alpha_m) / ((1 - k->alpha_f) * k->gamma * h);
    result->order = c->method->order_max;
    newmark_predict(c, s, h, cv);
    int status = iteration_solve(c, &s->it, t_new, cv, h);
    if (status) return status;
    for (int i = 0; i < c->n; i++) {
        if (s->position[i]) continue;
        double x = c->y[i] + h * (1 - k->gamma) * s->a[i];
        s->a_new[i] = (c->y_new[i] - x) / (h * k->gamma);
        // F does not see y' of algebraic unknowns.
        if (!problem_differential(c->p, i)) {
            c->yp_new[i] = (c->y_new[i] - c->y[i]) / h;
            s->a_new[i] = c->yp_new[i];
        }
    }
    return STEP_OK;
}

static int newmark_accept(method_core *c, double t_new, double h)
{
    newmark *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    (void)t_new;
    memcpy(s->y0, c->y, bytes);
    memcpy(s->yp0, c->yp, bytes);
    if (s->first) core_straight_line(c, h, s->yp0);
    s->first = false;
    double *a = s->a;
    s->a = s->a_new, s->a_new = a;
    return 0;
}

static int newmark_interpolate(method_core *c, double t, double *y, double *yp)
{
    newmark *s = c->state;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, yp);
    return 0;
}

static const method_ops newmark_ops = {
    .control = CONTROL_PREDICTIVE,
    .by_products = true,
    .state_bytes = sizeof(newmark),
    .layout = newmark_layout,
    .open = newmark_open,
    .close = newmark_close,
    .start = newmark_start,
    .attempt = newmark_attempt,
    .accept = newmark_accept,
    .interpolate = newmark_interpolate,
};

/* ---- members --------------------------------------------------------------------------------- */

static parameters parameters_of(const vinc_method *m, const double *opt)
{
    if (m == &vinc_method_newmark) return (parameters){0, 0, opt[0], opt[1]};
    double am = 0, af = -opt[0];
    if (m == &vinc_method_genalpha) {
        am = (2 * opt[0] - 1) / (opt[0] + 1);
        af = opt[0] / (opt[0] + 1);
    }
    double gamma = 0.5 + af - am;
    return (parameters){am, af, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma};
}

/* As a formula for x'' = f: x_{n+1} - 2 x_n + x_{n-1} = h^2 (beta a_{n+1} + ... ) of Newmark, with
 * the relation between a and f multiplied in. */
static void multistep_of(const vinc_method *m, const double *opt, method_multistep *out)
{
    parameters k = parameters_of(m, opt);
    const double rho[3] = {1, -2, 1};
    const double sigma[3] = {k.beta, 0.5 + k.gamma - 2 * k.beta, 0.5 - k.gamma + k.beta};
    bool plain = k.alpha_m == 0 && k.alpha_f == 0;
    *out = (method_multistep){.steps = plain ? 2 : 3, .order = m->order_max};
    for (int i = 0; i < 3; i++) {
        out->alpha[i] += (1 - k.alpha_m) * rho[i];
        out->alpha[i + 1] += k.alpha_m * rho[i];
        out->beta[i] += (1 - k.alpha_f) * sigma[i];
        out->beta[i + 1] += k.alpha_f * sigma[i];
    }
}

#define SECOND_ORDER(id, text, source, more, ...)                                                  \
    static const method_option id##_options[] = {__VA_ARGS__, {0}};                                \
    static void id##_formula(const double *opt, method_multistep *out)                             \
    {                                                                                              \
        multistep_of(&vinc_method_##id, opt, out);                                                 \
    }                                                                                              \
    const vinc_method vinc_method_##id = {                                                         \
        .name = #id,                                                                               \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .order_min = 2,                                                                            \
        .order_max = 2,                                                                            \
        .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ONESTEP | METHOD_SECOND_ORDER | (more),    \
        .options = id##_options,                                                                   \
        .ops = &newmark_ops,                                                                       \
        .multistep = id##_formula,                                                                 \
        .kind = FORMULA_SECOND_ORDER,                                                              \
    };

// clang-format off
SECOND_ORDER(newmark, "Newmark's method; with the standard values the trapezoidal rule",
             "Newmark, J. Eng. Mech. Div. ASCE 85 (1959) 67-94", 0,
             {.name = "beta", .standard = 0.25, .min = 0.01, .max = 1, .help = "weight of the new acceleration in q"},
             {.name = "gamma", .standard = 0.5, .min = 0.5, .max = 1, .help = "... in v; order 2 for 1/2 only"})
SECOND_ORDER(hht, "Hilber-Hughes-Taylor alpha method, dissipative",
             "Hilber, Hughes & Taylor, Earthq. Eng. Struct. Dyn. 5 (1977) 283-292", METHOD_INDEX2 | METHOD_INDEX3,
             {.name = "alpha", .standard = -0.1, .min = -1.0 / 3, .max = 0, .help = "dissipation, from 0 to -1/3"})
SECOND_ORDER(genalpha, "generalized-alpha method with the spectral radius at infinity to choose",
             "Chung & Hulbert, J. Appl. Mech. 60 (1993) 371-375; Arnold & Bruls 2007", METHOD_INDEX2 | METHOD_INDEX3,
             {.name = "rho", .standard = 0.8, .min = 0, .max = 1, .help = "spectral radius at infinity"})
// clang-format on
