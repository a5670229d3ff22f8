/* Texts lie one behind the other in blocks, each after its length, so that sym_len costs a load and a
 * slot of the table needs no pointer: a model of a million variables has a million names.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/sym.h"

#include "base/map.h"

#include <stdbool.h>
#include <string.h>

enum {
    SYM_UNIT = 4,        // bytes; a place is the number of a block and of a unit in it
    SYM_UNITS_BITS = 12, // units of a block
    SYM_UNITS = 1 << SYM_UNITS_BITS,
    SYM_BLOCK_BYTES = SYM_UNITS * SYM_UNIT,
    SYM_LEAST_SLOTS = 256
};

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

/* ---- texts ----------------------------------------------------------------------------------- */

static sym sym_at(const sym_table *t, uint32_t place)
{
    uint32_t unit = place & (SYM_UNITS - 1);
    return t->blocks[place >> SYM_UNITS_BITS].at + unit * SYM_UNIT + sizeof(uint32_t);
}

/* Length, text, NUL. */
static size_t sym_bytes(size_t n)
{
    return (sizeof(uint32_t) + n + 1 + SYM_UNIT - 1) / SYM_UNIT * SYM_UNIT;
}

static void add_block(sym_table *t, size_t bytes)
{
    if (t->n_blocks == t->cap_blocks) {
        uint32_t cap = t->cap_blocks ? 2 * t->cap_blocks : 8;
        t->blocks = arena_resize(t->a, t->blocks, t->cap_blocks * sizeof *t->blocks,
                                 cap * sizeof *t->blocks);
        t->cap_blocks = cap;
    }
    if (t->n_blocks == UINT32_MAX >> SYM_UNITS_BITS) mem_fail(t->a->m);
    if (bytes < SYM_BLOCK_BYTES) bytes = SYM_BLOCK_BYTES; // a longer text has a block of its own
    char *at = arena_alloc(t->a, bytes);
    t->blocks[t->n_blocks++] = (struct sym_block){.at = at};
}

static uint32_t sym_store(sym_table *t, const char *s, size_t n)
{
    if (n > UINT32_MAX / 2) mem_fail(t->a->m);
    size_t bytes = sym_bytes(n);
    if (!t->n_blocks || t->blocks[t->n_blocks - 1].used + bytes > SYM_BLOCK_BYTES)
        add_block(t, bytes);
    struct sym_block *b = &t->blocks[t->n_blocks - 1];
    uint32_t length = (uint32_t)n, unit = b->used / SYM_UNIT;
    char *p = b->at + b->used;
    memcpy(p, &length, sizeof length);
    if (n) memcpy(p + sizeof length, s, n);
    b->used += (uint32_t)bytes;
    return ((t->n_blocks - 1) << SYM_UNITS_BITS) + unit;
}

/* ---- table ----------------------------------------------------------------------------------- */

static uint8_t sym_tag(uint64_t hash)
{
    return (uint8_t)(0x80 | hash >> 56);
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t sym_probe(const sym_table *t, uint64_t hash, const char *s, size_t n)
{
    uint32_t i = (uint32_t)hash & (t->cap - 1);
    uint8_t tag = sym_tag(hash);
    for (; t->tags[i]; i = (i + 1) & (t->cap - 1)) {
        if (t->tags[i] != tag) continue;
        sym at = sym_at(t, t->slots[i]);
        if (sym_len(at) == n && memcmp(at, s, n) == 0) break;
    }
    return i;
}

static void sym_enter(sym_table *t, uint32_t slot, uint64_t hash, uint32_t place)
{
    t->tags[slot] = sym_tag(hash);
    t->slots[slot] = place;
}

static void sym_rehash(sym_table *t, uint32_t cap)
{
    uint32_t *slots = arena_array(t->a, uint32_t, cap);
    uint8_t *tags = arena_array(t->a, uint8_t, cap);
    arena_resize(t->a, t->slots, t->cap * sizeof *t->slots, 0);
    arena_resize(t->a, t->tags, t->cap, 0);
    t->slots = slots;
    t->tags = tags;
    t->cap = cap;
    for (uint32_t b = 0; b < t->n_blocks; b++)
        for (uint32_t used = 0; used < t->blocks[b].used;) {
            uint32_t place = (b << SYM_UNITS_BITS) + used / SYM_UNIT;
            sym s = sym_at(t, place);
            size_t n = sym_len(s);
            uint64_t hash = hash_bytes(s, n);
            uint32_t i = (uint32_t)hash & (t->cap - 1);
            while (t->tags[i]) i = (i + 1) & (t->cap - 1);
            sym_enter(t, i, hash, place);
            used += (uint32_t)sym_bytes(n);
        }
}

/* Is there room for n texts? The table is at most thirteen sixteenths full. */
static bool sym_has_room(uint64_t n, uint64_t cap)
{
    return 16 * n <= 13 * cap;
}

void sym_reserve(sym_table *t, uint32_t more)
{
    uint32_t cap = t->cap ? t->cap : SYM_LEAST_SLOTS;
    while (!sym_has_room((uint64_t)t->n + more, cap) && cap <= UINT32_MAX / 2) cap *= 2;
    if (cap != t->cap) sym_rehash(t, cap);
}

uint64_t sym_prepare(const sym_table *t, const char *s, size_t n)
{
    uint64_t hash = hash_bytes(s, n);
    if (!t->cap) return hash;
    uint32_t i = (uint32_t)hash & (t->cap - 1);
    __builtin_prefetch(&t->tags[i], 1);
    __builtin_prefetch(&t->slots[i], 1);
    return hash;
}

sym sym_of_n(sym_table *t, const char *s, size_t n)
{
    return sym_of_prepared(t, s, n, hash_bytes(s, n));
}

sym sym_of_prepared(sym_table *t, const char *s, size_t n, uint64_t hash)
{
    if (!sym_has_room((uint64_t)t->n + 1, t->cap))
        sym_rehash(t, t->cap ? 2 * t->cap : SYM_LEAST_SLOTS);
    uint32_t i = sym_probe(t, hash, s, n);
    if (!t->tags[i]) {
        sym_enter(t, i, hash, sym_store(t, s, n));
        t->n++;
    }
    return sym_at(t, t->slots[i]);
}

sym sym_of(sym_table *t, const char *s)
{
    return sym_of_n(t, s, strlen(s));
}

sym sym_find_n(const sym_table *t, const char *s, size_t n)
{
    if (!t->cap) return NULL;
    uint32_t i = sym_probe(t, hash_bytes(s, n), s, n);
    return t->tags[i] ? sym_at(t, t->slots[i]) : NULL;
}
