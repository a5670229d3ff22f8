/* The choice of states while running.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_RESELECT_H
#define RUN_RESELECT_H

#include "base/bump.h"
#include "run/state.h"

typedef struct run_choice {
    double *jac, *unused; // derivatives of the constraints by y; by y'
    double *work;
    double *side; // by group whose independent coordinates are named: the sign of its determinant
    double *last; // the Jacobian of the group before, scaled
    double jac_work; // operations of all Jacobians
    int singular;    // 1 + the group whose named choice has become singular; 0: none
} run_choice;

void choice_layout(run_choice *x, const code_model *m, bump *b);
int run_reselect(void *user, double t, const double *y,
                 const double *yp); // 1: renewed; -1: singular

#endif
