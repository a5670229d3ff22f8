/* What is said of variables in results, and the limits within which the model holds. Variables of like declarations
 * share what is said of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_LOOKS_H
#define IMAGE_LOOKS_H

#include "base/source.h"
#include "image/column.h"
#include "image/image_function.h"

// clang-format off

#define IMAGE_ENUMERATION(X)                                                                                                     \
    X(COUNT, n, "values")                                                                                                        \
    X(TEXTS, literals, x->n, "what they are called; the first stands for 1")
typedef struct image_enumeration {
    IMAGE_ENUMERATION(IMAGE_MEMBER)
} image_enumeration;

/* A min or a max. */
#define IMAGE_BOUND(X)                                                                                                           \
    X(NUMBER, double, number, "its value; NaN: there is none")                                                                   \
    X(INDEX, int, output, -1, m->looks.computed.n_out, "of the function that computes it; -1: it is the number")
typedef struct image_bound {
    IMAGE_BOUND(IMAGE_MEMBER)
} image_bound;

/* Of a variable, Real or Integer, that may change. */
#define IMAGE_BOUNDS(X)                                                                                                          \
    X(PART, image_bound, min, "no value is less")                                                                                \
    X(PART, image_bound, max, "no value is greater")                                                                             \
    X(PART, span, at, "where the variable is declared")
typedef struct image_bounds {
    IMAGE_BOUNDS(IMAGE_MEMBER)
} image_bounds;

#define IMAGE_LOOK(X)                                                                                                            \
    X(TEXT, unit, "empty: none is given")                                                                                        \
    X(TEXT, comment, "empty: there is none")                                                                                     \
    X(TEXT, display, "unit in which it is shown; NULL: its own")                                                                 \
    X(INDEX, int, type, -1, m->looks.n_enumerations, "its enumeration; -1: it is of none")                                       \
    X(INDEX, int, bounds, -1, m->looks.n_bounds, "its limits; -1: none is given")
typedef struct image_look {
    IMAGE_LOOK(IMAGE_MEMBER)
} image_look;

#define IMAGE_LOOKS(X)                                                                                                           \
    X(COUNT, n_enumerations, "enumerations of the model")                                                                        \
    X(COUNT, n_bounds, "pairs of limits")                                                                                        \
    X(COUNT, n, "looks")                                                                                                         \
    X(PARTS, image_enumeration, enumerations, x->n_enumerations, "by number")                                                    \
    X(PART, code_fn, computed, "limits that depend on parameters")                                                               \
    X(PARTS, image_bounds, bounds, x->n_bounds, "by number")                                                                     \
    X(PARTS, image_look, list, x->n, "by number")                                                                                \
    X(PART, image_column, of, "by variable of the flat model: its look, below n")
typedef struct image_looks {
    IMAGE_LOOKS(IMAGE_MEMBER)
} image_looks;

// clang-format on

static inline const image_look *image_look_of(const image_looks *x, int var)
{
    return &x->list[image_at(&x->of, var)];
}

#endif
