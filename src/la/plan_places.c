/* Where the factors of a plan keep each entry.
 *
 * Row by row: the places of a row's entries are spread over an array by columns, then read for the
 * entries of the matrix in that row and for the products that change it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/plan.h"

#include "base/bump.h"

typedef struct places {
    const la_plan *p;
    int *of;             // by column, in the row that is looked at
    int *first, *next;   // by row its entries of L, linked
    int *step;           // by entry of L
    int *own, *own_next; // by row its entries of the pattern, linked
    int *own_col;        // by entry of the pattern
    int *changed;        // by step: where its targets begin
} places;

static size_t layout_places(places *x, const la_plan *p, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)p->n, entries = (size_t)la_plan_entries(p);
    x->of = bump_int(&b, n);
    x->first = bump_int(&b, n);
    x->own = bump_int(&b, n);
    x->changed = bump_int(&b, n);
    x->next = bump_int(&b, entries);
    x->step = bump_int(&b, entries);
    x->own_next = bump_int(&b, nnz);
    x->own_col = bump_int(&b, nnz);
    return bump_end(&b) + 1;
}

static void link_entries(places *x, const vinc_pattern *pattern)
{
    const la_plan *p = x->p;
    int n = p->n, changed = 0;
    for (int i = 0; i < n; i++) x->first[i] = x->own[i] = -1;
    for (int k = 0; k < p->steps; k++) {
        int u = p->start[2 * k], l = p->start[2 * k + 1], end = p->start[2 * k + 2];
        x->changed[k] = changed;
        changed += (end - l) * (l - u);
        for (int e = l; e < end; e++) {
            x->step[e] = k;
            x->next[e] = x->first[p->line[e]];
            x->first[p->line[e]] = e;
        }
    }
    for (int j = 0; j < n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            int i = pattern->row[k];
            x->own_col[k] = j;
            x->own_next[k] = x->own[i];
            x->own[i] = k;
        }
}

/* The places of the entries of row i in x->of. */
static void places_spread(places *x, int i)
{
    const la_plan *p = x->p;
    int k = p->at_row[i], rest = p->n - p->steps, base = p->steps + la_plan_entries(p);
    for (int e = x->first[i]; e >= 0; e = x->next[e]) x->of[p->col[x->step[e]]] = p->steps + e;
    if (k < p->steps) {
        x->of[p->col[k]] = k;
        for (int e = p->start[2 * k]; e < p->start[2 * k + 1]; e++)
            x->of[p->line[e]] = p->steps + e;
    } else {
        for (int j = 0; j < rest; j++) x->of[p->col[p->steps + j]] = base + j * rest + k - p->steps;
    }
}

int la_plan_places(const la_plan *p, const vinc_pattern *pattern, int *where, int *target)
{
    size_t nnz = (size_t)pattern->nnz;
    places x = {.p = p};
    size_t bytes = layout_places(&x, p, nnz, NULL);
    void *block = mem_try(p->m, bytes);
    if (!block) return LA_E_MEMORY;
    layout_places(&x, p, nnz, block);
    link_entries(&x, pattern);
    for (int i = 0; i < p->n; i++) {
        places_spread(&x, i);
        for (int k = x.own[i]; k >= 0; k = x.own_next[k]) where[k] = x.of[x.own_col[k]];
        for (int e = x.first[i]; e >= 0; e = x.next[e]) {
            int k = x.step[e], u = p->start[2 * k], l = p->start[2 * k + 1];
            int *to = target + x.changed[k] + (e - l) * (l - u);
            for (int f = u; f < l; f++) *to++ = x.of[p->line[f]];
        }
    }
    mem_free(p->m, block, bytes);
    return LA_OK;
}
