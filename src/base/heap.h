/* A priority queue of numbered items: the smallest key first, among equals the smallest item.
 *
 * Every item has its place, so that a key can change; the memory is the caller's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

typedef struct heap {
    int n;       // items that are in
    int *item;   // these, the first one at 0
    int *at;     // by item: its place in them; -1: it is not in
    double *key; // by item
} heap;

void heap_set(heap *h, int item, double key); // puts it in, or at another place
int heap_pop(heap *h);                        // the first item, out; h->n > 0
void heap_clear(heap *h);                     // all out

#endif
