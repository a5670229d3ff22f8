/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/heap.h"

#include <stdbool.h>

static bool heap_before(const heap *h, int x, int y)
{
    return h->key[x] != h->key[y] ? h->key[x] < h->key[y] : x < y;
}

static void heap_place(heap *h, int at, int item)
{
    h->item[at] = item;
    h->at[item] = at;
}

/* The item up or down from this place, to where it belongs. */
static void heap_settle(heap *h, int at, int item)
{
    for (; at > 0 && heap_before(h, item, h->item[(at - 1) / 2]); at = (at - 1) / 2)
        heap_place(h, at, h->item[(at - 1) / 2]);
    for (int down; (down = 2 * at + 1) < h->n; at = down) {
        if (down + 1 < h->n && heap_before(h, h->item[down + 1], h->item[down])) down++;
        if (!heap_before(h, h->item[down], item)) break;
        heap_place(h, at, h->item[down]);
    }
    heap_place(h, at, item);
}

void heap_set(heap *h, int item, double key)
{
    h->key[item] = key;
    heap_settle(h, h->at[item] < 0 ? h->n++ : h->at[item], item);
}

int heap_pop(heap *h)
{
    int first = h->item[0], last = h->item[--h->n];
    h->at[first] = -1;
    if (h->n) heap_settle(h, 0, last);
    return first;
}

void heap_clear(heap *h)
{
    while (h->n) h->at[h->item[--h->n]] = -1;
}
