/* One pass of an event: relations, discrete equations, actions, the past.
 *
 * The order of run/event.c and run/settle.c. Relations are read exactly; one that has changed in this
 * event changes back only if its sides differ by more than rounding. Where an event finds no end the
 * run is handed back: the processor looks for combinations of relations that agree.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_write.h"

enum { PASSES_MAX = 40 };
/* Events that follow each other within this part of the span, so many times, do not end; nor do
 * impacts whose times accumulate with no more than this left, of the longest time between two of them,
 * twice in a row: of much shorter bounces none would be seen, and a model that has a rule for slow
 * impacts comes to it before. */
static const double CLOSE = 1e-9, LEFT = 1e-5;
/* After an impact the next one may be near: a step begins small, and grows as it finds out. */
static const double STEP_AFTER_IMPACT = 0.01;
enum { CLOSE_MOST = 50, FADING_MOST = 2 };

typedef struct settle {
    ens_writer *w;
    ens_view v;
    ens_point x;
    tape_ref moved; // w differs from what it was at the beginning of the pass
    tape_ref acted, ended, failed, same;
    tape_ref *flipped; // by relation
} settle;

static void settle_put(settle *s, int slot, tape_ref value)
{
    s->moved = tape_or(s->v.b, s->moved, tape_ne(s->v.b, value, s->v.w[slot]));
    s->v.w[slot] = value;
}

static bool settle_relations(settle *s)
{
    tape_builder *b = s->v.b;
    ens_writer *w = s->w;
    int n = w->events.n_relations;
    ens_relation *r = arena_array(w->scratch, ens_relation, n);
    if (!ens_relations(w, &s->v, &s->x, r)) return false;
    for (int k = 0; k < n; k++) {
        tape_ref now = s->v.w[r[k].place], flipped = tape_y(w->events.at.flipped + k);
        tape_ref apart = tape_lt(b, ens_relation_hold(b, &r[k]), tape_op1(b, TAPE_ABS, r[k].root));
        tape_ref read = tape_or(b, tape_not(b, flipped), apart);
        tape_ref value = tape_if(b, read, ens_relation_value(b, &r[k]), now);
        settle_put(s, r[k].place, value);
        s->flipped[k] = tape_or(b, flipped, tape_ne(b, value, now));
    }
    return true;
}

/* The outputs of a cell; all of its w are those of now. */
static bool settle_cell(const settle *s, const tape *t, tape_ref **values)
{
    tape_step step = {.kind = TAPE_STEP_KERNEL, .kernel = t, .n = 1};
    tape_program once = {.n_steps = 1, .steps = &step};
    *values = arena_array(s->w->scratch, tape_ref, t->extent[TAPE_OUT] + 1);
    unroll_refs at = {.t = s->x.t, .y = s->x.y, .yp = s->x.yp, .out = *values};
    return ens_unroll(&s->v, &once, at);
}

static bool settle_discrete(settle *s)
{
    const code_model *m = s->w->system.of->m;
    const code_cells *c = &m->events.discrete;
    for (int k = 0; k < c->n; k++) {
        tape_ref *values;
        if (!settle_cell(s, c->program[k], &values)) return false;
        for (int i = c->first[k]; i < c->first[k + 1]; i++) {
            settle_put(s, m->events.list.discrete[c->item[i]].place, values[i - c->first[k]]);
        }
    }
    return true;
}

/* What when-clauses do: part is the state they change. */
static bool settle_actions(settle *s, tape_ref *part)
{
    const code_model *m = s->w->system.of->m;
    const code_cells *c = &m->events.acts;
    tape_builder *b = s->v.b;
    tape_ref zero = tape_const(b, 0);
    for (int k = 0; k < c->n; k++) {
        tape_ref *values;
        if (!settle_cell(s, c->program[k], &values)) return false;
        for (int i = c->first[k]; i < c->first[k + 1]; i++) {
            int action = m->events.acting[c->item[i]];
            const image_action *a = &m->events.list.actions[action];
            tape_ref fires = values[2 * (i - c->first[k])];
            tape_ref value = values[2 * (i - c->first[k]) + 1];
            if (a->kind == IMAGE_TERMINATE) s->ended = tape_or(b, s->ended, fires);
            if (a->kind == IMAGE_ASSERT && a->error)
                s->failed = tape_or(b, s->failed, tape_and(b, fires, tape_eq(b, value, zero)));
            if (a->kind != IMAGE_REINIT) continue;
            s->acted = tape_or(b, s->acted, fires);
            value = ens_times(b, m->events.action_sign[action], value);
            for (int p = 0; p < s->w->n_part; p++)
                if (s->w->part[p] == m->events.action_y[action])
                    part[p] = tape_if(b, fires, value, part[p]);
        }
    }
    return true;
}

/* States have new values: relations whose sides moved with them are read as at first. */
static bool settle_afresh(settle *s, const ens_point *x)
{
    ens_writer *w = s->w;
    tape_builder *b = s->v.b;
    int n = w->events.n_relations;
    ens_relation *before = arena_array(w->scratch, ens_relation, n),
                 *after = arena_array(w->scratch, ens_relation, n);
    if (!ens_relations(w, &s->v, &s->x, before) || !ens_relations(w, &s->v, x, after)) return false;
    for (int k = 0; k < n; k++) {
        tape_ref flipped = tape_y(w->events.at.flipped + k);
        tape_ref kept = tape_and(b, flipped, tape_eq(b, before[k].root, after[k].root));
        tape_store(b, tape_out(w->events.at.flipped + k),
                   tape_if(b, s->acted, kept, s->flipped[k]));
    }
    return true;
}

bool ens_note_before(const ens_writer *w, const ens_view *v, const ens_point *x, tape_ref when)
{
    const image_events *s = &w->system.of->m->events.list;
    const code_fn *f = &w->system.of->m->events.before;
    if (!s->n_before) return true;
    tape_ref *values = arena_array(w->scratch, tape_ref, s->n_before);
    unroll_refs at = {.t = x->t, .y = x->y, .yp = x->yp, .out = values};
    if (!ens_unroll(v, f->program, at)) return false;
    for (int k = 0; k < s->n_before; k++) {
        int i = ens_place_of_w(w, s->before[k]);
        tape_store(v->b, tape_out(i), tape_if(v->b, when, values[k], tape_y(i)));
    }
    return true;
}

int ens_place_of_w(const ens_writer *w, int slot)
{
    int i = 0;
    while (w->events.moving[i] != slot) i++;
    return w->events.at.w + i;
}

/* pre(v) := v where nothing moved; in v.w from here on. */
static void settle_past(settle *s)
{
    const image_events *x = &s->w->system.of->m->events.list;
    tape_builder *b = s->v.b;
    for (int k = 0; k < x->n_discrete; k++) {
        int slot = x->discrete[k].place;
        tape_ref differs = tape_ne(b, s->v.w[slot], s->v.w[slot + 1]);
        s->same = tape_and(b, s->same, tape_not(b, differs));
        s->v.w[slot + 1] = tape_if(b, s->moved, s->v.w[slot + 1], s->v.w[slot]);
    }
}

/* Impacts in geometrically shrinking intervals: what is left until they accumulate. */
static void settle_impact(settle *s)
{
    const ens_places *at = &s->w->events.at;
    tape_builder *b = s->v.b;
    tape_ref t = tape_y(ENS_T), zero = tape_const(b, 0);
    tape_ref between = ens_op(b, TAPE_SUB, t, tape_y(at->t_impact)), old = tape_y(at->between);
    tape_ref less = ens_op(b, TAPE_SUB, old, between);
    tape_ref left = ens_op(b, TAPE_DIV, ens_op(b, TAPE_MUL, between, between), less);
    tape_ref limit = ens_times(b, LEFT, tape_y(at->longest));
    tape_ref fades = tape_and(b, tape_lt(b, zero, less), tape_le(b, left, limit));
    tape_ref more = ens_op(b, TAPE_ADD, tape_y(at->fading), tape_const(b, 1));
    tape_ref counts = tape_and(b, s->acted, tape_lt(b, zero, between)); // once in an event
    tape_store(b, tape_out(at->t_impact), tape_if(b, counts, t, tape_y(at->t_impact)));
    tape_store(b, tape_out(at->between), tape_if(b, counts, between, old));
    tape_ref known = tape_le(b, between, tape_const(b, s->w->set->t1 - s->w->set->t0));
    tape_ref longest = ens_op(b, TAPE_MAX, between, tape_y(at->longest));
    tape_store(b, tape_out(at->longest),
               tape_if(b, tape_and(b, counts, known), longest, tape_y(at->longest)));
    tape_store(b, tape_out(at->fading),
               tape_if(b, counts, tape_if(b, fades, more, zero), tape_y(at->fading)));
    tape_ref h = tape_y(ENS_H);
    tape_store(b, tape_out(ENS_H), tape_if(b, counts, ens_times(b, STEP_AFTER_IMPACT, h), h));
}

/* Where the run goes from here. */
static void settle_status(settle *s)
{
    const ens_settings *set = s->w->set;
    const ens_places *at = &s->w->events.at;
    tape_builder *b = s->v.b;
    tape_ref one = tape_const(b, 1), zero = tape_const(b, 0), t = tape_y(ENS_T);
    tape_ref again = tape_const(b, s->w->sweeps ? ENS_SETTLING : ENS_FOLLOWING);
    tape_ref settled =
        tape_and(b, tape_not(b, s->moved), tape_and(b, s->same, tape_not(b, s->acted)));
    tape_ref since = ens_op(b, TAPE_SUB, t, tape_y(at->t_event));
    tape_ref near = tape_le(b, since, tape_const(b, CLOSE * (set->t1 - set->t0)));
    tape_ref close = tape_if(b, near, ens_op(b, TAPE_ADD, tape_y(at->close), one), zero);
    tape_ref count = ens_op(b, TAPE_ADD, tape_y(at->count), one);

    tape_ref rest = tape_const(b, ENS_RUNNING), back = tape_const(b, ENS_HAND_BACK);
    rest = tape_if(b, tape_le(b, tape_const(b, CLOSE_MOST), close), back, rest);
    rest = tape_if(b, tape_le(b, tape_const(b, FADING_MOST), tape_y(at->fading)), back, rest);
    rest = tape_if(b, tape_le(b, tape_const(b, set->t1), t), tape_const(b, ENS_DONE), rest);
    tape_ref status = tape_if(b, settled, rest, again);
    status = tape_if(b, tape_le(b, tape_const(b, PASSES_MAX), count), back, status);
    tape_ref calm = tape_not(b, s->moved);
    status = tape_if(b, tape_and(b, calm, s->failed), back, status);
    status = tape_if(b, tape_and(b, calm, s->ended), tape_const(b, ENS_DONE), status);
    tape_store(b, tape_out(ENS_STATUS), status);
    tape_store(b, tape_out(at->count), tape_if(b, settled, zero, count));
    tape_store(b, tape_out(at->close), tape_if(b, settled, close, tape_y(at->close)));
    tape_store(b, tape_out(at->t_event), tape_if(b, settled, t, tape_y(at->t_event)));
}

bool ens_write_settle(ens_writer *w, int rates)
{
    settle s = {.w = w, .v = ens_view_new(&w->system, w->scratch)};
    tape_builder *b = s.v.b;
    tape_ref *part = arena_array(w->scratch, tape_ref, w->n_part);
    tape_ref *slope = arena_array(w->scratch, tape_ref, w->n_part);
    s.moved = s.acted = s.ended = s.failed = tape_const(b, 0);
    s.same = tape_const(b, 1);
    s.flipped = arena_array(w->scratch, tape_ref, w->events.n_relations);
    for (int k = 0; k < w->n_part; k++) {
        part[k] = tape_y(ENS_Y + k);
        slope[k] = rates ? tape_y(rates + k) : tape_const(b, 0);
    }
    if (!ens_point_of(w, &s.v, tape_y(ENS_T), part, slope, &s.x)) return false;
    if (!settle_relations(&s) || !settle_discrete(&s)) return false;
    // What follows counts where nothing moved: then w is what it was.
    if (!settle_actions(&s, part)) return false;
    s.acted = tape_and(b, s.acted, tape_not(b, s.moved));
    for (int k = 0; k < w->n_part; k++) {
        part[k] = tape_if(b, s.acted, part[k], tape_y(ENS_Y + k));
        tape_store(b, tape_out(ENS_Y + k), part[k]);
    }
    settle_past(&s);
    ens_point after;
    if (!ens_point_of(w, &s.v, tape_y(ENS_T), part, slope, &after)) return false;
    if (!settle_afresh(&s, &after) || !ens_note_before(w, &s.v, &after, tape_not(b, s.moved)))
        return false;
    settle_status(&s);
    settle_impact(&s);
    for (int i = 0; i < w->events.n_moving; i++) {
        int slot = w->events.moving[i];
        if (s.v.w[slot] != tape_y(w->events.at.w + i))
            tape_store(b, tape_out(w->events.at.w + i), s.v.w[slot]);
    }
    // y' is that of the point where the run goes on.
    for (int k = 0; k < w->n_part && rates && w->sweeps; k++)
        tape_store(b, tape_out(rates + k), after.yp[w->part[k]]);
    ens_phase_add(w, ENS_SETTLING, b);
    return true;
}
