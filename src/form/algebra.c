/* SPDX-License-Identifier: BSD-3-Clause */
#include "form/algebra.h"

#include "base/bump.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

/* The matrices of all rows, where they are not those of the motion alone. */
static void layout_whole(form_motion *x, const form_mechanical *q, bump *b)
{
    form_whole *w = &x->whole;
    *w = (form_whole){q->n + q->n_followers,
                      q->m + q->n_laws,
                      q->n + q->n_laws,
                      q->m + q->n_followers,
                      x->M,
                      x->B,
                      x->G,
                      x->rd,
                      x->rc};
    if (!q->n_followers && !q->n_laws) return;
    size_t n = (size_t)w->n, m = (size_t)w->m, rows = (size_t)w->rows, c = (size_t)w->constraints;
    w->M = bump_double(b, rows * n);
    w->B = bump_double(b, rows * m);
    w->G = bump_double(b, c * n);
    w->rd = bump_double(b, rows);
    w->rc = bump_double(b, c);
    x->T = bump_double(b, (size_t)q->n_followers * (size_t)(q->n + 1));
    x->S = bump_double(b, (size_t)q->n_laws * (size_t)(q->n + q->m + 1));
}

size_t form_motion_layout(form_motion *x, const form_mechanical *q, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)q->n, m = (size_t)q->m;
    *x = (form_motion){.n = q->n,
                       .m = q->m,
                       .followers = q->n_followers,
                       .massless = q->n_massless,
                       .laws = q->n_laws,
                       .kinematic = q->kinematic};
    x->M = bump_double(&b, n * n);
    x->B = bump_double(&b, n * m);
    x->G = bump_double(&b, n * m);
    x->rd = bump_double(&b, n);
    x->rc = bump_double(&b, m);
    layout_whole(x, q, &b);
    int all = x->whole.n + x->whole.m;
    size_t k = (size_t)all, big = k * k;
    x->a = bump_double(&b, (size_t)x->whole.n);
    x->lambda = bump_double(&b, (size_t)x->whole.m);
    x->acceleration = bump_int(&b, (size_t)x->whole.n);
    x->constraint = bump_int(&b, (size_t)x->whole.constraints);
    x->multiplier = bump_int(&b, (size_t)x->whole.m);
    double **big_ones[] = {&x->w1, &x->w2, &x->w3, &x->w4};
    for (int i = 0; i < 4; i++) *big_ones[i] = bump_double(&b, big);
    double **vectors[] = {&x->v1, &x->v2, &x->v3, &x->v4};
    for (int i = 0; i < 4; i++) *vectors[i] = bump_double(&b, k);
    size_t work = la_least_norm_work(all, all), svd = la_svd_work(all, all),
           null_space = la_null_work(all, all), qr = la_qr_work(all, all);
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

bool form_solve_square(form_motion *s, int n, double *square, int k, double *columns)
{
    la_qr q = {n, n, 0, square, s->v1, s->perm2, s->work};
    if (la_qr_factor(&q, FORM_RANK) < n) return false;
    for (int j = 0; j < k; j++) {
        memcpy(s->v4, columns + (size_t)j * (size_t)n, (size_t)n * sizeof *columns);
        la_qr_solve(&q, s->v4, columns + (size_t)j * (size_t)n);
    }
    return true;
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
