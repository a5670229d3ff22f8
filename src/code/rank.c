/* Where constraints depend on each other: redundant ones, singular positions.
 *
 * G has a row for every constraint f_i and a column for every unknown: df_i^(k) / dx_j^(d_j - c_i +
 * k) is the same for every k, so that the derivative of f_i that the formulation can evaluate is
 * taken. Columns are in units of the nominals, rows of equal size. The left singular vectors of
 * vanishing singular values name the equations that say the same; the null space of the
 * multipliers' columns names the multipliers that are not unique.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "code/internal.h"
#include "la/dense.h"
#include "la/wide.h"

#include <math.h>
#include <string.h>

enum {
    SHOWN = 6,      // equations or coordinates in a message
    SMALL = 30,     // constraints: up to here singular values cost next to nothing
    DENSE_MAX = 300 // constraints: beyond, singular values cost more than the run and are not asked
};
static const double DEPENDENT = 1e-9;  // relative singular value of redundant constraints
static const double LEAST_NORM = 1e-9; // weight of the multipliers' norm
static const double TAKES_PART = 1e-3; // component of a unit vector

/* ---- lowering -------------------------------------------------------------------------------- */

typedef struct rank_rows {
    expr *f;
    int *equation, *level; // the columns of a row are the x_j^(d_j - level)
    int n;
} rank_rows;

/* With states chosen while running: the constraints on velocities, dependent variables inserted.
 * Otherwise the constraints as they are written. */
static rank_rows list_rows(const code_model *m, lowering *l)
{
    const form_system *f = m->form;
    const structure *s = m->s;
    rank_rows r = {.f = arena_array(l->scratch, expr, s->equations.n),
                   .equation = arena_array(l->a, int, s->equations.n),
                   .level = arena_array(l->scratch, int, s->equations.n)};
    for (int g = 0; g < f->groups.n; g++) {
        const form_group *q = &f->groups.at[g];
        for (int k = 0; k < q->n_constraints && q->level == 1; k++) {
            const form_row *row = &f->rows.at[q->constraints[k]];
            r.f[r.n] = row->f;
            r.equation[r.n] = row->equation;
            r.level[r.n++] = 1;
        }
    }
    if (f->groups.n || f->kind->initial) return r;
    const bool *assigned = form_assigned(f, l->scratch);
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        if (!e->c || e->definition || assigned[i]) continue;
        r.f[r.n] = e->f[0];
        r.equation[r.n] = i;
        r.level[r.n++] = e->c;
    }
    return r;
}

typedef struct rank_entry {
    int row, col, value, component;
} rank_entry;

/* The derivatives that are in G, by columns in the order in which the unknowns occur. */
static void lower_matrix(const code_model *m, code_rank *x, const rank_rows *r,
                         const vinc_pattern *p, lowering *l)
{
    const structure *s = m->s;
    int *column = arena_array(l->scratch, int, s->unknowns.n); // by unknown, + 1
    ARRAY(rank_entry) list = {0};
    for (int c = 0; c < m->n; c++)
        for (int k = p->start[c]; k < p->start[c + 1]; k++) {
            int e = m->form->unknowns.at[c].entry, i = p->row[k];
            if (e < 0) continue;
            const structure_entry *q = &s->entries.at[e];
            if (q->order != s->unknowns.at[q->unknown].d - r->level[i]) continue;
            if (!column[q->unknown]) {
                x->unknown[x->n] = q->unknown;
                column[q->unknown] = ++x->n;
            }
            rank_entry y = {i, column[q->unknown] - 1, k, c};
            array_push(l->scratch, &list, y);
        }
    int *start = arena_array(l->a, int, x->n + 1), *row = arena_array(l->a, int, list.n),
        *next = arena_array(l->scratch, int, x->n);
    for (int e = 0; e < list.n; e++) start[list.at[e].col + 1]++;
    for (int j = 0; j < x->n; j++) {
        next[j] = start[j];
        start[j + 1] += start[j];
    }
    x->g = (vinc_pattern){x->m, x->n, list.n, start, row};
    x->value = arena_array(l->a, int, list.n);
    x->component = arena_array(l->a, int, list.n);
    for (int e = 0; e < list.n; e++) {
        int at = next[list.at[e].col]++;
        row[at] = list.at[e].row;
        x->value[at] = list.at[e].value;
        x->component[at] = list.at[e].component;
    }
}

bool code_lower_rank(code_model *m, lowering *l)
{
    const structure *s = m->s;
    rank_rows r = list_rows(m, l);
    if (!r.n || r.n > DENSE_MAX) return true;
    code_fn f;
    if (!code_function(l, r.f, NULL, r.n, "this constraint", true, &f)) return false;
    tape_program_derivative d = code_derive(f.program, r.n, m->n, l);
    code_rank *x = arena_new(l->a, code_rank);
    *x = (code_rank){.m = r.n,
                     .equation = r.equation,
                     .unknown = arena_array(l->a, int, s->unknowns.n),
                     .jac = {.program = d.code, .n_out = d.pattern.nnz}};
    lower_matrix(m, x, &r, &d.pattern, l);
    if (x->n) m->rank = x;
    return true;
}

/* ---- singular values ------------------------------------------------------------------------- */

typedef struct workspace {
    double *dy, *dyp, *g, *G, *sigma, *U, *work;
} workspace;

static size_t layout(workspace *w, const code_rank *x, bool dense, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)x->m, n = (size_t)x->n;
    w->dy = bump_double(&b, (size_t)x->jac.n_out);
    w->dyp = bump_double(&b, (size_t)x->jac.n_out);
    w->g = bump_double(&b, (size_t)x->g.nnz);
    if (!dense) return bump_end(&b);
    w->G = bump_double(&b, m * n);
    w->sigma = bump_double(&b, m + n);
    w->U = bump_double(&b, m * m);
    w->work = bump_double(&b, la_svd_work(x->m, x->n));
    return bump_end(&b);
}

/* The entries of G. */
static void evaluate(code_state *s, workspace *w, double t, const double *y, const double *yp)
{
    const code_rank *x = s->model->rank;
    code_eval(s, &x->jac, t, y, yp, w->dy, w->dyp);
    for (int e = 0; e < x->g.nnz; e++) {
        double *scale = &s->rank_scale[x->g.row[e]];
        w->g[e] = w->dy[x->value[e]] * s->nominal[x->component[e]];
        *scale = fmax(*scale, fabs(w->g[e]));
    }
    for (int e = 0; e < x->g.nnz; e++) {
        double scale = s->rank_scale[x->g.row[e]];
        if (scale > 0) w->g[e] /= scale;
    }
}

/* Singular values of G, as many as rows: those beyond the number of columns are 0. */
static int decompose(code_state *s, workspace *w, double t, const double *y, const double *yp,
                     bool vectors)
{
    const code_rank *x = s->model->rank;
    evaluate(s, w, t, y, yp);
    memset(w->G, 0, (size_t)x->m * (size_t)x->n * sizeof *w->G);
    for (int j = 0; j < x->n; j++)
        for (int e = x->g.start[j]; e < x->g.start[j + 1]; e++)
            w->G[x->g.row[e] + j * x->m] = w->g[e];
    memset(w->sigma, 0, (size_t)(x->m + x->n) * sizeof *w->sigma);
    return la_svd(x->m, x->n, w->G, w->sigma, vectors ? w->U : NULL, NULL, w->work) < 0 ? 1 : 0;
}

static int rank_of(const code_rank *x, const double *sigma)
{
    int rank = 0;
    while (rank < x->m && sigma[rank] > DEPENDENT * sigma[0]) rank++;
    return rank;
}

static void *begin(code_state *s, workspace *w, bool dense, size_t *bytes)
{
    *bytes = layout(w, s->model->rank, dense, NULL);
    void *block = mem_try(s->m, *bytes);
    if (block) layout(w, s->model->rank, dense, block);
    return block;
}

static int by_decomposition(code_state *s, double t, const double *y, const double *yp,
                            double *sigma)
{
    workspace w;
    size_t bytes;
    void *block = begin(s, &w, true, &bytes);
    if (!block) return VINC_E_MEMORY;
    int rc = decompose(s, &w, t, y, yp, false);
    // Constraints that are redundant everywhere do not count: the largest rank met is the full one.
    int rank = rank_of(s->model->rank, w.sigma);
    if (rank > s->rank_seen) s->rank_seen = rank;
    *sigma = rank ? w.sigma[s->rank_seen - 1] / w.sigma[0] : 0;
    mem_free(s->m, block, bytes);
    return rc;
}

/* The smallest alone, from sparse factors: where there are many constraints, none of them
 * redundant. */
static int by_iteration(code_state *s, double t, const double *y, const double *yp, double *sigma)
{
    workspace w;
    size_t bytes;
    void *block = begin(s, &w, false, &bytes);
    if (!block || (!s->wide && la_wide_new(s->m, &s->model->rank->g, &s->wide))) {
        mem_free(s->m, block, bytes);
        return VINC_E_MEMORY;
    }
    evaluate(s, &w, t, y, yp);
    int rc = la_wide_factor(s->wide, w.g);
    if (rc == LA_OK && !(s->wide_most > 0)) s->wide_most = la_wide_most(s->wide);
    *sigma = rc == LA_OK ? la_wide_least(s->wide) / s->wide_most : 0;
    mem_free(s->m, block, bytes);
    return rc < 0 ? VINC_E_MEMORY : 0;
}

int code_regularity(void *user, double t, const double *y, const double *yp, double *sigma)
{
    code_state *s = user;
    int m = s->model->rank->m;
    return (m > SMALL && s->rank_seen == m ? by_iteration : by_decomposition)(s, t, y, yp, sigma);
}

/* ---- in words -------------------------------------------------------------------------------- */

static void note_equations(code_state *s, const workspace *w, diag_sink *sink)
{
    const code_rank *x = s->model->rank;
    // The share of each equation in the smallest singular values that count as one.
    double limit = fmax(DEPENDENT * w->sigma[0], 10 * w->sigma[x->m - 1]);
    int shown = 0, more = 0;
    text t;
    text_init(&t, sink->a->m);
    for (int i = 0; i < x->m; i++) {
        double share = 0;
        for (int k = 0; k < x->m; k++)
            if (w->sigma[k] <= limit) share = fmax(share, fabs(w->U[i + k * x->m]));
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

static void note_position(code_state *s, double t, const double *y, diag_sink *sink)
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
static void note_multipliers(code_state *s, double t, const double *y, const double *yp,
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
    const vinc_pattern *p = &s->model->jac;
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
                if (sigma[k] <= DEPENDENT * sigma[0]) share = fmax(share, fabs(V[k + j * q->m]));
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

void code_note_dependent(code_state *s, double t, const double *y, const double *yp,
                         diag_sink *sink)
{
    workspace w;
    size_t bytes;
    if (!s->model->rank) return;
    void *block = begin(s, &w, true, &bytes);
    if (!block) return;
    if (!decompose(s, &w, t, y, yp, true)) {
        note_equations(s, &w, sink);
        note_position(s, t, y, sink);
        note_multipliers(s, t, y, yp, sink);
    }
    mem_free(s->m, block, bytes);
}

int code_redundant(code_state *s, double t, const double *y, const double *yp)
{
    workspace w;
    size_t bytes;
    if (!s->model->rank) return 0;
    void *block = begin(s, &w, true, &bytes);
    if (!block) return 0;
    int count = 0;
    if (!decompose(s, &w, t, y, yp, false))
        count = s->model->rank->m - rank_of(s->model->rank, w.sigma);
    mem_free(s->m, block, bytes);
    return count;
}

bool code_allow_redundant(code_state *s, double t, const double *y, const double *yp)
{
    const form_mechanical *q = s->model->form->mechanical;
    const vinc_pattern *p = &s->model->jac;
    if (!q || q->least < 0 || s->problem.jacobian(s, t, y, yp, s->dy, s->dyp)) return false;
    // Small beside G M^-1 B, far above round-off in it.
    double mass = 0, force = 0, size = 0;
    for (int i = 0; i < s->model->n; i++) s->row_at[i] = 0;
    for (int i = 0; i < q->n; i++) s->row_at[q->dynamic[i]] = 1;
    for (int i = 0; i < q->m; i++) s->row_at[q->constraint[i]] = 2;
    for (int j = 0; j < q->n; j++)
        for (int k = p->start[q->acceleration[j]]; k < p->start[q->acceleration[j] + 1]; k++) {
            double *most = s->row_at[p->row[k]] == 1 ? &mass : &size;
            if (s->row_at[p->row[k]]) *most = fmax(*most, fabs(s->dy[k]));
        }
    for (int j = 0; j < q->m; j++)
        for (int k = p->start[q->multiplier[j]]; k < p->start[q->multiplier[j] + 1]; k++)
            if (s->row_at[p->row[k]] == 1) force = fmax(force, fabs(s->dy[k]));
    if (!(mass > 0) || !(force > 0) || !(size > 0)) return false;
    s->w[q->least] = LEAST_NORM * size * force / mass;
    return true;
}

void code_note_branch(const code_state *s, arena *scratch, diag_sink *sink)
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
