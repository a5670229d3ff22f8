/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"

#include <limits.h>
#include <string.h>

void *array_grow(arena *a, void *at, int n, int *cap, int need, size_t size)
{
    int room = *cap > INT_MAX / 2 ? INT_MAX : *cap * 2;
    if (room < 8) room = 8;
    if (room < need) room = need;
    void *p = arena_alloc_array(a, (size_t)room, size);
    if (n) memcpy(p, at, (size_t)n * size);
    *cap = room;
    return p;
}
