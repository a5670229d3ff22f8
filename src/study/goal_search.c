/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/goal_search.h"

#include "study/fit_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS_USUAL = 200 };
static const double SLOPE_SMALL =
    1e-7; // of |goal| + its first change, for a step of 1 on the scale
static const double LAMBDA_MOST = 1e12;

/* h := with the curvature along s that a change y of the gradient shows. */
static void learn(int n, double *h, const double *s, double *y, double *hs)
{
    const double DAMPED = 0.2; // Powell's
    double sy = 0, shs = 0;
    for (int i = 0; i < n; i++) {
        hs[i] = 0;
        for (int k = 0; k < n; k++) hs[i] += h[i + k * n] * s[k];
        sy += s[i] * y[i];
        shs += s[i] * hs[i];
    }
    if (!(shs > 0)) return;
    if (sy < DAMPED * shs) {
        double theta = (1 - DAMPED) * shs / (shs - sy);
        for (int i = 0; i < n; i++) y[i] = theta * y[i] + (1 - theta) * hs[i];
        sy = DAMPED * shs;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) h[i + k * n] += y[i] * y[k] / sy - hs[i] * hs[k] / shs;
}

int goal_search_run(goal_search *s, arena *room)
{
    double *x = s->x, *g = s->g;
    const double *lower = s->lower, *upper = s->upper;
    int n = s->n, most = s->max_iterations > 0 ? s->max_iterations : ITERATIONS_USUAL;
    size_t nn = (size_t)n;
    double *trial = arena_array(room, double, 5 * nn + 5), *g_new = trial + n, *d = g_new + n,
           *y = d + n, *work = y + n;
    double *h = arena_array(room, double, 2 * nn * nn + 2), *a = h + nn * nn;
    uint8_t *held = arena_array(room, uint8_t, n + 1);
    double f, f_new, lambda = 1e-3, change = 0;
    int rc = s->evaluate(s->user, x, &f, g);
    if (rc) return rc;
    s->start = f;
    memset(h, 0, nn * nn * sizeof *h);
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(g[i]) / fmax(fabs(x[i]), 0.1));
    for (int i = 0; i < n; i++) h[i + i * n] = size > 0 ? 10 * size : 1; // a first step of a tenth
    while (s->iterations < most) {
        double left = 0;
        for (int i = 0; i < n; i++) {
            held[i] = (x[i] <= lower[i] && g[i] > 0) || (x[i] >= upper[i] && g[i] < 0);
            if (!held[i]) left = fmax(left, fabs(g[i]) * fmax(fabs(x[i]), 0.1));
        }
        s->converged = left <= SLOPE_SMALL * (fabs(f) + change + DBL_MIN);
        if (s->converged) break;
        s->iterations++;
        bool better = false;
        for (; !better && lambda <= LAMBDA_MOST; lambda *= better ? 1 : 8) {
            double slope = 0, moved = 0;
            if (!fit_step(n, h, g, held, lambda, a, d)) continue;
            for (int i = 0; i < n; i++) {
                trial[i] = fmin(fmax(x[i] + d[i], lower[i]), upper[i]);
                d[i] = trial[i] - x[i];
                slope += g[i] * d[i];
                moved = fmax(moved, fabs(d[i]) / fmax(fabs(x[i]), 0.1));
            }
            if (moved < 1e-13) break;
            rc = s->evaluate(s->user, trial, &f_new, g_new);
            if (rc == VINC_E_INTERRUPTED || rc == VINC_E_MEMORY || rc == VINC_E_LIMIT) return rc;
            better = !rc && f_new <= f + 1e-4 * slope;
        }
        if (!better) { // no step helps: what is left of the slope is error of the run
            s->converged = left <= 1e3 * SLOPE_SMALL * (fabs(f) + change + DBL_MIN);
            s->stuck = true;
            break;
        }
        for (int i = 0; i < n; i++) y[i] = g_new[i] - g[i];
        learn(n, h, d, y, work);
        change = fmax(change, fabs(f - f_new));
        f = f_new;
        lambda = fmax(lambda / 8, 1e-12);
        memcpy(x, trial, nn * sizeof *x);
        memcpy(g, g_new, nn * sizeof *g);
    }
    s->value = f;
    return VINC_OK;
}
