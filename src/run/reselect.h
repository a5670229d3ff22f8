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
    double *
        sign; // by group: of the determinant of its constraints over P, at the last look; 0: not known
    double *last;    // the Jacobian of the group before, scaled
    double jac_work; // operations of all Jacobians
    /* How far the constraints are from losing rank, 0 to 1: at the last look, and at most so far. */
    double margin, margin_most;
    bool came_near;   // it was a small part of that
    bool leapt;       // that determinant changed its sign from look to look
    double *row_most; // by constraint: its largest derivative so far, in units of the nominals
    int singular;     // 1 + the group whose named choice has become singular; 0: none
} run_choice;

void choice_layout(run_choice *x, const code_model *m, bump *b);
void choice_begin(run_choice *x, const code_model *m); // of a run
bool choice_is_regular(const run_choice *x);           // at the last look: far from losing rank
int run_reselect(void *user, double t, const double *y,
                 const double *yp); // 1: renewed; -1: singular

#endif
