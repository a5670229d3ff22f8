/* Memory for compiled code: blocks that are asked for with mem_try and given back together.
 *
 * A pool that could not get a block remembers it; the caller may go on with NULL pointers only as
 * far as it checks, and asks `failed` at the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_CODE_POOL_H
#define TARGET_CODE_POOL_H

#include "base/mem.h"

#include <stdbool.h>

typedef struct pool_block pool_block;

typedef struct pool {
    mem *m;
    pool_block *blocks;
    bool failed;
} pool;

void *pool_alloc(pool *p, size_t n, size_t size); // zeroed; NULL when there is no memory
void *pool_raw(pool *p, size_t n, size_t size);   // not cleared
void *pool_copy(pool *p, const void *from, size_t n, size_t size);
void pool_done(pool *p);

#define pool_array(p, T, n)     ((T *)pool_alloc((p), (size_t)(n), sizeof(T)))
#define pool_raw_array(p, T, n) ((T *)pool_raw((p), (size_t)(n), sizeof(T)))

#endif
