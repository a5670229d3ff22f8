/* The system of start values: what it consists of.
 *
 * Unknowns z are the components of y, then those of y' that stand for entries. Rows are the
 * equations and constraints of the formulation `dummy` (its links and selections apart), the
 * initial equations, and for eliminated variables with a fixed start value "value = start".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_INITIAL_H
#define IMAGE_IMAGE_INITIAL_H

#include "base/source.h"
#include "image/image_function.h"
#include "image/list.h"
#include "vincolo_problem.h"

// clang-format off

/* A row beyond those of the formulation. */
#define CODE_EXTRA(X)                                                                                                            \
    X(INDEX, int, entry, -1, m->entries.n, "its value minus its start, while it is fixed; -1: an initial equation")              \
    X(PART, span, at, "where it stands")
typedef struct code_extra {
    CODE_EXTRA(IMAGE_MEMBER)
} code_extra;

/* Coefficients of second derivatives in the equations of motion (code/inertia.c). */
#define CODE_MASS(X)                                                                                                             \
    X(COUNT, n, "coordinates, equations")                                                                                        \
    X(INDICES, int, first, x->n, 0, m->entries.n - 2, "by coordinate, ascending: its entry, which its two derivatives follow")   \
    X(PART, code_fn, values, "coefficients")                                                                                     \
    X(INDICES, int, place, x->values.n_out, 0, (int64_t)x->n * x->n, "by value: in the matrix, by columns")
typedef struct code_mass {
    CODE_MASS(IMAGE_MEMBER)
} code_mass;

#define CODE_INITIAL(X)                                                                                                          \
    X(PART, code_fn, residual, "with homotopy blended; that of the model if there is none")                                      \
    X(PART, code_fn, jacobian, "its derivatives")                                                                                \
    X(PART, vinc_pattern, jac, "of these")                                                                                       \
    X(NUMBER, bool, continuation, "the model contains homotopy()")                                                               \
    X(PART, code_fn, extra, "values of the further rows")                                                                        \
    X(PART, code_fn, extra_jac, "their derivatives")                                                                             \
    X(PART, vinc_pattern, extra_pattern, "of these")                                                                             \
    X(COUNT, n_extra, "further rows")                                                                                            \
    X(PARTS, code_extra, rows, x->n_extra, "further rows")                                                                       \
    X(PART, code_fn, map, "y, then y', of the formulation that is integrated, if it is another one")                             \
    X(COUNT, n_map, "components of that formulation")                                                                            \
    X(INDICES, int, map_y, x->n_map, -1, x->map.n_out, "by its component: output of map, or -1")                                 \
    X(INDICES, int, map_yp, x->n_map, -1, x->map.n_out, "the same of y'")                                                        \
    X(SHARED, code_mass, mass, "NULL: none to be seen")                                                                          \
    X(PART, code_fn, guess, "start values that follow from what the start finds")                                                \
    X(COUNT, n_guesses, "unknowns that have them")                                                                               \
    X(INDICES, int, guess_of, x->n_guesses, 0, 2 * m->n, "these unknowns")
typedef struct code_initial {
    CODE_INITIAL(IMAGE_MEMBER)
} code_initial;

// clang-format on

/* The coordinate that an entry is of, or a derivative of; -1: none. */
static inline int code_coordinate_of(const code_mass *x, int entry)
{
    int low = -1, high = x->n;
    while (high - low > 1) {
        int mid = low + (high - low) / 2;
        if (x->first[mid] <= entry) low = mid;
        else high = mid;
    }
    return low >= 0 && entry <= x->first[low] + 2 ? low : -1;
}

#endif
