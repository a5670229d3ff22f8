/* Open addressing with linear probing at a load of at most one half.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expr/expr_pool.h"

void idmap_init(idmap *m, arena *a)
{
    *m = (idmap){.a = a};
}

// Node numbers are dense: a multiplication spreads them well enough (Knuth, TAOCP 3, 6.4).
static uint32_t idmap_home(int key, uint32_t cap)
{
    return (uint32_t)(((uint64_t)(uint32_t)key * 0x9e3779b97f4a7c15u) >> 32) & (cap - 1);
}

static struct idmap_slot *idmap_probe(struct idmap_slot *slots, uint32_t cap, int key)
{
    uint32_t i = idmap_home(key, cap);
    while (slots[i].key && slots[i].key != key) i = (i + 1) & (cap - 1);
    return &slots[i];
}

const int *idmap_find(const idmap *m, int key)
{
    if (!m->cap) return NULL;
    const struct idmap_slot *s = idmap_probe(m->slots, m->cap, key);
    return s->key ? &s->value : NULL;
}

static void idmap_rehash(idmap *m)
{
    uint32_t cap = m->cap ? 2 * m->cap : 32;
    struct idmap_slot *slots = arena_array(m->a, struct idmap_slot, cap);
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->slots[i].key) *idmap_probe(slots, cap, m->slots[i].key) = m->slots[i];
    m->slots = slots;
    m->cap = cap;
}

void idmap_put(idmap *m, int key, int value)
{
    if (2 * (m->n + 1) > m->cap) idmap_rehash(m);
    struct idmap_slot *s = idmap_probe(m->slots, m->cap, key);
    if (!s->key) m->n++;
    *s = (struct idmap_slot){key, value};
}
