/* The state of a run as a whole, and derivatives by differences.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- state ----------------------------------------------------------------------------------- */

struct vinc_state {
    source_now now;
    struct run_past *past;
    size_t n;
    double at[1]; // n of them
};

static vinc_state *state_new(size_t n)
{
    vinc_state *x = calloc(1, sizeof *x + n * sizeof *x->at);
    if (x) x->n = n;
    return x;
}

int vinc_sim_save(vinc_sim *s, vinc_state **out)
{
    vinc_state *x = *out = state_new(s->n_kept);
    if (!x) return VINC_E_MEMORY;
    x->now = s->now;
    memcpy(x->at, s->kept, x->n * sizeof *x->at);
    x->past = source_past_copy(s->past);
    if (!s->past || x->past) return VINC_OK;
    vinc_state_free(x);
    *out = NULL;
    return VINC_E_MEMORY;
}

int vinc_sim_restore(vinc_sim *s, const vinc_state *x)
{
    if (x->n != s->n_kept || !x->past != !s->past) return VINC_E_OPTION;
    if (x->past) {
        struct run_past *past = source_past_copy(x->past);
        if (!past) return VINC_E_MEMORY;
        source_past_free(s->past);
        s->past = past;
    }
    s->now = x->now;
    memcpy(s->kept, x->at, x->n * sizeof *x->at);
    if (s->m->n_objects) source_parameters(s); // objects are those of its parameters
    source_step_reset(s);
    return VINC_OK;
}

void vinc_state_free(vinc_state *x)
{
    if (x) source_past_free(x->past);
    free(x);
}

size_t vinc_state_size(const vinc_state *x)
{
    return x ? sizeof x->now + x->n * sizeof *x->at + source_past_size(x->past) : 0;
}

int vinc_state_write(const vinc_state *x, void *bytes, size_t size)
{
    if (size < vinc_state_size(x)) return VINC_E_OPTION;
    memcpy(bytes, &x->now, sizeof x->now);
    memcpy((char *)bytes + sizeof x->now, x->at, x->n * sizeof *x->at);
    source_past_write(x->past, (char *)bytes + sizeof x->now + x->n * sizeof *x->at);
    return VINC_OK;
}

int vinc_state_read(vinc_sim *s, const void *bytes, size_t size, vinc_state **out)
{
    size_t own = sizeof(source_now) + s->n_kept * sizeof *s->kept;
    vinc_state *x = size < own || (size > own && !s->past) ? NULL : state_new(s->n_kept);
    *out = NULL;
    if (x) {
        memcpy(&x->now, bytes, sizeof x->now);
        memcpy(x->at, (const char *)bytes + sizeof x->now, x->n * sizeof *x->at);
        x->past = source_past_copy(s->past);
        if (!s->past || source_past_read(x->past, (const char *)bytes + own, size - own)) {
            *out = x;
            return VINC_OK;
        }
    }
    vinc_state_free(x);
    source_say(s->ctx, VINC_ERROR, "these bytes are no state of this model");
    return VINC_E_OPTION;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* The unknowns where a known has another value; what events would change is taken as it is. */
static int slopes_at(vinc_sim *s, const vinc_slopes *q, int known, double value, double *out)
{
    const source_column *c = known < 0 ? NULL : &s->m->columns[known];
    int rc = VINC_OK;
    if (!c) {
        vinc_sim_states(s, s->states1, NULL);
        s->states1[-1 - known] = value;
        s->now.lent = s->now.stale = 1;
        rc = vinc_sim_place(s, s->now.t, s->states1);
    } else if (c->is_input) {
        s->w[c->place] = value;
    } else {
        s->p[c->place] = value;
        s->given[c->place] = true;
        source_parameters(s);
        source_eval(s, &s->m->attributes, 0, NULL, NULL, s->attributes, NULL);
    }
    if (c && source_follow(s, s->now.t, s->y, s->yp)) rc = VINC_E_EVALUATION;
    for (int i = 0; i < q->n_unknowns && !rc; i++) {
        int k = q->unknowns[i];
        if (k >= 0) rc = vinc_sim_values(s, &k, 1, &out[i]);
        if (k >= 0) continue;
        rc = vinc_sim_rates(s, s->states1);
        out[i] = s->states1[-1 - k];
    }
    return rc;
}

/* A column of J, by a central difference; everything is as before afterwards. */
static int slopes_column(vinc_sim *s, const vinc_slopes *q, int known, double *out, double *low)
{
    const source_column *c = known < 0 ? NULL : &s->m->columns[known];
    double x = 0, size = 1;
    vinc_state *back = NULL;
    int rc = vinc_sim_save(s, &back);
    if (!rc && c && !c->is_input && c->set != SOURCE_SET_P) {
        source_say(s->ctx, VINC_ERROR, "there are no derivatives by '%s'", c->name);
        rc = VINC_E_OPTION;
    }
    if (!rc && c) rc = vinc_sim_values(s, &known, 1, &x);
    if (!rc && !c) {
        vinc_sim_states(s, s->states1, NULL);
        x = s->states1[-1 - known];
        vinc_sim_states(s, NULL, s->states1);
        size = s->states1[-1 - known];
    }
    bool given = c && !c->is_input && !rc ? s->given[c->place] : false;
    double h = pow(DBL_EPSILON, 1.0 / 3) * fmax(fabs(x), size), up = x + h, down = x - h;
    for (int side = 0; side < 2 && !rc; side++) {
        rc = slopes_at(s, q, known, side ? down : up, side ? low : out);
        int restored = vinc_sim_restore(s, back);
        if (c && !c->is_input) {
            s->given[c->place] = given;
            if (s->m->n_objects) source_parameters(s);
            source_eval(s, &s->m->attributes, 0, NULL, NULL, s->attributes, NULL);
        }
        if (!rc) rc = restored;
    }
    for (int i = 0; i < q->n_unknowns && !rc; i++) out[i] = (out[i] - low[i]) / (up - down);
    vinc_state_free(back);
    return rc;
}

int vinc_sim_slopes(vinc_sim *s, const vinc_slopes *q, const double *v, double *out)
{
    int rc = VINC_OK, n_out = q->transposed ? q->n_knowns : q->n_unknowns;
    double *column = malloc(2 * ((size_t)q->n_unknowns + 1) * sizeof *column);
    if (!column) return VINC_E_MEMORY;
    for (int i = 0; i < n_out; i++) out[i] = 0;
    for (int j = 0; j < q->n_knowns && !rc; j++) {
        if (!q->transposed && v[j] == 0) continue;
        rc = slopes_column(s, q, q->knowns[j], column, column + q->n_unknowns);
        for (int i = 0; i < q->n_unknowns && !rc; i++) {
            if (q->transposed) out[j] += column[i] * v[i];
            else out[i] += column[i] * v[j];
        }
    }
    free(column);
    return rc;
}
