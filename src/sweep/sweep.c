/* vinc_sweep_of: plan, check, run, deliver.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep.h"

#include "api/run.h"
#include "base/plugin.h"
#include "base/sha256.h"
#include "result/whole_file.h"
#include "sweep/farm.h"
#include "sweep/statistics.h"
#include "sweep/sweep_figure.h"
#include "sweep/sweep_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double SECONDS_TO_FLUSH = 0.5, SECONDS_TO_TELL = 0.2;
enum { WINDOW_BYTES = 1 << 25, WINDOW_MOST = 1 << 16, WINDOW_LEAST = 1024, JOBS_MOST = 1024 };

typedef struct part_store { // the journal of a part
    const char *path;
    sweep_store *store;
    const sweep_heading *h;
    uint64_t done;
} part_store;

enum { CURVES_VARS = 6, CURVES_POINTS = 401, CURVES_INTERVALS = 200, NAME_BYTES = 200 };

typedef struct kept_curves { // of runs that are drawn
    pthread_mutex_t lock;
    uint64_t first, stride; // every so many runs
    int n_runs, n_points, n_vars;
    char names[CURVES_VARS][NAME_BYTES];
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
    sweep_heading heading;
    double t_start, t_stop, tolerance;
    int jobs;
    char *journal; // its path; NULL: in memory
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

static int refuse_sweep(sweep_job *j, const char *code, const char *words)
{
    diag_error(&j->ctx->diags, code, (span){0}, "%s", words);
    return VINC_E_OPTION;
}

static int refuse_fault(sweep_job *j, int rc)
{
    const result_fault *f = &j->fault;
    if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY;
    diag_error(&j->ctx->diags, f->code[0] ? f->code : "C192", (span){0}, "%s", f->text);
    return rc == RESULT_E_WRITE ? VINC_E_WRITE : VINC_E_OPTION;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* Without a wish: the values of the states at the end. */
static const char *default_collect(sweep_job *j, vinc_sim *sim)
{
    enum { STATES_MOST = 20 };
    const vinc_problem *p = run_problem(sim->state);
    text t;
    int n = 0;
    text_init(&t, &j->ctx->m);
    for (int i = 0; i < p->n && n < STATES_MOST; i++) {
        if (p->differential && !p->differential[i]) continue;
        const char *name = p->unknown_name ? p->unknown_name(p->user, i) : NULL;
        if (name) text_printf(&t, "%sfinal(%s)", n++ ? "; " : "", name);
    }
    const char *words = arena_strndup(&j->a, text_str(&t), t.n);
    text_done(&t);
    return words;
}

/* Everything that the numbers depend on. */
static const char *identity_of(sweep_job *j, const char *collect)
{
    const vinc_sim_options *r = &j->run;
    sha256 sum;
    char flat[SHA256_BASE64];
    const char *words = vinc_model_flat(j->model);
    sha256_init(&sum);
    sha256_add(&sum, words, strlen(words));
    sha256_base64(&sum, flat);
    text t;
    text_init(&t, &j->ctx->m);
    text_printf(&t,
                "vincolo %s\nmodel %s\ncollect %s\nseed %llu design %d samples %llu indices %d\n",
                vinc_version(), flat, collect, (unsigned long long)j->plan.seed,
                (int)j->plan.design, (unsigned long long)j->plan.samples, j->plan.indices);
    text_printf(&t, "from %.17g to %.17g tol %.17g %.17g step %.17g steps %ld\n", j->t_start,
                j->t_stop, j->tolerance, r->abs_tol, r->step, r->max_steps);
    text_printf(&t, "method %s formulation %s linear %s input %s init %d intervals %d\n",
                r->method ? r->method : "", r->formulation ? r->formulation : "",
                r->linear ? r->linear : "", r->input_csv ? r->input_csv : "", r->init_as_given,
                r->intervals);
    for (int i = 0; i < j->plan.n_axes; i++) {
        const sweep_axis *x = &j->plan.axes[i];
        text_printf(&t, "vary %s", x->name);
        if (x->distribution)
            text_printf(&t, " %s %.17g %.17g %.17g\n", x->distribution->name, x->arguments[0],
                        x->arguments[1], x->arguments[2]);
        if (x->distribution) continue;
        uint64_t n = j->plan.groups[x->group].n;
        sha256_init(&sum);
        sha256_add(&sum, x->values, n * sizeof *x->values);
        sha256_base64(&sum, flat);
        text_printf(&t, " %d %llu %s\n", x->group, (unsigned long long)n, flat);
    }
    const char *kept = arena_strndup(&j->a, text_str(&t), t.n);
    text_done(&t);
    return kept;
}

static void fill_heading(sweep_job *j, const char *collect)
{
    sweep_plan *p = &j->plan;
    const char **parameters = arena_array(&j->a, const char *, p->n_axes + 1);
    const char **values = arena_array(&j->a, const char *, j->collect.n_items + 1);
    for (int i = 0; i < p->n_axes; i++) parameters[i] = p->axes[i].name;
    for (int i = 0; i < j->collect.n_items; i++) values[i] = j->collect.items[i].name;
    j->heading = (sweep_heading){.identity = identity_of(j, collect),
                                 .class_name = j->model->flat->name,
                                 .parameters = parameters,
                                 .values = values,
                                 .n_parameters = p->n_axes,
                                 .n_values = j->collect.n_items,
                                 .total = p->total,
                                 .first = p->first,
                                 .last = p->last,
                                 .samples = p->samples,
                                 .per_sample = p->indices ? (uint64_t)p->n_random + 2 : 1,
                                 .n_random = p->n_random,
                                 .axis = -1,
                                 .second_axis = -1};
    for (int g = 0; g < p->n_groups; g++) {
        if (!p->groups[g].grid || p->n_groups > 2) continue;
        if (j->heading.axis < 0) {
            j->heading.axis = p->groups[g].axis;
            j->heading.grid = p->groups[g].n;
        } else {
            j->heading.second_axis = p->groups[g].axis;
            j->heading.second_grid = p->groups[g].n;
        }
    }
    if (p->n_groups == 2 && j->heading.second_axis < 0) j->heading.axis = -1;
}

static bool wants_curves(const sweep_job *j)
{
    return j->o.trajectories || (j->o.plot && j->run.vars);
}

/* One run is made ready, so that names, structure and options are judged before any of them begins. */
static int check_one_run(sweep_job *j, const char **collect)
{
    vinc_sim *sim = NULL;
    double values[SWEEP_AXES_MOST];
    int rc = api_sim_new(j->model, &j->run, &sim);
    sweep_plan_values(&j->plan, 0, values);
    for (int i = 0; i < j->plan.n_axes && !rc; i++)
        rc = vinc_sim_set(sim, j->plan.axes[i].name, values[i]);
    if (!rc) {
        diag_sink *d = &j->ctx->diags;
        j->t_start = sim->options.t_start;
        j->t_stop = sim->options.t_stop;
        j->tolerance = sim->options.rel_tol;
        *collect = j->o.collect ? j->o.collect : default_collect(j, sim);
        if (!sweep_collect_read(&j->collect, *collect, &j->a, d) ||
            !sweep_collect_bind(&j->collect, sim, j->t_start, j->t_stop, &j->a, d))
            rc = VINC_E_OPTION;
    }
    vinc_sim_free(sim);
    return rc;
}

static const char *const shows[SWEEP_FIGURES] = {"curves", "response", "histogram", "scatter"};

static int check_show(sweep_job *j)
{
    if (!j->o.show || !strcmp(j->o.show, "all")) return VINC_OK;
    for (int i = 0; i < SWEEP_FIGURES; i++)
        if (!strcmp(j->o.show, shows[i])) return VINC_OK;
    char words[300];
    snprintf(words, sizeof words,
             "--show '%.100s': a sweep shows curves, response, histogram or scatter", j->o.show);
    return refuse_sweep(j, "C190", words);
}

static int make_plan(void *job)
{
    sweep_job *j = job;
    const vinc_sweep_options *o = &j->o;
    sweep_request r = {.vary = o->vary,
                       .n_vary = o->n_vary,
                       .samples = (double)o->samples,
                       .design = o->design,
                       .seed = o->seed,
                       .indices = o->indices,
                       .part = o->part,
                       .parts = o->parts};
    if (o->jobs < 0 || o->jobs > JOBS_MOST)
        return refuse_sweep(j, "C190", "the number of threads lies between 1 and 1024");
    if (o->n_vary < 0 || (o->n_vary && !o->vary) || o->samples < 0)
        return refuse_sweep(j, "C190", "what is varied is a list, and samples are not negative");
    int shown = check_show(j);
    if (shown) return shown;
    if (!sweep_plan_make(&j->plan, &r, &j->a, &j->ctx->diags)) return VINC_E_OPTION;
    const char *collect = NULL;
    int rc = check_one_run(j, &collect);
    if (rc) return rc;
    j->run.follow_inside = j->collect.inside;
    j->run.ends = j->collect.ends;
    j->run.n_ends = j->collect.n_ends;
    fill_heading(j, collect);
    return VINC_OK;
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

static int open_places(void *job)
{
    sweep_job *j = job;
    const vinc_sweep_options *o = &j->o;
    char words[500];
    if (o->resume && !o->out)
        return refuse_sweep(j, "C193", "to resume a sweep, name the file of its rows: --out FILE");
    if (o->trajectories && mkdir(o->trajectories, 0777) && errno != EEXIST) {
        snprintf(words, sizeof words, "the folder '%.300s' for trajectories cannot be made: %s",
                 o->trajectories, strerror(errno));
        return refuse_sweep(j, "C192", words);
    }
    if (!o->out) return VINC_OK;
    j->format = sweep_format_of(o->out, &j->fault);
    if (!j->format) return refuse_fault(j, RESULT_E_OPEN);
    char tail[60] = ".runs";
    if (o->parts) snprintf(tail, sizeof tail, ".%d-of-%d.runs", o->part, o->parts);
    j->journal = path_with(&j->a, o->out, tail);
    if (o->resume && !file_exists(j->journal)) {
        bool whole = !o->parts && file_exists(o->out);
        snprintf(words, sizeof words,
                 whole ? "'%.300s' is complete: nothing is left to resume"
                       : "there is nothing to resume: '%.300s' does not exist",
                 whole ? o->out : j->journal);
        return refuse_sweep(j, "C193", words);
    }
    result_file f; // can the file be made at all?
    int rc = result_file_open(&f, &j->m, o->out, &j->fault);
    if (rc) return refuse_fault(j, rc);
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

/* ---- curves ---------------------------------------------------------------------------------- */

static int new_curves(sweep_job *j)
{
    kept_curves *c = &j->curves;
    uint64_t runs = j->heading.last - j->heading.first;
    if (!j->o.plot || !j->run.vars) return VINC_OK;
    c->first = j->heading.first;
    c->stride = runs / SWEEP_CURVES_MOST + (runs % SWEEP_CURVES_MOST != 0);
    if (!c->stride) return VINC_OK;
    c->n_runs = (int)((runs + c->stride - 1) / c->stride);
    c->n_points = j->run.intervals < CURVES_POINTS ? j->run.intervals + 1 : CURVES_POINTS;
    for (int i = 0; i < c->n_points; i++)
        c->t[i] = j->t_start + (j->t_stop - j->t_start) * i / (c->n_points - 1);
    size_t n = (size_t)c->n_runs * CURVES_VARS * (size_t)c->n_points;
    c->bytes = n * sizeof *c->values;
    c->values = mem_try(&j->m, c->bytes);
    if (!c->values) return VINC_E_MEMORY;
    for (size_t i = 0; i < n; i++) c->values[i] = NAN;
    pthread_mutex_init(&c->lock, NULL);
    return VINC_OK;
}

static void free_curves(sweep_job *j)
{
    if (!j->curves.values) return;
    pthread_mutex_destroy(&j->curves.lock);
    mem_free(&j->m, j->curves.values, j->curves.bytes);
    j->curves.values = NULL;
}

/* The curves of a run at the times of the figure; from any thread. */
static int keep_run(void *user, uint64_t run, vinc_result *rows)
{
    sweep_job *j = user;
    kept_curves *c = &j->curves;
    const result *r = rows ? rows->r : NULL;
    uint64_t k = run - c->first;
    if (!c->values || k % c->stride || !r || !r->n_rows) return VINC_OK;
    int list[CURVES_VARS], n = 0;
    for (int i = 1; i < r->n_columns && n < CURVES_VARS; i++)
        if (!r->columns[i].constant && r->columns[i].alias_of < 0) list[n++] = i;
    pthread_mutex_lock(&c->lock);
    for (; c->n_vars < n; c->n_vars++) {
        snprintf(c->names[c->n_vars], NAME_BYTES, "%s", r->columns[list[c->n_vars]].name);
        c->name[c->n_vars] = c->names[c->n_vars];
    }
    pthread_mutex_unlock(&c->lock);
    for (int v = 0; v < n; v++)
        for (int i = 0; i < c->n_points; i++) {
            uint64_t begin = (k / c->stride * CURVES_VARS + (uint64_t)v) * (uint64_t)c->n_points;
            double x;
            if (result_at(r, list[v], c->t[i], RESULT_RIGHT, &x) == RESULT_OK)
                c->values[begin + (uint64_t)i] = (float)x;
        }
    return VINC_OK;
}

static int run_all(sweep_job *j)
{
    size_t row = (size_t)(j->heading.n_parameters + j->heading.n_values + 2) * sizeof(double);
    uint64_t window = WINDOW_BYTES / row, first = j->heading.first + j->found;
    if (window > WINDOW_MOST) window = WINDOW_MOST;
    if (window < WINDOW_LEAST) window = WINDOW_LEAST;
    sweep_work w = {.model = j->model,
                    .run = &j->run,
                    .plan = &j->plan,
                    .collect = &j->collect,
                    .t_start = j->t_start,
                    .tolerance = j->tolerance,
                    .trajectories = j->o.trajectories,
                    .curves = j->curves.values ? keep_run : NULL,
                    .user = j,
                    .m = &j->m};
    long processors = j->farm.size ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t left = j->heading.last - first;
    j->jobs = j->o.jobs ? j->o.jobs : processors > 0 ? (int)processors : 1;
    if (j->farm.rank) return sweep_farm_work(&j->farm, &sweep_by_processor, &w, j->jobs);
    if (!left) return VINC_OK;
    if ((uint64_t)j->jobs > left) j->jobs = (int)left;
    int rc =
        sweep_hand_new(&j->m, first, j->heading.last, j->heading.n_parameters + j->heading.n_values,
                       window, &(sweep_taker){take_rows, j}, &j->hand);
    if (!rc && j->farm.size > 1)
        rc = sweep_farm_lead(&j->farm, &sweep_by_processor, &w, j->hand, j->jobs);
    else if (!rc) rc = sweep_pool_run(&sweep_by_processor, &w, j->hand, j->jobs);
    sweep_hand_free(j->hand);
    return rc;
}

/* ---- delivering ------------------------------------------------------------------------------ */

static int draw_sweep(sweep_job *j)
{
    const vinc_sweep_options *o = &j->o;
    const kept_curves *c = &j->curves;
    sweep_curves curves = {c->n_runs, c->n_points, c->n_vars, CURVES_VARS,
                           c->name,   c->t,        c->values};
    sweep_picture p = {.store = j->store,
                       .h = &j->heading,
                       .told = &j->told,
                       .curves = c->values && c->n_vars ? &curves : NULL};
    if (o->figure) p.o = *o->figure;
    if (plot_is_page(o->plot)) {
        int rc = sweep_page(&j->m, &p, o->plot, &j->fault);
        return rc ? refuse_fault(j, rc) : VINC_OK;
    }
    plot_figure *f = NULL;
    int rc = RESULT_OK;
    for (int i = 0; i < SWEEP_FIGURES && !f && !rc; i++)
        if (!o->show || !strcmp(o->show, "all") || !strcmp(o->show, shows[i]))
            rc = sweep_figure(&j->m, &p, i, &f, &j->fault);
    if (!rc && !f)
        return refuse_sweep(j, "C190",
                            "there is nothing to draw: --show curves needs --vars, --show response "
                            "one or two grids, the others what is random or a file");
    plot_chart chart = {p.o.columns, p.o.colour != 0, &j->chart};
    if (!rc) rc = plot_write(f, o->plot, &chart, &j->fault);
    plot_free(f);
    if (rc < 0) return refuse_fault(j, rc);
    if (!strcmp(o->plot, "-")) j->told.chart = text_str(&j->chart);
    return VINC_OK;
}

static int tell_sweep(void *job)
{
    sweep_job *j = job;
    vinc_sweep *t = &j->told;
    uint64_t runs = j->heading.last - j->heading.first;
    t->class_name = j->heading.class_name;
    t->runs = (long)runs;
    t->parameters = j->heading.parameters;
    t->n_parameters = j->heading.n_parameters;
    int rc = sweep_statistics(&j->a, j->store, &j->heading, t, &j->fault);
    if (rc) return refuse_fault(j, rc);
    bool whole = (uint64_t)t->done == runs;
    t->status = whole ? "done" : "stopped";
    if (whole && j->o.parts) t->out = j->journal; // to be merged
    else if (whole && j->format) {
        rc = j->format->write(&j->m, j->store, &j->heading, runs, j->o.out, &j->fault);
        if (rc) return refuse_fault(j, rc);
        t->out = j->o.out;
    }
    return j->o.plot ? draw_sweep(j) : VINC_OK;
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
    if (rc == VINC_E_WRITE && j->fault.code[0]) refuse_fault(j, RESULT_E_WRITE);
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
        return refuse_sweep(
            j, "C195",
            "curves of runs are not sent from process to process: --trajectories and "
            "--plot with --vars are for one process");
    const sweep_transport *t = plugin_open(&kind, why, sizeof why);
    if (!t) return refuse_sweep(j, "C195", why);
    if (t->open(&j->farm.rank, &j->farm.size))
        return refuse_sweep(j, "C195", "MPI cannot be begun: start the command by mpirun");
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
    int rc = api_guarded(j->ctx, make_plan, j);
    if (!rc) rc = api_guarded(j->ctx, open_farm, j);
    if (!rc && j->farm.rank) return run_worker(j);
    if (!rc) rc = api_guarded(j->ctx, open_places, j);
    if (!rc) {
        rc = sweep_store_open(&j->m, j->journal, &j->heading, j->o.resume, &j->store, &j->found,
                              &j->fault);
        if (rc) {
            api_lock(j->ctx);
            rc = refuse_fault(j, rc);
            api_unlock(j->ctx);
        }
    }
    if (rc) return rc;
    rc = new_curves(j);
    if (rc) return rc;
    j->done = j->found;
    j->begin = j->flushed = j->shown = api_clock();
    rc = end_of_runs(j, run_all(j));
    if (rc < 0) return rc;
    j->told.jobs = j->jobs;
    j->told.seconds = api_clock() - j->begin;
    uint64_t made = j->done - j->found;
    j->told.rate = made && j->told.seconds > 0 ? (double)made / j->told.seconds : NAN;
    int told = api_delivered(j->ctx, tell_sweep, j);
    return told ? told : rc;
}

static int keep_told(void *job)
{
    sweep_job *j = ((void **)job)[0];
    return told_keep(&j->ctx->limits.below, &sweep_told, &j->told, ((void **)job)[1]);
}

static sweep_job *new_job(vinc_ctx *ctx, const vinc_sweep_options *options)
{
    mem plain = {.resize = ctx->m.resize, .user = ctx->m.user};
    sweep_job *j = mem_try(&plain, sizeof *j);
    if (!j) return NULL;
    *j = (sweep_job){.ctx = ctx, .m = plain};
    if (options) j->o = *options;
    arena_init(&j->a, &ctx->m);
    text_init(&j->chart, &ctx->m);
    return j;
}

/* What was found goes to the caller, and the journal, if it has become a file. */
static int end_job(sweep_job *j, int rc, vinc_sweep **out)
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
    free_curves(j);
    text_done(&j->chart);
    arena_done(&j->a);
    mem m = j->m;
    mem_free(&m, j, sizeof *j);
    return rc;
}

int vinc_sweep_of(vinc_model *model, const vinc_sweep_options *options, vinc_sweep **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_ctx *ctx = model->ctx;
    if (ctx->gone) return VINC_E_OPTION;
    sweep_job *j = new_job(ctx, options);
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
    return end_job(j, run_sweep(j), out);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int by_first_run(const void *a, const void *b)
{
    const part_store *x = a, *y = b;
    return (x->h->first > y->h->first) - (x->h->first < y->h->first);
}

typedef struct merge_job {
    sweep_job *j;
    const char *const *paths;
    int n;
} merge_job;

/* Do they follow each other, and are they of one sweep? */
static int check_parts(merge_job *g)
{
    char words[600];
    uint64_t next = 0;
    for (int i = 0; i < g->n; i++) {
        const part_store *p = &g->j->parts[i];
        unsigned long long first = p->h->first, last = p->h->last, total = p->h->total;
        words[0] = 0;
        if (strcmp(p->h->identity, g->j->parts[0].h->identity) ||
            p->h->total != g->j->parts[0].h->total)
            snprintf(words, sizeof words, "'%.200s' and '%.200s' are parts of different sweeps",
                     g->j->parts[0].path, p->path);
        else if (p->done < p->h->last - p->h->first)
            snprintf(words, sizeof words,
                     "'%.200s' has %llu of its %llu runs: finish it with --resume", p->path,
                     (unsigned long long)p->done, last - first);
        else if (first < next)
            snprintf(words, sizeof words,
                     "runs from %llu on are in two of the files; the second is '%.200s'", first,
                     p->path);
        else if (first > next)
            snprintf(words, sizeof words,
                     "a part is missing: runs %llu to %llu of %llu are in none of the files",
                     (unsigned long long)next, first - 1, total);
        if (words[0]) return refuse_sweep(g->j, "C194", words);
        next = p->h->last;
    }
    if (next == g->j->parts[0].h->total) return VINC_OK;
    snprintf(words, sizeof words,
             "a part is missing: runs from %llu on, of %llu, are in none of the files",
             (unsigned long long)next, (unsigned long long)g->j->parts[0].h->total);
    return refuse_sweep(g->j, "C194", words);
}

static int open_parts(void *job)
{
    merge_job *g = job;
    sweep_job *j = g->j;
    j->parts = arena_array(&j->a, part_store, g->n);
    for (; j->n_parts < g->n; j->n_parts++) {
        part_store *p = &j->parts[j->n_parts];
        p->path = g->paths[j->n_parts];
        int rc = sweep_store_read(&j->m, p->path, &p->store, &p->h, &p->done, &j->fault);
        if (rc) return refuse_fault(j, rc);
    }
    qsort(j->parts, (size_t)g->n, sizeof *j->parts, by_first_run);
    int rc = check_parts(g);
    if (rc) return rc;
    j->heading = *g->j->parts[0].h; // of its store, which is closed last
    j->heading.first = 0;
    j->heading.last = j->heading.total;
    return open_places(j);
}

static int append_part(void *user, const sweep_rows *rows)
{
    sweep_job *j = user;
    return sweep_store_append(j->store, rows, &j->fault);
}

static int merge_parts(merge_job *g)
{
    sweep_job *j = g->j;
    int rc = api_guarded(j->ctx, open_parts, g);
    if (rc) return rc;
    uint64_t done;
    if (j->journal) unlink(j->journal); // of a merge that was interrupted: the parts have it all
    rc = sweep_store_open(&j->m, j->journal, &j->heading, false, &j->store, &done, &j->fault);
    for (int i = 0; i < g->n && !rc; i++)
        rc = sweep_store_each(g->j->parts[i].store, append_part, j, &j->fault);
    if (!rc) rc = sweep_store_flush(j->store, &j->fault);
    if (!rc) return api_delivered(j->ctx, tell_sweep, j);
    api_lock(j->ctx);
    rc = refuse_fault(j, rc);
    api_unlock(j->ctx);
    return rc;
}

int vinc_sweep_merge(vinc_ctx *ctx, const char *const *parts, int n,
                     const vinc_sweep_options *options, vinc_sweep **out)
{
    if (out) *out = NULL;
    if (!ctx || !out || !parts || n < 1)
        return api_lacks(ctx, "files of parts, and a place for the report");
    for (int i = 0; i < n; i++)
        if (!parts[i]) return api_lacks(ctx, "the names of the parts");
    vinc_sweep_options o = {0};
    if (options) {
        o.out = options->out;
        o.plot = options->plot;
        o.show = options->show;
        o.figure = options->figure;
    }
    sweep_job *j = new_job(ctx, &o);
    if (!j) return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    merge_job g = {.j = j, .paths = parts, .n = n};
    j->told.rate = j->told.seconds = NAN;
    j->told.model = "";
    return end_job(j, merge_parts(&g), out);
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
