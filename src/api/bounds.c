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
    bool known = e && structure_eval(s->model->structure, run_parameters(s->state), e, scratch, x);
    arena_release(scratch, here);
    return known;
}

/* The first row beyond the bound; the number of rows: none. */
static size_t first_beyond(const vinc_sim *s, const result *r, int c, double bound, int side)
{
    double size = fabs(bound);
    for (size_t i = 0; i < r->n_rows; i++) size = fmax(size, fabs(result_value(r, c, i)));
    double room = TOLERANCES_BEYOND * s->options.rel_tol * size;
    for (size_t i = 0; i < r->n_rows; i++)
        if (side * (result_value(r, c, i) - bound) > room) return i;
    return r->n_rows;
}

static int tell_bounds(void *job)
{
    const bounds_job *j = job;
    vinc_sim *s = j->s;
    const flat_model *m = s->model->structure->flat;
    int told = 0;
    for (int v = 0; v < m->vars.n; v++) {
        const flat_var *f = &m->vars.at[v];
        if (!f->attr || (!f->attr->min && !f->attr->max) || f->variability <= FLAT_PARAMETER ||
            (f->type != TYPE_REAL && f->type != TYPE_INTEGER))
            continue;
        int c = result_find(j->r, f->name);
        for (int side = -1; side <= 1 && c > 0; side += 2) {
            double bound;
            if (!bound_value(s, side < 0 ? f->attr->min : f->attr->max, &bound)) continue;
            size_t i = first_beyond(s, j->r, c, bound, side);
            if (i == j->r->n_rows || told++ >= BOUNDS_TOLD) continue;
            diag_warning(s->sink, "R127", f->at,
                         "'%s' is %.9g at t = %.9g, %s its %s, %g: the model may not hold there",
                         f->name, result_value(j->r, c, i), result_time(j->r, i),
                         side < 0 ? "below" : "above", side < 0 ? "min" : "max", bound);
        }
    }
    if (told > BOUNDS_TOLD)
        diag_warning(s->sink, "R127", (span){0}, "%d more variables leave their min or max",
                     told - BOUNDS_TOLD);
    return VINC_OK;
}

void api_warn_bounds(vinc_sim *s, const result *r)
{
    if (!s->inner && r->n_rows) api_run_guarded(s, tell_bounds, &(bounds_job){s, r});
}
