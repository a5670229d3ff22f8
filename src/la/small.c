/* Dense LU for a few unknowns, by the loops that finish sparse elimination (dense_rest.h).
 *
 * For n below about 60 the call and set-up overhead of a tuned BLAS exceeds its gain. Rows are
 * scaled by powers of two, which is exact. Complex matrices keep real and imaginary parts in two
 * planes.
 *
 * G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., sections 3.4 and 3.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"

#include "base/bump.h"
#include "la/dense_rest.h"

#include <math.h>
#include <string.h>

enum { SMALL_N_MAX = 64 };

typedef struct small {
    la_rest lu;     // n by n, by columns
    double *weight; // of the rows
    size_t bytes;
} small;

static size_t small_layout(small *z, size_t n, bool is_complex, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *z);
    z->lu.a = bump_double(&b, n * n);
    z->lu.ai = is_complex ? bump_double(&b, n * n) : NULL;
    z->weight = bump_double(&b, n);
    z->lu.swaps = bump_int(&b, n);
    return bump_end(&b);
}

static int small_open(la_solver *s)
{
    small probe;
    size_t n = (size_t)s->config.n, bytes = small_layout(&probe, n, s->config.is_complex, NULL);
    small *z = mem_try(s->m, bytes);
    if (!z) return LA_E_MEMORY;
    memset(z, 0, bytes);
    small_layout(z, n, s->config.is_complex, z);
    z->lu.n = s->config.n;
    z->bytes = bytes;
    s->state = z;
    return LA_OK;
}

static void small_close(la_solver *s)
{
    small *z = s->state;
    mem_free(s->m, z, z->bytes);
}

/* The full array of A + c M (NULL: without one), and the sizes of its rows. */
static void small_load(small *z, const la_solver *s, double *restrict full, const double *a,
                       const double *m, double c)
{
    int n = s->config.n;
    const vinc_pattern *p = s->config.pattern;
    memset(full, 0, (size_t)n * (size_t)n * sizeof *full);
    for (int j = 0; j < n; j++) {
        int begin = p ? p->start[j] : j * n, end = p ? p->start[j + 1] : (j + 1) * n;
        for (int k = begin; k < end; k++) {
            int i = p ? p->row[k] : k - begin;
            double x = full[i + j * n] = (a ? a[k] : 0) + (m ? c * m[k] : 0), size = fabs(x);
            z->weight[i] = z->weight[i] > size ? z->weight[i] : size;
        }
    }
}

static void small_scale(const small *z, double *restrict full)
{
    int n = z->lu.n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) full[i + j * n] *= z->weight[i];
}

static int small_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    small *z = s->state;
    int n = z->lu.n;
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) z->weight[i] = 0, z->lu.swaps[i] = -1;
    s->defect = -1;
    small_load(z, s, z->lu.a, a, m, re);
    if (z->lu.ai) small_load(z, s, z->lu.ai, NULL, m, im);
    for (int i = 0; i < n; i++) z->weight[i] = la_weight(z->weight[i]);
    small_scale(z, z->lu.a);
    if (z->lu.ai) small_scale(z, z->lu.ai);
    if (!la_rest_factor(&z->lu, &least, &most)) {
        for (s->defect = 0; z->lu.swaps[s->defect] >= 0; s->defect++) continue;
        return LA_SINGULAR;
    }
    s->pivot_ratio = n ? least / most : 1;
    return LA_OK;
}

static void small_solve(la_solver *s, double *b)
{
    const small *z = s->state;
    int n = z->lu.n;
    double *bi = z->lu.ai ? b + n : NULL;
    for (int i = 0; i < n; i++) b[i] *= z->weight[i];
    for (int i = 0; i < n && bi; i++) bi[i] *= z->weight[i];
    if (bi) la_rest_solve_complex(&z->lu, b, bi);
    else la_rest_solve(&z->lu, b);
}

const la_backend la_backend_small = {
    .name = "small",
    .summary = "dense LU in plain loops, for a few unknowns",
    .dense = true,
    .is_complex = true,
    .n_max = SMALL_N_MAX,
    .open = small_open,
    .close = small_close,
    .factor = small_factor,
    .solve = small_solve,
};
