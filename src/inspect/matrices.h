/* The matrices of a mechanical model at a point, as formulas and in numbers:
 *
 *     M a + B lambda = Q,   Phi_q a = c,   Phi_q T = 0,   T^T M T
 *
 * with the equations of motion in the order of the coordinates and M of positive diagonal.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INSPECT_MATRICES_H
#define INSPECT_MATRICES_H

#include "base/diag.h"
#include "expr/expr.h"
#include "run/state.h"

/* One of them: numbers by columns, formulas likewise; formula NULL: in numbers only, being too
 * large or what elimination in numbers (run/followers.c) leaves. */
typedef struct inspect_matrix {
    int rows, cols;
    double *x;
    expr *formula;
} inspect_matrix;

typedef struct inspect_matrices {
    int n, m, free;           // coordinates, constraints, degrees of freedom
    const char **coordinates; // whose accelerations a are
    const char **multipliers;
    const char **constraints; // as written
    const bool *independent;  // by coordinate
    inspect_matrix M, B, G, Q, c, T, TMT;
} inspect_matrices;

/* Of a state whose formulation has the mechanical view, at a consistent point. Makes expressions, as
 * inspect_model does; in a. 0, or the status of the evaluation. */
int inspect_matrices_at(run_state *s, double t, const double *y, arena *a, arena *scratch,
                        inspect_matrices *out);

#endif
