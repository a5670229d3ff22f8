/* A function of a compiled model: from t, p, y, y', w to out (and out2).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_FUNCTION_H
#define IMAGE_IMAGE_FUNCTION_H

#include "image/list.h"
#include "image/words.h"
#include "target/target.h"

/* Machine code pays where a function is evaluated again and again. Where steps wait for it, quotients that may become
 * products (tape_program_reciprocals). */
typedef enum code_when { CODE_WAITED_FOR, CODE_OFTEN, CODE_SELDOM } code_when;
enum { CODE_N_WHEN = CODE_SELDOM + 1 };

// clang-format off

#define CODE_FN(X)                                                                                                               \
    X(SHARED, tape_program, program, "NULL: there is none")                                                                      \
    X(LOCAL, tape_code *, code, "what runs it")                                                                                  \
    X(COUNT, n_out, "results")                                                                                                   \
    X(INDEX, uint8_t, when, 0, CODE_N_WHEN, "code_when")                                                                         \
    X(TEXT, title, "for --dump=tape; NULL: there is no program")                                                                 \
    X(PART, word_places, at, "where the results stand in the text")
typedef struct code_fn {
    CODE_FN(IMAGE_MEMBER)
} code_fn;

// clang-format on

#endif
