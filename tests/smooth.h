/* Smooth problems of every index with known solutions, for tests of order.
 *
 *     ode     the Kepler orbit of eccentricity 0.3
 *     index1  x_1' = x_2 z, x_2' = -x_1 z, z^2 = (1 + a x_1)^2: x = (sin th, cos th), where
 *             th' = 1 + a sin th has the solution tan(th/2) = w tan(w t/2 + c) - a, w^2 = 1 - a^2
 *     index2  x_1' = w x_2 + 2 x_1 (z - e(t)) + ..., x_2' = -w x_1 + 2 x_2 (z - e(t)),
 *             x_1^2 + x_2^2 = 1; x = (sin a, cos a) with a = t + t^2/4, w = a', z = e(t)
 *     index3  the unit pendulum in Cartesian coordinates with a periodic side force
 *     ggl     the same, stabilised to index 2 by the velocity constraint and one more multiplier
 *
 * The first three have known solutions; the last has a reference computed in the
 * angle, by the same code, with dopri8 at a tolerance of 1e-13 (an ODE, another method).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SMOOTH_H
#define TESTS_SMOOTH_H

#include "method/method.h"

#include <math.h>
#include <string.h>

typedef struct smooth {
    const char *name;
    vinc_problem p;
    void (*exact)(double t, double *y, double *yp);
    int index;
    int group[6]; // 0: positions or differential, 1: velocities, 2: multipliers
} smooth;

/* ---- ode ------------------------------------------------------------------------------------- */

#define SMOOTH_ECC 0.3

static inline int smooth_ode_rhs(void *user, double t, double *y, double *yp)
{
    (void)user, (void)t;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    yp[0] = y[2], yp[1] = y[3];
    yp[2] = -y[0] / r3, yp[3] = -y[1] / r3;
    return 0;
}

static inline int smooth_ode_residual(void *user, double t, const double *y, const double *yp,
                                      double *r)
{
    double x[4], f[4];
    memcpy(x, y, sizeof x);
    smooth_ode_rhs(user, t, x, f);
    for (int i = 0; i < 4; i++) r[i] = yp[i] - f[i];
    return 0;
}

static inline int smooth_ode_jacobian(void *user, double t, const double *y, const double *yp,
                                      double *dy, double *dyp)
{
    (void)user, (void)t, (void)yp;
    double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2), r5 = r2 * r3;
    memset(dy, 0, 16 * sizeof *dy);
    memset(dyp, 0, 16 * sizeof *dyp);
    for (int i = 0; i < 4; i++) dyp[5 * i] = 1;
    dy[8] = dy[13] = -1; // by columns: entry (i, j) is i + 4 j
    dy[2] = 1 / r3 - 3 * y[0] * y[0] / r5;
    dy[7] = 1 / r3 - 3 * y[1] * y[1] / r5;
    dy[3] = dy[6] = -3 * y[0] * y[1] / r5;
    return 0;
}

/* From the pericentre; the eccentric anomaly by Newton on Kepler's equation. */
static inline void smooth_ode_exact(double t, double *y, double *yp)
{
    double e = SMOOTH_ECC, b = sqrt(1 - e * e), E = t;
    for (int i = 0; i < 50; i++) E -= (E - e * sin(E) - t) / (1 - e * cos(E));
    double rate = 1 / (1 - e * cos(E));
    y[0] = cos(E) - e, y[1] = b * sin(E);
    y[2] = -sin(E) * rate, y[3] = b * cos(E) * rate;
    smooth_ode_rhs(NULL, t, y, yp);
}

/* ---- index 1 --------------------------------------------------------------------------------- */

#define SMOOTH_A 0.2

static inline int smooth_1_residual(void *user, double t, const double *y, const double *yp,
                                    double *r)
{
    (void)user, (void)t;
    double z = 1 + SMOOTH_A * y[0];
    r[0] = yp[0] - y[1] * y[2];
    r[1] = yp[1] + y[0] * y[2];
    r[2] = y[2] * y[2] - z * z;
    return 0;
}

static inline int smooth_1_jacobian(void *user, double t, const double *y, const double *yp,
                                    double *dy, double *dyp)
{
    (void)user, (void)t, (void)yp;
    const double a[9] = {0,    y[2],    -2 * SMOOTH_A * (1 + SMOOTH_A * y[0]), -y[2], 0, 0, -y[1],
                         y[0], 2 * y[2]};
    memcpy(dy, a, sizeof a);
    memset(dyp, 0, 9 * sizeof *dyp);
    dyp[0] = dyp[4] = 1;
    return 0;
}

static inline int smooth_1_rhs(void *user, double t, double *y, double *yp)
{
    (void)user, (void)t;
    y[2] = 1 + SMOOTH_A * y[0];
    yp[0] = y[1] * y[2], yp[1] = -y[0] * y[2];
    yp[2] = 0; // algebraic: not integrated
    return 0;
}

static inline void smooth_1_exact(double t, double *y, double *yp)
{
    double a = SMOOTH_A, w = sqrt(1 - a * a), th = 2 * atan(w * tan(w * t / 2 + 0.4) - a);
    y[0] = sin(th), y[1] = cos(th), y[2] = 1 + a * y[0];
    yp[0] = y[1] * y[2], yp[1] = -y[0] * y[2], yp[2] = a * yp[0];
}

/* ---- index 2 --------------------------------------------------------------------------------- */

static inline double smooth_e(double t)
{
    return 1 + 0.3 * sin(2 * t);
}

static inline int smooth_2_residual(void *user, double t, const double *y, const double *yp,
                                    double *r)
{
    (void)user;
    double a = t + t * t / 4, w = 1 + t / 2;
    double m = 2 * (y[2] - smooth_e(t)), bend = y[0] * y[1] - sin(a) * cos(a);
    r[0] = yp[0] - (w * y[1] + m * y[0] + bend);
    r[1] = yp[1] - (-w * y[0] + m * y[1]);
    r[2] = y[0] * y[0] + y[1] * y[1] - 1;
    return 0;
}

static inline void smooth_2_exact(double t, double *y, double *yp)
{
    double a = t + t * t / 4, w = 1 + t / 2;
    y[0] = sin(a), y[1] = cos(a), y[2] = smooth_e(t);
    yp[0] = w * cos(a), yp[1] = -w * sin(a), yp[2] = 0.6 * cos(2 * t);
}

/* ---- index 3: x'' = -lambda x + cos 2t, y'' = -lambda y - g, (x^2 + y^2 - 1)/2 = 0 ----------- */

static inline int smooth_3_residual(void *user, double t, const double *y, const double *yp,
                                    double *r)
{
    (void)user;
    r[0] = yp[0] - y[2];
    r[1] = yp[1] - y[3];
    r[2] = yp[2] + y[4] * y[0] - cos(2 * t);
    r[3] = yp[3] + y[4] * y[1] + 9.81;
    r[4] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1);
    return 0;
}

/* The angle from the downward vertical: th'' = -g sin th + cos 2t cos th. */
static inline int smooth_angle_rhs(void *user, double t, double *y, double *yp)
{
    (void)user;
    yp[0] = y[1];
    yp[1] = -9.81 * sin(y[0]) + cos(2 * t) * cos(y[0]);
    return 0;
}

static inline void smooth_from_angle(double t, double th, double w, double *y, double *yp)
{
    double s = sin(th), k = cos(th), a = -9.81 * s + cos(2 * t) * k;
    y[0] = s, y[1] = -k;
    y[2] = w * k, y[3] = w * s;
    y[4] = w * w + 9.81 * k + s * cos(2 * t);
    yp[0] = y[2], yp[1] = y[3];
    yp[2] = a * k - w * w * s, yp[3] = a * s + w * w * k;
    yp[4] = 2 * w * a - 9.81 * w * s + w * k * cos(2 * t) - 2 * s * sin(2 * t);
}

/* Negative times are reached by integrating backwards in the mirrored problem. */
static inline void smooth_3_exact(double t, double *y, double *yp)
{
    vinc_problem p = {.n = 2, .rhs = smooth_angle_rhs};
    method_config c = {.rel_tol = 1e-13, .abs_tol = 1e-14};
    mem m = mem_std();
    method_run *r;
    double th = 1, w = 0.5;
    if (t < 0) { // Taylor steps backwards: th(-u) solves the same equation with w reversed in u
        w = -w;
    }
    double start[2] = {th, w}, d[2];
    if (method_new(&m, &p, "dopri8", &c, NULL, &r)) return;
    smooth_angle_rhs(NULL, 0, start, d);
    int status = method_start(r, 0, start, d, fabs(t));
    while (!status && r->t < fabs(t)) status = method_step(r, fabs(t));
    th = r->y[0], w = r->y[1];
    method_free(r);
    if (t < 0) w = -w;
    smooth_from_angle(t, th, w, y, yp);
}

/* ---- ggl: q' = v - mu q, and the velocity constraint ----------------------------------------- */

static inline int smooth_g_residual(void *user, double t, const double *y, const double *yp,
                                    double *r)
{
    smooth_3_residual(user, t, y, yp, r);
    r[0] += y[5] * y[0];
    r[1] += y[5] * y[1];
    r[5] = y[0] * y[2] + y[1] * y[3];
    return 0;
}

static inline void smooth_g_exact(double t, double *y, double *yp)
{
    smooth_3_exact(t, y, yp);
    y[5] = yp[5] = 0;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const int smooth_velocity[6] = {2, 3, -1, -1, -1, -1};
static const uint8_t smooth_differential[5][6] = {{1, 1, 0}, {1, 1, 0}, {1, 1, 1, 1, 0}};
static const int8_t smooth_level_2[3] = {0, 0, 1}, smooth_level_3[5] = {0, 0, 1, 1, 2},
                    smooth_level_g[6] = {0, 0, 0, 0, 1, 1};

static const smooth smooth_problems[] = {
    {"ode",
     {.n = 4,
      .autonomous = 1,
      .residual = smooth_ode_residual,
      .jacobian = smooth_ode_jacobian,
      .rhs = smooth_ode_rhs,
      .velocity = smooth_velocity},
     smooth_ode_exact,
     0,
     {0, 0}},
    {"index1",
     {.n = 3,
      .autonomous = 1,
      .residual = smooth_1_residual,
      .jacobian = smooth_1_jacobian,
      .rhs = smooth_1_rhs,
      .differential = smooth_differential[0]},
     smooth_1_exact,
     1,
     {0, 0}},
    {"index2",
     {.n = 3,
      .residual = smooth_2_residual,
      .differential = smooth_differential[1],
      .unknown_level = smooth_level_2},
     smooth_2_exact,
     2,
     {0, 0, 2}},
    {"index3",
     {.n = 5,
      .residual = smooth_3_residual,
      .differential = smooth_differential[2],
      .velocity = smooth_velocity,
      .unknown_level = smooth_level_3},
     smooth_3_exact,
     3,
     {0, 0, 1, 1, 2}},
    {"ggl",
     {.n = 6,
      .residual = smooth_g_residual,
      .differential = smooth_differential[2],
      .unknown_level = smooth_level_g},
     smooth_g_exact,
     2,
     {0, 0, 1, 1, 2, 2}},
};

enum { SMOOTH_ODE, SMOOTH_1, SMOOTH_2, SMOOTH_3, SMOOTH_GGL };

#endif
