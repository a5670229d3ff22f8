/* The course of an iteration: has it converged, and will it in time?
 *
 * E. Hairer & G. Wanner, Solving Ordinary Differential Equations II, section IV.8: with the contraction theta of an
 * iteration and the norm x of its last correction, theta/(1 - theta) x is left. Of a handful of unknowns the step waits
 * for the answer, which is there sooner by squares than by roots and quotients: what is a number of its own is made of
 * them while the next piece of work goes on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_IRK_COURSE_H
#define METHOD_IRK_COURSE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const double THETA_MAX = 0.99; // an iteration that contracts by less does not converge

/* A correction x after one of `before`, and one of `earlier` before that. */
typedef struct irk_course {
    double square; // of x
    double before, earlier;
    bool two; // theta is of two ratios, sqrt(x/earlier); otherwise x/before
} irk_course;

static inline double course_theta(const irk_course *q)
{
    double x = sqrt(q->square);
    return q->two ? sqrt(x / q->earlier) : x / q->before;
}

/* Is theta/(1 - theta) x <= tol? Where theta (x + tol) <= tol: squared until only even powers of x are left. */
static inline bool course_suffices(const irk_course *q, double tol)
{
    double most = q->two ? THETA_MAX * THETA_MAX * q->earlier : THETA_MAX * q->before;
    double part = q->two ? tol * tol : tol, sum = q->two ? q->square + tol * tol : tol;
    double left = q->two ? part * q->earlier - 2 * tol * q->square : part * q->before - q->square;
    double x = q->square * (sum * sum);
    return left >= 0 && x <= left * left && x < INFINITY && q->square <= most * most;
}

/* Is x between these parts of the last one? */
static inline bool course_between(const irk_course *q, double least, double most)
{
    least *= q->before, most *= q->before;
    return q->square > least * least && q->square < most * most;
}

static inline void course_go_on(irk_course *q)
{
    double x = sqrt(q->square);
    q->earlier = q->before;
    q->before = x > DBL_MIN ? x : DBL_MIN;
}

/* What is left when `more` further iterations are used up, as far as it matters whether it is less than 1. */
static inline double course_left(double left, double theta, int more)
{
    enum { SOON = 3 };
    if (more >= SOON && left * (theta * theta * theta) < 1) return 0;
    for (int k = 0; k < more && left >= 1; k++) left *= theta;
    return left;
}

#endif
