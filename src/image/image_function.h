/* A function of a compiled model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_FUNCTION_H
#define IMAGE_IMAGE_FUNCTION_H

#include "image/words.h"
#include "target/target.h"

/* From t, p, y, y', w to out (and out2). */
typedef struct code_fn {
    const tape_program *program; // NULL: there is none
    tape_code *code;
    int n_out;
    word_places at; // of its outputs
} code_fn;

#endif
