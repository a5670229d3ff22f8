/* The linear problem of one Newton step: dx with J dx = -r, of least weighted norm where there is a
 * choice, of least squares where there is a contradiction.
 *
 * Square and regular: LU. Otherwise a complete orthogonal factorisation (dense), or the augmented
 * system [W^2 J^T; J 0] (sparse). Rows are scaled by the size of their terms, columns by the
 * weights.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef NEWTON_LINEAR_H
#define NEWTON_LINEAR_H

#include "la/dense.h"
#include "la/la.h"
#include "newton/newton.h"

enum { LINEAR_LU, LINEAR_COD, LINEAR_AUGMENTED };

typedef struct linear {
    const newton_problem *p;
    mem *m;
    int mode;    // of the present factors
    bool square; // LU is worth a try
    int rank;    // found by the last factorisation
    double rank_tol;
    vinc_pattern pattern; // of J: the problem's, or the full one
    double *values;       // of J
    double *row_scale;    // largest |J_ij| nominal_j, or the given nominal of the equation
    double *weight;       // of unknowns
    la_solver *lu, *augmented;
    vinc_pattern augmented_pattern;
    int *augmented_entry; // of each entry of J: its two places in the augmented values
    double *augmented_values;
    la_cod cod;
    double *b;        // m + n
    int *own_pattern; // storage of a full pattern
    int *augmented_rows;
    void *block, *augmented_block;
    size_t bytes, augmented_bytes;
} linear;

int linear_init(linear *l, mem *m, const newton_problem *p, const newton_options *o);
void linear_done(linear *l);
/* After l->values were filled: scale and factor. VINC_OK or VINC_E_SINGULAR (not finite). */
int linear_factor(linear *l);
void linear_step(linear *l, const double *r, double *dx); // dx := -J^+ r

#endif
