/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/path.h"

#include <math.h>
#include <stdint.h>

double plot_map_at(const plot_map *m, double v)
{
    double s;
    if (m->log) {
        if (!(v > 0) || !isfinite(v)) return NAN;
        s = (log10(v) - log10(m->lo)) / (log10(m->hi) - log10(m->lo));
    } else {
        if (!isfinite(v)) return NAN;
        s = (v - m->lo) / (m->hi - m->lo);
        if (!isfinite(s)) s = (v / 4 - m->lo / 4) / (m->hi / 4 - m->lo / 4);
    }
    // far outside is far enough: the arithmetic of drawing libraries is short
    s = fmin(fmax(s, -1e4), 1e4);
    return m->from + s * (m->to - m->from);
}

void plot_path_push(plot_path *p, double x, double y, bool start)
{
    if (p->failed) return; // what follows a lost point has no meaning
    if (p->n == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 256;
        void *q = cap < SIZE_MAX / sizeof *p->at / 2
                      ? p->m->resize(p->m->user, p->at, p->cap * sizeof *p->at, cap * sizeof *p->at)
                      : NULL;
        if (!q) {
            p->failed = true;
            return;
        }
        p->at = q;
        p->cap = cap;
    }
    p->at[p->n++] = (plot_point){x, y, start};
}

void plot_path_done(plot_path *p)
{
    if (p->m) mem_free(p->m, p->at, p->cap * sizeof *p->at);
    p->at = NULL;
    p->n = p->cap = 0;
}

/* ---- thinning -------------------------------------------------------------------------------- */

/* The points of the current column: in order of arrival, up to four. */
typedef struct thinner {
    plot_path *out;
    double width;
    double column;    // number of the column
    bool open, start; // there are points; the next one out begins a stroke
    double first[2], last[2], low[2], high[2];
    long n, n_low, n_high; // points so far, and which of them are lowest and highest
} thinner;

static void path_emit(thinner *t, const double *p)
{
    plot_path_push(t->out, p[0], p[1], t->start);
    t->start = false;
}

static void path_flush(thinner *t)
{
    if (!t->open) return;
    t->open = false;
    long last = t->n - 1, a = t->n_low < t->n_high ? t->n_low : t->n_high,
         b = t->n_low < t->n_high ? t->n_high : t->n_low;
    path_emit(t, t->first);
    if (a > 0 && a < last) path_emit(t, a == t->n_low ? t->low : t->high);
    if (b > 0 && b < last && b != a) path_emit(t, b == t->n_low ? t->low : t->high);
    if (last > 0) path_emit(t, t->last);
}

static void path_feed(thinner *t, double x, double y)
{
    if (isnan(x) || isnan(y)) {
        path_flush(t);
        t->start = true;
        return;
    }
    double column = floor(x / t->width), p[2] = {x, y};
    if (t->open && column != t->column) path_flush(t);
    if (!t->open) {
        t->open = true;
        t->column = column;
        t->n = t->n_low = t->n_high = 0;
        t->first[0] = t->low[0] = t->high[0] = x;
        t->first[1] = t->low[1] = t->high[1] = y;
    }
    if (y < t->low[1]) t->low[0] = x, t->low[1] = y, t->n_low = t->n;
    if (y > t->high[1]) t->high[0] = x, t->high[1] = y, t->n_high = t->n;
    t->last[0] = p[0];
    t->last[1] = p[1];
    t->n++;
}

void plot_path_trace(plot_path *p, const plot_curve_spec *c, const plot_map *x, const plot_map *y,
                     double column)
{
    thinner t = {.out = p, .width = column, .start = true};
    double held = NAN;
    for (size_t i = 0; i < c->n; i++) {
        double u = plot_map_at(x, c->x[i]), v = plot_map_at(y, c->y[i]);
        if (c->style == PLOT_STAIRS && !isnan(held) && !isnan(u)) path_feed(&t, u, held);
        path_feed(&t, u, v);
        held = v;
    }
    path_flush(&t);
}

/* ---- clipping -------------------------------------------------------------------------------- */

bool plot_clip_segment(const plot_rect *r, double *x0, double *y0, double *x1, double *y1)
{
    double dx = *x1 - *x0, dy = *y1 - *y0, enter = 0, leave = 1;
    const double p[4] = {-dx, dx, -dy, dy};
    const double q[4] = {*x0 - r->x0, r->x1 - *x0, *y0 - r->y0, r->y1 - *y0};
    for (int i = 0; i < 4; i++) {
        if (p[i] == 0) {
            if (q[i] < 0) return false;
            continue;
        }
        double s = q[i] / p[i];
        if (p[i] < 0) enter = fmax(enter, s);
        else leave = fmin(leave, s);
    }
    if (enter > leave) return false;
    double a = *x0, b = *y0;
    if (leave < 1) *x1 = a + leave * dx, *y1 = b + leave * dy;
    if (enter > 0) *x0 = a + enter * dx, *y0 = b + enter * dy;
    return true;
}

double plot_path_covers(const plot_path *p, const plot_rect *r)
{
    double length = 0;
    for (size_t i = 1; i < p->n; i++) {
        if (p->at[i].start) continue;
        double x0 = p->at[i - 1].x, y0 = p->at[i - 1].y, x1 = p->at[i].x, y1 = p->at[i].y;
        if (plot_clip_segment(r, &x0, &y0, &x1, &y1)) length += hypot(x1 - x0, y1 - y0);
    }
    return length;
}
