/* Everything from the independent components: solve F(t, y, y') = 0 for y' of the states, the
 * algebraic components and those that constraints make dependent.
 *
 * Damped Newton on one sparse system with the pattern of the Jacobian: the column of a state holds
 * dF/dy', that of any other component dF/dy. A row P (y' - v) = 0 is replaced by P (y - y0) = 0:
 * the independent combinations keep their values. So the same matrix serves for consistent y', for
 * explicit methods and after events.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

enum {
    ITERATIONS = 40,
    HALVINGS = 12,
    LARGE = 600 // unknowns from which on old factors are tried first
};
/* Corrections below this that no longer shrink are round-off; near positions where constraints lose
 * rank it is magnified. Elsewhere corrections of that size may tell that a branch has just ended. */
static const double ROUND_OFF = 1e-9, ROUND_OFF_MAGNIFIED = 1e-7;

void dependent_layout(run_dependents *x, const code_model *m, bump *b)
{
    size_t n = (size_t)m->n, nnz = (size_t)m->system.jac.nnz;
    double **values[] = {&x->dy, &x->dyp, &x->matrix};
    for (int k = 0; k < 3; k++) *values[k] = bump_double(b, nnz);
    double **vectors[] = {&x->r, &x->delta, &x->trial, &x->y, &x->yp, &x->held};
    for (int k = 0; k < 6; k++) *vectors[k] = bump_double(b, n);
    x->next = bump_double(b, (size_t)m->choice.next.n_out);
}

void dependent_free(run_dependents *x)
{
    la_free(x->la);
}

static int prepare(run_state *s)
{
    run_dependents *d = &s->dependents;
    if (d->la) return 0;
    la_config config = {.n = s->model->n,
                        .pattern = &s->model->system.jac,
                        .forgiving = code_has_events(&s->model->events)};
    return la_new(s->m, &config, &d->la) ? VINC_E_MEMORY : 0;
}

/* r := residual of the system above. */
static int evaluate(run_state *s, double t, const double *y, const double *yp, double *r)
{
    run_dependents *d = &s->dependents;
    const code_model *m = s->model;
    int rc = s->problem.residual(s, t, y, yp, r);
    const form_system *f = m->form;
    for (int g = 0; g < f->groups.n; g++) {
        const form_group *q = &f->groups.at[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++) {
            double sum = 0;
            for (int j = 0; j < q->n_columns; j++)
                sum +=
                    s->w[q->w + i * q->n_columns + j] * (y[q->columns[j]] - d->held[q->columns[j]]);
            r[q->rows[i]] = sum;
        }
    }
    return rc;
}

static int matrix_at(run_state *s, double t, const double *y, const double *yp)
{
    run_dependents *d = &s->dependents;
    const code_system *m = &s->model->system;
    int rc = s->problem.jacobian(s, t, y, yp, d->dy, d->dyp);
    if (rc) return rc;
    for (int j = 0; j < s->model->n; j++)
        for (int k = m->jac.start[j]; k < m->jac.start[j + 1]; k++) {
            if (m->selecting[m->jac.row[k]])
                d->matrix[k] = m->role[j] == CODE_SELECTED ? d->dyp[k] : 0;
            else d->matrix[k] = m->role[j] == CODE_STATE ? d->dyp[k] : d->dy[k];
        }
    return 0;
}

const double *run_dependent_matrix(run_state *s, double t, const double *y, const double *yp)
{
    run_dependents *d = &s->dependents;
    return matrix_at(s, t, y, yp) ? NULL : d->matrix;
}

static int assemble(run_state *s, double t, const double *y, const double *yp)
{
    run_dependents *d = &s->dependents;
    int rc = matrix_at(s, t, y, yp);
    if (rc) return rc;
    d->factored = la_factor(d->la, d->matrix, NULL, 0, 0) == LA_OK;
    return d->factored ? 0 : 1;
}

static double scaled_size(const run_state *s, const double *dx, const double *y, const double *yp)
{
    double most = 0;
    for (int i = 0; i < s->model->n; i++) {
        double x = s->model->system.role[i] == CODE_STATE ? yp[i] : y[i];
        double size = fabs(dx[i]) / (fabs(x) + s->nominal[i]);
        if (!(size <= most)) most = size; // NaN counts as large
    }
    return most;
}

static void move(const run_state *s, double factor, const double *dx, const double *y,
                 const double *yp, double *y_new, double *yp_new)
{
    for (int i = 0; i < s->model->n; i++) {
        bool state = s->model->system.role[i] == CODE_STATE;
        y_new[i] = y[i] - (state ? 0 : factor * dx[i]);
        yp_new[i] = yp[i] - (state ? factor * dx[i] : 0);
    }
}

/* Further corrections with the same matrix, the next of which is trial, while each is a small
 * part of the one before, of this size. True: converged; otherwise r is the residual at (y, yp). */
static bool follow(run_state *s, double t, double *y, double *yp, double size)
{
    run_dependents *d = &s->dependents;
    const double FAST = 1e-4;
    size_t bytes = (size_t)s->model->n * sizeof *y;
    while (size >= 1e-13) {
        double next = scaled_size(s, d->trial, y, yp);
        // A matrix that does not suit the point may see nothing left to do: ask a new one.
        if (next < 1e-15) return size < 1e-7;
        if (!(next <= FAST * size)) return false;
        move(s, 1, d->trial, y, yp, d->y, d->yp);
        if (evaluate(s, t, d->y, d->yp, d->r)) return evaluate(s, t, y, yp, d->r), false;
        memcpy(y, d->y, bytes);
        memcpy(yp, d->yp, bytes);
        memcpy(d->trial, d->r, bytes);
        la_solve(d->la, d->trial);
        size = next;
    }
    return true;
}

/* The factors of a point that was near, a step or an output point before, mostly serve here, too:
 * corrections shrink to a small part each time, and the last leaves that part of itself. False:
 * they do not; r is the residual at (y, yp) all the same. */
static bool follow_old(run_state *s, double t, double *y, double *yp)
{
    run_dependents *d = &s->dependents;
    const double NEAR = 1e-3, FAST = 0.2, ENOUGH = 1e-13;
    size_t bytes = (size_t)s->model->n * sizeof *y;
    if (s->model->n < LARGE || !d->factored) return false;
    double size = NEAR / FAST;
    for (bool first = true;; first = false) {
        memcpy(d->trial, d->r, bytes);
        la_solve(d->la, d->trial);
        double next = scaled_size(s, d->trial, y, yp);
        if (!(next <= FAST * size)) return false;
        move(s, 1, d->trial, y, yp, d->y, d->yp);
        bool done = !first && next * next <= ENOUGH * size;
        if (!done && evaluate(s, t, d->y, d->yp, d->r)) return evaluate(s, t, y, yp, d->r), false;
        memcpy(y, d->y, bytes);
        memcpy(yp, d->yp, bytes);
        if (done) return true;
        size = next;
    }
}

/* damped: the usual search. Not damped: full steps, which cross the kinks of piecewise linear
 * equations where a damped search gets stuck in front of them. */
static int iterate(run_state *s, double t, double *y, double *yp, bool damped)
{
    run_dependents *d = &s->dependents;
    int n = s->model->n;
    double last = INFINITY, round_off = s->problem.regularity ? ROUND_OFF_MAGNIFIED : ROUND_OFF;
    size_t bytes = (size_t)n * sizeof *y;
    int rc = evaluate(s, t, y, yp, d->r);
    if (rc) return rc;
    if (damped && follow_old(s, t, y, yp)) return 0;
    for (int k = 0; k < ITERATIONS; k++) {
        rc = assemble(s, t, y, yp);
        if (rc) return rc;
        memcpy(d->delta, d->r, bytes);
        la_solve(d->la, d->delta);
        double size = scaled_size(s, d->delta, y, yp);
        if (!isfinite(size)) return 1;

        // Natural monotonicity: the next correction with the same matrix must be smaller.
        double factor = 1;
        for (int h = 0;; h++) {
            move(s, factor, d->delta, y, yp, d->y, d->yp);
            rc = evaluate(s, t, d->y, d->yp, d->r);
            if (rc < 0) return rc;
            if (!rc) {
                memcpy(d->trial, d->r, bytes);
                la_solve(d->la, d->trial);
                double next = scaled_size(s, d->trial, d->y, d->yp);
                if (!damped || next <= (1 - factor / 4) * size || next < 1e-14 || size < round_off)
                    break;
            }
            if (h == HALVINGS) return 1;
            factor /= 2;
        }
        memcpy(y, d->y, bytes);
        memcpy(yp, d->yp, bytes);
        if (size < 1e-13 || (size < ROUND_OFF && size >= last / 2)) return 0;
        if (size < round_off && size >= last) return 0;
        if (factor == 1 && follow(s, t, y, yp, size)) return 0;
        last = size;
    }
    return 1;
}

/* Where to look next when a search has failed: from the point given, in full steps; then, because
 * the branch may have ended there (a trigger that flips), from the opposite values of the algebraic
 * unknowns, from zero, from their start values. */
enum { SEARCHES = 5 };

static void begin_at(const run_state *s, int attempt, double *y, double *yp)
{
    const run_dependents *d = &s->dependents;
    const code_model *m = s->model;
    memcpy(y, d->held, (size_t)m->n * sizeof *y);
    for (int i = 0; i < m->n; i++) {
        if (m->system.role[i] != CODE_STATE || !isfinite(yp[i]) || attempt) yp[i] = 0;
        if (m->system.role[i] != CODE_ALGEBRAIC || attempt < 2) continue;
        int e = m->form->unknowns.at[i].entry;
        y[i] = attempt == 2 ? -y[i] : attempt == 3 || e < 0 ? 0 : s->attributes.start[e];
    }
}

int run_solve_dependent(run_state *s, double t, double *y, double *yp)
{
    run_dependents *d = &s->dependents;
    const code_model *m = s->model;
    if (!m->n) return 0;
    int rc = prepare(s);
    if (rc) return rc;
    memcpy(d->held, y, (size_t)m->n * sizeof *y);
    for (int k = 0; k < SEARCHES; k++) {
        begin_at(s, k, y, yp);
        rc = iterate(s, t, y, yp, k == 0);
        if (rc <= 0) break;
    }
    if (rc) return rc;
    if (m->choice.next.code) {
        run_eval(s, &m->choice.next, t, y, yp, d->next, NULL);
        for (int k = 0; k < m->choice.next.n_out; k++) yp[m->choice.next_of[k]] = d->next[k];
    }
    return 0;
}
