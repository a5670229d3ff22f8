/* SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/integral.h"

#include "pencil/exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODES = 10, DEPTH_MAX = 60 };

#define INTEGRAL_TOL 1e-13
/* Of an interval that cannot be halved any more: an integrable singularity leaves about the square
 * root of its length, a pole leaves as much as the intervals around it. */
#define POINT_SHARE 1e-6

typedef struct rule {
    double x[NODES], w[NODES]; // on [0, 1]
} rule;

// Gauss-Legendre, exact for polynomials of degree 19: Newton's method on P_10.
static rule integral_rule(void)
{
    rule r;
    for (int k = 0; k < NODES; k++) {
        double x = cos(M_PI * (k + 0.75) / (NODES + 0.5)), slope = 1;
        for (int i = 0; i < 20; i++) {
            double before = 1, now = x;
            for (int m = 2; m <= NODES; m++) {
                double next = ((2 * m - 1) * x * now - (m - 1) * before) / m;
                before = now;
                now = next;
            }
            slope = NODES * (before - x * now) / (1 - x * x);
            x -= now / slope;
        }
        r.x[k] = 0.5 * (1 - x);
        r.w[k] = 1 / ((1 - x * x) * slope * slope);
    }
    return r;
}

typedef struct integration {
    pencil_integral *q;
    rule rule;
    double t1, size; // size: what errors are measured by
    double *sum;
} integration;

typedef enum panel { PANEL_DONE, PANEL_INFINITE, PANEL_NAN } panel;

// The integral over [a, b] by one application of the rule; not there where a value is not finite.
static panel integral_panel(integration *g, double a, double b, double *out)
{
    pencil_integral *q = g->q;
    int n = q->n;
    arena_mark before = arena_here(q->scratch);
    double *f = arena_array(q->scratch, double, n + 1),
           *m = arena_array(q->scratch, double, (size_t)n *(size_t)n + 1);
    panel state = PANEL_DONE;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < NODES && !state; k++) {
        double s = a + (b - a) * g->rule.x[k];
        q->forcing(q->user, s, f);
        for (int i = 0; i < n; i++) {
            if (isnan(f[i])) state = PANEL_NAN;
            else if (isinf(f[i]) && !state) state = PANEL_INFINITE;
        }
        if (state) q->where = s;
        for (size_t i = 0; i < (size_t)n * (size_t)n; i++) m[i] = -(g->t1 - s) * q->c[i];
        double *e = state ? NULL : pencil_exponential(q->scratch, n, m);
        if (!state && !e) state = PANEL_NAN;
        for (int j = 0; e && j < n; j++)
            for (int i = 0; i < n; i++)
                out[i] += (b - a) * g->rule.w[k] * e[i + (size_t)j * (size_t)n] * f[j];
    }
    arena_release(q->scratch, before);
    return state;
}

static double integral_norm(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static bool integral_over(integration *g, double a, double b, const double *whole, int depth)
{
    pencil_integral *q = g->q;
    int n = q->n;
    double middle = 0.5 * (a + b), parts[2], difference = 0;
    arena_mark before = arena_here(q->scratch);
    double *half = arena_array(q->scratch, double, 2 * (size_t)n + 1);
    panel left = integral_panel(g, a, middle, half), right = integral_panel(g, middle, b, half + n);
    if (left == PANEL_NAN || right == PANEL_NAN) return false;
    bool infinite = left || right;
    for (int i = 0; i < n; i++)
        difference = fmax(difference, fabs(half[i] + half[n + i] - whole[i]));
    for (int k = 0; k < 2; k++) parts[k] = integral_norm(n, half + (size_t)k * (size_t)n);
    if (!infinite) g->size = fmax(g->size, fmax(parts[0], parts[1]));
    bool point = depth == DEPTH_MAX || b - a < 64 * DBL_EPSILON * fmax(fabs(a), fabs(b));
    if (infinite && point) difference = integral_norm(n, whole);
    if (point && difference > POINT_SHARE * g->size) {
        q->where = middle;
        return false;
    }
    bool good = true;
    if (point || (!infinite && difference <= INTEGRAL_TOL * g->size)) {
        for (int i = 0; i < n; i++) g->sum[i] += infinite ? whole[i] : half[i] + half[n + i];
        q->error += difference;
    } else
        good = integral_over(g, a, middle, half, depth + 1) &&
               integral_over(g, middle, b, half + n, depth + 1);
    arena_release(q->scratch, before);
    return good;
}

int pencil_integrate(pencil_integral *q, double t0, double t1, double *u)
{
    int n = q->n;
    if (!n || t0 == t1) return 0;
    arena_mark before = arena_here(q->scratch);
    integration g = {.q = q, .rule = integral_rule(), .t1 = t1};
    double *whole = arena_array(q->scratch, double, n),
           *m = arena_array(q->scratch, double, (size_t)n *(size_t)n);
    g.sum = arena_array(q->scratch, double, n);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) m[i] = -(t1 - t0) * q->c[i];
    double *e = pencil_exponential(q->scratch, n, m);
    q->where = t1;
    if (!e) return -1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) g.sum[i] += e[i + (size_t)j * (size_t)n] * u[j];
    g.size = fmax(integral_norm(n, g.sum), DBL_MIN);
    panel first = integral_panel(&g, t0, t1, whole);
    if (first == PANEL_NAN) return -1;
    if (first == PANEL_DONE) g.size = fmax(g.size, integral_norm(n, whole));
    if (!integral_over(&g, t0, t1, whole, 0)) return -1;
    memcpy(u, g.sum, (size_t)n * sizeof *u);
    arena_release(q->scratch, before);
    return 0;
}
