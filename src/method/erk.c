/* Explicit Runge-Kutta: one engine for every tableau.
 *
 * y' at the end of a step is evaluated once and serves as the first stage of the next one, as the
 * derivative reported and as an end of the Hermite interpolant; a tableau whose last stage is that
 * evaluation (first same as last) shares it. The embedded formula gives the error estimate; the
 * step advances with the formula of higher order (local extrapolation).
 *
 * Dense output is Hermite's, or that which the method brings (erk_detail), prepared when first
 * asked for.
 *
 * E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, sections
 * II.1-II.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/erk.h"

#include "la/simd.h"
#include "method/row_weights.h"
#include "method/stages.h"

#include <math.h>
#include <string.h>

typedef struct erk {
    method_tableau a;
    const erk_detail *more;           // NULL: nothing
    double e[METHOD_STAGES_MAX + 1];  // b - b_embedded; entry s weighs the derivative at the new
                                      // point
    double e3[METHOD_STAGES_MAX + 1]; // b less the third formula
    bool fsal;                        // the last stage is the new point
    int last;                         // y' at the new point is this stage
    double *k;                        // stage derivatives
    double *error, *y_stage;
    double *y0, *yp0; // the point before the last accepted step
    double *dense;    // the interpolant over that step
    enum { NO_STAGES, STAGES, ALL_STAGES, PREPARED } ready;
} erk;

static size_t erk_layout(void *state, const method_core *c, void *block)
{
    erk *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    if (!block) core_tableau(c, &s->a), s->more = c->method->detail;
    s->k = bump_double(&b, (size_t)(s->a.stages + 1 + (s->more ? s->more->n_more : 0)) * n);
    s->error = bump_double(&b, n);
    s->y_stage = bump_double(&b, n);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    s->dense = bump_double(&b, s->more ? (size_t)(4 + s->more->n_dense) * n : 0);
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
        if (s->more && s->more->third) s->e3[j] = s->a.b[j] - s->more->third[j];
    }
    s->last = s->fsal ? n - 1 : n;
    return VINC_OK;
}

/* The derivative at the start also fills the dependent unknowns. */
static int erk_start(method_core *c)
{
    return problem_rhs(c->p, &c->run->stats, c->t, c->y, c->yp);
}

static int erk_evaluate(method_core *c, double t, double *y, double *k)
{
    int status = problem_rhs(c->p, &c->run->stats, t, y, k);
    return step_status(status);
}

/* The last stage and the new point are two points at the same time: what f makes of their difference shows
 * the fastest mode, of which it consists where that limits the step (E. Hairer & G. Wanner II, section
 * IV.2). */
static double erk_rate(const method_core *c, const erk *s, double h)
{
    int i = s->last - 1;
    const double *k = s->k + (size_t)i * (size_t)c->n;
    double slopes = 0, points = 0;
    if (i < 1 || s->a.c[i] != 1) return 0;
    for (int m = 0, n = c->n / c->norm.blocks; m < n; m++) { // others have the same modes
        double df = c->yp_new[m] - k[m], dy = c->y_new[m] - s->y_stage[m];
        slopes += df * df;
        points += dy * dy;
    }
    return points > 0 ? h * sqrt(slopes / points) : 0;
}

static int erk_attempt(method_core *c, double t_new, double h, step_result *result)
{
    erk *s = c->state;
    size_t n = (size_t)c->n;
    int stages = s->a.stages, last = s->last;
    s->ready = NO_STAGES;
    core_count_sums(c, stages * stages / 2);
    memcpy(s->k, c->yp, n * sizeof *s->k);
    for (int i = 1; i < last; i++) {
        stages_sum(i, s->a.a[i], h, s->k, c->y, s->y_stage, c->n);
        core_hold_algebraic(c, s->y_stage);
        int status = erk_evaluate(c, c->t + s->a.c[i] * h, s->y_stage, s->k + (size_t)i * n);
        if (status) return status;
    }
    stages_sum(last, s->a.b, h, s->k, c->y, c->y_new, c->n);
    core_hold_algebraic(c, c->y_new);
    int status = erk_evaluate(c, t_new, c->y_new, c->yp_new);
    if (status) return status;
    c->run->h_rate = erk_rate(c, s, h);
    memcpy(s->k + (size_t)last * n, c->yp_new, n * sizeof *s->k);

    result->order = s->a.order;
    if (c->fixed || !s->a.order_embedded) return STEP_OK;
    stages_sum(stages, s->e, h, s->k, NULL, s->error, c->n);
    c->error_vector = s->error;
    result->order = s->a.order_embedded;
    result->error = problem_norm_error(&c->norm, s->error, h);
    if (!s->more || !s->more->third || !(result->error > 0)) return STEP_OK;
    // The third formula stretches the estimate where the two differ in size.
    double e = result->error;
    stages_sum(stages, s->e3, h, s->k, NULL, s->y_stage, c->n);
    result->error = e * e / hypot(e, 0.1 * problem_norm_error(&c->norm, s->y_stage, h));
    return STEP_OK;
}

static int erk_accept(method_core *c, double t_new, double h)
{
    erk *s = c->state;
    (void)h;
    memcpy(s->y0, c->y, (size_t)c->n * sizeof *s->y0);
    memcpy(s->yp0, c->yp, (size_t)c->n * sizeof *s->yp0);
    s->ready = s->more ? STAGES : NO_STAGES;
    if (!c->projected) return 0;
    return problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
}

/* ---- dense output ---------------------------------------------------------------------------- */

/* Further stages that the interpolant needs. */
static int erk_more_stages(method_core *c, erk *s)
{
    size_t n = (size_t)c->n;
    double h = c->h_last;
    core_count_sums(c, s->more->n_more * s->a.stages);
    for (int m = 0; m < s->more->n_more; m++) {
        int i = s->last + 1 + m;
        stages_sum(i, s->more->more_a[m], h, s->k, s->y0, s->y_stage, c->n);
        if (!c->all_differential)
            for (size_t q = 0; q < n; q++)
                if (!c->p->differential[q]) s->y_stage[q] = s->y0[q];
        int status = problem_rhs(c->p, &c->run->stats, c->t - h + s->more->more_c[m] * h,
                                 s->y_stage, s->k + (size_t)i * n);
        if (status) return status;
    }
    s->ready = ALL_STAGES;
    return 0;
}

/* y = d_0 + u (d_1 + v (d_2 + u (d_3 + v (d_4 + ... with v = 1 - u: the first four rows are
 * Hermite's, the others come with the method. */
SIMD_CLONES static void hermite_rows(const method_core *c, const erk *s)
{
    int n = c->n;
    double h = c->h_last, *restrict d = s->dense, *restrict d1 = d + n, *restrict d2 = d1 + n,
           *restrict d3 = d2 + n;
    const double *restrict y = c->y, *restrict yp = c->yp, *restrict y0 = s->y0,
                           *restrict yp0 = s->yp0;
    for (int i = 0; i < n; i++) {
        double diff = y[i] - y0[i], slope = h * yp0[i] - diff;
        d[i] = y0[i];
        d1[i] = diff;
        d2[i] = slope;
        d3[i] = diff - h * yp[i] - slope;
    }
}

static int erk_prepare(method_core *c, erk *s)
{
    int status = s->ready == STAGES ? erk_more_stages(c, s) : 0, n = c->n;
    if (status) return status;
    core_count_sums(c, s->more->n_dense * s->a.stages);
    for (int m = 0; m < s->more->n_dense; m++)
        stages_sum(s->last + 1 + s->more->n_more, s->more->dense[m], c->h_last, s->k, NULL,
                   s->dense + (size_t)(4 + m) * (size_t)n, n);
    hermite_rows(c, s);
    s->ready = PREPARED;
    return 0;
}

/* The weights of the rows, and their derivatives by u; rate NULL: not asked for. */
static int erk_weights(const method_core *c, const erk *s, double t, double weight[ERK_ROWS],
                       double *rate)
{
    double u = (t - (c->t - c->h_last)) / c->h_last;
    int rows = 4 + s->more->n_dense;
    weight[0] = 1;
    for (int m = 0; m + 1 < rows; m++) weight[m + 1] = weight[m] * (m % 2 ? 1 - u : u);
    if (!rate) return rows;
    rate[0] = 0;
    for (int m = 0; m + 1 < rows; m++)
        rate[m + 1] = rate[m] * (m % 2 ? 1 - u : u) + (m % 2 ? -weight[m] : weight[m]);
    return rows;
}

static void erk_whole(const method_core *c, const erk *s, double t, bool slope, double *out)
{
    double weight[ERK_ROWS], rate[ERK_ROWS];
    const double *row[ERK_ROWS];
    int rows = erk_weights(c, s, t, weight, slope ? rate : NULL);
    for (int m = 0; m < rows; m++) {
        row[m] = s->dense + (size_t)m * (size_t)c->n;
        if (slope) rate[m] /= c->h_last;
    }
    stages_blend(rows, slope ? rate : weight, row, out, c->n);
}

/* The rows of the interpolant in the values and stages that they are made of. */
static int erk_blend(method_core *c, double t, method_blend *out)
{
    erk *s = c->state;
    double w[ERK_ROWS], rate[ERK_ROWS], h = c->h_last;
    if (t == c->run->t_old || s->ready == NO_STAGES)
        return core_blend_hermite(c, t, h, s->y0, s->yp0, out), 0;
    int status = s->ready == STAGES ? erk_more_stages(c, s) : 0;
    if (status) return status;
    int rows = erk_weights(c, s, t, w, rate);
    double up = w[1] - w[2] + 2 * w[3], slope_up = (rate[1] - rate[2] + 2 * rate[3]) / h;
    blend_add(out, w[0] - up, -slope_up, s->y0);
    blend_add(out, up, slope_up, c->y);
    blend_add(out, h * (w[2] - w[3]), rate[2] - rate[3], s->yp0);
    blend_add(out, -h * w[3], -rate[3], c->yp);
    for (int j = 0; j <= s->last + s->more->n_more; j++) {
        double sum = 0, slope = 0;
        for (int m = 4; m < rows; m++) {
            sum += w[m] * s->more->dense[m - 4][j];
            slope += rate[m] * s->more->dense[m - 4][j];
        }
        if (sum != 0 || slope != 0) blend_add(out, h * sum, slope, s->k + (size_t)j * (size_t)c->n);
    }
    return 0;
}

static int erk_lanes(method_core *c, const double *t, method_lanes *out)
{
    erk *s = c->state;
    int status = s->ready == STAGES || s->ready == ALL_STAGES ? erk_prepare(c, s) : 0;
    if (status || s->ready != PREPARED) return status ? status : core_lanes(c, t, out);
    out->rows = 4 + s->more->n_dense;
    row_weights_alternating(out->rows, t, c->t, c->h_last, out->weight);
    for (int m = 0; m < out->rows; m++) out->row[m] = s->dense + (size_t)m * (size_t)c->n;
    return 0;
}

static int erk_slope(method_core *c, double t, double *yp)
{
    erk *s = c->state;
    int status = s->ready == STAGES || s->ready == ALL_STAGES ? erk_prepare(c, s) : 0;
    if (status) return status;
    if (s->ready == PREPARED) erk_whole(c, s, t, true, yp);
    else core_hermite(c, t, c->h_last, s->y0, s->yp0, NULL, yp);
    return 0;
}

static int erk_interpolate(method_core *c, double t, double *y, double *yp)
{
    erk *s = c->state;
    int status = 0;
    if (!y) y = s->y_stage;
    if (t == c->run->t_old) {
        memcpy(y, s->y0, (size_t)c->n * sizeof *y);
        if (yp) memcpy(yp, s->yp0, (size_t)c->n * sizeof *yp);
        return 0;
    }
    if (s->ready == STAGES || s->ready == ALL_STAGES) status = erk_prepare(c, s);
    if (status) return status;
    if (s->ready == PREPARED) erk_whole(c, s, t, false, y);
    else core_hermite(c, t, c->h_last, s->y0, s->yp0, y, NULL);
    // Dependent unknowns there, and y', come from the right-hand side.
    if (!yp && c->all_differential) return 0;
    if (!c->all_differential)
        for (int i = 0; i < c->n; i++)
            if (!c->p->differential[i]) y[i] = s->y0[i];
    return problem_rhs(c->p, &c->run->stats, t, y, yp ? yp : s->error);
}

static int erk_stages(const method_core *c)
{
    return ((const erk *)c->state)->a.stages;
}

/* Every row beyond Hermite's raises the order by one. */
static int erk_inner_order(const method_core *c)
{
    const erk *s = c->state;
    return INNER_ORDER_HERMITE + (s->more ? s->more->n_dense : 0);
}

const method_ops erk_ops = {
    .control = CONTROL_PI,
    .weighs_counted = true,
    .state_bytes = sizeof(erk),
    .layout = erk_layout,
    .open = erk_open,
    .start = erk_start,
    .attempt = erk_attempt,
    .accept = erk_accept,
    .interpolate = erk_interpolate,
    .blend = erk_blend,
    .lanes = erk_lanes,
    .slope = erk_slope,
    .inner_order = erk_inner_order,
    .stages = erk_stages,
};
