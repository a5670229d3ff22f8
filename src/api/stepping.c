/* A run that is stepped from outside: started, given inputs, advanced, read, reset.
 *
 * Steps never reach beyond the time that was asked for, since what the caller sets then counts from
 * there on. An input that was set is a jump: an event at the present time, handled when the run goes
 * on or when a value is asked for, whichever comes first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "base/bump.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Part of the whole time by which sums of steps may miss the end: a million roundings. */
static const double END_SLACK = 1e-10;

/* ---- what is wrong with a call --------------------------------------------------------------- */

typedef struct refusal {
    vinc_sim *s;
    const char *code, *words;
} refusal;

static int say_refusal(void *job)
{
    const refusal *r = job;
    diag_error(r->s->sink, r->code, (span){0}, "%s", r->words);
    return VINC_OK;
}

static int refuse_call(vinc_sim *s, const char *code, const char *words)
{
    api_run_guarded(s, say_refusal, &(refusal){s, code, words});
    return api_told(s, VINC_E_OPTION);
}

static int needs_start(vinc_sim *s)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (s->session) return VINC_OK;
    return refuse_call(s, "C115", "the run has not been started: call vinc_sim_start first");
}

/* ---- starting and advancing ------------------------------------------------------------------ */

static int start_session(vinc_sim *s)
{
    int rc = api_clear(s);
    if (!rc) rc = api_prepare(s, s->result.r);
    if (rc) return rc;
    sim_options o = api_driver_options(s);
    o.no_rows = s->callbacks.intervals <= 0;
    if (o.no_rows) o.intervals = 0;
    o.steps = s->steps;
    rc =
        sim_open(&s->m, run_problem(s->state), s->y, s->yp, &o, s->result.r, &s->done, &s->session);
    s->ran = true;
    return rc;
}

/* The point of the session, in s->y and s->yp. */
static double take_point(vinc_sim *s)
{
    double t;
    const double *y, *yp;
    size_t bytes = (size_t)run_problem(s->state)->n * sizeof *s->y;
    sim_point(s->session, &t, &y, &yp);
    if (y) memcpy(s->y, y, bytes);
    if (yp) memcpy(s->yp, yp, bytes);
    return t;
}

/* After a call of the driver: the run has ended, or goes on. */
static int went(vinc_sim *s, int rc)
{
    s->stopped = rc < 0 || rc == VINC_TERMINATED || rc == VINC_STOPPED;
    if (!s->stopped) return rc;
    take_point(s);
    api_conclude(s, rc, &s->done);
    return api_told(s, rc);
}

int vinc_sim_start(vinc_sim *s)
{
    int rc = api_usable(s);
    if (rc) return rc;
    s->input_changed = false;
    watch_begin(&s->watch, s->callbacks.max_time);
    rc = start_session(s);
    if (!s->session) return api_told(s, rc);
    return went(s, rc);
}

static int settle_inputs(vinc_sim *s)
{
    if (!s->input_changed || s->stopped) return VINC_OK;
    s->input_changed = false;
    return went(s, sim_settle(s->session));
}

static int refuse_time(vinc_sim *s, double t)
{
    char words[200];
    double now = vinc_sim_time(s);
    if (t > s->options.t_stop)
        snprintf(words, sizeof words,
                 "the run ends at t = %.10g: it cannot go to t = %.10g; give a later t_stop when "
                 "it is made",
                 s->options.t_stop, t);
    else
        snprintf(words, sizeof words,
                 "the run is at t = %.10g and cannot go back to t = %.10g; restore a saved state, "
                 "or reset",
                 now, t);
    return refuse_call(s, "C116", words);
}

static int advance(vinc_sim *s, double t, bool single)
{
    int rc = needs_start(s);
    if (rc) return rc;
    if (s->stopped)
        return s->done.status == VINC_TERMINATED || s->done.status == VINC_STOPPED
                   ? s->done.status
                   : refuse_call(s, "C117", "the run has stopped; reset it, or restore a state");
    double stop = s->options.t_stop, slack = END_SLACK * (stop - s->options.t_start);
    if (t > stop && t <= stop + slack) t = stop;
    if (!(t >= vinc_sim_time(s)) || t > stop) return refuse_time(s, t);
    double begin = api_clock();
    watch_begin(&s->watch, s->callbacks.max_time);
    rc = settle_inputs(s);
    if (!rc) rc = went(s, sim_advance(s->session, t, single));
    s->wall.integrate += api_clock() - begin;
    return rc;
}

int vinc_sim_advance(vinc_sim *s, double t)
{
    return advance(s, t, false);
}

int vinc_sim_step(vinc_sim *s, double t_limit)
{
    return advance(s, t_limit, true);
}

double vinc_sim_time(const vinc_sim *s)
{
    double t;
    const double *y, *yp;
    if (!s) return NAN;
    if (!s->session) return s->ran ? s->done.t_end : s->options.t_start;
    sim_point(s->session, &t, &y, &yp);
    return t;
}

int vinc_sim_reset(vinc_sim *s)
{
    int rc = api_usable(s);
    if (rc) return rc;
    s->input_changed = false;
    if (s->held) run_inputs(s->state, NULL, NULL);
    api_free_held(s);
    return api_clear(s);
}

/* ---- values ---------------------------------------------------------------------------------- */

int vinc_sim_n_values(const vinc_sim *s)
{
    return s ? code_n_columns(s->code) : 0;
}

const char *vinc_sim_value_name(const vinc_sim *s, int i)
{
    return s && i >= 0 && i < code_n_columns(s->code) ? code_columns(s->code)[i].name : NULL;
}

int vinc_sim_find(vinc_sim *s, const char *name)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (!name) return refuse_call(s, "C118", "the name of a variable is needed");
    const code_column *c = code_columns(s->code);
    int n = code_n_columns(s->code);
    const char *near = NULL;
    for (int i = 0; i < n; i++)
        if (!strcmp(c[i].name, name)) return i;
    for (int i = 0; i < n && !near; i++) near = diag_nearest(name, &c[i].name, 1);
    char words[300];
    snprintf(words, sizeof words, "there is no variable '%.100s'%s%.100s%s", name,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return refuse_call(s, "C118", words);
}

static size_t held_bytes(const vinc_sim *s)
{
    return ((size_t)code_n_inputs(s->code) + 1) * sizeof *s->held;
}

void api_free_held(vinc_sim *s)
{
    if (s->held) mem_free(&s->m, s->held, held_bytes(s));
    s->held = NULL;
}

/* Values of columns at a point, as many at a time as there is room for. */
static int column_values(vinc_sim *s, double t, const double *y, const double *yp, const int *list,
                         int n, double *out)
{
    enum { AT_A_TIME = 32 };
    const code_column *columns = code_columns(s->code);
    for (int first = 0; first < n; first += AT_A_TIME) {
        int outputs[AT_A_TIME], asked[AT_A_TIME],
            m = 0, last = n < first + AT_A_TIME ? n : first + AT_A_TIME;
        double values[AT_A_TIME];
        for (int k = first; k < last; k++) {
            const code_column *c = &columns[list[k]];
            int of = c->alias_of >= 0 ? c->alias_of : list[k];
            if (columns[of].constant) {
                out[k] = run_constant(s->state, of);
            } else {
                outputs[m] = columns[of].output;
                asked[m++] = k;
            }
        }
        int rc = m ? run_values(s->state, t, y, yp, outputs, m, values) : 0;
        if (rc) return rc;
        for (int i = 0; i < m; i++) out[asked[i]] = values[i];
        for (int k = first; k < last; k++) {
            const code_column *c = &columns[list[k]];
            if (c->alias_of >= 0 && c->negated)
                out[k] = c->type == TYPE_BOOLEAN ? out[k] == 0 : -out[k];
        }
    }
    return VINC_OK;
}

static int check_list(vinc_sim *s, const int *list, int n, const double *out)
{
    if (n < 0 || (n > 0 && (!list || !out)))
        return refuse_call(s, "C118", "a list of variables and room for their values are needed");
    for (int k = 0; k < n; k++) {
        if (vinc_sim_value_name(s, list[k])) continue;
        char words[100];
        snprintf(words, sizeof words, "there is no variable number %d: they go from 0 to %d",
                 list[k], code_n_columns(s->code) - 1);
        return refuse_call(s, "C118", words);
    }
    return VINC_OK;
}

static const char not_here[] = "the variables cannot be evaluated at the present point";

int vinc_sim_values(vinc_sim *s, const int *list, int n, double *out)
{
    int rc = s && s->ran && !s->session ? api_usable(s) : needs_start(s);
    if (!rc) rc = check_list(s, list, n, out);
    if (!rc && s->session) rc = settle_inputs(s);
    if (rc < 0) return rc;
    double t = s->session ? take_point(s) : s->done.t_end;
    return column_values(s, t, s->y, s->yp, list, n, out) ? refuse_call(s, "C119", not_here)
                                                          : VINC_OK;
}

int vinc_sim_at(vinc_sim *s, double t, const int *list, int n, double *out)
{
    int rc = api_usable(s);
    if (!rc) rc = check_list(s, list, n, out);
    if (rc) return rc;
    if (!s->at || !(t >= s->from && t <= s->to))
        return refuse_call(s, "C122",
                           "values at a time are to be had while the run is followed, between the "
                           "times that `follow` is given");
    if (s->at(s->trajectory, t, s->y, s->yp) || column_values(s, t, s->y, s->yp, list, n, out))
        return refuse_call(s, "C119", not_here);
    return VINC_OK;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void held_inputs(void *user, double t, double *u, double *up)
{
    const vinc_sim *s = user;
    (void)t;
    for (int i = 0; i < code_n_inputs(s->code); i++) {
        u[i] = s->held[i];
        if (up) up[i] = 0;
    }
}

static int input_named(const vinc_sim *s, const char *name)
{
    for (int i = 0; i < code_n_inputs(s->code); i++)
        if (!strcmp(code_input_name(s->code, i), name)) return i;
    return -1;
}

/* From now on the caller holds the inputs; those he has not set yet keep the values they have. */
static int hold_inputs(vinc_sim *s)
{
    int n = code_n_inputs(s->code), rc = VINC_OK;
    double *held = mem_try(&s->m, held_bytes(s));
    if (!held) return api_told(s, VINC_E_MEMORY);
    for (int i = 0; i < code_n_columns(s->code) && !rc; i++) {
        int k = n ? input_named(s, code_columns(s->code)[i].name) : -1;
        if (k >= 0) rc = vinc_sim_values(s, &i, 1, &held[k]);
    }
    if (rc) {
        mem_free(&s->m, held, held_bytes(s));
        return rc;
    }
    s->held = held;
    run_inputs(s->state, held_inputs, s);
    return VINC_OK;
}

int vinc_sim_set_input(vinc_sim *s, int i, double value)
{
    int rc = needs_start(s);
    if (rc) return rc;
    const char *name = vinc_sim_value_name(s, i);
    int k = name ? input_named(s, name) : -1;
    char words[300];
    if (k < 0 || s->table || !isfinite(value)) {
        if (s->table && k >= 0)
            snprintf(words, sizeof words, "'%.100s' is driven by the table of input_csv", name);
        else if (name && k >= 0)
            snprintf(words, sizeof words, "'%.100s' cannot be set to %g", name, value);
        else
            snprintf(words, sizeof words,
                     "%s%.100s%s is no top-level input; parameters and start values are set by "
                     "vinc_sim_set before the start",
                     name ? "'" : "number ", name ? name : "given", name ? "'" : "");
        return refuse_call(s, "C118", words);
    }
    if (!s->held && (rc = hold_inputs(s)) != 0) return rc;
    if (s->held[k] == value) return VINC_OK;
    if (!s->input_changed) {
        double t = take_point(s);
        run_note_before(s->state, t, s->y, s->yp);
    }
    s->held[k] = value;
    s->input_changed = true;
    return VINC_OK;
}

/* ---- saving and restoring -------------------------------------------------------------------- */

struct vinc_state {
    mem m;
    vinc_model *model; // held
    const code_model *code;
    run_saved *run;
    sim_mark mark;
    int n, n_inputs;
    double *y, *yp, *held; // held: NULL where the caller holds no inputs
    void *block;
    size_t bytes;
};

static size_t state_layout(vinc_state *x, bool holds, void *block)
{
    bump b = bump_begin(block);
    x->y = bump_double(&b, (size_t)x->n);
    x->yp = bump_double(&b, (size_t)x->n);
    x->held = holds ? bump_double(&b, (size_t)x->n_inputs) : NULL;
    return bump_end(&b);
}

void vinc_state_free(vinc_state *x)
{
    if (!x) return;
    mem m = x->m;
    vinc_model *model = x->model;
    run_saved_free(x->run);
    if (x->block) mem_free(&m, x->block, x->bytes);
    mem_free(&m, x, sizeof *x);
    api_model_release(model);
}

static void copy_numbers(double *to, const double *from, int n)
{
    if (n) memcpy(to, from, (size_t)n * sizeof *to);
}

static int save_state(vinc_sim *s, vinc_state *x)
{
    int rc = run_save(s->state, &x->run);
    if (rc) return rc;
    x->bytes = state_layout(x, s->held != NULL, NULL) + 1;
    x->block = mem_try(&x->m, x->bytes);
    if (!x->block) return VINC_E_MEMORY;
    state_layout(x, s->held != NULL, x->block);
    x->mark = sim_mark_here(s->session);
    take_point(s);
    copy_numbers(x->y, s->y, x->n);
    copy_numbers(x->yp, s->yp, x->n);
    if (s->held) copy_numbers(x->held, s->held, x->n_inputs);
    return VINC_OK;
}

int vinc_sim_save(vinc_sim *s, vinc_state **out)
{
    if (out) *out = NULL;
    int rc = needs_start(s);
    if (rc) return rc;
    if (!out || s->stopped)
        return refuse_call(s, "C117",
                           out ? "the run has stopped: there is no state to go on from"
                               : "room for the pointer to the state is needed");
    rc = settle_inputs(s);
    if (rc < 0) return rc;
    vinc_state *x = mem_try(&s->m, sizeof *x);
    if (!x) return api_told(s, VINC_E_MEMORY);
    *x = (vinc_state){.m = s->m, .model = s->model, .code = s->code};
    x->n = run_problem(s->state)->n;
    x->n_inputs = code_n_inputs(s->code);
    api_model_hold(s->model);
    rc = api_told(s, save_state(s, x));
    if (rc) vinc_state_free(x);
    else *out = x;
    return rc;
}

/* Inputs are held again as they were when the state was saved. */
static int restore_inputs(vinc_sim *s, const vinc_state *x)
{
    s->input_changed = false;
    if (!x->held) {
        if (s->held) run_inputs(s->state, NULL, NULL);
        if (s->held) mem_free(&s->m, s->held, held_bytes(s));
        s->held = NULL;
        return VINC_OK;
    }
    if (!s->held) s->held = mem_try(&s->m, held_bytes(s));
    if (!s->held) return VINC_E_MEMORY;
    copy_numbers(s->held, x->held, x->n_inputs);
    run_inputs(s->state, held_inputs, s);
    return VINC_OK;
}

static void drop_rows_after(result *r, double t)
{
    size_t n = r->n_rows;
    while (n && result_time(r, n - 1) > t) n--;
    result_truncate(r, n);
}

int vinc_sim_restore(vinc_sim *s, const vinc_state *x)
{
    int rc = needs_start(s);
    if (rc) return rc;
    if (!x || x->code != s->code)
        return refuse_call(s, "C117",
                           x ? "the state is that of another model or formulation"
                             : "a state of vinc_sim_save is needed");
    rc = restore_inputs(s, x);
    if (!rc) rc = run_restore(s->state, x->run);
    if (rc) return api_told(s, rc);
    s->stopped = false;
    api_clear_result(&s->result);
    drop_rows_after(s->result.r, x->mark.t);
    rc = sim_return(s->session, &x->mark, x->y, x->yp);
    return went(s, rc);
}
