/* Locating events on a step's own interpolant.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_EVENTS_H
#define SIM_EVENTS_H

#include "method/method.h"
#include "sim/sim_consistent.h"

typedef struct sim_roots {
    int n;
    double *past, *old, *now; // indicators at three successive samples of a step
    double *trial;            // at a time in between
    double *first;            // where the search began
    double *y, *yp;           // workspace for interpolation
    int *found, n_found;      // indicators that crossed at the event found last
    int *side;         // of each of them, its sign after it: at the event itself that may be noise
    int *look, n_look; // indicators near zero or moving fast: the others need no second look
    int *passed, n_passed; // that have crossed, but for the error of the solution
    double h;              // a step here, before it was cut: what is a slope and what is noise
    sim_consistent onto;
    bool again;   // the next search is of a part of the last one ...
    double piece; // ... which was made in pieces of this length
} sim_roots;

size_t sim_roots_layout(sim_roots *r, const vinc_problem *p, void *block); // base/bump.h

/* Indicators at the current point become the reference for the next search. Status of the callback. */
int sim_roots_begin(sim_roots *r, const vinc_problem *p, double t, const double *y,
                    const double *yp);

/* The reference is that of the last search again. The indicators of the point it began at are not
 * always the same, by rounding, when they are computed again. */
void sim_roots_again(sim_roots *r);

/* Has one of them changed its sign since, at this point? */
bool sim_roots_changed(sim_roots *r, const vinc_problem *p, double t, const double *y,
                       const double *yp);

/* The same of indicators without margins (bare_roots): beside a point from which no step leads on, they tell of an
 * event that is nearer than the margins, or just past. */
bool sim_roots_bare_changed(sim_roots *r, const vinc_problem *p, double t, const double *y,
                            const double *yp);

/* Look for the first sign change in (from, run->t], on points moved onto the algebraic equations.
 * 1: found, *when is the first time known to lie after it; 0: none, the indicators at run->t are the
 * new reference; < 0 failed. Crossings that are a sixteenth of (from, run->t] apart are all seen. */
int sim_roots_search(sim_roots *r, method_run *run, double from, double *when);

/* After a search that found something at t: do the equations lead all that crossed back to where it
 * came from? Then it has not crossed: the solution is off by that much. They are listed as passed. */
bool sim_roots_pass(sim_roots *r, method_run *run, double t);
/* At the end of a step: is one of them still on the wrong side, and not led back? Those on the right
 * side are listed no more. */
bool sim_roots_stray(sim_roots *r, method_run *run);

#endif
