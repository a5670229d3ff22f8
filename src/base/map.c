/* Open addressing with linear probing at a load of at most one half.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/map.h"

#include <string.h>

enum { CAP_LEAST = 4 }; // there are many maps of two or three keys

// Finaliser of splitmix64 (Steele, Lea & Flood 2014).
uint64_t hash_u64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *c = p;
    uint64_t h = n;
    for (; n >= 8; n -= 8, c += 8) {
        uint64_t w;
        memcpy(&w, c, 8);
        h = hash_u64(h ^ w);
    }
    uint64_t w = 0;
    if (n) memcpy(&w, c, n);
    return hash_u64(h ^ w);
}

void map_init(map *m, arena *a)
{
    *m = (map){.a = a};
}

/* No two keys have one mark. The key whose mark is 0, 0x61c8864680b583eb, is no pointer and no pair
 * of numbers that anything is counted by. */
static map_slot *map_probe(map_slot *slots, uint32_t cap, uint64_t mark)
{
    uint32_t i = (uint32_t)mark & (cap - 1);
    while (slots[i].mark && slots[i].mark != mark) i = (i + 1) & (cap - 1);
    return &slots[i];
}

uint64_t *map_find(const map *m, uint64_t key)
{
    if (!m->cap) return NULL;
    map_slot *s = map_probe(m->slots, m->cap, hash_u64(key));
    return s->mark ? &s->value : NULL;
}

static void map_rehash(map *m, uint32_t cap)
{
    map_slot *slots = arena_array(m->a, map_slot, cap);
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->slots[i].mark) *map_probe(slots, cap, m->slots[i].mark) = m->slots[i];
    arena_resize(m->a, m->slots, m->cap * sizeof *slots, 0);
    m->slots = slots;
    m->cap = cap;
}

uint64_t *map_put(map *m, uint64_t key)
{
    if (2 * (m->n + 1) > m->cap) map_rehash(m, m->cap ? 2 * m->cap : CAP_LEAST);
    uint64_t mark = hash_u64(key);
    map_slot *s = map_probe(m->slots, m->cap, mark);
    if (!s->mark) {
        *s = (map_slot){.mark = mark};
        m->n++;
    }
    return &s->value;
}
