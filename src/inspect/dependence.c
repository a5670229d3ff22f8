/* Constraints that depend on each other, in words: which they are, where, and which multipliers are
 * not unique.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/inspect.h"
#include "la/dense.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 6 };                    // equations or coordinates in a message
static const double TAKES_PART = 1e-3; // component of a unit vector

static void note_equations(run_state *s, const double *sigma, const double *U, diag_sink *sink)
{
    const code_rank *x = s->model->rank;
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
        structure_equation_short(s->model->s, x->equation[i], &t);
        diag_note(sink, s->model->s->equations.at[x->equation[i]].at, "%s '%s'%s",
                  shown++ ? "and" : "dependent here:", text_str(&t), "");
    }
    if (more) diag_note(sink, (span){0, 0}, "and %d more", more);
    text_done(&t);
}

static void note_position(run_state *s, double t, const double *y, diag_sink *sink)
{
    const code_rank *x = s->model->rank;
    const form_system *f = s->model->form;
    text out;
    text_init(&out, sink->a->m);
    for (int j = 0; j < x->n && j < SHOWN; j++) {
        const structure_unknown *u = &s->model->s->unknowns.at[x->unknown[j]];
        form_place at = f->places[u->first];
        if (at.where == FORM_IN_Y)
            text_printf(&out, "%s%s = %.6g", out.n ? ", " : "",
                        s->model->s->entries.at[u->first].name, y[at.at]);
    }
    if (out.n)
        diag_note(sink, (span){0, 0}, "position at t = %.9g: %s%s", t, text_str(&out),
                  x->n > SHOWN ? ", ..." : "");
    text_done(&out);
}

/* Multipliers with a part in the null space of their columns in the equations of motion. */
static void note_multipliers(run_state *s, double t, const double *y, const double *yp,
                             diag_sink *sink)
{
    const form_mechanical *q = s->model->form->mechanical;
    if (!q || !q->m || !q->n || s->problem.jacobian(s, t, y, yp, s->dy, s->dyp)) return;
    size_t m = (size_t)q->m, n = (size_t)q->n,
           size = m * n + m * m + m + n + la_svd_work(q->n, q->m);
    double *B = mem_try(s->m, size * sizeof *B);
    if (!B) return;
    double *V = B + m * n, *sigma = V + m * m, *work = sigma + m + n;
    memset(B, 0, (m * n + m * m + m + n) * sizeof *B);
    const vinc_pattern *p = &s->model->system.jac;
    for (int i = 0; i < s->model->n; i++) s->row_at[i] = -1;
    for (int i = 0; i < q->n; i++) s->row_at[q->dynamic[i]] = i;
    for (int j = 0; j < q->m; j++)
        for (int k = p->start[q->multiplier[j]]; k < p->start[q->multiplier[j] + 1]; k++)
            if (s->row_at[p->row[k]] >= 0) B[s->row_at[p->row[k]] + j * q->n] = s->dy[k];
    text out;
    text_init(&out, sink->a->m);
    int count = 0;
    if (la_svd(q->n, q->m, B, sigma, NULL, V, work) >= 0)
        for (int j = 0; j < q->m; j++) {
            double share = 0;
            for (int k = 0; k < q->m; k++)
                if (sigma[k] <= RUN_DEPENDENT * sigma[0])
                    share = fmax(share, fabs(V[k + j * q->m]));
            if (share < TAKES_PART) continue;
            if (count++ < SHOWN)
                text_printf(&out, "%s'%s'", out.n ? ", " : "",
                            s->model->form->unknowns.at[q->multiplier[j]].name);
        }
    if (count)
        diag_note(sink, (span){0, 0},
                  "not unique, those of least norm are shown: the multiplier%s %s%s",
                  count > 1 ? "s" : "", text_str(&out), count > SHOWN ? ", ..." : "");
    text_done(&out);
    mem_free(s->m, B, size * sizeof *B);
}

void inspect_note_dependent(run_state *s, double t, const double *y, const double *yp,
                            diag_sink *sink)
{
    if (!s->model->rank) return;
    size_t m = (size_t)s->model->rank->m, bytes = (m * m + m) * sizeof(double);
    double *U = mem_try(s->m, bytes);
    if (!U) return;
    double *sigma = U + m * m;
    if (run_rank(s, t, y, yp, sigma, U) >= 0) {
        note_equations(s, sigma, U, sink);
        note_position(s, t, y, sink);
        note_multipliers(s, t, y, yp, sink);
    }
    mem_free(s->m, U, bytes);
}

int inspect_redundant(run_state *s, double t, const double *y, const double *yp)
{
    if (!s->model->rank) return 0;
    int m = s->model->rank->m;
    double *sigma = mem_try(s->m, (size_t)m * sizeof *sigma);
    if (!sigma) return 0;
    int rank = run_rank(s, t, y, yp, sigma, NULL);
    mem_free(s->m, sigma, (size_t)m * sizeof *sigma);
    return rank < 0 ? 0 : m - rank;
}

void inspect_note_branch(const run_state *s, arena *scratch, diag_sink *sink)
{
    structure *x = s->model->form->s;
    int i = x->relations.n ? structure_lost_branch(x, s->w, scratch) : -1;
    if (i < 0) return;
    diag_note(
        sink, x->equations.at[i].at,
        "the branch of this equation that holds now changes which equations constrain the "
        "states: the model was reduced for the other one, and that is not done anew while "
        "running; write it so that both branches leave the constraints alike, or split the run "
        "into two models");
}
