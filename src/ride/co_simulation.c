/* Co-simulation: the FMU makes its own steps between communication points, where rows are recorded.
 *
 * A step may end early, at an event (FMI 3): the event is iterated, with a row before and a row after it,
 * and the rest of the way is a step of its own. Steps of a table of inputs are communication points.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ride/ride.h"

#include <math.h>
#include <string.h>

static int steps_row(vinc_fmu *f, double t)
{
    if (!fmu_ask(f, BOX_EVALUATE, BOX_VALUES)) return VINC_E_STOPPED;
    int rc = result_append(f->result.r, t, f->seat.box->values);
    return rc == RESULT_E_MEMORY ? VINC_E_MEMORY : rc < 0 ? VINC_E_EVALUATION : VINC_OK;
}

/* The k-th communication point. */
static double point_of(const vinc_fmu *f, long k, long n, double h)
{
    const sim_options *o = &f->options;
    if (k >= n) return o->t_stop;
    return o->step > 0 ? o->t_start + (double)k * h
                       : o->t_start + (o->t_stop - o->t_start) * (double)k / (double)n;
}

/* At t: an event that the FMU wants, or a step of the inputs; with a row before it. */
static int steps_event(vinc_fmu *f, double t)
{
    import_box *b = f->seat.box;
    int rc = steps_row(f, t);
    f->t_event = t;
    if (rc) return rc;
    f->done.events++;
    if (!f->seat.box->event_mode) return VINC_OK; // inputs are set with the next step
    fmu_inputs(f, t);
    if (!fmu_ask(f, BOX_EVENT, BOX_ALL_INPUTS)) return VINC_E_STOPPED;
    bool ends = b->terminate;
    rc = steps_row(f, t);
    return rc ? rc : ends ? VINC_TERMINATED : VINC_OK;
}

/* From t to `to`; *reached is where it came to. */
static int steps_advance(vinc_fmu *f, double t, double to, double *reached)
{
    import_box *b = f->seat.box;
    enum { STILL_MAX = 1000 }; // returns without time passing
    for (int still = 0; t < to;) {
        b->t = t;
        b->h = to - t;
        fmu_inputs(f, t);
        bool fine = fmu_ask(f, BOX_STEP, f->seat.box->event_mode ? BOX_INPUTS : BOX_ALL_INPUTS);
        f->done.stats.steps++;
        if (!fine) return VINC_E_STOPPED;
        still = b->reached > t ? 0 : still + 1;
        t = b->early || b->terminate ? fmin(fmax(b->reached, t), to) : to;
        *reached = t;
        if (b->terminate) return VINC_TERMINATED;
        if (still == STILL_MAX) {
            text_printf(&f->done.message, "the FMU returns early at t = %.10g without end", t);
            return VINC_E_ZENO;
        }
        if (b->event_asked && f->seat.box->event_mode) {
            int rc = steps_event(f, t);
            if (rc) return rc;
        }
    }
    return VINC_OK;
}

static int steps_run(vinc_fmu *f)
{
    const sim_options *o = &f->options;
    double length = o->t_stop - o->t_start, t = o->t_start;
    double h = o->step > 0 ? o->step : length / (double)o->intervals;
    long n = o->step > 0 ? (long)ceil(length / h * (1 - 1e-12)) : o->intervals;
    int rc = steps_row(f, t);
    for (long k = 1; k <= n && !rc && t < o->t_stop;) {
        double to = point_of(f, k, n, h), from = t;
        double when = fmu_next_break(f, t);
        bool jump = when <= to;
        if (jump) to = when;
        watch_count(&f->watch, "steps", f->done.stats.steps, n);
        if (watch_look(&f->watch)) return VINC_E_LIMIT; // or interrupted: the watch knows
        rc = steps_advance(f, t, to, &t);
        f->done.t_end = t;
        if (rc == VINC_TERMINATED && t > from) steps_row(f, t);
        if (!rc && jump) rc = steps_event(f, t);
        else if (!rc) rc = steps_row(f, t);
        if (!jump || to >= point_of(f, k, n, h)) k++;
        sim_progress now = {
            .t = t, .t_start = o->t_start, .t_stop = o->t_stop, .steps = f->done.stats.steps};
        if (!rc && o->progress && o->progress(o->user, &now)) rc = VINC_STOPPED;
    }
    return rc;
}

int fmu_steps(vinc_fmu *f)
{
    f->done = (sim_outcome){.t_end = f->options.t_start, .violation = {-1, -1, -1}, .worst = -1};
    text_init(&f->done.message, &f->m);
    int rc =
        f->options.t_stop > f->options.t_start ? steps_run(f) : steps_row(f, f->options.t_start);
    if (rc == VINC_E_STOPPED) {
        text_printf(&f->done.message, "the FMU failed at t = %.10g: ", f->done.t_end);
        import_seat_words(&f->seat, &f->done.message);
    }
    f->done.status = rc;
    return rc;
}
