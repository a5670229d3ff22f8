/* The system of start values: what it consists of.
 *
 * Unknowns z are the components of y, then those of y' that stand for entries. Rows are the
 * equations and constraints of the formulation `dummy` (its links and selections apart), the
 * initial equations, and for eliminated variables with a fixed start value "value = start".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_INITIAL_H
#define CODE_INITIAL_H

#include "code/functions.h"

typedef struct code_extra { // a row beyond those of the formulation
    int entry; // value of this entry minus its start, active while it is fixed; -1: an initial
    span
        at; // equation, or a further fixed start value (image_equations.n_conditions), which come first
} code_extra;

/* Coefficients of second derivatives in the equations of motion (inertia.c). */
typedef struct code_mass {
    int n;      // coordinates, equations
    int *first; // by coordinate, ascending: its entry, which its two derivatives follow
    int *place; // by value: in the matrix, by columns
    code_fn values;
} code_mass;

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

typedef struct code_initial {
    code_fn residual, jacobian; // with homotopy blended; those of the model where there is none
    vinc_pattern jac;
    bool continuation; // the model contains homotopy()
    code_fn extra, extra_jac;
    vinc_pattern extra_pattern;
    code_extra *rows;
    int n_extra;
    code_fn map; // y, then y', of the formulation that is integrated, where it is another one
    int *map_y, *map_yp;      // by its component: output of map, or -1
    code_mass *mass;          // NULL: none to be seen
    code_fn guess;            // start values that follow from what the start finds
    int *guess_of, n_guesses; // the unknowns that have them
} code_initial;

/* jac: that of the system without homotopy. */
bool code_lower_initial(lowering *l, const vinc_pattern *jac, code_initial *x);
bool code_lower_mass(lowering *l, code_mass **x);
/* How the components of another formulation follow from those of the lowering. */
bool code_lower_map(lowering *l, const form_system *to, code_initial *x);

#endif
