/* Accelerations and multipliers by the algebra of the formulation (run/motion.h).
 *
 * The rows M a + B lambda + r_d = 0 and G a + r_c = 0 (form/mechanical.c) are evaluated at a = 0
 * and lambda = 0; their Jacobian gives M, B and G; of followers and laws they are freed (followers.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/motion.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

static const double PIVOT_LEAST = 1e-14; // relative to the largest: below, it is round-off
static const double LEAST_NORM = 1e-9;   // weight of the multipliers' norm

void accelerate_layout(run_accelerations *x, const code_model *m, bump *b)
{
    const image_mechanical *q = m->formulation.mechanical;
    run_motion motion;
    if (!q) return;
    size_t n = (size_t)m->n, nnz = (size_t)m->system.jac.nnz;
    x->y = bump_double(b, n);
    x->yp = bump_double(b, n);
    x->r = bump_double(b, n);
    x->dy = bump_double(b, nnz);
    x->dyp = bump_double(b, nnz);
    x->row_at = bump_int(b, n);
    x->motion = bump_bytes(b, motion_layout(&motion, q, NULL));
}

/* The rows as they are, at a point. */
static int accelerate_read(run_state *s, double t, const double *y, const motion_whole *x)
{
    const code_model *m = s->model;
    const image_mechanical *q = m->formulation.mechanical;
    const vinc_pattern *jac = &m->system.jac;
    run_accelerations *z = &s->accelerations;
    int rows = x->rows, constraints = x->constraints;
    memcpy(z->y, y, (size_t)m->n * sizeof *y);
    memset(z->yp, 0, (size_t)m->n * sizeof *y);
    for (int j = 0; j < x->m; j++) z->y[q->multiplier[j]] = 0;
    for (int j = 0; j < x->n; j++) z->y[q->acceleration[j]] = 0;
    int rc = s->problem.residual(s, t, z->y, z->yp, z->r);
    if (rc) return rc;
    rc = s->problem.jacobian(s, t, z->y, z->yp, z->dy, z->dyp);
    if (rc) return rc;
    int *at = z->row_at; // dynamic rows by their number, constraints by -1 - number
    for (int i = 0; i < m->n; i++) at[i] = m->n + 1;
    for (int i = 0; i < rows; i++) at[q->dynamic[i]] = i;
    for (int i = 0; i < constraints; i++) at[q->constraint[i]] = -1 - i;
    for (int i = 0; i < rows; i++) x->rd[i] = z->r[q->dynamic[i]];
    for (int i = 0; i < constraints; i++) x->rc[i] = z->r[q->constraint[i]];
    memset(x->M, 0, (size_t)(rows * x->n) * sizeof *x->M);
    memset(x->B, 0, (size_t)(rows * x->m) * sizeof *x->B);
    memset(x->G, 0, (size_t)(constraints * x->n) * sizeof *x->G);
    for (int j = 0; j < x->n; j++) {
        int col = q->acceleration[j];
        for (int k = jac->start[col]; k < jac->start[col + 1]; k++) {
            int i = at[jac->row[k]];
            if (i < 0) x->G[-1 - i + j * constraints] = z->dy[k];
            else if (i < rows) x->M[i + j * rows] = z->dy[k];
        }
    }
    for (int j = 0; j < x->m; j++) {
        int col = q->multiplier[j];
        for (int k = jac->start[col]; k < jac->start[col + 1]; k++) {
            int i = at[jac->row[k]];
            if (i >= 0 && i < rows) x->B[i + j * rows] = z->dy[k];
        }
    }
    return 0;
}

/* The motion alone. */
static int accelerate_load(run_state *s, double t, const double *y, run_motion *x)
{
    motion_layout(x, s->model->formulation.mechanical, s->accelerations.motion);
    int rc = accelerate_read(s, t, y, &x->whole);
    return rc ? rc : motion_reduce(x);
}

int run_mechanics_at(run_state *s, double t, const double *y, run_mechanics *out)
{
    const image_mechanical *q = s->model->formulation.mechanical;
    run_motion x;
    int rc = accelerate_load(s, t, y, &x);
    if (rc) return rc;
    size_t n = (size_t)x.n, m = (size_t)x.m;
    memcpy(out->M, x.M, n * n * sizeof *x.M);
    memcpy(out->B, x.B, n * m * sizeof *x.B);
    memcpy(out->G, x.G, n * m * sizeof *x.G);
    memcpy(out->rd, x.rd, n * sizeof *x.rd);
    memcpy(out->rc, x.rc, m * sizeof *x.rc);
    for (int j = 0; j < x.n; j++) out->acceleration[j] = q->acceleration[x.acceleration[j]];
    for (int i = 0; i < x.m; i++) out->constraint[i] = q->constraint[x.constraint[i]];
    for (int j = 0; j < x.m; j++) out->multiplier[j] = q->multiplier[x.multiplier[j]];
    return 0;
}

int run_accelerate(void *user, double t, double *y, double *yp)
{
    run_state *s = user;
    const code_model *m = s->model;
    const image_mechanical *q = m->formulation.mechanical;
    uint8_t by = m->formulation.motion;
    if (m->formulation.sparse || !by) {
        // A pivot that is round-off passes for one: multipliers of any size would solve that.
        int status = run_solve_dependent(s, t, y, yp);
        if (!by || status < 0) return status;
        if (status == 0 && dependent_pivot_ratio(&s->dependents) > PIVOT_LEAST) return 0;
    }
    run_motion x;
    int rc = accelerate_load(s, t, y, &x);
    if (!rc) rc = motion_solve(&x, by);
    if (rc) return rc;
    motion_restore(&x);
    for (int j = 0; j < x.whole.n; j++) {
        y[q->acceleration[j]] = x.a[j];
        if (!isfinite(x.a[j])) return 1;
    }
    for (int j = 0; j < x.whole.m; j++) y[q->multiplier[j]] = x.lambda[j];
    // What remains are links y' = value: their residual at y' = 0 is minus the value.
    double *r = s->accelerations.r;
    memset(yp, 0, (size_t)m->n * sizeof *yp);
    rc = s->problem.residual(s, t, y, yp, r);
    if (rc) return rc;
    for (int i = 0; i < m->n; i++)
        if (m->formulation.rows[i].kind == IMAGE_ROW_LINK) yp[q->link[i]] = -r[i];
    return 0;
}

/* The largest derivative by a column in rows of this kind. */
static void accelerate_widen(const vinc_pattern *p, const double *dy, const int *kind, int of,
                             int col, double *most)
{
    for (int k = p->start[col]; k < p->start[col + 1]; k++)
        if (kind[p->row[k]] == of) *most = fmax(*most, fabs(dy[k]));
}

bool run_allow_redundant(run_state *s, double t, const double *y, const double *yp)
{
    enum { OTHER, DYNAMIC, CONSTRAINT };
    const image_mechanical *q = s->model->formulation.mechanical;
    const vinc_pattern *p = &s->model->system.jac;
    run_accelerations *x = &s->accelerations;
    if (!q || q->least < 0 || s->problem.jacobian(s, t, y, yp, x->dy, x->dyp)) return false;
    // Small beside G M^-1 B, far above round-off in it.
    double mass = 0, force = 0, size = 0;
    for (int i = 0; i < s->model->n; i++) x->row_at[i] = OTHER;
    for (int i = 0; i < q->n; i++) x->row_at[q->dynamic[i]] = DYNAMIC;
    for (int i = 0; i < q->m + q->n_followers; i++) x->row_at[q->constraint[i]] = CONSTRAINT;
    for (int j = 0; j < q->n + q->n_followers; j++) {
        accelerate_widen(p, x->dy, x->row_at, DYNAMIC, q->acceleration[j], &mass);
        accelerate_widen(p, x->dy, x->row_at, CONSTRAINT, q->acceleration[j], &size);
    }
    for (int j = 0; j < q->m + q->n_laws; j++)
        accelerate_widen(p, x->dy, x->row_at, DYNAMIC, q->multiplier[j], &force);
    if (!(mass > 0) || !(force > 0) || !(size > 0)) return false;
    s->w[q->least] = LEAST_NORM * size * force / mass;
    return true;
}
