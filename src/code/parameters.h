/* Parameters, and what depends on them alone: start values, nominals, bounds, known values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_PARAMETERS_H
#define CODE_PARAMETERS_H

#include "code/functions.h"
#include "image/image_value.h"

/* A discrete variable or an input, which has its place in w: the value that it begins with. */
typedef struct code_work_start {
    int place;
    bool past; // a discrete variable: its pre value, the next element, begins with the same value
    code_value start;
} code_work_start;

typedef struct code_range { // of entries that have it in common
    code_value nominal, min, max;
} code_range;

typedef struct code_entry { // start data of an entry; cells of a field may each have their own
    code_value start;
    int range;      // code_range_of
    bool given;     // somebody gave a start value
    bool of_type;   // ... with the type alone
    bool preferred; // as a state, by the model
    bool fixed;     // the start keeps it
} code_entry;

typedef struct code_guard { // of an assignment that divides by what parameters decide
    int assignment, output; // of attributes
} code_guard;

typedef struct code_parameters {
    code_fn bound;       // bound parameters from the others
    int *place;          // of the outputs of bound
    int depth;           // evaluations until all are settled
    code_fn attributes;  // start values, nominals, bounds, known values that depend on parameters
    code_entry *entries; // by set of attributes: code_entry_of
    ARRAY(code_range) ranges;
    code_value *known;     // by flat variable, of those that are known
    code_work_start *work; // what lives in w
    int n_work;
    ARRAY(code_guard) guards; // ascending
} code_parameters;

bool code_lower_parameters(lowering *l, code_parameters *x);

#endif
