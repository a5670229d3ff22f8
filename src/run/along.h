/* Products of the Jacobian with vectors, for runs that store no matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_ALONG_H
#define RUN_ALONG_H

#include "run/state.h"

struct code_tangent;

typedef struct run_along {
    const struct code_tangent *code; // NULL: no products in this run
    double *w, *scratch;
    void *block;
    size_t bytes;
} run_along;

void along_free(run_state *s);

#endif
