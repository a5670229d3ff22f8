/* Laying out a workspace: one function run twice, first with block == NULL to measure, then to
 * assign.
 *
 *     bump b = bump_begin(block);
 *     s->y = bump_double(&b, n);
 *     return bump_end(&b);
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_BUMP_H
#define BASE_BUMP_H

#include <stddef.h>
#include <stdint.h>

typedef struct bump {
    char *block;
    size_t used;
} bump;

static inline bump bump_begin(void *block)
{
    return (bump){block, 0};
}

static inline void *bump_bytes(bump *b, size_t bytes)
{
    void *p = b->block ? b->block + b->used : NULL;
    b->used += (bytes + 63) / 64 * 64; // a cache line: arrays never share one
    return p;
}

static inline double *bump_double(bump *b, size_t n)
{
    return bump_bytes(b, n * sizeof(double));
}

static inline int *bump_int(bump *b, size_t n)
{
    return bump_bytes(b, n * sizeof(int));
}

/* The first place in a block of so many bytes more at which arrays begin with cache lines, as they do in the layout: a
 * vector that lies in two of them takes twice as long. */
enum { BUMP_SLACK = 64 };
static inline void *bump_aligned(void *block)
{
    uintptr_t at = (uintptr_t)block;
    return (char *)block + (BUMP_SLACK - at % BUMP_SLACK) % BUMP_SLACK;
}

static inline size_t bump_end(const bump *b)
{
    return b->used;
}

#endif
