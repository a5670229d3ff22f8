/* Steps of a plan next to those they need.
 *
 * Markowitz's count takes pivots from all over the matrix; their order matters only as far as a
 * step must come after those that change its row or its column. A depth-first search from the last
 * steps gives such an order in which what a step needs was touched shortly before: long factors go
 * through the cache once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/plan.h"

#include "base/bump.h"

#include <string.h>

typedef struct order {
    int *first, *next; // by step its needs, linked by entries
    int *step;         // by entry: the step it belongs to
    int *stack;
    int *to, n; // steps in their new order
    uint8_t *seen;
    int *row, *col, *start, *line; // copies
} order;

static size_t order_layout(order *o, const la_plan *p, void *block)
{
    bump b = bump_begin(block);
    size_t k = (size_t)p->steps, entries = (size_t)la_plan_entries(p);
    int **of_k[] = {&o->first, &o->stack, &o->to, &o->row, &o->col};
    for (size_t i = 0; i < sizeof of_k / sizeof *of_k; i++) *of_k[i] = bump_int(&b, k);
    int **of_entries[] = {&o->next, &o->step, &o->line};
    for (size_t i = 0; i < sizeof of_entries / sizeof *of_entries; i++)
        *of_entries[i] = bump_int(&b, entries);
    o->start = bump_int(&b, 2 * k + 1);
    o->seen = bump_bytes(&b, k);
    return bump_end(&b) + 1;
}

static void link_needs(order *o, const la_plan *p)
{
    for (int k = 0; k < p->steps; k++) o->first[k] = -1;
    for (int k = 0; k < p->steps; k++)
        for (int e = p->start[2 * k]; e < p->start[2 * k + 2]; e++) {
            int later = e < p->start[2 * k + 1] ? p->at_col[p->line[e]] : p->at_row[p->line[e]];
            o->step[e] = k;
            if (later >= p->steps) continue;
            o->next[e] = o->first[later];
            o->first[later] = e;
        }
}

static void order_visit(order *o, int root)
{
    int depth = 0;
    o->stack[0] = root;
    o->seen[root] = 1;
    while (depth >= 0) {
        int k = o->stack[depth], e = o->first[k];
        while (e >= 0 && o->seen[o->step[e]]) e = o->next[e];
        if (e < 0) {
            o->to[o->n++] = k;
            depth--;
            continue;
        }
        o->first[k] = o->next[e];
        o->stack[++depth] = o->step[e];
        o->seen[o->step[e]] = 1;
    }
}

static void order_rewrite(const order *o, la_plan *p)
{
    int at = 0;
    for (int q = 0; q < p->steps; q++) {
        int k = o->to[q], u = o->start[2 * k], l = o->start[2 * k + 1], end = o->start[2 * k + 2];
        memcpy(p->line + at, o->line + u, (size_t)(end - u) * sizeof *p->line);
        p->row[q] = o->row[k];
        p->col[q] = o->col[k];
        p->at_row[p->row[q]] = p->at_col[p->col[q]] = q;
        p->start[2 * q] = at;
        p->start[2 * q + 1] = at + l - u;
        at += end - u;
    }
}

int la_plan_arrange(la_plan *p)
{
    order o = {0};
    size_t bytes = order_layout(&o, p, NULL), steps = (size_t)p->steps * sizeof(int);
    void *block = mem_try_zeroed(p->m, bytes);
    if (!block) return LA_E_MEMORY;
    order_layout(&o, p, block);
    link_needs(&o, p);
    for (int k = p->steps - 1; k >= 0; k--)
        if (!o.seen[k]) order_visit(&o, k);
    memcpy(o.row, p->row, steps);
    memcpy(o.col, p->col, steps);
    memcpy(o.start, p->start, 2 * steps + sizeof *o.start);
    memcpy(o.line, p->line, (size_t)la_plan_entries(p) * sizeof *o.line);
    order_rewrite(&o, p);
    mem_free(p->m, block, bytes);
    return LA_OK;
}
