/* Events inside a kernel.
 *
 * Relations, discrete variables and their past are elements of the state. After a step the relations
 * are read at a few points of its interpolant; where one has changed, the run goes through phases
 * (ens_kernel.h) until all agree, as run/event.c has it:
 *
 *     weigh    the interpolant, where it needs more than the step: it was read on Hermite's till then
 *     locate   false position on the interpolant, to the first point at which a relation has changed;
 *              then the step is made once more, to there; again, until it ends where it finds it
 *     settle   relations and discrete equations until nothing moves; then reinit, and the past is the
 *              present; again until nothing happens
 *     follow   Newton's iteration for what depends on them, where the equations are not solved one
 *              after the other
 *     choose   other combinations of states, where constraints have turned away from the present ones
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_ENS_EVENT_H
#define ENSEMBLE_ENS_EVENT_H

#include "ensemble/ens_system.h"

struct ens_writer;

enum { ENS_DENSE_MAX = 8 }; // rows of an interpolant, y at its beginning among them

/* y = d_0 + u (d_1 + v (d_2 + u (d_3 + v (d_4 + ...)))), u from 0 to 1 over the step, v = 1 - u. */
typedef struct ens_dense {
    int rows;
    tape_ref *d[ENS_DENSE_MAX]; // by component of the state
} ens_dense;

/* Where things lie in the state; -1 or 0: not there. */
typedef struct ens_places {
    int w;                // elements of w that move, in the order of `moving`
    int dense;            // rows 1, 2, ... of the interpolant, one after the other
    int size;             // of the step
    int aim;              // 0, or the size of the step that is to end at an event
    int aimed, final;     // how often in a row it was; this time it does, whatever it finds
    int low, high;        // the bracket, in parts of the step
    int g_low, g_high;    // by relation: how far it is from its change
    int moved_end;        // which end moved last: -1, 1
    int count;            // passes of the present phase
    int flipped;          // by relation: it has changed in this event
    int newton;           // passes of Newton's iteration
    int t_event, close;   // time of the last event; how many followed at once, one after the other
    int t_impact;         // time of the last reinit
    int between, longest; // time between the last two, and the longest of them
    int fading;           // how often next to nothing was left until they accumulate
} ens_places;

typedef struct ens_events {
    bool any; // are there events at all, or assertions, or states that are chosen?
    int n_relations, n_moving;
    int *moving; // elements of w
    ens_places at;
    int dense_rows;
    bool weighs; // the interpolant is made by a phase of its own, where there is an event
} ens_events;

/* False: what it has that cannot be done here, in system.why. Relations, discrete variables and P of
 * choices become elements of the state. */
bool ens_events_init(struct ens_writer *w);
/* What events need of the state, after what there is of it, and its values at the beginning. */
bool ens_events_begin(struct ens_writer *w, int dense_rows);

/* All unknowns at a point, from those of the state: by the right-hand side, or by themselves. */
typedef struct ens_point {
    tape_ref t, *y, *yp;
} ens_point;
bool ens_point_of(const struct ens_writer *w, const ens_view *v, tape_ref t, const tape_ref *part,
                  const tape_ref *slope, ens_point *out);

/* The same on the algebraic equations: an interpolant only comes near them. */
bool ens_point_onto(struct ens_writer *w, const ens_view *v, ens_point *x);

/* What the end of a step found. */
typedef struct ens_found {
    tape_ref arrived; // 1: it ends at an event
    tape_ref cut;     // 1: its size is not that of the control
    tape_ref event;   // 1: a relation has changed inside it
    tape_ref broken;  // 1: an assertion does not hold at its end
    tape_ref turned;  // 1: other states are to be chosen
} ens_found;
/* part, slope: of the state at the end of the step. The interpolant and the bracket are stored. */
bool ens_events_scan(const struct ens_writer *w, const ens_view *v, tape_ref t, tape_ref h,
                     const ens_dense *d, tape_ref t_new, const tape_ref *part,
                     const tape_ref *slope, ens_found *out);
/* The phases. `rates`: where y' lies in the state; 0: nowhere. */
bool ens_events_phases(struct ens_writer *w, int rates);

/* ---- parts of it ------------------------------------------------------------------------------ */

/* Rows 1, 2, ... of the interpolant to the state. */
void ens_dense_store(const struct ens_writer *w, tape_builder *b, const ens_dense *d);
void ens_phase_add(struct ens_writer *w, ens_status when, tape_builder *b);
/* y (and its slope in time over the step, where asked for) at u. */
void ens_dense_at(const struct ens_writer *w, tape_builder *b, const ens_dense *d, tape_ref u,
                  tape_ref h, tape_ref *part, tape_ref *slope);
/* By relation: positive while it keeps its value, by the distance from its change. */
bool ens_distances(const struct ens_writer *w, const ens_view *v, const ens_point *x, tape_ref *g);

/* Note what pre() of continuous variables is at a point, under a condition. */
bool ens_note_before(const struct ens_writer *w, const ens_view *v, const ens_point *x,
                     tape_ref when);
int ens_place_of_w(const struct ens_writer *w, int place); // in the state, of an element that moves

bool ens_write_locate(struct ens_writer *w);
bool ens_write_settle(struct ens_writer *w, int rates);
bool ens_write_follow(struct ens_writer *w, int rates);
bool ens_write_choose(struct ens_writer *w);
/* 1 where the choice has turned by so much that another one is due; a number 0: there is none. */
bool ens_choice_turned(const struct ens_writer *w, const ens_view *v, const ens_point *x,
                       tape_ref *turned);
bool ens_choice_fits(struct ens_writer *w); // false: system.why

/* A relation as a kernel reads it. */
typedef struct ens_relation {
    int place; // in w
    int sense; // the sign of the root that makes it true; 0: floor
    tape_ref root, size;
} ens_relation;
bool ens_relations(const struct ens_writer *w, const ens_view *v, const ens_point *x,
                   ens_relation *out);
tape_ref ens_relation_value(tape_builder *b, const ens_relation *r);
/* How far apart sides must be that have changed, or are to change. */
tape_ref ens_relation_hold(tape_builder *b, const ens_relation *r);

#endif
