/* Relations: their values at events, the indicators by which events are found, and when those of
 * time alone change.
 *
 * A relation keeps its value until its sides have truly crossed: the indicator is shifted by a
 * thousand roundings of the sides (HOLD) towards the side where the value holds, so that a quantity
 * that rests on its limit, a friction torque say, does not make an event of every rounding error.
 * An event is where the shifted indicator crosses; there the relation is read exactly, as the
 * language defines it, equality included. Read again within the same event, once it has changed, it
 * changes back only if the sides differ by more than that.
 *
 * Relations of time alone are foretold, not searched for. At their time they are read just behind
 * it, because the time is rounded; unless both sides are exactly equal and that alone is a change
 * (a ramp >= 0 that begins to fall): then a second event follows at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/event.h"

#include <string.h>

static const double HOLD = 1e-12;    // relative to the sides
static const double ABSOLUTE = 1e-3; // ... of a tie, where both are nearly zero

/* Which sign of the root makes it true: 1, -1; 0 for floor, whose value is a number. */
static int sense(const code_state *s, int k)
{
    const structure *x = s->model->s;
    switch ((expr_op)expr_at(x->pool, x->relations.at[k].relation)->op) {
    case EXPR_GT: return 1;
    case EXPR_LT: return -1;
    default: return 0;
    }
}

bool event_is_condition(const code_state *s, int k)
{
    return sense(s, k) && !s->model->s->relations.at[k].of_time;
}

int code_roots(void *user, double t, const double *y, const double *yp, double *g)
{
    code_state *s = user;
    const structure *x = s->model->s;
    int n = s->model->n_roots;
    code_eval(s, &s->model->roots, t, y, yp, s->sides, NULL);
    for (int k = 0; k < n; k++) {
        int side = s->w[x->relations.at[k].place] != 0 ? sense(s, k) : -sense(s, k);
        g[k] = s->sides[k] + side * (HOLD * s->sides[n + k] + DBL_MIN);
        if (x->relations.at[k].of_time) g[k] = 1; // never found by searching
        if (!isfinite(g[k])) return 1;
    }
    return 0;
}

/* A relation of time alone at its time, read there and just behind. */
static double of_time(const code_state *s, int k, double exact, double behind)
{
    double now = s->w[s->model->s->relations.at[k].place];
    bool equal = s->sides[k] == (sense(s, k) ? 0 : floor(s->sides[k]));
    if (!equal) return behind;
    return s->flipped[k] ? now : exact != now ? exact : behind;
}

int event_relations(code_state *s, double t, const double *y, const double *yp, double tie,
                    double *value)
{
    const code_model *m = s->model;
    int differ = 0, n = m->n_roots;
    if (!n) return 0;
    bool initial = s->w[STRUCTURE_W_INITIAL] != 0; // there is no value to be kept
    double after = initial ? t : t + event_ulp(t);
    code_eval(s, &m->relations, after, y, yp, s->small2, NULL);
    code_eval(s, &m->relations, t, y, yp, value, NULL);
    code_eval(s, &m->roots, t, y, yp, s->sides, NULL);
    for (int k = 0; k < n; k++) {
        const structure_relation *r = &m->s->relations.at[k];
        double now = s->w[r->place], hold = s->flipped[k] && !initial ? fmax(HOLD, tie) : tie;
        double near = hold * s->sides[n + k] + ABSOLUTE * tie;
        if (r->of_time) value[k] = of_time(s, k, value[k], s->small2[k]);
        else if (sense(s, k) && hold > 0 && fabs(s->sides[k]) <= near) value[k] = now;
        differ += value[k] != now;
    }
    return differ;
}

bool event_take_relations(code_state *s, const double *value)
{
    bool changed = false;
    for (int k = 0; k < s->model->n_roots; k++) {
        double *w = &s->w[s->model->s->relations.at[k].place];
        if (*w == value[k]) continue;
        changed = true;
        s->toggles[k]++;
        s->flipped[k] = 1;
        *w = value[k];
    }
    return changed;
}

void event_read_afresh(code_state *s, double t, const double *y, const double *yp)
{
    int n = s->model->n_roots;
    if (!n) return;
    memcpy(s->small2, s->sides, (size_t)n * sizeof *s->small2); // as they were when all agreed
    code_eval(s, &s->model->roots, t, y, yp, s->sides, NULL);
    for (int k = 0; k < n; k++)
        if (s->sides[k] != s->small2[k]) s->flipped[k] = 0;
}

/* The root is affine in time: two values of it tell where it is zero, or where floor changes next.
 * A change that is due but that rounding has not let happen follows at once. */
void event_foretell(code_state *s, double t, const double *y, const double *yp)
{
    const code_model *m = s->model;
    if (!m->n_roots) return;
    double soon = t + 2 * event_ulp(t);
    code_eval(s, &m->roots, 1, y, yp, s->sides, NULL);
    memcpy(s->small2, s->sides, (size_t)m->n_roots * sizeof *s->small2);
    code_eval(s, &m->roots, 0, y, yp, s->sides, NULL);
    for (int k = 0; k < m->n_roots; k++) {
        const structure_relation *r = &m->s->relations.at[k];
        double at0 = s->sides[k], slope = s->small2[k] - at0, now = s->w[r->place];
        s->foretold[k] = INFINITY;
        if (!r->of_time || slope == 0) continue;
        if (!sense(s, k)) s->foretold[k] = fmax((now + (slope > 0) - at0) / slope, soon);
        else if ((now != 0) != (sense(s, k) * slope > 0)) s->foretold[k] = fmax(-at0 / slope, soon);
    }
}
