/* Runs handed out, and rows put in order.
 *
 * Whoever computes takes the next runs and gives their rows back, in any order; rows reach the taker in
 * the order of runs, a batch at a time. How far ahead of the first row that is missing runs are handed
 * out is bounded, and so is memory.
 *
 * Where processes compute, which may die, runs that were taken long ago are handed out again once there
 * are no others. A run gives the same row whoever makes it: the first one counts, and nobody has to find
 * out who is alive.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_HAND_H
#define SWEEP_HAND_H

#include "sweep/sweep_store.h"

#include <pthread.h>

typedef struct sweep_hand sweep_hand;

typedef struct sweep_taker {
    /* Rows in order; called by one thread at a time. Non-zero ends the sweep with that status. */
    int (*take)(void *user, const sweep_rows *rows);
    void *user;
} sweep_taker;

/* Runs first ... last - 1; window: how many may be under way. */
int sweep_hand_new(mem *m, uint64_t first, uint64_t last, int width, uint64_t window,
                   const sweep_taker *taker, sweep_hand **out);
void sweep_hand_free(sweep_hand *h);
/* From now on runs that were taken more than so many seconds ago may be handed out again. */
void sweep_hand_again(sweep_hand *h, double seconds);

/* At most n runs: how many, from *first on. 0: there are none any more, or it has stopped. -1 (only where
 * wait is false): none now. */
int sweep_hand_take(sweep_hand *h, int n, bool wait, uint64_t *first);
/* The rows of runs that were taken; they are copied. */
int sweep_hand_give(sweep_hand *h, const sweep_rows *rows);
void sweep_hand_stop(sweep_hand *h, int status); // no more are handed out; the first status counts
bool sweep_hand_done(sweep_hand *h);             // all rows were taken, or it has stopped
int sweep_hand_status(sweep_hand *h);

#endif
