/* Events of a run: each file of the event iteration has its own part.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_EVENT_PARTS_H
#define RUN_EVENT_PARTS_H

#include "base/bump.h"
#include "base/heap.h"
#include "run/front.h"
#include "run/state.h"

/* Relations (relation.c). */
typedef struct run_relations {
    double *sides, *sides_before; // outputs of roots
    double *values, *after;       // at a time and just after it
    double *needs;                // outputs of needs
    double *against;              // by relation: how far its sides stood against its value, settled
    int *toggles;                 // by relation: changes while settling
    int *toggled, n_toggled;      // ... those that are not 0
    uint8_t *flipped;             // by relation: has it changed in this event?
    int *flips, n_flips;          // ... those that have
    uint8_t *held;                // by relation: it is slid on, and so not read
    double *kept;                 // by relation: its value, where one alone is to change
    uint8_t *idle;                // by mask: others decide now
    bool ties;                    // sides that count as equal keep their order
    bool bare;                    // indicators are asked for without their margins
    double foretold;              // when a family of time changes next
} run_relations;

/* Families of relations (family.c). */
typedef struct run_threshold {
    double c;
    int relation;
    int sign;     // its root is sign * (e - c)
    bool greater; // it says that e > c
} run_threshold;

typedef struct run_families {
    run_threshold *thresholds; // of each family in ascending order
    int *place;                // how many of them lie below the quantity
    double *values;            // of the thresholds
} run_families;

/* Times that are known beforehand: of samples, then of timers (timer.c). */
typedef struct event_clock {
    int n_samples;
    heap next;       // entries by their times, +inf: never; all are always in
    int *due, n_due; // entries whose time has come with this event
} event_clock;

typedef struct run_timers {
    event_clock clock;
    double *sample_start, *sample_interval; // by sample
    bool scheduled;                         // the samples
    cell_front front;
    double *after;         // outputs of the cells that ran, at another time
    int *untold, n_untold; // cells that were read: their times are open
    uint8_t *is_untold;
    double late; // how far after its time what is due and has not happened was tried last
} run_timers;

/* Discrete variables (event.c, settle.c). */
typedef struct run_discrete {
    cell_front front;
    int *moved, n_moved; // equations whose variable may differ from its past
    uint8_t *is_moved;
    uint8_t *restless; // by equation: its variable still changed in the last rounds
    bool circles;   // equations evaluated in turn did not come to rest: they are the restless ones
    bool unsolved;  // ... or the continuous unknowns had no solution
    double *first;  // values given by initial equations
    double *claims; // both sides of each of them
    double *before; // what pre() of continuous variables becomes
} run_discrete;

/* What when-clauses do, and assertions (event_act.c). */
typedef struct run_actions {
    cell_front front;
    double *conditions;   // of assertions that are checked all the time
    double *again, *near; // ... at a point that differs by rounding
    uint8_t *warned;      // by action: an assertion of level warning that has been reported
    bool start_checked;   // assertions of initial sections are past
    char why[500];        // the last event that could not be handled
    span at;
    void (*warn)(void *user, span at, const char *words);
    void *warn_user;
} run_actions;

typedef struct run_events {
    run_relations relations;
    run_families families;
    run_timers timers;
    run_discrete discrete;
    run_actions actions;
    bool started;    // the first event, at the start itself, is past
    bool noted;      // what was before the next event is known already
    bool w_given;    // w was written by others: no relation is known to agree
    double *y, *yp;  // a point that a search may come back to
    double *last;    // unknowns and derivatives of the last pass of settling
    double *w_noted; // w before an event, for the log
} run_events;

void event_layout(run_events *x, const code_model *m, bump *b);
void event_begin(run_state *s); // of a run

/* ---- callbacks of the problem ---------------------------------------------------------------- */

int event_roots(void *user, double t, const double *y, const double *yp, double *g); // relation.c
int event_bare_roots(void *user, double t, const double *y, const double *yp, double *g);
int event_handle(void *user, double t, double *y, double *yp, int *changed);
int event_finish(void *user, double t, double *y, double *yp, int *changed); // terminal()
void event_text(void *user, char *line, size_t size);
double event_next(void *user, double t);
/* Do all assertions that would stop a run hold there? */
bool event_holds(run_state *s, double t, const double *y, const double *yp);
int event_check(void *user, double t, const double *y, const double *yp); // assertions

#endif
