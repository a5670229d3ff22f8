/* vinc_sweep_of: plan, check, run, deliver.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_job.h"

#include "base/plugin.h"
#include "result/whole_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double SECONDS_TO_FLUSH = 0.5, SECONDS_TO_TELL = 0.2;
enum { WINDOW_BYTES = 1 << 25, WINDOW_MOST = 1 << 16, WINDOW_LEAST = 1024, JOBS_OF_GPU = 4 };

int sweep_refuse(sweep_job *j, const char *code, const char *words)
{
    diag_error(&j->ctx->diags, code, (span){0}, "%s", words);
    return VINC_E_OPTION;
}

int sweep_refuse_fault(sweep_job *j, int rc)
{
    const result_fault *f = &j->fault;
    if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY;
    diag_error(&j->ctx->diags, f->code[0] ? f->code : "C192", (span){0}, "%s", f->text);
    return rc == RESULT_E_WRITE ? VINC_E_WRITE : VINC_E_OPTION;
}

/* ---- where rows go --------------------------------------------------------------------------- */

static char *path_with(arena *a, const char *path, const char *tail)
{
    size_t n = strlen(path) + strlen(tail) + 1;
    char *whole = arena_alloc(a, n);
    snprintf(whole, n, "%s%s", path, tail);
    return whole;
}

static bool file_exists(const char *path)
{
    struct stat st;
    return !stat(path, &st);
}

int sweep_open_places(void *job)
{
    sweep_job *j = job;
    const vinc_sweep_options *o = &j->o;
    char words[500];
    if (o->resume && !o->out)
        return sweep_refuse(j, "C193", "to resume a sweep, name the file of its rows: --out FILE");
    if (o->trajectories && mkdir(o->trajectories, 0777) && errno != EEXIST) {
        snprintf(words, sizeof words, "the folder '%.300s' for trajectories cannot be made: %s",
                 o->trajectories, strerror(errno));
        return sweep_refuse(j, "C192", words);
    }
    if (!o->out) return VINC_OK;
    j->format = sweep_format_of(o->out, &j->fault);
    if (!j->format) return sweep_refuse_fault(j, RESULT_E_OPEN);
    char tail[60] = ".runs";
    if (o->parts) snprintf(tail, sizeof tail, ".%d-of-%d.runs", o->part, o->parts);
    j->journal = path_with(&j->a, o->out, tail);
    if (o->resume && !file_exists(j->journal)) {
        bool whole = !o->parts && file_exists(o->out);
        snprintf(words, sizeof words,
                 whole ? "'%.300s' is complete: nothing is left to resume"
                       : "there is nothing to resume: '%.300s' does not exist",
                 whole ? o->out : j->journal);
        return sweep_refuse(j, "C193", words);
    }
    result_file f; // can the file be made at all?
    int rc = result_file_open(&f, &j->m, o->out, &j->fault);
    if (rc) return sweep_refuse_fault(j, rc);
    result_file_abandon(&f);
    return VINC_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

static int tell_row(const sweep_job *j, const sweep_rows *rows, int i)
{
    const double *row = rows->values + (size_t)i * (size_t)rows->width;
    return j->o.row(j->o.user, &(vinc_sweep_row){.run = (long long)rows->first + i,
                                                 .parameters = row,
                                                 .values = row + j->heading.n_parameters,
                                                 .status = rows->status[i],
                                                 .reason = rows->reason[i]});
}

static int tell_progress(sweep_job *j, double now)
{
    double seconds = now - j->begin, total = (double)(j->heading.last - j->heading.first);
    double made = (double)(j->done - j->found), rate = seconds > 0 ? made / seconds : 0;
    j->shown = now;
    if (!j->o.progress) return 0;
    return j->o.progress(
        j->o.user, &(vinc_sweep_progress){.done = (long long)j->done,
                                          .failed = (long long)j->failed,
                                          .total = (long long)total,
                                          .seconds = seconds,
                                          .rate = rate,
                                          .left = rate > 0 ? (total - (double)j->done) / rate : 0});
}

static int take_rows(void *user, const sweep_rows *rows)
{
    sweep_job *j = user;
    int rc = sweep_store_append(j->store, rows, &j->fault);
    for (int i = 0; i < rows->n; i++) {
        j->failed += *rows->reason[i] != 0;
        if (j->o.row && !rc && tell_row(j, rows, i)) rc = VINC_STOPPED;
    }
    j->done += (uint64_t)rows->n;
    double now = api_clock();
    if (!rc && now - j->flushed > SECONDS_TO_FLUSH) {
        rc = sweep_store_flush(j->store, &j->fault);
        j->flushed = now;
    }
    if (!rc && now - j->shown > SECONDS_TO_TELL && tell_progress(j, now)) rc = VINC_STOPPED;
    return rc == RESULT_E_MEMORY ? VINC_E_MEMORY : rc < 0 ? VINC_E_WRITE : rc;
}

/* ---- all runs ---------------------------------------------------------------------------------- */

/* Whoever computes: kernels where they are asked for and can, the processor otherwise. */
static int open_device(sweep_job *j)
{
    const char *name = j->o.device;
    bool curves = j->o.plot && j->run.vars;
    j->work = (sweep_work){.model = j->model,
                           .run = &j->run,
                           .plan = &j->plan,
                           .collect = &j->collect,
                           .t_start = j->t_start,
                           .t_stop = j->t_stop,
                           .tolerance = j->tolerance,
                           .trajectories = j->o.trajectories,
                           .curves = curves ? sweep_curves_keep : NULL,
                           .user = j,
                           .m = &j->m};
    if (!name || !strcmp(name, sweep_by_processor.name)) return VINC_OK;
    text why;
    text_init(&why, &j->m);
    int rc = sweep_device_new(&j->work, name, &j->work.device, &why);
    api_lock(j->ctx);
    if (rc == VINC_E_MODEL && !j->farm.rank)
        diag_warning(&j->ctx->diags, "C196", (span){0},
                     "--device %s: %s; the processor makes these runs", name, text_str(&why));
    else if (rc == VINC_E_OPTION)
        diag_error(&j->ctx->diags, "C196", (span){0}, "--device %s: %s", name, text_str(&why));
    api_unlock(j->ctx);
    text_done(&why);
    return rc == VINC_E_MODEL ? VINC_OK : rc;
}

/* How many threads, and how many runs may be under way. */
static uint64_t settle_jobs(sweep_job *j, const sweep_executor *e, uint64_t left)
{
    long processors = j->farm.size ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    if (e == &sweep_by_gpu && processors > JOBS_OF_GPU) processors = JOBS_OF_GPU;
    j->jobs = j->o.jobs ? j->o.jobs : processors > 0 ? (int)processors : 1;
    uint64_t batches = (left + (uint64_t)e->batch_least - 1) / (uint64_t)e->batch_least;
    if ((uint64_t)j->jobs > batches) j->jobs = (int)batches;
    size_t row = (size_t)(j->heading.n_parameters + j->heading.n_values + 2) * sizeof(double);
    uint64_t window = WINDOW_BYTES / row,
             least = (uint64_t)e->batch_least * (uint64_t)(j->jobs + 1);
    if (window > WINDOW_MOST) window = WINDOW_MOST;
    if (window < WINDOW_LEAST) window = WINDOW_LEAST;
    return window > least ? window : least;
}

static int run_all(sweep_job *j)
{
    uint64_t first = j->heading.first + j->found, left = j->heading.last - first;
    const sweep_work *w = &j->work;
    const sweep_executor *e = w->device ? w->device->executor : &sweep_by_processor;
    uint64_t window = settle_jobs(j, e, left);
    if (j->farm.rank) return sweep_farm_work(&j->farm, e, w, j->jobs);
    if (!left) return VINC_OK;
    int rc =
        sweep_hand_new(&j->m, first, j->heading.last, j->heading.n_parameters + j->heading.n_values,
                       window, &(sweep_taker){take_rows, j}, &j->hand);
    if (!rc && j->farm.size > 1) rc = sweep_farm_lead(&j->farm, e, w, j->hand, j->jobs);
    else if (!rc) rc = sweep_pool_run(e, w, j->hand, j->jobs);
    sweep_hand_free(j->hand);
    return rc;
}

/* A row that could not be written ends the sweep; what was written before stays. */
static int end_of_runs(sweep_job *j, int rc)
{
    vinc_ctx *ctx = j->ctx;
    int flushed = sweep_store_flush(j->store, &j->fault);
    if (flushed && rc >= 0) rc = VINC_E_WRITE;
    api_lock(ctx);
    api_keep_failure(ctx,
                     &(diag_sink){0}); // runs that failed are rows, and no failure of the sweep
    if (rc == VINC_E_WRITE && j->fault.code[0]) sweep_refuse_fault(j, RESULT_E_WRITE);
    if (j->work.device && j->work.device->fault.n)
        diag_error(&ctx->diags, "C196", (span){0}, "--device %s: %s%s",
                   j->work.device->executor->name, text_str(&j->work.device->fault),
                   j->journal ? "; --resume goes on with the runs that are done" : "");
    if (rc == VINC_STOPPED && j->journal)
        diag_warning(&ctx->diags, "C193", (span){0},
                     "%llu of %llu runs are done and kept in '%s': --resume goes on with them",
                     (unsigned long long)j->done,
                     (unsigned long long)(j->heading.last - j->heading.first), j->journal);
    api_unlock(ctx);
    return rc;
}

/* ---- several processes ------------------------------------------------------------------------ */

static int open_farm(void *job)
{
    static const plugin_kind kind = {"mpi", "sweeps over the processes of mpirun", "libopenmpi-dev",
                                     SWEEP_TRANSPORT_VERSION};
    sweep_job *j = job;
    char why[600];
    if (!j->o.ranks) return VINC_OK;
    if (j->o.trajectories || (j->o.plot && j->run.vars))
        return sweep_refuse(
            j, "C195",
            "curves of runs are not sent from process to process: --trajectories and "
            "--plot with --vars are for one process");
    const sweep_transport *t = plugin_open(&kind, why, sizeof why);
    if (!t) return sweep_refuse(j, "C195", why);
    if (t->open(&j->farm.rank, &j->farm.size))
        return sweep_refuse(j, "C195", "MPI cannot be begun: start the command by mpirun");
    j->farm.t = t;
    j->told.rank = j->farm.rank;
    j->told.ranks = j->farm.size;
    return VINC_OK;
}

/* Processes other than 0 make runs until there are none. */
static int run_worker(sweep_job *j)
{
    int rc = run_all(j);
    api_lock(j->ctx);
    api_keep_failure(j->ctx, &(diag_sink){0});
    api_unlock(j->ctx);
    j->told.status = "done";
    j->told.class_name = j->heading.class_name;
    return rc == VINC_STOPPED ? VINC_OK : rc;
}

static int run_sweep(sweep_job *j)
{
    int rc = api_guarded(j->ctx, sweep_prepare, j);
    if (!rc) rc = api_guarded(j->ctx, open_farm, j);
    if (!rc) rc = open_device(j);
    if (!rc) rc = api_guarded(j->ctx, sweep_head, j);
    if (!rc && j->farm.rank) return run_worker(j);
    if (!rc) rc = api_guarded(j->ctx, sweep_open_places, j);
    if (!rc) {
        rc = sweep_store_open(&j->m, j->journal, &j->heading, j->o.resume, &j->store, &j->found,
                              &j->fault);
        if (rc) {
            api_lock(j->ctx);
            rc = sweep_refuse_fault(j, rc);
            api_unlock(j->ctx);
        }
    }
    if (rc) return rc;
    rc = sweep_curves_new(j);
    if (rc) return rc;
    j->done = j->found;
    j->begin = j->flushed = j->shown = api_clock();
    rc = end_of_runs(j, run_all(j));
    if (rc < 0) return rc;
    j->told.jobs = j->jobs;
    j->told.device = j->work.device ? j->work.device->executor->name : sweep_by_processor.name;
    j->told.method = j->work.device ? j->work.device->method : NULL;
    j->told.seconds = api_clock() - j->begin;
    uint64_t made = j->done - j->found;
    j->told.rate = made && j->told.seconds > 0 ? (double)made / j->told.seconds : NAN;
    int told = api_delivered(j->ctx, sweep_deliver, j);
    return told ? told : rc;
}

static int keep_told(void *job)
{
    sweep_job *j = ((void **)job)[0];
    return told_keep(&j->ctx->lasting, &sweep_told, &j->told, ((void **)job)[1]);
}

sweep_job *sweep_job_new(vinc_ctx *ctx, const vinc_sweep_options *options)
{
    mem plain = {.resize = ctx->m.resize, .user = ctx->m.user, .zeroed = ctx->m.zeroed};
    sweep_job *j = mem_try(&plain, sizeof *j);
    if (!j) return NULL;
    *j = (sweep_job){.ctx = ctx, .m = plain};
    if (options) j->o = *options;
    arena_init(&j->a, &ctx->m);
    text_init(&j->chart, &ctx->m);
    return j;
}

/* What was found goes to the caller, and the journal, if it has become a file. */
int sweep_job_end(sweep_job *j, int rc, vinc_sweep **out)
{
    vinc_ctx *ctx = j->ctx;
    sweep_farm_end(&j->farm);
    if (rc >= 0) {
        int kept = api_said(ctx, keep_told, ((void *[]){j, out}));
        if (kept) rc = kept;
    }
    if (rc == VINC_E_MEMORY) rc = api_end_work(ctx, &ctx->watch, rc);
    sweep_store_close(j->store, j->n_parts || (rc == VINC_OK && !j->o.parts));
    for (int i = 0; i < j->n_parts; i++) sweep_store_close(j->parts[i].store, false);
    sweep_curves_free(j);
    sweep_device_free(j->work.device);
    text_done(&j->chart);
    arena_done(&j->a);
    mem m = j->m;
    mem_free(&m, j, sizeof *j);
    return rc;
}

static bool wants_curves(const sweep_job *j)
{
    return j->o.trajectories || (j->o.plot && j->run.vars);
}

int vinc_sweep_of(vinc_model *model, const vinc_sweep_options *options, vinc_sweep **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_ctx *ctx = model->ctx;
    if (ctx->gone) return VINC_E_OPTION;
    sweep_job *j = sweep_job_new(ctx, options);
    if (!j) return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    j->model = model;
    j->run = j->o.run ? *j->o.run : (vinc_sim_options){0};
    j->run.progress = NULL;
    j->run.log_line = NULL;
    j->run.log = NULL;
    j->run.verify = j->run.chart = 0;
    if (!wants_curves(j)) j->run.vars = NULL, j->run.intervals = 0;
    else j->run.only_vars = j->run.vars != NULL;
    if (wants_curves(j) && !j->run.intervals) j->run.intervals = CURVES_INTERVALS;
    j->told.model = model->source;
    return sweep_job_end(j, run_sweep(j), out);
}

/* ---- lists ----------------------------------------------------------------------------------- */

const char *vinc_sweep_distribution(int i)
{
    for (int k = 0; sweep_distributions[k].name; k++)
        if (k == i) return sweep_distributions[k].name;
    return NULL;
}

const char *vinc_sweep_distribution_summary(int i)
{
    return vinc_sweep_distribution(i) ? sweep_distributions[i].summary : NULL;
}

const char *vinc_sweep_functional(int i)
{
    for (int k = 0; collect_words[k].name; k++)
        if (k == i) return collect_words[k].written;
    return NULL;
}

const char *vinc_sweep_functional_summary(int i)
{
    return vinc_sweep_functional(i) ? collect_words[i].summary : NULL;
}
