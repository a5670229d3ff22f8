/* One run from inside: what the loop (driver.c) and the recording (record.c) share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_DRIVER_H
#define SIM_DRIVER_H

#include "sim/bridge.h"
#include "sim/choose.h"
#include "sim/events.h"
#include "sim/sim.h"
#include "sim/zeno.h"

/* Where a stretch of attempts at steps began, and what progress.c saw of the run. */
typedef struct sim_stretch {
    long attempts;
    double t;
} sim_stretch;
typedef struct sim_course {
    bool begun;
    sim_stretch now, longer;
    double *y;             // at the beginning of the present one
    int rescues;           // in it
    long events;           // before it; rescues count among them
    int standing, rescued; // stretches in a row
} sim_course;

struct sim_session {
    const vinc_problem *p;
    const sim_options *o; // the copy below
    sim_options options;
    sim_outcome *done;
    result *into;
    mem *m;
    method_run *run;
    sim_choice choice; // of the method; method NULL: the user's
    sim_quiet quiet;   // ... which need not be asked
    bool extended;     // the run ends later than it was to: who knows when
    long stretch;      // steps since the last event
    sim_roots roots;
    sim_bridge bridge;
    double *y, *yp, *out; // a point between steps, and its outputs
    double *lanes;        // y of several points, for rows that are made at once; NULL: they are not
    double *out_before;   // those of a point just before
    double *y_kept, *yp_kept, *work;
    bool algebraic;   // some unknown is not differential
    int jumps;        // since the last step that succeeded
    double t_out;     // next output time
    long n_out;       // its number
    long n_listed;    // rows of listed times so far
    double t_row;     // of the last row
    double t_seen;    // events are searched for after this time
    double t_told;    // the trajectory is accepted up to here
    bool restarted;   // by the last event
    bool chart_steps; // a row per step instead of fixed output times
    bool bounded;     // steps end at events of time, at inputs' corners, or have other limits
    bool looks;   // more is asked of steps than rows: events, assertions, constraints, energy ...
    bool listens; // somebody is told of each
    bool lands;   // one that ends at a row has nothing inside that is asked for
    bool glides;  // nothing but rows is asked of steps
    bool by_products; // the choice of methods: no matrix is to be stored
    double seen[3];   // the last violations, and the last energy
    double energy;
    double t_rates;                     // when the rates of the invariants are looked at next
    double *slopes, *slopes_t, *values; // of the invariants
    sim_course progress;
    sim_zeno zeno;                       // what the times of events look like
    double t_begin, *y_begin, *yp_begin; // of the last step, where it may be made again
    bool begin_kept;                     // y_begin, yp_begin are there (driver_keep_begin)
    double h_begin;                      // its size at first
    method_growth growth;
    bool steep;       // the matrix has slopes that may be without bound (steep.c)
    bool steep_state; // ... of states
    double *steep_from,
        steep_least;    // slopes from which on unknowns have steep ones; the least, 0: not known
    double t_steep;     // where such a point was left last
    int n_steep;        // how often there
    double h_inner;     // the longest step whose interpolant is good; 0: any
    bool can_redo;      // steps are the method's own and of one step
    bool stores_matrix; // iterations were tried, and do not converge
    int redone;         // how often it was
    int passes;         // crossings in a row that were none
    bool finished;      // the event at the end is past
    bool left;          // who follows the run wants no more of it
    double t_until;     // where the present stretch of the run ends
    void *block;        // all arrays
    size_t block_bytes;
};
typedef struct sim_session driver;

/* ---- method ---------------------------------------------------------------------------------- */

/* The method of the user or the choice, from y at the start. */
int driver_begin(driver *d, const double *y);
int driver_begin_again(driver *d, const sim_mark *mark, const double *y, const double *yp);
/* Before a step of a method that was chosen: another one if the choice has one by now. */
int driver_reconsider(driver *d);
/* After a step of an explicit method that was chosen: 1 where its stages came near to a loss of rank, which it might have
 * leapt over; it is then made again by an implicit one. */
int driver_leave_stages(driver *d);
/* Where iterations stagnate and nobody asked for them: on with a stored matrix. */
bool driver_store_matrix(driver *d);
/* Where no step of a chosen method without iteration succeeds: on with one that iterates. */
bool driver_iterate(driver *d);

/* After a step that can be redone: made again, shorter, while its interpolant is not good enough for what
 * it is asked for (hold_inner.c). */
int driver_hold_inner(driver *d);
/* What it notes of steps without a row inside may as well be noted after several of them, all before this time. */
bool driver_hold_may_wait(const driver *d, double before);
void driver_hold_unseen(driver *d, long steps);
int driver_hold_rows(driver *d); // the same where there are rows inside the step

/* The point at which the last step began in y_begin and yp_begin, before another one is tried. */
void driver_keep_begin(driver *d);

/* After a step with a new matrix, or a steep one: are its equations met (steep.c)? *off: not all of them, and the run
 * is to go on from where they are once the step is recorded. 1: the step is to be made again, shorter. */
int driver_hold_equations(driver *d, bool new_matrix, bool *off);
double driver_steep_least(driver *d); // no matrix with slopes up to that is steep
int driver_go_on_from_equations(driver *d);

/* ---- events and rescues ---------------------------------------------------------------------- */

/* Why the discrete part is updated. */
typedef enum driver_event {
    EVENT_STATE,
    EVENT_TIME,
    EVENT_INPUT,
    EVENT_JUMP,
    EVENT_SINGULAR,
    EVENT_TERMINAL
} driver_event;

/* The update of the discrete part at t, what it changed in the log. */
int driver_update(driver *d, double t, driver_event kind, int *changed);
/* Go on from d->y, d->yp at t after an event; h: about the size of the first step, 0: to be found. */
int driver_restart(driver *d, double t, double h);
/* How far a rescue goes straight on from t. */
double driver_jump_length(const driver *d, double t);
/* Before a step: VINC_OK, or VINC_E_PROGRESS where the run would go on without getting anywhere (progress.c). */
int driver_watch_progress(driver *d);
/* Before a step while steps creep (status VINC_OK), or after one that failed: the rescues of
 * rescue.c in their order. 1: one of them acted and the loop goes on, otherwise 0 or a status. */
int driver_rescue(driver *d, int status, double t_limit);

/* ---- rows ------------------------------------------------------------------------------------ */

int driver_append(driver *d, double t, const double *row);
int driver_record(driver *d, double t, const double *y, const double *yp); // and its row
/* The outputs of d->y, d->yp in d->out. beside: where they have no value for a rounding, those of a
 * point just before. VINC_OK, VINC_E_EVALUATION. */
int driver_row(driver *d, double t, bool beside);
/* The point of the last step at t, in d->y and d->yp, on the equations. */
int driver_point(driver *d, double t);
/* For a row: what is left of the equations is lost in the tolerance. */
int driver_row_point(driver *d, double t);
/* A row at t in the last step. Where it has values that are no numbers, the run ends where they begin
 * to be so: VINC_E_EVALUATION. */
int driver_record_step(driver *d, double t);
/* Rows at the requested times up to t, from the step's interpolant. */
int driver_record_until(driver *d, double t);
/* The event's own rows stand for requested times up to it. */
void driver_stay_on_record(driver *d);
double driver_output_time(const driver *d, long k);
void driver_watch_violation(driver *d, double t, const double *y, const double *yp);
void driver_watch_energy(driver *d, double t, const double *y, const double *yp);
/* The invariants at the end of a step (at the start, where t is that), and after an event, from
 * d->y_kept to d->y. VINC_E_PROBLEM: the method holds one that the equations do not keep. */
int driver_watch_invariants(driver *d, double t, const double *y, const double *yp);
void driver_watch_jump(driver *d, double t);
int driver_chart(driver *d, double from, int order);

/* ---- log ------------------------------------------------------------------------------------- */

void driver_log_step(driver *d);
void driver_log_rescue(driver *d, double t, const char *name, const char *what);
void driver_log_newton(driver *d, const vinc_stats *before);
bool driver_logs_events(const driver *d);
void driver_log_event(driver *d, double t, driver_event kind);

#endif
