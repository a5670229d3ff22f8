/* Events: what runs read of relations, discrete variables, actions, samples and delays. A place is an element of w,
 * the work array of a run (work.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_EVENTS_H
#define IMAGE_IMAGE_EVENTS_H

#include "base/source.h"
#include "image/list.h"

typedef enum image_action_kind {
    IMAGE_REINIT,
    IMAGE_ASSERT,
    IMAGE_TERMINATE,
    IMAGE_PRINT
} image_action_kind;
enum { IMAGE_N_ACTIONS = IMAGE_PRINT + 1 };

// clang-format off

/* A relation, or a function that jumps, outside noEvent: its value changes at events only. */
#define IMAGE_RELATION(X)                                                                                                        \
    X(INDEX, int, place, 0, m->n_w, "of its value")                                                                              \
    X(NUMBER, bool, of_time, "its root is affine in time and depends on nothing else that moves: a time event")                  \
    X(PART, span, at, "where it stands")
typedef struct image_relation {
    IMAGE_RELATION(IMAGE_MEMBER)
} image_relation;

/* What happens at an event beside new values of discrete variables. */
#define IMAGE_ACTION(X)                                                                                                          \
    X(INDEX, uint8_t, kind, 0, IMAGE_N_ACTIONS, "image_action_kind")                                                             \
    X(NUMBER, bool, error, "of an assertion: its level is error, not warning")                                                   \
    X(NUMBER, bool, initial, "of an assertion: it is checked at the start only")                                                 \
    X(PART, span, at, "where it stands")
typedef struct image_action {
    IMAGE_ACTION(IMAGE_MEMBER)
} image_action;

/* A discrete variable and the equation that gives its value. */
#define IMAGE_DISCRETE(X)                                                                                                        \
    X(INDEX, int, place, 0, m->n_w - 1, "of its value; its pre value is the next element")                                       \
    X(PART, span, at, "where the equation stands")
typedef struct image_discrete {
    IMAGE_DISCRETE(IMAGE_MEMBER)
} image_discrete;

/* The condition of a when-clause: a hidden Boolean variable. */
#define IMAGE_CONDITION(X)                                                                                                       \
    X(INDEX, int, place, 0, m->n_w - 1, "of its value; its pre value is the next element")                                       \
    X(NUMBER, bool, initial, "initial() is one of its conditions, so it may fire at the start")
typedef struct image_condition {
    IMAGE_CONDITION(IMAGE_MEMBER)
} image_condition;

/* A pre value that an initial equation gives. */
#define IMAGE_FIRST(X)                                                                                                           \
    X(INDEX, int, place, 0, m->n_w - 1, "of the discrete variable; its pre value is the next element")                           \
    X(NUMBER, bool, whole, "it is an Integer")
typedef struct image_first {
    IMAGE_FIRST(IMAGE_MEMBER)
} image_first;

/* sample(start, interval). */
#define IMAGE_SAMPLE(X)                                                                                                          \
    X(INDEX, int, place, 0, m->n_w, "1 during its events")                                                                       \
    X(PART, span, at, "where it stands")
typedef struct image_sample {
    IMAGE_SAMPLE(IMAGE_MEMBER)
} image_sample;

/* delay(value, time, longest) and spatialDistribution. */
#define IMAGE_DELAY(X)                                                                                                           \
    X(INDEX, int, place, 0, m->n_w - 1, "of value and derivative; of spatialDistribution those of both ends")                    \
    X(COUNT, n_profile, "points of the first profile")                                                                           \
    X(NUMBER, bool, carried, "it is spatialDistribution")                                                                        \
    X(NUMBER, bool, constant, "its time depends on parameters only: jumps come back as foretold events")                         \
    X(NUMBER, bool, still, "... and the value is constant between events")                                                       \
    X(NUMBER, bool, may_vanish, "the value itself stands where the longest time is 0")                                           \
    X(PART, span, at, "where it stands")
typedef struct image_delay {
    IMAGE_DELAY(IMAGE_MEMBER)
} image_delay;

#define IMAGE_EVENTS(X)                                                                                                          \
    X(COUNT, n_relations, "relations")                                                                                           \
    X(PARTS, image_relation, relations, x->n_relations, "relations")                                                             \
    X(COUNT, n_actions, "actions")                                                                                               \
    X(PARTS, image_action, actions, x->n_actions, "actions")                                                                     \
    X(COUNT, n_discrete, "discrete variables that equations give")                                                               \
    X(PARTS, image_discrete, discrete, x->n_discrete, "in order of evaluation")                                                  \
    X(COUNT, n_conditions, "conditions of when-clauses")                                                                         \
    X(PARTS, image_condition, conditions, x->n_conditions, "conditions of when-clauses")                                         \
    X(COUNT, n_first, "pre values that initial equations give")                                                                  \
    X(PARTS, image_first, first, x->n_first, "by output of the function of first values")                                        \
    X(COUNT, n_samples, "calls of sample()")                                                                                     \
    X(PARTS, image_sample, samples, x->n_samples, "calls of sample()")                                                           \
    X(COUNT, n_delays, "calls of delay() and spatialDistribution()")                                                             \
    X(PARTS, image_delay, delays, x->n_delays, "calls of delay() and spatialDistribution()")                                     \
    X(COUNT, n_before, "calls of pre() of something continuous, in when-clauses")                                                \
    X(INDICES, int, before, x->n_before, 0, m->n_w, "by call of pre(): place of its value")
typedef struct image_events {
    IMAGE_EVENTS(IMAGE_MEMBER)
} image_events;

// clang-format on

static inline int image_delay_size(const image_delay *d) // elements of w
{
    return d->carried ? 4 : 2;
}

#endif
