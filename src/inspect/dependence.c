/* Constraints that depend on each other, in words: which they are, where, and which multipliers are
 * not unique.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "inspect/inspect.h"
#include "inspect/mobility.h"
#include "la/dense.h"
#include "run/verbs.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 6 };                    // equations or coordinates in a message
static const double TAKES_PART = 1e-3; // component of a unit vector

static void dependence_note_equations(run_state *s, const double *sigma, const double *U,
                                      diag_sink *sink)
{
    const code_rank *x = run_model(s)->rank;
    // The share of each equation in the smallest singular values that count as one.
    double limit = fmax(RUN_DEPENDENT * sigma[0], 10 * sigma[x->m - 1]);
    int shown = 0, more = 0;
    text t;
    text_init(&t, sink->a->m);
    for (int i = 0; i < x->m; i++) {
        double share = 0;
        for (int k = 0; k < x->m; k++)
            if (sigma[k] <= limit) share = fmax(share, fabs(U[i + k * x->m]));
        if (share < TAKES_PART) continue;
        if (shown == SHOWN) {
            more++;
            continue;
        }
        text_clear(&t);
        structure_equation_short(run_model(s)->s, x->equation[i], &t);
        diag_note(sink, run_model(s)->s->equations.at[x->equation[i]].at, "%s '%s'%s",
                  shown++ ? "and" : "dependent here:", text_str(&t), "");
    }
    if (more) diag_note(sink, (span){0, 0}, "and %d more", more);
    text_done(&t);
}

static void note_position(run_state *s, double t, const double *y, diag_sink *sink)
{
    const code_rank *x = run_model(s)->rank;
    const form_system *f = run_model(s)->form;
    text out;
    text_init(&out, sink->a->m);
    for (int j = 0; j < x->n && j < SHOWN; j++) {
        const structure_unknown *u = &run_model(s)->s->unknowns.at[x->unknown[j]];
        image_place at = f->places[u->first];
        if (at.where != IMAGE_IN_Y) continue;
        if (out.n) text_add(&out, ", ");
        structure_add_name(run_model(s)->s, u->first, &out);
        text_printf(&out, " = %.6g", y[at.at]);
    }
    if (out.n)
        diag_note(sink, (span){0, 0}, "position at t = %.9g: %s%s", t, text_str(&out),
                  x->n > SHOWN ? ", ..." : "");
    text_done(&out);
}

/* B, the columns of the multipliers in the equations of motion and laws; row_at (by row of F) is
 * overwritten. */
static void gather_columns(const code_model *m, const double *dy, int *row_at, double *B)
{
    const image_mechanical *q = m->form->mechanical;
    const vinc_pattern *p = &m->system.jac;
    for (int i = 0; i < m->n; i++) row_at[i] = -1;
    int rows = q->n + q->n_laws;
    for (int i = 0; i < rows; i++) row_at[q->dynamic[i]] = i;
    for (int j = 0; j < q->m + q->n_laws; j++)
        for (int k = p->start[q->multiplier[j]]; k < p->start[q->multiplier[j] + 1]; k++)
            if (row_at[p->row[k]] >= 0) B[row_at[p->row[k]] + j * rows] = dy[k];
}

typedef struct column_work {
    double *dy, *dyp, *B, *V, *sigma, *svd;
    int *row_at;
} column_work;

static size_t column_layout(column_work *x, const code_model *m, void *block)
{
    const image_mechanical *q = m->form->mechanical;
    bump b = bump_begin(block);
    size_t nnz = (size_t)m->system.jac.nnz, k = (size_t)(q->m + q->n_laws),
           n = (size_t)(q->n + q->n_laws);
    x->dy = bump_double(&b, nnz);
    x->dyp = bump_double(&b, nnz);
    x->B = bump_double(&b, k * n);
    x->V = bump_double(&b, k * k);
    x->sigma = bump_double(&b, k + n);
    x->svd = bump_double(&b, la_svd_work((int)n, (int)k));
    x->row_at = bump_int(&b, (size_t)m->n);
    return bump_end(&b);
}

/* Multipliers with a part in the null space of their columns. */
static void name_multipliers(const code_model *m, column_work *x, diag_sink *sink)
{
    const image_mechanical *q = m->form->mechanical;
    int count = 0, rows = q->n + q->n_laws, columns = q->m + q->n_laws;
    text out;
    if (la_svd(rows, columns, x->B, x->sigma, NULL, x->V, x->svd) < 0) return;
    text_init(&out, sink->a->m);
    for (int j = 0; j < columns; j++) {
        double share = 0;
        for (int k = 0; k < columns; k++)
            if (x->sigma[k] <= RUN_DEPENDENT * x->sigma[0])
                share = fmax(share, fabs(x->V[k + j * columns]));
        if (share < TAKES_PART || count++ >= SHOWN) continue;
        text_printf(&out, "%s'%s'", out.n ? ", " : "",
                    form_name_of(m->form, q->multiplier[j], &(expr_label){{0}}));
    }
    if (count)
        diag_note(sink, (span){0, 0},
                  "not unique, those of least norm are shown: the multiplier%s %s%s",
                  count > 1 ? "s" : "", text_str(&out), count > SHOWN ? ", ..." : "");
    text_done(&out);
}

static void note_multipliers(run_state *s, double t, const double *y, const double *yp,
                             diag_sink *sink)
{
    const code_model *m = run_model(s);
    const image_mechanical *q = m->form->mechanical;
    const vinc_problem *p = run_problem(s);
    column_work x;
    if (!q || !q->m || !q->n) return;
    size_t bytes = column_layout(&x, m, NULL);
    void *block = mem_try(run_mem(s), bytes);
    if (!block) return;
    memset(block, 0, bytes);
    column_layout(&x, m, block);
    if (!p->jacobian(p->user, t, y, yp, x.dy, x.dyp)) {
        gather_columns(m, x.dy, x.row_at, x.B);
        name_multipliers(m, &x, sink);
    }
    mem_free(run_mem(s), block, bytes);
}

static void note_mobility(run_state *s, double t, const double *y, const double *yp,
                          diag_sink *sink)
{
    inspect_mobility x;
    inspect_mobility_at(s, t, y, yp, true, sink->a, &x);
    if (x.locked) diag_note(sink, (span){0, 0}, "locked: %s", x.locked);
    if (x.labile) diag_note(sink, (span){0, 0}, "labile: %s", x.labile);
}

void inspect_note_labile(run_state *s, double t, const double *y, const double *yp, diag_sink *sink)
{
    inspect_mobility x;
    if (!code_has_origin(run_model(s))) return;
    inspect_mobility_at(s, t, y, yp, false, sink->a, &x);
    if (!x.locked && x.labile) diag_note(sink, (span){0, 0}, "labile: %s", x.labile);
}

void inspect_note_dependent(run_state *s, double t, const double *y, const double *yp,
                            diag_sink *sink)
{
    if (!run_model(s)->rank || !code_has_origin(run_model(s))) return;
    size_t m = (size_t)run_model(s)->rank->m, bytes = (m * m + m) * sizeof(double);
    double *U = mem_try(run_mem(s), bytes);
    if (!U) return;
    double *sigma = U + m * m;
    if (run_rank(s, t, y, yp, sigma, U) >= 0) {
        dependence_note_equations(s, sigma, U, sink);
        note_position(s, t, y, sink);
        note_multipliers(s, t, y, yp, sink);
        note_mobility(s, t, y, yp, sink);
    }
    mem_free(run_mem(s), U, bytes);
}

int inspect_redundant(run_state *s, double t, const double *y, const double *yp)
{
    if (!run_model(s)->rank) return 0;
    int m = run_model(s)->rank->m;
    double *sigma = mem_try(run_mem(s), (size_t)m * sizeof *sigma);
    if (!sigma) return 0;
    int rank = run_rank(s, t, y, yp, sigma, NULL);
    mem_free(run_mem(s), sigma, (size_t)m * sizeof *sigma);
    return rank < 0 ? 0 : m - rank;
}

void inspect_note_branch(run_state *s, arena *scratch, diag_sink *sink)
{
    const structure *x = run_model(s)->s;
    if (!x->relations.n || !code_has_origin(run_model(s))) return;
    int i = structure_lost_branch(x, run_discrete_values(s), scratch);
    if (i < 0) return;
    diag_note(
        sink, x->equations.at[i].at,
        "the branch of this equation that holds now changes which equations constrain the "
        "states: the model was reduced for the other one, and that is not done anew while "
        "running; write it so that both branches leave the constraints alike, or split the run "
        "into two models");
}
