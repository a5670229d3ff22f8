/* A program as tapes call it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ROUTINE_BOUND_H
#define ROUTINE_BOUND_H

#include "routine/routine.h"

enum { ROUTINE_IN_VAIN = 8 }; // arguments without a value that are remembered

/* A program as machine code (code/routines.h). False: there is no value. */
typedef struct routine_fast routine_fast;
struct routine_fast {
    bool (*value)(const routine_fast *x, void *run, const double *in, double *out);
    /* The derivative of out along the direction; NULL: the program tells it. */
    bool (*tangent)(const routine_fast *x, void *run, const double *in, const double *along,
                    double *out);
    bool (*as_c)(const routine_fast *x, tape_c *c, const char *name, const uint8_t *active);
};

typedef struct routine_bound {
    tape_function call; // its user is this
    const routine_program *program;
    const routine_set *set;
    int number;
    const routine_fast *fast; // the program as machine code; NULL: it is interpreted
    bool slow;                // there is none
    /* Arguments, mixed, at which the program gave no value; 0: none. A loop without end takes long
     * to be given up, and whoever tries again comes back to where it began. */
    _Atomic uint64_t in_vain[ROUTINE_IN_VAIN];
} routine_bound;

/* Those of `far` (NULL: none) are not in `in`. False: there is no value. */
bool routine_run_program(const routine_bound *g, void *run, const double *in,
                         const tape_stretch *far, double *out);
/* With the derivative d of out along the direction. */
bool routine_run_tangent(const routine_bound *g, void *run, const double *in, double *along,
                         double *out, double *d);

#endif
