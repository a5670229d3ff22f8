/* Executors of kernels: inputs of many runs together, then their values, then what was handed back.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/device.h"

#include "api/run.h"
#include "ensemble/lanes.h"
#include "run/verbs.h"

#include <string.h>

enum { VECTOR_LEAST = 32, VECTOR_MOST = 4096, GPU_BATCH = 1 << 17 };

typedef struct kept_reason { // of a run that the processor made and that failed
    struct kept_reason *next;
    size_t bytes;
    char words[];
} kept_reason;

typedef struct device_runs {
    const sweep_work *w;
    const sweep_device *d;
    ens_lanes *lanes; // NULL: the GPU
    vinc_sim *sim;    // finds start values, where each run has its own
    void *processor;  // NULL: not needed so far
    double *in, *out; // of as many runs as there is room for
    size_t room;
    bool *lost; // runs without a start
    double *row, *results;
    kept_reason *reasons;
} device_runs;

/* ---- opening --------------------------------------------------------------------------------- */

static void runs_forget(device_runs *x)
{
    for (kept_reason *r = x->reasons, *next; r; r = next) {
        next = r->next;
        mem_free(x->w->m, r, r->bytes);
    }
    x->reasons = NULL;
}

static size_t runs_row_bytes(const device_runs *x)
{
    return ((size_t)x->w->collect->n_columns + 1) * sizeof(double);
}

static size_t runs_results_bytes(const device_runs *x)
{
    return ((size_t)x->w->collect->n_functionals + 1) * sizeof(double);
}

static void runs_free_room(device_runs *x)
{
    mem *m = x->w->m;
    const ensemble *e = x->d->e;
    mem_free(m, x->in, (size_t)e->n_in * x->room * sizeof(double));
    mem_free(m, x->out, (size_t)e->n_out * x->room * sizeof(double));
    mem_free(m, x->lost, x->room * sizeof(bool));
    x->in = x->out = NULL;
    x->lost = NULL;
    x->room = 0;
}

static int runs_make_room(device_runs *x, size_t n)
{
    mem *m = x->w->m;
    const ensemble *e = x->d->e;
    if (n <= x->room) return VINC_OK;
    runs_free_room(x);
    x->room = n;
    x->in = mem_try(m, (size_t)e->n_in * n * sizeof(double));
    x->out = mem_try(m, (size_t)e->n_out * n * sizeof(double));
    x->lost = mem_try(m, n * sizeof(bool));
    return x->in && x->out && x->lost ? VINC_OK : VINC_E_MEMORY;
}

static void runs_close(void *self)
{
    device_runs *x = self;
    if (!x) return;
    if (x->processor) sweep_by_processor.close(x->processor);
    ens_lanes_free(x->lanes);
    vinc_sim_free(x->sim);
    runs_forget(x);
    runs_free_room(x);
    mem_free(x->w->m, x->row, runs_row_bytes(x));
    mem_free(x->w->m, x->results, runs_results_bytes(x));
    mem_free(x->w->m, x, sizeof *x);
}

static int runs_open(const sweep_work *w, void **self)
{
    device_runs *x = *self = mem_try(w->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (device_runs){.w = w, .d = w->device};
    x->row = mem_try(w->m, runs_row_bytes(x));
    x->results = mem_try(w->m, runs_results_bytes(x));
    if (!x->row || !x->results) return VINC_E_MEMORY;
    memset(x->row, 0, runs_row_bytes(x));
    int rc = x->d->gpu ? VINC_OK : ens_lanes_new(w->m, &x->d->e->lanes, &x->lanes);
    return rc || !x->d->e->given ? rc : vinc_sim_new(w->model, w->run, &x->sim);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* y and w at the start of a run, by the solver of start values. */
static int runs_start(device_runs *x, size_t i, size_t n, const double *values)
{
    const sweep_plan *plan = x->w->plan;
    const code_model *code = x->sim->code;
    double *in = x->in + (size_t)plan->n_axes * n + i;
    int rc = VINC_OK;
    for (int k = 0; k < plan->n_axes && !rc; k++)
        rc = vinc_sim_set(x->sim, plan->axes[k].name, values[k]);
    if (!rc) rc = api_initialize(x->sim);
    x->lost[i] = rc != VINC_OK;
    if (vinc_sim_n_diagnostics(x->sim)) { // whoever makes the run says it
        diag_init(&x->sim->diags, &x->sim->said);
        arena_done(&x->sim->said);
    }
    if (rc == VINC_E_MEMORY) return rc;
    const double *w = run_discrete_values(x->sim->state);
    for (int k = 0; k < code->n; k++) in[(size_t)k * n] = x->sim->y[k];
    for (int k = 0; k < code->n_w; k++) in[(size_t)(code->n + k) * n] = w[k];
    return VINC_OK;
}

static int runs_inputs(device_runs *x, const sweep_rows *rows)
{
    const sweep_plan *plan = x->w->plan;
    size_t n = (size_t)rows->n;
    int rc = VINC_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        double *row = rows->values + i * (size_t)rows->width;
        sweep_plan_values(plan, rows->first + i, row);
        for (int k = 0; k < plan->n_axes; k++) x->in[(size_t)k * n + i] = row[k];
        x->lost[i] = false;
        if (x->d->e->given) rc = runs_start(x, i, n, row);
    }
    return rc;
}

static int runs_kernels(device_runs *x, size_t n)
{
    sweep_device *d = x->w->device;
    if (x->lanes) {
        ens_lanes_run(x->lanes, x->in, x->out, n, 0, n);
        return VINC_OK;
    }
    pthread_mutex_lock(&d->lock);
    int rc = d->fault.n ? -1 : ens_gpu_run(d->gpu, x->in, x->out, n, &d->fault);
    pthread_mutex_unlock(&d->lock);
    return rc ? VINC_E_OPTION : VINC_OK;
}

/* A run once more, as an ordinary one. Its reason is kept till the next batch. */
static int runs_again(device_runs *x, const sweep_rows *rows, int i)
{
    const sweep_work *w = x->w;
    sweep_rows one = {.first = rows->first + (uint64_t)i,
                      .n = 1,
                      .width = rows->width,
                      .values = rows->values + (size_t)i * (size_t)rows->width,
                      .status = rows->status + i,
                      .reason = rows->reason + i};
    int rc = x->processor ? VINC_OK : sweep_by_processor.open(w, &x->processor);
    if (!rc) rc = sweep_by_processor.run(x->processor, &one);
    if (rc || !*rows->reason[i]) return rc;
    size_t length = strlen(rows->reason[i]) + 1, bytes = sizeof(kept_reason) + length;
    kept_reason *kept = mem_try(w->m, bytes);
    if (!kept) return VINC_E_MEMORY;
    kept->next = x->reasons;
    kept->bytes = bytes;
    memcpy(kept->words, rows->reason[i], length);
    x->reasons = kept;
    rows->reason[i] = kept->words;
    return VINC_OK;
}

/* What was collected of a run that is done. */
static void runs_values(device_runs *x, const sweep_rows *rows, int i)
{
    const sweep_work *w = x->w;
    const ensemble *e = x->d->e;
    size_t n = (size_t)rows->n;
    int n_values = w->collect->n_variables;
    double t = x->out[(size_t)(1 + n_values) * n + (size_t)i];
    for (int k = 0; k < n_values; k++)
        x->row[k] = e->sign[k] * x->out[(size_t)(1 + k) * n + (size_t)i];
    sweep_collect_at_end(w->collect, t, x->row, x->results,
                         rows->values + (size_t)i * (size_t)rows->width + w->plan->n_axes);
    rows->status[i] = t < w->t_stop ? VINC_TERMINATED : VINC_OK;
    rows->reason[i] = "";
}

static int runs_run(void *self, sweep_rows *rows)
{
    device_runs *x = self;
    const watch_limits *limits = &x->w->model->ctx->limits;
    runs_forget(x);
    int rc = runs_make_room(x, (size_t)rows->n);
    if (!rc) rc = runs_inputs(x, rows);
    if (!rc && watch_passed(limits)) return VINC_STOPPED;
    if (!rc) rc = runs_kernels(x, (size_t)rows->n);
    for (int i = 0; i < rows->n && !rc; i++) {
        if (x->out[i] == ENS_DONE && !x->lost[i]) runs_values(x, rows, i);
        else rc = runs_again(x, rows, i);
    }
    return rc;
}

const sweep_executor sweep_by_vector = {
    .name = "vector",
    .summary = "several runs in each vector register of the processor",
    .batch_least = VECTOR_LEAST,
    .batch_most = VECTOR_MOST,
    .open = runs_open,
    .run = runs_run,
    .close = runs_close,
};

const sweep_executor sweep_by_gpu = {
    .name = "gpu",
    .summary = "one run in each thread of an NVIDIA GPU",
    .batch_least = GPU_BATCH,
    .batch_most = GPU_BATCH,
    .open = runs_open,
    .run = runs_run,
    .close = runs_close,
};
