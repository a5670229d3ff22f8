/* Runs on a processor: one vinc_sim for each thread, set, run and read again and again.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/execute.h"

#include "api/run.h"
#include "base/mem_cache.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH_MOST = 256, REASON_BYTES = 400 };

typedef struct processor {
    const sweep_work *w;
    vinc_sim *sim;
    mem_cache cache; // of its memory: a run asks for what the one before gave back
    sweep_collector *collector;
    size_t collector_bytes;
    char reasons[BATCH_MOST][REASON_BYTES];
} processor;

static void processor_close(void *self)
{
    processor *p = self;
    if (!p) return;
    if (p->sim) mem_cache_done(&p->cache, &p->sim->m);
    vinc_sim_free(p->sim);
    mem_free(p->w->m, p->collector, p->collector_bytes);
    mem_free(p->w->m, p, sizeof *p);
}

static int processor_open(const sweep_work *w, void **self)
{
    processor *p = *self = mem_try(w->m, sizeof *p);
    if (!p) return VINC_E_MEMORY;
    p->w = w;
    p->sim = NULL;
    p->collector_bytes = sweep_collector_bytes(w->collect);
    p->collector = mem_try(w->m, p->collector_bytes);
    if (!p->collector) return VINC_E_MEMORY;
    sweep_collector_init(p->collector, w->collect, w->t_start, w->tolerance);
    vinc_sim_options o = *w->run;
    o.user = p->collector;
    o.follow = sweep_collector_follow;
    int rc = vinc_sim_new(w->model, &o, &p->sim);
    if (!rc) mem_cache_init(&p->cache, &p->sim->m);
    return rc;
}

/* The first error of the run, on one line. */
static void find_reason(processor *p, char *reason)
{
    snprintf(reason, REASON_BYTES, "the run failed");
    for (int i = 0; i < vinc_sim_n_diagnostics(p->sim); i++) {
        vinc_diagnostic d = vinc_sim_diagnostic(p->sim, i);
        if (d.severity != VINC_ERROR) continue;
        int n = snprintf(reason, REASON_BYTES, "%s", d.text);
        if (n >= 0 && n < REASON_BYTES - 12)
            snprintf(reason + n, (size_t)(REASON_BYTES - n), " [%s]", d.code);
        break;
    }
    for (char *c = reason; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}

static int keep_curves(processor *p, uint64_t run)
{
    const sweep_work *w = p->w;
    vinc_result *rows = vinc_sim_result(p->sim);
    int rc = w->curves ? w->curves(w->user, run, rows) : VINC_OK;
    if (rc || !w->trajectories) return rc;
    char path[4400];
    snprintf(path, sizeof path, "%s/run-%llu.csv", w->trajectories, (unsigned long long)run);
    return vinc_result_write(rows, path, w->run->vars);
}

static int run_one(processor *p, uint64_t run, double *row, int *status, const char **reason,
                   char *room)
{
    const sweep_work *w = p->w;
    const sweep_plan *plan = w->plan;
    double *values = row + plan->n_axes;
    int rc = VINC_OK;
    sweep_plan_values(plan, run, row);
    for (int i = 0; i < plan->n_axes && !rc; i++)
        rc = vinc_sim_set(p->sim, plan->axes[i].name, row[i]);
    sweep_collector_begin(p->collector);
    if (!rc) rc = vinc_sim_run(p->sim);
    if (watch_passed(&w->model->ctx->limits)) return VINC_STOPPED;
    *status = rc;
    if (rc == VINC_OK || rc == VINC_TERMINATED) {
        int got = sweep_collector_finish(p->collector, p->sim, values);
        if (!got && (w->curves || w->trajectories)) got = keep_curves(p, run);
        if (!got) {
            *reason = "";
            return VINC_OK;
        }
        if (got == VINC_E_WRITE || got == VINC_E_MEMORY) return got;
        *status = got;
    }
    if (rc == VINC_E_MEMORY) return rc;
    for (int i = 0; i < w->collect->n_items; i++) values[i] = NAN;
    find_reason(p, room);
    *reason = room;
    return VINC_OK;
}

static int processor_run(void *self, sweep_rows *rows)
{
    processor *p = self;
    int rc = VINC_OK;
    for (int i = 0; i < rows->n && !rc; i++)
        rc = run_one(p, rows->first + (uint64_t)i, rows->values + (size_t)i * (size_t)rows->width,
                     &rows->status[i], &rows->reason[i], p->reasons[i]);
    return rc;
}

const sweep_executor sweep_by_processor = {
    .name = "cpu",
    .summary = "threads of the processor",
    .batch_least = 1,
    .batch_most = BATCH_MOST,
    .open = processor_open,
    .run = processor_run,
    .close = processor_close,
};
