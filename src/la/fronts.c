/* Sparse LU by dense fronts, pivots along the diagonal.
 *
 * For large matrices with a full diagonal and a nearly symmetric pattern, as of balances in chains,
 * networks and grids. Everything is planned and allocated once (fronts.h); a factorisation is a
 * walk over the tree, a solution streams through the factors twice.
 *
 * Nothing is exchanged: where a diagonal entry is far too small, a backend that pivots takes over
 * for this matrix, and for good when it happens again and again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/fronts.h"

#include "base/bump.h"
#include "la/backends.h"
#include "la/simd.h"

#include <math.h>
#include <string.h>

/* A pivot serves while it is not smaller than this part of the largest entry of its column, and
 * while none has grown beyond this size from rows of size 1: of sixteen digits ten are left, which
 * is plenty for the corrections of an iteration. */
static const double PIVOT_OF_COLUMN_MIN = 1e-5, ENTRY_GROWTH_MAX = 1e6;
enum { BLOCK_COLUMNS = 32, ROWS_FOR_BLOCKS_MIN = 48, FAILURES_MAX = 3 };

typedef struct fronts {
    la_fronts f;
    double *lower, *upper; // factors
    double *stack;
    double *weight;               // of the rows: powers of two
    double *x;                    // a vector in the order of elimination, with outer unknowns
    double *rest;                 // ... and its part that a node changes, for each thread
    int *local;                   // the row of an unknown in the present front; outer ones, too
    int *in_front;                // the rows of an update in a front, for each thread
    double **update;              // of each part: where it is
    double *updates;              // where it is kept, if there are several threads
    double *inv_least, *inv_most; // inverse pivots of each part
    atomic_bool failed;           // a pivot
    size_t bytes;
    void *block;
    int failures;     // matrices that needed other pivots
    bool elsewhere;   // the factors are the other's
    la_solver *other; // pivots
} fronts;

static size_t fronts_layout(fronts *z, int threads, void *block)
{
    bump b = bump_begin(block);
    const la_fronts *f = &z->f;
    size_t n = (size_t)f->n, parts = (size_t)f->n_parts, outer = (size_t)f->n_outer;
    z->lower = bump_double(&b, f->at[f->n_nodes]);
    z->upper = bump_double(&b, f->at[f->n_nodes]);
    z->stack = bump_double(&b, threads > 1 ? (size_t)threads * f->stack_of_part : f->stack);
    z->updates = bump_double(&b, threads > 1 ? f->updates : 0);
    z->update = bump_bytes(&b, parts * sizeof *z->update);
    z->inv_least = bump_double(&b, parts);
    z->inv_most = bump_double(&b, parts);
    z->weight = bump_double(&b, n);
    z->x = bump_double(&b, n + outer);
    z->rest = bump_double(&b, (size_t)threads * (size_t)f->widest);
    z->local = bump_int(&b, n + outer);
    z->in_front = bump_int(&b, (size_t)threads * (size_t)f->widest);
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
    s->dissected = z->f.dissected;
    la_set_work(s, z->f.n_updates, z->f.n_entries);
    if (!z->f.suits) return fronts_take_other(s);
    int threads = crew_size(s->config.crew);
    z->bytes = fronts_layout(z, threads, NULL);
    z->block = mem_try(s->m, z->bytes);
    if (!z->block) return LA_E_MEMORY;
    fronts_layout(z, threads, z->block);
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

/* c -= a b, for 4 x `across` numbers of c that stay in registers; sums go along k, as everywhere. */
enum { TILE_DOWN = 3, TILE_ACROSS = 4, ROWS_AT_A_TIME = 8 };

SIMD_INLINE void update_tile(double *c, const double *a, const double *b, size_t rows, int width,
                             int down, int across)
{
    simd4 sum[TILE_DOWN][TILE_ACROSS] = {0};
    for (int k = 0; k < width; k++, a += rows, b++)
        for (int j = 0; j < across; j++) {
            double x = b[(size_t)j * rows];
            simd4 xx = {x, x, x, x};
            for (int i = 0; i < down; i++) sum[i][j] += *(const simd4 *)(a + 4 * i) * xx;
        }
    for (int j = 0; j < across; j++)
        for (int i = 0; i < down; i++) *(simd4 *)(c + (size_t)j * rows + 4 * i) -= sum[i][j];
}

SIMD_INLINE void update_number(double *c, const double *a, const double *b, size_t rows, int width)
{
    double sum = 0;
    for (int k = 0; k < width; k++) sum += a[(size_t)k * rows] * b[k];
    *c -= sum;
}

SIMD_INLINE void update_columns(double *c, const double *a, const double *b, size_t rows, int width,
                                int n, int across)
{
    int i = 0;
    for (; i + 4 * TILE_DOWN <= n; i += 4 * TILE_DOWN)
        update_tile(c + i, a + i, b, rows, width, TILE_DOWN, across);
    for (; i + 4 <= n; i += 4) update_tile(c + i, a + i, b, rows, width, 1, across);
    for (; i < n; i++)
        for (int j = 0; j < across; j++)
            update_number(c + (size_t)j * rows + i, a + i, b + (size_t)j * rows, rows, width);
}

/* Rows of U to the right of a block of unknowns: right := L^-1 right, L with ones on its diagonal. By a few
 * rows at a time, for which the others are updated. */
SIMD_INLINE void solve_columns(const double *l, double *right, size_t rows, int width, int across)
{
    for (int from = 0; from < width; from += ROWS_AT_A_TIME) {
        int to = from + ROWS_AT_A_TIME < width ? from + ROWS_AT_A_TIME : width;
        for (int j = 0; j < across; j++) {
            double *x = right + (size_t)j * rows;
            for (int k = from; k < to; k++)
                for (int i = k + 1; i < to; i++) x[i] -= l[(size_t)k * rows + (size_t)i] * x[k];
        }
        update_columns(right + to, l + (size_t)from * rows + to, right + from, rows, to - from,
                       width - to, across);
    }
}

SIMD_CLONES static void solve_block(const double *l, double *right, size_t rows, int width, int n)
{
    int j = 0;
    for (; j + TILE_ACROSS <= n; j += TILE_ACROSS)
        solve_columns(l, right + (size_t)j * rows, rows, width, TILE_ACROSS);
    for (; j < n; j++) solve_columns(l, right + (size_t)j * rows, rows, width, 1);
}

/* What a block of unknowns changes: c, n x n, -= a b, all with columns of `rows`. The library that multiplies
 * dense matrices for us elsewhere serves one thread at a time (blas_turn.h). */
SIMD_CLONES static void update_rest(double *c, const double *a, const double *b, size_t rows,
                                    int width, int n)
{
    int j = 0;
    for (; j + TILE_ACROSS <= n; j += TILE_ACROSS)
        update_columns(c + (size_t)j * rows, a, b + (size_t)j * rows, rows, width, n, TILE_ACROSS);
    for (; j < n; j++)
        update_columns(c + (size_t)j * rows, a, b + (size_t)j * rows, rows, width, n, 1);
}

/* The first `own` unknowns of a front. */
static bool fronts_eliminate(double *a, int rows, int own)
{
    if (rows < ROWS_FOR_BLOCKS_MIN) return eliminate_columns(a, rows, 0, own, rows);
    for (int k = 0; k < own; k += BLOCK_COLUMNS) {
        int end = k + BLOCK_COLUMNS < own ? k + BLOCK_COLUMNS : own, width = end - k,
            left = rows - end;
        if (!eliminate_columns(a, rows, k, end, end)) return false;
        double *diagonal = a + (size_t)k * (size_t)rows + k;
        double *right = a + (size_t)end * (size_t)rows + k;
        solve_block(diagonal, right, (size_t)rows, width, left);
        update_rest(right + width, diagonal + width, right, (size_t)rows, width, left);
    }
    return true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct factoring {
    la_solver *s;
    const double *a, *m;
    double c;
} factoring;

static void weigh_rows(void *job, int from, int to, double sums[])
{
    const factoring *q = job;
    fronts *z = q->s->state;
    const la_fronts *f = &z->f;
    double sum = 0;
    for (int i = from; i < to; i++) {
        double most = 0;
        for (int e = f->of_row[i]; e < f->of_row[i + 1]; e++) {
            int k = f->row_entry[e];
            double size = fabs(q->m ? q->a[k] + q->c * q->m[k] : q->a[k]);
            most = size > most ? size : most;
            sum += size;
        }
        z->weight[i] = la_weight(most);
    }
    sums[0] = sum;
}

/* Rows are brought near 1; false when an entry is not finite. */
static bool fronts_weigh(const factoring *q)
{
    double sum;
    crew_sum(q->s->config.crew, weigh_rows, (void *)q, q->s->config.n, 1, &sum);
    return sum < INFINITY;
}

/* The entries of the matrix and the updates of the children, which lie below the front but for those of
 * other parts. Where the first of these lies. */
static double *fronts_assemble(fronts *z, int v, const vinc_pattern *p, const double *a,
                               const double *m, double c, double *front, int *in_front)
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
        int n = la_fronts_rest(f, child), part = f->part_of[child];
        const int *row =
            part < 0 ? f->row + f->start[child] : f->outer_row + (f->part[part].outer - f->n);
        if (part < 0) below -= (size_t)n * (size_t)n;
        const double *update = part < 0 ? below : z->update[part];
        for (int i = 0; i < n; i++) in_front[i] = z->local[row[i]];
        for (int j = 0; j < n; j++, update += n) {
            double *to = front + (size_t)in_front[j] * (size_t)rows;
            for (int i = 0; i < n; i++) to[in_front[i]] += update[i];
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
    double *l = z->lower + f->at[v], *u = z->upper + f->at[v];
    memcpy(l, front, rows * own * sizeof *l);
    for (size_t k = 0; k < own; k++, u += own) memcpy(u, front + k * rows, own * sizeof *u);
    for (size_t j = 0; j < rest; j++) {
        const double *col = front + (own + j) * rows;
        for (size_t k = 0; k < own; k++) u[j + k * rest] = col[k];
        memmove(below, col + own, rest * sizeof *below);
        below += rest;
    }
    return below;
}

/* eliminate and put_away for a node with one unknown, in one pass; the new top of the stack, NULL: the pivot fails. The
 * update lies before the front, or begins where it does: it is written behind what is read. */
SIMD_CLONES static double *factor_single(const fronts *z, int v, const double *front, double *below)
{
    int rows = 1 + la_fronts_rest(&z->f, v);
    double *l = z->lower + z->f.at[v], *u = z->upper + z->f.at[v];
    if (!(fabs(front[0]) >= PIVOT_OF_COLUMN_MIN * largest(front, rows)) || front[0] == 0)
        return NULL;
    l[0] = u[0] = 1 / front[0];
    for (int i = 1; i < rows; i++) l[i] = front[i] * l[0];
    for (int j = 1; j < rows; j++, below += rows - 1) {
        const double *col = front + (size_t)j * (size_t)rows;
        double x = u[j] = col[0];
        simd4 xx = {x, x, x, x};
        int i = 1;
        for (; i + 4 <= rows; i += 4)
            *(simd4 *)(below + i - 1) = *(const simd4 *)(col + i) - *(const simd4 *)(l + i) * xx;
        for (; i < rows; i++) below[i - 1] = col[i] - l[i] * x;
    }
    return below;
}

/* A link of a chain: one unknown that changes one other and is changed by one at most. */
static bool fronts_is_link(const la_fronts *f, int v)
{
    int child = f->child[v];
    return la_fronts_own(f, v) == 1 && la_fronts_rest(f, v) == 1 &&
           (child < 0 ||
            (la_fronts_rest(f, child) == 1 && f->sibling[child] < 0 && f->part_of[child] < 0));
}

/* assemble, eliminate and put_away for a link; the new top of the stack, NULL: the pivot fails. */
static double *factor_link(const fronts *z, int v, const vinc_pattern *p, const double *a,
                           const double *m, double c, double *top)
{
    const la_fronts *f = &z->f;
    double front[4] = {0}, *l = z->lower + f->at[v], *u = z->upper + f->at[v];
    for (int e = f->entries[v]; e < f->entries[v + 1]; e++) {
        int k = f->entry[e];
        front[f->place[e]] = (m ? a[k] + c * m[k] : a[k]) * z->weight[p->row[k]];
    }
    if (f->child[v] >= 0) front[0] += *--top;
    if (!(fabs(front[0]) >= PIVOT_OF_COLUMN_MIN * fabs(front[1])) || front[0] == 0) return NULL;
    l[0] = u[0] = 1 / front[0];
    l[1] = front[1] * l[0];
    u[1] = front[2];
    *top = -l[1] * u[1];
    return top + 1;
}

static void pivots_take(double inverse, double *least, double *most)
{
    double pivot = fabs(inverse);
    *least = pivot < *least ? pivot : *least;
    *most = pivot > *most ? pivot : *most;
}

/* Part k from node `v` on, those before it being done, from `top` of a stack, where its update lies
 * afterwards. */
static bool factor_from(const factoring *q, int k, int v, int worker, double *top)
{
    fronts *z = q->s->state;
    const la_fronts *f = &z->f;
    const vinc_pattern *pattern = q->s->config.pattern;
    int *in_front = z->in_front + (size_t)worker * (size_t)f->widest;
    double least = z->inv_least[k], most = z->inv_most[k];
    for (; v < f->part[k].end; v++) {
        int own = la_fronts_own(f, v), rows = own + la_fronts_rest(f, v);
        if (fronts_is_link(f, v)) {
            if (!(top = factor_link(z, v, pattern, q->a, q->m, q->c, top))) return false;
        } else {
            double *front = top;
            double *below = fronts_assemble(z, v, pattern, q->a, q->m, q->c, front, in_front);
            if (own == 1) top = factor_single(z, v, front, below);
            else top = fronts_eliminate(front, rows, own) ? put_away(z, v, front, below) : NULL;
            if (!top) return false;
        }
        const double *l = z->lower + f->at[v];
        for (int i = 0; i < own; i++) pivots_take(l[(size_t)i * (size_t)(rows + 1)], &least, &most);
    }
    z->inv_least[k] = least;
    z->inv_most[k] = most;
    return true;
}

static void part_begin(fronts *z, int k)
{
    z->inv_least[k] = INFINITY;
    z->inv_most[k] = 0;
}

static bool factor_part(const factoring *q, int k, int worker, double *top)
{
    part_begin(q->s->state, k);
    return factor_from(q, k, ((fronts *)q->s->state)->f.part[k].begin, worker, top);
}

/* The links that parts k and k + 1 begin with, along both at once, as one waits for the one before it. How many of
 * each, and what they leave; -1: a pivot fails. */
static int factor_links(const factoring *q, int k, double left[2])
{
    fronts *z = q->s->state;
    const la_fronts *f = &z->f;
    const vinc_pattern *pattern = q->s->config.pattern;
    int v = f->part[k].begin, w = f->part[k + 1].begin, n = f->chain[v], i = 0;
    double *a = left, *b = left + 1;
    if (f->chain[w] < n) n = f->chain[w];
    for (; i < n && fronts_is_link(f, v + i) && fronts_is_link(f, w + i); i++) {
        a = factor_link(z, v + i, pattern, q->a, q->m, q->c, a);
        b = factor_link(z, w + i, pattern, q->a, q->m, q->c, b);
        if (!a || !b) return -1;
        pivots_take(z->lower[f->at[v + i]], &z->inv_least[k], &z->inv_most[k]);
        pivots_take(z->lower[f->at[w + i]], &z->inv_least[k + 1], &z->inv_most[k + 1]);
    }
    return i;
}

static size_t part_update(const la_fronts *f, int k)
{
    size_t n = (size_t)la_fronts_rest(f, f->part[k].end - 1);
    return n * n;
}

/* One of several threads: on its own stack, and the update to a place of its own. */
static void factor_part_beside(void *job, int k, int worker)
{
    const factoring *q = job;
    fronts *z = q->s->state;
    double *stack = z->stack + (size_t)worker * z->f.stack_of_part;
    if (atomic_load(&z->failed)) return;
    z->update[k] = z->updates + z->f.part[k].update;
    if (factor_part(q, k, worker, stack))
        memcpy(z->update[k], stack, part_update(&z->f, k) * sizeof *stack);
    else atomic_store(&z->failed, true);
}

/* One thread for all: the update to where those of the parts below were. */
static bool factor_parts(const factoring *q)
{
    fronts *z = q->s->state;
    double *top = z->stack, left[2];
    int done = 0; // links of this part and, if it was one of two, of the next
    for (int k = 0, second = -1; k < z->f.n_parts; k++) {
        double *to = top, *from = top;
        if (k != second) {
            part_begin(z, k);
            done = 0;
            second = -1;
            if (la_fronts_twins(&z->f, k)) {
                second = k + 1;
                part_begin(z, second);
                done = factor_links(q, k, left);
                if (done < 0) return false;
            }
        }
        if (done) *from++ = left[k == second];
        if (!factor_from(q, k, z->f.part[k].begin + done, 0, from)) return false;
        for (int c = z->f.tree.child[k]; c >= 0; c = z->f.tree.sibling[c]) to = z->update[c];
        z->update[k] = to;
        memmove(to, top, part_update(&z->f, k) * sizeof *to);
        top = to + part_update(&z->f, k);
    }
    return true;
}

static bool factor_here(factoring *q)
{
    la_solver *s = q->s;
    fronts *z = s->state;
    double least = INFINITY, most = 0;
    if (s->config.crew) {
        atomic_store(&z->failed, false);
        crew_climb(s->config.crew, &z->f.tree, factor_part_beside, q);
        if (atomic_load(&z->failed)) return false;
    } else if (!factor_parts(q)) {
        return false;
    }
    for (int k = 0; k < z->f.n_parts; k++) {
        least = z->inv_least[k] < least ? z->inv_least[k] : least;
        most = z->inv_most[k] > most ? z->inv_most[k] : most;
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
        factoring q = {s, a, m, re};
        if (!fronts_weigh(&q)) return s->defect = 0, LA_SINGULAR;
        if (factor_here(&q)) return s->n_refactor++, LA_OK;
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
    if (z->elsewhere) {
        la_solve(z->other, b);
        return;
    }
    const la_fronts_sweep sweep = {&z->f, z->lower, z->upper, z->weight, b, z->x, z->rest};
    la_fronts_solve(&sweep, s->config.crew);
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
