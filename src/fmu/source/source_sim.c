/* Runs of a model that was printed as C: begun, in the hands of another integrator, or stepped.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_run.h"
#include "fmu/source/source_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- states of another integrator ------------------------------------------------------------ */

int vinc_sim_n_states(const vinc_sim *s)
{
    int n = s->m->n_states;
    for (int g = 0; g < s->m->n_groups; g++)
        n += s->m->groups[g].n_columns - s->m->groups[g].n_constraints;
    return n;
}

int vinc_sim_state_value(const vinc_sim *s, int i)
{
    return i < s->m->n_states ? s->m->state_column[i] : -1;
}

static void gather(const vinc_sim *s, const double *y, double *x)
{
    const source_model *m = s->m;
    int k = 0;
    for (; k < m->n_states; k++) x[k] = y[m->states[k]];
    for (int g = 0; g < m->n_groups; g++) {
        const source_group *q = &m->groups[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++, k++) {
            x[k] = 0;
            for (int j = 0; j < q->n_columns; j++)
                x[k] += s->w[q->w + i * q->n_columns + j] * y[q->columns[j]];
        }
    }
}

/* y is moved as little as possible to where its combinations are x. */
static void scatter(vinc_sim *s)
{
    const source_model *m = s->m;
    int k = 0;
    for (; k < m->n_states; k++) s->y[m->states[k]] = s->x[k];
    for (int g = 0; g < m->n_groups; g++) {
        const source_group *q = &m->groups[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++, k++) {
            const double *P = s->w + q->w + i * q->n_columns;
            double far = s->x[k], norm = 0;
            for (int j = 0; j < q->n_columns; j++) {
                double size = P[j] * s->nominal[q->columns[j]];
                far -= P[j] * s->y[q->columns[j]];
                norm += size * size;
            }
            for (int j = 0; j < q->n_columns && norm > 0; j++) {
                double size = s->nominal[q->columns[j]];
                s->y[q->columns[j]] += P[j] * size * size * far / norm;
            }
        }
    }
}

/* ---- points that another integrator tries ---------------------------------------------------- */

/* A point of the trajectory: the start, an event, a step that was kept. Integrators try others far ahead;
 * where equations have several solutions, those of later are not the ones to begin with. */
static void pass_point(vinc_sim *s)
{
    size_t n = (size_t)s->m->n, bytes = n * sizeof *s->y;
    if (s->now.t > s->now.t_passed[0]) {
        s->now.t_passed[1] = s->now.t_passed[0];
        memcpy(s->passed + 3 * n, s->passed, 3 * bytes);
    }
    s->now.t_passed[0] = s->now.t;
    memcpy(s->passed, s->y, bytes);
    memcpy(s->passed + n, s->yp, bytes);
    memcpy(s->passed + 2 * n, s->x, bytes);
}

static void pass_first(vinc_sim *s)
{
    s->now.t_found = s->now.t_passed[0] = s->now.t;
    s->now.t_passed[1] = INFINITY;
    pass_point(s);
}

/* That of the two which lies at or before the present time. */
static int point_behind(const vinc_sim *s)
{
    return s->now.t < s->now.t_passed[0] && s->now.t >= s->now.t_passed[1];
}

static void go_behind(vinc_sim *s)
{
    size_t n = (size_t)s->m->n;
    const double *from = s->passed + (point_behind(s) ? 3 * n : 0);
    memcpy(s->y, from, n * sizeof *s->y);
    memcpy(s->yp, from + n, n * sizeof *s->yp);
}

static int solve_point(vinc_sim *s)
{
    scatter(s);
    return source_follow(s, s->now.t, s->y, s->yp);
}

/* The point at this part of the way from there to the one that is wanted, states1. */
static int solve_part(vinc_sim *s, double part, double t, double t0, const double *x0)
{
    int n = vinc_sim_n_states(s);
    s->now.t = part < 1 ? t0 + part * (t - t0) : t;
    for (int i = 0; i < n; i++)
        s->x[i] = part < 1 ? x0[i] + part * (s->states1[i] - x0[i]) : s->states1[i];
    return solve_point(s);
}

/* From there to the point that is wanted, in steps that grow and shrink, as in the library (api/lent.c). Across a
 * kink the step must be short; between kinks the way goes on straight. */
static int approach_point(vinc_sim *s)
{
    enum { ATTEMPTS = 200 };
    const double LEAST_STEP = 1e-6, SHORTEN = 0.25;
    int n = vinc_sim_n_states(s), behind = point_behind(s), rc = 0;
    size_t bytes = (size_t)n * sizeof *s->x, all = (size_t)s->m->n * sizeof *s->y;
    const double *x0 = s->passed + (behind ? 5 : 2) * (size_t)s->m->n;
    double t0 = s->now.t_passed[behind], t = s->now.t, reached = 0, step = 1, slope_part = 0;
    go_behind(s);
    memcpy(s->states1, s->x, bytes);
    for (int k = 0; k < ATTEMPTS && reached < 1; k++) {
        double part = fmin(1, reached + step);
        memcpy(s->y_way, s->y, all);
        memcpy(s->yp_way, s->yp, all);
        for (int i = 0; i < s->m->n && slope_part > 0; i++)
            s->y[i] += (part - reached) / slope_part * s->y_slope[i];
        rc = solve_part(s, part, t, t0, x0);
        if (rc) {
            memcpy(s->y, s->y_way, all);
            memcpy(s->yp, s->yp_way, all);
            slope_part = 0;
            step *= SHORTEN;
            if (step < LEAST_STEP) break;
            continue;
        }
        for (int i = 0; i < s->m->n; i++) s->y_slope[i] = s->y[i] - s->y_way[i];
        slope_part = part - reached;
        reached = part;
        step *= 2;
    }
    s->now.t = t;
    memcpy(s->x, s->states1, bytes);
    return rc ? rc : reached < 1;
}

/* y and y' of the present point. */
static int follow_point(vinc_sim *s)
{
    int rc = VINC_OK, changed;
    if (s->now.lent && s->now.stale) {
        size_t bytes = (size_t)s->m->n * sizeof *s->y;
        memcpy(s->ya, s->y, bytes); // to be had again where this point has no solution
        memcpy(s->ypa, s->yp, bytes);
        if (s->now.t < s->now.t_found) go_behind(s);
        if (solve_point(s) && approach_point(s)) {
            memcpy(s->y, s->ya, bytes);
            memcpy(s->yp, s->ypa, bytes);
            return source_failed(s, VINC_E_EVALUATION, "the equations have no solution");
        }
        s->now.t_found = s->now.t;
        s->now.stale = 0;
    }
    if (!s->now.lent && s->now.input_changed) {
        s->now.input_changed = 0;
        if (source_follow(s, s->now.t, s->y, s->yp))
            return source_failed(s, VINC_E_EVALUATION, "the equations have no solution");
        rc = source_event(s, s->now.t, s->y, s->yp, &changed);
        if (rc == VINC_TERMINATED) s->now.terminated = 1, rc = VINC_OK;
        source_step_reset(s);
        s->now.h = 0;
    }
    return rc < 0 ? source_failed(s, rc, "an event failed") : rc;
}

int vinc_sim_values(vinc_sim *s, const int *list, int n, double *out)
{
    int rc = follow_point(s);
    bool computed = false;
    for (int k = 0; k < n && !rc; k++) {
        const source_column *c = &s->m->columns[list[k]];
        if (c->kind == SOURCE_COMPUTED && !computed) {
            source_eval(s, &s->m->computed, s->now.t, s->y, s->yp, s->computed, NULL);
            computed = true;
        }
        double x = c->kind == SOURCE_Y          ? s->y[c->at]
                   : c->kind == SOURCE_YP       ? s->yp[c->at]
                   : c->kind == SOURCE_W        ? s->w[c->at]
                   : c->kind == SOURCE_COMPUTED ? s->computed[c->at]
                                                : 0;
        source_value v = {c->kind, c->at, c->number};
        if (c->kind <= SOURCE_ATTRIBUTE) x = source_value_of(s, &v);
        out[k] = !c->negated ? x : c->type == VINC_BOOLEAN ? x == 0 : -x;
    }
    return rc;
}

int vinc_sim_set_input(vinc_sim *s, int i, double value)
{
    const source_column *c = &s->m->columns[i];
    if (!c->is_input || !isfinite(value)) {
        source_say(s->ctx, VINC_ERROR,
                   "'%s' cannot be set to %g: it is no input, or that no number", c->name, value);
        return VINC_E_OPTION;
    }
    if (s->w[c->place] == value) return VINC_OK;
    if (!s->now.lent && !s->now.input_changed) {
        source_note_before(s, s->now.t, s->y, s->yp);
        s->now.noted = 1;
    }
    s->w[c->place] = value;
    if (s->now.lent) s->now.stale = 1;
    else s->now.input_changed = 1;
    return VINC_OK;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int sim_begin(vinc_sim *s)
{
    int changed, rc;
    source_past_forget(s);
    source_tick_begin(s);
    source_begin(s);
    for (int k = 0; k < s->m->n_objects; k++) {
        const char *why = external_why(s->routines, k);
        if (!why) continue;
        source_say(s->ctx, VINC_ERROR, "%s", why);
        return VINC_E_EVALUATION;
    }
    rc = source_find_start(s, s->now.t);
    if (rc) return source_failed(s, rc, "no start values were found");
    rc = source_event(s, s->now.t, s->y, s->yp, &changed);
    if (rc == VINC_TERMINATED) s->now.terminated = 1, rc = VINC_OK;
    if (!rc) rc = source_check(s, s->now.t, s->y, s->yp);
    gather(s, s->y, s->x);
    pass_first(s);
    source_step_reset(s);
    if (rc) return source_failed(s, rc, "the first event failed");
    return s->now.terminated && !s->now.lent ? VINC_TERMINATED : VINC_OK;
}

int vinc_sim_start(vinc_sim *s)
{
    return sim_begin(s);
}

int vinc_sim_lend(vinc_sim *s)
{
    return sim_begin(s);
}

/* ---- model exchange -------------------------------------------------------------------------- */

int vinc_sim_place(vinc_sim *s, double t, const double *x)
{
    int n = vinc_sim_n_states(s);
    if (!isfinite(t) || (x && !source_finite(x, n)))
        return source_failed(s, VINC_E_OPTION, "a time or a state is not a number");
    if (t != s->now.t) s->now.stale = 1;
    s->now.t = t;
    if (x && n && memcmp(x, s->x, (size_t)n * sizeof *x)) {
        memcpy(s->x, x, (size_t)n * sizeof *x);
        s->now.stale = 1;
    }
    return VINC_OK;
}

int vinc_sim_states(vinc_sim *s, double *x, double *nominal)
{
    int n = vinc_sim_n_states(s);
    if (x && s->now.lent) memcpy(x, s->x, (size_t)n * sizeof *x);
    else if (x) gather(s, s->y, x);
    for (int k = 0; nominal && k < n; k++)
        nominal[k] = k < s->m->n_states ? s->nominal[s->m->states[k]] : 1;
    return VINC_OK;
}

int vinc_sim_rates(vinc_sim *s, double *rates)
{
    int rc = follow_point(s);
    if (!rc) gather(s, s->yp, rates);
    return rc;
}

int vinc_sim_n_indicators(const vinc_sim *s)
{
    return source_n_roots(s->m) + s->m->n_groups;
}

int vinc_sim_indicators(vinc_sim *s, double *g)
{
    int rc = follow_point(s);
    if (rc) return rc;
    if (source_roots(s, s->now.t, s->y, s->yp, g) ||
        source_margins(s, s->now.t, s->y, s->yp, g + source_n_roots(s->m)) < 0)
        return source_failed(s, VINC_E_EVALUATION, "an event indicator is no number");
    return VINC_OK;
}

int vinc_sim_before_event(vinc_sim *s)
{
    int rc = follow_point(s);
    if (rc) return rc;
    source_note_before(s, s->now.t, s->y, s->yp);
    s->now.noted = 1;
    return VINC_OK;
}

int vinc_sim_event(vinc_sim *s, vinc_event_report *out)
{
    const double TIME_SLACK = 100 * 2.220446049250313e-16; // sums of steps differ from products
    vinc_event_report none = {0, 0, 0, INFINITY};
    int rc = follow_point(s), n = vinc_sim_n_states(s);
    *out = none;
    if (rc) return rc;
    double t = s->now.t, next = source_next(s, t);
    if (isfinite(next) && next - t <= TIME_SLACK * fabs(next)) t = next;
    rc = source_event(s, t, s->y, s->yp, &out->changed);
    out->terminated = rc == VINC_TERMINATED || s->now.terminated;
    if (rc == VINC_TERMINATED) rc = VINC_OK;
    if (!rc) rc = source_check(s, t, s->y, s->yp);
    if (!rc && source_select(s, t, s->y, s->yp, 0.6) < 0) rc = VINC_E_EVALUATION;
    if (rc) return source_failed(s, rc, "an event failed");
    gather(s, s->y, s->states1);
    out->states_changed = n && memcmp(s->x, s->states1, (size_t)n * sizeof *s->x) != 0;
    out->changed = out->changed || out->states_changed;
    memcpy(s->x, s->states1, (size_t)n * sizeof *s->x);
    pass_point(s);
    out->next_time = source_next(s, t);
    return VINC_OK;
}

int vinc_sim_accept(vinc_sim *s, int *event)
{
    int rc = follow_point(s);
    *event = 0;
    if (!rc) rc = source_check(s, s->now.t, s->y, s->yp);
    if (rc) return rc;
    memcpy(s->w1, s->w, (size_t)s->m->n_w * sizeof *s->w);
    *event = source_select(s, s->now.t, s->y, s->yp, 0.6) > 0;
    memcpy(s->w, s->w1, (size_t)s->m->n_w * sizeof *s->w); // the choice belongs to an event
    pass_point(s);
    return VINC_OK;
}

/* ---- co-simulation --------------------------------------------------------------------------- */

int vinc_sim_step(vinc_sim *s, double limit)
{
    int rc = follow_point(s);
    if (!rc && s->now.terminated) return VINC_TERMINATED;
    return rc ? rc : source_step(s, limit);
}

int vinc_sim_advance(vinc_sim *s, double t)
{
    int rc = VINC_OK;
    while (rc >= 0 && rc != VINC_TERMINATED && s->now.t < t) rc = vinc_sim_step(s, t);
    return rc == VINC_EVENT ? VINC_OK : rc;
}

int vinc_sim_extend(vinc_sim *s, double t_stop)
{
    s->now.t_stop = t_stop;
    return VINC_OK;
}
