/* Events: what happens where a relation changes, a time is reached or a sample is due.
 *
 *     repeat
 *         relations, discrete equations and continuous unknowns until they agree   (settle.c)
 *         actions whose clause fires: reinit, assert, terminate                    (event_act.c)
 *         pre(v) := v
 *     until nothing changes
 *
 * Modelica Language Specification 3.6, section 8.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 100, ROUNDS_SEEN = 8 }; // of the event iteration; of them looked at if it fails

void code_event_layout(code_state *s, const code_model *m, bump *b)
{
    size_t samples = (size_t)m->s->samples.n, relations = (size_t)m->n_relations, n = (size_t)m->n;
    s->sample_start = bump_double(b, 2 * samples);
    s->sample_interval = bump_double(b, samples);
    s->sample_next = bump_double(b, samples);
    s->sides = bump_double(b, (size_t)m->roots.n_out);
    s->sides_before = bump_double(b, (size_t)m->roots.n_out);
    s->thresholds = bump_bytes(b, (size_t)m->n_members * sizeof *s->thresholds);
    s->y_event = bump_double(b, n);
    s->yp_event = bump_double(b, n);
    s->toggles = bump_int(b, relations);
    s->toggled = bump_int(b, relations);
    s->flips = bump_int(b, relations);
    s->family_place = bump_int(b, (size_t)m->n_families);
    s->warned = bump_bytes(b, (size_t)m->s->actions.n);
    s->restless = bump_bytes(b, (size_t)m->s->discrete.n);
    s->moved = bump_int(b, (size_t)m->s->discrete.n);
    s->is_moved = bump_bytes(b, (size_t)m->s->discrete.n);
    cell_layout(&s->discrete, &m->discrete, b);
    cell_layout(&s->acts, &m->acts, b);
    s->w_noted = bump_double(b, (size_t)m->n_w);
    s->flipped = bump_bytes(b, relations);
}

/* Start and interval may depend on parameters that the start decides: they are read at the first
 * event. */
static void schedule_samples(code_state *s, double t0, const double *y, const double *yp)
{
    const structure *x = s->model->s;
    if (s->scheduled || !x->samples.n) return;
    s->scheduled = true;
    code_eval(s, &s->model->samples, t0, y, yp, s->sample_start,
              NULL); // start, interval, start ...
    for (int k = x->samples.n - 1; k >= 0; k--) s->sample_interval[k] = s->sample_start[2 * k + 1];
    for (int k = 0; k < x->samples.n; k++) {
        double start = s->sample_start[k] = s->sample_start[2 * k],
               interval = s->sample_interval[k];
        double missed = interval > 0 && start < t0 ? ceil((t0 - start) / interval - 1e-9) : 0;
        s->sample_next[k] = start + missed * interval;
    }
}

void event_touch(code_state *s, int slot)
{
    cell_touch(&s->model->discrete, &s->discrete, slot);
    cell_touch(&s->model->acts, &s->acts, slot);
}

bool event_set(code_state *s, int equation, double value)
{
    const structure *x = s->model->s;
    int slot = x->vars[x->discrete.at[equation].block].place;
    if (s->w[slot] == value) return false;
    s->w[slot] = value;
    event_touch(s, slot);
    if (!s->is_moved[equation]) s->moved[s->n_moved++] = equation;
    s->is_moved[equation] = 1;
    return true;
}

static bool past_is_present(code_state *s) // pre(v) := v; true when all were equal
{
    const structure *x = s->model->s;
    bool equal = true;
    for (int i = 0; i < s->n_moved; i++) {
        int k = s->moved[i], slot = x->vars[x->discrete.at[k].block].place;
        s->is_moved[k] = 0;
        if (s->w[slot] == s->w[slot + 1]) continue;
        equal = false;
        s->w[slot + 1] = s->w[slot];
        event_touch(s, slot + 1);
    }
    s->n_moved = 0;
    return equal;
}

// The initial values are the first past.
static void begin_past(code_state *s)
{
    const structure *x = s->model->s;
    for (int k = 0; k < x->discrete.n; k++) {
        int slot = x->vars[x->discrete.at[k].block].place;
        s->w[slot + 1] = s->w[slot];
        s->is_moved[k] = 0;
    }
    s->n_moved = 0;
    s->w_given = true;
}

static void note_restless(code_state *s, bool first)
{
    const structure *x = s->model->s;
    for (int k = 0; k < x->discrete.n; k++) {
        const double *w = &s->w[x->vars[x->discrete.at[k].block].place];
        s->restless[k] = (!first && s->restless[k]) || w[0] != w[1];
    }
}

int code_update_discrete(code_state *s, double t, double *y, double *yp, int *changed)
{
    bool any = false;
    *changed = 0;
    if (s->w[STRUCTURE_W_INITIAL] !=
        0) { // the past is given: by start values and initial equations
        event_forget_flips(s);
        int rc = event_settle(s, t, y, yp, &any);
        *changed = any;
        return rc;
    }
    for (int k = 0; k < ROUNDS_MAX; k++) {
        int rc = event_settle(s, t, y, yp, &any);
        *changed = any;
        if (rc) return rc;
        int acted = event_act(s, t, y, yp);
        if (acted < 0 || acted == VINC_TERMINATED) return acted;
        if (k >= ROUNDS_MAX - ROUNDS_SEEN) note_restless(s, k == ROUNDS_MAX - ROUNDS_SEEN);
        if (acted) {
            any = true;
            rc = event_follow(s, t, y, yp);
            if (rc) return rc;
            event_read_afresh(s, t, y, yp);
        }
        bool same = past_is_present(s);
        if (acted && !same && (rc = event_follow(s, t, y, yp)) != 0) return rc;
        *changed = any = any || !same;
        if (same && !acted) return 0;
    }
    event_name_restless(s, t);
    return 1;
}

static void mark_samples(code_state *s, double t, bool on)
{
    const structure *x = s->model->s;
    for (int k = 0; k < x->samples.n; k++) {
        bool due = s->sample_next[k] <= t + event_ulp(t);
        double *w = &s->w[x->samples.at[k].place];
        if ((*w != 0) != (on && due)) event_touch(s, x->samples.at[k].place);
        *w = on && due;
        if (!on && due && s->sample_interval[k] > 0) {
            // Counted from the start, so that a thousand intervals do not add up their round-off.
            double n =
                floor((s->sample_next[k] - s->sample_start[k]) / s->sample_interval[k] + 1.5);
            s->sample_next[k] = s->sample_start[k] + n * s->sample_interval[k];
        } else if (!on && due) {
            s->sample_next[k] = INFINITY;
        }
    }
}

int code_event(void *user, double t, double *y, double *yp, int *changed)
{
    code_state *s = user;
    int after = 0;
    if (!s->started) begin_past(s);
    int came_back = code_past_event(s, t, y, yp, !s->started);
    s->started = true;
    event_forget_flips(s);
    schedule_samples(s, t, y, yp);
    mark_samples(s, t, true);
    int rc = came_back ? event_follow(s, t, y, yp) : 0;
    if (!rc) rc = code_update_discrete(s, t, y, yp, changed);
    mark_samples(s, t, false);
    if (!rc && s->model->s->samples.n) rc = code_update_discrete(s, t, y, yp, &after);
    event_foretell(s, t, y, yp);
    if (*changed || came_back) code_past_break(s, t, *changed ? 0 : came_back - 1);
    *changed = *changed || came_back;
    return rc;
}

int code_finish(void *user, double t, double *y, double *yp, int *changed)
{
    code_state *s = user;
    s->w[STRUCTURE_W_TERMINAL] = 1;
    event_touch(s, STRUCTURE_W_TERMINAL);
    int rc = code_event(user, t, y, yp, changed);
    s->w[STRUCTURE_W_TERMINAL] = 0;
    event_touch(s, STRUCTURE_W_TERMINAL);
    return rc;
}

double code_next_event(void *user, double t)
{
    code_state *s = user;
    const code_model *m = s->model;
    double next = code_past_next(s, t), least = t + event_ulp(t);
    for (int k = 0; k < m->s->samples.n; k++)
        if (s->sample_next[k] > least) next = fmin(next, s->sample_next[k]);
    return s->foretold > least ? fmin(next, s->foretold) : next;
}
