/* Pseudo-transient continuation: where a steady state is asked for, the motion towards it is followed.
 *
 * An initial equation r(y, y') = 0 with derivatives d of variables x among the unknowns becomes
 *
 *     c (x - x_k) - h r = 0,   c = dr/dd
 *
 * which for der(x) = 0 is a step of length h of Euler's implicit method from x_k, at the time of the
 * start. h = 0 holds x; then steps grow while the unknowns move little, until the equation itself is met.
 * C. T. Kelley & D. E. Keyes, SIAM J. Numer. Anal. 35 (1998) 508-523. In contrast to Newton's method the
 * way leads along states that the model can be in, and at rest without flow, where nothing says which
 * temperatures are steady, the matrix stays regular.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "start/search.h"

#include <math.h>
#include <string.h>

enum {
    STEPS_MAX = 200,   // choice
    SETTLE_ROUNDS = 5, // choice: of a solution and its relations in a step
};
static const double FIRST_STRIDE = 0.01; // of the size of an unknown: the first step
static const double STRIDE = 0.3;        // a step that moves less may be followed by a longer one
static const double REST = 1e-3;         // ... and this little: the steady state is near
static const double ASIDE = 1e-3;        // of the size of an unknown: begin beside the start values
static const double GROWTH = 10, SHORTER = 0.2, SHORTEST = 1e-9; // of steps, and of the first one

/* By component of y: the unknown that is its derivative, in z; -1: none. */
static void find_rates(const start *a, int *rate_of)
{
    const image_formulation *f = &a->m->formulation;
    for (int i = 0; i < a->m->n; i++) rate_of[i] = -1;
    for (int z = 0; z < a->n_z; z++) {
        int e = z < a->m->n ? start_entry(a, z) : start_entry(a, a->z_yp[z - a->m->n]) + 1;
        if (e < 0 || !image_order_of(&a->m->entries, e)) continue;
        image_place of = f->places[image_entry_below(&a->m->entries, e)];
        if (of.where == IMAGE_IN_Y && !a->fixed[of.at]) rate_of[of.at] = z;
    }
}

static int place_of(const vinc_pattern *p, int column, int row)
{
    for (int e = p->start[column]; e < p->start[column + 1]; e++)
        if (p->row[e] == row) return e;
    return -1;
}

/* All pairs of an initial equation and an unknown whose derivative it contains; counted where there is no
 * room. row_of: which active row an equation is, -1: none. */
static int list_pairs(const start *a, const int *rate_of, const int *row_of, start_pair *out)
{
    const vinc_pattern *p = &a->x->extra_pattern;
    int count = 0, n = a->m->n;
    for (int x = 0; x < n && a->n_active; x++) { // without initial equations there is no pattern
        int z = rate_of[x];
        if (z < 0) continue;
        int c = z < n ? z : a->z_yp[z - n];
        for (int e = p->start[c]; e < p->start[c + 1]; e++) {
            if (row_of[p->row[e]] < 0 || (z < n ? a->edy : a->edyp)[e] == 0) continue;
            if (out)
                out[count] = (start_pair){.row = row_of[p->row[e]],
                                          .x = x,
                                          .source = e,
                                          .rate = z >= n,
                                          .z = z,
                                          .place = place_of(p, x, p->row[e])};
            count++;
        }
    }
    return count;
}

/* Rows that are no start values, by their place among all initial equations. */
static int *list_rows(const start *a, arena *s)
{
    int *row_of = arena_array(s, int, a->x->n_extra + 1);
    for (int i = 0; i < a->x->n_extra; i++) row_of[i] = -1;
    for (int k = 0; k < a->n_active; k++)
        if (a->x->rows[a->active[k]].entry < 0) row_of[a->active[k]] = k;
    return row_of;
}

/* The step begins here. */
static void take_point(start *a, start_relax *r)
{
    a->relax = NULL;
    start_spread(a, a->z);
    start_jacobian(a);
    for (int k = 0; k < r->n; k++) {
        start_pair *p = &r->pairs[k];
        p->c = (p->rate ? a->edyp : a->edy)[p->source];
        p->from = a->z[p->x];
    }
    a->relax = r;
}

static double size_of(const start *a, int z)
{
    return fabs(a->z[z]) + a->nominal[z];
}

/* How far x moved in the step. */
static double moved(const start *a, const start_relax *r)
{
    double most = 0;
    for (int k = 0; k < r->n; k++)
        most = fmax(most, fabs(a->z[r->pairs[k].x] - r->pairs[k].from) / size_of(a, r->pairs[k].x));
    return most;
}

static double first_step(const start *a, const start_relax *r)
{
    double fastest = 0;
    for (int k = 0; k < r->n; k++)
        fastest = fmax(fastest, fabs(a->z[r->pairs[k].z]) / size_of(a, r->pairs[k].x));
    return fastest > 0 ? FIRST_STRIDE / fastest : 1;
}

/* The system of this step, with relations that agree with it. */
static int solve_step(start *a, start_solver *solve, least_report *report)
{
    for (int k = 0; k < SETTLE_ROUNDS; k++) {
        int rc = solve(a, report);
        start_spread(a, a->z);
        if (rc || !run_refresh_relations(a->s, a->t, a->y, a->yp)) return rc;
    }
    return LEAST_OK;
}

/* Without flow, where all pressures are equal, equations may have no derivatives. */
static void step_aside(const start *a, start_relax *r, double far)
{
    static const double GOLDEN = 2.399963229728653; // its multiples fill the circle evenly
    for (int k = 0; k < r->n; k++)
        r->pairs[k].from += far * sin(GOLDEN * (k + 1)) * size_of(a, r->pairs[k].x);
}

/* aside: how far from z it begins. */
static int follow(start *a, start_relax *r, double aside, start_solver *in_order,
                  start_solver *whole, least_report *report)
{
    size_t bytes = (size_t)a->n_z * sizeof *a->z;
    r->h = 0;
    take_point(a, r);
    step_aside(a, r, aside);
    int rc = solve_step(a, in_order, report);
    if (rc) return rc;
    double first = first_step(a, r), h = first;
    for (int k = 0; k < STEPS_MAX && h > SHORTEST * first; k++) {
        memcpy(a->z_tried, a->z, bytes);
        r->h = h;
        take_point(a, r);
        rc = solve_step(a, whole, report);
        if (rc < 0) return rc;
        if (rc == LEAST_UNDEFINED && !memcmp(a->z, a->z_tried, bytes))
            return rc; // there is no slope here, for shorter steps neither
        double far = moved(a, r);
        if (rc || !(far < 1)) {
            memcpy(a->z, a->z_tried, bytes);
            h *= SHORTER;
            continue;
        }
        a->report->relaxed_steps++;
        if (far < REST && k) {
            memcpy(a->z_tried, a->z, bytes);
            a->relax = NULL;
            rc = solve_step(a, whole, report);
            if (rc <= 0) return rc;
            memcpy(a->z, a->z_tried, bytes);
        }
        if (far < STRIDE) h *= GROWTH;
    }
    return LEAST_DIVERGED;
}

int start_follow(start *a, start_solver *in_order, start_solver *whole, least_report *report)
{
    arena *s = a->sink->a;
    arena_mark here = arena_here(s);
    const start_block culprit = a->culprit; // of the search before
    start_relax r = {.in_row = arena_array(s, uint8_t, a->n_active + 1)};
    int *rate_of = arena_array(s, int, a->m->n + 1), rc = LEAST_DIVERGED;
    start_spread(a, a->z);
    start_jacobian(a);
    find_rates(a, rate_of);
    const int *row_of = list_rows(a, s);
    r.n = list_pairs(a, rate_of, row_of, NULL);
    r.pairs = arena_array(s, start_pair, r.n + 1);
    list_pairs(a, rate_of, row_of, r.pairs);
    for (int k = 0; k < r.n; k++) r.in_row[r.pairs[k].row] = 1;
    memcpy(a->z_back, a->z, (size_t)a->n_z * sizeof *a->z);
    if (r.n) rc = follow(a, &r, 0, in_order, whole, report);
    if (r.n && rc > 0) {
        memcpy(a->z, a->z_back, (size_t)a->n_z * sizeof *a->z);
        rc = follow(a, &r, ASIDE, in_order, whole, report);
    }
    a->relax = NULL;
    a->culprit = culprit;
    arena_release(s, here);
    return rc;
}

/* ---- what the search sees of it --------------------------------------------------------------- */

void start_relax_rows(const start *a, double *r)
{
    const start_relax *x = a->relax;
    for (int k = 0; k < a->n_active; k++)
        if (x->in_row[k]) r[a->n_rows + k] *= -x->h;
    for (int k = 0; k < x->n; k++) {
        const start_pair *p = &x->pairs[k];
        r[a->n_rows + p->row] += p->c * (a->y[p->x] - p->from);
    }
}

void start_relax_values(start *a)
{
    const start_relax *x = a->relax;
    const vinc_pattern *p = &a->x->extra_pattern;
    int *at = a->row_at + a->m->n;
    for (int k = 0; k < a->x->n_extra; k++) at[k] = -1;
    for (int k = 0; k < a->n_active; k++) at[a->active[k]] = a->n_rows + k;
    for (int e = 0; e < p->nnz; e++) {
        int k = at[p->row[e]] - a->n_rows;
        if (k < 0 || !x->in_row[k]) continue;
        a->edy[e] *= -x->h;
        a->edyp[e] *= -x->h;
    }
    for (int k = 0; k < x->n; k++)
        if (x->pairs[k].place >= 0) a->edy[x->pairs[k].place] += x->pairs[k].c;
}
