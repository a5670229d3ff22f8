/* How well the interpolant of a step solves the equations.
 *
 * Errors at the ends of steps say nothing about the values between: a stiff unknown that follows an
 * input is exact at both ends of a step that is far too long for a polynomial in between, and
 * interpolants of high order use stages that have no accuracy of their own there. What a polynomial
 * P leaves of the equations, the defect, does tell (W. H. Enright, J. Comput. Appl. Math. 125 (2000)
 * 159-170). A Newton correction e with the matrix of the step, G = dF/dy + c dF/dy' with c of the
 * order of 1/h, makes an error of it. For stiff unknowns, e = J^-1 F is the error. For the others it
 * is h/c' times the defect, which changes its sign inside the step: their error is a part of that.
 * The stiff part of e is G^-1 dF/dy e = e - c G^-1 dF/dy' e.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/stages.h"
#include "method/step.h"

#include <math.h>
#include <string.h>

static const double LOOK_AT = 0.4; // part of the step, between two nodes of radau5, 9 and 13
static const double PART = 0.1;    // of h times the defect, or of e, where nothing is stiff

/* Of how many unknowns the defect is looked at: where error tests count the first of several blocks alone,
 * of that one. */
static int inner_unknowns(const method_core *c)
{
    return c->n_lead < c->n && c->norm.blocks_counted == 1 && c->method->ops->blend ? c->n_lead
                                                                                    : c->n;
}

/* P of the first n unknowns, and its slope. */
static int inner_point(method_core *c, double t, int n, double *y, double *yp)
{
    method_blend b = {0};
    int status = c->method->ops->blend(c, t, &b);
    if (status) return status;
    stages_blend(b.rows, b.weight, b.row, y, n);
    stages_blend(b.rows, b.slope, b.row, yp, n);
    return 0;
}

/* Explicit methods: a part of h (P' - f(t, P)) in e. */
static int defect_of_rhs(method_core *c, double t, double h, double *y, double *yp, double *e)
{
    int status, n = c->p->lead_rhs && c->all_differential ? inner_unknowns(c) : c->n;
    if (n < c->n) {
        status = inner_point(c, t, n, y, e);
        if (!status) status = problem_lead_rhs(c->p, &c->run->stats, t, y, yp);
    } else {
        status = c->method->ops->interpolate(c, t, y, yp);
        if (!status) status = c->method->ops->slope(c, t, e);
    }
    for (int i = 0; i < n; i++) e[i] = PART * h * (e[i] - yp[i]);
    return status;
}

/* Algebraic unknowns are taken from the equations wherever there is a way. */
static double inner_norm(method_core *c, double *e)
{
    const vinc_problem *p = c->p;
    if (!c->all_differential && (p->rhs || p->project || p->output_project))
        for (int i = 0; i < c->n_error; i++)
            if (!p->differential[i]) e[i] = 0;
    double error = problem_norm_error(&c->norm, e, c->h_last);
    return isfinite(error) ? error : INFINITY;
}

static int inner_project(const method_core *c, double t, double *y, double *yp)
{
    const vinc_problem *p = c->p;
    // An error is to be known to a figure. Near a loss of rank a step more decides whether there is a next one.
    const double PART_OF_TOLERANCE = p->regularity ? 0.01 : 0.1;
    if (p->project_within)
        return p->project_within(p->user, t, y, yp, PART_OF_TOLERANCE * c->norm.rel_tol);
    return (p->project ? p->project : p->output_project)(p->user, t, y, yp);
}

/* The correction e of all unknowns, or of n; its norm. */
static double inner_correct(method_core *c, method_matrix *g, double t, int n, double *y,
                            double *yp, double *e)
{
    const vinc_problem *p = c->p;
    matrix_point at = {c->t, c->y, c->yp, g->c, c->h_last, ESTIMATE_TOL};
    int status = n < c->n ? inner_point(c, t, n, y, yp) : c->method->ops->interpolate(c, t, y, yp);
    if (!status && (p->project || p->output_project)) { // what constraints tie is taken from them
        memcpy(e, yp, (size_t)c->n * sizeof *e);
        status = inner_project(c, t, y, e);
    }
    if (!status)
        status = n < c->n ? problem_lead(p, &c->run->stats, t, y, yp, e)
                          : problem_residual(p, &c->run->stats, t, y, yp, e);
    if (!status) status = matrix_solve_blocks(c, g, &at, e, 0, c->norm.blocks_counted);
    if (status) return INFINITY;
    memcpy(yp, e, (size_t)n * sizeof *e);
    return inner_norm(c, yp);
}

/* The matrix of the last step. False: its method has none, or none that is real. */
static bool inner_matrix(const method_core *c, method_matrix *g)
{
    const method_ops *ops = c->method->ops;
    if (!ops->matrix) return false;
    *g = ops->matrix(c);
    return g->lu || g->krylov;
}

static double inner_implicit(method_core *c, method_matrix g, double t, double *y, double *yp,
                             double *e)
{
    const vinc_problem *p = c->p;
    const method_ops *ops = c->method->ops;
    matrix_point at = {c->t, c->y, c->yp, g.c, c->h_last, ESTIMATE_TOL};
    int n = p->project || p->output_project ? c->n : inner_unknowns(c);
    double *again = y, error = inner_correct(c, &g, t, n, y, yp, e);
    if (error <= 1 || error == INFINITY) return error;
    if (matrix_mass(c, &g, &at, e, again) ||
        matrix_solve_blocks(c, &g, &at, again, 0, c->norm.blocks_counted))
        return INFINITY;
    double part = ops->inner_part > 0 ? ops->inner_part : PART;
    for (int i = 0; i < n; i++) e[i] -= (1 - part) * again[i];
    return inner_norm(c, e);
}

bool method_correction(method_run *r, double t, const double *y, const double *yp, double *e)
{
    method_core *c = r->core;
    method_matrix g;
    if (!(c->h_last > 0) || !inner_matrix(c, &g)) return false;
    matrix_point at = {c->t, c->y, c->yp, g.c, c->h_last, ESTIMATE_TOL};
    return !problem_residual(c->p, &r->stats, t, y, yp, e) &&
           !matrix_solve_blocks(c, &g, &at, e, 0, c->norm.blocks_counted);
}

bool method_solves(const method_run *r)
{
    return r->core->method->ops->slope;
}

int method_inner_order(const method_run *r)
{
    const method_core *c = r->core;
    const method_ops *ops = c->method->ops;
    return ops->inner_order ? ops->inner_order(c) : INNER_ORDER_HERMITE;
}

double method_inner_error(method_run *r, double from, double to, double *work)
{
    method_core *c = r->core;
    const method_ops *ops = c->method->ops;
    double h = c->h_last, at[LOOKS_MAX] = {LOOK_AT}, most = 0;
    double *y = work, *yp = work + c->n, *e = work + 2 * c->n;
    method_matrix g;
    bool implicit = inner_matrix(c, &g);
    if (!(h > 0) || (!implicit && !ops->slope)) return 0;
    double begin = c->t - h;
    int looks = ops->looks ? ops->looks(c, (from - begin) / h, (to - begin) / h, at) : 1;
    for (int k = 0; k < looks; k++) {
        double t = c->t - (1 - at[k]) * h, error;
        if (implicit) error = inner_implicit(c, g, t, y, yp, e);
        else error = defect_of_rhs(c, t, h, y, yp, e) ? INFINITY : inner_norm(c, e);
        most = fmax(most, error);
    }
    return most;
}
