/* The matrix of constraints by unknowns, for questions of rank.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_RANK_MATRIX_H
#define CODE_RANK_MATRIX_H

#include "code/functions.h"

typedef struct code_rank {
    int m, n;
    int *equation, *unknown; // by row and column
    code_fn jac;
    vinc_pattern g;
    int *value, *component; // by entry of g: which value of jac it is, and component of y
} code_rank;

/* *x stays NULL where nothing can lose rank. */
bool code_lower_rank(lowering *l, code_rank **x);

#endif
