/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/method_matrix.h"

#include "method/krylov.h"
#include "method/step.h"

#include <math.h>

/* The factors serve while c is within this range of theirs: relative to theirs, or where a
 * factorisation takes the time of many solves, as on grids, |c - c_lu| / (c + c_lu), by which
 * corrections scaled by matrix_scale shrink at least. */
static const double C_CHANGE_MAX = 0.25, C_CHANGE_DEAR_MAX = 0.4, WORK_DEAR_MIN = 10;
/* Of several processes the work is not known: as of a grid of so many (choice). */
enum { UNKNOWNS_DEAR_SHARED = 2000 };

/* Factors of BDF serve for some ten steps of two solutions; a solution by GMRES takes some ten
 * products at most, and each of them, with the preconditioner, some twelve multiplications for an entry of
 * the matrix. Only where factoring takes twice that, as on grids in three dimensions, are the
 * iterations preferred: they are less certain to converge. */
static const double WORK_IN_PLACE = 10 * 2 * 10 * 12, WORK_PREFERRED = 2;

static double work_allowed(const method_core *c)
{
    const vinc_problem *p = c->p;
    bool fits = c->linear.open && c->method->ops->by_products && !c->fixed && p->product &&
                p->jac && !p->project && !p->reselect && problem_blocks(p) == 1;
    for (int i = 0; i < p->n && fits; i++) fits = problem_differential(p, i);
    return fits ? WORK_PREFERRED * WORK_IN_PLACE * (double)p->jac->nnz : 0;
}

static int open_without_matrix(method_core *c, method_matrix *g)
{
    g->dear = true;
    return krylov_open(c, &g->krylov);
}

int matrix_open(method_core *c, method_matrix *g)
{
    const la_shared *shared = c->p->shared;
    la_config config = {.n = shared ? c->n : c->jac.pattern.n_cols,
                        .blocks = problem_blocks(c->p),
                        .pattern = &c->jac.pattern,
                        .backend = c->config.la,
                        .work_max = work_allowed(c),
                        .forgiving = c->p->event && !shared,
                        .shared = shared,
                        .solver = c->linear.solver,
                        .restart = c->linear.restart,
                        .iterations = c->linear.iterations,
                        .crew = c->config.crew,
                        .work = &c->run->stats.work};
    g->c_scale = 1;
    if (c->linear.precond) return open_without_matrix(c, g);
    int status = la_new(c->m, &config, &g->lu);
    if (status == LA_E_DEAR) {
        method_linear_find("krylov", &c->linear, NULL);
        return open_without_matrix(c, g);
    }
    bool many = shared && shared->n_all > UNKNOWNS_DEAR_SHARED;
    g->dear = !status && (many || g->lu->work > WORK_DEAR_MIN);
    return !status ? VINC_OK : status == LA_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
}

void matrix_close(method_core *c, method_matrix *g)
{
    la_free(g->lu);
    krylov_close(c, g->krylov);
    g->lu = NULL;
    g->krylov = NULL;
}

static void scale_masses(method_core *c, const method_matrix *g)
{
    const vinc_pattern *a = &c->jac.pattern;
    for (int j = 0; j < a->n_cols && g->factor; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) c->jac.dyp[k] *= g->factor[j];
}

int matrix_take_kept(method_core *c, method_matrix *g, int kept, double t, double h)
{
    const vinc_problem *p = c->p;
    if (!p->vary_jacobian || p->vary_jacobian(p->user, kept, c->jac.dy, c->jac.dyp))
        return matrix_differentiate(c, g, t, h);
    c->run->stats.jacobian_evals++;
    c->have_jac = c->jac_current = true;
    g->c = 0;
    scale_masses(c, g);
    return STEP_OK;
}

int matrix_differentiate(method_core *c, method_matrix *g, double t, double h)
{
    if (g->krylov) { // products are always of the present point
        c->have_jac = c->jac_current = true;
        g->c = 0;
        return STEP_OK;
    }
    int status = problem_jac_eval(&c->jac, &c->run->stats, t, c->y_new, c->yp_new, h);
    if (status) {
        c->have_jac = false;
        return step_status(status);
    }
    c->have_jac = c->jac_current = true;
    g->c = 0;
    scale_masses(c, g);
    return STEP_OK;
}

int matrix_factor(method_core *c, method_matrix *g, const matrix_point *at)
{
    if (g->krylov) {
        int failed = krylov_precondition(g->krylov, g, at);
        g->c = failed ? 0 : at->c;
        return failed;
    }
    int status = la_factor(g->lu, c->jac.dy, c->jac.dyp, at->c * g->c_scale, 0);
    core_watch(c, g->lu);
    c->run->stats.factorizations++;
    g->c = 0;
    if (status == LA_SINGULAR) {
        c->defect = g->lu->defect;
        return STEP_SINGULAR;
    }
    if (status) return STEP_UNDEFINED; // memory inside a foreign library
    g->c = at->c;
    return STEP_OK;
}

bool matrix_is_far(const method_matrix *g, double coefficient)
{
    double apart = fabs(coefficient - g->c);
    return g->dear ? apart > C_CHANGE_DEAR_MAX * (coefficient + g->c)
                   : fabs(coefficient / g->c - 1) > C_CHANGE_MAX;
}

int matrix_solve(method_core *c, method_matrix *g, const matrix_point *at, double *b)
{
    c->run->stats.solves++;
    if (g->krylov) return krylov_solve(g->krylov, g, at, b);
    la_solve(g->lu, b);
    c->run->stats.linear_iterations += g->lu->iterations;
    c->stagnant = g->lu->unsolved ? g->lu->iterations : 0;
    return g->lu->unsolved ? STEP_NEWTON : STEP_OK;
}

int matrix_solve_blocks(method_core *c, method_matrix *g, const matrix_point *at, double *b,
                        int first, int count)
{
    if (g->krylov) return matrix_solve(c, g, at, b);
    c->run->stats.solves++;
    la_solve_blocks(g->lu, b, first, count);
    return STEP_OK;
}

int matrix_mass(method_core *c, const method_matrix *g, const matrix_point *at, const double *e,
                double *out)
{
    double factor = at->c * g->c_scale;
    if (g->krylov) return krylov_mass(g->krylov, at, factor, e, out);
    core_mass(c, factor, e, out);
    return STEP_OK;
}

double matrix_unsolved(const method_matrix *g)
{
    return g->krylov && !g->krylov->gmres.iterations ? g->krylov->gmres.error : 0;
}
