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

/* Fresh values of relations; ties within `tie` keep the value they have. How many differ from w
 * (relation.c). */
int event_relations(code_state *s, double t, const double *y, const double *yp, double tie,
                    double *value);
bool event_take_relations(code_state *s, const double *value); // into w; counts the changes
/* States have new values: relations whose sides changed with them are read as at first. */
void event_read_afresh(code_state *s, double t, const double *y, const double *yp);
bool event_is_condition(const code_state *s, int k); // true or false, and not of time alone
void event_foretell(code_state *s, double t, const double *y, const double *yp);

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
