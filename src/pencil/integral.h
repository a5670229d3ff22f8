/* The differential part by its integral formula, for any right-hand side:
 *
 *     u(t) = e^(-C (t - t0)) u(t0) + integral from t0 to t of e^(-C (t - s)) a(s) ds,
 *
 * by adaptive quadrature: an interval is halved until the sum over its halves agrees with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_INTEGRAL_H
#define PENCIL_INTEGRAL_H

#include "pencil/pencil.h"

typedef struct pencil_integral {
    int n;           // of u
    const double *c; // n by n, by columns
    /* a(s), n values; they may be infinite or NaN. */
    void (*forcing)(void *user, double s, double *a);
    void *user;
    arena *scratch;
    double error; // estimate, the sum over all intervals so far
    double where; // after a failure: the time at which the integral does not exist
} pencil_integral;

/* u (n values) from its value at t0 to that at t1. 0, or -1 where the forcing is not finite or its
 * integral does not converge. */
int pencil_integrate(pencil_integral *q, double t0, double t1, double *u);

#endif
