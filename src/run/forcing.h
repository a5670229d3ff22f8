/* What equations and relations do as time passes, whatever the unknowns are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_FORCING_H
#define RUN_FORCING_H

#include "run/state.h"
#include "tape/tape.h"

/* A wave sin(c0 + c1 t + c2 t^2), or something that happens around t0, over a few widths. */
typedef struct forcing_feature {
    bool wave;
    double c1, c2;
    double t0, width; // width 0: a kink
    double until;     // of a wave: it has faded then; +inf: it does not
} forcing_feature;

typedef struct run_forcing {
    forcing_feature *at; // room for all that the tapes can have
    int n, room;
    bool of_events;               // they depend on what changes at events
    struct forcing_course *value; // by instruction
    bool *held;                   // by place in w: it changes at events only
    double *w;                    // as it was when they were looked for
    size_t block_bytes;
    void *block;
} run_forcing;

/* Before a run, with its parameters: look for them. VINC_OK, VINC_E_MEMORY. */
int forcing_find(run_state *s);
void forcing_free(run_state *s);
double forcing_limit(void *user, double t, double to); // vinc_problem.forcing_limit

/* Does the step read the time; and the most instructions of one that does (0: there is none). */
bool forcing_of_time(const tape_step *step);
size_t forcing_longest(const run_state *s);

#endif
