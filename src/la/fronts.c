/* Sparse LU by dense fronts, pivots along the diagonal.
 *
 * For large matrices with a full diagonal and a nearly symmetric pattern, as of balances in chains,
 * networks and grids. Everything is planned and allocated once (fronts.h); a factorisation is a
 * walk over the tree, most of it in BLAS, a solution streams through the factors twice.
 *
 * Nothing is exchanged: where a diagonal entry is far too small, a backend that pivots takes over
 * for this matrix, and for good when it happens again and again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/fronts.h"
#include "la/blas_turn.h"

#include "base/bump.h"
#include "la/backends.h"
#include "la/simd.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* A pivot serves while it is not smaller than this part of the largest entry of its column, and
 * while none has grown beyond this size from rows of size 1: of sixteen digits ten are left, which
 * is plenty for the corrections of an iteration. */
static const double PIVOT_OF_COLUMN_MIN = 1e-5, ENTRY_GROWTH_MAX = 1e6;
enum { BLOCK_COLUMNS = 32, ROWS_FOR_BLAS_MIN = 48, FAILURES_MAX = 3 };

typedef struct fronts {
    la_fronts f;
    double *factors, *stack;
    double *weight; // of the rows: powers of two
    double *x;      // a vector in the order of elimination
    double *rest;   // ... and its part that a node changes
    int *local;     // the row of an unknown in the present front
    size_t bytes;
    void *block;
    int failures;     // matrices that needed other pivots
    bool elsewhere;   // the factors are the other's
    la_solver *other; // pivots
} fronts;

static size_t fronts_layout(fronts *z, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)z->f.n;
    z->factors = bump_double(&b, z->f.at[z->f.n_nodes]);
    z->stack = bump_double(&b, z->f.stack);
    z->weight = bump_double(&b, n);
    z->x = bump_double(&b, n);
    z->rest = bump_double(&b, (size_t)z->f.widest);
    z->local = bump_int(&b, n);
    return bump_end(&b);
}

static int fronts_take_other(la_solver *s)
{
    fronts *z = s->state;
    la_config c = s->config;
    c.blocks = 1;  // it is given one after another
    c.work = NULL; // counted here
    c.backend = la_choose_pivoting(z->f.work)->name;
    return z->other ? LA_OK : la_new(s->m, &c, &z->other);
}

static int fronts_open(la_solver *s)
{
    fronts *z = mem_try(s->m, sizeof *z);
    if (!z) return LA_E_MEMORY;
    *z = (fronts){0};
    s->state = z;
    int status = la_fronts_plan(&z->f, s->m, s->config.pattern, s->config.work_max);
    if (status || !s->config.n) return status;
    s->work = z->f.work;
    la_set_work(s, z->f.n_updates, z->f.n_entries);
    if (!z->f.suits) return fronts_take_other(s);
    z->bytes = fronts_layout(z, NULL);
    z->block = mem_try(s->m, z->bytes);
    if (!z->block) return LA_E_MEMORY;
    fronts_layout(z, z->block);
    return LA_OK;
}

static void fronts_close(la_solver *s)
{
    fronts *z = s->state;
    la_free(z->other);
    la_fronts_free(&z->f);
    if (z->block) mem_free(s->m, z->block, z->bytes);
    mem_free(s->m, z, sizeof *z);
}

/* ---- one front ------------------------------------------------------------------------------- */

SIMD_INLINE double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* Unknowns begin ... end - 1 of a front, whose columns before `last` they change; false when a
 * pivot fails. */
SIMD_CLONES static bool eliminate_columns(double *a, int rows, int begin, int end, int last)
{
    for (int k = begin; k < end; k++) {
        double *col = a + (size_t)k * (size_t)rows;
        if (!(fabs(col[k]) >= PIVOT_OF_COLUMN_MIN * largest(col + k, rows - k)) || col[k] == 0)
            return false;
        double inv = col[k] = 1 / col[k];
        for (int i = k + 1; i < rows; i++) col[i] *= inv;
        for (int j = k + 1; j < last; j++) {
            double *to = a + (size_t)j * (size_t)rows;
            if (to[k] != 0) simd_subtract(to + k + 1, col + k + 1, to[k], rows - k - 1);
        }
    }
    return true;
}

/* The first `own` unknowns of a front. */
static bool fronts_eliminate(double *a, int rows, int own)
{
    if (rows < ROWS_FOR_BLAS_MIN) return eliminate_columns(a, rows, 0, own, rows);
    for (int k = 0; k < own; k += BLOCK_COLUMNS) {
        int end = k + BLOCK_COLUMNS < own ? k + BLOCK_COLUMNS : own, width = end - k,
            left = rows - end;
        if (!eliminate_columns(a, rows, k, end, end)) return false;
        if (!left) break;
        double *diagonal = a + (size_t)k * (size_t)rows + k;
        double *right = a + (size_t)end * (size_t)rows + k;
        bool turn = la_blas_begin();
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, left, 1,
                    diagonal, rows, right, rows);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, left, left, width, -1,
                    diagonal + width, rows, right, rows, 1, right + width, rows);
        la_blas_end(turn);
    }
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Rows are brought near 1; false when an entry is not finite. */
static bool fronts_weigh(fronts *z, const vinc_pattern *p, const double *a, const double *m,
                         double c)
{
    double *w = z->weight, sum = 0;
    memset(w, 0, (size_t)z->f.n * sizeof *w);
    for (int k = 0; k < p->nnz; k++) {
        double size = fabs(m ? a[k] + c * m[k] : a[k]), *most = &w[p->row[k]];
        *most = size > *most ? size : *most;
        sum += size;
    }
    if (!(sum < INFINITY)) return false;
    for (int i = 0; i < z->f.n; i++) w[i] = la_weight(w[i]);
    return true;
}

/* The entries of the matrix and the updates of the children, which lie below the front. Where the
 * first of these lies. */
static double *fronts_assemble(fronts *z, int v, const vinc_pattern *p, const double *a,
                               const double *m, double c, double *front)
{
    const la_fronts *f = &z->f;
    int own = la_fronts_own(f, v), rows = own + la_fronts_rest(f, v);
    memset(front, 0, (size_t)rows * (size_t)rows * sizeof *front);
    for (int e = f->entries[v]; e < f->entries[v + 1]; e++) {
        int k = f->entry[e];
        front[f->place[e]] = (m ? a[k] + c * m[k] : a[k]) * z->weight[p->row[k]];
    }
    for (int k = 0; k < own; k++) z->local[f->first[v] + k] = k;
    for (int k = own; k < rows; k++) z->local[f->row[f->start[v] + k - own]] = k;
    double *below = front;
    for (int child = f->child[v]; child >= 0; child = f->sibling[child]) {
        int n = la_fronts_rest(f, child);
        const int *row = f->row + f->start[child];
        below -= (size_t)n * (size_t)n;
        const double *update = below;
        for (int j = 0; j < n; j++, update += n) {
            double *to = front + (size_t)z->local[row[j]] * (size_t)rows;
            for (int i = 0; i < n; i++) to[z->local[row[i]]] += update[i];
        }
    }
    return below;
}

/* Factors to their place, the update to where the children's were. */
static double *put_away(const fronts *z, int v, const double *front, double *below)
{
    const la_fronts *f = &z->f;
    size_t own = (size_t)la_fronts_own(f, v), rest = (size_t)la_fronts_rest(f, v);
    size_t rows = own + rest;
    double *l = z->factors + f->at[v], *u = l + rows * own;
    memcpy(l, front, rows * own * sizeof *l);
    for (size_t j = 0; j < rest; j++) {
        const double *col = front + (own + j) * rows;
        for (size_t k = 0; k < own; k++) u[j + k * rest] = col[k];
        memmove(below, col + own, rest * sizeof *below);
        below += rest;
    }
    return below;
}

/* A link of a chain: one unknown that changes one other and is changed by one at most. */
static bool fronts_is_link(const la_fronts *f, int v)
{
    int child = f->child[v];
    return la_fronts_own(f, v) == 1 && la_fronts_rest(f, v) == 1 &&
           (child < 0 || (la_fronts_rest(f, child) == 1 && f->sibling[child] < 0));
}

/* assemble, eliminate and put_away for a link; the new top of the stack, NULL: the pivot fails. */
static double *factor_link(const fronts *z, int v, const vinc_pattern *p, const double *a,
                           const double *m, double c, double *top)
{
    const la_fronts *f = &z->f;
    double front[4] = {0}, *l = z->factors + f->at[v];
    for (int e = f->entries[v]; e < f->entries[v + 1]; e++) {
        int k = f->entry[e];
        front[f->place[e]] = (m ? a[k] + c * m[k] : a[k]) * z->weight[p->row[k]];
    }
    if (f->child[v] >= 0) front[0] += *--top;
    if (!(fabs(front[0]) >= PIVOT_OF_COLUMN_MIN * fabs(front[1])) || front[0] == 0) return NULL;
    l[0] = 1 / front[0];
    l[1] = front[1] * l[0];
    l[2] = front[2];
    *top = -l[1] * l[2];
    return top + 1;
}

static bool factor_here(la_solver *s, const double *a, const double *m, double c)
{
    fronts *z = s->state;
    const la_fronts *f = &z->f;
    double *top = z->stack, least = INFINITY, most = 0;
    for (int v = 0; v < f->n_nodes; v++) {
        int own = la_fronts_own(f, v), rows = own + la_fronts_rest(f, v);
        if (fronts_is_link(f, v)) {
            top = factor_link(z, v, s->config.pattern, a, m, c, top);
            if (!top) return false;
        } else {
            double *front = top, *below = fronts_assemble(z, v, s->config.pattern, a, m, c, front);
            if (!fronts_eliminate(front, rows, own)) return false;
            top = put_away(z, v, front, below);
        }
        const double *l = z->factors + f->at[v];
        for (int k = 0; k < own; k++) {
            double pivot = fabs(l[(size_t)k * (size_t)(rows + 1)]); // its inverse
            least = pivot < least ? pivot : least;
            most = pivot > most ? pivot : most;
        }
    }
    s->pivot_ratio = least / most;
    return least * ENTRY_GROWTH_MAX >= 1;
}

static int fronts_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    fronts *z = s->state;
    (void)im;
    s->defect = -1;
    if (!s->config.n) return LA_OK;
    if (z->f.suits && z->failures < FAILURES_MAX) {
        z->elsewhere = false;
        if (!fronts_weigh(z, s->config.pattern, a, m, re)) return s->defect = 0, LA_SINGULAR;
        if (factor_here(s, a, m, re)) return s->n_refactor++, LA_OK;
        z->failures++;
        int status = fronts_take_other(s);
        if (status) return status;
    }
    z->elsewhere = true;
    int status = la_factor(z->other, a, m, re, 0);
    s->defect = z->other->defect;
    s->pivot_ratio = z->other->pivot_ratio;
    return status;
}

/* ---- the backend ----------------------------------------------------------------------------- */

static void fronts_solve(la_solver *s, double *b)
{
    fronts *z = s->state;
    const int *order = z->f.order;
    if (z->elsewhere) {
        la_solve(z->other, b);
        return;
    }
    for (int k = 0; k < z->f.n; k++) z->x[k] = b[order[k]] * z->weight[order[k]];
    la_fronts_sweep(&z->f, z->factors, z->x, z->rest);
    for (int k = 0; k < z->f.n; k++) b[order[k]] = z->x[k];
}

const la_backend la_backend_fronts = {
    .name = "fronts",
    .summary = "sparse LU by dense fronts, pivots along the diagonal",
    .plans = true,
    .open = fronts_open,
    .close = fronts_close,
    .factor = fronts_factor,
    .solve = fronts_solve,
};
