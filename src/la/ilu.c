/* Incomplete LU without fill: factors in the places of the matrix itself (J. A. Meijerink and H. A. van
 * der Vorst, Math. Comp. 31 (1977) 148-162). What falls outside is dropped, or, in part, goes to the
 * diagonal, so that the sum of each row is kept (I. Gustafsson, BIT 18 (1978) 142-156): on equations of
 * diffusion that saves iterations, on others it may cost some.
 *
 * By rows, in an order that brings neighbours together: row i is the equation of unknown order[i].
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/precond.h"

#include <math.h>
#include <string.h>

static void ilu_layout(la_precond *p, bump *b)
{
    size_t nnz = (size_t)p->pattern->nnz, n = (size_t)p->n;
    p->values = bump_double(b, nnz);
    p->work = bump_double(b, n);
    p->col = bump_int(b, nnz);
    p->start = bump_int(b, n + 1);
    p->diagonal = bump_int(b, n);
    p->order = bump_int(b, n);
    p->place = bump_int(b, n);
}

/* ---- the order ------------------------------------------------------------------------------- */

/* The pattern by rows in the present order; columns in each row ascend. */
static void ilu_rows(la_precond *p)
{
    const vinc_pattern *a = p->pattern;
    memset(p->start, 0, ((size_t)p->n + 1) * sizeof *p->start);
    for (int k = 0; k < a->nnz; k++) p->start[p->place[p->unknown_of[a->row[k]]] + 1]++;
    for (int i = 0; i < p->n; i++) p->start[i + 1] += p->start[i];
    memcpy(p->diagonal, p->start, (size_t)p->n * sizeof *p->diagonal); // where to fill on
    for (int at = 0; at < p->n; at++) {
        int j = p->order[at];
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            p->col[p->diagonal[p->place[p->unknown_of[a->row[k]]]]++] = at;
    }
    for (int i = 0; i < p->n; i++) {
        int k = p->start[i];
        while (p->col[k] != i) k++;
        p->diagonal[i] = k;
    }
}

/* A search in breadth over the neighbours of unknowns, by row and by column. */
typedef struct ilu_search {
    const la_precond *p;
    int *queue, n; // met so far
    int *met;      // by unknown: in which search last
} ilu_search;

static int ilu_degree(const la_precond *p, int j)
{
    return p->start[j + 1] - p->start[j] + p->pattern->start[j + 1] - p->pattern->start[j];
}

/* Those met first come first; of those met from one unknown, the ones with few neighbours. */
static void ilu_meet(ilu_search *s, int j, int first, int search)
{
    if (s->met[j] == search) return;
    s->met[j] = search;
    int at = s->n++, degree = ilu_degree(s->p, j);
    for (; at > first && ilu_degree(s->p, s->queue[at - 1]) > degree; at--)
        s->queue[at] = s->queue[at - 1];
    s->queue[at] = j;
}

/* All that is connected with the unknown, from place `from` of the queue on; the last one met. */
static int ilu_spread(ilu_search *s, int from, int unknown, int search)
{
    const la_precond *p = s->p;
    const vinc_pattern *a = p->pattern;
    s->n = from;
    ilu_meet(s, unknown, from, search);
    for (int q = from; q < s->n; q++) {
        int j = s->queue[q], first = s->n;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) ilu_meet(s, p->col[k], first, search);
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            ilu_meet(s, p->unknown_of[a->row[k]], first, search);
    }
    return s->queue[s->n - 1];
}

/* Neighbours close together (E. Cuthill and J. McKee, Proc. 24th ACM Nat. Conf. (1969) 157-172): little
 * fill is dropped then, whatever the order in which fields and cells were declared. Backwards, so that
 * what hangs on a single neighbour is eliminated before it. Each part begins at an end of it: at the last
 * one met from anywhere. */
static void ilu_prepare(la_precond *p)
{
    int n = p->n;
    for (int j = 0; j < n; j++) p->order[j] = p->place[j] = j;
    ilu_rows(p);
    int *met = (int *)p->work; // doubles not yet in use
    ilu_search s = {.p = p, .queue = p->order, .met = met};
    for (int j = 0; j < n; j++) met[j] = 0;
    for (int j = 0, from = 0; j < n; j++, from = s.n) {
        s.n = from;
        if (met[j]) continue;
        int end = ilu_spread(&s, from, j, 1);
        ilu_spread(&s, from, end, 2);
    }
    for (int i = 0; i < n / 2; i++) {
        int j = p->order[i];
        p->order[i] = p->order[n - 1 - i];
        p->order[n - 1 - i] = j;
    }
    for (int i = 0; i < n; i++) p->place[p->order[i]] = i;
    ilu_rows(p);
}

/* ---- factors --------------------------------------------------------------------------------- */

static int place_in_row(const la_precond *p, int i, int j)
{
    int low = p->start[i], high = p->start[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->col[middle] < j) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void ilu_column(la_precond *p, int j, const double *a)
{
    for (int k = p->pattern->start[j]; k < p->pattern->start[j + 1]; k++) {
        int row = p->pattern->row[k];
        p->values[place_in_row(p, p->place[p->unknown_of[row]], p->place[j])] = a[row];
    }
}

/* Row i less l times row k: where it has places; the sum of what falls outside. Both ascend. */
static double subtract_row(la_precond *p, int i, int from, int k, double l)
{
    int to = from + 1, end = p->start[i + 1];
    double dropped = 0;
    for (int q = p->diagonal[k] + 1; q < p->start[k + 1]; q++) {
        while (to < end && p->col[to] < p->col[q]) to++;
        if (to < end && p->col[to] == p->col[q]) p->values[to] -= l * p->values[q];
        else dropped -= l * p->values[q];
    }
    return dropped;
}

/* The diagonal holds inverses. */
static int ilu_finish(la_precond *p)
{
    int replaced = 0;
    for (int i = 0; i < p->n; i++) {
        double dropped = 0;
        for (int q = p->start[i]; q < p->diagonal[i]; q++) {
            int k = p->col[q];
            double l = p->values[q] *= p->values[p->diagonal[k]];
            if (l != 0) dropped += subtract_row(p, i, q, k, l);
        }
        double *d = &p->values[p->diagonal[i]], pivot = *d + p->relax * dropped;
        bool good = la_precond_is_pivot(p, p->order[i], pivot);
        *d = 1 / (good ? pivot : p->size[p->order[i]]);
        replaced += !good;
    }
    return replaced;
}

static void ilu_apply(const la_precond *p, double *x)
{
    const double *restrict a = p->values;
    const int *restrict col = p->col;
    double *restrict y = p->work;
    for (int i = 0; i < p->n; i++) {
        double sum = x[p->order[i]];
        for (int q = p->start[i]; q < p->diagonal[i]; q++) sum -= a[q] * y[col[q]];
        y[i] = sum;
    }
    for (int i = p->n - 1; i >= 0; i--) {
        double sum = y[i];
        for (int q = p->diagonal[i] + 1; q < p->start[i + 1]; q++) sum -= a[q] * y[col[q]];
        x[p->order[i]] = y[i] = sum * a[p->diagonal[i]];
    }
}

const la_precond_kind la_precond_ilu = {
    .name = "ilu",
    .summary = "incomplete factors in the places of the matrix itself, no fill",
    .stores = "nnz numbers and as many column numbers",
    .structured = true,
    .layout = ilu_layout,
    .prepare = ilu_prepare,
    .column = ilu_column,
    .finish = ilu_finish,
    .apply = ilu_apply,
};
