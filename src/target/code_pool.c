/* SPDX-License-Identifier: BSD-3-Clause */
#include "target/code_pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

struct pool_block {
    alignas(max_align_t) pool_block *next;
    size_t bytes;
};

void *pool_raw(pool *p, size_t n, size_t size)
{
    pool_block *b = NULL;
    size_t bytes = 0;
    if (n <= SIZE_MAX / 4 / size) {
        bytes = sizeof *b + n * size;
        b = mem_try(p->m, bytes);
    }
    if (!b) {
        p->failed = true;
        return NULL;
    }
    *b = (pool_block){p->blocks, bytes};
    p->blocks = b;
    return b + 1;
}

void *pool_alloc(pool *p, size_t n, size_t size)
{
    void *q = pool_raw(p, n, size);
    return q ? memset(q, 0, n * size) : NULL;
}

void *pool_copy(pool *p, const void *from, size_t n, size_t size)
{
    void *to = pool_raw(p, n, size);
    if (to && n) memcpy(to, from, n * size);
    return to;
}

void pool_done(pool *p)
{
    while (p->blocks) {
        pool_block *b = p->blocks;
        p->blocks = b->next;
        mem_free(p->m, b, b->bytes);
    }
}
