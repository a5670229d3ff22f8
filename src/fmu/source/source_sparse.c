/* Factors of matrices with the pattern of the system.
 *
 * Small ones are dense. The others are factored column by column, in an order that was found when the model was
 * printed; what a column meets of those before it is found from its pattern: J. R. Gilbert and T. Peierls,
 * SIAM J. Sci. Stat. Comput. 9 (1988) 862-874. A pivot is at least a tenth of the largest element, in units of
 * its row, and of these the one whose row is shortest.
 *
 * A small matrix that is singular but for rounding is kept as it is, too: where nothing flows, a temperature of what
 * would flow is in no equation.
 * Then the shortest solution is taken, in units of the nominals, if there is one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PIVOT_PART = 0.1;
enum { OPEN_MAX = 200 };
static const double PIVOT_NONE = 1e-13; // what rounding may have left
/* Of the nominals that a row has: what no solution takes away of it, and yet is rounding. */
static const double OPEN_ROUNDING = 1e-9;

typedef struct column_list { // columns of L or U, one after the other
    int *start, *row;
    double *x;
    size_t room;
} column_list;

struct source_factors {
    const source_model *m;
    double *dense; // NULL: sparse
    int *pivot;    // dense
    column_list l, u;
    int *place, *row_at; // by row: its place among the pivots, -1: none yet; and back
    int *length;         // of rows
    int *mark, *met, *stack, *at;
    double *x, *unit, *diagonal;
    double least; // of the pivots
    bool regular; // there are factors
    bool is_open; // the matrix is singular, or nearly
    double *
        open; // ... its rows in units of their largest elements, columns in those of the nominals; NULL: never was
    const double *nominal;
};

source_factors *source_factors_new(const source_model *m, const double *nominal)
{
    source_factors *f = calloc(1, sizeof *f);
    size_t n = (size_t)m->n + 1;
    if (!f) return NULL;
    f->m = m;
    f->nominal = nominal;
    if (!m->column_order) {
        f->dense = malloc((n * n + n) * sizeof *f->dense);
        f->pivot = malloc(n * sizeof *f->pivot);
        if (f->dense && f->pivot) return f;
    } else {
        int **ints[] = {&f->l.start, &f->u.start, &f->place, &f->row_at, &f->length,
                        &f->mark,    &f->met,     &f->stack, &f->at};
        double **reals[] = {&f->x, &f->unit, &f->diagonal};
        bool all = true;
        for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
            *ints[i] = malloc(n * sizeof(int));
            all = all && *ints[i];
        }
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
            *reals[i] = malloc(n * sizeof(double));
            all = all && *reals[i];
        }
        if (all) return f;
    }
    source_factors_free(f);
    return NULL;
}

void source_factors_free(source_factors *f)
{
    if (!f) return;
    void *all[] = {f->dense, f->pivot, f->l.start, f->l.row,    f->l.x,  f->u.start, f->u.row,
                   f->u.x,   f->place, f->row_at,  f->length,   f->mark, f->met,     f->stack,
                   f->at,    f->x,     f->unit,    f->diagonal, f->open, f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Room for n more than count; false: there is none. */
static bool list_room(column_list *c, size_t count, size_t n)
{
    if (count + n <= c->room) return true;
    size_t room = 2 * (count + n);
    int *row = realloc(c->row, room * sizeof *row);
    if (row) c->row = row;
    double *x = row ? realloc(c->x, room * sizeof *x) : NULL;
    if (!x) return false;
    c->x = x;
    c->room = room;
    return true;
}

/* What column k meets, into met from `top` on: a row after all those whose columns change it. */
static int find_met(source_factors *f, int column, int k)
{
    const source_pattern *a = &f->m->jac;
    int top = f->m->n;
    for (int e = a->start[column]; e < a->start[column + 1]; e++) {
        int depth = 0;
        if (f->mark[a->row[e]] == k) continue;
        f->stack[0] = a->row[e];
        f->mark[a->row[e]] = k;
        f->at[0] = f->place[a->row[e]] < 0 ? 0 : f->l.start[f->place[a->row[e]]];
        while (depth >= 0) {
            int r = f->stack[depth], j = f->place[r], end = j < 0 ? 0 : f->l.start[j + 1];
            while (j >= 0 && f->at[depth] < end && f->mark[f->l.row[f->at[depth]]] == k)
                f->at[depth]++;
            if (j < 0 || f->at[depth] >= end) {
                f->met[--top] = r;
                depth--;
                continue;
            }
            int next = f->l.row[f->at[depth]++];
            f->mark[next] = k;
            f->stack[++depth] = next;
            f->at[depth] = f->place[next] < 0 ? 0 : f->l.start[f->place[next]];
        }
    }
    return top;
}

static int choose_pivot(const source_factors *f, int top)
{
    int n = f->m->n, best = -1;
    double most = 0;
    for (int p = top; p < n; p++)
        if (f->place[f->met[p]] < 0) most = fmax(most, fabs(f->x[f->met[p]]));
    for (int p = top; p < n; p++) {
        int r = f->met[p];
        if (f->place[r] >= 0 || !(fabs(f->x[r]) >= PIVOT_PART * most)) continue;
        if (best < 0 || f->length[r] < f->length[best]) best = r;
    }
    return most > DBL_MIN && isfinite(most) ? best : -1;
}

static bool factor_column(source_factors *f, const double *values, int k)
{
    const source_pattern *a = &f->m->jac;
    int column = f->m->column_order[k], n = f->m->n, top = find_met(f, column, k);
    size_t nl = (size_t)f->l.start[k], nu = (size_t)f->u.start[k];
    if (!list_room(&f->l, nl, (size_t)(n - top)) || !list_room(&f->u, nu, (size_t)(n - top)))
        return false;
    for (int p = top; p < n; p++) f->x[f->met[p]] = 0;
    for (int e = a->start[column]; e < a->start[column + 1]; e++)
        f->x[a->row[e]] += values[e] * f->nominal[column] * f->unit[a->row[e]];
    for (int p = top; p < n; p++) {
        int j = f->place[f->met[p]];
        if (j < 0) continue;
        double x = f->x[f->met[p]];
        f->u.row[nu] = j;
        f->u.x[nu++] = x;
        for (int e = f->l.start[j]; x != 0 && e < f->l.start[j + 1]; e++)
            f->x[f->l.row[e]] -= f->l.x[e] * x;
    }
    int pivot = choose_pivot(f, top);
    if (pivot < 0) return false;
    f->place[pivot] = k;
    f->row_at[k] = pivot;
    f->diagonal[k] = f->x[pivot];
    f->least = fmin(f->least, fabs(f->diagonal[k]));
    for (int p = top; p < n; p++) {
        int r = f->met[p];
        if (f->place[r] >= 0) continue;
        f->l.row[nl] = r;
        f->l.x[nl++] = f->x[r] / f->diagonal[k];
    }
    f->l.start[k + 1] = (int)nl;
    f->u.start[k + 1] = (int)nu;
    return true;
}

static bool factor_regular(source_factors *f, const double *values)
{
    const source_pattern *a = &f->m->jac;
    int n = f->m->n;
    if (f->dense) {
        memset(f->dense, 0, (size_t)n * (size_t)n * sizeof *f->dense);
        for (int j = 0; j < n; j++)
            for (int e = a->start[j]; e < a->start[j + 1]; e++)
                f->dense[a->row[e] + (size_t)j * (size_t)n] = values[e] * f->nominal[j];
        return source_lu(n, f->dense, f->pivot, &f->least);
    }
    for (int i = 0; i < n; i++) f->unit[i] = 0, f->length[i] = 0, f->place[i] = f->mark[i] = -1;
    for (int j = 0; j < n; j++)
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            f->unit[a->row[e]] = fmax(f->unit[a->row[e]], fabs(values[e] * f->nominal[j]));
            f->length[a->row[e]]++;
        }
    for (int i = 0; i < n; i++) {
        if (!(f->unit[i] > 0) || !isfinite(f->unit[i])) return false;
        f->unit[i] = 1 / f->unit[i];
    }
    f->l.start[0] = f->u.start[0] = 0;
    for (int k = 0; k < n; k++)
        if (!factor_column(f, values, k)) return false;
    return true;
}

/* False: it is too large, or no matrix of numbers, or there is no memory. */
static bool keep_open(source_factors *f, const double *values)
{
    const source_pattern *a = &f->m->jac;
    size_t n = (size_t)f->m->n, cells = n * n;
    if (n > OPEN_MAX || !source_finite(values, a->nnz)) return false;
    if (!f->open) f->open = malloc((cells + 3 * n + 1) * sizeof *f->open);
    if (!f->open) return false;
    double *unit = f->open + cells;
    memset(f->open, 0, cells * sizeof *f->open);
    for (size_t i = 0; i < n; i++) unit[i] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < n; j++)
            for (int e = a->start[j]; e < a->start[j + 1]; e++) {
                double x = values[e] * f->nominal[j], *most = &unit[a->row[e]];
                if (!pass && fabs(x) > *most) *most = fabs(x);
                if (pass && *most > 0) f->open[(size_t)a->row[e] + j * n] = x / *most;
            }
    return true;
}

/* False: there is no solution, and b is what it was. */
static bool solve_open(source_factors *f, double *b)
{
    int n = f->m->n;
    const double *unit = f->open + (size_t)n * (size_t)n;
    double *x = f->open + (size_t)n * (size_t)n + n;
    double *r = x + n;
    for (int i = 0; i < n; i++) r[i] = b[i] / (unit[i] > 0 ? unit[i] : 1);
    bool solved = source_least(n, n, f->open, r, x, NULL) >= 0;
    for (int i = 0; i < n && solved; i++) {
        double left = r[i], sum = fabs(r[i]);
        for (int j = 0; j < n; j++) {
            left -= f->open[i + j * n] * x[j];
            sum += fabs(f->open[i + j * n] * x[j]);
        }
        solved = fabs(left) <= OPEN_ROUNDING * (1 + sum);
    }
    for (int j = 0; j < n && solved; j++) b[j] = x[j] * f->nominal[j];
    return solved;
}

bool source_factor(source_factors *f, const double *values)
{
    f->least = INFINITY;
    f->regular = factor_regular(f, values);
    f->is_open = (!f->regular || f->least < PIVOT_NONE) && keep_open(f, values);
    return f->regular || f->is_open;
}

bool source_is_open(const source_factors *f)
{
    return f->is_open;
}

void source_solve(source_factors *f, double *b)
{
    int n = f->m->n;
    if (f->is_open && solve_open(f, b)) return;
    if (!f->regular) {
        for (int i = 0; i < n; i++) b[i] = NAN;
        return;
    }
    if (f->dense) {
        source_lu_solve(n, f->dense, f->pivot, b);
        for (int j = 0; j < n; j++) b[j] *= f->nominal[j];
        return;
    }
    for (int i = 0; i < n; i++) b[i] *= f->unit[i];
    for (int k = 0; k < n; k++) {
        double x = f->x[k] = b[f->row_at[k]];
        for (int e = f->l.start[k]; e < f->l.start[k + 1]; e++) b[f->l.row[e]] -= f->l.x[e] * x;
    }
    for (int k = n - 1; k >= 0; k--) {
        double x = f->x[k] /= f->diagonal[k];
        for (int e = f->u.start[k]; e < f->u.start[k + 1]; e++) f->x[f->u.row[e]] -= f->u.x[e] * x;
    }
    for (int k = 0; k < n; k++) {
        int column = f->m->column_order[k];
        b[column] = f->x[k] * f->nominal[column];
    }
}
