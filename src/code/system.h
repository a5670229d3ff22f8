/* The system that is integrated: its rows, their derivatives, and what is known of its unknowns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_SYSTEM_H
#define CODE_SYSTEM_H

#include "code/functions.h"

/* How a component of y is found when the independent ones are given. */
typedef enum code_role { // fmu/source/source_model.h has the first three, too
    CODE_STATE,          // independent: its derivative is solved for
    CODE_SELECTED,       // one of a group: tied by constraints and P
    CODE_ALGEBRAIC,
    CODE_TIE // multiplier of a group that is tied: 0 on the solution
} code_role;

/* y' from the rows that hold it, all of y given: square, by numbers of differential unknowns. */
typedef struct code_rates {
    int n; // 0: not to be had, or not needed
    int *rows, *columns;
    vinc_pattern pattern;
    int *value; // by entry: its place among the values of the Jacobian
} code_rates;

typedef struct code_system {
    code_fn residual, jacobian;
    vinc_pattern jac;
    code_fn rhs;         // y' and algebraic y in one sweep, where that is possible
    code_fn energy;      // T + V, and T; no outputs: the model has none
    code_fn constraints; // every constraint and its derivatives: for the violation
    int *constraint_level;
    uint8_t *differential;
    bool all_differential;
    int8_t *unknown_level, *equation_level; // NULL: all 0
    int *velocity;                          // NULL: none
    uint8_t *unsized;                       // NULL: nominals of all are given
    uint8_t *rate;                          // NULL: none
    uint8_t *role;                          // code_role
    uint8_t *selecting;                     // by row: of kind IMAGE_ROW_SELECT
    code_rates rates;                       // of formulations that keep a higher index
} code_system;

/* Groups of states chosen while running: derivative of their constraints by y. */
typedef struct code_choice {
    code_fn next; // by component of role SELECTED: the entry that is its derivative
    int *next_of; // component of each output of next
    code_fn jac;
    vinc_pattern pattern; // rows: constraints of all groups, one after the other
    int n_rows;
} code_choice;

bool code_lower_system(lowering *l, code_system *x);
bool code_lower_choice(lowering *l, code_choice *x);

#endif
