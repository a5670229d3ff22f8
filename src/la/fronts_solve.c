/* Triangular solutions with the factors of fronts.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/fronts.h"

#include "la/simd.h"

#include <stdlib.h>

typedef struct sweeping { // of one part
    const la_fronts *f;
    const double *factors; // L or U
    double *x, *rest;
} sweeping;

/* Loops over rows go four at a time and so past the end by up to three: there x is of no use, and `by` is 0. */
enum { LANES = LA_FRONTS_LANES };

/* x -= the rows below a square, times what `by` holds of each of their columns. */
SIMD_INLINE void subtract_rows(double *restrict x, const double *a, const double *by, int n,
                               int count)
{
    double y[LANES];
    for (int k = 0; k < count; k++) y[k] = by[k];
    for (int i = 0; i < n; i += LANES, a += count * LANES) {
        simd4 sum = *(const simd4 *)a * y[0];
        for (int k = 1; k < count; k++) sum += *(const simd4 *)(a + k * LANES) * y[k];
        *(simd4 *)(x + i) -= sum;
    }
}

/* The dot products of such columns with `by`. */
SIMD_INLINE simd4 dots(const double *a, const double *by, int n, int count)
{
    simd4 sum[LANES] = {0}, turned[LANES];
    for (int i = 0; i < n; i += LANES, a += count * LANES) {
        simd4 y = *(const simd4 *)(by + i);
        for (int k = 0; k < count; k++) sum[k] += *(const simd4 *)(a + k * LANES) * y;
    }
    simd4_turn(sum[0], sum[1], sum[2], sum[3], turned);
    return (turned[0] + turned[1]) + (turned[2] + turned[3]);
}

/* One node while a sweep passes it. */
typedef struct passing {
    int own, rest, rows;
    const double *a; // its factors
    const int *row;
    double *x; // its own unknowns
} passing;

SIMD_INLINE passing pass(const sweeping *z, int v, size_t at)
{
    const la_fronts *f = z->f;
    int own = la_fronts_own(f, v), rest = la_fronts_rest(f, v), rows = own + rest;
    const double *a = z->factors + at;
    return (passing){own, rest, rows, a, f->row + f->start[v], z->x + f->first[v]};
}

/* Up to four unknowns, y, from the diagonal on; n follow. */
SIMD_INLINE void forward_group(double *y, const double *l, int n, int count)
{
    for (int k = 1; k < count; k++)
        for (int j = 0; j < k; j++) y[k] -= l[j * count + k] * y[j];
    subtract_rows(y + count, l + count * count, y, n, count);
}

SIMD_INLINE void backward_group(double *y, const double *u, int n, int count)
{
    simd4 sum = dots(u + count * count, y + count, n, count);
    for (int k = count - 1; k >= 0; k--) {
        const double *row = u + k * count;
        double mine = y[k] - sum[k];
        for (int j = k + 1; j < count; j++) mine -= row[j] * y[j];
        y[k] = mine * row[k];
    }
}

SIMD_INLINE void forward(const sweeping *z, int v)
{
    passing p = pass(z, v, z->f->at[v]);
    double *w = z->rest; // its own unknowns and what it changes, as in the factors
    const double *a = p.a;
    int k = 0, whole = p.own / LANES * LANES;
    for (int i = 0; i < p.own; i++) w[i] = p.x[i];
    for (int i = p.own; i < p.rows; i++) w[i] = 0;
    for (; k < whole; k += LANES) {
        forward_group(w + k, a, p.rows - k - LANES, LANES);
        a += la_fronts_group_size(p.own, p.rest, k);
    }
    if (p.own - k == 3) forward_group(w + k, a, p.rest, 3);
    else if (p.own - k == 2) forward_group(w + k, a, p.rest, 2);
    else if (p.own - k == 1) forward_group(w + k, a, p.rest, 1);
    for (int i = 0; i < p.own; i++) p.x[i] = w[i];
    for (int i = 0; i < p.rest; i++) z->x[p.row[i]] += w[p.own + i];
}

SIMD_INLINE void backward(const sweeping *z, int v)
{
    passing p = pass(z, v, la_fronts_upper(z->f, v));
    double *w = z->rest;
    const double *a = p.a;
    int k = p.own / LANES * LANES;
    for (int i = 0; i < p.own; i++) w[i] = p.x[i];
    for (int i = 0; i < p.rest; i++) w[p.own + i] = z->x[p.row[i]];
    for (int i = 0; i < LANES; i++) w[p.rows + i] = 0;
    if (p.own - k == 3) backward_group(w + k, a, p.rest, 3);
    else if (p.own - k == 2) backward_group(w + k, a, p.rest, 2);
    else if (p.own - k == 1) backward_group(w + k, a, p.rest, 1);
    if (k < p.own) a += la_fronts_group_size(p.own, p.rest, k);
    for (k -= LANES; k >= 0; k -= LANES) {
        backward_group(w + k, a, p.rows - k - LANES, LANES);
        a += la_fronts_group_size(p.own, p.rest, k);
    }
    for (int i = 0; i < p.own; i++) p.x[i] = w[i];
}

/* Nodes with one unknown that change equally many others, n of them: what they change, and what changes them. */
SIMD_INLINE void forward_alike(double *x, double *own, const double *l, const int *row, int rest,
                               int n)
{
    for (int v = 0; v < n; v++, l += 1 + rest, row += rest) {
        double mine = own[v];
        int i = 0;
        for (; i + LANES <= rest; i += LANES) {
            simd4 change = *(const simd4 *)(l + 1 + i) * mine;
            x[row[i]] -= change[0];
            x[row[i + 1]] -= change[1];
            x[row[i + 2]] -= change[2];
            x[row[i + 3]] -= change[3];
        }
        for (; i < rest; i++) x[row[i]] -= l[1 + i] * mine;
    }
}

SIMD_INLINE void backward_alike(const double *x, double *own, const double *u, const int *row,
                                int rest, int n)
{
    row += (size_t)n * (size_t)rest;
    for (int v = n - 1; v >= 0; v--, u += 1 + rest) {
        row -= rest;
        simd4 sum = {0};
        int i = 0;
        for (; i + LANES <= rest; i += LANES) {
            simd4 y = {x[row[i]], x[row[i + 1]], x[row[i + 2]], x[row[i + 3]]};
            sum += *(const simd4 *)(u + 1 + i) * y;
        }
        double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        for (; i < rest; i++) total += u[1 + i] * x[row[i]];
        own[v] = (own[v] - total) * u[0];
    }
}

/* Along a chain, where each unknown changes only the next one, the factors are inverse pivot and L, or
 * U, of one after the other (of U from the last on). Each unknown is b - l times the one before it, and would wait for
 * it: of four the last is found from the one before them by one product and one sum, the others on the way. */
SIMD_INLINE double chain_last(const double b[4], const double l[4], double before)
{
    double by_sums = b[3] - l[3] * (b[2] - l[2] * (b[1] - l[1] * b[0]));
    return by_sums + l[0] * l[1] * (l[2] * l[3]) * before;
}

SIMD_INLINE void forward_chain(const double *f, double *x, int n)
{
    double last = x[0];
    for (; n >= 4; n -= 4, f += 8, x += 4) {
        double l[4] = {f[1], f[3], f[5], f[7]}, before = last;
        last = chain_last(x + 1, l, before);
        x[1] = x[1] - l[0] * before;
        x[2] = x[2] - l[1] * x[1];
        x[3] = x[3] - l[2] * x[2];
        x[4] = last;
    }
    for (int k = 0; k < n; k++) x[k + 1] = last = x[k + 1] - f[2 * k + 1] * last;
}

SIMD_INLINE void backward_chain(const double *f, double *x, int n)
{
    double last = x[n];
    for (; n >= 4; n -= 4, f += 8) {
        double *y = x + n - 4, before = last;
        double b[4] = {y[3] * f[0], y[2] * f[2], y[1] * f[4], y[0] * f[6]};
        double u[4] = {f[1] * f[0], f[3] * f[2], f[5] * f[4], f[7] * f[6]};
        last = chain_last(b, u, before);
        y[3] = b[0] - u[0] * before;
        y[2] = b[1] - u[1] * y[3];
        y[1] = b[2] - u[2] * y[2];
        y[0] = last;
    }
    for (int k = n - 1; k >= 0; k--, f += 2) x[k] = last = x[k] * f[0] - f[1] * f[0] * last;
}

SIMD_CLONES static void sweep_up(const sweeping *z, int begin, int end)
{
    const la_fronts *f = z->f;
    for (int v = begin, n; v < end; v += n) {
        n = abs(f->stretch[v]);
        if (n == 0) {
            forward(z, v);
            n = 1;
            continue;
        }
        passing p = pass(z, v, f->at[v]);
        if (f->stretch[v] > 0) forward_chain(p.a, p.x, n);
        else if (p.rest == LANES) forward_alike(z->x, p.x, p.a, p.row, LANES, n);
        else forward_alike(z->x, p.x, p.a, p.row, p.rest, n);
    }
}

SIMD_CLONES static void sweep_down(const sweeping *z, int begin, int end)
{
    const la_fronts *f = z->f;
    for (int v = end - 1; v >= begin; v--) {
        int stretch = f->stretch[v], n = abs(stretch);
        if (n == 0) {
            backward(z, v);
            continue;
        }
        size_t at = la_fronts_upper(f, v); // the last one is the first among the factors
        v -= n - 1;
        passing p = pass(z, v, at);
        if (stretch > 0) backward_chain(p.a, p.x, n);
        else if (p.rest == LANES) backward_alike(z->x, p.x, p.a, p.row, LANES, n);
        else backward_alike(z->x, p.x, p.a, p.row, p.rest, n);
    }
}

static sweeping sweep_begin(const la_fronts_sweep *z, const double *factors, int worker)
{
    const la_fronts *f = z->f;
    return (sweeping){f, factors, z->x, z->rest + (size_t)worker * la_fronts_room(f)};
}

/* Outer unknowns of a part: how many, and where they lie in the part above. */
static int sweep_outer(const la_fronts *f, const la_fronts_part *p, const int **to)
{
    *to = f->outer_row + (p->outer - f->n);
    return la_fronts_rest(f, p->end - 1);
}

/* What a part begins with on the way up. */
static void part_load(const la_fronts_sweep *z, int k)
{
    const la_fronts *f = z->f;
    const la_fronts_part *p = &f->part[k];
    const int *to, *order = f->order;
    for (int i = f->first[p->begin]; i < f->first[p->end]; i++)
        z->x[i] = z->b[order[i]] * z->weight[order[i]];
    for (int i = 0, n = sweep_outer(f, p, &to); i < n; i++) z->x[p->outer + i] = 0;
    for (int c = f->tree.child[k]; c >= 0; c = f->tree.sibling[c]) {
        const double *from = z->x + f->part[c].outer;
        for (int i = 0, n = sweep_outer(f, &f->part[c], &to); i < n; i++) z->x[to[i]] += from[i];
    }
}

static void part_up(void *job, int k, int worker)
{
    unsigned long before = simd_flush_begin();
    const la_fronts_sweep *z = job;
    sweeping s = sweep_begin(z, z->lower, worker);
    part_load(z, k);
    sweep_up(&s, z->f->part[k].begin, z->f->part[k].end);
    simd_flush_end(before);
}

/* What a part takes from those above it on the way down, and gives in the end. */
static void part_fetch(const la_fronts_sweep *z, int k)
{
    const int *from;
    const la_fronts_part *p = &z->f->part[k];
    for (int i = 0, n = sweep_outer(z->f, p, &from); i < n; i++) z->x[p->outer + i] = z->x[from[i]];
}

static void part_store(const la_fronts_sweep *z, int k)
{
    const la_fronts *f = z->f;
    const la_fronts_part *p = &f->part[k];
    for (int i = f->first[p->begin]; i < f->first[p->end]; i++) z->b[f->order[i]] = z->x[i];
}

static void part_down(void *job, int k, int worker)
{
    unsigned long before = simd_flush_begin();
    const la_fronts_sweep *z = job;
    sweeping s = sweep_begin(z, z->upper, worker);
    part_fetch(z, k);
    sweep_down(&s, z->f->part[k].begin, z->f->part[k].end);
    part_store(z, k);
    simd_flush_end(before);
}

void la_fronts_solve(const la_fronts_sweep *z, crew *c)
{
    crew_climb(c, &z->f->tree, part_up, (void *)z);
    crew_descend(c, &z->f->tree, part_down, (void *)z);
}
