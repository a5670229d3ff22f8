/* What the motion is said to keep, and its derivatives.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_INVARIANTS_H
#define CODE_INVARIANTS_H

#include "code/functions.h"

typedef struct code_invariants {
    int n;              // those that this formulation can evaluate
    const char **names; // Modelica text
    span *at;
    code_fn f, slopes;
    vinc_pattern pattern; // of slopes: by t, y, y'
    bool *direct;         // functions of time and of states alone
} code_invariants;

/* role: by component of y (code_role). */
bool code_lower_invariants(lowering *l, const uint8_t *role, code_invariants *x);

#endif
