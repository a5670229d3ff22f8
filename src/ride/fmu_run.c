/* Runs of FMUs behind the public header: options, opening, initialization, the end.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ride/ride.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The last row at or before t; side: of rows at t itself, the last one or the one before. */
static size_t held_row(const result *r, double t, result_side side)
{
    size_t low = 0, high = r->n_rows; // rows before low are not after t
    while (low < high) {
        size_t middle = (low + high) / 2;
        double at = result_time(r, middle);
        if (at < t || (at == t && side == RESULT_RIGHT)) low = middle + 1;
        else high = middle;
    }
    return low ? low - 1 : 0;
}

void fmu_inputs(vinc_fmu *f, double t)
{
    const plan_table *table = &f->table;
    result_side side = t > f->t_event ? RESULT_LEFT : RESULT_RIGHT;
    for (int i = 0; i < f->plan.n_inputs; i++) {
        double *to = &f->seat.box->inputs[i];
        if (table->held[i])
            *to = result_value(table->r, table->columns[i], held_row(table->r, t, side));
        else result_at(table->r, table->columns[i], t, side, to);
    }
}

double fmu_next_break(void *user, double t)
{
    const vinc_fmu *f = user;
    const result *r = f->table.r;
    double when;
    if (!r) return INFINITY;
    double jump = result_next_break(r, t, &when) ? when : INFINITY;
    for (size_t k = held_row(r, t, RESULT_RIGHT) + 1; k < r->n_rows; k++) {
        if (result_time(r, k) >= jump) break;
        for (int i = 0; i < f->plan.n_inputs && result_time(r, k) > t; i++)
            if (f->table.held[i] && result_value(r, f->table.columns[i], k) !=
                                        result_value(r, f->table.columns[i], k - 1))
                return result_time(r, k);
    }
    return jump;
}

bool fmu_ask(vinc_fmu *f, box_request request, unsigned ask)
{
    f->calls++;
    return import_ask(&f->seat, request, ask);
}

/* ---- options --------------------------------------------------------------------------------- */

static const char *copied(vinc_fmu *f, const char *words)
{
    return words ? arena_strndup(&f->file.a, words, strlen(words)) : NULL;
}

static int refuse_options(vinc_fmu *f, const char *code, const char *words)
{
    diag_error(&f->ctx->diags, code, (span){0}, "%s", words);
    return VINC_E_OPTION;
}

/* Command line, then the experiment of the FMU, then defaults. */
static void settle_options(vinc_fmu *f)
{
    enum { DEFAULT_INTERVALS = 500 };
    const fmi_description *d = &f->file.f.d;
    const vinc_sim_options *o = &f->run;
    sim_options *r = &f->options;
    double step =
        f->plan.steps && !(o->step > 0) && !o->intervals && d->step > 0 ? d->step : o->step;
    if (f->plan.steps && f->plan.kind->fixed_step > 0 && !(o->step > 0) && !o->intervals)
        step = f->plan.kind->fixed_step;
    r->t_start = o->has_start ? o->t_start : isfinite(d->start) ? d->start : 0;
    r->t_stop = o->has_stop ? o->t_stop : isfinite(d->stop) ? d->stop : r->t_start + 1;
    r->rel_tol = o->rel_tol > 0 ? o->rel_tol : d->tolerance > 0 ? d->tolerance : 1e-6;
    r->abs_tol = o->abs_tol;
    r->step = step;
    r->exact_newton = o->step > 0 && o->rel_tol == 0;
    r->max_steps = o->max_steps;
    r->intervals = o->intervals > 0 ? o->intervals : r->step > 0 ? 0 : DEFAULT_INTERVALS;
    r->method = o->method;
}

static int check_options(vinc_fmu *f)
{
    const vinc_sim_options *given = &f->run;
    const sim_options *o = &f->options;
    double opt[METHOD_OPTIONS_MAX];
    char why[METHOD_WHY];
    const double sizes[] = {given->rel_tol, given->abs_tol, given->step, given->intervals,
                            (double)given->max_steps};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!sim_is_size(sizes[i]))
            return refuse_options(
                f, "C105",
                "tolerances, steps and intervals must be positive, or 0 for the default");
    if (!(o->t_stop >= o->t_start) || !isfinite(o->t_start) || !isfinite(o->t_stop))
        return refuse_options(f, "C110", "the stop time lies before the start time");
    if (o->rel_tol < 1e-14 && !(o->step > 0))
        return refuse_options(f, "C111", "the smallest tolerance that means anything is 1e-14");
    if (given->formulation || given->init_as_given || given->equilibrium || given->verify ||
        given->chart || given->linear || given->follow || given->lend)
        return refuse_options(
            f, "F184",
            "of an FMU there are no equations: formulations, --linear, --init, --equilibrium, "
            "--verify and charts of steps are for models");
    if (f->plan.steps && given->method)
        return refuse_options(
            f, "F184",
            "a co-simulation FMU brings its own method; take --type me if it is for "
            "model exchange, too");
    if (o->method && !method_find(o->method, opt, why)) return refuse_options(f, "C140", why);
    return VINC_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int choose_kind(vinc_fmu *f, int wanted, bool *steps)
{
    const fmi_description *d = &f->file.f.d;
    bool exchange = d->exchange.node >= 0, own = d->steps.node >= 0;
    if (wanted == VINC_FMU_EXCHANGE || (!wanted && exchange)) {
        *steps = false;
        if (exchange) return VINC_OK;
    } else {
        *steps = true;
        if (own) return VINC_OK;
    }
    diag_error(&f->ctx->diags, "F185", (span){0}, "%s is not for %s", f->file.path,
               exchange || own
                   ? (*steps ? "co-simulation" : "model exchange")
                   : "model exchange or co-simulation, and scheduled execution cannot be run");
    return VINC_E_OPTION;
}

static int open_table(vinc_fmu *f)
{
    result_fault fault = {0};
    if (!f->run.input_csv) return VINC_OK;
    int rc = result_read(&f->ctx->m, f->run.input_csv, &result_csv, &f->table.r, &fault);
    if (rc < 0) return api_finish(f->ctx, rc, &fault);
    if (f->table.r->n_rows) return VINC_OK;
    diag_error(&f->ctx->diags, "C120", (span){0}, "'%s' has no rows", f->run.input_csv);
    return VINC_E_OPTION;
}

typedef struct fmu_job {
    vinc_fmu *f;
    const char *path;
    const vinc_fmu_options *o;
} fmu_job;

static int fmu_open(void *job)
{
    fmu_job *j = job;
    vinc_fmu *f = j->f;
    bool steps;
    double begin = api_clock();
    f->file = (import_file){
        .m = &f->ctx->m, .diags = &f->ctx->diags, .sources = &f->ctx->library.sources};
    watch_doing(&f->ctx->watch, "reading", j->path);
    int rc = import_open(&f->file, j->path);
    if (rc) return rc;
    f->file.path = copied(f, j->path);
    if (j->o->run) f->run = *j->o->run;
    f->run.method = copied(f, f->run.method);
    f->run.input_csv = copied(f, f->run.input_csv);
    f->run.vars = copied(f, f->run.vars);
    f->in_process = j->o->in_process;
    f->where = copied(f, j->o->folder ? j->o->folder : "/tmp");
    f->name = f->file.f.d.name ? f->file.f.d.name : "FMU";
    rc = choose_kind(f, j->o->kind, &steps);
    if (!rc) rc = open_table(f);
    plan_input in = {.n_settings = j->o->n_settings,
                     .settings = j->o->settings,
                     .steps = steps,
                     .table = &f->table,
                     .table_name = f->run.input_csv};
    vinc_setting *settings = arena_array(&f->file.a, vinc_setting, in.n_settings + 1);
    for (int i = 0; i < in.n_settings; i++)
        settings[i] =
            (vinc_setting){copied(f, in.settings[i].name), copied(f, in.settings[i].value)};
    in.settings = settings;
    if (!rc) rc = import_plan_make(&f->plan, &f->file, &in, &f->set);
    if (rc) return rc;
    settle_options(f);
    rc = check_options(f);
    if (!rc && f->plan.kind->needs_tool)
        diag_warning(&f->ctx->diags, "F186", (span){0},
                     "%s needs the tool that made it, which it looks for by itself", f->file.path);
    f->wall_open = api_clock() - begin;
    return rc;
}

int vinc_fmu_open(vinc_ctx *ctx, const char *path, const vinc_fmu_options *options, vinc_fmu **out)
{
    if (out) *out = NULL;
    if (!ctx || !path || !out) return api_lacks(ctx, "a path and a where for the FMU");
    if (options && !api_are_settings(options->settings, options->n_settings))
        return api_lacks(ctx, "a name and a value in every setting");
    vinc_fmu_options none = {0};
    mem plain = {.resize = ctx->m.resize, .user = ctx->m.user, .zeroed = ctx->m.zeroed};
    vinc_fmu *f = mem_try(&plain, sizeof *f);
    if (!f) return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    *f = (vinc_fmu){.ctx = ctx, .m = plain, .t_event = -INFINITY};
    f->watch.limits = &ctx->limits;
    f->m.watch = &f->watch;
    f->result.ctx = ctx;
    f->seat.leash = f->seat.fd = -1;
    text_init(&f->result.out, &ctx->m);
    api_ctx_hold(ctx);
    fmu_job j = {f, path, options ? options : &none};
    int rc = api_guarded(ctx, fmu_open, &j);
    if (rc) vinc_fmu_free(f);
    else *out = f;
    return rc;
}

void vinc_fmu_free(vinc_fmu *f)
{
    if (!f) return;
    vinc_ctx *ctx = f->ctx;
    mem plain = f->m;
    import_seat_close(&f->seat);
    api_clear_result(&f->result);
    result_free(f->result.r);
    result_free(f->table.r);
    text_done(&f->result.out);
    if (f->ran) text_done(&f->done.message);
    import_close(&f->file);
    mem_free(&plain, f, sizeof *f);
    api_ctx_release(ctx);
}

/* ---- the run --------------------------------------------------------------------------------- */

static int pass_progress(void *user, const sim_progress *p)
{
    vinc_fmu *f = user;
    return f->run.progress(f->run.user, &(vinc_progress){p->t, p->t_start, p->t_stop, p->steps});
}

static void pass_log(void *user, const char *topic, const char *line)
{
    vinc_fmu *f = user;
    f->run.log_line(f->run.user, topic, line);
}

/* What the FMU said itself, a warning each line; the first ones. */
static void pass_words(vinc_fmu *f)
{
    enum { LINES_MAX = 10 };
    import_box *b = f->seat.box;
    const char *p = b->log;
    for (int i = 0; i < LINES_MAX && *p; i++) {
        size_t n = strcspn(p, "\n");
        diag_warning(&f->ctx->diags, "F187", (span){0}, "the FMU says: %.*s", (int)n, p);
        p += n + (p[n] == '\n');
    }
    b->n_log = 0;
    b->log[0] = 0;
}

static int fail_begin(vinc_fmu *f, const char *doing)
{
    text words;
    if (f->seat.box->status == BOX_STOPPED) return VINC_E_LIMIT; // the watch of the run knows why
    text_init(&words, &f->ctx->m);
    import_seat_words(&f->seat, &words);
    diag_error(&f->ctx->diags, "F180", (span){0}, "%s: %s: %s", f->file.path, doing,
               text_str(&words));
    text_done(&words);
    pass_words(f);
    return f->seat.box->status == BOX_NO_LIBRARY ? VINC_E_MODEL : VINC_E_EVALUATION;
}

static int declare_result(vinc_fmu *f)
{
    int rc = result_new(&f->ctx->m, &f->result.r);
    if (rc >= 0) rc = import_declare(&f->plan, f->seat.box->fixed, f->result.r);
    if (rc < 0) return VINC_E_MEMORY;
    result_selection selection;
    result_fault fault = {0};
    if (!f->run.vars) return VINC_OK;
    rc = result_add_formulas(f->result.r, f->run.vars, &fault);
    if (rc >= 0) rc = result_select(f->result.r, f->run.vars, &selection, &fault);
    if (rc < 0) return api_finish(f->ctx, rc, &fault);
    result_selection_done(&selection);
    return VINC_OK;
}

/* Loaded, initialized, and its columns declared. */
static int fmu_begin(void *job)
{
    vinc_fmu *f = job;
    double begin = api_clock();
    import_seat_close(&f->seat);
    result_free(f->result.r);
    f->result.r = NULL;
    watch_doing(&f->watch, "initializing", f->file.path);
    int rc = import_seat_prepare(&f->seat, &f->file, &f->plan, f->where);
    if (!rc) rc = import_seat_begin(&f->seat, f->in_process, &f->watch);
    if (rc) return rc;
    import_box *b = f->seat.box;
    b->start = f->options.t_start;
    b->stop = f->options.t_stop;
    b->tolerance = f->options.rel_tol;
    f->t_event = b->start;
    memcpy(b->set, f->set, (size_t)f->plan.n_set * sizeof *b->set);
    if (!fmu_ask(f, BOX_OPEN, 0)) return fail_begin(f, "it cannot be loaded");
    if (!fmu_ask(f, BOX_SET, 0)) return fail_begin(f, "it does not take the values of -p");
    fmu_inputs(f, b->start);
    if (!fmu_ask(f, BOX_INITIALIZE, BOX_ALL_INPUTS))
        return fail_begin(f, "it cannot be initialized");
    if (!fmu_ask(f, BOX_EVALUATE, BOX_FIXED)) return fail_begin(f, "its parameters cannot be read");
    rc = declare_result(f);
    f->wall_init = api_clock() - begin;
    return rc;
}

/* The first row at which a column is no number; n_rows: none. */
static size_t first_undefined(const result *r, int column)
{
    size_t k = 0;
    while (k < r->n_rows && isfinite(result_value(r, column, k))) k++;
    return k;
}

/* Values that are no numbers are recorded as they are; that they are there is said. */
static void tell_undefined(vinc_fmu *f)
{
    const result *r = f->result.r;
    size_t first = r ? r->n_rows : 0;
    int which = -1, others = -1;
    for (int c = 1; r && c < r->n_columns; c++) {
        size_t k = first_undefined(r, c);
        if (k == r->n_rows) continue;
        others++;
        if (k < first) first = k, which = c;
    }
    if (which < 0) return;
    char also[60] = "";
    if (others)
        snprintf(also, sizeof also, ", and %d other variable%s", others, others > 1 ? "s" : "");
    diag_warning(&f->ctx->diags, "F188", (span){0},
                 "the FMU gives values that are no finite numbers: '%s' at t = %.10g%s",
                 r->columns[which].name, result_value(r, 0, first), also);
}

static int fmu_conclude(void *job)
{
    vinc_fmu *f = job;
    const sim_outcome *done = &f->done;
    if (done->status < 0) {
        diag_error(&f->ctx->diags, method_status_code(done->status), (span){0}, "%s",
                   done->message.n ? text_str(&done->message) : "the simulation stopped");
        if (done->t_end > f->options.t_start)
            diag_note(&f->ctx->diags, (span){0}, "the result is kept up to t = %.10g", done->t_end);
    }
    tell_undefined(f);
    pass_words(f);
    return VINC_OK;
}

/* A time limit that ended the process of the FMU is the reason, and not its death. */
static int heed_watch(vinc_fmu *f, int rc)
{
    char words[WATCH_WORDS];
    watch_cause cause = f->watch.cause;
    if (cause == WATCH_GOES_ON || rc == VINC_OK || rc == VINC_TERMINATED) return rc;
    text_clear(&f->done.message);
    text_printf(&f->done.message, "%s, at t = %.10g", watch_words(&f->watch, cause, words),
                f->done.t_end);
    return f->done.status = cause == WATCH_INTERRUPTED ? VINC_STOPPED : VINC_E_LIMIT;
}

int vinc_fmu_simulate(vinc_fmu *f)
{
    if (!f) return VINC_E_MEMORY;
    if (f->ctx->gone) return VINC_E_OPTION; // freed, and with it whoever could be told
    if (f->ran) text_done(&f->done.message);
    f->ran = false;
    api_clear_result(&f->result);
    watch_begin(&f->watch, f->run.max_time);
    int rc = api_guarded(f->ctx, fmu_begin, f);
    if (rc && f->seat.box && f->seat.box->status == BOX_STOPPED)
        rc = api_end_work(f->ctx, &f->watch, rc);
    if (rc) return import_seat_close(&f->seat), rc;
    double begin = api_clock();
    f->options.progress = f->run.progress ? pass_progress : NULL;
    f->options.log_line = f->run.log_line ? pass_log : NULL;
    f->options.user = f;
    watch_doing(&f->watch, "running", f->file.path);
    rc = f->plan.steps ? fmu_steps(f) : fmu_exchange(f);
    f->ran = true;
    rc = heed_watch(f, rc);
    if (rc >= 0 && rc != VINC_TERMINATED) fmu_ask(f, BOX_TERMINATE, 0);
    watch_doing(&f->watch, NULL, NULL);
    f->wall_integrate = api_clock() - begin;
    if (api_said(f->ctx, fmu_conclude, f)) api_end_work(f->ctx, &f->watch, VINC_E_MEMORY);
    import_seat_close(&f->seat);
    return rc;
}

vinc_result *vinc_fmu_result(vinc_fmu *f)
{
    return f && f->result.r ? &f->result : NULL;
}
