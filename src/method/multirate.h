/* A step of all unknowns with shorter steps of a few of them inside: what its files share.
 *
 *     multirate.c        one step: of all, of parts, to the end or cut where parts had to end; and whether parts pay
 *     multirate_parts.c  which unknowns are parts, their steps, and who joins them
 *     multirate_size.c   what errors may be, who is too fast, and the size of the next step
 *     part_step.c        the short steps of one part
 *     part_code.c        the equations of one part
 *
 * Words:
 *
 *     step of all   a step of rodas5p of all unknowns, from t to t + h; the window of the parts inside
 *     part          unknowns that make shorter steps through it, together; its trace is what they leave
 *     reader        an unknown whose equation reads another one
 *     held          an unknown that stays where it is in the step of all, as its part makes it
 *     fast          held, or with an error in the step of all that is too large
 *     wish          the size of step that an unknown would have allowed by itself
 *     missed        by how much a reader was led astray by a part, over what it may be: `seen`
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_MULTIRATE_H
#define METHOD_MULTIRATE_H

#include "method/part_step.h"

#include <math.h>

// clang-format off
/*  bound                         quantity                                              source */
enum {
    TRACES_MAX          = 128, // parts of one step, with those that they become          choice
    SHORTEST_MAX        = 128, // unknowns that may be left out of a step of all          choice
    FAILURES_MOST       = 8,   // attempts of sizes that parts ask for, then halves         choice: 2 to 4 were seen
    HELD_MORE_MAX       = 2,   // attempts with one unknown more held                     choice
    STEPS_JUDGED        = 24,  // steps of all until work is judged                       choice
    STEPS_OF_REST       = 100, // steps without parts where these do not pay, at first    choice
};
static const double
    ERROR_MOST          = 0.03, // of all steps, of the tolerance                          measured: docs/methods.md
    LEAVE_MOST          = 10,  // of errors that do not pile up, over those                measured: docs/choice.md
    MISSED_MOST         = 0.003, // of what others see of a part: these errors add up,     a tenth of the above
                               // those of steps are estimates of a lower order
    FADES_MIN           = 1,   // decay times size: the error is another one in each step   principle: see multirate_find_spoilt
    FOLLOWERS_MOST      = 100, // weight of unknowns that stiff ones follow, over theirs  choice: at a fold there is no bound
    PART_OF_STEP_MAX    = 0.5, // operations of parts that little is asked of, over a step of all   two steps of all do as well
    MARGINAL_MIN        = 0.5, // size that little is asked of, over the step of all      as above
    SAME_TIME           = 1e-9, // of a step: times that are the same                     rounding
    GROWTH_WITH_PARTS   = 2,   // of steps of all: beyond, unseen ones become fast        choice
    GROWTH_WITHOUT_PARTS = 8;  // ... nobody is fast                                      as of the controller
// clang-format on

/* Work since the last judgement, and what steps of all would have taken. */
typedef struct multirate_trial {
    double mark, spent, plain;
    long steps; // since then
    long rest;  // steps to come without parts
    long pause; // how many the last time
} multirate_trial;

/* An unknown, and one that would feel too much of its error in a part without it. */
typedef struct multirate_pair {
    int given, reader;
} multirate_pair;

enum {
    TAKEN = -1,
    WAITING = -2
}; // multirate.member: in the part that is made now, in that of WAITING - k

typedef struct multirate {
    rosenbrock base; // the step of all unknowns: rosenbrock_ops work on it
    bool possible;   // rows and unknowns belong together
    bool looked;     // ... that is known
    part_pairs pairs;
    part_codes codes;
    part_room room;
    double *decay, *seen; // n: see part_window
    double *inv;          // n: 1 over what an error of a step of all may be
    double *felt;         // by row: what a change of its rate comes to over the step, in tolerances
    double *reach;        // n: what a change of the unknown comes to by other rows, the most
    multirate_pair *spoilt; // n
    int n_spoilt;
    double *node[PART_NODES];
    double *estimate; // n: of the error of the step, as far as it is not that of parts
    double *error;    // ... with what was missed
    double *point;    // n
    double *wish;     // n: the size that the unknown would have allowed by itself; 0: that of all
    double *next;     // ... after this attempt
    double *hint;     // n: the first size of its own steps; 0: not known
    double *wish_old, *hint_old; // n: before the last step
    double *moved;               // n: by how much parts moved the end of the step of all
    bool cut;                    // the step of all ended where parts had to
    double *work;                // n: of a step by itself
    double *beside;              // n: ... of its part in a step of all
    uint8_t *held;               // by row
    uint8_t *fast;               // n: of itself, not as it has joined
    uint8_t *began;              // n: ... when parts began
    int *member;                 // n: 1 + the part that it is in; 0: none; TAKEN, WAITING
    int *waiting;                // n: unknowns of parts that have made no steps yet, part by part
    int n_waiting, wait_start[TRACES_MAX + 1];
    double wait_size[TRACES_MAX]; // the first size of their steps
    double h_shorter;             // that the step of all should have been; 0: it is right
    double h_cut;                 // of the step of all that had to end before; 0: none
    int n_held;
    double work_step; // of a step of all
    int n_traces;
    part_trace *trace;
    bool grew;             // unknowns joined
    multirate_trial trial; // do parts pay?
    double t_kept, t_good; // traces from t_kept are good until then, for a shorter step of all
} multirate;

static inline bool multirate_same_time(double t1, double t2, double h)
{
    return fabs(t1 - t2) <= SAME_TIME * h;
}

/* The part that unknown i is in at the end of the step; NULL: none. */
static inline const part_trace *multirate_of(const multirate *s, int i)
{
    return s->n_traces && s->member[i] > 0 ? &s->trace[s->member[i] - 1] : NULL;
}

/* multirate_size.c, for a step of all of size h that was made: what errors may be; unknowns that are fast, how many of them
 * have errors that are too large; and those that belong to others, false: there are too many. */
void multirate_weigh(const method_core *c, multirate *s, double h);
int multirate_find_fast(const method_core *c, multirate *s);
bool multirate_find_spoilt(const method_core *c, multirate *s, double h);
/* The size that an error of h allows; work of a step of an unknown of which no part is known; and the error of the step and the
 * size of the next, at most `growth` times as long. */
double multirate_size(const multirate *s, double h, double error);
double multirate_guess(const method_core *c);
void multirate_next(const method_core *c, multirate *s, double t_new, double h, double growth,
                    step_result *result);

/* multirate_parts.c: steps of all parts through the step of all; STEP_ code, STEP_NEWTON also where they do not get to its end,
 * but to t_good. And who is in which part at a time. */
int multirate_parts(method_core *c, multirate *s, double t_new, double h);
void multirate_members(const method_core *c, multirate *s, double t);

#endif
