/* An order of elimination: always the unknown with the fewest neighbours, whose neighbours then are
 * neighbours of one another (D. J. Rose, in Graph Theory and Computing, 1972, 183-217).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "browser/plain.h"

#include <stdlib.h>
#include <string.h>

typedef struct vertex {
    int *near; // no order, each once
    int n, room;
} vertex;

typedef struct ordering {
    int n;
    vertex *v;
    int *seen; // the last round in which a vertex was met
    int round;
    char *gone;
} ordering;

static int put(vertex *v, int w)
{
    if (v->n == v->room) {
        int room = v->room ? 2 * v->room : 8, *more = realloc(v->near, (size_t)room * sizeof *more);
        if (!more) return -1;
        v->near = more;
        v->room = room;
    }
    v->near[v->n++] = w;
    return 0;
}

/* Both ways; doubles are taken out afterwards. Returns the number of entries off the diagonal or -1. */
static int put_pattern(ordering *o, const int *start, const int *row)
{
    int entries = 0;
    for (int j = 0; j < o->n; j++)
        for (int k = start[j]; k < start[j + 1]; k++) {
            if (row[k] == j) continue;
            if (put(&o->v[j], row[k]) || put(&o->v[row[k]], j)) return -1;
            entries++;
        }
    return entries;
}

/* Without doubles, what has gone, and `self`. */
static void tidy(ordering *o, int self)
{
    vertex *v = &o->v[self];
    int n = 0;
    o->seen[self] = ++o->round;
    for (int k = 0; k < v->n; k++) {
        int w = v->near[k];
        if (o->gone[w] || o->seen[w] == o->round) continue;
        o->seen[w] = o->round;
        v->near[n++] = w;
    }
    v->n = n;
}

static int eliminate(ordering *o, int p)
{
    vertex *v = &o->v[p];
    o->gone[p] = 1;
    for (int k = 0; k < v->n; k++) {
        int u = v->near[k];
        for (int l = 0; l < v->n; l++)
            if (put(&o->v[u], v->near[l])) return -1;
        tidy(o, u);
    }
    free(v->near);
    *v = (vertex){0};
    return 0;
}

static int least_degree(const ordering *o)
{
    int best = -1;
    for (int i = 0; i < o->n; i++)
        if (!o->gone[i] && (best < 0 || o->v[i].n < o->v[best].n)) best = i;
    return best;
}

static int find_order(ordering *o, const int *start, const int *row, int *order, double *info)
{
    int entries = put_pattern(o, start, row);
    double pairs = 0;
    if (entries < 0) return -1;
    for (int i = 0; i < o->n; i++) {
        int before = o->v[i].n;
        tidy(o, i);
        pairs += before - o->v[i].n; // met from both sides, by both
    }
    info[PLAIN_SYMMETRY] = entries ? pairs / entries : 1;
    for (int k = 0; k < o->n; k++) {
        int p = least_degree(o);
        double degree = o->v[p].n;
        order[k] = p;
        info[PLAIN_LNZ] += degree;
        info[PLAIN_WORK] += degree * degree;
        if (eliminate(o, p)) return -1;
    }
    return 0;
}

int plain_order(int n, const int *start, const int *row, int *order, const double *control,
                double *info)
{
    size_t all = (size_t)n + 1;
    ordering o = {n, calloc(all, sizeof *o.v), calloc(all, sizeof *o.seen), 0, calloc(all, 1)};
    (void)control;
    memset(info, 0, PLAIN_INFO * sizeof *info);
    int rc = o.v && o.seen && o.gone ? find_order(&o, start, row, order, info) : -1;
    for (int i = 0; i < n && o.v; i++) free(o.v[i].near);
    free(o.v);
    free(o.seen);
    free(o.gone);
    return rc;
}
