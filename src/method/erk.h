/* Explicit Runge-Kutta methods are data: a tableau, perhaps an interpolant.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_ERK_H
#define METHOD_ERK_H

#include "method/step.h"

enum { ERK_STAGES = 16, ERK_ROWS = 8 }; // rows of an interpolant

/* What a tableau does not say. Stages are numbered on: after those of the tableau y' at the end of
 * the step, unless that is the last of them, then further ones for dense output. */
typedef struct erk_detail {
    const double *third; // weights of a third formula, for a better error estimate; or NULL
    int n_more;
    const double *more_c;
    const double (*more_a)[ERK_STAGES];
    int n_dense; // rows beyond Hermite's of the interpolant
    const double (*dense)[ERK_STAGES];
} erk_detail;

/* A tableau and what follows from it. */
typedef struct erk_table {
    method_tableau a;
    const erk_detail *more;           // NULL: nothing
    double e[METHOD_STAGES_MAX + 1];  // b - b_embedded; entry s weighs the derivative at the new
                                      // point
    double e3[METHOD_STAGES_MAX + 1]; // b less the third formula
    bool fsal;                        // the last stage is the new point
    int last;                         // y' at the new point is this stage
} erk_table;

/* Sums over stages in the order in which a step makes them: points of the stages after the first, the new point, the
 * error estimates; then those of dense output: points of further stages, rows. */
typedef struct erk_sum {
    const double *weight;
    int count;
} erk_sum;

int erk_sums_of_step(const erk_table *t);
erk_sum erk_sum_of_step(const erk_table *t, int k);
erk_sum erk_sum_of_dense(const erk_table *t, int k);

/* Places in the block of a step in one piece (method_whole.h), which is `in` and `out`: h and t + h; weights of all sums that are
 * not 0, times h, those of dense output last; weights of the norm by unknown; derivatives of the stages, the first of them
 * y' at the start; the error estimate; sums of squares; and what is finite where all stages are. out2 is the new
 * point, or the rows of dense output. */
enum { ERK_IN_H, ERK_IN_END, ERK_IN_WEIGHTS };
typedef struct erk_places {
    int weights_of_dense, norm, k, error;
    int squares, squares_3; // of the error estimates
    int slopes, points;     // of the two points at the end of the step (erk_rate)
    int finite, end;
} erk_places;

erk_places erk_place(const erk_table *t, int n);
/* Operations of so many evaluations and of sums of so many terms for every unknown, in one piece. */
double erk_whole_work(const vinc_problem *p, int evaluations, int terms);

extern const method_ops erk_ops;

#endif
