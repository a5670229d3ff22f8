/* A function of a compiled model: from t, p, y, y', w to out (and out2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_FUNCTION_H
#define IMAGE_IMAGE_FUNCTION_H

#include "target/target.h"

typedef struct code_fn {
    const tape_program *program; // NULL: there is none
    tape_code *code;             // what runs it, of this process
    int n_out;
} code_fn;

#endif
