/* A function of a compiled model: from t, p, y, y', w to out (and out2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_FUNCTION_H
#define IMAGE_IMAGE_FUNCTION_H

#include "image/words.h"
#include "target/target.h"

// clang-format off

#define CODE_FN(X)                                                                                                               \
    X(SHARED, tape_program, program, "NULL: there is none")                                                                      \
    X(LOCAL, tape_code *, code, "what runs it")                                                                                  \
    X(COUNT, n_out, "results")                                                                                                   \
    X(PART, word_places, at, "of its results: where in the text they come from")
typedef struct code_fn {
    CODE_FN(IMAGE_MEMBER)
} code_fn;

// clang-format on

#endif
