/* Steps in one piece of code.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_WHOLE_STEP_H
#define RUN_WHOLE_STEP_H

#include "method/method_whole.h"
#include "run/state.h"

enum { WHOLE_KINDS = 8, WHOLE_UNKNOWNS_MAX = 32 };

/* A formula and, of matrices, an order of pivots. */
typedef struct whole_kind {
    whole_of of;
    const void *formula;
    int pivots[2 * WHOLE_UNKNOWNS_MAX];
    long asked;      // so many steps ...
    long patience;   // ... before the code is made
    int size;        // instructions of it, about
    bool tried;      // to make the code
    tape_code *code; // NULL: there is none
    int finite;      // of what it leaves: finite, or it does not serve
    int fails;       // ... and not 0 where it does not; -1: nothing says so
    double *scratch; // of the code
    size_t scratch_bytes;
} whole_kind;

typedef struct run_whole {
    int n;
    whole_kind kind[WHOLE_KINDS];
} run_whole;

void whole_offer(const code_model *m, vinc_problem *p); // of which formulas, and how
void whole_free(run_state *s);
int whole_step(void *user, const method_whole *step);

#endif
