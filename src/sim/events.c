/* State events by bracketing on the dense output.
 *
 * An indicator that has different signs at the ends of a step has crossed. One with equal signs at
 * the ends that first moves towards zero and then away from it may have crossed twice: the step is
 * then looked at in PARTS pieces. The first crossing of all indicators is bracketed by the Illinois
 * variant of false position (Dowell & Jarratt, BIT 11 (1971) 168-174), to a few units in the last
 * place of t. The right end of the bracket is returned: there the indicator already has its new
 * sign.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/events.h"

#include "base/bump.h"

#include <math.h>
#include <string.h>

enum { PARTS = 16, MAX_ITERATIONS = 120 };

size_t sim_roots_layout(sim_roots *r, const vinc_problem *p, void *block)
{
    bump b = bump_begin(block);
    r->n = p->roots ? p->n_roots : 0;
    r->old = bump_double(&b, (size_t)r->n);
    r->now = bump_double(&b, (size_t)r->n);
    r->trial = bump_double(&b, (size_t)r->n);
    r->after = bump_double(&b, (size_t)r->n);
    r->y = bump_double(&b, (size_t)p->n);
    r->yp = bump_double(&b, (size_t)p->n);
    char *rest = bump_bytes(&b, sim_consistent_layout(&r->onto, p, NULL));
    sim_consistent_layout(&r->onto, p, rest);
    return bump_end(&b);
}

int sim_roots_begin(sim_roots *r, const vinc_problem *p, double t, const double *y,
                    const double *yp)
{
    return r->n ? p->roots(p->user, t, y, yp, r->old) : 0;
}

static int indicators(sim_roots *r, method_run *run, bool consistent, double t, double *g)
{
    int rc = method_interpolate(run, t, r->y, r->yp);
    if (rc < 0) return rc;
    if (consistent) sim_consistent_make(&r->onto, t, r->y, r->yp);
    return run->problem->roots(run->problem->user, t, r->y, r->yp, g);
}

// Leaving zero counts: an event whose indicator starts at zero must be looked at.
static bool crossed(double a, double b)
{
    return (a < 0 && b >= 0) || (a > 0 && b <= 0) || (a == 0 && b != 0);
}

static bool any_crossed(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (crossed(a[i], b[i])) return true;
    return false;
}

/* Narrow [a, b], where some indicator has crossed, to the first crossing. ga, gb: indicators at the
 * ends (changed). */
static int narrow(sim_roots *r, method_run *run, double a, double b, double *ga, double *gb,
                  double *when)
{
    double tiny = 4 * method_h_min(b, b - a);
    int side = 0;
    for (int k = 0; k < MAX_ITERATIONS && b - a > tiny; k++) {
        // Aim at the earliest zero of the secants.
        double aim = 1;
        for (int i = 0; i < r->n; i++)
            if (crossed(ga[i], gb[i]) && ga[i] != gb[i]) {
                double s = ga[i] / (ga[i] - gb[i]);
                if (s < aim) aim = s;
            }
        double t = a + (b - a) * aim;
        if (!(t > a + 0.5 * tiny)) t = a + 0.5 * tiny;
        if (!(t < b - 0.5 * tiny)) t = b - 0.5 * tiny;
        if (k % 8 == 7)
            t = a + 0.5 * (b - a); // bounds the number of iterations whatever the indicator does
        int rc = indicators(r, run, true, t, r->trial);
        if (rc) return rc < 0 ? rc : -1;
        if (any_crossed(ga, r->trial, r->n)) {
            b = t;
            memcpy(gb, r->trial, (size_t)r->n * sizeof *gb);
            if (side == 1) // Illinois: the same end moved twice, so halve the weight of the other
                for (int i = 0; i < r->n; i++) ga[i] *= 0.5;
            side = 1;
        } else {
            a = t;
            memcpy(ga, r->trial, (size_t)r->n * sizeof *ga);
            if (side == -1)
                for (int i = 0; i < r->n; i++) gb[i] *= 0.5;
            side = -1;
        }
    }
    *when = b;
    return 1;
}

// Does some indicator move towards zero at the begin of the step and away from it at the end?
static int may_cross_twice(sim_roots *r, method_run *run, double a, double b, bool *may)
{
    const double inside = 1.0 / 64;
    *may = false;
    int rc = indicators(r, run, false, a + inside * (b - a), r->after);
    if (!rc) rc = indicators(r, run, false, b - inside * (b - a), r->trial);
    for (int i = 0; i < r->n && !rc && !*may; i++)
        *may =
            r->old[i] * (r->after[i] - r->old[i]) < 0 && r->now[i] * (r->now[i] - r->trial[i]) > 0;
    return rc;
}

int sim_roots_search(sim_roots *r, method_run *run, double from, double *when)
{
    if (!r->n) return 0;
    const vinc_problem *p = run->problem;
    int rc = p->roots(p->user, run->t, run->y, run->yp, r->now);
    if (rc) return rc < 0 ? rc : -1;

    bool look = any_crossed(r->old, r->now, r->n);
    if (!look && (rc = may_cross_twice(r, run, from, run->t, &look)) != 0) return rc < 0 ? rc : -1;
    if (look) {
        // The first part of the step in which something crosses.
        double a = from;
        for (int k = 1; k <= PARTS; k++) {
            double b = k == PARTS ? run->t : from + (run->t - from) * k / PARTS;
            if (k < PARTS) {
                rc = indicators(r, run, true, b, r->trial);
                if (rc) return rc < 0 ? rc : -1;
            } else {
                memcpy(r->trial, r->now, (size_t)r->n * sizeof *r->now);
            }
            if (any_crossed(r->old, r->trial, r->n)) {
                memcpy(r->now, r->trial, (size_t)r->n * sizeof *r->now);
                return narrow(r, run, a, b, r->old, r->now, when);
            }
            a = b;
            memcpy(r->old, r->trial, (size_t)r->n * sizeof *r->old);
        }
    }
    memcpy(r->old, r->now, (size_t)r->n * sizeof *r->old);
    return 0;
}
