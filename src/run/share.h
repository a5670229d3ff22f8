/* One model over several processes: what each holds of it.
 *
 * Each unknown goes with an equation that determines it; such pairs are spread over the processes so that
 * few equations need what others hold. The problem that is made here has the pairs of one process: its
 * residual and its Jacobian are the rows of them alone, cut out of the program of the model and counted anew, and
 * before each evaluation neighbours send each other the values that they need. What looks at the whole point
 * (events, outputs, assertions, what follows from states) is asked of the first process, for which it is
 * collected; what comes of it, discrete values too, is told to all.
 *
 * So the first process alone has the model. It cuts the parts and hands them out; others need no more than
 * theirs. Where equations call functions that live in a process (tables, functions in C), a part cannot be
 * handed out: then every process has the model, and cuts its own.
 *
 * Of models that can be divided before they are analysed each process has compiled its own part (share_part.c): then
 * nobody has the whole, and what looks at the point looks at the part.
 *
 * Every process calls every callback at the same place (base/team.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_SHARE_H
#define RUN_SHARE_H

#include "base/team.h"
#include "run/state.h"

typedef struct run_share run_share;

/* What the first process says to those that wait, by one number (team.from_first). */
typedef enum run_share_word {
    SHARE_LEAVE,   // the end: there is no run any more
    SHARE_COMPILE, // parts are not handed out: make the model
    SHARE_PART,    // here it comes
    SHARE_OWN,     // make the model, and of it your own part alone
    SHARE_FAILS    // there is none
} run_share_word;

/* A model that is a part already (flat/flat_part.h): it has the unknowns of this process and, to be read, some of
 * others. */
typedef struct run_share_part {
    int n_all, n_own, n_halo;
    const int *first; // by process, and one more: the number of its first unknown
    const int *order; // unknowns of the model: own ones by their numbers, then the others by theirs
    const int *place; // numbers of the others
} run_share_part;

typedef struct run_share_options {
    const team *team;
    int rank, size;
    bool handed;                // by the first process to those that wait; else all are here
    bool products;              // of the Jacobian with vectors are needed
    double t;                   // the start, where entries of the Jacobian are looked at
    const run_share_part *part; // NULL: the model is the whole
    double *y,
        *yp; // ... of the first process: from then on the whole point, whenever it is collected
} run_share_options;

/* Can parts of it be handed to another process? */
bool run_share_can_hand(const code_model *m);
/* VINC_OK; VINC_E_PROBLEM and a sentence in why where the model cannot be shared; VINC_E_MEMORY. */
int run_share_new(run_state *s, const run_share_options *o, text *why, run_share **out);
/* The part that the first process hands out, after SHARE_PART; threads that share its work. */
int run_share_receive(const team *t, int rank, int size, mem *m, run_share **out);
void run_share_by_crew(run_share *x, struct crew *c);
void run_share_free(run_share *x); // NULL is fine
const vinc_problem *run_share_problem(const run_share *x);

/* Vectors of all unknowns, which only the first process has (elsewhere NULL), to the parts of them, and back. */
void run_share_take(run_share *x, const double *all, double *own);
void run_share_join(run_share *x, const double *own, double *all);
/* Discrete values as the first process has them now, for all. */
void run_share_tell(run_share *x);
/* The unknown of the model that method_worst means; -1 but in the first process. */
int run_share_unknown(const run_share *x, int i);
/* Of a part, when the run has failed: did an equation here have no value, or, otherwise, is the unknown here whose
 * error was largest? */
bool run_share_knows(const run_share *x, bool undefined, int worst);
/* Why a callback stopped the run; NULL: none did. */
const char *run_share_why(const run_share *x);

#endif
