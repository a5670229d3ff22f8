/* Substitution: rebuild what contains something to replace, once.
 *
 * The memory of what each node became lives as long as the substitution, so that many roots share
 * the work; a node whose arguments did not change is itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

#include <limits.h>

void expr_subst_init(expr_subst *s, expr_pool *p, arena *scratch)
{
    *s = (expr_subst){.p = p, .scratch = scratch, .lowest = INT_MAX};
    s->memo = arena_new(scratch, idmap);
    idmap_init(s->memo, scratch);
}

void expr_subst_set(expr_subst *s, expr from, expr to)
{
    idmap_put(s->memo, from, to);
    if (from < s->lowest) s->lowest = from;
}

static expr subst_found(const expr_subst *s, expr e)
{
    if (e < s->lowest) return e;
    const int *to = idmap_find(s->memo, e);
    return to ? *to : 0;
}

// e with the new arguments, which are all known.
static expr subst_rebuild(expr_subst *s, expr e)
{
    enum { ARGS_ON_STACK_MAX = 8 };
    expr few[ARGS_ON_STACK_MAX];
    int n = expr_arity(s->p, e);
    arena_mark mark = arena_here(s->scratch);
    expr *args = n <= ARGS_ON_STACK_MAX ? few : arena_array(s->scratch, expr, n);
    const expr *old = expr_args(s->p, e);
    bool changed = false;
    for (int i = 0; i < n; i++) {
        args[i] = subst_found(s, old[i]);
        changed = changed || args[i] != old[i];
    }
    expr r = changed ? expr_rebuild(s->p, e, args) : e;
    if (n > ARGS_ON_STACK_MAX) expr_release(s->p, s->scratch, mark);
    return r;
}

expr expr_subst_apply(expr_subst *s, expr e)
{
    int base = s->stack.n;
    expr r;
    while (!(r = subst_found(s, e))) {
        if (s->stack.n == base) array_push(s->scratch, &s->stack, e);
        expr top = array_last(&s->stack);
        int n = expr_arity(s->p, top), before = s->stack.n;
        const expr *args = expr_args(s->p, top);
        for (int i = n - 1; i >= 0; i--)
            if (!subst_found(s, args[i])) array_push(s->scratch, &s->stack, args[i]);
        if (s->stack.n > before) continue;
        s->stack.n--;
        if (subst_found(s, top)) continue; // pushed twice
        idmap_put(s->memo, top, subst_rebuild(s, top));
    }
    s->stack.n = base;
    return r;
}
