/* A run that goes on from the end of another one.
 *
 * The end of a run, as bytes in its result: when it began, the constants of the model, what its flat
 * text is, and the state (vinc_state_write). A run that goes on finds the start values of the first
 * one, as it did, and then takes the state in their place: all that is made at a start is there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { END_MAGIC = 0x56454e31 };

typedef struct end_head {
    uint32_t magic;
    int32_t n_columns;
    uint64_t flat;
    double t_origin;
} end_head;

/* ---- what the model is ----------------------------------------------------------------------- */

typedef struct flat_job {
    const flat_model *flat;
    text *words; // of the run: lack of memory may jump over who fills it
    uint64_t hash;
} flat_job;

/* Fowler, Noll, Vo, of the flat model as text: equations, functions and bindings. */
static int end_flat_hash(void *job)
{
    flat_job *j = job;
    text_clear(j->words);
    flat_print(j->flat, j->words);
    j->hash = 0xcbf29ce484222325u;
    for (const char *p = text_str(j->words); *p; p++)
        j->hash = (j->hash ^ (unsigned char)*p) * 0x100000001b3u;
    text_clear(j->words);
    return VINC_OK;
}

static double end_constant(const vinc_sim *s, int column)
{
    return code_column_in(&s->code->outputs, column).constant ? run_constant(s->state, column) : 0;
}

/* ---- keeping --------------------------------------------------------------------------------- */

static int end_write(vinc_sim *s, const struct vinc_state *state, uint64_t flat, result *into)
{
    end_head h = {.magic = END_MAGIC,
                  .n_columns = s->code->outputs.n_columns,
                  .flat = flat,
                  .t_origin = s->onward ? s->t_origin : s->options.t_start};
    size_t constants = (size_t)h.n_columns * sizeof(double), size = vinc_state_size(state);
    size_t all = sizeof h + constants + size;
    unsigned char *bytes = mem_try(&s->m, all);
    if (!bytes) return VINC_E_MEMORY;
    memcpy(bytes, &h, sizeof h);
    for (int i = 0; i < h.n_columns; i++) {
        double x = end_constant(s, i);
        memcpy(bytes + sizeof h + (size_t)i * sizeof x, &x, sizeof x);
    }
    int rc = vinc_state_write(state, bytes + sizeof h + constants, size);
    if (!rc && result_keep_state(into, bytes, all) < 0) rc = VINC_E_MEMORY;
    mem_free(&s->m, bytes, all);
    return rc;
}

void api_keep_end(void *user, const sim_mark *mark, const double *y, const double *yp)
{
    vinc_sim *s = user;
    struct vinc_state *state = NULL;
    flat_job j = {s->model->flat, &s->out, 0};
    int rc = api_whole(s->model);
    if (!rc) rc = api_said(s->model->ctx, end_flat_hash, &j);
    if (!rc) rc = api_save_at(s, mark, y, yp, &state);
    if (!rc) rc = end_write(s, state, j.hash, s->result.r);
    vinc_state_free(state);
    if (rc) s->end_lost = true;
}

/* ---- going on -------------------------------------------------------------------------------- */

typedef struct end_complaint {
    vinc_sim *s;
    const char *code;
    char words[700];
} end_complaint;

static int end_complain(void *job)
{
    const end_complaint *c = job;
    diag_error(c->s->sink, c->code, (span){0}, "%s", c->words);
    return VINC_OK;
}

/* Constants by name first: what is wrong is most often a setting. */
static int end_compare(vinc_sim *s, const char *path, const end_head *h, const unsigned char *bytes)
{
    end_complaint c = {.s = s, .code = "C127"};
    int rc = run_begin(s->state, h->t_origin, &s->why);
    if (rc) return api_report(s, rc, "R100");
    for (int i = 0; i < h->n_columns; i++) {
        double was, is = end_constant(s, i);
        memcpy(&was, bytes + (size_t)i * sizeof was, sizeof was);
        if (was == is || (isnan(was) && isnan(is)) || code_column_in(&s->code->outputs, i).alias)
            continue;
        const flat_model *f = s->model->flat;
        // What initial equations compute is not known yet.
        const code_column shown = code_column_in(&s->code->outputs, i);
        if (!shown.times && !flat_at(f, shown.var)->binding) continue;
        const char *name = api_column_name(s, i);
        if (!name) return api_told(s, VINC_E_MEMORY);
        snprintf(c.words, sizeof c.words,
                 "'%.150s' was made with %.100s = %.10g, and here it is %.10g: a run goes on with "
                 "the settings that it began with; give them again (-p %.100s=%.10g)",
                 path, name, was, is, name, was);
        return api_run_guarded(s, end_complain, &c), VINC_E_OPTION;
    }
    flat_job j = {s->model->flat, &s->out, 0};
    rc = api_whole(s->model);
    if (!rc) rc = api_said(s->model->ctx, end_flat_hash, &j);
    if (rc || j.hash == h->flat) return rc;
    snprintf(c.words, sizeof c.words,
             "'%.200s' is of another model: equations or declarations have changed since", path);
    return api_run_guarded(s, end_complain, &c), VINC_E_OPTION;
}

static int end_read(vinc_sim *s, const char *path, const result *r)
{
    end_complaint c = {.s = s, .code = "C126"};
    end_head h = {0};
    if (r->n_state >= sizeof h) memcpy(&h, r->state, sizeof h);
    int n = s->code->outputs.n_columns;
    size_t constants = (size_t)n * sizeof(double);
    if (!r->n_state) {
        snprintf(
            c.words, sizeof c.words,
            "'%.200s' does not hold the state in which the run ended: it is in .mat files that "
            "'vincolo run MODEL --out FILE.mat' writes",
            path);
        return api_run_guarded(s, end_complain, &c), VINC_E_OPTION;
    }
    if (h.magic != END_MAGIC || h.n_columns != n || r->n_state < sizeof h + constants) {
        snprintf(c.words, sizeof c.words, "'%.200s' is the result of another model", path);
        return api_run_guarded(s, end_complain, &c), VINC_E_OPTION;
    }
    const unsigned char *state = r->state + sizeof h + constants;
    int rc = end_compare(s, path, &h, r->state + sizeof h);
    if (!rc) rc = vinc_state_read(s, state, r->n_state - sizeof h - constants, &s->onward);
    if (rc) return rc;
    double t = api_state_mark(s->onward)->t;
    const vinc_sim_options *o = &s->callbacks;
    if (o->has_start && o->t_start != t) {
        snprintf(
            c.words, sizeof c.words,
            "'%.200s' ends at t = %.10g, and the run goes on from there: a start time of %.10g "
            "is another",
            path, t, o->t_start);
        return api_run_guarded(s, end_complain, &c), VINC_E_OPTION;
    }
    if (!(s->options.t_stop > t)) {
        snprintf(c.words, sizeof c.words,
                 "'%.200s' ends at t = %.10g already: give a later stop time (--stop)", path, t);
        return api_run_guarded(s, end_complain, &c), VINC_E_OPTION;
    }
    s->t_origin = h.t_origin;
    s->options.t_start = t;
    return VINC_OK;
}

int api_open_from(vinc_sim *s, const char *path)
{
    result_fault fault = {0};
    int rc = result_read(&s->m, path, NULL, &s->before, &fault);
    if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY;
    if (rc < 0) return diag_error(s->sink, fault.code, (span){0}, "%s", fault.text), VINC_E_OPTION;
    rc = end_read(s, path, s->before);
    result_free(s->before);
    s->before = NULL;
    return rc;
}

int api_run_on(vinc_sim *s, const vinc_problem *p, double *y, double *yp,
               const sim_options *options, result *into, sim_outcome *done)
{
    sim_session *session = NULL;
    sim_options o = *options;
    o.t_start = s->t_origin;
    int rc = sim_open(&s->m, p, y, yp, &o, into, done, &session);
    if (!rc) rc = done->status = api_resume(s, session, s->onward);
    if (!rc) rc = sim_advance(session, o.t_stop, false);
    sim_close(session, y, yp);
    return rc == VINC_EVENT ? VINC_OK : rc;
}
