/* The error of a step of a fully implicit Runge-Kutta method.
 *
 * As in E. Hairer & G. Wanner, Solving Ordinary Differential Equations II, section IV.8, but written
 * for F: with u the slope at the start of the polynomial through the stages it is
 * (dF/dy + (gamma/h) dF/dy')^-1 F(t_n, y_n, u), which for M y' = f(t, y) is theirs; u differs from
 * y' there by h^s.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "method/irk.h"
#include "method/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The error at the end of a step, in tolerances. */
static const double END_ERROR_MAX = 4;
/* A shorter step makes less than this part of it, or it has another reason. */
static const double END_SHRINK_MIN = 0.5;
/* Counted for an end error that a shorter step does not make less: the order falls at once. */
static const double FAILURES_OF_ROUNDING = 4;
/* Stiff unknowns of Gauss: of the tolerance, in one step, the same part as that of other estimates;
 * and in all steps over which they add up, as nothing is damped. */
static const double STIFF_PART_MAX = 0.1, STIFF_SUM_MAX = 1, STIFF_ROUNDING = 100 * DBL_EPSILON;

/* Of a scheme whose end is no stage, as Gauss: what stiff unknowns have moved away from where the
 * equations hold them, which nothing damps later. The correction with the matrix of the estimate at
 * the end, less what the same one at the start (s->error) becomes of it at infinity; of that, e -
 * c G^-1 dF/dy' e is the part of stiff unknowns. In units of STIFF_PART_MAX of the tolerance. */
static int stiff_drift(method_core *c, irk *s, double t_new, double h, double *error)
{
    const scheme *k = &s->schemes[s->now];
    int n = c->n;
    double infinity = 1, *e = s->f, *slow = s->f + s->stride;
    for (int j = 0; j < k->s; j++) infinity -= k->end[j];
    stages_sum_part(k->s, k->slope, 1 / h, s->z, s->stride, NULL, s->u, n);
    int status = problem_residual(c->p, &c->run->stats, t_new, c->y_new, s->u, e);
    if (status) return step_status(status);
    la_solve(s->real[0], e);
    for (int i = 0; i < n; i++) e[i] -= infinity * s->error[i];
    core_mass(c, s->c_real, e, slow);
    la_solve(s->real[0], slow);
    c->run->stats.solves += 2;
    for (int i = 0; i < n; i++) e[i] -= slow[i];
    *error = problem_norm_error(&c->norm, e, h) / STIFF_PART_MAX;
    if (infinity < 0) return STEP_OK; // what one step adds the next takes away
    // So many steps until the solution has changed by its own size add up; no less than rounding.
    double steps =
        problem_norm_error(&c->norm, c->y_new, h) / (h * problem_norm_error(&c->norm, s->u, h));
    double part = fmax(STIFF_SUM_MAX / steps, STIFF_ROUNDING / c->norm.rel_tol);
    if (part < STIFF_PART_MAX) *error *= STIFF_PART_MAX / part;
    return STEP_OK;
}

/* e := the solution with the matrix of the estimate, of blocks that error tests count; the square of its norm. Small steps
 * wait for what is decided by it, and it is there sooner than the root. */
static double irk_solve_error(method_core *c, irk *s, double *e, double h)
{
    c->run->stats.solves++;
    if (s->plain_norm) {
        la_count_solve(s->real[0]);
        return problem_per_n(&c->norm) * small_solve(&s->small, e);
    }
    la_solve_blocks(s->real[0], e, 0, c->norm.blocks_counted);
    double error = problem_norm_error(&c->norm, e, h);
    return error * error;
}

/* dF/dy' of the Jacobian in columns. What is not in the pattern stays 0. */
static void irk_find_mass(const method_core *c, irk *s)
{
    const vinc_pattern *a = &c->jac.pattern;
    if (s->mass_known) return;
    for (int j = 0; j < c->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            s->mass[j * s->stride + a->row[k]] = c->jac.dyp[k];
    s->mass_known = true;
}

/* The error at the end of a step of collocation that ends with a stage, in units of the tolerance;
 * 0: it is small.
 *
 * The estimate e is of order s, the method of order 2 s - 1: e is compared with more than the
 * tolerance. Where a mode decays within a step or two, the order is reduced and that is too much. For
 * y' = l (y - phi) + phi' and z = h l, the end is off by Q |f|^(s-1) |e| with f = z/(gamma - z). Q
 * rises from 0.5 to s over the whole left half plane (computed from the coefficients for s = 2, 3, 5,
 * 7) and is 1/(1 - (1 - 1/s) |f|) within a factor of 2. G^-1 dF/dy e = e - c G^-1 dF/dy' e multiplies e
 * by f, which is at most 1: the first product below the tolerance ends it. */
static double irk_end_error(method_core *c, irk *s, double h, double square, double *f)
{
    const scheme *k = &s->schemes[s->now];
    int n = c->n_error;
    double *e = s->f, *slow = s->f + s->stride, last = 1, small = END_ERROR_MAX / k->s;
    if (!k->ends || !k->collocation || c->norm.high_index) return 0;
    for (int m = 1; m < k->s; m++) {
        if (square <= small * small) return 0;
        if (m == 1) // of few unknowns whole registers, as they are read
            memcpy(e, s->error, (size_t)(s->is_small ? s->stride : n) * sizeof *e);
        last = square;
        c->run->stats.solves++;
        if (s->plain_norm) {
            la_count_solve(s->real[0]);
            irk_find_mass(c, s);
            square = problem_per_n(&c->norm) * small_damp(&s->small, s->c_real, e);
        } else {
            core_mass(c, s->c_real, e, slow);
            la_solve_blocks(s->real[0], slow, 0, c->norm.blocks_counted);
            for (int i = 0; i < n; i++) e[i] -= slow[i];
            double error = problem_norm_error(&c->norm, e, h);
            square = error * error;
        }
    }
    *f = fmin(sqrt(square / last), 1);
    double error = sqrt(square) / (1 - (1 - 1.0 / k->s) * *f);
    return error <= END_ERROR_MAX ? 0 : error;
}

/* Steps have become shorter for the error at their end, and it has not become less: it is rounding, or of
 * the equations, and would shorten them without end. */
static bool irk_holds_in_vain(irk *s, double h)
{
    if (!(s->h_held > 0) || s->held_now != s->now)
        s->h_held = h, s->end_held = s->end, s->held_now = s->now;
    return h <= END_SHRINK_MIN * s->h_held && s->end > END_SHRINK_MIN * s->end_held;
}

/* What the last step was off at its end appears in e times f. It is damped, and does not become less
 * by a shorter step: only the next one is made shorter. More than that has come with this step, which
 * is rejected, as long as that helps. */
static double irk_hold_end(method_core *c, irk *s, double h, double square, step_result *result)
{
    int stages = s->schemes[s->now].s;
    double f = 1;
    s->end = irk_end_error(c, s, h, square, &f);
    if (!(s->end > 0)) return s->h_held = 0;
    double last = fmax(s->end_old, END_ERROR_MAX);
    double inherited = last * pow(f, stages) / (1 - (1 - 1.0 / stages) * f);
    if (s->end > fmax(inherited, END_ERROR_MAX) && !(s->end > END_SHRINK_MIN * s->end_rejected)) {
        s->end_rejected = s->end;
        return s->end / END_ERROR_MAX;
    }
    // A shorter step has as much of it: rounding that algebraic equations magnify, and the more of it
    // the shorter steps are and the more stages they have.
    if (s->end > s->end_rejected || irk_holds_in_vain(s, h)) {
        s->failures += FAILURES_OF_ROUNDING;
        return 0;
    }
    double most = 0.9 * pow(s->end / END_ERROR_MAX, -1.0 / (stages + 1));
    if (!(result->grow_most > 0) || most < result->grow_most) result->grow_most = most;
    return 0;
}

/* F at the start of the step, of the blocks that error tests count. */
static int irk_residual_of_error(method_core *c, const double *y, const double *yp, double *r)
{
    bool lead = c->n_lead < c->n && c->norm.blocks_counted == 1;
    return lead ? problem_lead(c->p, &c->run->stats, c->t, y, yp, r)
                : problem_residual(c->p, &c->run->stats, c->t, y, yp, r);
}

/* The estimate for u, in tolerances: its square. */
static int irk_slope_error(method_core *c, irk *s, double h, double *square)
{
    int status = irk_residual_of_error(c, c->y, s->u, s->error);
    if (status) return step_status(status);
    *square = irk_solve_error(c, s, s->error, h);
    c->error_vector = s->error;
    return STEP_OK;
}

/* Once more through the filter: large stiff components of the first estimate vanish. */
static int irk_filter_error(method_core *c, irk *s, double h, double *square)
{
    for (int i = 0; i < c->n_error; i++) s->f[i] = c->y[i] - s->error[i];
    int status = irk_residual_of_error(c, s->f, s->u, s->error);
    if (status) return step_status(status);
    *square = irk_solve_error(c, s, s->error, h);
    return STEP_OK;
}

/* ---- before the iteration has converged ------------------------------------------------------- */

/* The estimate is read off the slope at the start, which two iterations know well. Over rejected steps of order 9 of the
 * wheelset of examples/ivp one iteration has it within 0.8 to 1.5 of what it becomes in four fifths of them, at order 13
 * within 0.8 to 2.9. What it says of a step that is too long is believed, and the other iterations, twice as many as those
 * of a step that is accepted, are saved. A step is never accepted for it. */
static const double REFUSED_EARLY_MIN = 1.5;
static const double ATTEMPTS_FORGOTTEN = 0.05; // of what is known of attempts, by one more

void irk_note_attempt(irk *s, bool in_vain)
{
    int more = s->iterations > LOOK_AT_ITERATION ? s->iterations - LOOK_AT_ITERATION : 0;
    s->in_vain += ATTEMPTS_FORGOTTEN * (in_vain - s->in_vain);
    if (!in_vain) s->iterations_more += ATTEMPTS_FORGOTTEN * (more - s->iterations_more);
}

/* A look takes an evaluation and a solution, an iteration takes them for every stage: it pays where steps are
 * rejected often, and many iterations are saved. That is so where masses turn. Elsewhere evaluations are the same
 * within one per cent, and an iteration that would have failed has to fail: order and size follow from that. Corners
 * are located by the ends of rejected steps, and blocks that error tests count have none yet behind the first. */
static bool irk_looks_early(const method_core *c, const irk *s)
{
    bool whole = s->n == c->n || c->norm.blocks_counted == 1;
    return irk_masses_turn(c) && s->in_vain * s->iterations_more * s->schemes[s->now].s > 1 &&
           whole && !s->first && !s->gauss && !c->p->n_corners;
}

bool irk_refuses_early(method_core *c, irk *s, double h, step_result *result)
{
    const scheme *k = &s->schemes[s->now];
    double square, least = REFUSED_EARLY_MIN / s->scale;
    if (!irk_looks_early(c, s)) return false;
    stages_sum_part(k->s, k->begin, 1 / h, s->z, s->stride, NULL, s->u, c->n);
    if (irk_slope_error(c, s, h, &square)) return false;
    if (square > least * least && s->again && irk_filter_error(c, s, h, &square)) return false;
    result->order = k->s;
    result->error = s->scale * sqrt(square);
    return s->refused_early = result->error > REFUSED_EARLY_MIN;
}

/* ---- at its end ------------------------------------------------------------------------------- */

int irk_estimate(method_core *c, irk *s, double t_new, double h, step_result *result)
{
    const scheme *k = &s->schemes[s->now];
    double square, scale = s->scale;
    if (!s->is_small || !k->ends) // otherwise it is there
        stages_sum_part(k->s, k->begin, 1 / h, s->z, s->stride, NULL, s->u, c->n);
    int status = irk_slope_error(c, s, h, &square);
    if (status) return status;
    result->order = k->s;
    result->error = scale * sqrt(square);
    if (s->gauss) {
        double drift = INFINITY;
        status = stiff_drift(c, s, t_new, h, &drift);
        result->error = fmax(result->error, drift);
        return status;
    }
    bool filter = scale * scale * square >= 1 && (s->first || s->again);
    double end = s->first && filter ? 0 : irk_hold_end(c, s, h, square, result);
    if (!filter) return result->error = larger_of(result->error, end), STEP_OK;
    status = irk_filter_error(c, s, h, &square);
    if (status) return status < 0 ? STEP_STOP : STEP_OK;
    result->error = fmax(end, scale * sqrt(square));
    return STEP_OK;
}
