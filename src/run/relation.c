/* Relations: their values at events, the indicators by which events are found, and when those of
 * time alone change.
 *
 * A relation keeps its value until its sides have truly crossed: the indicator is shifted by a
 * thousand roundings of their terms (HOLD_DISTANCE) towards the side where the value holds, so that a
 * quantity that rests on its limit, a friction torque say, does not make an event of every rounding
 * error; a tenth of its nominal counts as size too, for sides that are both near zero.
 * An event is where the shifted indicator crosses; there the relation is read exactly, as the
 * language defines it, equality included. Read again within the same event, once it has changed, it
 * changes back only if the sides differ by more than that. Where a tie was settled against the sides, the
 * indicator begins that much further back: otherwise it would lie beyond its zero and never cross it.
 *
 * Relations of time alone are foretold, not searched for. At their time they are read just after
 * it, because the time is rounded; unless both sides are exactly equal and that alone is a change
 * (a ramp >= 0 that begins to fall): then a second event follows at once.
 *
 * Relations of one moving quantity with many fixed thresholds are a family: of them only the two
 * thresholds next to it are looked at (family.c). The others are single.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/event.h"

#include <string.h>

static const double HOLD_DISTANCE = 1e-12; // relative to the sides
static const double TIE_ABSOLUTE = 1e-3;   // ... of a tie, where both are nearly zero
static const double MATTERS_NOT = 1;       // an indicator that stays what it is
static const double AGAINST = 2;           // times as far: a tie that has become a crossing

void relation_layout(run_relations *x, const code_model *m, bump *b)
{
    size_t n = (size_t)m->events.n_relations;
    x->sides = bump_double(b, (size_t)m->events.roots.n_out);
    x->sides_before = bump_double(b, (size_t)m->events.roots.n_out);
    x->values = bump_double(b, (size_t)m->events.relations.n_out);
    x->after = bump_double(b, (size_t)m->events.relations.n_out);
    x->needs = bump_double(b, (size_t)m->events.needs.n_out);
    x->against = bump_double(b, n);
    x->toggles = bump_int(b, n);
    x->toggled = bump_int(b, n);
    x->flips = bump_int(b, n);
    x->flipped = bump_bytes(b, n);
    x->held = bump_bytes(b, n);
    x->kept = bump_double(b, n);
    x->idle = bump_bytes(b, (size_t)m->events.masks.n);
}

bool event_is_condition(const run_state *s, int k)
{
    return s->model->events.sense[k] && !s->model->events.list.relations[k].of_time;
}

/* Is its value, whatever it is, decided away by others that are always watched? Not while one of them is slid
 * on: then the motion is between both of its values. */
static bool relation_idle(const run_state *s, int single)
{
    const code_events *x = &s->model->events;
    int mask = x->mask_of[single];
    if (mask < 0) return false;
    const code_mask *m = &x->masks.at[mask];
    for (int u = 0; u < m->uses.n; u++) {
        const code_deciders *d = &m->uses.at[u];
        bool decided = false;
        for (int k = 0; k < d->n && !decided; k++) {
            int by = d->at[k].relation;
            decided = !s->events.relations.held[by] &&
                      (s->w[s->model->events.list.relations[by].place] != 0) == d->at[k].is;
        }
        if (!decided) return false;
    }
    return true;
}

/* ---- indicators ------------------------------------------------------------------------------ */

double event_indicator(const run_state *s, int k, double root, double size)
{
    int sense = s->model->events.sense[k];
    int side = s->w[s->model->events.list.relations[k].place] != 0 ? sense : -sense;
    return root +
           side * (HOLD_DISTANCE * size + AGAINST * s->events.relations.against[k] + DBL_MIN);
}

void event_watch_tie(run_state *s, int k, double root)
{
    int sense = s->model->events.sense[k];
    bool holds = s->w[s->model->events.list.relations[k].place] != 0;
    s->events.relations.against[k] = fmax(holds ? -sense * root : sense * root, 0);
}

void event_watch_ties(run_state *s, double t, const double *y, const double *yp)
{
    const code_model *m = s->model;
    int n = m->events.n_single;
    if (!n && !m->events.n_families_moving) return;
    run_eval(s, &m->events.roots, t, y, yp, s->events.relations.sides, NULL);
    for (int i = 0; i < n; i++)
        event_watch_tie(s, m->events.single[i], s->events.relations.sides[i]);
    for (int f = 0; f < m->events.n_families_moving; f++)
        family_watch_ties(s, f, s->events.relations.sides[2 * n + f]);
}

/* Single relations come first, then two for every family that does not depend on time alone, then two for
 * every spatialDistribution(). */
int event_roots(void *user, double t, const double *y, const double *yp, double *g)
{
    run_state *s = user;
    const code_model *m = s->model;
    int n = m->events.n_single, n_g = 0;
    if (run_stops(s)) return -1;
    uint8_t *idle = s->events.relations.idle;
    bool all = m->events.masks.n > 0;
    for (int k = 0; k < m->events.masks.n; k++) {
        idle[k] = relation_idle(s, m->events.masks.at[k].single);
        all = all && idle[k];
    }
    const code_fn *roots = all ? &m->events.watched : &m->events.roots;
    run_eval(s, roots, t, y, yp, s->events.relations.sides, NULL);
    if (m->events.needs.code)
        run_eval(s, &m->events.needs, t, y, yp, s->events.relations.needs, NULL);
    for (int i = 0; i < n; i++) {
        int need = m->events.need_of[i];
        int mask = m->events.mask_of[i];
        bool matters = need >= 0 ? s->events.relations.needs[need] != 0 : mask < 0 || !idle[mask];
        g[n_g++] = !matters ? MATTERS_NOT
                            : event_indicator(s, m->events.single[i], s->events.relations.sides[i],
                                              s->events.relations.sides[n + i]);
    }
    for (int f = 0; f < m->events.n_families_moving; f++, n_g += 2)
        family_indicators(s, f, s->events.relations.sides[2 * n + f], &g[n_g]);
    past_margins(s, t, y, yp, &g[n_g]);
    n_g += 2 * m->events.n_transports;
    for (int i = 0; i < n_g; i++)
        if (!isfinite(g[i])) return run_note_fault(s, t, y, yp);
    return 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

double event_reading(const run_state *s, int k, const event_sides *x)
{
    const image_relation *r = &s->model->events.list.relations[k];
    double now = s->w[r->place];
    int sense = s->model->events.sense[k];
    if (s->events.relations.held[k]) return now;
    if (r->of_time) { // at its time, read there and just after
        bool equal = x->root == (sense ? 0 : floor(x->root));
        if (!equal) return x->after;
        return s->events.relations.flipped[k] ? now : x->exact != now ? x->exact : x->after;
    }
    bool initial = s->w[IMAGE_W_INITIAL] != 0; // there is no value to be kept
    double hold = s->events.relations.flipped[k] && !initial ? fmax(HOLD_DISTANCE, x->tie) : x->tie;
    double near = hold * x->size + TIE_ABSOLUTE * x->tie;
    return sense && hold > 0 && fabs(x->root) <= near ? now : x->exact;
}

int event_put(run_state *s, int k, double value, bool take)
{
    double *w = &s->w[s->model->events.list.relations[k].place];
    if (*w == value) return 0;
    if (!take) return 1;
    if (!s->events.relations.toggles[k]++)
        s->events.relations.toggled[s->events.relations.n_toggled++] = k;
    if (!s->events.relations.flipped[k])
        s->events.relations.flips[s->events.relations.n_flips++] = k;
    s->events.relations.flipped[k] = 1;
    s->events.relations.against[k] = 0;
    *w = value;
    event_touch(s, s->model->events.list.relations[k].place);
    return 1;
}

static int single_read(run_state *s, int i, double tie, bool take)
{
    const run_relations *r = &s->events.relations;
    int n = s->model->events.n_single, k = s->model->events.single[i];
    event_sides x = {r->sides[i], r->sides[n + i], r->values[i], r->after[i], tie};
    return event_put(s, k, event_reading(s, k, &x), take);
}

int event_relations(run_state *s, double t, const double *y, const double *yp, double tie,
                    bool take)
{
    const code_model *m = s->model;
    int differ = 0, n = m->events.n_single;
    if (!m->events.n_relations) return 0;
    bool initial = s->w[IMAGE_W_INITIAL] != 0, all = initial || s->events.w_given;
    double after = initial ? t : t + event_ulp(t);
    run_eval(s, &m->events.relations, after, y, yp, s->events.relations.after, NULL);
    run_eval(s, &m->events.relations, t, y, yp, s->events.relations.values, NULL);
    run_eval(s, &m->events.roots, t, y, yp, s->events.relations.sides, NULL);
    for (int i = 0; i < n; i++) {
        if (m->events.mask_of[i] < 0) differ += single_read(s, i, tie, take);
    }
    // What others make idle is looked at after these.
    for (int j = 0; j < m->events.masks.n; j++) {
        int i = m->events.masks.at[j].single;
        if (!relation_idle(s, i)) differ += single_read(s, i, tie, take);
    }
    event_moment now = {t, after, tie, y, yp};
    differ += timer_read(s, &now, all, take);
    for (int f = 0; f < m->events.n_families; f++)
        differ += family_read(s, f, s->events.relations.values[n + f],
                              s->events.relations.after[n + f], tie, all, take);
    if (all && take) family_find_places(s);
    return differ;
}

void event_forget_flips(run_state *s)
{
    for (int i = 0; i < s->events.relations.n_flips; i++)
        s->events.relations.flipped[s->events.relations.flips[i]] = 0;
    s->events.relations.n_flips = 0;
}

void event_forget_toggles(run_state *s)
{
    for (int i = 0; i < s->events.relations.n_toggled; i++)
        s->events.relations.toggles[s->events.relations.toggled[i]] = 0;
    s->events.relations.n_toggled = 0;
}

void event_read_afresh(run_state *s, double t, const double *y, const double *yp)
{
    const code_model *m = s->model;
    if (!m->events.n_relations) return;
    // As they were when all agreed.
    memcpy(s->events.relations.sides_before, s->events.relations.sides,
           (size_t)m->events.roots.n_out * sizeof *s->events.relations.sides);
    run_eval(s, &m->events.roots, t, y, yp, s->events.relations.sides, NULL);
    int kept = 0;
    for (int i = 0; i < s->events.relations.n_flips; i++) {
        int k = s->events.relations.flips[i], side = m->events.side_of[k];
        s->events.relations.flipped[k] =
            side < 0 || s->events.relations.sides[side] == s->events.relations.sides_before[side];
        if (s->events.relations.flipped[k]) s->events.relations.flips[kept++] = k;
    }
    s->events.relations.n_flips = kept;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* When the relation changes whose root is at0 + slope t; +inf: not any more. A change that is due
 * but that rounding has not let happen follows at once. */
double event_foretold(const run_state *s, int k, double at0, double slope, double soon)
{
    double now = s->w[s->model->events.list.relations[k].place];
    int sense = s->model->events.sense[k];
    if (slope == 0) return INFINITY;
    if (!sense) return fmax((now + (slope > 0) - at0) / slope, soon);
    return (now != 0) != (sense * slope > 0) ? fmax(-at0 / slope, soon) : INFINITY;
}

/* Of families: two values of the quantity tell where it meets the next threshold. */
void event_foretell(run_state *s, double t, const double *y, const double *yp)
{
    const code_model *m = s->model;
    int n = m->events.n_single;
    double soon = timer_soon(s, t);
    bool due = timer_foretell(s, t, y, yp, soon);
    s->events.timers.late = due ? soon - t : 0;
    s->events.relations.foretold = INFINITY;
    if (m->events.n_families == m->events.n_families_moving) return;
    double *at1 = s->events.relations.sides_before, *at0 = s->events.relations.sides;
    run_eval(s, &m->events.roots, 1, y, yp, at1, NULL);
    run_eval(s, &m->events.roots, 0, y, yp, at0, NULL);
    for (int f = m->events.n_families_moving; f < m->events.n_families; f++) {
        double e = at0[2 * n + f], slope = at1[2 * n + f] - e;
        s->events.relations.foretold =
            fmin(s->events.relations.foretold, family_foretold(s, f, e, slope, soon));
    }
    if (s->events.relations.foretold == soon) s->events.timers.late = soon - t;
}
