/* Clocks of one run: when each ticks next, and what a tick computes.
 *
 * A tick is a whole number on the grid of its base-partition (structure/clock_rates.c), so that
 * ticks are simultaneous exactly where their numbers are equal, and its time is computed from that
 * number alone: no round-off adds up.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_TICK_H
#define RUN_TICK_H

#include "base/bump.h"
#include "run/state.h"

typedef struct run_ticks {
    bool scheduled;
    double start;     // when all clocks begin
    double *when;     // by base: its next tick, +inf: nobody knows
    double *interval; // by base, of clocks that are not rational: the present one
    double *own;      // by base: the last tick of the clock itself, in seconds ...
    int64_t *units;   // ... of a counter: in parts of a second, from the start
    int64_t *origin;  // ... and its number on the grid
    int64_t *next;    // by sub-partition: the number of its next tick
    double *last;     // by sub-partition: the time of its last tick
    uint8_t *ticked;  // by sub-partition: it has ticked before
    uint8_t *active;  // by sub-partition: it ticks now
    uint8_t *due;     // by base
    uint8_t *risen;   // by base: the condition of an event clock has become true
    int *on, n_on;    // sub-partitions whose actions are told of the tick
    double *before;   // values that hold() shows, before the tick
    double *out;
    double *a, *dx; // of Newton's method
    int *pivots;
} run_ticks;

void tick_layout(run_ticks *x, const code_model *m, bump *b);
void tick_begin(run_state *s); // of a run
double tick_next(const run_state *s);

/* What a tick did: nothing is due; only clocked variables changed; what hold() shows did; < 0: it
 * failed, which has been said. */
typedef enum tick_result { TICK_NONE, TICK_INSIDE, TICK_SEEN } tick_result;
int tick_due(run_state *s, double t, const double *y, const double *yp);
/* Event clocks: note conditions that have become true, before the past becomes the present; then
 * let them tick. */
void tick_note(run_state *s);
int tick_risen(run_state *s, double t, const double *y, const double *yp);
void tick_silence(run_state *s); // the event is over

#endif
