/* Singular values by one-sided rotations: columns are made orthogonal in pairs until all are.
 *
 * M. R. Hestenes, J. SIAM 6 (1958) 51-90; J. Demmel & K. Veselic, SIAM J. Matrix Anal. Appl. 13 (1992)
 * 1204-1245, for the accuracy of what is small.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "browser/plain.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SWEEPS_MOST = 60 };

/* A matrix whose rows and columns may have changed places. */
typedef struct grid {
    double *at; // NULL: not wanted
    size_t down, right;
} grid;

static double *cell(grid g, int i, int j)
{
    return g.at + (size_t)i * g.down + (size_t)j * g.right;
}

static double dot(grid a, int m, int p, int q)
{
    double sum = 0;
    for (int i = 0; i < m; i++) sum += *cell(a, i, p) * *cell(a, i, q);
    return sum;
}

static void rotate(grid a, int m, int p, int q, double c, double s)
{
    for (int i = 0; i < m && a.at; i++) {
        double x = *cell(a, i, p), y = *cell(a, i, q);
        *cell(a, i, p) = c * x - s * y;
        *cell(a, i, q) = s * x + c * y;
    }
}

/* One pair; true where it was turned. */
static bool make_orthogonal(grid a, grid v, int m, int n, int p, int q)
{
    double x = dot(a, m, p, p), y = dot(a, m, q, q), xy = dot(a, m, p, q);
    if (fabs(xy) <= m * DBL_EPSILON * sqrt(x) * sqrt(y)) return false;
    double z = (y - x) / (2 * xy), t = copysign(1, z) / (fabs(z) + hypot(1, z)),
           c = 1 / hypot(1, t);
    rotate(a, m, p, q, c, c * t);
    rotate(v, n, p, q, c, c * t);
    return true;
}

static bool rotations(grid a, grid v, int m, int n)
{
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS_MOST && turned; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) turned |= make_orthogonal(a, v, m, n, p, q);
    }
    return !turned;
}

static void swap(grid a, int m, int p, int q)
{
    rotate(a, m, p, q, 0, 1); // p := -q, q := p: signs of a pair of vectors are free together
}

static void sort(grid a, grid v, int m, int n, double *sigma)
{
    for (int j = 0; j < n; j++) sigma[j] = sqrt(dot(a, m, j, j));
    for (int j = 0; j < n; j++) {
        int p = j;
        for (int i = j + 1; i < n; i++)
            if (sigma[i] > sigma[p]) p = i;
        if (p == j) continue;
        double t = sigma[j];
        sigma[j] = sigma[p];
        sigma[p] = t;
        swap(a, m, j, p);
        swap(v, n, j, p);
    }
}

/* Column j: the unit vector that lies least in the columns before it, less what does; twice is enough
 * (B. N. Parlett, The Symmetric Eigenvalue Problem, section 6.9). */
static void complete(grid u, int m, int j)
{
    int best = 0;
    double least = INFINITY, size = 0;
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int k = 0; k < j; k++) sum += *cell(u, i, k) * *cell(u, i, k);
        if (sum < least) least = sum, best = i;
    }
    for (int i = 0; i < m; i++) *cell(u, i, j) = i == best;
    for (int k = 0; k < 2 * j; k++) {
        double part = dot(u, m, k % j, j);
        for (int i = 0; i < m; i++) *cell(u, i, j) -= part * *cell(u, i, k % j);
    }
    size = sqrt(dot(u, m, j, j));
    for (int i = 0; i < m; i++) *cell(u, i, j) /= size;
}

static void left_vectors(grid a, grid u, int m, int n, const double *sigma)
{
    for (int j = 0; j < m; j++) {
        if (j >= n || sigma[j] <= DBL_MIN) complete(u, m, j);
        else
            for (int i = 0; i < m; i++) *cell(u, i, j) = *cell(a, i, j) / sigma[j];
    }
}

/* The largest entry becomes one near 1, so that no square leaves the range. */
static double brought_near_one(grid a, int m, int n)
{
    double largest = 0;
    int e = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) largest = fmax(largest, fabs(*cell(a, i, j)));
    if (largest > 0) frexp(largest, &e);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) *cell(a, i, j) = ldexp(*cell(a, i, j), -e);
    return ldexp(1, e);
}

void plain_dgesvd(const char *job_u, const char *job_vt, const int *m, const int *n, double *a,
                  const int *lda, double *sigma, double *u, const int *ldu, double *vt,
                  const int *ldvt, double *work, const int *size, int *info)
{
    bool wide = *m < *n; // then rows are made orthogonal, and the sides change places
    int tall = wide ? *n : *m, few = wide ? *m : *n;
    grid x = {a, 1, (size_t)*lda}, x_u = {*job_u == 'A' ? u : NULL, 1, (size_t)*ldu};
    grid x_v = {*job_vt == 'A' ? vt : NULL, (size_t)*ldvt, 1};
    if (wide) x = (grid){a, (size_t)*lda, 1};
    grid left = wide ? x_v : x_u, right = wide ? x_u : x_v;
    (void)work, (void)size;
    for (int i = 0; i < few && right.at; i++)
        for (int j = 0; j < few; j++) *cell(right, i, j) = i == j;
    double unit = brought_near_one(x, tall, few);
    *info = !rotations(x, right, tall, few);
    sort(x, right, tall, few, sigma);
    if (left.at) left_vectors(x, left, tall, few, sigma);
    for (int j = 0; j < few; j++) sigma[j] *= unit;
}
