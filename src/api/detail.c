/* What figures are drawn from: the rows of a run, and points of its steps between them.
 *
 * Rows are where the user wants numbers; a curve through a few of them has corners, and a peak between
 * two of them is not there. While the run is made, every step is looked at: where a curve has moved, or
 * bends, so that it could be seen, points are taken from the interpolant, as many as make a polygon that
 * looks like it. They are merged with the rows when the run is done.
 *
 * A polygon with k pieces misses an arc by 1/k^2 of what its chord does, and one point inside a step tells
 * how much that is. Memory is bounded: when it is full every second point goes, and twice as much may be
 * missed from then on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/verbs.h"

#include <math.h>
#include <string.h>

// clang-format off
/*  bound                             quantity                                            source */
static const double
    MISSED_MAX           = 1e-3,   // of a curve's range, by its polygon                  half a pixel of a panel that is 500 high
    MOVED_MAX            = 5e-3,   // ... between points, before a step is looked at      choice: five times that
    PART_OF_TIME         = 1e-3,   // of the run: the longest time without a look         half a pixel of a panel that is 500 wide
    TOLERANCES_SEEN      = 1e3,    // a range below so many tolerances is noise           choice
    PROBE                = 0.4;    // where a step is looked at, not in the middle        an arc and its reverse cancel there
enum {
    PIECES_MAX           = 32,     // of one step                                         choice
    VALUES_MAX           = 2000000,// kept: 16 MB                                         choice
    POINTS_LEAST         = 2000,   // ... or so many points, however wide                 choice
};
// clang-format on

struct api_detail {
    vinc_sim *s;
    const vinc_problem *p;
    result *rows;                    // what is drawn, when the run is done
    double *block;                   // the arrays that follow
    double *last, *now, *probe, *yp; // y at the last point kept, at the end of a step, inside it
    double *low, *high;              // of y so far
    size_t block_size;               // values
    double *points;                  // each the time and a row
    size_t n, cap, width;
    double t;         // of the last look
    double coarse;    // what may be missed, over the bounds above
    bool begun, lost; // lost: there was no memory
};

/* ---- what can be seen ------------------------------------------------------------------------- */

static void detail_widen(api_detail *x, const double *y)
{
    for (int i = 0; i < x->p->n; i++) {
        x->low[i] = fmin(x->low[i], y[i]);
        x->high[i] = fmax(x->high[i], y[i]);
    }
}

static double detail_range(const api_detail *x, int i)
{
    const sim_options *o = &x->s->options;
    double nominal = x->p->nominal ? x->p->nominal[i] : 1;
    double size = fmax(fabs(x->low[i]), fabs(x->high[i]));
    double abs_tol = o->abs_tol > 0 ? o->abs_tol : o->rel_tol;
    return fmax(x->high[i] - x->low[i],
                TOLERANCES_SEEN * (o->rel_tol * size + abs_tol * fabs(nominal)));
}

static double detail_moved(const api_detail *x)
{
    double most = 0;
    for (int i = 0; i < x->p->n; i++)
        most = fmax(most, fabs(x->now[i] - x->last[i]) / detail_range(x, i));
    return most;
}

/* The pieces of a polygon from x->last to x->now that passes x->probe unseen. */
static int detail_pieces(const api_detail *x)
{
    const double MIDDLE = PROBE * (1 - PROBE) / 0.25; // of an arc's height, at the probe
    double most = 0;
    for (int i = 0; i < x->p->n; i++) {
        double chord = x->last[i] + PROBE * (x->now[i] - x->last[i]);
        most = fmax(most, fabs(x->probe[i] - chord) / MIDDLE / detail_range(x, i));
    }
    double pieces = ceil(sqrt(most / (MISSED_MAX * x->coarse)));
    return pieces >= 1 && pieces < PIECES_MAX ? (int)pieces : pieces < 1 ? 1 : PIECES_MAX;
}

/* ---- points ----------------------------------------------------------------------------------- */

static void detail_halve(api_detail *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n; i += 2, n++)
        memmove(x->points + n * x->width, x->points + i * x->width, x->width * sizeof *x->points);
    x->n = n;
    x->coarse *= 2;
}

static bool detail_room(api_detail *x)
{
    mem *m = &x->s->m;
    size_t most = VALUES_MAX / x->width;
    if (x->n < x->cap) return true;
    if (x->n >= most && x->n >= POINTS_LEAST) {
        detail_halve(x);
        return true;
    }
    size_t cap = x->cap ? 2 * x->cap : 256, bytes = x->width * sizeof *x->points;
    double *more = m->resize(m->user, x->points, x->cap * bytes, cap * bytes);
    if (!more) return false;
    x->points = more;
    x->cap = cap;
    return true;
}

/* A point that has no row is none. */
static void detail_keep(api_detail *x, double t, const double *y, const double *yp)
{
    const vinc_problem *p = x->p->follows ? x->p->follows(x->p->user) : x->p;
    if (!detail_room(x)) {
        x->lost = true;
        return;
    }
    double *to = x->points + x->n * x->width;
    to[0] = t;
    if (!p->outputs(p->user, t, y, yp, to + 1)) x->n++;
}

static void detail_begin(api_detail *x, double t0, const double *y)
{
    size_t bytes = (size_t)x->p->n * sizeof *y;
    x->begun = true;
    x->n = 0;
    x->coarse = 1;
    x->t = t0;
    memcpy(x->low, y, bytes);
    memcpy(x->high, y, bytes);
}

static void detail_look(api_detail *x, double t0, double t1,
                        int (*at)(void *trajectory, double t, double *y, double *yp),
                        void *trajectory)
{
    const sim_options *o = &x->s->options;
    if (!x->begun || t0 < x->t) { // the first, or the run begins anew
        if (at(trajectory, t0, x->last, x->yp)) return;
        detail_begin(x, t0, x->last);
    }
    x->t = t1;
    if (at(trajectory, t1, x->now, x->yp)) return;
    detail_widen(x, x->now);
    double kept = x->n ? x->points[(x->n - 1) * x->width] : o->t_start;
    if (detail_moved(x) < MOVED_MAX * x->coarse &&
        t1 - kept < PART_OF_TIME * (o->t_stop - o->t_start))
        return;
    if (at(trajectory, t0, x->last, x->yp) ||
        at(trajectory, t0 + PROBE * (t1 - t0), x->probe, x->yp))
        return;
    detail_widen(x, x->probe);
    int pieces = detail_pieces(x);
    for (int k = 1; k <= pieces && !x->lost; k++) {
        double t = k == pieces ? t1 : t0 + (t1 - t0) * k / pieces;
        if (!at(trajectory, t, x->probe, x->yp)) detail_keep(x, t, x->probe, x->yp);
    }
    memcpy(x->last, x->now, (size_t)x->p->n * sizeof *x->now);
}

/* A step is final from t0 to t1. */
int api_detail_follow(void *user, double t0, double t1,
                      int (*at)(void *trajectory, double t, double *y, double *yp),
                      void *trajectory)
{
    vinc_sim *s = user;
    if (s->detail->lost) return 0;
    s->detail->lost = run_look(s->state);
    if (s->detail->lost) return 0;
    detail_look(s->detail, t0, t1, at, trajectory);
    return run_look(s->state);
}

/* ---- its life --------------------------------------------------------------------------------- */

void api_detail_free(vinc_sim *s)
{
    api_detail *x = s->detail;
    if (!x) return;
    s->detail = NULL;
    result_free(x->rows);
    mem_free(&s->m, x->points, x->cap * x->width * sizeof *x->points);
    mem_free(&s->m, x->block, x->block_size * sizeof *x->block);
    mem_free(&s->m, x, sizeof *x);
}

int api_detail_new(vinc_sim *s)
{
    api_detail *x = mem_try(&s->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (api_detail){.s = s};
    s->detail = x;
    return result_new(&s->m, &x->rows) < 0 ? VINC_E_MEMORY : VINC_OK;
}

result *api_detail_rows(vinc_sim *s)
{
    return s->detail ? s->detail->rows : NULL;
}

void api_detail_start(vinc_sim *s, const vinc_problem *p)
{
    api_detail *x = s->detail;
    size_t n = (size_t)p->n;
    x->p = p;
    x->width = (size_t)p->n_outputs + 1;
    x->block_size = 6 * n + 1;
    x->block = mem_try(&s->m, x->block_size * sizeof *x->block);
    x->lost = !x->block;
    double **arrays[] = {&x->last, &x->now, &x->probe, &x->yp, &x->low, &x->high};
    for (int i = 0; i < 6 && x->block; i++) *arrays[i] = x->block + (size_t)i * n;
}

/* Points between the rows; where both have a time, the rows count. */
int api_detail_merge(vinc_sim *s)
{
    api_detail *x = s->detail;
    const result *r = s->result.r;
    size_t i = 0;
    if (!x || !x->p) return VINC_OK;
    if (x->rows->n_slots != r->n_slots || (size_t)r->n_slots != x->width) return VINC_OK;
    bool fits = !x->lost;
    for (size_t k = 0; fits && k < r->n_rows; k++) {
        const double *row = result_row(r, k);
        for (; fits && i < x->n && x->points[i * x->width] <= row[0]; i++) {
            const double *point = x->points + i * x->width;
            bool between = k > 0 && point[0] < row[0] && point[0] > result_time(r, k - 1);
            if (between) fits = result_append(x->rows, point[0], point + 1) >= 0;
        }
        if (fits) fits = result_append(x->rows, row[0], row + 1) >= 0;
    }
    if (fits) return VINC_OK;
    result_truncate(x->rows, 0);
    return VINC_E_MEMORY;
}

result *api_drawn(vinc_result *v)
{
    const api_detail *x = v->sim ? v->sim->detail : NULL;
    return x && x->rows && x->rows->n_rows >= v->r->n_rows ? x->rows : v->r;
}
