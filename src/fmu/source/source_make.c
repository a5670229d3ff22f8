/* Runs of a model that was printed as C: making one, what it says, its variables.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_run.h"
#include "fmu/source/source_run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 8, MESSAGE_BYTES = 600 };

struct vinc_ctx {
    int n;
    vinc_severity severity[MESSAGES];
    char text[MESSAGES][MESSAGE_BYTES];
};

struct vinc_model {
    vinc_ctx *ctx;
    const source_model *of;
};

/* ---- messages -------------------------------------------------------------------------------- */

void source_say(vinc_ctx *ctx, vinc_severity severity, const char *format, ...)
{
    va_list list;
    if (ctx->n == MESSAGES) { // the first ones tell most, the last one tells why it stopped
        if (severity != VINC_ERROR) return;
        ctx->n--;
    }
    va_start(list, format);
    vsnprintf(ctx->text[ctx->n], MESSAGE_BYTES, format, list);
    va_end(list);
    ctx->severity[ctx->n++] = severity;
}

int source_failed(vinc_sim *s, int rc, const char *words)
{
    if (rc == VINC_E_MEMORY) words = "there is no memory left";
    if (!s->ctx->n || s->ctx->severity[s->ctx->n - 1] != VINC_ERROR)
        source_say(s->ctx, VINC_ERROR, "%s at t = %.10g", words, s->now.t);
    return rc;
}

vinc_ctx *vinc_ctx_new(const void *options)
{
    (void)options;
    return calloc(1, sizeof(vinc_ctx));
}

void vinc_ctx_free(vinc_ctx *ctx)
{
    free(ctx);
}

int vinc_ctx_n_diagnostics(const vinc_ctx *ctx)
{
    return ctx ? ctx->n : 0;
}

vinc_diagnostic vinc_ctx_diagnostic(const vinc_ctx *ctx, int i)
{
    vinc_diagnostic d = {.severity = ctx->severity[i], .code = "", .text = ctx->text[i]};
    return d;
}

void vinc_ctx_clear(vinc_ctx *ctx)
{
    if (ctx) ctx->n = 0;
}

int vinc_sim_n_diagnostics(const vinc_sim *s)
{
    return s->ctx->n;
}

vinc_diagnostic vinc_sim_diagnostic(const vinc_sim *s, int i)
{
    return vinc_ctx_diagnostic(s->ctx, i);
}

vinc_model *vinc_model_of(vinc_ctx *ctx, const source_model *of)
{
    vinc_model *model = malloc(sizeof *model);
    if (model) model->ctx = ctx, model->of = of;
    return model;
}

void vinc_model_free(vinc_model *model)
{
    free(model);
}

/* ---- making one ------------------------------------------------------------------------------ */

typedef struct source_room { // one walk measures, the next assigns
    char *at;
    size_t bytes;
} source_room;

static void *room(source_room *b, size_t n, size_t size)
{
    void *p = b->at ? b->at + b->bytes : NULL;
    b->bytes += (n + 1) * size;
    b->bytes = (b->bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return p;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t
most_rows(const source_model *m) // results of any function that has no room of its own
{
    const source_part *parts[] = {&m->bound, &m->next,       &m->extra,  &m->thresholds,
                                  &m->first, &m->assertions, &m->before, &m->residual};
    size_t n = (size_t)m->n;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) n = most(n, (size_t)parts[i]->n_out);
    return n + (size_t)m->extra.n_out;
}

static size_t lay_out(vinc_sim *s, const source_model *m, void *block)
{
    source_room b = {block, 0};
    size_t n = (size_t)m->n, n_w = (size_t)m->n_w, one = sizeof(double);
    size_t nnz =
        most(most((size_t)m->jac.nnz, (size_t)m->group_pattern.nnz), (size_t)m->extra_pattern.nnz);
    size_t relations = (size_t)m->n_relations, roots = (size_t)source_n_roots(m);
    size_t sides = most(most((size_t)m->roots.n_out, (size_t)m->relation_values.n_out), roots);
    size_t cells =
        most(most((size_t)m->discrete.n_out, (size_t)m->acts.n_out), 2 * (size_t)m->timers.n_out);
    s->kept = room(&b, 0, one);
    size_t first = b.bytes;
    size_t bases = (size_t)m->n_bases, subs = (size_t)m->n_subs,
           most_tick = (size_t)m->tick_unknowns;
    double **kept[] = {
        &s->y,        &s->yp,         &s->w,           &s->p,          &s->x,
        &s->against,  &s->next,       &s->sample,      &s->base_when,  &s->base_interval,
        &s->base_own, &s->base_units, &s->base_origin, &s->base_risen, &s->sub_next,
        &s->sub_last, &s->sub_ticked, &s->passed};
    size_t sizes[] = {n,
                      n,
                      n_w,
                      (size_t)m->n_p,
                      n,
                      relations,
                      (size_t)m->n_samples + (size_t)m->n_timers,
                      2 * (size_t)m->n_samples,
                      bases,
                      bases,
                      bases,
                      bases,
                      bases,
                      bases,
                      subs,
                      subs,
                      subs,
                      6 * n};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) *kept[i] = room(&b, sizes[i], one);
    s->n_kept = (b.bytes - first) / one;
    s->kept = s->y;
    double **vectors[] = {&s->nominal, &s->r,     &s->delta,   &s->y1,       &s->yp1,
                          &s->held,    &s->last,  &s->event_y, &s->event_yp, &s->base,
                          &s->weight,  &s->err,   &s->ya,      &s->ypa,      &s->yb,
                          &s->ypb,     &s->y_way, &s->yp_way,  &s->y_slope};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = room(&b, n, one);
    s->stage = room(&b, 5 * n, one);
    double **values[] = {&s->dy, &s->dyp, &s->jy, &s->jyp, &s->matrix};
    for (int i = 0; i < 5; i++) *values[i] = room(&b, nnz, one);
    double **of_sides[] = {&s->sides, &s->sides_before, &s->values, &s->after, &s->g0, &s->g1};
    for (int i = 0; i < 6; i++) *of_sides[i] = room(&b, sides, one);
    s->w1 = room(&b, most(n_w, sides), one);
    s->states1 = room(&b, most(n_w, n), one);
    s->cell = room(&b, cells, one);
    s->rows = room(&b, most_rows(m), one);
    s->computed = room(&b, (size_t)m->computed.n_out, one);
    s->v = room(&b, (size_t)m->n_scratch, one);
    s->attributes = room(&b, (size_t)m->attributes.n_out, one);
    s->start = room(&b, (size_t)m->n_entries, one);
    s->set = room(&b, (size_t)m->n_columns, one);
    s->thresholds = room(&b, (size_t)m->n_members, sizeof *s->thresholds);
    s->fixed = room(&b, (size_t)m->n_entries, sizeof *s->fixed);
    s->given = room(&b, (size_t)m->n_p, sizeof *s->given);
    s->is_set = room(&b, (size_t)m->n_columns, sizeof *s->is_set);
    s->tick_out = room(&b, (size_t)m->tick_most, one);
    s->tick_a = room(&b, most_tick * most_tick + most_tick, one);
    s->tick_dx = room(&b, most_tick, one);
    s->held_before = room(&b, (size_t)m->n_held, one);
    s->tick_pivot = room(&b, most_tick, sizeof *s->tick_pivot);
    s->on = room(&b, subs, sizeof *s->on);
    s->due = room(&b, bases, sizeof *s->due);
    s->toggles = room(&b, relations, sizeof *s->toggles);
    s->active = room(&b, subs, sizeof *s->active);
    s->flipped = room(&b, relations, sizeof *s->flipped);
    return b.bytes;
}

static mem memory; // of objects: that of malloc

int vinc_sim_new(vinc_model *model, const vinc_sim_options *o, vinc_sim **out)
{
    const source_model *m = model->of;
    vinc_sim *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return VINC_E_MEMORY;
    s->block = calloc(1, lay_out(s, m, NULL));
    if (!s->block) {
        free(s);
        return VINC_E_MEMORY;
    }
    lay_out(s, m, s->block);
    s->ctx = model->ctx;
    s->m = m;
    s->stepping = source_factors_new(m, s->nominal);
    s->following = source_factors_new(m, s->nominal);
    if (!s->stepping || !s->following || external_run_new(&memory, m->n_objects, &s->routines) ||
        !source_past_new(s)) {
        vinc_sim_free(s);
        return VINC_E_MEMORY;
    }
    s->now.lent = o->lend;
    s->now.t = o->has_start ? o->t_start : m->t_start;
    s->now.t_stop = o->has_stop ? o->t_stop : m->t_stop;
    s->now.rel_tol = o->rel_tol > 0 ? o->rel_tol : m->rel_tol;
    s->now.foretold = INFINITY;
    *out = s;
    return VINC_OK;
}

void vinc_sim_free(vinc_sim *s)
{
    if (s) external_run_free(s->routines);
    if (s) source_past_free(s->past);
    if (s) source_factors_free(s->stepping);
    if (s) source_factors_free(s->following);
    if (s) free(s->block);
    free(s);
}

/* ---- variables ------------------------------------------------------------------------------- */

int vinc_sim_n_values(const vinc_sim *s)
{
    return s->m->n_columns;
}

const char *vinc_sim_value_name(const vinc_sim *s, int i)
{
    return i >= 0 && i < s->m->n_columns ? s->m->columns[i].name : NULL;
}

vinc_type vinc_sim_value_type(const vinc_sim *s, int i)
{
    return (vinc_type)s->m->columns[i].type;
}

int vinc_sim_find(const vinc_sim *s, const char *name)
{
    int i = 0;
    while (i < s->m->n_columns && strcmp(s->m->columns[i].name, name) != 0) i++;
    return i < s->m->n_columns ? i : -1;
}

int vinc_sim_set(vinc_sim *s, const char *name, double value)
{
    int i = vinc_sim_find(s, name);
    if (i < 0 || s->m->columns[i].set == SOURCE_SET_NOT || !isfinite(value)) {
        source_say(s->ctx, VINC_ERROR, "'%s' cannot be set to %g", name, value);
        return VINC_E_OPTION;
    }
    s->set[i] = value;
    s->is_set[i] = true;
    return VINC_OK;
}

double vinc_sim_time(const vinc_sim *s)
{
    return s->now.t;
}

double vinc_sim_end(const vinc_sim *s)
{
    return s->now.t_stop;
}

int vinc_sim_n_texts(const vinc_sim *s)
{
    return s->m->n_texts;
}

const char *vinc_sim_text_name(const vinc_sim *s, int i)
{
    return i >= 0 && i < s->m->n_texts ? s->m->texts[i].name : NULL;
}

int vinc_sim_text(vinc_sim *s, int i, const char **out)
{
    *out = s->m->texts[i].value;
    if (*out) return VINC_OK;
    source_say(s->ctx, VINC_ERROR, "'%s' is not told by an FMU that was compiled from its sources",
               s->m->texts[i].name);
    return VINC_E_OPTION;
}

int vinc_sim_n_clocks(const vinc_sim *s)
{
    return s->m->n_subs;
}

double vinc_sim_clock_time(const vinc_sim *s, int i)
{
    return i >= 0 && i < s->m->n_subs ? source_last_tick(s, i) : NAN;
}
