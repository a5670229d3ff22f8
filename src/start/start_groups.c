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
    const image_group *q = a->group;
    if (run_stops(a->s)) return -1;
    for (int k = 0; k < a->n_columns; k++) a->y[a->columns[k]] = z[k];
    if (a->piece) start_piece_evaluate(a->piece, z, r, j);
    else {
        run_eval(a->s, &a->m->system.residual, a->t, a->y, a->yp, a->full, NULL);
        for (int i = 0; i < q->n_constraints; i++) r[i] = a->full[q->constraints[i]];
    }
    for (int i = 0; i < q->n_constraints; i++)
        if (!isfinite(r[i])) return 1;
    if (!j || a->piece) return 0;
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
static void add_companions(start *a, const image_group *q)
{
    const image_entries *x = &a->m->entries;
    for (int i = 0; i < a->m->n; i++) {
        int e = start_entry(a, i);
        if (!a->m->system.differential[i] || e < 0 || a->m->system.role[i] == CODE_SELECTED)
            continue;
        if (code_coordinate_of(a->x->mass, e) >= 0 &&
            image_order_of(x, e) + q->level == image_highest_of(x, e))
            group_add_column(a, i);
    }
}

/* A group at the present point: residuals of its constraints, and their derivatives by its columns. */
typedef struct group_point {
    int m, n;
    double *r, *j;
} group_point;

typedef struct group_reader {
    arena *memory, *index; // of one group; of the pieces
    start_pieces pieces;
    bool known; // a->full and group_jac are those of the present point
    bool apart; // groups of this level have moved: others look at their own rows
} group_reader;

/* The constraints of a group by themselves; false: it does not pay. */
static bool own_rows(start *a, group_reader *x, const image_group *q, const int *columns, int n,
                     start_piece *to)
{
    if (!x->index) {
        x->index = arena_inner(a->sink->a);
        start_pieces_open(&x->pieces, a, NULL, x->index);
    }
    x->pieces.memory = x->memory;
    return start_piece_of_residual(&x->pieces, q->constraints, q->n_constraints, columns, n, to);
}

/* From all rows, once for a level, while no group moves; then from its own. In the arena of the reader. */
static group_point group_read(start *a, group_reader *x, const image_group *q, int row0)
{
    arena *s = x->memory;
    group_point at = {.m = q->n_constraints, .n = q->n_columns};
    at.r = arena_array(s, double, at.m + 1);
    at.j = arena_array(s, double, at.m *at.n + 1);
    start_piece piece;
    if (!x->known && x->apart && own_rows(a, x, q, q->columns, at.n, &piece)) {
        double *z = arena_array(s, double, at.n + 1);
        for (int k = 0; k < at.n; k++) z[k] = a->y[q->columns[k]];
        start_piece_evaluate(&piece, z, at.r, at.j);
        return at;
    }
    if (!x->known) evaluate_all(a);
    x->known = true;
    const vinc_pattern *p = &a->m->choice.pattern;
    for (int i = 0; i < at.m; i++) at.r[i] = a->full[q->constraints[i]];
    for (int k = 0; k < at.n; k++)
        for (int c = q->columns[k], e = p->start[c]; e < p->start[c + 1]; e++) {
            int i = p->row[e] - row0;
            if (i >= 0 && i < at.m) at.j[i + k * at.m] = a->group_jac[e];
        }
    return at;
}

/* Does every constraint hold as exactly as the values of its unknowns allow? */
static bool holds(const start *a, const image_group *q, const group_point *at)
{
    for (int i = 0; i < at->m; i++) {
        double size = 0;
        for (int k = 0; k < at->n; k++) size += fabs(at->j[i + k * at->m] * a->y[q->columns[k]]);
        if (!(fabs(at->r[i]) <= DBL_EPSILON * size)) return false;
    }
    return true;
}

static int solve_group(start *a, group_reader *x, const image_group *q, int row0, bool quiet)
{
    start_piece piece;
    a->group = q;
    a->group_row = row0;
    // Companions are coordinates of the inertia, or their velocities.
    size_t n = (size_t)q->n_columns + (a->x->mass ? (size_t)a->x->mass->n : 0),
           bytes = (n * n + n) * sizeof(double);
    double *metric = arena_alloc(x->memory, bytes); // making own rows may jump
    a->columns = (int *)(metric + n * n);
    a->n_columns = 0;
    for (int k = 0; k < q->n_columns; k++) group_add_column(a, q->columns[k]);
    if (a->x->mass) add_companions(a, q);
    bool inertia = start_metric(a, metric);
    if (!inertia) a->n_columns = q->n_columns;
    if (own_rows(a, x, q, a->columns, a->n_columns, &piece)) a->piece = &piece;
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
    a->piece = NULL;
    x->known = false;
    x->apart = true;
    if (rc == LEAST_MEMORY) return VINC_E_MEMORY;
    if (rc == LEAST_OK) return VINC_OK;
    if (!quiet) {
        evaluate_all(a);
        start_explain_group(a, q);
    }
    return VINC_E_NEWTON;
}

/* ---- constraints that hold where their derivatives vanish ------------------------------------ */

/* Rank of the derivatives of a group's constraints, rows and columns scaled; -1: not to be had. */
static int group_rank(const start *a, arena *s, const image_group *q, const group_point *at)
{
    int m = at->m, n = at->n;
    double *j = arena_array(s, double, m *n + 1), *most = arena_array(s, double, m + 1);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) {
            j[i + k * m] = at->j[i + k * m] * run_nominal(a->s)[q->columns[k]];
            most[i] = fmax(most[i], fabs(j[i + k * m]));
        }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++) j[i + k * m] /= most[i] > 0 ? most[i] : 1;
    la_qr qr = {.m = m, .n = n, .a = j};
    qr.tau = arena_array(s, double, n + 1);
    qr.perm = arena_array(s, int, n + 1);
    qr.work = arena_array(s, double, la_qr_work(m, n));
    return la_qr_factor(&qr, 0);
}

/* The constraint of a group that holds least exactly, by its equation. */
static int worst_of(const start *a, const image_group *q, const group_point *at)
{
    int worst = 0;
    for (int i = 1; i < at->m; i++)
        if (fabs(at->r[i]) > fabs(at->r[worst])) worst = i;
    return a->m->formulation.rows[q->constraints[worst]].equation;
}

/* cos(phi) = 1 ties phi, and yet its derivative vanishes where it holds: no force would follow from it.
 * Beside that point it has one. So where constraints depend on each other, the search begins again a
 * little aside. If it comes back to the same point, only less exactly, that is where the run begins. If
 * it ends elsewhere, there are solutions at both sides, a bifurcation, and the point stays as it is. */
static int step_aside(start *a, group_reader *x, const image_group *q, int row0)
{
    static const double GOLDEN = 2.399963229728653; // its multiples fill the circle evenly
    double far = sqrt(a->tol), moved = 0;
    arena *s = x->memory;
    double *given = arena_array(s, double, q->n_columns);
    for (int k = 0; k < q->n_columns; k++) {
        int c = q->columns[k];
        given[k] = a->y[c];
        if (!run_is_fixed(a->s, start_entry(a, c)))
            a->y[c] += far * sin(GOLDEN * (k + 1)) * run_nominal(a->s)[c];
    }
    int rc = solve_group(a, x, q, row0, true);
    for (int k = 0; k < q->n_columns; k++) {
        int c = q->columns[k];
        moved = fmax(moved, fabs(a->y[c] - given[k]) / run_nominal(a->s)[c]);
    }
    bool back = !rc && moved < ASIDE_KEPT_MAX * far;
    if (back) {
        group_point at = group_read(a, x, q, row0);
        back = group_rank(a, s, q, &at) == q->n_constraints;
        if (back) a->report->aside = 1 + worst_of(a, q, &at);
    }
    for (int k = 0; !back && k < q->n_columns; k++) a->y[q->columns[k]] = given[k];
    x->known = false;
    return rc == VINC_E_MEMORY ? rc : VINC_OK;
}

/* ---- all groups ------------------------------------------------------------------------------ */

int start_deepest(const start *a)
{
    const image_formulation *f = &a->m->formulation;
    int deepest = 0;
    for (int g = 0; g < f->n_groups; g++)
        if (f->groups[g].level > deepest) deepest = f->groups[g].level;
    return deepest;
}

/* A group with multipliers is moved onto its constraints, by the least change, with all that follows from the
 * states: sparse, where matrices of the group would be dense. Where a start value is
 * fixed the group is solved by itself, for that search would move it. */
static bool follows_by_itself(const start *a, const image_group *q)
{
    enum { DENSE_MOST = 100 };
    if (!q->tied || q->n_columns <= DENSE_MOST) return false;
    for (int k = 0; k < q->n_columns; k++)
        if (run_is_fixed(a->s, start_entry(a, q->columns[k]))) return false;
    return true;
}

static int start_one_group(start *a, group_reader *x, const image_group *q, int row0, bool quiet)
{
    if (follows_by_itself(a, q)) return VINC_OK;
    group_point at = group_read(a, x, q, row0);
    if (!holds(a, q, &at)) {
        int rc = solve_group(a, x, q, row0, quiet);
        if (rc || q->level == 1) return rc;
        at = group_read(a, x, q, row0);
    }
    if (q->level == 1 || group_rank(a, x->memory, q, &at) == q->n_constraints) return VINC_OK;
    return step_aside(a, x, q, row0);
}

int start_groups(start *a, int last, bool quiet)
{
    const image_formulation *f = &a->m->formulation;
    if (!f->n_groups) return VINC_OK;
    group_reader x = {.memory = arena_inner(a->sink->a)};
    int rc = VINC_OK;
    for (int level = start_deepest(a); level >= last && !rc; level--) {
        x.apart = false;
        for (int g = 0, row0 = 0; g < f->n_groups && !rc; row0 += f->groups[g++].n_constraints) {
            const image_group *q = &f->groups[g];
            if (q->level != level) continue;
            rc = start_one_group(a, &x, q, row0, quiet);
            arena_done(x.memory);
        }
    }
    if (x.index) arena_done(x.index);
    return rc;
}
