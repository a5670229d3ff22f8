/* Backward differentiation formulas with variable step and order for F(t, y, y') = 0.
 *
 * Fixed leading coefficient form: the predictor is the polynomial through the last k + 1 values,
 * the corrector adds to its derivative a multiple of y - y_predicted that depends on the order
 * alone, so the matrix changes only with h. History is kept as modified divided differences.
 *
 * K. E. Brenan, S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value Problems in
 * Differential-Algebraic Equations, SIAM 1996, chapter 5. Letters follow it, indices begin at 0:
 *
 *     phi[i]   psi_1 ... psi_i times the i-th divided difference of y at t_n, t_{n-1}, ...
 *     psi[i]   t_{n+1} - t_{n-i}           past[i]  t_n - t_{n-i}
 *     alpha[i] h / psi[i]                  beta[i]  what phi[i] is multiplied by for the new step
 *     sigma[i] h^i i! / (psi[0] ... psi[i])
 *     gamma[i] derivative of the i-th basis polynomial at t_{n+1}
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/simd.h"
#include "method/corrector.h"
#include "method/method_list.h"
#include "method/stages.h"
#include "method/starter.h"

#include <math.h>
#include <string.h>

/* Differences of a fast oscillation shrink slowly from order to order, by 2 sin(w h / 2). */
static const double DIFFERENCE_RATIO_RINGING = 0.6;

enum { K_MAX = 6, BDF_ROWS = K_MAX + 2, BDF_ORDER_FIXED = 2 };
/* Loops over unknowns and differences go over so many unknowns at a time, which stay in the cache. */
enum { UNKNOWNS_AT_A_TIME = 512 };

typedef struct bdf {
    iteration it;
    int k;       // order
    int k_used;  // order of the last accepted step: what the interpolant has
    int n_past;  // accepted points before the present one that phi knows
    int k_fixed; // > 0: the order is given, at most this one with variable steps
    bool keep;   // ... and it is not lowered
    starter starter;
    bool by_starter;  // the last attempt was the starter's
    double *y0, *yp0; // where it began, for Hermite interpolation over its step
    double past[BDF_ROWS + 1];
    double alpha[BDF_ROWS], beta[BDF_ROWS], gamma[BDF_ROWS], sigma[BDF_ROWS + 1];
    double *phi[BDF_ROWS], *work;
} bdf;

static size_t bdf_layout(void *state, const method_core *c, void *block)
{
    bdf *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    iteration_layout(&s->it, &b, n);
    for (int i = 0; i < BDF_ROWS; i++) s->phi[i] = bump_double(&b, n);
    s->work = bump_double(&b, n);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    return bump_end(&b);
}

static int bdf_open(method_core *c)
{
    bdf *s = c->state;
    s->keep = c->method->order_min == c->method->order_max;
    s->k_fixed = s->keep ? c->method->order_max : (int)c->opt[0];
    if (c->fixed && !s->k_fixed) s->k_fixed = BDF_ORDER_FIXED;
    int status = iteration_open(c, &s->it);
    if (status || !c->fixed || s->k_fixed < 2) return status;
    return starter_open(c, &s->starter);
}

static void bdf_close(method_core *c)
{
    bdf *s = c->state;
    iteration_close(c, &s->it);
    starter_close(&s->starter);
}

SIMD_CLONES static void predict_range(void *job, int first, int end)
{
    const method_core *c = job;
    const bdf *s = c->state;
    double *restrict y = c->y_new, *restrict yp = c->yp_new;
    for (int from = first; from < end; from += UNKNOWNS_AT_A_TIME) {
        int to = from + UNKNOWNS_AT_A_TIME < end ? from + UNKNOWNS_AT_A_TIME : end;
        const double *restrict last = s->phi[0], *restrict slope = s->phi[1];
        double b1 = s->beta[1], g1 = b1 * s->gamma[1];
        for (int i = from; i < to; i++) {
            y[i] = last[i] + b1 * slope[i];
            yp[i] = 0.0 + g1 * slope[i]; // never -0, as a sum is not
        }
        for (int j = 2; j <= s->k; j++) {
            const double *restrict phi = s->phi[j];
            double b = s->beta[j], g = b * s->gamma[j];
            for (int i = from; i < to; i++) {
                y[i] += b * phi[i];
                yp[i] += g * phi[i];
            }
        }
    }
}

static void bdf_predict(method_core *c)
{
    crew_over(c->norm.crew, predict_range, c, c->n);
}

static void clear_range(void *job, int from, int to)
{
    const method_core *c = job;
    const bdf *s = c->state;
    size_t bytes = (size_t)(to - from) * sizeof(double);
    memcpy(s->phi[0] + from, c->y + from, bytes);
    for (int i = 1; i < BDF_ROWS; i++) memset(s->phi[i] + from, 0, bytes);
}

static int bdf_start(method_core *c)
{
    bdf *s = c->state;
    if (!c->have_jac) s->it.g.c = 0;
    s->k = s->k_used = 1;
    s->n_past = 0;
    s->starter.going = false;
    if (s->k_fixed && !c->fixed) c->control.order_max = s->k_fixed;
    if (!c->p->project)
        s->it.predict = bdf_predict; // what projection moves is measured from a copy
    memset(s->past, 0, sizeof s->past);
    crew_over(c->norm.crew, clear_range, c, c->n);
    return 0;
}

/* Before the first step there is no second value: phi[1] = h y' continues the tangent backwards. */
static void bdf_tangent(const method_core *c, bdf *s, double h)
{
    for (int i = 0; i < c->n; i++) s->phi[1][i] = h * c->yp[i];
    for (int i = 1; i <= BDF_ROWS; i++) s->past[i] = i * h;
}

/* Operations for each row, with the leading coefficient: six quotients, as many products. */
static const double WORK_OF_COEFFICIENTS = 30;

static void bdf_coefficients(bdf *s, double h)
{
    int rows = s->k + 2;
    double psi = h;
    s->alpha[0] = s->beta[0] = s->sigma[0] = 1;
    s->gamma[0] = 0;
    for (int i = 1; i < rows; i++) {
        s->beta[i] = s->beta[i - 1] * psi / s->past[i];
        psi = h + s->past[i];
        s->alpha[i] = h / psi;
        s->sigma[i] = i * s->sigma[i - 1] * s->alpha[i];
        s->gamma[i] = s->gamma[i - 1] + s->alpha[i - 1] / h;
    }
    psi = h + s->past[rows];
    s->sigma[rows] = rows * s->sigma[rows - 1] * h / psi;
}

static double bdf_leading(int k)
{
    double sum = 0;
    for (int j = 1; j <= k; j++) sum += 1.0 / j;
    return sum;
}

/* The differences of order k to k + 2 that include the new value, and that of order 3; and their norms. */
typedef enum bdf_difference { HERE, LOWER, LOWEST, HIGHER, SECOND } bdf_difference;
enum { BDF_DIFFERENCES = SECOND };

typedef struct bdf_norms {
    method_core *c;
    const problem_norm *norm; // of one block
    double h, squares[BDF_DIFFERENCES];
    bool wanted[BDF_DIFFERENCES];
} bdf_norms;

/* Entries from ... to - 1; LOWEST follows LOWER, in the same place. */
SIMD_INLINE const double *bdf_differ_by(const bdf *s, bdf_difference which, int from, int to)
{
    const double *restrict e = s->it.sum;
    double *restrict w = s->work;
    int k = s->k;
    switch (which) {
    case HERE: return e;
    case LOWER:
        for (int i = from; i < to; i++) w[i] = e[i] + s->beta[k] * s->phi[k][i];
        break;
    case LOWEST:
        for (int i = from; i < to; i++) w[i] += s->beta[k - 1] * s->phi[k - 1][i];
        break;
    case HIGHER:
        for (int i = from; i < to; i++) w[i] = e[i] - s->beta[k + 1] * s->phi[k + 1][i];
        break;
    case SECOND:
        memcpy(w + from, e + from, (size_t)(to - from) * sizeof *w);
        for (int j = 3; j <= k; j++)
            for (int i = from; i < to; i++) w[i] += s->beta[j] * s->phi[j][i];
    }
    return w;
}

SIMD_CLONES static void norms_range(void *job, int from, int to, double sums[])
{
    const bdf_norms *q = job;
    for (int which = HERE; which < BDF_DIFFERENCES; which++)
        if (q->wanted[which])
            sums[which] = problem_squares_error(
                q->norm, bdf_differ_by(q->c->state, which, from, to), from, to, q->h);
        else sums[which] = 0;
}

static double bdf_norm_of(method_core *c, bdf_difference which, double h)
{
    return problem_norm_error(&c->norm, bdf_differ_by(c->state, which, 0, c->n_error), h);
}

/* The norms of those that are wanted, of long vectors in one go. */
static void bdf_norms_of(bdf_norms *q, double norm[BDF_DIFFERENCES])
{
    method_core *c = q->c;
    if (c->norm.blocks > 1 && c->norm.blocks_counted > 1) {
        for (int which = HERE; which < BDF_DIFFERENCES; which++)
            norm[which] = q->wanted[which] ? bdf_norm_of(c, which, q->h) : 0;
        return;
    }
    problem_norm first = c->norm.blocks > 1 ? problem_norm_block(&c->norm, 0) : c->norm;
    q->norm = &first;
    crew_sum(c->norm.crew, norms_range, q, c->n_error, BDF_DIFFERENCES, q->squares);
    for (int which = HERE; which < BDF_DIFFERENCES; which++)
        norm[which] = q->wanted[which] ? problem_of_squares_error(&first, q->squares[which]) : 0;
}

/* The error of the step, and what it would have been at the neighbouring orders. */
static void bdf_estimate(method_core *c, bdf *s, double h, step_result *result)
{
    int k = s->k;
    double norm[BDF_DIFFERENCES];
    bdf_norms q = {c, &c->norm, h, {0}, {true, k > 1, k > 2, s->n_past > k}};
    bdf_norms_of(&q, norm);
    double alpha_s = -bdf_leading(k), alpha_0 = 0;
    for (int i = 0; i < k; i++) alpha_0 -= s->alpha[i];
    double a = s->alpha[k];
    result->error = fmax(a, fabs(a + alpha_s - alpha_0)) * norm[HERE];
    result->error_here = s->sigma[k] * norm[HERE];
    double term = (k + 1) * result->error_here;
    bool ringing = false;
    if (k > 1) {
        result->error_lower = s->sigma[k - 1] * norm[LOWER];
        double lower = k * result->error_lower;
        if (k == 2) {
            result->lower = lower <= 0.5 * term;
        } else {
            double lowest = (k - 1) * s->sigma[k - 2] * norm[LOWEST];
            result->lower = fmax(lower, lowest) <= term;
            ringing = term >= DIFFERENCE_RATIO_RINGING * lower &&
                      lower >= DIFFERENCE_RATIO_RINGING * lowest;
        }
    }
    if (s->n_past > k) result->error_higher = s->sigma[k + 1] * norm[HIGHER];
    if (!s->keep && ringing && control_suspects(&c->control, k))
        result->error_second = s->sigma[2] * bdf_norm_of(c, SECOND, h);
    if (s->keep) result->lower = false, result->error_lower = -1;
}

/* The first steps of a given order with fixed steps. */
static int start_step(method_core *c, bdf *s, double t_new)
{
    size_t bytes = (size_t)c->n * sizeof(double);
    memcpy(s->it.y_predicted, c->y_new, bytes);
    int status = starter_step(c, &s->starter, t_new);
    for (int i = 0; i < c->n; i++) s->it.sum[i] = c->y_new[i] - s->it.y_predicted[i];
    return status;
}

static int bdf_attempt(method_core *c, double t_new, double h, step_result *result)
{
    bdf *s = c->state;
    if (s->n_past == 0) bdf_tangent(c, s, h);
    bdf_coefficients(s, h);
    c->run->stats.work += WORK_OF_COEFFICIENTS * (s->k + 2);
    bdf_predict(c);
    result->order = s->k;
    s->by_starter = c->fixed && s->n_past < s->k_fixed - 1;
    if (s->by_starter) return start_step(c, s, t_new);
    int status = iteration_solve(c, &s->it, t_new, bdf_leading(s->k) / h, h);
    if (status) return status;
    if (!c->fixed) bdf_estimate(c, s, h, result);
    // Rates of algebraic unknowns are not known at a start. Without them the difference to the
    // prediction is the whole change, and a decay after a switch would ask for no change at all.
    if (s->n_past == 0 && result->error > 1) core_straight_line(c, h, c->yp);
    c->error_vector = s->it.sum;
    return STEP_OK;
}

/* Differences of the new value, from the highest down: phi[j] = beta phi[j] + phi[j + 1]. */
SIMD_CLONES static void differ_range(void *job, int first, int end)
{
    const method_core *c = job;
    const bdf *s = c->state;
    double *restrict e = s->phi[s->k + 1];
    size_t bytes = (size_t)(end - first) * sizeof *e;
    if (c->projected)
        for (int i = first; i < end; i++) e[i] = c->y_new[i] - s->it.y_predicted[i];
    else memcpy(e + first, s->it.sum + first, bytes);
    for (int from = first; from < end; from += UNKNOWNS_AT_A_TIME) {
        int to = from + UNKNOWNS_AT_A_TIME < end ? from + UNKNOWNS_AT_A_TIME : end;
        for (int j = s->k; j >= 1; j--) {
            double *restrict phi = s->phi[j], b = s->beta[j];
            const double *restrict above = s->phi[j + 1];
            for (int i = from; i < to; i++) phi[i] = b * phi[i] + above[i];
        }
    }
    memcpy(s->phi[0] + first, c->y_new + first, bytes);
}

static int bdf_accept(method_core *c, double t_new, double h)
{
    bdf *s = c->state;
    int n = c->n, k = s->k;
    (void)t_new;
    if (s->by_starter) {
        memcpy(s->y0, c->y, (size_t)n * sizeof(double));
        memcpy(s->yp0, c->yp, (size_t)n * sizeof(double));
    }
    crew_over(c->norm.crew, differ_range, c, n);
    for (int i = BDF_ROWS; i >= 1; i--) s->past[i] = s->past[i - 1] + h;
    s->k_used = k;
    if (s->n_past < BDF_ROWS) s->n_past++;
    if (c->fixed && s->k < s->k_fixed) s->k++;
    return 0;
}

static int bdf_history(method_core *c, int k, double h, const double *const *y,
                       const double *const *yp)
{
    (void)yp;
    bdf *s = c->state;
    if (k >= BDF_ROWS - 1) k = BDF_ROWS - 2;
    for (int j = 1; j <= k; j++) memcpy(s->phi[j], y[j - 1], (size_t)c->n * sizeof(double));
    for (int pass = 1; pass <= k; pass++)
        for (int j = k; j >= pass; j--)
            for (int i = 0; i < c->n; i++) s->phi[j][i] = s->phi[j - 1][i] - s->phi[j][i];
    for (int i = 0; i <= BDF_ROWS; i++) s->past[i] = i * h;
    s->n_past = k;
    s->k = k + 1 < s->k_fixed ? k + 1 : s->k_fixed;
    return VINC_OK;
}

static void bdf_change_order(method_core *c, int change)
{
    bdf *s = c->state;
    (void)c;
    s->k += change;
    if (s->k < 1) s->k = 1;
}

/* The polynomial through the last k + 1 values, by Newton's form at t_n, t_{n-1}, ... */
static int bdf_blend(method_core *c, double t, method_blend *out)
{
    const bdf *s = c->state;
    double x = t - c->t, p = 1, dp = 0;
    if (s->by_starter) return core_blend_hermite(c, t, c->h_last, s->y0, s->yp0, out), 0;
    blend_add(out, 1, 0, s->phi[0]);
    for (int j = 1; j <= s->k_used; j++) {
        // p = product over i < j of (t - t_{n-i}) / (t_n - t_{n-i-1})
        double factor = (x + s->past[j - 1]) / s->past[j];
        dp = dp * factor + p / s->past[j];
        p *= factor;
        blend_add(out, p, dp, s->phi[j]);
    }
    return 0;
}

static int bdf_interpolate(method_core *c, double t, double *y, double *yp)
{
    method_blend b = {0};
    bdf_blend(c, t, &b);
    if (y) stages_blend(b.rows, b.weight, b.row, y, c->n);
    if (yp) stages_blend(b.rows, b.slope, b.row, yp, c->n);
    return 0;
}

static const method_ops bdf_ops = {
    .control = CONTROL_MULTISTEP,
    .by_products = true,
    .weighs_counted = true,
    .shared = true,
    .state_bytes = sizeof(bdf),
    .layout = bdf_layout,
    .open = bdf_open,
    .close = bdf_close,
    .start = bdf_start,
    .attempt = bdf_attempt,
    .accept = bdf_accept,
    .interpolate = bdf_interpolate,
    .blend = bdf_blend,
    .change_order = bdf_change_order,
    .history = bdf_history,
};

#define BDF_TRAITS                                                                                 \
    (METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_MULTISTEP | METHOD_INDEX2 |           \
     METHOD_INDEX3 | METHOD_STIFF)

/* The formula of order k with constant steps: sum over j of (1/j) nabla^j y = h f. */
static void bdf_formula_of_order(int k, method_multistep *out)
{
    *out = (method_multistep){.steps = k, .order = k, .beta = {1}};
    for (int j = 1; j <= k; j++) {
        double binomial = 1;
        for (int i = 0; i <= j; i++) {
            out->alpha[i] += (i % 2 ? -1 : 1) * binomial / j;
            binomial = binomial * (j - i) / (i + 1);
        }
    }
}

static const method_option bdf_options[] = {
    {.name = "order",
     .max = 5,
     .integer = true,
     .help = "highest order; with fixed steps the order (0: 5, with fixed steps 2)"},
    {0},
};

static void bdf_formula(const double *opt, method_multistep *out)
{
    bdf_formula_of_order(opt[0] > 0 ? (int)opt[0] : BDF_ORDER_FIXED, out);
}

const vinc_method vinc_method_bdf = {
    .name = "bdf",
    .summary = "variable-order BDF, fixed leading coefficient",
    .cite = "Brenan, Campbell & Petzold 1996, ch. 5",
    .order_min = 1,
    .order_max = 5,
    .traits = BDF_TRAITS | METHOD_VARIABLE_ORDER,
    .options = bdf_options,
    .ops = &bdf_ops,
    .multistep = bdf_formula,
    .kind = FORMULA_MULTISTEP,
};

#define BDF_OF_ORDER(k)                                                                            \
    static void bdf##k##_formula(const double *opt, method_multistep *out)                         \
    {                                                                                              \
        (void)opt;                                                                                 \
        bdf_formula_of_order(k, out);                                                              \
    }                                                                                              \
    const vinc_method vinc_method_bdf##k = {                                                       \
        .name = "bdf" #k,                                                                          \
        .summary = "BDF of order " #k,                                                             \
        .cite = "Hairer & Wanner II, section V.1",                                                 \
        .order_min = k,                                                                            \
        .order_max = k,                                                                            \
        .traits = BDF_TRAITS,                                                                      \
        .ops = &bdf_ops,                                                                           \
        .multistep = bdf##k##_formula,                                                             \
        .kind = FORMULA_MULTISTEP,                                                                 \
    };

BDF_OF_ORDER(1)
BDF_OF_ORDER(2)
BDF_OF_ORDER(3)
BDF_OF_ORDER(4)
BDF_OF_ORDER(5)
BDF_OF_ORDER(6)
