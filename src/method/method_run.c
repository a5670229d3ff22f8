/* One run: the start, the loop of attempts, failure in words.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "method/stages.h"
#include "method/step.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fixed steps: a remainder of this part of a step is rounding, not a step. */
static const double REMAINDER_OF_STEP_MIN = 1e-8;
/* A first size that is guessed is not below this many of such steps: it may be far too short where t
 * is large, and the error test has the last word. */
static const double FIRST_IN_RESOLUTIONS = 16;
enum { ATTEMPTS_MAX = 50 };

/* ---- start ----------------------------------------------------------------------------------- */

/* The first size from the size and the rate of the solution: with w-norms d0 = |y|, d1 = |y'| the
 * time scale is d0/d1, and a method whose first error is of order q makes about d0 (h d1/d0)^(q+1). */
static double first_size(method_core *c, double span)
{
    double d0 = problem_norm_error(&c->norm, c->y, 1), d1 = 0;
    int q = c->method->ops->control == CONTROL_MULTISTEP ? 1 : c->method->order_min - 1;
    double cap = span > 0 ? 0.01 * span : 1;
    d1 = problem_norm_error(&c->norm, c->yp, 1);
    d0 = fmax(d0, 1);
    double h = d1 > 0 ? 0.1 * d0 / d1 * pow(d0, -1.0 / (q + 1)) : cap;
    return fmin(h, cap);
}

void method_place(method_run *r, double t, const double *y, const double *yp)
{
    method_core *c = r->core;
    c->t = r->t = r->t_old = t;
    memmove(c->y, y, (size_t)c->n * sizeof *y);
    memmove(c->yp, yp, (size_t)c->n * sizeof *yp);
    r->y = c->y;
    r->yp = c->yp;
}

void method_step_begin(const method_run *r, const double **y, const double **yp)
{
    *y = r->core->y_new; // what was the point changes places with what is
    *yp = r->core->yp_new;
}

static int run_begin(method_run *r, double t, const double *y, const double *yp, double h)
{
    method_core *c = r->core;
    method_place(r, t, y, yp);
    bool finite = problem_finite(c->y, c->n) && problem_finite(c->yp, c->n);
    if (!problem_finite_in_all(c->p, finite)) {
        snprintf(r->message, METHOD_WHY, "the start values are not finite");
        return VINC_E_EVALUATION;
    }
    core_forget_rounding(c);
    corner_begin(c);
    problem_weigh(&c->norm, c->y);
    c->norm.time_scale = 1;
    problem_time_scale(&c->norm, c->p, c->y, c->yp);
    c->t_first = t;
    c->n_fixed = 0;
    c->jac_current = false;
    c->h_last = 0;
    c->before.known = false;
    c->error_vector = NULL;
    r->message[0] = 0;
    if (!(h > 0)) h = fmax(first_size(c, -h), FIRST_IN_RESOLUTIONS * method_h_min(t, 0));
    int order_max = c->config.order_max > 0 ? c->config.order_max : c->method->order_max;
    control_start(&c->control, c->method->ops->control, h, order_max);
    r->h_next = h;
    r->order = c->method->order_min;
    int status = c->method->ops->start ? c->method->ops->start(c) : 0;
    if (!status) return VINC_OK;
    snprintf(r->message, METHOD_WHY,
             "the equations cannot be evaluated or solved at the start, t = %g", t);
    return status < 0 ? VINC_E_STOPPED : VINC_E_EVALUATION;
}

int method_start(method_run *r, double t, const double *y, const double *yp, double h_span)
{
    method_core *c = r->core;
    c->have_jac = false;
    return run_begin(r, t, y, yp, c->config.h_first > 0 ? c->config.h_first : -fabs(h_span));
}

int method_restart(method_run *r, double t, const double *y, const double *yp, bool jacobian_stale,
                   double h_hint)
{
    method_core *c = r->core;
    double before = c->control.h;
    r->stats.restarts++;
    if (jacobian_stale) c->have_jac = false;
    if (h_hint > 0) return run_begin(r, t, y, yp, h_hint);
    // A guess from the values at the new point, but no longer than what was right before.
    int status = run_begin(r, t, y, yp, before > 0 ? -100 * before : 0);
    // It errs to the short side, and explicit steps were not cut by stiffness: half the way to what was right.
    if (!status && c->method->traits & METHOD_EXPLICIT && r->h_next < before)
        r->h_next = c->control.h = sqrt(r->h_next * before);
    return status;
}

int method_history(method_run *r, int k, const double *const *y, const double *const *yp)
{
    method_core *c = r->core;
    if (!c->method->ops->history || !c->fixed) return VINC_E_OPTION;
    return c->method->ops->history(c, k, c->config.fixed_step, y, yp);
}

/* ---- failure in words ------------------------------------------------------------------------ */

const char *method_status_code(int status)
{
    switch (status) {
    case VINC_E_NEWTON: return "R102";
    case VINC_E_ERROR: return "R103";
    case VINC_E_EVALUATION: return "R104";
    case VINC_E_SINGULAR: return "R105";
    case VINC_E_STOPPED: return "R106";
    case VINC_E_OPTION:
    case VINC_E_PROBLEM: return "R107";
    case VINC_E_LIMIT: return "R108";
    case VINC_E_ZENO: return "R109";
    case VINC_E_LINEAR: return "R114";
    case VINC_E_PROGRESS: return "R115";
    case VINC_E_WRITE: return "C602";
    default: return "R101";
    }
}

static const char *run_name_of(const method_core *c, int i, char *buffer, size_t size)
{
    const char *s = NULL;
    if (i >= 0 && c->p->unknown_name) s = c->p->unknown_name(c->p->user, i);
    if (s) return s;
    snprintf(buffer, size, "y[%d]", i);
    return buffer;
}

int method_worst(const method_run *r)
{
    const method_core *c = r->core;
    const la_shared *s = c->p->shared;
    if (!c->error_vector) return -1;
    int worst = problem_worst(&c->norm, c->error_vector, c->h_last);
    if (!s) return worst;
    double size = worst < 0 ? -1 : fabs(c->error_vector[worst]) * c->norm.inv[worst];
    double most = shared_most(s, isnan(size) ? INFINITY : size);
    double number = shared_most(s, worst >= 0 && !(size < most) ? s->first + worst : -1);
    if (number < 0) return -1;
    int mine = (int)number - s->first;
    return mine >= 0 && mine < c->n ? mine : c->n + (int)number;
}

int method_defect(const method_run *r)
{
    return r->core->p->shared ? -1 : r->core->defect;
}

/* The time in which an unknown that has left its size far behind would double; INFINITY: it has not,
 * or comes back. */
static double run_doubles(const method_core *c, int i)
{
    const double SIZES_MIN = 1e3;
    const double *y = c->run->y, *yp = c->run->yp;
    if (i < 0 || i >= c->n || !y || !yp || !(fabs(y[i]) > SIZES_MIN * problem_nominal(c->p, i)))
        return INFINITY;
    return y[i] * yp[i] > 0 ? y[i] / yp[i] : INFINITY;
}

static const char *run_growth(const method_core *c, int i, char *words, size_t size)
{
    double doubles = run_doubles(c, i);
    words[0] = 0;
    if (doubles < 1e-3 * fmax(fabs(c->t), DBL_MIN))
        snprintf(words, size, "; it grows without bound: %.3g here, twice that after %.2g",
                 c->run->y[i], doubles);
    return words;
}

const double *method_slopes(const method_run *r, const vinc_pattern **pattern)
{
    const method_core *c = r->core;
    *pattern = &c->jac.pattern;
    return c->have_jac ? c->jac.dy : NULL;
}

bool method_grows(const method_run *r)
{
    const method_core *c = r->core;
    bool grows = false;
    for (int i = 0; i < c->n && !grows; i++)
        grows = run_doubles(c, i) < DOUBLES_IN_PART_OF_TIME * fabs(c->t);
    return shared_any(c->p->shared, grows);
}

/* The shortest time in which an unknown beyond its size doubles; INFINITY: none grows. */
static double run_fastest(const method_core *c)
{
    const double *y = c->run->y, *yp = c->run->yp;
    double least = INFINITY;
    for (int i = 0; i < c->n; i++)
        if (fabs(y[i]) > problem_nominal(c->p, i) && y[i] * yp[i] > 0)
            least = smaller_of(least, y[i] / yp[i]);
    return c->p->shared ? -shared_most(c->p->shared, -least) : least;
}

bool method_grew(const method_run *r, method_growth *g)
{
    enum { STEPS_MIN = 10 };    // after an event two or three are as short
    const double FASTER = 1e-2; // what settles, or grows by itself, does not become so much faster
    double doubles = method_is_short(r->t - r->t_old, r->t) ? run_fastest(r->core) : INFINITY;
    if (!(doubles < INFINITY)) {
        *g = (method_growth){0};
        return false;
    }
    if (!g->steps++) g->doubles = doubles;
    return g->steps >= STEPS_MIN && doubles < FASTER * g->doubles && method_grows(r);
}

static int run_give_up_linear(method_core *c, const char *tail)
{
    const la_precond_kind *kind = c->linear.precond;
    if (!kind)
        snprintf(c->run->message, METHOD_WHY,
                 "petsc: the linear solver '%s' stagnates at t = %g (%.100s) after %d iterations; "
                 "try a larger restart or more iterations, or --linear petsc:solver=mumps",
                 method_petsc_name(c->linear.solver), c->t, tail, c->stagnant);
    else
        snprintf(c->run->message, METHOD_WHY,
                 "krylov: GMRES stagnates at t = %g (%.100s) after %d iterations with the "
                 "preconditioner "
                 "%s; try %s, a larger restart or more iterations, or store the matrix: direct",
                 c->t, tail, c->stagnant, kind->name,
                 kind == la_preconds[0] ? "another one" : la_preconds[0]->name);
    return VINC_E_LINEAR;
}

static int run_give_up(method_core *c, int cause, double h, int attempts)
{
    method_run *r = c->run;
    char buffer[32], tail[160], growth[100];
    int worst = method_worst(r);
    const char *name = run_name_of(c, worst, buffer, sizeof buffer);
    if (c->fixed) snprintf(tail, sizeof tail, "with the fixed step h = %g; try a shorter one", h);
    else snprintf(tail, sizeof tail, "step cut %d times, to h = %g", attempts, h);
    switch (cause) {
    case STEP_STOP:
        snprintf(r->message, METHOD_WHY, "stopped by the model at t = %g", c->t);
        return VINC_E_STOPPED;
    case STEP_CHOICE:
        snprintf(r->message, METHOD_WHY,
                 "the independent unknowns no longer determine the others at t = %g", c->t);
        return VINC_E_SINGULAR;
    case STEP_NEWTON:
        if (c->stagnant) return run_give_up_linear(c, tail);
        snprintf(r->message, METHOD_WHY, "no convergence at t = %g (%s)%s%s%s", c->t, tail,
                 worst >= 0 ? "; the unknown that moves most is " : "", worst >= 0 ? name : "",
                 c->linear.precond ? ". With a stored matrix, direct in place of krylov, it may be "
                                     "found"
                                   : "");
        return VINC_E_NEWTON;
    case STEP_UNDEFINED:
        snprintf(r->message, METHOD_WHY,
                 "the equations cannot be evaluated or solved after t = %g (%s)", c->t, tail);
        return VINC_E_EVALUATION;
    case STEP_SINGULAR:
        name = c->defect < 0 ? "all unknowns" : run_name_of(c, c->defect, buffer, sizeof buffer);
        snprintf(r->message, METHOD_WHY,
                 "the equations do not determine %s at t = %g: singular iteration matrix (%s)%s",
                 name, c->t, tail, run_growth(c, c->defect, growth, sizeof growth));
        return VINC_E_SINGULAR;
    default:
        snprintf(r->message, METHOD_WHY,
                 "the error test fails at t = %g (%s); the unknown that limits it is %s%s", c->t,
                 tail, name, run_growth(c, worst, growth, sizeof growth));
        return VINC_E_ERROR;
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int run_check_values(method_core *c)
{
    enum { FEW = 8 };
    if (c->n <= FEW && !c->p->shared) { // both at once
        double sum = 0;                 // as of problem_finite
        for (int i = 0; i < c->n; i++)
            sum += (c->y_new[i] - c->y_new[i]) + (c->yp_new[i] - c->yp_new[i]);
        return sum == 0 ? STEP_OK : STEP_UNDEFINED;
    }
    bool finite = problem_finite_by(c->norm.crew, c->y_new, c->n) &&
                  problem_finite_by(c->norm.crew, c->yp_new, c->n);
    return problem_finite_in_all(c->p, finite) ? STEP_OK : STEP_UNDEFINED;
}

static double work_beside(const method_core *c)
{
    return c->p->work_beside ? *c->p->work_beside : 0;
}

/* Where states are chosen among what constraints tie, these are equations of the step, which it has met to a few
 * hundredths of the tolerance: the rest is mended as at rows of results, unless they are about to lose rank, which
 * magnifies what is left. Otherwise the projection is all that keeps them. */
static int run_project_end(method_core *c, double t)
{
    const double PART_OF_TOLERANCE = 1e-5;
    const vinc_problem *p = c->p;
    if (c->fixed || !p->project_end || !(c->tol_least > 0))
        return p->project(p->user, t, c->y_new, c->yp_new);
    return p->project_end(p->user, t, c->y_new, c->yp_new, PART_OF_TOLERANCE * c->tol_least);
}

/* After the error test: projection, then the method's own commitment. */
static int run_commit(method_core *c, double t_new, double h)
{
    method_run *r = c->run;
    double beside = work_beside(c);
    c->projected = false;
    if (c->p->project && !(c->met && c->p->stage)) {
        int status = run_project_end(c, t_new);
        r->stats.projections++;
        r->stats.work += work_beside(c) - beside;
        beside = work_beside(c);
        if (status) return status < 0 ? STEP_STOP : STEP_UNDEFINED;
        if (run_check_values(c)) return STEP_UNDEFINED;
        c->projected = true;
    }
    c->before = (core_before){.known = c->method->ops->undo != NULL,
                              .t_old = r->t_old,
                              .h_last = c->h_last,
                              .time_scale = c->norm.time_scale,
                              .jac_current = c->jac_current,
                              .control = c->control};
    int status = c->method->ops->accept(c, t_new, h);
    if (status) return status < 0 ? STEP_STOP : STEP_UNDEFINED;

    double *y = c->y, *yp = c->yp;
    c->y = c->y_new, c->y_new = y;
    c->yp = c->yp_new, c->yp_new = yp;
    r->t_old = c->t;
    r->t = c->t = t_new;
    r->y = c->y;
    r->yp = c->yp;
    c->h_last = h;
    c->jac_current = false;
    r->stats.steps++;
    problem_weigh(&c->norm, c->y);
    if (c->norm.high_index) problem_time_scale(&c->norm, c->p, c->y, c->yp);
    int chosen = c->p->reselect ? c->p->reselect(c->p->user, t_new, c->y, c->yp) : 0;
    r->stats.work += work_beside(c) - beside;
    if (chosen < 0) return STEP_CHOICE;
    if (chosen) {
        r->stats.reselections++;
        c->have_jac = c->before.known = false;
        core_count_unknowns(c);
    }
    return STEP_OK;
}

static void count_rejection(vinc_stats *s, int cause)
{
    if (cause == STEP_UNDEFINED) s->rejected_undefined++;
    else s->rejected_newton++;
}

static int fixed_step(method_core *c, double t_limit)
{
    double h = c->config.fixed_step, t_new = c->t_first + (double)(c->n_fixed + 1) * h;
    if (t_new > t_limit - REMAINDER_OF_STEP_MIN * h) t_new = t_limit;
    step_result result = {0};
    int status = c->method->ops->attempt(c, t_new, t_new - c->t, &result);
    if (!status) status = run_check_values(c);
    if (!status) status = run_commit(c, t_new, t_new - c->t);
    if (status) {
        if (status > 0) count_rejection(&c->run->stats, status);
        return run_give_up(c, status, h, 0);
    }
    c->n_fixed++;
    c->run->order = result.order;
    c->run->error = 0;
    return VINC_OK;
}

/* Never beyond the limit, and no sliver before it: the last two steps share what is left. */
static double run_limited(const method_core *c, double t_limit, bool *last)
{
    double h = c->control.h, left = t_limit - c->t;
    if (c->config.h_max > 0) h = smaller_of(h, c->config.h_max);
    if (c->run->h_most > 0) h = smaller_of(h, c->run->h_most);
    *last = h >= left * (1 - 1e-12);
    if (*last) return left;
    return h > 0.5 * left ? 0.5 * left : h;
}

/* There is nothing to integrate, and nobody looks at what lies between: one step to the limit. */
static int time_passes(method_core *c, double t)
{
    method_run *r = c->run;
    c->h_last = t - c->t;
    r->t_old = c->t;
    r->t = c->t = t;
    r->stats.steps++;
    return VINC_OK;
}

/* Shorter steps help a linear system that is not solved, but where every second one is cut for it the run
 * would creep. */
static bool run_creeps(method_core *c, int status)
{
    enum { ATTEMPTS_JUDGED = 100 };
    bool stagnant = status == STEP_NEWTON && c->stagnant;
    c->attempts++;
    c->attempts_stagnant += stagnant;
    bool creeps = stagnant && 2 * c->attempts_stagnant >= ATTEMPTS_JUDGED;
    if (c->attempts >= ATTEMPTS_JUDGED || creeps) c->attempts = c->attempts_stagnant = 0;
    return creeps;
}

int method_step(method_run *r, double t_limit)
{
    method_core *c = r->core;
    const method_ops *ops = c->method->ops;
    c->t_limit = t_limit;
    if (c->fixed) return fixed_step(c, t_limit);
    if (!c->n && !c->p->roots && !c->p->check) return time_passes(c, t_limit);
    int limit = c->config.max_attempts > 0 ? c->config.max_attempts : ATTEMPTS_MAX;
    int cause = STEP_OK, attempts = c->rejected;
    c->rejected = 0;
    double h = 0;
    bool corners = c->p->n_corners;
    if (corners && (cause = corner_leave(c)) != VINC_OK) return cause;
    while (attempts <= limit) {
        bool last;
        double end = corners ? smaller_of(t_limit, c->corner.aim) : t_limit;
        h = run_limited(c, end, &last);
        double t_new = last ? end : c->t + h, wish = c->control.h;
        if (h < method_h_min(c->t, h) && !last) break;
        if (!(t_new > c->t) && !last) { // rates so large that no time would pass
            snprintf(r->message, METHOD_WHY,
                     "no step can be made at t = %g: the unknowns would change too fast (h = %g)",
                     c->t, h);
            return VINC_E_EVALUATION;
        }
        h = t_new - c->t;

        step_result result = {.error_lower = -1, .error_higher = -1, .error_second = -1};
        r->stats.work += WORK_OF_ATTEMPT + WORK_OF_UNKNOWN * c->n;
        int status = ops->attempt(c, t_new, h, &result);
        if (!status && !(result.error < INFINITY)) status = STEP_UNDEFINED;
        if (!status && corners && corner_refuses(c, t_new, h, &result)) {
            r->stats.rejected_error++;
            attempts++;
            continue;
        }
        if (!status && result.error <= 1) {
            status = run_check_values(c);
            if (!status) status = run_commit(c, t_new, h);
        } else if (!status) { // the error is too large
            r->stats.rejected_error++;
            cause = STEP_OK;
            int change = control_reject(&c->control, h, &result);
            if (change && ops->change_order) ops->change_order(c, change);
            core_look_at_rounding(c);
            attempts++;
            continue;
        }
        if (status < 0) return run_give_up(c, status, h, attempts);
        if (run_creeps(c, status)) return run_give_up(c, status, h, attempts);
        if (status) {
            count_rejection(&r->stats, cause = status);
            control_fail(&c->control, h, &result);
            attempts++;
            continue;
        }
        r->order = result.order;
        r->error = result.error;
        r->first = !(c->control.h_old > 0);
        int change = control_accept(&c->control, h, &result);
        if (change && ops->change_order) ops->change_order(c, change);
        if (corners) corner_accept(c);
        // A step cut short by the limit says nothing against the size that was wished for.
        if (h < wish && c->control.h < wish && c->control.h >= h) c->control.h = wish;
        r->h_next = c->control.h;
        return VINC_OK;
    }
    return run_give_up(c, cause, h, attempts);
}

long method_glide(method_run *r, method_plain *plain)
{
    method_core *c = r->core;
    const vinc_problem *p = c->p;
    bool more = p->project || p->reselect || p->n_corners || c->norm.high_index; // is asked for
    if (!c->method->ops->glide || c->fixed || c->config.h_max > 0 || more) return -1;
    return c->method->ops->glide(c, plain);
}

/* Back to where the last step began. Its rejections stay: what they taught of the size is true. */
static bool run_undo(method_core *c)
{
    method_run *r = c->run;
    const core_before *b = &c->before;
    if (!b->known || c->method->ops->undo(c)) return false;
    double *y = c->y, *yp = c->yp;
    c->y = c->y_new, c->y_new = y;
    c->yp = c->yp_new, c->yp_new = yp;
    r->t = c->t = r->t_old;
    r->t_old = b->t_old;
    r->y = c->y;
    r->yp = c->yp;
    c->h_last = b->h_last;
    c->norm.time_scale = b->time_scale;
    c->jac_current = b->jac_current;
    c->control = b->control;
    c->before.known = false;
    corner_begin(c);
    problem_weigh(&c->norm, c->y);
    return true;
}

int method_step_again(method_run *r, double t, const double *y, const double *yp)
{
    method_core *c = r->core;
    double from = r->t_old;
    if (run_undo(c)) return method_step(r, t);
    int rc = method_restart(r, from, y, yp, false, t - from);
    return rc ? rc : method_step(r, t);
}

int method_interpolate(method_run *r, double t, double *y, double *yp)
{
    method_core *c = r->core;
    size_t bytes = (size_t)c->n * sizeof(double);
    if (t == c->t || c->h_last == 0) {
        if (y) memcpy(y, c->y, bytes);
        if (yp) memcpy(yp, c->yp, bytes);
        return VINC_OK;
    }
    int status = c->method->ops->interpolate(c, t, y, yp);
    return !status ? VINC_OK : status < 0 ? VINC_E_STOPPED : VINC_E_EVALUATION;
}

int core_lanes(method_core *c, const double *t, method_lanes *out)
{
    method_blend b;
    for (int k = 0; k < VINC_ROW_LANES; k++) {
        b.rows = k && t[k] == t[k - 1] ? b.rows : 0;
        int status = b.rows ? 0 : c->method->ops->blend(c, t[k], &b);
        if (status) return status;
        for (int j = 0; j < b.rows; j++) out->weight[j][k] = b.weight[j];
    }
    out->rows = b.rows;
    memcpy(out->row, b.row, (size_t)b.rows * sizeof *b.row);
    return 0;
}

static int lanes_at(method_core *c, const double *t, method_lanes *out)
{
    int status = (c->method->ops->lanes ? c->method->ops->lanes : core_lanes)(c, t, out);
    return !status ? VINC_OK : status < 0 ? VINC_E_STOPPED : VINC_E_EVALUATION;
}

int method_interpolate_row(method_run *r, double t, double *y)
{
    method_core *c = r->core;
    const method_ops *ops = c->method->ops;
    method_lanes lanes;
    double weight[BLEND_ROWS_MAX];
    if (t == c->t || c->h_last == 0 || !ops->blend) return method_interpolate(r, t, y, NULL);
    if (ops->row && ops->row(c, t, y)) return VINC_OK;
    int rc = lanes_at(c, (double[]){t, t, t, t}, &lanes);
    if (rc) return rc;
    for (int j = 0; j < lanes.rows; j++) weight[j] = lanes.weight[j][0];
    stages_blend(lanes.rows, weight, lanes.row, y, c->n);
    return VINC_OK;
}

int method_interpolate_lanes(method_run *r, const double *t, double *y)
{
    method_core *c = r->core;
    method_lanes lanes;
    if (!c->method->ops->blend || c->h_last == 0) return 1;
    int rc = lanes_at(c, t, &lanes);
    if (!rc) stages_blend_lanes(lanes.rows, lanes.weight, lanes.row, y, c->n);
    return rc;
}

int method_interpolate_some(method_run *r, double t, const int *which, int n, double *y)
{
    method_core *c = r->core;
    const int UNKNOWNS_FEW = 16; // all of them take no longer: choice
    method_blend b = {0};
    if (t == c->t || c->h_last == 0 || !c->method->ops->blend || c->n <= UNKNOWNS_FEW)
        return method_interpolate_row(r, t, y);
    int status = c->method->ops->blend(c, t, &b);
    for (int i = 0; i < n && !status; i++) {
        double sum = 0;
        for (int j = 0; j < b.rows; j++) sum += b.weight[j] * b.row[j][which[i]];
        y[which[i]] = sum;
    }
    return !status ? VINC_OK : status < 0 ? VINC_E_STOPPED : VINC_E_EVALUATION;
}

int method_step_stages(const method_run *r)
{
    const method_ops *ops = r->method->ops;
    return ops->stages ? ops->stages(r->core) : 0;
}

void method_step_tableau(const method_run *r, method_tableau *out)
{
    const method_ops *ops = r->method->ops;
    if (ops->tableau) ops->tableau(r->core, out);
    else core_tableau(r->core, out);
}

void core_hermite(const method_core *c, double t, double h, const double *y0, const double *yp0,
                  double *y, double *yp)
{
    double s = (t - (c->t - h)) / h, u = 1 - s;
    for (int i = 0; i < c->n; i++) {
        double d = c->y[i] - y0[i], a = h * yp0[i] - d, b = d - h * c->yp[i];
        if (y) y[i] = y0[i] + s * (d + u * (u * a + s * b));
        // Derivative of s d + s u (u a + s b) with respect to s, over h.
        if (yp) yp[i] = (d + (1 - 2 * s) * (u * a + s * b) + s * u * (b - a)) / h;
    }
}

void core_blend_hermite(const method_core *c, double t, double h, const double *y0,
                        const double *yp0, method_blend *out)
{
    double s = (t - (c->t - h)) / h, u = 1 - s, a = s * u * u, b = s * s * u;
    double slope_a = u * u - 2 * s * u, slope_b = 2 * s * u - s * s;
    double d = s - a + b, slope_d = (1 - slope_a + slope_b) / h;
    blend_add(out, 1 - d, -slope_d, y0);
    blend_add(out, d, slope_d, c->y);
    blend_add(out, h * a, slope_a, yp0);
    blend_add(out, -h * b, -slope_b, c->yp);
}

int core_look_at_hermite(const method_core *c, double from, double to, double *at)
{
    (void)c;
    (void)from;
    (void)to;
    at[0] = 0.25;
    at[1] = 0.75;
    return 2;
}

void core_straight_line(const method_core *c, double h, double *yp0)
{
    for (int i = 0; i < c->n && !c->all_differential; i++)
        if (!c->p->differential[i]) yp0[i] = (c->y_new[i] - c->y[i]) / h;
}

int core_complete(method_core *c, double t_new, double *work)
{
    memcpy(work, c->yp_new, (size_t)c->n * sizeof *work);
    int status = problem_rhs(c->p, &c->run->stats, t_new, c->y_new, c->yp_new);
    for (int i = 0; i < c->n && !c->all_differential; i++)
        if (!c->p->differential[i]) c->yp_new[i] = work[i];
    return step_status(status);
}

void core_mass(const method_core *c, double factor, const double *e, double *out)
{
    const vinc_pattern *a = &c->jac.pattern;
    const double *m = c->jac.dyp;
    const int *start = a->start, *row = a->row;
    for (int i = 0; i < c->n; i++) out[i] = 0;
    for (int at = 0; at < c->n_error; at += a->n_cols, e += a->n_cols, out += a->n_cols)
        for (int j = 0, k = start[0]; j < a->n_cols; j++) {
            double x = factor * e[j];
            for (int end = start[j + 1]; k < end; k++) out[row[k]] += m[k] * x;
        }
}
