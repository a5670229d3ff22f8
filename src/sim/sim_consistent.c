/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_consistent.h"

#include "base/bump.h"
#include "method/stages.h"

#include <string.h>

void sim_consistent_use(sim_consistent *c, const vinc_problem *p)
{
    c->p = p;
    c->moved.n = 0;
    c->move = p->project ? p->project : p->output_project ? p->output_project : p->rhs;
}

size_t sim_consistent_layout(sim_consistent *c, const vinc_problem *p, void *block)
{
    sim_consistent_use(c, p);
    bump b = bump_begin(block);
    c->y = bump_double(&b, (size_t)p->n);
    c->yp = bump_double(&b, (size_t)p->n);
    for (int k = 0; k < CONSISTENT_ROWS; k++) c->moved.by[k] = bump_double(&b, 2 * (size_t)p->n);
    return bump_end(&b);
}

int sim_consistent_make(sim_consistent *c, double t, double *y, double *yp, double within)
{
    if (!c->move) return 0;
    size_t bytes = (size_t)c->p->n * sizeof *y;
    memcpy(c->y, y, bytes);
    memcpy(c->yp, yp, bytes);
    int rc = within > 0 && c->p->project_within ? c->p->project_within(c->p->user, t, y, yp, within)
                                                : c->move(c->p->user, t, y, yp);
    if (!rc) return 0;
    memcpy(y, c->y, bytes);
    memcpy(yp, c->yp, bytes);
    return rc;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Move the point at t by the polynomial through what the last rows of this step were moved by. */
static void foretell(const sim_moved *m, double t, int n, double *y, double *yp)
{
    double part[1 + CONSISTENT_ROWS] = {1};
    const double *of_y[1 + CONSISTENT_ROWS] = {y}, *of_yp[1 + CONSISTENT_ROWS] = {yp};
    for (int k = 0; k < m->n; k++) {
        part[1 + k] = 1;
        for (int j = 0; j < m->n; j++)
            if (j != k) part[1 + k] *= (t - m->t[j]) / (m->t[k] - m->t[j]);
        of_y[1 + k] = m->by[k];
        of_yp[1 + k] = m->by[k] + n;
    }
    stages_blend(1 + m->n, part, of_y, y, n);
    stages_blend(1 + m->n, part, of_yp, yp, n);
}

/* The row at t was moved from c->y, c->yp to y, yp. */
static void note_move(sim_consistent *c, double t, const double *y, const double *yp)
{
    sim_moved *m = &c->moved;
    int n = c->p->n;
    double *by = m->by[CONSISTENT_ROWS - 1];
    for (int k = CONSISTENT_ROWS - 1; k > 0; k--) {
        m->by[k] = m->by[k - 1];
        m->t[k] = m->t[k - 1];
    }
    m->by[0] = by;
    m->t[0] = t;
    if (m->n < CONSISTENT_ROWS) m->n++;
    for (int i = 0; i < n; i++) {
        by[i] = y[i] - c->y[i];
        by[n + i] = yp[i] - c->yp[i];
    }
}

/* The interpolant's point at t, moved onto the equations from where they are expected. */
static int make_row(sim_consistent *c, const method_run *run, double t, double *y, double *yp,
                    double within)
{
    sim_moved *m = &c->moved;
    if (m->t_old != run->t_old || m->t_new != run->t) m->n = 0;
    m->t_old = run->t_old;
    m->t_new = run->t;
    if (m->n && !(t > m->t[0])) m->n = 0;
    size_t bytes = (size_t)c->p->n * sizeof *y;
    int rc = 1;
    if (m->n) {
        memcpy(c->y, y, bytes);
        memcpy(c->yp, yp, bytes);
        foretell(m, t, c->p->n, y, yp);
        rc = c->p->project_within(c->p->user, t, y, yp, within);
        if (rc > 0) {
            memcpy(y, c->y, bytes);
            memcpy(yp, c->yp, bytes);
        }
    }
    if (rc > 0) rc = sim_consistent_make(c, t, y, yp, within);
    if (rc) m->n = 0;
    else note_move(c, t, y, yp);
    return rc;
}

bool sim_consistent_already(const sim_consistent *c, const method_run *run)
{
    return !c->move || (c->move == c->p->rhs && method_solves(run));
}

int sim_consistent_at(sim_consistent *c, method_run *run, double t, double *y, double *yp,
                      double within)
{
    const vinc_problem *p = c->p;
    bool row_of_states = within > 0 && p->outputs_of_states;
    bool row_of_rhs = within > 0 && p->rhs && c->move == p->rhs && !p->rhs_from_yp;
    if (t != run->t && row_of_rhs && row_of_states) return method_interpolate_row(run, t, y);
    if (t == run->t || row_of_states || (!row_of_rhs && sim_consistent_already(c, run)))
        return method_interpolate(run, t, y, yp);
    if (c->move == p->rhs && !p->rhs_from_yp) { // no need of a slope that is not looked at
        int rc =
            row_of_rhs ? method_interpolate_row(run, t, y) : method_interpolate(run, t, y, NULL);
        if (rc) return rc;
        rc = p->rhs(p->user, t, y, yp);
        if (!rc) return 0;
        int again = method_interpolate(run, t, y, yp);
        return again ? again : rc > 0;
    }
    // Where the constraints are met by what follows, the polynomial alone is a point to begin at.
    bool alone = p->stage && method_solves(run);
    int rc = alone ? method_interpolate_row(run, t, y) : method_interpolate(run, t, y, yp);
    if (alone) memcpy(yp, run->yp, (size_t)p->n * sizeof *yp);
    if (rc) return rc;
    rc = within > 0 && p->project_within ? make_row(c, run, t, y, yp, within)
                                         : sim_consistent_make(c, t, y, yp, within);
    if (rc > 0 && alone && method_interpolate(run, t, y, yp)) return -1;
    return rc > 0;
}
