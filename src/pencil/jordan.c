/* Jordan form of the finite part: C T = T J.
 *
 * Eigenvalues of a defective matrix are found to a fractional power of round-off only, and scatter
 * about a mean that is accurate. So eigenvalues near each other are taken as one, their mean; what
 * decides is the rank. The pencil (C - gamma I) + nu I has its infinite eigenvalues where C has
 * gamma: its staircase gives the sizes of the blocks, its Jordan chains are those of C, and both
 * ask for as many dimensions as there were eigenvalues in the group. A group that does not pass is
 * taken apart into single eigenvalues.
 *
 * For a pair a +- i b the same is done with the real matrix [C - a I, b I; -b I, C - a I], in which
 * every chain occurs twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "pencil/kronecker.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { JORDAN_MOST = 100, GROUP_MOST = 6 }; // unknowns; eigenvalues that may be one

#define GROUP_ROUND_OFF  1e-14 // relative: a group of m scatters by its m-th root
#define DEPENDENT_TOL    1e-8
#define JORDAN_RESIDUAL  1e-11
#define JORDAN_CONDITION 1e12

typedef struct former {
    arena *a;
    int n;
    const double *c;
    double size; // of C
    double tol;  // 0: by round-off
    double *re, *im, *vectors;
    double *t, *j; // n by n
    int filled;    // columns of t
    pencil *out;
} former;

/* ---- groups of eigenvalues ------------------------------------------------------------------- */

static double group_radius(const former *w, int m)
{
    return w->size * (w->tol > 0 ? w->tol : 10 * pow(GROUP_ROUND_OFF, 1.0 / m));
}

/* The members of the group of eigenvalue i: all that can be reached from it in steps of a radius.
 * Their number. */
static int gather(const former *w, int i, double radius, const bool *taken, bool *member)
{
    int count = 1, before = 0;
    memset(member, 0, (size_t)w->n * sizeof *member);
    member[i] = true;
    while (count > before) {
        before = count;
        for (int k = 0; k < w->n; k++) {
            bool near = false;
            for (int m = 0; m < w->n && !near && !member[k] && !taken[k]; m++)
                near = member[m] && hypot(w->re[k] - w->re[m], w->im[k] - w->im[m]) <= radius;
            if (near) member[k] = true, count++;
        }
    }
    return count;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static void add_block(former *w, double re, double im, int size)
{
    pencil *o = w->out;
    int b = o->n_finite_blocks++;
    o->finite_blocks[b] = size;
    o->finite_re[b] = -re; // lambda of the pencil is the negative of an eigenvalue of C
    o->finite_im[b] = im;
}

/* Columns of T and blocks of J for one chain, x[0] the eigenvector. A pair takes two columns for
 * each vector: (Re, Im) with [a b; -b a] in the diagonal. */
static void add_chain(former *w, double complex gamma, int size, const double complex *x)
{
    int n = w->n, width = cimag(gamma) != 0 ? 2 : 1;
    for (int k = 0; k < size; k++) {
        double *t = w->t + (size_t)(w->filled + k * width) * (size_t)n;
        for (int i = 0; i < n; i++) {
            double complex v = x[(size_t)k * (size_t)n + (size_t)i];
            t[i] = creal(v);
            if (width == 2) t[n + i] = cimag(v);
        }
        for (int r = 0; r < width; r++) {
            size_t col = (size_t)(w->filled + k * width + r);
            double *j = w->j + col * (size_t)n;
            j[col] = creal(gamma);
            if (width == 2 && r == 0) j[col + 1] = -cimag(gamma);
            if (width == 2 && r == 1) j[col - 1] = cimag(gamma);
            if (k) j[col - (size_t)width] = 1;
        }
    }
    w->filled += size * width;
    add_block(w, creal(gamma), cimag(gamma), size);
}

static void add_single(former *w, int i)
{
    int n = w->n;
    double complex *x = arena_array(w->a, double complex, n);
    for (int k = 0; k < n; k++) {
        x[k] = w->vectors[k + (size_t)i * (size_t)n];
        if (w->im[i] > 0) x[k] += I * w->vectors[k + (size_t)(i + 1) * (size_t)n];
    }
    add_chain(w, w->re[i] + I * w->im[i], 1, x);
}

// Take what x has of the vectors so far (orthonormal) from it; is something left?
static bool independent(int n, double complex *x, double complex *basis, int *count)
{
    double before = 0, after = 0;
    for (int i = 0; i < n; i++) before += creal(x[i] * conj(x[i]));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < *count; k++) {
            const double complex *q = basis + (size_t)k * (size_t)n;
            double complex dot = 0;
            for (int i = 0; i < n; i++) dot += conj(q[i]) * x[i];
            for (int i = 0; i < n; i++) x[i] -= dot * q[i];
        }
    for (int i = 0; i < n; i++) after += creal(x[i] * conj(x[i]));
    if (!(after > DEPENDENT_TOL * DEPENDENT_TOL * before)) return false;
    for (int i = 0; i < n; i++) basis[(size_t)*count * (size_t)n + (size_t)i] = x[i] / sqrt(after);
    ++*count;
    return true;
}

/* The blocks of an eigenvalue that occurs m times; false if the ranks say otherwise. */
static bool add_group(former *w, double complex gamma, int m)
{
    int n = w->n, copies = cimag(gamma) != 0 ? 2 : 1, size = copies * n;
    double *f = arena_array(w->a, double, (size_t)size *(size_t)size);
    double *one = arena_array(w->a, double, (size_t)size *(size_t)size);
    for (int part = 0; part < copies; part++)
        for (int j = 0; j < n; j++) {
            size_t col = (size_t)(part * n + j) * (size_t)size;
            for (int i = 0; i < n; i++)
                f[col + (size_t)(part * n + i)] = w->c[i + (size_t)j * (size_t)n];
            f[col + (size_t)(part * n + j)] -= creal(gamma);
            if (copies == 2) f[col + (size_t)((1 - part) * n + j)] = (part ? 1 : -1) * cimag(gamma);
            one[col + (size_t)(part * n + j)] = 1;
        }
    pencil p;
    if (pencil_chains(w->a, size, f, one, &p) || p.n_infinite != copies * m) return false;
    double complex *basis = arena_array(w->a, double complex, (size_t)n *(size_t)(m + 1));
    double complex *first = arena_array(w->a, double complex, n);
    int found = 0, filled = w->filled, blocks = w->out->n_finite_blocks, had = 0;
    for (int b = 0, at = 0; b < p.n_blocks; at += p.blocks[b++]) {
        double complex *x = arena_array(w->a, double complex, (size_t)n *(size_t)p.blocks[b]);
        for (int k = 0; k < p.blocks[b]; k++)
            for (int i = 0; i < n; i++) {
                const double *v = p.v + (size_t)(at + k) * (size_t)size;
                x[(size_t)k * (size_t)n + (size_t)i] = v[i] + (copies == 2 ? I * v[n + i] : 0);
            }
        memcpy(first, x, (size_t)n * sizeof *first);
        if (found == m || !independent(n, first, basis, &found)) continue;
        add_chain(w, gamma, p.blocks[b], x);
        had += p.blocks[b];
    }
    if (had == m) return true;
    w->filled = filled;
    w->out->n_finite_blocks = blocks;
    return false;
}

/* ---- the form -------------------------------------------------------------------------------- */

/* What the members have in common: their mean, which is real if a pair is whole among them. */
static double complex group_mean(const former *w, const bool *member, int m, bool pair)
{
    double complex mean = 0;
    for (int k = 0; k < w->n; k++)
        if (member[k]) mean += (w->re[k] + I * w->im[k]) / m;
    return pair ? mean : creal(mean);
}

/* The largest group of eigenvalue i that is one by its ranks; false: it stands alone. */
static bool add_largest(former *w, int i, const bool *taken, bool *member, bool *pair)
{
    int tried = 1;
    for (int most = GROUP_MOST; most > 1; most--) {
        int m = gather(w, i, group_radius(w, most), taken, member);
        if (m == tried || m < 2) continue;
        tried = m;
        *pair = w->im[i] > 0 && !member[i + 1];
        if (add_group(w, group_mean(w, member, m, *pair), m)) return true;
    }
    return false;
}

/* A group that holds conjugates is a real eigenvalue that has scattered; one of the upper half plane
 * alone stands for its mirror image as well. LAPACK lists a pair side by side, im > 0 first. */
static bool fill_groups(former *w)
{
    int n = w->n;
    bool *taken = arena_array(w->a, bool, n + 1), *member = arena_array(w->a, bool, n + 1);
    for (int i = 0; i < n; i++) {
        if (taken[i]) continue;
        bool pair = false;
        if (!add_largest(w, i, taken, member, &pair)) {
            memset(member, 0, (size_t)n * sizeof *member);
            member[i] = true;
            pair = w->im[i] > 0;
            add_single(w, i);
        }
        for (int k = 0; k < n; k++) {
            if (!member[k]) continue;
            taken[k] = true;
            if (pair) taken[k + 1] = true;
        }
    }
    return w->filled == n;
}

// T^-1 U1 in place of U1, V1 T in place of V1, J in place of C.
static bool take_form(former *w, pencil *o)
{
    int n = w->n, all = o->n;
    double *u = arena_array(w->a, double, (size_t)n *(size_t)all);
    double *v = arena_array(w->a, double, (size_t)n *(size_t)all);
    double *t = arena_array(w->a, double, (size_t)n *(size_t)n);
    double *sigma = arena_array(w->a, double, n);
    memcpy(t, w->t, (size_t)n * (size_t)n * sizeof *t);
    if (la_svd(n, n, t, sigma, NULL, NULL, arena_array(w->a, double, la_svd_work(n, n))))
        return false;
    o->finite_condition = sigma[n - 1] > 0 ? sigma[0] / sigma[n - 1] : INFINITY;
    if (!(o->finite_condition < JORDAN_CONDITION)) return false;
    memcpy(t, w->t, (size_t)n * (size_t)n * sizeof *t);
    for (int k = 0; k < all; k++)
        memcpy(u + (size_t)k * (size_t)n, o->u + (size_t)k * (size_t)all, (size_t)n * sizeof *u);
    if (la_solve_dense(n, all, t, u, arena_array(w->a, int, n))) return false;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            for (int i = 0; i < all; i++)
                v[(size_t)k * (size_t)all + (size_t)i] +=
                    o->v[(size_t)l * (size_t)all + (size_t)i] * w->t[l + (size_t)k * (size_t)n];
    for (int k = 0; k < all; k++)
        memcpy(o->u + (size_t)k * (size_t)all, u + (size_t)k * (size_t)n, (size_t)n * sizeof *u);
    memcpy(o->v, v, (size_t)n * (size_t)all * sizeof *v);
    o->c = w->j;
    return true;
}

void pencil_finite_jordan(arena *a, pencil *o, const double *f, const double *g, double tol)
{
    int n = o->n_finite;
    size_t size = (size_t)n * (size_t)n;
    if (!n || n > JORDAN_MOST) return;
    pencil j = *o;
    former w = {.a = a, .n = n, .c = o->c, .tol = tol, .out = &j};
    matrix c = {n, o->c};
    w.size = matrix_norm(&c);
    w.re = arena_array(a, double, n);
    w.im = arena_array(a, double, n);
    w.vectors = arena_array(a, double, size);
    w.t = arena_array(a, double, size);
    w.j = arena_array(a, double, size);
    j.n_finite_blocks = 0;
    j.finite_blocks = arena_array(a, int, n);
    j.finite_re = arena_array(a, double, n);
    j.finite_im = arena_array(a, double, n);
    j.u = matrix_copy(a, o->n, o->u).x;
    j.v = matrix_copy(a, o->n, o->v).x;
    double *copy = matrix_copy(a, n, o->c).x;
    if (la_eigen(n, copy, w.re, w.im, w.vectors, arena_array(a, double, la_eigen_work(n)))) return;
    if (!fill_groups(&w)) return;
    j.finite_jordan = take_form(&w, &j);
    if (j.finite_jordan) j.residual = pencil_residual(a, &j, f, g);
    if (j.finite_jordan && !(j.residual <= fmax(JORDAN_RESIDUAL, 10 * o->residual))) {
        j.finite_jordan = false;
        j.u = o->u, j.v = o->v, j.c = o->c;
        j.residual = o->residual;
    }
    *o = j;
}
