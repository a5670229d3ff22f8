/* The method for a user who names none.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_CHOOSE_H
#define SIM_CHOOSE_H

#include "method/method.h"

#include <stdbool.h>

typedef struct sim_start {
    double tol, span;   // relative tolerance, what is left of the run
    bool fixed;         // fixed steps
    bool by_products;   // no matrix is to be stored
    bool by_stages;     // Runge-Kutta methods alone, whose stages are to be known
    double t;           // a point of the trajectory ...
    const double *y;    // ... NULL: not known, and the method cannot be changed later
    double *work;       // 3 n, where y is given
    long steps, events; // so far
    long rejected;      // ... steps
    double work_done;   // ... operations
    double h_rate;      // of an explicit step: its size times the fastest rate seen; 0: not known
} sim_start;

/* What was seen of the method in use, for the next question. Numbers without gaps: part of saved states. */
typedef struct sim_seen {
    double t_count;     // work is counted from here ...
    double work_count;  //
    long stretch_count; // ... so many steps after the last event
    double rate_left;   // work per time of what was left for it
    long stretch_trial; // no other trial before so many steps
    long wait;          // ... of which the last one took so many
    long supposed;      // steps until a solution should have settled; 0: nothing is supposed
    int limited;        // explicit steps at the limit of stability, of late
    int trial; // the method is tried: 1, and 2 when sizes of implicit steps have settled; 0: it is not
    double span_trial;  // explicit steps are tried for so long; implicit ones: the rest of the run,
    double t_trial;     // ... from here ...
    double work_trial;  // ... and here
    long left_explicit; // 1: some were in use, and left as stiff
    /* Of explicit steps that events cut. */
    double work_order, work_event; // counted from here; from event to event, of the order before
    long events_order, order;      // ... so many events; 1: order 5 is tried, 2: it was
} sim_seen;

typedef struct sim_choice {
    const vinc_method *method;
    const char *why; // in words
    sim_seen seen;
} sim_choice;

void sim_choose(const vinc_problem *p, const sim_start *at, sim_choice *out);
/* Another method after `stretch` steps without an event, the last of size h? */
bool sim_choose_again(const vinc_problem *p, const sim_start *at, long stretch, double h,
                      sim_choice *now);
/* Until when sim_choose_again would say no and note nothing: most steps of a small system need not ask. */
typedef struct sim_quiet {
    long stretch, steps; // fewer than so many since the last event, and in all
    long events;         // no other event
    double h_rate;       // explicit steps: no more than this
} sim_quiet;

sim_quiet sim_choose_quiet(const vinc_problem *p, const sim_start *at, long stretch,
                           const sim_choice *now);
/* To implicit steps. */
void sim_choose_implicit(const vinc_problem *p, const sim_start *at, const char *why,
                         sim_choice *now);
/* The part of the tolerance that steps of it are held to. */
double sim_choose_part(const vinc_problem *p, const sim_choice *c);
/* A low order near singular positions; false: it is low already. */
bool sim_choose_low(sim_choice *now);
/* Steps whose stages are iterated, where those that are not fail; false: they are already. */
bool sim_choose_iterating(const vinc_problem *p, const sim_start *at, sim_choice *now);

/* The spectral radius of df/dy by the power method on differences of f (work: 3 n); infinite where
 * f cannot be evaluated. */
double sim_spectral_radius(const vinc_problem *p, double t, const double *y, double *work);

#endif
