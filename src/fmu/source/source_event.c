/* Events: what happens where a relation changes, a time is reached or a sample is due.
 *
 *     repeat
 *         relations, discrete equations and continuous unknowns until they agree
 *         actions whose clause fires: reinit, assert, terminate
 *         pre(v) := v
 *     until nothing changes
 *
 * Modelica Language Specification 3.6, section 8.6. Where the first of these cycles, as of ideal diodes,
 * one relation at a time is changed: K. G. Murty, Linear Complementarity, 1988, section 4.2; and where that does not
 * end, the relations that keep changing are tried in all combinations.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SETTLE_MAX = 30, SINGLE_MAX = 100, PASSES_MAX = 5 };
enum { ROUNDS_LEAST = 100, ROUNDS_MOST = 1000, ROUNDS_SEEN = 8 }; // as in the library
enum { PASSES_BEFORE_ROUNDING = 3 };
enum { EXACT_MAX = 8, SEARCHED_MAX = 12, TOGGLES_OFTEN = 3 };
static const double ROUNDING = 1000 * DBL_EPSILON;
static const double TIE_DISTANCE = 1e-9; // of sides that count as equal where nothing else settles

/* ---- discrete variables ---------------------------------------------------------------------- */

void source_note_before(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    source_eval(s, &m->before, t, y, yp, s->rows, NULL);
    for (int k = 0; k < m->before.n_out; k++) s->w[m->before_place[k]] = s->rows[k];
}

/* Values from which discrete variables start, where an initial equation gives them. */
static void first_values(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    source_eval(s, &m->first, t, y, yp, s->rows, NULL);
    for (int k = 0; k < m->first.n_out; k++) {
        const source_slot *q = &m->first_slots[k];
        s->w[q->place + 1] = q->mark ? floor(s->rows[k] + 0.5) : s->rows[k];
    }
}

static bool sweep_discrete(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    const source_cells *c = &m->discrete;
    bool changed = false, initial = s->w[SOURCE_W_INITIAL] != 0;
    for (int pass = 0; pass <= c->n_items; pass++) {
        bool moved = false;
        if (initial) first_values(s, t, y, yp);
        if (initial) source_note_before(s, t, y, yp); // there is no past yet
        source_recall(s, t, y, yp);
        for (int k = 0; k < c->n; k++) {
            c->f[k](t, s->p, y, yp, s->w, s->cell, NULL, s->v, s->routines);
            for (int i = c->first[k]; i < c->first[k + 1]; i++) {
                double value = s->cell[i - c->first[k]], *w = &s->w[m->discrete_slot[c->item[i]]];
                if (*w == value || (isnan(value) && isnan(*w))) continue;
                *w = value;
                moved = true;
            }
        }
        for (int k = 0; initial && k < m->n_conditions; k++) {
            double *w = &s->w[m->conditions[k].place]; // a clause without initial() does not fire
            if (!m->conditions[k].mark) w[1] = w[0];
        }
        if (!moved) break;
        changed = true;
    }
    return changed;
}

bool source_refresh(vinc_sim *s, double t, const double *y, const double *yp)
{
    source_forget_flips(s);
    bool changed = source_relations(s, t, y, yp, 0, true) > 0;
    return sweep_discrete(s, t, y, yp) || changed;
}

static int past_is_present(vinc_sim *s)
{
    const source_model *m = s->m;
    int equal = 1;
    for (int k = 0; k < m->discrete.n_items; k++) {
        double *w = &s->w[m->discrete_slot[k]];
        if (w[0] == w[1] || isnan(w[0])) continue;
        w[1] = w[0];
        equal = 0;
    }
    return equal;
}

/* ---- settling -------------------------------------------------------------------------------- */

static int follow(vinc_sim *s, double t, double *y, double *yp)
{
    source_step_reset(s);
    return source_follow(s, t, y, yp);
}

/* Unknowns that differ from the last ones by rounding alone are the last ones. */
static int follow_again(vinc_sim *s, double t, double *y, double *yp, int pass)
{
    int n = s->m->n;
    size_t bytes = (size_t)n * sizeof *y;
    if (pass < PASSES_BEFORE_ROUNDING) return follow(s, t, y, yp);
    memcpy(s->ya, y, bytes);
    memcpy(s->ypa, yp, bytes);
    int rc = follow(s, t, y, yp);
    for (int i = 0; i < n; i++)
        if (!(fabs(y[i] - s->ya[i]) <= ROUNDING * (fabs(y[i]) + s->nominal[i])) ||
            !(fabs(yp[i] - s->ypa[i]) <= ROUNDING * (fabs(yp[i]) + s->nominal[i])))
            return rc;
    memcpy(y, s->ya, bytes);
    memcpy(yp, s->ypa, bytes);
    return rc;
}

static void back_to_event(vinc_sim *s, double *y, double *yp)
{
    memcpy(y, s->event_y, (size_t)s->m->n * sizeof *y);
    memcpy(yp, s->event_yp, (size_t)s->m->n * sizeof *yp);
}

static bool is_condition(const source_relation *r)
{
    return r->sense && !r->of_time;
}

/* Of the conditions that disagree the first alone changes. */
static bool refresh_first(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    bool found = false;
    if (!source_relations(s, t, y, yp, 0, false)) return sweep_discrete(s, t, y, yp);
    memcpy(s->w1, s->w, (size_t)m->n_w * sizeof *s->w);
    source_relations(s, t, y, yp, 0, true);
    for (int k = 0; k < m->n_relations; k++) {
        int at = m->relations[k].place;
        if (s->w[at] == s->w1[at] || !is_condition(&m->relations[k])) continue;
        if (found) s->w[at] = s->w1[at];
        found = true;
    }
    sweep_discrete(s, t, y, yp);
    return true;
}

/* Does the configuration agree with its own solution? */
static bool agrees(vinc_sim *s, double t, double *y, double *yp, double tie)
{
    back_to_event(s, y, yp);
    sweep_discrete(s, t, y, yp);
    return !follow(s, t, y, yp) && !source_relations(s, t, y, yp, tie, false) &&
           !sweep_discrete(s, t, y, yp);
}

static int count_ones(unsigned c)
{
    int n = 0;
    for (; c; c &= c - 1) n++;
    return n;
}

/* All combinations of the relations that kept changing, or of all, those with the fewest changes first. 0; 1: none
 * agrees. */
static int settle_search(vinc_sim *s, double t, double *y, double *yp, bool all, double tie)
{
    const source_model *m = s->m;
    int list[SEARCHED_MAX], n = 0;
    unsigned now = 0;
    for (int k = 0; k < m->n_relations; k++)
        if (is_condition(&m->relations[k]) && (all || s->toggles[k] > TOGGLES_OFTEN)) {
            if (n == SEARCHED_MAX) return 1;
            list[n++] = m->relations[k].place;
        }
    for (int k = 0; k < n; k++)
        if (s->w[list[k]] != 0) now |= 1u << k;
    for (int flips = 0; flips <= n; flips++)
        for (unsigned c = 0; c < 1u << n; c++) {
            if (count_ones(c) != flips) continue;
            for (int k = 0; k < n; k++) s->w[list[k]] = ((c ^ now) >> k) & 1;
            if (agrees(s, t, y, yp, tie)) return 0;
        }
    return 1;
}

/* As they read now; where rounding decides, and every solution decides otherwise, they are left as they are. */
static bool read_relations(vinc_sim *s, double t, const double *y, const double *yp, int pass)
{
    if (pass >= EXACT_MAX && !source_relations(s, t, y, yp, TIE_DISTANCE, false)) return false;
    return source_relations(s, t, y, yp, 0, true) > 0;
}

/* 0; 1: they never agree. */
static int settle(vinc_sim *s, double t, double *y, double *yp, int *changed)
{
    memcpy(s->event_y, y, (size_t)s->m->n * sizeof *y);
    memcpy(s->event_yp, yp, (size_t)s->m->n * sizeof *yp);
    memset(s->toggles, 0, (size_t)s->m->n_relations * sizeof *s->toggles);
    for (int k = 0; k < SETTLE_MAX; k++) {
        bool moved = read_relations(s, t, y, yp, k);
        moved = sweep_discrete(s, t, y, yp) || moved;
        if (!moved) return 0;
        *changed = 1;
        int rc = follow_again(s, t, y, yp, k);
        if (rc && s->w[SOURCE_W_INITIAL] != 0) return 0; // the search for start values goes on
        if (rc) break;                                   // no solution in this configuration
    }
    for (int k = 0; k < SINGLE_MAX; k++) {
        back_to_event(s, y, yp);
        if (follow(s, t, y, yp)) break;
        if (!refresh_first(s, t, y, yp)) return 0;
    }
    for (int k = 0; k < 4; k++)
        if (!settle_search(s, t, y, yp, k & 1, k < 2 ? 0 : TIE_DISTANCE)) return 0;
    return 1;
}

/* From the point at which that began, one pass: a clutch that begins to slip keeps slipping. */
static int settle_by_pass(vinc_sim *s, double t, double *y, double *yp)
{
    back_to_event(s, y, yp);
    source_refresh(s, t, y, yp);
    return follow(s, t, y, yp);
}

/* ---- actions --------------------------------------------------------------------------------- */

/* 1 when a state has a new value, 0, a status. */
static int act(vinc_sim *s, double t, double *y, const double *yp)
{
    const source_cells *c = &s->m->acts;
    int moved = 0;
    source_recall(s, t, y, yp);
    for (int k = 0; k < c->n; k++) {
        c->f[k](t, s->p, y, yp, s->w, s->cell, NULL, s->v, s->routines);
        for (int i = c->first[k]; i < c->first[k + 1]; i++) {
            const double *out = &s->cell[2 * (i - c->first[k])]; // fires, value
            const source_action *a = &s->m->actions[s->m->acting[c->item[i]]];
            if (out[0] == 0) continue;
            if (a->kind == SOURCE_REINIT) {
                if (!isfinite(out[1])) return VINC_E_EVALUATION;
                y[a->y] = a->sign * out[1];
                moved = 1;
            } else if (a->kind == SOURCE_TERMINATE) {
                source_say(s->ctx, VINC_WARNING, "terminated at t = %.10g: %s", t, a->text);
                return VINC_TERMINATED;
            } else if (a->kind == SOURCE_ASSERT && out[1] == 0) {
                source_say(s->ctx, a->level ? VINC_ERROR : VINC_WARNING,
                           "assertion failed at t = %.10g: %s", t, a->text);
                if (a->level) return VINC_E_STOPPED;
            }
        }
    }
    return moved;
}

/* Does assertion k hold at a point that rounding does not tell from this one? */
static bool holds_nearby(vinc_sim *s, int k, double t, const double *y, const double *yp)
{
    enum { LOOKS = 4, ROUNDINGS = 16 };
    for (int look = 0; look < LOOKS; look++) {
        for (int i = 0; i < s->m->n; i++) {
            bool up = look < 2 ? !look : i % look;
            double d = ROUNDINGS * DBL_EPSILON * (fabs(y[i]) + s->nominal[i]);
            s->last[i] = y[i] + (up ? d : -d);
        }
        source_eval(s, &s->m->assertions, t, s->last, yp, s->rows, NULL);
        if (s->rows[k] != 0) return true;
    }
    return false;
}

bool source_holds(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    source_eval(s, &m->assertions, t, y, yp, s->rows, NULL);
    for (int k = 0; k < m->assertions.n_out; k++) {
        const source_action *a = &m->actions[m->always[k]];
        if (s->rows[k] != 0 || !a->level || a->initial) continue;
        if (!m->closed[k] || !holds_nearby(s, k, t, y, yp)) return false;
        source_eval(s, &m->assertions, t, y, yp, s->rows, NULL); // which that has overwritten
    }
    return true;
}

int source_check(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    source_eval(s, &m->assertions, t, y, yp, s->rows, NULL);
    for (int k = 0; k < m->assertions.n_out; k++) {
        const source_action *a = &m->actions[m->always[k]];
        if (s->rows[k] != 0 || (a->initial && s->now.start_checked)) continue;
        bool holds = m->closed[k] && holds_nearby(s, k, t, y, yp);
        if (m->closed[k]) source_eval(s, &m->assertions, t, y, yp, s->rows, NULL);
        if (holds) continue;
        source_say(s->ctx, a->level ? VINC_ERROR : VINC_WARNING,
                   "assertion failed at t = %.10g: %s", t, a->text);
        if (a->level) return VINC_E_STOPPED;
    }
    s->now.start_checked = 1;
    return VINC_OK;
}

/* ---- the event ------------------------------------------------------------------------------- */

/* A variable may follow another a round later, and so on through all of them. */
static int rounds_of(const source_model *m)
{
    int n = m->discrete.n_items + ROUNDS_SEEN;
    return n < ROUNDS_LEAST ? ROUNDS_LEAST : n > ROUNDS_MOST ? ROUNDS_MOST : n;
}

int source_update(vinc_sim *s, double t, double *y, double *yp, int *changed)
{
    *changed = 0;
    if (s->w[SOURCE_W_INITIAL] != 0) {
        source_forget_flips(s);
        return settle(s, t, y, yp, changed) ? VINC_E_NEWTON : VINC_OK;
    }
    for (int k = 0, rounds = rounds_of(s->m); k < rounds; k++) {
        int rc = settle(s, t, y, yp, changed);
        bool passed = rc && k < PASSES_MAX && !settle_by_pass(s, t, y, yp);
        if (rc && !passed) break;
        int acted = act(s, t, y, yp);
        if (acted < 0 || acted == VINC_TERMINATED) return acted;
        if (acted) {
            *changed = 1;
            if (follow(s, t, y, yp)) return VINC_E_EVALUATION;
            source_read_afresh(s, t, y, yp);
        }
        source_tick_note(s);
        int same = past_is_present(s), ticked = source_tick_risen(s, t, y, yp);
        if (ticked < 0) return VINC_E_STOPPED;
        if (ticked) {
            *changed = 1;
            same = 0;
            if (ticked == SOURCE_TICK_SEEN && follow(s, t, y, yp)) return VINC_E_EVALUATION;
        }
        if (acted && !same && follow(s, t, y, yp)) return VINC_E_EVALUATION;
        source_note_before(s, t, y, yp);
        *changed = *changed || !same;
        if (same && !acted && !passed) return VINC_OK;
    }
    source_say(s->ctx, VINC_ERROR, "the event at t = %.10g does not come to rest", t);
    return VINC_E_NEWTON;
}

/* Start and interval are read at the first event. */
static int schedule(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    source_eval(s, &m->samples, t, y, yp, s->sample, NULL);
    for (int k = 0; k < m->n_samples; k++) {
        double start = s->sample[2 * k], interval = s->sample[2 * k + 1];
        if (!(interval > 0)) {
            source_say(s->ctx, VINC_ERROR, "the interval of sample() is %g; it must be positive",
                       interval);
            return VINC_E_STOPPED;
        }
        double missed = start < t ? ceil((t - start) / interval - 1e-9) : 0;
        s->next[k] = start + missed * interval;
    }
    s->now.scheduled = 1;
    return VINC_OK;
}

static bool ring(vinc_sim *s, double t)
{
    const source_model *m = s->m;
    bool any = false;
    for (int k = 0; k < m->n_samples; k++) {
        if (s->next[k] > t + source_ulp(t)) continue;
        s->w[m->sample_place[k]] = 1;
        any = true;
        double start = s->sample[2 * k], interval = s->sample[2 * k + 1];
        double n = floor((s->next[k] - start) / interval + 1.5);
        s->next[k] = fmax(start + n * interval, t + 2 * source_ulp(t));
    }
    return any;
}

int source_event(vinc_sim *s, double t, double *y, double *yp, int *changed)
{
    const source_model *m = s->m;
    int after = 0, rc = VINC_OK;
    if (!s->now.noted) source_note_before(s, t, y, yp);
    s->now.noted = 0;
    for (int k = 0; !s->now.started && k < m->discrete.n_items; k++)
        s->w[m->discrete_slot[k] + 1] = s->w[m->discrete_slot[k]];
    int came_back = source_past_event(s, t, y, yp, !s->now.started);
    if (came_back < 0) return VINC_E_STOPPED;
    s->now.started = 1;
    source_forget_flips(s);
    if (!s->now.scheduled) rc = schedule(s, t, y, yp);
    if (rc) return rc;
    bool rings = ring(s, t);
    int ticked = source_tick_due(s, t, y, yp);
    if (ticked < 0) return VINC_E_STOPPED;
    if ((came_back || ticked == SOURCE_TICK_SEEN) && follow(s, t, y, yp)) return VINC_E_EVALUATION;
    rc = source_update(s, t, y, yp, changed);
    source_tick_silence(s);
    for (int k = 0; k < m->n_samples; k++) s->w[m->sample_place[k]] = 0;
    if (!rc && rings) rc = source_update(s, t, y, yp, &after);
    source_watch_ties(s, t, y, yp);
    source_foretell(s, t, y, yp);
    if (*changed || came_back) source_past_break(s, t, *changed ? 0 : came_back - 1);
    *changed = *changed || came_back || ticked == SOURCE_TICK_SEEN;
    if (*changed) source_step_reset(s);
    return rc;
}

double source_next(const vinc_sim *s, double t)
{
    const source_model *m = s->m;
    double next = fmin(s->now.foretold, source_tick_next(s));
    for (int k = 0; k < m->n_samples + m->n_timers; k++) next = fmin(next, s->next[k]);
    return fmin(source_past_next(s, t), next > t ? next : INFINITY);
}
