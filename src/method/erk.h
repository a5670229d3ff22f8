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

extern const method_ops erk_ops;

#endif
