/* Who computes: rows of parameters in, collected values and a reason for each run out.
 *
 * An executor is one entry of the list in device.c: what it is called, how many runs it likes at a
 * time, and three verbs. Each thread of the pool has one of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_EXECUTE_H
#define SWEEP_EXECUTE_H

#include "sweep/collect.h"
#include "sweep/hand.h"
#include "sweep/sweep_plan.h"

/* What all of them are told; not changed while they work. */
typedef struct sweep_work {
    vinc_model *model;
    const vinc_sim_options *run;
    const sweep_plan *plan;
    const sweep_collect *collect;
    double t_start, t_stop, tolerance;
    const char *trajectories; // a folder; NULL: none
    /* The curves of a run, for a figure; NULL: not wanted. Any thread. */
    int (*curves)(void *user, uint64_t run, vinc_result *result);
    void *user;
    struct sweep_device *device; // of kernels (device.h); NULL: the processor, run by run
    mem *m;
} sweep_work;

typedef struct sweep_executor {
    const char *name, *summary;
    int batch_least, batch_most; // runs at a time
    int (*open)(const sweep_work *w, void **self);
    /* Runs rows->first ... + n - 1: fill in values (parameters, then what was collected), status and
     * reason. VINC_OK; VINC_STOPPED where the work is to stop and the rows do not count. Reasons live
     * until the next call. */
    int (*run)(void *self, sweep_rows *rows);
    void (*close)(void *self);
} sweep_executor;

extern const sweep_executor sweep_by_processor;

/* Runs from the hand in so many threads, until there are none. VINC_OK, or why it stopped. */
int sweep_pool_run(const sweep_executor *e, const sweep_work *w, sweep_hand *hand, int jobs);

#endif
