/* SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/exact.h"

#include "la/dense.h"

#include <math.h>
#include <string.h>

/* ---- small matrices -------------------------------------------------------------------------- */

// c (l by n) := a (l by m) b (m by n); a may be part of a larger matrix with leading dimension lda.
enum { PARTICULAR_UNKNOWNS_MAX = 300 };
#define RESONANCE_TOL 1e-11

static double *exact_times(arena *pool, int l, int m, int n, const double *a, int lda,
                           const double *b)
{
    double *c = arena_array(pool, double, (size_t)l *(size_t)n);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++)
            for (int i = 0; i < l; i++)
                c[i + (size_t)j * (size_t)l] +=
                    a[i + (size_t)k * (size_t)lda] * b[k + (size_t)j * (size_t)m];
    return c;
}

/* The error of the Pade approximant of degree 8 is below round-off for |A| <= 1/2 (N. J. Higham,
 * Functions of Matrices, ch. 10). */
double *pencil_exponential(arena *pool, int n, const double *a)
{
    enum { DEGREE = 8 };
    size_t size = (size_t)n * (size_t)n;
    double norm = 0;
    for (int j = 0; j < n; j++) {
        double s = 0;
        for (int i = 0; i < n; i++) s += fabs(a[i + (size_t)j * (size_t)n]);
        norm = fmax(norm, s);
    }
    int halvings = norm > 0.5 ? (int)ceil(log2(norm / 0.5)) : 0;
    double *x = arena_array(pool, double, size), *p = arena_array(pool, double, size);
    double *q = arena_array(pool, double, size), *power = arena_array(pool, double, size);
    for (size_t i = 0; i < size; i++) x[i] = ldexp(a[i], -halvings);
    for (int i = 0; i < n; i++) power[i + (size_t)i * (size_t)n] = 1;
    double c = 1;
    for (int k = 0; k <= DEGREE; k++) {
        for (size_t i = 0; i < size; i++) {
            p[i] += c * power[i];
            q[i] += (k % 2 ? -c : c) * power[i];
        }
        power = exact_times(pool, n, n, n, power, n, x);
        c *= (double)(DEGREE - k) / ((2.0 * DEGREE - k) * (k + 1));
    }
    if (la_solve_dense(n, n, q, p, arena_array(pool, int, n))) return NULL;
    for (int k = 0; k < halvings; k++) p = exact_times(pool, n, n, n, p, n, p);
    return p;
}

/* ---- solution -------------------------------------------------------------------------------- */

/* A particular solution up w of u' + C u = uw w: up S + C up = uw, one linear system. It has none
 * where h holds a mode of the system (resonance). */
static void exact_particular(arena *a, const pencil *p, const pencil_rhs *h, pencil_solution *out)
{
    int q = p->n_finite, m = h->m, n = q * m;
    if (n > PARTICULAR_UNKNOWNS_MAX) return;
    double *big = arena_array(a, double, (size_t)n *(size_t)n + 1);
    double *x = arena_array(a, double, n + 1), size = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < q; i++) {
            size_t row = (size_t)(i + j * q);
            for (int k = 0; k < m; k++)
                big[row + (size_t)(i + k * q) * (size_t)n] += h->s[k + (size_t)j * (size_t)m];
            for (int k = 0; k < q; k++)
                big[row + (size_t)(k + j * q) * (size_t)n] += p->c[i + (size_t)k * (size_t)q];
        }
    memcpy(x, out->uw, (size_t)n * sizeof *x);
    double *copy = arena_array(a, double, (size_t)n *(size_t)n + 1);
    double *sigma = arena_array(a, double, n + 1);
    memcpy(copy, big, (size_t)n * (size_t)n * sizeof *copy);
    if (la_svd(n, n, copy, sigma, NULL, NULL, arena_array(a, double, la_svd_work(n, n)))) return;
    if (n && !(sigma[n - 1] > RESONANCE_TOL * sigma[0])) return;
    if (la_solve_dense(n, 1, big, x, arena_array(a, int, n + 1))) return;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    for (int i = 0; i < n; i++)
        if (fabs(x[i]) < 1e-14 * size) x[i] = 0;
    out->up = x;
    out->k = exact_times(a, q, m, 1, x, q, h->w0);
    for (int i = 0; i < q; i++) out->k[i] = out->u0[i] - out->k[i];
}

int pencil_start(arena *a, const pencil *p, const double *x0, const double *v0,
                 pencil_solution *out)
{
    int n = p->n, q = p->n_finite, r = p->n_infinite;
    double *uv = arena_array(a, double, n);
    out->u0 = arena_array(a, double, q);
    if (x0) {
        double *copy = arena_array(a, double, (size_t)n *(size_t)n);
        memcpy(copy, p->v, (size_t)n * (size_t)n * sizeof *copy);
        memcpy(uv, x0, (size_t)n * sizeof *uv);
        if (la_solve_dense(n, 1, copy, uv, arena_array(a, int, n))) return -1;
        memcpy(out->u0, uv, (size_t)q * sizeof *uv);
        for (int i = 0; i < r; i++) out->inconsistent = hypot(out->inconsistent, uv[q + i] - v0[i]);
    }
    memcpy(uv, out->u0, (size_t)q * sizeof *uv);
    memcpy(uv + q, v0, (size_t)r * sizeof *uv);
    out->x0 = exact_times(a, n, n, 1, p->v, n, uv);
    return 0;
}

int pencil_solve(arena *a, const pencil *p, const pencil_rhs *h, const double *x0,
                 pencil_solution *out)
{
    int n = p->n, q = p->n_finite, r = p->n_infinite, m = h->m;
    *out = (pencil_solution){.p = p, .h = h};
    double *uk = exact_times(a, n, n, m, p->u, n, h->k),
           *b = arena_array(a, double, (size_t)r *(size_t)m);
    out->uw = arena_array(a, double, (size_t)q *(size_t)m);
    out->vw = arena_array(a, double, (size_t)r *(size_t)m);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < q; i++)
            out->uw[i + (size_t)j * (size_t)q] = uk[i + (size_t)j * (size_t)n];
        for (int i = 0; i < r; i++)
            b[i + (size_t)j * (size_t)r] = uk[q + i + (size_t)j * (size_t)n];
    }
    for (int k = 0; k < p->index || k == 0; k++) { // b, N b', N^2 b'' ...
        for (size_t i = 0; i < (size_t)r * (size_t)m; i++) out->vw[i] += k % 2 ? -b[i] : b[i];
        b = exact_times(a, r, m, m, b, r, h->s);
        b = exact_times(a, r, r, m, p->nil, r, b);
    }

    if (pencil_start(a, p, x0, exact_times(a, r, m, 1, out->vw, r, h->w0), out)) return -1;
    exact_particular(a, p, h, out);
    return 0;
}

int pencil_solution_at(arena *a, const pencil_solution *s, double t, double *differential,
                       double *nilpotent)
{
    const pencil *p = s->p;
    int n = p->n, q = p->n_finite, r = p->n_infinite, m = s->h->m, all = q + m;
    arena_mark before = arena_here(a);
    double *big = arena_array(a, double, (size_t)all *(size_t)all),
           *y = arena_array(a, double, all);
    for (int j = 0; j < q; j++)
        for (int i = 0; i < q; i++)
            big[i + (size_t)j * (size_t)all] = -t * p->c[i + (size_t)j * (size_t)q];
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < q; i++)
            big[i + (size_t)(q + j) * (size_t)all] = t * s->uw[i + (size_t)j * (size_t)q];
        for (int i = 0; i < m; i++)
            big[q + i + (size_t)(q + j) * (size_t)all] = t * s->h->s[i + (size_t)j * (size_t)m];
    }
    memcpy(y, s->u0, (size_t)q * sizeof *y);
    memcpy(y + q, s->h->w0, (size_t)m * sizeof *y);
    double *e = pencil_exponential(a, all, big);
    if (!e) return -1;
    double *now = exact_times(a, all, all, 1, e, all, y),
           *v = exact_times(a, r, m, 1, s->vw, r, now + q);
    double *x = exact_times(a, n, q, 1, p->v, n, now);
    memcpy(differential, x, (size_t)n * sizeof *x);
    x = exact_times(a, n, r, 1, p->v + (size_t)q * (size_t)n, n, v);
    memcpy(nilpotent, x, (size_t)n * sizeof *x);
    arena_release(a, before);
    return 0;
}
