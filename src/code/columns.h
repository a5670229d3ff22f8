/* What can be recorded: columns and the outputs they show; inputs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_COLUMNS_H
#define CODE_COLUMNS_H

#include "code/model.h"
#include "code/parameters.h"

/* Outputs that lie side by side in y, y' or w: out[to ...] of n from from[...]. */
typedef struct code_run {
    tape_kind kind;
    int from, to, n;
} code_run;

typedef struct code_outputs {
    int n;
    code_fn computed; // those that are more than an element of y, y', w
    tape_ref *from;   // by output: what it is; of kind out: an output of computed
    code_run *runs;   // the same, side by side
    int n_runs;
    code_column *columns;
    int n_columns;
    int *constant, n_constant; // the constant columns that have a value other than 0, ascending
    code_value *value;         // ... and these
} code_outputs;

typedef struct code_inputs {
    int n;
    const char **names;
    bool *held;  // is it discrete: its values hold until they are set anew
    bool *whole; // is it an integer, a Boolean, or of an enumeration
    int *place;  // in w: the value, then its derivative
} code_inputs;

bool code_lower_outputs(lowering *l, code_outputs *x);
const code_value *code_constant(const code_outputs *x, int column);
void code_list_inputs(const structure *s, arena *a, code_inputs *x);

#endif
