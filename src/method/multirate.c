/* Steps of all unknowns with shorter steps of a few of them inside.
 *
 * A step is tried with all unknowns (rodas5p). Where only a few of them have errors that are too large, these make
 * shorter steps by themselves through the same time, the others being read off the interpolant of the step of all:
 * V. Savcenco, W. Hundsdorfer & J. G. Verwer, BIT 47 (2007) 137-155. Unknowns that read each other are one part; parts
 * have their own steps. Unknowns that needed shorter steps before are held where they are in the step of all, which would
 * only make garbage of them.
 *
 * What the equations of others see of a part is compared, step by step, with what they saw in the step of all
 * unknowns (part_step.c). Where that comes to a part of the tolerance, an unknown that reads those that are fast
 * joins them from there on; one that reads only such as have joined does not: there the step of all ends.
 * So every unknown has an error within the tolerance, as a step of all would have, or the step is rejected.
 *
 * How long a step of all is to be follows from work: it is best left to the unknowns that are cheap
 * to make without the few that ask for more. Where these are not few, the method is rodas5p. It also is where
 * unknowns are algebraic, where rows hold two derivatives, where dF/dy' changes, and where the problem has no parts
 * (vinc_problem.part_new).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/multirate.h"
#include "base/larger.h"
#include "method/method_list.h"

#include <math.h>
#include <string.h>

static size_t multirate_layout(void *state, const method_core *c, void *block)
{
    multirate *s = state;
    s->base.holds = true;
    size_t n = (size_t)c->n, base = rosenbrock_ops.layout(state, c, block);
    bump b = bump_begin(block ? (char *)block + base : NULL);
    double **arrays[] = {&s->pairs.mass, &s->decay,    &s->inv,      &s->estimate, &s->error,
                         &s->point,      &s->wish,     &s->next,     &s->hint,     &s->work,
                         &s->beside,     &s->wish_old, &s->hint_old, &s->moved,    &s->seen,
                         &s->felt,       &s->reach};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    for (int k = 0; k < PART_NODES; k++) s->node[k] = bump_double(&b, n);
    s->pairs.row = bump_int(&b, n);
    s->pairs.unknown = bump_int(&b, n);
    s->member = bump_int(&b, n);
    s->waiting = bump_int(&b, n);
    s->held = bump_bytes(&b, n);
    s->fast = bump_bytes(&b, n);
    s->began = bump_bytes(&b, n);
    s->spoilt = bump_bytes(&b, n * sizeof *s->spoilt);
    s->trace = bump_bytes(&b, TRACES_MAX * sizeof *s->trace);
    s->codes.code = bump_bytes(&b, PART_CODES_MAX * sizeof *s->codes.code);
    void *room = bump_bytes(&b, part_room_layout(&s->room, NULL));
    part_room_layout(&s->room, room);
    return base + bump_end(&b);
}

static int multirate_start(method_core *c)
{
    multirate *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    s->looked = s->possible = false;
    s->n_traces = 0;
    s->t_kept = s->t_good = NAN;
    s->h_cut = 0;
    memset(s->hint, 0, bytes);
    memset(s->wish, 0, bytes);
    memset(s->next, 0, bytes);
    return rosenbrock_ops.start(c);
}

static bool multirate_possible(const method_core *c, multirate *s)
{
    if (c->fixed || !s->base.constant) return false;     // of the last two Jacobians
    if (!c->have_jac && !s->base.factored) return false; // of numbers, which are not there yet
    if (!s->looked)
        s->possible = c->p->part_new && c->all_differential && problem_norm_is_plain(&c->norm) &&
                      !c->p->shared && part_pair_rows(c, &s->pairs);
    s->looked = true;
    return s->possible && !s->trial.rest;
}

/* Unknowns that were led astray by several parts at once; whether that is too much for one of them. */
static bool multirate_astray(const method_core *c, multirate *s)
{
    bool much = false;
    for (int i = 0; i < c->n; i++)
        s->error[i] = s->estimate[i] = s->fast[i] ? 0 : fabs(c->error_vector[i]);
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *trace = &s->trace[k];
        const part_code *x = &s->codes.code[trace->code];
        for (int m = 0; m < x->n_readers; m++) {
            int i = x->reader[m];
            double missed = smaller_of(trace->missed[m], MISSED_MOST); // it ends before more
            s->error[i] += missed / s->seen[i];
            much = much || s->error[i] * s->inv[i] > 1;
        }
    }
    return much;
}

/* What parts did to others that the step of all does not know of. */
static void multirate_correct(method_core *c, const multirate *s, double t_new, double h)
{
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *trace = &s->trace[k];
        const part_code *x = &s->codes.code[trace->code];
        for (int m = 0; m < x->n_readers && multirate_same_time(trace->t_end, t_new, h); m++)
            if (!multirate_of(s, x->reader[m])) c->y_new[x->reader[m]] += trace->astray[m];
    }
}

/* The polynomials of a step of all as those of its first part, of size h. Their error is as of the order that is embedded. */
static void multirate_cut(method_core *c, multirate *s, double whole, double h)
{
    double x = h / whole, fourth = x * x * x * x, *const *d = s->base.dense;
    double *error = s->base.u + (s->base.t->stages - 1) * s->base.stride; // c->error_vector
    for (int i = 0; i < c->n; i++) {
        // y = y_0 + x (y_1 - y_0 + d_0) + x^2 (d_1 - d_0) + x^3 (d_2 - d_1) - x^4 d_2, see rosenbrock_blend
        double y0 = c->y[i], first = x * (c->y_new[i] - y0 + d[0][i]);
        double second = x * x * (d[1][i] - d[0][i]), third = x * x * x * (d[2][i] - d[1][i]);
        d[2][i] = fourth * d[2][i];
        d[1][i] = d[2][i] - third;
        d[0][i] = d[1][i] - second;
        c->y_new[i] = y0 + (first - d[0][i]);
        c->yp_new[i] = (first - 2 * d[0][i] - d[1][i] - d[2][i]) / h;
        error[i] *= fourth * x;
    }
    multirate_weigh(c, s, h);
}

/* Are they good at their end? By how much they miss the equations there. */
static int multirate_cut_is_good(method_core *c, multirate *s, double h, bool *good)
{
    int status = problem_residual(c->p, &c->run->stats, c->t + h, c->y_new, c->yp_new, s->point);
    *good = !status;
    for (int i = 0; i < c->n && *good; i++) {
        double rate = s->point[s->pairs.row[i]] / s->pairs.mass[i];
        double missed = s->fast[i] ? 0 : fabs(rate) * h / (1 + s->decay[i] * h);
        *good = missed * s->inv[i] <= ERROR_MOST;
    }
    return step_status(status);
}

/* The ends of parts, y' of all at the new point, and the error of the others. */
static int multirate_end(method_core *c, multirate *s, double t_new, double h, step_result *result)
{
    if (multirate_astray(c, s)) return STEP_NEWTON;
    multirate_members(c, s, t_new);
    memcpy(s->moved, c->y_new, (size_t)c->n * sizeof *s->moved);
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        const part_code *x = trace ? &s->codes.code[trace->code] : NULL;
        if (x && x->unknown[0] == i) part_at(x, trace, t_new, c->y_new, NULL);
    }
    for (int i = 0; i < c->n; i++) s->moved[i] = c->y_new[i] - s->moved[i];
    multirate_correct(c, s, t_new, h);
    memset(c->yp_new, 0, (size_t)c->n * sizeof *c->yp_new);
    int status = problem_residual(c->p, &c->run->stats, t_new, c->y_new, c->yp_new, s->point);
    if (status) return step_status(status);
    for (int i = 0; i < c->n; i++) c->yp_new[i] = -s->point[s->pairs.row[i]] / s->pairs.mass[i];
    c->error_vector = s->error;
    multirate_next(c, s, t_new, h, s->grew ? 1 : GROWTH_WITH_PARTS, result);
    return STEP_OK;
}

/* The step of all unknowns but those that are held. */
static int multirate_all(method_core *c, multirate *s, double t_new, double h, step_result *result)
{
    double work = c->run->stats.work;
    if (s->n_held || s->base.held) s->base.h_lu = 0; // other rows than before
    s->base.held = s->n_held ? s->held : NULL;
    int status = rosenbrock_ops.attempt(c, t_new, h, result);
    s->work_step = c->run->stats.work - work;
    if (!status && s->possible) {
        multirate_weigh(c, s, h);
        result->error /= ERROR_MOST;
    }
    return !status && !(result->error < INFINITY) ? STEP_UNDEFINED : status;
}

static void multirate_hold(multirate *s, int i)
{
    s->n_held += !s->held[s->pairs.row[i]];
    s->held[s->pairs.row[i]] = 1;
}

/* All went well, nobody was held: which size is next? */
static int multirate_plain(method_core *c, multirate *s, double t_new, double h,
                           step_result *result)
{
    s->n_traces = 0;
    s->t_kept = NAN;
    for (int i = 0; i < c->n; i++) s->error[i] = s->estimate[i] = fabs(c->error_vector[i]);
    memset(s->fast, 0, (size_t)c->n);
    multirate_next(c, s, t_new, h, GROWTH_WITHOUT_PARTS, result);
    return STEP_OK;
}

/* Parts went as far as t_good: so does the step of all, if its polynomials are good enough. */
static int multirate_end_before(method_core *c, multirate *s, double whole, step_result *result)
{
    double h = s->t_good - c->t, h_cut = s->h_cut;
    bool good;
    multirate_cut(c, s, whole, h);
    int status = multirate_cut_is_good(c, s, h, &good);
    if (status || !good) return status ? status : STEP_NEWTON;
    s->h_cut = larger_of(h_cut, whole);
    status = multirate_end(c, s, s->t_good, h, result);
    s->cut = result->cut = !status;
    result->t_cut = s->t_good;
    if (status) s->h_cut = h_cut;
    return status;
}

static int multirate_attempt(method_core *c, double t_new, double h, step_result *result)
{
    multirate *s = c->state;
    s->trial.mark = s->trial.mark > 0 ? s->trial.mark : c->run->stats.work;
    bool possible = multirate_possible(c, s);
    s->n_held = 0;
    memset(s->held, 0, (size_t)c->n);
    for (int i = 0; i < c->n && possible; i++)
        if (s->wish[i] > 0 && s->wish[i] < h) multirate_hold(s, i);
    for (int tries = 0;; tries++) {
        int status = multirate_all(c, s, t_new, h, result), refined = STEP_UNDEFINED;
        s->h_shorter = 0;
        s->cut = false;
        if (status < 0 || !possible) {
            s->n_traces = 0;
            s->t_kept = NAN;
            memset(s->next, 0, (size_t)c->n * sizeof *s->next);
            return status;
        }
        if (!status && !s->n_held && result->error <= 1)
            return multirate_plain(c, s, t_new, h, result);
        // Where many are wrong, one of them may have spoilt the others.
        if (!status && multirate_find_fast(c, s) <= c->n / 4 && multirate_find_spoilt(c, s, h))
            refined = multirate_parts(c, s, t_new, h);
        if (!refined) {
            refined = multirate_end(c, s, t_new, h, result);
            if (refined) s->t_kept = NAN;
        } else if (refined > 0 && s->t_kept == c->t && !c->p->n_corners) {
            refined = multirate_end_before(c, s, h, result);
        }
        if (refined <= 0) return refined;
        int worst = problem_worst(&c->norm, c->error_vector, h);
        if (refined == STEP_UNDEFINED && tries < HELD_MORE_MAX && worst >= 0 &&
            !s->held[s->pairs.row[worst]]) {
            multirate_hold(s, worst);
            continue;
        }
        result->h_factor = 0.5;
        result->h_next = s->h_shorter;
        if (s->t_kept == c->t) { // as far as parts came
            result->h_next = s->t_good - c->t;
            s->h_cut = larger_of(s->h_cut, h);
        }
        if (c->control.failures >= FAILURES_MOST) result->h_next = 0; // it creeps
        return status ? status : STEP_NEWTON;
    }
}

/* Without parts all unknowns would have taken the steps of the one that takes most, or more. */
static double multirate_steps_saved(multirate *s, int n, double t_new)
{
    double most = 1;
    memset(s->point, 0, (size_t)n * sizeof *s->point);
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *x = &s->trace[k];
        const part_code *code = &s->codes.code[x->code];
        if (!x->steps || x->t_begin >= t_new) continue;
        int steps = 1 + part_steps_until(code, x, smaller_of(t_new, x->t_end));
        for (int m = 0; m < code->own.n; m++)
            most = larger_of(most, s->point[code->unknown[m]] += steps);
    }
    return most;
}

/* Where parts have cost more than they saved they are left out for a while, for longer each time. */
static void multirate_judge(method_core *c, multirate *s, double t_new)
{
    multirate_trial *x = &s->trial;
    double work = c->run->stats.work;
    x->spent += work - x->mark;
    x->mark = work;
    x->plain += s->work_step * multirate_steps_saved(s, c->n, t_new);
    if (x->rest > 0) {
        x->rest--;
        c->parts_rest = x->rest > 0;
        x->spent = x->plain = 0;
        x->steps = 0;
        return;
    }
    if (++x->steps < STEPS_JUDGED) return;
    if (x->spent > x->plain * (1 + 1.0 / STEPS_JUDGED)) {
        x->rest = x->pause = x->pause ? 2 * x->pause : STEPS_OF_REST;
        c->parts_rest = true;
        memset(s->next, 0, (size_t)c->n * sizeof *s->next);
    }
    x->spent = x->plain = 0;
    x->steps = 0;
}

static int multirate_accept(method_core *c, double t_new, double h)
{
    multirate *s = c->state;
    multirate_judge(c, s, t_new);
    s->h_cut = 0;
    memcpy(s->wish_old, s->wish, (size_t)c->n * sizeof *s->wish);
    memcpy(s->hint_old, s->hint, (size_t)c->n * sizeof *s->hint);
    memcpy(s->wish, s->next, (size_t)c->n * sizeof *s->wish);
    memcpy(s->hint, s->next, (size_t)c->n * sizeof *s->hint);
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        if (trace && multirate_same_time(trace->t_end, t_new, h)) s->hint[i] = trace->h_last;
    }
    s->t_kept = NAN;
    int status = rosenbrock_ops.accept(c, t_new, h);
    if (s->cut) s->base.ready = PREPARED; // not from stages
    return status;
}

/* What parts made is good for a shorter step from the same point. */
static int multirate_undo(method_core *c)
{
    multirate *s = c->state;
    if (!s->possible) return -1; // as rodas5p
    memcpy(s->wish, s->wish_old, (size_t)c->n * sizeof *s->wish);
    memcpy(s->hint, s->hint_old, (size_t)c->n * sizeof *s->hint);
    s->base.ready = NO_STAGES;
    s->t_kept = s->n_traces ? c->run->t_old : NAN;
    s->t_good = c->t;
    s->h_cut = c->h_last;
    return 0;
}

static void multirate_inner_rows(const method_core *c, double t, double *rows)
{
    const multirate *s = c->state;
    for (int k = 0; k < s->n_traces; k++) {
        const part_trace *trace = &s->trace[k];
        const part_code *x = &s->codes.code[trace->code];
        for (int m = 0; m < x->own.n && t >= trace->t_begin && t <= trace->t_end; m++)
            rows[x->row[m]] = 0;
    }
}

static int multirate_interpolate(method_core *c, double t, double *y, double *yp)
{
    multirate *s = c->state;
    int status = rosenbrock_ops.interpolate(c, t, y, yp);
    double x = 1 + (t - c->t) / c->h_last;
    for (int i = 0; i < c->n && s->n_traces;
         i++) { // before it joined a part it was as the step of all has it
        if (y) y[i] -= x * s->moved[i];
        if (yp) yp[i] -= s->moved[i] / c->h_last;
    }
    for (int k = 0; k < s->n_traces && !status; k++) {
        const part_trace *trace = &s->trace[k];
        if (t >= trace->t_begin && t <= trace->t_end)
            part_at(&s->codes.code[trace->code], trace, t, y, yp);
    }
    return status;
}

static const method_ops multirate_ops = {
    .control = CONTROL_PREDICTIVE,
    .state_bytes = sizeof(multirate),
    .layout = multirate_layout,
    .open = rosenbrock_open,
    .close = rosenbrock_close,
    .start = multirate_start,
    .attempt = multirate_attempt,
    .accept = multirate_accept,
    .undo = multirate_undo,
    .inner_rows = multirate_inner_rows,
    .interpolate = multirate_interpolate,
    .looks = rosenbrock_looks,
    .inner_order = rosenbrock_inner_order,
    .matrix = rosenbrock_matrix,
};

static void multirate_tableau(const double *opt, method_tableau *t)
{
    (void)opt;
    rosenbrock_tableau(&rodas5p_table, t);
}

const vinc_method vinc_method_multirate = {
    .name = "multirate",
    .summary = "rodas5p with shorter steps of a few unknowns by themselves",
    .cite = "Savcenco, Hundsdorfer & Verwer, BIT 47 (2007) 137-155",
    .order_min = 5,
    .order_max = 5,
    .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_STIFF |
              METHOD_LINEARLY_IMPLICIT,
    .ops = &multirate_ops,
    .tableau = multirate_tableau,
    .detail = &rodas5p_table,
};
