/* A hash map from 64-bit keys (integers, or pointers such as interned strings) to 64-bit values, in
 * an arena. Insertion only; iteration goes through the caller's own arrays, so that nothing depends
 * on hash order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"

#include <stdint.h>

typedef struct map_slot {
    uint64_t mark, value; // mark: 0 where there is nothing, else the key, mixed
} map_slot;

typedef struct map {
    arena *a;
    map_slot *slots;
    uint32_t cap, n; // cap is a power of two or 0
} map;

void map_init(map *m, arena *a);
uint64_t *map_find(const map *m, uint64_t key); // the value's place, or NULL
uint64_t *map_put(map *m,
                  uint64_t key); // the value's place, made (0) if absent; valid until the next put

uint64_t hash_u64(uint64_t x); // a good mixer, also for callers with their own tables
uint64_t hash_bytes(const void *p, size_t n);

static inline uint64_t map_key(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#endif
