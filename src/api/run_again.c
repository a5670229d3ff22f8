/* Runs that are made again: with a tenth of the tolerances, to be compared with (--verify), and with a smaller absolute
 * tolerance, where the solution ran away within it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"

#include <math.h>
#include <string.h>

/* ---- to compare ------------------------------------------------------------------------------ */

/* The rows of a result in groups of one time: an event has a row before it and one after. */
typedef struct row_group {
    size_t first, last;
    size_t events; // before it
} row_group;

static bool group_is_event(const row_group *g)
{
    return g->last > g->first;
}

static row_group group_from(const result *r, size_t first, size_t events)
{
    row_group g = {first, first, events};
    while (g.last + 1 < r->n_rows && result_time(r, g.last + 1) == result_time(r, first)) g.last++;
    return g;
}

static row_group group_next(const result *r, row_group g)
{
    return group_from(r, g.last + 1, g.events + group_is_event(&g));
}

static size_t count_events(const result *r)
{
    row_group g = group_from(r, 0, 0);
    while (g.last + 1 < r->n_rows) g = group_next(r, g);
    return g.events + group_is_event(&g);
}

/* Sizes of columns, and the largest differences of two results. */
typedef struct comparison {
    const result *a, *b;
    double *size, *most; // by column of a
} comparison;

/* A row of a against b at its time; of an event, that side of it. */
static void compare_row(const comparison *c, size_t row, double t, result_side side)
{
    for (int k = 1; k < c->a->n_columns; k++) {
        const result_column *of = &c->a->columns[k];
        if (of->kind != RESULT_REAL || of->constant || of->alias_of >= 0) continue;
        double x = result_value(c->a, k, row), y;
        if (result_at(c->b, k, t, side, &y) < 0) continue;
        c->size[k] = fmax(c->size[k], fabs(x));
        c->most[k] = fmax(c->most[k], fabs(x - y));
    }
}

/* Events that depend on the state come a little earlier or later in another run. If there are as many in
 * both, they are the same ones: values before and after are compared there, times as the values of a column,
 * and rows between the two times, before the event in one run and after it in the other, are passed over. */
static void compare_rows(const comparison *c)
{
    bool same = count_events(c->a) == count_events(c->b);
    row_group g = group_from(c->a, 0, 0), h = group_from(c->b, 0, 0);
    for (;; g = group_next(c->a, g)) {
        double t = result_time(c->a, g.first), at = t;
        c->size[0] = fmax(c->size[0], fabs(t));
        while (h.last + 1 < c->b->n_rows &&
               (same && group_is_event(&g) ? !group_is_event(&h) || h.events < g.events
                                           : result_time(c->b, h.first) < t))
            h = group_next(c->b, h);
        bool paired = same && group_is_event(&g) && group_is_event(&h) && h.events == g.events;
        if (paired) {
            at = result_time(c->b, h.first);
            c->most[0] = fmax(c->most[0], fabs(t - at));
        }
        bool between = same && !paired && (h.events != g.events || group_is_event(&h));
        if (!between) {
            if (group_is_event(&g)) compare_row(c, g.first, at, RESULT_LEFT);
            compare_row(c, g.last, at, RESULT_RIGHT);
        }
        if (g.last + 1 >= c->a->n_rows) break;
    }
}

// Largest difference of two results, relative to each variable's own size.
static int compare(vinc_sim *s, const result *a, const result *b)
{
    s->verified = 0;
    s->verified_column = 0;
    if (!a->n_rows || !b->n_rows) return VINC_OK;
    size_t bytes = 2 * (size_t)a->n_columns * sizeof(double);
    double *room = mem_try(&s->m, bytes);
    if (!room) return VINC_E_MEMORY;
    memset(room, 0, bytes);
    const comparison c = {a, b, room, room + a->n_columns};
    compare_rows(&c);
    for (int k = 0; k < a->n_columns; k++) {
        double relative = c.size[k] > 0 ? c.most[k] / c.size[k] : c.most[k];
        if (relative > s->verified) {
            s->verified = relative;
            s->verified_column = k;
        }
    }
    mem_free(&s->m, room, bytes);
    return VINC_OK;
}

int api_verify(vinc_sim *s, double abs_tol)
{
    result *second = NULL;
    sim_outcome done;
    if (result_new(&s->m, &second) < 0) return VINC_E_MEMORY;
    const char *method = s->method, *why = s->method_why;
    int rc = api_run_once(s, 0.1 * s->options.rel_tol, 0.1 * abs_tol, second, &done);
    s->method = method;
    s->method_why = why;
    if (rc >= 0 && compare(s, s->result.r, second)) rc = VINC_E_MEMORY;
    text_done(&done.message);
    result_free(second);
    return rc;
}

/* ---- with a smaller absolute tolerance ------------------------------------------------------- */

/* Growth without bound that is no pole of the model: an unknown that is small beside the absolute
 * tolerance may take any value below it, on the wrong side of zero too, and from there the equations
 * may run away (a concentration that becomes negative), to a pole or to somewhere far off. The run is made again with a
 * smaller absolute tolerance, until nothing runs away, or does so at the same time as before: then it is the model's. */
typedef struct run_finer {
    vinc_sim *s;
    double t, before, abs_tol; // where the first run went astray, and with which tolerance
    bool away;                 // the last one did so, too, at another time
} run_finer;

static bool ran_away(const vinc_sim *s, int rc, double *t)
{
    *t = s->done.grew ? s->done.t_grew : s->done.t_end;
    return rc < 0 ? s->done.grows : s->done.grew && rc != VINC_STOPPED;
}

static int warn_finer(void *job)
{
    const run_finer *f = job;
    diag_warning(
        f->s->sink, "R128", (span){0},
        "errors within the absolute tolerance %.3g made the solution grow without bound at "
        "t = %.6g; the run was made again with %.3g%s. Variables that are small all the time "
        "should say so: nominal = ...",
        f->before, f->t, f->abs_tol,
        f->away ? ", where it does so at another time: what comes after is not to be trusted" : "");
    return VINC_OK;
}

/* In place of the run before, whose messages go; its time and its work count. */
static int run_anew(vinc_sim *s, diag_sink said, double abs_tol)
{
    double spent = s->wall.init + s->wall.integrate, work = s->done.stats.work;
    if (s->sink != &s->diags) diag_forget_since(s->sink, said);
    int rc = api_clear(s);
    if (rc) return rc;
    s->wall.integrate = spent;
    rc = api_run_once(s, s->options.rel_tol, abs_tol, s->result.r, &s->done);
    s->ran = true;
    s->done.stats.work += work;
    return rc;
}

int api_run_finer(vinc_sim *s, diag_sink said, int rc, double *abs_tol)
{
    enum { RUNS_MAX = 2 };
    const double PART_OF_ABS_TOL = 1e-3, PART_OF_TIME = 0.01;
    double t, now;
    int first = rc;
    run_finer f = {s, 0, *abs_tol, *abs_tol, ran_away(s, rc, &t)};
    f.t = t;
    for (int k = 0; k < RUNS_MAX && f.away; k++, t = now) {
        f.abs_tol *= PART_OF_ABS_TOL;
        rc = run_anew(s, said, f.abs_tol);
        f.away = ran_away(s, rc, &now);
        if (f.away && fabs(now - t) <= PART_OF_TIME * (t - s->options.t_start)) return rc;
    }
    // The tolerance was too small for the model: the run is as it was.
    if (rc < 0 && first >= 0) return run_anew(s, said, f.before);
    if (f.abs_tol == f.before) return rc;
    *abs_tol = f.abs_tol;
    return rc < 0 || !api_run_guarded(s, warn_finer, &f) ? rc : VINC_E_MEMORY;
}
