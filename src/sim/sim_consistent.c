/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_consistent.h"

#include "base/bump.h"

#include <string.h>

void sim_consistent_use(sim_consistent *c, const vinc_problem *p)
{
    c->p = p;
    c->move = p->project ? p->project : p->output_project ? p->output_project : p->rhs;
}

size_t sim_consistent_layout(sim_consistent *c, const vinc_problem *p, void *block)
{
    sim_consistent_use(c, p);
    bump b = bump_begin(block);
    c->y = bump_double(&b, (size_t)p->n);
    c->yp = bump_double(&b, (size_t)p->n);
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

bool sim_consistent_already(const sim_consistent *c, const method_run *run)
{
    return !c->move || (c->move == c->p->rhs && method_solves(run));
}

int sim_consistent_at(sim_consistent *c, method_run *run, double t, double *y, double *yp,
                      double within)
{
    const vinc_problem *p = c->p;
    if (t == run->t || sim_consistent_already(c, run)) return method_interpolate(run, t, y, yp);
    if (c->move == p->rhs && !p->rhs_from_yp) { // no need of a slope that is not looked at
        int rc = method_interpolate(run, t, y, NULL);
        if (rc) return rc;
        rc = p->rhs(p->user, t, y, yp);
        if (!rc) return 0;
        int again = method_interpolate(run, t, y, yp);
        return again ? again : rc > 0;
    }
    int rc = method_interpolate(run, t, y, yp);
    if (rc) return rc;
    rc = sim_consistent_make(c, t, y, yp, within);
    return rc > 0;
}
