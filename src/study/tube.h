/* A tube around a curve.
 *
 * At time s it reaches from the least to the largest value of the curve between s - dx and s + dx, and dy
 * beyond: steps that come a little early or late are inside, a peak that is missing is not.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_TUBE_H
#define STUDY_TUBE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tube_curve {
    const double *t, *y; // t ascending; equal times at events
    size_t n, stride;    // stride 0: a constant
    bool
        smooth; // between its points a cubic counts as well as the line, so that what interpolation
                // does not know is inside
} tube_curve;

double tube_y(const tube_curve *c, size_t i);
double tube_at(const tube_curve *c,
               double s); // on the line between points, the right limit at events
double
tube_size(const tube_curve *c); // the larger of its range, the size of its least value, and 0.001

/* The first point of x up to time `end` that is outside: its number, or x->n; lo and hi are the limits
 * there. A value that is no number is outside. */
size_t tube_first_outside(const tube_curve *c, const tube_curve *x, double end, double dx,
                          double dy, double *lo, double *hi);

#endif
