/* What one process holds of a system that is spread over several, and sums over all of it.
 *
 * A problem of which each process holds some unknowns and the equations matched with them (run/share.h).
 * Whoever forms a norm, a dot product or a yes or no of all unknowns asks here; for a problem of one
 * process (NULL) nothing happens.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_SHARED_H
#define LA_SHARED_H

#include "base/team.h"

#include <stdbool.h>

typedef struct la_shared {
    const team *team;
    int rank, size;
    int n_all, first; // unknowns of all; the number of the first one here
    const int
        *column; // numbers of the columns that are not here, behind the own ones of the pattern
    /* Columns that share no row, here or elsewhere, have one colour; by own column. NULL: not known. */
    int n_colors;
    const int *color;
    /* Where they are not: vinc_problem.product with 0 for unknowns of others, so that colours of the own part do.
     * NULL: not needed. */
    int (*own_product)(void *user, double t, const double *y, const double *yp, const double *v,
                       const double *vp, double *out);
} la_shared;

static inline void shared_sum(const la_shared *s, double *x, int n)
{
    if (s) s->team->sum(x, n);
}

static inline int shared_count(const la_shared *s, int n)
{
    double x = n;
    shared_sum(s, &x, 1);
    return (int)x;
}

static inline double shared_most(const la_shared *s, double x)
{
    if (s) s->team->most(&x, 1);
    return x;
}

static inline bool shared_any(const la_shared *s, bool x)
{
    return shared_most(s, x) > 0;
}

static inline int shared_size(const la_shared *s, int n) // of the whole
{
    return s ? s->n_all : n;
}

#endif
