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
static int second_difference(const problem_function *f, const double *x, unsigned seed, double far,
                             double *r)
{
    static const double weights[3] = {0.5, -1, 0.5};
    const uint32_t SPREAD = 2654435769u; // of the bits of a small number: the golden section
    double *near = f->work, *other = near + f->n;
    for (int i = 0; i < f->m; i++) r[i] = 0;
    for (int k = 0; k < 3; k++) {
        double distance = (k - 1) * far;
        uint32_t random = SPREAD * seed;
        for (int j = 0; j < f->n; j++)
            near[j] = x[j] + distance * next_random(&random) * (fabs(x[j]) + f->nominal[j]);
        int status = f->value(f->user, near, other);
        if (status) return status;
        for (int i = 0; i < f->m; i++) r[i] += weights[k] * other[i];
    }
    return 0;
}

int problem_rounding_of(const problem_function *f, const double *x, unsigned seed, double *r)
{
    double *nearer = f->work + f->n + f->m;
    int status = second_difference(f, x, seed, POINTS_NEAR[0], r);
    if (!status) status = second_difference(f, x, seed, POINTS_NEAR[1], nearer);
    for (int i = 0; i < f->m && !status; i++)
        if (fabs(nearer[i]) < fabs(r[i])) r[i] = nearer[i];
    return status;
}

typedef struct rounding {
    const problem_near *near;
    int n;
} rounding;

static int rounding_value(void *user, const double *x, double *r)
{
    const rounding *q = user;
    const problem_near *at = q->near;
    return problem_residual(at->p, at->stats, at->t, x, x + q->n, r);
}

int problem_rounding(const problem_near *at, unsigned seed, double *r)
{
    int n = at->p->n;
    rounding q = {at, n};
    double *x = at->work, *nominal = x + 2 * n;
    for (int i = 0; i < n; i++) {
        x[i] = at->y[i];
        x[n + i] = at->yp[i];
        nominal[i] = nominal[n + i] = problem_nominal(at->p, i);
    }
    problem_function f = {2 * n, n, nominal, nominal + 2 * n, rounding_value, &q};
    return problem_rounding_of(&f, x, seed, r);
}
