/* What delay() and spatialDistribution() remember.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_PAST_H
#define RUN_PAST_H

#include "image/image_events.h"
#include "run/history.h"
#include "run/state.h"

past_delay past_delay_of(const image_delay *d);
int past_new(run_state *s); // VINC_OK, VINC_E_MEMORY
void past_free(run_state *s);
void past_forget(run_state *s); // before a run
/* Delayed values into w, for an evaluation at t. */
void past_read(run_state *s, double t, const double *y, const double *yp);
/* An event at t: what comes back at t has come back; with `begin` the first past. 0: nothing came
 * back; 1: values jump; 1 + n: a jump for the n-th time, in a higher derivative each time. */
int past_event(run_state *s, double t, const double *y, const double *yp, bool begin);
/* Something jumped at t: values (0), or derivatives since a jump came back for the n-th time. */
void past_break(run_state *s, double t, int returns);
double past_next(const run_state *s, double t); // when a jump comes back
int past_accept(void *user, double t0, double t1,
                int (*at)(void *trajectory, double t, double *y, double *yp), void *trajectory);
double past_step_limit(void *user, double t);
/* Positive while no jump has reached an end of a profile of spatialDistribution(), two for each. */
void past_margins(run_state *s, double t, const double *y, const double *yp, double *g);

#endif
