/* SPDX-License-Identifier: BSD-3-Clause */
#include "form/algebra.h"

#include "base/bump.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

size_t form_motion_layout(form_motion *x, int n, int m, void *block)
{
    bump b = bump_begin(block);
    size_t k = (size_t)(n + m), big = k * k;
    x->n = n;
    x->m = m;
    x->M = bump_double(&b, (size_t)n * (size_t)n);
    x->B = bump_double(&b, (size_t)n * (size_t)m);
    x->G = bump_double(&b, (size_t)n * (size_t)m);
    x->rd = bump_double(&b, (size_t)n);
    x->rc = bump_double(&b, (size_t)m);
    x->a = bump_double(&b, (size_t)n);
    x->lambda = bump_double(&b, (size_t)m);
    double **big_ones[] = {&x->w1, &x->w2, &x->w3, &x->w4};
    for (int i = 0; i < 4; i++) *big_ones[i] = bump_double(&b, big);
    double **vectors[] = {&x->v1, &x->v2, &x->v3, &x->v4};
    for (int i = 0; i < 4; i++) *vectors[i] = bump_double(&b, k);
    size_t work = la_least_norm_work(n + m, n + m), svd = la_svd_work(n + m, n + m),
           null_space = la_null_work(n + m, n + m), qr = la_qr_work(n + m, n + m);
    if (svd > work) work = svd;
    if (null_space > work) work = null_space;
    if (qr > work) work = qr;
    x->work = bump_double(&b, work);
    x->perm = bump_int(&b, k);
    x->perm2 = bump_int(&b, k);
    x->perm3 = bump_int(&b, k);
    return bump_end(&b);
}

void form_multiply(int m, int n, int k, double alpha, const double *a, bool transposed,
                   const double *b, bool add, double *c)
{
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += (transposed ? a[l + i * n] : a[i + l * m]) * b[l + j * n];
            c[i + j * m] = (add ? c[i + j * m] : 0) + alpha * sum;
        }
}

void form_transpose(int m, int n, const double *a, double *t)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) t[j + i * n] = a[i + j * m];
}

void form_equilibrate(int m, int n, double *a, double *b)
{
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(a[i + j * m]));
        if (most == 0) continue;
        for (int j = 0; j < n; j++) a[i + j * m] /= most;
        if (b) b[i] /= most;
    }
}

/* x := least-norm solution of a x = b (m by n; a is overwritten, b scaled). Rank, or -1. */
static int solve_least_norm(form_motion *s, int m, int n, double *a, double *b, double *x)
{
    if (!m || !n) {
        for (int j = 0; j < n; j++) x[j] = 0;
        return 0;
    }
    form_equilibrate(m, n, a, b);
    return la_least_norm(m, n, a, b, x, FORM_RANK, s->work, s->perm2);
}

void form_find_multipliers(form_motion *s)
{
    memcpy(s->w4, s->B, (size_t)s->n * (size_t)s->m * sizeof *s->B);
    for (int i = 0; i < s->n; i++) s->v4[i] = -s->rd[i];
    form_multiply(s->n, s->n, 1, -1, s->M, false, s->a, true, s->v4);
    // Not scaled: a small row says little about lambda, and must not say it louder.
    if (s->m) la_least_norm(s->n, s->m, s->w4, s->v4, s->lambda, FORM_RANK, s->work, s->perm2);
}

int form_by_null_space(form_motion *s, form_null_basis *basis)
{
    int n = s->n, m = s->m;
    size_t g_bytes = (size_t)n * (size_t)m * sizeof *s->G;
    double *Z = s->w1, *N = s->w2, *t = s->w3, *reduced = s->w4;
    int free = n, free_b = n;
    memset(s->a, 0, (size_t)n * sizeof *s->a);
    if (m) {
        memcpy(t, s->G, g_bytes);
        for (int i = 0; i < m; i++) s->v2[i] = -s->rc[i];
        if (solve_least_norm(s, m, n, t, s->v2, s->a) < 0) return 1;
        memcpy(t, s->G, g_bytes);
        form_equilibrate(m, n, t, NULL);
        int rank = basis(s, m, n, t, Z);
        form_transpose(n, m, s->B, t);
        form_equilibrate(m, n, t, NULL);
        int rank_b = basis(s, m, n, t, N);
        if (rank < 0 || rank_b < 0) return 1;
        free = n - rank;
        free_b = n - rank_b;
    } else {
        for (int i = 0; i < n * n; i++) Z[i] = N[i] = i % (n + 1) == 0;
    }
    if (free && free_b) {
        for (int i = 0; i < n; i++) s->v2[i] = -s->rd[i];
        form_multiply(n, n, 1, -1, s->M, false, s->a, true, s->v2);
        form_multiply(free_b, n, 1, 1, N, true, s->v2, false, s->v3);
        form_multiply(n, n, free, 1, s->M, false, Z, false, t);
        form_multiply(free_b, n, free, 1, N, true, t, false, reduced);
        int rank = solve_least_norm(s, free_b, free, reduced, s->v3, s->v2);
        if (rank < free) return 1; // M is singular on the null space of G
        form_multiply(n, free, 1, 1, Z, false, s->v2, true, s->a);
    }
    form_find_multipliers(s);
    return 0;
}
