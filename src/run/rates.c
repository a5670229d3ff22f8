/* What is recorded of y', accelerations and multipliers: by the equations.
 *
 * A method that is given a higher index has, between its steps, y' from the slope of a polynomial and
 * multipliers from its values: together they satisfy no equation of motion, and multipliers and
 * accelerations are of a lower order than positions. Both follow from positions and velocities by the
 * constraints differentiated: by the formulation of index 1 that found the start values. What it keeps
 * independent is taken from the method.
 *
 * Steps of a fixed size are shown as the method makes them. The multipliers are then its own and stay
 * as they are; y' follows from them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"
#include "newton/iterate.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5 }; // of Newton's method; y' nearly always enters linearly
static const double WITHIN =
    1e-11; // what the equations of index 1 may leave: choice, far below any tolerance

static bool rates_keeps_index(const code_model *m)
{
    const image_formulation *f = &m->formulation;
    return m->initial != m && !f->explicit && !f->mechanical && !f->n_groups &&
           m->formulation.index > 1;
}

/* Is the formulation of index 1 at hand? A past would have to be remembered twice. */
static bool rates_can_follow(const code_model *m)
{
    return rates_keeps_index(m) && !m->events.delays.n_out;
}

bool rates_as_found(const code_model *m)
{
    return !m->system.rates.n && !rates_keeps_index(m);
}

void rates_layout(run_rates *x, const code_model *m, bump *b)
{
    const code_rates *q = &m->system.rates;
    size_t n = q->n ? (size_t)m->n : 0, nnz = q->n ? (size_t)m->system.jac.nnz : 0;
    x->yp = bump_double(b, n);
    x->r = bump_double(b, n);
    x->delta = bump_double(b, (size_t)q->n);
    x->matrix = bump_double(b, q->n ? (size_t)q->pattern.nnz : 0);
    x->dy = bump_double(b, nnz);
    x->dyp = bump_double(b, nnz);
    bool follows = rates_can_follow(m);
    size_t n_whole = follows ? (size_t)m->initial->n : 0;
    x->whole = bump_double(b, n_whole);
    x->whole_p = bump_double(b, n_whole);
    x->mapped = bump_double(b, follows ? (size_t)m->initial->start.map.n_out : 0);
    x->y = bump_double(b, follows ? (size_t)m->n : 0);
    if (follows && !q->n) x->yp = bump_double(b, (size_t)m->n);
}

void rates_free(run_rates *x)
{
    la_free(x->la);
}

typedef struct rating {
    run_state *s;
    double t;
    const double *y;
} rating;

/* The correction of y' with the factors that are there; its size, relative, or a negative number. */
static double rates_correction(void *user)
{
    const rating *c = user;
    run_state *s = c->s;
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    run_eval(s, &s->model->system.residual, c->t, c->y, x->yp, x->r, NULL);
    for (int i = 0; i < q->n; i++) x->delta[i] = x->r[q->rows[i]];
    la_solve(x->la, x->delta);
    double size = 0;
    for (int j = 0; j < q->n; j++) {
        int col = q->columns[j];
        if (!isfinite(x->delta[j])) return -1;
        size = fmax(size, fabs(x->delta[j]) / (fabs(x->yp[col]) + s->nominal[col]));
    }
    return size;
}

static bool rates_take(void *user, bool last)
{
    const rating *c = user;
    run_rates *x = &c->s->rates;
    const code_rates *q = &c->s->model->system.rates;
    (void)last;
    for (int j = 0; j < q->n; j++) x->yp[q->columns[j]] -= x->delta[j];
    return true;
}

static bool rates_factor(const rating *c)
{
    run_state *s = c->s;
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    run_eval(s, &s->model->system.jacobian, c->t, c->y, x->yp, x->dy, x->dyp);
    for (int k = 0; k < q->pattern.nnz; k++) x->matrix[k] = x->dyp[q->value[k]];
    x->seen.contraction = 0;
    return x->factored = la_factor(x->la, x->matrix, NULL, 0, 0) == LA_OK;
}

/* y' alone. */
static const double *rates_solve(run_state *s, double t, const double *y, const double *yp)
{
    run_rates *x = &s->rates;
    const code_rates *q = &s->model->system.rates;
    if (!q->n) return yp;
    la_config config = {.n = q->n, .pattern = &q->pattern};
    rating c = {s, t, y};
    if (!x->la && la_new(s->m, &config, &x->la)) return yp;
    memcpy(x->yp, yp, (size_t)s->model->n * sizeof *yp);
    for (int k = 0; k < ROUNDS; k++) { // first with the factors of the last row
        if ((k || !x->factored) && !rates_factor(&c)) return yp;
        if (newton_follow(&c, rates_correction, rates_take, &newton_old_for_rates, &x->seen)) break;
    }
    return x->yp;
}

/* ---- the equations of index 1 ---------------------------------------------------------------- */

/* What the method knows of the unknowns of index 1; the others begin where they were at the last row.
 * False: it does not know one that the others follow from. */
static bool whole_begin(run_state *s, const double *y, const double *yp)
{
    const code_model *of = s->model->initial;
    for (int i = 0; i < of->n; i++) {
        int entry = of->formulation.unknowns[i].entry;
        const image_place *p = entry < 0 ? NULL : &s->model->formulation.places[entry];
        if (p && p->where == IMAGE_IN_Y) s->rates.whole[i] = y[p->at];
        else if (p && p->where == IMAGE_IN_YP) s->rates.whole[i] = yp[p->at];
        else if (of->system.role[i] != CODE_ALGEBRAIC) return false;
    }
    return true;
}

/* What ties positions and velocities of index 1 is what the method's own are projected onto after every step. Of what is
 * projected for rows alone velocities keep what the method makes of them. */
static bool whole_ties_are_levels(const run_state *s)
{
    const code_model *of = s->model->initial;
    const code_manifold *x = s->model->manifold;
    const image_formulation *f = &of->formulation;
    int ties = 0, levels = 0;
    if (s->problem.project != run_project) return false;
    for (int k = 0; x && k < x->n; k++) levels += x->levels[k].m;
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
        ties += q->n_constraints;
        for (int j = 0; j < q->n_columns; j++) {
            int entry = f->unknowns[q->columns[j]].entry;
            if (entry < 0 || s->model->formulation.places[entry].where != IMAGE_IN_Y) return false;
        }
    }
    return ties == levels;
}

/* Positions and velocities are where they are to be. */
static bool whole_is_met(run_state *s, double t, const double *y)
{
    run_rates *x = &s->rates;
    if (x->meets == RATES_UNASKED) x->meets = whole_ties_are_levels(s) ? RATES_MET : RATES_UNMET;
    return x->meets == RATES_MET && project_has_met(s, t, y);
}

static bool whole_select(run_state *s, double t)
{
    run_rates *x = &s->rates;
    run_state *of = s->initial;
    if (!of->problem.reselect) return true;
    int again = x->chosen ? of->problem.reselect(of, t, x->whole, x->whole_p)
                          : run_select(of, t, x->whole, x->whole_p);
    if (again < 0) return false;
    if (again || !x->chosen) run_forget_factors(of);
    x->chosen = true;
    return true;
}

/* Where positions and velocities stay it does not matter which of them are chosen, but that they serve. */
static bool whole_solve(run_state *s, double t, bool met)
{
    run_rates *x = &s->rates;
    run_state *of = s->initial;
    if (met && !layers_accelerate(of, t, x->whole, x->whole_p)) return true;
    bool kept = met && x->chosen;
    if (!kept && !whole_select(s, t)) return false;
    of->within = WITHIN;
    int rc = run_find_dependent(of, t, x->whole, x->whole_p);
    if (rc > 0 && kept) {
        memcpy(x->whole, of->dependents.held, (size_t)of->model->n * sizeof *x->whole);
        if (whole_select(s, t)) rc = run_find_dependent(of, t, x->whole, x->whole_p);
    }
    of->within = 0;
    return rc == 0;
}

static bool whole_at(run_state *s, double t, const double **y, const double **yp)
{
    run_rates *x = &s->rates;
    const code_model *of = s->model->initial;
    if (!whole_begin(s, *y, *yp)) return false;
    run_take_discrete(s->initial, s);
    if (!whole_solve(s, t, whole_is_met(s, t, *y))) {
        memset(x->whole, 0, (size_t)of->n * sizeof *x->whole);
        memset(x->whole_p, 0, (size_t)of->n * sizeof *x->whole_p);
        run_forget_factors(s->initial);
        return false;
    }
    run_eval(s->initial, &of->start.map, t, x->whole, x->whole_p, x->mapped, NULL);
    for (int i = 0; i < s->model->n; i++) {
        int at = of->start.map_y[i], slope = of->start.map_yp[i];
        x->y[i] = at < 0 ? (*y)[i] : x->mapped[at];
        x->yp[i] = slope < 0 ? (*yp)[i] : x->mapped[slope];
        if (!isfinite(x->y[i]) || !isfinite(x->yp[i])) return false;
    }
    *y = x->y;
    *yp = x->yp;
    return true;
}

void rates_at(run_state *s, double t, const double **y, const double **yp)
{
    run_rates *x = &s->rates;
    if (!x->as_stepped && s->initial && rates_keeps_index(s->model)) {
        if (rates_can_follow(s->model) && whole_at(s, t, y, yp)) return;
        if (!x->missed++) x->missed_t = t;
    }
    *yp = rates_solve(s, t, *y, *yp);
}

void run_show_steps(run_state *s, bool shown)
{
    s->rates.as_stepped = shown;
    s->rates.missed = 0;
    s->rates.chosen = false;
}

long run_rows_missed(const run_state *s, double *first)
{
    *first = s->rates.missed_t;
    return s->rates.missed;
}
