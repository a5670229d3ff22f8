/* The four systems as a C user would write them by hand.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sparse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Entries are appended column by column. */
typedef struct matrix {
    long *start, *row, n;
    double *value;
} matrix;

static void put(matrix *a, long row, double value)
{
    a->row[a->n] = row;
    a->value[a->n++] = value;
}

/* ---- resistors, capacitors and diodes -------------------------------------------------------- */

static const double R = 1, C = 1e-3, IS = 1e-6, VT = 0.1;

static int ladder_n(int N)
{
    return N;
}

static void ladder_start(int N, double *y)
{
    for (int k = 0; k < N; k++) y[k] = 0;
}

static void ladder_f(int N, double t, const double *v, double *f)
{
    double in = (sin(t) - v[0]) / R;
    for (int k = 0; k < N; k++) {
        double out = k + 1 < N ? (v[k] - v[k + 1]) / R : 0;
        f[k] = (in - out - IS * (exp(v[k] / VT) - 1)) / C;
        in = out;
    }
}

static long ladder_jacobian(int N, const double *v, long *start, long *row, double *value)
{
    matrix a = {start, row, 0, value};
    for (int k = 0; k < N; k++) {
        start[k] = a.n;
        if (k > 0) put(&a, k - 1, 1 / (R * C));
        put(&a, k, (-(k + 1 < N ? 2 : 1) / R - IS / VT * exp(v[k] / VT)) / C);
        if (k + 1 < N) put(&a, k + 1, 1 / (R * C));
    }
    return start[N] = a.n;
}

static void ladder_component(int N, int k, char *name, size_t size)
{
    (void)N;
    snprintf(name, size, "v[%d]", k + 1);
}

/* ---- transmission line: current and voltage of each cell, in turn ---------------------------- */

static int line_n(int N)
{
    return 2 * N;
}

static void line_start(int N, double *y)
{
    for (int k = 0; k < 2 * N; k++) y[k] = 0;
}

static void line_f(int N, double t, const double *y, double *f)
{
    double before = sin(2 * t) * sin(2 * t);
    for (int k = 0; k < N; k++) {
        double i = y[2 * k], v = y[2 * k + 1];
        f[2 * k] = N * (before - v) - 0.01 * i;
        f[2 * k + 1] = N * (i - (k + 1 < N ? y[2 * k + 2] : v));
        before = v;
    }
}

static long line_jacobian(int N, const double *y, long *start, long *row, double *value)
{
    (void)y;
    matrix a = {start, row, 0, value};
    for (int k = 0; k < N; k++) {
        start[2 * k] = a.n;
        if (k > 0) put(&a, 2 * k - 1, -N);
        put(&a, 2 * k, -0.01);
        put(&a, 2 * k + 1, N);
        start[2 * k + 1] = a.n;
        put(&a, 2 * k, -N);
        put(&a, 2 * k + 1, k + 1 < N ? 0 : -N);
        if (k + 1 < N) put(&a, 2 * k + 2, N);
    }
    return start[2 * N] = a.n;
}

static void line_component(int N, int k, char *name, size_t size)
{
    (void)N;
    snprintf(name, size, "%c[%d]", k % 2 ? 'v' : 'i', k / 2 + 1);
}

/* ---- heat in a square, cold edges ------------------------------------------------------------ */

static int square_n(int N)
{
    return N * N;
}

static void heat_start(int N, double *u)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double x = (i + 1.0) / (N + 1), y = (j + 1.0) / (N + 1);
            u[i * N + j] = 16 * x * (1 - x) * y * (1 - y);
        }
}

static void heat_f(int N, double t, const double *u, double *f)
{
    (void)t;
    double c = (N + 1.0) * (N + 1.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double *at = u + i * N + j;
            double sum = -4 * at[0];
            if (i > 0) sum += at[-N];
            if (i + 1 < N) sum += at[N];
            if (j > 0) sum += at[-1];
            if (j + 1 < N) sum += at[1];
            f[i * N + j] = c * sum;
        }
}

static long heat_jacobian(int N, const double *u, long *start, long *row, double *value)
{
    (void)u;
    matrix a = {start, row, 0, value};
    double c = (N + 1.0) * (N + 1.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int k = i * N + j;
            start[k] = a.n;
            if (i > 0) put(&a, k - N, c);
            if (j > 0) put(&a, k - 1, c);
            put(&a, k, -4 * c);
            if (j + 1 < N) put(&a, k + 1, c);
            if (i + 1 < N) put(&a, k + N, c);
        }
    return start[N * N] = a.n;
}

static void heat_component(int N, int k, char *name, size_t size)
{
    snprintf(name, size, "u[%d,%d]", k / N + 1, k % N + 1);
}

/* The five-point formula is a sum over both directions, the start a product: so is the solution, of
 * two equal ones along a line, each a sum of sines. */
static void heat_exact(int N, double t, double *u)
{
    double *x = calloc((size_t)N, sizeof *x), width = M_PI / (N + 1);
    if (!x) abort();
    for (int m = 1; m <= N; m++) {
        double coefficient = 0, s = 2 * (N + 1) * sin(m * width / 2);
        if (s * s * t > 50) break;
        for (int i = 1; i <= N; i++) {
            double at = (double)i / (N + 1);
            coefficient += 4 * at * (1 - at) * sin(m * i * width);
        }
        coefficient *= 2.0 / (N + 1) * exp(-s * s * t);
        for (int i = 1; i <= N; i++) x[i - 1] += coefficient * sin(m * i * width);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) u[i * N + j] = x[i] * x[j];
    free(x);
}

/* ---- brusselator in a square, closed edges; u and v of each point, in turn ------------------- */

static const double ALPHA = 0.002;

static int brusselator_n(int N)
{
    return 2 * N * N;
}

static void brusselator_start(int N, double *y)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            y[2 * (i * N + j)] = 0.5 + (double)j / (N - 1);
            y[2 * (i * N + j) + 1] = 1 + 5.0 * i / (N - 1);
        }
}

static void brusselator_f(int N, double t, const double *y, double *f)
{
    (void)t;
    double c = ALPHA * (N - 1.0) * (N - 1.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int k = 2 * (i * N + j);
            int up = i ? -2 * N : 2 * N, down = i + 1 < N ? 2 * N : -2 * N;
            int left = j ? -2 : 2, right = j + 1 < N ? 2 : -2;
            double reaction = y[k] * y[k] * y[k + 1];
            f[k] = 1 + reaction - 4.4 * y[k];
            f[k + 1] = 3.4 * y[k] - reaction;
            for (int s = k; s <= k + 1; s++)
                f[s] += c * (y[s + up] + y[s + down] + y[s + left] + y[s + right] - 4 * y[s]);
        }
}

static long brusselator_jacobian(int N, const double *y, long *start, long *row, double *value)
{
    matrix a = {start, row, 0, value};
    double c = ALPHA * (N - 1.0) * (N - 1.0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int s = 0; s < 2; s++) {
                int p = 2 * (i * N + j), k = p + s;
                double u = y[p], v = y[p + 1];
                start[k] = a.n;
                // A row on the edge sees its one neighbour twice.
                if (i > 0) put(&a, k - 2 * N, i == 1 ? 2 * c : c);
                if (j > 0) put(&a, k - 2, j == 1 ? 2 * c : c);
                put(&a, p, s ? u * u : 2 * u * v - 4.4 - 4 * c);
                put(&a, p + 1, s ? -u * u - 4 * c : 3.4 - 2 * u * v);
                if (j + 1 < N) put(&a, k + 2, j + 2 == N ? 2 * c : c);
                if (i + 1 < N) put(&a, k + 2 * N, i + 2 == N ? 2 * c : c);
            }
    return start[2 * N * N] = a.n;
}

static void brusselator_component(int N, int k, char *name, size_t size)
{
    int p = k / 2;
    snprintf(name, size, "%c[%d,%d]", k % 2 ? 'v' : 'u', p / N + 1, p % N + 1);
}

const problem problems[] = {
    {"ladder",
     "ladder.mo",
     "n",
     10,
     {10000, 100000},
     ladder_n,
     3,
     500,
     ladder_start,
     ladder_f,
     ladder_jacobian,
     ladder_component,
     NULL},
    {"line",
     "line.mo",
     "N",
     10,
     {5000, 50000},
     line_n,
     3,
     0,
     line_start,
     line_f,
     line_jacobian,
     line_component,
     NULL},
    {"heat2d",
     "heat.mo",
     "N",
     0.1,
     {100, 316},
     square_n,
     5,
     0,
     heat_start,
     heat_f,
     heat_jacobian,
     heat_component,
     heat_exact},
    {"brusselator2d",
     "brusselator.mo",
     "N",
     11.5,
     {71, 224},
     brusselator_n,
     6,
     0,
     brusselator_start,
     brusselator_f,
     brusselator_jacobian,
     brusselator_component,
     NULL},
    {0},
};
