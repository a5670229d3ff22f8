/* The midpoint rule held on invariants: an energy-momentum method for whatever the problem names.
 *
 *     y_1 = y_0 + h (f(t_m, Y) - B mu),   Y = (y_0 + y_1)/2,   I(t_1, y_1) = I(t_0, y_0)
 *
 * with B = D dI/dy(Y)^T, D the squares of the nominals, and as many mu as there are invariants. By
 * a discrete gradient g of I, one with g (y_1 - y_0) = I(y_1) - I(y_0), this is y_1 - y_0 = h P f
 * with P = 1 - B (g B)^-1 g, the projection on what leaves every I as it is: O. Gonzalez, J. Nonlinear
 * Sci. 6 (1996) 449-467; R. I. McLachlan, G. R. W. Quispel & N. Robidoux, Phil. Trans. R. Soc. A 357
 * (1999) 1021-1045; of several invariants at once M. Dahlby, B. Owren & T. Yaguchi, J. Phys. A 44
 * (2011) 305205. It is symmetric and of order 2. Where I is linear or quadratic dI/dy(Y) is such a
 * gradient itself, so that the midpoint rule keeps it and mu is 0: momenta cost nothing and the
 * energy is corrected, as by J. C. Simo & N. Tarnow, ZAMP 43 (1992) 757-792.
 *
 * F is solved for the slope at the middle, (Y - y_0)/(h/2) + B mu; what is algebraic or tied by
 * constraints follows at the end by the right-hand side. Where there is such a thing dI/dy is taken
 * along what the equations let move, by the matrix J of the iteration: B = D F_y'^T J^-T dI/dy^T.
 * Invariants are held to their values at the start, so that round-off does not add up.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "method/method_list.h"
#include "method/step.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Gradients that differ by less, relative to their length, are one: the eps of a double in a square. */
static const double GRADIENTS_SAME = 1e-8;
/* Corrections that no longer shrink and are this small, in units of 4 eps, are rounding. */
static const double UNITS_OF_ROUNDING = 100;
/* Corrections of the invariants after the last one of the iteration. */
enum { POLISHES_MAX = 10 };
static const double POLISH_SHRINK_MAX = 0.9; // less is gained: the rest is rounding

typedef struct conserve {
    la_solver *lu, *turned; // of J, and of its transpose where it is needed
    double h_lu;            // of the factors; 0: there are none
    bool tied;              // some unknowns follow from others
    vinc_pattern transpose; // of the pattern of J: its entries are those of J at `from`
    int *start, *row, *from;
    double *dy, *dyp;
    int m; // invariants
    double *keep, *value, *slope_t, *unit, *mu, *change;
    double *slope, *across, *response; // m of n each: dI/dy, B, and what Y makes of B
    double *gram, *tau, *tau_z, *work;
    int *perm;
    la_cod cod;
    double *middle, *rate, *r, *step, *y0, *yp0;
    bool first;
} conserve;

static size_t conserve_layout(void *state, const method_core *c, void *block)
{
    conserve *s = state;
    size_t n = (size_t)c->n, m = (size_t)c->p->n_invariants;
    bump b = bump_begin(block);
    double **small[] = {&s->keep, &s->value,  &s->slope_t, &s->unit,
                        &s->mu,   &s->change, &s->tau,     &s->tau_z};
    double **wide[] = {&s->slope, &s->across, &s->response};
    double **points[] = {&s->middle, &s->rate, &s->r, &s->step, &s->y0, &s->yp0};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) *small[i] = bump_double(&b, m);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) *wide[i] = bump_double(&b, m * n);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) *points[i] = bump_double(&b, n);
    s->gram = bump_double(&b, m * m);
    s->work = bump_double(&b, m ? la_cod_work((int)m, (int)m) : 0);
    s->perm = bump_int(&b, m);
    size_t nnz = m ? (size_t)c->jac.pattern.nnz : 0;
    s->start = bump_int(&b, n + 1);
    s->row = bump_int(&b, nnz);
    s->from = bump_int(&b, nnz);
    s->dy = bump_double(&b, nnz);
    s->dyp = bump_double(&b, nnz);
    return bump_end(&b);
}

static void transpose_pattern(conserve *s, const vinc_pattern *a)
{
    int n = a->n_cols;
    memset(s->start, 0, ((size_t)n + 1) * sizeof *s->start);
    for (int k = 0; k < a->nnz; k++) s->start[a->row[k] + 1]++;
    for (int j = 0; j < n; j++) s->start[j + 1] += s->start[j];
    for (int j = 0; j < n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int at = s->start[a->row[k]]++;
            s->row[at] = j;
            s->from[at] = k;
        }
    for (int j = n; j > 0; j--) s->start[j] = s->start[j - 1];
    s->start[0] = 0;
    s->transpose = (vinc_pattern){n, n, a->nnz, s->start, s->row};
}

static int conserve_open(method_core *c)
{
    conserve *s = c->state;
    la_config config = {.n = c->jac.pattern.n_cols,
                        .blocks = problem_blocks(c->p),
                        .pattern = &c->jac.pattern,
                        .backend = c->config.la,
                        .forgiving = c->p->event,
                        .crew = c->config.crew,
                        .work = &c->run->stats.work};
    s->m = c->p->invariants && c->p->invariant_slopes ? c->p->n_invariants : 0;
    s->tied = s->m && (!c->all_differential || c->p->project);
    int status = la_new(c->m, &config, &s->lu);
    if (!status && s->tied) {
        transpose_pattern(s, &c->jac.pattern);
        config.pattern = &s->transpose;
        status = la_new(c->m, &config, &s->turned);
    }
    return !status ? VINC_OK : status == LA_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
}

static void conserve_close(method_core *c)
{
    conserve *s = c->state;
    la_free(s->lu);
    la_free(s->turned);
}

static int conserve_start(method_core *c)
{
    conserve *s = c->state;
    if (!c->have_jac) s->h_lu = 0;
    s->first = true;
    memset(s->mu, 0, (size_t)s->m * sizeof *s->mu);
    return s->m ? c->p->invariants(c->p->user, c->t, c->y, c->yp, s->keep) : 0;
}

/* ---- the equations of a step ----------------------------------------------------------------- */

static int conserve_factor(method_core *c, conserve *s, double t, double h)
{
    int status = problem_jac_eval(&c->jac, &c->run->stats, t, s->middle, s->rate, h);
    c->have_jac = !status;
    c->jac_current = false;
    s->h_lu = 0;
    if (status) return step_status(status);
    status = la_factor(s->lu, c->jac.dy, c->jac.dyp, 2 / h, 0);
    c->defect = s->lu->defect;
    core_watch(c, s->lu);
    c->run->stats.factorizations++;
    for (int k = 0; k < c->jac.pattern.nnz && s->tied; k++) {
        s->dy[k] = c->jac.dy[s->from[k]];
        s->dyp[k] = c->jac.dyp[s->from[k]];
    }
    if (!status && s->tied) status = la_factor(s->turned, s->dy, s->dyp, 2 / h, 0);
    if (status) return status == LA_SINGULAR ? STEP_SINGULAR : STEP_UNDEFINED;
    s->h_lu = h;
    return STEP_OK;
}

/* g := F_y'^T J^-T (2/h) g: what is left of a derivative by all unknowns when those that are tied
 * follow the others. work: n. */
static void along_motion(const method_core *c, conserve *s, double h, double *g, double *work)
{
    const vinc_pattern *a = &c->jac.pattern;
    memcpy(work, g, (size_t)c->n * sizeof *g);
    la_solve(s->turned, work);
    for (int j = 0; j < c->n; j++) {
        g[j] = 0;
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            g[j] += 2 / h * c->jac.dyp[k] * work[a->row[k]];
    }
}

/* dI/dy at the middle and B, each over its length in nominals. */
static int find_slopes(method_core *c, conserve *s, double t, double h)
{
    size_t n = (size_t)c->n;
    int status = c->p->invariant_slopes(c->p->user, t, s->middle, s->rate, s->slope, s->slope_t);
    for (int k = 0; k < s->m && !status; k++) {
        double *g = s->slope + (size_t)k * n, *b = s->across + (size_t)k * n, sum = 0;
        memcpy(b, g, n * sizeof *b);
        if (s->tied) along_motion(c, s, h, b, s->r);
        for (size_t i = 0; i < n; i++) {
            double d = problem_nominal(c->p, (int)i);
            sum += d * d * b[i] * b[i];
            b[i] *= d * d;
        }
        s->unit[k] = sum > 0 ? 1 / sqrt(sum) : 0;
        for (size_t i = 0; i < n; i++) g[i] *= s->unit[k], b[i] *= s->unit[k];
    }
    return step_status(status);
}

/* The slope at the middle that F is to see. */
static void conserve_rate(const method_core *c, conserve *s, double h)
{
    for (int i = 0; i < c->n; i++) s->rate[i] = 2 / h * (s->middle[i] - c->y[i]);
    for (int k = 0; k < s->m; k++)
        for (int i = 0; i < c->n; i++)
            s->rate[i] += s->mu[k] * s->across[(size_t)k * (size_t)c->n + (size_t)i];
}

/* How Y answers to mu, and what that makes of the invariants at the end. */
static bool find_response(method_core *c, conserve *s)
{
    size_t n = (size_t)c->n, m = (size_t)s->m;
    for (size_t k = 0; k < m; k++) {
        core_mass(c, 1, s->across + k * n, s->response + k * n);
        la_solve(s->lu, s->response + k * n);
        c->run->stats.solves++;
        for (size_t i = 0; i < m; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++) sum += s->slope[i * n + j] * s->response[k * n + j];
            s->gram[i + k * m] = 2 * sum;
        }
    }
    s->cod = (la_cod){s->m, s->m, 0, s->gram, s->tau, s->tau_z, s->perm, s->work};
    return !m || la_cod_factor(&s->cod, GRADIENTS_SAME) >= 0;
}

/* The end of the step for the middle there is. */
static int conserve_end(method_core *c, conserve *s, double t_new, double h)
{
    for (int i = 0; i < c->n; i++) {
        bool moves = problem_differential(c->p, i);
        c->y_new[i] = moves ? 2 * s->middle[i] - c->y[i] : s->middle[i];
        c->yp_new[i] = (c->y_new[i] - c->y[i]) / h;
    }
    return c->p->rhs ? core_complete(c, t_new, s->r) : STEP_OK;
}

/* Move Y, by mu, so that the invariants at the end are what they were; s->step gets what it adds.
 * *left: the largest of what was left of them before, over what they are made of. */
static int conserve_hold(method_core *c, conserve *s, double t_new, double h, double *left)
{
    *left = 0;
    if (!s->m) return STEP_OK;
    int status = conserve_end(c, s, t_new, h);
    if (status) return status;
    status = c->p->invariants(c->p->user, t_new, c->y_new, c->yp_new, s->value);
    if (status) return step_status(status);
    for (int k = 0; k < s->m; k++) {
        double change = s->value[k] - s->keep[k];
        *left = fmax(*left, fabs(change) * s->unit[k]);
        s->value[k] = change * s->unit[k];
    }
    la_cod_solve(&s->cod, s->value, s->change);
    for (int k = 0; k < s->m; k++) {
        const double *w = s->response + (size_t)k * (size_t)c->n;
        s->mu[k] += s->change[k];
        for (int i = 0; i < c->n; i++) {
            s->middle[i] -= s->change[k] * w[i];
            s->step[i] -= s->change[k] * w[i];
        }
    }
    return STEP_OK;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* One correction of Y and mu; its weighted norm. */
static int conserve_correct(method_core *c, conserve *s, double t_new, double h, bool respond,
                            double *norm)
{
    double t = c->t + 0.5 * h, left;
    int status = s->m && respond ? find_slopes(c, s, t, h) : STEP_OK;
    if (status) return status;
    conserve_rate(c, s, h);
    status = problem_residual(c->p, &c->run->stats, t, s->middle, s->rate, s->r);
    if (status) return step_status(status);
    la_solve(s->lu, s->r);
    c->run->stats.solves++;
    c->run->stats.newton_iterations++;
    for (int i = 0; i < c->n; i++) {
        s->middle[i] -= s->r[i];
        s->step[i] = -s->r[i];
    }
    if (respond && !find_response(c, s)) return STEP_UNDEFINED;
    status = conserve_hold(c, s, t_new, h, &left);
    if (status) return status;
    c->error_vector = s->step;
    *norm = problem_norm_newton(&c->norm, s->step, h);
    return *norm < INFINITY ? STEP_OK : STEP_UNDEFINED;
}

/* To round-off, whatever the tolerance: what is to be kept for ever must not leak. */
static int conserve_converge(method_core *c, conserve *s, double t_new, double h)
{
    double least = INFINITY, norm, unit = 4 * DBL_EPSILON / c->norm.rel_tol;
    bool fresh = false;
    for (int k = 0; k < ITERATIONS_EXACT_MAX; k++) {
        int status = conserve_correct(c, s, t_new, h, k < 2 || fresh, &norm);
        if (status) return status;
        if (norm <= unit) return STEP_OK;
        bool slow = norm > RATE_STAGNANT * least;
        if (slow && norm <= (fresh ? CORRECTION_STAGNANT_MAX : UNITS_OF_ROUNDING) * unit)
            return STEP_OK;
        least = fmin(least, norm);
        fresh = false;
        if (!slow) continue;
        status = conserve_factor(c, s, c->t + 0.5 * h, h);
        if (status) return status;
        fresh = true;
    }
    return STEP_NEWTON;
}

static void conserve_predict(const method_core *c, conserve *s, double h)
{
    for (int i = 0; i < c->n; i++) {
        if (problem_differential(c->p, i)) s->middle[i] = c->y[i] + 0.5 * h * c->yp[i];
        else if (s->first) s->middle[i] = c->y[i]; // otherwise what it was at the last middle
    }
    memset(s->across, 0, (size_t)s->m * (size_t)c->n * sizeof *s->across);
    conserve_rate(c, s, h);
}

static int conserve_attempt(method_core *c, double t_new, double h, step_result *result)
{
    conserve *s = c->state;
    result->order = c->method->order_max;
    conserve_predict(c, s, h);
    int status = STEP_OK;
    if (!c->have_jac || s->h_lu != h || c->config.no_reuse)
        status = conserve_factor(c, s, c->t + 0.5 * h, h);
    if (!status) status = conserve_converge(c, s, t_new, h);
    double before = INFINITY, left;
    for (int k = 0; k < POLISHES_MAX && s->m && !status; k++) {
        status = conserve_hold(c, s, t_new, h, &left);
        if (!(left < POLISH_SHRINK_MAX * before)) break;
        before = left;
    }
    return status ? status : conserve_end(c, s, t_new, h);
}

static int conserve_accept(method_core *c, double t_new, double h)
{
    conserve *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    (void)t_new;
    memcpy(s->y0, c->y, bytes);
    memcpy(s->yp0, c->yp, bytes);
    if (s->first) core_straight_line(c, h, s->yp0);
    s->first = false;
    return 0;
}

static int conserve_interpolate(method_core *c, double t, double *y, double *yp)
{
    conserve *s = c->state;
    core_hermite(c, t, c->h_last, s->y0, s->yp0, y, yp);
    return 0;
}

static const method_ops conserve_ops = {
    .control = CONTROL_PREDICTIVE,
    .state_bytes = sizeof(conserve),
    .layout = conserve_layout,
    .open = conserve_open,
    .close = conserve_close,
    .start = conserve_start,
    .attempt = conserve_attempt,
    .accept = conserve_accept,
    .interpolate = conserve_interpolate,
};

static void conserve_tableau(const double *opt, method_tableau *t)
{
    (void)opt;
    *t = (method_tableau){.stages = 1, .order = 2, .a = {{0.5}}, .b = {1}, .c = {0.5}};
}

const vinc_method vinc_method_energy_momentum = {
    .name = "energy-momentum",
    .summary = "midpoint rule held on the invariants that the model names (energy, momenta)",
    .cite = "Simo & Tarnow 1992; Gonzalez 1996; Dahlby, Owren & Yaguchi, J. Phys. A 44 (2011) "
            "305205",
    .order_min = 2,
    .order_max = 2,
    .traits = METHOD_IMPLICIT | METHOD_ONESTEP | METHOD_CONSERVES,
    .ops = &conserve_ops,
    .tableau = conserve_tableau,
};
