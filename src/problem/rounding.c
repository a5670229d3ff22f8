/* How much of a residual is rounding: seen, not bounded.
 *
 * Second differences between points so near that curvature cannot be seen, in a random direction: what
 * is left is the rounding of three evaluations. An unknown that only just shows in a sum with larger
 * terms must move so far that it does; the root of eps is as far as it may.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"

#include <math.h>
#include <stdint.h>

static const double POINTS_NEAR = 1e-8; // of the size of an unknown; its square is eps

// Between -1 and 1: G. Marsaglia, Xorshift RNGs, 2003.
static double next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x / 2147483648.0 - 1;
}

int problem_rounding(const problem_near *x, unsigned seed, double *r)
{
    static const double weights[3] = {0.5, -1, 0.5};
    const uint32_t SPREAD = 2654435769u; // of the bits of a small number: the golden section
    const vinc_problem *p = x->p;
    double *y = x->work, *yp = y + p->n, *other = yp + p->n;
    for (int i = 0; i < p->n; i++) r[i] = 0;
    for (int k = 0; k < 3; k++) {
        double distance = (k - 1) * POINTS_NEAR;
        uint32_t random = SPREAD * seed;
        for (int i = 0; i < p->n; i++) {
            double nominal = problem_nominal(p, i);
            y[i] = x->y[i] + distance * next_random(&random) * (fabs(x->y[i]) + nominal);
            yp[i] = x->yp[i] + distance * next_random(&random) * (fabs(x->yp[i]) + nominal);
        }
        int status = problem_residual(p, x->stats, x->t, y, yp, other);
        if (status) return status;
        for (int i = 0; i < p->n; i++) r[i] += weights[k] * other[i];
    }
    return 0;
}
