/* SPDX-License-Identifier: BSD-3-Clause */
#include "tape/branches.h"

enum { DEPTH_MAX = TAPE_REGIONS_DEEP };

static int branch_of(branch_search *g, const tape_ins *in, bool yes, int around)
{
    if (g->branches.at[around].depth == DEPTH_MAX) return around; // long chains of choices
    tape_branch x = {around,       g->branches.at[around].depth + 1, in->op, in->a, in->b, yes,
                     BRANCH_ALWAYS};
    uint64_t key = (uint64_t)in->a << 32 | in->b;
    key = (key ^ ((uint64_t)around << 8 | in->op << 1 | yes)) * 0x9E3779B97F4A7C15u;
    uint64_t *first = map_put(&g->known, key);
    for (int k = (int)*first; k != BRANCH_ALWAYS; k = g->branches.at[k].next) {
        const tape_branch *old = &g->branches.at[k];
        if (old->around == around && old->op == x.op && old->a == x.a && old->b == x.b &&
            old->yes == yes)
            return k;
    }
    x.next = (int)*first;
    *first = (uint64_t)g->branches.n;
    array_push(g->b->a, &g->branches, x);
    return g->branches.n - 1;
}

static bool same_condition(const tape_branch *x, const tape_branch *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && x->yes == y->yes;
}

/* What two branches have in common: the one around both, and the conditions that they share below it, in
 * whatever order they stand there (if a ... elseif b ... here, if b ... there). */
static int common_branch(branch_search *g, int u, int v)
{
    const tape_branch *at = g->branches.at;
    int around = u, other = v, shared[BRANCHES_SHARED], n = 0;
    while (around != other) {
        if (at[around].depth >= at[other].depth) around = at[around].around;
        else other = at[other].around;
    }
    for (; u != around && n < BRANCHES_SHARED; u = at[u].around)
        for (int k = v; k != around; k = at[k].around)
            if (same_condition(&at[u], &at[k])) {
                shared[n++] = u;
                break;
            }
    while (n) {
        const tape_branch x = g->branches.at[shared[--n]];
        const tape_ins select = {x.op, x.a, x.b, 0, 0};
        around = branch_of(g, &select, x.yes, around);
    }
    return around;
}

static void note_use(branch_search *g, tape_ref r, int in)
{
    if (tape_kind_of(r) != TAPE_VALUE) return;
    int *w = &g->where[tape_index_of(r)];
    *w = *w == BRANCH_NO_USE ? in : common_branch(g, *w, in);
}

static void note_operands(branch_search *g, int i)
{
    const tape_builder *b = g->b;
    const tape_ins *in = &b->ins.at[i];
    int here = g->where[i], n = tape_op_operands(in->op);
    if (in->op == TAPE_STORE) {
        note_use(g, in->b, BRANCH_ALWAYS);
    } else if (in->op == TAPE_RESULT) {
        note_use(g, tape_ref_of(TAPE_VALUE, i - 1 - (int)in->a), here);
    } else if (in->op == TAPE_CALL) {
        const tape_call *c = &b->calls.at[in->a];
        if (c->fn->impure) here = BRANCH_ALWAYS;
        for (int k = 0; k < c->fn->n_in; k++) note_use(g, b->args.at[c->args + k], here);
    } else {
        if (n > 0) note_use(g, in->a, here);
        if (n > 1) note_use(g, in->b, here);
        if (n > 2 && tape_kind_of(in->c) == TAPE_VALUE)
            note_use(g, in->c, branch_of(g, in, true, here));
        if (n > 2 && tape_kind_of(in->d) == TAPE_VALUE)
            note_use(g, in->d, branch_of(g, in, false, here));
    }
}

branch_search branches_find(const tape_builder *b)
{
    branch_search g = {.b = b, .where = arena_array(b->a, int, b->ins.n + 1)};
    tape_branch root = {.around = BRANCH_ALWAYS};
    map_init(&g.known, b->a);
    array_push(b->a, &g.branches, root);
    for (int i = 0; i < b->ins.n; i++) g.where[i] = BRANCH_NO_USE;
    for (int i = b->ins.n - 1; i >= 0; i--) {
        const tape_ins *in = &b->ins.at[i];
        bool made = in->op == TAPE_STORE || (in->op == TAPE_CALL && b->calls.at[in->a].fn->impure);
        if (made) g.where[i] = BRANCH_ALWAYS;
        if (g.where[i] != BRANCH_NO_USE) note_operands(&g, i);
    }
    return g;
}
