/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/heap.h"

#include <stdbool.h>

static bool heap_before(heap_entry x, heap_entry y)
{
    return x.rank != y.rank ? x.rank > y.rank : x.item < y.item;
}

void heap_push(arena *a, heap *h, long rank, int item)
{
    heap_entry x = {rank, item};
    array_push(a, h, x);
    int at = h->n - 1;
    for (; at > 0 && heap_before(x, h->at[(at - 1) / 2]); at = (at - 1) / 2)
        h->at[at] = h->at[(at - 1) / 2];
    h->at[at] = x;
}

heap_entry heap_pop(heap *h)
{
    heap_entry top = h->at[0], x = h->at[--h->n];
    int at = 0;
    for (int down = 1; down < h->n; at = down, down = 2 * at + 1) {
        if (down + 1 < h->n && heap_before(h->at[down + 1], h->at[down])) down++;
        if (!heap_before(h->at[down], x)) break;
        h->at[at] = h->at[down];
    }
    h->at[at] = x;
    return top;
}
