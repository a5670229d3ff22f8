/* Definitions, for formulations that keep the equations as written.
 *
 * An unknown whose derivative occurs nowhere, or is had by differentiating, and that an equation without y' gives explicitly is a
 * name for an expression: sines of angles, places of joints, forces. It leaves y, and the equation
 * leaves F. Neither index nor solution changes: every method meets such an equation exactly, at
 * whatever points it meets the others.
 *
 * Equations are taken in the order in which they are written, each for the first unknown that it
 * gives without a division, unless the definitions so far lead from the others back to that one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <string.h>

/* What is left of a system of this size is a dense matrix anyway: substitute without regard to
 * fill. */
enum { UNKNOWNS_DENSE_MAX = 60 };
/* Longer chains of definitions would fill the rows that they end in. */
enum { DEFINITIONS_CHAIN_MAX = 300 };

typedef struct definer {
    form_builder *b;
    int *by;          // by unknown: equation that defines it, or -1
    int *start, *arg; // by equation: unknowns that may be defined, in it
    int *seen, stamp; // by unknown
    int_array stack;
    int orders; // of derivatives that the definition gives with the unknown
} definer;

static bool nameable(const definer *x, int unknown)
{
    return x->b->s->unknowns.at[unknown].highest <= x->orders;
}

/* Unknowns in each equation; an equation with y' has none. */
static void list_arguments(definer *x)
{
    const structure *s = x->b->s;
    int_array vars = {0}, args = {0};
    x->start = arena_array(x->b->scratch, int, s->equations.n + 1);
    for (int i = 0; i < s->equations.n; i++) {
        x->start[i] = args.n;
        vars.n = 0;
        dag_vars(&x->b->d, s->equations.at[i].f[0], &vars);
        bool moves = false;
        for (int k = 0; k < vars.n; k++) {
            int e = structure_entry_of(s, vars.at[k]);
            if (e < 0) continue;
            int u = s->entries.at[e].unknown;
            if (nameable(x, u) && !structure_order_of(s, e)) array_push(x->b->scratch, &args, u);
            else moves = moves || structure_order_of(s, e) == s->unknowns.at[u].highest;
        }
        if (moves) args.n = x->start[i];
    }
    x->start[s->equations.n] = args.n;
    x->arg = args.at;
}

/* Do the definitions lead from the other unknowns of an equation to this one? */
static bool leads_back(definer *x, int equation, int unknown)
{
    arena *a = x->b->scratch;
    int visited = 0;
    x->stamp++;
    x->stack.n = 0;
    for (int k = x->start[equation]; k < x->start[equation + 1]; k++)
        if (x->arg[k] != unknown) array_push(a, &x->stack, x->arg[k]);
    while (x->stack.n) {
        int u = x->stack.at[--x->stack.n];
        if (u == unknown || visited > DEFINITIONS_CHAIN_MAX) return true;
        if (x->seen[u] == x->stamp || x->by[u] < 0) continue;
        x->seen[u] = x->stamp;
        visited++;
        for (int k = x->start[x->by[u]]; k < x->start[x->by[u] + 1]; k++)
            if (x->arg[k] != u) array_push(a, &x->stack, x->arg[k]);
    }
    return false;
}

/* The unknown that an equation defines, or -1. */
static int defined_by(definer *x, int equation)
{
    const structure *s = x->b->s;
    int best = -1;
    for (int k = x->start[equation]; k < x->start[equation + 1]; k++) {
        int u = x->arg[k];
        // As often differentiated as the unknown: the offsets of what is left stay what they are.
        if (x->by[u] >= 0 || s->unknowns.at[u].d != s->equations.at[equation].c) continue;
        // A coordinate of motion stays one, however its constraint is written.
        if (s->unknowns.at[u].highest && s->unknowns.at[u].d > x->orders) continue;
        expr guard, f = s->equations.at[equation].f[0];
        if (!dag_solve(&x->b->d, f, s->entries.at[s->unknowns.at[u].first].var, &guard)) continue;
        if (guard && (best >= 0 || !form_safe_divisor(x->b, guard))) continue;
        if (leads_back(x, equation, u)) continue;
        best = u;
        if (!guard) break;
    }
    return best;
}

int *form_definitions(form_builder *b, int most, int orders)
{
    const structure *s = b->s;
    definer x = {.b = b, .orders = orders};
    int left = s->unknowns.n;
    x.by = arena_array(b->scratch, int, s->unknowns.n);
    x.seen = arena_array(b->scratch, int, s->unknowns.n);
    memset(x.by, 0xff, (size_t)s->unknowns.n * sizeof *x.by);
    list_arguments(&x);
    for (int i = 0; i < s->equations.n; i++) {
        int u = s->equations.at[i].c <= most ? defined_by(&x, i) : -1;
        if (u < 0) continue;
        x.by[u] = i;
        left--;
    }
    b->dense = left <= UNKNOWNS_DENSE_MAX;
    return x.by;
}

const char *form_define(form_builder *b, const int *by, int orders)
{
    const structure *s = b->s;
    char *spent = arena_array(b->scratch, char, s->equations.n);
    ARRAY(form_instance) list = {0};
    for (int u = 0; u < s->unknowns.n; u++) {
        if (by[u] < 0) continue;
        spent[by[u]] = 1;
        for (int k = 0; k <= orders && k <= s->unknowns.at[u].d; k++)
            array_push(b->scratch, &list, ((form_instance){by[u], k, s->unknowns.at[u].first + k}));
    }
    b->implicit = true; // what is left of the system is
    form_solve(b, list.at, list.n);
    return spent;
}
