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

static const image_bounds *bounds_of(const vinc_sim *s, int var)
{
    const image_look *look = image_look_of(&s->code->looks, var);
    return look->bounds < 0 ? NULL : &s->code->looks.bounds[look->bounds];
}

/* The column of a variable that has bounds; 0: it has none, or is not recorded. */
static int bounded_column(const bounds_job *j, int var)
{
    int c = bounds_of(j->s, var) ? result_find(j->r, NAME_AT(&j->s->code->names, var)) : 0;
    return c > 0 ? c : 0;
}

/* Of limits that parameters decide. */
static const double *computed_bounds(vinc_sim *s)
{
    const code_fn *f = &s->code->looks.computed;
    double *x = arena_array(&s->scratch, double, f->n_out + 1);
    if (f->n_out) run_eval(s->state, f, s->done.t_end, s->y, s->yp, x, NULL);
    return x;
}

static int tell_bounds(void *job)
{
    const bounds_job *j = job;
    vinc_sim *s = j->s;
    const code_model *m = s->code;
    const double *computed = computed_bounds(s);
    bounds_ranges ranges = {0};
    int told = 0, *known = arena_array(&s->scratch, int, j->r->n_slots); // in ranges, + 1
    for (int v = 0; v < m->looks.of.n; v++) {
        int c = bounded_column(j, v);
        const result_column *column = &j->r->columns[c];
        if (!c || column->constant || known[column->slot]) continue;
        bounds_range begin = range_begin(j->r, column->slot);
        array_push(&s->scratch, &ranges, begin);
        known[column->slot] = ranges.n;
    }
    find_ranges(j->r, &ranges);
    for (int v = 0; v < m->looks.of.n; v++) {
        int c = bounded_column(j, v);
        if (!c) continue;
        const image_bounds *bounds = bounds_of(s, v);
        bounds_range at = range_of(j->r, c, &ranges, known);
        for (int side = -1; side <= 1; side += 2) {
            const image_bound *b = side < 0 ? &bounds->min : &bounds->max;
            double bound = b->output < 0 ? b->number : computed[b->output];
            bounds_point x;
            if (isnan(bound) || !first_beyond(s, j->r, c, at, bound, side, &x)) continue;
            if (told++ >= BOUNDS_TOLD) continue;
            diag_warning(s->sink, "R127", bounds->at,
                         "'%s' is %.9g at t = %.9g, %s its %s, %g: the model may not hold there",
                         NAME_AT(&m->names, v), x.value, x.t, side < 0 ? "below" : "above",
                         side < 0 ? "min" : "max", bound);
        }
    }
    if (told > BOUNDS_TOLD)
        diag_warning(s->sink, "R127", (span){0}, "%d more variables leave their min or max",
                     told - BOUNDS_TOLD);
    return VINC_OK;
}

void api_warn_bounds(vinc_sim *s, result *r)
{
    bool any = s->code->looks.n_bounds > 0;
    if (s->inner || !r->n_rows || !any || (r == s->result.r && api_bring_columns(s))) return;
    api_run_guarded(s, tell_bounds, &(bounds_job){s, r});
}
