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
#include <stdint.h>
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

int api_refuse_call(vinc_sim *s, const char *code, const char *words)
{
    api_run_guarded(s, say_refusal, &(refusal){s, code, words});
    return api_told(s, VINC_E_OPTION);
}

static int needs_start(vinc_sim *s)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (s->session || s->lent) return VINC_OK;
    return api_refuse_call(s, "C115", "the run has not been started: call vinc_sim_start first");
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

/* The point of the session, in s->y and s->yp; there it lies already where the run is lent. */
static double take_point(vinc_sim *s)
{
    if (s->lent) return api_lent_time(s);
    double t;
    const double *y, *yp;
    size_t bytes = (size_t)run_problem(s->state)->n * sizeof *s->y;
    sim_point(s->session, &t, &y, &yp);
    if (y) memcpy(s->y, y, bytes);
    if (yp) memcpy(s->yp, yp, bytes);
    return t;
}

const double *api_session_y(vinc_sim *s)
{
    take_point(s);
    return s->y;
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
    if (s->onward)
        return api_refuse_call(s, "C128",
                               "a run that goes on from another one is run by "
                               "vinc_sim_run, not stepped or lent");
    s->input_changed = false;
    watch_begin(&s->watch, s->callbacks.max_time);
    rc = start_session(s);
    if (!s->session) return api_told(s, rc);
    return went(s, rc);
}

static int settle_inputs(vinc_sim *s)
{
    if (s->lent) return api_lent_follow(s);
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
    return api_refuse_call(s, "C116", words);
}

static int advance(vinc_sim *s, double t, bool single)
{
    int rc = needs_start(s);
    if (rc) return rc;
    if (s->lent)
        return api_refuse_call(s, "C123",
                               "the run is lent to another integrator: its time is set by "
                               "vinc_sim_place; vinc_sim_start takes it back");
    if (s->stopped)
        return s->done.status == VINC_TERMINATED || s->done.status == VINC_STOPPED
                   ? s->done.status
                   : api_refuse_call(s, "C117",
                                     "the run has stopped; reset it, or restore a state");
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
    if (!s) return NAN;
    if (s->lent) return api_lent_time(s);
    if (!s->session) return s->ran ? s->done.t_end : s->options.t_start;
    sim_point(s->session, &t, NULL, NULL);
    return t;
}

double vinc_sim_end(const vinc_sim *s)
{
    return s ? s->options.t_stop : NAN;
}

int vinc_sim_extend(vinc_sim *s, double t_stop)
{
    int rc = needs_start(s);
    if (rc) return rc;
    if (!(t_stop >= s->options.t_stop) || !isfinite(t_stop) || s->stopped ||
        (s->session && vinc_sim_time(s) >= s->options.t_stop))
        return api_refuse_call(s, "C116",
                               "a run can be given a later end while it has not reached its own");
    s->options.t_stop = t_stop;
    if (s->session) sim_extend(s->session, t_stop);
    return VINC_OK;
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
    return s ? s->code->outputs.n_columns : 0;
}

/* Names of scalar variables are those of the flat model; of derivatives and of elements of long arrays they
 * are made, all at once: who asks for one goes through them all as a rule. */
static void write_column_name(const void *of, int i, text *out)
{
    code_add_column_name(of, i, out);
}

static struct api_names *make_names(vinc_sim *s)
{
    int n = s->code->outputs.n_columns, first = 0;
    while (first < n && code_keeps_name(s->code, first)) first++;
    return api_write_names(&s->m, first, n, write_column_name, s->code);
}

const char *api_column_name(const vinc_sim *s, int column)
{
    vinc_sim *own = (vinc_sim *)s; // what is kept shows nowhere
    if (code_keeps_name(s->code, column)) return code_column_shows(s->code, column, NULL);
    if (!own->named) own->named = make_names(own);
    return api_written_name(own->named, column);
}

static bool is_column(const vinc_sim *s, int i)
{
    return s && i >= 0 && i < s->code->outputs.n_columns;
}

const char *vinc_sim_value_name(const vinc_sim *s, int i)
{
    return is_column(s, i) ? api_column_name(s, i) : NULL;
}

vinc_type vinc_sim_value_type(const vinc_sim *s, int i)
{
    return is_column(s, i) ? (vinc_type)code_column_in(&s->code->outputs, i).type : VINC_REAL;
}

int vinc_sim_find(vinc_sim *s, const char *name)
{
    int rc = api_usable(s);
    if (rc) return rc;
    if (!name) return api_refuse_call(s, "C118", "the name of a variable is needed");
    int n = s->code->outputs.n_columns, found = code_find_column(s->code, name);
    const char *near = NULL;
    text other;
    if (found >= 0) return found;
    text_init(&other, &s->m);
    for (int i = 0; i < n && !near; i++) {
        text_clear(&other);
        if (!code_add_column_name(s->code, i, &other)) break;
        near = diag_nearest(name, (const char *[]){text_str(&other)}, 1);
    }
    char words[300];
    snprintf(words, sizeof words, "there is no variable '%.100s'%s%.100s%s", name,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    text_done(&other);
    return api_refuse_call(s, "C118", words);
}

static size_t held_bytes(const vinc_sim *s)
{
    return ((size_t)s->code->inputs.n + 1) * sizeof *s->held;
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
    for (int first = 0; first < n; first += AT_A_TIME) {
        int outputs[AT_A_TIME], asked[AT_A_TIME],
            m = 0, last = n < first + AT_A_TIME ? n : first + AT_A_TIME;
        double values[AT_A_TIME];
        for (int k = first; k < last; k++) {
            code_column c = code_column_in(&s->code->outputs, list[k]);
            int of = c.alias ? c.at : list[k];
            if (c.alias) c = code_column_in(&s->code->outputs, of);
            if (c.constant) {
                out[k] = run_constant(s->state, of);
            } else {
                outputs[m] = code_output_of(c);
                asked[m++] = k;
            }
        }
        int rc = m ? run_values(s->state, t, y, yp, outputs, m, values) : 0;
        if (rc) return rc;
        for (int i = 0; i < m; i++) out[asked[i]] = values[i];
        for (int k = first; k < last; k++) {
            code_column c = code_column_in(&s->code->outputs, list[k]);
            if (c.alias < 0) out[k] = c.type == TYPE_BOOLEAN ? out[k] == 0 : -out[k];
        }
    }
    return VINC_OK;
}

static int check_list(vinc_sim *s, const int *list, int n, const double *out)
{
    if (!api_is_list(list, n) || !api_is_list(out, n))
        return api_refuse_call(s, "C118",
                               "a list of variables and room for their values are needed");
    for (int k = 0; k < n; k++) {
        if (is_column(s, list[k])) continue;
        char words[100];
        snprintf(words, sizeof words, "there is no variable number %d: they go from 0 to %d",
                 list[k], s->code->outputs.n_columns - 1);
        return api_refuse_call(s, "C118", words);
    }
    return VINC_OK;
}

static const char not_here[] = "the variables cannot be evaluated at the present point";

int vinc_sim_values(vinc_sim *s, const int *list, int n, double *out)
{
    bool under_way = s && (s->session || s->lent);
    int rc = s && s->ran && !under_way ? api_usable(s) : needs_start(s);
    if (!rc) rc = check_list(s, list, n, out);
    if (!rc && under_way) rc = settle_inputs(s);
    if (rc < 0) return rc;
    double t = under_way ? take_point(s) : s->done.t_end;
    return column_values(s, t, s->y, s->yp, list, n, out) ? api_refuse_call(s, "C119", not_here)
                                                          : VINC_OK;
}

int vinc_sim_at(vinc_sim *s, double t, const int *list, int n, double *out)
{
    int rc = api_usable(s);
    if (!rc) rc = check_list(s, list, n, out);
    if (rc) return rc;
    if (!s->at || !(t >= s->from && t <= s->to))
        return api_refuse_call(
            s, "C122",
            "values at a time are to be had while the run is followed, between the "
            "times that `follow` is given");
    if (s->at(s->trajectory, t, s->y, s->yp) || column_values(s, t, s->y, s->yp, list, n, out))
        return api_refuse_call(s, "C119", not_here);
    return VINC_OK;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void held_inputs(void *user, double t, double *u, double *up)
{
    const vinc_sim *s = user;
    (void)t;
    for (int i = 0; i < s->code->inputs.n; i++) {
        u[i] = s->held[i];
        if (up) up[i] = 0;
    }
}

static int input_named(const vinc_sim *s, const char *name)
{
    for (int i = 0; i < s->code->inputs.n; i++)
        if (!strcmp(s->code->inputs.list[i].name, name)) return i;
    return -1;
}

/* From now on the caller holds the inputs; those he has not set yet keep the values they have. */
static int hold_inputs(vinc_sim *s)
{
    int n = s->code->inputs.n, rc = VINC_OK;
    double *held = mem_try(&s->m, held_bytes(s));
    if (!held) return api_told(s, VINC_E_MEMORY);
    for (int i = 0; i < s->code->outputs.n_columns && !rc; i++) {
        bool may = n && !code_column_in(&s->code->outputs, i).times;
        const char *name = may ? code_column_shows(s->code, i, &(expr_label){{0}}) : NULL;
        int k = name ? input_named(s, name) : -1;
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
        return api_refuse_call(s, "C118", words);
    }
    if (!s->held && (rc = hold_inputs(s)) != 0) return rc;
    if (s->held[k] == value) return VINC_OK;
    if (!s->input_changed && !s->lent) {
        double t = take_point(s);
        run_note_before(s->state, t, s->y, s->yp);
    }
    s->held[k] = value;
    s->input_changed = !s->lent;
    if (s->lent) api_lent_touch(s);
    return VINC_OK;
}

/* ---- saving and restoring -------------------------------------------------------------------- */

struct vinc_state {
    mem m;
    vinc_model *model; // held
    const code_model *code;
    bool lent; // to another integrator
    run_saved *run;
    sim_mark mark;
    int n, n_inputs, n_states;
    double *y, *yp, *x; // x: states of a run that is lent
    double *held;       // NULL where the caller holds no inputs
    void *block;
    size_t bytes;
};

static size_t state_layout(vinc_state *x, bool holds, void *block)
{
    bump b = bump_begin(block);
    x->y = bump_double(&b, (size_t)x->n);
    x->yp = bump_double(&b, (size_t)x->n);
    x->x = bump_double(&b, (size_t)x->n_states);
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

static int save_state(vinc_sim *s, const sim_mark *mark, const double *y, const double *yp,
                      vinc_state *x)
{
    int rc = run_save(s->state, &x->run);
    if (rc) return rc;
    x->bytes = state_layout(x, s->held != NULL, NULL) + 1;
    x->block = mem_try(&x->m, x->bytes);
    if (!x->block) return VINC_E_MEMORY;
    state_layout(x, s->held != NULL, x->block);
    x->mark = *mark;
    copy_numbers(x->y, y, x->n);
    copy_numbers(x->yp, yp, x->n);
    if (s->lent) vinc_sim_states(s, x->x, NULL);
    if (s->held) copy_numbers(x->held, s->held, x->n_inputs);
    return VINC_OK;
}

int api_save_at(vinc_sim *s, const sim_mark *mark, const double *y, const double *yp,
                vinc_state **out)
{
    vinc_state *x = *out = mem_try(&s->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (vinc_state){.m = s->m, .model = s->model, .code = s->code, .lent = s->lent != NULL};
    x->n = run_problem(s->state)->n;
    x->n_inputs = s->code->inputs.n;
    x->n_states = s->lent ? vinc_sim_n_states(s) : 0;
    api_model_hold(s->model);
    int rc = save_state(s, mark, y, yp, x);
    if (!rc) return VINC_OK;
    vinc_state_free(x);
    *out = NULL;
    return rc;
}

int vinc_sim_save(vinc_sim *s, vinc_state **out)
{
    if (out) *out = NULL;
    int rc = needs_start(s);
    if (rc) return rc;
    if (!out || s->stopped)
        return api_refuse_call(s, "C117",
                               out ? "the run has stopped: there is no state to go on from"
                                   : "room for the pointer to the state is needed");
    rc = settle_inputs(s);
    if (rc < 0) return rc;
    sim_mark mark = s->session ? sim_mark_here(s->session) : (sim_mark){0};
    mark.t = take_point(s);
    return api_told(s, api_save_at(s, &mark, s->y, s->yp, out));
}

/* ---- as bytes -------------------------------------------------------------------------------- */

enum { STATE_MAGIC = 0x56534231 };

typedef struct state_head {
    uint32_t magic, lent;
    uint64_t model, sum; // what the model is made of; of all bytes after the head
    sim_mark mark;       // without addresses
    int32_t n, n_inputs, n_states, holds;
    int32_t method; // that was chosen, by its place in vinc_methods; -1: none
} state_head;

static int32_t state_method(const sim_choice *c)
{
    for (int32_t k = 0; vinc_methods[k]; k++)
        if (vinc_methods[k] == c->method) return k;
    return -1;
}

static sim_choice state_choice(int32_t method, const sim_seen *seen)
{
    int32_t k = 0;
    while (vinc_methods[k] && k != method) k++;
    if (method < 0 || !vinc_methods[k]) return (sim_choice){0};
    return (sim_choice){.method = vinc_methods[k], .why = "as before this point", .seen = *seen};
}

/* Fowler, Noll, Vo: 64 bits, 1a. */
static uint64_t state_hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

/* As if it were written: "der(x)". */
static uint64_t state_hash_name(uint64_t h, const code_column *c, const char *of)
{
    for (int k = 0; k < c->times; k++) h = state_hash(h, "der(", 4);
    h = state_hash(h, of, strlen(of));
    for (int k = 0; k < c->times; k++) h = state_hash(h, ")", 1);
    return state_hash(h, "", 1);
}

static uint64_t state_model(const code_model *m)
{
    uint64_t h = 0xcbf29ce484222325u;
    const char *version = vinc_version();
    const size_t sizes[] = {sizeof(state_head), sizeof(sim_mark)};
    h = state_hash(h, version, strlen(version));
    h = state_hash(h, sizes, sizeof sizes);
    for (int i = 0; i < m->outputs.n_columns; i++) {
        code_column c = code_column_in(&m->outputs, i);
        h = state_hash_name(h, &c, code_column_shows(m, i, &(expr_label){{0}}));
    }
    return h;
}

static size_t state_numbers(const vinc_state *x)
{
    return 2 * (size_t)x->n + (size_t)x->n_states + (x->held ? (size_t)x->n_inputs : 0);
}

size_t vinc_state_size(const vinc_state *x)
{
    size_t run = x ? run_saved_size(x->run) : 0;
    return run ? sizeof(state_head) + state_numbers(x) * sizeof(double) + run : 0;
}

int vinc_state_write(const vinc_state *x, void *bytes, size_t size)
{
    if (!x || !bytes || !vinc_state_size(x) || size < vinc_state_size(x)) return VINC_E_OPTION;
    unsigned char *rest = (unsigned char *)bytes + sizeof(state_head), *p = rest;
    size_t n = (size_t)x->n * sizeof *x->y;
    if (n) memcpy(p, x->y, n);
    p += n;
    if (n) memcpy(p, x->yp, n);
    p += n;
    n = (size_t)x->n_states * sizeof *x->x;
    if (n) memcpy(p, x->x, n);
    p += n;
    n = x->held ? (size_t)x->n_inputs * sizeof *x->held : 0;
    if (n) memcpy(p, x->held, n);
    p += n;
    run_saved_write(x->run, p);
    state_head h;
    memset(&h, 0, sizeof h);
    h.magic = STATE_MAGIC;
    h.lent = x->lent;
    h.model = state_model(x->code);
    h.mark = x->mark;
    memset(&h.mark.choice, 0, sizeof h.mark.choice);
    h.mark.choice.seen = x->mark.choice.seen;
    h.method = state_method(&x->mark.choice);
    h.n = x->n;
    h.n_inputs = x->n_inputs;
    h.n_states = x->n_states;
    h.holds = x->held != NULL;
    h.sum = state_hash(h.model, rest, vinc_state_size(x) - sizeof h);
    memcpy(bytes, &h, sizeof h);
    return VINC_OK;
}

static int read_numbers(vinc_sim *s, const state_head *h, const unsigned char *p, size_t size,
                        vinc_state *x)
{
    x->n = h->n;
    x->n_inputs = h->n_inputs;
    x->n_states = h->n_states;
    x->mark = h->mark;
    x->mark.choice = state_choice(h->method, &h->mark.choice.seen);
    x->bytes = state_layout(x, h->holds, NULL) + 1;
    x->block = mem_try(&x->m, x->bytes);
    if (!x->block) return VINC_E_MEMORY;
    state_layout(x, h->holds, x->block);
    size_t n = (size_t)x->n * sizeof *x->y, states = (size_t)x->n_states * sizeof *x->y,
           held = h->holds ? (size_t)x->n_inputs * sizeof *x->y : 0, all = 2 * n + states + held;
    if (size < all) return VINC_E_OPTION;
    if (n) memcpy(x->y, p, n);
    if (n) memcpy(x->yp, p + n, n);
    if (states) memcpy(x->x, p + 2 * n, states);
    if (held) memcpy(x->held, p + 2 * n + states, held);
    return run_saved_read(s->state, p + all, size - all, &x->run);
}

int vinc_state_read(vinc_sim *s, const void *bytes, size_t size, vinc_state **out)
{
    state_head h;
    if (out) *out = NULL;
    int rc = api_usable(s);
    if (rc) return rc;
    if (!out || !bytes) return api_refuse_call(s, "C104", "bytes and room for a state are needed");
    bool fits = size >= sizeof h;
    if (fits) memcpy(&h, bytes, sizeof h);
    const unsigned char *rest = (const unsigned char *)bytes + sizeof h;
    fits = fits && h.magic == STATE_MAGIC && h.model == state_model(s->code) &&
           h.n == run_problem(s->state)->n && h.n_states == (h.lent ? vinc_sim_n_states(s) : 0) &&
           h.n_inputs == s->code->inputs.n && h.sum == state_hash(h.model, rest, size - sizeof h);
    vinc_state *x = fits ? mem_try(&s->m, sizeof *x) : NULL;
    if (fits && !x) return api_told(s, VINC_E_MEMORY);
    if (x) {
        *x = (vinc_state){.m = s->m, .model = s->model, .code = s->code, .lent = h.lent};
        api_model_hold(s->model);
        rc = read_numbers(s, &h, rest, size - sizeof h, x);
        if (!rc) *out = x;
        else vinc_state_free(x);
    }
    if (!fits || rc == VINC_E_OPTION)
        return api_refuse_call(s, "C117",
                               "these bytes are no state of this model, written by this version");
    return api_told(s, rc);
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

const sim_mark *api_state_mark(const vinc_state *x)
{
    return &x->mark;
}

int api_resume(vinc_sim *s, sim_session *session, const vinc_state *x)
{
    int rc = run_restore(s->state, x->run);
    return rc ? rc : api_share_resume(s, session, &x->mark, x->y, x->yp);
}

int vinc_sim_restore(vinc_sim *s, const vinc_state *x)
{
    int rc = needs_start(s);
    if (rc) return rc;
    if (!x || x->code != s->code || x->lent != (s->lent != NULL))
        return api_refuse_call(s, "C117",
                               !x ? "a state of vinc_sim_save is needed"
                               : x->code != s->code
                                   ? "the state is that of another model or formulation"
                                   : "a run that is lent does not take the state of one "
                                     "that is stepped, nor the other way round");
    rc = restore_inputs(s, x);
    if (!rc) rc = run_restore(s->state, x->run);
    if (rc) return api_told(s, rc);
    s->stopped = false;
    if (s->lent) return api_lent_return(s, x->mark.t, x->x, x->y, x->yp), VINC_OK;
    api_clear_result(&s->result);
    result_drop_after(s->result.r, x->mark.t, 0);
    rc = sim_return(s->session, &x->mark, x->y, x->yp);
    return went(s, rc);
}
