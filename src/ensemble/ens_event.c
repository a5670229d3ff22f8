/* SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_event.h"

#include "ensemble/ens_write.h"
#include "tape/unroll.h"

#include <float.h>
#include <string.h>

/* As on the processor (run/relation.c): a thousand roundings of the sides. */
static const double HOLD_DISTANCE = 1e-12;
/* Pieces of a step at whose ends relations are read: those of implicit methods are longer. */
enum { PIECES = 4, PIECES_IMPLICIT = 8 };
/* Between them a relation may change and change back: looked for where the lowest point of a parabola
 * through three of DIPS + 1 points is next to nothing, of the values around it, and so many spaces from
 * its middle, doubled. */
enum { DIPS = 4 };
static const double DIP_NEAR = 0.01, DIP_REACH = 1.5;

/* ---- what can be done ------------------------------------------------------------------------ */

static bool reads(const code_cells *c, int slot)
{
    return slot < c->n_w && c->user_start && c->user_start[slot + 1] > c->user_start[slot];
}

static const char *events_unfit(const code_model *m)
{
    const code_events *e = &m->events;
    if (e->clocks) return "it has clocks";
    if (e->samples.n_out) return "it has sample()";
    if (e->delays.n_out) return "it has delay()";
    if (reads(&e->discrete, IMAGE_W_TERMINAL) || reads(&e->acts, IMAGE_W_TERMINAL))
        return "it has terminal()";
    return NULL;
}

/* ---- elements of w that move ----------------------------------------------------------------- */

static void events_move(ens_writer *w, int slot)
{
    ens_events *e = &w->events;
    for (int i = 0; i < e->n_moving; i++)
        if (e->moving[i] == slot) return;
    e->moving[e->n_moving++] = slot;
}

static bool has_assertions(const code_model *m)
{
    bool any = false;
    for (int k = 0; k < m->events.assertions.n_out; k++) {
        const image_action *a = &m->events.list.actions[m->events.always[k]];
        any = any || (a->error && !a->initial);
    }
    return any;
}

bool ens_events_init(ens_writer *w)
{
    const code_model *m = w->system.of->m;
    const image_events *s = &m->events.list;
    ens_events *e = &w->events;
    e->any = code_has_events(&m->events) || m->formulation.n_groups || has_assertions(m);
    if (!e->any) return true;
    w->system.why = events_unfit(m);
    if (w->system.why || !ens_choice_fits(w)) return false;
    e->moving = arena_array(w->scratch, int, m->n_w);
    e->n_relations = m->events.n_relations;
    for (int k = 0; k < e->n_relations; k++) events_move(w, s->relations[k].place);
    for (int k = 0; k < s->n_discrete; k++) {
        int slot = s->discrete[k].place;
        events_move(w, slot);
        events_move(w, slot + 1);
    }
    for (int k = 0; k < s->n_before; k++) events_move(w, s->before[k]);
    for (int g = 0; g < m->formulation.n_groups; g++) {
        const image_group *q = &m->formulation.groups[g];
        for (int k = 0; k < (q->n_columns - q->n_constraints) * q->n_columns; k++)
            events_move(w, q->w + k);
    }
    return true;
}

/* The first event is at the start itself: the initial values are its past. */
static bool events_first_past(ens_writer *w)
{
    const code_model *m = w->system.of->m;
    const image_events *s = &m->events.list;
    ens_view v = ens_view_begin(&w->system);
    ens_point x;
    for (int k = 0; k < s->n_discrete; k++) {
        int slot = s->discrete[k].place;
        v.w[slot + 1] = v.w[slot];
    }
    if (!s->n_before) return true;
    tape_ref *part = arena_array(w->scratch, tape_ref, w->n_part);
    tape_ref *slope = arena_array(w->scratch, tape_ref, w->n_part);
    for (int k = 0; k < w->n_part; k++) {
        part[k] = w->system.y0[w->part[k]];
        slope[k] = tape_const(v.b, w->system.of->yp[w->part[k]]);
    }
    tape_ref *values = arena_array(w->scratch, tape_ref, s->n_before);
    if (!ens_point_of(w, &v, tape_const(v.b, w->set->t0), part, slope, &x)) return false;
    unroll_refs at = {.t = x.t, .y = x.y, .yp = x.yp, .out = values};
    if (!ens_unroll(&v, m->events.before.program, at)) return false;
    for (int k = 0; k < s->n_before; k++) v.w[s->before[k]] = values[k];
    return true;
}

bool ens_events_begin(ens_writer *w, int dense_rows)
{
    ens_events *e = &w->events;
    int first = w->out->n_state;
    if (!e->any) return true;
    if (!events_first_past(w)) return false;
    int n = e->n_relations, next = first;
    e->dense_rows = dense_rows;
    e->at.w = next, next += e->n_moving;
    e->at.t_event = next++;
    e->at.close = next++;
    e->at.count = next++;
    e->at.size = next++;
    e->at.aim = next++;
    e->at.aimed = next++;
    e->at.final = next++;
    e->at.t_impact = next++;
    e->at.between = next++;
    e->at.longest = next++;
    e->at.fading = next++;
    e->at.low = next++;
    e->at.high = next++;
    e->at.moved_end = next++;
    e->at.newton = next++;
    e->at.g_low = next, next += n;
    e->at.g_high = next, next += n;
    e->at.flipped = next, next += n;
    e->at.dense = next, next += (dense_rows - 1) * w->n_part;
    tape_builder *b = w->system.begin;
    for (int i = 0; i < e->n_moving; i++) {
        tape_store(b, tape_out(e->at.w + i), w->system.w_begin[e->moving[i]]);
        w->system.w[e->moving[i]] = (ens_term){.ref = tape_y(e->at.w + i)};
    }
    for (int i = e->at.w + e->n_moving; i < next; i++) {
        bool time = i == e->at.t_event || i == e->at.t_impact;
        tape_store(b, tape_out(i), tape_const(b, time ? -DBL_MAX : 0));
    }
    w->out->n_state = next;
    return true;
}

/* ---- points ---------------------------------------------------------------------------------- */

bool ens_point_of(const ens_writer *w, const ens_view *v, tape_ref t, const tape_ref *part,
                  const tape_ref *slope, ens_point *out)
{
    const uint8_t *moves = w->system.of->m->system.differential;
    out->t = t;
    out->y = arena_array(w->scratch, tape_ref, w->n);
    out->yp = arena_array(w->scratch, tape_ref, w->n);
    for (int i = 0; i < w->n; i++) out->y[i] = out->yp[i] = tape_const(v->b, 0);
    for (int k = 0; k < w->n_part; k++) {
        out->y[w->part[k]] = part[k];
        if (!w->sweeps && slope) out->yp[w->part[k]] = slope[k];
    }
    if (!w->sweeps) return true;
    tape_ref *rates = arena_array(w->scratch, tape_ref, w->n);
    if (!ens_rhs(v, t, out->y, rates)) return false;
    for (int i = 0; i < w->n; i++) {
        if (moves[i]) out->yp[i] = rates[i];
        else out->y[i] = rates[i];
    }
    return true;
}

void ens_dense_at(const ens_writer *w, tape_builder *b, const ens_dense *d, tape_ref u, tape_ref h,
                  tape_ref *part, tape_ref *slope)
{
    tape_ref v = ens_op(b, TAPE_SUB, tape_const(b, 1), u);
    for (int k = 0; k < w->n_part; k++) {
        tape_ref value = d->d[d->rows - 1][k], rate = TAPE_NONE; // by u
        for (int m = d->rows - 2; m >= 0; m--) {
            bool back = m % 2;
            tape_ref by = back ? v : u, change = back ? tape_op1(b, TAPE_NEG, value) : value;
            if (rate != TAPE_NONE)
                change = ens_op(b, TAPE_ADD, change, ens_op(b, TAPE_MUL, by, rate));
            rate = change;
            value = ens_op(b, TAPE_ADD, d->d[m][k], ens_op(b, TAPE_MUL, by, value));
        }
        part[k] = value;
        if (slope) slope[k] = ens_op(b, TAPE_DIV, rate, h);
    }
}

/* ---- relations ------------------------------------------------------------------------------- */

static bool single_relations(const ens_writer *w, const ens_view *v, const ens_point *x,
                             ens_relation *out)
{
    const code_events *e = &w->system.of->m->events;
    int n = e->n_single;
    tape_ref *sides = arena_array(w->scratch, tape_ref, e->roots.n_out + 1);
    tape_ref *c = arena_array(w->scratch, tape_ref, e->n_members + 1);
    unroll_refs at = {.t = x->t, .y = x->y, .yp = x->yp, .out = sides};
    if (e->roots.program && !ens_unroll(v, e->roots.program, at)) return false;
    for (int i = 0; i < n; i++) {
        out[e->single[i]].root = sides[i];
        out[e->single[i]].size = sides[n + i];
    }
    at.out = c;
    if (e->n_members && !ens_unroll(v, e->thresholds.program, at)) return false;
    for (int f = 0; f < e->n_families; f++)
        for (int i = e->families[f].first; i < e->families[f].first + e->families[f].n; i++) {
            tape_ref q = sides[2 * n + f];
            ens_relation *r = &out[e->member[i]];
            r->root = e->threshold_first[i] ? ens_op(v->b, TAPE_SUB, c[i], q)
                                            : ens_op(v->b, TAPE_SUB, q, c[i]);
            r->size =
                ens_op(v->b, TAPE_ADD, tape_op1(v->b, TAPE_ABS, q), tape_op1(v->b, TAPE_ABS, c[i]));
        }
    return true;
}

/* Those of time alone: nothing rests on them, so that nothing is to be held. */
static bool timed_relations(const ens_writer *w, const ens_view *v, const ens_point *x,
                            ens_relation *out)
{
    const code_events *e = &w->system.of->m->events;
    for (int c = 0; c < e->timers.n; c++) {
        const tape *t = e->timers.program[c];
        tape_ref *values = arena_array(w->scratch, tape_ref, t->extent[TAPE_OUT] + 1);
        tape_step step = {.kind = TAPE_STEP_KERNEL, .kernel = t, .n = 1};
        tape_program once = {.n_steps = 1, .steps = &step};
        unroll_refs at = {.t = x->t, .y = x->y, .yp = x->yp, .out = values};
        if (!ens_unroll(v, &once, at)) return false;
        for (int i = e->timers.first[c]; i < e->timers.first[c + 1]; i++) {
            ens_relation *r = &out[e->timer[e->timers.item[i]]];
            r->root = values[2 * (i - e->timers.first[c]) + 1];
            r->size = tape_const(v->b, 0);
        }
    }
    return true;
}

bool ens_relations(const ens_writer *w, const ens_view *v, const ens_point *x, ens_relation *out)
{
    const code_model *m = w->system.of->m;
    for (int k = 0; k < w->events.n_relations; k++)
        out[k] =
            (ens_relation){.place = m->events.list.relations[k].place, .sense = m->events.sense[k]};
    return single_relations(w, v, x, out) && timed_relations(w, v, x, out);
}

tape_ref ens_relation_value(tape_builder *b, const ens_relation *r)
{
    tape_ref zero = tape_const(b, 0);
    if (!r->sense) return tape_op1(b, TAPE_FLOOR, r->root);
    return r->sense > 0 ? tape_lt(b, zero, r->root) : tape_lt(b, r->root, zero);
}

tape_ref ens_relation_hold(tape_builder *b, const ens_relation *r)
{
    return ens_op(b, TAPE_ADD, ens_times(b, HOLD_DISTANCE, r->size), tape_const(b, DBL_MIN));
}

/* Distance of a relation from its change, by the sign of its root that keeps its value. */
static tape_ref relation_distance(const ens_view *v, const ens_relation *r, tape_ref hold)
{
    tape_builder *b = v->b;
    tape_ref now = v->w[r->place];
    if (!r->sense) { // a floor of time: there is no distance, only a change
        tape_ref same = tape_eq(b, ens_relation_value(b, r), now);
        return tape_if(b, same, tape_const(b, 1), tape_const(b, -1));
    }
    tape_ref keeps = tape_if(b, now, tape_const(b, r->sense), tape_const(b, -r->sense));
    return ens_op(b, TAPE_ADD, ens_op(b, TAPE_MUL, keeps, r->root), hold);
}

bool ens_distances(const ens_writer *w, const ens_view *v, const ens_point *x, tape_ref *g)
{
    int n = w->events.n_relations;
    ens_relation *r = arena_array(w->scratch, ens_relation, n);
    if (!ens_relations(w, v, x, r)) return false;
    for (int k = 0; k < n; k++) g[k] = relation_distance(v, &r[k], ens_relation_hold(v->b, &r[k]));
    return true;
}

/* ---- after a step ---------------------------------------------------------------------------- */

/* Distances at a point of a step, of relations that move in it; TAPE_NONE: the others. other: the
 * relations at its other end; hold: those whose room for rounding serves for all of it. */
static bool moving_distances(const ens_writer *w, const ens_view *v, const ens_point *x,
                             const ens_relation *other, const ens_relation *hold, tape_ref *g)
{
    int n = w->events.n_relations;
    ens_relation *r = arena_array(w->scratch, ens_relation, n);
    if (!ens_relations(w, v, x, r)) return false;
    for (int k = 0; k < n; k++)
        g[k] = r[k].root == other[k].root
                   ? TAPE_NONE
                   : relation_distance(v, &r[k], ens_relation_hold(v->b, &hold[k]));
    return true;
}

/* Assertions that are errors; those of initial sections were looked at by whoever found the start. */
static bool events_assertions(const ens_writer *w, const ens_view *v, const ens_point *x,
                              tape_ref *broken)
{
    const code_model *m = w->system.of->m;
    const code_events *e = &m->events;
    tape_ref zero = tape_const(v->b, 0);
    *broken = zero;
    if (!e->assertions.program) return true;
    tape_ref *holds = arena_array(w->scratch, tape_ref, e->assertions.n_out + 1);
    unroll_refs at = {.t = x->t, .y = x->y, .yp = x->yp, .out = holds};
    if (!ens_unroll(v, e->assertions.program, at)) return false;
    for (int k = 0; k < e->assertions.n_out; k++) {
        const image_action *a = &e->list.actions[e->always[k]];
        if (a->error && !a->initial)
            *broken = tape_or(v->b, *broken, tape_eq(v->b, holds[k], zero));
    }
    return true;
}

/* The first change that the points of a step show, from the end backwards, so that the first one is the
 * one that is kept. */
typedef struct scan {
    const ens_writer *w;
    tape_builder *b;
    int pieces;
    tape_ref *g[PIECES_IMPLICIT + 1]; // distances by relation at each point
    tape_ref changed, low, high;
    tape_ref above,
        below; // half of above / below pieces, by which the right end lies before `high`
} scan;

/* A relation that comes back between two points: where the parabola through three of them has its
 * lowest point inside, at next to nothing. */
static void scan_dip(scan *s, int i, int k)
{
    tape_builder *b = s->b;
    int space = s->pieces / DIPS;
    tape_ref before = s->g[i - space][k], here = s->g[i][k], after = s->g[i + space][k];
    if (before == TAPE_NONE || here == TAPE_NONE || after == TAPE_NONE) return;
    tape_ref slope = ens_op(b, TAPE_SUB, after, before), sum = ens_op(b, TAPE_ADD, after, before);
    tape_ref bend = ens_op(b, TAPE_SUB, sum, ens_times(b, 2, here));
    tape_ref depth = ens_op(b, TAPE_SUB, here, ens_times(b, DIP_NEAR, sum));
    tape_ref lowest = ens_op(b, TAPE_SUB, ens_times(b, 8, ens_op(b, TAPE_MUL, bend, depth)),
                             ens_op(b, TAPE_MUL, slope, slope));
    tape_ref inside = tape_le(b, tape_op1(b, TAPE_ABS, slope), ens_times(b, DIP_REACH, bend));
    tape_ref dips = tape_and(b, tape_lt(b, lowest, tape_const(b, 0)), inside);
    s->changed = tape_or(b, s->changed, dips);
    s->low = tape_if(b, dips, tape_const(b, (double)(i - space) / s->pieces), s->low);
    s->high = tape_if(b, dips, tape_const(b, (double)i / s->pieces), s->high);
    s->above = tape_if(b, dips, slope, s->above);
    s->below = tape_if(b, dips, bend, s->below);
}

static void scan_change(scan *s, int i)
{
    tape_builder *b = s->b;
    tape_ref least = TAPE_NONE, zero = tape_const(b, 0);
    tape_ref low = tape_const(b, (double)(i - 1) / s->pieces);
    tape_ref high = tape_const(b, (double)i / s->pieces);
    for (int k = 0; k < s->w->events.n_relations; k++) {
        tape_ref g = s->g[i][k];
        if (g != TAPE_NONE) least = least == TAPE_NONE ? g : ens_op(b, TAPE_MIN, g, least);
    }
    if (least == TAPE_NONE) return;
    s->changed = tape_select(b, TAPE_SEL_LE, least, zero, tape_const(b, 1), s->changed);
    s->low = tape_select(b, TAPE_SEL_LE, least, zero, low, s->low);
    s->high = tape_select(b, TAPE_SEL_LE, least, zero, high, s->high);
    s->above = tape_select(b, TAPE_SEL_LE, least, zero, zero, s->above);
}

static void scan_all(scan *s)
{
    tape_builder *b = s->b;
    int n = s->w->events.n_relations;
    s->changed = s->low = s->above = tape_const(b, 0);
    s->high = s->below = tape_const(b, 1);
    for (int i = s->pieces; i >= 1; i--) {
        for (int k = 0; k < n && i < s->pieces && i % (s->pieces / DIPS) == 0; k++)
            if (s->w->system.of->m->events.sense[k]) scan_dip(s, i, k);
        scan_change(s, i);
    }
    tape_ref off = ens_op(b, TAPE_DIV, s->above, s->below);
    s->high = ens_op(b, TAPE_SUB, s->high, ens_times(b, 0.5 / DIPS, off));
}

bool ens_events_scan(const ens_writer *w, const ens_view *v, tape_ref t, tape_ref h,
                     const ens_dense *d, tape_ref t_new, const tape_ref *part,
                     const tape_ref *slope, ens_found *out)
{
    const ens_places *at = &w->events.at;
    int n = w->events.n_relations;
    tape_builder *b = v->b;
    tape_ref *y = arena_array(w->scratch, tape_ref, w->n_part), zero = tape_const(b, 0);
    tape_ref *yp = arena_array(w->scratch, tape_ref, w->n_part);
    ens_relation *end = arena_array(w->scratch, ens_relation, n),
                 *begin = arena_array(w->scratch, ens_relation, n);
    ens_point x, last;
    scan s = {.w = w, .b = b, .pieces = w->sweeps ? PIECES : PIECES_IMPLICIT};
    for (int k = 0; k <= s.pieces; k++) s.g[k] = arena_array(w->scratch, tape_ref, n + 1);
    out->cut = tape_ne(b, tape_y(at->aim), zero);
    out->arrived = tape_y(at->final);
    if (!ens_point_of(w, v, t_new, part, slope, &last) || !ens_relations(w, v, &last, end) ||
        !events_assertions(w, v, &last, &out->broken) ||
        !ens_choice_turned(w, v, &last, &out->turned) ||
        !ens_note_before(w, v, &last, out->arrived))
        return false;
    for (int k = 1; k < s.pieces; k++) {
        double u = (double)k / s.pieces;
        ens_dense_at(w, b, d, tape_const(b, u), h, y, yp);
        tape_ref time = ens_op(b, TAPE_ADD, t, ens_times(b, u, h));
        if (!ens_point_of(w, v, time, y, yp, &x) || !moving_distances(w, v, &x, end, end, s.g[k]))
            return false;
    }
    if (!ens_point_of(w, v, t, d->d[0], slope, &x) || !ens_relations(w, v, &x, begin) ||
        !moving_distances(w, v, &x, end, end, s.g[0]) ||
        !moving_distances(w, v, &last, begin, end, s.g[s.pieces]))
        return false;
    scan_all(&s);
    out->event = s.changed;
    tape_store(b, tape_out(at->size), h);
    tape_store(b, tape_out(at->low), s.low);
    tape_store(b, tape_out(at->high), s.high);
    tape_store(b, tape_out(at->count), tape_const(b, 0));
    tape_store(b, tape_out(at->aim), zero);
    tape_store(b, tape_out(at->final), zero);
    tape_ref more = ens_op(b, TAPE_ADD, tape_y(at->aimed), tape_const(b, 1));
    tape_store(b, tape_out(at->aimed), tape_if(b, out->cut, more, zero));
    for (int k = 0; k < n; k++) tape_store(b, tape_out(at->flipped + k), tape_const(b, 0));
    if (!w->events.weighs) ens_dense_store(w, b, d);
    return true;
}

void ens_dense_store(const ens_writer *w, tape_builder *b, const ens_dense *d)
{
    for (int m = 1; m < d->rows; m++)
        for (int k = 0; k < w->n_part; k++)
            tape_store(b, tape_out(w->events.at.dense + (m - 1) * w->n_part + k), d->d[m][k]);
}

/* ---- phases ---------------------------------------------------------------------------------- */

void ens_phase_add(ens_writer *w, ens_status when, tape_builder *b)
{
    w->out->phases[w->out->n_phases++] = (ens_phase){when, tape_finish(b, w->a)};
}

bool ens_events_phases(ens_writer *w, int rates)
{
    const code_model *m = w->system.of->m;
    if (!w->events.any) return true;
    if (code_has_events(&m->events) && (!ens_write_locate(w) || !ens_write_settle(w, rates) ||
                                        (!w->sweeps && !ens_write_follow(w, rates))))
        return false;
    return !m->formulation.n_groups || ens_write_choose(w);
}
