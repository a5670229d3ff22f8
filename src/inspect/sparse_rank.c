/* SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/sparse_rank.h"

#include "base/array.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

enum { DENSE_REST = 150, DENSE_REST_MAX = 1200, FILLED = 40 };
/* Pivots below this count as none: stiff parts of one array differ by eight powers of ten and more,
 * round-off in its entries stays far below. */
static const double PIVOT_MIN = 1e-12;
static const double PIVOT_LEAST = 0.1;    // of the largest entry of its row
static const double CANCELLATION = 1e-14; // what is left of two numbers that cancel

typedef struct elimination {
    arena *a;
    int m, n, n_left; // rows, columns, rows that are left
    sparse_row *row;  // n < 0: done
    int_array *in;    // by column: rows that contain it, and some that no longer do
    int *count;       // by column: rows that contain it
    int *at;          // by column: place in the row at hand, + 1
} elimination;

static void elimination_scale(elimination *x)
{
    double *most = arena_array(x->a, double, x->n);
    for (int i = 0; i < x->m; i++) {
        double size = 0;
        for (int e = 0; e < x->row[i].n; e++) size = fmax(size, fabs(x->row[i].x[e]));
        for (int e = 0; e < x->row[i].n; e++) {
            double *most_of = &most[x->row[i].col[e]];
            x->row[i].x[e] /= size;
            *most_of = fmax(*most_of, fabs(x->row[i].x[e]));
        }
    }
    for (int i = 0; i < x->m; i++)
        for (int e = 0; e < x->row[i].n; e++) x->row[i].x[e] /= most[x->row[i].col[e]];
}

static void elimination_begin(elimination *x, const sparse_row *rows, int first)
{
    x->row = arena_array(x->a, sparse_row, x->m);
    x->in = arena_array(x->a, int_array, x->n);
    x->count = arena_array(x->a, int, x->n);
    x->at = arena_array(x->a, int, x->n);
    x->n_left = x->m;
    for (int i = 0; i < x->m; i++) {
        sparse_row *r = &x->row[i];
        *r = (sparse_row){0, arena_array(x->a, int, rows[i].n),
                          arena_array(x->a, double, rows[i].n)};
        for (int e = 0; e < rows[i].n; e++) {
            if (rows[i].col[e] < first || rows[i].x[e] == 0) continue;
            r->col[r->n] = rows[i].col[e] - first;
            r->x[r->n++] = rows[i].x[e];
            array_push(x->a, &x->in[rows[i].col[e] - first], i);
            x->count[rows[i].col[e] - first]++;
        }
    }
    elimination_scale(x);
}

static void row_leaves(elimination *x, int i)
{
    for (int e = 0; e < x->row[i].n; e++) x->count[x->row[i].col[e]]--;
    x->row[i].n = -1;
    x->n_left--;
}

/* The row with the fewest entries; rows without any that counts leave. -1: none is left. */
static int shortest_row(elimination *x)
{
    int best = -1;
    for (int i = 0; i < x->m; i++) {
        const sparse_row *r = &x->row[i];
        if (r->n < 0 || (best >= 0 && r->n >= x->row[best].n && r->n > 0)) continue;
        double size = 0;
        for (int e = 0; e < r->n; e++) size = fmax(size, fabs(r->x[e]));
        if (size < PIVOT_MIN) row_leaves(x, i);
        else best = i;
    }
    return best;
}

static int pivot_in(const elimination *x, const sparse_row *r)
{
    int best = 0;
    double size = 0;
    for (int e = 0; e < r->n; e++) size = fmax(size, fabs(r->x[e]));
    while (fabs(r->x[best]) < PIVOT_LEAST * size) best++;
    for (int e = best; e < r->n; e++)
        if (fabs(r->x[e]) >= PIVOT_LEAST * size && x->count[r->col[e]] < x->count[r->col[best]])
            best = e;
    return best;
}

/* Row i without its entry in the column of the pivot. */
static void subtract_row(elimination *x, int i, const sparse_row *pivot, int at)
{
    sparse_row *r = &x->row[i], old = *r;
    for (int e = 0; e < old.n; e++) x->at[old.col[e]] = e + 1;
    int own = x->at[pivot->col[at]];
    double factor = own ? old.x[own - 1] / pivot->x[at] : 0;
    if (own) {
        *r = (sparse_row){0, arena_array(x->a, int, old.n + pivot->n),
                          arena_array(x->a, double, old.n + pivot->n)};
        for (int e = 0; e < old.n; e++) {
            r->col[e] = old.col[e];
            r->x[e] = old.x[e];
        }
        r->n = old.n;
        for (int e = 0; e < pivot->n; e++) {
            int place = x->at[pivot->col[e]] - 1;
            double less = factor * pivot->x[e];
            if (place >= 0) {
                double was = r->x[place];
                r->x[place] -= less;
                if (e == at || fabs(r->x[place]) <= CANCELLATION * (fabs(was) + fabs(less)))
                    r->x[place] = 0;
            } else {
                r->col[r->n] = pivot->col[e];
                r->x[r->n++] = -less;
                array_push(x->a, &x->in[pivot->col[e]], i);
                x->count[pivot->col[e]]++;
            }
        }
    }
    for (int e = 0; e < old.n; e++) x->at[old.col[e]] = 0;
    int n = 0;
    for (int e = 0; e < r->n; e++) {
        if (r->x[e] == 0) {
            x->count[r->col[e]]--;
            continue;
        }
        r->col[n] = r->col[e];
        r->x[n++] = r->x[e];
    }
    r->n = n;
}

static int rank_of_rest(elimination *x)
{
    int m = x->n_left, n = 0;
    double most = 0;
    for (int j = 0; j < x->n; j++) x->at[j] = x->count[j] > 0 ? n++ : -1;
    if (!m || !n) return 0;
    if (m > DENSE_REST_MAX || n > 2 * DENSE_REST_MAX) return -1;
    la_qr q = {.m = m, .n = n, .a = arena_array(x->a, double, (size_t)m *(size_t)n)};
    for (int i = 0, k = 0; i < x->m; i++) {
        const sparse_row *r = &x->row[i];
        for (int e = 0; e < r->n; e++) {
            q.a[(size_t)k + (size_t)x->at[r->col[e]] * (size_t)m] = r->x[e];
            most = fmax(most, fabs(r->x[e]));
        }
        k += r->n >= 0;
    }
    q.tau = arena_array(x->a, double, m < n ? m : n);
    q.perm = arena_array(x->a, int, n);
    q.work = arena_array(x->a, double, la_qr_work(m, n));
    return most < PIVOT_MIN ? 0 : la_qr_factor(&q, PIVOT_MIN / fmin(most, 1));
}

int sparse_rank(arena *a, const sparse_row *rows, int m, int first, int n)
{
    arena_mark here = arena_here(a);
    elimination x = {.a = a, .m = m, .n = n - first};
    int rank = 0, rest = 0;
    elimination_begin(&x, rows, first);
    for (int i; (i = shortest_row(&x)) >= 0; rank++) {
        sparse_row pivot = x.row[i];
        if (pivot.n > FILLED || (pivot.n > 1 && x.n_left <= DENSE_REST)) break;
        int at = pivot_in(&x, &pivot);
        row_leaves(&x, i);
        int_array in = x.in[pivot.col[at]];
        for (int k = 0; k < in.n; k++)
            if (x.row[in.at[k]].n > 0) subtract_row(&x, in.at[k], &pivot, at);
    }
    rest = x.n_left > 0 ? rank_of_rest(&x) : 0;
    arena_release(a, here);
    return rest < 0 ? -1 : rank + rest;
}
