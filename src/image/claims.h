/* Initial equations of discrete variables that do not lead to a value, and must hold.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_CLAIMS_H
#define IMAGE_CLAIMS_H

#include "base/source.h"
#include "image/list.h"

// clang-format off

#define IMAGE_CLAIM(X)                                                                                                           \
    X(TEXT, text, "as Modelica")                                                                                                 \
    X(PART, span, at, "where it is written")                                                                                     \
    X(NUMBER, bool, logical, "Booleans are compared")
typedef struct image_claim {
    IMAGE_CLAIM(IMAGE_MEMBER)
} image_claim;

/* A Boolean or an enumeration that claims depend on and nothing gives: whose values are tried. */
#define IMAGE_CHOICE(X)                                                                                                          \
    X(INDEX, int, place, 0, m->n_w_common - 1, "in w; its past is behind it")                                                    \
    X(NUMBER, int, lowest, "its lowest value, of which the others follow")                                                       \
    X(COUNT, radix, "values")                                                                                                    \
    X(TEXT, name, "of the variable")                                                                                             \
    X(TEXTS, values, x->radix, "what they are called")
typedef struct image_choice {
    IMAGE_CHOICE(IMAGE_MEMBER)
} image_choice;

#define IMAGE_CLAIMS(X)                                                                                                          \
    X(COUNT, n, "claims")                                                                                                        \
    X(COUNT, n_choices, "0: there is nothing to choose, or too much")                                                            \
    X(PARTS, image_claim, at, x->n, "by claim")                                                                                  \
    X(PARTS, image_choice, choices, x->n_choices, "in the order of the variables")
typedef struct image_claims {
    IMAGE_CLAIMS(IMAGE_MEMBER)
} image_claims;

// clang-format on

#endif
