/* The past of a run: delays of its model, to what remembers them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"

#include <math.h>

static void past_delays(void *user, double t, const double *y, const double *yp, double *out)
{
    run_state *s = user;
    run_eval(s, &s->model->events.delays, t, y, yp, out, NULL);
}

static void past_profiles(void *user, double t, const double *y, const double *yp, double *out)
{
    run_state *s = user;
    run_eval(s, &s->model->events.profiles, t, y, yp, out, NULL);
}

static void past_complain(void *user, int delay, const char *words)
{
    run_state *s = user;
    event_complain(s, s->model->events.list.delays[delay].at, words);
}

past_delay past_delay_of(const image_delay *d)
{
    return (past_delay){.place = d->place,
                        .n_profile = d->n_profile,
                        .carried = d->carried,
                        .constant = d->constant,
                        .still = d->still,
                        .may_vanish = d->may_vanish};
}

static past_host host_of(const run_state *s)
{
    return (past_host){.past = s->past,
                       .m = s->m,
                       .w = s->w,
                       .user = (void *)(uintptr_t)s,
                       .delays = past_delays,
                       .profiles = past_profiles,
                       .complain = past_complain};
}

int past_new(run_state *s)
{
    const image_events *x = &s->model->events.list;
    past_model m = {
        .n = s->model->n, .n_delays = x->n_delays, .n_profiles = s->model->events.profiles.n_out};
    if (!m.n_delays) return VINC_OK;
    size_t bytes = (size_t)m.n_delays * sizeof(past_delay);
    past_delay *list = mem_try(s->m, bytes);
    if (!list) return VINC_E_MEMORY;
    for (int k = 0; k < m.n_delays; k++) list[k] = past_delay_of(&x->delays[k]);
    m.delays = list;
    s->past = history_new(s->m, &m);
    mem_free(s->m, list, bytes);
    return s->past ? VINC_OK : VINC_E_MEMORY;
}

void past_free(run_state *s)
{
    history_drop(s->m, s->past);
    s->past = NULL;
}

void past_forget(run_state *s)
{
    if (s->past) history_forget(s->past);
}

void past_read(run_state *s, double t, const double *y, const double *yp)
{
    past_host h = host_of(s);
    history_read(&h, t, y, yp);
}

int past_event(run_state *s, double t, const double *y, const double *yp, bool begin)
{
    past_host h = host_of(s);
    return s->past ? history_event(&h, t, y, yp, begin) : 0;
}

void past_break(run_state *s, double t, int returns)
{
    past_host h = host_of(s);
    if (s->past) history_break(&h, t, returns);
}

double past_next(const run_state *s, double t)
{
    past_host h = host_of(s);
    return s->past ? history_next(&h, t) : INFINITY;
}

double past_step_limit(void *user, double t)
{
    return history_step_limit(((run_state *)user)->past, t);
}

void past_margins(run_state *s, double t, const double *y, const double *yp, double *g)
{
    past_host h = host_of(s);
    if (s->past) history_margins(&h, t, y, yp, g);
}

int past_accept(void *user, double t0, double t1,
                int (*at)(void *trajectory, double t, double *y, double *yp), void *points)
{
    past_host h = host_of(user);
    return history_accept(&h, t0, t1, at, points);
}
