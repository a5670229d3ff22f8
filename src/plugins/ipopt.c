/* Nonlinear optimization by Ipopt (A. Waechter and L. T. Biegler, Math. Program. 106 (2006) 25-57).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/nlp.h"

#include <IpStdCInterface.h>
#include <stdlib.h>
#include <string.h>

typedef struct ipopt_run {
    const nlp_problem *p;
    int stop; // a callback wants it
    int iterations;
} ipopt_run;

static Bool ipopt_status(ipopt_run *r, int rc)
{
    if (rc < 0) r->stop = 1;
    return rc == 0;
}

static Bool ipopt_goal(Index n, Number *x, Bool fresh, Number *f, UserDataPtr user)
{
    ipopt_run *r = user;
    (void)n, (void)fresh;
    return ipopt_status(r, r->p->goal(r->p->user, x, f));
}

static Bool ipopt_gradient(Index n, Number *x, Bool fresh, Number *slope, UserDataPtr user)
{
    ipopt_run *r = user;
    (void)n, (void)fresh;
    return ipopt_status(r, r->p->gradient(r->p->user, x, slope));
}

static Bool ipopt_rows(Index n, Number *x, Bool fresh, Index m, Number *g, UserDataPtr user)
{
    ipopt_run *r = user;
    (void)n, (void)fresh, (void)m;
    return ipopt_status(r, r->p->rows(r->p->user, x, g));
}

static Bool ipopt_first(Index n, Number *x, Bool fresh, Index m, Index count, Index *row,
                        Index *column, Number *values, UserDataPtr user)
{
    ipopt_run *r = user;
    (void)n, (void)fresh, (void)m;
    if (values) return ipopt_status(r, r->p->first(r->p->user, x, values));
    memcpy(row, r->p->first_row, (size_t)count * sizeof *row);
    memcpy(column, r->p->first_column, (size_t)count * sizeof *column);
    return TRUE;
}

static Bool ipopt_second(Index n, Number *x, Bool fresh, Number sigma, Index m, Number *lambda,
                         Bool fresh_lambda, Index count, Index *row, Index *column, Number *values,
                         UserDataPtr user)
{
    ipopt_run *r = user;
    (void)n, (void)fresh, (void)m, (void)fresh_lambda;
    if (!r->p->n_second) return FALSE;
    if (values) return ipopt_status(r, r->p->second(r->p->user, x, sigma, lambda, values));
    memcpy(row, r->p->second_row, (size_t)count * sizeof *row);
    memcpy(column, r->p->second_column, (size_t)count * sizeof *column);
    return TRUE;
}

static Bool ipopt_between(Index mode, Index iteration, Number f, Number primal, Number dual,
                          Number mu, Number step, Number regular, Number alpha_dual,
                          Number alpha_primal, Index trials, UserDataPtr user)
{
    ipopt_run *r = user;
    (void)mode, (void)f, (void)primal, (void)dual, (void)mu, (void)step, (void)regular;
    (void)alpha_dual, (void)alpha_primal, (void)trials;
    r->iterations = iteration;
    return !r->stop && !(r->p->stops && r->p->stops(r->p->user));
}

static nlp_end ipopt_end(enum ApplicationReturnStatus status)
{
    switch (status) {
    case Solve_Succeeded: return NLP_SOLVED;
    case Solved_To_Acceptable_Level: return NLP_NEARLY;
    case Infeasible_Problem_Detected:
    case Not_Enough_Degrees_Of_Freedom:
    case Restoration_Failed: return NLP_INFEASIBLE;
    case Maximum_Iterations_Exceeded: return NLP_ITERATIONS;
    case Search_Direction_Becomes_Too_Small: return NLP_TINY_STEPS;
    case Diverging_Iterates: return NLP_DIVERGED;
    case User_Requested_Stop: return NLP_STOPPED;
    case Invalid_Number_Detected: return NLP_NO_VALUE;
    case Insufficient_Memory: return NLP_NO_MEMORY;
    default: return NLP_FAILED;
    }
}

static void ipopt_solve(const nlp_problem *p, double *x, nlp_answer *answer)
{
    ipopt_run r = {.p = p};
    IpoptProblem q =
        CreateIpoptProblem(p->n, (Number *)p->x_lower, (Number *)p->x_upper, p->m,
                           (Number *)p->g_lower, (Number *)p->g_upper, p->n_first, p->n_second, 0,
                           ipopt_goal, ipopt_rows, ipopt_gradient, ipopt_first, ipopt_second);
    *answer = (nlp_answer){.end = NLP_NO_MEMORY};
    if (!q) return;
    AddIpoptIntOption(q, "print_level", 0);
    AddIpoptStrOption(q, "sb", "yes");
    AddIpoptNumOption(q, "tol", p->tolerance);
    AddIpoptIntOption(q, "max_iter", p->max_iterations);
    AddIpoptStrOption(q, "option_file_name", ""); // nothing of the folder that it is called in
    AddIpoptNumOption(q, "mu_init", 1); // far from bounds at first: guesses of motions are coarse
    // MUMPS permutes columns so that large entries come onto the diagonal, which undoes the order of
    // pieces: factors of a motion in 50 of them then have fifteen times the work.
    AddIpoptIntOption(q, "mumps_permuting_scaling", 0);
    if (!p->n_second) AddIpoptStrOption(q, "hessian_approximation", "limited-memory");
    SetIntermediateCallback(q, ipopt_between);
    answer->end = ipopt_end(IpoptSolve(q, x, NULL, NULL, NULL, NULL, NULL, &r));
    answer->iterations = r.iterations;
    if (r.stop) answer->end = NLP_STOPPED;
    FreeIpoptProblem(q);
}

__attribute__((visibility("default"))) const nlp_solver vincolo_plugin = {
    .version = NLP_VERSION,
    .solve = ipopt_solve,
};
