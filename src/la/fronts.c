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

/* A pivot serves while no entry of its column is larger than it by more than this factor, and
 * while none has grown beyond this size from rows of size 1: of sixteen digits ten are left, which
 * is plenty for the corrections of an iteration. */
static const double MULTIPLIER_MAX = 1e5, ENTRY_GROWTH_MAX = 1e6;
enum { BLOCK_COLUMNS = 32, FAILURES_MAX = 3 };

typedef struct fronts {
    la_fronts f;
    double *lower, *upper;        // factors
    double *stack;                // updates, from both ends; one for each thread
    double *panels;               // of the present front, for each thread
    double *weight;               // of the rows: powers of two
    double *x;                    // a vector in the order of elimination, with outer unknowns
    double *rest;                 // ... and its part that a node changes, for each thread
    double *updates;              // of parts, if there are several threads
    double *inv_least, *inv_most; // inverse pivots of each part
    atomic_bool failed;           // a pivot
    size_t bytes;
    void *block;
    int failures;     // matrices that needed other pivots
    bool elsewhere;   // the factors are the other's
    la_solver *other; // pivots
} fronts;

static size_t fronts_stack_size(const fronts *z, int threads)
{
    return threads > 1 ? z->f.stack_of_part : z->f.stack;
}

static size_t fronts_layout(fronts *z, int threads, void *block)
{
    bump b = bump_begin(block);
    const la_fronts *f = &z->f;
    size_t n = (size_t)f->n, parts = (size_t)f->n_parts, outer = (size_t)f->n_outer;
    size_t factors = f->at[f->n_nodes] + LA_FRONTS_LANES;
    z->lower = bump_double(&b, factors);
    z->upper = bump_double(&b, factors);
    z->stack = bump_double(&b, fronts_stack_size(z, threads) * (size_t)threads);
    z->panels = bump_double(&b, f->panel * (size_t)threads);
    z->updates = bump_double(&b, threads > 1 ? f->updates : 0);
    z->inv_least = bump_double(&b, parts);
    z->inv_most = bump_double(&b, parts);
    z->weight = bump_double(&b, n);
    z->x = bump_double(&b, n + outer);
    z->rest = bump_double(&b, la_fronts_room(f) * (size_t)threads);
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
    z->bytes = fronts_layout(z, threads, NULL) + BUMP_SLACK;
    z->block = mem_try(s->m, z->bytes);
    if (!z->block) return LA_E_MEMORY;
    fronts_layout(z, threads, bump_aligned(z->block));
    for (int i = 0; i < LA_FRONTS_LANES; i++) // read, and multiplied by 0
        z->lower[z->f.at[z->f.n_nodes] + (size_t)i] = z->upper[z->f.at[z->f.n_nodes] + (size_t)i] =
            0;
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

/* c -= a b^T, or c = - a b^T, for `down` times four rows and four columns of c, which stay in registers; sums go
 * along k, as everywhere. Columns of a and b are `stride` apart. */
enum { LANES = LA_FRONTS_LANES, TILE_DOWN = 3, LINK_U = 3 * LANES };

SIMD_INLINE void product_tile(double *c, size_t stride_c, const double *a, const double *b,
                              size_t stride, int width, int down, bool first)
{
    simd4 sum[TILE_DOWN][LANES] = {0};
    for (int k = 0; k < width; k++, a += stride, b += stride)
        for (int j = 0; j < LANES; j++) {
            simd4 y = {b[j], b[j], b[j], b[j]};
            for (int i = 0; i < down; i++) sum[i][j] += *(const simd4 *)(a + LANES * i) * y;
        }
    for (int j = 0; j < LANES; j++)
        for (int i = 0; i < down; i++) {
            simd4 *to = (simd4 *)(c + (size_t)j * stride_c + LANES * i);
            if (first) *to = -sum[i][j];
            else *to -= sum[i][j];
        }
}

/* The same for n rows and m columns, multiples of four. */
SIMD_INLINE void product(double *c, size_t stride_c, const double *a, const double *b,
                         size_t stride, int width, int n, int m, bool first)
{
    for (int j = 0; j < m; j += LANES, c += LANES * stride_c, b += LANES) {
        int i = 0;
        for (; i + LANES * TILE_DOWN <= n; i += LANES * TILE_DOWN)
            product_tile(c + i, stride_c, a + i, b, stride, width, TILE_DOWN, first);
        if (i + 2 * LANES <= n) product_tile(c + i, stride_c, a + i, b, stride, width, 2, first);
        else if (i < n) product_tile(c + i, stride_c, a + i, b, stride, width, 1, first);
    }
}

/* Up to four columns of L and rows of U, from the diagonal on, to which those before have been applied: n of each.
 * False when a pivot fails. */
SIMD_INLINE bool eliminate_group(double *l, double *u, size_t stride, int n, int count)
{
    double inverse[LANES];
    simd4 most = {0};
    for (int k = 0; k < count; k++) {
        double *lk = l + (size_t)k * stride, *uk = u + (size_t)k * stride;
        if (!(fabs(lk[k]) > 0)) return false;
        lk[k] = uk[k] = inverse[k] = 1 / lk[k];
        for (int i = k + 1; i < count; i++) {
            lk[i] *= inverse[k];
            if (!(fabs(lk[i]) <= MULTIPLIER_MAX)) return false;
        }
        for (int j = k + 1; j < count; j++) {
            double *lj = l + (size_t)j * stride, *uj = u + (size_t)j * stride;
            for (int i = j; i < count; i++) lj[i] -= lk[i] * uk[j];
            for (int i = j + 1; i < count; i++) uj[i] -= uk[i] * lk[j];
        }
    }
    for (int i = LANES; i < n; i += LANES) {
        simd4 x[LANES], y[LANES];
        for (int k = 0; k < count; k++) {
            x[k] = *(simd4 *)(l + (size_t)k * stride + i);
            y[k] = *(simd4 *)(u + (size_t)k * stride + i);
            for (int j = 0; j < k; j++) {
                x[k] -= x[j] * u[(size_t)j * stride + (size_t)k];
                y[k] -= y[j] * l[(size_t)j * stride + (size_t)k];
            }
            x[k] *= inverse[k];
            most = simd4_max(most, simd4_abs(x[k]));
            *(simd4 *)(l + (size_t)k * stride + i) = x[k];
            if (k) *(simd4 *)(u + (size_t)k * stride + i) = y[k];
        }
    }
    return simd4_largest(most) <= MULTIPLIER_MAX;
}

/* A front: its panels of L and U, and the update that it leaves behind, `rest` by `rest`, which is not yet there. The
 * library that multiplies dense matrices for us elsewhere serves one thread at a time (blas_turn.h). */
SIMD_CLONES static bool eliminate_front(double *l, double *u, int own, int rest, double *update)
{
    int inner = la_fronts_padded(own), outer = la_fronts_padded(rest), rows = inner + outer;
    size_t stride = (size_t)rows;
    for (int from = 0; from < own; from += BLOCK_COLUMNS) {
        int to = from + BLOCK_COLUMNS < own ? from + BLOCK_COLUMNS : own;
        double *a = l + (size_t)from * stride, *b = u + (size_t)from * stride;
        for (int j = from; j < own; j += LANES) {
            size_t at = (size_t)j * stride + (size_t)j;
            int n = rows - j, width = (j < to ? j : to) - from;
            if (width) {
                product(l + at, stride, a + j, b + j, stride, width, n, LANES, false);
                product(u + at, stride, b + j, a + j, stride, width, n, LANES, false);
            }
            if (j >= to) continue;
            bool fine = own - j >= 4   ? eliminate_group(l + at, u + at, stride, n, 4)
                        : own - j == 3 ? eliminate_group(l + at, u + at, stride, n, 3)
                        : own - j == 2 ? eliminate_group(l + at, u + at, stride, n, 2)
                                       : eliminate_group(l + at, u + at, stride, n, 1);
            if (!fine) return false;
        }
    }
    for (int from = 0; from < own; from += BLOCK_COLUMNS) {
        size_t at = (size_t)from * stride + (size_t)inner;
        int width = own - from < BLOCK_COLUMNS ? own - from : BLOCK_COLUMNS;
        product(update, (size_t)outer, l + at, u + at, stride, width, outer, outer, !from);
    }
    return true;
}

/* A child's update, of n rows that lie at `inside` in the panels of the front: what belongs to rows and columns that
 * the front eliminates. */
SIMD_INLINE void add_column(double *to, const double *from, const int *inside, int i, int n)
{
    while (i < n)
        if (i + LANES <= n && inside[i + LANES - 1] - inside[i] == LANES - 1) {
            *(simd4 *)(to + inside[i]) += *(const simd4 *)(from + i);
            i += LANES;
        } else {
            to[inside[i]] += from[i];
            i++;
        }
}

SIMD_CLONES static void add_to_panels(double *l, double *u, size_t stride, int own,
                                      const double *update, const int *inside, int n)
{
    size_t step = (size_t)la_fronts_padded(n);
    for (int k = 0; k < n && inside[k] < own; k++) {
        size_t at = (size_t)inside[k] * stride;
        add_column(l + at, update + (size_t)k * step, inside, k, n);
        for (int j = k + 1; j < n; j++)
            u[at + (size_t)inside[j]] += update[(size_t)j * step + (size_t)k];
    }
}

/* ... and the rest, to what the front leaves behind. */
SIMD_CLONES static void add_to_update(double *to, int inner, int outer, const double *update,
                                      const int *inside, int n)
{
    size_t step = (size_t)la_fronts_padded(n);
    int first = 0;
    while (first < n && inside[first] < inner) first++;
    for (int j = first; j < n; j++)
        add_column(to + (size_t)(inside[j] - inner) * (size_t)outer - inner,
                   update + (size_t)j * step, inside, first, n);
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct factoring {
    la_solver *s;
    const double *a, *m;
    double c;
} factoring;

SIMD_INLINE double fronts_entry(const factoring *q, int k)
{
    return q->m ? q->a[k] + q->c * q->m[k] : q->a[k];
}

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
            double size = fabs(fronts_entry(q, k));
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

/* What a thread has of its own. Updates of children are on one end of its stack while that of their parent is
 * made on the other. */
typedef struct workplace {
    double *low, *high; // ends of the two stacks
    double *panels;
    bool apart; // updates of parts are kept elsewhere
} workplace;

static workplace workplace_of(const fronts *z, int threads, int worker)
{
    size_t size = fronts_stack_size(z, threads);
    double *low = z->stack + (size_t)worker * size;
    return (workplace){low, low + size, z->panels + (size_t)worker * z->f.panel, threads > 1};
}

static double *update_push(workplace *w, const fronts *z, int v)
{
    size_t size = la_fronts_update(&z->f, v);
    if (w->apart && z->f.part_of[v] >= 0) return z->updates + z->f.part[z->f.part_of[v]].update;
    return z->f.kind[v] & LA_FRONTS_HIGH ? (w->high -= size) : (w->low += size) - size;
}

/* Children are asked for from the last to the first. */
static const double *update_pop(workplace *w, const fronts *z, int v)
{
    size_t size = la_fronts_update(&z->f, v);
    if (w->apart && z->f.part_of[v] >= 0) return z->updates + z->f.part[z->f.part_of[v]].update;
    return z->f.kind[v] & LA_FRONTS_HIGH ? (w->high += size) - size : (w->low -= size);
}

/* Entries of the matrix that a front begins with, to their places. */
SIMD_INLINE void fronts_load(const factoring *q, int v, double *panels)
{
    const fronts *z = q->s->state;
    const la_fronts *f = &z->f;
    const int *row = q->s->config.pattern->row;
    for (int e = f->entries[v]; e < f->entries[v + 1]; e++) {
        int k = f->entry[e];
        panels[f->place[e]] = fronts_entry(q, k) * z->weight[row[k]];
    }
}

/* Rows i, i + 1, ... of `count` columns of a panel, of a group of the factors: four, or as many as there are. */
SIMD_INLINE void put_rows(double *to, const double *panel, int own, int rest, int i, int count)
{
    int inner = la_fronts_padded(own), padding = i < own ? 0 : inner - own;
    size_t stride = (size_t)(inner + la_fronts_padded(rest));
    bool together = i >= own || i + LANES <= own; // as they are in the panel, where zeros follow
    for (int c = 0; c < count; c++, to += LANES, panel += stride)
        if (together) *(simd4 *)to = *(const simd4 *)(panel + i + padding);
        else
            for (int k = 0; k < LANES; k++) {
                int row = i + k;
                to[k] = row < own ? panel[row] : row < own + rest ? panel[row + inner - own] : 0;
            }
}

SIMD_INLINE void put_group(double *to, const double *panel, int own, int rest, int k)
{
    size_t stride = (size_t)(la_fronts_padded(own) + la_fronts_padded(rest));
    int count = la_fronts_group(own, k);
    for (int c = 0; c < count; c++)
        for (int i = 0; i < count; i++)
            *to++ = i < c ? 0 : panel[(size_t)c * stride + (size_t)(k + i)];
    for (int i = k + count; i < own + rest; i += LANES, to += count * LANES)
        put_rows(to, panel, own, rest, i, count);
}

/* A panel to its place among the factors, the last group first if `back`. */
SIMD_CLONES static void put_away(double *to, const double *panel, int own, int rest, bool back)
{
    size_t stride = (size_t)(la_fronts_padded(own) + la_fronts_padded(rest));
    if (own == 1) {
        *to = *panel;
        for (int i = 0; i < rest; i++) to[1 + i] = panel[LANES + i];
        return;
    }
    if (back) to += la_fronts_factors(own, rest);
    for (int k = 0; k < own; k += LANES, panel += LANES * stride) {
        size_t size = la_fronts_group_size(own, rest, k);
        if (back) to -= size;
        put_group(to, panel, own, rest, k);
        if (!back) to += size;
    }
}

/* False: a pivot fails. */
static bool factor_front(const factoring *q, int v, workplace *w)
{
    const fronts *z = q->s->state;
    const la_fronts *f = &z->f;
    int own = la_fronts_own(f, v), rest = la_fronts_rest(f, v), stride = la_fronts_stride(f, v);
    size_t panel = la_fronts_panel(f, v);
    double *l = w->panels, *u = l + panel;
    memset(l, 0, 2 * panel * sizeof *l);
    fronts_load(q, v, l);
    workplace below = *w; // the children's updates stay until ours is complete
    for (int c = f->child[v]; c >= 0; c = f->sibling[c])
        add_to_panels(l, u, (size_t)stride, own, update_pop(&below, z, c), f->inside + f->start[c],
                      la_fronts_rest(f, c));
    double *update = update_push(w, z, v);
    if (!eliminate_front(l, u, own, rest, update)) return false;
    for (int c = f->child[v]; c >= 0; c = f->sibling[c])
        add_to_update(update, la_fronts_padded(own), la_fronts_padded(rest), update_pop(w, z, c),
                      f->inside + f->start[c], la_fronts_rest(f, c));
    put_away(z->lower + f->at[v], l, own, rest, false);
    put_away(z->upper + la_fronts_upper(f, v), u, own, rest, true);
    return true;
}

/* The same for a link, given what its child leaves behind; *left is what it does itself. */
SIMD_INLINE bool factor_link(const factoring *q, int v, double *left)
{
    const fronts *z = q->s->state;
    double panels[4 * LANES], *l = z->lower + z->f.at[v], *u = z->upper + la_fronts_upper(&z->f, v);
    panels[0] = panels[LANES] = panels[LINK_U] = 0;
    fronts_load(q, v, panels);
    double pivot = panels[0] + *left;
    if (!(fabs(pivot) > 0)) return false;
    l[0] = u[0] = 1 / pivot;
    l[1] = panels[LANES] * l[0];
    u[1] = panels[LINK_U];
    *left = -l[1] * u[1];
    return fabs(l[1]) <= MULTIPLIER_MAX;
}

static void pivots_take(double inverse, double *least, double *most)
{
    double pivot = fabs(inverse);
    *least = pivot < *least ? pivot : *least;
    *most = pivot > *most ? pivot : *most;
}

/* Link v and those that hang on it alone, one after the other, given what its child leaves behind: how many. 0: a
 * pivot fails. */
static int factor_chain(const factoring *q, int v, double *left, double *least, double *most)
{
    const fronts *z = q->s->state;
    const la_fronts *f = &z->f;
    double low = *least, high = *most;
    int n = 0;
    do {
        if (!factor_link(q, v, left)) return 0;
        pivots_take(z->lower[f->at[v]], &low, &high);
        n++, v++;
    } while (v < f->n_nodes && f->kind[v] & LA_FRONTS_LINK && f->child[v] == v - 1);
    *least = low;
    *most = high;
    return n;
}

/* Part k, those below it being done. */
static bool factor_part(const factoring *q, int k, workplace *w)
{
    fronts *z = q->s->state;
    const la_fronts *f = &z->f;
    double least = INFINITY, most = 0;
    for (int v = f->part[k].begin, n; v < f->part[k].end; v += n) {
        int own = la_fronts_own(f, v), rest = la_fronts_rest(f, v);
        n = 1;
        if (f->kind[v] & LA_FRONTS_LINK) {
            double left = f->child[v] >= 0 ? *update_pop(w, z, f->child[v]) : 0;
            n = factor_chain(q, v, &left, &least, &most);
            if (!n) return false;
            *update_push(w, z, v + n - 1) = left;
            continue;
        }
        if (!factor_front(q, v, w)) return false;
        const double *l = z->lower + f->at[v];
        for (int i = 0; i < own; i += LANES) {
            int count = la_fronts_group(own, i);
            for (int c = 0; c < count; c++) pivots_take(l[c * (count + 1)], &least, &most);
            l += la_fronts_group_size(own, rest, i);
        }
    }
    z->inv_least[k] = least;
    z->inv_most[k] = most;
    return true;
}

/* One of several threads. */
static void factor_part_beside(void *job, int k, int worker)
{
    const factoring *q = job;
    fronts *z = q->s->state;
    if (atomic_load(&z->failed)) return;
    workplace w = workplace_of(z, crew_size(q->s->config.crew), worker);
    if (!factor_part(q, k, &w)) atomic_store(&z->failed, true);
}

/* One thread for all. */
static bool factor_parts(const factoring *q)
{
    const fronts *z = q->s->state;
    workplace w = workplace_of(z, 1, 0);
    for (int k = 0; k < z->f.n_parts; k++)
        if (!factor_part(q, k, &w)) return false;
    return true;
}

static bool factor_here(factoring *q)
{
    la_solver *s = q->s;
    fronts *z = s->state;
    double least = INFINITY, most = 0;
    if (crew_size(s->config.crew) > 1) {
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
