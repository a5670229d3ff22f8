/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/starter.h"

#include <string.h>

static const double STARTER_TOL = 1e-13;

int starter_open(method_core *c, starter *s)
{
    if (c->linear.precond) {
        core_explain(
            c,
            "with fixed steps and order %d the first steps are those of radau, which needs "
            "a stored matrix and not 'krylov'; leave out the step, or use a method of one "
            "step as sdirk4 or trapezoid",
            c->method->order_max);
        return VINC_E_OPTION;
    }
    method_config config = {.rel_tol = STARTER_TOL, .la = c->config.la, .crew = c->config.crew};
    bool explicit_ = (c->method->traits & METHOD_EXPLICIT) || !c->p->residual;
    return method_new(c->m, c->p, explicit_ ? "dopri8" : "radau", &config, NULL, &s->run);
}

void starter_close(starter *s)
{
    method_free(s->run);
    s->run = NULL;
}

/* What the starter costs is part of the cost of the run; its steps are not the run's. */
static void starter_charge(vinc_stats *to, const vinc_stats *from, const vinc_stats *before)
{
    to->residual_evals += from->residual_evals - before->residual_evals;
    to->rhs_evals += from->rhs_evals - before->rhs_evals;
    to->jacobian_evals += from->jacobian_evals - before->jacobian_evals;
    to->jacobian_residual_evals += from->jacobian_residual_evals - before->jacobian_residual_evals;
    to->factorizations += from->factorizations - before->factorizations;
    to->solves += from->solves - before->solves;
    to->newton_iterations += from->newton_iterations - before->newton_iterations;
    to->projections += from->projections - before->projections;
    to->reselections += from->reselections - before->reselections;
    to->work += from->work - before->work;
}

int starter_step(method_core *c, starter *s, double t_new)
{
    method_run *r = s->run;
    size_t bytes = (size_t)c->n * sizeof(double);
    vinc_stats before = r->stats;
    int status = VINC_OK;
    if (!s->going || r->t != c->t) status = method_start(r, c->t, c->y, c->yp, t_new - c->t);
    s->going = true;
    while (!status && r->t < t_new) status = method_step(r, t_new);
    starter_charge(&c->run->stats, &r->stats, &before);
    c->have_jac = false; // states may have been re-selected on the way
    if (status) return status == VINC_E_STOPPED ? STEP_STOP : STEP_NEWTON;
    memcpy(c->y_new, r->y, bytes);
    memcpy(c->yp_new, r->yp, bytes);
    return STEP_OK;
}
