/* Kinks of functions of time: where the arguments of min, max, abs and of choices cross.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef RUN_KINK_H
#define RUN_KINK_H

#include "run/state.h"
#include "tape/tape.h"

/* An instruction of a tape with its operands where they are. */
typedef struct kink_ins {
    uint32_t op;
    const double *a, *b, *c, *d;
    const tape_function *fn; // of a call: its arguments begin at arg
    int arg;
} kink_ins;

/* Zeros of *a - *b; of a rounding, without b: where *a changes. */
typedef struct kink_place {
    const double *a, *b;
} kink_place;

/* What the kinks of the tapes depend on, as one list of instructions that is evaluated for a time;
 * and how far it has been searched: between `from` and `to` the first is `next`. */
typedef struct run_kinks {
    int n, n_ins, n_args; // so many; while they are counted, nothing is written
    kink_place *at;
    kink_ins *ins;
    const double **args;
    double *value, *rounding, *in, *out, *g;
    int most_in, most_out;
    const double **read; // elements of w that they depend on
    double *read_value;  // ... when they were searched for
    int n_read;
    double t;
    double *y; // of functions of states: the unknowns, n_y
    int n_y;
    void *run; // for routines
    double from, to, next;
    double last; // the one that was passed last
    size_t block_bytes;
    void *block;
} run_kinks;

/* Before a run: collect them; held[k]: w[k] changes at events only. VINC_OK, VINC_E_MEMORY. */
int kink_find(run_state *s, const bool *held);
/* ... those of functions of the unknowns, which are the corners of the problem (vincolo_problem.h). */
int kink_find_corners(run_state *s, const bool *held);
int kink_corners(void *user, double t, const double *y, double *g);
void kink_free(run_state *s);
/* Has something in w changed that they depend on? Then what has been searched is forgotten. */
void kink_look_again(run_kinks *x);
/* The first kink between t and `to`, searched for only as far as has not been yet; +inf. */
double kink_next(run_kinks *x, double t, double to);

#endif
