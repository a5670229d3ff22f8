/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/share.h"

#include "base/bump.h"
#include "la/precond.h"
#include "la/shared.h"
#include "problem/problem.h"
#include "run/run_parts.h"
#include "run/share_parts.h"

#include <math.h>
#include <string.h>

/* ---- the point ------------------------------------------------------------------------------- */

/* Two vectors of this process to their places among all, with what is read of other processes. */
static void share_spread(run_share *x, const double *a, const double *b, double *all_a,
                         double *all_b)
{
    const team_peers *p = &x->peers;
    for (int k = 0; k < x->n; k++) {
        all_a[x->own[k]] = a[k];
        all_b[x->own[k]] = b[k];
    }
    for (int q = 0, to = 0; q < p->n; q++) {
        for (int k = p->send_start[q] / 2; k < p->send_start[q + 1] / 2; k++) {
            x->sent[to++] = a[x->send[k]];
            x->sent[to++] = b[x->send[k]];
        }
    }
    x->shared.team->exchange(p, x->sent, x->received);
    for (int k = 0; k < x->n_halo; k++) {
        all_a[x->halo[k]] = x->received[2 * k];
        all_b[x->halo[k]] = x->received[2 * k + 1];
    }
}

void run_share_take(const run_share *x, const double *all, double *own)
{
    for (int k = 0; k < x->n; k++) own[k] = all[x->own[k]];
}

void run_share_join(run_share *x, const double *own, double *all)
{
    x->shared.team->gather(own, x->count, x->place, x->ordered);
    for (int k = 0; k < x->shared.n_all; k++) all[x->order[k]] = x->ordered[k];
}

static void share_all(run_share *x, const double *y, const double *yp)
{
    run_share_join(x, y, x->y);
    run_share_join(x, yp, x->yp);
}

int run_share_unknown(const run_share *x, int i)
{
    return i < 0 ? -1 : i < x->n ? x->own[i] : x->order[i - x->n];
}

const char *run_share_why(const run_share *x)
{
    return x->why;
}

/* ---- rows of this process -------------------------------------------------------------------- */

static void share_eval(run_share *x, const tape_code *code, double t, double *out, double *out2)
{
    run_state *s = x->s;
    tape_args args = run_args(s, t, x->y, x->yp);
    memcpy(x->w, s->w, (size_t)x->n_given * sizeof *x->w);
    args.w = x->w;
    args.scratch = x->scratch;
    args.out = out;
    args.out2 = out2;
    tape_eval(code, &args);
}

static int share_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    run_share *x = user;
    share_spread(x, y, yp, x->y, x->yp);
    share_eval(x, x->residual, t, x->r, NULL);
    for (int k = 0; k < x->n; k++) r[k] = x->r[x->row[k]];
    if (!shared_any(&x->shared, !problem_finite(r, x->n))) return 0;
    share_all(x, y, yp);
    return run_note_fault(x->s, t, x->y, x->yp);
}

static int share_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                          double *dyp)
{
    run_share *x = user;
    share_spread(x, y, yp, x->y, x->yp);
    share_eval(x, x->jacobian, t, x->dy, x->dyp);
    for (int k = 0; k < x->jac.nnz; k++) {
        dy[k] = x->dy[x->entry[k]];
        dyp[k] = x->dyp[x->entry[k]];
    }
    bool finite = problem_finite(dy, x->jac.nnz) && problem_finite(dyp, x->jac.nnz);
    return shared_any(&x->shared, !finite);
}

static int share_product(void *user, double t, const double *y, const double *yp, const double *v,
                         const double *vp, double *out)
{
    run_share *x = user;
    run_state *s = x->s;
    share_spread(x, y, yp, x->y, x->yp);
    share_spread(x, v, vp, x->w_product + x->v, x->w_product + x->vp);
    tape_args args = run_args(s, t, x->y, x->yp);
    memcpy(x->w_product, s->w, (size_t)x->n_given * sizeof *x->w_product);
    args.w = x->w_product;
    args.scratch = x->scratch;
    args.out = x->r;
    tape_eval(x->product, &args);
    for (int k = 0; k < x->n; k++) out[k] = x->r[x->row[k]];
    return 0;
}

/* ---- what looks at the whole point ----------------------------------------------------------- */

static int share_roots(void *user, double t, const double *y, const double *yp, double *g)
{
    run_share *x = user;
    share_all(x, y, yp);
    int rc = x->base->roots(x->base->user, t, x->y, x->yp, g);
    x->shared.team->from_first(g, x->base->n_roots);
    return rc;
}

static int share_back(const run_share *x, int rc, double *y, double *yp)
{
    run_share_take(x, x->y, y);
    run_share_take(x, x->yp, yp);
    return rc;
}

/* Sliding is another problem: it has no part here. */
static int share_after_event(run_share *x, int rc)
{
    const vinc_problem *b = x->base;
    if (rc || !b->follows || b->follows(b->user) == b) return rc;
    x->why =
        "the motion slides along a switching surface from here, which runs of several processes "
        "do not do: run it in one";
    return -1;
}

static int share_event(void *user, double t, double *y, double *yp, int *changed)
{
    run_share *x = user;
    share_all(x, y, yp);
    int rc = share_after_event(x, x->base->event(x->base->user, t, x->y, x->yp, changed));
    return share_back(x, rc, y, yp);
}

static int share_finish(void *user, double t, double *y, double *yp, int *changed)
{
    run_share *x = user;
    share_all(x, y, yp);
    return share_back(x, x->base->finish(x->base->user, t, x->y, x->yp, changed), y, yp);
}

static int share_rhs(void *user, double t, double *y, double *yp)
{
    run_share *x = user;
    share_all(x, y, yp);
    return share_back(x, x->base->rhs(x->base->user, t, x->y, x->yp), y, yp);
}

static int share_output_project(void *user, double t, double *y, double *yp)
{
    run_share *x = user;
    share_all(x, y, yp);
    return share_back(x, x->base->output_project(x->base->user, t, x->y, x->yp), y, yp);
}

static int share_project_within(void *user, double t, double *y, double *yp, double within)
{
    run_share *x = user;
    share_all(x, y, yp);
    return share_back(x, x->base->project_within(x->base->user, t, x->y, x->yp, within), y, yp);
}

static int share_check(void *user, double t, const double *y, const double *yp)
{
    run_share *x = user;
    share_all(x, y, yp);
    return x->base->check(x->base->user, t, x->y, x->yp);
}

static int share_violation(void *user, double t, const double *y, const double *yp, double v[3])
{
    run_share *x = user;
    share_all(x, y, yp);
    return x->base->violation(x->base->user, t, x->y, x->yp, v);
}

static int share_energy(void *user, double t, const double *y, const double *yp, double *e)
{
    run_share *x = user;
    share_all(x, y, yp);
    return x->base->energy(x->base->user, t, x->y, x->yp, e);
}

/* Rows are recorded by the first process. */
static int share_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    run_share *x = user;
    double rc = 0;
    share_all(x, y, yp);
    if (!x->shared.rank) rc = x->base->outputs(x->base->user, t, x->y, x->yp, out);
    x->shared.team->from_first(&rc, 1);
    return (int)rc;
}

static double share_next_time_event(void *user, double t)
{
    const run_share *x = user;
    return x->base->next_time_event(x->base->user, t);
}

static double share_forcing_limit(void *user, double t, double to)
{
    const run_share *x = user;
    const vinc_problem *b = x->base;
    return b->forcing_limit ? b->forcing_limit(b->user, t, to) : INFINITY;
}

static void share_event_text(void *user, char *line, size_t size)
{
    const run_share *x = user;
    x->base->event_text(x->base->user, line, size);
}

static const char *share_unknown_name(void *user, int i)
{
    const run_share *x = user;
    return x->base->unknown_name(x->base->user, run_share_unknown(x, i));
}

/* ---- the problem ----------------------------------------------------------------------------- */

void share_fill(run_share *x)
{
    const vinc_problem *b = x->base;
    double of_states = b->outputs_of_states; // of what the first process records
    x->shared.team->from_first(&of_states, 1);
    x->problem = (vinc_problem){
        .n = x->n,
        .n_roots = b->n_roots,
        .jac = &x->jac,
        .nominal = x->nominal,
        .differential = x->differential,
        .autonomous = b->autonomous,
        .residual = share_residual,
        .jacobian = share_jacobian,
        .product = x->product ? share_product : NULL,
        .roots = b->roots ? share_roots : NULL,
        .event = b->event ? share_event : NULL,
        .user = x,
        .rhs = b->rhs ? share_rhs : NULL,
        .rhs_from_yp = b->rhs_from_yp,
        .unsized = b->unsized ? x->unsized : NULL,
        .rate = b->rate ? x->rate : NULL,
        .output_project = b->output_project ? share_output_project : NULL,
        .project_within = b->project_within ? share_project_within : NULL,
        .outputs_of_states = of_states != 0,
        .next_time_event = b->next_time_event ? share_next_time_event : NULL,
        .forcing_limit = share_forcing_limit, // it may come with other parameters
        .finish = b->finish ? share_finish : NULL,
        .event_text = b->event_text ? share_event_text : NULL,
        .check = b->check ? share_check : NULL,
        .violation = b->violation ? share_violation : NULL,
        .energy = b->energy ? share_energy : NULL,
        .n_outputs = x->shared.rank ? 0 : b->n_outputs,
        .outputs = b->outputs ? share_outputs : NULL,
        .unknown_name = b->unknown_name ? share_unknown_name : NULL,
        .shared = &x->shared,
        .work_residual = b->work_residual / x->shared.size,
        .work_jacobian = b->work_jacobian / x->shared.size,
        .work_rhs = b->work_rhs,
    };
}

const vinc_problem *run_share_problem(const run_share *x)
{
    return &x->problem;
}
