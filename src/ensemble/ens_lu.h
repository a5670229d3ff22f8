/* LU factors of a sparse matrix, written to a tape.
 *
 * Pivots are those of the elimination planned at one point (la/plan.h), what remains dense there with
 * the largest ones: an order for good, as straight-line code needs it. Whether it stays a good one
 * shows in the error estimate of the step and in values that are not finite.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_ENS_LU_H
#define ENSEMBLE_ENS_LU_H

#include "base/mem.h"
#include "tape/tape.h"
#include "vincolo_problem.h"

typedef struct ens_lu {
    int n;
    int *row, *col;    // pivot of each step
    tape_ref *a;       // n * n, by rows; TAPE_NONE: no entry. Factors after ens_lu_factor
    tape_ref *inverse; // of the pivots
} ens_lu;

/* Plan for A + c M with these values. False: singular there, or no memory. */
bool ens_lu_plan(ens_lu *f, mem *m, const vinc_pattern *pattern, const double *a,
                 const double *mass, double c, arena *work);
/* The factors of values given as refs, by entry of the pattern; TAPE_NONE: 0. */
void ens_lu_factor(ens_lu *f, tape_builder *b, const vinc_pattern *pattern, const tape_ref *values);
/* x := inverse * x */
void ens_lu_solve(const ens_lu *f, tape_builder *b, tape_ref *x, arena *scratch);

#endif
