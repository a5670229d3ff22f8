/* Growable arrays in an arena: ARRAY(int) a = {0}; array_push(arena, &a, 7); a.at[0]; a.n.
 *
 * Growing copies within the arena and abandons the old block, at most as much again in all: fine
 * for memory that is given back at once, and the reason why there is no array_free.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/arena.h"

#define ARRAY(T)                                                                                   \
    struct {                                                                                       \
        T *at;                                                                                     \
        int n, cap;                                                                                \
    }

typedef ARRAY(int) int_array;

void *array_grow(arena *a, void *at, int n, int *cap, int need, size_t size);

#define array_reserve(a, x, need)                                                                  \
    ((need) <= (x)->cap                                                                            \
         ? (void)0                                                                                 \
         : (void)((x)->at = array_grow((a), (x)->at, (x)->n, &(x)->cap, (need), sizeof *(x)->at)))
#define array_push(a, x, v) (array_reserve((a), (x), (x)->n + 1), (void)((x)->at[(x)->n++] = (v)))
#define array_last(x)       ((x)->at[(x)->n - 1])

#endif
