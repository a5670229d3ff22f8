/* Control of the step size, in selects.
 *
 * The elementary controller: h times 0.9 err^(-1/k), within limits (Hairer, Norsett & Wanner I, section
 * II.4). The root is taken by Newton's iteration for x^(-1/k), which needs no division and no
 * logarithm.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_write.h"

#include <float.h>
#include <math.h>

static const double FACTOR_MIN = 0.2, FACTOR_MAX = 6, SAFETY = 0.9;
enum { ROOT_STEPS = 2 };         // of Newton's iteration, from 19 %
enum { SQUARES_BELOW = 5 };      // roots of higher order are not taken of the square: too far away
enum { FIRST_HALF_OCTAVES = 6 }; // first guesses 2^(j/2), |j| at most this: beyond both limits
static const double EVENT_STEP_PART = 0.05; // of the span: the longest step where there are events
static const double LAST_STEP_STRETCH = 1 + 1e-10; // so that round-off leaves no step of its size

static tape_ref control_power(tape_builder *b, tape_ref x, int k)
{
    return tape_powi(b, x, k);
}

/* x^(-1/k) for x between the powers of the limits. */
static tape_ref control_inverse_root(tape_builder *b, tape_ref x, int k)
{
    tape_ref r = tape_const(b, pow(2, FIRST_HALF_OCTAVES / 2.0));
    for (int j = FIRST_HALF_OCTAVES - 1; j >= -FIRST_HALF_OCTAVES; j--) {
        tape_ref from = tape_const(b, pow(2, -k * (2 * j + 1) / 4.0));
        r = tape_select(b, TAPE_SEL_LT, from, x, tape_const(b, pow(2, j / 2.0)), r);
    }
    for (int i = 0; i < ROOT_STEPS; i++) {
        tape_ref rest =
            ens_op(b, TAPE_SUB, tape_const(b, 1), ens_op(b, TAPE_MUL, x, control_power(b, r, k)));
        tape_ref by = ens_op(b, TAPE_MUL, r, tape_const(b, 1.0 / k));
        r = ens_op(b, TAPE_ADD, r, ens_op(b, TAPE_MUL, by, rest));
    }
    return r;
}

ens_try ens_try_begin(const ens_writer *w, const ens_view *v)
{
    tape_builder *b = v->b;
    ens_try x = {.t = tape_y(ENS_T)};
    tape_ref end = tape_const(b, w->set->t1), rest = ens_op(b, TAPE_SUB, end, x.t);
    tape_ref reach = ens_times(b, LAST_STEP_STRETCH, tape_y(ENS_H));
    x.last = tape_le(b, rest, reach);
    x.h = tape_select(b, TAPE_SEL_LE, rest, reach, rest, tape_y(ENS_H));
    x.t_new = tape_select(b, TAPE_SEL_LE, rest, reach, end, ens_op(b, TAPE_ADD, x.t, x.h));
    if (!w->events.any) return x;
    tape_ref aim = tape_y(w->events.at.aim), zero = tape_const(b, 0);
    x.h = tape_select(b, TAPE_SEL_NE, aim, zero, aim, x.h);
    x.t_new = tape_select(b, TAPE_SEL_NE, aim, zero, ens_op(b, TAPE_ADD, x.t, aim), x.t_new);
    x.last = tape_select(b, TAPE_SEL_NE, aim, zero, zero, x.last);
    return x;
}

tape_ref ens_error(const ens_writer *w, tape_builder *b, const tape_ref *y, const tape_ref *error)
{
    tape_ref sum = TAPE_NONE;
    for (int i = 0; i < w->n; i++) {
        if (error[i] == TAPE_NONE) continue;
        double least = w->set->abs_tol * w->system.of->nominal[i];
        tape_ref weight =
            ens_op(b, TAPE_ADD, ens_times(b, w->set->rel_tol, tape_op1(b, TAPE_ABS, y[i])),
                   tape_const(b, least));
        tape_ref e = ens_op(b, TAPE_MUL, error[i], ens_op(b, TAPE_DIV, tape_const(b, 1), weight));
        tape_ref square = ens_op(b, TAPE_MUL, e, e);
        sum = sum == TAPE_NONE ? square : ens_op(b, TAPE_ADD, sum, square);
    }
    return sum == TAPE_NONE ? tape_const(b, 0) : ens_times(b, 1.0 / w->n, sum);
}

tape_ref ens_try_end(const ens_writer *w, const ens_view *v, const ens_try *x, tape_ref error2,
                     int root, const ens_found *found)
{
    tape_builder *b = v->b;
    bool squares = root < SQUARES_BELOW;
    int k = squares ? 2 * root : root;
    tape_ref one = tape_const(b, 1), zero = tape_const(b, 0), running = one;
    if (w->set->freeze) running = tape_eq(b, tape_y(ENS_STATUS), tape_const(b, ENS_RUNNING));
    tape_ref good = tape_select(b, TAPE_SEL_LE, error2, one, running, zero);

    // What is no number counts as too large: min and max take their second operand.
    tape_ref most = tape_const(b, pow(SAFETY / FACTOR_MIN, k)),
             least = tape_const(b, pow(SAFETY / FACTOR_MAX, k));
    tape_ref e = squares ? error2 : tape_op1(b, TAPE_SQRT, error2);
    e = ens_op(b, TAPE_MAX, ens_op(b, TAPE_MIN, e, most), least);
    tape_ref factor = ens_times(b, SAFETY, control_inverse_root(b, e, k));
    tape_ref h = ens_op(b, TAPE_MUL, x->h, factor);
    if (found) {
        double longest = EVENT_STEP_PART * (w->set->t1 - w->set->t0);
        h = ens_op(b, TAPE_MIN, h, tape_const(b, longest));
        h = tape_if(b, tape_and(b, good, found->cut), tape_y(ENS_H), h);
    }

    tape_ref steps = ens_op(b, TAPE_ADD, tape_y(ENS_STEPS), running);
    tape_ref done = tape_const(b, ENS_DONE), go_on = tape_const(b, ENS_RUNNING);
    tape_ref resolved = ens_times(b, 4 * DBL_EPSILON, tape_op1(b, TAPE_ABS, x->t));
    tape_ref status =
        tape_select(b, TAPE_SEL_LE, h, resolved, tape_const(b, ENS_STEP_TOO_SMALL), go_on);
    status = tape_select(b, TAPE_SEL_LT, steps, tape_const(b, w->set->max_steps), status,
                         tape_const(b, ENS_TOO_MANY_STEPS));
    tape_ref event = zero, arrived = zero;
    if (found) {
        arrived = tape_and(b, good, found->arrived);
        event = tape_and(b, tape_and(b, good, found->event), tape_not(b, arrived));
        good = tape_and(b, good, tape_not(b, event));
        // A step with an event in it was long enough; one that was cut says nothing about sizes.
        tape_ref longer = tape_and(b, event, tape_not(b, found->cut));
        h = tape_if(b, longer, ens_op(b, TAPE_MIN, h, x->h), h);
        status = tape_if(b, tape_and(b, good, found->turned), tape_const(b, ENS_CHOOSING), status);
    }
    tape_ref finished = ens_op(b, TAPE_MUL, good, x->last);
    status = tape_select(b, TAPE_SEL_NE, finished, zero, done, status);
    if (found) {
        status = tape_if(b, tape_and(b, good, found->broken), tape_const(b, ENS_HAND_BACK), status);
        ens_status look = w->events.weighs ? ENS_WEIGHING : ENS_LOCATING;
        status = tape_if(b, event, tape_const(b, look), status);
        tape_ref next = tape_const(b, w->sweeps ? ENS_SETTLING : ENS_FOLLOWING);
        status = tape_if(b, arrived, next, status);
    }
    if (w->set->freeze) {
        status = tape_select(b, TAPE_SEL_NE, running, zero, status, tape_y(ENS_STATUS));
        h = tape_select(b, TAPE_SEL_NE, running, zero, h, tape_y(ENS_H));
    }
    tape_store(b, tape_out(ENS_STATUS), status);
    tape_store(b, tape_out(ENS_T),
               tape_select(b, TAPE_SEL_NE, good, zero, x->t_new, tape_y(ENS_T)));
    tape_store(b, tape_out(ENS_H), h);
    tape_store(b, tape_out(ENS_STEPS), steps);
    return good;
}

/* The first step: a hundredth of the time in which the run of the source changes by its size, errors
 * weighed as in the error test (Hairer, Norsett & Wanner I, section II.4). */
static double control_first_step(const ens_writer *w)
{
    const ens_source *of = w->system.of;
    double y = 0, yp = 0, length = w->set->t1 - w->set->t0;
    for (int i = 0; i < w->n; i++) {
        double weight = w->set->rel_tol * fabs(of->y[i]) + w->set->abs_tol * of->nominal[i];
        if (!of->m->system.differential[i]) continue;
        y += of->y[i] / weight * (of->y[i] / weight);
        yp += of->yp[i] / weight * (of->yp[i] / weight);
    }
    double h = 0.01 * sqrt(y / yp);
    return isfinite(h) && h > 0 && h < 0.01 * length ? h : 1e-4 * length;
}

void ens_begin_adaptive(const ens_writer *w, int n_state)
{
    tape_builder *b = w->system.begin;
    bool events = code_has_events(&w->system.of->m->events);
    tape_store(b, tape_out(ENS_STATUS), tape_const(b, events ? ENS_SETTLING : ENS_RUNNING));
    tape_store(b, tape_out(ENS_T), tape_const(b, w->set->t0));
    tape_store(b, tape_out(ENS_H), tape_const(b, control_first_step(w)));
    tape_store(b, tape_out(ENS_STEPS), tape_const(b, 0));
    w->out->n_state = n_state;
    w->out->count = -1;
}
