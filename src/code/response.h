/* Derivatives of what a model computes by y, y', inputs and parameters: made from its functions when
 * somebody first asks how it responds to them, and the same for all runs from then on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_RESPONSE_H
#define CODE_RESPONSE_H

#include "code/model.h"
#include "target/target.h"
#include "vincolo_problem.h"

/* One function: the values of a pattern whose columns are y, y', u and p, side by side. */
typedef struct code_slope {
    tape_code *code; // NULL: it depends on none of them
    vinc_pattern pattern;
} code_slope;

typedef struct code_response {
    code_slope residual, next, computed; // system.residual, choice.next, outputs.computed
    code_slope bound, attributes;        // of the parameters
    int n_columns;                       // 2 n + inputs + parameters
    int n_w, nnz_most;
    size_t scratch;
} code_response;

/* VINC_OK, VINC_E_MEMORY. Only the machine code is held outside the arena: code_response_free. */
int code_lower_response(const code_model *model, arena *a, arena *scratch, mem *m,
                        code_response **out);
void code_response_free(code_response *x); // NULL is fine

#endif
