/* State events by bracketing on the dense output.
 *
 * The indicators are sampled at the ends of PIECES_OF_STEP equal pieces of the step, fewer where it is
 * made again, so that crossings further apart than a piece cannot hide between two samples. Two crossings inside one piece leave
 * equal signs at its ends; they betray themselves by the slope, which leads towards zero at one end
 * and away from it at the other: where the parabola through three samples dips to the other side of
 * zero, its lowest point is looked at too.
 *
 * The first crossing of all indicators is narrowed by the Illinois variant of false position
 * (Dowell & Jarratt, BIT 11 (1971) 168-174) to a few units in the last place of t. The right end of
 * the bracket is returned: there the indicator already has its new sign.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/events.h"

#include "base/bump.h"

#include <math.h>
#include <string.h>

enum { PIECES_OF_STEP = 16, NARROWINGS_MAX = 120, PROBES_OF_DIP_MAX = 4 };
enum { PIECES_MIN = 2 }; // for a parabola

size_t sim_roots_layout(sim_roots *r, const vinc_problem *p, void *block)
{
    bump b = bump_begin(block);
    r->n = p->roots ? p->n_roots : 0;
    r->past = bump_double(&b, (size_t)r->n);
    r->old = bump_double(&b, (size_t)r->n);
    r->now = bump_double(&b, (size_t)r->n);
    r->trial = bump_double(&b, (size_t)r->n);
    r->first = bump_double(&b, (size_t)r->n);
    r->y = bump_double(&b, (size_t)p->n);
    r->yp = bump_double(&b, (size_t)p->n);
    r->found = bump_int(&b, (size_t)r->n);
    r->look = bump_int(&b, (size_t)r->n);
    r->side = bump_int(&b, (size_t)r->n);
    r->passed = bump_int(&b, 2 * (size_t)r->n);
    char *rest = bump_bytes(&b, sim_consistent_layout(&r->onto, p, NULL));
    sim_consistent_layout(&r->onto, p, rest);
    return bump_end(&b);
}

int sim_roots_begin(sim_roots *r, const vinc_problem *p, double t, const double *y,
                    const double *yp)
{
    r->n_found = 0;
    r->again = false;
    return r->n ? p->roots(p->user, t, y, yp, r->old) : 0;
}

// Leaving zero counts: an event whose indicator starts at zero must be looked at.
static bool roots_crossed(double a, double b)
{
    return (a < 0 && b >= 0) || (a > 0 && b <= 0) || (a == 0 && b != 0);
}

void sim_roots_again(sim_roots *r)
{
    r->n_found = 0;
    r->again = true;
    memcpy(r->old, r->first, (size_t)r->n * sizeof *r->old);
}

static int list_crossed(const double *a, const double *b, int n, int *list)
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (roots_crossed(a[i], b[i])) list[m++] = i;
    return m;
}

bool sim_roots_changed(sim_roots *r, const vinc_problem *p, double t, const double *y,
                       const double *yp)
{
    return !p->roots(p->user, t, y, yp, r->trial) && list_crossed(r->old, r->trial, r->n, r->look);
}

bool sim_roots_bare_changed(sim_roots *r, const vinc_problem *p, double t, const double *y,
                            const double *yp)
{
    return r->n && p->bare_roots && !p->bare_roots(p->user, t, y, yp, r->trial) &&
           list_crossed(r->old, r->trial, r->n, r->look);
}

static int roots_sample(sim_roots *r, method_run *run, bool consistent, double t, double *g)
{
    int rc = consistent ? sim_consistent_at(&r->onto, run, t, r->y, r->yp, 0)
                        : method_interpolate(run, t, r->y, r->yp);
    if (rc >= 0) rc = run->problem->roots(run->problem->user, t, r->y, r->yp, g);
    return rc > 0 ? -1 : rc;
}

// The candidates that have crossed already come first; how many.
static int roots_sift(int *list, int n, const double *a, const double *b)
{
    int m = 0;
    for (int k = 0; k < n; k++)
        if (roots_crossed(a[list[k]], b[list[k]])) {
            int i = list[k];
            list[k] = list[m];
            list[m++] = i;
        }
    return m;
}

/* Narrow [a, b] to the first crossing of the indicators found to have crossed in it. ga, gb:
 * indicators at the ends (changed). */
static int roots_narrow(sim_roots *r, method_run *run, double a, double b, double *ga, double *gb,
                        double *when)
{
    double tiny = 4 * method_h_min(b, b - a);
    int side = 0, *list = r->found;
    for (int k = 0; k < NARROWINGS_MAX && b - a > tiny; k++) {
        // Aim at the earliest zero of the secants.
        double aim = 1;
        for (int j = 0; j < r->n_found; j++) {
            double low = ga[list[j]], high = gb[list[j]];
            if (low != high) aim = fmin(aim, low / (low - high));
        }
        double t = a + (b - a) * aim;
        t = fmin(fmax(t, a + 0.5 * tiny), b - 0.5 * tiny);
        if (k % 8 == 7)
            t = a + 0.5 * (b - a); // bounds the number of iterations whatever the indicator does
        int rc = roots_sample(r, run, true, t, r->trial);
        if (rc) return rc;
        int m = roots_sift(list, r->n_found, ga, r->trial);
        // Illinois: where the same end moves twice, halve the weight of the other.
        double *moved = m ? gb : ga, *kept = m ? ga : gb;
        int now = m ? 1 : -1;
        if (m) {
            b = t;
            r->n_found = m;
        } else {
            a = t;
        }
        for (int j = 0; j < r->n_found; j++) {
            moved[list[j]] = r->trial[list[j]];
            if (side == now) kept[list[j]] *= 0.5;
        }
        side = now;
    }
    for (int j = 0; j < r->n_found; j++) r->side[list[j]] = ga[list[j]] > 0 ? -1 : 1;
    *when = b;
    return 1;
}

/* Could the indicator cross after the middle one of three samples, or dip to zero beside it? Cheap,
 * for the many that are far from zero: a parabola whose lowest point lies within a piece of the
 * middle falls by no more than half of what separates the outer samples. */
static bool roots_restless(double before, double g, double after)
{
    return fabs(g) <= 0.5 * fabs(after - before) || g * after <= 0;
}

static int list_restless(sim_roots *r, bool three)
{
    int m = 0;
    for (int i = 0; i < r->n; i++)
        if (roots_restless(three ? r->past[i] : r->old[i], r->old[i], r->now[i])) r->look[m++] = i;
    return m;
}

/* Where, in pieces from the middle one of three samples, the parabola through them comes nearest to
 * zero if it reaches it; +inf: it does not. */
static double roots_dip(double before, double g, double after)
{
    double slope = 0.5 * (after - before), bend = before - 2 * g + after;
    bool reaches = g * bend > 0 && slope * slope >= 2 * g * bend;
    return reaches ? -slope / bend : INFINITY;
}

/* Did an indicator cross twice in the piece [a, b], with no sign of it at the ends? The piece lies
 * before (side = -1) or after (side = 1) the middle one of the three samples. */
static int cross_twice(sim_roots *r, method_run *run, double a, double b, int side, double *when)
{
    double *left = side < 0 ? r->past : r->old, *right = side < 0 ? r->old : r->now;
    for (int j = 0; j < r->n_look; j++) {
        int i = r->look[j];
        double s = roots_dip(r->past[i], r->old[i], r->now[i]);
        if (!(side * s > 0 && side * s < 1)) continue;
        double low = a, high = b, g_low = left[i], g_high = right[i];
        double t = side < 0 ? b + s * (b - a) : a + s * (b - a);
        for (int k = 0; k < PROBES_OF_DIP_MAX; k++) {
            int rc = roots_sample(r, run, true, t, r->trial);
            if (rc) return rc;
            double g = r->trial[i];
            if (roots_crossed(left[i], g)) {
                memcpy(right, r->trial, (size_t)r->n * sizeof *right);
                r->n_found = list_crossed(left, right, r->n, r->found);
                return roots_narrow(r, run, a, t, left, right, when);
            }
            // The parabola through the three values known now.
            double u = g_low - g, v = g_high - g, p = t - low, q = high - t;
            double bend = u * q + v * p; // > 0 where the middle one is nearest to zero
            if (bend * g <= 0) break;
            double next = t + 0.5 * (u * q * q - v * p * p) / bend;
            if (!(next > low && next < high)) break;
            if (next < t) {
                high = t, g_high = g;
            } else {
                low = t, g_low = g;
            }
            t = next;
        }
    }
    return 0;
}

/* The samples show a crossing in [a, b]. They come from the interpolant; the values that count are
 * those of points on the algebraic equations, where the crossing may lie in the piece before, from
 * t0 to a, or after b. */
static int roots_confirm(sim_roots *r, method_run *run, double t0, double a, double b, bool before,
                         double *when)
{
    if (r->onto.move) {
        int rc = before ? roots_sample(r, run, true, a, r->old) : 0;
        if (rc) return rc;
        if (before && (r->n_found = list_crossed(r->past, r->old, r->n, r->found)) > 0)
            return roots_narrow(r, run, t0, a, r->past, r->old, when);
        if ((rc = roots_sample(r, run, true, b, r->now)) != 0) return rc;
        r->n_found = list_crossed(r->old, r->now, r->n, r->found);
    }
    return r->n_found ? roots_narrow(r, run, a, b, r->old, r->now, when) : 0;
}

/* A step that is made again, to end where a longer one has shown something, is looked at in pieces as long as those of the
 * longer one. */
static int roots_pieces(sim_roots *r, double h)
{
    double pieces = r->again ? ceil(h / r->piece) : PIECES_OF_STEP;
    int n = pieces < PIECES_OF_STEP ? (int)fmax(pieces, PIECES_MIN) : PIECES_OF_STEP;
    r->again = false;
    r->piece = h / n;
    return n;
}

int sim_roots_search(sim_roots *r, method_run *run, double from, double *when)
{
    r->n_found = 0;
    if (!r->n) return 0;
    memcpy(r->first, r->old, (size_t)r->n * sizeof *r->old);
    int pieces = roots_pieces(r, run->t - from);
    double a = from, piece = r->piece;
    for (int k = 1; k <= pieces; k++) {
        double b = k == pieces ? run->t : from + k * piece;
        int rc = roots_sample(r, run, false, b, r->now);
        r->n_look = rc ? 0 : list_restless(r, k > 1);
        if (!rc && k > 1) rc = cross_twice(r, run, from + (k - 2) * piece, a, -1, when);
        if (rc) return rc;
        r->n_found = 0;
        for (int j = 0; j < r->n_look; j++)
            if (roots_crossed(r->old[r->look[j]], r->now[r->look[j]]))
                r->found[r->n_found++] = r->look[j];
        if (r->n_found) rc = roots_confirm(r, run, from + (k - 2) * piece, a, b, k > 1, when);
        if (rc) return rc;
        if (k == pieces) rc = cross_twice(r, run, a, b, 1, when);
        if (rc) return rc;
        double *free = r->past;
        r->past = r->old;
        r->old = r->now;
        r->now = free;
        a = b;
    }
    return 0;
}

/* ---- crossings that are none ----------------------------------------------------------------- */

/* The indicators at the point at t moved straight on by dt along its derivative. */
static int roots_straight(sim_roots *r, method_run *run, double t, double dt, double *g)
{
    const vinc_problem *p = run->problem;
    int rc = sim_consistent_at(&r->onto, run, t, r->y, r->yp, 0);
    if (rc < 0) return rc;
    for (int i = 0; i < p->n && dt != 0; i++) r->y[i] += dt * r->yp[i];
    if (dt != 0) sim_consistent_make(&r->onto, t + dt, r->y, r->yp, 0);
    return p->roots(p->user, t + dt, r->y, r->yp, g);
}

/* The indicators at t in r->now, and what tells the signs of their slopes in r->trial, r->past. */
static bool roots_slopes(sim_roots *r, method_run *run, double t)
{
    const double PART_OF_STEP = 1e-3; // choice
    double dt = PART_OF_STEP * fmax(run->t - run->t_old, r->h);
    return dt > 0 && !roots_straight(r, run, t, 0, r->now) &&
           !roots_straight(r, run, t, dt, r->trial) && !roots_straight(r, run, t, -dt, r->past);
}

static bool leads_back(const sim_roots *r, int i, int side)
{
    return (r->trial[i] - r->past[i]) * side < 0;
}

static int place_of_passed(const sim_roots *r, int i)
{
    for (int k = 0; k < r->n_passed; k++)
        if (r->passed[2 * k] == i) return k;
    return -1;
}

/* Is one of those that crossed at t still across at the end of the step, beyond it? The equations have
 * not led that one back, whatever the sign of a slope near zero says. */
static bool roots_stay(sim_roots *r, method_run *run, double t)
{
    if (!(run->t > t) || roots_sample(r, run, true, run->t, r->trial)) return false;
    for (int k = 0; k < r->n_found; k++)
        if (place_of_passed(r, r->found[k]) < 0 && r->trial[r->found[k]] * r->side[r->found[k]] > 0)
            return true;
    return false;
}

bool sim_roots_pass(sim_roots *r, method_run *run, double t)
{
    if (!r->n_found || roots_stay(r, run, t) || !roots_slopes(r, run, t)) return false;
    for (int k = 0; k < r->n_found; k++) // one that had passed comes back here
        if (place_of_passed(r, r->found[k]) < 0 &&
            !leads_back(r, r->found[k], r->side[r->found[k]]))
            return false;
    for (int k = 0; k < r->n_found; k++) {
        int i = r->found[k], at = place_of_passed(r, i);
        if (at < 0) at = r->n_passed++;
        r->passed[2 * at] = i;
        r->passed[2 * at + 1] = r->side[i]; // the wrong side, or the right one again
        if (leads_back(r, i, r->side[i])) continue;
        r->n_passed--;
        r->passed[2 * at] = r->passed[2 * r->n_passed];
        r->passed[2 * at + 1] = r->passed[2 * r->n_passed + 1];
    }
    return true;
}

bool sim_roots_stray(sim_roots *r, method_run *run)
{
    int n = 0;
    bool stray = false;
    if (!r->n_passed) return false;
    if (!roots_slopes(r, run, run->t)) return true;
    for (int k = 0; k < r->n_passed; k++) {
        int i = r->passed[2 * k], side = r->passed[2 * k + 1];
        if (!(r->now[i] * side > 0)) continue;
        stray = stray || !leads_back(r, i, side);
        r->passed[2 * n] = i;
        r->passed[2 * n++ + 1] = side;
    }
    r->n_passed = n;
    return stray;
}
