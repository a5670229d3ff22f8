/* Parts of the event iteration.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_EVENT_H
#define RUN_EVENT_H

#include "run/run_parts.h"

#include <float.h>
#include <math.h>

static inline double event_ulp(double t) // times closer than this are the same
{
    return 4 * DBL_EPSILON * fabs(t) + DBL_MIN;
}

/* Relations, discrete variables and dependent unknowns until all agree, pre values as they are.
 * Sets *changed when something moved. 0, 1 when they never agree, < 0 failed (settle.c). */
int event_settle(run_state *s, double t, double *y, double *yp, bool *changed);

/* Then one of the calls of impure functions that are due, each once in a round of the event. *changed:
 * something moved, settle again. False: none is due. */
bool event_call(run_state *s, double t, const double *y, const double *yp, bool *changed);

/* From the point at which that began, one pass: relations as they are there, discrete variables from
 * them, dependent unknowns from these. 0, 1 when there is no solution, < 0 failed. */
int event_pass(run_state *s, double t, double *y, double *yp);

/* ---- discrete variables (event.c) ------------------------------------------------------------ */

bool event_past_is_present(run_state *s); // pre(v) := v; true when all were equal
void event_note_present(run_state *s, double t, const double *y,
                        const double *yp);                // ... of continuous ones
void event_touch(run_state *s, int place);                // w[place] has changed
bool event_set(run_state *s, int equation, double value); // its variable; true: that is new

/* ---- relations (relation.c) ------------------------------------------------------------------ */

void relation_layout(run_relations *x, const code_model *m, bump *b);
bool event_is_condition(const run_state *s, int k); // true or false, and not of time alone

/* What is known of a relation at a point: its root, the size of the sides compared, its value there
 * and just after; sides within `tie` may be ordered either way. */
typedef struct event_sides {
    double root, size, exact, after, tie;
} event_sides;
double event_reading(const run_state *s, int k, const event_sides *x); // the value it has or keeps
int event_put(run_state *s, int k, double value, bool take);           // 1: it differs from w
double event_indicator(const run_state *s, int k, double root, double size);
double event_foretold(const run_state *s, int k, double at0, double slope, double soon);

/* Read the relations that may have changed, into w if `take`: how many differ. */
int event_relations(run_state *s, double t, const double *y, const double *yp, double tie,
                    bool take);
/* After an event has settled: relations whose sides stand against their values by a tie. */
void event_watch_tie(run_state *s, int k,
                     double root); // of one relation, by the difference of its sides
void event_watch_ties(run_state *s, double t, const double *y, const double *yp);
/* States have new values: relations whose sides changed with them are read as at first. */
void event_read_afresh(run_state *s, double t, const double *y, const double *yp);
void event_forget_flips(run_state *s);
void event_forget_toggles(run_state *s);
void event_foretell(run_state *s, double t, const double *y, const double *yp);

/* ---- samples and timers (timer.c) ------------------------------------------------------------ */

typedef struct event_moment {
    double t, after, tie;
    const double *y, *yp;
} event_moment;

void timer_layout(run_timers *x, const code_model *m, bump *b);
bool timer_ring(run_state *s, double t, const double *y, const double *yp); // what is due at t
void timer_silence(run_state *s);                                           // its samples are over
double timer_next(const run_state *s);
int timer_read(run_state *s, const event_moment *now, bool all, bool take); // how many differ
double timer_soon(const run_state *s, double t); // when what is due is tried again
bool timer_foretell(run_state *s, double t, const double *y, const double *yp,
                    double soon); // true: something is due

/* ---- families (family.c) --------------------------------------------------------------------- */

void family_layout(run_families *x, const code_model *m, bump *b);
void family_begin(run_state *s);       // thresholds by the parameters of this run
void family_find_places(run_state *s); // as w says
int family_read(run_state *s, int f, double e, double after, double tie, bool all, bool take);
void family_watch_ties(run_state *s, int f, double e);
void family_indicators(const run_state *s, int f, double e, double g[2]);
double family_foretold(const run_state *s, int f, double e, double slope, double soon);

/* ---- actions --------------------------------------------------------------------------------- */

void action_layout(run_actions *x, const code_model *m, bump *b);
/* 1 when a state was given a new value, 0 when nothing happened, < 0 to stop, VINC_TERMINATED
 * (event_act.c); EVENT_UNDEFINED: a new value is no number, which has been noted. */
enum { EVENT_UNDEFINED = -1000 };
int event_act(run_state *s, double t, double *y, const double *yp);

/* Why the event cannot be handled; the first complaint counts. */
void event_complain(run_state *s, span at, const char *words);

/* Is the discrete variable w[slot] no Integer beyond those that a double tells from each other? False after a complaint. */
bool event_integer_kept(run_state *s, int slot, span at, double t);

/* An action's message with its numbers, and the variables of a failed condition (event_text.c). */
void event_action_text(run_state *s, int action, double t, const double *y, const double *yp,
                       text *out);
/* What String i of those that can be told says at a point (code_events.told). */
void event_string_text(run_state *s, int i, double t, const double *y, const double *yp, text *out);
/* The event does not settle: relations that keep changing, and discrete variables that differed
 * from their past in the last rounds. */
void event_name_restless(run_state *s, double t);

#endif
