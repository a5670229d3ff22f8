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

typedef struct inertia {
    code_mass *x;
    const structure *s;
    int *named;   // by unknown: 1 + the coordinate of whose acceleration it is the name
    double *sign; // ... or of minus that
    ARRAY(expr) roots;
    int_array places, vars;
} inertia;

/* a = der(v): the name of an acceleration, by which equations of motion may call it. */
static bool is_name(inertia *q, const expr_pool *p, expr f)
{
    dag_term t[2];
    if (dag_signed_sum(p, f, t, 2) != 2) return false;
    int a = structure_entry_of(q->s, t[0].var), b = structure_entry_of(q->s, t[1].var);
    if (a < 0 || b < 0) return false;
    if (q->s->entries.at[a].order == 0) {
        int swap = a;
        a = b, b = swap;
    }
    const structure_entry *high = &q->s->entries.at[a], *low = &q->s->entries.at[b];
    if (high->order != 2 || !q->x->of[high->unknown] || low->order ||
        q->s->unknowns.at[low->unknown].d)
        return false;
    q->named[low->unknown] = q->x->of[high->unknown];
    q->sign[low->unknown] = -t[0].sign * t[1].sign;
    return true;
}

/* The coefficients of accelerations in an equation of motion; false: there is one that cannot be
 * had. */
static bool add_row(inertia *q, lowering *l, dag *d, expr f, int row)
{
    q->vars.n = 0;
    dag_vars(d, f, &q->vars);
    for (int k = 0; k < q->vars.n; k++) {
        int at = structure_entry_of(q->s, q->vars.at[k]);
        if (at < 0) continue;
        const structure_entry *e = &q->s->entries.at[at];
        int of = e->order == 2 ? q->x->of[e->unknown] : e->order ? 0 : q->named[e->unknown];
        if (!of) continue;
        const char *why = NULL;
        expr slope = expr_diff(l->p, f, q->vars.at[k], l->scratch, &why);
        if (!slope) return false;
        if (!e->order && q->sign[e->unknown] < 0) slope = expr_neg(l->p, slope);
        array_push(l->scratch, &q->roots, slope);
        array_push(l->a, &q->places, row + (of - 1) * q->x->n);
    }
    return true;
}

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
    inertia q = {.x = x,
                 .s = s,
                 .named = arena_array(l->scratch, int, s->unknowns.n),
                 .sign = arena_array(l->scratch, double, s->unknowns.n)};
    bool *name = arena_array(l->scratch, bool, s->equations.n);
    for (int i = 0; i < s->equations.n; i++)
        name[i] = !s->equations.at[i].c && is_name(&q, l->p, s->equations.at[i].f[0]);
    int row = 0;
    for (int i = 0; i < s->equations.n && row <= x->n; i++) {
        int before = q.roots.n;
        if (name[i] || s->equations.at[i].c) continue;
        if (!add_row(&q, l, &d, s->equations.at[i].f[0], row)) return true; // none to speak of
        row += q.roots.n > before;
    }
    if (row != x->n || !row || x->n > COORDINATES_MAX) return true;
    x->place = q.places.at;
    m->init->mass = x;
    return code_function(l, q.roots.at, NULL, q.roots.n, "this coefficient", true, &x->values);
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
    for (int k = 0; k < x->values.n_out; k++) M[x->place[k]] += values[k];
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

bool start_metric(start *a, double *L)
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
    for (int j = 0; j < a->n_columns && found; j++) {
        int at = x->of[s->entries.at[start_entry(a, a->columns[j])].unknown] - 1;
        if (a->fixed[j]) continue;
        found = at >= 0;
        if (found) list[k++] = at;
    }
    found = found && k > a->group->n_constraints; // otherwise nothing is left to choose
    if (found) evaluate(a, x, M, values, row, row_of);
    found = found && factor(M, x->n, list, k, L);
    mem_free(a->s->m, M, bytes);
    return found;
}
