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
#include "method/method_whole.h"
#include "method/row_weights.h"
#include "method/stages.h"

#include <math.h>
#include <string.h>

typedef struct erk {
    erk_table t;
    erk_places at;
    double *block;  // of a step in one piece
    double *weight; // of all sums: those that are not 0
    int n_weights;
    int *first;           // by sum: its first weight; one more
    unsigned char *which; // by weight: of which stage
    double *k;            // stage derivatives, in the block
    double *error, *y_stage;
    double *y0, *yp0;                       // the point before the last accepted step
    double *dense;                          // the interpolant over that step
    bool offered;                           // steps in one piece ...
    double work_step, work_more, work_rows; // ... and what they count
    enum { NO_STAGES, STAGES, ALL_STAGES, PREPARED } ready;
    bool have_rows; // of dense output, beyond Hermite's
} erk;

/* ---- the formula ----------------------------------------------------------------------------- */

static void erk_complete(erk_table *t)
{
    int n = t->a.stages;
    t->fsal = t->a.c[n - 1] == 1;
    for (int j = 0; j < n; j++) {
        t->fsal = t->fsal && t->a.a[n - 1][j] == t->a.b[j];
        t->e[j] = t->a.b[j] - t->a.b_embedded[j];
        if (t->more && t->more->third) t->e3[j] = t->a.b[j] - t->more->third[j];
    }
    t->last = t->fsal ? n - 1 : n;
}

int erk_sums_of_step(const erk_table *t)
{
    return t->last + (t->a.order_embedded > 0) + (t->more && t->more->third);
}

erk_sum erk_sum_of_step(const erk_table *t, int k)
{
    if (k + 1 < t->last) return (erk_sum){t->a.a[k + 1], k + 1};
    if (k + 1 == t->last) return (erk_sum){t->a.b, t->last};
    return (erk_sum){k == t->last ? t->e : t->e3, t->a.stages};
}

static int erk_sums_of_dense(const erk_table *t)
{
    return t->more ? t->more->n_more + t->more->n_dense : 0;
}

erk_sum erk_sum_of_dense(const erk_table *t, int k)
{
    int more = t->more->n_more;
    if (k < more) return (erk_sum){t->more->more_a[k], t->last + 1 + k};
    return (erk_sum){t->more->dense[k - more], t->last + 1 + more};
}

static int erk_sums(const erk_table *t)
{
    return erk_sums_of_step(t) + erk_sums_of_dense(t);
}

/* Copies the weights that are not 0, unless there is no room for them; how many. */
static int erk_gather(erk_sum s, double *out)
{
    int n = 0;
    for (int j = 0; j < s.count; j++) {
        if (out && s.weight[j] != 0) out[n] = s.weight[j];
        n += s.weight[j] != 0;
    }
    return n;
}

static int erk_gather_all(const erk_table *t, double *out, int *of_step)
{
    int n = 0;
    for (int k = 0; k < erk_sums_of_step(t); k++)
        n += erk_gather(erk_sum_of_step(t, k), out ? out + n : NULL);
    if (of_step) *of_step = n;
    for (int k = 0; k < erk_sums_of_dense(t); k++)
        n += erk_gather(erk_sum_of_dense(t, k), out ? out + n : NULL);
    return n;
}

erk_places erk_place(const erk_table *t, int n)
{
    erk_places x;
    int of_step, stages = t->a.stages + 1 + (t->more ? t->more->n_more : 0);
    x.norm = ERK_IN_WEIGHTS + erk_gather_all(t, NULL, &of_step);
    x.weights_of_dense = ERK_IN_WEIGHTS + of_step;
    x.k = x.norm + n;
    x.error = x.k + stages * n;
    x.squares = x.error + n;
    x.squares_3 = x.squares + 1;
    x.slopes = x.squares + 2;
    x.points = x.squares + 3;
    x.finite = x.squares + 4;
    x.end = x.squares + 5;
    return x;
}

/* Where the weights of each sum are, and of which stages they are. */
static void erk_list(erk *s)
{
    const erk_table *t = &s->t;
    int n = 0, of_step = erk_sums_of_step(t);
    for (int k = 0; k < erk_sums(t); k++) {
        erk_sum x = k < of_step ? erk_sum_of_step(t, k) : erk_sum_of_dense(t, k - of_step);
        s->first[k] = n;
        for (int j = 0; j < x.count; j++)
            if (x.weight[j] != 0) s->which[n++] = (unsigned char)j;
    }
    s->first[erk_sums(t)] = n;
}

static size_t erk_layout(void *state, const method_core *c, void *block)
{
    erk *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    if (!block) {
        core_tableau(c, &s->t.a);
        s->t.more = c->method->detail;
        erk_complete(&s->t);
        s->at = erk_place(&s->t, c->n);
        s->n_weights = s->at.norm - ERK_IN_WEIGHTS;
    }
    s->block = bump_double(&b, (size_t)s->at.end);
    s->weight = bump_double(&b, (size_t)s->n_weights);
    s->first = bump_int(&b, (size_t)erk_sums(&s->t) + 1);
    s->which = bump_bytes(&b, (size_t)s->n_weights);
    s->y_stage = bump_double(&b, n);
    s->y0 = bump_double(&b, n);
    s->yp0 = bump_double(&b, n);
    s->dense = bump_double(&b, s->t.more ? (size_t)(4 + s->t.more->n_dense) * n : 0);
    return bump_end(&b);
}

/* A formula that is registered is constant. */
static bool erk_is_offered(const method_core *c)
{
    return c->p->whole_step && c->p->whole_kinds & VINC_WHOLE_EXPLICIT && !c->own;
}

double erk_whole_work(const vinc_problem *p, int evaluations, int terms)
{
    return WHOLE_PART_OF_WORK * (evaluations * (p->work_rhs - p->work_call) + (double)terms * p->n);
}

static int erk_open(method_core *c)
{
    erk *s = c->state;
    const erk_table *t = &s->t;
    s->k = s->block + s->at.k;
    s->error = s->block + s->at.error;
    erk_gather_all(t, s->weight, NULL);
    erk_list(s);
    s->offered = erk_is_offered(c);
    if (!s->offered) return VINC_OK;
    s->work_step = erk_whole_work(c->p, t->last, t->a.stages * t->a.stages / 2);
    if (!t->more) return VINC_OK;
    s->work_more = erk_whole_work(c->p, t->more->n_more, t->more->n_more * t->a.stages);
    s->work_rows = erk_whole_work(c->p, 0, t->more->n_dense * t->a.stages);
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
    int i = s->t.last - 1;
    const double *k = s->k + (size_t)i * (size_t)c->n;
    double slopes = 0, points = 0;
    if (i < 1 || s->t.a.c[i] != 1) return 0;
    for (int m = 0, n = c->n / c->norm.blocks; m < n; m++) { // others have the same modes
        if (!c->all_differential && !c->p->differential[m]) continue;
        double df = c->yp_new[m] - k[m], dy = c->y_new[m] - s->y_stage[m];
        slopes += df * df;
        points += dy * dy;
    }
    return points > 0 ? h * sqrt(slopes / points) : 0;
}

SIMD_CLONES static void erk_scale(double h, const double *restrict in, double *restrict out, int n)
{
    for (int i = 0; i < n; i++) out[i] = h * in[i];
}

/* Weights of sums between two places in the block, times h. */
static void erk_weigh(erk *s, double h, int first, int end)
{
    erk_scale(h, s->weight + first - ERK_IN_WEIGHTS, s->block + first, end - first);
}

/* Sum k over the stages, with weights that have been scaled. */
static void erk_add_up(const erk *s, int k, const double *base, double *out, int n)
{
    int first = s->first[k];
    stages_sum_listed(s->first[k + 1] - first, s->block + ERK_IN_WEIGHTS + first, s->which + first,
                      s->k, base, out, n);
}

/* Stages and the new point. */
static int erk_in_pieces(method_core *c, erk *s, double t_new, double h)
{
    size_t n = (size_t)c->n;
    int last = s->t.last;
    erk_weigh(s, h, ERK_IN_WEIGHTS, s->at.weights_of_dense);
    core_count_sums(c, s->t.a.stages * s->t.a.stages / 2);
    for (int i = 1; i < last; i++) {
        erk_add_up(s, i - 1, c->y, s->y_stage, c->n);
        core_hold_algebraic(c, s->y_stage);
        int status = problem_stage(c->p, &c->run->stats, c->t + s->t.a.c[i] * h, s->y_stage,
                                   s->k + (size_t)i * n);
        if (status) return step_status(status);
    }
    erk_add_up(s, last - 1, c->y, c->y_new, c->n);
    core_hold_algebraic(c, c->y_new);
    int status = erk_evaluate(c, t_new, c->y_new, c->yp_new);
    if (status) return status;
    c->met = true;
    c->run->h_rate = erk_rate(c, s, h);
    memcpy(s->k + (size_t)last * n, c->yp_new, n * sizeof *s->k);
    return STEP_OK;
}

/* ---- in one piece ---------------------------------------------------------------------------- */

static int erk_ask(const method_core *c, erk *s, method_whole *step, double h, int first, int end)
{
    step->formula = c->method;
    step->table = &s->t;
    step->t = c->t;
    step->in = step->out = s->block;
    s->block[ERK_IN_H] = h;
    erk_weigh(s, h, first, end);
    return c->p->whole_step(c->p->user, step);
}

static int erk_in_one(method_core *c, erk *s, double t_new, double h)
{
    size_t bytes = (size_t)c->n * sizeof *s->k;
    const double *x = s->block;
    method_whole step = {.of = WHOLE_EXPLICIT, .y = c->y, .out2 = c->y_new};
    s->block[ERK_IN_END] = t_new;
    memcpy(s->block + s->at.norm, c->norm.inv, bytes);
    int status = erk_ask(c, s, &step, h, ERK_IN_WEIGHTS, s->at.weights_of_dense);
    if (status) return status;
    memcpy(c->yp_new, s->k + s->t.last * c->n, bytes);
    c->run->stats.rhs_evals += s->t.last;
    c->run->h_rate = x[s->at.points] > 0 ? h * sqrt(x[s->at.slopes] / x[s->at.points]) : 0;
    return 0;
}

static double erk_error(const method_core *c, erk *s, double h, bool whole)
{
    bool known = whole && problem_norm_is_plain(&c->norm);
    if (!whole) erk_add_up(s, s->t.last, NULL, s->error, c->n);
    double e = known ? problem_of_squares_error(&c->norm, s->block[s->at.squares])
                     : problem_norm_error(&c->norm, s->error, h);
    if (!s->t.more || !s->t.more->third || !(e > 0)) return e;
    // The third formula stretches the estimate where the two differ in size.
    if (!known) erk_add_up(s, s->t.last + 1, NULL, s->y_stage, c->n);
    double third = known ? problem_of_squares_error(&c->norm, s->block[s->at.squares_3])
                         : problem_norm_error(&c->norm, s->y_stage, h);
    double apart = 0.1 * third / e;
    return e / sqrt(1 + apart * apart);
}

static int erk_attempt(method_core *c, double t_new, double h, step_result *result)
{
    erk *s = c->state;
    double work = c->run->stats.work;
    s->ready = NO_STAGES;
    memcpy(s->k, c->yp, (size_t)c->n * sizeof *s->k);
    int status = s->offered ? erk_in_one(c, s, t_new, h) : 1;
    bool whole = !status;
    if (status < 0) return STEP_STOP;
    if (!whole) status = erk_in_pieces(c, s, t_new, h);
    if (s->offered) c->run->stats.work = work + s->work_step;
    if (status) return status;
    result->order = s->t.a.order;
    if (c->fixed || !s->t.a.order_embedded) return STEP_OK;
    result->order = s->t.a.order_embedded;
    result->error = erk_error(c, s, h, whole);
    c->error_vector = s->error;
    return STEP_OK;
}

static int erk_accept(method_core *c, double t_new, double h)
{
    erk *s = c->state;
    (void)h;
    memcpy(s->y0, c->y, (size_t)c->n * sizeof *s->y0);
    memcpy(s->yp0, c->yp, (size_t)c->n * sizeof *s->yp0);
    s->ready = s->t.more ? STAGES : NO_STAGES;
    if (!c->projected) return 0;
    return problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
}

/* ---- dense output ---------------------------------------------------------------------------- */

/* Further stages that the interpolant needs. */
static int erk_more_in_pieces(method_core *c, erk *s)
{
    size_t n = (size_t)c->n;
    const erk_detail *more = s->t.more;
    double h = c->h_last;
    core_count_sums(c, more->n_more * s->t.a.stages);
    erk_weigh(s, h, s->at.weights_of_dense, s->at.norm);
    for (int m = 0; m < more->n_more; m++) {
        int i = s->t.last + 1 + m;
        erk_add_up(s, erk_sums_of_step(&s->t) + m, s->y0, s->y_stage, c->n);
        if (!c->all_differential)
            for (size_t q = 0; q < n; q++)
                if (!c->p->differential[q]) s->y_stage[q] = s->y0[q];
        int status = problem_stage(c->p, &c->run->stats, c->t - h + more->more_c[m] * h, s->y_stage,
                                   s->k + (size_t)i * n);
        if (status) return status;
    }
    return 0;
}

static int erk_more_stages(method_core *c, erk *s)
{
    double work = c->run->stats.work;
    method_whole step = {.of = WHOLE_DENSE, .y = s->y0, .out2 = s->dense + 4 * (size_t)c->n};
    bool one = s->offered && s->t.more->n_more; // rows alone are a few sums
    int status = one ? erk_ask(c, s, &step, c->h_last, s->at.weights_of_dense, s->at.norm) : 1;
    if (status < 0) return status;
    s->have_rows = !status;
    if (status) status = erk_more_in_pieces(c, s);
    else c->run->stats.rhs_evals += s->t.more->n_more;
    if (s->offered) c->run->stats.work = work + s->work_more;
    if (!status) s->ready = ALL_STAGES;
    return status;
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
    const erk_detail *more = s->t.more;
    if (status) return status;
    if (s->offered) c->run->stats.work += s->work_rows;
    else core_count_sums(c, more->n_dense * s->t.a.stages);
    for (int m = 0; m < more->n_dense && !s->have_rows; m++)
        erk_add_up(s, erk_sums_of_step(&s->t) + more->n_more + m, NULL,
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
    int rows = 4 + s->t.more->n_dense;
    weight[0] = 1;
    for (int m = 0; m + 1 < rows; m++) weight[m + 1] = weight[m] * (m % 2 ? 1 - u : u);
    if (!rate) return rows;
    rate[0] = 0;
    for (int m = 0; m + 1 < rows; m++)
        rate[m + 1] = rate[m] * (m % 2 ? 1 - u : u) + (m % 2 ? -weight[m] : weight[m]);
    return rows;
}

static void erk_between(const method_core *c, const erk *s, double t, bool slope, double *out)
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
    for (int j = 0; j <= s->t.last + s->t.more->n_more; j++) {
        double sum = 0, slope = 0;
        for (int m = 4; m < rows; m++) {
            sum += w[m] * s->t.more->dense[m - 4][j];
            slope += rate[m] * s->t.more->dense[m - 4][j];
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
    out->rows = 4 + s->t.more->n_dense;
    row_weights_alternating(out->rows, t, c->t, c->h_last, out->weight);
    for (int m = 0; m < out->rows; m++) out->row[m] = s->dense + (size_t)m * (size_t)c->n;
    return 0;
}

static int erk_slope(method_core *c, double t, double *yp)
{
    erk *s = c->state;
    int status = s->ready == STAGES || s->ready == ALL_STAGES ? erk_prepare(c, s) : 0;
    if (status) return status;
    if (s->ready == PREPARED) erk_between(c, s, t, true, yp);
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
    if (s->ready == PREPARED) erk_between(c, s, t, false, y);
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
    return ((const erk *)c->state)->t.a.stages;
}

/* Every row beyond Hermite's raises the order by one. */
static int erk_inner_order(const method_core *c)
{
    const erk *s = c->state;
    return INNER_ORDER_HERMITE + (s->t.more ? s->t.more->n_dense : 0);
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
