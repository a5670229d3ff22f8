/* Families: relations e > c, e < c of one moving quantity e with thresholds c that stay.
 *
 * With the thresholds in ascending order, e has a place among them: those before it lie below e.
 * Only the two thresholds beside that place can be crossed next, so a family has two indicators
 * however large it is, and reading it costs as much as there are thresholds that e has passed.
 *
 * Of equal thresholds those of e < c come first: where e equals them, e < c is false as above
 * them, and e > c is false as below.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"

#include <stdlib.h>

/* ---- thresholds in order --------------------------------------------------------------------- */

void family_layout(run_families *x, const code_model *m, bump *b)
{
    x->thresholds = bump_bytes(b, (size_t)m->events.n_members * sizeof *x->thresholds);
    x->place = bump_int(b, (size_t)m->events.n_families);
    x->values = bump_double(b, (size_t)m->events.thresholds.n_out);
}

static int by_value(const void *a, const void *b)
{
    const run_threshold *x = a, *y = b;
    if (x->c != y->c) return x->c < y->c ? -1 : 1;
    if (x->greater != y->greater) return x->greater ? 1 : -1;
    return x->relation - y->relation;
}

void family_begin(run_state *s)
{
    const code_model *m = s->model;
    if (!m->events.n_members) return;
    run_eval(s, &m->events.thresholds, 0, NULL, NULL, s->events.families.values, NULL);
    for (int i = 0; i < m->events.n_members; i++) {
        double c = isnan(s->events.families.values[i]) ? INFINITY : s->events.families.values[i];
        int k = m->events.member[i], sign = m->events.threshold_first[i] ? -1 : 1;
        s->events.families.thresholds[i] =
            (run_threshold){c, k, sign, m->events.sense[k] * sign > 0};
    }
    for (int f = 0; f < m->events.n_families; f++)
        qsort(s->events.families.thresholds + m->events.families[f].first,
              (size_t)m->events.families[f].n, sizeof *s->events.families.thresholds, by_value);
}

static bool lies_below(const run_state *s, const run_threshold *x) // e, as the relation says
{
    bool holds = s->w[s->model->events.list.relations[x->relation].place] != 0;
    return holds != x->greater;
}

void family_find_places(run_state *s)
{
    const code_model *m = s->model;
    for (int f = 0; f < m->events.n_families; f++) {
        const run_threshold *x = s->events.families.thresholds + m->events.families[f].first;
        int here = 0;
        while (here < m->events.families[f].n && !lies_below(s, &x[here])) here++;
        s->events.families.place[f] = here;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static double reading(const run_state *s, const run_threshold *x, double e, double after,
                      double tie)
{
    event_sides sides = {.root = x->sign * (e - x->c),
                         .size = fabs(e) + fabs(x->c),
                         .exact = x->greater ? e > x->c : e < x->c,
                         .after = x->greater ? after > x->c : after < x->c,
                         .tie = tie};
    return event_reading(s, x->relation, &sides);
}

static int family_put(run_state *s, const run_threshold *x, double e, double after, double tie,
                      bool take)
{
    return event_put(s, x->relation, reading(s, x, e, after, tie), take);
}

int family_read(run_state *s, int f, double e, double after, double tie, bool all, bool take)
{
    const code_family *of = &s->model->events.families[f];
    const run_threshold *x = s->events.families.thresholds + of->first;
    int differ = 0, *here = &s->events.families.place[f];
    if (all) {
        for (int i = 0; i < of->n; i++) differ += family_put(s, &x[i], e, after, tie, take);
        return differ;
    }
    while (*here < of->n && family_put(s, &x[*here], e, after, tie, take)) differ++, ++*here;
    if (differ) return differ;
    while (*here > 0 && family_put(s, &x[*here - 1], e, after, tie, take)) differ++, --*here;
    return differ;
}

// Those beside the place of e; the others are looked at when they come to lie there.
void family_watch_ties(run_state *s, int f, double e)
{
    const code_family *of = &s->model->events.families[f];
    const run_threshold *x = s->events.families.thresholds + of->first;
    int here = s->events.families.place[f];
    for (int i = here > 0 ? here - 1 : 0; i <= here && i < of->n; i++)
        event_watch_tie(s, x[i].relation, x[i].sign * (e - x[i].c));
}

void family_indicators(const run_state *s, int f, double e, double g[2])
{
    const code_family *of = &s->model->events.families[f];
    const run_threshold *x = s->events.families.thresholds + of->first;
    int here = s->events.families.place[f];
    for (int side = 0; side < 2; side++) {
        int i = here - 1 + side;
        g[side] = isnan(e) ? e : 1; // no threshold there: nothing to be crossed
        if (i < 0 || i >= of->n) continue;
        g[side] =
            event_indicator(s, x[i].relation, x[i].sign * (e - x[i].c), fabs(e) + fabs(x[i].c));
    }
}

double family_foretold(const run_state *s, int f, double e, double slope, double soon)
{
    const code_family *of = &s->model->events.families[f];
    const run_threshold *x = s->events.families.thresholds + of->first;
    double when = INFINITY;
    for (int i = s->events.families.place[f] - 1; i <= s->events.families.place[f]; i++)
        if (i >= 0 && i < of->n)
            when = fmin(when, event_foretold(s, x[i].relation, x[i].sign * (e - x[i].c),
                                             x[i].sign * slope, soon));
    return when;
}
