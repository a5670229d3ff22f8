/* Growable arrays in an arena: ARRAY(int) a = {0}; array_push(arena, &a, 7); a.at[0]; a.n.
 *
 * A pointer to an element is good until the next push: a large array moves when it grows, a small
 * one is copied and its old block abandoned.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/arena.h"

#include <string.h>

#define ARRAY(T)                                                                                   \
    struct {                                                                                       \
        T *at;                                                                                     \
        int n, cap;                                                                                \
    }

typedef ARRAY(int) int_array;

void *array_grow(arena *a, void *at, int *cap, int need, size_t size);

#define array_reserve(a, x, need)                                                                  \
    ((need) <= (x)->cap                                                                            \
         ? (void)0                                                                                 \
         : (void)((x)->at = array_grow((a), (x)->at, &(x)->cap, (need), sizeof *(x)->at)))
/* Each argument is evaluated once, the value first: it may read the array, and even push to it. */
#define array_push(a, x, v)                                                                        \
    do {                                                                                           \
        __typeof__(*(x)->at) array_value = (v);                                                    \
        __typeof__(x) array_to = (x);                                                              \
        array_reserve((a), array_to, array_to->n + 1);                                             \
        array_to->at[array_to->n++] = array_value;                                                 \
    } while (0)
/* Its elements become its own, where they were shared. */
#define array_copy(a, x)                                                                           \
    do {                                                                                           \
        __typeof__(x) array_of = (x);                                                              \
        const void *array_from = array_of->at;                                                     \
        array_of->at = NULL;                                                                       \
        array_of->cap = 0;                                                                         \
        array_reserve(a, array_of, array_of->n);                                                   \
        if (array_of->n)                                                                           \
            memcpy(array_of->at, array_from, (size_t)array_of->n * sizeof *array_of->at);          \
    } while (0)
#define array_last(x) ((x)->at[(x)->n - 1])

#endif
