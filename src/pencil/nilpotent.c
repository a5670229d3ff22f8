/* Jordan chains of the nilpotent part, and how well the form is fulfilled.
 *
 * N is strictly upper triangular by blocks with block sizes s_1 >= s_2 >= ... of the staircase; its
 * blocks just above the diagonal have full column rank. A vector of level k (the k-th block) starts
 * a chain w, N w, ..., N^(k-1) w that ends in level 1. From the highest level down: continue the
 * chains from above, then start new ones in the orthogonal complement of their components in this
 * level.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "pencil/kronecker.h"

#include <math.h>
#include <string.h>

#define RESIDUAL_GROWTH_MAX 10    // times the residual without Jordan chains,
#define RESIDUAL_ROUND_OFF  1e-13 // unless it is as small as this

matrix matrix_copy(arena *a, int n, const double *x)
{
    matrix m = {n, arena_array(a, double, (size_t)n *(size_t)n)};
    if (x && n) memcpy(m.x, x, (size_t)n * (size_t)n * sizeof *x);
    return m;
}

matrix matrix_identity(arena *a, int n)
{
    matrix m = matrix_copy(a, n, NULL);
    for (int i = 0; i < n; i++) AT(&m, i, i) = 1;
    return m;
}

double matrix_norm(const matrix *m)
{
    double s = 0;
    for (int k = 0; k < m->n * m->n; k++) s += m->x[k] * m->x[k];
    return sqrt(s);
}

static matrix nilpotent_product(arena *a, const matrix *l, const matrix *r)
{
    int n = l->n;
    matrix p = matrix_copy(a, n, NULL);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n; i++) AT(&p, i, j) += AT(l, i, k) * AT(r, k, j);
    return p;
}

/* | U M V - diag(x, y) | / (|U| |M| |V|), x first. NULL: the identity. */
static double nilpotent_residual(arena *a, const pencil *o, const double *given, const double *x,
                                 const double *y)
{
    matrix m = {o->n, (double *)given}, u = {o->n, o->u}, v = {o->n, o->v};
    matrix um = nilpotent_product(a, &u, &m), p = nilpotent_product(a, &um, &v);
    int k = o->n_finite, l = o->n_infinite;
    for (int j = 0; j < o->n; j++)
        for (int i = 0; i < o->n; i++) {
            if (i < k && j < k) AT(&p, i, j) -= x ? x[i + (size_t)j * (size_t)k] : i == j;
            if (i >= k && j >= k)
                AT(&p, i, j) -= y ? y[i - k + (size_t)(j - k) * (size_t)l] : i == j;
        }
    double scale = matrix_norm(&u) * matrix_norm(&m) * matrix_norm(&v);
    return scale > 0 ? matrix_norm(&p) / scale : 0;
}

double pencil_residual(arena *a, const pencil *o, const double *f, const double *g)
{
    return fmax(nilpotent_residual(a, o, f, NULL, o->nil), nilpotent_residual(a, o, g, o->c, NULL));
}

/* ---- chains ---------------------------------------------------------------------------------- */

typedef struct chains {
    int n, count;
    double *from;   // starting vectors, n each
    int *length;    // their levels
    double *active; // the current vector of each chain
} chains;

static void nilpotent_multiply(const double *nil, int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) y[i] += nil[i + (size_t)j * (size_t)n] * x[j];
}

// New chains in level k: rows first ... first+s-1, the complement of what the others have there.
static bool start_chains(work *w, chains *c, int k, int first, int s)
{
    int old = c->count;
    la_qr qr = {.m = s, .n = old, .a = arena_array(w->a, double, s *(old + 1))};
    qr.tau = arena_array(w->a, double, s + old + 1);
    qr.perm = arena_array(w->a, int, old + 1);
    qr.work = arena_array(w->a, double, la_qr_work(s, old + 1));
    for (int j = 0; j < old; j++)
        memcpy(qr.a + (size_t)j * (size_t)s, c->active + (size_t)j * (size_t)c->n + first,
               (size_t)s * sizeof(double));
    if (old && la_qr_factor(&qr, 1e-13) < old) return false;
    for (int j = old; j < s; j++) {
        double *x = c->from + (size_t)j * (size_t)c->n;
        x[first + j] = 1;
        if (old) la_qr_apply_q(&qr, x + first, false);
        memcpy(c->active + (size_t)j * (size_t)c->n, x, (size_t)c->n * sizeof *x);
        c->length[j] = k;
    }
    c->count = s;
    return true;
}

bool pencil_chain_basis(work *w, const pencil *o, double *t)
{
    int n = o->n_infinite, first = n;
    chains c = {.n = n, .from = arena_array(w->a, double, (size_t)n *(size_t)n)};
    c.active = arena_array(w->a, double, (size_t)n *(size_t)n);
    c.length = arena_array(w->a, int, n);
    double *next = arena_array(w->a, double, n);
    for (int k = o->index; k >= 1; k--) {
        first -= w->steps[k - 1];
        for (int j = 0; j < c.count; j++) {
            double *x = c.active + (size_t)j * (size_t)n;
            nilpotent_multiply(o->nil, n, x, next);
            memcpy(x, next, (size_t)n * sizeof *x);
        }
        if (!start_chains(w, &c, k, first, w->steps[k - 1])) return false;
    }
    for (int j = 0, at = 0; j < c.count; at += c.length[j++]) {
        double *x = c.from + (size_t)j * (size_t)n;
        for (int k = c.length[j] - 1; k >= 0; k--) {
            memcpy(t + (size_t)(at + k) * (size_t)n, x, (size_t)n * sizeof *x);
            nilpotent_multiply(o->nil, n, x, next);
            memcpy(x, next, (size_t)n * sizeof *x);
        }
    }
    return true;
}

void pencil_jordan(work *w, pencil *o, const double *f, const double *g)
{
    int n = o->n_infinite, m = o->n_finite, all = w->n;
    o->residual = pencil_residual(w->a, o, f, g);
    if (!n) return;
    double *t = arena_array(w->a, double, (size_t)n *(size_t)n);
    if (!pencil_chain_basis(w, o, t)) return;

    pencil j = *o; // V := V T, U := T^-1 U in the infinite part
    j.v = matrix_copy(w->a, all, o->v).x;
    j.u = matrix_copy(w->a, all, o->u).x;
    j.nil = arena_array(w->a, double, (size_t)n *(size_t)n);
    for (int b = 0, at = 0; b < o->n_blocks; at += o->blocks[b++])
        for (int k = 1; k < o->blocks[b]; k++) j.nil[at + k - 1 + (size_t)(at + k) * (size_t)n] = 1;
    for (int i = 0; i < all; i++)
        for (int k = 0; k < n; k++) {
            double s = 0;
            for (int l = 0; l < n; l++)
                s += o->v[i + (size_t)(m + l) * (size_t)all] * t[l + (size_t)k * (size_t)n];
            j.v[i + (size_t)(m + k) * (size_t)all] = s;
        }
    double *b = arena_array(w->a, double, (size_t)n *(size_t)all);
    for (int k = 0; k < all; k++)
        memcpy(b + (size_t)k * (size_t)n, o->u + (size_t)k * (size_t)all + m,
               (size_t)n * sizeof *b);
    if (la_solve_dense(n, all, t, b, arena_array(w->a, int, n))) return;
    for (int k = 0; k < all; k++)
        memcpy(j.u + (size_t)k * (size_t)all + m, b + (size_t)k * (size_t)n, (size_t)n * sizeof *b);
    j.residual = pencil_residual(w->a, &j, f, g);
    if (!(j.residual <= fmax(RESIDUAL_ROUND_OFF, RESIDUAL_GROWTH_MAX * o->residual))) return;
    j.jordan = true;
    *o = j;
}
