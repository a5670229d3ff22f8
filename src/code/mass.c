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
#include "code/initial.h"
#include "code/start.h"
#include "graph/graph.h"

#include <math.h>
#include <string.h>

enum { COORDINATES_MAX = 200 };
static const double SYMMETRIC = 1e-9;
static const double DEFINITE = 1e-10; // pivots, relative to the diagonal

/* ---- lowering -------------------------------------------------------------------------------- */

bool code_lower_mass(code_model *m, lowering *l)
{
    const structure *s = m->s;
    code_mass *x = arena_new(l->a, code_mass);
    if (!m->form->groups.n) return true;
    dag d;
    dag_init(&d, l->p, l->scratch);
    x->of = arena_array(l->a, int, s->unknowns.n);
    for (int u = 0; u < s->unknowns.n; u++)
        if (s->unknowns.at[u].d == 2) x->of[u] = ++x->n;
    ARRAY(expr) roots = {0};
    int_array places = {0}, vars = {0};
    int row = 0;
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        int before = roots.n;
        vars.n = 0;
        if (!e->c) dag_vars(&d, e->f[0], &vars);
        for (int k = 0; k < vars.n; k++) {
            int at = structure_entry_of(s, vars.at[k]);
            if (at < 0 || s->entries.at[at].order != 2 || !x->of[s->entries.at[at].unknown])
                continue;
            const char *why = NULL;
            expr slope = expr_diff(l->p, e->f[0], vars.at[k], l->scratch, &why);
            if (!slope) return true; // no inertia to speak of
            array_push(l->scratch, &roots, slope);
            array_push(l->a, &places, row + (x->of[s->entries.at[at].unknown] - 1) * x->n);
        }
        row += roots.n > before;
        if (row > x->n) return true;
    }
    if (row != x->n || !row || x->n > COORDINATES_MAX) return true;
    x->place = places.at;
    m->init->mass = x;
    return code_function(l, roots.at, NULL, roots.n, "this coefficient", true, &x->values);
}

/* ---- the order of the equations -------------------------------------------------------------- */

void code_pair_rows(int n, const double *M, int *row_of, arena *a)
{
    enum { STEPS = 1 << 12, MOST = 1 << 24 }; // of a factor of 2; values are whole numbers
    arena_mark here = arena_here(a);
    size_t all = (size_t)n * (size_t)n;
    int *first = arena_array(a, int, n + 1), *col = arena_array(a, int, all),
        *sigma = arena_array(a, int, all), *c = arena_array(a, int, n), *d = arena_array(a, int, n);
    for (int i = 0; i < n; i++) {
        row_of[i] = i;
        first[i + 1] = (i + 1) * n;
        for (int j = 0; j < n; j++) {
            double size = fabs(M[i + j * n]);
            col[i * n + j] = j;
            sigma[i * n + j] = size > 0 ? (int)(MOST / 2 + STEPS * fmax(log2(size), -1000)) : 0;
        }
    }
    graph_matching match;
    graph_pattern g = {n, n, first, col};
    if (graph_offsets(&g, sigma, &match, c, d, a, a) == n)
        memcpy(row_of, match.row, (size_t)n * sizeof *row_of);
    arena_release(a, here);
}

/* ---- the metric ------------------------------------------------------------------------------ */

/* M with its rows in the order of the coordinates and positive on the diagonal. */
static void evaluate(start *a, const code_mass *x, double *M, double *values, double *row,
                     int *row_of)
{
    int n = x->n;
    code_eval(a->s, &x->values, a->t, a->y, a->yp, values, NULL);
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int k = 0; k < x->values.n_out; k++) M[x->place[k]] = values[k];
    code_pair_rows(n, M, row_of, a->sink->a);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) row[i] = M[row_of[i] + j * n];
        memcpy(M + (size_t)j * (size_t)n, row, (size_t)n * sizeof *M);
    }
    for (int i = 0; i < n; i++)
        if (M[i + i * n] < 0)
            for (int j = 0; j < n; j++) M[i + j * n] = -M[i + j * n];
}

/* L L^T = the part of M of the coordinates in `list`; false: M is no inertia. */
static bool factor(const double *M, int n, const int *list, int k, double *L)
{
    bool masses = false;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) {
            double x = M[list[i] + list[j] * n], y = M[list[j] + list[i] * n];
            if (!isfinite(x) || fabs(x - y) > SYMMETRIC * (fabs(x) + fabs(y))) return false;
            masses = masses || x != (i == j);
            L[i + j * k] = x;
        }
    for (int j = 0; masses && j < k; j++) {
        double whole = L[j + j * k];
        for (int p = 0; p < j; p++) L[j + j * k] -= L[j + p * k] * L[j + p * k];
        if (!(L[j + j * k] > DEFINITE * whole)) return false;
        L[j + j * k] = sqrt(L[j + j * k]);
        for (int i = j + 1; i < k; i++) {
            for (int p = 0; p < j; p++) L[i + j * k] -= L[i + p * k] * L[j + p * k];
            L[i + j * k] /= L[j + j * k];
        }
    }
    return masses;
}

bool start_metric(start *a, const form_group *q, double *L)
{
    const code_mass *x = a->x->mass;
    const structure *s = a->m->s;
    if (!x) return false;
    size_t n = (size_t)x->n, n_values = (size_t)x->values.n_out,
           bytes = (n * n + n_values + n) * sizeof(double) + 2 * n * sizeof(int);
    double *M = mem_try(a->s->m, bytes);
    if (!M) return false;
    double *values = M + n * n, *row = values + n_values;
    int *row_of = (int *)(row + n), *list = row_of + n, k = 0;
    bool found = true;
    for (int j = 0; j < q->n_columns && found; j++) {
        int at = x->of[s->entries.at[start_entry(a, q->columns[j])].unknown] - 1;
        if (a->fixed[j]) continue;
        found = at >= 0;
        if (found) list[k++] = at;
    }
    found = found && k > q->n_constraints; // otherwise nothing is left to choose
    if (found) evaluate(a, x, M, values, row, row_of);
    found = found && factor(M, x->n, list, k, L);
    mem_free(a->s->m, M, bytes);
    return found;
}
