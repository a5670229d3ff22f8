/* Steps of linearly implicit formulas in one piece of code.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_WHOLE_STEP_H
#define RUN_WHOLE_STEP_H

#include "method/rosenbrock.h"
#include "run/state.h"

enum { WHOLE_KINDS = 6, WHOLE_UNKNOWNS_MAX = 16 };

/* A formula and an order of pivots. */
typedef struct whole_kind {
    const rosenbrock_table *table;
    int pivots[WHOLE_UNKNOWNS_MAX];
    long asked;      // so many steps ...
    long patience;   // ... before the code is made
    bool tried;      // to make the code
    tape_code *code; // NULL: there is none
    rosenbrock_places at;
    double *scratch; // of the code
    size_t scratch_bytes;
} whole_kind;

typedef struct run_whole {
    int n;
    whole_kind kind[WHOLE_KINDS];
} run_whole;

/* May there be such code? Of dF/dy' that depends on y, dF/dy depends on y'. */
bool whole_offered(const code_model *m);
void whole_free(run_state *s);
int whole_step(void *user, const rosenbrock_whole *step);

#endif
