/* Events: what happens where a relation changes, a time is reached or a sample is due.
 *
 *     repeat
 *         relations, discrete equations and continuous unknowns until they agree   (settle.c)
 *         actions whose clause fires: reinit, assert, terminate                    (event_act.c)
 *         pre(v) := v, of discrete and continuous variables
 *     until nothing changes
 *
 * Modelica Language Specification 3.6, section 8.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"
#include "run/vary.h"

#include <math.h>
#include <string.h>

/* Rounds of an event: a variable may follow another a round later, and so on through all of them. The last
 * ones are looked at if it does not settle. */
enum { ROUNDS_LEAST = 100, ROUNDS_MOST = 1000, ROUNDS_SEEN = 8 };
enum { PASSES_MAX = 5 }; // rounds in which nothing agreed

void event_layout(run_events *x, const code_model *m, bump *b)
{
    size_t n = (size_t)m->n, n_discrete = (size_t)m->events.list.n_discrete;
    timer_layout(&x->timers, m, b);
    relation_layout(&x->relations, m, b);
    family_layout(&x->families, m, b);
    action_layout(&x->actions, m, b);
    cell_layout(&x->discrete.front, &m->events.discrete, b);
    x->discrete.restless = bump_bytes(b, n_discrete);
    x->discrete.moved = bump_int(b, n_discrete);
    x->discrete.is_moved = bump_bytes(b, n_discrete);
    x->discrete.first = bump_double(b, (size_t)m->events.first.n_out);
    x->discrete.claims = bump_double(b, (size_t)m->events.claims.n_out);
    x->discrete.before = bump_double(b, (size_t)m->events.before.n_out);
    x->y = bump_double(b, n);
    x->yp = bump_double(b, n);
    x->last = bump_double(b, 2 * n);
    x->w_noted = bump_double(b, (size_t)m->n_w);
}

void event_begin(run_state *s)
{
    run_events *x = &s->events;
    x->started = x->noted = x->timers.scheduled = false;
    x->w_given = true;
    x->relations.foretold = INFINITY;
    x->actions.why[0] = 0;
    x->actions.start_checked = false;
    memset(x->actions.warned, 0, (size_t)s->model->events.list.n_actions);
    cell_new_round(&s->model->events.discrete, &x->discrete.front);
    family_begin(s);
}

void run_take_discrete(run_state *s, const run_state *from)
{
    memcpy(s->w, from->w, (size_t)s->model->n_w_common * sizeof *s->w);
    s->events.w_given = true;
}

void event_touch(run_state *s, int slot)
{
    cell_touch(&s->model->events.discrete, &s->events.discrete.front, slot);
    cell_touch(&s->model->events.acts, &s->events.actions.front, slot);
    cell_touch(&s->model->events.timers, &s->events.timers.front, slot);
}

bool event_set(run_state *s, int equation, double value)
{
    int slot = s->model->events.list.discrete[equation].place;
    if (s->w[slot] == value || (isnan(value) && isnan(s->w[slot]))) return false;
    s->w[slot] = value;
    event_touch(s, slot);
    if (!s->events.discrete.is_moved[equation])
        s->events.discrete.moved[s->events.discrete.n_moved++] = equation;
    s->events.discrete.is_moved[equation] = 1;
    return true;
}

static void put_before(run_state *s)
{
    const image_events *x = &s->model->events.list;
    for (int k = 0; k < x->n_before; k++) s->w[x->before[k]] = s->events.discrete.before[k];
}

void event_note_present(run_state *s, double t, const double *y, const double *yp)
{
    run_eval(s, &s->model->events.before, t, y, yp, s->events.discrete.before, NULL);
    put_before(s);
    if (vary_at_event(s)) vary_note_before(s, t, y, yp);
}

void run_note_before(run_state *s, double t, const double *y, const double *yp)
{
    run_eval_left(s, &s->model->events.before, t, y, yp, s->events.discrete.before);
    put_before(s);
    s->events.noted = true;
}

bool event_past_is_present(run_state *s)
{
    const image_events *x = &s->model->events.list;
    bool equal = true;
    if (vary_at_event(s)) vary_past_is_present(s);
    for (int i = 0; i < s->events.discrete.n_moved; i++) {
        int k = s->events.discrete.moved[i], slot = x->discrete[k].place;
        s->events.discrete.is_moved[k] = 0;
        if (s->w[slot] == s->w[slot + 1] || isnan(s->w[slot])) continue;
        equal = false;
        s->w[slot + 1] = s->w[slot];
        event_touch(s, slot + 1);
    }
    s->events.discrete.n_moved = 0;
    if (!equal) cell_new_round(&s->model->events.discrete, &s->events.discrete.front);
    return equal;
}

// The initial values are the first past.
static void event_begin_past(run_state *s)
{
    const image_events *x = &s->model->events.list;
    if (vary_at_event(s)) vary_past_is_present(s);
    for (int k = 0; k < x->n_discrete; k++) {
        int slot = x->discrete[k].place;
        s->w[slot + 1] = s->w[slot];
        s->events.discrete.is_moved[k] = 0;
    }
    s->events.discrete.n_moved = 0;
    s->events.w_given = true;
}

static void note_restless(run_state *s, bool first)
{
    const image_events *x = &s->model->events.list;
    for (int k = 0; k < x->n_discrete; k++) {
        const double *w = &s->w[x->discrete[k].place];
        s->events.discrete.restless[k] = (!first && s->events.discrete.restless[k]) || w[0] != w[1];
    }
}

/* Has a discrete variable become a number that is none? Where it did has been noted. */
static int moved_undefined(const run_state *s)
{
    const image_events *x = &s->model->events.list;
    for (int i = 0; i < s->events.discrete.n_moved; i++)
        if (!isfinite(s->w[x->discrete[s->events.discrete.moved[i]].place])) return 1;
    return 0;
}

static int settle_with_calls(run_state *s, double t, double *y, double *yp, bool *any)
{
    int rc = event_settle(s, t, y, yp, any);
    bool changed;
    while (!rc && event_call(s, t, y, yp, &changed)) {
        if (!changed) continue; // others wait for their turn
        *any = true;
        rc = run_follow(s, t, y, yp);
        if (!rc) rc = event_settle(s, t, y, yp, any);
    }
    return rc;
}

static int rounds_of(const run_state *s)
{
    int n = s->model->events.list.n_discrete + ROUNDS_SEEN;
    return n < ROUNDS_LEAST ? ROUNDS_LEAST : n > ROUNDS_MOST ? ROUNDS_MOST : n;
}

int run_update_discrete(run_state *s, double t, double *y, double *yp, int *changed)
{
    bool any = false;
    *changed = 0;
    if (s->w[IMAGE_W_INITIAL] != 0) { // the past is given: by start values and initial equations
        event_forget_flips(s);
        int rc = settle_with_calls(s, t, y, yp, &any);
        *changed = any;
        if (rc == 1) event_name_restless(s, t);
        return rc;
    }
    int rounds = rounds_of(s);
    for (int k = 0; k < rounds; k++) {
        int rc = settle_with_calls(s, t, y, yp, &any);
        *changed = any;
        // No values agree with the past as it is, but they may with what one pass makes of it: a clutch
        // that begins to slip keeps slipping (Modelica Language Specification 3.6, B.1).
        bool passed = rc == 1 && k < PASSES_MAX && !event_pass(s, t, y, yp);
        if (passed) rc = 0;
        if (rc == 1) event_name_restless(s, t);
        if (!rc) rc = moved_undefined(s);
        if (rc) return rc;
        int acted = event_act(s, t, y, yp);
        if (acted == EVENT_UNDEFINED) return 1;
        if (acted < 0 || acted == VINC_TERMINATED) return acted;
        if (k >= rounds - ROUNDS_SEEN) note_restless(s, k == rounds - ROUNDS_SEEN);
        if (acted) {
            any = true;
            rc = run_follow(s, t, y, yp);
            if (rc) return rc;
            event_read_afresh(s, t, y, yp);
        }
        tick_note(s);
        bool same = event_past_is_present(s);
        int ticked = tick_risen(s, t, y, yp);
        if (ticked < 0) return ticked;
        if (ticked) {
            any = true;
            same = false;
            if (ticked == TICK_SEEN && (rc = run_follow(s, t, y, yp)) != 0) return rc;
        }
        if (acted && !same && (rc = run_follow(s, t, y, yp)) != 0) return rc;
        event_note_present(s, t, y, yp);
        *changed = any = any || !same;
        if (same && !acted && !passed) return 0;
    }
    event_name_restless(s, t);
    return 1;
}

/* Has the model nothing that an event could change but what ticks? */
static bool only_ticks(const code_events *x)
{
    return x->clocks && !x->n_relations && !x->discrete.n && !x->acts.n;
}

int event_handle(void *user, double t, double *y, double *yp, int *changed)
{
    run_state *s = user;
    int after = 0;
    if (!s->events.noted) run_note_before(s, t, y, yp);
    s->events.noted = false;
    if (!s->events.started) event_begin_past(s);
    int came_back = past_event(s, t, y, yp, !s->events.started);
    if (came_back < 0) return -1;
    s->events.started = true;
    event_forget_flips(s);
    cell_new_round(&s->model->events.discrete, &s->events.discrete.front);
    slide_before(s, t, y, yp);
    if (!timer_ring(s, t, y, yp)) return -1;
    int ticked = tick_due(s, t, y, yp);
    if (ticked < 0) return -1;
    int rc = came_back || ticked == TICK_SEEN ? run_follow(s, t, y, yp) : 0;
    if (only_ticks(&s->model->events)) *changed = 0;
    else if (!rc) rc = run_update_discrete(s, t, y, yp, changed);
    timer_silence(s);
    tick_silence(s);
    if (!rc && s->model->events.list.n_samples) rc = run_update_discrete(s, t, y, yp, &after);
    if (!rc) rc = slide_after(s, t, y, yp, changed);
    if (!rc) event_watch_ties(s, t, y, yp);
    event_foretell(s, t, y, yp);
    if (*changed || came_back) past_break(s, t, *changed ? 0 : came_back - 1);
    *changed = *changed || came_back || ticked == TICK_SEEN;
    if (!*changed && ticked == TICK_INSIDE) *changed = -1;
    if (*changed) run_forget_factors(s);
    return rc;
}

int event_finish(void *user, double t, double *y, double *yp, int *changed)
{
    run_state *s = user;
    s->w[IMAGE_W_TERMINAL] = 1;
    event_touch(s, IMAGE_W_TERMINAL);
    int rc = event_handle(user, t, y, yp, changed);
    s->w[IMAGE_W_TERMINAL] = 0;
    event_touch(s, IMAGE_W_TERMINAL);
    return rc;
}

double event_next(void *user, double t)
{
    const run_state *s = user;
    double next = fmin(timer_next(s), s->events.relations.foretold);
    if (s->model->clocks.steps) next = fmin(next, tick_next(s));
    // Not one that is merely near: a step may have ended just before it, and it would be lost.
    return fmin(past_next(s, t), next > t ? next : INFINITY);
}
