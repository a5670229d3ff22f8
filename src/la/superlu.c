/* Sparse LU by SuperLU: columns of like pattern are eliminated together, as dense blocks.
 *
 * J. W. Demmel, S. C. Eisenstat, J. R. Gilbert, X. S. Li, J. W. H. Liu, SIAM J. Matrix Anal. Appl.
 * 20 (1999) 720-755. For matrices with much fill, as of equations on a two-dimensional grid,
 * several times faster than KLU. Ordered by AMD on the pattern of A + A^T, so the diagonal is
 * preferred as pivot while it is not much smaller than the largest of its column; later
 * factorisations keep the pivots of the first as far as they pass the same test, and its memory.
 *
 * Memory of the factors comes from SuperLU's own allocator.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"
#include "la/blas_turn.h"

#include "base/bump.h"

#include <amd.h>
#include <btf.h>
#include <math.h>
#include <slu_ddefs.h>
#include <string.h>

static const double DIAGONAL_OF_COLUMN_MIN = 1e-3; // of the largest in the column: still a pivot

typedef struct supernodal {
    superlu_options_t options;
    SuperLUStat_t statistics;
    SuperMatrix a, permuted, l, u;
    GlobalLU_t global;
    bool analysed, factored;
    int defect;       // a column without a row of its own: the pattern is singular; or -1
    int *start, *row; // the pattern's, which are only read
    int *order, *pivots, *tree;
    double *values, *weight;
    size_t bytes;
} supernodal;

static size_t superlu_layout(supernodal *z, size_t n, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *z);
    z->order = bump_int(&b, n);
    z->pivots = bump_int(&b, n);
    z->tree = bump_int(&b, n);
    z->values = bump_double(&b, nnz);
    z->weight = bump_double(&b, n);
    return bump_end(&b);
}

/* SuperLU does not survive a pattern of deficient rank: is it one, and where? */
static int find_defect(la_solver *s)
{
    supernodal *z = s->state;
    int n = s->config.n;
    size_t bytes = 6 * (size_t)n * sizeof(int);
    int *match = mem_try(s->m, bytes); // the column of each row
    if (!match) return LA_E_MEMORY;
    int *matched = match + n;
    double work;
    z->defect = -1;
    if (btf_maxtrans(n, n, z->start, z->row, 0, &work, match, matched) < n) {
        memset(matched, 0, (size_t)n * sizeof *matched);
        for (int i = 0; i < n; i++)
            if (match[i] >= 0) matched[match[i]] = 1;
        for (z->defect = 0; matched[z->defect]; z->defect++) continue;
    }
    mem_free(s->m, match, bytes);
    return LA_OK;
}

static int superlu_open(la_solver *s)
{
    supernodal probe = {0};
    int n = s->config.n;
    size_t nnz = (size_t)s->config.pattern->nnz;
    size_t bytes = superlu_layout(&probe, (size_t)n, nnz, NULL);
    supernodal *z = mem_try(s->m, bytes);
    if (!z) return LA_E_MEMORY;
    memset(z, 0, bytes);
    superlu_layout(z, (size_t)n, nnz, z);
    z->bytes = bytes;
    s->state = z;
    set_default_options(&z->options);
    z->options.ColPerm = MY_PERMC;
    z->options.SymmetricMode = YES;
    z->options.DiagPivotThresh = DIAGONAL_OF_COLUMN_MIN;
    StatInit(&z->statistics);
    z->start = (int *)s->config.pattern->start;
    z->row = (int *)s->config.pattern->row;
    if (!n) return LA_OK;
    int status = find_defect(s);
    if (status || z->defect >= 0) return status;
    // AMD lists what comes when, SuperLU wants when what comes; pivots is a workspace here.
    if (amd_order(n, z->start, z->row, z->pivots, NULL, NULL) < 0) return LA_E_MEMORY;
    for (int i = 0; i < n; i++) z->order[z->pivots[i]] = i;
    dCreate_CompCol_Matrix(&z->a, n, n, (int)nnz, z->values, z->row, z->start, SLU_NC, SLU_D,
                           SLU_GE);
    sp_preorder(&z->options, &z->a, z->order, z->tree, &z->permuted);
    z->analysed = true;
    return LA_OK;
}

static void forget_factors(supernodal *z)
{
    if (!z->factored) return;
    Destroy_SuperNode_Matrix(&z->l);
    Destroy_CompCol_Matrix(&z->u);
    z->factored = false;
}

static void superlu_close(la_solver *s)
{
    supernodal *z = s->state;
    forget_factors(z);
    if (z->analysed) {
        Destroy_CompCol_Permuted(&z->permuted);
        Destroy_SuperMatrix_Store(&z->a);
    }
    StatFree(&z->statistics);
    mem_free(s->m, z, z->bytes);
}

/* A + c M with rows scaled to 1; false when an entry is not finite. */
static bool superlu_load(supernodal *z, const la_solver *s, const double *a, const double *m,
                         double c)
{
    int n = s->config.n, nnz = z->start[n];
    double *restrict v = z->values, *restrict w = z->weight, sum = 0;
    for (int i = 0; i < n; i++) w[i] = 0;
    for (int k = 0; k < nnz; k++) {
        v[k] = m ? a[k] + c * m[k] : a[k];
        w[z->row[k]] = fmax(w[z->row[k]], fabs(v[k]));
        sum += fabs(v[k]);
    }
    if (!(sum < INFINITY)) return false;
    for (int i = 0; i < n; i++) w[i] = la_weight(w[i]);
    for (int k = 0; k < nnz; k++) v[k] *= w[z->row[k]];
    return true;
}

/* Smallest and largest pivot: the diagonals of the supernodes. */
static double pivot_ratio(const supernodal *z, int n)
{
    const SCformat *l = z->l.Store;
    const double *v = l->nzval;
    double least = INFINITY, most = 0;
    for (int j = 0; j < n; j++) {
        int first = l->sup_to_col[l->col_to_sup[j]];
        double pivot = fabs(v[l->nzval_colptr[j] + j - first]);
        if (!(pivot > 0) || !(pivot < INFINITY)) return 0;
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return least / most;
}

static int column_of(const supernodal *z, int n, int step)
{
    for (int j = 0; j < n; j++)
        if (z->order[j] == step) return j;
    return 0;
}

static int superlu_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    supernodal *z = s->state;
    int n = s->config.n, info = 0;
    (void)im;
    s->defect = -1;
    if (!n) return LA_OK;
    if (z->defect >= 0) return s->defect = z->defect, LA_SINGULAR;
    if (!superlu_load(z, s, a, m, re)) return s->defect = 0, LA_SINGULAR;
    z->options.Fact = z->factored ? SamePattern_SameRowPerm : DOFACT;
    if (z->factored) s->n_refactor++;
    bool turn = la_blas_begin();
    dgstrf(&z->options, &z->permuted, sp_ienv(2), sp_ienv(1), z->tree, NULL, 0, z->order, z->pivots,
           &z->l, &z->u, &z->global, &z->statistics, &info);
    la_blas_end(turn);
    z->factored = info >= 0 && info <= n;
    if (info > n || info < 0) return LA_E_MEMORY;
    s->pivot_ratio = info ? 0 : pivot_ratio(z, n);
    if (s->pivot_ratio > 0) return LA_OK;
    s->defect = info ? column_of(z, n, info - 1) : 0;
    forget_factors(z);
    return LA_SINGULAR;
}

static void superlu_solve(la_solver *s, double *b)
{
    supernodal *z = s->state;
    int n = s->config.n, info;
    if (!n) return;
    DNformat values = {.lda = n, .nzval = b};
    SuperMatrix column = {
        .Stype = SLU_DN, .Dtype = SLU_D, .Mtype = SLU_GE, .nrow = n, .ncol = 1, .Store = &values};
    for (int i = 0; i < n; i++) b[i] *= z->weight[i];
    bool turn = la_blas_begin();
    dgstrs(NOTRANS, &z->l, &z->u, z->order, z->pivots, &column, &z->statistics, &info);
    la_blas_end(turn);
}

const la_backend la_backend_superlu = {
    .name = "superlu",
    .summary = "sparse LU by dense blocks (SuperLU), for much fill",
    .plans = true,
    .open = superlu_open,
    .close = superlu_close,
    .factor = superlu_factor,
    .solve = superlu_solve,
};
