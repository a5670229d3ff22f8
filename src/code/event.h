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
void event_name_relations(code_state *s, double t);               // that keep changing: a complaint

/* 1 when a state was given a new value, 0 when nothing happened, < 0 to stop, VINC_TERMINATED
 * (event_act.c). */
int event_act(code_state *s, double t, double *y, const double *yp);

/* Why the event cannot be handled; the first complaint counts. */
void event_complain(code_state *s, span at, const char *words);

#endif
