/* References that are integrated, in quadruple precision and independent of the library.
 *
 * Not stiff: Taylor series of order 24 or 32, the step from the last coefficients (A. Jorba & M.
 * Zou, Exp. Math. 14 (2005) 99-117). Switches keep their mode within a step; the first root of a
 * condition, from its own series, ends it. Stiff: the linearly implicit Euler method, extrapolated
 * (P. Deuflhard, SIAM Review 27 (1985) 505-535), its Jacobian from the series too: the first
 * coefficient of the rates, where an unknown has slope 1 and time stands still.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "honest.h"

enum { SAMPLES = 32, COLUMNS = 18, MAX_STEPS = 200000 };
static const double ROUNDING = 1e-26;   // of a condition that is zero
static const double SMALL_STATE = 1e-6; // below it steps are judged by absolute size

typedef struct run {
    problem *p;
    series *s;
    real t, accuracy;
    int time; // its node
    real y[MAX_STATES];
} run;

static void set_point(run *r, real t, const real *y)
{
    r->s->at[r->time].v[0] = t;
    for (int i = 0; i < r->p->n_states; i++) r->s->at[r->p->unknown[i]].v[0] = y[i];
}

static real size_of(real y)
{
    return fmaxq(fabsq(y), SMALL_STATE);
}

/* ---- Taylor ---------------------------------------------------------------------------------- */

static void expand(run *r, int order)
{
    problem *p = r->p;
    set_point(r, r->t, r->y);
    for (int k = 0; k <= order; k++) {
        if (k) r->s->at[r->time].v[k] = k == 1;
        series_coefficient(r->s, k);
        if (k < order)
            for (int i = 0; i < p->n_states; i++)
                r->s->at[p->unknown[i]].v[k + 1] = r->s->at[p->rate[i]].v[k] / (real)(k + 1);
    }
}

static real taylor_step(const run *r, int order, real longest)
{
    const problem *p = r->p;
    real h = longest;
    for (int k = order - 1; k <= order; k++) {
        real size = 0;
        for (int i = 0; i < p->n_states; i++)
            size = fmaxq(size, fabsq(r->s->at[p->unknown[i]].v[k]) / size_of(r->y[i]));
        for (int i = 0; i < r->s->n; i++) // conditions, too, must be known along the step
            if (series_is_switch(r->s, i)) {
                const real *g = r->s->at[r->s->at[i].a].v;
                size = fmaxq(size, fabsq(g[k]) / fmaxq(fabsq(g[0]), 1));
            }
        if (size > 0) h = fminq(h, powq(r->accuracy / size, 1 / (real)k));
    }
    return h;
}

// Where a condition first contradicts its mode in (0, h]; *which is its switch, -1: nowhere.
static real first_root(const run *r, int order, real h, int *which)
{
    *which = -1;
    for (int i = 0; i < r->s->n; i++) {
        if (!series_is_switch(r->s, i)) continue;
        const real *g = r->s->at[r->s->at[i].a].v;
        bool mode = r->s->at[i].mode;
        for (int k = 1; k <= SAMPLES; k++) {
            real b = h * (real)k / SAMPLES, a = h * (real)(k - 1) / SAMPLES;
            if ((series_horner(g, order, b) > 0) == mode) continue;
            for (int j = 0; j < 120 && a < b; j++) {
                real m = (a + b) / 2;
                if ((series_horner(g, order, m) > 0) == mode) a = m;
                else b = m;
            }
            h = b;
            *which = i;
            break;
        }
    }
    return h;
}

/* By the sign of each condition, or of its slope where it is zero but for rounding; slopes may
 * depend on modes, so twice. */
static void decide_modes(run *r)
{
    for (int pass = 0; pass < 2; pass++) {
        expand(r, 1);
        for (int i = 0; i < r->s->n; i++) {
            if (!series_is_switch(r->s, i)) continue;
            const real *g = r->s->at[r->s->at[i].a].v;
            bool zero = fabsq(g[0]) <= ROUNDING * (1 + fabsq(g[1]));
            if (!zero || g[1] != 0) r->s->at[i].mode = (zero ? g[1] : g[0]) > 0;
        }
    }
}

// After the step to a root: new modes, and the jumps of conditions that became true.
static void cross(run *r)
{
    problem *p = r->p;
    bool was[MAX_RESETS], jump = false;
    for (int k = 0; k < p->n_resets; k++) was[k] = r->s->at[p->reset[k].when].mode;
    decide_modes(r);
    expand(r, 0);
    for (int k = 0; k < p->n_resets; k++) {
        if (was[k] || !r->s->at[p->reset[k].when].mode) continue;
        r->y[p->reset[k].state] = r->s->at[p->reset[k].value].v[0];
        jump = true;
    }
    if (jump) decide_modes(r);
}

static bool integrate_taylor(run *r, const double *times, int n, int order, real *out)
{
    problem *p = r->p;
    real longest = p->longest_step > 0 ? p->longest_step : p->stop;
    r->s->frozen = false;
    expand(r, 0);
    r->s->frozen = true;
    decide_modes(r);
    for (int steps = 0, next = 0; next < n; steps++) {
        int which;
        expand(r, order);
        real h = first_root(r, order, taylor_step(r, order, longest), &which);
        if (!(h > 0) && which < 0) return false;
        if (steps == MAX_STEPS) return false;
        for (; next < n && times[next] <= r->t + h; next++)
            for (int i = 0; i < p->n_states; i++)
                out[next * p->n_states + i] =
                    series_horner(r->s->at[p->unknown[i]].v, order, (real)times[next] - r->t);
        for (int i = 0; i < p->n_states; i++)
            r->y[i] = series_horner(r->s->at[p->unknown[i]].v, order, h);
        r->t += h;
        if (which < 0) continue;
        cross(r);
        if (p->n_events < MAX_EVENTS) p->events[p->n_events++] = (double)r->t;
    }
    return true;
}

/* ---- extrapolation --------------------------------------------------------------------------- */

static void rates(run *r, real t, const real *y, real *f)
{
    set_point(r, t, y);
    series_coefficient(r->s, 0);
    for (int i = 0; i < r->p->n_states; i++) f[i] = r->s->at[r->p->rate[i]].v[0];
}

static void jacobian(run *r, real t, const real *y, real J[MAX_STATES][MAX_STATES])
{
    problem *p = r->p;
    set_point(r, t, y);
    series_coefficient(r->s, 0);
    r->s->at[r->time].v[1] = 0;
    for (int j = 0; j < p->n_states; j++) {
        for (int i = 0; i < p->n_states; i++) r->s->at[p->unknown[i]].v[1] = i == j;
        series_coefficient(r->s, 1);
        for (int i = 0; i < p->n_states; i++) J[i][j] = r->s->at[p->rate[i]].v[1];
    }
}

static bool factor(int n, real A[MAX_STATES][MAX_STATES], int *pivot)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsq(A[i][k]) > fabsq(A[best][k])) best = i;
        pivot[k] = best;
        if (!(fabsq(A[best][k]) > 0)) return false;
        for (int j = 0; j < n; j++) {
            real x = A[k][j];
            A[k][j] = A[best][j], A[best][j] = x;
        }
        for (int i = k + 1; i < n; i++) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];
        }
    }
    return true;
}

static void solve(int n, real A[MAX_STATES][MAX_STATES], const int *pivot, real *b)
{
    for (int k = 0; k < n; k++) {
        real x = b[k];
        b[k] = b[pivot[k]], b[pivot[k]] = x;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= A[i][j] * b[j];
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
}

// m steps of (1 - h J) (y_(i+1) - y_i) = h f(t_(i+1), y_i)
static bool implicit_euler(run *r, real H, int m, real J[MAX_STATES][MAX_STATES], real *y)
{
    int n = r->p->n_states, pivot[MAX_STATES];
    real A[MAX_STATES][MAX_STATES], h = H / (real)m, f[MAX_STATES];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i][j] = (i == j) - h * J[i][j];
    if (!factor(n, A, pivot)) return false;
    memcpy(y, r->y, sizeof r->y);
    for (int k = 1; k <= m; k++) {
        rates(r, r->t + h * (real)k, y, f);
        for (int i = 0; i < n; i++) f[i] *= h;
        solve(n, A, pivot, f);
        for (int i = 0; i < n; i++) y[i] += f[i];
    }
    return true;
}

// A step to t + H, with the error of its last but one column; < 0: none.
static real extrapolate(run *r, real H, real *y)
{
    int n = r->p->n_states;
    int sequence[COLUMNS];
    real J[MAX_STATES][MAX_STATES], T[COLUMNS][MAX_STATES], error = 0;
    jacobian(r, r->t, r->y, J);
    for (int k = 0; k < COLUMNS; k++) {
        real row[MAX_STATES];
        sequence[k] = k + 2;
        if (!implicit_euler(r, H, sequence[k], J, row)) return -1;
        /* Aitken-Neville, in place: T[l] becomes entry (k, k - l). */
        for (int i = 0; i < n; i++) {
            real above = row[i];
            error = i ? error : 0;
            for (int l = k; l >= 0; l--) {
                real old = T[l][i];
                if (l < k) above += (above - old) / ((real)sequence[k] / (real)sequence[l] - 1);
                T[l][i] = l < k ? above : row[i];
                if (l == 0 && k) error = fmaxq(error, fabsq(above - old) / size_of(r->y[i]));
            }
        }
    }
    memcpy(y, T[0], sizeof T[0]);
    return error == error ? error : -1; // not a number: no step
}

static bool integrate_stiff(run *r, const double *times, int n, real *out)
{
    problem *p = r->p;
    real h = p->stop * 1e-6, shortest = p->stop * 1e-25;
    r->s->frozen = false;
    for (int next = 0, steps = 0; next < n; steps++) {
        while (next < n && (real)times[next] <= r->t)
            memcpy(out + (next++) * p->n_states, r->y, sizeof(real) * (size_t)p->n_states);
        if (next == n) break;
        if (steps == MAX_STEPS || h < shortest) return false;
        real y[MAX_STATES], left = (real)times[next] - r->t, H = h < left ? h : left,
                            error = extrapolate(r, H, y);
        real change = error < 0   ? 0.2
                      : error > 0 ? (real)0.8 * powq(r->accuracy / error, (real)1 / COLUMNS)
                                  : 4;
        change = fminq(fmaxq(change, 0.2), 4);
        if (error >= 0 && error <= r->accuracy) {
            memcpy(r->y, y, sizeof y);
            r->t = H < left ? r->t + H : (real)times[next];
            if (H == h || change < 1) h = H * change;
        } else h = H * fminq(change, 0.7);
    }
    return true;
}

bool integrate(problem *p, const double *times, int n, double accuracy, const real *start,
               real *out)
{
    run r = {.p = p, .s = p->s, .t = times[0], .accuracy = accuracy, .time = series_time(p->s)};
    p->n_events = 0;
    if (!p->n_states) return true;
    memcpy(r.y, start, sizeof *start * (size_t)p->n_states);
    bool good = p->stiff ? integrate_stiff(&r, times, n, out)
                         : integrate_taylor(&r, times, n, accuracy < 1e-24 ? ORDER : 24, out);
    p->s->frozen = false;
    return good;
}
