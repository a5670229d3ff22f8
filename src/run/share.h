/* One model over several processes: what this one holds of it.
 *
 * Each unknown goes with an equation that determines it; such pairs are spread over the processes so that
 * few equations need what others hold. The problem that is made here has the pairs of this process: its
 * residual and its Jacobian are the rows of them alone, cut out of the program of the model, and before
 * each evaluation neighbours send each other the values that they need. What looks at the whole point
 * (events, outputs, assertions, what follows from states) is told it, gathered from all: discrete values are
 * the same in every process.
 *
 * Every process calls every callback at the same place (base/team.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_SHARE_H
#define RUN_SHARE_H

#include "base/team.h"
#include "run/state.h"

typedef struct run_share run_share;

typedef struct run_share_options {
    const team *team;
    int rank, size;
    bool products; // of the Jacobian with vectors are needed
    double t;      // the start, where entries of the Jacobian are looked at
    const double *y, *yp;
} run_share_options;

/* VINC_OK; VINC_E_PROBLEM and a sentence in why where the model cannot be shared; VINC_E_MEMORY. */
int run_share_new(run_state *s, const run_share_options *o, text *why, run_share **out);
void run_share_free(run_share *x); // NULL is fine
const vinc_problem *run_share_problem(const run_share *x);

/* What is here of a vector of all unknowns; and the whole, for all processes. */
void run_share_take(const run_share *x, const double *all, double *own);
void run_share_join(run_share *x, const double *own, double *all);
/* The unknown of the model that method_worst means. */
int run_share_unknown(const run_share *x, int i);
/* Why a callback stopped the run; NULL: none did. */
const char *run_share_why(const run_share *x);

#endif
