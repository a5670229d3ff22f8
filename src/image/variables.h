/* What becomes of a value that is given to a variable from outside: which number of a run it sets. Variables that
 * follow each other, as the elements of an array do, are described together.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_VARIABLES_H
#define IMAGE_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum image_variable_kind {
    IMAGE_VARIABLE_PARAMETER,  // p[place]
    IMAGE_VARIABLE_FINAL,      // p[place], which may not be set
    IMAGE_VARIABLE_STRUCTURAL, // p[place], which is known since the model was compiled
    IMAGE_VARIABLE_ENTRY, // an unknown: entry `place`, whose derivatives are the entries after it
    IMAGE_VARIABLE_WORK,  // a discrete variable or an input: w[place]
    IMAGE_VARIABLE_KNOWN  // parameters determine it, or it has no number
} image_variable_kind;

typedef struct image_variable {
    int place;       // of kind KNOWN: -1
    int16_t highest; // of an ENTRY: the highest derivative of it that is an entry, too
    uint8_t kind;    // image_variable_kind
    bool negated;    // of an ENTRY: its value is the negative of the entry
    bool real;       // its type is Real
    bool object;     // it is an external object
} image_variable;

/* Variables first, first + 1, ... up to the next run: their places are `step` apart. */
typedef struct image_variable_run {
    int first, step;
    image_variable is; // the first of them
} image_variable_run;

/* An external object: p[place] is its handle. */
typedef struct image_object {
    int var;    // flat variable
    int number; // of its constructor among those of the model
} image_object;

typedef struct image_variables {
    int n; // variables
    int n_runs;
    image_variable_run *runs; // ascending; the first begins with variable 0
    int n_evaluated;
    const int *evaluated; // parameters and constants: variables, in order of evaluation
    int n_objects;        // objects that the model has
    int n_constructed;
    image_object *constructed; // variables that stand for objects
} image_variables;

image_variable image_variable_at(const image_variables *x, int var);
/* The variable of kind PARAMETER, FINAL or STRUCTURAL whose value is p[place]; -1: none. */
int image_variable_of_parameter(const image_variables *x, int place);
int image_variable_of_work(const image_variables *x, int place); // of kind WORK: w[place]

#endif
