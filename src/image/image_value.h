/* Values that parameters decide.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_VALUE_H
#define IMAGE_IMAGE_VALUE_H

#include "image/list.h"

enum { CODE_NUMBER = -1, CODE_PARAMETER = -2 };

// clang-format off

/* A value that is a number, a parameter, or one of the outputs of a function of the parameters. */
#define CODE_VALUE(X)                                                                                                            \
    X(NUMBER, double, number, "the number, or of a parameter its place in p")                                                    \
    X(INDEX, int, output, CODE_PARAMETER, m->parameters.attributes.n_out, "of the function, or CODE_NUMBER, or CODE_PARAMETER")
typedef struct code_value {
    CODE_VALUE(IMAGE_MEMBER)
} code_value;

// clang-format on

#endif
