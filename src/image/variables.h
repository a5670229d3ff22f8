/* What becomes of a value that is given to a variable from outside: which number of a run it sets. Variables that
 * follow each other, as the elements of an array do, are described together.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_VARIABLES_H
#define IMAGE_VARIABLES_H

#include "image/list.h"

typedef enum image_variable_kind {
    IMAGE_VARIABLE_PARAMETER,  // p[place]
    IMAGE_VARIABLE_FINAL,      // p[place], which may not be set
    IMAGE_VARIABLE_STRUCTURAL, // p[place], which is known since the model was compiled
    IMAGE_VARIABLE_ENTRY,      // an unknown: entry `place`, whose derivatives are the entries after it
    IMAGE_VARIABLE_WORK,       // a discrete variable or an input: w[place]
    IMAGE_VARIABLE_KNOWN       // parameters determine it, or it has no number
} image_variable_kind;
enum { IMAGE_N_VARIABLE_KINDS = IMAGE_VARIABLE_KNOWN + 1 };

// clang-format off

#define IMAGE_VARIABLE(X)                                                                                                        \
    X(NUMBER, int, place, "in p, w or among the entries; of kind KNOWN: -1")                                                     \
    X(NUMBER, int16_t, highest, "of an ENTRY: the highest derivative of it that is an entry, too")                               \
    X(INDEX, uint8_t, kind, 0, IMAGE_N_VARIABLE_KINDS, "image_variable_kind")                                                    \
    X(NUMBER, bool, negated, "of an ENTRY: its value is the negative of the entry")                                              \
    X(NUMBER, bool, real, "its type is Real")                                                                                    \
    X(NUMBER, bool, object, "it is an external object")
typedef struct image_variable {
    IMAGE_VARIABLE(IMAGE_MEMBER)
} image_variable;

/* Variables first, first + 1, ... up to the next run: their places are `step` apart. */
#define IMAGE_VARIABLE_RUN(X)                                                                                                    \
    X(INDEX, int, first, 0, m->variables.n, "variable")                                                                          \
    X(NUMBER, int, step, "from one place to the next")                                                                           \
    X(PART, image_variable, is, "the first of them")
typedef struct image_variable_run {
    IMAGE_VARIABLE_RUN(IMAGE_MEMBER)
} image_variable_run;

/* An external object: p[place] is its handle. */
#define IMAGE_OBJECT(X)                                                                                                          \
    X(INDEX, int, var, 0, m->variables.n, "variable")                                                                            \
    X(INDEX, int, number, -1, m->variables.n_objects, "of its constructor among those of the model; -1: it is another object")
typedef struct image_object {
    IMAGE_OBJECT(IMAGE_MEMBER)
} image_object;

#define IMAGE_VARIABLES(X)                                                                                                       \
    X(COUNT, n, "variables of the flat model")                                                                                   \
    X(COUNT, n_runs, "runs")                                                                                                     \
    X(PARTS, image_variable_run, runs, x->n_runs, "ascending; the first begins with variable 0")                                 \
    X(COUNT, n_evaluated, "parameters and constants")                                                                            \
    X(INDICES, const int, evaluated, x->n_evaluated, 0, x->n, "their variables, in order of evaluation")                         \
    X(COUNT, n_objects, "objects that the model has")                                                                            \
    X(COUNT, n_constructed, "variables that stand for objects")                                                                  \
    X(PARTS, image_object, constructed, x->n_constructed, "these variables")
typedef struct image_variables {
    IMAGE_VARIABLES(IMAGE_MEMBER)
} image_variables;

// clang-format on

image_variable image_variable_at(const image_variables *x, int var);
/* The variable of kind PARAMETER, FINAL or STRUCTURAL whose value is p[place]; -1: none. */
int image_variable_of_parameter(const image_variables *x, int place);
int image_variable_of_work(const image_variables *x, int place); // of kind WORK: w[place]

#endif
