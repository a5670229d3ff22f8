/* The past of a run: delays of the model that was printed, to what remembers them. Between the ends of a
 * step states follow the cubic through their values and rates, and all else is found from them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include "run/history.h"

#include <math.h>
#include <string.h>

static mem memory;

static void past_delays(void *user, double t, const double *y, const double *yp, double *out)
{
    vinc_sim *s = user;
    s->m->delays.f(t, s->p, y, yp, s->w, out, NULL, s->v, s->routines);
}

static void past_profiles(void *user, double t, const double *y, const double *yp, double *out)
{
    vinc_sim *s = user;
    if (s->m->profiles.f) s->m->profiles.f(t, s->p, y, yp, s->w, out, NULL, s->v, s->routines);
}

static void past_complain(void *user, int delay, const char *words)
{
    vinc_sim *s = user;
    (void)delay;
    source_say(s->ctx, VINC_ERROR, "%s", words);
}

static past_host host_of(const vinc_sim *s)
{
    past_host h = {.past = s->past,
                   .m = &memory,
                   .w = s->w,
                   .user = (void *)s,
                   .delays = past_delays,
                   .profiles = past_profiles,
                   .complain = past_complain};
    return h;
}

bool source_past_new(vinc_sim *s)
{
    if (s->m->past->n_delays) s->past = history_new(&memory, s->m->past);
    return !s->m->past->n_delays || s->past;
}

void source_past_free(struct run_past *past)
{
    history_drop(&memory, past);
}

struct run_past *source_past_copy(const struct run_past *past)
{
    return past ? history_copy(&memory, past) : NULL;
}

size_t source_past_size(const struct run_past *past)
{
    return past ? history_size(past) : 0;
}

void source_past_write(const struct run_past *past, void *bytes)
{
    if (past) history_write(past, bytes);
}

bool source_past_read(struct run_past *past, const void *bytes, size_t n)
{
    return past && history_read_bytes(&memory, past, bytes, n);
}

void source_past_forget(vinc_sim *s)
{
    if (s->past) history_forget(s->past);
}

void source_recall(vinc_sim *s, double t, const double *y, const double *yp)
{
    past_host h = host_of(s);
    if (s->past && y) history_read(&h, t, y, yp);
}

int source_past_event(vinc_sim *s, double t, const double *y, const double *yp, bool begin)
{
    past_host h = host_of(s);
    return s->past ? history_event(&h, t, y, yp, begin) : 0;
}

void source_past_break(vinc_sim *s, double t, int returns)
{
    past_host h = host_of(s);
    if (s->past) history_break(&h, t, returns);
}

double source_past_next(const vinc_sim *s, double t)
{
    past_host h = host_of(s);
    return s->past ? history_next(&h, t) : INFINITY;
}

double source_past_limit(const vinc_sim *s, double t)
{
    return s->past ? history_step_limit(s->past, t) : INFINITY;
}

void source_past_margins(vinc_sim *s, double t, const double *y, const double *yp, double *g)
{
    past_host h = host_of(s);
    if (s->past) history_margins(&h, t, y, yp, g);
}

/* ---- the trajectory of a step ---------------------------------------------------------------- */

typedef struct way {
    vinc_sim *s;
    double t0, t1; // from s->y, s->yp to s->yb, s->ypb
} way;

static int way_at(void *user, double t, double *y, double *yp)
{
    const way *x = user;
    vinc_sim *s = x->s;
    size_t bytes = (size_t)s->m->n * sizeof *y;
    double h = x->t1 - x->t0, u = (t - x->t0) / h, v = 1 - u;
    if (t <= x->t0 || t >= x->t1) {
        memcpy(y, t <= x->t0 ? s->y : s->yb, bytes);
        memcpy(yp, t <= x->t0 ? s->yp : s->ypb, bytes);
        return 0;
    }
    for (int i = 0; i < s->m->n; i++) {
        double a = s->y[i], b = s->yb[i], da = s->yp[i], db = s->ypb[i];
        y[i] = v * a + u * b;
        yp[i] = v * da + u * db;
        if (!s->m->differential[i]) continue;
        y[i] += u * v * ((v - u) * (a - b) + h * (v * da - u * db));
        yp[i] += u * v * (6 * (b - a) / h - 3 * (da + db));
    }
    return source_follow(s, t, y, yp);
}

int source_past_accept(vinc_sim *s, double t0, double t1)
{
    past_host h = host_of(s);
    way x = {s, t0, t1};
    return s->past ? history_accept(&h, t0, t1, way_at, &x) : 0;
}
