/* Hand-written problems M y' = f(t, y) with reference end values.
 *
 * Equations and reference values: Test Set for IVP Solvers, release 2.4 (F. Mazzia, C. Magherini,
 * University of Bari 2008), problems hires, rober, orego, vdpol, chemakzo, transamp. The published
 * values carry 14 or more digits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROBLEMS_H
#define TESTS_PROBLEMS_H

#include "vincolo_problem.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { IVP_N = 8 };

typedef struct ivp {
    const char *name;
    int n;
    double t_end;
    void (*f)(double t, const double *y, double *f);
    void (*df)(double t, const double *y, double *j); // by columns, zeroed before
    void (*mass)(double *m);                          // by columns, zeroed before; NULL: identity
    double y0[IVP_N], reference[IVP_N];
    double atol_factor; // abs_tol = this * rel_tol
    uint8_t differential[IVP_N];
} ivp;

/* ---- hires: high irradiance response of photomorphogenesis ----------------------------------- */

static inline void hires_f(double t, const double *y, double *f)
{
    (void)t;
    double r = 280 * y[5] * y[7];
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    f[5] = -r + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = r - 1.81 * y[6];
    f[7] = -f[6];
}

static inline void hires_df(double t, const double *y, double *j)
{
    (void)t;
    double a = 280 * y[7], b = 280 * y[5];
    j[0] = -1.71, j[1] = 1.71;
    j[8] = 0.43, j[9] = -8.75, j[11] = 8.32;
    j[16] = 8.32, j[18] = -10.03, j[19] = 1.71;
    j[26] = 0.43, j[27] = -1.12, j[29] = 0.69;
    j[34] = 0.035, j[36] = -1.745, j[37] = 1.71;
    j[44] = 0.43, j[45] = -a - 0.43, j[46] = a, j[47] = -a;
    j[52] = 0.43, j[53] = 0.69, j[54] = -1.81, j[55] = 1.81;
    j[61] = -b, j[62] = b, j[63] = -b;
}

static const ivp ivp_hires = {
    .name = "hires",
    .n = 8,
    .t_end = 321.8122,
    .f = hires_f,
    .df = hires_df,
    .y0 = {1, 0, 0, 0, 0, 0, 0, 0.0057},
    .reference = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4,
                  0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
                  0.2849998395185769e-2, 0.2850001604814231e-2},
    .atol_factor = 1,
};

/* ---- rober: Robertson's reaction ------------------------------------------------------------- */

static inline void rober_f(double t, const double *y, double *f)
{
    (void)t;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
}

static inline void rober_df(double t, const double *y, double *j)
{
    (void)t;
    j[0] = -0.04, j[1] = 0.04;
    j[3] = 1e4 * y[2], j[4] = -1e4 * y[2] - 6e7 * y[1], j[5] = 6e7 * y[1];
    j[6] = 1e4 * y[1], j[7] = -1e4 * y[1];
}

static const ivp ivp_rober = {
    .name = "rober",
    .n = 3,
    .t_end = 1e11,
    .f = rober_f,
    .df = rober_df,
    .y0 = {1, 0, 0},
    .reference = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
    .atol_factor = 1e-4,
};

/* ---- orego: the Belousov-Zhabotinskii reaction ----------------------------------------------- */

static inline void orego_f(double t, const double *y, double *f)
{
    (void)t;
    f[0] = 77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1]));
    f[1] = (y[2] - (1 + y[0]) * y[1]) / 77.27;
    f[2] = 0.161 * (y[0] - y[2]);
}

static inline void orego_df(double t, const double *y, double *j)
{
    (void)t;
    j[0] = 77.27 * (1 - 2 * 8.375e-6 * y[0] - y[1]), j[1] = -y[1] / 77.27, j[2] = 0.161;
    j[3] = 77.27 * (1 - y[0]), j[4] = -(1 + y[0]) / 77.27;
    j[7] = 1 / 77.27, j[8] = -0.161;
}

static const ivp ivp_orego = {
    .name = "orego",
    .n = 3,
    .t_end = 360,
    .f = orego_f,
    .df = orego_df,
    .y0 = {1, 2, 3},
    .reference = {0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3},
    .atol_factor = 1,
};

/* ---- vdpol: Van der Pol's oscillator, eps = 1e-6 --------------------------------------------- */

static inline void vdpol_f(double t, const double *y, double *f)
{
    (void)t;
    f[0] = y[1];
    f[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
}

static inline void vdpol_df(double t, const double *y, double *j)
{
    (void)t;
    j[1] = (-2 * y[0] * y[1] - 1) / 1e-6;
    j[2] = 1, j[3] = (1 - y[0] * y[0]) / 1e-6;
}

static const ivp ivp_vdpol = {
    .name = "vdpol",
    .n = 2,
    .t_end = 2,
    .f = vdpol_f,
    .df = vdpol_df,
    .y0 = {2, 0},
    .reference = {0.1706167732170483e1, -0.8928097010247975},
    .atol_factor = 1,
};

/* ---- chemakzo: chemical process of Akzo Nobel, index 1 --------------------------------------- */

static inline void chemakzo_rates(const double *y, double *r, double *f_in)
{
    double y2 = y[1] > 0 ? y[1] : 0;
    r[0] = 18.7 * pow(y[0], 4) * sqrt(y2);
    r[1] = 0.58 * y[2] * y[3];
    r[2] = 0.58 / 34.4 * y[0] * y[4];
    r[3] = 0.09 * y[0] * y[3] * y[3];
    r[4] = 0.42 * y[5] * y[5] * sqrt(y2);
    *f_in = 3.3 * (0.9 / 737 - y[1]);
}

static inline void chemakzo_f(double t, const double *y, double *f)
{
    double r[5], in;
    (void)t;
    chemakzo_rates(y, r, &in);
    f[0] = -2 * r[0] + r[1] - r[2] - r[3];
    f[1] = -0.5 * r[0] - r[3] - 0.5 * r[4] + in;
    f[2] = r[0] - r[1] + r[2];
    f[3] = -r[1] + r[2] - 2 * r[3];
    f[4] = r[1] - r[2] + r[4];
    f[5] = 115.83 * y[0] * y[3] - y[5];
}

static inline void chemakzo_df(double t, const double *y, double *j)
{
    (void)t;
    double s = sqrt(y[1] > 0 ? y[1] : 0);
    double r11 = 4 * 18.7 * pow(y[0], 3) * s, r12 = 0.5 * 18.7 * pow(y[0], 4) / s;
    double r23 = 0.58 * y[3], r24 = 0.58 * y[2];
    double r31 = 0.58 / 34.4 * y[4], r35 = 0.58 / 34.4 * y[0];
    double r41 = 0.09 * y[3] * y[3], r44 = 2 * 0.09 * y[0] * y[3];
    double r52 = 0.5 * 0.42 * y[5] * y[5] / s, r56 = 2 * 0.42 * y[5] * s;
    j[0] = -2 * r11 - r31 - r41, j[1] = -0.5 * r11 - r41, j[2] = r11 + r31, j[3] = r31 - 2 * r41;
    j[4] = -r31, j[5] = 115.83 * y[3];
    j[6] = -2 * r12, j[7] = -0.5 * r12 - 0.5 * r52 - 3.3, j[8] = r12, j[10] = r52;
    j[12] = r23, j[14] = -r23, j[15] = -r23, j[16] = r23;
    j[18] = r24 - r44, j[19] = -r44, j[20] = -r24, j[21] = -r24 - 2 * r44, j[22] = r24;
    j[23] = 115.83 * y[0];
    j[24] = -r35, j[26] = r35, j[27] = r35, j[28] = -r35;
    j[31] = -0.5 * r56, j[34] = r56, j[35] = -1;
}

static inline void chemakzo_mass(double *m)
{
    for (int i = 0; i < 5; i++) m[i + 6 * i] = 1;
}

static const ivp ivp_chemakzo = {
    .name = "chemakzo",
    .n = 6,
    .t_end = 180,
    .f = chemakzo_f,
    .df = chemakzo_df,
    .mass = chemakzo_mass,
    .y0 = {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007},
    .reference = {0.1150794920661702, 0.1203831471567715e-2, 0.1611562887407974,
                  0.3656156421249283e-3, 0.1708010885264404e-1, 0.4873531310307455e-2},
    .atol_factor = 1,
    .differential = {1, 1, 1, 1, 1, 0},
};

/* ---- transamp: transistor amplifier, index 1 with a singular mass matrix --------------------- */

static inline double transamp_g(double x)
{
    return 1e-6 * (exp(x / 0.026) - 1);
}

static inline void transamp_f(double t, const double *y, double *f)
{
    const double ub = 6, r0 = 1000, r = 9000, a = 0.99;
    double ue = 0.1 * sin(200 * 3.141592653589793 * t);
    double g1 = transamp_g(y[1] - y[2]), g2 = transamp_g(y[4] - y[5]);
    f[0] = -ue / r0 + y[0] / r0;
    f[1] = -ub / r + y[1] * 2 / r - (a - 1) * g1;
    f[2] = -g1 + y[2] / r;
    f[3] = -ub / r + y[3] / r + a * g1;
    f[4] = -ub / r + y[4] * 2 / r - (a - 1) * g2;
    f[5] = -g2 + y[5] / r;
    f[6] = -ub / r + y[6] / r + a * g2;
    f[7] = y[7] / r;
}

static inline void transamp_df(double t, const double *y, double *j)
{
    const double r0 = 1000, r = 9000, a = 0.99;
    (void)t;
    double d1 = 1e-6 / 0.026 * exp((y[1] - y[2]) / 0.026);
    double d2 = 1e-6 / 0.026 * exp((y[4] - y[5]) / 0.026);
    j[0] = 1 / r0;
    j[9] = 2 / r - (a - 1) * d1, j[10] = -d1, j[11] = a * d1;
    j[17] = (a - 1) * d1, j[18] = d1 + 1 / r, j[19] = -a * d1;
    j[27] = 1 / r;
    j[36] = 2 / r - (a - 1) * d2, j[37] = -d2, j[38] = a * d2;
    j[44] = (a - 1) * d2, j[45] = d2 + 1 / r, j[46] = -a * d2;
    j[54] = 1 / r;
    j[63] = 1 / r;
}

static inline void transamp_mass(double *m)
{
    m[0] = -1e-6, m[8] = 1e-6, m[1] = 1e-6, m[9] = -1e-6;
    m[18] = -2e-6;
    m[27] = -3e-6, m[35] = 3e-6, m[28] = 3e-6, m[36] = -3e-6;
    m[45] = -4e-6;
    m[54] = -5e-6, m[62] = 5e-6, m[55] = 5e-6, m[63] = -5e-6;
}

static const ivp ivp_transamp = {
    .name = "transamp",
    .n = 8,
    .t_end = 0.2,
    .f = transamp_f,
    .df = transamp_df,
    .mass = transamp_mass,
    .y0 = {0, 3, 3, 6, 3, 3, 6, 0},
    .reference = {-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1,
                  0.2926422536206241e1, 0.2704617865010554e1, 0.2761837778393145e1,
                  0.4770927631616772e1, 0.1236995868091548e1},
    .atol_factor = 1,
    .differential = {1, 1, 1, 1, 1, 1, 1, 1},
};

/* ---- as a vinc_problem ----------------------------------------------------------------------- */

typedef struct ivp_user {
    const ivp *p;
    double m[IVP_N * IVP_N];
    long calls;
} ivp_user;

static inline int ivp_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    ivp_user *u = user;
    int n = u->p->n;
    double f[IVP_N];
    u->calls++;
    u->p->f(t, y, f);
    if (!u->p->mass) {
        for (int i = 0; i < n; i++) r[i] = yp[i] - f[i];
        return 0;
    }
    for (int i = 0; i < n; i++) r[i] = -f[i];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) r[i] += u->m[i + n * j] * yp[j];
    return 0;
}

static inline int ivp_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                               double *dyp)
{
    ivp_user *u = user;
    int n = u->p->n;
    (void)yp;
    memset(dy, 0, (size_t)(n * n) * sizeof *dy);
    u->p->df(t, y, dy);
    for (int k = 0; k < n * n; k++) dy[k] = -dy[k];
    memcpy(dyp, u->m, (size_t)(n * n) * sizeof *dyp);
    return 0;
}

static inline int ivp_rhs(void *user, double t, double *y, double *yp)
{
    ivp_user *u = user;
    u->calls++;
    u->p->f(t, y, yp);
    return 0;
}

static inline vinc_problem ivp_problem(const ivp *p, ivp_user *u, bool jacobian)
{
    vinc_problem q = {.n = p->n, .residual = ivp_residual, .user = u};
    *u = (ivp_user){.p = p};
    if (p->mass) p->mass(u->m);
    else
        for (int i = 0; i < p->n; i++) u->m[i + p->n * i] = 1;
    if (p->mass) q.differential = p->differential;
    if (!p->mass) q.rhs = ivp_rhs;
    if (jacobian) q.jacobian = ivp_jacobian;
    return q;
}

/* Consistent y' at the start: f where the mass matrix is the identity. The two index-1 problems
 * have values of their own. */
static inline void ivp_start(const ivp *p, double *y, double *yp)
{
    memcpy(y, p->y0, (size_t)p->n * sizeof *y);
    memset(yp, 0, (size_t)p->n * sizeof *yp);
    double f[IVP_N];
    p->f(0, y, f);
    if (!p->mass) memcpy(yp, f, (size_t)p->n * sizeof *yp);
    if (p->f == chemakzo_f) {
        memcpy(yp, f, 5 * sizeof *yp);
        yp[5] = 115.83 * (f[0] * y[3] + y[0] * f[3]); // the algebraic equation differentiated
    }
    if (p->f == transamp_f) { // values of the test set
        const double d[8] = {51.338775,   51.338775,          -3 / (2e-6 * 9000), -24.9757667,
                             -24.9757667, -3 / (4e-6 * 9000), -10.00564453,       -10.00564453};
        memcpy(yp, d, sizeof d);
    }
}

/* Digits in the worst component (mixed: relative above atol/rtol, absolute below), as the test
 * set's mescd with atol = rtol * atol_factor. */
static inline double ivp_digits(const ivp *p, const double *y)
{
    double worst = 0;
    for (int i = 0; i < p->n; i++)
        worst =
            fmax(worst, fabs(y[i] - p->reference[i]) / (p->atol_factor + fabs(p->reference[i])));
    return -log10(fmax(worst, 1e-16));
}

#endif
