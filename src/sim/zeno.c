/* Zeno behaviour: event times that converge.
 *
 * The times t_k of a bouncing ball's impacts converge like a geometric series. Such a sequence is
 * known by the ratio of successive intervals, which stays below one and does not grow; Aitken's
 * extrapolation gives its limit,
 *
 *     T = t_k + d_k q / (1 - q),   d_k = t_k - t_(k-1),   q = d_k / d_(k-1).
 *
 * Several kinds of events may take turns (the impact, and the relation that falls back just after
 * it), so every second, third ... event is looked at as well. What never ends has to come back to the
 * same source: a thousand thermostats that switch one after the other make intervals of any kind, each
 * thermostat its own. Periodic events have q = 1, and ones that merely become more frequent a q that
 * grows towards 1: neither passes. Where q shrinks from one
 * interval to the next the series converges faster than any geometric one: a few more events, and it
 * is past (a lag that is set back to its limit, again and again, until its input has left it).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sim/zeno.h"

#include <float.h>
#include <math.h>

enum {
    RATIOS_JUDGED = 8,
    STRIDES_MAX = 6,
    CROWDED_EVENTS_MAX = 1000,
    LATE_EVENTS_MAX = 3 // with next to nothing left: the model may end the series by one of them
};                      // RATIOS_JUDGED + 1 intervals of STRIDES_MAX events are kept
static const double RATIO_MAX = 0.98; // slower convergence is not told from frequent events
static const double RATIO_GROWTH_MAX =
    0.1; // a ratio may grow by this part of 1 - q; it may always shrink
static const double RATIO_SHRINKS = 0.97; // to less than this part of the one before
static const double ULPS_BETWEEN_EVENTS_MIN =
    1000; // of t: less than that between events is no time
static const double RUN_PART_BETWEEN_EVENTS_MIN = 1e-11; // nor is this part of the run

static double time_of(const sim_zeno *z, long back)
{
    return z->t[(z->n - 1 - back) % SIM_ZENO_KEPT];
}

static int source_of(const sim_zeno *z, long back)
{
    return z->source[(z->n - 1 - back) % SIM_ZENO_KEPT];
}

static bool zeno_geometric(const sim_zeno *z, int stride, double *limit)
{
    double newest = 0, most = 0; // ratio of the last interval, largest ratio so far
    for (int k = 0; k < RATIOS_JUDGED; k++) {
        if (source_of(z, (k + 1) * stride) != source_of(z, 0)) return false;
        double a = time_of(z, k * stride), b = time_of(z, (k + 1) * stride),
               c = time_of(z, (k + 2) * stride);
        if (!(a > b && b > c)) return false;
        double q = (a - b) / (b - c);
        if (!k) newest = q;
        if (k == 1 && newest < RATIO_SHRINKS * q) return false;
        most = fmax(most, q);
        if (most > RATIO_MAX || most > q + RATIO_GROWTH_MAX * (1 - q)) return false;
    }
    *limit = time_of(z, 0) + (time_of(z, 0) - time_of(z, stride)) * newest / (1 - newest);
    return true;
}

int sim_zeno_add(sim_zeno *z, double t, int source, double span, double resolution, double *limit)
{
    double none =
        fmax(ULPS_BETWEEN_EVENTS_MIN * DBL_EPSILON * fabs(t), RUN_PART_BETWEEN_EVENTS_MIN * span);
    bool crowded = z->n && t - time_of(z, 0) < none;
    z->crowded = crowded ? z->crowded + 1 : 0;
    z->source[z->n % SIM_ZENO_KEPT] = source;
    z->t[z->n++ % SIM_ZENO_KEPT] = t;
    if (z->crowded >= CROWDED_EVENTS_MAX) return SIM_ZENO_CHATTERS;
    z->shrinking = false;
    bool late = false;
    for (int stride = 1; stride <= STRIDES_MAX && z->n > (RATIOS_JUDGED + 1) * stride; stride++) {
        if (!zeno_geometric(z, stride, limit)) continue;
        z->shrinking = true;
        late = *limit - t <= resolution;
        if (late) break;
    }
    if (late && z->late && z->n - z->late_last > SIM_ZENO_KEPT) z->late = 0; // of another series
    if (late) z->late++, z->late_last = z->n;
    return late && z->late >= LATE_EVENTS_MAX ? SIM_ZENO_ACCUMULATES : SIM_ZENO_NO;
}
