/* Runs of a model that was printed as C: making one, its values, and the hands of another integrator.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
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

static int sim_failed(vinc_sim *s, int rc, const char *words)
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
    double **kept[] = {&s->y, &s->yp, &s->w, &s->p, &s->x, &s->against, &s->next, &s->sample};
    size_t sizes[] = {n,
                      n,
                      n_w,
                      (size_t)m->n_p,
                      n,
                      relations,
                      (size_t)m->n_samples + (size_t)m->n_timers,
                      2 * (size_t)m->n_samples};
    for (int i = 0; i < 8; i++) *kept[i] = room(&b, sizes[i], one);
    s->n_kept = (b.bytes - first) / one;
    s->kept = s->y;
    double **vectors[] = {&s->nominal, &s->r,       &s->delta,    &s->y1,   &s->yp1,    &s->held,
                          &s->last,    &s->event_y, &s->event_yp, &s->base, &s->weight, &s->err,
                          &s->ya,      &s->ypa,     &s->yb,       &s->ypb};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = room(&b, n, one);
    s->stage = room(&b, 5 * n, one);
    s->a = room(&b, n * n + n, one);
    s->lu = room(&b, n * n + n, one);
    double **values[] = {&s->dy, &s->dyp, &s->jy, &s->jyp};
    for (int i = 0; i < 4; i++) *values[i] = room(&b, nnz, one);
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
    s->pivot = room(&b, n, sizeof *s->pivot);
    s->lu_pivot = room(&b, n, sizeof *s->lu_pivot);
    s->fixed = room(&b, (size_t)m->n_entries, sizeof *s->fixed);
    s->given = room(&b, (size_t)m->n_p, sizeof *s->given);
    s->is_set = room(&b, (size_t)m->n_columns, sizeof *s->is_set);
    s->flipped = room(&b, relations, sizeof *s->flipped);
    return b.bytes;
}

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

/* ---- states of another integrator ------------------------------------------------------------ */

int vinc_sim_n_states(const vinc_sim *s)
{
    int n = s->m->n_states;
    for (int g = 0; g < s->m->n_groups; g++)
        n += s->m->groups[g].n_columns - s->m->groups[g].n_constraints;
    return n;
}

int vinc_sim_state_value(const vinc_sim *s, int i)
{
    return i < s->m->n_states ? s->m->state_column[i] : -1;
}

static void gather(const vinc_sim *s, const double *y, double *x)
{
    const source_model *m = s->m;
    int k = 0;
    for (; k < m->n_states; k++) x[k] = y[m->states[k]];
    for (int g = 0; g < m->n_groups; g++) {
        const source_group *q = &m->groups[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++, k++) {
            x[k] = 0;
            for (int j = 0; j < q->n_columns; j++)
                x[k] += s->w[q->w + i * q->n_columns + j] * y[q->columns[j]];
        }
    }
}

/* y is moved as little as possible to where its combinations are x. */
static void scatter(vinc_sim *s)
{
    const source_model *m = s->m;
    int k = 0;
    for (; k < m->n_states; k++) s->y[m->states[k]] = s->x[k];
    for (int g = 0; g < m->n_groups; g++) {
        const source_group *q = &m->groups[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++, k++) {
            const double *P = s->w + q->w + i * q->n_columns;
            double far = s->x[k], norm = 0;
            for (int j = 0; j < q->n_columns; j++) {
                double size = P[j] * s->nominal[q->columns[j]];
                far -= P[j] * s->y[q->columns[j]];
                norm += size * size;
            }
            for (int j = 0; j < q->n_columns && norm > 0; j++) {
                double size = s->nominal[q->columns[j]];
                s->y[q->columns[j]] += P[j] * size * size * far / norm;
            }
        }
    }
}

/* y and y' of the present point. */
static int follow_point(vinc_sim *s)
{
    int rc = VINC_OK, changed;
    if (s->now.lent && s->now.stale) {
        size_t bytes = (size_t)s->m->n * sizeof *s->y;
        memcpy(s->ya, s->y, bytes); // to be had again where this point has no solution
        memcpy(s->ypa, s->yp, bytes);
        scatter(s);
        if (source_follow(s, s->now.t, s->y, s->yp)) {
            memcpy(s->y, s->ya, bytes);
            memcpy(s->yp, s->ypa, bytes);
            return sim_failed(s, VINC_E_EVALUATION, "the equations have no solution");
        }
        s->now.stale = 0;
    }
    if (!s->now.lent && s->now.input_changed) {
        s->now.input_changed = 0;
        if (source_follow(s, s->now.t, s->y, s->yp))
            return sim_failed(s, VINC_E_EVALUATION, "the equations have no solution");
        rc = source_event(s, s->now.t, s->y, s->yp, &changed);
        if (rc == VINC_TERMINATED) s->now.terminated = 1, rc = VINC_OK;
        source_step_reset(s);
        s->now.h = 0;
    }
    return rc < 0 ? sim_failed(s, rc, "an event failed") : rc;
}

int vinc_sim_values(vinc_sim *s, const int *list, int n, double *out)
{
    int rc = follow_point(s);
    bool computed = false;
    for (int k = 0; k < n && !rc; k++) {
        const source_column *c = &s->m->columns[list[k]];
        if (c->kind == SOURCE_COMPUTED && !computed) {
            source_eval(s, &s->m->computed, s->now.t, s->y, s->yp, s->computed, NULL);
            computed = true;
        }
        double x = c->kind == SOURCE_Y          ? s->y[c->at]
                   : c->kind == SOURCE_YP       ? s->yp[c->at]
                   : c->kind == SOURCE_W        ? s->w[c->at]
                   : c->kind == SOURCE_COMPUTED ? s->computed[c->at]
                                                : 0;
        source_value v = {c->kind, c->at, c->number};
        if (c->kind <= SOURCE_ATTRIBUTE) x = source_value_of(s, &v);
        out[k] = !c->negated ? x : c->type == VINC_BOOLEAN ? x == 0 : -x;
    }
    return rc;
}

int vinc_sim_set_input(vinc_sim *s, int i, double value)
{
    const source_column *c = &s->m->columns[i];
    if (!c->is_input || !isfinite(value)) {
        source_say(s->ctx, VINC_ERROR,
                   "'%s' cannot be set to %g: it is no input, or that no number", c->name, value);
        return VINC_E_OPTION;
    }
    if (s->w[c->place] == value) return VINC_OK;
    if (!s->now.lent && !s->now.input_changed) {
        source_note_before(s, s->now.t, s->y, s->yp);
        s->now.noted = 1;
    }
    s->w[c->place] = value;
    if (s->now.lent) s->now.stale = 1;
    else s->now.input_changed = 1;
    return VINC_OK;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int sim_begin(vinc_sim *s)
{
    int changed, rc;
    source_begin(s);
    rc = source_find_start(s, s->now.t);
    if (rc) return sim_failed(s, rc, "no start values were found");
    rc = source_event(s, s->now.t, s->y, s->yp, &changed);
    if (rc == VINC_TERMINATED) s->now.terminated = 1, rc = VINC_OK;
    if (!rc) rc = source_check(s, s->now.t, s->y, s->yp);
    gather(s, s->y, s->x);
    source_step_reset(s);
    if (rc) return sim_failed(s, rc, "the first event failed");
    return s->now.terminated && !s->now.lent ? VINC_TERMINATED : VINC_OK;
}

int vinc_sim_start(vinc_sim *s)
{
    return sim_begin(s);
}

int vinc_sim_lend(vinc_sim *s)
{
    return sim_begin(s);
}

/* ---- model exchange -------------------------------------------------------------------------- */

int vinc_sim_place(vinc_sim *s, double t, const double *x)
{
    int n = vinc_sim_n_states(s);
    if (!isfinite(t) || (x && !source_finite(x, n)))
        return sim_failed(s, VINC_E_OPTION, "a time or a state is not a number");
    if (t != s->now.t) s->now.stale = 1;
    s->now.t = t;
    if (x && n && memcmp(x, s->x, (size_t)n * sizeof *x)) {
        memcpy(s->x, x, (size_t)n * sizeof *x);
        s->now.stale = 1;
    }
    return VINC_OK;
}

int vinc_sim_states(vinc_sim *s, double *x, double *nominal)
{
    int n = vinc_sim_n_states(s);
    if (x && s->now.lent) memcpy(x, s->x, (size_t)n * sizeof *x);
    else if (x) gather(s, s->y, x);
    for (int k = 0; nominal && k < n; k++)
        nominal[k] = k < s->m->n_states ? s->nominal[s->m->states[k]] : 1;
    return VINC_OK;
}

int vinc_sim_rates(vinc_sim *s, double *rates)
{
    int rc = follow_point(s);
    if (!rc) gather(s, s->yp, rates);
    return rc;
}

int vinc_sim_n_indicators(const vinc_sim *s)
{
    return source_n_roots(s->m) + s->m->n_groups;
}

int vinc_sim_indicators(vinc_sim *s, double *g)
{
    int rc = follow_point(s);
    if (rc) return rc;
    if (source_roots(s, s->now.t, s->y, s->yp, g) ||
        source_margins(s, s->now.t, s->y, s->yp, g + source_n_roots(s->m)) < 0)
        return sim_failed(s, VINC_E_EVALUATION, "an event indicator is no number");
    return VINC_OK;
}

int vinc_sim_before_event(vinc_sim *s)
{
    int rc = follow_point(s);
    if (rc) return rc;
    source_note_before(s, s->now.t, s->y, s->yp);
    s->now.noted = 1;
    return VINC_OK;
}

int vinc_sim_event(vinc_sim *s, vinc_event_report *out)
{
    const double TIME_SLACK = 100 * 2.220446049250313e-16; // sums of steps differ from products
    vinc_event_report none = {0, 0, 0, INFINITY};
    int rc = follow_point(s), n = vinc_sim_n_states(s);
    *out = none;
    if (rc) return rc;
    double t = s->now.t, next = source_next(s, t);
    if (isfinite(next) && next - t <= TIME_SLACK * fabs(next)) t = next;
    rc = source_event(s, t, s->y, s->yp, &out->changed);
    out->terminated = rc == VINC_TERMINATED || s->now.terminated;
    if (rc == VINC_TERMINATED) rc = VINC_OK;
    if (!rc) rc = source_check(s, t, s->y, s->yp);
    if (!rc && source_select(s, t, s->y, s->yp, 0.6) < 0) rc = VINC_E_EVALUATION;
    if (rc) return sim_failed(s, rc, "an event failed");
    gather(s, s->y, s->states1);
    out->states_changed = n && memcmp(s->x, s->states1, (size_t)n * sizeof *s->x) != 0;
    out->changed = out->changed || out->states_changed;
    memcpy(s->x, s->states1, (size_t)n * sizeof *s->x);
    out->next_time = source_next(s, t);
    return VINC_OK;
}

int vinc_sim_accept(vinc_sim *s, int *event)
{
    int rc = follow_point(s);
    *event = 0;
    if (!rc) rc = source_check(s, s->now.t, s->y, s->yp);
    if (rc) return rc;
    memcpy(s->w1, s->w, (size_t)s->m->n_w * sizeof *s->w);
    *event = source_select(s, s->now.t, s->y, s->yp, 0.6) > 0;
    memcpy(s->w, s->w1, (size_t)s->m->n_w * sizeof *s->w); // the choice belongs to an event
    return VINC_OK;
}

/* ---- co-simulation --------------------------------------------------------------------------- */

int vinc_sim_step(vinc_sim *s, double limit)
{
    int rc = follow_point(s);
    if (!rc && s->now.terminated) return VINC_TERMINATED;
    return rc ? rc : source_step(s, limit);
}

int vinc_sim_advance(vinc_sim *s, double t)
{
    enum { EVENTS_MOST = 1000 }; // at one time, as far as anybody can tell
    int rc = VINC_OK, events = 0;
    double since = s->now.t;
    while (rc >= 0 && rc != VINC_TERMINATED && s->now.t < t) {
        rc = vinc_sim_step(s, t);
        if (s->now.t - since > 1e-9 * fabs(t)) since = s->now.t, events = 0;
        if (rc == VINC_EVENT && ++events > EVENTS_MOST)
            return sim_failed(s, VINC_E_ZENO, "events follow each other without end");
    }
    return rc == VINC_EVENT ? VINC_OK : rc;
}

int vinc_sim_extend(vinc_sim *s, double t_stop)
{
    s->now.t_stop = t_stop;
    return VINC_OK;
}
