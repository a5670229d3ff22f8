/* A kernel: one trajectory of an ensemble, as tapes.
 *
 * All that a run does is straight-line code in a loop. `begin` makes from the inputs of a run what
 * stays as it is (constants) and the state; `body`, repeated, takes the state to the next one; `end`
 * reads what is asked for from the last one. Decisions are selects, so that a vector register, a
 * warp and a single processor all run the same tapes.
 *
 *     begin   p[0 ... n_in - 1]                              -> out2: constants, out: state
 *     body    p: inputs, then constants; y: state            -> out: state
 *     phases  the same, each while state[0] says so: between two bodies, until the run goes on
 *     last    the same, once, after the bodies; may be NULL
 *     end     p, y as in body                                -> out: status, then values
 *
 * A body of a kernel without phases stores the whole state. Where there are phases, each tape stores
 * only what it changes.
 *
 * Tapes have operands of kind p and y only and store to out (and out2) only; they call no routines.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENSEMBLE_ENS_KERNEL_H
#define ENSEMBLE_ENS_KERNEL_H

#include "tape/tape.h"

/* Element 0 of the state of a kernel that is repeated until it is done, and the status of a run. */
typedef enum ens_status {
    ENS_DONE,
    ENS_RUNNING,
    ENS_STEP_TOO_SMALL, // the error test or a singular matrix leaves no step that means anything
    ENS_TOO_MANY_STEPS,
    ENS_NOT_FINITE, // an end value is not a number
    ENS_HAND_BACK, // something that only an ordinary run can do: an assertion, an event without end
    ENS_FIRST_PHASE,
    ENS_WEIGHING =
        ENS_FIRST_PHASE, // phases: the interpolant of a step with an event in it is made,
    ENS_LOCATING,        // ... the event is narrowed down,
    ENS_SETTLING,        // ... relations and discrete variables find what they agree on,
    ENS_FOLLOWING,       // ... and the other unknowns follow;
    ENS_CHOOSING         // other states are chosen
} ens_status;

enum { ENS_PHASES_MAX = 4 };
typedef struct ens_phase {
    ens_status when;
    const tape *t;
} ens_phase;

typedef struct ens_kernel {
    int n_in, n_constants, n_state, n_out; // n_out: status, values, time
    long count;                            // of bodies; < 0: while state[0] says ENS_RUNNING
    const tape *begin, *body, *last, *end;
    ens_phase phases[ENS_PHASES_MAX];
    int n_phases;
    int patience; // steps of runs that wait, before phases are run for them (ens_write.c)
} ens_kernel;

#endif
