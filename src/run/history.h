/* What delay() and spatialDistribution() remember, apart from whose model it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_HISTORY_H
#define RUN_HISTORY_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct run_past run_past;

typedef struct past_delay {
    int place;     // in w: value and derivative; of a transport, of both ends
    int n_profile; // points of the first profile
    bool carried;  // spatialDistribution
    bool
        constant; // its time is known when a run begins: jumps come back as events that are foretold
    bool still;   // ... and the value is constant between events
    bool may_vanish; // the value itself stands where the longest time is 0
} past_delay;

typedef struct past_model {
    int n;                    // of y
    int n_delays, n_profiles; // n_profiles: results of profiles()
    const past_delay *delays;
} past_model;

/* Whose past it is. */
typedef struct past_host {
    run_past *past;
    mem *m;
    double *w;
    void *user;
    /* Three numbers of each delay: value, time and longest time; in0, x and in1 of a transport. */
    void (*delays)(void *user, double t, const double *y, const double *yp, double *out);
    void (*profiles)(void *user, double t, const double *y, const double *yp, double *out);
    void (*complain)(void *user, int delay, const char *words);
} past_host;

run_past *history_new(mem *memory, const past_model *m); // NULL: there is no memory
void history_drop(mem *m, run_past *p);                  // NULL is fine
run_past *history_copy(mem *m, const run_past *p);
void history_forget(run_past *p);
size_t history_size(const run_past *p);
void history_write(const run_past *p, unsigned char *out);
bool history_read_bytes(mem *m, run_past *p, const unsigned char *from, size_t n);

/* As of past.h. */
void history_read(const past_host *s, double t, const double *y, const double *yp);
int history_event(const past_host *s, double t, const double *y, const double *yp, bool begin);
void history_break(const past_host *s, double t, int returns);
double history_next(const past_host *s, double t);
int history_accept(const past_host *s, double t0, double t1,
                   int (*at)(void *trajectory, double t, double *y, double *yp), void *points);
double history_step_limit(const run_past *p, double t);
void history_margins(const past_host *s, double t, const double *y, const double *yp, double *g);

#endif
