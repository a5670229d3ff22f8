/* Clocks: what ticks, and what is computed at ticks. A place is an element of w; the grid of ticks and the kinds of
 * clocks are explained in structure/clock_rates.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_CLOCKS_H
#define IMAGE_IMAGE_CLOCKS_H

#include "base/source.h"

#include <stdint.h>

typedef struct image_ratio {
    int64_t n, d; // in lowest terms, d > 0
} image_ratio;

typedef enum image_clock {
    IMAGE_CLOCK_RATIONAL, // Clock(3, 10): seconds, exactly
    IMAGE_CLOCK_REAL,     // Clock(T), T of parameters
    IMAGE_CLOCK_COUNTER,  // Clock(n, 10) with a clocked n: how many tenths to the next tick
    IMAGE_CLOCK_VARYING,  // Clock(x) with a clocked x: how long to the next tick
    IMAGE_CLOCK_EVENT     // Clock(condition)
} image_clock;

/* A base-partition: sub-partitions whose ticks are multiples of one interval, the grid. */
typedef struct image_base {
    image_ratio grid;   // in seconds; in intervals of the clock where the kind is not RATIONAL
    int64_t every;      // ticks of the grid from one tick of the clock itself to the next
    int64_t resolution; // COUNTER
    int place;          // COUNTER, VARYING: of the interval; EVENT: of the condition; else -1
    int first, n;       // its sub-partitions
    int first_step, n_steps;
    uint8_t kind; // image_clock
    span at;
} image_base;

/* A sub-partition: ticks number shift, shift + every, ... of the grid of its base. */
typedef struct image_sub {
    int64_t shift, every;
    image_ratio interval; // of the same unit as the grid
    int base;
    int interval_at, first_at,
        on_at; // places of interval(), firstTick(), and of what is true during the tick; -1: none
    int first_sample, n_samples; // among image_clocks.samples
    int first_past, n_past;      // among image_clocks.past
} image_sub;

/* What is computed at once at a tick: one variable after the other, or all together as a system. */
typedef struct image_step {
    int sub, n;
    int first;        // its unknowns are variables[first ...] of image_clocks
    bool solved;      // a system, whose function gives residuals and then their derivatives by rows
    const char *name; // of its first unknown, for messages
    span at;          // of its first equation
} image_step;

typedef struct image_clocks {
    int n_bases, n_subs, n_steps, n_samples, n_past, n_variables, n_held;
    image_base *bases;
    image_sub *subs;
    image_step *steps;
    int *samples; // places of what sample() reads, by sub-partition
    int *past;    // places of variables whose value at the last tick is asked for, by sub-partition
    int *variables; // places of the unknowns of steps
    int *held;      // places of clocked variables that continuous time sees through hold()
} image_clocks;

#endif
