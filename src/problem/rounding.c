/* How much of a residual is rounding: seen, not bounded.
 *
 * Second differences between near points in a random direction: what is left is the rounding of three
 * evaluations, and curvature. An unknown that only just shows in a sum with larger terms must move so
 * far that it does; an amplifier of gain 1e5 is curved within that distance. Rounding is the same at
 * every distance, curvature goes with its square: the smaller of two such differences counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"

#include <math.h>
#include <stdint.h>

static const double POINTS_NEAR[] = {1e-8, 1e-9}; // of the size of an unknown; 1e-8 squared is eps

// Between -1 and 1: G. Marsaglia, Xorshift RNGs, 2003.
static double next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x / 2147483648.0 - 1;
}

/* The second difference for points at this distance from each other. */
static int second_difference(const problem_near *x, unsigned seed, double far, double *r)
{
    static const double weights[3] = {0.5, -1, 0.5};
    const uint32_t SPREAD = 2654435769u; // of the bits of a small number: the golden section
    const vinc_problem *p = x->p;
    double *y = x->work, *yp = y + p->n, *other = yp + p->n;
    for (int i = 0; i < p->n; i++) r[i] = 0;
    for (int k = 0; k < 3; k++) {
        double distance = (k - 1) * far;
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

int problem_rounding(const problem_near *x, unsigned seed, double *r)
{
    double *nearer = x->work + 3 * x->p->n;
    int status = second_difference(x, seed, POINTS_NEAR[0], r);
    if (!status) status = second_difference(x, seed, POINTS_NEAR[1], nearer);
    for (int i = 0; i < x->p->n && !status; i++)
        if (fabs(nearer[i]) < fabs(r[i])) r[i] = nearer[i];
    return status;
}
