/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/gmres.h"

#include "la/shared.h"

#include "la/simd.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A whole cycle that leaves more than this of the residual: the next ones would, too. */
static const double CYCLE_STAGNANT = 0.9;
/* A vector of which no more than this is left by orthogonalisation has lost digits: once more. */
static const double LEFT_ONCE_MORE = 1e-3;
/* ... and of which less than this is left has nothing new: the space holds the solution. */
static const double LEFT_NOTHING = 1e2 * DBL_EPSILON;

void la_gmres_layout(la_gmres *s, bump *b)
{
    size_t n = (size_t)s->n, m = (size_t)s->restart;
    s->basis = bump_double(b, (m + 1) * n);
    s->b = bump_double(b, n);
    s->x = bump_double(b, n);
    s->hessenberg = bump_double(b, (m + 1) * m);
    double **small[] = {&s->cosine, &s->sine, &s->g, &s->z, &s->u};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) *small[i] = bump_double(b, m + 1);
}

/* ---- vectors --------------------------------------------------------------------------------- */

SIMD_CLONES static double gmres_dot(const double *x, const double *y, int n)
{
    simd4 a = {0}, b = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        a += *(const simd4 *)(x + i) * *(const simd4 *)(y + i);
        b += *(const simd4 *)(x + i + 4) * *(const simd4 *)(y + i + 4);
    }
    a += b;
    double sum = (a[0] + a[1]) + (a[2] + a[3]);
    for (; i < n; i++) sum += x[i] * y[i];
    return sum;
}

SIMD_CLONES static void gmres_subtract(double *to, const double *from, double x, int n)
{
    simd_subtract(to, from, x, n);
}

/* The mean of the products. */
static double gmres_mean(const la_gmres *s, const double *x, const double *y)
{
    double sum = gmres_dot(x, y, s->n);
    int n = shared_size(s->shared, s->n);
    shared_sum(s->shared, &sum, 1);
    return sum / (n > 0 ? n : 1);
}

static double gmres_norm(const la_gmres *s, const double *x)
{
    return sqrt(gmres_mean(s, x, x));
}

/* In the root mean square, a unit vector has length 1 and the product of two is their mean. */
static double orthogonalise(const la_gmres *s, double *w, int k, double *h)
{
    int n = s->n;
    for (int i = 0; i <= k; i++) {
        const double *v = s->basis + (size_t)i * (size_t)n;
        double x = gmres_mean(s, v, w);
        h[i] += x;
        gmres_subtract(w, v, x, n);
    }
    return gmres_norm(s, w);
}

static void gmres_scale(double *to, const double *from, double by, int n)
{
    for (int i = 0; i < n; i++) to[i] = by * from[i];
}

/* ---- the small problem ----------------------------------------------------------------------- */

static double *column_of(const la_gmres *s, int k)
{
    return s->hessenberg + (size_t)k * (size_t)(s->restart + 1);
}

/* Column k of the Hessenberg matrix to triangular form; the residual that is left. */
static double gmres_rotate(la_gmres *s, int k)
{
    double *h = column_of(s, k);
    for (int i = 0; i < k; i++) {
        double x = s->cosine[i] * h[i] + s->sine[i] * h[i + 1];
        h[i + 1] = s->cosine[i] * h[i + 1] - s->sine[i] * h[i];
        h[i] = x;
    }
    double length = hypot(h[k], h[k + 1]);
    s->cosine[k] = length > 0 ? h[k] / length : 1;
    s->sine[k] = length > 0 ? h[k + 1] / length : 0;
    h[k] = length;
    s->g[k + 1] = -s->sine[k] * s->g[k];
    s->g[k] *= s->cosine[k];
    return fabs(s->g[k + 1]);
}

/* x := R^-1 b, n by n. */
static void solve_upper(const la_gmres *s, const double *b, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= column_of(s, j)[i] * x[j];
        x[i] = sum / column_of(s, i)[i];
    }
}

/* The smallest singular value of R: z solves R^T z = d with signs of d that make it large, and u = R^-1 z
 * is longer by about its inverse (A. K. Cline, C. B. Moler, G. W. Stewart, J. H. Wilkinson, SIAM J.
 * Numer. Anal. 16 (1979) 368-375). */
static double gmres_smallest(const la_gmres *s, int n)
{
    double zz = 0, uu = 0;
    for (int i = 0; i < n; i++) {
        const double *r = column_of(s, i);
        double sum = 0;
        for (int j = 0; j < i; j++) sum += r[j] * s->z[j];
        if (!(r[i] > 0)) return 0;
        s->z[i] = (sum > 0 ? -1 - sum : 1 - sum) / r[i];
    }
    solve_upper(s, s->z, n, s->u);
    for (int i = 0; i < n; i++) {
        zz += s->z[i] * s->z[i];
        uu += s->u[i] * s->u[i];
    }
    return sqrt(zz / uu);
}

/* ---- solving --------------------------------------------------------------------------------- */

static bool is_enough(la_gmres *s, double residual, double tol, double least)
{
    s->error = residual > 0 ? residual / s->smallest : 0;
    return s->error <= tol || residual <= least;
}

/* One cycle from the residual in basis[0] of this size: x is improved. The number of vectors, or < 0
 * when a product ended it. */
static int gmres_cycle(la_gmres *s, la_product *product, void *user, double residual, double tol,
                       double least, bool *done)
{
    int n = s->n, k = 0;
    gmres_scale(s->basis, s->basis, 1 / residual, n);
    s->g[0] = residual;
    while (k < s->restart && s->iterations < s->iterations_max && !*done) {
        double *h = column_of(s, k), *v = s->basis + (size_t)k * (size_t)n, *w = v + n;
        s->status = product(user, v, w);
        if (s->status) return -1;
        s->iterations++;
        memset(h, 0, (size_t)(k + 2) * sizeof *h);
        double before = gmres_norm(s, w), left = orthogonalise(s, w, k, h);
        if (left < LEFT_ONCE_MORE * before) left = orthogonalise(s, w, k, h);
        bool nothing = !(left > LEFT_NOTHING * before);
        h[k + 1] = nothing ? 0 : left;
        if (!nothing) gmres_scale(w, w, 1 / left, n);
        double now = gmres_rotate(s, k);
        double smallest = gmres_smallest(s, k + 1);
        if (!(smallest > 0)) break; // singular in this space: without its last vector
        k++;
        s->smallest = s->smallest > 0 ? fmin(s->smallest, smallest) : smallest;
        *done = is_enough(s, now, tol, least);
        if (nothing) break;
    }
    solve_upper(s, s->g, k, s->u);
    for (int i = 0; i < k; i++) gmres_subtract(s->x, s->basis + (size_t)i * (size_t)n, -s->u[i], n);
    return k;
}

/* basis[0] := b - A x */
static int gmres_residual(la_gmres *s, la_product *product, void *user)
{
    s->status = product(user, s->x, s->basis);
    for (int i = 0; i < s->n; i++) s->basis[i] = s->b[i] - s->basis[i];
    return s->status;
}

int la_gmres_solve(la_gmres *s, la_product *product, void *user, double *b, double tol,
                   double relative)
{
    size_t bytes = (size_t)s->n * sizeof *b;
    double residual = gmres_norm(s, b), least = relative * residual;
    bool done = residual == 0 || (s->smallest > 0 && is_enough(s, residual, tol, 0));
    s->iterations = s->status = 0;
    if (done) {
        if (residual == 0) s->error = 0;
        memset(b, 0, bytes);
        return GMRES_DONE;
    }
    memcpy(s->b, b, bytes);
    memcpy(s->basis, b, bytes);
    memset(s->x, 0, bytes);
    while (residual < INFINITY) {
        int k = gmres_cycle(s, product, user, residual, tol, least, &done);
        if (k < 0) return GMRES_STOPPED;
        if (done) {
            memcpy(b, s->x, bytes);
            return GMRES_DONE;
        }
        double before = residual;
        if (gmres_residual(s, product, user)) return GMRES_STOPPED;
        residual = gmres_norm(s, s->basis);
        if (s->smallest > 0 && is_enough(s, residual, tol, least)) {
            memcpy(b, s->x, bytes);
            return GMRES_DONE;
        }
        if (!k || s->iterations >= s->iterations_max || !(residual < CYCLE_STAGNANT * before))
            break;
    }
    return GMRES_STAGNANT;
}

void la_gmres_forget(la_gmres *s)
{
    s->smallest *= 2;
}
