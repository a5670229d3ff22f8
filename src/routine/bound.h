/* A program as tapes call it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTINE_BOUND_H
#define ROUTINE_BOUND_H

#include "routine/routine.h"

enum { ROUTINE_IN_VAIN = 64 };

/* Arguments, mixed with the number of the program, at which it gave no value; 0: none. A loop without end
 * takes long to be given up, and whoever tries again comes back to where it began. Several threads may
 * write. */
typedef struct routine_vain {
    _Atomic uint64_t of; // of which programs there are such: a bit of number % 64
    _Atomic uint64_t at[ROUTINE_IN_VAIN];
} routine_vain;

/* What is passed to tapes with the call. */
typedef struct routine_bound {
    tape_function call; // its user is this
    const routine_program *program;
    const routine_set *set;
    int number;
} routine_bound;

/* Those of `far` (NULL: none) are not in `in`. False: there is no value. */
bool routine_run_program(const routine_bound *g, void *run, const double *in,
                         const tape_stretch *far, double *out);
/* With the derivative d of out along the direction. */
bool routine_run_tangent(const routine_bound *g, void *run, const double *in, double *along,
                         double *out, double *d);

#endif
