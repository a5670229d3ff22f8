/* Start values that equations give one after another.
 *
 * Newton's method begins at a point where every equation has a value. R = 1/G has none at G = 0,
 * although another equation gives G: so the equations that hold a single unknown are solved first,
 * then those that hold a single further one, and so on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "newton/iterate.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

typedef struct sequence {
    start_entries q;
    int *waiting;         // of each row: how many unknowns it has
    int *last;            // ... and their numbers summed: that of the only one left
    uint8_t *known;       // of each unknown
    int *row, *z, n;      // equations to be solved now, each for its unknown
    double *best, *found; // of these
    double *step;
} sequence;

static size_t sequence_layout(sequence *s, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)s->q.m, z = (size_t)s->q.n_z;
    s->waiting = bump_int(&b, m);
    s->last = bump_int(&b, m);
    s->known = bump_bytes(&b, z);
    s->row = bump_int(&b, z);
    s->z = bump_int(&b, z);
    s->best = bump_double(&b, z);
    s->found = bump_double(&b, z);
    s->step = bump_double(&b, z);
    return bump_end(&b);
}

/* The pattern is that of dF/dy and dF/dy' together: derivatives that do not occur in a row go. */
static void drop_absent(start_entries *q)
{
    int kept = 0;
    start_jacobian(q->a);
    for (int z = 0, e = 0; z < q->n_z; z++) {
        int end = q->begin[z + 1];
        q->begin[z] = kept;
        for (; e < end; e++) {
            if (q->where[e] & 1 && start_value(q, e) == 0) continue;
            q->row[kept] = q->row[e];
            q->source[kept] = q->source[e];
            q->where[kept++] = q->where[e];
        }
    }
    q->begin[q->n_z] = q->nnz = kept;
}

/* An unknown is known from now on: its rows have one less. */
static void sequence_settle(sequence *s, int z)
{
    for (int e = s->q.begin[z]; e < s->q.begin[z + 1]; e++) {
        s->waiting[s->q.row[e]]--;
        s->last[s->q.row[e]] -= z;
    }
}

static void next_rows(sequence *s)
{
    s->n = 0;
    for (int i = 0; i < s->q.m; i++) {
        int z = s->last[i];
        if (s->waiting[i] != 1 || s->known[z]) continue;
        s->known[z] = 1;
        s->row[s->n] = i;
        s->z[s->n++] = z;
    }
}

/* Where a row has no value with its unknown as it is: the power of ten with the smallest residual. */
static void look_around(sequence *s)
{
    enum { DECADES = 12 };
    start *a = s->q.a;
    bool search = false;
    start_residual(a, a->scaled);
    for (int k = 0; k < s->n; k++) {
        s->best[k] = isfinite(a->scaled[s->row[k]]) ? 0 : INFINITY;
        s->found[k] = a->z[s->z[k]];
        search = search || s->best[k] > 0;
    }
    for (int i = -2 * DECADES; search && i <= 2 * DECADES + 1; i++) {
        double size = (i & 1 ? -1 : 1) * pow(10, i >> 1);
        for (int k = 0; k < s->n; k++)
            if (s->best[k] > 0) a->z[s->z[k]] = size * a->nominal[s->z[k]];
        start_spread(a, a->z);
        start_residual(a, a->scaled);
        for (int k = 0; k < s->n; k++) {
            double r = fabs(a->scaled[s->row[k]]);
            if (!(r < s->best[k])) continue;
            s->best[k] = r;
            s->found[k] = a->z[s->z[k]];
        }
    }
    for (int k = 0; k < s->n; k++) a->z[s->z[k]] = s->found[k];
    start_spread(a, a->z);
}

/* Newton's method in one unknown for each row, all at once. */
static double sequence_step(void *user, bool anew, double *measure)
{
    sequence *s = user;
    const start_entries *q = &s->q;
    start *a = q->a;
    double most = 0;
    (void)anew, (void)measure;
    start_residual(a, a->scaled);
    start_jacobian(a);
    for (int k = 0; k < s->n; k++) {
        int z = s->z[k];
        double slope = 0;
        for (int e = q->begin[z]; e < q->begin[z + 1]; e++)
            if (q->row[e] == s->row[k]) slope += start_value(q, e);
        double d = a->scaled[s->row[k]] / slope;
        s->step[k] = isfinite(d) ? d : 0;
        most = fmax(most, fabs(s->step[k]) / (fabs(a->z[z]) + a->nominal[z]));
    }
    return most;
}

static double sequence_move(void *user, double factor)
{
    sequence *s = user;
    start *a = s->q.a;
    for (int k = 0; k < s->n; k++) a->z[s->z[k]] -= factor * s->step[k];
    start_spread(a, a->z);
    return 0;
}

static void solve_rows(sequence *s)
{
    static const newton_verbs verbs = {.correction = sequence_step, .trial = sequence_move};
    newton_course course;
    if (!s->n) return;
    look_around(s);
    newton_iterate(&verbs, s, &newton_for_single_rows, &course);
}

int start_sequence(start *a)
{
    sequence s;
    if (start_entries_open(&s.q, a)) return LEAST_MEMORY;
    size_t bytes = sequence_layout(&s, NULL);
    void *block = mem_try(run_mem(a->s), bytes);
    if (!block) return start_entries_close(&s.q), LEAST_MEMORY;
    memset(block, 0, bytes);
    sequence_layout(&s, block);
    drop_absent(&s.q);
    for (int z = 0; z < s.q.n_z; z++)
        for (int e = s.q.begin[z]; e < s.q.begin[z + 1]; e++) {
            s.waiting[s.q.row[e]]++;
            s.last[s.q.row[e]] += z;
        }
    // First what is fixed, and follows from that; then states at their start values.
    for (int states = 0; states < 2; states++) {
        s.n = 0;
        for (int z = 0; z < s.q.n_z; z++)
            if (!s.known[z] && (states ? a->weight[z] > 0 : a->fixed[z]))
                s.known[s.z[s.n++] = z] = 1;
        do {
            for (int k = 0; k < s.n; k++) sequence_settle(&s, s.z[k]);
            next_rows(&s);
            solve_rows(&s);
        } while (s.n);
    }
    mem_free(run_mem(a->s), block, bytes);
    start_entries_close(&s.q);
    return LEAST_OK;
}
