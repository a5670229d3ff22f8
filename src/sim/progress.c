/* Runs that make no progress are stopped. Steps may all succeed and still lead nowhere: if rounding errors of the equations
 * are larger than the error test allows, each step is as short as time resolves.
 *
 * Attempts at steps are counted, not seconds. The pace of a stretch of some thousand attempts gives the number of attempts
 * that the rest of the run would take. The motion of a stretch is the largest change of a differential unknown, in units
 * of the tolerance. If a motion is followed, however fast, it has many units. A run stops
 *
 *     stands    if the motion is below one unit, there are no events, and the end is far;
 *     rescued   if steps fail again and again, the run goes on by rescues (rescue.c), and the end is far;
 *     endless   if for a million attempts the end was farther than any run can go.
 *
 * The first two have to hold for several stretches in a row, since starts and fast phases pass. If the caller gives
 * max_steps, that limit replaces these. The number of steps of a fixed size is what the caller asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "sim/driver.h"

#include <float.h>
#include <math.h>
#include <string.h>

// clang-format off
/* "choice": no measurement is known.
 *
 *  bound                             quantity                                            source */
enum {
    ATTEMPTS_OF_STRETCH  = 10007,   // at steps, between one look and the next            choice: less than a second; a prime, so that
                                    //                                                    no period has a part of as many steps
    STRETCHES_MIN        = 10,      // in a row, until a run stops                        choice: some seconds
    RESCUES_OF_STRETCH   = 10,      // that make a run `rescued`; as many other events
                                    // make steps short by themselves                     choice: one in 1000 attempts
    ATTEMPTS_LONG        = 1000000, // until a run is `endless`                           choice: 1e4 periods of what is fast pass
};
static const double
    ATTEMPTS_STANDING    = 1e8,     // to the end, of one that `stands`                   choice: an hour at the least
    ATTEMPTS_RESCUED     = 1e7,     // ... that is `rescued`                              a loop of four revolutes: 2e8
    ATTEMPTS_ENDLESS     = 1e14,    // ... that is `endless`                              choice: a year at the least
    MOTION_MIN           = 1;       // units of the tolerance in a stretch                principle: less is not resolved
// clang-format on

static long progress_attempts(const vinc_stats *n)
{
    return n->steps + n->rejected_error + n->rejected_newton + n->rejected_undefined;
}

/* To where the caller wants the run to go, at the pace of the stretch. */
static double attempts_left(const driver *d, const sim_stretch *x, long attempts)
{
    double t = d->run->t;
    return (double)(attempts - x->attempts) * (d->t_until - t) / fmax(t - x->t, DBL_MIN);
}

/* How far the differential unknowns came in this stretch: the largest change over its weight. */
static double stretch_motion(const driver *d)
{
    const vinc_problem *p = d->p;
    const sim_options *o = d->o;
    double most = 0, abs_tol = o->abs_tol > 0 ? o->abs_tol : o->rel_tol;
    for (int i = 0; i < p->n; i++) {
        if (p->differential && !p->differential[i]) continue;
        double y = d->run->y[i], unit = o->rel_tol * fabs(y) + abs_tol * problem_nominal(p, i);
        most = fmax(most, fabs(y - d->progress.y[i]) / unit);
    }
    return most;
}

static int progress_stops(driver *d, const char *how, double left)
{
    const method_run *r = d->run;
    int worst = d->done->worst = method_worst(r);
    const char *name =
        worst >= 0 && d->p->unknown_name ? d->p->unknown_name(d->p->user, worst) : NULL;
    text_printf(
        &d->done->message,
        "no progress at t = %.10g: %s; at this pace t = %g is %.0e attempts "
        "away. So far there were %ld steps and %ld events; %ld attempts were rejected by the error "
        "test and %ld by the iteration; the last step was %.3g long",
        r->t, how, d->t_until, left, r->stats.steps, d->done->events, r->stats.rejected_error,
        r->stats.rejected_newton + r->stats.rejected_undefined, r->t - r->t_old);
    if (name) text_printf(&d->done->message, "; the unknown that limits it is %s", name);
    return VINC_E_PROGRESS;
}

/* The end of a stretch. */
static int progress_judge(driver *d, long attempts)
{
    sim_course *x = &d->progress;
    double left = attempts_left(d, &x->now, attempts),
           left_long = attempts_left(d, &x->longer, attempts);
    bool is_long = attempts - x->longer.attempts >= ATTEMPTS_LONG;
    bool switches = d->done->events - x->events - x->rescues >= RESCUES_OF_STRETCH;
    bool stands = left > ATTEMPTS_STANDING && !switches && stretch_motion(d) < MOTION_MIN;
    bool rescued = left > ATTEMPTS_RESCUED && x->rescues >= RESCUES_OF_STRETCH;
    x->standing = stands ? x->standing + 1 : 0;
    x->rescued = rescued ? x->rescued + 1 : 0;
    if (x->standing >= STRETCHES_MIN)
        return progress_stops(
            d, "the solution moves by less than the tolerance in 10000 attempts at steps", left);
    if (x->rescued >= STRETCHES_MIN)
        return progress_stops(d, "steps fail again and again, and rescues alone lead on", left);
    if (is_long && left_long > ATTEMPTS_ENDLESS)
        return progress_stops(d, "steps are too short, and do not become longer", left_long);
    if (is_long) x->longer = (sim_stretch){attempts, d->run->t};
    return VINC_OK;
}

int driver_watch_progress(driver *d)
{
    sim_course *x = &d->progress;
    long attempts = progress_attempts(&d->run->stats), made = attempts - x->now.attempts;
    if (x->begun && made >= 0 && made < ATTEMPTS_OF_STRETCH) return VINC_OK;
    if (d->o->max_steps || d->o->step > 0 || d->p->shared) return VINC_OK;
    int rc = x->begun && made > 0 ? progress_judge(d, attempts) : VINC_OK;
    if (!x->begun || made < 0)
        x->longer = (sim_stretch){attempts, d->run->t}; // also after a return to an earlier state
    x->begun = true;
    x->now = (sim_stretch){attempts, d->run->t};
    x->rescues = 0;
    x->events = d->done->events;
    memcpy(x->y, d->run->y, (size_t)d->p->n * sizeof *x->y);
    return rc;
}
