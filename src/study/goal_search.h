/* The least value of a function within bounds, by its gradients.
 *
 * Steps of Levenberg and Marquardt with a matrix of second derivatives that is learnt from the gradients
 * (BFGS, kept positive definite as by M. J. D. Powell, Lecture Notes in Mathematics 630 (1978) 144-157).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_GOAL_SEARCH_H
#define STUDY_GOAL_SEARCH_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct goal_search {
    int n;
    double *x;                   // from where, then the answer
    double *g;                   // n: the gradient there
    const double *lower, *upper; // infinite: none
    /* f and g at x. VINC_OK; < 0: it has no value there. */
    int (*evaluate)(void *user, const double *x, double *f, double *g);
    void *user;
    int max_iterations; // 0: 200
    double value, start;
    int iterations;
    bool converged;
    bool stuck; // no step was better
} goal_search;

int goal_search_run(goal_search *s, arena *a); // VINC_OK, or why there is no value

#endif
