/* Open addressing with linear probing at a load of at most one half.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/map.h"

#include <string.h>

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

static map_slot *map_probe(map_slot *slots, uint32_t cap, uint64_t key)
{
    uint32_t i = (uint32_t)hash_u64(key) & (cap - 1);
    while (slots[i].used && slots[i].key != key) i = (i + 1) & (cap - 1);
    return &slots[i];
}

uint64_t *map_find(const map *m, uint64_t key)
{
    if (!m->cap) return NULL;
    map_slot *s = map_probe(m->slots, m->cap, key);
    return s->used ? &s->value : NULL;
}

static void map_rehash(map *m, uint32_t cap)
{
    map_slot *slots = arena_array(m->a, map_slot, cap);
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->slots[i].used) *map_probe(slots, cap, m->slots[i].key) = m->slots[i];
    arena_resize(m->a, m->slots, m->cap * sizeof *slots, 0);
    m->slots = slots;
    m->cap = cap;
}

void map_reserve(map *m, uint32_t n)
{
    uint32_t cap = 16;
    while (cap < 2 * n + 2 && cap < UINT32_MAX / 4) cap *= 2;
    if (cap > m->cap) map_rehash(m, cap);
}

uint64_t *map_put(map *m, uint64_t key)
{
    if (2 * (m->n + 1) > m->cap) map_rehash(m, m->cap ? 2 * m->cap : 16);
    map_slot *s = map_probe(m->slots, m->cap, key);
    if (!s->used) {
        *s = (map_slot){.key = key, .used = true};
        m->n++;
    }
    return &s->value;
}
