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
/* What is evaluated: of the run's own, or of the model. The first is asked for by every evaluation. */
const code_fn *own_residual(run_state *s);
const code_fn *own_jacobian(const run_state *s);

#endif
