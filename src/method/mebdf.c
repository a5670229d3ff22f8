/* Modified extended BDF: a k-step method of order k + 1 with the stability of lower-order BDF.
 *
 * Each step solves three systems with one matrix: BDF of order k to t_{n+1} and once more to
 * t_{n+2}, then an extended formula that uses y' at both. With backward differences, h y' = sum
 * nabla^m y / m and h y'_{n+2} = sum H_m nabla^m y_{n+1}, H_m the harmonic numbers, so
 *
 *     sum_{m=1..k} a_m nabla^m y_{n+1} = h y'_{n+1} + h b' y'_{n+2},
 *     b' = -1/((k + 1) H_{k+1}),   a_m = 1/m + b' H_m
 *
 * has order k + 1. Writing y'_{n+1} in part with the value of the first solution gives it the
 * matrix of BDF. J. R. Cash, Comput. Math. Appl. 9 (1983) 645-657; A-stable to order 4.
 *
 * History is kept as backward differences on an even grid, which is laid anew when h changes (as in
 * L. F. Shampine & M. W. Reichelt, SIAM J. Sci. Comput. 18 (1997) 1-22). The error estimate is that
 * of BDF; the result is of higher order. Nothing is evaluated beyond the limit of the run: where
 * t_{n+2} lies there, the step is one of BDF.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/corrector.h"
#include "method/method_list.h"
#include "method/starter.h"

#include <math.h>
#include <string.h>

enum { K_MAX = 6, MEBDF_ROWS = K_MAX + 3, MEBDF_ORDER_FIXED = 3 };

typedef struct mebdf {
    iteration it;
    starter starter;
    int k;       // steps; the order is k + 1
    int k_fixed; // > 0: given, at most this one with variable steps
    int k_used;  // of the last accepted step
    int n_past;  // accepted points before the present one that the differences know
    bool by_starter;
    double h;                   // spacing of the differences
    double *d[MEBDF_ROWS];      // nabla^m y_n
    double *next[MEBDF_ROWS];   // ... of the first solution at t_{n+1}
    double *predicted, *change; // sum of d; y_{n+1} less that
    double *yp1, *yp2;          // y' of the first two solutions
    double *w;
} mebdf;

static size_t mebdf_layout(void *state, const method_core *c, void *block)
{
    mebdf *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    iteration_layout(&s->it, &b, n);
    for (int i = 0; i < MEBDF_ROWS; i++)
        s->d[i] = bump_double(&b, n), s->next[i] = bump_double(&b, n);
    double **arrays[] = {&s->predicted, &s->change, &s->yp1, &s->yp2, &s->w};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    return bump_end(&b);
}

static int mebdf_open(method_core *c)
{
    mebdf *s = c->state;
    s->k_fixed = c->opt[0] > 0 ? (int)c->opt[0] - 1 : c->fixed ? MEBDF_ORDER_FIXED : 0;
    int status = iteration_open(c, &s->it);
    if (!c->fixed) s->it.tol *= 0.1; // the result is of higher order than the estimate
    return status || !c->fixed ? status : starter_open(c, &s->starter);
}

static void mebdf_close(method_core *c)
{
    mebdf *s = c->state;
    iteration_close(c, &s->it);
    starter_close(&s->starter);
}

static int mebdf_start(method_core *c)
{
    mebdf *s = c->state;
    if (!c->have_jac) s->it.g.c = 0;
    s->k = s->k_used = 1;
    s->n_past = 0;
    s->h = 0;
    s->starter.going = false;
    c->control.order_max = s->k_fixed && !c->fixed ? s->k_fixed : K_MAX;
    for (int i = 0; i < MEBDF_ROWS; i++) memset(s->d[i], 0, (size_t)c->n * sizeof(double));
    memcpy(s->d[0], c->y, (size_t)c->n * sizeof(double));
    return 0;
}

static double harmonic(int m)
{
    double sum = 0;
    for (int j = 1; j <= m; j++) sum += 1.0 / j;
    return sum;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* R_ij = prod_{m=1..i} (m - 1 - j r)/m: the i-th backward polynomial at t_n - j r h. */
static void values_at(int q, double r, double m[MEBDF_ROWS][MEBDF_ROWS])
{
    for (int j = 0; j <= q; j++) {
        m[0][j] = 1;
        for (int i = 1; i <= q; i++) m[i][j] = m[i - 1][j] * (i - 1 - j * r) / i;
    }
}

/* The same polynomial on a grid of spacing h. */
static void lay_grid(const method_core *c, mebdf *s, double h)
{
    double to[MEBDF_ROWS][MEBDF_ROWS], back[MEBDF_ROWS][MEBDF_ROWS], m[MEBDF_ROWS][MEBDF_ROWS];
    int q = s->k + 1, n = c->n;
    if (s->h == 0) { // the tangent
        for (int i = 0; i < n; i++) s->d[1][i] = h * c->yp[i];
        s->h = h;
        return;
    }
    // Values twice, with a quotient each, their product, and that with the differences.
    c->run->stats.work += (q + 1) * (q + 1) * (2.0 * 6 + 2.0 * (q + 1) + 2.0 * n);
    values_at(q, h / s->h, to);
    values_at(q, 1, back); // its own inverse
    for (int i = 0; i <= q; i++)
        for (int j = 0; j <= q; j++) {
            m[i][j] = 0;
            for (int l = 0; l <= q; l++) m[i][j] += to[i][l] * back[l][j];
        }
    for (int x = 0; x < n; x++) {
        double old[MEBDF_ROWS];
        for (int i = 0; i <= q; i++) old[i] = s->d[i][x];
        for (int j = 0; j <= q; j++) {
            double sum = 0;
            for (int i = 0; i <= q; i++) sum += old[i] * m[i][j];
            s->d[j][x] = sum;
        }
    }
    for (int j = q + 1; j < MEBDF_ROWS; j++) memset(s->d[j], 0, (size_t)n * sizeof(double));
    s->h = h;
}

/* Differences at the next point, whose value differs from the sum of the old ones by e. */
static void mebdf_advance(int n, int k, double *const *from, const double *e, double **to)
{
    for (int i = 0; i < n; i++) {
        to[k + 2][i] = e[i] - from[k + 1][i];
        to[k + 1][i] = e[i];
    }
    for (int m = k; m >= 0; m--)
        for (int i = 0; i < n; i++) to[m][i] = from[m][i] + to[m + 1][i];
}

/* ---- one step -------------------------------------------------------------------------------- */

/* BDF from differences d: the guess is their sum, y' there sum H_m d_m / h. */
static int solve_bdf(method_core *c, mebdf *s, double *const *d, double t, double h)
{
    int n = c->n;
    memcpy(c->y_new, d[0], (size_t)n * sizeof(double));
    memset(c->yp_new, 0, (size_t)n * sizeof(double));
    for (int m = 1; m <= s->k; m++) {
        const double *restrict x = d[m];
        double g = harmonic(m) / h;
        for (int i = 0; i < n; i++) c->y_new[i] += x[i], c->yp_new[i] += g * x[i];
    }
    return iteration_solve(c, &s->it, t, harmonic(s->k) / h, h);
}

/* The extended formula; y_new holds the second solution, which is no guess for the first point. */
static int solve_extended(method_core *c, mebdf *s, double t, double h)
{
    int n = c->n, k = s->k;
    double b2 = -1 / ((k + 1) * harmonic(k + 1)), sum = 0, a[MEBDF_ROWS];
    for (int m = 1; m <= k; m++) a[m] = sum += 1.0 / m + b2 * harmonic(m);
    double b1 = sum / harmonic(k), coefficient = harmonic(k) / h; // weight of the new y'
    for (int i = 0; i < n; i++) {
        double known = -h * b2 * s->yp2[i] - h * (1 - b1) * s->yp1[i];
        for (int m = 1; m <= k; m++) known += a[m] * s->d[m][i];
        c->y_new[i] = s->next[0][i];
        c->yp_new[i] = known / (h * b1) + coefficient * (c->y_new[i] - s->predicted[i]);
    }
    return iteration_solve(c, &s->it, t, coefficient, h);
}

/* Errors of BDF at this order and its neighbours, from differences that include the new value. A
 * lower order is asked for where differences do not shrink from order to order. */
static void mebdf_estimate(method_core *c, mebdf *s, double h, step_result *result)
{
    int n = c->n, k = s->k;
    double here = problem_norm_error(&c->norm, s->change, h), lower = 0, lowest = 0;
    result->order = k;
    result->even = true;
    result->error = result->error_here = here / ((k + 1) * harmonic(k));
    if (k > 1) {
        for (int i = 0; i < n; i++) s->w[i] = s->change[i] + s->d[k][i];
        lower = problem_norm_error(&c->norm, s->w, h);
        result->error_lower = lower / (k * harmonic(k - 1));
    }
    if (k > 2) {
        for (int i = 0; i < n; i++) s->w[i] += s->d[k - 1][i];
        lowest = problem_norm_error(&c->norm, s->w, h);
    }
    result->lower = k > 1 && fmax(lower, lowest) <= (k > 2 ? here : 0.5 * here);
    if (s->n_past > k) {
        for (int i = 0; i < n; i++) s->w[i] = s->change[i] - s->d[k + 1][i];
        result->error_higher = problem_norm_error(&c->norm, s->w, h) / ((k + 2) * harmonic(k + 1));
    }
}

static int mebdf_attempt(method_core *c, double t_new, double h, step_result *result)
{
    mebdf *s = c->state;
    int n = c->n, status;
    size_t bytes = (size_t)n * sizeof(double);
    if (s->h != h) lay_grid(c, s, h);
    result->order = s->k + 1;
    c->run->stats.work += 6.0 * s->k * s->k; // harmonic sums of three formulas
    memcpy(s->predicted, s->d[0], bytes);
    for (int m = 1; m <= s->k; m++)
        for (int i = 0; i < n; i++) s->predicted[i] += s->d[m][i];
    s->by_starter = c->fixed && s->n_past < s->k_fixed;
    if (s->by_starter) {
        status = starter_step(c, &s->starter, t_new);
    } else {
        status = solve_bdf(c, s, s->d, t_new, h);
        if (!status && t_new + h <= c->t_limit) {
            for (int i = 0; i < n; i++) s->change[i] = c->y_new[i] - s->predicted[i];
            memcpy(s->yp1, c->yp_new, bytes);
            mebdf_advance(n, s->k, s->d, s->change, s->next);
            status = solve_bdf(c, s, s->next, t_new + h, h);
            memcpy(s->yp2, c->yp_new, bytes);
            if (!status) status = solve_extended(c, s, t_new, h);
        }
    }
    if (status) return status;
    for (int i = 0; i < n; i++) s->change[i] = c->y_new[i] - s->predicted[i];
    c->error_vector = s->change;
    if (!c->fixed) mebdf_estimate(c, s, h, result);
    // As in bdf: a first prediction of algebraic unknowns has their rate from an attempt that failed.
    for (int i = 0; i < n && s->n_past == 0 && result->error > 1; i++)
        if (!problem_differential(c->p, i)) s->d[1][i] = c->y_new[i] - c->y[i];
    return STEP_OK;
}

static int mebdf_accept(method_core *c, double t_new, double h)
{
    mebdf *s = c->state;
    (void)t_new, (void)h;
    if (c->projected)
        for (int i = 0; i < c->n; i++) s->change[i] = c->y_new[i] - s->predicted[i];
    mebdf_advance(c->n, s->k, s->d, s->change, s->d);
    if (s->n_past == 0) { // the tangent was no past value: the parabola with y' at the start
        for (int i = 0; i < c->n; i++) s->d[2][i] *= 2;
        memset(s->d[3], 0, (size_t)c->n * sizeof(double));
    }
    s->k_used = s->k;
    if (s->n_past < MEBDF_ROWS) s->n_past++;
    if (c->fixed && s->k < s->k_fixed) s->k++;
    return 0;
}

static int mebdf_history(method_core *c, int k, double h, const double *const *y,
                         const double *const *yp)
{
    mebdf *s = c->state;
    (void)yp;
    if (k > K_MAX) k = K_MAX;
    for (int j = 1; j <= k; j++) memcpy(s->d[j], y[j - 1], (size_t)c->n * sizeof(double));
    for (int pass = 1; pass <= k; pass++)
        for (int j = k; j >= pass; j--)
            for (int i = 0; i < c->n; i++) s->d[j][i] = s->d[j - 1][i] - s->d[j][i];
    s->h = h;
    s->n_past = k;
    s->k = k < s->k_fixed ? k : s->k_fixed;
    return VINC_OK;
}

static void mebdf_change_order(method_core *c, int change)
{
    mebdf *s = c->state;
    (void)c;
    s->k += change;
    if (s->k < 1) s->k = 1;
}

/* Newton's backward polynomial of degree k + 1. */
static int mebdf_interpolate(method_core *c, double t, double *y, double *yp)
{
    mebdf *s = c->state;
    int n = c->n;
    double x = (t - c->t) / s->h, p = 1, dp = 0;
    if (y) memcpy(y, s->d[0], (size_t)n * sizeof *y);
    if (yp) memset(yp, 0, (size_t)n * sizeof *yp);
    for (int m = 1; m <= s->k_used + 1; m++) {
        dp = (dp * (x + m - 1) + p) / m;
        p *= (x + m - 1) / m;
        for (int i = 0; y && i < n; i++) y[i] += p * s->d[m][i];
        for (int i = 0; yp && i < n; i++) yp[i] += dp / s->h * s->d[m][i];
    }
    return 0;
}

static const method_ops mebdf_ops = {
    .control = CONTROL_MULTISTEP,
    .by_products = true,
    .state_bytes = sizeof(mebdf),
    .layout = mebdf_layout,
    .open = mebdf_open,
    .close = mebdf_close,
    .start = mebdf_start,
    .attempt = mebdf_attempt,
    .accept = mebdf_accept,
    .interpolate = mebdf_interpolate,
    .change_order = mebdf_change_order,
    .history = mebdf_history,
};

static const method_option mebdf_options[] = {
    {.name = "order",
     .min = 2,
     .max = K_MAX + 1,
     .integer = true,
     .help = "highest order; with fixed steps the order (4 unless given)"},
    {0},
};

const vinc_method vinc_method_mebdf = {
    .name = "mebdf",
    .summary = "modified extended BDF of variable order, A-stable to order 4",
    .cite = "Cash, Comput. Math. Appl. 9 (1983) 645-657",
    .order_min = 2,
    .order_max = K_MAX + 1,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_MULTISTEP | METHOD_INDEX2 |
              METHOD_INDEX3 | METHOD_STIFF | METHOD_VARIABLE_ORDER,
    .options = mebdf_options,
    .ops = &mebdf_ops,
};
