/* The driver: steps, events, output.
 *
 *     start ─► step ─► event inside? ─► output points up to there ─► update and restart ─► step ...
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/driver.h"

#include "base/bump.h"
#include "base/watch.h"
#include "la/shared.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t driver_layout(driver *d, void *block)
{
    bump b = bump_begin(block);
    d->y = bump_double(&b, (size_t)d->p->n);
    d->yp = bump_double(&b, (size_t)d->p->n);
    d->out = bump_double(&b, (size_t)(d->p->n_outputs ? d->p->n_outputs : d->p->n));
    d->out_before = bump_double(&b, (size_t)d->p->n_outputs);
    d->y_kept = bump_double(&b, (size_t)d->p->n);
    d->yp_kept = bump_double(&b, (size_t)d->p->n);
    d->y_begin = bump_double(&b, (size_t)d->p->n);
    d->yp_begin = bump_double(&b, (size_t)d->p->n);
    d->progress.y = bump_double(&b, (size_t)d->p->n);
    d->work = bump_double(&b, 3 * (size_t)d->p->n);
    d->lanes = d->p->rows ? bump_double(&b, VINC_ROW_LANES * (size_t)d->p->n) : NULL;
    d->steep_from = bump_double(&b, (size_t)d->p->n);
    d->slopes = bump_double(&b, (size_t)d->p->n_invariants * (size_t)d->p->n);
    d->slopes_t = bump_double(&b, (size_t)d->p->n_invariants);
    d->values = bump_double(&b, 2 * (size_t)d->p->n_invariants);
    char *rest = bump_bytes(&b, sim_roots_layout(&d->roots, d->p, NULL));
    sim_roots_layout(&d->roots, d->p, rest);
    rest = bump_bytes(&b, sim_bridge_layout(&d->bridge, d->p, NULL));
    sim_bridge_layout(&d->bridge, d->p, rest);
    return bump_end(&b);
}

/* ---- assertions ------------------------------------------------------------------------------ */

/* The point at t in the last step, on the algebraic equations. */
static bool step_point(driver *d, double t)
{
    return sim_consistent_at(&d->roots.onto, d->run, t, d->y, d->yp, 0) >= 0;
}

static bool assertions_hold(driver *d, double t)
{
    const method_run *run = d->run;
    if (t == run->t) return d->p->check(d->p->user, t, run->y, run->yp) >= 0;
    return !step_point(d, t) || d->p->check(d->p->user, t, d->y, d->yp) >= 0;
}

/* Assertions hold in the step up to `end`? Where one does not, the run stops at the first time at
 * which it fails, to within the resolution of time. Where an event is due at the end, what holds there
 * is said by the values after it: only what lies before is looked at. */
static int check_until(driver *d, double end, bool event)
{
    const double PART_BEFORE_EVENT = 1e-6; // of the step; choice
    method_run *run = d->run;
    if (!d->p->check) return VINC_OK;
    double good = run->t_old, bad = event ? end - PART_BEFORE_EVENT * (end - good) : end;
    if (!(bad > good) || assertions_hold(d, bad)) return VINC_OK;
    double tiny = method_h_min(bad, bad - good);
    while (bad - good > tiny) {
        double t = good + 0.5 * (bad - good);
        if (assertions_hold(d, t)) good = t;
        else bad = t;
    }
    int rc = driver_record_until(d, bad);
    if (rc) return rc;
    if (!step_point(d, bad)) return VINC_E_STOPPED;
    d->p->check(d->p->user, bad, d->y, d->yp); // for the values in its message
    rc = driver_record(d, bad, d->y, d->yp);
    if (!rc) rc = method_restart(run, bad, d->y, d->yp, false, 0); // the run ends here
    return rc ? rc : VINC_E_STOPPED;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* What has to be asked in every step: most runs have nothing of it. */
static void driver_ask(driver *d)
{
    const vinc_problem *p = d->p;
    const sim_options *o = d->o;
    d->bounded =
        p->next_time_event || p->step_limit || p->forcing_limit || o->next_break || o->next_corner;
    d->looks = d->roots.n || p->check || p->accept || p->regularity || p->violation || p->energy ||
               d->done->n_invariants || p->n_invariants || d->chart_steps || o->follow;
    d->lands = !d->roots.n && !o->no_rows && !o->follow_inside && !d->chart_steps;
    d->glides = !d->bounded && !d->looks && d->lands && d->can_redo && !p->shared && !(o->step > 0);
    d->listens = o->log || o->steps || o->progress || o->pausing || p->shared || o->follow;
}

/* The problem may be another one from here on: it slides, or does so no more. */
static void driver_follow(driver *d)
{
    const vinc_problem *p = d->p->follows ? d->p->follows(d->p->user) : d->p;
    if (p != d->p) {
        d->p = d->bridge.p = p;
        sim_consistent_use(&d->roots.onto, p);
    }
    driver_ask(d);
}

/* Where steps keep constraints only as well as their iteration converges, a point from which a short
 * step is made is first moved onto them: what is left of a distance would be a velocity there. */
static void close_constraints(driver *d, double t, double *y, double *yp)
{
    if (d->p->output_project && d->p->violation) sim_consistent_make(&d->roots.onto, t, y, yp, 0);
}

int driver_restart(driver *d, double t, double h)
{
    close_constraints(d, t, d->y, d->yp);
    if (d->run->problem == d->p) return method_restart(d->run, t, d->y, d->yp, true, h);
    sim_mark here = {t, h, d->choice, 0, 0, d->run->stats};
    here.stats.restarts++;
    return driver_begin_again(d, &here, d->y, d->yp);
}

int driver_update(driver *d, double t, driver_event kind, int *changed)
{
    const vinc_problem *p = d->p;
    bool log = driver_logs_events(d);
    if ((log || d->zeno.crowded || d->zeno.shrinking) && p->event_text)
        p->event_text(p->user, NULL, 0);
    int rc = p->event ? p->event(p->user, t, d->y, d->yp, changed) : 0;
    if (!p->event && kind == EVENT_INPUT) sim_consistent_make(&d->roots.onto, t, d->y, d->yp, 0);
    if (log && (*changed || rc || kind == EVENT_INPUT)) driver_log_event(d, t, kind);
    driver_follow(d);
    return rc;
}

/* Events that come ever faster never end. The run stops where what lies between two of them is lost
 * in the tolerance: in a flight of duration d the height is of the order of d^2, and a few times
 * the tolerance is needed for a shape. */
static int count_event(driver *d, double t, driver_event kind)
{
    const sim_options *o = d->o;
    double limit, resolution = 4 * sqrt(o->rel_tol) * (t - o->t_start);
    d->done->events++;
    char words[300] = "";
    bool told = d->zeno.crowded || d->zeno.shrinking; // what the event changed was noted
    int source = kind == EVENT_STATE && d->roots.n_found ? d->roots.found[0] : -1;
    int found = sim_zeno_add(&d->zeno, t, source, o->t_stop - o->t_start, resolution, &limit);
    if (found != SIM_ZENO_NO && told && d->p->event_text)
        d->p->event_text(d->p->user, words, sizeof words);
    d->done->chatters = found == SIM_ZENO_CHATTERS;
    if (found == SIM_ZENO_CHATTERS) {
        text_printf(&d->done->message,
                    "events follow each other without time passing at t = %.10g: a condition "
                    "switches what it depends on back and forth%s%s",
                    t, *words ? "; the last: " : "", words);
    } else if (found == SIM_ZENO_ACCUMULATES && limit < o->t_stop)
        text_printf(&d->done->message,
                    "the events accumulate at t = %.13g (Zeno): there are infinitely many before "
                    "that time, the last one handled is number %ld at t = %.13g%s%s",
                    limit, d->done->events, t, *words ? ": " : "", words);
    else {
        return VINC_OK;
    }
    return VINC_E_ZENO;
}

static int point_at(void *trajectory, double t, double *y, double *yp)
{
    driver *d = trajectory;
    int rc = sim_consistent_at(&d->roots.onto, d->run, t, y, yp, 0);
    return rc < 0 ? rc : 0;
}

const method_run *sim_step_run(const void *trajectory)
{
    return ((const driver *)trajectory)->run;
}

// The step is final up to t: for a problem that remembers its past, and for who follows the run.
static int driver_tell(driver *d, double t)
{
    const sim_options *o = d->o;
    if ((!d->p->accept && !o->follow) || !(t > d->t_told)) return VINC_OK;
    int rc = d->p->accept ? d->p->accept(d->p->user, d->t_told, t, point_at, d) : 0;
    if (rc >= 0 && o->follow && o->follow(o->user, d->t_told, t, point_at, d)) d->left = true;
    d->t_told = t;
    return rc < 0 ? VINC_E_STOPPED : VINC_OK;
}

/* Only outputs are others after the event: the row before it, the row after it, and the step goes on. */
static int driver_outputs_jump(driver *d, double t)
{
    int rc = driver_append(d, t, d->p->outputs ? d->out : d->y_kept);
    if (!rc) rc = driver_record(d, t, d->y, d->yp);
    driver_stay_on_record(d);
    d->done->events++; // nothing that could chatter was touched
    if (rc) return rc;
    return sim_roots_begin(&d->roots, d->p, t, d->y, d->yp) ? VINC_E_EVALUATION : VINC_OK;
}

/* The discrete update at time t. If nothing changes (an indicator that only touched zero) the step
 * goes on; otherwise the row before it, the row after it, and a fresh start from there. */
static int driver_at_event(driver *d, double t, driver_event kind)
{
    size_t bytes = (size_t)d->p->n * sizeof *d->y;
    int told = driver_tell(d, t);
    if (told) return told;
    int rc = driver_point(d, t);
    if (!rc) rc = driver_row(d, t, true);
    if (rc) return rc;
    memcpy(d->y_kept, d->y, bytes);
    memcpy(d->yp_kept, d->yp, bytes);
    int changed = 0;
    if (d->o->input_jumps) d->o->input_jumps(d->o->user, t);
    rc = driver_update(d, t, kind, &changed);
    bool break_here = changed || rc || kind == EVENT_INPUT;
    d->t_seen = t;
    bool fails = !rc && d->p->check && d->p->check(d->p->user, t, d->y, d->yp) < 0;
    if (changed < 0 && !rc && !fails && kind != EVENT_INPUT) return driver_outputs_jump(d, t);
    if (!break_here && !fails)
        return sim_roots_begin(&d->roots, d->p, t, d->y, d->yp) ? VINC_E_EVALUATION : VINC_OK;

    int recorded = driver_append(d, t, d->p->outputs ? d->out : d->y_kept);
    if (recorded) return recorded;
    if (rc != VINC_TERMINATED && rc) { // the run ends here
        d->unhandled = true;
        int restarted = method_restart(d->run, t, d->y_kept, d->yp_kept, true, 0);
        return restarted ? restarted : rc < 0 ? VINC_E_STOPPED : VINC_E_EVALUATION;
    }
    driver_watch_jump(d, t);
    int endless = count_event(d, t, kind);
    recorded = driver_record(d, t, d->y, d->yp);
    driver_stay_on_record(d);
    if (recorded) return recorded;
    sim_bridge_clear(&d->bridge);
    int restarted = driver_restart(d, t, 0);
    if (restarted || rc == VINC_TERMINATED) return restarted ? restarted : VINC_TERMINATED;
    if (fails) return VINC_E_STOPPED;
    d->restarted = true;
    d->roots.n_passed = d->passes = 0;
    d->roots.h = 0;
    d->stretch = 0;
    d->h_inner = d->run->h_most = d->h_cut = 0;
    d->backs = 0;
    if (endless) return endless;
    return sim_roots_begin(&d->roots, d->p, t, d->y, d->yp) ? VINC_E_EVALUATION : VINC_OK;
}

/* ---- the loop -------------------------------------------------------------------------------- */

void driver_keep_begin(driver *d)
{
    size_t bytes = (size_t)d->p->n * sizeof *d->y;
    const double *y, *yp;
    if (d->begin_kept) return;
    method_step_begin(d->run, &y, &yp);
    memcpy(d->y_begin, y, bytes);
    memcpy(d->yp_begin, yp, bytes);
    d->begin_kept = true;
}

/* The interpolant of a one-step method is often of lower order than the method. A step that ends
 * where the event was found has the full order there, and what is left to be found lies near its
 * end: the step is made again, up to that time. */
static int redo_step(driver *d, double t)
{
    driver_keep_begin(d);
    close_constraints(d, d->t_begin, d->y_begin, d->yp_begin);
    int rc = method_restart(d->run, d->t_begin, d->y_begin, d->yp_begin, false, t - d->t_begin);
    if (!rc) rc = method_step(d->run, t);
    if (!rc) rc = driver_hold_rows(d); // it is another interpolant than the one that was held
    if (rc) {
        text_add(&d->done->message, d->run->message);
        return rc;
    }
    d->redone++;
    sim_roots_again(&d->roots);
    return VINC_OK;
}

static bool worth_redoing(driver *d, double t)
{
    enum { STEPS_REDONE_MAX = 12 };
    enum { PASSES_REDONE_MAX = 20 }; // in a row: so many crossings that are none are noise
    const double STEP_IN_RESOLUTIONS_MIN = 1000; // nothing to gain by a step as short as that
    const double REST_OF_STEP_MIN = 1e-6; // the error of the interpolant vanishes at its end ...
    const double PART_OF_STEP_MIN = 1e-6; // ... and at its beginning
    double h = d->run->t - d->t_begin, reach = t - d->t_begin, rest = d->run->t - t;
    if (!d->redone) d->h_begin = h;
    return d->can_redo && d->redone < STEPS_REDONE_MAX && d->passes < PASSES_REDONE_MAX &&
           d->t_seen == d->t_begin && rest > (d->redone ? REST_OF_STEP_MIN * h : 0) &&
           reach > STEP_IN_RESOLUTIONS_MIN * method_h_min(t, 0) &&
           reach > PART_OF_STEP_MIN * d->h_begin;
}

/* The search for events goes on after t, where there is none. */
static int go_past(driver *d, double t)
{
    d->t_seen = t;
    int rc = driver_point(d, t);
    if (rc) return rc;
    return sim_roots_begin(&d->roots, d->p, t, d->y, d->yp) ? VINC_E_EVALUATION : VINC_OK;
}

/* A step that events and whoever listens may have to do with. */
static int look_at_step(driver *d, double t_event, driver_event kind)
{
    enum { TOUCHES_MAX = 200 };       // of zero without an event; more in one step is noise
    const double GROWTH_OF_STEPS = 5; // at most, after one that was cut
    d->roots.h = fmax(d->run->t - d->t_begin, d->roots.h / GROWTH_OF_STEPS);
    for (int k = 0; k < TOUCHES_MAX; k++) {
        double when;
        int rc = sim_roots_search(&d->roots, d->run, d->t_seen, &when);
        if (rc < 0) return VINC_E_EVALUATION;
        if (rc == 0 && !k) d->passes = 0;
        if (rc == 0 || !(when > d->t_seen)) break;
        if (worth_redoing(d, when)) {
            if ((rc = redo_step(d, when)) != 0) return rc;
            continue;
        }
        d->redone = 0;
        if ((rc = driver_record_until(d, when)) != 0) return rc;
        if (sim_roots_pass(&d->roots, d->run, when)) {
            d->passes++;
            if ((rc = go_past(d, when)) != 0) return rc;
            if (when >= d->run->t) break;
            continue;
        }
        if ((rc = check_until(d, when, true)) != 0) return rc;
        rc = driver_at_event(d, when, EVENT_STATE);
        if (rc || d->restarted) return rc;
        if (when >= d->run->t) break; // nothing of the step is left
    }
    d->t_seen = d->run->t;
    if (sim_roots_stray(&d->roots, d->run)) {
        int rc = driver_at_event(d, d->run->t, EVENT_STATE);
        if (rc || d->restarted) return rc;
    }
    int ok = check_until(d, d->run->t, d->run->t >= t_event);
    if (!ok) ok = driver_tell(d, d->run->t);
    if (ok) return ok;
    if (d->run->t >= t_event) {
        int rc = driver_record_until(d, nextafter(d->run->t, -INFINITY));
        if (!rc) rc = driver_at_event(d, t_event, kind);
        if (rc || d->restarted) return rc;
    }
    int rc = driver_record_until(d, d->run->t);
    if (!rc) rc = driver_watch_invariants(d, d->run->t, d->run->y, d->run->yp);
    if (rc) return rc;
    if (d->chart_steps) return driver_record_step(d, d->run->t);
    driver_watch_violation(d, d->run->t, d->run->y, d->run->yp);
    driver_watch_energy(d, d->run->t, d->run->y, d->run->yp);
    return VINC_OK;
}

/* ... and one that nobody but the rows asks for. */
static int after_step(driver *d, double t_event, driver_event kind)
{
    double t = d->run->t;
    d->restarted = false;
    if (d->looks || t >= t_event) return look_at_step(d, t_event, kind);
    d->t_seen = t;
    return d->t_out <= t ? driver_record_until(d, t) : VINC_OK;
}

/* A step was shortened since the equations cannot be evaluated beyond it, and its end is where an event was to come, but
 * for the margins of indicators: it is the event. Otherwise steps would creep there. */
static int end_reached(driver *d)
{
    method_run *run = d->run;
    bool shortened = run->stats.rejected_undefined != d->undefined;
    d->undefined = run->stats.rejected_undefined;
    if (!shortened || !sim_roots_bare_changed(&d->roots, d->p, run->t, run->y, run->yp))
        return VINC_OK;
    return driver_at_event(d, run->t, EVENT_STATE);
}

/* A step may end beyond the place where a branch of the equations ends, where the iteration of its last stage stopped
 * short of evaluating it. If rows told so, the run has gone back to the last point that has one (record.c), and goes on
 * from there, towards the event that is to come. Otherwise the step is made again, with half of its length. */
static int after_step_or_back(driver *d, double t_event, driver_event kind)
{
    enum { BACKS_MAX = 200 };
    double end = d->run->t;
    int rc = after_step(d, t_event, kind);
    bool told = d->p->accept && d->t_told > d->t_begin;
    if (!rc && !d->restarted) return end_reached(d);
    if (rc != VINC_E_EVALUATION || !d->roots.n || d->restarted || told || d->unhandled) return rc;
    if (++d->backs > BACKS_MAX) return rc;
    int again = 0;
    if (d->run->t == end) {
        double t = d->t_begin, h = (end - t) / 2;
        if (h < method_h_min(t, 0) || d->t_row > t) return rc;
        driver_keep_begin(d);
        if (d->o->step > 0) d->h_cut = h;
        again = method_restart(d->run, t, d->y_begin, d->yp_begin, true, h);
    }
    d->t_seen = d->run->t;
    d->redone = 0;
    if (!again) again = sim_roots_begin(&d->roots, d->p, d->run->t, d->run->y, d->run->yp);
    if (again) return rc;
    text_clear(&d->done->message);
    return VINC_OK;
}

static double next_event(const driver *d, double t, driver_event *kind)
{
    double model = d->p->next_time_event ? d->p->next_time_event(d->p->user, t) : INFINITY;
    double input = d->o->next_break ? d->o->next_break(d->o->user, t) : INFINITY;
    *kind = input <= model ? EVENT_INPUT : EVENT_TIME;
    return fmin(model, input);
}

/* Where the next step would reach farther: a limit that is not reached anyway would only have it
 * share what is left with the one after it. */
static double forced_limit(const driver *d)
{
    double t = d->run->t, to = t + d->run->h_next, limit = INFINITY;
    if (d->o->step > 0) return INFINITY;
    if (d->p->forcing_limit) limit = d->p->forcing_limit(d->p->user, t, to);
    if (d->o->next_corner) limit = fmin(limit, d->o->next_corner(d->o->user, t, to));
    return to > limit && limit > t + method_h_min(t, 0) ? limit : INFINITY;
}

/* Stopped from outside or by a limit: why, and the status for it. Otherwise the status as it is. */
static int driver_heed(driver *d, int status)
{
    const watch *w = d->m->watch;
    text *why = &d->done->message;
    double t = d->run ? d->run->t : d->o->t_start;
    char words[WATCH_WORDS];
    if (!w || status == VINC_OK || status == VINC_TERMINATED) return status;
    watch_cause cause = w->cause;
    if (status == VINC_E_MEMORY && w->limits->bytes && atomic_load(&w->limits->refused))
        cause = WATCH_MEMORY;
    if (cause == WATCH_GOES_ON) return status;
    text_clear(why);
    if (cause == WATCH_INTERRUPTED) text_printf(why, "interrupted at t = %.10g", t);
    else text_printf(why, "%s, at t = %.10g", watch_words(w, cause, words), t);
    return cause == WATCH_INTERRUPTED ? VINC_STOPPED : VINC_E_LIMIT;
}

static void driver_tell_end(driver *d)
{
    if (!d->o->ending || !d->run || !d->run->y) return;
    sim_mark here = sim_mark_here(d);
    d->o->ending(d->o->user, &here, d->run->y, d->run->yp);
}

/* By a limit or from outside, here or in another process. */
static inline bool driver_is_stopped(driver *d)
{
    watch *w = d->m->watch;
    bool here = watch_look(w);
    if (!d->p->shared) return here;
    watch_cause cause = (watch_cause)shared_most(d->p->shared, here ? w->cause : WATCH_GOES_ON);
    if (w && cause != WATCH_GOES_ON) w->cause = cause;
    return cause != WATCH_GOES_ON;
}

/* How far the next step may reach: no farther than the next event, which is at t_event. */
static double next_limit(const driver *d, double t_event)
{
    double limit = fmin(t_event, d->t_until);
    if (d->p->step_limit) limit = fmin(limit, d->p->step_limit(d->p->user, d->run->t));
    if (d->h_cut > 0) limit = fmin(limit, d->run->t + d->h_cut);
    return fmin(limit, forced_limit(d));
}

/* After a step that was cut: the grid of fixed steps begins here, and the next one may be longer. */
static int driver_lengthen(driver *d)
{
    size_t bytes = (size_t)d->p->n * sizeof *d->y;
    d->h_cut = 2 * d->h_cut < d->o->step ? 2 * d->h_cut : 0;
    memcpy(d->y, d->run->y, bytes);
    memcpy(d->yp, d->run->yp, bytes);
    return method_restart(d->run, d->run->t, d->y, d->yp, false, 0);
}

/* After a step: who wants to hear of it, and whether the run goes on. */
static int driver_tell_step(driver *d, double from, int order)
{
    const sim_options *o = d->o;
    int rc = o->steps ? driver_chart(d, from, order) : VINC_OK;
    if (rc) return rc;
    sim_progress now = {d->run->t,           o->t_start, o->t_stop,
                        d->run->stats.steps, d->run->y,  d->run->yp};
    bool left = d->left || (o->progress && o->progress(o->user, &now));
    if (shared_any(d->p->shared, left)) {
        text_printf(&d->done->message, "interrupted at t = %.10g", d->run->t);
        return VINC_STOPPED;
    }
    if (o->pausing && o->pausing(o->user, false)) {
        driver_tell_end(d);
        o->pausing(o->user, true);
    }
    return VINC_OK;
}

/* ---- several steps at once -------------------------------------------------------------------- */

/* Steps of which nobody asks for anything but rows. */
typedef struct driver_gliding {
    driver *d;
    int rc;     // of the rows
    bool again; // the last step was made again, with `held`, and is yet to be looked at
    int held;
} driver_gliding;

static void gliding_bound(method_plain *plain)
{
    const driver_gliding *g = plain->user;
    driver_hold_unseen(g->d, plain->unseen);
    plain->unseen = 0;
}

static void driver_watch_growth(driver *d)
{
    if (d->done->grew || d->o->step > 0 || !method_grew(d->run, &d->growth)) return;
    d->done->grew = true;
    d->done->t_grew = d->run->t;
}

static void gliding_passes(method_plain *plain)
{
    driver_gliding *g = plain->user;
    driver_watch_growth(g->d);
}

static double next_row(const driver *d)
{
    return d->n_out <= d->o->intervals ? d->t_out : INFINITY;
}

static bool gliding_inside(method_plain *plain)
{
    driver_gliding *g = plain->user;
    driver *d = g->d;
    long rejected = d->run->stats.rejected_error;
    plain->unseen = 0;
    d->t_begin = d->run->t_old;
    d->begin_kept = false;
    g->held = driver_hold_inner(d);
    g->again = g->held || d->run->stats.rejected_error != rejected;
    if (g->again) return false;
    driver_watch_growth(d);
    d->t_seen = d->run->t;
    g->rc = driver_record_until(d, d->run->t);
    plain->before = next_row(d);
    return !g->rc && driver_hold_may_wait(d, plain->before);
}

/* All but the last of the steps that the loop may make before it has to look again. */
static driver_gliding driver_glide(driver *d)
{
    method_run *run = d->run;
    const sim_options *o = d->o;
    driver_gliding g = {.d = d};
    method_plain plain = {.t_limit = d->t_until,
                          .before = next_row(d),
                          .slope_most = driver_steep_least(d),
                          .steps = LONG_MAX,
                          .bound = gliding_bound,
                          .passes = gliding_passes,
                          .inside = gliding_inside,
                          .user = &g};
    if (o->max_steps) plain.steps = o->max_steps - run->stats.steps - 1;
    if (d->choice.method) {
        long left = d->quiet.stretch - d->stretch - 1;
        plain.steps = left < plain.steps ? left : plain.steps;
        left = d->quiet.steps - run->stats.steps - 1;
        plain.steps = left < plain.steps ? left : plain.steps;
    }
    if (!driver_hold_may_wait(d, plain.before)) return g;
    long steps = method_glide(run, &plain);
    if (steps < 0) d->glides = false; // until the next event, at least
    if (steps <= 0) return g;
    d->jumps = 0;
    d->stretch += steps - g.again;
    d->t_seen = run->t;
    if (plain.unseen) driver_hold_unseen(d, plain.unseen);
    return g;
}

static int driver_step(driver *d, double t_limit)
{
    d->t_begin = d->run->t;
    d->begin_kept = false;
    int rc = method_step(d->run, t_limit);
    return rc || !d->can_redo ? rc : driver_hold_inner(d);
}

/* Steps until d->t_until; `single`: until one is accepted or an event is past. */
static int driver_steps(driver *d, bool single)
{
    const sim_options *o = d->o;
    vinc_stats before = {0};
    driver_ask(d);
    while (d->run->t < d->t_until) {
        watch_count(d->m->watch, "steps", d->run->stats.steps, 0);
        if (driver_is_stopped(d)) return driver_heed(d, VINC_E_STOPPED);
        if (o->max_steps && d->run->stats.steps >= o->max_steps) {
            text_printf(&d->done->message,
                        "stopped at t = %.10g after %ld steps, the limit given by --max-steps",
                        d->run->t, o->max_steps);
            return VINC_E_LIMIT;
        }
        int stops = driver_watch_progress(d);
        if (stops) return stops;
        driver_event kind = EVENT_TIME;
        double t_event = d->bounded ? next_event(d, d->run->t, &kind) : INFINITY;
        if (d->bounded && t_event <= d->run->t + method_h_min(d->run->t, 0)) {
            int done = driver_at_event(d, t_event, kind); // no step leads there: at once
            if (done || (single && d->restarted)) return done;
            continue;
        }
        if (d->listens) before = d->run->stats;
        double t_limit = d->bounded ? next_limit(d, t_event) : d->t_until;
        int rc = d->bridge.creeping ? driver_rescue(d, VINC_OK, t_limit) : 0;
        if (rc > 0) continue;
        if (!rc && d->bridge.creeping && sim_bridge_lost(&d->bridge, d->run, &d->done->message))
            return VINC_E_SINGULAR;
        if (!rc && d->choice.method) rc = driver_reconsider(d);
        driver_gliding glided = {.d = d};
        if (!rc && d->glides && !d->listens && !single && !d->steep && !d->bridge.creeping)
            glided = driver_glide(d);
        if (glided.rc) return glided.rc;
        long jacobians = glided.again ? -1 : d->run->stats.jacobian_evals;
        if (!rc) rc = glided.again ? glided.held : driver_step(d, t_limit);
        if (!rc && d->choice.method && (rc = driver_leave_stages(d)) > 0) continue;
        if (rc && driver_is_stopped(d)) return driver_heed(d, rc);
        if (rc == VINC_E_LINEAR && driver_store_matrix(d)) continue;
        if (rc && driver_rescue(d, rc, t_limit) > 0) continue;
        if (rc) {
            d->done->worst = rc == VINC_E_SINGULAR ? method_defect(d->run) : method_worst(d->run);
            d->done->grows = rc != VINC_E_STOPPED && !(o->step > 0) && method_grows(d->run);
            text_add(&d->done->message, d->run->message);
            return rc;
        }
        driver_watch_growth(d);
        bool off = false; // the equations, by a matrix that is steep
        if (d->steep || d->run->stats.jacobian_evals != jacobians) {
            if ((rc = driver_hold_equations(d, d->run->stats.jacobian_evals != jacobians, &off)) >
                0)
                continue;
            if (rc) return rc;
        }
        d->jumps = 0;
        d->stretch++;
        if (d->looks) sim_bridge_add(&d->bridge, d->run);
        if (o->log & SIM_LOG_STEP && o->log_line) driver_log_step(d);
        if (o->log & SIM_LOG_NEWTON && o->log_line) driver_log_newton(d, &before);
        double from = d->run->t_old;
        int order = d->run->order;
        if ((rc = after_step_or_back(d, t_event, kind)) != 0) return rc;
        if (d->h_cut > 0 && d->run->t > d->t_begin && (rc = driver_lengthen(d)) != 0) return rc;
        if (off && !d->restarted && (rc = driver_go_on_from_equations(d)) != 0) return rc;
        if (d->listens && (rc = driver_tell_step(d, from, order)) != 0) return rc;
        if (single) return VINC_OK;
    }
    return VINC_OK;
}

static int driver_start(driver *d, double *y, double *yp)
{
    const sim_options *o = d->o;
    d->chart_steps = o->intervals == 0 && !o->no_rows;
    d->n_out = 1;
    d->t_row = o->t_start;
    d->t_out = driver_output_time(d, 1);
    d->t_seen = o->t_start;
    driver_stay_on_record(d); // the first row stands for times up to it
    int rc = 0, changed = 0;  // what is due at the start itself
    if (d->p->event && (rc = d->p->event(d->p->user, o->t_start, y, yp, &changed)) != 0 &&
        rc != VINC_TERMINATED)
        return rc < 0 ? VINC_E_STOPPED : VINC_E_EVALUATION;
    d->done->events += changed != 0;
    driver_follow(d);
    int begun = driver_begin(d, y);
    if (begun) return begun;
    int recorded = driver_record(d, o->t_start, y, yp);
    if (!recorded) recorded = driver_watch_invariants(d, o->t_start, y, yp);
    if (recorded || rc) return recorded ? recorded : rc;
    if (d->p->check && d->p->check(d->p->user, o->t_start, y, yp) < 0) return VINC_E_STOPPED;
    if (o->t_stop <= o->t_start) { // no time to pass: the start is the end
        method_place(d->run, o->t_start, y, yp);
        return VINC_OK;
    }
    rc = method_start(d->run, o->t_start, y, yp, o->t_stop - o->t_start);
    if (rc) {
        text_add(&d->done->message, d->run->message);
        return rc;
    }
    d->t_seen = d->t_told = o->t_start;
    double *sigma = &d->bridge.most; // the first is the yardstick for those to come
    if (d->p->regularity && d->p->regularity(d->p->user, o->t_start, y, yp, sigma) < 0)
        return VINC_E_EVALUATION;
    return sim_roots_begin(&d->roots, d->p, o->t_start, y, yp) ? VINC_E_EVALUATION : VINC_OK;
}

// The event at the end: terminal().
static int driver_finish(driver *d)
{
    const vinc_problem *p = d->p;
    int changed = 0;
    if (!p->finish || !d->run->y) return VINC_OK;
    double t = d->run->t;
    memcpy(d->y, d->run->y, (size_t)p->n * sizeof *d->y);
    memcpy(d->yp, d->run->yp, (size_t)p->n * sizeof *d->yp);
    bool log = driver_logs_events(d);
    if (log && p->event_text) p->event_text(p->user, NULL, 0);
    int rc = p->finish(p->user, t, d->y, d->yp, &changed);
    if (rc < 0) return VINC_E_STOPPED;
    if (rc && rc != VINC_TERMINATED) return VINC_E_EVALUATION;
    if (!changed) return VINC_OK;
    d->done->events++;
    if (log) driver_log_event(d, t, EVENT_TERMINAL);
    return driver_record(d, t, d->y, d->yp);
}

/* ---- a session ------------------------------------------------------------------------------- */

int sim_open(mem *m, const vinc_problem *p, double *y, double *yp, const sim_options *options,
             result *into, sim_outcome *done, driver **out)
{
    *done = (sim_outcome){.t_end = options->t_start, .violation = {-1, -1, -1}, .worst = -1};
    text_init(&done->message, m);
    driver *d = *out = mem_try(m, sizeof *d);
    if (!d) return done->status = VINC_E_MEMORY;
    *d = (driver){.m = m, .p = p, .done = done, .into = into, .seen = {NAN, NAN, NAN}};
    d->options = *options;
    d->o = &d->options;
    d->bridge = (sim_bridge){.p = p, .o = d->o};
    for (int i = 0; i < p->n && p->differential; i++)
        d->algebraic = d->algebraic || !p->differential[i];
    d->block_bytes = driver_layout(d, NULL);
    d->block = mem_try_zeroed(m, d->block_bytes);
    if (!d->block) return done->status = VINC_E_MEMORY;
    driver_layout(d, d->block);
    return done->status = driver_heed(d, driver_start(d, y, yp));
}

int sim_advance(driver *d, double t, bool single)
{
    long events = d->done->events;
    d->t_until = fmin(t, d->o->t_stop);
    d->restarted = false;
    bool moves = d->run && d->run->y;
    int rc = moves ? driver_steps(d, single) : VINC_OK;
    if (!rc && !d->finished && (!moves || d->run->t >= d->o->t_stop)) {
        d->finished = true;
        driver_tell_end(d);
        rc = driver_finish(d);
    }
    rc = driver_heed(d, rc);
    if (moves) d->done->t_end = d->run->t;
    if (d->run) d->done->stats = d->run->stats;
    d->done->status = rc;
    return rc ? rc : d->done->events > events ? VINC_EVENT : VINC_OK;
}

/* As exact as rows are: the iteration of a step leaves more of the equations. */
void sim_point(driver *d, double *t, const double **y, const double **yp)
{
    bool moved = d->run && d->run->y;
    *t = moved ? d->run->t : d->o->t_start;
    if (!y) return;
    bool exact = moved && d->done->status >= 0 && !driver_row_point(d, d->run->t);
    *y = exact ? d->y : moved ? d->run->y : NULL;
    *yp = exact ? d->yp : moved ? d->run->yp : NULL;
}

void sim_extend(driver *d, double t_stop)
{
    d->options.t_stop = t_stop;
    d->extended = true;
}

int sim_settle(driver *d)
{
    if (!d->run || !d->run->y) return VINC_OK;
    d->restarted = false;
    return d->done->status = driver_at_event(d, d->run->t, EVENT_INPUT);
}

sim_mark sim_mark_here(const driver *d)
{
    bool moves = d->run && d->run->y;
    return (sim_mark){.t = moves ? d->run->t : d->o->t_start,
                      .h = moves ? d->run->h_next : 0,
                      .choice = d->choice,
                      .stretch = d->stretch,
                      .events = d->done->events,
                      .stats = d->done->stats};
}

int sim_return(driver *d, const sim_mark *mark, const double *y, const double *yp)
{
    double t = mark->t;
    if (!d->run || !d->run->y) return VINC_OK;
    sim_bridge_clear(&d->bridge);
    d->zeno = (sim_zeno){0};
    d->jumps = d->redone = 0;
    d->roots.n_passed = 0;
    d->stretch = mark->stretch;
    d->progress.begun = false;
    d->t_seen = d->t_told = t;
    d->finished = false;
    d->n_out = 1;
    d->t_out = driver_output_time(d, 1);
    driver_stay_on_record(d);
    d->n_listed = d->n_out - 1;
    d->done->status = VINC_OK;
    d->done->grows = d->done->grew = false;
    d->done->events = mark->events;
    sim_mark from = *mark;
    if (!from.choice.method) from.choice = d->choice; // it had a method of the user's
    d->choice = from.choice;
    text_clear(&d->done->message);
    driver_follow(d);
    int rc = driver_begin_again(d, &from, y, yp);
    if (rc) return rc;
    return sim_roots_begin(&d->roots, d->p, t, d->run->y, d->run->yp) ? VINC_E_EVALUATION : VINC_OK;
}

int sim_resume(driver *d, const sim_mark *mark, const double *y, const double *yp)
{
    sim_mark from = *mark;
    from.events = 0; // what is counted is counted of this run
    from.choice.seen.work_count -= from.stats.work;
    from.choice.seen.work_order -= from.stats.work;
    from.choice.seen.events_order -= mark->events;
    from.stats = (vinc_stats){0};
    d->options.t_start = from.t;
    result_truncate(d->into, 0);
    d->n_listed = 0;
    int rc = sim_return(d, &from, y, yp);
    d->n_listed = 0;
    return rc ? rc : driver_record(d, from.t, d->run->y, d->run->yp);
}

/* The errors of the steps before a pole move it by some tolerances of the time that has passed, and
 * the steps go on to where it was moved. So near to it rows mean nothing, and some lie beyond it. */
static void drop_rows_at_pole(driver *d)
{
    const double TOLERANCES = 100, PART_MAX = 0.1;
    const sim_options *o = d->o;
    double part = fmin(TOLERANCES * o->rel_tol, PART_MAX);
    double last = d->run->t - part * (d->run->t - o->t_start);
    result_drop_after(d->into, last, 1);
}

void sim_close(driver *d, double *y, double *yp)
{
    if (!d) return;
    sim_outcome *done = d->done;
    const sim_options *o = d->o;
    int rc = done->status;
    watch *w = d->m->watch;
    bool deaf = watch_deafen(w, true); // the last point is not lost
    if (d->run) {
        done->t_end = o->t_stop <= o->t_start ? o->t_start : d->run->t;
        done->stats = d->run->stats;
        if (d->run->y && o->t_stop > o->t_start) {
            memcpy(y, d->run->y, (size_t)d->p->n * sizeof *y);
            memcpy(yp, d->run->yp, (size_t)d->p->n * sizeof *yp);
        }
        if (rc == VINC_STOPPED || rc == VINC_E_LIMIT) driver_tell_end(d);
        // A run that stops early keeps its last point.
        if (rc < 0 && done->grows) drop_rows_at_pole(d);
        else if (rc && rc != VINC_TERMINATED && rc != VINC_E_MEMORY && rc != VINC_E_WRITE &&
                 d->run->y && d->into->n_rows && d->into->t_last < d->run->t)
            driver_record(d, d->run->t, d->run->y, d->run->yp);
    }
    watch_deafen(w, deaf);
    method_free(d->run);
    if (d->block) mem_free(d->m, d->block, d->block_bytes);
    mem_free(d->m, d, sizeof *d);
}

int sim_run(mem *m, const vinc_problem *p, double *y, double *yp, const sim_options *options,
            result *into, sim_outcome *done)
{
    driver *d;
    int rc = sim_open(m, p, y, yp, options, into, done, &d);
    if (!rc) rc = sim_advance(d, options->t_stop, false);
    if (rc == VINC_OK || rc == VINC_EVENT) rc = done->status = driver_heed(d, driver_finish(d));
    sim_close(d, y, yp);
    return rc;
}
