/* The product of the Jacobian of a system with a vector, for runs that store no matrix: made from the
 * residual when the first of them asks for it, and the same for all from then on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_TANGENT_H
#define CODE_TANGENT_H

#include "code/model.h"
#include "target/target.h"

typedef struct code_tangent {
    tape_code *code;
    int v, vp;   // where in w the vectors begin, n elements each
    int n_given; // elements of w that are the model's own
    int n_w;
} code_tangent;

/* VINC_OK, VINC_E_MEMORY. Only the machine code is held outside the arena: code_tangent_free. */
int code_lower_tangent(const code_model *model, arena *a, arena *scratch, mem *m,
                       code_tangent **out);
void code_tangent_free(code_tangent *x); // NULL is fine

#endif
