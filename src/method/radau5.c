/* Three-stage Radau IIA, order 5, for F(t, y, y') = 0.
 *
 * Collocation at c_1, c_2, c_3 = 1. Unknowns are z_i = Y_i - y_n; the stage derivatives are
 * (1/h) sum_j (A^-1)_ij z_j, so F enters as it stands and algebraic rows hold at the end of every
 * step. With A^-1 = T Lambda T^-1 the 3n by 3n system of the simplified Newton iteration falls into
 * a real one with dF/dy + (gamma/h) dF/dy' and a complex one with dF/dy + ((alpha + i beta)/h)
 * dF/dy'.
 *
 * E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section IV.8: transformation,
 * stopping criterion, starting values, error estimate, continuous output. The estimate is written
 * for F: with u = -(1/h) sum e_i z_i it is (dF/dy + (gamma/h) dF/dy')^-1 F(t_n, y_n, u), which for
 * M y' = f(t, y) is theirs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"
#include "method/methods.h"
#include "method/step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SQRT6 2.4494897427831780982

static const double c1 = (4 - SQRT6) / 10, c2 = (4 + SQRT6) / 10;
/* The inverse of A. */
static const double ai[3][3] = {
    {3.2247448713915890491, 1.1678400846904054950, -0.25319726474218082619},
    {-3.5678400846904054950, 0.77525512860841095090, 1.0531972647421808262},
    {5.5319726474218082619, -7.5319726474218082619, 5.0}};
static const double ti[3][3] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
static const double tt[3][3] = {
    {9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0}};
static const double gamma_ = 3.6378342527444957322; // eigenvalues of the inverse of A
static const double alpha = 2.6810828736277521339, beta = 3.0504301992474105694;
static const double e1 = -(13 + 7 * SQRT6) / 3, e2 = (-13 + 7 * SQRT6) / 3, e3 = -1.0 / 3;

enum { ITERATIONS = 7, ITERATIONS_EXACT = 40 };
/* A Jacobian is kept while the iteration contracts by this much or more. */
static const double THETA_KEEP = 1e-3;
/* Corrections of this part of the tolerance that no longer shrink are rounding: multipliers of
 * higher index have errors of eps/h, and a shorter step would only make them larger. */
static const double ROUNDING = 0.05;
static const double STAGNATION = 0.3, STAGNATION_SIZE = 1e7; // to round-off: as in iterate.c

typedef struct radau {
    la_solver *real, *complex_;
    double h_lu;       // step size in the factors; 0: there are none
    double theta;      // contraction of the last iteration
    double eta;        // theta / (1 - theta), carried from step to step
    double scale;      // of the norm: the estimate is of lower order than the method
    double tol;        // to which the iteration converges
    bool first, again; // no polynomial of an earlier step; the last attempt failed the error test
    double h_old;      // of the step that the polynomial is of
    double *z, *w, *f; // 3 n each; the second and third of f side by side: a complex vector
    double *cont;      // 3 n: the polynomial of the last step in Newton's form
    double *error, *u;
} radau;

static size_t radau_layout(void *state, const method_core *c, void *block)
{
    radau *s = state;
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    s->z = bump_double(&b, 3 * n);
    s->w = bump_double(&b, 3 * n);
    s->f = bump_double(&b, 3 * n);
    s->cont = bump_double(&b, 3 * n);
    s->error = bump_double(&b, n);
    s->u = bump_double(&b, n);
    return bump_end(&b);
}

static int radau_open(method_core *c)
{
    radau *s = c->state;
    la_config config = {c->n, &c->jac.pattern, false, c->config.la};
    int status = la_new(c->m, &config, &s->real);
    config.is_complex = true;
    if (!status) status = la_new(c->m, &config, &s->complex_);
    // Tolerance in proportion: errors of order 5 behind an estimate of order 3.
    double rel = c->norm.rel_tol;
    s->scale = c->fixed ? 1 : 10 * cbrt(rel);
    s->tol = c->fixed ? c->newton_tol
                      : fmax(10 * DBL_EPSILON / rel, fmin(0.03, sqrt(0.1 * cbrt(rel * rel))));
    return !status ? VINC_OK : status == LA_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
}

static void radau_close(method_core *c)
{
    radau *s = c->state;
    la_free(s->real);
    la_free(s->complex_);
}

static int radau_start(method_core *c)
{
    radau *s = c->state;
    if (!c->have_jac) s->h_lu = 0;
    s->first = true;
    s->again = false;
    s->eta = s->theta = 1;
    return 0;
}

static int status_of(int callback)
{
    return !callback ? STEP_OK : callback < 0 ? STEP_STOP : STEP_UNDEFINED;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static int differentiate(method_core *c, radau *s, double t, const double *y, const double *yp,
                         double h)
{
    int status = problem_jac_eval(&c->jac, &c->run->stats, t, y, yp, h);
    c->have_jac = c->jac_current = !status;
    s->h_lu = 0;
    return status_of(status);
}

static int factor(method_core *c, radau *s, double h)
{
    s->h_lu = 0;
    int status = la_factor(s->real, c->jac.dy, c->jac.dyp, gamma_ / h, 0);
    c->defect = s->real->defect;
    if (!status) {
        status = la_factor(s->complex_, c->jac.dy, c->jac.dyp, alpha / h, beta / h);
        c->defect = s->complex_->defect;
    }
    c->run->stats.factorizations += 2;
    if (status) return status == LA_SINGULAR ? STEP_SINGULAR : STEP_UNDEFINED;
    s->h_lu = h;
    return STEP_OK;
}

static int prepare(method_core *c, radau *s, double h)
{
    int status = STEP_OK;
    bool old = s->theta > THETA_KEEP && !c->jac_current;
    if (!c->have_jac || old || c->config.no_reuse)
        status = differentiate(c, s, c->t, c->y, c->yp, h);
    if (!status && s->h_lu != h) status = factor(c, s, h);
    return status;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* z_i from the polynomial of the last step, continued. */
static void predict(const method_core *c, radau *s, double h)
{
    int n = c->n;
    if (s->first) {
        memset(s->z, 0, 3 * (size_t)n * sizeof *s->z);
        memset(s->w, 0, 3 * (size_t)n * sizeof *s->w);
        return;
    }
    const double *restrict a1 = s->cont, *restrict a2 = a1 + n, *restrict a3 = a2 + n;
    double *restrict z1 = s->z, *restrict z2 = z1 + n, *restrict z3 = z2 + n;
    double *restrict w1 = s->w, *restrict w2 = w1 + n, *restrict w3 = w2 + n;
    double s3 = h / s->h_old, s1 = c1 * s3, s2 = c2 * s3;
    for (int i = 0; i < n; i++) {
        double x = s1 * (a1[i] + (s1 - c2 + 1) * (a2[i] + (s1 - c1 + 1) * a3[i]));
        double y = s2 * (a1[i] + (s2 - c2 + 1) * (a2[i] + (s2 - c1 + 1) * a3[i]));
        double v = s3 * (a1[i] + (s3 - c2 + 1) * (a2[i] + (s3 - c1 + 1) * a3[i]));
        z1[i] = x, z2[i] = y, z3[i] = v;
        w1[i] = ti[0][0] * x + ti[0][1] * y + ti[0][2] * v;
        w2[i] = ti[1][0] * x + ti[1][1] * y + ti[1][2] * v;
        w3[i] = ti[2][0] * x + ti[2][1] * y + ti[2][2] * v;
    }
}

/* F at the three stages. The last one leaves y_new and yp_new at the end of the step. */
static int residuals(method_core *c, radau *s, double t_new, double h)
{
    int n = c->n;
    const double *restrict z1 = s->z, *restrict z2 = z1 + n, *restrict z3 = z2 + n;
    const double times[3] = {c->t + c1 * h, c->t + c2 * h, t_new};
    for (int k = 0; k < 3; k++) {
        const double *restrict z = s->z + (size_t)k * (size_t)n;
        double a = ai[k][0] / h, b = ai[k][1] / h, d = ai[k][2] / h;
        for (int i = 0; i < n; i++) {
            c->y_new[i] = c->y[i] + z[i];
            c->yp_new[i] = a * z1[i] + b * z2[i] + d * z3[i];
        }
        int status = problem_residual(c->p, &c->run->stats, times[k], c->y_new, c->yp_new,
                                      s->f + (size_t)k * (size_t)n);
        if (status) return status_of(status);
    }
    return STEP_OK;
}

/* One correction of w and z; its weighted norm over the three parts. */
static int correct(method_core *c, radau *s, double t_new, double h, double *norm)
{
    int n = c->n, status = residuals(c, s, t_new, h);
    if (status) return status;
    double *restrict f1 = s->f, *restrict f2 = f1 + n, *restrict f3 = f2 + n;
    for (int i = 0; i < n; i++) {
        double x = f1[i], y = f2[i], v = f3[i];
        f1[i] = -ti[0][0] * x - ti[0][1] * y - ti[0][2] * v;
        f2[i] = -ti[1][0] * x - ti[1][1] * y - ti[1][2] * v;
        f3[i] = -ti[2][0] * x - ti[2][1] * y - ti[2][2] * v;
    }
    la_solve(s->real, f1);
    la_solve(s->complex_, f2);
    c->run->stats.solves += 2;
    c->run->stats.newton_iterations++;

    double *restrict z1 = s->z, *restrict z2 = z1 + n, *restrict z3 = z2 + n;
    double *restrict w1 = s->w, *restrict w2 = w1 + n, *restrict w3 = w2 + n;
    for (int i = 0; i < n; i++) {
        double x = w1[i] += f1[i], y = w2[i] += f2[i], v = w3[i] += f3[i];
        z1[i] = tt[0][0] * x + tt[0][1] * y + tt[0][2] * v;
        z2[i] = tt[1][0] * x + tt[1][1] * y + tt[1][2] * v;
        z3[i] = tt[2][0] * x + y;
    }
    double a = problem_norm_newton(&c->norm, f1, h), b = problem_norm_newton(&c->norm, f2, h);
    double d = problem_norm_newton(&c->norm, f3, h);
    *norm = s->scale * sqrt((a * a + b * b + d * d) / 3);
    c->error_vector = f1;
    return *norm < INFINITY ? STEP_OK : STEP_UNDEFINED;
}

static int converge(method_core *c, radau *s, double t_new, double h, step_result *result)
{
    double norm = INFINITY, before = 0, theta_before = 0;
    s->eta = sqrt(s->eta) * sqrt(sqrt(s->eta)); // what was known grows old: to the power 3/4
    s->eta = fmax(s->eta, 1e-12);
    s->theta = THETA_KEEP; // what one iteration that suffices says
    for (int m = 1; m <= ITERATIONS; m++) {
        int status = correct(c, s, t_new, h, &norm);
        if (status) return s->theta = 1, status;
        if (m > 1) {
            double ratio = norm / before;
            s->theta = m == 2 ? ratio : sqrt(ratio * theta_before);
            theta_before = ratio;
            if (norm <= ROUNDING && ratio > 0.5) break; // as far as the arithmetic goes
            if (!(s->theta < 0.99)) return result->h_factor = 0.5, STEP_NEWTON;
            s->eta = s->theta / (1 - s->theta);
            // The error to be expected when the iterations are used up.
            double left = s->eta * norm / s->tol;
            for (int k = m; k < ITERATIONS - 1; k++) left *= s->theta;
            if (left >= 1 && m < ITERATIONS) {
                double q = fmin(20, fmax(1e-4, left));
                result->h_factor = 0.8 * pow(q, -1.0 / (4 + ITERATIONS - 1 - m));
                return STEP_NEWTON;
            }
        }
        before = fmax(norm, DBL_MIN);
        if (s->eta * norm <= s->tol) {
            result->newton_cost = (double)m / ITERATIONS;
            return STEP_OK;
        }
    }
    if (norm <= ROUNDING) return STEP_OK;
    result->h_factor = 0.5;
    return STEP_NEWTON;
}

/* Fixed steps: until corrections are round-off; new matrices whenever they shrink slowly. */
static int converge_exactly(method_core *c, radau *s, double t_new, double h)
{
    double before = INFINITY, norm;
    bool fresh = false;
    for (int m = 0; m < ITERATIONS_EXACT; m++) {
        int status = correct(c, s, t_new, h, &norm);
        if (status) return status;
        if (norm <= s->tol) return STEP_OK;
        bool slow = norm > STAGNATION * before;
        if (slow && fresh && norm <= STAGNATION_SIZE) return STEP_OK;
        before = norm;
        fresh = false;
        if (!slow) continue;
        status = differentiate(c, s, t_new, c->y_new, c->yp_new, h);
        c->jac_current = false;
        if (!status) status = factor(c, s, h);
        if (status) return status;
        fresh = true;
    }
    return STEP_NEWTON;
}

/* ---- the step -------------------------------------------------------------------------------- */

static void finish(method_core *c, const radau *s, double h)
{
    int n = c->n;
    const double *restrict z1 = s->z, *restrict z2 = z1 + n, *restrict z3 = z2 + n;
    double a = ai[2][0] / h, b = ai[2][1] / h, d = ai[2][2] / h;
    for (int i = 0; i < n; i++) {
        c->y_new[i] = c->y[i] + z3[i];
        c->yp_new[i] = a * z1[i] + b * z2[i] + d * z3[i];
    }
}

static int estimate(method_core *c, radau *s, double h, step_result *result)
{
    int n = c->n;
    const double *restrict z1 = s->z, *restrict z2 = z1 + n, *restrict z3 = z2 + n;
    double a = -e1 / h, b = -e2 / h, d = -e3 / h;
    for (int i = 0; i < n; i++) s->u[i] = a * z1[i] + b * z2[i] + d * z3[i];
    int status = problem_residual(c->p, &c->run->stats, c->t, c->y, s->u, s->error);
    if (status) return status_of(status);
    la_solve(s->real, s->error);
    c->run->stats.solves++;
    c->error_vector = s->error;
    result->order = 3;
    result->error = s->scale * problem_norm_error(&c->norm, s->error, h);
    if (!(result->error >= 1) || !(s->first || s->again)) return STEP_OK;

    // Once more through the filter: large stiff components of the first estimate vanish.
    for (int i = 0; i < n; i++) s->f[i] = c->y[i] - s->error[i];
    status = problem_residual(c->p, &c->run->stats, c->t, s->f, s->u, s->error);
    if (status) return status < 0 ? STEP_STOP : STEP_OK;
    la_solve(s->real, s->error);
    c->run->stats.solves++;
    result->error = s->scale * problem_norm_error(&c->norm, s->error, h);
    return STEP_OK;
}

static int radau_attempt(method_core *c, double t_new, double h, step_result *result)
{
    radau *s = c->state;
    result->order = 5;
    int status = prepare(c, s, h);
    if (status) return status;
    predict(c, s, h);
    bool current = c->jac_current;
    if (c->fixed) {
        status = converge_exactly(c, s, t_new, h);
        if (!status) finish(c, s, h);
        return status;
    }
    status = converge(c, s, t_new, h, result);
    if (status > 0 && !current) { // the Jacobian was old: a new one before the step is cut
        status = differentiate(c, s, c->t, c->y, c->yp, h);
        if (!status) status = factor(c, s, h);
        if (status) return status;
        predict(c, s, h);
        s->eta = 1;
        status = converge(c, s, t_new, h, result);
    }
    if (status) {
        s->theta = 1;
        return status;
    }
    finish(c, s, h);
    status = estimate(c, s, h, result);
    s->again = !status && result->error > 1;
    return status;
}

static int radau_accept(method_core *c, double t_new, double h)
{
    radau *s = c->state;
    int n = c->n;
    (void)t_new;
    double *restrict z1 = s->z, *restrict z2 = z1 + n, *restrict z3 = z2 + n;
    double *restrict a1 = s->cont, *restrict a2 = a1 + n, *restrict a3 = a2 + n;
    if (c->projected)
        for (int i = 0; i < n; i++) z3[i] = c->y_new[i] - c->y[i];
    for (int i = 0; i < n; i++) {
        double first = (z2[i] - z3[i]) / (c2 - 1), second = (z1[i] - z2[i]) / (c1 - c2);
        double low = (second - z1[i] / c1) / c2;
        a1[i] = first;
        a2[i] = (second - first) / (c1 - 1);
        a3[i] = a2[i] - low;
    }
    s->h_old = h;
    s->first = s->again = false;
    return 0;
}

static int radau_interpolate(method_core *c, double t, double *y, double *yp)
{
    radau *s = c->state;
    int n = c->n;
    const double *restrict a1 = s->cont, *restrict a2 = a1 + n, *restrict a3 = a2 + n;
    double x = (t - c->t) / s->h_old, p = x - c2 + 1, q = x - c1 + 1;
    for (int i = 0; y && i < n; i++) y[i] = c->y[i] + x * (a1[i] + p * (a2[i] + q * a3[i]));
    for (int i = 0; yp && i < n; i++)
        yp[i] = (a1[i] + (x + p) * a2[i] + (p * q + x * q + x * p) * a3[i]) / s->h_old;
    return 0;
}

static const method_ops radau_ops = {
    .control = CONTROL_PREDICTIVE,
    .state_bytes = sizeof(radau),
    .layout = radau_layout,
    .open = radau_open,
    .close = radau_close,
    .start = radau_start,
    .attempt = radau_attempt,
    .accept = radau_accept,
    .interpolate = radau_interpolate,
};

static void radau5_tableau(const double *opt, method_tableau *t)
{
    (void)opt;
    const double q = SQRT6;
    *t = (method_tableau){
        .stages = 3,
        .order = 5,
        .a = {{(88 - 7 * q) / 360, (296 - 169 * q) / 1800, (-2 + 3 * q) / 225},
              {(296 + 169 * q) / 1800, (88 + 7 * q) / 360, (-2 - 3 * q) / 225},
              {(16 - q) / 36, (16 + q) / 36, 1.0 / 9}},
        .b = {(16 - q) / 36, (16 + q) / 36, 1.0 / 9},
        .c = {(4 - q) / 10, (4 + q) / 10, 1},
    };
}

const vinc_method vinc_method_radau5 = {
    .name = "radau5",
    .summary = "three-stage Radau IIA, adaptive, for stiff and differential-algebraic problems",
    .cite = "Hairer & Wanner II, section IV.8",
    .order_min = 5,
    .order_max = 5,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_INDEX2 |
              METHOD_INDEX3 | METHOD_STIFF,
    .ops = &radau_ops,
    .tableau = radau5_tableau,
};
