/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"

#include "la/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

void tick_layout(run_ticks *x, const code_model *m, bump *b)
{
    const image_clocks *q = &m->clocks.list;
    size_t bases = (size_t)q->n_bases, subs = (size_t)q->n_subs,
           n = (size_t)m->clocks.most_unknowns;
    x->when = bump_double(b, bases);
    x->interval = bump_double(b, bases);
    x->own = bump_double(b, bases);
    x->units = bump_bytes(b, bases * sizeof *x->units);
    x->origin = bump_bytes(b, bases * sizeof *x->origin);
    x->next = bump_bytes(b, subs * sizeof *x->next);
    x->last = bump_double(b, subs);
    x->ticked = bump_bytes(b, subs);
    x->active = bump_bytes(b, subs);
    x->due = bump_bytes(b, bases);
    x->risen = bump_bytes(b, bases);
    x->on = bump_int(b, subs);
    x->before = bump_double(b, (size_t)q->n_held);
    x->out = bump_double(b, (size_t)m->clocks.most);
    x->a = bump_double(b, n * n);
    x->dx = bump_double(b, n);
    x->pivots = bump_int(b, n);
}

void tick_begin(run_state *s)
{
    s->ticks.scheduled = false;
    s->ticks.n_on = 0;
}

static const image_clocks *clocks_of(const run_state *s)
{
    return &s->model->clocks.list;
}

/* ---- when ------------------------------------------------------------------------------------ */

/* n/d, rounded once where both are doubles. */
static double quotient(wide n, wide d)
{
    static const wide EXACT = (wide)1 << 53;
    if (n <= EXACT && d <= EXACT) return (double)n / (double)d;
    return (double)(n / d) + (double)(n % d) / (double)d;
}

/* The time of tick `number` of the grid. */
static double tick_time(const run_state *s, int base, int64_t number)
{
    const image_base *b = &clocks_of(s)->bases[base];
    const run_ticks *x = &s->ticks;
    wide n = (wide)number * b->grid.n;
    switch ((image_clock)b->kind) {
    case IMAGE_CLOCK_RATIONAL: return x->start + quotient(n, b->grid.d);
    case IMAGE_CLOCK_REAL: return x->start + x->interval[base] * (double)n / (double)b->grid.d;
    case IMAGE_CLOCK_COUNTER: {
        wide parts = (wide)x->units[base] * b->every +
                     (wide)(number - x->origin[base]) * (int64_t)x->interval[base];
        return x->start + quotient(parts, (wide)b->resolution * b->every);
    }
    case IMAGE_CLOCK_VARYING:
        return x->own[base] +
               x->interval[base] * (double)(number - x->origin[base]) / (double)b->every;
    case IMAGE_CLOCK_EVENT: break;
    }
    return INFINITY;
}

static int64_t next_number(const run_state *s, int base)
{
    const image_base *b = &clocks_of(s)->bases[base];
    int64_t first = INT64_MAX;
    for (int k = b->first; k < b->first + b->n; k++)
        if (s->ticks.next[k] < first) first = s->ticks.next[k];
    return first;
}

static bool clock_complain(run_state *s, int base, const char *what, double value)
{
    char words[160];
    snprintf(words, sizeof words, "the %s of a clock is %g; it must be positive", what, value);
    event_complain(s, clocks_of(s)->bases[base].at, words);
    return false;
}

static bool schedule(run_state *s, double t, const double *y, const double *yp)
{
    const image_clocks *q = clocks_of(s);
    run_ticks *x = &s->ticks;
    x->scheduled = true;
    x->start = t;
    run_eval(s, &s->model->clocks.intervals, t, y, yp, x->out, NULL);
    memset(x->ticked, 0, (size_t)q->n_subs);
    for (int k = 0; k < q->n_subs; k++) x->next[k] = q->subs[k].shift;
    for (int b = 0; b < q->n_bases; b++) {
        image_clock kind = (image_clock)q->bases[b].kind;
        x->interval[b] = x->out[b];
        x->origin[b] = x->units[b] = 0;
        x->own[b] = t;
        // pre(condition) is false before the start: a condition that holds from there on ticks there.
        x->risen[b] = kind == IMAGE_CLOCK_EVENT && s->w[q->bases[b].place] != 0;
        if (kind == IMAGE_CLOCK_REAL && !(x->interval[b] > 0))
            return clock_complain(s, b, "interval", x->interval[b]);
        x->when[b] = kind == IMAGE_CLOCK_EVENT ? INFINITY : tick_time(s, b, next_number(s, b));
    }
    return true;
}

double tick_next(const run_state *s)
{
    double next = INFINITY;
    if (!s->ticks.scheduled) return next;
    for (int b = 0; b < clocks_of(s)->n_bases; b++) next = fmin(next, s->ticks.when[b]);
    return next;
}

/* ---- a tick ---------------------------------------------------------------------------------- */

/* Seconds since the last tick of the sub-partition. */
static double interval_now(run_state *s, int sub, double t)
{
    const image_sub *u = &clocks_of(s)->subs[sub];
    const image_base *b = &clocks_of(s)->bases[u->base];
    const run_ticks *x = &s->ticks;
    double own = (double)u->interval.n / (double)u->interval.d;
    bool itself = u->interval.n == 1 && u->interval.d == 1, first = !x->ticked[sub];
    switch ((image_clock)b->kind) {
    case IMAGE_CLOCK_RATIONAL: return own;
    case IMAGE_CLOCK_REAL: return x->interval[u->base] * own;
    case IMAGE_CLOCK_COUNTER:
        if (first || itself) return s->w[b->place + 1] / (double)b->resolution * own;
        break;
    case IMAGE_CLOCK_VARYING:
        if (first || itself) return s->w[b->place + 1] * own;
        break;
    case IMAGE_CLOCK_EVENT:
        if (first) return x->interval[u->base];
        break;
    }
    return t - x->last[sub];
}

/* The past of its variables, and what its equations are told of the tick. */
static void enter(run_state *s, int sub, double t)
{
    const image_clocks *q = clocks_of(s);
    const image_sub *u = &q->subs[sub];
    run_ticks *x = &s->ticks;
    for (int k = 0; k < u->n_past; k++) {
        double *w = &s->w[q->past[u->first_past + k]];
        w[1] = w[0];
    }
    if (u->interval_at >= 0) s->w[u->interval_at] = interval_now(s, sub, t);
    if (u->first_at >= 0) s->w[u->first_at] = !x->ticked[sub];
    x->ticked[sub] = 1;
    x->last[sub] = t;
    if (u->on_at < 0 || s->w[u->on_at] != 0) return;
    s->w[u->on_at] = 1;
    event_touch(s, u->on_at);
    x->on[x->n_on++] = sub;
}

static void take_samples(run_state *s, int sub, double t, const double *y, const double *yp)
{
    const image_clocks *q = clocks_of(s);
    const image_sub *u = &q->subs[sub];
    run_eval(s, &s->model->clocks.samples[sub], t, y, yp, s->ticks.out, NULL);
    for (int k = 0; k < u->n_samples; k++) s->w[q->samples[u->first_sample + k]] = s->ticks.out[k];
}

/* Newton's method from the values of the last tick. It ends where a correction is rounding, or grows
 * no smaller after having been nearly that. */
static bool solve_step(run_state *s, int step, double t, const double *y, const double *yp)
{
    enum { CORRECTIONS_MAX = 50 };
    const double ROUNDING = 4 * DBL_EPSILON, NEARLY = 1e-9;
    const image_step *q = &clocks_of(s)->steps[step];
    const int *unknown = &clocks_of(s)->variables[q->first];
    run_ticks *x = &s->ticks;
    int n = q->n;
    double last = INFINITY;
    for (int k = 0; k < CORRECTIONS_MAX; k++) {
        double size = 0;
        run_eval(s, &s->model->clocks.steps[step], t, y, yp, x->out, NULL);
        for (int i = 0; i < n; i++) {
            x->dx[i] = -x->out[i];
            for (int j = 0; j < n; j++) x->a[i + j * n] = x->out[n + i * n + j];
        }
        if (la_solve_dense(n, 1, x->a, x->dx, x->pivots)) return false;
        for (int i = 0; i < n; i++) {
            double *v = &s->w[unknown[i]];
            size = fmax(size, fabs(x->dx[i]) / (fabs(*v) + fabs(x->dx[i]) + DBL_MIN));
            *v += x->dx[i];
            if (!isfinite(*v)) return false;
        }
        if (size <= ROUNDING || (size >= last && last < NEARLY)) return true;
        last = size;
    }
    return false;
}

static bool step_failed(run_state *s, int step, double t)
{
    const image_step *q = &clocks_of(s)->steps[step];
    char words[300];
    snprintf(words, sizeof words,
             "no solution of the clocked equation%s for '%s'%s was found at t = %.10g",
             q->n > 1 ? "s" : "", q->name, q->n > 1 ? " and others" : "", t);
    event_complain(s, q->at, words);
    return false;
}

static bool run_step(run_state *s, int step, double t, const double *y, const double *yp)
{
    const image_step *q = &clocks_of(s)->steps[step];
    if (q->solved) return solve_step(s, step, t, y, yp) || step_failed(s, step, t);
    const double *out = s->ticks.out;
    run_eval(s, &s->model->clocks.steps[step], t, y, yp, s->ticks.out, NULL);
    for (int i = 0; i < q->n; i++) s->w[clocks_of(s)->variables[q->first + i]] = out[i];
    return true;
}

/* After a tick of the clock itself its next interval is known. */
static bool set_interval(run_state *s, int base, int64_t number, double t)
{
    const image_base *b = &clocks_of(s)->bases[base];
    run_ticks *x = &s->ticks;
    bool counter = b->kind == IMAGE_CLOCK_COUNTER;
    if ((!counter && b->kind != IMAGE_CLOCK_VARYING) || number % b->every) return true;
    double next = s->w[b->place];
    if (!(next > 0))
        return clock_complain(s, base, counter ? "interval counter" : "interval", next);
    if (number) x->units[base] += (int64_t)x->interval[base];
    x->interval[base] = next;
    x->origin[base] = number;
    x->own[base] = t;
    return true;
}

static int clock_stands(run_state *s, int base, double t)
{
    char words[160];
    snprintf(
        words, sizeof words,
        "the next tick of a clock is not later than the one at t = %.16g: its interval is lost "
        "in the rounding of time",
        t);
    event_complain(s, clocks_of(s)->bases[base].at, words);
    return -1;
}

/* All that is due: what is sampled is read before anything is computed. */
static int tick_all(run_state *s, double t, const double *y, const double *yp)
{
    const image_clocks *q = clocks_of(s);
    run_ticks *x = &s->ticks;
    bool seen = false;
    for (int k = 0; k < q->n_held; k++) x->before[k] = s->w[q->held[k]];
    for (int b = 0; b < q->n_bases; b++) {
        if (!x->due[b]) continue;
        int64_t number = next_number(s, b);
        for (int k = q->bases[b].first; k < q->bases[b].first + q->bases[b].n; k++) {
            x->active[k] = x->next[k] == number;
            if (x->active[k]) enter(s, k, t);
            if (x->active[k]) take_samples(s, k, t, y, yp);
        }
    }
    for (int b = 0; b < q->n_bases; b++) {
        if (!x->due[b]) continue;
        const image_base *base = &q->bases[b];
        int64_t number = next_number(s, b);
        for (int k = base->first_step; k < base->first_step + base->n_steps; k++)
            if (x->active[q->steps[k].sub] && !run_step(s, k, t, y, yp)) return -1;
        if (!set_interval(s, b, number, t)) return -1;
        for (int k = base->first; k < base->first + base->n; k++)
            if (x->active[k]) x->next[k] += q->subs[k].every;
        x->due[b] = 0;
        x->when[b] = tick_time(s, b, next_number(s, b));
        if (!(x->when[b] > t)) return clock_stands(s, b, t);
    }
    for (int k = 0; k < q->n_held; k++) {
        if (x->before[k] == s->w[q->held[k]]) continue;
        event_touch(s, q->held[k]);
        seen = true;
    }
    return seen ? TICK_SEEN : TICK_INSIDE;
}

int tick_due(run_state *s, double t, const double *y, const double *yp)
{
    run_ticks *x = &s->ticks;
    int n = clocks_of(s)->n_bases;
    bool any = false;
    if (!n) return TICK_NONE;
    if (!x->scheduled && !schedule(s, t, y, yp)) return -1;
    for (int b = 0; b < n; b++) {
        x->due[b] = x->when[b] <= t + event_ulp(t);
        any = any || x->due[b];
    }
    return any ? tick_all(s, t, y, yp) : TICK_NONE;
}

/* ---- event clocks ---------------------------------------------------------------------------- */

void tick_note(run_state *s)
{
    const image_clocks *q = clocks_of(s);
    if (!s->model->clocks.n_event) return;
    for (int b = 0; b < q->n_bases; b++) {
        if (q->bases[b].kind != IMAGE_CLOCK_EVENT) continue;
        const double *w = &s->w[q->bases[b].place];
        if (w[0] != 0 && w[1] == 0) s->ticks.risen[b] = 1;
    }
}

int tick_risen(run_state *s, double t, const double *y, const double *yp)
{
    run_ticks *x = &s->ticks;
    bool any = false;
    if (!s->model->clocks.n_event) return TICK_NONE;
    for (int b = 0; b < clocks_of(s)->n_bases; b++) {
        x->due[b] = x->risen[b];
        any = any || x->risen[b];
        x->risen[b] = 0;
    }
    return any ? tick_all(s, t, y, yp) : TICK_NONE;
}

void tick_silence(run_state *s)
{
    const image_clocks *q = clocks_of(s);
    for (int k = 0; k < s->ticks.n_on; k++) {
        int on = q->subs[s->ticks.on[k]].on_at;
        s->w[on] = 0;
        event_touch(s, on);
    }
    s->ticks.n_on = 0;
}

double run_last_tick(const run_state *s, int clock)
{
    return s->ticks.scheduled && s->ticks.ticked[clock] ? s->ticks.last[clock] : NAN;
}
