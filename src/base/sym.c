/* Each string is stored behind its length, so that sym_len costs a load.
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
    size_t n;
    memcpy(&n, s - sizeof n, sizeof n);
    return n;
}

static sym *probe(sym *slots, uint32_t cap, const char *s, size_t n)
{
    uint32_t i = (uint32_t)hash_bytes(s, n) & (cap - 1);
    while (slots[i] && (sym_len(slots[i]) != n || memcmp(slots[i], s, n) != 0))
        i = (i + 1) & (cap - 1);
    return &slots[i];
}

static void rehash(sym_table *t)
{
    uint32_t cap = t->cap ? 2 * t->cap : 256;
    sym *slots = arena_array(t->a, sym, cap);
    for (uint32_t i = 0; i < t->cap; i++)
        if (t->slots[i]) *probe(slots, cap, t->slots[i], sym_len(t->slots[i])) = t->slots[i];
    t->slots = slots;
    t->cap = cap;
}

sym sym_of_n(sym_table *t, const char *s, size_t n)
{
    if (2 * (t->n + 1) > t->cap) rehash(t);
    sym *place = probe(t->slots, t->cap, s, n);
    if (!*place) {
        char *p = arena_alloc(t->a, sizeof n + n + 1);
        memcpy(p, &n, sizeof n);
        if (n) memcpy(p + sizeof n, s, n);
        *place = p + sizeof n;
        t->n++;
    }
    return *place;
}

sym sym_of(sym_table *t, const char *s)
{
    return sym_of_n(t, s, strlen(s));
}

sym sym_find_n(const sym_table *t, const char *s, size_t n)
{
    return t->cap ? *probe(t->slots, t->cap, s, n) : NULL;
}
