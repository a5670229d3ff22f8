/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/share.h"

#include "la/shared.h"
#include "problem/problem.h"
#include "run/run_parts.h"
#include "run/share_parts.h"

#include <math.h>
#include <string.h>

/* ---- the point ------------------------------------------------------------------------------- */

void share_spread(run_share *x, const double *a, const double *b, double *to_a, double *to_b)
{
    const team_peers *p = &x->peers;
    int n = x->head.n, n_halo = x->head.n_halo;
    memcpy(to_a, a, (size_t)n * sizeof *a);
    memcpy(to_b, b, (size_t)n * sizeof *b);
    for (int q = 0, to = 0; q < p->n; q++) {
        for (int k = p->send_start[q] / 2; k < p->send_start[q + 1] / 2; k++) {
            x->sent[to++] = a[x->send[k]];
            x->sent[to++] = b[x->send[k]];
        }
    }
    x->shared.team->exchange(p, x->sent, x->received);
    for (int k = 0; k < n_halo; k++) {
        to_a[n + k] = x->received[2 * k];
        to_b[n + k] = x->received[2 * k + 1];
    }
}

void run_share_take(run_share *x, const double *all, double *own)
{
    if (x->apart) return share_part_take(x, all, own);
    for (int k = 0; x->base && k < x->head.n_all; k++) x->ordered[k] = all[x->order[k]];
    x->shared.team->spread(x->ordered, x->count, x->place, own, x->head.n);
}

void run_share_join(run_share *x, const double *own, double *all)
{
    if (x->apart) return share_part_join(x, own, all);
    x->shared.team->collect(own, x->head.n, x->count, x->place, x->ordered);
    for (int k = 0; x->base && k < x->head.n_all; k++) all[x->order[k]] = x->ordered[k];
}

int run_share_unknown(const run_share *x, int i)
{
    if (x->apart) return i >= 0 && i < x->head.n ? x->local[i] : -1;
    if (i < 0 || !x->base) return -1;
    return x->order[i < x->head.n ? x->head.first + i : i - x->head.n];
}

const char *run_share_why(const run_share *x)
{
    return x->why;
}

/* ---- rows of this process -------------------------------------------------------------------- */

void share_eval(run_share *x, const tape_code *code, double t, double *w, double *out, double *out2)
{
    if (x->s) run_refresh(x->s, t, NULL, NULL); // inputs
    memcpy(w, x->given, (size_t)x->head.n_given * sizeof *w);
    tape_args args = {.t = t,
                      .p = x->p,
                      .y = x->y,
                      .yp = x->yp,
                      .w = w,
                      .out = out,
                      .out2 = out2,
                      .scratch = x->scratch,
                      .run = x->s ? run_routines(x->s) : NULL,
                      .crew = x->crew};
    tape_eval(code, &args);
}

static void share_collect(run_share *x, const double *y, const double *yp)
{
    run_share_join(x, y, x->all);
    run_share_join(x, yp, x->all_p);
}

static int share_residual(void *user, double t, const double *y, const double *yp, double *r)
{
    run_share *x = user;
    int n = x->head.n;
    share_spread(x, y, yp, x->y, x->yp);
    share_eval(x, x->residual, t, x->w, x->r, NULL);
    memcpy(r, x->r, (size_t)n * sizeof *r);
    bool faulty = !problem_finite(r, n);
    if (!shared_any(&x->shared, faulty)) return 0;
    if (x->apart) return share_part_fault(x, t, faulty), 1;
    share_collect(x, y, yp);
    if (x->base) run_note_fault(x->s, t, x->all, x->all_p);
    return 1;
}

static int share_jacobian(void *user, double t, const double *y, const double *yp, double *dy,
                          double *dyp)
{
    run_share *x = user;
    int nnz = x->jac.nnz;
    share_spread(x, y, yp, x->y, x->yp);
    share_eval(x, x->jacobian, t, x->w, x->entry ? x->dy : dy, x->entry ? x->dyp : dyp);
    for (int k = 0; x->entry && k < nnz; k++) {
        dy[k] = x->dy[x->entry[k]];
        dyp[k] = x->dyp[x->entry[k]];
    }
    return shared_any(&x->shared, !problem_finite(dy, nnz) || !problem_finite(dyp, nnz));
}

static int share_product(void *user, double t, const double *y, const double *yp, const double *v,
                         const double *vp, double *out)
{
    run_share *x = user;
    share_spread(x, y, yp, x->y, x->yp);
    share_spread(x, v, vp, x->w_product + x->v, x->w_product + x->vp);
    share_eval(x, x->product, t, x->w_product, x->r, NULL);
    memcpy(out, x->r, (size_t)x->head.n * sizeof *out);
    return 0;
}

/* ---- what looks at the whole point: the first process does, and tells ------------------------ */

void run_share_tell(run_share *x)
{
    int n = x->apart ? 0 : x->head.n_given; // each has its own
    if (x->base && n) memcpy(x->told, x->given, (size_t)n * sizeof *x->told);
    if (n) x->shared.team->from_first(x->given, n);
}

/* Numbers, and with them whether discrete values are others now, which then follow. */
static void share_say(run_share *x, double *said, int n)
{
    size_t bytes = (size_t)x->head.n_given * sizeof *x->told;
    memcpy(x->said, said, (size_t)n * sizeof *said);
    x->said[n] = x->base && bytes && memcmp(x->told, x->given, bytes) != 0;
    x->shared.team->from_first(x->said, n + 1);
    memcpy(said, x->said, (size_t)n * sizeof *said);
    if (x->said[n] != 0) run_share_tell(x);
}

static void share_back(run_share *x, double *y, double *yp)
{
    run_share_take(x, x->all, y);
    run_share_take(x, x->all_p, yp);
}

static int share_roots(void *user, double t, const double *y, const double *yp, double *g)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    int n = x->head.n_roots;
    share_collect(x, y, yp);
    double *said = x->roots;
    if (b) said[n] = b->roots(b->user, t, x->all, x->all_p, said);
    share_say(x, said, n + 1);
    memcpy(g, said, (size_t)n * sizeof *g);
    return (int)said[n];
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

static int share_told_event(run_share *x, int rc, double *y, double *yp, int *changed)
{
    double said[] = {rc, *changed};
    share_say(x, said, 2);
    *changed = (int)said[1];
    share_back(x, y, yp);
    return (int)said[0];
}

static int share_event(void *user, double t, double *y, double *yp, int *changed)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    share_collect(x, y, yp);
    int rc = b ? share_after_event(x, b->event(b->user, t, x->all, x->all_p, changed)) : 0;
    return share_told_event(x, rc, y, yp, changed);
}

static int share_finish(void *user, double t, double *y, double *yp, int *changed)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    share_collect(x, y, yp);
    int rc = b ? b->finish(b->user, t, x->all, x->all_p, changed) : 0;
    return share_told_event(x, rc, y, yp, changed);
}

static int share_moved(run_share *x, int rc, double *y, double *yp)
{
    double said = rc;
    share_say(x, &said, 1);
    share_back(x, y, yp);
    return (int)said;
}

static int share_rhs(void *user, double t, double *y, double *yp)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    share_collect(x, y, yp);
    return share_moved(x, b ? b->rhs(b->user, t, x->all, x->all_p) : 0, y, yp);
}

static int share_output_project(void *user, double t, double *y, double *yp)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    share_collect(x, y, yp);
    return share_moved(x, b ? b->output_project(b->user, t, x->all, x->all_p) : 0, y, yp);
}

static int share_project_within(void *user, double t, double *y, double *yp, double within)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    share_collect(x, y, yp);
    return share_moved(x, b ? b->project_within(b->user, t, x->all, x->all_p, within) : 0, y, yp);
}

static int share_check(void *user, double t, const double *y, const double *yp)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    share_collect(x, y, yp);
    double rc = b ? b->check(b->user, t, x->all, x->all_p) : 0;
    share_say(x, &rc, 1);
    return (int)rc;
}

static int share_violation(void *user, double t, const double *y, const double *yp, double v[3])
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    double said[4] = {0};
    share_collect(x, y, yp);
    if (b) said[3] = b->violation(b->user, t, x->all, x->all_p, said);
    share_say(x, said, 4);
    memcpy(v, said, 3 * sizeof *v);
    return (int)said[3];
}

static int share_energy(void *user, double t, const double *y, const double *yp, double *e)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    double said[2] = {0};
    share_collect(x, y, yp);
    if (b) said[0] = b->energy(b->user, t, x->all, x->all_p, &said[1]);
    share_say(x, said, 2);
    *e = said[1];
    return (int)said[0];
}

/* Rows are recorded by the first process. */
static int share_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    double rc = 0;
    share_collect(x, y, yp);
    if (b) rc = b->outputs(b->user, t, x->all, x->all_p, out);
    share_say(x, &rc, 1);
    return (int)rc;
}

static double share_next_time_event(void *user, double t)
{
    const run_share *x = user;
    const vinc_problem *b = x->base;
    double next = b ? b->next_time_event(b->user, t) : 0;
    x->shared.team->from_first(&next, 1);
    return next;
}

/* It may come with other parameters. */
static double share_forcing_limit(void *user, double t, double to)
{
    const run_share *x = user;
    const vinc_problem *b = x->base;
    double limit = b && b->forcing_limit ? b->forcing_limit(b->user, t, to) : INFINITY;
    x->shared.team->from_first(&limit, 1);
    return limit;
}

static void share_event_text(void *user, char *line, size_t size)
{
    const run_share *x = user;
    x->base->event_text(x->base->user, line, size);
}

static const char *share_unknown_name(void *user, int i)
{
    const run_share *x = user;
    int own = run_share_unknown(x, i);
    return own < 0 ? "?" : x->base->unknown_name(x->base->user, own);
}

/* ---- the problem ----------------------------------------------------------------------------- */

void share_fill(run_share *x)
{
    const vinc_problem *b = x->base; // names are those of the first process
    const share_head *h = &x->head;
    unsigned has = h->offers;
    x->problem = (vinc_problem){
        .n = h->n,
        .n_roots = h->n_roots,
        .jac = &x->jac,
        .nominal = x->nominal,
        .differential = x->differential,
        .autonomous = h->autonomous,
        .residual = share_residual,
        .jacobian = share_jacobian,
        .product = x->product ? share_product : NULL,
        .roots = has & SHARE_ROOTS ? share_roots : NULL,
        .event = has & SHARE_EVENT ? share_event : NULL,
        .user = x,
        .rhs = has & SHARE_RHS ? share_rhs : NULL,
        .rhs_from_yp = h->rhs_from_yp,
        .unsized = has & SHARE_UNSIZED ? x->unsized : NULL,
        .rate = has & SHARE_RATE ? x->rate : NULL,
        .output_project = has & SHARE_OUTPUT_PROJECT ? share_output_project : NULL,
        .project_within = has & SHARE_PROJECT_WITHIN ? share_project_within : NULL,
        .outputs_of_states = h->outputs_of_states,
        .next_time_event = has & SHARE_TIME_EVENTS ? share_next_time_event : NULL,
        .forcing_limit = share_forcing_limit,
        .finish = has & SHARE_FINISH ? share_finish : NULL,
        .event_text = b && b->event_text ? share_event_text : NULL,
        .check = has & SHARE_CHECK ? share_check : NULL,
        .violation = has & SHARE_VIOLATION ? share_violation : NULL,
        .energy = has & SHARE_ENERGY ? share_energy : NULL,
        .n_outputs = b ? b->n_outputs : 0,
        .outputs = has & SHARE_OUTPUTS ? share_outputs : NULL,
        .unknown_name = b && b->unknown_name ? share_unknown_name : NULL,
        .shared = &x->shared,
        .work_residual = h->work_residual,
        .work_jacobian = h->work_jacobian,
        .work_rhs = h->work_rhs,
    };
    if (x->apart) share_part_fill(x);
}

const vinc_problem *run_share_problem(const run_share *x)
{
    return &x->problem;
}
