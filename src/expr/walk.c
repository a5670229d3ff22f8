/* What a set of roots reaches.
 *
 * A depth-first search with a stack of its own. Visited nodes are looked for in their list while they
 * are a few, then kept in a small hash set, and in a bitmap once they are a fair share of the pool: a
 * call costs what it reaches, and a large one is as cheap as a sweep.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

typedef struct walk {
    const expr_pool *p;
    arena *a;
    int_array found, stack;
    idmap seen;
    uint64_t *bits; // instead of `seen`, when not NULL
    int top;        // largest root
} walk;

enum {
    NODES_PER_FOUND_MAX = 32, // a bitmap when one node in so many is reached
    FOUND_FEW = 16            // in their list
};

static void use_bitmap(walk *w)
{
    w->bits = arena_array(w->a, uint64_t, w->top / 64 + 1);
    for (int i = 0; i < w->found.n; i++)
        w->bits[w->found.at[i] / 64] |= (uint64_t)1 << w->found.at[i] % 64;
}

static void walk_visit(walk *w, expr e)
{
    if (w->bits) {
        uint64_t bit = (uint64_t)1 << e % 64;
        if (w->bits[e / 64] & bit) return;
        w->bits[e / 64] |= bit;
    } else if (w->found.n < FOUND_FEW) {
        for (int i = w->found.n; i--;)
            if (w->found.at[i] == e) return;
    } else {
        for (int i = 0; w->found.n == FOUND_FEW && i < FOUND_FEW; i++)
            idmap_put(&w->seen, w->found.at[i], 1);
        if (idmap_find(&w->seen, e)) return;
        idmap_put(&w->seen, e, 1);
    }
    array_push(w->a, &w->found, e);
    if (expr_arity(w->p, e)) array_push(w->a, &w->stack, e);
    if (!w->bits && w->found.n > 64 && w->found.n > w->top / NODES_PER_FOUND_MAX) use_bitmap(w);
}

static void walk_sift(int *x, int i, int n)
{
    for (int k = 2 * i + 1; k < n; i = k, k = 2 * i + 1) {
        if (k + 1 < n && x[k + 1] > x[k]) k++;
        if (x[i] >= x[k]) return;
        int t = x[i];
        x[i] = x[k];
        x[k] = t;
    }
}

void expr_sort(int *x, int n)
{
    bool sorted = true;
    for (int i = 1; i < n && sorted; i++) sorted = x[i - 1] <= x[i];
    if (sorted) return;
    for (int i = n / 2 - 1; i >= 0; i--) walk_sift(x, i, n);
    for (int i = n - 1; i > 0; i--) {
        int t = x[0];
        x[0] = x[i];
        x[i] = t;
        walk_sift(x, 0, i);
    }
}

int_array expr_reach(const expr_pool *p, const expr *roots, int n, arena *scratch)
{
    walk w = {.p = p, .a = scratch};
    idmap_init(&w.seen, scratch);
    for (int i = 0; i < n; i++)
        if (roots[i] > w.top) w.top = roots[i];
    for (int i = 0; i < n; i++) {
        if (roots[i]) walk_visit(&w, roots[i]);
        while (w.stack.n) {
            expr e = w.stack.at[--w.stack.n];
            const expr *args = expr_args(p, e);
            for (int k = expr_arity(p, e) - 1; k >= 0; k--) walk_visit(&w, args[k]);
        }
    }
    if (w.bits) {
        w.found.n = 0;
        for (int i = 0; i <= w.top / 64; i++)
            for (uint64_t b = w.bits[i]; b; b &= b - 1)
                w.found.at[w.found.n++] = 64 * i + __builtin_ctzll(b);
    } else {
        expr_sort(w.found.at, w.found.n);
    }
    return w.found;
}

int_array expr_vars(const expr_pool *p, const expr *roots, int n, arena *scratch)
{
    int_array all = expr_reach(p, roots, n, scratch);
    int kept = 0;
    for (int i = 0; i < all.n; i++)
        if (expr_op_of(p, all.at[i]) == EXPR_VAR) all.at[kept++] = all.at[i];
    all.n = kept;
    return all;
}
