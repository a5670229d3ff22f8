/* Events, compiled: relations, discrete equations, actions, samples, delays.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_EVENT_LOWER_H
#define CODE_EVENT_LOWER_H

#include "code/cell.h"
#include "code/system.h"
#include "image/image_events.h"
#include "image/text_pieces.h"

/* Relations of one moving quantity with thresholds that stay: they are member[first] ... */
typedef struct code_family {
    int first, n;
} code_family;

/* A relation that is idle while each use of it is decided by one of others (event_masks.c). */
typedef struct code_decider {
    int relation;
    bool is; // the value of it that decides
} code_decider;
typedef ARRAY(code_decider) code_deciders;
typedef struct code_mask {
    int single;
    ARRAY(code_deciders) uses;
} code_mask;

typedef struct code_events {
    /* Relations: single ones, timers (single and of time alone), families (of time: last). */
    bool clocks;       // there are some: they make events, too (clock_lower.h)
    image_events list; // what they are
    int n_relations, n_single, n_timers, n_families, n_families_moving, n_members;
    int8_t *sense;        // by relation: the sign of the root that makes it true; 0: floor
    int *single, *member; // relations
    int *side_of;         // by relation: the output of roots that tells of it
    expr (*compares)[2];  // by relation: its sides; the second is 0 where there is one
    code_family *families;
    uint8_t *threshold_first; // by member: it is written c > e
    code_fn thresholds;       // by member, of the parameters
    int *timer;               // relations
    code_cells timers;        // their values and roots
    code_fn roots;     // of single ones, the sizes of the sides that they compare; e of families
    code_fn relations; // values of single ones; e of families
    code_fn needs;     // of w: does a single one matter now?
    int *need_of;      // by single one: its output of needs; -1: it always does
    int *mask_of;      // by single one: its entry of masks; -1: none
    ARRAY(code_mask) masks;
    code_fn watched;     // roots but for those that have masks, where all of these are idle
    code_cells discrete; // new values of discrete variables
    code_fn first;       // pre values of discrete variables given by initial equations
    code_fn claims;      // both sides of those, as written
    bool *claims_real;   // by claim
    code_cells acts;     // what happens at events: does it fire, and its value
    int *acting;         // ... the action of each item
    code_fn assertions;  // conditions that are checked all the time
    int *always;         // ... the action of each
    uint8_t *closed;     // ... all its relations hold where their sides are equal, too
    int *action_y;       // by action: component that a reinit sets; -1: none
    double *action_sign;
    code_fn messages; // numbers in the messages of actions and in conditions that may fail
    text_table texts; // messages of actions, and Strings that can be told while the model runs
    int *told;        // by one of those (texts.strings): its variable
    code_fn samples;  // start and interval of each sample
    code_fn delays;   // value, time and longest time of each delay
    code_fn profiles; // ... of spatialDistribution() initial points and values
    int n_transports; // those
    code_fn before;   // what pre() of continuous variables will be
} code_events;

/* role: of the components of y, for those that a reinit sets. */
bool code_lower_events(lowering *l, const uint8_t *role, code_events *x);
void code_list_events(const structure *s, arena *a, image_events *x);  // event_tables.c
bool code_lower_families(lowering *l, code_events *x, expr *quantity); // which they are
/* After all that reads w has been lowered. */
bool code_lower_needs(lowering *l, code_events *x);
void code_find_masks(lowering *l, code_events *x); // after that
bool code_lower_messages(lowering *l, code_events *x);
static inline bool code_has_events(const code_events *x)
{
    return x->clocks || x->n_relations || x->discrete.n || x->samples.n_out || x->delays.n_out;
}
size_t code_event_scratch(const code_events *x); // doubles that the cells need

#endif
