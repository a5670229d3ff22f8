/* When clocks tick: intervals and shifts of all sub-partitions, in rational numbers.
 *
 * subSample(u, f) multiplies the interval, superSample(u, f) divides it, shiftSample(u, k, r) moves
 * the first tick by k/r intervals. Through those whose factors are known, sub-partitions are tied
 * together to groups; a Clock(n, d) in a group gives it seconds, and what is left open follows from
 * the clocks on both sides. Every interval and shift is a multiple of one interval, the grid, so a
 * tick is a whole number and two ticks are simultaneous exactly where their numbers are equal.
 * Modelica Language Specification 3.6, section 16.7.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/clocks.h"

#include <string.h>

/* ---- ratios ---------------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

static wide common_divisor(wide a, wide b)
{
    while (b) {
        wide r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* n/d in lowest terms; false: it does not fit into 64 bits. */
static bool ratio_make(wide n, wide d, image_ratio *out)
{
    wide g = common_divisor(n, d);
    if (g) n /= g, d /= g;
    if (d < 0) n = -n, d = -d;
    if (n > INT64_MAX || n < -INT64_MAX || d > INT64_MAX) return false;
    *out = (image_ratio){(int64_t)n, (int64_t)d};
    return true;
}

static bool ratio_times(image_ratio a, image_ratio b, image_ratio *out)
{
    wide x = common_divisor(a.n, b.d), y = common_divisor(b.n, a.d);
    if (!x) x = 1;
    if (!y) y = 1;
    return ratio_make((wide)a.n / x * (b.n / y), (wide)a.d / y * (b.d / x), out);
}

static bool ratio_over(image_ratio a, image_ratio b, image_ratio *out)
{
    return ratio_times(a, b.n < 0 ? (image_ratio){-b.d, -b.n} : (image_ratio){b.d, b.n},
                       out);
}

static bool ratio_plus(image_ratio a, image_ratio b, image_ratio *out)
{
    return ratio_make((wide)a.n * b.d + (wide)b.n * a.d, (wide)a.d * b.d, out);
}

static bool ratio_minus(image_ratio a, image_ratio b, image_ratio *out)
{
    return ratio_plus(a, (image_ratio){-b.n, b.d}, out);
}

static bool ratio_equal(image_ratio a, image_ratio b)
{
    return a.n == b.n && a.d == b.d;
}

/* The largest of which both are multiples. */
static bool ratio_grid(image_ratio a, image_ratio b, image_ratio *out)
{
    return ratio_make(common_divisor((wide)a.n * b.d, (wide)b.n * a.d), (wide)a.d * b.d, out);
}

/* ---- groups ---------------------------------------------------------------------------------- */

typedef struct sub_rate {
    image_ratio interval, shift; // in units of the group, from a tick of its own
    int group;                       // -1: none yet
} sub_rate;

typedef struct rate_group {
    bool known;                  // its unit and its start are
    image_ratio unit, start; // in units of the base
} rate_group;

typedef struct rates {
    clock_parts *x;
    sub_rate *sub;
    ARRAY(rate_group) groups;
    bool failed;
} rates;

static int sub_at(const rates *r, int node)
{
    clock_parts *x = r->x;
    return x->sub_of[graph_root(x->up.at, node)] - 1;
}

static bool too_large(rates *r, span at)
{
    diag_error(r->x->w->sink, "S181", at,
               "the factors of these clocks need more than 64 bits; use smaller ones");
    r->failed = true;
    return false;
}

/* The rate on one side of an edge from that on the other. */
static bool edge_follow(rates *r, const clock_edge *e, bool forth, const sub_rate *from,
                        sub_rate *to)
{
    image_ratio factor = {e->a, 1}, part = {1, 1};
    bool longer = (e->op == EXPR_SUBSAMPLE) == forth, ok = true;
    *to = *from;
    switch (e->op) {
    case EXPR_SUBSAMPLE:
    case EXPR_SUPERSAMPLE:
        ok = longer ? ratio_times(from->interval, factor, &to->interval)
                    : ratio_over(from->interval, factor, &to->interval);
        break;
    case EXPR_SHIFTSAMPLE:
    case EXPR_BACKSAMPLE:
        ok = ratio_make(e->a, e->b, &part) && ratio_times(part, from->interval, &part) &&
             ((e->op == EXPR_SHIFTSAMPLE) == forth ? ratio_plus(from->shift, part, &to->shift)
                                                   : ratio_minus(from->shift, part, &to->shift));
        break;
    default: break;
    }
    return ok || too_large(r, e->at);
}

static bool is_open(const clock_edge *e) // it says nothing of intervals, or not how much
{
    return e->op == EXPR_NOCLOCK ||
           ((e->op == EXPR_SUBSAMPLE || e->op == EXPR_SUPERSAMPLE) && !e->a);
}

static bool disagree(rates *r, span at)
{
    diag_error(r->x->w->sink, "S171", at,
               "the clocks do not agree: this leads to another interval or shift than other "
               "equations do; check the factors on both ways");
    r->failed = true;
    return false;
}

/* Spread over edges with known factors until nothing is added; then every such edge must hold. */
static bool spread(rates *r)
{
    const clock_parts *x = r->x;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < x->edges.n; i++) {
            const clock_edge *e = &x->edges.at[i];
            int a = sub_at(r, e->from), b = sub_at(r, e->to);
            if (is_open(e) || (r->sub[a].group < 0) == (r->sub[b].group < 0)) continue;
            bool forth = r->sub[b].group < 0;
            if (!edge_follow(r, e, forth, &r->sub[forth ? a : b], &r->sub[forth ? b : a]))
                return false;
            more = true;
        }
    }
    return true;
}

static bool find_groups(rates *r)
{
    const structure *s = r->x->w->s;
    for (int k = 0; k < s->subs.n; k++) r->sub[k].group = -1;
    for (int k = 0; k < s->subs.n; k++) {
        if (r->sub[k].group >= 0) continue;
        r->sub[k] = (sub_rate){{1, 1}, {0, 1}, r->groups.n};
        array_push(r->x->w->scratch, &r->groups, ((rate_group){.unit = {1, 1}, .start = {0, 1}}));
        if (!spread(r)) return false;
    }
    for (int i = 0; i < r->x->edges.n; i++) {
        const clock_edge *e = &r->x->edges.at[i];
        sub_rate to, *there = &r->sub[sub_at(r, e->to)];
        if (is_open(e)) continue;
        if (!edge_follow(r, e, true, &r->sub[sub_at(r, e->from)], &to)) return false;
        if (!ratio_equal(to.interval, there->interval) || !ratio_equal(to.shift, there->shift))
            return disagree(r, e->at);
    }
    return true;
}

/* ---- absolute rates -------------------------------------------------------------------------- */

static bool absolute(rates *r, int sub, span at, image_ratio *interval, image_ratio *shift)
{
    const sub_rate *q = &r->sub[sub];
    const rate_group *g = &r->groups.at[q->group];
    return (ratio_times(q->interval, g->unit, interval) && ratio_times(q->shift, g->unit, shift) &&
            ratio_plus(*shift, g->start, shift)) ||
           too_large(r, at);
}

/* The sub-partition has this interval and its first tick at this shift. */
static bool settle(rates *r, int sub, image_ratio interval, image_ratio shift, span at)
{
    const sub_rate *q = &r->sub[sub];
    rate_group *g = &r->groups.at[q->group];
    image_ratio unit, start;
    if (!ratio_over(interval, q->interval, &unit) || !ratio_times(q->shift, unit, &start) ||
        !ratio_minus(shift, start, &start))
        return too_large(r, at);
    if (g->known && (!ratio_equal(g->unit, unit) || !ratio_equal(g->start, start)))
        return disagree(r, at);
    *g = (rate_group){true, unit, start};
    return true;
}

/* A factor that was left open: between known clocks it is their quotient, a whole number; where only
 * one side is known, 1. */
static bool infer(rates *r)
{
    const clock_parts *x = r->x;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < x->edges.n; i++) {
            const clock_edge *e = &x->edges.at[i];
            int a = sub_at(r, e->from), b = sub_at(r, e->to);
            bool knows_a = r->groups.at[r->sub[a].group].known,
                 knows_b = r->groups.at[r->sub[b].group].known;
            if (!is_open(e) || knows_a == knows_b) continue;
            image_ratio interval, shift;
            if (!absolute(r, knows_a ? a : b, e->at, &interval, &shift) ||
                !settle(r, knows_a ? b : a, interval, shift, e->at))
                return false;
            more = true;
        }
    }
    return true;
}

static bool check_inferred(rates *r)
{
    const clock_parts *x = r->x;
    for (int i = 0; i < x->edges.n; i++) {
        const clock_edge *e = &x->edges.at[i];
        if (!is_open(e) || e->op == EXPR_NOCLOCK) continue;
        image_ratio ia, ib, sa, sb, factor;
        if (!absolute(r, sub_at(r, e->from), e->at, &ia, &sa) ||
            !absolute(r, sub_at(r, e->to), e->at, &ib, &sb))
            return false;
        bool longer = e->op == EXPR_SUBSAMPLE;
        if (!(longer ? ratio_over(ib, ia, &factor) : ratio_over(ia, ib, &factor)))
            return too_large(r, e->at);
        if (factor.d == 1 && ratio_equal(sa, sb)) continue;
        diag_error(x->w->sink, "S171", e->at,
                   "the factor of %s() is to be inferred, but the clocks on its sides %s",
                   operator_name((expr_op)e->op),
                   factor.d == 1 ? "begin at different times; use shiftSample()"
                                 : "are not a whole number of times slower or faster");
        r->failed = true;
        return false;
    }
    return true;
}

/* ---- the clock of a base-partition ----------------------------------------------------------- */

static image_clock kind_of(const clock_parts *x, expr clock)
{
    const expr_pool *p = x->w->p;
    const expr_node *first = expr_at(p, expr_args(p, clock)[0]);
    bool moves =
        first->op == EXPR_VAR && flat_at(x->w->m, first->u.var.index)->variability > FLAT_PARAMETER;
    switch ((expr_type)first->type) {
    case TYPE_BOOLEAN: return IMAGE_CLOCK_EVENT;
    case TYPE_INTEGER: return moves ? IMAGE_CLOCK_COUNTER : IMAGE_CLOCK_RATIONAL;
    default: return moves ? IMAGE_CLOCK_VARYING : IMAGE_CLOCK_REAL;
    }
}

/* Its condition as a hidden variable of continuous time. */
static int condition_var(clock_parts *x, expr condition, span at)
{
    flat_model *m = x->w->m;
    int v = clock_hidden(x, 'e', TYPE_BOOLEAN, 0, at);
    flat_equation e = {.lhs = clock_var(x, v), .rhs = condition, .at = at};
    array_push(x->w->a, &m->equations, e);
    array_push(x->w->scratch, &x->of_eq, 0);
    return v;
}

static bool take_clock(rates *r, structure_base *b, const clock_given *g, bool first)
{
    clock_parts *x = r->x;
    expr_pool *p = x->w->p;
    image_clock kind = kind_of(x, g->clock);
    const expr *args = expr_args(p, g->clock);
    int sub = sub_at(r, g->node);
    image_ratio interval = {1, 1};
    if (!first && (kind != IMAGE_CLOCK_RATIONAL || b->kind != IMAGE_CLOCK_RATIONAL)) {
        diag_error(x->w->sink, "S172", g->at,
                   "this clock and another one drive the same clocked equations, and their ticks "
                   "cannot be compared: only clocks of the form Clock(3, 10) can; declare one "
                   "Clock variable and use it in both places, or let one be inferred, Clock()");
        diag_note(x->w->sink, b->at, "the other clock");
        r->failed = true;
        return false;
    }
    if (first) {
        b->kind = (uint8_t)kind;
        b->at = g->at;
    }
    switch (kind) {
    case IMAGE_CLOCK_RATIONAL:
        if (!ratio_make(expr_at(p, args[0])->u.integer, expr_at(p, args[1])->u.integer, &interval))
            return too_large(r, g->at);
        break;
    case IMAGE_CLOCK_REAL: b->interval = args[0]; break;
    case IMAGE_CLOCK_COUNTER:
        b->var = expr_at(p, args[0])->u.var.index;
        b->resolution = expr_at(p, args[1])->u.integer;
        break;
    case IMAGE_CLOCK_VARYING: b->var = expr_at(p, args[0])->u.var.index; break;
    case IMAGE_CLOCK_EVENT:
        b->interval = args[1];
        b->var = condition_var(x, args[0], g->at);
        break;
    }
    return settle(r, sub, interval, (image_ratio){0, 1}, g->at);
}

/* No clock is given: one second for the fastest sub-partition. */
static bool default_clock(rates *r, int base)
{
    const clock_parts *x = r->x;
    const structure *s = x->w->s;
    const structure_base *b = &s->bases.at[base];
    int fastest = b->first;
    for (int k = b->first; k < b->first + b->n; k++) {
        image_ratio q;
        if (r->sub[k].group != r->sub[fastest].group) continue;
        if (!ratio_over(r->sub[k].interval, r->sub[fastest].interval, &q)) continue;
        if (q.n < q.d) fastest = k;
    }
    span at = {0, 0};
    for (int i = 0; i < x->clocked.n && !at.end; i++)
        if (s->subs.at[sub_at(r, x->clocked.at[i].node)].base == base) at = x->clocked.at[i].at;
    const diag *last = x->w->sink->last; // the elements of an array are told once
    if (!last || last->at.begin != at.begin || strcmp(last->code, "S175") != 0)
        diag_warning(x->w->sink, "S175", at,
                     "nothing says when these clocked equations are computed: once per second is "
                     "taken; give them a clock, as in sample(u, Clock(1, 100))");
    return settle(r, fastest, (image_ratio){1, 1}, (image_ratio){0, 1}, at);
}

static bool base_clock(rates *r, int base)
{
    const clock_parts *x = r->x;
    structure *s = x->w->s;
    bool any = false;
    for (int i = 0; i < x->given.n; i++) {
        if (s->subs.at[sub_at(r, x->given.at[i].node)].base != base) continue;
        if (!take_clock(r, &s->bases.at[base], &x->given.at[i], !any)) return false;
        any = true;
    }
    return any || default_clock(r, base);
}

/* ---- the grid -------------------------------------------------------------------------------- */

static bool lay_grid(rates *r, int base)
{
    clock_parts *x = r->x;
    structure *s = x->w->s;
    structure_base *b = &s->bases.at[base];
    image_ratio interval, shift, grid = {0, 1}, own = {1, 1}, q;
    bool rational = b->kind == IMAGE_CLOCK_RATIONAL;
    if (!rational) grid = own;
    for (int k = b->first; k < b->first + b->n; k++) {
        if (!absolute(r, k, b->at, &interval, &shift)) return false;
        if (shift.n < 0) {
            diag_error(x->w->sink, "S173", b->at,
                       "a clock that is made from this one by backSample() would tick before the "
                       "simulation begins; shift it by less");
            return false;
        }
        if (!ratio_grid(grid, interval, &grid) || !ratio_grid(grid, shift, &grid))
            return too_large(r, b->at);
    }
    b->grid = grid;
    if (b->kind == IMAGE_CLOCK_EVENT && !ratio_equal(grid, own)) {
        diag_error(x->w->sink, "S174", b->at,
                   "nobody knows when an event clock ticks next, so there is nothing between two "
                   "of its ticks: it can be subsampled, but not supersampled or shifted by parts");
        return false;
    }
    b->every = rational ? 1 : grid.d;
    for (int k = b->first; k < b->first + b->n; k++) {
        structure_sub *u = &s->subs.at[k];
        if (!absolute(r, k, b->at, &interval, &shift)) return false;
        u->interval = interval;
        if (!ratio_over(interval, grid, &q)) return too_large(r, b->at);
        u->every = q.n;
        if (!ratio_over(shift, grid, &q)) return too_large(r, b->at);
        u->shift = q.n;
    }
    return true;
}

bool clock_rates(clock_parts *x)
{
    structure *s = x->w->s;
    rates r = {.x = x};
    r.sub = arena_array(x->w->scratch, sub_rate, s->subs.n + 1);
    if (!find_groups(&r)) return false;
    for (int b = 0; b < s->bases.n; b++)
        if (!base_clock(&r, b)) return false;
    if (!infer(&r) || !check_inferred(&r)) return false;
    // Groups that only noClock() joins with the others, or nothing: they tick as their base does.
    for (int b = 0; b < s->bases.n; b++)
        if (!lay_grid(&r, b)) return false;
    return true;
}
