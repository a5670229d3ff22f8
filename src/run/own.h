/* Code of a run's own: the residual and its Jacobian with the parameters of the run as numbers.
 *
 * The code of a model serves for all its runs, so that every factor that is zero in this one, as most
 * components of lengths and directions are, is multiplied with nevertheless. A run that lasts gets
 * code without them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_OWN_H
#define RUN_OWN_H

#include "code/functions.h"
#include "run/state.h"

typedef struct run_own {
    long evaluations;           // of the residual, by the parameters that are
    bool tried;                 // to make it
    code_fn residual, jacobian; // without code: those of the model
    arena kept;                 // what the code refers to
} run_own;

void own_forget(run_state *s); // the parameters may be others
/* After so many evaluations of the residual: making it takes the time of so many, at most. */
enum { OWN_EVALUATIONS_BEFORE = 4000 };
void own_try(run_state *s);
/* What is evaluated: of the run's own, or of the model (own_residual: run_parts.h). */
const code_fn *own_jacobian(const run_state *s);

#endif
