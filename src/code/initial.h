/* The system of start values: what it consists of.
 *
 * Unknowns z are the components of y, then those of y' that stand for entries. Rows are the
 * equations and constraints of the formulation `dummy` (its links and selections apart), the
 * initial equations, and for eliminated variables with a fixed start value "value = start".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_INITIAL_H
#define CODE_INITIAL_H

#include "code/functions.h"
#include "image/image_initial.h"

/* jac: that of the system without homotopy. */
bool code_lower_initial(lowering *l, const vinc_pattern *jac, code_initial *x);
bool code_lower_mass(lowering *l, const code_mass **x);
/* How the components of another formulation follow from those of the lowering. */
bool code_lower_map(lowering *l, const form_system *to, code_initial *x);

#endif
