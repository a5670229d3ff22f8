/* Clocks: what ticks, and what is computed at ticks. A place is an element of w; the grid of ticks and the kinds of
 * clocks are explained in structure/clock_rates.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_CLOCKS_H
#define IMAGE_IMAGE_CLOCKS_H

#include "base/source.h"
#include "image/image_function.h"
#include "image/list.h"

typedef enum image_clock {
    IMAGE_CLOCK_RATIONAL, // Clock(3, 10): seconds, exactly
    IMAGE_CLOCK_REAL,     // Clock(T), T of parameters
    IMAGE_CLOCK_COUNTER,  // Clock(n, 10) with a clocked n: how many tenths to the next tick
    IMAGE_CLOCK_VARYING,  // Clock(x) with a clocked x: how long to the next tick
    IMAGE_CLOCK_EVENT // Clock(condition)
} image_clock;
enum { IMAGE_N_CLOCKS = IMAGE_CLOCK_EVENT + 1 };

// clang-format off

/* A ratio in lowest terms. */
#define IMAGE_RATIO(X)                                                                                                           \
    X(NUMBER, int64_t, n, "numerator")                                                                                           \
    X(INDEX, int64_t, d, 1, INT64_MAX, "denominator")
typedef struct image_ratio {
    IMAGE_RATIO(IMAGE_MEMBER)
} image_ratio;

/* A base-partition: sub-partitions whose ticks are multiples of one interval, the grid. */
#define IMAGE_BASE(X)                                                                                                            \
    X(INDEX, uint8_t, kind, 0, IMAGE_N_CLOCKS, "image_clock")                                                                    \
    X(PART, image_ratio, grid, "in seconds; in intervals of the clock if the kind is not RATIONAL")                              \
    X(INDEX, int64_t, every, 1, INT64_MAX, "ticks of the grid from one tick of the clock itself to the next")                    \
    X(NUMBER, int64_t, resolution, "COUNTER: counts in a second")                                                                \
    X(INDEX, int, place, -1, m->n_w - 1, "COUNTER, VARYING: of the interval; EVENT: of the condition; others: -1")               \
    X(INDEX, int, first, 0, m->clocks.list.n_subs + 1, "its first sub-partition")                                                \
    X(INDEX, int, n, 0, m->clocks.list.n_subs - x->first + 1, "its sub-partitions")                                              \
    X(INDEX, int, first_step, 0, m->clocks.list.n_steps + 1, "its first step")                                                   \
    X(INDEX, int, n_steps, 0, m->clocks.list.n_steps - x->first_step + 1, "its steps")                                           \
    X(PART, span, at, "where the clock stands")
typedef struct image_base {
    IMAGE_BASE(IMAGE_MEMBER)
} image_base;

/* A sub-partition: ticks number shift, shift + every, ... of the grid of its base. */
#define IMAGE_SUB(X)                                                                                                             \
    X(INDEX, int, base, 0, m->clocks.list.n_bases, "its base-partition")                                                         \
    X(NUMBER, int64_t, shift, "number of its first tick")                                                                        \
    X(INDEX, int64_t, every, 1, INT64_MAX, "from one tick to the next")                                                          \
    X(PART, image_ratio, interval, "between its ticks, of the same unit as the grid")                                            \
    X(INDEX, int, interval_at, -1, m->n_w, "place of interval(); -1: none asks")                                                 \
    X(INDEX, int, first_at, -1, m->n_w, "place of firstTick(); -1: none asks")                                                   \
    X(INDEX, int, on_at, -1, m->n_w, "place of what is true during the tick; -1: none asks")                                     \
    X(INDEX, int, first_sample, 0, m->clocks.list.n_samples + 1, "its first entry of image_clocks.samples")                      \
    X(INDEX, int, n_samples, 0, m->clocks.list.n_samples - x->first_sample + 1, "its entries there")                             \
    X(INDEX, int, first_past, 0, m->clocks.list.n_past + 1, "its first entry of image_clocks.past")                              \
    X(INDEX, int, n_past, 0, m->clocks.list.n_past - x->first_past + 1, "its entries there")
typedef struct image_sub {
    IMAGE_SUB(IMAGE_MEMBER)
} image_sub;

/* What is computed at once at a tick: one variable after the other, or all together as a system. */
#define IMAGE_STEP(X)                                                                                                            \
    X(INDEX, int, sub, 0, m->clocks.list.n_subs, "its sub-partition")                                                            \
    X(INDEX, int, first, 0, m->clocks.list.n_variables + 1, "its first unknown among image_clocks.variables")                    \
    X(INDEX, int, n, 1, m->clocks.list.n_variables - x->first + 1, "its unknowns")                                               \
    X(NUMBER, bool, solved, "a system, whose function gives residuals and then their derivatives by rows")                       \
    X(TEXT, name, "of its first unknown, for messages")                                                                          \
    X(PART, span, at, "where its first equation stands")
typedef struct image_step {
    IMAGE_STEP(IMAGE_MEMBER)
} image_step;

#define IMAGE_CLOCKS(X)                                                                                                          \
    X(COUNT, n_bases, "base-partitions")                                                                                         \
    X(PARTS, image_base, bases, x->n_bases, "base-partitions")                                                                   \
    X(COUNT, n_subs, "sub-partitions")                                                                                           \
    X(PARTS, image_sub, subs, x->n_subs, "sub-partitions")                                                                       \
    X(COUNT, n_steps, "steps")                                                                                                   \
    X(PARTS, image_step, steps, x->n_steps, "steps, in order of evaluation")                                                     \
    X(COUNT, n_samples, "calls of sample(u)")                                                                                    \
    X(INDICES, int, samples, x->n_samples, 0, m->n_w, "places of their values, by sub-partition")                                \
    X(COUNT, n_past, "variables whose value at the last tick is asked for")                                                      \
    X(INDICES, int, past, x->n_past, 0, m->n_w - 1, "places of these, by sub-partition")                                         \
    X(COUNT, n_variables, "unknowns of all steps")                                                                               \
    X(INDICES, int, variables, x->n_variables, 0, m->n_w, "places of these, by step")                                            \
    X(COUNT, n_held, "clocked variables that continuous time sees through hold()")                                               \
    X(INDICES, int, held, x->n_held, 0, m->n_w, "places of these")
typedef struct image_clocks {
    IMAGE_CLOCKS(IMAGE_MEMBER)
} image_clocks;

#define CODE_CLOCKS(X)                                                                                                           \
    X(PART, image_clocks, list, "what ticks")                                                                                    \
    X(PARTS, code_fn, samples, x->list.n_subs, "by sub-partition: the values that sample() reads")                               \
    X(PARTS, code_fn, steps, x->list.n_steps, "by step: its values, or residuals and their derivatives by rows")                 \
    X(PART, code_fn, intervals, "by base-partition: of Clock(T), first one of an event clock")                                   \
    X(COUNT, most, "outputs of any of them")                                                                                     \
    X(COUNT, most_unknowns, "of a step that is solved")                                                                          \
    X(COUNT, n_event, "event clocks")
typedef struct code_clocks {
    CODE_CLOCKS(IMAGE_MEMBER)
} code_clocks;

// clang-format on

#endif
