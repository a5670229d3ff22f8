/* Columns of results: what can be recorded of a run, and where it is found.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_COLUMNS_H
#define IMAGE_IMAGE_COLUMNS_H

#include "image/image_function.h"
#include "image/image_value.h"

#include <stdbool.h>
#include <stdint.h>

/* What can be recorded: every variable of the flat model but Strings and external objects, in its order, then der(x) for
 * every x whose derivative occurs. A constant is a parameter, or a variable that cannot change; an
 * alias repeats another column; any other has its place among the outputs of the vinc_problem. */
typedef struct code_column {
    int var;       // the flat variable that it shows
    int at;        // place in vinc_problem.outputs, -1: constant; of an alias: the column
    uint8_t type;  // expr_type
    uint8_t times; // ... or so many derivatives of it
    bool constant : 1, alias : 1, negated : 1;
} code_column;
static inline int code_output_of(code_column c) // -1: constant or alias
{
    return c.alias ? -1 : c.at;
}

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

/* The column that is k after the first of a run. */
static inline code_column code_column_after(const code_column_run *r, int k)
{
    code_column c = r->is;
    c.var += k;
    if (c.at >= 0) c.at += k;
    return c;
}
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
/* The value of a constant column. */
const code_value *code_constant(const code_outputs *x, int column);

#endif
