/* The whole system of start values at once: by least change, along homotopy().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "newton/iterate.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

void start_spread(start *a, const double *z)
{
    int n = a->m->n;
    memcpy(a->y, z, (size_t)n * sizeof *z);
    for (int k = 0; k < a->n_z - n; k++) a->yp[a->z_yp[k]] = z[n + k];
}

const code_fn *start_residual_fn(const start *a)
{
    return a->x->residual.code ? &a->x->residual : &a->m->system.residual;
}

int start_residual(start *a, double *r)
{
    if (run_stops(a->s)) return -1;
    run_eval(a->s, start_residual_fn(a), a->t, a->y, a->yp, a->full, NULL);
    for (int i = 0; i < a->n_rows; i++) r[i] = a->full[a->rows[i]];
    run_eval(a->s, &a->x->extra, a->t, a->y, a->yp, a->extra, NULL);
    for (int k = 0; k < a->n_active; k++) {
        const code_extra *e = &a->x->rows[a->active[k]];
        r[a->n_rows + k] =
            a->extra[a->active[k]] - (e->entry < 0 ? 0 : run_start_of(a->s, e->entry));
    }
    if (a->relax) start_relax_rows(a, r);
    for (int i = 0; i < a->n_rows + a->n_active; i++)
        if (!isfinite(r[i])) return 1;
    return 0;
}

/* Add the values of a pattern to the dense Jacobian; row_at[i]: row there, or -1. */
static void system_scatter(const start *a, const vinc_pattern *p, const double *dy,
                           const double *dyp, const int *row_at, int m, double *j)
{
    for (int c = 0; c < a->m->n; c++)
        for (int e = p->start[c]; e < p->start[c + 1]; e++)
            if (row_at[p->row[e]] >= 0) j[row_at[p->row[e]] + (size_t)c * (size_t)m] = dy[e];
    for (int k = 0; k < a->n_z - a->m->n; k++) {
        int c = a->z_yp[k];
        for (int e = p->start[c]; e < p->start[c + 1]; e++)
            if (row_at[p->row[e]] >= 0)
                j[row_at[p->row[e]] + (size_t)(a->m->n + k) * (size_t)m] = dyp[e];
    }
}

void start_jacobian(start *a)
{
    run_eval(a->s, a->x->jacobian.code ? &a->x->jacobian : &a->m->system.jacobian, a->t, a->y,
             a->yp, a->dy, a->dyp);
    if (a->x->n_extra) run_eval(a->s, &a->x->extra_jac, a->t, a->y, a->yp, a->edy, a->edyp);
    if (a->relax) start_relax_values(a);
}

static int eval_all(void *user, const double *z, double *r, double *j)
{
    start *a = user;
    start_spread(a, z);
    int rc = start_residual(a, r);
    if (rc || !j) return rc;
    int m = a->n_rows + a->n_active;
    memset(j, 0, (size_t)m * (size_t)a->n_z * sizeof *j);
    start_jacobian(a);
    int *row_at = a->row_at; // rows of the formulation, then of the extra function
    for (int i = 0; i < a->m->n; i++) row_at[i] = -1;
    for (int i = 0; i < a->n_rows; i++) row_at[a->rows[i]] = i;
    system_scatter(a, &a->x->jac, a->dy, a->dyp, row_at, m, j);
    if (!a->x->n_extra) return 0;
    for (int k = 0; k < a->x->n_extra; k++) row_at[k] = -1;
    for (int k = 0; k < a->n_active; k++) row_at[a->active[k]] = a->n_rows + k;
    system_scatter(a, &a->x->extra_pattern, a->edy, a->edyp, row_at, m, j);
    for (int k = 0; a->relax && k < a->relax->n; k++) {
        const start_pair *p = &a->relax->pairs[k];
        if (p->place < 0) j[a->n_rows + p->row + (size_t)p->x * (size_t)m] += p->c;
    }
    return 0;
}

static void prepare_all(start *a)
{
    const code_model *m = a->m;
    const image_formulation *f = &m->formulation;
    for (int i = 0; i < m->n; i++) {
        int e = start_entry(a, i);
        a->z[i] = a->y[i];
        a->nominal[i] = run_nominal(a->s)[i];
        a->weight[i] = m->system.differential[i] ? 1 / run_nominal(a->s)[i] : 0;
        a->fixed[i] = e < 0 || run_is_fixed(a->s, e); // multipliers that vanish stand for no entry
    }
    for (int k = 0; k < a->n_z - m->n; k++) {
        int i = a->z_yp[k];
        a->z[m->n + k] = a->yp[i];
        a->nominal[m->n + k] = run_nominal(a->s)[i];
        a->weight[m->n + k] = 0;
        a->fixed[m->n + k] = run_is_fixed(a->s, start_entry(a, i) + 1);
    }
    for (int g = 0; a->held && g < f->n_groups; g++)
        for (int k = 0; f->groups[g].level > 1 && k < f->groups[g].n_columns; k++)
            a->fixed[f->groups[g].columns[k]] = 1;
}

/* As many rows as unknowns that may move, and enough of them: nothing is left to least change. */
static bool system_determined(const start *a)
{
    int n_free = 0;
    for (int j = 0; j < a->n_z; j++) n_free += !a->fixed[j];
    return n_free == a->n_rows + a->n_active && n_free > START_SPARSE_MIN;
}

/* All at once, from z: sparse where nothing is free, dense up to a size. */
static int solve_whole(start *a, least_report *report)
{
    least_problem p = {.m = a->n_rows + a->n_active,
                       .n = a->n_z,
                       .eval = eval_all,
                       .user = a,
                       .nominal = a->nominal,
                       .weight = a->weight,
                       .fixed = a->fixed,
                       .tol = a->tol};
    bool large = a->n_z > START_DENSE_MAX;
    int rc = LEAST_DIVERGED;
    if (large || system_determined(a)) {
        size_t bytes = (size_t)a->m->n * sizeof *a->y;
        memcpy(a->y_kept, a->y, bytes);
        memcpy(a->yp_kept, a->yp, bytes);
        rc = start_solve_sparse(a, report);
        a->report->iterations += report->iterations;
        if (rc > 0 && !large) { // the dense search is slower and gets further
            memcpy(a->y, a->y_kept, bytes);
            memcpy(a->yp, a->yp_kept, bytes);
            prepare_all(a);
        }
    }
    if (rc > 0 && !large) {
        rc = least_solve(run_mem(a->s), &p, a->z, a->scaled, report);
        a->report->iterations += report->iterations;
    }
    return rc;
}

static void begin_at(start *a, const double *z)
{
    memcpy(a->z, z, (size_t)a->n_z * sizeof *z);
    start_spread(a, a->z);
}

static int solve_in_order(start *a, const double *from, bool scatter, least_report *report)
{
    begin_at(a, from);
    int rc = start_blocks(a, scatter, report);
    a->report->iterations += report->iterations;
    return rc;
}

static int solve_whole_from(start *a, const double *z, least_report *report)
{
    begin_at(a, z);
    return solve_whole(a, report);
}

/* False: nothing follows from the values that somebody gave, and z_guess is z_given. */
static bool find_guess(start *a)
{
    size_t n = (size_t)a->n_z, bytes = n * sizeof *a->z;
    size_t w_bytes = (size_t)a->n_w * sizeof *a->w;
    const double *w = run_discrete_values(a->s);
    start_guessed *q = &a->first;
    bool same = q->known && !memcmp(q->from, a->z_given, bytes) && !memcmp(q->w, w, w_bytes) &&
                !memcmp(q->fixed, a->fixed, n);
    begin_at(a, same ? q->z : a->z_given);
    if (!same) start_blocks_guess(a);
    memcpy(a->z_guess, a->z, bytes);
    if (!q->known) {
        q->known = true;
        memcpy(q->from, a->z_given, bytes);
        memcpy(q->z, a->z, bytes);
        memcpy(q->w, w, w_bytes);
        memcpy(q->fixed, a->fixed, n);
    }
    return memcmp(a->z_guess, a->z_given, bytes);
}

static bool nothing_free(const start *a)
{
    int n = 0;
    for (int j = 0; j < a->n_z; j++) n += !a->fixed[j];
    return n == a->n_rows + a->n_active;
}

/* A state that may move and that nobody gave a value: other start values say more than its 0. Mechanisms are
 * assembled from where they are. */
static bool any_open(const start *a)
{
    if (start_deepest(a)) return false;
    for (int i = 0; i < a->m->n; i++) {
        int e = start_entry(a, i);
        if (a->weight[i] > 0 && !a->fixed[i] && e >= 0 && !start_attributes(a, e)->given)
            return true;
    }
    return false;
}

bool start_follows_others(start *a)
{
    if (!start_any_guide(a)) return false;
    prepare_all(a);
    return any_open(a);
}

/* Block by block; all at once from where that came to a halt, and from where it began; block by block from
 * elsewhere. To begin with, values follow from those that somebody gave, where nothing is left
 * to least change or states have no start value; otherwise that comes second. Of a large system the order pays only where all at
 * once fails. */
int start_solve(start *a, least_report *report)
{
    size_t bytes = (size_t)a->n_z * sizeof *a->z;
    bool large = a->n_z > START_DENSE_MAX;
    prepare_all(a);
    memcpy(a->z_given, a->z, bytes);
    a->culprit = (start_block){0};
    int rc = LEAST_DIVERGED;
    bool warm = a->found_last && !a->held && nothing_free(a);
    a->found_last = false;
    if (warm) rc = solve_whole_from(a, a->z_last, report);
    if (rc > 0 && large) rc = solve_whole_from(a, a->z_given, report);
    bool first = !large && (nothing_free(a) || any_open(a));
    bool guessed = rc > 0 && first && find_guess(a);
    if (rc > 0 && guessed) rc = solve_in_order(a, a->z_guess, false, report);
    if (rc > 0 && !large) rc = solve_in_order(a, a->z_given, false, report);
    if (rc > 0 && !first) guessed = find_guess(a);
    if (rc > 0 && guessed && !first && !large) rc = solve_in_order(a, a->z_guess, false, report);
    if (rc > 0 && a->culprit.n_rows && memcmp(a->z, guessed ? a->z_guess : a->z_given, bytes))
        rc = solve_whole(a, report);
    if (rc > 0 && !large) rc = solve_whole_from(a, a->z_given, report);
    if (rc > 0 && guessed)
        rc = solve_whole_from(a, a->z_guess, report); // last: messages tell of it
    if (rc > 0) {
        least_report again;
        memcpy(a->z_tried, a->z, bytes);
        int last = solve_in_order(a, a->z_given, !a->held && !large, &again);
        if (last <= 0) rc = last;
        else memcpy(a->z, a->z_tried, bytes); // for messages
    }
    if (rc == LEAST_OK) start_spread(a, a->z);
    return rc;
}

/* ... and with relations that agree with the solution, as far as they settle. */
static int solve_settled(start *a, least_report *report)
{
    for (int k = 0; k < START_ROUNDS; k++) {
        int rc = start_solve(a, report);
        if (rc || !run_refresh_relations(a->s, a->t, a->y, a->yp)) return rc;
    }
    return LEAST_OK;
}

static int order_from_here(start *a, least_report *report)
{
    return start_blocks(a, false, report);
}

/* From what follows from the start values that somebody gave, and from the others. */
int start_relaxed(start *a, least_report *report)
{
    size_t bytes = (size_t)a->n_z * sizeof *a->z;
    memcpy(a->z_found, a->z, bytes);
    start_take_values(a);
    start_guess(a);
    prepare_all(a);
    memcpy(a->z_given, a->z, bytes);
    bool guessed = find_guess(a);
    begin_at(a, a->z_guess);
    int rc = start_follow(a, order_from_here, solve_whole, report);
    if (rc > 0 && guessed) {
        begin_at(a, a->z_given);
        rc = start_follow(a, order_from_here, solve_whole, report);
    }
    if (rc > 0) memcpy(a->z, a->z_found, bytes); // for messages
    start_spread(a, a->z);
    return rc;
}

/* From the simplified to the actual model in steps that grow and shrink. */
typedef struct homotopy {
    start *a;
    least_report *report;
} homotopy;

static int homotopy_solve(void *user, double lambda)
{
    homotopy *h = user;
    run_discrete_values(h->a->s)[IMAGE_W_LAMBDA] = lambda;
    return solve_settled(h->a, h->report);
}

static void homotopy_keep(void *user)
{
    const start *a = ((homotopy *)user)->a;
    memcpy(a->y_back, a->y, (size_t)a->m->n * sizeof *a->y);
    memcpy(a->yp_back, a->yp, (size_t)a->m->n * sizeof *a->y);
}

static void homotopy_back(void *user)
{
    const start *a = ((homotopy *)user)->a;
    memcpy(a->y, a->y_back, (size_t)a->m->n * sizeof *a->y);
    memcpy(a->yp, a->yp_back, (size_t)a->m->n * sizeof *a->y);
}

int start_homotopy(start *a, least_report *report)
{
    static const newton_path_verbs verbs = {homotopy_solve, homotopy_keep, homotopy_back};
    homotopy h = {a, report};
    double *lambda = &run_discrete_values(a->s)[IMAGE_W_LAMBDA], reached;
    start_take_values(a);
    *lambda = 0;
    start_guess(a);
    int rc = solve_settled(a, report);
    if (!rc)
        rc = newton_continue(&verbs, &h, &newton_path_of_start, &reached,
                             &a->report->homotopy_steps);
    *lambda = 1;
    return rc;
}
