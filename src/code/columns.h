/* What can be recorded: columns and the outputs they show; inputs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_COLUMNS_H
#define CODE_COLUMNS_H

#include "code/model.h"
#include "code/parameters.h"

/* Columns that follow each other: one shows a variable, the next one the next variable, in the place of outputs or
 * columns that is next to it. */
typedef struct code_column_run {
    int first;
    code_column is; // the first of them
} code_column_run;

/* Outputs that lie side by side in y, y' or w: out[to ...] of n from from[...]. */
typedef struct code_run {
    tape_kind kind;
    int from, to, n;
} code_run;

typedef struct code_outputs {
    int n;
    code_fn computed; // those that are more than an element of y, y', w
    code_run *runs;   // what outputs are; of kind out: outputs of computed
    int n_runs;
    tape_ref *from; // the same by output; NULL: runs are few
    code_column_run *column_runs;
    int n_column_runs;
    code_column *columns; // the same by column; NULL: runs are few
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

code_column code_column_of_run(const code_outputs *x, int column);
tape_ref code_output_of_run(const code_outputs *x, int output);
static inline code_column code_column_in(const code_outputs *x, int column)
{
    return x->columns ? x->columns[column] : code_column_of_run(x, column);
}
static inline tape_ref code_output_from(const code_outputs *x, int output)
{
    return x->from ? x->from[output] : code_output_of_run(x, output);
}
bool code_lower_outputs(lowering *l, code_outputs *x);
const code_value *code_constant(const code_outputs *x, int column);
void code_list_inputs(const structure *s, arena *a, code_inputs *x);

#endif
