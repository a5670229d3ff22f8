/* The derivatives of a goal from the end of the run to its start, for many parameters.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_GOAL_ADJOINT_H
#define STUDY_GOAL_ADJOINT_H

#include "study/study.h"

typedef struct goal_adjoint_options {
    size_t bytes; // in which the run is kept
    bool asked;   // for this way; otherwise a method that was given has the last word
} goal_adjoint_options;

/* Of a run with `sens`, which is not run: the value at its end of the variable `goal`, and its derivatives by
 * what was asked for. Where the run does not fit into its bytes, places are kept from which stretches of it
 * are run again. VINC_OK; 1: this way is closed, and *why says what closes it; < 0: said. */
int goal_adjoint(vinc_sim *s, const char *goal, const goal_adjoint_options *o, double *value,
                 double *slopes, const char **why);

#endif
