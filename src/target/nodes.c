/* SPDX-License-Identifier: BSD-3-Clause */
#include "target/nodes.h"

#include <string.h>

typedef struct numbering {
    pool *p;
    tape_nodes *n;
    uint32_t *slots, cap; // leaf number plus one, by ref; open addressing
    int room;             // for leaves
} numbering;

static uint32_t leaf_slot(const numbering *u, tape_ref r)
{
    uint32_t h = r * 0x9E3779B1u;
    return (h ^ h >> 15) & (u->cap - 1);
}

static bool grow_leaves(numbering *u)
{
    tape_nodes *n = u->n;
    u->room = u->room ? 2 * u->room : 32;
    u->cap = 4 * (uint32_t)u->room;
    tape_ref *leaf = pool_raw_array(u->p, tape_ref, u->room);
    u->slots = pool_array(u->p, uint32_t, u->cap);
    if (!leaf || !u->slots) return false;
    if (n->n_leaves) memcpy(leaf, n->leaf, (size_t)n->n_leaves * sizeof *leaf);
    n->leaf = leaf;
    for (int k = 0; k < n->n_leaves; k++) {
        uint32_t s = leaf_slot(u, leaf[k]);
        while (u->slots[s]) s = (s + 1) & (u->cap - 1);
        u->slots[s] = (uint32_t)k + 1;
    }
    return true;
}

static bool number_of_leaf(numbering *u, tape_ref r, uint32_t *node)
{
    tape_nodes *n = u->n;
    if (tape_kind_of(r) == TAPE_VALUE) {
        *node = r;
        return true;
    }
    if (n->n_leaves >= u->room && !grow_leaves(u)) return false;
    uint32_t s = leaf_slot(u, r);
    while (u->slots[s] && n->leaf[u->slots[s] - 1] != r) s = (s + 1) & (u->cap - 1);
    if (!u->slots[s]) {
        n->leaf[n->n_leaves++] = r;
        u->slots[s] = (uint32_t)n->n_leaves;
    }
    *node = (uint32_t)n->n_values + u->slots[s] - 1;
    return true;
}

bool tape_nodes_of(const tape *t, pool *p, tape_nodes *n)
{
    *n = (tape_nodes){.n_values = t->n_ins};
    numbering u = {.p = p, .n = n};
    n->operand = pool_raw(p, (size_t)t->n_ins, sizeof *n->operand);
    n->arg = pool_raw_array(p, uint32_t, t->n_args);
    n->region = pool_raw(p, (size_t)t->n_regions, sizeof *n->region);
    bool ok = n->operand && n->arg && n->region;
    for (int i = 0; ok && i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const tape_ref refs[4] = {in->op == TAPE_STORE ? in->b : in->a, in->b, in->c, in->d};
        for (int k = 0; ok && k < tape_n_operands(in); k++)
            ok = number_of_leaf(&u, refs[k], &n->operand[i][k]);
        if (in->op != TAPE_CALL) continue;
        const tape_call *c = &t->calls[in->a];
        for (int k = 0; ok && k < c->fn->n_in; k++)
            ok = number_of_leaf(&u, t->args[c->args + k], &n->arg[c->args + k]);
    }
    for (int k = 0; ok && k < t->n_regions; k++)
        ok = number_of_leaf(&u, t->regions[k].a, &n->region[k][0]) &&
             number_of_leaf(&u, t->regions[k].b, &n->region[k][1]);
    return ok;
}
