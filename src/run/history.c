/* delay(e, T): values of the past.
 *
 * Every accepted piece of the trajectory is kept as the polynomial through NODES Chebyshev points
 * of e on it, so that the method's own interpolant is read back to rounding; where e is less smooth
 * than the states, as a function of time that steps need not resolve, in as many parts as it takes.
 * Pieces older than the
 * longest delay are forgotten. Where e jumps, at an event at t_b, two pieces meet with different
 * values; with a constant T the jump comes back at t_b + T, which is a time event, and there as a
 * jump of a higher derivative again and again, smoother each time, until no method can see it
 * (C. A. H. Paul, Appl. Numer. Math. 9 (1992) 403-414). Before that event the left of the two
 * pieces is read, after it the right one. No step is longer than the shortest delay, so that the
 * past is always known, but for delays of what is constant between events; a delay shorter than that
 * is extrapolated from the last piece.
 *
 * The writer of FMUs puts this file into sources as it is, so that it is C99 and needs what the library has
 * alone, too: memory, and expressions that whoever holds it evaluates.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/history.h"

#include "base/bump.h"
#include "run/pieces.h"
#include "run/plug_flow.h"
#include "vincolo_problem.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static double history_ulp(double t) // times closer than this are the same
{
    return 4 * DBL_EPSILON * fabs(t) + DBL_MIN;
}

enum { RETURNS_MAX = 6, HALVINGS_MAX = 10 };
static const double PIECE_TOL = 1e-12;  // relative: between the nodes of a piece
static const double TIME_ROUNDINGS = 8; // of values there: by how far times are rounded
static const double STEP_LEAST = 1e-4;  // part of the longest delay: steps are not held shorter
static const double THROUGH = 0.9;      // of the length of a transport: no step carries further

typedef struct jump {
    double t;
    int returns; // 0: an event; n: came back n times
} jump;

typedef struct delayed {
    double time, longest, first; // first: the value at the start and before
    int passed;                  // jumps that have come back
    int row;                     // of its values in a piece: one, or in0, x and in1
    int transport;               // its number among the profiles; -1: a delay
} delayed;

struct run_past {
    int n; // delays
    int n_y, n_profiles;
    past_delay *list;
    delayed *line;
    double *values; // of m->events.delays
    double *zero;   // in place of y' where it is not known
    double *y, *yp; // a point of the trajectory
    piece_nodes nodes;
    double *piece; // ring of pieces: t0, t1, NODES values of each row
    int n_rows;    // of values in a piece
    run_profile *transport;
    int n_transports;
    double *profile; // of m->events.profiles
    double through;  // time in which the fastest transport passes its length
    size_t head, count, cap;
    jump *jumps;
    int n_jumps, cap_jumps;
    double t_start, longest, shortest;
    bool begun, varies;
    void *block;
    size_t bytes;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t past_layout(run_past *p, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)p->n_y, delays = (size_t)p->n;
    p->line = bump_bytes(&b, delays * sizeof *p->line);
    p->list = bump_bytes(&b, delays * sizeof *p->list);
    p->values = bump_double(&b, 3 * delays);
    p->zero = bump_double(&b, n);
    p->y = bump_double(&b, n);
    p->yp = bump_double(&b, n);
    p->profile = bump_double(&b, (size_t)p->n_profiles);
    return bump_end(&b);
}

run_past *history_new(mem *memory, const past_model *m)
{
    run_past *p = mem_try(memory, sizeof *p);
    if (!p) return NULL;
    *p = (run_past){.n = m->n_delays, .n_y = m->n, .n_profiles = m->n_profiles};
    p->bytes = past_layout(p, NULL);
    p->block = mem_try(memory, p->bytes);
    if (!p->block) {
        mem_free(memory, p, sizeof *p);
        return NULL;
    }
    memset(p->block, 0, p->bytes);
    past_layout(p, p->block);
    memcpy(p->list, m->delays, (size_t)p->n * sizeof *p->list);
    p->nodes = nodes_make();
    for (int k = 0; k < p->n; k++) {
        bool carried = p->list[k].carried;
        p->line[k].row = p->n_rows;
        p->line[k].transport = carried ? p->n_transports++ : -1;
        p->n_rows += carried ? 3 : 1;
    }
    if (p->n_transports) p->transport = profile_new(memory, p->n_transports);
    if (!p->n_transports || p->transport) return p;
    history_drop(memory, p);
    return NULL;
}

static size_t piece_size(const run_past *p)
{
    return 2 + NODES * (size_t)p->n_rows;
}

static double *piece_at(const run_past *p, size_t k)
{
    return p->piece + (p->head + k) % p->cap * piece_size(p);
}

void history_drop(mem *m, run_past *p)
{
    if (!p) return;
    profile_drop(m, p->transport, p->n_transports);
    mem_free(m, p->piece, p->cap * piece_size(p) * sizeof(double));
    mem_free(m, p->jumps, (size_t)p->cap_jumps * sizeof *p->jumps);
    mem_free(m, p->block, p->bytes);
    mem_free(m, p, sizeof *p);
}

static void *copy_of(mem *m, const void *from, size_t bytes)
{
    void *to = from && bytes ? mem_try(m, bytes) : NULL;
    if (to) memcpy(to, from, bytes);
    return to;
}

run_past *history_copy(mem *m, const run_past *p)
{
    run_past *q = copy_of(m, p, sizeof *p);
    if (!q) return NULL;
    q->piece = copy_of(m, p->piece, p->cap * piece_size(p) * sizeof(double));
    q->jumps = copy_of(m, p->jumps, (size_t)p->cap_jumps * sizeof *p->jumps);
    q->block = copy_of(m, p->block, p->bytes);
    if (q->block) past_layout(q, q->block);
    q->transport = p->transport ? profile_copy(m, p->transport, p->n_transports) : NULL;
    if (q->block && !q->piece == !p->piece && !q->jumps == !p->jumps &&
        !q->transport == !p->transport)
        return q;
    history_drop(m, q);
    return NULL;
}

/* ---- as bytes -------------------------------------------------------------------------------- */

typedef struct past_head {
    size_t count;
    int n_jumps, begun, varies;
    double t_start, longest, shortest, through;
} past_head;

size_t history_size(const run_past *p)
{
    if (!p) return 0;
    return sizeof(past_head) + (size_t)p->n * sizeof *p->line +
           p->count * piece_size(p) * sizeof(double) + (size_t)p->n_jumps * sizeof *p->jumps +
           profile_size(p->transport, p->n_transports);
}

void history_write(const run_past *p, unsigned char *out)
{
    past_head h;
    size_t line = (size_t)p->n * sizeof *p->line, piece = piece_size(p) * sizeof(double);
    memset(&h, 0, sizeof h);
    h.count = p->count;
    h.n_jumps = p->n_jumps;
    h.begun = p->begun;
    h.varies = p->varies;
    h.t_start = p->t_start;
    h.longest = p->longest;
    h.shortest = p->shortest;
    h.through = p->through;
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, p->line, line);
    out += sizeof h + line;
    for (size_t k = 0; k < p->count; k++, out += piece) memcpy(out, piece_at(p, k), piece);
    out = profile_write(p->transport, p->n_transports, out);
    if (p->n_jumps) memcpy(out, p->jumps, (size_t)p->n_jumps * sizeof *p->jumps);
}

bool history_read_bytes(mem *m, run_past *p, const unsigned char *from, size_t n)
{
    past_head h;
    size_t line = (size_t)p->n * sizeof *p->line, piece = piece_size(p) * sizeof(double);
    if (n < sizeof h + line) return false;
    memcpy(&h, from, sizeof h);
    n -= sizeof h + line;
    if (h.n_jumps < 0 || h.count > n / piece) return false;
    const unsigned char *after = from + sizeof h + line + h.count * piece;
    n -= h.count * piece;
    size_t carried = profile_read_bytes(m, p->transport, p->n_transports, after, n);
    if ((p->n_transports && !carried) || n - carried != (size_t)h.n_jumps * sizeof *p->jumps)
        return false;
    after += carried;
    double *pieces = mem_try(m, (h.count + 1) * piece);
    jump *jumps = mem_try(m, ((size_t)h.n_jumps + 1) * sizeof *jumps);
    if (!pieces || !jumps) {
        mem_free(m, pieces, (h.count + 1) * piece);
        mem_free(m, jumps, ((size_t)h.n_jumps + 1) * sizeof *jumps);
        return false;
    }
    from += sizeof h;
    memcpy(p->line, from, line);
    memcpy(pieces, from + line, h.count * piece);
    memcpy(jumps, after, (size_t)h.n_jumps * sizeof *jumps);
    mem_free(m, p->piece, p->cap * piece);
    mem_free(m, p->jumps, (size_t)p->cap_jumps * sizeof *p->jumps);
    p->piece = pieces;
    p->jumps = jumps;
    p->head = 0;
    p->count = h.count;
    p->cap = h.count + 1;
    p->n_jumps = h.n_jumps;
    p->cap_jumps = h.n_jumps + 1;
    p->begun = h.begun;
    p->varies = h.varies;
    p->t_start = h.t_start;
    p->longest = h.longest;
    p->shortest = h.shortest;
    p->through = h.through;
    for (int k = 0; k < p->n; k++) // they are places among the jumps
        if (p->line[k].passed < 0 || p->line[k].passed > p->n_jumps) return false;
    return true;
}

void history_forget(run_past *p)
{
    p->begun = false;
    p->count = p->head = 0;
    p->n_jumps = 0;
}

static double *add_piece(const past_host *s)
{
    run_past *p = s->past;
    if (p->count == p->cap) {
        size_t cap = 2 * p->cap + 64, size = piece_size(p) * sizeof(double);
        double *more = mem_try(s->m, cap * size);
        if (!more) return NULL;
        for (size_t k = 0; k < p->count; k++) memcpy((char *)more + k * size, piece_at(p, k), size);
        mem_free(s->m, p->piece, p->cap * size);
        p->piece = more;
        p->head = 0;
        p->cap = cap;
    }
    return piece_at(p, p->count++);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Value and derivative of the polynomial of a piece. */
static void past_polynomial(const run_past *p, const double *piece, int row, double t,
                            double out[2])
{
    double h = piece[1] - piece[0];
    nodes_read(&p->nodes, piece + 2 + NODES * row, (t - piece[0]) / h, out);
    out[1] /= h;
}

// The first piece that begins at or after t (right), or the last that begins before it (left).
static size_t find_piece(const run_past *p, double t, bool right)
{
    size_t low = 0, high = p->count; // pieces before `low` begin before t
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (piece_at(p, middle)[0] < t) low = middle + 1;
        else high = middle;
    }
    if (right) return low < p->count ? low : p->count - 1;
    return low ? low - 1 : 0;
}

static void read_line(const run_past *p, int k, double t, bool constant, double out[2])
{
    const delayed *d = &p->line[k];
    bool right = false;
    out[0] = d->first;
    out[1] = 0;
    if (constant) { // on which side of a jump
        if (d->passed < p->n_jumps) t = fmin(t, p->jumps[d->passed].t);
        if (d->passed && t <= p->jumps[d->passed - 1].t) {
            t = p->jumps[d->passed - 1].t;
            right = true;
        }
    }
    if (t < p->t_start || (t == p->t_start && !right) || !p->count) return;
    const double *piece = piece_at(p, find_piece(p, t, right));
    if (t <= piece[1]) {
        past_polynomial(p, piece, d->row, fmax(t, piece[0]), out);
    } else { // beyond what is known: straight on
        past_polynomial(p, piece, d->row, piece[1], out);
        out[0] += (t - piece[1]) * out[1];
    }
}

static void eval_profiles(const past_host *s, double t, const double *y, const double *yp)
{
    s->profiles(s->user, t, y, yp ? yp : s->past->zero, s->past->profile);
}

static void past_evaluate(const past_host *s, double t, const double *y, const double *yp)
{
    s->delays(s->user, t, y, yp ? yp : s->past->zero, s->past->values);
}

static profile_now carried_now(const run_past *p, int k)
{
    return (profile_now){p->values[3 * k], p->values[3 * k + 1], p->values[3 * k + 2]};
}

/* Its initial points; as many values follow. */
static const double *profile_of(const past_host *s, int k)
{
    const double *at = s->past->profile;
    for (int j = 0; j < k; j++) at += 2 * s->past->list[j].n_profile;
    return at;
}

/* Ends of a profile, whose derivatives are not known, into w. */
static void put_ends(const past_host *s, const past_delay *d, double left, double right)
{
    s->w[d->place] = left;
    s->w[d->place + 2] = right;
    s->w[d->place + 1] = s->w[d->place + 3] = NAN;
}

static void put_first(const past_host *s, int k)
{
    const past_delay *d = &s->past->list[k];
    if (!d->carried) {
        s->w[d->place] = s->past->values[3 * k];
        return;
    }
    const double *values = profile_of(s, k) + d->n_profile;
    put_ends(s, d, values[0], values[d->n_profile - 1]);
}

void history_read(const past_host *s, double t, const double *y, const double *yp)
{
    run_past *p = s->past;
    if (!p->begun) { // at the start the past is the present
        eval_profiles(s, t, y, yp);
        for (int pass = 0; pass < (p->n > 1 ? 2 : 1); pass++) {
            past_evaluate(s, t, y, yp);
            for (int k = 0; k < p->n; k++) put_first(s, k);
        }
        return;
    }
    if (p->varies) past_evaluate(s, t, y, yp);
    for (int k = 0; k < p->n; k++) {
        const past_delay *d = &p->list[k];
        if (d->carried) {
            profile_now now = carried_now(p, k);
            double ends[2];
            profile_at(p->transport, p->line[k].transport, &now, ends);
            put_ends(s, d, ends[0], ends[1]);
            continue;
        }
        double T = d->constant ? p->line[k].time : p->values[3 * k + 1];
        T = fmin(fmax(T, 0), p->line[k].longest);
        read_line(p, k, t - T, d->constant, &s->w[d->place]);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The initial profile, if it is one. */
static int begin_transport(const past_host *s, int k)
{
    const past_delay *d = &s->past->list[k];
    const double *points = profile_of(s, k);
    double last = 0;
    for (int i = 0; i < d->n_profile; last = points[i++]) {
        if (points[i] >= last && points[i] <= 1) continue;
        char words[200];
        snprintf(words, sizeof words,
                 "initialPoints of spatialDistribution() must lie between 0 and 1 and must not "
                 "descend; number %d is %.10g",
                 i + 1, points[i]);
        s->complain(s->user, k, words);
        return -1;
    }
    run_past *p = s->past;
    return profile_begin(s->m, p->transport, p->line[k].transport, p->values[3 * k + 1], points,
                         points + d->n_profile, d->n_profile);
}

static int past_begin(const past_host *s, double t, const double *y, const double *yp)
{
    run_past *p = s->past;
    history_read(s, t, y, yp);
    p->begun = true;
    p->t_start = t;
    p->longest = 0;
    p->shortest = INFINITY;
    p->varies = false;
    p->through = INFINITY;
    for (int k = 0; k < p->n; k++) {
        delayed *d = &p->line[k];
        p->varies = p->varies || !p->list[k].constant;
        d->passed = 0;
        if (d->transport >= 0) {
            int rc = begin_transport(s, k);
            if (rc) return rc;
            continue;
        }
        d->time = p->values[3 * k + 1];
        d->longest = p->values[3 * k + 2];
        d->first = p->values[3 * k];
        p->longest = fmax(p->longest, p->line[k].longest);
        if (!p->list[k].still) p->shortest = fmin(p->shortest, p->line[k].time);
    }
    history_break(s, t, 0);
    return 0;
}

// Jumps that come back to delay k at t; the least smooth one decides, a value that jumps first of
// all.
static int pass_jumps(const past_host *s, int k, double t)
{
    const double SAME = 1e-10; // relative: no jump
    run_past *p = s->past;
    delayed *d = &p->line[k];
    double left[2], right[2];
    int returns = -1;
    read_line(p, k, t - d->time, true, left);
    while (d->passed < p->n_jumps && p->jumps[d->passed].t + d->time <= t + history_ulp(t)) {
        int n = p->jumps[d->passed++].returns + 1;
        if (returns < 0 || n < returns) returns = n;
    }
    read_line(p, k, t - d->time, true, right);
    bool jumps = fabs(right[0] - left[0]) > SAME * (fabs(right[0]) + fabs(left[0]));
    return returns >= 0 && jumps ? 0 : returns;
}

static int check_times(const past_host *s, double t);

int history_event(const past_host *s, double t, const double *y, const double *yp, bool begin)
{
    run_past *p = s->past;
    int least = -1;
    if (!p) return 0;
    if (begin) {
        if (past_begin(s, t, y, yp)) return -1;
        past_evaluate(s, t, y, yp);
        if (check_times(s, t)) return -1;
    } else if (p->n_transports) {
        past_evaluate(s, t, y, yp);
    }
    for (int k = 0; k < p->n; k++) {
        int of = p->line[k].transport;
        if (of >= 0 && profile_pass(p->transport, of, p->values[3 * k + 1])) least = 0;
        if (!s->past->list[k].constant) continue;
        int n = pass_jumps(s, k, t);
        if (n >= 0 && (least < 0 || n < least)) least = n;
    }
    return least + 1;
}

void history_break(const past_host *s, double t, int returns)
{
    run_past *p = s->past;
    if (!p || returns > RETURNS_MAX) return;
    if (p->n_jumps && p->jumps[p->n_jumps - 1].t == t) return;
    int old = 0; // jumps that have come back to everyone
    while (old < p->n_jumps && p->jumps[old].t + p->longest < t) old++;
    for (int k = 0; k < p->n; k++) {
        if (!s->past->list[k].constant) continue;
        if (p->line[k].passed - 1 < old) old = p->line[k].passed - 1; // one is kept as the left end
    }
    if (old > 0) {
        p->n_jumps -= old;
        memmove(p->jumps, p->jumps + old, (size_t)p->n_jumps * sizeof *p->jumps);
        for (int k = 0; k < p->n; k++)
            if (s->past->list[k].constant) p->line[k].passed -= old;
    }
    if (p->n_jumps == p->cap_jumps) {
        int cap = 2 * p->cap_jumps + 16;
        jump *more = mem_try(s->m, (size_t)cap * sizeof *more);
        if (!more) return; // the jump is found by the error test instead
        if (p->n_jumps) memcpy(more, p->jumps, (size_t)p->n_jumps * sizeof *more);
        mem_free(s->m, p->jumps, (size_t)p->cap_jumps * sizeof *more);
        p->jumps = more;
        p->cap_jumps = cap;
    }
    p->jumps[p->n_jumps++] = (jump){t, returns};
}

double history_next(const past_host *s, double t)
{
    const run_past *p = s->past;
    double next = INFINITY;
    for (int k = 0; p && k < p->n; k++) {
        const delayed *d = &p->line[k];
        if (!s->past->list[k].constant || d->passed >= p->n_jumps) continue;
        double back = p->jumps[d->passed].t + d->time;
        if (back > t + history_ulp(t)) next = fmin(next, back);
    }
    return next;
}

/* ---- the trajectory -------------------------------------------------------------------------- */

double history_step_limit(const run_past *p, double t)
{
    return t + fmin(fmax(p->shortest, STEP_LEAST * p->longest), THROUGH * p->through);
}

void history_margins(const past_host *s, double t, const double *y, const double *yp, double *g)
{
    const run_past *p = s->past;
    if (!p || !p->n_transports) return;
    past_evaluate(s, t, y, yp);
    for (int k = 0; k < p->n; k++)
        if (p->line[k].transport >= 0)
            profile_margins(p->transport, p->line[k].transport, p->values[3 * k + 1],
                            &g[2 * p->line[k].transport]);
}

static int check_times(const past_host *s, double t)
{
    run_past *p = s->past;
    p->shortest = INFINITY;
    for (int k = 0; k < p->n; k++) {
        const past_delay *d = &s->past->list[k];
        double T = p->values[3 * k + 1];
        if (d->carried) continue;
        if (p->line[k].longest == 0 && T == 0) {
            if (d->may_vanish) continue;
            s->complain(s->user, k,
                        "the delay time was set to 0 after the model was made with "
                        "another one; load the model with 0 for it (-p)");
            return -1;
        }
        if (!d->still) p->shortest = fmin(p->shortest, T);
        if (T >= 0 && T <= p->line[k].longest * (1 + 1e-12)) continue;
        char words[200];
        snprintf(words, sizeof words,
                 T >= 0 ? "the delay time %.10g is longer than the longest, %.10g, at t = %.10g"
                        : "the delay time is negative: %.10g (at most %.10g is remembered) at "
                          "t = %.10g",
                 T, p->line[k].longest, t);
        s->complain(s->user, k, words);
        return -1;
    }
    return 0;
}

/* Where an accepted trajectory is asked. */
typedef struct trajectory {
    int (*at)(void *user, double t, double *y, double *yp);
    void *user;
} trajectory;

/* The delayed expressions at a time of it, in p->values. */
static int past_sample(const past_host *s, const trajectory *x, double t)
{
    run_past *p = s->past;
    if (x->at(x->user, t, p->y, p->yp)) return -1;
    history_read(s, t, p->y, p->yp);
    past_evaluate(s, t, p->y, p->yp);
    return check_times(s, t);
}

static int rows_of(const run_past *p, int k)
{
    return p->line[k].transport >= 0 ? 3 : 1;
}

/* Does the newest piece hold between its nodes? 1, 0, or -1. */
static int piece_holds(const past_host *s, const trajectory *x)
{
    static const double places[] = {0.376, 0.845}; // near extrema of the product of the nodes
    run_past *p = s->past;
    for (size_t j = 0; j < sizeof places / sizeof *places; j++) {
        const double *piece = piece_at(p, p->count - 1);
        double t = piece[0] + (piece[1] - piece[0]) * places[j];
        if (past_sample(s, x, t)) return -1;
        for (int k = 0; k < p->n; k++)
            for (int part = 0; part < rows_of(p, k); part++) {
                int row = p->line[k].row + part;
                const double *v = piece + 2 + NODES * row;
                double size = part == 1, least = v[0], most = v[0], kept[2]; // x: of the length
                for (int i = 0; i < NODES; i++) {
                    size = fmax(size, fabs(v[i]));
                    least = fmin(least, v[i]);
                    most = fmax(most, v[i]);
                }
                past_polynomial(p, piece, row, t, kept);
                double slope = fmax(fabs(kept[1]), (most - least) / (piece[1] - piece[0]));
                double room = PIECE_TOL * size + TIME_ROUNDINGS * DBL_EPSILON * fabs(t) * slope;
                if (fabs(kept[0] - p->values[3 * k + part]) > room) return 0;
            }
    }
    return 1;
}

static int past_keep(const past_host *s, const trajectory *x, double t0, double t1, int halvings)
{
    run_past *p = s->past;
    double *piece = add_piece(s);
    if (!piece) return VINC_E_MEMORY;
    piece[0] = t0;
    piece[1] = t1;
    for (int i = 0; i < NODES; i++) {
        double t = i == 0 ? t0 : i == NODES - 1 ? t1 : t0 + (t1 - t0) * p->nodes.at[i];
        if (past_sample(s, x, t)) return -1;
        for (int k = 0; k < p->n; k++)
            for (int part = 0; part < rows_of(p, k); part++)
                piece[2 + NODES * (p->line[k].row + part) + i] = p->values[3 * k + part];
    }
    double middle = 0.5 * (t0 + t1);
    if (halvings == HALVINGS_MAX || !(middle - t0 > history_ulp(t1))) return 0;
    int holds = piece_holds(s, x);
    if (holds) return holds < 0 ? -1 : 0;
    p->count--; // its halves instead
    int rc = past_keep(s, x, t0, middle, halvings + 1);
    return rc ? rc : past_keep(s, x, middle, t1, halvings + 1);
}

/* What has entered profiles with the pieces from this one on. */
static int carry(const past_host *s, size_t from)
{
    run_past *p = s->past;
    p->through = INFINITY;
    for (int k = 0; k < p->n; k++) {
        const delayed *d = &p->line[k];
        if (d->transport < 0) continue;
        for (size_t i = from; i < p->count; i++) {
            const double *piece = piece_at(p, i), *in0 = piece + 2 + NODES * d->row;
            const double *x = in0 + NODES, *in1 = x + NODES;
            int rc = profile_add(s->m, p->transport, d->transport, in0, x, in1, i == from);
            if (rc) return rc;
            double slope[2];
            past_polynomial(p, piece, d->row + 1, piece[1], slope);
            if (i + 1 == p->count) p->through = fmin(p->through, 1 / fabs(slope[1]));
        }
    }
    return VINC_OK;
}

int history_accept(const past_host *s, double t0, double t1,
                   int (*at)(void *trajectory, double t, double *y, double *yp), void *points)
{
    run_past *p = s->past;
    size_t before = p->count;
    int rc = past_keep(s, &(trajectory){at, points}, t0, t1, 0);
    if (!rc && p->n_transports) rc = carry(s, before);
    if (rc) return rc;
    // Times between t0 and t1 are still asked for, and so is the left of a jump that comes back at
    // t0: rounding must not make it too old.
    while (p->count > 1 && piece_at(p, 0)[1] < t0 - p->longest - history_ulp(t1)) {
        p->head = (p->head + 1) % p->cap;
        p->count--;
    }
    return 0;
}
