/* The first change of a relation inside a step, on its interpolant.
 *
 * False position in the Illinois variant, as on the processor (sim/events.c), one evaluation a pass:
 * the first two find the distances at the ends of the bracket. The right end is the event: there the
 * relation has its new value. Points are put on the algebraic equations first; where nothing has
 * changed at the right end after all, the rest of the step is looked at, and taken as it is at last.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_write.h"

#include <float.h>

enum { ENDS = 2, PASSES_MAX = 120, BISECT_EVERY = 8 };
/* The step is made again until the event is this part of it, or less, from one of its ends: an
 * interpolant is as good there as the step itself. */
static const double END_PART = 1e-6;
enum { AIMED_MAX = 6 };
static const double ROOM_ULPS = 16; // the bracket that is narrow enough, of the time

typedef struct locate {
    ens_writer *w;
    ens_view v;
    ens_dense d;
    tape_ref low, high, h, count, narrow;
} locate;

static tape_ref l_min(tape_builder *b, tape_ref x, tape_ref y)
{
    return ens_op(b, TAPE_MIN, x, y);
}

/* Where to look: the ends first, then at the earliest zero of the secants, now and then the middle. */
static tape_ref locate_aim(const locate *l)
{
    const ens_places *at = &l->w->events.at;
    tape_builder *b = l->v.b;
    tape_ref zero = tape_const(b, 0), one = tape_const(b, 1), part = one;
    for (int k = 0; k < l->w->events.n_relations; k++) {
        tape_ref low = tape_y(at->g_low + k), high = tape_y(at->g_high + k);
        tape_ref meet = ens_op(b, TAPE_DIV, low, ens_op(b, TAPE_SUB, low, high));
        part = tape_if(b, tape_le(b, high, zero), l_min(b, meet, part), part);
    }
    tape_ref passes = tape_const(b, BISECT_EVERY);
    tape_ref halve = tape_eq(b, tape_mod(b, l->count, passes), tape_const(b, BISECT_EVERY - 1));
    part = tape_if(b, halve, tape_const(b, 0.5), part);
    tape_ref width = ens_op(b, TAPE_SUB, l->high, l->low), edge = ens_times(b, 0.5, l->narrow);
    tape_ref u = ens_op(b, TAPE_ADD, l->low, ens_op(b, TAPE_MUL, width, part));
    u = ens_op(b, TAPE_MAX, u, ens_op(b, TAPE_ADD, l->low, edge));
    u = l_min(b, u, ens_op(b, TAPE_SUB, l->high, edge));
    u = tape_if(b, tape_eq(b, l->count, one), l->high, u);
    return tape_if(b, tape_eq(b, l->count, zero), l->low, u);
}

static tape_ref locate_time(const locate *l, tape_ref u)
{
    return ens_op(l->v.b, TAPE_ADD, tape_y(ENS_T), ens_op(l->v.b, TAPE_MUL, u, l->h));
}

static bool locate_at(const locate *l, tape_ref u, tape_ref *part, ens_point *x)
{
    tape_ref *slope = arena_array(l->w->scratch, tape_ref, l->w->n_part);
    ens_dense_at(l->w, l->v.b, &l->d, u, l->h, part, slope);
    return ens_point_of(l->w, &l->v, locate_time(l, u), part, slope, x) &&
           ens_point_onto(l->w, &l->v, x);
}

/* The bracket after one more value; the condition that it is narrow enough. */
static tape_ref locate_narrow(const locate *l, tape_ref u, const tape_ref *g, tape_ref *high)
{
    const ens_places *at = &l->w->events.at;
    tape_builder *b = l->v.b;
    tape_ref zero = tape_const(b, 0), one = tape_const(b, 1), back = tape_const(b, -1);
    tape_ref first = tape_eq(b, l->count, zero), second = tape_eq(b, l->count, one);
    tape_ref changed = zero, ends = tape_lt(b, l->count, tape_const(b, ENDS));
    for (int k = 0; k < l->w->events.n_relations; k++)
        changed = tape_or(b, changed, tape_le(b, g[k], zero));
    // At the left end something has changed already, or at the right end nothing after all.
    tape_ref early = tape_and(b, tape_and(b, first, changed), tape_lt(b, zero, l->low));
    tape_ref none = tape_and(b, second, tape_not(b, changed));
    tape_ref whole = tape_and(b, none, tape_le(b, one, l->high));
    // What is found at the ends does not move them.
    tape_ref to_high = tape_if(b, ends, second, changed);
    tape_ref to_low = tape_if(b, ends, tape_or(b, first, none), tape_not(b, changed));
    tape_ref now = tape_if(b, changed, one, back);
    tape_ref twice = tape_and(b, tape_not(b, ends), tape_eq(b, tape_y(at->moved_end), now));
    for (int k = 0; k < l->w->events.n_relations; k++) {
        tape_ref low = tape_y(at->g_low + k), high_g = tape_y(at->g_high + k);
        tape_ref kept_low = tape_if(b, twice, ens_times(b, 0.5, low), low);
        tape_ref kept_high = tape_if(b, twice, ens_times(b, 0.5, high_g), high_g);
        tape_store(b, tape_out(at->g_low + k), tape_if(b, to_low, g[k], kept_low));
        tape_store(b, tape_out(at->g_high + k), tape_if(b, to_high, g[k], kept_high));
    }
    tape_ref low = tape_if(b, none, l->high, tape_if(b, to_low, u, l->low));
    low = tape_if(b, early, zero, low);
    *high = tape_if(b, none, one, tape_if(b, to_high, u, l->high));
    *high = tape_if(b, early, l->low, *high);
    none = tape_or(b, none, early);
    tape_store(b, tape_out(at->low), low);
    tape_store(b, tape_out(at->high), *high);
    tape_store(b, tape_out(at->moved_end), tape_if(b, ends, zero, now));
    tape_ref close = tape_le(b, ens_op(b, TAPE_SUB, *high, low), l->narrow);
    tape_ref next = ens_op(b, TAPE_ADD, l->count, tape_if(b, none, zero, one));
    tape_store(b, tape_out(at->count), next);
    close = tape_and(b, close, tape_not(b, none));
    return tape_or(b, tape_or(b, whole, close), tape_le(b, tape_const(b, PASSES_MAX), next));
}

bool ens_write_locate(ens_writer *w)
{
    const ens_places *at = &w->events.at;
    locate l = {.w = w,
                .v = ens_view_new(&w->system, w->scratch),
                .low = tape_y(at->low),
                .high = tape_y(at->high),
                .h = tape_y(at->size),
                .count = tape_y(at->count)};
    tape_builder *b = l.v.b;
    l.d.rows = w->events.dense_rows;
    for (int m = 0; m < l.d.rows; m++) {
        l.d.d[m] = arena_array(w->scratch, tape_ref, w->n_part);
        for (int k = 0; k < w->n_part; k++)
            l.d.d[m][k] = tape_y((m ? at->dense + (m - 1) * w->n_part : ENS_Y) + k);
    }
    tape_ref size = ens_op(b, TAPE_ADD, tape_op1(b, TAPE_ABS, tape_y(ENS_T)), l.h);
    l.narrow = ens_op(b, TAPE_DIV, ens_times(b, ROOM_ULPS * DBL_EPSILON, size), l.h);
    tape_ref *part = arena_array(w->scratch, tape_ref, w->n_part), high;
    tape_ref *g = arena_array(w->scratch, tape_ref, w->events.n_relations), u = locate_aim(&l);
    ens_point x;
    if (!locate_at(&l, u, part, &x) || !ens_distances(w, &l.v, &x, g)) return false;
    tape_ref done = locate_narrow(&l, u, g, &high), zero = tape_const(b, 0);
    tape_ref aimed = tape_y(at->aimed), ends = tape_le(b, tape_const(b, 1 - END_PART), high);
    ends = tape_and(b, tape_lt(b, zero, aimed), ends);
    ends = tape_or(b, ends, tape_le(b, high, tape_const(b, END_PART)));
    ends = tape_or(b, ends, tape_le(b, tape_const(b, AIMED_MAX), aimed));
    tape_store(b, tape_out(at->final), tape_and(b, done, ends));
    tape_store(b, tape_out(at->aim), tape_if(b, done, ens_op(b, TAPE_MUL, high, l.h), zero));
    tape_store(b, tape_out(ENS_STATUS),
               tape_if(b, done, tape_const(b, ENS_RUNNING), tape_const(b, ENS_LOCATING)));
    ens_phase_add(w, ENS_LOCATING, b);
    return true;
}
