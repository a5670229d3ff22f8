/* Projection on the constraints after a step, level by level.
 *
 * At level l the rows are the f_i^(c_i - l), the unknowns the x_j^(d_j - l): positions first, then
 * velocities, each with what was found before held. Newton with least-norm steps in units of the
 * nominals (E. Eich, SIAM J. Numer. Anal. 30 (1993) 1467-1482): by normal equations where the
 * constraints are clearly independent (la/normal.h), otherwise by complete orthogonal factorisation, so
 * that redundant ones do no harm; by sparse factors where there are many (la/wide.h). Where dependent
 * coordinates are to follow independent ones, the step is the basic solution of pivoted QR instead.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "la/dense.h"
#include "la/normal.h"
#include "la/wide.h"
#include "newton/iterate.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

enum {
    DENSE_MOST = 300 // constraints up to which dense factors help out where sparse ones fail
};
static const double PIVOT_MIN = 1e-10; // pivots below this part of the largest are zero
/* Ends of steps near a loss of rank are magnified: the last digits count there. From this square of a sine on normal
 * equations have two digits less than an orthogonal factorisation, of 16 and of a correction: a principle. */
static const double SINE_SQUARED_AT_ENDS = 1e-2;
/* Rows keep what they are moved to (run/rates.c), and corrections by old factors leave up to twenty times what the last ones
 * led to expect: a pendulum whose length is given by time. */
static const double PART_OF_ROW = 0.05;

/* ---- projection ------------------------------------------------------------------------------ */

typedef struct project_work {
    double *unit; // of the rows: those of sparse factors or of dense ones
    double *unit_dense, *r, *x, *g, *rows, *inverse, *a, *l, *tau, *tau_z, *work, *values, *values2;
    int *perm;
    la_qr qr; // of a, for basic solutions
    la_cod cod;
    la_normal normal_equations;
    la_wide *wide; // instead of them; NULL: dense
    bool basic, normal;
} project_work;

static size_t level_layout(project_work *w, const code_level *q, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)q->m, n = (size_t)q->n, cod = la_cod_work(q->m, q->n),
           qr = la_qr_work(q->m, q->n);
    w->r = bump_double(&b, m > n ? m : n);
    w->unit = w->unit_dense = bump_double(&b, m);
    w->x = bump_double(&b, n);
    w->g = bump_double(&b, (size_t)q->g.nnz);
    w->values = bump_double(&b, (size_t)q->pattern.nnz);
    w->values2 = bump_double(&b, (size_t)q->pattern.nnz);
    if (q->sparse && q->m > DENSE_MOST) return bump_end(&b);
    w->rows = bump_double(&b, m * (size_t)la_normal_width(q->n));
    w->inverse = bump_double(&b, (size_t)la_normal_inverse(q->m, q->n));
    w->a = bump_double(&b, m * n);
    w->l = bump_double(&b, m * m);
    w->tau = bump_double(&b, m + n);
    w->tau_z = bump_double(&b, m + n);
    w->work = bump_double(&b, cod > qr ? cod : qr);
    w->perm = bump_int(&b, n);
    return bump_end(&b);
}

void project_layout(run_projection *x, const code_model *m, bump *b)
{
    int n = m->manifold ? m->manifold->n : 0;
    project_work w;
    x->work = bump_bytes(b, (size_t)n * sizeof *x->work);
    for (int k = 0; k < n; k++) {
        void *work = bump_bytes(b, level_layout(&w, &m->manifold->levels[k], NULL));
        if (x->work) x->work[k] = work;
    }
    x->y = bump_double(b, n ? (size_t)m->n : 0);
    x->met = bump_double(b, n ? (size_t)m->n : 0);
}

/* The scaled Jacobian; rows are brought to equal size for the rank decision. */
static void project_gather(const run_state *s, const code_level *q, project_work *w)
{
    memset(w->unit, 0, (size_t)q->m * sizeof *w->unit);
    for (int j = 0; j < q->n; j++) {
        double nominal = s->nominal[q->columns[j]];
        for (int e = q->g.start[j]; e < q->g.start[j + 1]; e++) {
            double *most = &w->unit[q->g.row[e]], value = w->values[q->value[e]] * nominal;
            w->g[e] = value;
            if (fabs(value) > *most) *most = fabs(value);
        }
    }
    for (int i = 0; i < q->m; i++) w->unit[i] = w->unit[i] > 0 ? 1 / w->unit[i] : 1;
    for (int e = 0; e < q->g.nnz; e++) w->g[e] *= w->unit[q->g.row[e]];
}

static void project_rows(const code_level *q, project_work *w)
{
    int width = la_normal_width(q->n);
    memset(w->rows, 0, (size_t)q->m * (size_t)width * sizeof *w->rows);
    for (int j = 0; j < q->n; j++)
        for (int e = q->g.start[j]; e < q->g.start[j + 1]; e++)
            w->rows[j + q->g.row[e] * width] = w->g[e];
}

static void project_columns(const code_level *q, project_work *w)
{
    memset(w->a, 0, (size_t)q->m * (size_t)q->n * sizeof *w->a);
    for (int j = 0; j < q->n; j++)
        for (int e = q->g.start[j]; e < q->g.start[j + 1]; e++)
            w->a[q->g.row[e] + (size_t)j * (size_t)q->m] = w->g[e];
}

static void project_dense(const run_state *s, const code_level *q, project_work *w, int rank)
{
    bool end = s->problem.regularity && !(s->within > 0);
    w->normal_equations =
        (la_normal){q->m, q->n, w->rows, w->l, w->inverse, end ? SINE_SQUARED_AT_ENDS : 0};
    w->qr = (la_qr){q->m, q->n, rank, w->a, w->tau, w->perm, w->work};
    w->cod = (la_cod){q->m, q->n, rank, w->a, w->tau, w->tau_z, w->perm, w->work};
    w->basic = s->model->formulation.project == IMAGE_PROJECT_DEPENDENT;
}

/* The Jacobian at (t, y), factored; false where it is not finite. */
static bool project_factor(run_state *s, const code_level *q, project_work *w, double t,
                           const double *y, const double *yp)
{
    run_eval(s, &q->jac, t, y, yp, w->values, w->values2);
    project_gather(s, q, w);
    if (w->wide) return la_wide_factor(w->wide, w->g) == LA_OK;
    project_dense(s, q, w, 0);
    w->normal = !w->basic && q->m <= q->n;
    if (w->normal) project_rows(q, w);
    w->normal = w->normal && la_normal_factor(&w->normal_equations);
    if (w->normal) return true;
    project_columns(q, w);
    return (w->basic ? la_qr_factor(&w->qr, PIVOT_MIN) : la_cod_factor(&w->cod, PIVOT_MIN)) >= 0;
}

/* The constraints of one level, to be met at t by changing y. */
typedef struct closing {
    run_state *s;
    const code_level *q;
    project_work *w;
    double t, *y;
    const double *yp;
} closing;

/* With the sparse factors of the level, or dense ones. */
static closing closing_new(run_state *s, int k, bool sparse, double t, double *y, const double *yp)
{
    const run_nearest *z = &s->projection.nearest[k];
    const code_level *q = &s->model->manifold->levels[k];
    project_work *w = z->work;
    w->wide = sparse ? z->factors : NULL;
    w->unit = sparse ? z->unit : w->unit_dense;
    if (!sparse) project_dense(s, q, w, z->rank);
    w->normal = !sparse && z->normal;
    return (closing){s, q, w, t, y, yp};
}

static void project_solve(project_work *w)
{
    if (w->wide) la_wide_solve(w->wide, w->r, w->x);
    else if (w->normal) la_normal_solve(&w->normal_equations, w->r, w->x);
    else if (w->basic) la_qr_solve(&w->qr, w->r, w->x);
    else la_cod_solve(&w->cod, w->r, w->x);
}

/* A correction with the factors that are there; its size relative to the unknowns, or -1. */
static double closing_correct(void *user)
{
    const closing *c = user;
    const code_level *q = c->q;
    project_work *w = c->w;
    run_eval(c->s, &q->f, c->t, c->y, c->yp, w->r, NULL);
    for (int i = 0; i < q->m; i++) w->r[i] *= w->unit[i];
    project_solve(w);
    double size = 0;
    for (int j = 0; j < q->n; j++) {
        int col = q->columns[j];
        double nominal = c->s->nominal[col], d = w->x[j] *= nominal;
        if (!isfinite(d)) return -1;
        double part = fabs(d) / (fabs(c->y[col]) + nominal);
        if (part > size) size = part;
    }
    return size;
}

static double closing_correction(void *user, bool anew, double *measure)
{
    closing *c = user;
    (void)measure;
    return anew && !project_factor(c->s, c->q, c->w, c->t, c->y, c->yp) ? -1 : closing_correct(c);
}

static double closing_move(void *user, double part)
{
    const closing *c = user;
    for (int j = 0; j < c->q->n; j++) c->y[c->q->columns[j]] -= part * c->w->x[j];
    return 0;
}

static bool closing_take(void *user, bool last)
{
    (void)last;
    closing_move(user, 1);
    return true;
}

/* Rows: by factors of the point itself, no better than they need it. */
static bool close_row(closing *c, run_nearest *z)
{
    newton_reuse fresh = newton_old_for_projection;
    fresh.enough = larger_of(fresh.enough, c->s->within);
    return project_factor(c->s, c->q, c->w, c->t, c->y, c->yp) &&
           newton_follow_new(c, closing_correct, closing_take, &fresh, &z->curvature);
}

static int close_level(run_state *s, int k, bool sparse, double t, double *y, const double *yp)
{
    static const newton_verbs verbs = {.correction = closing_correction, .trial = closing_move};
    closing c = closing_new(s, k, sparse, t, y, yp);
    run_nearest *z = &s->projection.nearest[k];
    newton_course course;
    int rc = 0;
    if (!(s->within > 0) || !close_row(&c, z))
        rc = newton_iterate(&verbs, &c, &newton_for_projection, &course) ? 1 : 0;
    z->known =
        !rc && sparse == c.q->sparse && !c.w->basic; // its choice of coordinates is of a point
    z->rank = c.w->basic ? c.w->qr.rank : c.w->cod.rank;
    z->normal = c.w->normal;
    z->seen.contraction = 0;
    if (k + 1 < s->model->manifold->n) z[1].seen.contraction = 0;
    return rc;
}

/* Velocities are tied by the matrix that ties positions, or nearly so, and its factors are of a point that is nearer than
 * their own. Whether they serve shows. */
static bool serves_next(const run_state *s, int k)
{
    const code_level *q = &s->model->manifold->levels[k];
    if (!k || q->sparse || q[-1].m != q->m || q[-1].n != q->n) return false;
    const run_nearest *before = &s->projection.nearest[k - 1];
    return before->known && before->normal;
}

/* By the factors of a point that was near. The way there is then not quite the shortest one: by a
 * part of itself, which steps would add up. Rows do not; and where sparse factors are made, there are
 * so many constraints that steps are content with old ones. */
static bool follow_old(run_state *s, int k, double t, double *y, const double *yp)
{
    newton_reuse old = newton_old_for_projection;
    old.enough = larger_of(old.enough, s->within);
    run_nearest *z = &s->projection.nearest[k];
    const code_level *q = &s->model->manifold->levels[k];
    bool of_before = serves_next(s, k);
    if (!(of_before || z->known) || (!q->sparse && !(s->within > 0))) return false;
    closing c = closing_new(s, of_before ? k - 1 : k, q->sparse, t, y, yp);
    c.q = q;
    newton_seen unseen = {0};
    if (q->sparse) old.most = INFINITY;
    return newton_follow(&c, closing_correct, closing_take, &old,
                         s->within > 0 ? &z->seen : &unseen);
}

static int make_nearest(run_state *s, int k)
{
    const code_manifold *x = s->model->manifold;
    const code_level *q = &x->levels[k];
    if (!s->projection.nearest) {
        size_t bytes = (size_t)x->n * sizeof *s->projection.nearest;
        s->projection.nearest = mem_try(s->m, bytes);
        if (!s->projection.nearest) return VINC_E_MEMORY;
        memset(s->projection.nearest, 0, bytes);
    }
    run_nearest *z = &s->projection.nearest[k];
    if (!z->work) {
        z->work = mem_try_zeroed(s->m, sizeof *z->work);
        if (!z->work) return VINC_E_MEMORY;
        level_layout(z->work, q, s->projection.work[k]);
    }
    if (!q->sparse) return VINC_OK;
    if (!z->unit) z->unit = mem_try(s->m, (size_t)q->m * sizeof *z->unit);
    if (!z->unit) return VINC_E_MEMORY;
    if (z->factors) return VINC_OK;
    z->known = false;
    return la_wide_new(s->m, &q->g, &z->factors) ? VINC_E_MEMORY : VINC_OK;
}

void project_forget(run_state *s)
{
    s->projection.any_met = false;
    for (int k = 0; s->projection.nearest && k < s->model->manifold->n; k++)
        s->projection.nearest[k].known = false, s->projection.nearest[k].curvature = 0;
}

void project_free(run_state *s)
{
    const code_manifold *x = s->model->manifold;
    for (int k = 0; s->projection.nearest && k < x->n; k++) {
        la_wide_free(s->projection.nearest[k].factors);
        if (s->projection.nearest[k].work)
            mem_free(s->m, s->projection.nearest[k].work, sizeof(project_work));
        mem_free(s->m, s->projection.nearest[k].unit,
                 s->projection.nearest[k].unit ? (size_t)x->levels[k].m * sizeof(double) : 0);
    }
    if (s->projection.nearest)
        mem_free(s->m, s->projection.nearest, (size_t)x->n * sizeof *s->projection.nearest);
    s->projection.nearest = NULL;
}

/* With old factors; with new ones; where sparse ones do not lead there and it is not too large, with
 * dense ones. */
static int close_again(run_state *s, int k, double t, double *y, const double *yp)
{
    const code_level *q = &s->model->manifold->levels[k];
    size_t bytes = (size_t)s->model->n * sizeof *y;
    memcpy(s->projection.y, y, bytes);
    if (follow_old(s, k, t, y, yp)) return 0;
    memcpy(y, s->projection.y, bytes);
    int rc = close_level(s, k, q->sparse, t, y, yp);
    if (!rc || !q->sparse || q->m > DENSE_MOST) return rc;
    memcpy(y, s->projection.y, bytes);
    return close_level(s, k, false, t, y, yp);
}

int run_project(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    const code_manifold *x = s->model->manifold;
    run_projection *z = &s->projection;
    double within = s->within;
    int rc = 0;
    z->any_met = false;
    s->within = PART_OF_ROW * within;
    for (int k = 0; k < x->n && !rc; k++) {
        if (!x->levels[k].m || !x->levels[k].n) continue;
        rc = make_nearest(s, k);
        if (!rc) rc = close_again(s, k, t, y, yp);
    }
    s->within = within;
    if (rc) return rc;
    memcpy(z->met, y, (size_t)s->model->n * sizeof *y);
    z->t_met = t;
    z->any_met = true;
    return s->problem.rhs ? s->problem.rhs(s, t, y, yp) : 0;
}

bool project_has_met(const run_state *s, double t, const double *y)
{
    const run_projection *z = &s->projection;
    return z->any_met && z->t_met == t && memcmp(z->met, y, (size_t)s->model->n * sizeof *y) == 0;
}

int project_directions(run_state *s, int k, double t, const double *y, const double *yp, int m,
                       void (*residual)(void *user, int k, int i, double *r), void *user,
                       double *dy)
{
    const code_level *q = &s->model->manifold->levels[k];
    project_work w = {0};
    if (!q->m || !q->n || q->m > DENSE_MOST) return 0;
    level_layout(&w, q, s->projection.work[k]);
    if (!project_factor(s, q, &w, t, y, yp)) return 1;
    if (s->projection.nearest) s->projection.nearest[k].known = false; // their place is taken
    for (int i = 0; i < m; i++) {
        double *d = dy + (size_t)i * (size_t)s->model->n;
        residual(user, k, i, w.r);
        for (int r = 0; r < q->m; r++) w.r[r] *= w.unit[r];
        project_solve(&w);
        for (int j = 0; j < q->n; j++) d[q->columns[j]] -= w.x[j] * s->nominal[q->columns[j]];
    }
    return 0;
}
