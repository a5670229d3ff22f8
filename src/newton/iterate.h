/* The course of a Newton iteration: when a step is good, when factors are made anew, when it is
 * enough.
 *
 * The caller keeps the point, the trial point and the algebra, which differ from use to use (square,
 * least norm, least change in a metric, dense, sparse), and offers verbs. What decides is a policy:
 * a row of the one table of constants below src/, in policies.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEWTON_ITERATE_H
#define NEWTON_ITERATE_H

#include <stdbool.h>

typedef struct newton_verbs {
    /* The correction at the point: its size, relative to the unknowns; 0: nothing is left to do;
     * negative or not finite: there is none. anew: with derivatives at the point, otherwise with the
     * factors that are there. *measure: what trial points are compared with. */
    double (*correction)(void *user, bool anew, double *measure);
    /* The trial point, this part of the correction away; its measure, INFINITY where it has none,
     * NAN: stop. In full steps, where every trial is good, the point itself may move. */
    double (*trial)(void *user, double factor);
    bool (*accept)(void *user); // the trial point becomes the point; false: stop. NULL: it did
    /* Is what is left at the point, accepted or not moved from, no more than the rounding with which
     * it is evaluated? NULL: not known. */
    bool (*exhausted)(void *user);
} newton_verbs;

typedef struct newton_policy {
    int iterations;
    /* Damping: a trial is good when its measure is at most 1 - decrease * factor times that of the
     * point, or at most `vanished`, or when the correction is below `tiny`. */
    int halvings; // 0: full steps
    double decrease, vanished, tiny;
    double longest;  // a longer correction is cut to this size; 0: none is
    bool compromise; // what the last halving gives is taken, good or not
    /* Factors serve again until corrections since then add up to `near`; where the measure is the size
     * of the next correction, also while each is at most this part of the one before. 0: anew. */
    double near, contraction;
    double enough; // ... and nothing is left to do where the next one is at most this; 0: not asked
    /* A correction is the last one when it is at most `solved`; when its product with those since the
     * factors were made is below `product`; when it is below `round_off` and at least half of the one
     * before, or a tenth by new factors; when it is below `patient` after `patience` iterations. */
    double solved, product, round_off, patient;
    double
        magnified; // round-off where the matrix is nearly singular: no smaller than the one before
    int patience;
    double doubtful; // where one that does not halve is below this, `exhausted` is asked
} newton_policy;

typedef struct newton_course {
    int iterations;
    double size; // of the last correction
    bool stuck;  // no part of it was good
} newton_course;

/* NEWTON_OK, NEWTON_E_SINGULAR (no correction), NEWTON_E_STOPPED (by accept), NEWTON_E_DIVERGED. */
int newton_iterate(const newton_verbs *v, void *user, const newton_policy *p, newton_course *out);

/* Old factors: those of a point that was near mostly serve here, too. */
typedef struct newton_reuse {
    double near;        // the first correction is at most this
    double contraction; // each further one at most this part of the one before
    double enough; // the last one squared is at most this part of the one before: so much is left
    double most;   // corrections still to come, by the contraction seen: new factors cost as much
} newton_reuse;

/* What factors showed last. */
typedef struct newton_seen {
    double contraction; // 0: nothing yet
    double size;        // of the correction that left this part of itself
} newton_seen;

/* Corrections with the factors that are there; false: they do not serve. The last correction is
 * taken without a look at the point it leads to: `take` moves the point. Where the contraction that
 * these factors showed last leaves enough, one correction does, and it counts for less the next time. A
 * larger correction than that one leaves a larger part of itself, as what is nonlinear does. */
bool newton_follow(void *user, double (*correction)(void *user),
                   bool (*take)(void *user, bool last), const newton_reuse *p, newton_seen *seen);

/* Corrections with factors of the point itself. Of a first one of size d, relative to the unknowns, so many times d^2 are
 * left: *curvature is the most that was seen, 0 at first, and no less than ten are
 * expected. Where that is enough it is taken without a look; otherwise as above. */
bool newton_follow_new(void *user, double (*correction)(void *user),
                       bool (*take)(void *user, bool last), const newton_reuse *p,
                       double *curvature);

/* ---- continuation ---------------------------------------------------------------------------- */

/* Steps of a parameter from 0 to 1 that grow and shrink. */
typedef struct newton_path {
    double first, least; // step
    double shorten;      // after a failure, the step times this
    int attempts;        // at most
} newton_path;

typedef struct newton_path_verbs {
    int (*solve)(void *user, double lambda); // 0: solved
    void (*keep)(void *user);                // the point, to come back to
    void (*back)(void *user);
} newton_path_verbs;

/* The first problem, at 0, is solved. Status of the last failure, or 0; *reached is the parameter. */
int newton_continue(const newton_path_verbs *v, void *user, const newton_path *p, double *reached,
                    int *attempts);

/* ---- the table ------------------------------------------------------------------------------- */

extern const newton_policy newton_for_equilibrium, newton_for_closure, newton_for_points,
    newton_for_single_rows, newton_for_least_change, newton_for_projection, newton_for_dependents,
    newton_for_dependents_near_singular;

/* Of newton.h, whose damping is predicted from the curvature. */
typedef struct newton_limits {
    int iterations,
        nearest;      // nearest: of the way along the solutions to the one nearest to the start
    double damping;   // less of a step is none
    double round_off; // corrections below this that no longer shrink
    double residual;  // scaled; above it there is no solution, whatever the corrections say
} newton_limits;
extern const newton_limits newton_for_systems;
extern const newton_reuse newton_old_for_projection, newton_old_for_dependents,
    newton_old_for_rates;
extern const newton_path newton_path_of_start, newton_path_of_lent;

#endif
