/* ModelicaFFT: the discrete Fourier transform of a real signal.
 *
 * Decimation in time for any number of points (J. W. Cooley and J. W. Tukey, Math. Comput. 19 (1965)
 * 297-301): n = p m points are p transforms of every p-th of them, joined by the n-th roots of unity.
 * The roots are taken from one table, each of which is exact to rounding, so that errors grow like
 * log n (W. M. Gentleman and G. Sande, AFIPS Fall Joint Computer Conf. 29 (1966) 563-578).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"

#include <math.h>

typedef struct transform {
    const double *u;
    int n;
    const double *root; // exp(-2 pi i k/n), real and imaginary parts
    double *few;        // of the largest factor, likewise
} transform;

static int least_factor(int n)
{
    for (int p = 2; p <= n / p; p++)
        if (n % p == 0) return p;
    return n;
}

/* The transform of u[first], u[first + stride], ... (n of them) to x. */
static void transform_part(const transform *t, int first, int stride, int n, double *x)
{
    if (n == 1) {
        x[0] = t->u[first];
        x[1] = 0;
        return;
    }
    int p = least_factor(n), m = n / p;
    for (int r = 0; r < p; r++)
        transform_part(t, first + r * stride, stride * p, m, x + 2 * (size_t)r * m);
    for (int k = 0; k < m; k++) {
        for (int q = 0; q < p; q++) {
            double re = 0, im = 0;
            for (int r = 0; r < p; r++) {
                const double *a = x + 2 * ((size_t)r * m + k);
                int64_t turn = (int64_t)r * (k + q * m) % n * stride;
                const double *w = t->root + 2 * turn;
                re += a[0] * w[0] - a[1] * w[1];
                im += a[0] * w[1] + a[1] * w[0];
            }
            t->few[2 * q] = re;
            t->few[2 * q + 1] = im;
        }
        for (int q = 0; q < p; q++) {
            x[2 * ((size_t)q * m + k)] = t->few[2 * q];
            x[2 * ((size_t)q * m + k) + 1] = t->few[2 * q + 1];
        }
    }
}

/* Octants are computed by small angles, so that the roots 1, i, -1 ... are exact. */
static void root_of_unity(int k, int n, double *w)
{
    const double PI = 3.14159265358979323846;
    int64_t eighth = 8 * (int64_t)k / n, over = 8 * (int64_t)k - eighth * n; // in [0, n)
    bool mirrored = eighth % 2;
    double angle = PI / 4 * (double)(mirrored ? n - over : over) / n, c = cos(angle),
           s = sin(angle);
    bool turned = (eighth + 1) / 2 % 2; // quadrants begin at every second octant
    double x = turned ? s : c, y = turned ? c : s;
    w[0] = eighth >= 2 && eighth < 6 ? -x : x;
    w[1] = eighth < 4 ? -y : y;
}

/* u, nu, work, nwork, amplitudes, phases. The amplitude is divided by the number of frequencies, as
 * the library does. */
static bool real_fourier(external_call *c)
{
    const external_value *u = &c->arg[0], *a = &c->arg[4], *phi = &c->arg[5];
    int n = u->n;
    *c->result = n % 2 ? 1 : 0;
    if (n % 2) return true;
    if (a->n != n / 2 + 1 || phi->n != a->n || c->arg[1].at[0] != n || !c->m) {
        *c->result = 3;
        return true;
    }
    size_t bytes = 6 * (size_t)n * sizeof(double);
    double *room = n ? mem_try(c->m, bytes) : NULL;
    for (int k = 0; k < a->n; k++) a->at[k] = phi->at[k] = 0;
    if (!room) {
        *c->result = n ? 3 : 0;
        return true;
    }
    for (int k = 0; k < n; k++) root_of_unity(k, n, room + 2 * k);
    double *x = room + 2 * (size_t)n;
    transform t = {u->at, n, room, room + 4 * (size_t)n};
    transform_part(&t, 0, 1, n, x);
    for (int k = 0; k < a->n; k++) {
        a->at[k] = hypot(x[2 * k], x[2 * k + 1]) / a->n;
        phi->at[k] = atan2(x[2 * k + 1], x[2 * k]);
    }
    mem_free(c->m, room, bytes);
    return true;
}

const external_function external_fourier[] = {
    {.name = "ModelicaFFT_kiss_fftr", .types = "iRiRiRR", .value = real_fourier}, {0}};
