/* How the linear systems of implicit methods are solved: "direct", or "krylov:precond=ilu,restart=30".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef METHOD_LINEAR_CHOICE_H
#define METHOD_LINEAR_CHOICE_H

#include "la/precond.h"
#include "method/method.h"

typedef struct method_linear {
    const la_precond_kind *precond; // of krylov; NULL: direct, with a stored matrix
    int restart, iterations, block;
    double relax;
    bool petsc; // of several processes, with a stored matrix; restart and iterations are its, too
    int solver; // ... by this one: team_solver (base/team.h)
    bool open;  // none is named: direct, but where factoring is far dearer than iterating
} method_linear;

/* The name of a solver of petsc. */
const char *method_petsc_name(int solver);
/* NULL: open. False and a sentence in why (METHOD_WHY bytes, may be NULL) when there is no such
 * solver, option or value. */
bool method_linear_find(const char *spec, method_linear *out, char *why);

#endif
