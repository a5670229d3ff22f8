/* Weights of the rows of an interpolant at VINC_ROW_LANES times at once (method_lanes): the same bits as one
 * after the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_ROW_WEIGHTS_H
#define METHOD_ROW_WEIGHTS_H

#include "method/scheme.h"
#include "vincolo_problem.h"

typedef double row_weight[VINC_ROW_LANES];

/* Times of the rows k, k + 1, ... of n in equal intervals. */
void row_times(double begin, double end, long k, long n, double *t);

/* With x the part of the step of size h up to `end` that is past at t. Rosenbrock methods: 1 - x, x, x (1 - x),
 * x^2 (1 - x) ... */
void row_weights_rosenbrock(int rows, const double *t, double end, double h, row_weight *weight);
/* A collocation polynomial by Newton's form from its last node on: 1, x - c_s, (x - c_s) (x - c_{s-1}) ...; where
 * it bends, what that adds. */
void row_weights_collocation(const scheme *k, bool bends, const double *t, double end, double h,
                             row_weight *weight);
/* Alternating products: 1, x, x (1 - x), x^2 (1 - x) ... */
void row_weights_alternating(int rows, const double *t, double end, double h, row_weight *weight);

#endif
