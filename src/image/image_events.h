/* Events: what runs read of relations, discrete variables, actions, samples and delays. A place is an element of w,
 * the work array of a run (work.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_EVENTS_H
#define IMAGE_IMAGE_EVENTS_H

#include "base/source.h"
#include "image/image_cells.h"
#include "image/list.h"
#include "image/text_pieces.h"

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
    X(NUMBER, bool, still, "its time is constant, and its value is constant between events")                                     \
    X(NUMBER, bool, may_vanish, "the value itself stands where the longest time is 0")                                           \
    X(PART, span, at, "where it stands")
typedef struct image_delay {
    IMAGE_DELAY(IMAGE_MEMBER)
} image_delay;

/* A discrete variable of a when-clause that depends on itself: it is solved for, as a continuous one. */
#define IMAGE_LOOP(X)                                                                                                            \
    X(INDEX, int, var, 0, m->variables.n, "the variable that stands for it, $name")                                              \
    X(PART, span, at, "where it is declared")
typedef struct image_loop {
    IMAGE_LOOP(IMAGE_MEMBER)
} image_loop;

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
    X(INDICES, int, before, x->n_before, 0, m->n_w, "by call of pre(): place of its value")                                      \
    X(COUNT, n_loops, "discrete variables that are solved for")                                                                  \
    X(PARTS, image_loop, loops, x->n_loops, "these variables")
typedef struct image_events {
    IMAGE_EVENTS(IMAGE_MEMBER)
} image_events;

/* Relations of one moving quantity with thresholds that stay. */
#define CODE_FAMILY(X)                                                                                                           \
    X(INDEX, int, first, 0, m->events.n_members + 1, "its first member")                                                         \
    X(INDEX, int, n, 0, m->events.n_members - x->first + 1, "its members")
typedef struct code_family {
    CODE_FAMILY(IMAGE_MEMBER)
} code_family;

/* A relation that is idle while each use of it is decided by one of others (code/event_masks.c). */
#define CODE_DECIDER(X)                                                                                                          \
    X(INDEX, int, relation, 0, m->events.n_relations, "relation")                                                                \
    X(NUMBER, bool, is, "the value of it that decides")
typedef struct code_decider {
    CODE_DECIDER(IMAGE_MEMBER)
} code_decider;

#define CODE_DECIDERS(X)                                                                                                         \
    X(COUNT, n, "relations that decide a use")                                                                                   \
    X(COUNT, cap, "room for them")                                                                                               \
    X(PARTS, code_decider, at, x->n, "these relations")
typedef struct code_deciders {
    CODE_DECIDERS(IMAGE_MEMBER)
} code_deciders;

#define CODE_MASK(X)                                                                                                             \
    X(INDEX, int, single, 0, m->events.n_single, "the single relation that may be idle")                                         \
    X(VECTOR, code_deciders, uses, "what decides each use")
typedef struct code_mask {
    CODE_MASK(IMAGE_MEMBER)
} code_mask;

#define CODE_EVENTS(X)                                                                                                           \
    X(NUMBER, bool, clocks, "there are clocks: they make events, too")                                                           \
    X(PART, image_events, list, "what events consist of")                                                                        \
    X(COUNT, n_relations, "relations: single ones, timers (single and of time alone), families (of time: last)")                 \
    X(COUNT, n_single, "single ones")                                                                                            \
    X(COUNT, n_timers, "timers")                                                                                                 \
    X(COUNT, n_families, "families")                                                                                             \
    X(COUNT, n_families_moving, "families that are not of time")                                                                 \
    X(COUNT, n_members, "relations in families")                                                                                 \
    X(NUMBERS, int8_t, sense, x->n_relations, "by relation: the sign of the root that makes it true; 0: floor")                  \
    X(INDICES, int, single, x->n_single, 0, x->n_relations, "single ones: relations")                                            \
    X(INDICES, int, member, x->n_members, 0, x->n_relations, "members of families: relations")                                   \
    X(NUMBERS, int, side_of, x->n_relations, "by relation: the output of roots that tells of it")                                \
    X(NUMBERS, int, compares, 2 * x->n_relations, "by relation: numbers of its two sides, equal for equal sides; 0: no side")    \
    X(PARTS, code_family, families, x->n_families, "families")                                                                   \
    X(NUMBERS, uint8_t, threshold_first, x->n_members, "by member: it is written c > e")                                         \
    X(PART, code_fn, thresholds, "by member, of the parameters")                                                                 \
    X(INDICES, int, timer, x->n_timers, 0, x->n_relations, "timers: relations")                                                  \
    X(PART, code_cells, timers, "values and roots of timers")                                                                    \
    X(PART, code_fn, roots, "of single ones, then sizes of their sides; of families the quantity")                               \
    X(PART, code_fn, relations, "values of single ones; of families the quantity")                                               \
    X(PART, code_fn, needs, "of w: does a single one matter now?")                                                               \
    X(INDICES, int, need_of, x->n_single, -1, x->needs.n_out, "by single one: its output of needs; -1: it always does")          \
    X(VECTOR, code_mask, masks, "single relations that others make idle")                                                        \
    X(INDICES, int, mask_of, x->n_single, -1, x->masks.n, "by single one: its entry of masks; -1: none")                         \
    X(PART, code_fn, watched, "roots but for those that have masks, while all of these are idle")                                \
    X(PART, code_cells, discrete, "new values of discrete variables")                                                            \
    X(PART, code_fn, first, "pre values of discrete variables given by initial equations")                                       \
    X(PART, code_fn, claims, "both sides of initial equations of discrete variables, as written")                                \
    X(NUMBERS, bool, claims_real, x->claims.n_out / 2, "by claim: its sides are Real")                                           \
    X(PART, code_cells, acts, "what happens at events: does it fire, and its value")                                             \
    X(INDICES, int, acting, x->acts.n_items, 0, x->list.n_actions, "by item of acts: the action")                                \
    X(PART, code_fn, assertions, "conditions that are checked all the time")                                                     \
    X(INDICES, int, always, x->assertions.n_out, 0, x->list.n_actions, "by condition: the action")                               \
    X(NUMBERS, uint8_t, closed, x->assertions.n_out, "by condition: its relations hold where their sides are equal, too")        \
    X(INDICES, int, action_y, x->list.n_actions, -1, m->n, "by action: component that a reinit sets; -1: none")                  \
    X(NUMBERS, double, action_sign, x->list.n_actions, "by action: sign of that component")                                      \
    X(PART, code_fn, messages, "numbers in the messages of actions and in conditions that may fail")                             \
    X(PART, text_table, texts, "messages of actions, and Strings that can be told while the model runs")                         \
    X(NUMBERS, int, told, x->texts.n_strings, "by String of texts: its variable")                                                \
    X(PART, code_fn, samples, "start and interval of each sample")                                                               \
    X(PART, code_fn, delays, "value, time and longest time of each delay")                                                       \
    X(PART, code_fn, profiles, "initial points and values of spatialDistribution()")                                             \
    X(COUNT, n_transports, "calls of spatialDistribution()")                                                                     \
    X(PART, code_fn, before, "what pre() of continuous variables will be")
typedef struct code_events {
    CODE_EVENTS(IMAGE_MEMBER)
} code_events;

// clang-format on

static inline int image_delay_size(const image_delay *d) // elements of w
{
    return d->carried ? 4 : 2;
}

static inline bool code_has_events(const code_events *x)
{
    return x->clocks || x->n_relations || x->discrete.n || x->samples.n_out || x->delays.n_out;
}

#endif
