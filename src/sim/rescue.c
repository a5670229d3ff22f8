/* Rescues: what is tried where steps creep or fail, one row each, in the order of the list.
 *
 * A failed step has been tried with ever smaller sizes by the method before (method/method_run.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/driver.h"
#include "sim/leap.h"

#include <math.h>
#include <string.h>

// clang-format off
/* Bounds of the rescues; those of a crossing are in bridge.c. "choice": no measurement is known.
 *
 *  bound                             quantity                                            source */
enum {
    JUMPS_IN_A_ROW_MAX   = 3,      // jumps without a step that succeeds between them     choice
};
static const double
    JUMP_OF_RUN          = 1e-10,  // length of a jump over that of the run               choice: far below what tolerances resolve
    JUMP_IN_RESOLUTIONS  = 1e3,    // ... at least, over the resolution of time           principle: its ends differ in t by three digits
    LEAP_GROWTH          = 30,     // length of a leap over that of the one before        choice: three of them span 1e3
    STEP_AFTER_JUMP      = 1e3,    // first step after a jump, over its length            choice: steps grow fast from there
    STEP_AFTER_CROSSING  = 0.3;    // first step after a crossing, over its length        choice: the position is still near
// clang-format on

double driver_jump_length(const driver *d, double t)
{
    const sim_options *o = d->o;
    return fmax(JUMP_OF_RUN * (o->t_stop - o->t_start), JUMP_IN_RESOLUTIONS * method_h_min(t, 0));
}

/* The last point, moved on by dt along its derivative, in d->y and d->yp; its row in d->out, false: it
 * has none. */
static bool straight_on(driver *d, double dt)
{
    size_t bytes = (size_t)d->p->n * sizeof *d->y;
    memcpy(d->y, d->run->y, bytes);
    memcpy(d->yp, d->run->yp, bytes);
    // y' of steps as short as time resolves is what rounding made of it.
    sim_consistent_make(&d->roots.onto, d->run->t, d->y, d->yp, 0);
    bool defined = !driver_row(d, d->run->t, true);
    for (int i = 0; i < d->p->n; i++)
        if (!d->p->differential || d->p->differential[i]) d->y[i] += dt * d->yp[i];
    return defined;
}

/* Go on from d->y, d->yp at t + dt as after an event; changed: it was one; defined: the point before it
 * has a row, in d->out. */
static int go_on_at(driver *d, double t, double dt, int changed, bool defined)
{
    const sim_options *o = d->o;
    // Inside noEvent there is no event, so there are no rows of one; a requested time in between
    // has the new values.
    bool due = d->n_out <= o->intervals && d->t_out <= t + dt;
    const double *before = d->p->outputs ? d->out : d->run->y;
    if ((changed || d->chart_steps) && defined && driver_append(d, t, before)) return 0;
    if ((changed || d->chart_steps || due) && driver_record(d, t + dt, d->y, d->yp)) return 0;
    sim_bridge_clear(&d->bridge);
    d->jumps++;
    d->done->events++;
    d->t_seen = d->t_told = t + dt;
    driver_stay_on_record(d);
    return driver_restart(d, t + dt, STEP_AFTER_JUMP * dt) == 0 &&
           sim_roots_begin(&d->roots, d->p, t + dt, d->y, d->yp) == 0;
}

/* A branch of the algebraic equations may have ended (a trigger that flips): look for another
 * solution just after, and go on from there as after an event. */
static int rescue_by_jump(driver *d, double t_limit)
{
    const sim_options *o = d->o;
    double t = d->run->t;
    (void)t_limit;
    if (!d->algebraic || !d->p->rhs || d->jumps >= JUMPS_IN_A_ROW_MAX) return 0;
    double dt = driver_jump_length(d, t);
    if (t + dt >= o->t_stop) return 0;
    bool defined = straight_on(d, dt);
    if (d->p->rhs(d->p->user, t + dt, d->y, d->yp)) return 0;
    int changed = 0;
    if (driver_update(d, t + dt, EVENT_JUMP, &changed)) return 0;
    return go_on_at(d, t, dt, changed, defined);
}

/* The solution is steeper than time resolves. Each leap in a row is longer: the first may end within. */
static int rescue_by_leap(driver *d, double t_limit)
{
    double t = d->run->t, dt = driver_jump_length(d, t) * pow(LEAP_GROWTH, d->jumps);
    sim_leap_from from = {t, dt, d->run->y, d->run->yp};
    size_t bytes = (size_t)d->p->n * sizeof *d->y;
    if (d->jumps >= JUMPS_IN_A_ROW_MAX || t + 2 * dt >= t_limit) return 0;
    if (!sim_leap(d->m, d->p, &d->run->stats, &from, d->y_kept, d->yp_kept)) return 0;
    bool defined = straight_on(d, 0);
    memcpy(d->y, d->y_kept, bytes);
    memcpy(d->yp, d->yp_kept, bytes);
    int changed = 0;
    if (driver_update(d, t + dt, EVENT_JUMP, &changed)) return 0;
    return go_on_at(d, t, dt, changed, defined);
}

/* The equations end where an event was to come: sqrt(a - b) as long as a > b cannot be evaluated
 * beyond a = b, so no step reaches it, and its end is as near as time resolves. Go straight on until
 * the sign of an indicator changes; that is the event. */
static int rescue_by_switch(driver *d, double t_limit)
{
    double t = d->run->t, tiny = method_h_min(t, 0), most = driver_jump_length(d, t);
    if (!d->roots.n || d->jumps >= JUMPS_IN_A_ROW_MAX) return 0;
    double first = fmax(tiny, method_h_min(0, most)); // at t = 0 every step resolves
    for (double dt = first; dt > 0 && dt <= most && t + dt <= t_limit; dt *= 2) {
        bool defined = straight_on(d, dt);
        if (!sim_roots_changed(&d->roots, d->p, t + dt, d->y, d->yp)) continue;
        int changed = 0;
        if (driver_update(d, t + dt, EVENT_STATE, &changed)) return 0;
        if (changed) return go_on_at(d, t, dt, changed, defined);
    }
    return 0;
}

/* Stages of a linearly implicit formula are corrected by nothing: beside a slope without bound, as of a root at 0, they
 * may have no value however short the step. */
static int rescue_by_iteration(driver *d, double t_limit)
{
    (void)t_limit;
    return driver_iterate(d);
}

/* Cross a singular position that lies ahead; where no step succeeds, also one just passed. */
static int rescue_across(driver *d, double t_limit, bool stuck)
{
    sim_bridge *b = &d->bridge;
    bridge_span at;
    if (!d->p->regularity || d->o->step > 0) return 0;
    if (!sim_bridge_find(b, t_limit, stuck, &at) ||
        !sim_bridge_land(b, at.t_far, &d->roots, d->y, d->yp))
        return 0;
    double h = STEP_AFTER_CROSSING * (at.t_far - d->run->t);
    int rc = method_restart(d->run, at.t_far, d->y, d->yp, true, h);
    if (rc) return rc;
    d->done->singular++;
    sim_bridge_at(b, at.t_singular, d->y, d->yp);
    if (d->o->singular) d->o->singular(d->o->user, at.t_singular, d->y, d->yp);
    while (!d->chart_steps && d->n_out <= d->o->intervals && d->t_out < at.t_far) {
        sim_bridge_row(b, &d->roots.onto, d->t_out, d->y, d->yp);
        if ((rc = driver_record(d, d->t_out, d->y, d->yp)) != 0) return rc;
        d->t_out = driver_output_time(d, ++d->n_out);
    }
    if (driver_logs_events(d)) driver_log_event(d, at.t_singular, EVENT_SINGULAR);
    sim_bridge_passed(b);
    d->t_seen = d->t_told = at.t_far;
    rc = sim_roots_begin(&d->roots, d->p, at.t_far, d->run->y, d->run->yp) ? VINC_E_EVALUATION
                                                                           : VINC_OK;
    if (!rc) rc = driver_record_until(d, at.t_far);
    return rc ? rc : 1;
}

static int rescue_from_creeping(driver *d, double t_limit)
{
    return rescue_across(d, t_limit, false);
}

static int rescue_from_standstill(driver *d, double t_limit)
{
    return rescue_across(d, t_limit, true);
}

/* ---- the list -------------------------------------------------------------------------------- */

enum { // trouble, in bits
    CREEPS = 1,
    NO_CONVERGENCE = 2,
    ERROR_TOO_LARGE = 4,
    MATRIX_SINGULAR = 8,
    NOT_EVALUATED = 16,
    STUCK = NO_CONVERGENCE | ERROR_TOO_LARGE | MATRIX_SINGULAR | NOT_EVALUATED,
};

static unsigned trouble_of(int status)
{
    switch (status) {
    case VINC_OK: return CREEPS;
    case VINC_E_NEWTON: return NO_CONVERGENCE;
    case VINC_E_ERROR: return ERROR_TOO_LARGE;
    case VINC_E_SINGULAR: return MATRIX_SINGULAR;
    case VINC_E_EVALUATION: return NOT_EVALUATED;
    default: return 0;
    }
}

typedef struct rescue {
    const char *name;
    unsigned trouble;                      // for which it is tried
    int (*act)(driver *d, double t_limit); // 1: done, 0: not the case, < 0: status of a failure
    const char *what;                      // for the log
} rescue;

static const rescue rescues[] = {
    {"cross ahead", CREEPS, rescue_from_creeping,
     "steps creep towards a singular position, which is crossed"},
    {"cross from standstill", STUCK, rescue_from_standstill,
     "no step succeeds beside a singular position, which is crossed"},
    {"switch", STUCK, rescue_by_switch,
     "the equations end at an event, which is taken for reached"},
    {"iterate", NOT_EVALUATED, rescue_by_iteration,
     "stages that nothing corrects fail, and a method that iterates goes on"},
    {"leap", NO_CONVERGENCE | ERROR_TOO_LARGE, rescue_by_leap,
     "the solution is steeper than time resolves, and is followed on the other side"},
    {"jump", NO_CONVERGENCE | ERROR_TOO_LARGE, rescue_by_jump,
     "a branch of the algebraic equations ended, another one is followed"},
};

int driver_rescue(driver *d, int status, double t_limit)
{
    int failed = 0;
    if (d->p->shared) return 0; // they decide by the unknowns that are here
    for (size_t k = 0; k < sizeof rescues / sizeof *rescues; k++) {
        const rescue *r = &rescues[k];
        double t = d->run->t;
        int rc = r->trouble & trouble_of(status) ? r->act(d, t_limit) : 0;
        if (rc > 0) {
            d->progress.rescues++;
            driver_log_rescue(d, t, r->name, r->what);
            return 1;
        }
        if (rc) failed = rc;
    }
    return failed;
}
