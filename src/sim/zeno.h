/* Infinitely many events in finite time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_ZENO_H
#define SIM_ZENO_H

#include <stdbool.h>

enum { SIM_ZENO_KEPT = 64 };

typedef struct sim_zeno {
    double t[SIM_ZENO_KEPT];   // times of the last events, a ring
    int source[SIM_ZENO_KEPT]; // who made them
    long n;                  // events so far
    long crowded;            // of them, the last ones with no time between them
    long late, late_last; // of them, ones after which next to nothing was left; the last of these
    bool shrinking;       // the last intervals shrink geometrically
} sim_zeno;

enum { SIM_ZENO_NO, SIM_ZENO_ACCUMULATES, SIM_ZENO_CHATTERS };

/* An event has happened at t, made by `source`: an indicator, or -1. ACCUMULATES: events of one source come in
 * geometrically shrinking intervals and what is left until they accumulate is less than `resolution`, not for the
 * first time; *limit is that time. CHATTERS: event after event while time stands still, as measured by the `span`
 * of the run. */
int sim_zeno_add(sim_zeno *z, double t, int source, double span, double resolution, double *limit);

#endif
