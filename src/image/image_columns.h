/* Columns of results: what can be recorded of a run, and where it is found.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_COLUMNS_H
#define IMAGE_IMAGE_COLUMNS_H

#include "image/image_function.h"
#include "image/image_value.h"

// clang-format off

/* What can be recorded: every variable of the flat model but Strings and external objects, in its order, then der(x) for
 * every x whose derivative occurs. A constant is a parameter, or a variable that cannot change; an
 * alias repeats another column; any other has its place among the outputs of the vinc_problem. */
#define CODE_COLUMN(X)                                                                                                           \
    X(NUMBER, int, var, "the flat variable that it shows")                                                                       \
    X(NUMBER, int, at, "place in vinc_problem.outputs, -1: constant; of an alias: the column")                                   \
    X(NUMBER, uint8_t, type, "expr_type")                                                                                        \
    X(NUMBER, uint8_t, times, "it shows this derivative of the variable")                                                        \
    X(NUMBER, bool, constant, "it does not change")                                                                              \
    X(NUMBER, int8_t, alias, "1: it repeats another column; -1: it repeats its negative; 0: neither")
typedef struct code_column {
    CODE_COLUMN(IMAGE_MEMBER)
} code_column;

/* Columns that follow each other: one shows a variable, the next one the next variable, in the place of outputs or
 * columns that is next to it. */
#define CODE_COLUMN_RUN(X)                                                                                                       \
    X(NUMBER, int, first, "column")                                                                                              \
    X(PART, code_column, is, "the first of them")
typedef struct code_column_run {
    CODE_COLUMN_RUN(IMAGE_MEMBER)
} code_column_run;

/* Outputs that lie side by side in y, y' or w: out[to ...] of n from from[...]. */
#define CODE_RUN(X)                                                                                                              \
    X(INDEX, tape_kind, kind, 0, TAPE_N_KINDS, "of the array")                                                                   \
    X(NUMBER, int, from, "first element there")                                                                                  \
    X(NUMBER, int, to, "first output")                                                                                           \
    X(COUNT, n, "outputs")
typedef struct code_run {
    CODE_RUN(IMAGE_MEMBER)
} code_run;

#define CODE_OUTPUTS(X)                                                                                                          \
    X(COUNT, n, "outputs")                                                                                                       \
    X(PART, code_fn, computed, "outputs that are more than an element of y, y', w")                                              \
    X(COUNT, n_runs, "runs")                                                                                                     \
    X(PARTS, code_run, runs, x->n_runs, "what outputs are; of kind out: outputs of computed")                                    \
    X(NUMBERS, tape_ref, from, x->n, "the same by output; NULL: runs are few")                                                   \
    X(COUNT, n_column_runs, "runs of columns")                                                                                   \
    X(PARTS, code_column_run, column_runs, x->n_column_runs, "the columns; NULL: runs are many")                                 \
    X(COUNT, n_columns, "columns")                                                                                               \
    X(PARTS, code_column, columns, x->n_columns, "the same by column; NULL: runs are few")                                       \
    X(COUNT, n_constant, "constant columns that have a value other than 0")                                                      \
    X(INDICES, int, constant, x->n_constant, 0, x->n_columns, "these columns, ascending")                                        \
    X(PARTS, code_value, value, x->n_constant, "their values")
typedef struct code_outputs {
    CODE_OUTPUTS(IMAGE_MEMBER)
} code_outputs;

// clang-format on

static inline int code_output_of(code_column c) // -1: constant or alias
{
    return c.alias ? -1 : c.at;
}

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
