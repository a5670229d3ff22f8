/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/motion.h"

#include "base/bump.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

/* The matrices of all rows, where they are not those of the motion alone. */
static void layout_whole(run_motion *x, const image_mechanical *q, bump *b)
{
    motion_whole *w = &x->whole;
    *w = (motion_whole){q->n + q->n_followers,
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

size_t motion_layout(run_motion *x, const image_mechanical *q, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)q->n, m = (size_t)q->m;
    *x = (run_motion){.n = q->n,
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

void motion_multiply(int m, int n, int k, double alpha, const double *a, bool transposed,
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

void motion_transpose(int m, int n, const double *a, double *t)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) t[j + i * n] = a[i + j * m];
}

void motion_equilibrate(int m, int n, double *a, double *b)
{
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(a[i + j * m]));
        if (most == 0) continue;
        for (int j = 0; j < n; j++) a[i + j * m] /= most;
        if (b) b[i] /= most;
    }
}

bool motion_solve_square(run_motion *s, int n, double *square, int k, double *columns)
{
    la_qr q = {n, n, 0, square, s->v1, s->perm2, s->work};
    if (la_qr_factor(&q, MOTION_RANK) < n) return false;
    for (int j = 0; j < k; j++) {
        memcpy(s->v4, columns + (size_t)j * (size_t)n, (size_t)n * sizeof *columns);
        la_qr_solve(&q, s->v4, columns + (size_t)j * (size_t)n);
    }
    return true;
}

void motion_find_multipliers(run_motion *s)
{
    memcpy(s->w4, s->B, (size_t)s->n * (size_t)s->m * sizeof *s->B);
    for (int i = 0; i < s->n; i++) s->v4[i] = -s->rd[i];
    motion_multiply(s->n, s->n, 1, -1, s->M, false, s->a, true, s->v4);
    // Not scaled: a small row says little about lambda, and must not say it louder.
    if (s->m) la_least_norm(s->n, s->m, s->w4, s->v4, s->lambda, MOTION_RANK, s->work, s->perm2);
}

int motion_solve(run_motion *s, uint8_t by)
{
    switch ((image_motion)by) {
    case IMAGE_MOTION_PSEUDO_INVERSE: return motion_by_pseudo_inverse(s);
    case IMAGE_MOTION_ELIMINATION: return motion_by_elimination(s);
    default: return motion_by_null_space(s, by);
    }
}
