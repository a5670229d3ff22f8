/* Fully implicit Runge-Kutta methods for F(t, y, y') = 0: Radau IIA of variable order, Gauss,
 * Lobatto, and any tableau whose A can be diagonalised.
 *
 * The method has order p, its error estimate only order s. So that the error follows the tolerance
 * asked for, the estimate is compared with 0.1 tol^((s+1)/(p+1)) (E. Hairer & G. Wanner II, section
 * IV.8, write it for Radau IIA).
 *
 * Order is chosen by the contraction of the iteration: E. Hairer & G. Wanner, J. Comput. Appl.
 * Math. 111 (1999) 93-111.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/irk.h"
#include "method/method_whole.h"

#include "method/method_list.h"
#include "method/row_weights.h"
#include "method/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

// clang-format off
/* The order rises where the iteration contracts fast and the size hardly changes; it falls where the
 * iteration contracts slowly or fails. paper: see above; it has 2e-3 for both orders, and the order
 * falls with the first failure. ivp: on the test set of examples/ivp order 9 pays earlier and longer.
 *
 *  bound                                      quantity                                          source */
static const double
    THETA_RAISE[]         = {2e-2, 1.2e-2, 0}, // contraction below which it rises, to 9, to 13  ivp
    THETA_LOWER           = 0.8,   // contraction above which it falls                           paper
    FAILURES_MAX_AT_ORDER = 1.2,   // failures, a sum in which older ones fade: it falls         ivp: two of a few steps
    FAILURES_MAX_TURNING  = 3,     // ... where masses turn: rounding alone makes so many        principle: what fails is the size, as the matrix has turned; 21 mechanisms
    FAILURES_KEPT         = 0.5,   // ... of which this part is left after a step                ivp
    STEP_RATIO_STEADY_MIN = 0.8,   // step over the last: the size hardly changes                paper
    STEP_RATIO_STEADY_MAX = 1.2,   // ... at most                                                paper
    TOL_ORDER_9_AT_START  = 3e-8;  // tolerance: a start of order 9                              error constants: six times the step, twice the work
enum {
    STEPS_AT_ORDER_MIN    = 10,    // steps between two changes                                  paper
};
// clang-format on

static const int radau_stages[IRK_SCHEMES] = {3, 5, 7};

static bool irk_varies(const method_core *c)
{
    return c->method->traits & METHOD_VARIABLE_ORDER;
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* Part of the tolerance to which the iteration converges at most. Of index 3 less: what a step
 * leaves of its constraints on positions, the next takes for an error of velocities, by some
 * factors of 10 and however short it is. */
static double newton_part(const method_core *c)
{
    for (int i = 0; i < c->n && c->norm.level; i++)
        if (c->norm.level[i] > 1) return 1e-3;
    return 0.03;
}

/* Of an even number of stages, where the estimate has no matrix to share. */
static double gamma_of(const scheme *k)
{
    return k->n_real ? k->gamma[0] : hypot(k->alpha[0], k->beta[0]);
}

/* Where inverses are at hand, and stages are those of Radau, an iteration is one piece (small_stages.h). */
static void irk_aim_small(const method_core *c, irk *s)
{
    const scheme *k = &s->schemes[s->now];
    small_stages *q = &s->small;
    *q = (small_stages){0};
    if (!s->may_be_small || k->n_real != 1 || k->starts || !s->real[0]) return;
    const double *none;
    q->n = c->n;
    q->rate = s->wide, q->t = q->rate + SCHEME_STAGES + 1, q->ti = q->t + SCHEME_STAGES;
    small_widen(k->ait, k->begin_t, k->s, q->rate);
    small_widen(k->t, NULL, k->s, q->t);
    small_widen(k->ti, NULL, k->s, q->ti);
    q->w = s->w, q->points = s->points, q->d = s->d, q->f = s->f;
    q->mass = s->mass;
    q->real = la_inverse(s->real[0], &none);
    bool found = q->real;
    for (int i = 0; i < k->n_pairs && found; i++)
        found = (q->re[i] = la_inverse(s->pair[i], &q->im[i]));
    if (found) q->stages = k->s;
}

/* The matrices of the scheme: one after another those that are real, then those of pairs. */
static void irk_list_solvers(const method_core *c, irk *s)
{
    const scheme *k = &s->schemes[s->now];
    int n = 0;
    for (int i = 0; i < SCHEME_STAGES && s->real[i]; i++, n++) {
        s->solver[n] = s->real[i];
        s->number[n] = (la_number){i < k->n_real ? k->gamma[i] : gamma_of(k), 0};
    }
    for (int i = 0; i < k->n_pairs && s->pair[i]; i++, n++) {
        s->solver[n] = s->pair[i];
        s->number[n] = (la_number){k->alpha[i], k->beta[i]};
    }
    s->n_solvers = n;
    s->square_scale = s->scale * s->scale / (k->s * c->n);
    s->work_iteration = k->s * (3 * k->s + 6) * (double)c->n; // sums
    for (int i = 0; i < n; i++) s->work_iteration += s->solver[i]->work_solve;
    irk_aim_small(c, s);
    if (s->small.stages) s->work_iteration *= WHOLE_PART_OF_WORK; // in registers of four
}

/* Stages of Radau IIA; 0: it is another formula. `stages` of variable order. */
static int irk_radau_stages(const method_core *c, int stages)
{
    const irk_detail *d = c->formula ? NULL : c->method->detail;
    return irk_varies(c) ? stages : d ? d->radau_stages : 0;
}

/* Of a tableau what schemes are built of. */
static void irk_nodes(const method_core *c, int radau, method_tableau *t)
{
    if (radau) radau_iia_nodes(radau, t);
    else core_tableau(c, t);
}

/* Of nodes or of the tableau, or as a run before has built it. */
static int irk_make_scheme(method_core *c, int stages, scheme *out)
{
    method_tableau t;
    int radau = irk_radau_stages(c, stages), k = 0;
    while (k < SCHEMES_OF_RADAU && radau_stages[k] != radau) k++;
    scheme *kept = c->config.schemes && k < SCHEMES_OF_RADAU ? &c->config.schemes->of[k] : NULL;
    if (kept && kept->order) {
        *out = *kept;
        return 0;
    }
    irk_nodes(c, radau, &t);
    int rc = scheme_build(&t, out, c->run->message);
    if (!rc && kept) *kept = *out;
    return rc;
}

/* The scheme in use, made when it is used first. */
static int irk_build(method_core *c, irk *s)
{
    const scheme *k = &s->schemes[s->now];
    if (!s->built[s->now]) {
        if (irk_make_scheme(c, radau_stages[s->now], &s->schemes[s->now])) return VINC_E_OPTION;
        s->built[s->now] = true;
        bool newton = s->may_be_small && k->collocation && k->ends;
        s->polynomial[s->now] =
            (small_polynomial){newton ? k->s : 0, c->n, k->c, k->gap, s->newton};
    }
    // In units of what the estimate is compared with, the iteration stops at a fixed part of the
    // tolerance asked for.
    double rel = c->norm.rel_tol, power = (k->s + 1.0) / (k->order + 1);
    double estimate = 0.1 * pow(rel, power);
    s->scale = c->fixed ? 1 : rel / estimate;
    s->tol = c->fixed ? c->newton_tol
                      : fmax(10 * DBL_EPSILON / estimate,
                             fmin(newton_part(c), pow(estimate, 1 / power - 1)));
    s->most = k->s > 3 ? 7 + 5 * (k->s - 3) / 2 : 7;
    s->h_lu = s->h_rate = s->ratio = 0;
    irk_list_solvers(c, s);
    return VINC_OK;
}

/* Which schemes: one, or all three of variable order. */
static void choose_schemes(irk *s, const method_core *c)
{
    method_tableau t;
    if (!irk_varies(c)) {
        irk_nodes(c, irk_radau_stages(c, 0), &t);
        s->rows = t.stages;
    } else if (c->opt[0] > 0 || c->fixed) {
        s->now = c->opt[0] > 0 ? ((int)c->opt[0] - 5) / 4 : 0;
        s->rows = radau_stages[s->now];
    } else {
        s->varies = true;
        s->rows = radau_stages[IRK_SCHEMES - 1];
    }
}

static size_t irk_layout(void *state, const method_core *c, void *block)
{
    irk *s = state;
    if (!block) choose_schemes(s, c);
    bool small = problem_blocks(c->p) == 1 && !c->p->shared && small_fits(s->rows, c->n);
    s->may_be_small = small;
    s->stride = small ? small_stride(c->n) : c->n;
    size_t n = (size_t)s->stride;
    bump b = bump_begin(block);
    double **stages[] = {&s->z, &s->w, &s->f, &s->points, &s->d, &s->z_old, &s->newton};
    double **single[] = {&s->error, &s->u, &s->y0, &s->yp0, &s->weight};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        *stages[i] = bump_double(&b, (size_t)(s->rows + 1) * n);
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) *single[i] = bump_double(&b, n);
    s->pair_part = bump_double(&b, small ? 2 * n : 0);
    s->mass = bump_double(&b, small ? (size_t)c->n * n : 0);
    s->wide = bump_bytes(&b, small ? (3 * SCHEME_STAGES + 1) * sizeof *s->wide : 0);
    return bump_end(&b);
}

/* Of variable order, at a start. */
static int first_scheme(const method_core *c)
{
    return c->norm.rel_tol < TOL_ORDER_9_AT_START &&
           !c->p->regularity; // there, order 5 where rank is lost
}

static int irk_open(method_core *c)
{
    irk *s = c->state;
    s->n = c->fixed || s->rows > c->p->n_kept ? c->n : c->n_lead;
    if (s->varies) s->now = first_scheme(c);
    int status = irk_build(c, s), n_real, n_pairs;
    const scheme *k = &s->schemes[s->now];
    if (status) return status;
    // Gauss: y' at both ends is known better than the polynomial between.
    s->hermite = !k->ends && c->p->rhs;
    s->gauss = !k->ends && k->collocation;
    n_real = k->n_real || c->fixed ? k->n_real : 1; // the estimate wants a real matrix
    n_pairs = s->varies ? radau_stages[IRK_SCHEMES - 1] / 2 : k->n_pairs;
    la_config config = {.n = c->jac.pattern.n_cols,
                        .blocks = problem_blocks(c->p),
                        .pattern = &c->jac.pattern,
                        .backend = c->config.la,
                        .forgiving = c->p->event,
                        .crew = c->config.crew,
                        .work = &c->run->stats.work};
    for (int i = 0; i < n_real && !status; i++) status = la_new(c->m, &config, &s->real[i]);
    config.is_complex = true;
    for (int i = 0; i < n_pairs && !status; i++) status = la_new(c->m, &config, &s->pair[i]);
    if (!status) irk_list_solvers(c, s);
    return !status ? VINC_OK : status == LA_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
}

static void irk_close(method_core *c)
{
    irk *s = c->state;
    for (int i = 0; i < SCHEME_STAGES; i++) la_free(s->real[i]);
    for (int i = 0; i < SCHEME_STAGES / 2; i++) la_free(s->pair[i]);
}

static int irk_start(method_core *c)
{
    irk *s = c->state;
    if (!c->have_jac) s->h_lu = 0;
    s->first = true;
    s->again = s->failed = s->trouble = false;
    s->failures = 0;
    s->steps = 0;
    s->h_failed = 0;
    s->eta = s->theta = 1;
    s->theta_slow = 0;
    s->end = s->end_old = s->h_held = 0;
    s->end_rejected = INFINITY;
    s->since = 0;
    if (!s->varies || s->now == first_scheme(c)) return 0;
    s->now = first_scheme(c);
    return irk_build(c, s);
}

/* ---- accepted steps -------------------------------------------------------------------------- */

static int choose_order(method_core *c, irk *s, double h)
{
    int now = s->now, want = now;
    double ratio = s->h_old > 0 && !s->first ? h / s->h_old : 0;
    s->since++;
    s->theta_slow = fmin(10, fmax(s->theta, 0.5 * s->theta_slow));
    if (s->iterations > 1 && s->theta_slow <= THETA_RAISE[now] && ratio > STEP_RATIO_STEADY_MIN &&
        ratio < STEP_RATIO_STEADY_MAX && s->since > STEPS_AT_ORDER_MIN)
        want = now + 1 < IRK_SCHEMES ? now + 1 : now;
    s->failures = FAILURES_KEPT * s->failures + s->trouble;
    s->trouble = false;
    double most = irk_masses_turn(c) ? FAILURES_MAX_TURNING : FAILURES_MAX_AT_ORDER;
    if (s->theta_slow >= THETA_LOWER || s->failures > most) want = now > 0 ? now - 1 : 0;
    if (want == now) return 0;
    s->now = want;
    s->since = 0;
    s->failures = 0;
    s->theta_slow = 0;
    s->eta = 1;
    return irk_build(c, s);
}

static int irk_accept(method_core *c, double t_new, double h)
{
    irk *s = c->state;
    const scheme *k = &s->schemes[s->now];
    size_t bytes = (size_t)c->n * sizeof(double);
    double *last = s->z + (k->s - 1) * s->stride, *z = s->z;
    (void)t_new;
    s->before = (irk_before){s->now,      s->past,       s->since, s->first, s->again,  s->trouble,
                             s->failures, s->theta_slow, s->eta,   s->h_old, s->end_old};
    if (c->projected && k->ends)
        for (int i = 0; i < c->n; i++) last[i] = c->y_new[i] - c->y[i];
    s->bent = false;
    s->bends = k->collocation && k->order > k->s && !s->hermite && !s->first;
    if (s->bends) memcpy(s->yp0, c->yp, bytes);
    if (!k->collocation || s->hermite) {
        memcpy(s->y0, c->y, bytes);
        memcpy(s->yp0, c->yp, bytes);
        if (s->first) core_straight_line(c, h, s->yp0);
    }
    s->z = s->z_old, s->z_old = z;
    s->divided = false;
    s->past = s->now;
    int status = s->varies ? choose_order(c, s, h) : 0;
    s->h_old = h;
    s->end_old = s->end;
    s->end_rejected = INFINITY;
    s->steps++;
    s->first = s->again = false;
    return status;
}

/* What prediction needs of the step before is there where it is its polynomial. */
static int irk_undo(method_core *c)
{
    irk *s = c->state;
    const irk_before *b = &s->before;
    double *z = s->z;
    if (!s->schemes[s->past].collocation || s->hermite) return -1;
    bool changed = s->now != b->now;
    s->z = s->z_old, s->z_old = z;
    s->divided = false;
    s->now = b->now, s->past = b->past, s->since = b->since;
    s->first = b->first, s->again = b->again, s->trouble = b->trouble;
    s->failures = b->failures, s->theta_slow = b->theta_slow, s->eta = b->eta;
    s->h_old = b->h_old;
    s->end_old = b->end_old;
    s->ratio = 0;
    s->bends = false;
    s->steps--;
    return changed ? irk_build(c, s) : 0;
}

/* The polynomial u of a step satisfies the equations at the nodes, so its defect y' - u' is M(x), the
 * product of x - c_j, times something that hardly changes in the step. At its start, where y' is
 * known, the defect is seen. What it makes of u vanishes at both ends of the step where the order is
 * higher than the number of stages; with it, u is one order better in between. Unknowns without y'
 * are not, and a stiff one that follows others is no worse. In a first step y' is that of the
 * right-hand side, and of a stiff unknown anything. */
static void irk_bend(const method_core *c, irk *s, const scheme *k)
{
    double *bend = s->z_old + k->s * s->stride, inverse = 1 / k->product[0];
    stages_sum_part(k->s, k->begin, -inverse, s->z_old, s->stride, NULL, bend, c->n);
    for (int i = 0; i < c->n; i++)
        bend[i] = c->all_differential || c->p->differential[i]
                      ? bend[i] + inverse * s->h_old * s->yp0[i]
                      : 0;
    s->bent = true;
}

/* ... of the last step, at a part x of it. */
static void irk_interpolate_small(const method_core *c, const irk *s, const small_polynomial *u,
                                  double x, double *y, double *yp)
{
    const scheme *k = &s->schemes[s->past];
    double value[SMALL_MAX], slope[SMALL_MAX], inverse = 1 / s->h_old, bend = 0, rise = 0;
    const double *bent = s->z_old + k->s * s->stride;
    small_value(u, x, c->y, inverse, value, yp ? slope : NULL);
    if (s->bends) scheme_bend(k, x, &bend, &rise);
    for (int i = 0; i < c->n && y; i++) y[i] = s->bends ? value[i] + bend * bent[i] : value[i];
    rise *= inverse;
    for (int i = 0; i < c->n && yp; i++) yp[i] = s->bends ? slope[i] + rise * bent[i] : slope[i];
}

static int irk_blend(method_core *c, double t, method_blend *out)
{
    irk *s = c->state;
    const scheme *k = &s->schemes[s->past];
    double value[SCHEME_STAGES + 1], slope[SCHEME_STAGES + 1], inverse = 1 / s->h_old;
    if (!k->collocation || s->hermite)
        return core_blend_hermite(c, t, c->h_last, s->y0, s->yp0, out), 0;
    if (s->bends && !s->bent) irk_bend(c, s, k);
    scheme_basis(k, 1 + (t - c->t) / s->h_old, value, slope);
    for (int j = 0; j < k->s; j++) value[j] -= k->end[j];
    if (s->bends) scheme_bend(k, 1 + (t - c->t) / s->h_old, &value[k->s], &slope[k->s]);
    blend_add(out, 1, 0, c->y);
    for (int j = 0; j < k->s + s->bends; j++)
        blend_add(out, value[j], inverse * slope[j], s->z_old + j * s->stride);
    return 0;
}

static int irk_lanes(method_core *c, const double *t, method_lanes *out)
{
    irk *s = c->state;
    const scheme *k = &s->schemes[s->past];
    if (!k->collocation || s->hermite) return core_lanes(c, t, out);
    if (s->bends && !s->bent) irk_bend(c, s, k);
    const small_polynomial *u = irk_newton(s);
    if (!u) return core_lanes(c, t, out);
    row_weights_collocation(k, s->bends, t, c->t, s->h_old, out->weight);
    out->row[0] = c->y;
    for (int j = 0; j < k->s; j++) out->row[1 + j] = u->b + j * small_stride(c->n);
    if (s->bends) out->row[1 + k->s] = s->z_old + k->s * s->stride;
    out->rows = 1 + k->s + s->bends;
    return 0;
}

static bool irk_row(method_core *c, double t, double *y)
{
    irk *s = c->state;
    const scheme *k = &s->schemes[s->past];
    const small_polynomial *u = s->hermite ? NULL : irk_newton(s);
    if (!u) return false;
    if (s->bends && !s->bent) irk_bend(c, s, k);
    const double *bent = s->bends ? s->z_old + k->s * s->stride : NULL;
    small_row_at(u, 1 + (t - c->t) / s->h_old, c->y, bent, k->integral, y);
    return true;
}

static int irk_interpolate(method_core *c, double t, double *y, double *yp)
{
    irk *s = c->state;
    const scheme *k = &s->schemes[s->past];
    double value[SCHEME_STAGES + 1], slope[SCHEME_STAGES + 1];
    if (!k->collocation || s->hermite)
        return core_hermite(c, t, c->h_last, s->y0, s->yp0, y, yp), 0;
    if (s->bends && !s->bent) irk_bend(c, s, k);
    const small_polynomial *u = irk_newton(s);
    if (u) return irk_interpolate_small(c, s, u, 1 + (t - c->t) / s->h_old, y, yp), 0;
    int rows = k->s + s->bends;
    scheme_basis(k, 1 + (t - c->t) / s->h_old, value, yp ? slope : NULL);
    for (int j = 0; j < k->s; j++) value[j] -= k->end[j];
    if (s->bends) scheme_bend(k, 1 + (t - c->t) / s->h_old, &value[k->s], &slope[k->s]);
    if (y) stages_sum_part(rows, value, 1, s->z_old, s->stride, c->y, y, c->n);
    if (yp) stages_sum_part(rows, slope, 1 / s->h_old, s->z_old, s->stride, NULL, yp, c->n);
    return 0;
}

/* The gap between nodes j - 1 and j that x lies in, of those between two nodes. */
static int irk_gap(const scheme *k, double x)
{
    int j = 1;
    while (j < k->s - 1 && x > k->c[j]) j++;
    return j;
}

/* The defect is 0 at the nodes. Once its largest part is gone, what is left in one gap between them
 * tells little about the next: the two gaps about the middle, or those nearest to them in which values
 * are asked for. */
static int irk_looks(const method_core *c, double from, double to, double *at)
{
    const irk *s = c->state;
    const scheme *k = &s->schemes[s->past];
    if (!k->collocation || s->hermite) return core_look_at_hermite(c, from, to, at);
    if (k->s < 2 || (k->s > 2 && !s->bends)) return 1;
    int least = irk_gap(k, from), most = irk_gap(k, to), n = 0;
    for (int middle = (k->s - 1) / 2, j = middle; j <= middle + 1; j++) {
        int gap = j < least ? least : j > most ? most : j;
        double x = 0.5 * (k->c[gap - 1] + k->c[gap]);
        if (!n || x != at[0]) at[n++] = x;
    }
    return n;
}

/* s stages are a polynomial of degree s, whatever their order at the end. */
static int irk_inner_order(const method_core *c)
{
    const irk *s = c->state;
    const scheme *k = &s->schemes[s->past];
    return k->collocation && !s->hermite ? k->s + 1 + s->bends : INNER_ORDER_HERMITE;
}

static int irk_stages(const method_core *c)
{
    const irk *s = c->state;
    return s->schemes[s->past].s;
}

static void irk_tableau(const method_core *c, method_tableau *out)
{
    if (irk_varies(c)) radau_iia(irk_stages(c), out);
    else core_tableau(c, out);
}

static method_matrix irk_matrix(const method_core *c)
{
    const irk *s = c->state;
    return (method_matrix){.lu = s->real[0], .c = s->c_real, .c_scale = 1};
}

const method_ops irk_ops = {
    .control = CONTROL_PREDICTIVE,
    .state_bytes = sizeof(irk),
    .layout = irk_layout,
    .open = irk_open,
    .close = irk_close,
    .start = irk_start,
    .attempt = irk_attempt,
    .accept = irk_accept,
    .undo = irk_undo,
    .interpolate = irk_interpolate,
    .blend = irk_blend,
    .lanes = irk_lanes,
    .row = irk_row,
    .looks = irk_looks,
    .inner_part = 0.2, // of what is left once its largest part is gone, less is seen
    .inner_order = irk_inner_order,
    .stages = irk_stages,
    .tableau = irk_tableau,
    .matrix = irk_matrix,
};
