/* Events on the way back (adjoint.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/adjoint_parts.h"

#include <string.h>

static double *events_add(run_adjoint *a)
{
    adjoint_events_kept *e = &a->events;
    size_t each = e->each * sizeof(double);
    if (e->n == e->room) {
        mem *m = a->x->s->m;
        size_t room = e->room ? 2 * e->room : 8;
        double *at =
            room * each > e->most ? NULL : m->resize(m->user, e->at, e->room * each, room * each);
        e->full = !at;
        if (!at) return NULL;
        e->at = at;
        e->room = room;
    }
    return e->at + e->each * e->n++;
}

/* Unit directions of states and discrete values behind those that are asked for, which are by nothing but
 * their parameters; what depends on the states follows. */
static int set_directions(run_adjoint *a, double t, const double *y, const double *yp)
{
    run_variation *x = a->x;
    size_t n = (size_t)a->n, all = (size_t)x->m * n, n_w = (size_t)x->code->n_w;
    memcpy(a->Y, y, n * sizeof *y);
    memcpy(a->Yp, yp, n * sizeof *yp);
    memset(a->Y + n, 0, all * sizeof *y);
    memset(a->Yp + n, 0, all * sizeof *y);
    if (n_w) memset(x->dw, 0, (size_t)x->m * n_w * sizeof *x->dw);
    for (int i = 0; i < a->n_x; i++) a->Y[(size_t)(1 + a->m + i) * n + (size_t)a->states[i]] = 1;
    for (size_t j = 0; j < n_w; j++) vary_discrete(x, a->m + a->n_x + (int)j)[j] = 1;
    return vary_follow(x, t, y, yp, x->m, NULL, true, a->Y + n, a->Yp + n);
}

static int adjoint_event(void *user, double t, double *y, double *yp, int *changed)
{
    run_state *s = user;
    run_variation *x = s->variation;
    run_adjoint *a = x->adjoint;
    size_t n = (size_t)a->n, n_w = (size_t)x->code->n_w, w = (size_t)s->model->n_w;
    int rc = set_directions(a, t, y, yp);
    if (rc) return -1;
    double *kept = events_add(a);
    if (!kept) return -1;
    kept[0] = t;
    memcpy(kept + 1, s->w, w * sizeof *s->w);
    rc = vary_event_handle(user, t, a->Y, a->Yp, changed);
    memcpy(y, a->Y, n * sizeof *y);
    memcpy(yp, a->Yp, n * sizeof *yp);
    if (rc < 0 || !(*changed > 0)) {
        a->events.n--;
        return rc;
    }
    double *to = kept + 1 + w;
    for (int k = 0; k < x->m; k++) {
        for (int i = 0; i < a->n_x; i++) *to++ = a->Y[(size_t)(1 + k) * n + (size_t)a->states[i]];
        for (size_t j = 0; j < n_w; j++) *to++ = vary_discrete(x, k)[j];
    }
    return rc;
}

const vinc_problem *adjoint_problem(run_adjoint *a, size_t most)
{
    run_variation *x = a->x;
    size_t n_w = (size_t)x->code->n_w, all = (size_t)a->m * (size_t)a->n;
    const double *dy, *dyp;
    vary_started(x, &dy, &dyp);
    if (all) memcpy(a->dy_start, dy, all * sizeof *dy), memcpy(a->dyp_start, dyp, all * sizeof *dy);
    if (n_w && a->m) memcpy(a->dw_start, x->dw, (size_t)a->m * n_w * sizeof *x->dw);
    a->problem = x->s->problem;
    a->events.n = 0;
    a->events.most = most;
    if (a->Y) {
        a->problem.event = adjoint_event;
        a->problem.follows = NULL; // no other problem behind an event: vary.h refuses to slide
    }
    return &a->problem;
}

size_t adjoint_n_events(const run_adjoint *a)
{
    return a->events.n;
}

bool adjoint_full(const run_adjoint *a)
{
    return a->events.full;
}

void adjoint_events(run_adjoint *a, double t)
{
    run_variation *x = a->x;
    run_state *s = x->s;
    adjoint_events_kept *e = &a->events;
    size_t n_w = (size_t)x->code->n_w, w = (size_t)s->model->n_w, rows = (size_t)a->n_x + n_w;
    for (; e->n && e->at[(e->n - 1) * e->each] > t; e->n--) {
        const double *kept = e->at + (e->n - 1) * e->each, *slope = kept + 1 + w;
        for (int i = 0; i < a->n_x; i++) a->behind[i] = a->lambda[a->states[i]];
        memcpy(a->behind + a->n_x, a->q, n_w * sizeof *a->q);
        memset(a->lambda, 0, (size_t)a->n * sizeof *a->lambda);
        for (int k = 0; k < x->m; k++, slope += rows) {
            double sum = 0;
            for (size_t r = 0; r < rows; r++) sum += a->behind[r] * slope[r];
            if (k < a->m) a->direct[k] += sum;
            else if (k < a->m + a->n_x) a->lambda[a->states[k - a->m]] = sum;
            else a->q[k - a->m - a->n_x] = sum;
        }
        memcpy(s->w, kept + 1, w * sizeof *s->w);
    }
}
