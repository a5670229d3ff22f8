/* Start values of groups: the constraints that tie them, level by level.
 *
 * Where inertia is the measure, coordinates in no group are moved with those that constraints tie:
 * a blow at a joint sets an elastic rod in motion, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "start/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the way aside that is left where a search has come back; it halves with every iteration. */
static const double ASIDE_KEPT_MAX = 0.1;

static void evaluate_all(start *a)
{
    run_eval(a->s, &a->m->system.residual, a->t, a->y, a->yp, a->full, NULL);
    a->group_jac = run_group_jacobian(a->s, a->t, a->y, a->yp);
}

static int eval_group(void *user, const double *z, double *r, double *j)
{
    start *a = user;
    const form_group *q = a->group;
    if (run_stops(a->s)) return -1;
    for (int k = 0; k < a->n_columns; k++) a->y[a->columns[k]] = z[k];
    run_eval(a->s, &a->m->system.residual, a->t, a->y, a->yp, a->full, NULL);
    for (int i = 0; i < q->n_constraints; i++) {
        r[i] = a->full[q->constraints[i]];
        if (!isfinite(r[i])) return 1;
    }
    if (!j) return 0;
    const vinc_pattern *p = &a->m->choice.pattern;
    a->group_jac = run_group_jacobian(a->s, a->t, a->y, a->yp);
    memset(j, 0, (size_t)q->n_constraints * (size_t)a->n_columns * sizeof *j);
    for (int k = 0; k < a->n_columns; k++)
        for (int e = p->start[a->columns[k]]; e < p->start[a->columns[k] + 1]; e++) {
            int i = p->row[e] - a->group_row;
            if (i >= 0 && i < q->n_constraints) j[i + k * q->n_constraints] = a->group_jac[e];
        }
    return 0;
}

static void group_add_column(start *a, int i)
{
    int k = a->n_columns++;
    a->columns[k] = i;
    a->z[k] = a->y[i];
    a->nominal[k] = run_nominal(a->s)[i];
    a->weight[k] = 1 / run_nominal(a->s)[i];
    a->fixed[k] = run_is_fixed(a->s, start_entry(a, i));
}

/* Coordinates, or velocities, that no constraint holds. */
static void add_companions(start *a, const form_group *q)
{
    const form_system *f = a->m->form;
    const structure *s = a->m->s;
    for (int i = 0; i < a->m->n; i++) {
        int e = start_entry(a, i);
        if (!a->m->system.differential[i] || e < 0 || a->m->system.role[i] == CODE_SELECTED)
            continue;
        const structure_unknown *u = &s->unknowns.at[f->s->entries.at[e].unknown];
        if (a->x->mass->of[u - s->unknowns.at] && e == u->first + u->d - q->level)
            group_add_column(a, i);
    }
}

/* Does every constraint of the group hold as exactly as the values of its unknowns allow? r and j:
 * residuals and derivatives of all. */
static bool holds(const start *a, const form_group *q, int row0, const double *r, const double *j)
{
    const vinc_pattern *p = &a->m->choice.pattern;
    for (int i = 0; i < q->n_constraints; i++) a->scaled[i] = 0;
    for (int k = 0; k < q->n_columns; k++)
        for (int c = q->columns[k], e = p->start[c]; e < p->start[c + 1]; e++) {
            int i = p->row[e] - row0;
            if (i >= 0 && i < q->n_constraints) a->scaled[i] += fabs(j[e] * a->y[c]);
        }
    for (int i = 0; i < q->n_constraints; i++)
        if (!(fabs(r[q->constraints[i]]) <= DBL_EPSILON * a->scaled[i])) return false;
    return true;
}

static int solve_group(start *a, const form_group *q, int row0, bool quiet)
{
    a->group = q;
    a->group_row = row0;
    // Companions are coordinates of the inertia, or their velocities.
    size_t n = (size_t)q->n_columns + (a->x->mass ? (size_t)a->x->mass->n : 0),
           bytes = (n * n + n) * sizeof(double);
    double *metric = mem_try(run_mem(a->s), bytes);
    if (!metric) return VINC_E_MEMORY;
    a->columns = (int *)(metric + n * n);
    a->n_columns = 0;
    for (int k = 0; k < q->n_columns; k++) group_add_column(a, q->columns[k]);
    if (a->x->mass) add_companions(a, q);
    bool inertia = start_metric(a, metric);
    if (!inertia) a->n_columns = q->n_columns;
    least_problem p = {.m = q->n_constraints,
                       .n = a->n_columns,
                       .eval = eval_group,
                       .user = a,
                       .nominal = a->nominal,
                       .weight = a->weight,
                       .fixed = a->fixed,
                       .metric = inertia ? metric : NULL,
                       .tol = a->tol,
                       .scatter = true};
    least_report report;
    int rc = least_solve(run_mem(a->s), &p, a->z, a->scaled, &report);
    a->report->iterations += report.iterations;
    for (int k = 0; k < a->n_columns; k++) a->y[a->columns[k]] = a->z[k];
    mem_free(run_mem(a->s), metric, bytes);
    if (rc == LEAST_MEMORY) return VINC_E_MEMORY;
    if (rc == LEAST_OK) return VINC_OK;
    if (!quiet) start_explain_group(a, q);
    return VINC_E_NEWTON;
}

/* ---- constraints that hold where their derivatives vanish ------------------------------------ */

/* Rank of the derivatives of a group's constraints in group_jac, rows and columns scaled; -1: not to be
 * had. */
static int group_rank(start *a, const form_group *q, int row0)
{
    const vinc_pattern *p = &a->m->choice.pattern;
    arena *s = a->sink->a;
    arena_mark here = arena_here(s);
    int m = q->n_constraints, n = q->n_columns;
    double *j = arena_array(s, double, m *n + 1), *most = arena_array(s, double, m + 1);
    for (int k = 0; k < n; k++)
        for (int c = q->columns[k], e = p->start[c]; e < p->start[c + 1]; e++) {
            int i = p->row[e] - row0;
            if (i < 0 || i >= m) continue;
            j[i + k * m] = a->group_jac[e] * run_nominal(a->s)[c];
            most[i] = fmax(most[i], fabs(j[i + k * m]));
        }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) j[i + k * m] /= most[i] > 0 ? most[i] : 1;
    la_qr qr = {.m = m, .n = n, .a = j};
    qr.tau = arena_array(s, double, n + 1);
    qr.perm = arena_array(s, int, n + 1);
    qr.work = arena_array(s, double, la_qr_work(m, n));
    int rank = la_qr_factor(&qr, 0);
    arena_release(s, here);
    return rank;
}

/* The constraint of a group that holds least exactly, by its equation. */
static int worst_of(const start *a, const form_group *q)
{
    int worst = q->constraints[0];
    for (int i = 1; i < q->n_constraints; i++)
        if (fabs(a->full[q->constraints[i]]) > fabs(a->full[worst])) worst = q->constraints[i];
    return a->m->form->rows.at[worst].equation;
}

/* cos(phi) = 1 ties phi, and yet its derivative vanishes where it holds: no force would follow from it.
 * Beside that point it has one. So where constraints depend on each other, the search begins again a
 * little aside. If it comes back to the same point, only less exactly, that is where the run begins. If
 * it ends elsewhere, there are solutions at both sides, a bifurcation, and the point stays as it is. */
static int step_aside(start *a, const form_group *q, int row0)
{
    static const double GOLDEN = 2.399963229728653; // its multiples fill the circle evenly
    double far = sqrt(a->tol), moved = 0;
    arena_mark here = arena_here(a->sink->a);
    double *given = arena_array(a->sink->a, double, q->n_columns);
    for (int k = 0; k < q->n_columns; k++) {
        int c = q->columns[k];
        given[k] = a->y[c];
        if (!run_is_fixed(a->s, start_entry(a, c)))
            a->y[c] += far * sin(GOLDEN * (k + 1)) * run_nominal(a->s)[c];
    }
    int rc = solve_group(a, q, row0, true);
    for (int k = 0; k < q->n_columns; k++) {
        int c = q->columns[k];
        moved = fmax(moved, fabs(a->y[c] - given[k]) / run_nominal(a->s)[c]);
    }
    bool back = !rc && moved < ASIDE_KEPT_MAX * far;
    if (back) evaluate_all(a);
    if (!back || group_rank(a, q, row0) < q->n_constraints)
        for (int k = 0; k < q->n_columns; k++) a->y[q->columns[k]] = given[k];
    else a->report->aside = 1 + worst_of(a, q);
    arena_release(a->sink->a, here);
    return rc == VINC_E_MEMORY ? rc : VINC_OK;
}

/* ---- all groups ------------------------------------------------------------------------------ */

int start_deepest(const start *a)
{
    const form_system *f = a->m->form;
    int deepest = 0;
    for (int g = 0; g < f->groups.n; g++)
        if (f->groups.at[g].level > deepest) deepest = f->groups.at[g].level;
    return deepest;
}

int start_groups(start *a, int last, bool quiet)
{
    const form_system *f = a->m->form;
    for (int level = start_deepest(a); level >= last; level--) {
        bool known = false; // residuals and derivatives are those of the present point
        for (int g = 0, row0 = 0; g < f->groups.n; row0 += f->groups.at[g++].n_constraints) {
            const form_group *q = &f->groups.at[g];
            if (q->level != level) continue;
            if (!known) evaluate_all(a);
            known = holds(a, q, row0, a->full, a->group_jac);
            if (!known) {
                int rc = solve_group(a, q, row0, quiet);
                if (rc) return rc;
            }
            if (level == 1) continue;
            if (!known) evaluate_all(a);
            known = group_rank(a, q, row0) == q->n_constraints;
            if (known) continue;
            int rc = step_aside(a, q, row0);
            if (rc) return rc;
        }
    }
    return VINC_OK;
}
