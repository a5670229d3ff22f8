/* A shared model of which this process has compiled its part (flat/flat_part.h).
 *
 * The model here has the unknowns of this process and, behind their names, unknowns of others that its equations or
 * its rows of results read: their rows are left out, their values come before each evaluation. Nobody has the
 * whole point. Such a model has no events, so that nothing asks for it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/run_parts.h"
#include "run/share_parts.h"

#include <math.h>
#include <string.h>

/* ---- the point ------------------------------------------------------------------------------- */

void share_part_take(const run_share *x, const double *all, double *own)
{
    for (int k = 0; k < x->head.n; k++) own[k] = all[x->local[k]];
}

/* To the numbering of the model. */
static void part_place(const run_share *x, const double *from, double *all)
{
    int n = x->head.n + x->head.n_halo;
    for (int k = 0; k < n; k++) all[x->local[k]] = from[k];
}

void share_part_join(run_share *x, const double *own, double *all)
{
    share_spread(x, own, own, x->y, x->yp);
    if (all) part_place(x, x->y, all);
}

static void part_collect(run_share *x, const double *y, const double *yp)
{
    share_spread(x, y, yp, x->y, x->yp);
    part_place(x, x->y, x->all);
    part_place(x, x->yp, x->all_p);
}

void share_part_fault(run_share *x, double t, bool here)
{
    x->faulty = here;
    if (!here) return;
    part_place(x, x->y, x->all);
    part_place(x, x->yp, x->all_p);
    run_note_fault(x->s, t, x->all, x->all_p);
}

bool run_share_knows(const run_share *x, bool undefined, int worst)
{
    return undefined ? x->faulty : worst >= 0 && worst < x->head.n;
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static int part_agree(const run_share *x, int rc)
{
    double worst[] = {rc > 0, rc < 0};
    x->shared.team->most(worst, 2);
    return worst[1] > 0 ? -1 : worst[0] > 0;
}

static int part_moved(run_share *x, int rc, double *y, double *yp)
{
    share_part_take(x, x->all, y);
    share_part_take(x, x->all_p, yp);
    return part_agree(x, rc);
}

static int part_rhs(void *user, double t, double *y, double *yp)
{
    run_share *x = user;
    part_collect(x, y, yp);
    return part_moved(x, x->base->rhs(x->base->user, t, x->all, x->all_p), y, yp);
}

static int part_project_within(void *user, double t, double *y, double *yp, double within)
{
    run_share *x = user;
    part_collect(x, y, yp);
    int rc = x->base->project_within(x->base->user, t, x->all, x->all_p, within);
    return part_moved(x, rc, y, yp);
}

/* The first process has the columns, and reads all that they show. */
static int part_outputs(void *user, double t, const double *y, const double *yp, double *out)
{
    run_share *x = user;
    const vinc_problem *b = x->base;
    part_collect(x, y, yp);
    return part_agree(x, x->shared.rank ? 0 : b->outputs(b->user, t, x->all, x->all_p, out));
}

static double part_forcing_limit(void *user, double t, double to)
{
    const run_share *x = user;
    const vinc_problem *b = x->base;
    double limit = b->forcing_limit ? b->forcing_limit(b->user, t, to) : INFINITY;
    return -shared_most(&x->shared, -limit);
}

/* With nothing of others in v: for preconditioners of the part. */
static int part_product(void *user, double t, const double *y, const double *yp, const double *v,
                        const double *vp, double *out)
{
    run_share *x = user;
    int n = x->head.n, n_halo = x->head.n_halo;
    size_t own = (size_t)n * sizeof *v, others = (size_t)n_halo * sizeof *v;
    double *to = x->w_product + x->v, *to_p = x->w_product + x->vp;
    share_spread(x, y, yp, x->y, x->yp);
    memcpy(to, v, own);
    memcpy(to_p, vp, own);
    memset(to + n, 0, others);
    memset(to_p + n, 0, others);
    share_eval(x, x->product, t, x->w_product, x->r, NULL);
    memcpy(out, x->r, own);
    return 0;
}

void share_part_fill(run_share *x)
{
    vinc_problem *p = &x->problem;
    if (p->rhs) p->rhs = part_rhs;
    if (p->project_within) p->project_within = part_project_within;
    p->outputs = part_outputs;
    p->forcing_limit = part_forcing_limit;
    if (x->shared.rank) p->n_outputs = 0;
    if (x->product) x->shared.own_product = part_product;
}

/* ---- making it ------------------------------------------------------------------------------- */

static const char *part_obstacle(const vinc_problem *b, int n)
{
    const char *obstacle = share_obstacle(b, 1);
    if (obstacle) return obstacle;
    if (b->n != n || b->roots || b->event || b->next_time_event || b->check || b->violation ||
        b->energy || b->output_project)
        return "a part that is no system of differential equations";
    return NULL;
}

/* Processes agree on what the problem offers; arrays that only some have say what having none means. */
static void part_agree_on_offers(run_share *x, const vinc_problem *b, share_piece *p)
{
    enum { UNSIZED, RATE, NO_RHS, FROM_YP, NOT_AUTONOMOUS, NOT_OF_STATES, FLAGS };
    share_head *h = &p->head;
    double some[FLAGS] = {b->unsized != NULL, b->rate != NULL, b->rhs == NULL,
                          h->rhs_from_yp,     !h->autonomous,  !h->outputs_of_states};
    double work[] = {b->work_residual, b->work_jacobian, b->work_rhs};
    x->shared.team->most(some, FLAGS);
    x->shared.team->sum(work, 3);
    if (!b->unsized) memset(p->unsized, 0, (size_t)h->n);
    if (!b->rate) memset(p->rate, 0, (size_t)h->n);
    h->offers = SHARE_OUTPUTS | (h->offers & SHARE_PROJECT_WITHIN) |
                (some[UNSIZED] > 0 ? SHARE_UNSIZED : 0u) | (some[RATE] > 0 ? SHARE_RATE : 0u) |
                (some[NO_RHS] > 0 ? 0u : SHARE_RHS);
    h->rhs_from_yp = some[FROM_YP] > 0;
    h->autonomous = !(some[NOT_AUTONOMOUS] > 0);
    h->work_residual = work[0] / x->shared.size;
    h->work_jacobian = work[1] / x->shared.size;
    h->work_rhs = work[2];
}

/* Numbers of the halo and how many of them each process has. */
static void part_ask(const run_share_part *w, int size, arena *a, share_piece *p)
{
    p->ask = arena_array(a, int, size);
    for (int k = 0, of = 0; k < w->n_halo; k++) {
        while (w->place[k] >= w->first[of + 1]) of++;
        p->numbers[k] = w->place[k];
        p->ask[of]++;
    }
}

int share_part_make(run_share *x, const run_share_options *o, text *why, arena *scratch,
                    arena *kept, share_piece *out)
{
    const run_share_part *w = o->part;
    const vinc_problem *b = x->base;
    int n = w->n_own + w->n_halo, *row_of = arena_array(scratch, int, n);
    const char *obstacle = part_obstacle(b, n);
    if (obstacle)
        text_printf(why, "a run of several processes does not do this: %s. Run it in one process",
                    obstacle);
    int rc = obstacle ? VINC_E_PROBLEM : share_pairs(b, o, why, row_of, scratch);
    if (shared_any(&x->shared, rc != VINC_OK)) return VINC_E_PROBLEM;
    const int count[] = {w->n_own, w->n_halo}, begin[] = {0, w->n_own};
    const share_cuts cuts = {.n = n,
                             .size = 2,
                             .row_of = row_of,
                             .order = w->order,
                             .count = count,
                             .place = begin,
                             .all_read = true};
    share_piece_cut(x->s, &cuts, 0, o->products, scratch, kept, out);
    out->head.n_all = w->n_all;
    out->head.first = w->first[o->rank];
    part_ask(w, o->size, kept, out);
    part_agree_on_offers(x, b, out);
    int *local = arena_array(&x->a, int, n);
    memcpy(local, w->order, (size_t)n * sizeof *local);
    x->local = local;
    return VINC_OK;
}
