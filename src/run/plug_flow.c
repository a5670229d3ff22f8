/* spatialDistribution(in0, in1, x, ...): a profile z(y, t) that is carried along a line of length 1.
 *
 * z is constant along y - x(t), the label of what is carried, and so the profile is kept by labels: z over
 * the labels from -x (at y = 0) to 1 - x (at y = 1), in segments. What enters with an accepted piece of the
 * trajectory becomes one: the polynomials through the NODES Chebyshev points of the piece of its labels, -x
 * or 1 - x, and of its values, in0 or in1; a label is looked up by solving the first for the place in the
 * piece. So what leaves is what entered to rounding, however x moves. What has left is cut off when the next
 * piece is accepted, for times in the last one are still asked for.
 *
 * Where neighbouring segments do not meet, because in0 jumped at an event or the initial profile jumps, what
 * leaves jumps when that label reaches an end: each end reads one side of it until an event, found by the
 * indicators of profile_margins, lets it pass. Where a step carries something through as a whole, what has
 * entered in it is taken to be straight between the last value known and the present one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/plug_flow.h"

#include "vincolo.h"

#include <string.h>

static const double SAME = 1e-10;   // relative: no jump
static const double HOLD = 1e-12;   // times 1 + |x|: a jump that far beyond an end is past
static const double RESTS = 1e-13;  // times 1 + |x|: nothing has entered
enum { SOLVE_MAX = 60, ROOM = 16 }; // steps of a bisection; first segments

typedef struct segment {
    double low, high; // labels that it holds
    double label[NODES], z[NODES];
    bool jump; // between it and the one below
} segment;

struct run_profile {
    piece_nodes nodes;
    segment *ring;
    size_t head, count, cap;
    double x;                  // up to which all has entered
    int way;                   // 1, -1: what entered last came from 0, from 1
    size_t at[2];              // segment that is read at each end
    double below[2], above[2]; // labels of the jumps next to it; infinite: there is none
};

/* ---- memory ---------------------------------------------------------------------------------- */

run_profile *profile_new(mem *m, int n)
{
    run_profile *q = mem_try(m, (size_t)n * sizeof *q);
    if (q) memset(q, 0, (size_t)n * sizeof *q);
    for (int k = 0; q && k < n; k++) q[k].nodes = nodes_make();
    return q;
}

void profile_drop(mem *m, run_profile *q, int n)
{
    if (!q) return;
    for (int k = 0; k < n; k++) mem_free(m, q[k].ring, q[k].cap * sizeof *q->ring);
    mem_free(m, q, (size_t)n * sizeof *q);
}

static segment *segment_at(const run_profile *q, size_t i)
{
    return &q->ring[(q->head + i) % q->cap];
}

run_profile *profile_copy(mem *m, const run_profile *q, int n)
{
    run_profile *to = profile_new(m, n);
    for (int k = 0; to && k < n; k++) {
        size_t bytes = q[k].cap * sizeof *q->ring;
        to[k] = q[k];
        to[k].ring = bytes ? mem_try(m, bytes) : NULL;
        if (to[k].ring) {
            memcpy(to[k].ring, q[k].ring, bytes);
        } else if (bytes) {
            to[k].cap = 0;
            profile_drop(m, to, n);
            to = NULL;
        }
    }
    return to;
}

size_t profile_size(const run_profile *q, int n)
{
    size_t size = 0;
    for (int k = 0; k < n; k++) size += sizeof *q + q[k].count * sizeof *q->ring;
    return size;
}

unsigned char *profile_write(const run_profile *q, int n, unsigned char *out)
{
    for (int k = 0; k < n; k++) {
        run_profile bare;
        memset(&bare, 0, sizeof bare); // no bytes that nobody set
        bare.count = q[k].count;
        bare.x = q[k].x;
        bare.way = q[k].way;
        for (int e = 0; e < 2; e++) {
            bare.at[e] = q[k].at[e];
            bare.below[e] = q[k].below[e];
            bare.above[e] = q[k].above[e];
        }
        memcpy(out, &bare, sizeof bare);
        out += sizeof bare;
        for (size_t i = 0; i < q[k].count; i++, out += sizeof *q->ring)
            memcpy(out, segment_at(&q[k], i), sizeof *q->ring);
    }
    return out;
}

size_t profile_read_bytes(mem *m, run_profile *q, int n, const unsigned char *from, size_t size)
{
    size_t left = size;
    for (int k = 0; k < n; k++) {
        run_profile x;
        if (left < sizeof x) return 0;
        memcpy(&x, from, sizeof x);
        from += sizeof x;
        left -= sizeof x;
        bool begun = x.count > 0;
        if (x.count > left / sizeof *x.ring ||
            (begun && (x.at[0] >= x.count || x.at[1] >= x.count)))
            return 0;
        x.nodes = q[k].nodes;
        x.head = 0;
        x.cap = x.count + ROOM;
        x.ring = mem_try(m, x.cap * sizeof *x.ring);
        if (!x.ring) return 0;
        memcpy(x.ring, from, x.count * sizeof *x.ring);
        from += x.count * sizeof *x.ring;
        left -= x.count * sizeof *x.ring;
        mem_free(m, q[k].ring, q[k].cap * sizeof *q->ring);
        q[k] = x;
    }
    return size - left;
}

static bool make_room(mem *m, run_profile *q)
{
    if (q->count < q->cap) return true;
    size_t cap = 2 * q->cap + ROOM;
    segment *more = mem_try(m, cap * sizeof *more);
    if (!more) return false;
    for (size_t i = 0; i < q->count; i++) more[i] = *segment_at(q, i);
    mem_free(m, q->ring, q->cap * sizeof *more);
    q->ring = more;
    q->head = 0;
    q->cap = cap;
    return true;
}

static segment *push_above(run_profile *q) // there is room
{
    return segment_at(q, q->count++);
}

static segment *push_below(run_profile *q)
{
    q->head = (q->head + q->cap - 1) % q->cap;
    q->count++;
    for (int e = 0; e < 2; e++) q->at[e]++;
    return segment_at(q, 0);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Where in the piece this label entered: between the nodes that it lies between, by Newton's method within
 * a bracket. */
static double place_of(const piece_nodes *x, const double *label, double of)
{
    int i = 0;
    while (i < NODES - 2 && (label[i + 1] - of) * (label[NODES - 1] - label[0]) < 0) i++;
    double a = x->at[i], b = x->at[i + 1], sign = label[NODES - 1] > label[0] ? 1 : -1, f[2];
    double span = label[i + 1] - label[i];
    double u = span != 0 ? a + (b - a) * (of - label[i]) / span : a;
    for (int k = 0; k < SOLVE_MAX; k++) {
        if (!(u > a && u < b)) u = 0.5 * (a + b);
        nodes_read(x, label, u, f);
        double r = sign * (f[0] - of);
        if (r == 0) return u;
        if (r > 0) b = u;
        else a = u;
        double next = u - (f[0] - of) / f[1];
        if (fabs(next - u) <= 1e-16 || b - a <= 1e-16) return next >= a && next <= b ? next : u;
        u = next;
    }
    return u;
}

static double segment_value(const run_profile *q, const segment *s, double label)
{
    bool constant = true;
    for (int i = 1; i < NODES && constant; i++) constant = s->z[i] == s->z[0];
    if (constant) return s->z[0];
    double out[2], first = s->label[0], last = s->label[NODES - 1];
    label = fmin(fmax(label, s->low), s->high);
    if (label <= fmin(first, last)) return s->z[first < last ? 0 : NODES - 1];
    if (label >= fmax(first, last)) return s->z[first < last ? NODES - 1 : 0];
    nodes_read(&q->nodes, s->z, place_of(&q->nodes, s->label, label), out);
    return out[0];
}

/* The segment with this label on the side of the jumps that end e reads. */
static size_t segment_of(const run_profile *q, int e, double label)
{
    size_t i = q->at[e];
    while (i > 0 && label < segment_at(q, i)->low && !segment_at(q, i)->jump) i--;
    while (i + 1 < q->count && label > segment_at(q, i)->high && !segment_at(q, i + 1)->jump) i++;
    return i;
}

static double at_end(const run_profile *q, int e, const profile_now *now)
{
    double label = e - now->x;
    size_t i = segment_of(q, e, label);
    const segment *s = segment_at(q, i);
    double low = -now->x, high = 1 - now->x;
    if (!i && label < s->low && low < s->low) {
        double z = segment_value(q, s, s->low);
        return z + (now->in0 - z) * (s->low - label) / (s->low - low);
    }
    if (i + 1 == q->count && label > s->high && high > s->high) {
        double z = segment_value(q, s, s->high);
        return z + (now->in1 - z) * (label - s->high) / (high - s->high);
    }
    return segment_value(q, s, label);
}

void profile_at(const run_profile *all, int k, const profile_now *now, double out[2])
{
    for (int e = 0; e < 2; e++) out[e] = at_end(&all[k], e, now);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static bool differ(double a, double b)
{
    return fabs(a - b) > SAME * (fabs(a) + fabs(b));
}

static void find_jumps(run_profile *q)
{
    for (int e = 0; e < 2; e++) {
        size_t i = q->at[e];
        while (i > 0 && !segment_at(q, i)->jump) i--;
        q->below[e] = i > 0 ? segment_at(q, i)->low : -INFINITY;
        i = q->at[e];
        while (i + 1 < q->count && !segment_at(q, i + 1)->jump) i++;
        q->above[e] = i + 1 < q->count ? segment_at(q, i)->high : INFINITY;
    }
}

void profile_margins(const run_profile *all, int k, double x, double g[2])
{
    const run_profile *q = &all[k];
    for (int e = 0; e < 2; e++) {
        double label = e - x, least = fmin(label - q->below[e], q->above[e] - label);
        g[e] = q->count && least < INFINITY ? least + HOLD * (1 + fabs(x)) : 1;
    }
}

bool profile_pass(run_profile *all, int k, double x)
{
    run_profile *q = &all[k];
    bool passed = false;
    for (int e = 0; e < 2 && q->count; e++) {
        double label = e - x, beyond = 0.5 * HOLD * (1 + fabs(x)); // of what the indicators hold
        for (bool again = true; again;) {
            again = false;
            if (label < q->below[e] - beyond) {
                while (!segment_at(q, q->at[e])->jump) q->at[e]--;
                q->at[e]--;
                again = true;
            } else if (label > q->above[e] + beyond) {
                while (!segment_at(q, q->at[e] + 1)->jump) q->at[e]++;
                q->at[e]++;
                again = true;
            }
            if (again) find_jumps(q);
            passed = passed || again;
        }
    }
    return passed;
}

/* ---- the profile ----------------------------------------------------------------------------- */

static void add_straight(run_profile *q, double low, double high, double z0, double z1, bool jump)
{
    segment *s = push_above(q);
    *s = (segment){.low = low, .high = high, .jump = jump};
    for (int i = 0; i < NODES; i++) {
        s->label[i] = i == NODES - 1 ? high : low + (high - low) * q->nodes.at[i];
        s->z[i] = i == NODES - 1 ? z1 : z0 + (z1 - z0) * q->nodes.at[i];
    }
}

int profile_begin(mem *m, run_profile *all, int k, double x, const double *points,
                  const double *values, int n)
{
    run_profile *q = &all[k];
    q->head = q->count = 0;
    q->x = x;
    q->way = 0;
    double y = 0, z = values[0];
    for (int i = 0; i <= n; i++) {
        double y1 = i < n ? points[i] : 1, z1 = values[i < n ? i : n - 1];
        if (y1 > y) {
            if (!make_room(m, q)) return VINC_E_MEMORY;
            bool jump = q->count && differ(segment_at(q, q->count - 1)->z[NODES - 1], z);
            add_straight(q, y - x, y1 - x, i ? z : z1, z1, jump);
        }
        y = fmax(y, y1);
        z = z1;
    }
    q->at[0] = 0;
    q->at[1] = q->count - 1;
    find_jumps(q);
    return VINC_OK;
}

/* Cut off what has left when x was this; the ends read on where they were. */
static void trim(run_profile *q, double x)
{
    double low = -x, high = 1 - x;
    for (int e = 0; e < 2; e++) q->at[e] = segment_of(q, e, e ? high : low);
    while (q->at[1] + 1 < q->count && segment_at(q, q->count - 1)->low >= high) q->count--;
    while (q->at[0] > 0 && segment_at(q, 0)->high <= low) {
        q->head = (q->head + 1) % q->cap;
        q->count--;
        for (int e = 0; e < 2; e++) q->at[e] -= q->at[e] > 0;
    }
    segment *first = segment_at(q, 0), *last = segment_at(q, q->count - 1);
    first->low = fmin(fmax(first->low, low), first->high);
    last->high = fmax(fmin(last->high, high), last->low);
}

int profile_add(mem *m, run_profile *all, int k, const double *in0, const double *x,
                const double *in1, bool first)
{
    run_profile *q = &all[k];
    double from = q->x, to = x[NODES - 1];
    if (fabs(to - from) <= RESTS * (1 + fabs(to))) return VINC_OK;
    int way = to > from ? 1 : -1;
    if (!make_room(m, q)) return VINC_E_MEMORY;
    if (first || way != q->way) trim(q, from);
    segment s = {.low = way > 0 ? -to : 1 - from, .high = way > 0 ? -from : 1 - to};
    for (int i = 0; i < NODES; i++) {
        s.label[i] = (way > 0 ? 0 : 1) - x[i];
        s.z[i] = (way > 0 ? in0 : in1)[i];
    }
    segment *beside = segment_at(q, way > 0 ? 0 : q->count - 1);
    bool jump = differ(segment_value(q, beside, way > 0 ? beside->low : beside->high), s.z[0]);
    if (way > 0) {
        beside->jump = jump;
        *push_below(q) = s;
        q->at[0] = 0;
    } else {
        s.jump = jump;
        *push_above(q) = s;
        q->at[1] = q->count - 1;
    }
    q->x = to;
    q->way = way;
    find_jumps(q);
    return VINC_OK;
}
