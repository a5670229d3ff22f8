/* Parts of the event iteration.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_EVENT_H
#define CODE_EVENT_H

#include "code/internal.h"

#include <float.h>
#include <math.h>

static inline double event_ulp(double t) // times closer than this are the same
{
    return 4 * DBL_EPSILON * fabs(t) + DBL_MIN;
}

/* Relations, discrete variables and dependent unknowns until all agree, pre values as they are.
 * Sets *changed when something moved. 0, 1 when they never agree, < 0 failed (settle.c). */
int event_settle(code_state *s, double t, double *y, double *yp, bool *changed);
int event_follow(code_state *s, double t, double *y, double *yp); // dependent unknowns alone

/* ---- discrete variables (event.c) ------------------------------------------------------------ */

void event_touch(code_state *s, int place);                // w[place] has changed
bool event_set(code_state *s, int equation, double value); // its variable; true: that is new

/* ---- relations (relation.c) ------------------------------------------------------------------ */

bool event_is_condition(const code_state *s, int k); // true or false, and not of time alone

/* What is known of a relation at a point: its root, the size of the sides compared, its value there
 * and just behind; sides within `tie` may be ordered either way. */
typedef struct event_sides {
    double root, size, exact, behind, tie;
} event_sides;
double event_reading(const code_state *s, int k, const event_sides *x); // the value it has or keeps
int event_put(code_state *s, int k, double value, bool take);           // 1: it differs from w
double event_indicator(const code_state *s, int k, double root, double size);
double event_foretold(const code_state *s, int k, double at0, double slope, double soon);

/* Read the relations that may have changed, into w if `take`: how many differ. */
int event_relations(code_state *s, double t, const double *y, const double *yp, double tie,
                    bool take);
/* States have new values: relations whose sides changed with them are read as at first. */
void event_read_afresh(code_state *s, double t, const double *y, const double *yp);
void event_forget_flips(code_state *s);
void event_forget_toggles(code_state *s);
void event_foretell(code_state *s, double t, const double *y, const double *yp);

/* ---- samples and timers (timer.c) ------------------------------------------------------------ */

typedef struct event_moment {
    double t, after, tie;
    const double *y, *yp;
} event_moment;

void timer_layout(code_state *s, const code_model *m, bump *b);
void timer_ring(code_state *s, double t, const double *y, const double *yp); // what is due at t
void timer_silence(code_state *s);                                           // its samples are over
double timer_next(const code_state *s);
int timer_read(code_state *s, const event_moment *now, bool all, bool take); // how many differ
void timer_foretell(code_state *s, double t, const double *y, const double *yp);

/* ---- families (family.c) --------------------------------------------------------------------- */

bool family_lower(code_model *m, lowering *l, expr *quantity);
void family_find_places(code_state *s); // as w says
int family_read(code_state *s, int f, double e, double behind, double tie, bool all, bool take);
void family_indicators(const code_state *s, int f, double e, double g[2]);
double family_foretold(const code_state *s, int f, double e, double slope, double soon);

/* ---- actions --------------------------------------------------------------------------------- */

/* 1 when a state was given a new value, 0 when nothing happened, < 0 to stop, VINC_TERMINATED
 * (event_act.c). */
int event_act(code_state *s, double t, double *y, const double *yp);

/* Why the event cannot be handled; the first complaint counts. */
void event_complain(code_state *s, span at, const char *words);

/* An action's message with its numbers, and the variables of a failed condition (event_text.c). */
bool event_lower_texts(code_model *m, lowering *l);
void event_action_text(code_state *s, int action, double t, const double *y, const double *yp,
                       text *out);
/* The event does not settle: relations that keep changing, and discrete variables that differed
 * from their past in the last rounds. */
void event_name_restless(code_state *s, double t);

#endif
