/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/tube.h"

#include <math.h>

static const double LEAST_SIZE = 1e-3;

double tube_y(const tube_curve *c, size_t i)
{
    return c->y[i * c->stride];
}

double tube_size(const tube_curve *c)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->n; i++)
        least = fmin(least, tube_y(c, i)), most = fmax(most, tube_y(c, i));
    return fmax(fmax(most - least, fabs(least)), LEAST_SIZE);
}

/* Between the points; `at` is the first point after s, or n. */
static double line_before(const tube_curve *c, size_t at, double s)
{
    if (at == 0) return tube_y(c, 0);
    if (at == c->n) return tube_y(c, c->n - 1);
    double a = c->t[at - 1], b = c->t[at], ya = tube_y(c, at - 1);
    return b > a ? ya + (tube_y(c, at) - ya) * (s - a) / (b - a) : ya;
}

double tube_at(const tube_curve *c, double s)
{
    size_t lo = 0, hi = c->n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (c->t[middle] <= s) lo = middle + 1;
        else hi = middle;
    }
    return line_before(c, lo, s);
}

// Four points from `base` on without an event among them?
static bool are_smooth(const tube_curve *c, size_t base)
{
    for (size_t i = base; i < base + 3; i++)
        if (!(c->t[i + 1] > c->t[i])) return false;
    return true;
}

/* Through the two points on either side or, beside an end or an event, three on one side; otherwise on
 * the line. */
static double cubic_before(const tube_curve *c, size_t at, double s)
{
    static const size_t before[] = {2, 1, 3};
    if (!c->smooth || !c->stride || at == 0 || at == c->n) return line_before(c, at, s);
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
        if (at < before[k] || at - before[k] + 4 > c->n || !are_smooth(c, at - before[k])) continue;
        const double *t = c->t + at - before[k];
        double sum = 0;
        for (size_t i = 0; i < 4; i++) {
            double weight = 1;
            for (size_t m = 0; m < 4; m++)
                if (m != i) weight *= (s - t[m]) / (t[i] - t[m]);
            sum += weight * tube_y(c, at - before[k] + i);
        }
        return sum;
    }
    return line_before(c, at, s);
}

static void include_edge(const tube_curve *c, size_t at, double s, double *lo, double *hi)
{
    double line = line_before(c, at, s), cubic = cubic_before(c, at, s);
    *lo = fmin(*lo, fmin(line, cubic));
    *hi = fmax(*hi, fmax(line, cubic));
}

/* Both curves go forward in time, and so does the window: the least and the largest value in it are
 * looked for anew only when they have left it. */
size_t tube_first_outside(const tube_curve *c, const tube_curve *x, double end, double dx,
                          double dy, double *lo, double *hi)
{
    size_t from = 0, to = 0, least = 0, most = 0; // the window is from ... to - 1
    for (size_t i = 0; i < x->n; i++) {
        double s = x->t[i], y = tube_y(x, i);
        if (s > end) break;
        for (; to < c->n && c->t[to] <= s + dx; to++) {
            if (to == from || tube_y(c, to) <= tube_y(c, least)) least = to;
            if (to == from || tube_y(c, to) >= tube_y(c, most)) most = to;
        }
        while (from < to && c->t[from] < s - dx) from++;
        if (least < from || most < from) {
            least = most = from;
            for (size_t k = from; k < to; k++) {
                if (tube_y(c, k) <= tube_y(c, least)) least = k;
                if (tube_y(c, k) >= tube_y(c, most)) most = k;
            }
        }
        *lo = INFINITY, *hi = -INFINITY;
        include_edge(c, from, s - dx, lo, hi);
        include_edge(c, to, s + dx, lo, hi);
        if (from < to) *lo = fmin(*lo, tube_y(c, least)), *hi = fmax(*hi, tube_y(c, most));
        *lo -= dy, *hi += dy;
        if (!(y >= *lo && y <= *hi)) return i;
    }
    return x->n;
}
