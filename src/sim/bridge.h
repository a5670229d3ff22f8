/* Across singular positions.
 *
 * Where constraints lose rank for an instant (links in one line), the motion is smooth but the
 * equations do not determine it: accelerations and multipliers are quotients of two small numbers,
 * and an implicit method creeps up to the position with ever smaller steps. The last points and
 * their derivatives give a polynomial; as soon as it reaches across the position with the accuracy
 * of a step, the run goes on after it. A smooth continuation that meets the constraints on the
 * other side is the branch that was followed before.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_BRIDGE_H
#define SIM_BRIDGE_H

#include "sim/events.h"
#include "sim/sim.h"

enum { BRIDGE_POINTS = 20, BRIDGE_NODES = 7 };

typedef struct bridge_point {
    double t;
    double *y, *yp;
    bool exact; // yp solves the equations: that of a multistep formula is a rough guess
} bridge_point;

typedef struct sim_bridge {
    const vinc_problem *p;
    const sim_options *o;
    bridge_point past[BRIDGE_POINTS]; // newest first: the present point, the farther the sparser
    int count;
    const bridge_point *node[BRIDGE_NODES]; // of the polynomial, newest first
    int n_nodes;
    double *landing;  // the point after the position
    double t_landing; // INFINITY: none yet
    double h;         // size of the last step
    double h_usual;   // and of those before, slowly forgotten
    double h_free;    // ... forgotten as time goes on, not step by step: before steps became short
    long rejected;    // steps, when a point was last added
    double sigma;     // how regular the present point is, where that was looked at; otherwise 1
    double most;      // of those looked at, the largest
    int crept;        // steps in a row that were very short
    int rescued;      // crossings in a row: the run has not come as far as a free step since the first
    double t_row;     // where that row ends
    int wait;         // steps for which the singular value need not be looked at again
    bool creeping;    // steps have become short, or fail
} sim_bridge;

size_t sim_bridge_layout(sim_bridge *b, const vinc_problem *p, void *block); // base/bump.h
void sim_bridge_clear(sim_bridge *b);
void sim_bridge_passed(sim_bridge *b); // the points before stay: the motion is smooth
void sim_bridge_add(sim_bridge *b, const method_run *run); // after every step

typedef struct bridge_span {
    double t_singular; // where rank is lost
    double t_far;      // after it
} bridge_span;

/* Steps creep, and a singular position may be the reason. */
bool sim_bridge_near(const sim_bridge *b);
/* Is there a singular position ahead, before t_limit, that can be crossed? Where no step succeeds
 * (stuck), also one just passed, and with less accuracy. */
bool sim_bridge_find(sim_bridge *b, double t_limit, bool stuck, bridge_span *out);
/* The polynomial that was found. Algebraic unknowns keep their last values; once there is a point
 * after the position they are interpolated: at the position equations do not determine them. */
void sim_bridge_at(const sim_bridge *b, double t, double *y, double *yp);
/* The same, moved onto the constraints where that moves it no farther than the tolerance allows. */
void sim_bridge_row(const sim_bridge *b, sim_consistent *onto, double t, double *y, double *yp);
/* The point after the position in y and yp: on the constraints, no farther from the polynomial
 * than the tolerance allows, as regular as the one before, no event in between. */
bool sim_bridge_land(sim_bridge *b, double t, sim_roots *roots, double *y, double *yp);
/* So near to a singular position that its branches cannot be told apart: they part with the square
 * of the distance, and the constraints are violated by as much; or steps crawl before it. */
bool sim_bridge_lost(const sim_bridge *b, const method_run *run, text *why);

#endif
