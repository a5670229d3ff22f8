/* Parameters, and what depends on them alone: start values, nominals, bounds, known values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_VALUE_H
#define IMAGE_IMAGE_VALUE_H

#include "image/image_function.h"
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

/* A discrete variable or an input, which has its place in w: the value that it begins with. */
#define CODE_WORK_START(X)                                                                                                       \
    X(INDEX, int, place, 0, m->n_w - 1, "in w")                                                                                  \
    X(NUMBER, bool, past, "a discrete variable: its pre value, the next element, begins with the same value")                    \
    X(PART, code_value, start, "this value")
typedef struct code_work_start {
    CODE_WORK_START(IMAGE_MEMBER)
} code_work_start;

/* Of entries that have it in common. */
#define CODE_RANGE(X)                                                                                                            \
    X(PART, code_value, nominal, "typical size")                                                                                 \
    X(PART, code_value, min, "lower bound")                                                                                      \
    X(PART, code_value, max, "upper bound")
typedef struct code_range {
    CODE_RANGE(IMAGE_MEMBER)
} code_range;

/* Start data of an entry; cells of a field may each have their own. */
#define CODE_ENTRY(X)                                                                                                            \
    X(PART, code_value, start, "start value")                                                                                    \
    X(INDEX, int, range, 0, m->parameters.ranges.n, "code_range_of")                                                             \
    X(NUMBER, bool, given, "a start value is given")                                                                             \
    X(NUMBER, bool, of_type, "it is given by the type alone")                                                                    \
    X(NUMBER, bool, preferred, "as a state, by the model")                                                                       \
    X(NUMBER, bool, fixed, "the start keeps it")
typedef struct code_entry {
    CODE_ENTRY(IMAGE_MEMBER)
} code_entry;

/* Of an assignment that divides by what parameters decide. */
#define CODE_GUARD(X)                                                                                                            \
    X(NUMBER, int, assignment, "of the formulation")                                                                             \
    X(INDEX, int, output, 0, m->parameters.attributes.n_out, "of attributes: what must not vanish")
typedef struct code_guard {
    CODE_GUARD(IMAGE_MEMBER)
} code_guard;

#define CODE_PARAMETERS(X)                                                                                                       \
    X(PART, code_fn, bound, "bound parameters from the others")                                                                  \
    X(INDICES, int, place, x->bound.n_out, 0, m->n_p, "of the outputs of bound")                                                 \
    X(NUMBER, int, depth, "evaluations until all are settled")                                                                   \
    X(PART, code_fn, attributes, "start values, nominals, bounds, known values that depend on parameters")                       \
    X(PARTS, code_entry, entries, m->entries.n_attributes, "by set of attributes: code_entry_of")                                \
    X(VECTOR, code_range, ranges, "by number, as code_entry.range says")                                                         \
    X(COUNT, n_work, "discrete variables and inputs")                                                                            \
    X(PARTS, code_work_start, work, x->n_work, "what lives in w")                                                                \
    X(VECTOR, code_guard, guards, "ascending")
typedef struct code_parameters {
    CODE_PARAMETERS(IMAGE_MEMBER)
} code_parameters;

// clang-format on

#endif
