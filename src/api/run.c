/* vinc_sim_run: start values, integration; inputs from a table.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "method/scheme.h"
#include "run/undefined.h"
#include "run/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A change of T + V that is worth a word: at least this share of the largest kinetic energy, and so many
 * tolerances of it. Both are choices: no measurement is known. */
static const double ENERGY_SHARE_MIN = 1e-3, TOLERANCES_OF_ENERGY = 100;

/* A corner of an input that is smaller does not show (choice). */
static const double PART_OF_TOLERANCE = 0.1;

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Linear between the rows of the table, where the input is continuous; its slope is the derivative. Where a run
 * approaches a jump, the value there is the one before it, until the event takes place (input_jumps). */
static void table_inputs(void *user, double t, double *u, double *up)
{
    vinc_sim *s = user;
    const result *r = s->table;
    size_t k = s->input_row < r->n_rows ? s->input_row : 0;
    bool before = t == s->t_jump;
    if (k && (result_time(r, k) > t || before)) k = 0;
    while (k + 1 < r->n_rows && result_time(r, k + 1) <= t &&
           !(before && result_time(r, k + 1) == t))
        k++;
    s->input_row = k;
    double t0 = result_time(r, k), t1 = k + 1 < r->n_rows ? result_time(r, k + 1) : t0;
    bool inside = t1 > t0 && t >= t0;
    for (size_t i = 0; i < s->n_input_columns; i++) {
        int c = s->input_columns[i];
        if (c < 0) continue; // keeps its start value
        bool bent = inside && r->columns[c].kind == RESULT_REAL;
        double a = result_value(r, c, k), b = bent ? result_value(r, c, k + 1) : a;
        u[i] = bent ? a + (b - a) * (t - t0) / (t1 - t0) : a;
        if (up) up[i] = bent ? (b - a) / (t1 - t0) : 0;
    }
}

/* The column of a discrete input holds its values; one that is no whole number is refused where the
 * input is none, either. */
static int hold_column(vinc_sim *s, const char *path, int input)
{
    int c = s->input_columns[input];
    s->table->columns[c].kind = RESULT_INT;
    for (size_t k = 0; k < s->table->n_rows && s->code->inputs.list[input].whole; k++) {
        double value = result_value(s->table, c, k);
        if (value == floor(value)) continue;
        diag_error(s->sink, "C129", (span){0}, "'%s', row %zu: '%s' cannot be %g, it is no Real",
                   path, k + 1, s->code->inputs.list[input].name, value);
        return VINC_E_OPTION;
    }
    return VINC_OK;
}

int api_open_inputs(vinc_sim *s, const char *path)
{
    diag_sink *d = s->sink;
    result_fault fault = {0};
    int rc = result_read(&s->m, path, &result_csv, &s->table, &fault);
    if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY; // or stopped: the watch knows
    if (rc < 0) return diag_error(d, fault.code, (span){0}, "%s", fault.text), VINC_E_OPTION;
    if (s->table->n_rows == 0)
        return diag_error(d, "C120", (span){0}, "'%s' has no rows", path), VINC_E_OPTION;
    s->n_input_columns = (size_t)s->code->inputs.n;
    s->input_columns = mem_try(&s->m, s->n_input_columns * sizeof *s->input_columns);
    if (!s->input_columns) return VINC_E_MEMORY;
    for (size_t i = 0; i < s->n_input_columns && rc >= 0; i++) {
        s->input_columns[i] = result_find(s->table, s->code->inputs.list[i].name);
        if (s->input_columns[i] < 0)
            diag_warning(d, "C121", (span){0},
                         "'%s' has no column '%s': that input keeps its start value", path,
                         s->code->inputs.list[i].name);
        else if (s->code->inputs.list[i].held) rc = hold_column(s, path, (int)i);
    }
    if (rc < 0) return rc;
    run_inputs(s->state, table_inputs, s);
    return VINC_OK;
}

// Steps in the table are events, and so are new values of discrete inputs.
static double next_break(void *user, double t)
{
    vinc_sim *s = user;
    double when;
    s->t_jump = result_next_break(s->table, t, &when) ? when : INFINITY;
    return s->t_jump;
}

static void input_jumps(void *user, double t)
{
    vinc_sim *s = user;
    if (t >= s->t_jump) s->t_jump = INFINITY;
}

/* Where it is bent by more than the tolerance will show, steps end at its rows. */
static double next_corner(void *user, double t, double to)
{
    const vinc_sim *s = user;
    double when, share = PART_OF_TOLERANCE * s->options.rel_tol;
    bool any =
        result_next_corner(s->table, s->input_columns, s->n_input_columns, share, t, to, &when);
    return any ? when : INFINITY;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* What was computed is lost for a second at most when the process is killed. A failure is told with the next
 * row. */
static void flush_rows(vinc_sim *s)
{
    const double SECONDS = 1;
    double now = api_clock();
    if (now - s->last_flush < SECONDS) return;
    result_flush(s->result.r);
    s->last_flush = api_clock();
}

static int pass_progress(void *user, const sim_progress *p)
{
    vinc_sim *s = user;
    if (s->callbacks.out) flush_rows(s);
    if (!s->callbacks.progress) return 0;
    s->now = p;
    return s->callbacks.progress(s->callbacks.user,
                                 &(vinc_progress){p->t, p->t_start, p->t_stop, p->steps});
}

static bool pass_checkpoint(void *user, bool told)
{
    const vinc_sim *s = user;
    return s->callbacks.checkpoint(s->callbacks.user, told) != 0;
}

static void pass_log(void *user, const char *topic, const char *line)
{
    vinc_sim *s = user;
    s->callbacks.log_line(s->callbacks.user, topic, line);
}

typedef struct warning {
    vinc_sim *s;
    span at;
    const char *words;
} warning;

static int add_warning(void *job)
{
    const warning *w = job;
    diag_warning(w->s->sink, "R110", w->at, "%s", w->words);
    return VINC_OK;
}

static void pass_warning(void *user, span at, const char *words)
{
    vinc_sim *s = user;
    api_run_guarded(s, add_warning, &(warning){s, at, words});
}

typedef struct run_job {
    vinc_sim *s;
    sim_outcome *done;
} run_job;

static void log_start(vinc_sim *s)
{
    const start_report *r = &s->init;
    char line[300];
    snprintf(line, sizeof line,
             "%d unknowns, %d equations, %d left to least change; given values violate by %.3g",
             r->n_unknowns, r->n_equations, r->n_free, r->residual);
    s->callbacks.log_line(s->callbacks.user, "init", line);
    if (r->homotopy_steps || r->relaxed_steps) {
        snprintf(line, sizeof line, "solved along %s, %d steps",
                 r->relaxed_steps ? "the motion to the steady state" : "homotopy()",
                 r->relaxed_steps ? r->relaxed_steps : r->homotopy_steps);
        s->callbacks.log_line(s->callbacks.user, "init", line);
    }
    for (int k = 0; k < r->n_moved && k < START_NAMED; k++) {
        text t;
        text_init(&t, &s->m);
        names_write(&s->code->names, r->called[k], r->times[k], &t);
        text_printf(&t, " moved from %.10g to %.10g", r->from[k], r->to[k]);
        s->callbacks.log_line(s->callbacks.user, "init", text_str(&t));
        text_done(&t);
    }
}

int api_begin(vinc_sim *s)
{
    int rc = run_begin(s->state, s->options.t_start, &s->why);
    run_undefined u;
    if (!rc || !run_find_undefined_parameter(s->state, s->sink->a, &u))
        return rc ? api_report(s, rc, "R100") : VINC_OK;
    undefined_tell(s->state, &u, "R100", s->sink);
    text_clear(&s->why);
    return rc;
}

static int initialize(void *job)
{
    vinc_sim *s = job;
    diag_sink *d = s->sink;
    double begin = api_clock();
    int rc = api_begin(s);
    if (!rc) rc = api_sens_check(s);
    if (rc) return rc;
    start_options o = {.as_given = s->as_given};
    diag_sink held = *d;
    watch_doing(&s->watch, "finding start values of", s->model->about.name);
    rc = start_values(s->state, s->options.t_start, &o, s->y, s->yp, &s->init, d);
    if (rc < 0 && watch_look(&s->watch)) { // what was said is not the reason
        char words[WATCH_WORDS];
        diag_forget_since(d, held);
        diag_error(d, watch_code(s->watch.cause), (span){0}, "%s",
                   watch_words(&s->watch, s->watch.cause, words));
        rc = s->watch.cause == WATCH_INTERRUPTED ? VINC_E_INTERRUPTED : VINC_E_LIMIT;
    }
    if (rc != VINC_E_MEMORY) watch_doing(&s->watch, NULL, NULL); // the message says where
    if (rc >= 0) api_sens_started(s);
    s->wall.init += api_clock() - begin;
    if (s->options.log & SIM_LOG_INIT && s->callbacks.log_line) log_start(s);
    return rc < 0 ? rc : VINC_OK;
}

/* ---- start values of another run ------------------------------------------------------------- */

void api_found_done(mem *m, api_found *x)
{
    run_saved_free(x->run);
    if (x->y) mem_free(m, x->y, x->bytes);
    if (x->yp) mem_free(m, x->yp, x->bytes);
    *x = (api_found){0};
}

/* Where memory is short they are found again. */
static void keep_found(vinc_sim *s, size_t bytes)
{
    api_found x = {.bytes = bytes + 1, .init = s->init};
    x.y = mem_try(&s->m, x.bytes);
    x.yp = mem_try(&s->m, x.bytes);
    if (x.y && x.yp && !run_save(s->state, &x.run)) {
        if (bytes) memcpy(x.y, s->y, bytes);
        if (bytes) memcpy(x.yp, s->yp, bytes);
        *s->found = x;
    } else {
        api_found_done(&s->m, &x);
    }
}

static int begin_again(void *job)
{
    return api_begin(job);
}

/* 1: they are not to be had for this one. */
static int take_found(vinc_sim *s, size_t bytes)
{
    const api_found *x = s->found;
    if (!x->run || x->bytes != bytes + 1) return 1;
    int rc = api_run_guarded(s, begin_again, s);
    if (rc) return rc;
    rc = run_restore(s->state, x->run);
    if (rc) return rc == VINC_E_OPTION ? 1 : rc; // of another formulation
    if (bytes) memcpy(s->y, x->y, bytes);
    if (bytes) memcpy(s->yp, x->yp, bytes);
    s->init = x->init;
    return VINC_OK;
}

int api_initialize(vinc_sim *s)
{
    size_t bytes = (size_t)run_problem(s->state)->n * sizeof *s->y;
    int rc = s->found ? take_found(s, bytes) : 1;
    if (rc <= 0) return rc;
    memset(s->y, 0, bytes);
    memset(s->yp, 0, bytes);
    rc = api_run_guarded(s, initialize, s);
    if (!rc && s->found) keep_found(s, bytes);
    return rc;
}

/* Equations that cannot be solved from the first step on often have a connector that was
 * forgotten. */
static void note_open(vinc_sim *s, const sim_outcome *done)
{
    if (done->t_end > s->options.t_start || done->status == VINC_E_STOPPED) return;
    if (s->code->summary.open)
        diag_note(s->sink, (span){0},
                  "nothing is connected to %s: what flows there is 0; is one forgotten?",
                  s->code->summary.open);
}

/* The equation by which the unknown is found that made the last step fail, with its values. */
static void note_unsolved(vinc_sim *s, const sim_outcome *done, arena *scratch)
{
    run_unsolved u;
    if (!run_find_unsolved(s->state, done->worst, done->t_end, s->y, s->yp, scratch, &u)) return;
    text_clear(&s->why);
    unsolved_text(s->state, &u, &s->why);
    diag_note(s->sink, u.of.at, "%s", text_str(&s->why));
}

static const char after_zeno[] =
    "to go on, say what holds afterwards: a Boolean that is set by the event once too little is "
    "left "
    "(a ball: when h < 0 then rests = v > -0.1; reinit(v, if rests then 0 else -e*v)) and holds it "
    "there (der(v) = if rests then 0 else -g); a spring and a damper in place of the impact; or "
    "--stop before it";
static const char after_chattering[] =
    "to go on, give the condition a hysteresis (a Boolean on: on = x < low or pre(on) and x < "
    "high), "
    "or what it switches a state in between (friction: stuck), or smooth the switch (tanh(x/eps))";

/* Motions held by constraints do not slide, but for a formulation that is an explicit one. */
static bool index1_slides(const vinc_sim *s)
{
    const code_model *m = run_model(s->state);
    return m->formulation.index > 1 && (m->formulation.n_groups || m->manifold) &&
           !m->events.delays.n_out;
}

static int
explain(void *job) // a failed integration as a diagnostic at the model's line, if one is known
{
    run_job *j = job;
    vinc_sim *s = j->s;
    diag_sink *d = s->sink;
    span at = {0};
    text *message = &j->done->message;
    arena *scratch = s->inner ? &s->model->ctx->scratch : &s->scratch;
    run_undefined u;
    bool unsolved = false;
    text_clear(&s->why);
    bool undefined = j->done->status == VINC_E_EVALUATION &&
                     run_undefined_last(s->state, j->done->t_end, scratch, &u);
    if (undefined) {
        undefined_tell(s->state, &u, method_status_code(j->done->status), d);
        if (message->n) diag_note(d, (span){0}, "%s", text_str(message));
        else undefined_text(&u, message);
    } else {
        bool known = run_fault(s->state, &at, &s->why), both = known && message->n;
        if (!message->n && known) text_add(message, text_str(&s->why));
        if (!known && j->done->status == VINC_E_ZENO) run_event_place(s->state, &at);
        diag_error(d, method_status_code(j->done->status), at, "%s",
                   message->n ? text_str(message) : "the simulation stopped");
        if (both) diag_note(d, at, "%s", text_str(&s->why));
        if (j->done->status == VINC_E_ZENO)
            diag_note(d, (span){0}, "%s", j->done->chatters ? after_chattering : after_zeno);
        if (j->done->status == VINC_E_ZENO && j->done->chatters && index1_slides(s))
            diag_note(d, (span){0},
                      "or take --formulation index1, which slides along the surface on which the "
                      "condition switches; constraints drift then (docs/sliding.md)");
        bool singular = j->done->status == VINC_E_SINGULAR;
        unsolved = !known && j->done->worst >= 0;
        if (unsolved && !singular) note_unsolved(s, j->done, scratch);
        unsolved = unsolved && singular;
    }
    // Of a large system the equations that are not independent are not searched: one is named.
    if (!api_note_singular(s, j->done->status, j->done->t_end) && unsolved)
        note_unsolved(s, j->done, scratch);
    note_open(s, j->done);
    if (!undefined) inspect_note_branch(s->state, scratch, d);
    const result *r = s->result.r;
    double kept = r && r->n_rows ? r->t_last : j->done->t_end;
    if (j->done->t_end > s->options.t_start && j->done->status != VINC_E_WRITE)
        diag_note(d, (span){0}, "the result is kept up to t = %.10g", kept);
    text_clear(&s->why);
    return VINC_OK;
}

static int warn_undetermined(void *job)
{
    const run_job *j = job;
    const vinc_problem *p = run_problem(j->s->state);
    const vinc_stats *n = &j->done->stats;
    diag_warning(j->s->sink, "R123", (span){0},
                 "at times the equations do not determine '%s' (in %ld of %ld factorizations); it "
                 "kept its value then. One of several distributions is shown",
                 p->unknown_name(p->user, n->open_unknown), n->deficient, n->factorizations);
    return VINC_OK;
}

/* A model that nothing drives or damps keeps T + V. Where a run does not, by more than its tolerance
 * lets one expect, it shows another motion. */
static int warn_energy(void *job)
{
    const run_job *j = job;
    double change = j->done->energy_change, most = run_kinetic_most(j->s->state);
    diag_warning(
        j->s->sink, "R124", (span){0},
        "the energy T + V changed by %.3g (the largest kinetic energy was %.3g), but nothing "
        "in the model drives or damps it: it is an error of the integration. Take a smaller "
        "tolerance, shorter steps, or another method or formulation",
        change, most);
    return VINC_OK;
}

static int warn_open(void *job)
{
    const run_job *j = job;
    const sim_outcome *done = j->done;
    char by[60] = "";
    if (isfinite(done->open_most))
        snprintf(by, sizeof by, " by up to %.2g tolerances", done->open_most);
    diag_warning(j->s->sink, "R132", (span){0},
                 "at %ld rows, the first at t = %.6g, the equations could not be solved for what "
                 "follows from the states; the polynomial of the method is recorded there, which "
                 "misses them%s. Another formulation may solve them (--formulation project)",
                 done->open, done->open_t, by);
    return VINC_OK;
}

static int warn_widened(void *job)
{
    const run_job *j = job;
    const vinc_problem *p = run_problem(j->s->state);
    const vinc_stats *n = &j->done->stats;
    diag_warning(
        j->s->sink, "R134", (span){0},
        "the equations magnify rounding (conductances, stiffnesses or masses many powers of "
        "ten apart): in some steps '%s' is found to %.1g of its size only, less than the "
        "tolerance asks for",
        p->unknown_name(p->user, n->widened_unknown), n->widened_to);
    return VINC_OK;
}

static int warn_missed(void *job)
{
    const run_job *j = job;
    double first;
    long rows = run_rows_missed(j->s->state, &first);
    if (!rows) return VINC_OK;
    diag_warning(j->s->sink, "R133", (span){0},
                 "at %ld rows, the first at t = %.6g, accelerations and multipliers are those of "
                 "the method, which at this index are less accurate than the tolerance: the "
                 "constraints differentiated could not be solved for them. %s",
                 rows, first,
                 j->s->formulation ? "A formulation of index 1 gives them (--formulation dummy)"
                                   : "A tighter tolerance gives more of their digits");
    return VINC_OK;
}

static bool loses_energy(const vinc_sim *s, const sim_outcome *done)
{
    double share = fmax(ENERGY_SHARE_MIN, TOLERANCES_OF_ENERGY * s->options.rel_tol);
    return done->has_energy && s->code->summary.conserves &&
           done->energy_change > share * run_kinetic_most(s->state);
}

void api_conclude(vinc_sim *s, int rc, sim_outcome *done)
{
    run_job j = {.s = s, .done = done};
    s->method = done->method;
    s->method_why = done->method_why;
    watch_limits *l = s->watch.limits;
    if (rc == VINC_E_LIMIT && l->bytes && atomic_load(&l->refused))
        atomic_store(&l->lifted, 1); // for the message, and for what is handed out
    if (rc < 0 && api_run_guarded(s, explain, &j))
        api_end_work(s->model->ctx, &s->watch, VINC_E_MEMORY);
    if (rc >= 0 && done->stats.deficient) api_run_guarded(s, warn_undetermined, &j);
    if (rc >= 0 && done->stats.widened) api_run_guarded(s, warn_widened, &j);
    if (rc >= 0 && done->open) api_run_guarded(s, warn_open, &j);
    if (rc >= 0) api_run_guarded(s, warn_missed, &j);
    if (rc >= 0 && loses_energy(s, done)) api_run_guarded(s, warn_energy, &j);
    span at;
    if (rc == VINC_TERMINATED) run_fault(s->state, &at, &done->message);
}

/* What was compiled into the run is asked for values only while somebody follows it. */
static int pass_stretch(void *user, double t0, double t1,
                        int (*at)(void *trajectory, double t, double *y, double *yp),
                        void *trajectory)
{
    vinc_sim *s = user;
    s->at = at;
    s->trajectory = trajectory;
    s->from = t0;
    s->to = t1;
    int rc = s->callbacks.follow(s->callbacks.user, s, t0, t1);
    s->at = NULL;
    return rc;
}

/* The first time after t at which a step is to end, for its own sake or for a corner of an input. */
static double next_end(void *user, double t, double to)
{
    vinc_sim *s = user;
    const vinc_sim_options *o = &s->callbacks;
    while (s->next_end && o->ends[s->next_end - 1] > t) s->next_end--; // it has begun anew
    while (s->next_end < o->n_ends && o->ends[s->next_end] <= t) s->next_end++;
    double end = s->next_end < o->n_ends ? o->ends[s->next_end] : INFINITY;
    return s->table ? fmin(end, next_corner(user, t, to)) : end;
}

/* A run by itself keeps none: it would be more memory and no time. */
static scheme_kept *api_schemes(vinc_sim *s)
{
    if (s->began && !s->schemes) s->schemes = mem_try(&s->m, sizeof *s->schemes);
    else if (s->began) return s->schemes;
    s->began = true;
    if (s->schemes) memset(s->schemes, 0, sizeof *s->schemes);
    return s->schemes;
}

sim_options api_driver_options(vinc_sim *s)
{
    sim_options o = s->options;
    o.method = s->method_given;
    o.formula = s->formula;
    o.linear = s->linear;
    o.crew = s->crew;
    o.schemes = api_schemes(s);
    o.progress = s->callbacks.progress || s->callbacks.out ? pass_progress : NULL;
    o.log_line = s->callbacks.log_line ? pass_log : NULL;
    o.next_break = s->table ? next_break : NULL;
    o.input_jumps = s->table ? input_jumps : NULL;
    s->t_jump = INFINITY;
    o.next_corner = s->callbacks.n_ends > 0 ? next_end : s->table ? next_corner : NULL;
    o.follow = s->callbacks.follow ? pass_stretch : NULL;
    o.follow_inside = s->callbacks.follow && s->callbacks.follow_inside;
    o.no_rows = s->callbacks.follow && s->callbacks.intervals <= 0;
    if (s->detail && !o.follow) o.follow = api_detail_follow;
    if (o.no_rows) o.intervals = 0;
    o.singular = api_pass_singular;
    o.user = s;
    run_warnings(s->state, pass_warning, s);
    run_show_steps(s->state, o.step > 0);
    run_expect_rows(s->state, o.no_rows ? 0 : o.intervals);
    return o;
}

static int compile_recorded(void *job)
{
    vinc_sim *s = job;
    return run_record_compile(s->state, s->inner ? &s->model->ctx->scratch : &s->scratch);
}

/* again: the run knows it. */
static int record_selected(vinc_sim *s, result *r, const result_selection *selection, bool again)
{
    size_t bytes = (size_t)r->n_slots * sizeof(int);
    int *list = mem_try(&s->m, bytes);
    if (!list) return VINC_E_MEMORY;
    int all = s->declared ? s->n_declared : run_model(s->state)->outputs.n, of_model = 0;
    int n =
        result_keep(r, selection, all, list); // derivatives, behind them, are of what was selected
    while (of_model < n && list[of_model] < all) of_model++;
    for (int k = 0; k < of_model && s->declared; k++) list[k] = s->declared[list[k]];
    int rc = n < 0 ? VINC_E_MEMORY : again ? VINC_OK : run_record(s->state, list, of_model);
    mem_free(&s->m, list, bytes);
    return rc || again ? rc : api_run_guarded(s, compile_recorded, s);
}

/* A misspelt name in --vars must not cost a run. */
int api_use_selection(vinc_sim *s, result *r, bool again)
{
    result_selection selection;
    result_fault fault = {0};
    if (!s->callbacks.vars) return VINC_OK;
    int rc = result_add_formulas(r, s->callbacks.vars, &fault);
    if (rc >= 0) rc = result_select(r, s->callbacks.vars, &selection, &fault);
    if (rc < 0) return api_finish(s->model->ctx, rc, &fault);
    rc = s->callbacks.only_vars ? record_selected(s, r, &selection, again) : VINC_OK;
    result_selection_done(&selection);
    return rc;
}

/* From s->y, s->yp to the stop time. */
static int integrate(vinc_sim *s, double rel_tol, double abs_tol, result *into, sim_outcome *done)
{
    sim_options o = api_driver_options(s);
    o.rel_tol = rel_tol;
    o.abs_tol = abs_tol;
    o.steps = into == s->result.r ? s->steps : NULL;
    double begin = api_clock();
    watch_doing(&s->watch, "integrating", s->model->about.name);
    if (s->options.abs_tol > 0) run_problem(s->state)->unsized = NULL; // it is meant as given
    double *y, *yp;
    const vinc_problem *problem = api_sens_begin(s, &y, &yp);
    if (s->callbacks.keep_end && into == s->result.r) {
        o.ending = api_keep_end;
        o.pausing = s->callbacks.checkpoint ? pass_checkpoint : NULL;
    }
    if (into != s->result.r && o.follow == api_detail_follow) o.follow = NULL;
    if (o.follow == api_detail_follow) api_detail_start(s, problem);
    s->end_lost = false;
    if (s->share) problem = api_share_begin(s, &o, &y, &yp);
    int rc = s->onward ? api_run_on(s, problem, y, yp, &o, into, done)
                       : sim_run(&s->m, problem, y, yp, &o, into, done);
    if (s->share) api_share_end(s, done);
    api_sens_end(s, done);
    if (rc != VINC_E_MEMORY) watch_doing(&s->watch, NULL, NULL); // the message says where
    s->wall.integrate += api_clock() - begin;
    if (s->end_lost && rc >= 0) rc = done->status = VINC_E_MEMORY;
    api_conclude(s, rc, done);
    if (into == s->result.r && api_records(s)) {
        api_warn_bounds(s, into);
        if (rc >= 0) api_warn_kept(s);
    }
    return rc;
}

int api_integrate(vinc_sim *s, result *into)
{
    sim_outcome done;
    int rc = api_declare_columns(s, into);
    if (rc) return rc;
    rc = integrate(s, s->options.rel_tol, s->options.abs_tol, into, &done);
    text_done(&done.message);
    return rc;
}

/* The run is followed, and nothing of it recorded: no row, and no column. */
static bool followed_only(const vinc_sim *s)
{
    const vinc_sim_options *o = &s->callbacks;
    return o->follow && o->intervals <= 0 && !o->vars;
}

static int find_start(vinc_sim *s)
{
    double begin = s->options.t_start;
    if (s->onward) s->options.t_start = s->t_origin;
    int rc = api_initialize(s);
    s->options.t_start = begin;
    return rc;
}

/* whole: up to the stop time. */
static int prepare_run(vinc_sim *s, result *into, bool whole)
{
    int rc = find_start(s);
    if (!rc && s->init.open && !s->ran) rc = api_warn_hidden(s);
    if (!rc) rc = s->equilibrium ? api_rest_of_independent(s) : api_settle_redundant(s);
    if (!rc && s->formulation) rc = api_warn_working(s);
    if (!rc) api_let_origin_go(s);
    if (!rc && s->callbacks.distributed) api_give_back_tables(s->model, s->code); // before the cut
    if (!api_records(s)) return rc; // nothing is recorded here
    if (!rc && into->n_columns <= 1 && !followed_only(s)) rc = api_declare_few(s, into, whole);
    if (!rc && s->detail && into == s->result.r) {
        rc = api_declare_columns(s, api_detail_rows(s));
        if (!rc) rc = api_use_selection(s, api_detail_rows(s), false);
    }
    return rc ? rc : api_use_selection(s, into, false);
}

int api_prepare(vinc_sim *s, result *into)
{
    return prepare_run(s, into, false);
}

/* Rows go to their file while they are made, where nobody asks for them afterwards. */
static int stream_rows(vinc_sim *s, result *r)
{
    const vinc_sim_options *o = &s->callbacks;
    if (!o->out || s->inner || r != s->result.r || s->verify || s->equilibrium || o->chart ||
        s->detail || !api_records(s))
        return VINC_OK;
    const char *vars = vinc_sim_selection(s);
    result_selection selection = {0};
    result_fault fault = {0};
    int rc = vars ? result_select(r, vars, &selection, &fault) : RESULT_OK;
    bool selected = vars && rc >= 0;
    if (rc >= 0) rc = result_stream_to(r, vars ? &selection : NULL, o->out, &fault);
    if (selected) result_selection_done(&selection);
    s->last_flush = api_clock();
    return api_finish(s->model->ctx, rc, &fault);
}

int api_run_once(vinc_sim *s, double rel_tol, double abs_tol, result *into, sim_outcome *done)
{
    int rc = prepare_run(s, into, true);
    if (!rc) rc = stream_rows(s, into);
    if (s->callbacks.distributed) rc = vinc_team_agree(s->model->ctx, rc, NULL);
    if (!rc) rc = api_share_new(s);
    if (s->callbacks.distributed) rc = vinc_team_agree(s->model->ctx, rc, NULL);
    if (!rc) {
        if (!s->inner) api_give_back_tables(s->model, s->code);
        api_let_columns_go(s, into);
        rc = integrate(s, rel_tol, abs_tol, into, done);
        int kept = s->callbacks.only_vars && api_records(s)
                       ? api_keep_end_values(s, into, done->t_end)
                       : VINC_OK;
        return kept ? kept : rc;
    }
    *done = (sim_outcome){
        .status = rc, .t_end = s->options.t_start, .violation = {-1, -1, -1}, .worst = -1};
    text_init(&done->message, &s->m);
    return rc;
}

int api_clear(vinc_sim *s)
{
    sim_close(s->session, s->y, s->yp);
    s->session = NULL;
    api_lent_free(s);
    if (s->ran) { // what was said of the run before
        text_done(&s->done.message);
        diag_init(&s->diags, &s->said);
        arena_done(&s->said);
    }
    api_clear_result(&s->result);
    api_keep_columns(s);
    api_free_declared(s);
    api_free_end_values(s);
    s->columns_gone = false;
    result_free(s->steps);
    s->steps = NULL;
    api_detail_free(s);
    text_done(&s->result.out);
    s->result = (vinc_result){.ctx = s->model->ctx, .sim = s};
    text_init(&s->result.out, &s->model->ctx->m);
    s->ran = s->stopped = false;
    s->redundant = s->n_singular = 0;
    s->verified = -1;
    s->recorded = (inspect_recorded){0};
    s->wall.init = s->wall.integrate = 0;
    if (result_new(&s->m, &s->result.r) < 0) return VINC_E_MEMORY;
    if (s->callbacks.chart && (result_new(&s->m, &s->steps) < 0 ||
                               sim_chart_columns(run_problem(s->state), s->steps) < 0))
        return VINC_E_MEMORY;
    return s->callbacks.detail && !s->callbacks.follow ? api_detail_new(s) : VINC_OK;
}

static int run_whole(vinc_sim *s)
{
    int rc = api_clear(s);
    if (rc) return rc;
    double abs_tol = s->options.abs_tol > 0 ? s->options.abs_tol : s->options.rel_tol;
    diag_sink said = *s->sink;
    rc = api_run_once(s, s->options.rel_tol, abs_tol, s->result.r, &s->done);
    s->ran = true;
    if (s->done.grows || s->done.grew) rc = api_run_finer(s, said, rc, &abs_tol);
    int drawn = api_detail_merge(s);
    if (rc == VINC_OK) rc = drawn;
    if (rc == VINC_OK && s->verify) rc = api_verify(s, abs_tol);
    if (rc == VINC_OK && s->verify) rc = api_check_recorded(s);
    return rc;
}

int vinc_sim_run(vinc_sim *s)
{
    int rc = api_usable(s);
    if (!rc) watch_begin(&s->watch, s->callbacks.max_time);
    return rc ? rc : api_told(s, run_whole(s));
}
