/* A priority queue: the item of the highest rank first, among equals the smallest item.
 *
 * An item whose rank changes is pushed again; whoever pops skips what is out of date.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/array.h"

typedef struct heap_entry {
    long rank;
    int item;
} heap_entry;

typedef ARRAY(heap_entry) heap;

void heap_push(arena *a, heap *h, long rank, int item);
heap_entry heap_pop(heap *h); // h->n > 0

#endif
