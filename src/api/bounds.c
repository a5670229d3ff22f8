/* Values beyond the min and max of their variables: each is said once.
 *
 * Modelica Language Specification 3.6, section 4.8.1: min and max are limits of validity of the model.
 * A run goes on beyond them, but its rows are looked at when it is over.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/verbs.h"

#include <math.h>

enum { BOUNDS_TOLD = 8 };                   // variables
static const double TOLERANCES_BEYOND = 10; // are within what a run may be off; choice

typedef struct bounds_job {
    vinc_sim *s;
    const result *r;
} bounds_job;

static bool bound_value(vinc_sim *s, expr e, double *x)
{
    arena *scratch = &s->scratch;
    arena_mark here = arena_here(scratch);
    if (e && api_literal(s->model, e, x)) return true;
    bool known = e && !api_whole(s->model) &&
                 structure_eval(s->model->structure, run_parameters(s->state), e, scratch, x);
    arena_release(scratch, here);
    return known;
}

/* Least and greatest values of what rows hold: looked for row by row, as they lie in memory, after those of
 * the rows that are in a file already. */
typedef struct bounds_range {
    int slot;
    result_extremes gone, all;
} bounds_range;

typedef ARRAY(bounds_range) bounds_ranges;

static bounds_range range_begin(const result *r, int slot)
{
    result_extremes none = {.least = INFINITY, .most = -INFINITY};
    if (r->gone) none = r->gone[slot];
    return (bounds_range){slot, none, none};
}

static void find_ranges(const result *r, bounds_ranges *x)
{
    for (size_t i = result_first_row(r); i < r->n_rows; i++) {
        const double *row = result_row(r, i);
        for (int k = 0; k < x->n; k++) {
            double v = row[x->at[k].slot];
            if (v < x->at[k].all.least) x->at[k].all.least = v;
            if (v > x->at[k].all.most) x->at[k].all.most = v;
        }
    }
}

static result_extremes extremes_turned(result_extremes x)
{
    return (result_extremes){-x.most, -x.least, x.t_most, x.t_least};
}

static bounds_range range_of(const result *r, int c, const bounds_ranges *x, const int *known)
{
    const result_column *column = &r->columns[c];
    if (column->constant) {
        double v = result_value(r, c, 0);
        return (bounds_range){0, {INFINITY, -INFINITY, 0, 0}, {v, v, 0, 0}};
    }
    bounds_range at = x->at[known[column->slot] - 1];
    if (!column->negated) return at;
    return (bounds_range){at.slot, extremes_turned(at.gone), extremes_turned(at.all)};
}

/* The first point beyond the bound; where that is in a file already, the farthest one there. */
typedef struct bounds_point {
    double t, value;
} bounds_point;

static bool first_beyond(const vinc_sim *s, const result *r, int c, bounds_range at, double bound,
                         int side, bounds_point *out)
{
    double size = fmax(fabs(bound), fmax(fabs(at.all.least), fabs(at.all.most)));
    double room = TOLERANCES_BEYOND * s->options.rel_tol * size;
    if (!(side * ((side < 0 ? at.all.least : at.all.most) - bound) > room)) return false;
    *out = side < 0 ? (bounds_point){at.gone.t_least, at.gone.least}
                    : (bounds_point){at.gone.t_most, at.gone.most};
    if (side * (out->value - bound) > room) return true;
    for (size_t i = result_first_row(r); i < r->n_rows; i++) {
        *out = (bounds_point){result_time(r, i), result_value(r, c, i)};
        if (side * (out->value - bound) > room) return true;
    }
    return false;
}

static bool has_bounds(const flat_var *f)
{
    return f->attr && (f->attr->min || f->attr->max) && f->variability > FLAT_PARAMETER &&
           (f->type == TYPE_REAL || f->type == TYPE_INTEGER);
}

static int tell_bounds(void *job)
{
    const bounds_job *j = job;
    vinc_sim *s = j->s;
    const flat_model *m = s->model->structure->flat;
    bounds_ranges ranges = {0};
    int told = 0, *known = arena_array(&s->scratch, int, j->r->n_slots); // in ranges, + 1
    for (int v = 0; v < m->vars.n; v++) {
        int c = has_bounds(flat_at(m, v)) ? result_find(j->r, FLAT_NAME(m, v)) : 0;
        const result_column *column = &j->r->columns[c > 0 ? c : 0];
        if (c <= 0 || column->constant || known[column->slot]) continue;
        bounds_range begin = range_begin(j->r, column->slot);
        array_push(&s->scratch, &ranges, begin);
        known[column->slot] = ranges.n;
    }
    find_ranges(j->r, &ranges);
    for (int v = 0; v < m->vars.n; v++) {
        const flat_var *f = flat_at(m, v);
        int c = has_bounds(f) ? result_find(j->r, FLAT_NAME(m, v)) : 0;
        if (c <= 0) continue;
        bounds_range at = range_of(j->r, c, &ranges, known);
        for (int side = -1; side <= 1; side += 2) {
            double bound;
            bounds_point x;
            if (!bound_value(s, side < 0 ? f->attr->min : f->attr->max, &bound)) continue;
            if (!first_beyond(s, j->r, c, at, bound, side, &x) || told++ >= BOUNDS_TOLD) continue;
            diag_warning(s->sink, "R127", f->decl->at,
                         "'%s' is %.9g at t = %.9g, %s its %s, %g: the model may not hold there",
                         FLAT_NAME(m, v), x.value, x.t, side < 0 ? "below" : "above",
                         side < 0 ? "min" : "max", bound);
        }
    }
    if (told > BOUNDS_TOLD)
        diag_warning(s->sink, "R127", (span){0}, "%d more variables leave their min or max",
                     told - BOUNDS_TOLD);
    return VINC_OK;
}

static bool any_bounds(const vinc_sim *s)
{
    const flat_model *m = s->model->structure->flat;
    bool any = false;
    for (int v = 0; v < m->vars.n && !any; v++) any = has_bounds(flat_at(m, v));
    return any;
}

void api_warn_bounds(vinc_sim *s, result *r)
{
    if (s->inner || !r->n_rows || !any_bounds(s) || (r == s->result.r && api_bring_columns(s)))
        return;
    api_run_guarded(s, tell_bounds, &(bounds_job){s, r});
}
