/* Relations: their values at events, the indicators by which events are found, and when those of time
 * alone change.
 *
 * A relation keeps its value until its sides have truly crossed: the indicator is shifted by a thousand
 * roundings of the sides. At an event it is read exactly; once it has changed there, it changes back only
 * if the sides differ by more than that. Relations of one quantity with many thresholds are a family: only
 * the two thresholds beside the quantity can be crossed next.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double HOLD_DISTANCE = 1e-12; // relative to the sides
static const double AGAINST = 2;           // times as far: a tie that has become a crossing
static const double TIE_ABSOLUTE = 1e-3;   // of a tie's distance: sides near zero

double source_ulp(double t)
{
    return 4 * DBL_EPSILON * fabs(t) + DBL_MIN;
}

static double *relation_value(vinc_sim *s, int k)
{
    return &s->w[s->m->relations[k].place];
}

/* ---- families -------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const source_threshold *x = a, *y = b;
    if (x->c != y->c) return x->c < y->c ? -1 : 1;
    if (x->greater != y->greater) return x->greater ? 1 : -1;
    return x->relation - y->relation;
}

void source_relations_begin(vinc_sim *s)
{
    const source_model *m = s->m;
    source_eval(s, &m->thresholds, 0, NULL, NULL, s->rows, NULL);
    for (int i = 0; i < m->n_members; i++) {
        int k = m->member[i], sign = m->threshold_first[i] ? -1 : 1;
        double c = isnan(s->rows[i]) ? INFINITY : s->rows[i];
        source_threshold q = {c, k, sign, m->relations[k].sense * sign > 0};
        s->thresholds[i] = q;
    }
    for (int f = 0; f < m->n_families; f++)
        qsort(s->thresholds + m->families[f].first, (size_t)m->families[f].n, sizeof *s->thresholds,
              by_value);
}

/* How many thresholds lie below the quantity, as the relations say. */
static int family_place(vinc_sim *s, int f)
{
    const source_family *of = &s->m->families[f];
    const source_threshold *x = s->thresholds + of->first;
    int here = 0;
    while (here < of->n && (*relation_value(s, x[here].relation) != 0) == (x[here].greater != 0))
        here++;
    return here;
}

/* ---- indicators ------------------------------------------------------------------------------ */

static double relation_indicator(vinc_sim *s, int k, double root, double size)
{
    int sense = s->m->relations[k].sense, side = *relation_value(s, k) != 0 ? sense : -sense;
    return root + side * (HOLD_DISTANCE * size + AGAINST * s->against[k] + DBL_MIN);
}

int source_n_roots(const source_model *m)
{
    return m->n_single + 2 * m->n_moving + 2 * m->n_transports;
}

int source_roots(vinc_sim *s, double t, const double *y, const double *yp, double *g)
{
    const source_model *m = s->m;
    int n = m->n_single, n_g = 0;
    source_eval(s, &m->roots, t, y, yp, s->sides, NULL);
    for (int i = 0; i < n; i++)
        g[n_g++] = relation_indicator(s, m->single[i], s->sides[i], s->sides[n + i]);
    for (int f = 0; f < m->n_moving; f++) {
        const source_threshold *x = s->thresholds + m->families[f].first;
        double e = s->sides[2 * n + f];
        for (int i = family_place(s, f) - 1, side = 0; side < 2; side++, i++) {
            bool there = i >= 0 && i < m->families[f].n;
            g[n_g++] = !there ? (isnan(e) ? e : 1)
                              : relation_indicator(s, x[i].relation, x[i].sign * (e - x[i].c),
                                                   fabs(e) + fabs(x[i].c));
        }
    }
    source_past_margins(s, t, y, yp, &g[n_g]);
    n_g += 2 * m->n_transports;
    return source_finite(g, n_g) ? 0 : 1;
}

static void watch_tie(vinc_sim *s, int k, double root)
{
    int sense = s->m->relations[k].sense;
    s->against[k] = fmax(*relation_value(s, k) != 0 ? -sense * root : sense * root, 0);
}

void source_watch_ties(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    source_eval(s, &m->roots, t, y, yp, s->sides, NULL);
    for (int i = 0; i < m->n_single; i++) watch_tie(s, m->single[i], s->sides[i]);
    for (int f = 0; f < m->n_moving; f++) {
        const source_threshold *x = s->thresholds + m->families[f].first;
        int here = family_place(s, f);
        for (int i = here > 0 ? here - 1 : 0; i <= here && i < m->families[f].n; i++)
            watch_tie(s, x[i].relation, x[i].sign * (s->sides[2 * m->n_single + f] - x[i].c));
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Sides of a relation: their difference, their size, its value there and just after; sides no further apart than
 * `tie` of their size keep their order. */
typedef struct source_sides {
    double root, size, exact, after, tie;
} source_sides;

static double reading(vinc_sim *s, int k, const source_sides *x)
{
    const source_relation *r = &s->m->relations[k];
    double now = s->w[r->place];
    if (r->of_time) {
        bool equal = x->root == (r->sense ? 0 : floor(x->root));
        if (!equal) return x->after;
        return s->flipped[k] ? now : x->exact != now ? x->exact : x->after;
    }
    bool initial = s->w[SOURCE_W_INITIAL] != 0;
    double hold = s->flipped[k] && !initial ? fmax(HOLD_DISTANCE, x->tie) : x->tie;
    double near = hold * x->size + TIE_ABSOLUTE * x->tie;
    return r->sense && hold > 0 && fabs(x->root) <= near ? now : x->exact;
}

static int relation_put(vinc_sim *s, int k, const source_sides *x, bool take)
{
    double value = reading(s, k, x), *w = relation_value(s, k);
    if (*w == value) return 0;
    if (!take) return 1;
    s->toggles[k]++;
    s->flipped[k] = true;
    s->against[k] = 0;
    *w = value;
    return 1;
}

static int read_timers(vinc_sim *s, double t, double after, const double *y, const double *yp,
                       double tie, bool take)
{
    const source_cells *c = &s->m->timers;
    int differ = 0;
    double *now = s->cell, *later = s->cell + c->n_out;
    for (int k = 0; k < c->n; k++) {
        c->f[k](t, s->p, y, yp, s->w, now, NULL, s->v, s->routines);
        c->f[k](after, s->p, y, yp, s->w, later, NULL, s->v, s->routines);
        for (int i = c->first[k]; i < c->first[k + 1]; i++) {
            int at = 2 * (i - c->first[k]); // value, root
            source_sides x = {now[at + 1], 0, now[at], later[at], tie};
            differ += relation_put(s, s->m->timer[c->item[i]], &x, take);
        }
    }
    return differ;
}

static int read_families(vinc_sim *s, double tie, bool take)
{
    const source_model *m = s->m;
    int differ = 0;
    for (int f = 0; f < m->n_families; f++) {
        double e = s->values[m->n_single + f], later = s->after[m->n_single + f];
        for (int i = 0; i < m->families[f].n; i++) {
            const source_threshold *q = s->thresholds + m->families[f].first + i;
            source_sides x = {q->sign * (e - q->c), fabs(e) + fabs(q->c),
                              q->greater ? e > q->c : e < q->c,
                              q->greater ? later > q->c : later < q->c, tie};
            differ += relation_put(s, q->relation, &x, take);
        }
    }
    return differ;
}

/* Read all of them, into w if `take`: how many differ. */
int source_relations(vinc_sim *s, double t, const double *y, const double *yp, double tie,
                     bool take)
{
    const source_model *m = s->m;
    int differ = 0, n = m->n_single;
    if (!m->n_relations) return 0;
    double after = s->w[SOURCE_W_INITIAL] != 0 ? t : t + source_ulp(t);
    source_eval(s, &m->relation_values, after, y, yp, s->after, NULL);
    source_eval(s, &m->relation_values, t, y, yp, s->values, NULL);
    source_eval(s, &m->roots, t, y, yp, s->sides, NULL);
    for (int i = 0; i < n; i++) {
        source_sides x = {s->sides[i], s->sides[n + i], s->values[i], s->after[i], tie};
        differ += relation_put(s, m->single[i], &x, take);
    }
    differ += read_timers(s, t, after, y, yp, tie, take);
    return differ + read_families(s, tie, take);
}

void source_forget_flips(vinc_sim *s)
{
    memset(s->flipped, 0, (size_t)s->m->n_relations * sizeof *s->flipped);
}

/* States have new values: relations whose sides changed with them are read as at first. */
void source_read_afresh(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    memcpy(s->sides_before, s->sides, (size_t)m->roots.n_out * sizeof *s->sides);
    source_eval(s, &m->roots, t, y, yp, s->sides, NULL);
    for (int k = 0; k < m->n_relations; k++) {
        int side = m->side_of[k];
        if (side >= 0 && s->sides[side] != s->sides_before[side]) s->flipped[k] = false;
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

/* When the relation changes whose root is at0 + slope t; +inf: not any more. */
static double relation_foretold(vinc_sim *s, int k, double at0, double slope, double soon)
{
    double now = *relation_value(s, k);
    int sense = s->m->relations[k].sense;
    if (slope == 0) return INFINITY;
    if (!sense) return fmax((now + (slope > 0) - at0) / slope, soon);
    return (now != 0) != (sense * slope > 0) ? fmax(-at0 / slope, soon) : INFINITY;
}

/* Roots of time alone are affine: two values tell where they vanish. */
void source_foretell(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    const source_cells *c = &m->timers;
    double soon = t + 2 * source_ulp(t), *at0 = s->cell, *at1 = s->cell + c->n_out;
    for (int k = 0; k < c->n; k++) {
        c->f[k](0, s->p, y, yp, s->w, at0, NULL, s->v, s->routines);
        c->f[k](1, s->p, y, yp, s->w, at1, NULL, s->v, s->routines);
        for (int i = c->first[k]; i < c->first[k + 1]; i++) {
            int at = 2 * (i - c->first[k]) + 1, item = c->item[i];
            double when = relation_foretold(s, m->timer[item], at0[at], at1[at] - at0[at], soon);
            s->next[m->n_samples + item] = when < INFINITY ? when : INFINITY;
        }
    }
    s->now.foretold = INFINITY;
    if (m->n_families == m->n_moving) return;
    source_eval(s, &m->roots, 1, y, yp, s->sides_before, NULL);
    source_eval(s, &m->roots, 0, y, yp, s->sides, NULL);
    for (int f = m->n_moving; f < m->n_families; f++) {
        double e = s->sides[2 * m->n_single + f], slope = s->sides_before[2 * m->n_single + f] - e;
        const source_threshold *x = s->thresholds + m->families[f].first;
        int here = family_place(s, f);
        for (int i = here > 0 ? here - 1 : 0; i <= here && i < m->families[f].n; i++)
            s->now.foretold =
                fmin(s->now.foretold, relation_foretold(s, x[i].relation, x[i].sign * (e - x[i].c),
                                                        x[i].sign * slope, soon));
    }
}
