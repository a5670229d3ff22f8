/* Steps: a singly diagonally implicit Runge-Kutta method of order 4 with an estimate of order 3, L-stable
 * and stiffly accurate; E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, 1996, table
 * IV.6.5. A stage solves F(t, Y, Y') = 0 with Y = base + h gamma Y'. After a step everything is found anew
 * from the independent unknowns, so that constraints hold and outputs are exact. An event is located by
 * steps from the same point, shorter and shorter in turn.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 5 };
static const double GAMMA = 0.25;
static const double C[STAGES] = {1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1};
static const double A[STAGES][STAGES] = {{1.0 / 4, 0, 0, 0, 0},
                                         {1.0 / 2, 1.0 / 4, 0, 0, 0},
                                         {17.0 / 50, -1.0 / 25, 1.0 / 4, 0, 0},
                                         {371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4, 0},
                                         {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4}};
static const double B_LOW[STAGES] = {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0};

void source_step_reset(vinc_sim *s)
{
    s->jac_there = false;
    s->factored = 0;
}

static double step_norm(const vinc_sim *s, const double *x, bool states_only)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < s->m->n; i++) {
        if (states_only && !s->m->differential[i]) continue;
        double q = x[i] * s->weight[i];
        sum += q * q;
        count++;
    }
    return count ? sqrt(sum / count) : 0;
}

static bool step_factor(vinc_sim *s, double h)
{
    if (s->factored == h) return true;
    for (int k = 0; k < s->m->jac.nnz; k++) s->matrix[k] = s->jyp[k] / (h * GAMMA) + s->jy[k];
    s->factored = source_factor(s->stepping, s->matrix) ? h : 0;
    return s->factored != 0;
}

static bool step_jacobian(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_pattern *a = &s->m->jac;
    source_eval(s, &s->m->jacobian, t, y, yp, s->jy, s->jyp);
    s->factored = 0;
    return source_finite(s->jy, a->nnz) && source_finite(s->jyp, a->nnz);
}

/* Y and K of stage i, from the K of those before; Y is in s->yb. False: no convergence. anew: by the Jacobian at each
 * iterate, which the next stages begin with. */
static bool stage_iterate(vinc_sim *s, int i, double h, bool anew)
{
    enum { ITERATIONS = 8 };
    const double ENOUGH =
        0.01; // of the weights: an error of the iteration is no error of the method
    int n = s->m->n;
    bool open = source_is_open(s->stepping);
    double t = s->now.t + C[i] * h, *K = s->stage + (size_t)i * (size_t)n, was = INFINITY;
    for (int k = 0; k < n; k++) {
        s->base[k] = s->y[k];
        for (int j = 0; j < i; j++) s->base[k] += h * A[i][j] * s->stage[j * n + k];
        double guess = i ? s->stage[(i - 1) * n + k] : s->m->differential[k] ? s->yp[k] : 0;
        bool stays = open && !s->m->differential[k]; // what nothing determines is what it was
        s->yb[k] = stays ? s->y[k] : s->base[k] + h * GAMMA * guess;
    }
    for (int it = 0; it < ITERATIONS; it++) {
        for (int k = 0; k < n; k++) K[k] = (s->yb[k] - s->base[k]) / (h * GAMMA);
        if (anew && !(step_jacobian(s, t, s->yb, K) && step_factor(s, h))) return false;
        source_eval(s, &s->m->residual, t, s->yb, K, s->r, NULL);
        if (!source_finite(s->r, n)) return false;
        source_solve(s->stepping, s->r);
        double size = step_norm(s, s->r, false);
        if (!isfinite(size) || (!anew && it > 1 && size > 0.9 * was)) return false;
        for (int k = 0; k < n; k++) s->yb[k] -= s->r[k];
        double rate = it ? size / was : 1;
        if (size == 0 || (it && rate < 1 && size * rate / (1 - rate) <= ENOUGH) ||
            size <= 1e-3 * ENOUGH) {
            for (int k = 0; k < n; k++) K[k] = (s->yb[k] - s->base[k]) / (h * GAMMA);
            return true;
        }
        was = size;
    }
    return false;
}

/* The Jacobian where the step begins does not lead across a kink, however short the step: one at the iterate
 * does. */
static bool step_stage(vinc_sim *s, int i, double h)
{
    return stage_iterate(s, i, h, false) || (s->jac_fresh && stage_iterate(s, i, h, true));
}

/* A step of size h from the present point to s->yb, s->ypb. 0; 1: no convergence. *error: estimated, in
 * units of the tolerance. */
static int step_try(vinc_sim *s, double h, double *error)
{
    const source_pattern *a = &s->m->jac;
    int n = s->m->n;
    if (!s->jac_there) {
        if (!step_jacobian(s, s->now.t, s->y, s->yp)) return 1;
        s->jac_there = s->jac_fresh = true;
    }
    if (n && !step_factor(s, h)) return 1;
    for (int i = 0; n && i < STAGES; i++)
        if (!step_stage(s, i, h)) return 1;
    // Stiff parts of the estimate are damped: (dF/dy' / (h gamma) + dF/dy)^-1 dF/dy' / (h gamma) e.
    for (int k = 0; k < n; k++) {
        s->err[k] = s->r[k] = 0;
        for (int i = 0; i < STAGES; i++)
            s->err[k] += h * (A[STAGES - 1][i] - B_LOW[i]) * s->stage[i * n + k];
    }
    for (int j = 0; j < n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            s->r[a->row[k]] += s->jyp[k] * s->err[j] / (h * GAMMA);
    if (n) source_solve(s->stepping, s->r);
    *error = step_norm(s, s->r, true);
    for (int k = 0; k < n; k++)
        s->ypb[k] = s->m->differential[k] ? s->stage[(STAGES - 1) * n + k] : 0;
    return !isfinite(*error) || source_follow(s, s->now.t + h, s->yb, s->ypb) ? 1 : 0;
}

/* Errors of steps add up: asked for is less than the tolerance, so that what is left at the end of a run
 * is about as much. Measured on pendulum, andrews, heavy-top and two-tank of the examples. */
static void step_weights(vinc_sim *s)
{
    const double ASKED = 1.0 / 30;
    for (int i = 0; i < s->m->n; i++)
        s->weight[i] = 1 / (ASKED * s->now.rel_tol * (fabs(s->y[i]) + s->nominal[i]));
}

/* A hundredth of the way on which states change by their size, and no more than the way there is. */
static double step_first(vinc_sim *s, double end)
{
    double y = step_norm(s, s->y, true), yp = step_norm(s, s->yp, true), h = end - s->now.t;
    return yp > 0 ? fmin(h, 0.01 * fmax(y, 1e-3 / s->now.rel_tol) / yp) : h;
}

static bool crosses(const vinc_sim *s)
{
    for (int i = 0; i < source_n_roots(s->m); i++)
        if ((s->g0[i] > 0) != (s->g1[i] > 0)) return true;
    return false;
}

/* Where the first of the indicators that cross within (a, b) is estimated to do so; values at b are g1. */
static double first_crossing(const vinc_sim *s, const double *ga, double a, double b)
{
    double first = b;
    for (int i = 0; i < source_n_roots(s->m); i++) {
        if ((s->g0[i] > 0) == (s->g1[i] > 0)) continue;
        double at = a + (b - a) * ga[i] / (ga[i] - s->g1[i]);
        if (at < first) first = at;
    }
    return first;
}

/* A step of size *h crosses: the shortest that does, to the rounding of the time. Its end is in yb, ypb. */
static int step_locate(vinc_sim *s, double *h)
{
    enum { LOOKS = 200 };
    size_t n = (size_t)s->m->n, roots = (size_t)source_n_roots(s->m);
    double a = 0, b = *h, error, *ga = s->sides_before;
    memcpy(ga, s->g0, roots * sizeof *ga);
    memcpy(s->ya, s->yb, n * sizeof *s->ya);
    memcpy(s->ypa, s->ypb, n * sizeof *s->ypa);
    for (int k = 0; k < LOOKS && b - a > source_ulp(s->now.t + b); k++) {
        // By the secant, a little beyond or before it in turn; every third time the middle.
        double at = first_crossing(s, ga, a, b), near = 0.01 * (b - a) / (1 << (k / 2 % 20));
        at = k % 3 == 2 ? a + (b - a) / 2 : at + (k % 3 ? -near : near);
        if (!(at > a && at < b)) at = a + (b - a) / 2;
        if (at <= a || at >= b) break;
        memcpy(s->w1, s->g1, roots * sizeof *s->g1);
        if (step_try(s, at, &error) || source_roots(s, s->now.t + at, s->yb, s->ypb, s->g1))
            return 1;
        if (crosses(s)) {
            b = at;
            memcpy(s->ya, s->yb, n * sizeof *s->ya);
            memcpy(s->ypa, s->ypb, n * sizeof *s->ypa);
        } else {
            a = at;
            memcpy(ga, s->g1, roots * sizeof *ga);
            memcpy(s->g1, s->w1, roots * sizeof *s->g1);
        }
    }
    memcpy(s->yb, s->ya, n * sizeof *s->ya);
    memcpy(s->ypb, s->ypa, n * sizeof *s->ypa);
    *h = b;
    return 0;
}

/* Do events follow each other without end, as those of a ball that comes to rest? */
static bool step_crowds(vinc_sim *s)
{
    enum { EVENTS_MOST = 1000 };
    if (s->now.t - s->now.crowd > 1e-9 * fabs(s->now.t)) {
        s->now.crowd = s->now.t;
        s->now.n_crowd = 0;
    }
    return ++s->now.n_crowd > EVENTS_MOST;
}

static int step_event(vinc_sim *s)
{
    if (step_crowds(s)) {
        source_say(s->ctx, VINC_ERROR, "events follow each other without end at t = %.10g",
                   s->now.t);
        return VINC_E_ZENO;
    }
    int changed = 0, rc = source_event(s, s->now.t, s->y, s->yp, &changed);
    if (rc == VINC_TERMINATED) s->now.terminated = 1;
    if (rc) return rc;
    rc = source_check(s, s->now.t, s->y, s->yp);
    if (source_select(s, s->now.t, s->y, s->yp, 0.6) > 0) source_step_reset(s);
    if (changed) s->now.h = 0;
    return rc ? rc : VINC_EVENT;
}

static int step_failed(vinc_sim *s, double h)
{
    source_say(s->ctx, VINC_ERROR,
               "the step at t = %.10g cannot be made, not even of size %g: the equations have no "
               "solution nearby, or no values",
               s->now.t, h);
    return VINC_E_ERROR;
}

/* A branch of the algebraic equations may have ended (a trigger that flips): look for another solution just
 * after, and go on from there as after an event. The bounds are those of the library (sim/rescue.c). */
static int step_jump(vinc_sim *s, double end, double h)
{
    enum { JUMPS_IN_A_ROW_MAX = 3 };
    const double JUMP_OF_STEP = 1e-10, JUMP_IN_RESOLUTIONS = 1e3, STEP_AFTER_JUMP = 1e3;
    size_t bytes = (size_t)s->m->n * sizeof *s->y;
    double t = s->now.t, dt = fmax(JUMP_OF_STEP * (end - t), JUMP_IN_RESOLUTIONS * source_ulp(t));
    if (s->now.n_jumps >= JUMPS_IN_A_ROW_MAX || t + dt >= end) return step_failed(s, h);
    memcpy(s->yb, s->y, bytes);
    memcpy(s->ypb, s->yp, bytes);
    for (int i = 0; i < s->m->n; i++)
        if (s->m->role[i] == SOURCE_STATE) s->yb[i] += dt * s->ypb[i];
    if (source_follow(s, t + dt, s->yb, s->ypb) || source_past_accept(s, t, t + dt))
        return step_failed(s, h);
    memcpy(s->y, s->yb, bytes);
    memcpy(s->yp, s->ypb, bytes);
    s->now.t = t + dt;
    s->now.n_jumps++;
    source_step_reset(s);
    int rc = step_event(s);
    s->now.h = STEP_AFTER_JUMP * dt;
    return rc;
}

static void tell_open(vinc_sim *s)
{
    if (s->now.told_open || !(source_is_open(s->stepping) || source_is_open(s->following))) return;
    s->now.told_open = 1;
    source_say(s->ctx, VINC_WARNING,
               "the equations do not determine all unknowns at t = %.10g: those that are open stay "
               "near what they were",
               s->now.t);
}

int source_step(vinc_sim *s, double limit)
{
    const double SAFETY = 0.9, GROW = 5, SHRINK = 0.2; // the usual ones
    const source_model *m = s->m;
    size_t bytes = (size_t)m->n * sizeof *s->y;
    double t = s->now.t, next = source_next(s, t), end = fmin(limit, next), error = 0;
    bool rooted = source_n_roots(m) > 0;
    if (end - t <= source_ulp(t)) { // nothing is between
        s->now.t = end;
        return next <= limit ? step_event(s) : VINC_OK;
    }
    step_weights(s);
    if (rooted && source_roots(s, t, s->y, s->yp, s->g0)) return step_failed(s, 0);
    if (!(s->now.h > 0)) s->now.h = step_first(s, end);
    s->jac_fresh = s->jac_fresh && s->jac_there;
    double longest = source_past_limit(s, t) - t;
    for (;;) {
        s->now.h = fmin(s->now.h, longest);
        bool last = t + 1.01 * s->now.h >= end;
        double h = last ? end - t : s->now.h;
        if (!(h > source_ulp(t)) && !last) return step_jump(s, end, h);
        if (step_try(s, h, &error)) {
            if (s->jac_fresh || !s->jac_there) s->now.h = h / 4;
            s->jac_there = false; // at the point itself, then with shorter steps
            if (!(s->now.h > source_ulp(t))) return step_jump(s, end, s->now.h);
            continue;
        }
        double factor = SAFETY * pow(fmax(error, 1e-10), -0.25);
        factor = fmin(GROW, fmax(SHRINK, factor));
        if (error > 1) {
            s->now.h = h * fmin(factor, SAFETY);
            continue;
        }
        if (factor > 1 && factor < 1.2) factor = 1; // the factors serve again
        if (!last || factor < 1) s->now.h = h * factor;
        else s->now.h = fmax(s->now.h, h * factor);
        bool event = false, lost = rooted && source_roots(s, t + h, s->yb, s->ypb, s->g1);
        if (rooted && !lost) event = crosses(s);
        if (lost || (event && step_locate(s, &h))) { // a shorter one may get there
            s->now.h = h / 4;
            s->jac_there = false;
            if (!(s->now.h > source_ulp(t))) return step_jump(s, end, s->now.h);
            continue;
        }
        if (source_past_accept(s, t, t + h)) return step_failed(s, h);
        tell_open(s);
        memcpy(s->y, s->yb, bytes);
        memcpy(s->yp, s->ypb, bytes);
        bool at_end = last && h == end - t;
        s->now.t = at_end ? end : t + h;
        s->jac_fresh = false;
        s->now.n_jumps = 0;
        if (source_select(s, s->now.t, s->y, s->yp, 0.6) > 0) source_step_reset(s);
        int rc = source_check(s, s->now.t, s->y, s->yp);
        if (rc) return rc;
        return event || (at_end && next <= limit) ? step_event(s) : VINC_OK;
    }
}
