/* Clocks of a model that was printed: when each ticks next, and what a tick computes.
 *
 * A tick is a whole number on the grid of its base clock, so that ticks are simultaneous exactly where their
 * numbers are equal, and its time is computed from that number alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef long long whole;
static const double EXACT = 9007199254740992.0; // whole numbers up to here are doubles

void source_tick_begin(vinc_sim *s)
{
    s->now.ticking = 0;
    s->n_on = 0;
}

double source_last_tick(const vinc_sim *s, int clock)
{
    return s->now.ticking && s->sub_ticked[clock] != 0 ? s->sub_last[clock] : NAN;
}

/* ---- when ------------------------------------------------------------------------------------ */

/* a b / d, rounded once where the product is a double. */
static double product_over(whole a, whole b, whole d)
{
    if (fabs((double)a * (double)b) <= EXACT) return (double)(a * b) / (double)d;
    whole q = b / d, r = b % d; // a b = a q d + a r
    return (double)a * (double)q + (double)a * (double)r / (double)d;
}

static double tick_time(const vinc_sim *s, int base, whole number)
{
    const source_base *b = &s->m->bases[base];
    double start = s->now.tick_start, interval = s->base_interval[base];
    whole origin = (whole)s->base_origin[base];
    switch (b->kind) {
    case SOURCE_CLOCK_RATIONAL: return start + product_over(number, b->grid_n, b->grid_d);
    case SOURCE_CLOCK_REAL:
        return start + interval * ((double)number * (double)b->grid_n) / (double)b->grid_d;
    case SOURCE_CLOCK_COUNTER: {
        whole parts = (whole)s->base_units[base] * b->every + (number - origin) * (whole)interval;
        return start + product_over(parts, 1, b->resolution * b->every);
    }
    case SOURCE_CLOCK_VARYING:
        return s->base_own[base] + interval * (double)(number - origin) / (double)b->every;
    default: return INFINITY;
    }
}

static whole next_number(const vinc_sim *s, int base)
{
    const source_base *b = &s->m->bases[base];
    double first = INFINITY;
    for (int k = b->first; k < b->first + b->n; k++) first = fmin(first, s->sub_next[k]);
    return isfinite(first) ? (whole)first : 0;
}

static bool clock_complain(vinc_sim *s, const char *what, double value)
{
    source_say(s->ctx, VINC_ERROR, "the %s of a clock is %g; it must be positive", what, value);
    return false;
}

static bool tick_schedule(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    s->now.ticking = 1;
    s->now.tick_start = t;
    source_eval(s, &m->intervals, t, y, yp, s->tick_out, NULL);
    for (int k = 0; k < m->n_subs; k++) {
        s->sub_ticked[k] = 0;
        s->sub_next[k] = (double)m->subs[k].shift;
    }
    for (int b = 0; b < m->n_bases; b++) {
        const source_base *q = &m->bases[b];
        bool event = q->kind == SOURCE_CLOCK_EVENT;
        s->base_interval[b] = s->tick_out[b];
        s->base_origin[b] = s->base_units[b] = 0;
        s->base_own[b] = t;
        // pre(condition) is false before the start: a condition that holds from there on ticks there.
        s->base_risen[b] = event && s->w[q->place] != 0;
        if (q->kind == SOURCE_CLOCK_REAL && !(s->base_interval[b] > 0))
            return clock_complain(s, "interval", s->base_interval[b]);
        s->base_when[b] = event ? INFINITY : tick_time(s, b, next_number(s, b));
    }
    return true;
}

double source_tick_next(const vinc_sim *s)
{
    double next = INFINITY;
    for (int b = 0; s->now.ticking && b < s->m->n_bases; b++) next = fmin(next, s->base_when[b]);
    return next;
}

/* ---- a tick ---------------------------------------------------------------------------------- */

/* Seconds since the last tick of the sub-clock. */
static double interval_now(const vinc_sim *s, int sub, double t)
{
    const source_sub *u = &s->m->subs[sub];
    const source_base *b = &s->m->bases[u->base];
    double own = (double)u->interval_n / (double)u->interval_d;
    bool itself = u->interval_n == 1 && u->interval_d == 1, first = s->sub_ticked[sub] == 0;
    switch (b->kind) {
    case SOURCE_CLOCK_RATIONAL: return own;
    case SOURCE_CLOCK_REAL: return s->base_interval[u->base] * own;
    case SOURCE_CLOCK_COUNTER:
        if (first || itself) return s->w[b->place + 1] / (double)b->resolution * own;
        break;
    case SOURCE_CLOCK_VARYING:
        if (first || itself) return s->w[b->place + 1] * own;
        break;
    default:
        if (first) return s->base_interval[u->base];
        break;
    }
    return t - s->sub_last[sub];
}

static void tick_enter(vinc_sim *s, int sub, double t)
{
    const source_sub *u = &s->m->subs[sub];
    for (int k = 0; k < u->n_past; k++) s->w[u->past[k] + 1] = s->w[u->past[k]];
    if (u->interval_place >= 0) s->w[u->interval_place] = interval_now(s, sub, t);
    if (u->first_place >= 0) s->w[u->first_place] = s->sub_ticked[sub] == 0;
    s->sub_ticked[sub] = 1;
    s->sub_last[sub] = t;
    if (u->on_place < 0 || s->w[u->on_place] != 0) return;
    s->w[u->on_place] = 1;
    s->on[s->n_on++] = u->on_place;
}

/* Newton's method from the values of the last tick. It ends where a correction is rounding, or grows no
 * smaller after having been nearly that. */
static bool tick_solve(vinc_sim *s, const source_tick *q, double t, const double *y,
                       const double *yp)
{
    enum { CORRECTIONS_MAX = 50 };
    const double ROUNDING = 4 * DBL_EPSILON, NEARLY = 1e-9;
    int n = q->n;
    double last = INFINITY, *dx = s->tick_dx;
    for (int k = 0; k < CORRECTIONS_MAX; k++) {
        double size = 0;
        source_eval(s, &q->f, t, y, yp, s->tick_out, NULL);
        for (int i = 0; i < n; i++) {
            dx[i] = -s->tick_out[i];
            for (int j = 0; j < n; j++) s->tick_a[i + j * n] = s->tick_out[n + i * n + j];
        }
        if (!source_lu(n, s->tick_a, s->tick_pivot, NULL)) return false;
        source_lu_solve(n, s->tick_a, s->tick_pivot, dx);
        for (int i = 0; i < n; i++) {
            double *v = &s->w[q->places[i]];
            size = fmax(size, fabs(dx[i]) / (fabs(*v) + fabs(dx[i]) + DBL_MIN));
            *v += dx[i];
            if (!isfinite(*v)) return false;
        }
        if (size <= ROUNDING || (size >= last && last < NEARLY)) return true;
        last = size;
    }
    return false;
}

static bool tick_run(vinc_sim *s, const source_tick *q, double t, const double *y, const double *yp)
{
    if (q->solved) {
        if (tick_solve(s, q, t, y, yp)) return true;
        source_say(s->ctx, VINC_ERROR, "no solution of a clocked equation was found at t = %.10g",
                   t);
        return false;
    }
    source_eval(s, &q->f, t, y, yp, s->tick_out, NULL);
    for (int i = 0; i < q->n; i++) s->w[q->places[i]] = s->tick_out[i];
    return true;
}

/* After a tick of the clock itself its next interval is known. */
static bool tick_interval(vinc_sim *s, int base, whole number, double t)
{
    const source_base *b = &s->m->bases[base];
    bool counter = b->kind == SOURCE_CLOCK_COUNTER;
    if ((!counter && b->kind != SOURCE_CLOCK_VARYING) || number % b->every) return true;
    double next = s->w[b->place];
    if (!(next > 0)) return clock_complain(s, counter ? "interval counter" : "interval", next);
    if (number) s->base_units[base] += (double)(whole)s->base_interval[base];
    s->base_interval[base] = next;
    s->base_origin[base] = (double)number;
    s->base_own[base] = t;
    return true;
}

/* All that is due: what is sampled is read before anything is computed. */
static int tick_all(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    bool seen = false;
    for (int k = 0; k < m->n_held; k++) s->held_before[k] = s->w[m->held[k]];
    for (int b = 0; b < m->n_bases; b++) {
        const source_base *base = &m->bases[b];
        whole number = next_number(s, b);
        for (int k = base->first; s->due[b] && k < base->first + base->n; k++) {
            const source_sub *u = &m->subs[k];
            s->active[k] = (whole)s->sub_next[k] == number;
            if (!s->active[k]) continue;
            tick_enter(s, k, t);
            source_eval(s, &u->samples, t, y, yp, s->tick_out, NULL);
            for (int i = 0; i < u->samples.n_out; i++) s->w[u->sampled[i]] = s->tick_out[i];
        }
    }
    for (int b = 0; b < m->n_bases; b++) {
        const source_base *base = &m->bases[b];
        whole number = next_number(s, b);
        if (!s->due[b]) continue;
        for (int k = base->first_step; k < base->first_step + base->n_steps; k++)
            if (s->active[m->ticks[k].sub] && !tick_run(s, &m->ticks[k], t, y, yp)) return -1;
        if (!tick_interval(s, b, number, t)) return -1;
        for (int k = base->first; k < base->first + base->n; k++)
            if (s->active[k]) s->sub_next[k] += (double)m->subs[k].every;
        s->due[b] = false;
        s->base_when[b] = tick_time(s, b, next_number(s, b));
        if (s->base_when[b] > t) continue;
        source_say(s->ctx, VINC_ERROR,
                   "the next tick of a clock is not later than the one at t = %.16g: its interval "
                   "is lost in the rounding of time",
                   t);
        return -1;
    }
    for (int k = 0; k < m->n_held; k++)
        if (s->held_before[k] != s->w[m->held[k]]) seen = true;
    return seen ? SOURCE_TICK_SEEN : SOURCE_TICK_INSIDE;
}

int source_tick_due(vinc_sim *s, double t, const double *y, const double *yp)
{
    int n = s->m->n_bases;
    bool any = false;
    if (!n) return SOURCE_TICK_NONE;
    if (!s->now.ticking && !tick_schedule(s, t, y, yp)) return -1;
    for (int b = 0; b < n; b++) {
        s->due[b] = s->base_when[b] <= t + source_ulp(t);
        any = any || s->due[b];
    }
    return any ? tick_all(s, t, y, yp) : SOURCE_TICK_NONE;
}

/* ---- clocks of events ------------------------------------------------------------------------ */

void source_tick_note(vinc_sim *s)
{
    for (int b = 0; s->now.ticking && b < s->m->n_bases; b++) {
        const source_base *q = &s->m->bases[b];
        if (q->kind != SOURCE_CLOCK_EVENT) continue;
        if (s->w[q->place] != 0 && s->w[q->place + 1] == 0) s->base_risen[b] = 1;
    }
}

int source_tick_risen(vinc_sim *s, double t, const double *y, const double *yp)
{
    bool any = false;
    for (int b = 0; s->now.ticking && b < s->m->n_bases; b++) {
        s->due[b] = s->base_risen[b] != 0;
        any = any || s->due[b];
        s->base_risen[b] = 0;
    }
    return any ? tick_all(s, t, y, yp) : SOURCE_TICK_NONE;
}

void source_tick_silence(vinc_sim *s)
{
    for (int k = 0; k < s->n_on; k++) s->w[s->on[k]] = 0;
    s->n_on = 0;
}
