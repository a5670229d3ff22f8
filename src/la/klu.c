/* Sparse LU by KLU: block triangular form, minimum degree, then left-looking elimination.
 *
 * T. A. Davis, E. Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36:1-36:17.
 *
 * The first factorisation chooses pivots; later ones repeat them (refactor), which is several times
 * cheaper. Values drift along a run, so pivots that were good may stop being so: the reciprocal
 * pivot growth is compared with what it was when the pivots were chosen, and a large fall calls for
 * new pivots.
 *
 * Two orderings, the better one by the entries of the factors it gives at the first factorisation.
 * Minimum degree on A + A^T is the better one while pivots stay on the diagonal (circuits, grids).
 * With zeros there (multipliers of constraints) pivots leave it, and factors can grow without
 * bound; column minimum degree bounds them for every choice of pivots. So that one comes first, and
 * the other is tried where it promises much less.
 *
 * Memory of the symbolic and numeric objects comes from SuiteSparse's own allocator.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"

#include "base/bump.h"

#include <klu.h>
#include <math.h>
#include <string.h>

/* A refactorisation may lose this much of the growth that full pivoting reached. */
static const double GROWTH_KEPT_MIN = 1e-3;
/* Symmetric minimum degree is tried if it promises less than this share of the entries. */
static const double SYMMETRIC_FILL_MAX = 0.7;
enum { BY_SYMMETRY, BY_COLUMNS }; // orderings, as KLU numbers them

typedef struct sparse {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    bool ordered;       // the ordering has been chosen
    double growth;      // reciprocal pivot growth when the pivots were chosen
    int *start, *row;   // the pattern's: SuiteSparse only reads them
    double *values, *b; // pairs when complex
    size_t bytes;
} sparse;

static size_t klu_layout(sparse *z, size_t n, size_t nnz, size_t pair, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *z);
    z->values = bump_double(&b, pair * nnz);
    z->b = bump_double(&b, pair * n);
    return bump_end(&b);
}

static int klu_backend_open(la_solver *s)
{
    sparse probe = {0};
    size_t n = (size_t)s->config.n, pair = s->config.is_complex ? 2 : 1;
    size_t nnz = (size_t)s->config.pattern->nnz;
    size_t bytes = klu_layout(&probe, n, nnz, pair, NULL);
    sparse *z = mem_try(s->m, bytes);
    if (!z) return LA_E_MEMORY;
    memset(z, 0, bytes);
    klu_layout(z, n, nnz, pair, z);
    z->bytes = bytes;
    s->state = z;
    klu_defaults(&z->common);
    z->start = (int *)s->config.pattern->start;
    z->row = (int *)s->config.pattern->row;
    if (!n) return LA_OK;
    z->common.ordering = BY_COLUMNS;
    z->symbolic = klu_analyze((int)n, z->start, z->row, &z->common);
    // A structurally singular pattern is reported by the first factorisation, with its column.
    if (!z->symbolic && z->common.status != KLU_SINGULAR) return LA_E_MEMORY;
    return LA_OK;
}

static void free_factors(la_solver *s, klu_numeric **numeric)
{
    sparse *z = s->state;
    if (s->config.is_complex) klu_z_free_numeric(numeric, &z->common);
    else klu_free_numeric(numeric, &z->common);
}

static void klu_backend_close(la_solver *s)
{
    sparse *z = s->state;
    free_factors(s, &z->numeric);
    klu_free_symbolic(&z->symbolic, &z->common);
    mem_free(s->m, z, z->bytes);
}

static void klu_load(sparse *z, const la_solver *s, const double *a, const double *m, double re,
                     double im)
{
    int nnz = z->start[s->config.n];
    double *v = z->values;
    if (s->config.is_complex) {
        for (int k = 0; k < nnz; k++) {
            v[2 * k] = m ? a[k] + re * m[k] : a[k];
            v[2 * k + 1] = m ? im * m[k] : 0;
        }
    } else if (m) {
        for (int k = 0; k < nnz; k++) v[k] = a[k] + re * m[k];
    } else {
        memcpy(v, a, (size_t)nnz * sizeof *v);
    }
}

/* Growth and the ratio of pivots; false when the factors are not finite. */
static bool klu_measure(la_solver *s, double *growth)
{
    sparse *z = s->state;
    if (s->config.is_complex) {
        klu_z_rcond(z->symbolic, z->numeric, &z->common);
        klu_z_rgrowth(z->start, z->row, z->values, z->symbolic, z->numeric, &z->common);
    } else {
        klu_rcond(z->symbolic, z->numeric, &z->common);
        klu_rgrowth(z->start, z->row, z->values, z->symbolic, z->numeric, &z->common);
    }
    s->pivot_ratio = z->common.rcond;
    *growth = z->common.rgrowth;
    return s->pivot_ratio > 0 && s->pivot_ratio<INFINITY && * growth> 0;
}

static bool klu_refactor_either(la_solver *s)
{
    sparse *z = s->state;
    int done =
        s->config.is_complex
            ? klu_z_refactor(z->start, z->row, z->values, z->symbolic, z->numeric, &z->common)
            : klu_refactor(z->start, z->row, z->values, z->symbolic, z->numeric, &z->common);
    double growth;
    if (!done || z->common.status != KLU_OK || !klu_measure(s, &growth)) return false;
    return growth >= GROWTH_KEPT_MIN * z->growth;
}

static klu_numeric *klu_factors(la_solver *s, klu_symbolic *symbolic)
{
    sparse *z = s->state;
    return s->config.is_complex ? klu_z_factor(z->start, z->row, z->values, symbolic, &z->common)
                                : klu_factor(z->start, z->row, z->values, symbolic, &z->common);
}

static double klu_entries(const klu_numeric *f)
{
    return (double)f->lnz + (double)f->unz;
}

/* Once, after the first factorisation: keep the ordering with fewer entries. */
static void choose_ordering(la_solver *s)
{
    sparse *z = s->state;
    z->ordered = true;
    z->common.ordering = BY_SYMMETRY;
    klu_symbolic *other = klu_analyze(s->config.n, z->start, z->row, &z->common);
    klu_numeric *f = NULL;
    if (other && other->lnz + other->unz < SYMMETRIC_FILL_MAX * klu_entries(z->numeric))
        f = klu_factors(s, other);
    if (f && klu_entries(f) < klu_entries(z->numeric)) {
        klu_symbolic *old = z->symbolic;
        klu_numeric *old_factors = z->numeric;
        z->symbolic = other;
        z->numeric = f;
        other = old;
        f = old_factors;
    }
    if (f) free_factors(s, &f);
    if (other) klu_free_symbolic(&other, &z->common);
    z->common.status = KLU_OK;
}

static int factor_anew(la_solver *s)
{
    sparse *z = s->state;
    free_factors(s, &z->numeric);
    z->numeric = klu_factors(s, z->symbolic);
    if (!z->numeric) {
        if (z->common.status != KLU_SINGULAR) return LA_E_MEMORY;
        s->defect = z->common.singular_col;
        return LA_SINGULAR;
    }
    if (!z->ordered) choose_ordering(s);
    if (klu_measure(s, &z->growth)) return LA_OK;
    free_factors(s, &z->numeric);
    s->defect = 0;
    return LA_SINGULAR;
}

static int klu_backend_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    sparse *z = s->state;
    s->defect = -1;
    if (!s->config.n) return LA_OK;
    if (!z->symbolic) return s->defect = 0, LA_SINGULAR;
    klu_load(z, s, a, m, re, im);
    if (z->numeric && klu_refactor_either(s)) {
        s->n_refactor++;
        return LA_OK;
    }
    return factor_anew(s);
}

static void klu_backend_solve(la_solver *s, double *b)
{
    sparse *z = s->state;
    int n = s->config.n;
    if (!n) return;
    if (!s->config.is_complex) {
        klu_solve(z->symbolic, z->numeric, n, 1, b, &z->common);
        return;
    }
    for (int i = 0; i < n; i++) z->b[2 * i] = b[i], z->b[2 * i + 1] = b[n + i];
    klu_z_solve(z->symbolic, z->numeric, n, 1, z->b, &z->common);
    for (int i = 0; i < n; i++) b[i] = z->b[2 * i], b[n + i] = z->b[2 * i + 1];
}

const la_backend la_backend_klu = {
    .name = "klu",
    .summary = "sparse LU by KLU",
    .is_complex = true,
    .open = klu_backend_open,
    .close = klu_backend_close,
    .factor = klu_backend_factor,
    .solve = klu_backend_solve,
};
