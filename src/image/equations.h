/* Where equations are written and what they say, for messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_EQUATIONS_H
#define IMAGE_EQUATIONS_H

#include "base/source.h"
#include "image/column.h"

// clang-format off

/* A Real parameter in an equation: that it is 0 may be the reason. */
#define IMAGE_ZERO(X)                                                                                                            \
    X(INDEX, int, place, 0, m->n_p, "in p")                                                                                      \
    X(TEXT, name, "of the parameter")
typedef struct image_zero {
    IMAGE_ZERO(IMAGE_MEMBER)
} image_zero;

#define IMAGE_EQUATION(X)                                                                                                        \
    X(TEXT, text, "as Modelica, shortened")                                                                                      \
    X(TEXT, medium, "what a component in it is of: pipe is of Water; NULL: of none")                                             \
    X(COUNT, n_zeros, "parameters")                                                                                              \
    X(PARTS, image_zero, zeros, x->n_zeros, "in the order of the equation")
typedef struct image_equation {
    IMAGE_EQUATION(IMAGE_MEMBER)
} image_equation;

#define IMAGE_DERIVED(X)                                                                                                         \
    X(INDEX, int, equation, 0, m->equations.n, "of the structure")                                                               \
    X(NUMBER, int, level, "how often it is differentiated")                                                                      \
    X(TEXT, text, "as Modelica")
typedef struct image_derived {
    IMAGE_DERIVED(IMAGE_MEMBER)
} image_derived;

/* Of thousands nothing is kept but the places: their lists are NULL. */
#define IMAGE_EQUATIONS(X)                                                                                                       \
    X(COUNT, n, "equations of the structure")                                                                                    \
    X(COUNT, n_conditions, "initial equations, then further fixed start values")                                                 \
    X(COUNT, n_derived, "constraints and those that are hidden")                                                                 \
    X(PART, image_column, begin, "by equation: where it is written")                                                             \
    X(PART, image_column, end, "by equation: where it ends")                                                                     \
    X(PARTS, image_equation, at, x->n, "by equation")                                                                            \
    X(PARTS, image_equation, conditions, x->n_conditions, "by condition")                                                        \
    X(PARTS, image_derived, derived, x->n_derived, "constraints")
typedef struct image_equations {
    IMAGE_EQUATIONS(IMAGE_MEMBER)
} image_equations;

// clang-format on

static inline span image_written_at(const image_equations *x, int equation)
{
    return (span){(uint32_t)image_at(&x->begin, equation), (uint32_t)image_at(&x->end, equation)};
}

#endif
