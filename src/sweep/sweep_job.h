/* A sweep while it is made: what its parts share.
 *
 *     prepare   what is run and collected, judged by making one run ready (sweep_prepare.c)
 *     run       rows to the journal, in order (sweep.c)
 *     curves    of runs, for figures (sweep_curves.c)
 *     deliver   the file, statistics, figures (sweep_deliver.c)
 *     merge     parts that were run apart (sweep_merge.c)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWEEP_SWEEP_JOB_H
#define SWEEP_SWEEP_JOB_H

#include "api/run.h"
#include "sweep/device.h"
#include "sweep/farm.h"
#include "sweep/sweep.h"
#include "sweep/sweep_figure.h"
#include "sweep/sweep_table.h"

typedef struct part_store { // the journal of a part
    const char *path;
    sweep_store *store;
    const sweep_heading *h;
    uint64_t done;
} part_store;

enum { CURVES_VARS = 6, CURVES_POINTS = 401, CURVES_INTERVALS = 200, CURVES_NAME_BYTES = 200 };

typedef struct kept_curves { // of runs that are drawn
    pthread_mutex_t lock;
    uint64_t first, stride; // every so many runs
    int n_runs, n_points, n_vars;
    char names[CURVES_VARS][CURVES_NAME_BYTES];
    const char *name[CURVES_VARS];
    double t[CURVES_POINTS];
    float *values; // NULL: none are
    size_t bytes;
} kept_curves;

typedef struct sweep_job {
    vinc_ctx *ctx;
    vinc_model *model; // NULL: parts are merged
    vinc_sweep_options o;
    vinc_sim_options run; // as runs are made
    arena a;
    mem m; // without a guard
    sweep_plan plan;
    sweep_collect collect;
    const char *collected; // as it was asked for
    sweep_heading heading;
    double t_start, t_stop, tolerance;
    int jobs;
    sweep_work work; // as runs are made
    char *journal;   // its path; NULL: in memory
    const sweep_format *format;
    sweep_store *store;
    sweep_hand *hand;
    uint64_t found; // runs that were there before
    uint64_t done, failed;
    double begin, flushed, shown;
    result_fault fault;
    part_store *parts; // that are merged
    int n_parts;
    kept_curves curves;
    sweep_farm farm; // size 0: one process
    text chart;
    vinc_sweep told;
} sweep_job;

/* A message of the sweep, or of the store; the status that it means. */
int sweep_refuse(sweep_job *j, const char *code, const char *words);
int sweep_refuse_fault(sweep_job *j, int rc);

/* Inside a guard: job is a sweep_job. */
int sweep_prepare(void *job);
int sweep_head(void *job); // the heading of its rows, once it is known who computes
int sweep_deliver(void *job);
int sweep_open_places(void *job); // where rows go

int sweep_curves_new(sweep_job *j); // where a figure asks for them
void sweep_curves_free(sweep_job *j);
/* The curves of a run at the times of the figure; from any thread. */
int sweep_curves_keep(void *user, uint64_t run, vinc_result *rows);

sweep_job *sweep_job_new(vinc_ctx *ctx, const vinc_sweep_options *options);
/* What was found goes to the caller, and the journal, if it has become a file. */
int sweep_job_end(sweep_job *j, int rc, vinc_sweep **out);

extern const char *const sweep_shows[SWEEP_FIGURES];

#endif
