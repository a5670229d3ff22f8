/* Events: what runs read of relations, discrete variables, actions, samples and delays. A place is an element of w,
 * the work array of a run (work.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_EVENTS_H
#define IMAGE_IMAGE_EVENTS_H

#include "base/source.h"

#include <stdbool.h>
#include <stdint.h>

/* A relation, or a function that jumps, outside noEvent: its value changes at events only. */
typedef struct image_relation {
    int place;
    bool of_time; // its root is affine in time and depends on nothing else that moves: a time event
    span at;
} image_relation;

typedef enum image_action_kind {
    IMAGE_REINIT,
    IMAGE_ASSERT,
    IMAGE_TERMINATE,
    IMAGE_PRINT
} image_action_kind;

/* What happens at an event beside new values of discrete variables. */
typedef struct image_action {
    uint8_t kind; // image_action_kind
    bool error;   // IMAGE_ASSERT: its level is error, not warning
    bool initial; // IMAGE_ASSERT: it is checked at the start only
    span at;
} image_action;

/* A discrete variable and the equation that gives its value. */
typedef struct image_discrete {
    int place; // its value; its pre value is the next element
    span at;   // of the equation
} image_discrete;

/* The condition of a when-clause: a hidden Boolean variable. */
typedef struct image_condition {
    int place;    // its value; its pre value is the next element
    bool initial; // initial() is one of its conditions, so it may fire at the start
} image_condition;

/* A pre value that an initial equation gives. */
typedef struct image_first {
    int place;  // of the discrete variable
    bool whole; // it is an Integer
} image_first;

/* sample(start, interval). */
typedef struct image_sample {
    int place; // 1 during its events
    span at;
} image_sample;

/* delay(value, time, longest) and spatialDistribution. */
typedef struct image_delay {
    int place;       // value and derivative; of spatialDistribution those of both ends
    int n_profile;   // points of the first profile
    bool carried;    // spatialDistribution
    bool constant;   // its time depends on parameters only: jumps come back as foretold events
    bool still;      // ... and the value is constant between events
    bool may_vanish; // the value itself stands where the longest time is 0
    span at;
} image_delay;

typedef struct image_events {
    int n_relations, n_actions, n_discrete, n_conditions, n_first, n_samples, n_delays, n_before;
    image_relation *relations;
    image_action *actions;
    image_discrete *discrete;    // in order of evaluation
    image_condition *conditions; // of when-clauses
    image_first *first;          // by output of the function of first values
    image_sample *samples;
    image_delay *delays;
    int *before; // by pre() of something continuous, in a when-clause: place of its value
} image_events;

static inline int image_delay_size(const image_delay *d) // elements of w
{
    return d->carried ? 4 : 2;
}

#endif
