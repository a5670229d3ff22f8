/* The constraints of each level by y, for projection.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_MANIFOLD_H
#define CODE_MANIFOLD_H

#include "code/functions.h"

/* The constraints of one level. */
typedef struct code_level {
    int m, n;
    int *rows;    // structure equations
    int *columns; // components of y that may change
    code_fn f, jac;
    vinc_pattern pattern; // of jac
    vinc_pattern g;       // of its columns that may change
    int *value;           // by entry of g: which value of jac it is
    bool sparse;          // there are so many that steps come from sparse factors
} code_level;

typedef struct code_manifold {
    int n;
    code_level *levels; // positions come first
} code_manifold;

/* *x stays NULL where nothing is projected. */
bool code_lower_manifold(lowering *l, code_manifold **x);

#endif
