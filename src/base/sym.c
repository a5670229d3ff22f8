/* Each string is stored after its length, so that sym_len costs a load. Most are names of a dozen
 * characters: four bytes of length let them fit into sixteen.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/sym.h"

#include "base/map.h"

#include <string.h>

void sym_init(sym_table *t, arena *a)
{
    *t = (sym_table){.a = a};
}

size_t sym_len(sym s)
{
    uint32_t n;
    memcpy(&n, s - sizeof n, sizeof n);
    return n;
}

static sym_slot *sym_probe(sym_slot *slots, uint32_t cap, uint32_t hash, const char *s, size_t n)
{
    uint32_t i = hash & (cap - 1);
    while (slots[i].s &&
           (slots[i].hash != hash || sym_len(slots[i].s) != n || memcmp(slots[i].s, s, n) != 0))
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static void sym_rehash(sym_table *t)
{
    uint32_t cap = t->cap ? 2 * t->cap : 256;
    sym_slot *slots = arena_array(t->a, sym_slot, cap);
    for (uint32_t k = 0; k < t->cap; k++) {
        if (!t->slots[k].s) continue;
        uint32_t i = t->slots[k].hash & (cap - 1);
        while (slots[i].s) i = (i + 1) & (cap - 1);
        slots[i] = t->slots[k];
    }
    arena_resize(t->a, t->slots, t->cap * sizeof *slots, 0);
    t->slots = slots;
    t->cap = cap;
}

sym sym_of_n(sym_table *t, const char *s, size_t n)
{
    if (2 * (t->n + 1) > t->cap) sym_rehash(t);
    uint32_t hash = (uint32_t)hash_bytes(s, n);
    sym_slot *place = sym_probe(t->slots, t->cap, hash, s, n);
    if (!place->s) {
        if (n > UINT32_MAX) mem_fail(t->a->m);
        uint32_t length = (uint32_t)n;
        char *p = arena_alloc(t->a, sizeof length + n + 1);
        memcpy(p, &length, sizeof length);
        if (n) memcpy(p + sizeof length, s, n);
        *place = (sym_slot){p + sizeof length, hash};
        t->n++;
    }
    return place->s;
}

sym sym_of(sym_table *t, const char *s)
{
    return sym_of_n(t, s, strlen(s));
}

sym sym_find_n(const sym_table *t, const char *s, size_t n)
{
    return t->cap ? sym_probe(t->slots, t->cap, (uint32_t)hash_bytes(s, n), s, n)->s : NULL;
}
