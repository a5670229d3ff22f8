/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"

#include <limits.h>
#include <stdint.h>

void *array_grow(arena *a, void *at, int *cap, int need, size_t size)
{
    int room = *cap > INT_MAX / 2 ? INT_MAX : *cap * 2;
    if (room < 8) room = 8;
    if (room < need) room = need;
    if (size && (size_t)room > SIZE_MAX / 2 / size) mem_fail(a->m);
    at = arena_resize_raw(a, at, (size_t)*cap * size, (size_t)room * size);
    *cap = room;
    return at;
}
