/* Inertia, for start values: how much a change of each coordinate counts.
 *
 * The change of positions, and then of velocities, that brings them onto the constraints is least
 * in the metric of the kinetic energy, dq^T M dq: as if an impulse of the constraints' own
 * reactions had moved them. M holds the coefficients of second derivatives in the equations that
 * are not differentiated. It must turn out symmetric and positive definite once rows and
 * coordinates are paired; otherwise, and where every mass is 1 (equations divided by them, as
 * der(v) = F/m), changes count in nominals.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"
#include "run/run_parts.h"
#include "start/search.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { COORDINATES_MAX = 200 };
static const double ASYMMETRY_MAX = 1e-9;
static const double PIVOT_MIN = 1e-10; // pivots, relative to the diagonal

/* ---- the order of the equations -------------------------------------------------------------- */

void start_pair_rows(int n, const double *M, int *row_of, arena *a)
{
    enum { STEPS = 1 << 12, MOST = 1 << 24 }; // of a factor of 2; values are whole numbers
    arena_mark here = arena_here(a);
    size_t all = (size_t)n * (size_t)n;
    int *first = arena_array(a, int, n + 1), *col = arena_array(a, int, all),
        *order = arena_array(a, int, all);
    for (int i = 0; i < n; i++) {
        row_of[i] = i;
        first[i + 1] = (i + 1) * n;
        for (int j = 0; j < n; j++) {
            double size = fabs(M[i + j * n]);
            col[i * n + j] = j;
            order[i * n + j] = size > 0 ? (int)(MOST / 2 + STEPS * fmax(log2(size), -1000)) : 0;
        }
    }
    graph_pattern g = {n, n, first, col, order};
    graph_offsets found;
    if (graph_differentiate(&g, INT_MAX, a, a, &found))
        memcpy(row_of, found.match.row_of, (size_t)n * sizeof *row_of);
    arena_release(a, here);
}

/* ---- the metric ------------------------------------------------------------------------------ */

/* M with its rows in the order of the coordinates and positive on the diagonal. */
static void metric_evaluate(start *a, const code_mass *x, double *M, double *values, double *row,
                            int *row_of)
{
    int n = x->n;
    run_eval(a->s, &x->values, a->t, a->y, a->yp, values, NULL);
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int k = 0; k < x->values.n_out; k++) M[x->place[k]] += values[k];
    start_pair_rows(n, M, row_of, a->sink->a);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) row[i] = M[row_of[i] + j * n];
        memcpy(M + (size_t)j * (size_t)n, row, (size_t)n * sizeof *M);
    }
    for (int i = 0; i < n; i++)
        if (M[i + i * n] < 0)
            for (int j = 0; j < n; j++) M[i + j * n] = -M[i + j * n];
}

/* L L^T = the part of M of the coordinates in `list`; false: M is no inertia. */
static bool metric_factor(const double *M, int n, const int *list, int k, double *L)
{
    bool masses = false;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) {
            double x = M[list[i] + list[j] * n], y = M[list[j] + list[i] * n];
            if (!isfinite(x) || fabs(x - y) > ASYMMETRY_MAX * (fabs(x) + fabs(y))) return false;
            masses = masses || x != (i == j);
            L[i + j * k] = x;
        }
    for (int j = 0; masses && j < k; j++) {
        double whole = L[j + j * k];
        for (int p = 0; p < j; p++) L[j + j * k] -= L[j + p * k] * L[j + p * k];
        if (!(L[j + j * k] > PIVOT_MIN * whole)) return false;
        L[j + j * k] = sqrt(L[j + j * k]);
        for (int i = j + 1; i < k; i++) {
            for (int p = 0; p < j; p++) L[i + j * k] -= L[i + p * k] * L[j + p * k];
            L[i + j * k] /= L[j + j * k];
        }
    }
    return masses;
}

bool start_metric(start *a, double *L)
{
    const code_mass *x = a->x->mass;
    if (!x) return false;
    size_t n = (size_t)x->n;
    arena *scratch = a->sink->a;
    arena_mark here = arena_here(scratch);
    double *M = arena_array(scratch, double, n *n), *row = arena_array(scratch, double, n);
    double *values = arena_array(scratch, double, x->values.n_out);
    int *row_of = arena_array(scratch, int, n), *list = arena_array(scratch, int, n), k = 0;
    bool found = true;
    for (int j = 0; j < a->n_columns && found; j++) {
        int at = code_coordinate_of(x, start_entry(a, a->columns[j]));
        if (a->fixed[j]) continue;
        found = at >= 0;
        if (found) list[k++] = at;
    }
    found = found && k > a->group->n_constraints; // otherwise nothing is left to choose
    if (found) metric_evaluate(a, x, M, values, row, row_of);
    found = found && metric_factor(M, x->n, list, k, L);
    arena_release(scratch, here);
    return found;
}
