/* Projection on the constraints after a step, level by level.
 *
 * At level l the rows are the f_i^(c_i - l), the unknowns the x_j^(d_j - l): positions first, then
 * velocities, each with what was found before held. Newton with least-norm steps in units of the
 * nominals, by complete orthogonal factorisation, so that redundant constraints do no harm (E.
 * Eich, SIAM J. Numer. Anal. 30 (1993) 1467-1482); by sparse factors where there are many
 * (la/wide.h). Where dependent coordinates are to follow independent ones, the step is the basic
 * solution of pivoted QR instead.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "code/internal.h"
#include "la/dense.h"
#include "la/wide.h"

#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 15,
    SPARSE_LEAST = 40, // constraints from which on sparse factors are cheaper
    DENSE_MOST = 300   // and up to which dense ones help out where those fail
};
static const double RANK = 1e-10; // pivots below this part of the largest are zero

/* ---- lowering -------------------------------------------------------------------------------- */

static int deepest_level(const structure *s)
{
    int most = 0;
    for (int i = 0; i < s->equations.n; i++)
        if (s->equations.at[i].c > most) most = s->equations.at[i].c;
    return most;
}

/* The components of y that level l may change. */
static int list_columns(const code_model *m, int level, int *out)
{
    const structure *s = m->s;
    int n = 0;
    for (int u = 0; u < s->unknowns.n; u++) {
        const structure_unknown *x = &s->unknowns.at[u];
        if (x->d < level || !s->blocks.at[x->block].levels) continue;
        form_place at = m->form->places[x->first + x->d - level];
        if (at.where == FORM_IN_Y) out[n++] = at.at;
    }
    return n;
}

/* The columns of the Jacobian that may change, as a matrix of their own. */
static void list_entries(code_level *q, arena *a)
{
    const vinc_pattern *p = &q->pattern;
    int *start = arena_array(a, int, q->n + 1), n = 0;
    for (int j = 0; j < q->n; j++) {
        n += p->start[q->columns[j] + 1] - p->start[q->columns[j]];
        start[j + 1] = n;
    }
    int *row = arena_array(a, int, n);
    q->value = arena_array(a, int, n);
    for (int j = 0, e = 0; j < q->n; j++)
        for (int k = p->start[q->columns[j]]; k < p->start[q->columns[j] + 1]; k++, e++) {
            row[e] = p->row[k];
            q->value[e] = k;
        }
    q->g = (vinc_pattern){q->m, q->n, n, start, row};
}

bool code_lower_manifold(code_model *m, lowering *l)
{
    const structure *s = m->s;
    if (m->form->project == FORM_PROJECT_NONE || !s->constraints.n) return true;
    int levels = deepest_level(s);
    bool *held = arena_array(l->scratch, bool, (size_t)s->equations.n *(size_t)(levels + 1));
    for (int i = 0; i < m->form->rows.n; i++) {
        const form_row *r = &m->form->rows.at[i];
        if (r->kind == FORM_ROW_CONSTRAINT) held[r->equation * (levels + 1) + r->derivative] = true;
    }
    const bool *assigned = form_assigned(m->form, l->scratch); // met by themselves
    code_manifold *x = arena_new(l->a, code_manifold);
    x->n = levels;
    x->levels = arena_array(l->a, code_level, levels);
    for (int k = 0; k < levels; k++) {
        code_level *q = &x->levels[k];
        int level = levels - k;
        expr *roots = arena_array(l->scratch, expr, s->equations.n);
        q->rows = arena_array(l->a, int, s->equations.n);
        for (int i = 0; i < s->equations.n; i++) {
            const structure_equation *e = &s->equations.at[i];
            if (e->c < level || assigned[i]) continue;
            // What is no row of F must not be met by force.
            if (m->form->project == FORM_PROJECT_OUTPUT && !held[i * (levels + 1) + e->c - level])
                continue;
            q->rows[q->m] = i;
            roots[q->m++] = e->f[e->c - level];
        }
        q->columns = arena_array(l->a, int, s->unknowns.n);
        q->n = list_columns(m, level, q->columns);
        if (!q->m) continue;
        if (!code_function(l, roots, NULL, q->m, "this constraint", true, &q->f)) return false;
        tape_program_derivative d = code_derive(q->f.program, q->m, m->n, l);
        q->jac = (code_fn){.program = d.code, .n_out = d.pattern.nnz};
        q->pattern = d.pattern;
        q->sparse = q->m >= SPARSE_LEAST && m->form->project != FORM_PROJECT_DEPENDENT;
        list_entries(q, l->a);
    }
    m->manifold = x;
    return true;
}

code_fn *code_manifold_fn(const code_model *m, int k)
{
    if (!m->manifold || k >= 2 * m->manifold->n) return NULL;
    code_level *q = &m->manifold->levels[k / 2];
    return k % 2 ? &q->jac : &q->f;
}

/* ---- projection ------------------------------------------------------------------------------ */

typedef struct workspace {
    double *r, *unit, *x, *g, *a, *tau, *tau_z, *work, *values, *values2;
    int *perm;
    la_qr qr; // of a, for basic solutions
    la_cod cod;
    la_wide *wide; // instead of them; NULL: dense
    bool basic;
} workspace;

static size_t layout(workspace *w, const code_level *q, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)q->m, n = (size_t)q->n, cod = la_cod_work(q->m, q->n),
           qr = la_qr_work(q->m, q->n);
    w->r = bump_double(&b, m > n ? m : n);
    w->unit = bump_double(&b, m);
    w->x = bump_double(&b, n);
    w->g = bump_double(&b, (size_t)q->g.nnz);
    w->values = bump_double(&b, (size_t)q->pattern.nnz);
    w->values2 = bump_double(&b, (size_t)q->pattern.nnz);
    if (q->sparse && q->m > DENSE_MOST) return bump_end(&b);
    w->a = bump_double(&b, m * n);
    w->tau = bump_double(&b, m + n);
    w->tau_z = bump_double(&b, m + n);
    w->work = bump_double(&b, cod > qr ? cod : qr);
    w->perm = bump_int(&b, n);
    return bump_end(&b);
}

size_t code_manifold_work(const code_model *m) // bytes
{
    size_t most = 0;
    workspace w;
    for (int k = 0; m->manifold && k < m->manifold->n; k++) {
        size_t bytes = layout(&w, &m->manifold->levels[k], NULL);
        if (bytes > most) most = bytes;
    }
    return most;
}

/* The scaled Jacobian; rows are brought to equal size for the rank decision. */
static void gather(const code_state *s, const code_level *q, workspace *w)
{
    memset(w->unit, 0, (size_t)q->m * sizeof *w->unit);
    for (int j = 0; j < q->n; j++)
        for (int e = q->g.start[j]; e < q->g.start[j + 1]; e++) {
            double *most = &w->unit[q->g.row[e]];
            w->g[e] = w->values[q->value[e]] * s->nominal[q->columns[j]];
            *most = fmax(*most, fabs(w->g[e]));
        }
    for (int i = 0; i < q->m; i++) w->unit[i] = w->unit[i] > 0 ? 1 / w->unit[i] : 1;
    for (int e = 0; e < q->g.nnz; e++) w->g[e] *= w->unit[q->g.row[e]];
    if (w->wide) return;
    memset(w->a, 0, (size_t)q->m * (size_t)q->n * sizeof *w->a);
    for (int j = 0; j < q->n; j++)
        for (int e = q->g.start[j]; e < q->g.start[j + 1]; e++)
            w->a[q->g.row[e] + (size_t)j * (size_t)q->m] = w->g[e];
}

/* The Jacobian at (t, y), factored; false where it is not finite. */
static bool factor(code_state *s, const code_level *q, workspace *w, double t, const double *y,
                   const double *yp)
{
    code_eval(s, &q->jac, t, y, yp, w->values, w->values2);
    gather(s, q, w);
    if (w->wide) return la_wide_factor(w->wide, w->g) == LA_OK;
    w->qr = (la_qr){q->m, q->n, 0, w->a, w->tau, w->perm, w->work};
    w->cod = (la_cod){q->m, q->n, 0, w->a, w->tau, w->tau_z, w->perm, w->work};
    w->basic = s->model->form->project == FORM_PROJECT_DEPENDENT;
    return (w->basic ? la_qr_factor(&w->qr, RANK) : la_cod_factor(&w->cod, RANK)) >= 0;
}

/* One correction; its size relative to the unknowns, or -1. */
static double correct(code_state *s, const code_level *q, workspace *w, double t, double *y,
                      const double *yp)
{
    code_eval(s, &q->f, t, y, yp, w->r, NULL);
    for (int i = 0; i < q->m; i++) w->r[i] *= w->unit[i];
    if (w->wide) la_wide_solve(w->wide, w->r, w->x);
    else if (w->basic) la_qr_solve(&w->qr, w->r, w->x);
    else la_cod_solve(&w->cod, w->r, w->x);
    double size = 0;
    for (int j = 0; j < q->n; j++) {
        int col = q->columns[j];
        double d = w->x[j] * s->nominal[col], rel = fabs(d) / (fabs(y[col]) + s->nominal[col]);
        if (!isfinite(d)) return -1;
        size = fmax(size, rel);
        y[col] -= d;
    }
    return size;
}

/* Newton on the constraints of one level. A matrix serves while corrections shrink fast: one from a
 * point at distance d leaves about d times the last correction. */
static int close_level(code_state *s, const code_level *q, const code_nearest *sparse, double t,
                       double *y, const double *yp)
{
    const double FAST = 1e-3, ENOUGH = 1e-17, SMALL = 1e-10;
    workspace w = {.wide = sparse ? sparse->factors : NULL};
    double last = INFINITY, moved = 0;
    layout(&w, q, s->manifold_work);
    if (sparse) w.unit = sparse->unit;
    for (int it = 0; it < ITERATIONS; it++) {
        if (!it || moved > FAST) {
            if (!factor(s, q, &w, t, y, yp)) return 1;
            moved = 0;
        }
        double size = correct(s, q, &w, t, y, yp);
        if (size < 0) return 1;
        moved += size;
        if (moved * size < ENOUGH || (size < SMALL && size >= last / 2)) return 0;
        last = size;
    }
    return 1;
}

/* The factors of a point that was near, a step or an output point before, mostly serve here, too:
 * corrections shrink to a small part each time, and the last leaves that part of itself. */
static bool follow_old(code_state *s, const code_level *q, const code_nearest *old, double t,
                       double *y, const double *yp)
{
    const double NEAR = 1e-3, FAST = 0.1, ENOUGH = 1e-15;
    workspace w = {.wide = old->factors};
    layout(&w, q, s->manifold_work);
    w.unit = old->unit;
    double size = NEAR / FAST;
    for (bool first = true;; first = false) {
        double next = correct(s, q, &w, t, y, yp);
        if (!(next >= 0 && next <= FAST * size)) return false;
        if (!first && next * next <= ENOUGH * size) return true;
        size = next;
    }
}

static int make_nearest(code_state *s, int k)
{
    const code_manifold *x = s->model->manifold;
    const code_level *q = &x->levels[k];
    if (!s->nearest) {
        size_t bytes = (size_t)x->n * sizeof *s->nearest;
        s->nearest = mem_try(s->m, bytes);
        if (!s->nearest) return VINC_E_MEMORY;
        memset(s->nearest, 0, bytes);
    }
    code_nearest *z = &s->nearest[k];
    if (!z->unit) z->unit = mem_try(s->m, (size_t)q->m * sizeof *z->unit);
    if (!z->unit) return VINC_E_MEMORY;
    return z->factors || !la_wide_new(s->m, &q->g, &z->factors) ? VINC_OK : VINC_E_MEMORY;
}

void code_project_free(code_state *s)
{
    const code_manifold *x = s->model->manifold;
    for (int k = 0; s->nearest && k < x->n; k++) {
        la_wide_free(s->nearest[k].factors);
        mem_free(s->m, s->nearest[k].unit,
                 s->nearest[k].unit ? (size_t)x->levels[k].m * sizeof(double) : 0);
    }
    if (s->nearest) mem_free(s->m, s->nearest, (size_t)x->n * sizeof *s->nearest);
    s->nearest = NULL;
}

/* With sparse factors; where those do not lead there and it is not too large, with dense ones. */
static int close_sparse(code_state *s, int k, double t, double *y, const double *yp)
{
    const code_level *q = &s->model->manifold->levels[k];
    if (make_nearest(s, k)) return VINC_E_MEMORY;
    code_nearest *z = &s->nearest[k];
    memcpy(s->y_work, y, (size_t)s->model->n * sizeof *y);
    if (z->known && follow_old(s, q, z, t, y, yp)) return 0;
    memcpy(y, s->y_work, (size_t)s->model->n * sizeof *y);
    int rc = close_level(s, q, z, t, y, yp);
    z->known = !rc;
    if (!rc || q->m > DENSE_MOST) return rc;
    memcpy(y, s->y_work, (size_t)s->model->n * sizeof *y);
    return close_level(s, q, NULL, t, y, yp);
}

int code_project(void *user, double t, double *y, double *yp)
{
    code_state *s = user;
    const code_manifold *x = s->model->manifold;
    for (int k = 0; k < x->n; k++) {
        const code_level *q = &x->levels[k];
        if (!q->m || !q->n) continue;
        int rc = q->sparse ? close_sparse(s, k, t, y, yp) : close_level(s, q, NULL, t, y, yp);
        if (rc) return rc;
    }
    return s->problem.rhs ? s->problem.rhs(s, t, y, yp) : 0;
}
