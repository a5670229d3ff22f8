/* Times that are known beforehand: samples, and timers, single relations of time alone.
 *
 * A timer is a cell (cell.h): it is read where its time has come, or something it compares with has
 * changed, and foretold afresh after that. What comes next stands on top of a heap.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"

#include <stdio.h>

static void set_time(event_clock *c, int entry, double when)
{
    heap_set(&c->next, entry, when < INFINITY ? when : INFINITY); // NaN: never
}

static void timer_clear(event_clock *c)
{
    for (int k = 0; k < c->next.n; k++) {
        c->next.key[k] = INFINITY;
        c->next.item[k] = c->next.at[k] = k;
    }
    c->n_due = 0;
}

void timer_layout(run_timers *x, const code_model *m, bump *b)
{
    event_clock *c = &x->clock;
    c->n_samples = m->events.list.n_samples;
    c->next.n = c->n_samples + m->events.n_timers;
    c->next.key = bump_double(b, (size_t)c->next.n);
    c->next.item = bump_int(b, (size_t)c->next.n);
    c->next.at = bump_int(b, (size_t)c->next.n);
    c->due = bump_int(b, (size_t)c->next.n);
    x->sample_start = bump_double(b, 2 * (size_t)c->n_samples);
    x->sample_interval = bump_double(b, (size_t)c->n_samples);
    x->after = bump_double(b, 2 * (size_t)m->events.n_timers + (size_t)m->events.timers.n);
    x->untold = bump_int(b, (size_t)m->events.timers.n);
    x->is_untold = bump_bytes(b, (size_t)m->events.timers.n);
    cell_layout(&x->front, &m->events.timers, b);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Start and interval may depend on parameters that the start decides: they are read at the first
 * event. */
static bool timer_schedule(run_state *s, double t0, const double *y, const double *yp)
{
    int n = s->events.timers.clock.n_samples;
    timer_clear(&s->events.timers.clock);
    if (!n) return true;
    run_eval(s, &s->model->events.samples, t0, y, yp, s->events.timers.sample_start,
             NULL); // start, interval, start ...
    for (int k = n - 1; k >= 0; k--)
        s->events.timers.sample_interval[k] = s->events.timers.sample_start[2 * k + 1];
    for (int k = 0; k < n; k++) {
        double start = s->events.timers.sample_start[k] = s->events.timers.sample_start[2 * k],
               interval = s->events.timers.sample_interval[k];
        if (!(interval > 0)) {
            char words[120];
            snprintf(words, sizeof words,
                     "the interval of sample(start, interval) is %g; it must be positive",
                     interval);
            event_complain(s, s->model->events.list.samples[k].at, words);
            return false;
        }
        double missed = start < t0 ? ceil((t0 - start) / interval - 1e-9) : 0;
        set_time(&s->events.timers.clock, k, start + missed * interval);
    }
    return true;
}

static void set_sample(run_state *s, int k, bool on)
{
    int slot = s->model->events.list.samples[k].place;
    s->w[slot] = on;
    event_touch(s, slot);
}

bool timer_ring(run_state *s, double t, const double *y, const double *yp)
{
    event_clock *c = &s->events.timers.clock;
    if (!s->events.timers.scheduled && !timer_schedule(s, t, y, yp)) return false;
    s->events.timers.scheduled = true;
    c->n_due = 0;
    while (c->next.n && c->next.key[c->next.item[0]] <= t + event_ulp(t)) {
        int entry = c->next.item[0];
        c->due[c->n_due++] = entry;
        if (entry < c->n_samples) {
            set_sample(s, entry, true);
            // Counted from the start, so that a thousand intervals do not add up their round-off.
            double start = s->events.timers.sample_start[entry],
                   interval = s->events.timers.sample_interval[entry];
            double n = floor((c->next.key[entry] - start) / interval + 1.5);
            double next = fmax(start + n * interval, t + 2 * event_ulp(t));
            set_time(c, entry, next);
        } else {
            cell_make_due(&s->events.timers.front,
                          s->model->events.timers.cell[entry - c->n_samples]);
            set_time(c, entry, INFINITY);
        }
    }
    return true;
}

void timer_silence(run_state *s)
{
    for (int k = 0; k < s->events.timers.clock.n_due; k++)
        if (s->events.timers.clock.due[k] < s->events.timers.clock.n_samples)
            set_sample(s, s->events.timers.clock.due[k], false);
}

double timer_next(const run_state *s)
{
    return s->events.timers.clock.next.n && s->events.timers.scheduled
               ? s->events.timers.clock.next.key[s->events.timers.clock.next.item[0]]
               : INFINITY;
}

/* ---- timers ---------------------------------------------------------------------------------- */

/* The same cells once more, at another time. */
static void run_again(run_state *s, tape_args *args, double t)
{
    for (int k = 0; k < s->events.timers.front.n_ran; k++)
        cell_make_due(&s->events.timers.front, s->events.timers.front.ran[k]);
    args->t = t;
    cell_run(&s->model->events.timers, &s->events.timers.front, args, false);
}

int timer_read(run_state *s, const event_moment *now, bool all, bool take)
{
    const code_model *m = s->model;
    cell_front *f = &s->events.timers.front;
    if (all) cell_touch_all(&m->events.timers, f);
    if (!f->n_due) return 0;
    tape_args args = run_args(s, now->t, now->y, now->yp);
    args.t = now->after;
    cell_run(&m->events.timers, f, &args, false);
    double *after = s->events.timers.after;
    for (int k = 0; k < f->n_ran; k++) {
        int n_out = m->events.timers.program[f->ran[k]]->extent[TAPE_OUT];
        for (int i = 0; i < n_out; i++) *after++ = f->out[k][i];
        if (!s->events.timers.is_untold[f->ran[k]])
            s->events.timers.untold[s->events.timers.n_untold++] = f->ran[k];
        s->events.timers.is_untold[f->ran[k]] = 1;
    }
    run_again(s, &args, now->t);
    int differ = 0;
    for (int k = 0; k < f->n_ran; k++) {
        int cell = f->ran[k], first = m->events.timers.first[cell];
        for (int i = first; i < m->events.timers.first[cell + 1]; i++) {
            const double *out = &f->out[k][2 * (i - first)]; // value, root
            event_sides x = {.root = out[1],
                             .exact = out[0],
                             .after = s->events.timers.after[out - f->values],
                             .tie = now->tie};
            int relation = m->events.timer[m->events.timers.item[i]];
            differ += event_put(s, relation, event_reading(s, relation, &x), take);
        }
    }
    return differ;
}

/* Where the sides are large a relation changes only when the time that has passed shows beside them,
 * as in 1 + time > 1 at 0: each trial is farther off than the last. */
double timer_soon(const run_state *s, double t)
{
    enum { FARTHER = 256 };
    return t + fmax(2 * event_ulp(t), FARTHER * s->events.timers.late);
}

/* The root is affine in time: two values of it tell where it is zero. */
bool timer_foretell(run_state *s, double t, const double *y, const double *yp, double soon)
{
    const code_model *m = s->model;
    cell_front *f = &s->events.timers.front;
    for (int k = 0; k < s->events.timers.n_untold; k++) {
        s->events.timers.is_untold[s->events.timers.untold[k]] = 0;
        cell_make_due(f, s->events.timers.untold[k]);
    }
    s->events.timers.n_untold = 0;
    if (!f->n_due) return false;
    tape_args args = run_args(s, t, y, yp);
    args.t = 1;
    cell_run(&m->events.timers, f, &args, false);
    double *at1 = s->events.timers.after;
    bool due = false;
    for (int k = 0; k < f->n_ran; k++) {
        int n_out = m->events.timers.program[f->ran[k]]->extent[TAPE_OUT];
        for (int i = 0; i < n_out; i++) *at1++ = f->out[k][i];
    }
    run_again(s, &args, 0);
    for (int k = 0; k < f->n_ran; k++) {
        int cell = f->ran[k], first = m->events.timers.first[cell];
        for (int i = first; i < m->events.timers.first[cell + 1]; i++) {
            const double *root = &f->out[k][2 * (i - first) + 1];
            int item = m->events.timers.item[i];
            double slope = s->events.timers.after[root - f->values] - *root;
            double when = event_foretold(s, m->events.timer[item], *root, slope, soon);
            set_time(&s->events.timers.clock, s->events.timers.clock.n_samples + item, when);
            due |= when == soon;
        }
    }
    return due;
}
