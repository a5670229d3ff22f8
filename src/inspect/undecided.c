/* Are the equations of a formulation enough, by the entries that parameters leave?
 *
 * Structure takes every coefficient for different from zero. Where parameters make some of them zero,
 * the Jacobian at the start and at points around it shows which: an entry that vanishes at all of them
 * is absent. What is left of dF/dy and dF/dy' together must have a transversal, or every matrix
 * dF/dy + c dF/dy' of a step is singular. It counts only where a constraint or a derivative of one is
 * among the equations that are too many: a pressure between closed valves is undecided in every
 * formulation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"
#include "inspect/inspect.h"
#include "problem/problem.h"
#include "run/verbs.h"

#include <math.h>
#include <string.h>

enum { POINTS = 3 };
/* Points around the start: unknowns moved by this part of their size, each by another one. */
static const double APART = 1e-3, GOLDEN = 0.6180339887498949;

/* Marks what does not vanish at one of the points. */
static bool mark_present(problem_jac *j, double t, const double *y, const double *yp, arena *a,
                         bool *present)
{
    int n = j->p->n;
    vinc_stats stats = {0};
    double *z = arena_array(a, double, n + 1), *zp = arena_array(a, double, n + 1);
    int seen = 0;
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < n; i++) {
            double part = APART * k * (fmod(GOLDEN * (i + 1) * (k + 1), 1) - 0.5);
            z[i] = y[i] + part * fmax(fabs(y[i]), problem_nominal(j->p, i));
            zp[i] = yp[i] + part * fmax(fabs(yp[i]), problem_nominal(j->p, i));
        }
        if (problem_jac_eval(j, &stats, t, z, zp, 0)) continue;
        seen++;
        for (long e = 0; e < j->nnz; e++) present[e] |= j->dy[e] != 0 || j->dyp[e] != 0;
    }
    return seen > 1;
}

/* The pattern by columns; graph_match does not mind which way round. */
static graph_pattern pattern_left(const problem_jac *j, const bool *present, arena *a)
{
    int n = j->p->n, m = 0;
    const vinc_pattern *full = &j->pattern;
    graph_pattern g = {.n_rows = n, .n_cols = n};
    g.start = arena_array(a, int, n + 1);
    g.col = arena_array(a, int, (int)j->nnz + 1);
    for (int c = 0; c < n; c++) {
        g.start[c] = m;
        for (int e = full->start[c]; e < full->start[c + 1]; e++)
            if (present[e]) g.col[m++] = full->row[e];
    }
    g.start[n] = m;
    return g;
}

/* Has differentiation anything to do with the equations that are too many? */
static bool holds_derivative(const form_system *f, const int_array *rows)
{
    for (int k = 0; k < rows->n; k++) {
        const image_row *r = &f->rows.at[rows->at[k]];
        if (r->kind != IMAGE_ROW_EQUATION || r->derivative > 0) return true;
    }
    return false;
}

typedef struct question {
    run_state *s;
    double t;
    const double *y, *yp;
    problem_jac j;
    arena *scratch;
} question;

static int question_answer(void *job)
{
    question *q = job;
    arena *scratch = q->scratch;
    bool *present = arena_array(scratch, bool, (int)q->j.nnz + 1);
    if (!mark_present(&q->j, q->t, q->y, q->yp, scratch, present)) return false;
    graph_pattern g = pattern_left(&q->j, present, scratch);
    graph_matching match = graph_match(&g, NULL, scratch, scratch);
    int_array unknowns = {0}, rows = {0};
    graph_under(&g, &match, scratch, &unknowns, &rows); // of the columns, as rows
    return match.n < q->j.p->n && holds_derivative(run_model(q->s)->form, &rows);
}

bool inspect_undecided(run_state *s, double t, const double *y, const double *yp, arena *scratch)
{
    const vinc_problem *p = run_problem(s);
    question q = {.s = s, .t = t, .y = y, .yp = yp, .scratch = scratch};
    if (!p->residual || !p->n || problem_jac_init(&q.j, run_mem(s), p)) return false;
    int undecided = mem_guarded(scratch->m, question_answer, &q, -1);
    problem_jac_done(&q.j); // also where the answer was stopped
    if (undecided < 0) mem_fail(scratch->m);
    return undecided;
}
